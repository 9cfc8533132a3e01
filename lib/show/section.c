/* section - templates, of share/sections and of the user, by name */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tp/alloc.h>
#include <tp/file.h>
#include <tp/hash.h>
#include <tp/share.h>
#include <tp/show/section.h>
#include <tp/text.h>

static const char ending[] = ".md";

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
tp_section_is_file(const char *name)
{
	return strchr(name, '/') && tp_has_end(name, ending) &&
	    !access(name, F_OK);
}

int
tp_section_read(void *arg, const char *name, struct tp_buf *text,
    struct tp_err *err)
{
	struct tp_buf own = { 0 };
	char path[128];
	int rc = 1;

	(void)arg;
	if (tp_section_path(path, sizeof path, name) < 0)
		return tp_fail(err, TP_BAD, "template.damaged", 0,
		    "'%.40s' cannot be a section", name);
	if (tp_share_own("sections", &own)) {
		tp_buf_str(&own, path + strlen("sections"));
		if (!access(own.p, F_OK))
			rc = tp_file_read(own.p, text, err);
	}
	tp_buf_release(&own);
	return rc > 0 ? tp_share_read(path, text, err) : rc;
}

/* Add the name of the section in PATH, of the user, to the names ARG. */
static int
add_own(void *arg, const char *path, struct tp_err *err)
{
	const char *base = tp_base(path);
	char name[128], in_share[sizeof name + 16];

	(void)err;
	if (*base == '_' || !tp_has_end(base, ending) ||
	    strlen(base) >= sizeof name)
		return 0;
	strcpy(name, base);
	name[strlen(name) - (sizeof ending - 1)] = '\0';
	if (tp_section_path(in_share, sizeof in_share, name) == 0)
		tp_names_add(arg, name, strlen(name));
	return 0;
}

int
tp_section_list(struct tp_names *names, struct tp_err *err)
{
	const struct tp_file_walk walk = { .file = add_own, .arg = names };
	struct tp_buf own = { 0 };
	char **list;
	int count = tp_share_list("sections", ending, &list, err), rc = 0;

	if (count < 0)
		return -1;
	for (int i = 0; i < count; i++)
		tp_names_add(names, list[i], strlen(list[i]) -
		    (sizeof ending - 1));
	tp_share_free_list(list, count);
	if (tp_share_own("sections", &own))
		rc = tp_file_visit(own.p, &walk, err);
	tp_buf_release(&own);
	return rc;
}
