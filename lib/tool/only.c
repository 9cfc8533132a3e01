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

/* One of the selectors of --only: the LEN bytes at ONE. */
static void
check(struct tp_run *run, const char *one, size_t len)
{
	int windowed = (run->tool->flags & TP_TOOL_WINDOW) != 0;
	size_t kind_len = 0, n;
	struct tp_choice choice;
	char wanted[64], name[64];
	const char *word;

	while (kind_len < len && one[kind_len] != '[')
		kind_len++;
	if (kind_len < len && one[len - 1] != ']')
		tp_die(run, TP_USAGE, "--only '%.*s': a ']' is missing",
		    (int)len, one);
	if (is_written(run->tool->writes, one, kind_len) ||
	    is_written("source note", one, kind_len) ||
	    (windowed && is_written("window", one, kind_len)))
		return;
	snprintf(wanted, sizeof wanted, "%.*s", (int)len, one);
	tp_choice_init(&choice, wanted);
	for (word = run->tool->writes; *word; word += n) {
		word += strspn(word, BETWEEN);
		n = strcspn(word, BETWEEN);
		snprintf(name, sizeof name, "%.*s", (int)n, word);
		tp_choice_add(&choice, name);
	}
	tp_die(run, TP_USAGE, "--only '%.*s': no such record is written; "
	    "there is: %s%s source note%s", (int)len, one,
	    run->tool->writes, windowed ? " window" : "",
	    tp_choice_hint(&choice));
}

void
tp_tool_check_only(struct tp_run *run)
{
	const char *only = run->private->only, *one;
	size_t len;

	if (only && !*only)
		check(run, only, 0);
	while (only && tp_only_next(&only, &one, &len))
		check(run, one, len);
}
