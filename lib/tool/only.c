/* only - check --only against the records that the filter writes */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/choice.h>
#include <tp/json.h>
#include <tp/share.h>

#include "tool_parts.h"

/* Separators between the words of tp_tool.writes. */
#define BETWEEN " ,;:()"

/*
 * Whether WORD of tp_tool.writes covers KIND; "gpu.*" and "row.TABLE" cover all
 * kinds with that prefix.
 */
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

/*
 * Add to TEXT the selectors of a set ("@ranks") in share/kinds.json, as far as
 * the filter writes such records.
 */
static void
add_set(struct tp_run *run, struct tp_buf *text, const char *one, size_t len)
{
	struct cJSON *sets = tp_share_json("kinds.json", &run->err);
	const struct cJSON *set, *i;
	size_t had = text->len, kind_len;
	struct tp_choice choice;
	const char *kind;
	char name[64];

	if (!sets)
		tp_die_err(run);
	snprintf(name, sizeof name, "%.*s", (int)(len - 1), one + 1);
	set = tp_json_get(sets, name);
	if (!set) {
		tp_choice_init(&choice, name);
		cJSON_ArrayForEach(i, sets)
			tp_choice_add(&choice, i->string);
		tp_die(run, TP_USAGE, "--only '@%s': no such set; there is: "
		    "%s", name, tp_choice_text(&choice));
	}
	cJSON_ArrayForEach(i, tp_json_get(set, "kinds")) {
		kind = cJSON_GetStringValue(i);
		kind_len = kind ? strcspn(kind, "[") : 0;
		if (!is_written(run->tool->writes, kind ? kind : "",
		    kind_len))
			continue;
		tp_buf_str(text, kind);
		tp_buf_chr(text, ',');
	}
	if (text->len == had)
		tp_die(run, TP_USAGE, "--only '@%s': none of these records is "
		    "written; there is: %s", name, run->tool->writes);
	/* sources and notes belong to every set */
	tp_buf_str(text, "source,note,meta,");
	cJSON_Delete(sets);
}

/* Check one selector of --only, the LEN bytes at ONE. */
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
	    is_written("source note meta", one, kind_len) ||
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
tp_tool_take_only(struct tp_run *run)
{
	const char **list = run->private->onlys, *only, *one;
	struct tp_buf *text = &run->private->only;
	size_t len;

	for (; (only = *list); list++) {
		if (!*only)
			check(run, only, 0);
		while (tp_only_next(&only, &one, &len)) {
			if (*one == '@') {
				add_set(run, text, one, len);
				continue;
			}
			check(run, one, len);
			tp_buf_add(text, one, len);
			tp_buf_chr(text, ',');
		}
	}
	if (text->len)
		text->p[--text->len] = '\0';
}
