/*
 * fuzz_rule - a file of rules, a line "----", and records to judge by it
 *
 * What is refused says why; what is taken writes findings that can be read.
 * Each line is a list of conditions, too, and a condition.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/buf.h>
#include <tp/cond.h>
#include <tp/judge/rule.h>
#include <tp/records.h>

#include "feed.h"

static char folder[] = "/tmp/fuzz-rule-XXXXXX", file[64];

static void
remove_folder(void)
{
	static const char *const parts[] = { "rules/fuzz.json", "rules",
	    "repos", "tables", "" };
	char path[64];

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
		remove(path);
	}
}

/* A share folder with nothing but the file of rules. */
static void
make_folder(void)
{
	static const char *const parts[] = { "tables", "rules", "repos" };
	char path[64];

	if (!mkdtemp(folder))
		broken("no temporary folder");
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
		mkdir(path, 0777);
	}
	snprintf(file, sizeof file, "%s/rules/fuzz.json", folder);
	setenv("TP_SHARE", folder, 1);
	atexit(remove_folder);
}

static void
judge(const struct tp_set *set)
{
	static const char *const names[] = { "fuzz", NULL };
	struct tp_set findings = { 0 };
	struct tp_rules *rules;
	struct tp_err err = { 0 };
	struct tp_out out;

	tp_out_init(&out, -1);
	rules = tp_rules_load(names, NULL, set, &err);
	if (!rules && (!err.status || !*err.text))
		broken("rules are refused without a word");
	if (rules && tp_rules_apply(rules, set, &out, &err) == 0 &&
	    tp_set_take(&findings, &out, &err) < 0)
		broken("a finding cannot be read");
	tp_rules_free(rules);
	tp_set_release(&findings);
	tp_out_release(&out);
}

/* Each line of the LEN bytes at TEXT as conditions of the records: what is
 * taken holds of each, or the opposite does. */
static void
ask(const char *text, size_t len, const struct tp_set *set)
{
	const char *end = text + len, *stop;
	struct tp_arena arena = { 0 };
	struct tp_conds conds;
	struct tp_cond c;
	struct tp_err err;
	struct tp_buf line = { 0 };

	for (; text < end; text = stop + 1) {
		stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		tp_buf_clear(&line);
		tp_buf_add(&line, text, (size_t)(stop - text));
		if (!line.p)
			continue;
		memset(&err, 0, sizeof err);
		memset(&conds, 0, sizeof conds);
		if (tp_conds_parse(&conds, line.p, &arena, &err) < 0 &&
		    !*err.text)
			broken("a list is refused without a word");
		for (size_t i = 0; i < set->count; i++)
			(void)tp_conds_of(&conds, &set->recs[i]);
		if (tp_cond_parse(&c, line.p, line.len, &err) < 0)
			continue;
		for (size_t i = 0; i < set->count; i++) {
			int is = tp_cond_of(&c, &set->recs[i]);

			c.is_not = !c.is_not;
			if (is == tp_cond_of(&c, &set->recs[i]))
				broken("a condition and its opposite agree");
			c.is_not = !c.is_not;
		}
	}
	tp_buf_release(&line);
	tp_arena_release(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_set set = { 0 };
	size_t len;
	int fd;

	if (!*file)
		make_folder();
	len = feed_records(data, size, &set, NULL);
	fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len || close(fd) < 0)
		broken("cannot write the file of rules");
	judge(&set);
	ask((const char *)data, len, &set);
	tp_set_release(&set);
	return 0;
}
