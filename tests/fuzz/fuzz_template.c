/*
 * fuzz_template - a template, a line "----", and records to fill it with
 *
 * Every text of the records is escaped for Markdown as well: the result is one
 * line and neither opens a tag (in a code span nothing does) nor ends a cell
 * of a table.
 */
#include <string.h>

#include <tp/show/template.h>

#include "feed.h"
#include "show/md.h"

static void
escape(const char *text, size_t len)
{
	struct tp_buf buf = { 0 };
	const char *p;
	int code;

	tp_md_add(&buf, text, len, 0);
	/* only a code span holds an address as it is */
	code = buf.len && memchr(buf.p, '@', buf.len);
	for (p = buf.p; p && p < buf.p + buf.len; p++)
		if ((*p == '<' && !code) || (unsigned char)*p < ' ')
			broken("escaped text opens a tag or a line");
		else if (*p == '|' && (p == buf.p || p[-1] != '\\'))
			broken("escaped text ends a cell");
	tp_buf_clear(&buf);
	tp_md_add(&buf, text, len, TP_MD_PLAIN | TP_MD_FULL);
	for (p = buf.p; p && p < buf.p + buf.len; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			broken("plain text moves the cursor");
	tp_buf_release(&buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_template t = { 0 };
	struct tp_buf out = { 0 };
	struct tp_set set = { 0 };
	struct tp_err err;
	size_t len = feed_records(data, size, &set, escape);

	for (size_t i = 0; i < set.count; i++)
		for (size_t k = 0; k < set.recs[i].count; k++)
			escape(set.recs[i].fields[k].text,
			    set.recs[i].fields[k].len);
	t.set = &set;
	(void)tp_template_render(&t, (const char *)data, len, &out, &err);
	tp_buf_release(&out);
	tp_set_release(&set);
	return 0;
}
