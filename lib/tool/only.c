/* only - hold --only to what the filter writes */
#include <string.h>

#include "private.h"

/* What stands between the words of tp_tool.writes. */
#define BETWEEN " ,;:()"

/* WORD names a kind, "gpu.*" or "row.TABLE" all that begin so. */
static int
names_kind(const char *word, size_t len, const char *kind, size_t kind_len)
{
	size_t fixed = strcspn(word, "*ABCDEFGHIJKLMNOPQRSTUVWXYZ" BETWEEN);

	return fixed && (fixed < len ? fixed < kind_len : len == kind_len) &&
	    !memcmp(word, kind, fixed);
}

static int
is_written(const char *words, const char *kind, size_t kind_len)
{
	size_t len;

	for (; *words; words += len) {
		words += strspn(words, BETWEEN);
		len = strcspn(words, BETWEEN);
		if (len && names_kind(words, len, kind, kind_len))
			return 1;
	}
	return 0;
}

void
tp_tool_check_only(struct tp_run *run)
{
	const char *only = run->private->only;
	int windowed = (run->tool->flags & TP_TOOL_WINDOW) != 0;
	size_t len;

	if (!only)
		return;
	len = strcspn(only, "[");
	if (only[len] && only[strlen(only) - 1] != ']')
		tp_die(run, TP_USAGE, "--only '%s': a ']' is missing", only);
	if (is_written(run->tool->writes, only, len) ||
	    is_written("source note", only, len) ||
	    (windowed && is_written("window", only, len)))
		return;
	tp_die(run, TP_USAGE, "--only '%s': no such record is written; there "
	    "is: %s%s source note", only, run->tool->writes,
	    windowed ? " window" : "");
}
