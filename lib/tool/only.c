/* only - hold --only to what the filter writes */
#include <stdio.h>
#include <string.h>

#include <tp/choice.h>

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

int
tp_tool_writes_kind(const struct tp_tool *tool, const char *kind, size_t len)
{
	return is_written(tool->writes, kind, len);
}

void
tp_tool_check_only(struct tp_run *run)
{
	const char *only = run->private->only, *word;
	int windowed = (run->tool->flags & TP_TOOL_WINDOW) != 0;
	struct tp_choice choice;
	char name[64];
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
	tp_choice_init(&choice, only);
	for (word = run->tool->writes; *word; word += len) {
		word += strspn(word, BETWEEN);
		len = strcspn(word, BETWEEN);
		snprintf(name, sizeof name, "%.*s", (int)len, word);
		tp_choice_add(&choice, name);
	}
	tp_die(run, TP_USAGE, "--only '%s': no such record is written; there "
	    "is: %s%s source note%s", only, run->tool->writes,
	    windowed ? " window" : "", tp_choice_hint(&choice));
}
