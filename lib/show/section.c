/* section - templates of share/sections, by name */
#include <stdio.h>
#include <string.h>

#include <tp/share.h>
#include <tp/show/section.h>

int
tp_section_path(char *path, size_t size, const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
	    "0123456789_-";

	if (!*name || name[strspn(name, allowed)] ||
	    (size_t)snprintf(path, size, "sections/%s.md", name) >= size)
		return -1;
	return 0;
}

int
tp_section_read(void *arg, const char *name, struct tp_buf *text,
    struct tp_err *err)
{
	char path[128];

	(void)arg;
	if (tp_section_path(path, sizeof path, name) < 0)
		return tp_fail(err, TP_BAD, "template.damaged", 0,
		    "'%.40s' cannot be a section", name);
	return tp_share_read(path, text, err);
}
