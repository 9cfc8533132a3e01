/* document - read whole JSON documents, or texts, from the operands */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/limits.h>
#include <tp/read/summary.h>

#include "tool_parts.h"

/* Read the whole input into BUF.  Returns 0, or -1 with run->err. */
static int
slurp(struct tp_run *run, struct tp_buf *buf)
{
	const char *block;
	uint64_t size;
	ptrdiff_t n;

	/* growing would copy it */
	if (tp_in_is_plain(run->private->in, &size) &&
	    size < (uint64_t)tp_limits.line_bytes)
		tp_buf_room(buf, (size_t)size);
	while ((n = tp_in_read(run->private->in, &block, &run->err)) > 0) {
		tp_buf_add(buf, block, (size_t)n);
		if (buf->len > (size_t)tp_limits.line_bytes)
			return tp_limit_line(&run->err, "limit.document", 0,
			    "a document");
	}
	return n < 0 ? -1 : 0;
}

int
tp_next_text(struct tp_run *run, struct tp_buf *text)
{
	enum tp_format format;
	int got = 0;

	while (!got && tp_tool_open_next(run, &format)) {
		tp_buf_clear(text);
		if (format == TP_FORMAT_UTF16 || format == TP_FORMAT_BINARY)
			tp_tool_wrong_format(run, format);
		else
			got = !slurp(run, text);
		if (!got)
			tp_tool_bad_input(run);
		tp_tool_close_input(run);
	}
	return got;
}

/* Whether TEXT ends inside a string, an object or a list. */
static int
ends_early(const struct tp_buf *text)
{
	int quoted = 0;
	size_t open = 0;

	for (size_t i = 0; i < text->len; i++) {
		char c = text->p[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			open++;
		else if (!quoted && (c == '}' || c == ']') && open)
			open--;
	}
	return quoted || open;
}

/*
 * Parse TEXT as JSON with NaN and Infinity replaced by null.  *AT gets the
 * place where parsing ended or failed.
 */
static struct cJSON *
parse_mended(struct tp_run *run, struct tp_buf *text, const char **at)
{
	size_t skip = text->len >= 3 && !memcmp(text->p, "\xef\xbb\xbf", 3) ?
	    3 : 0, count;
	struct cJSON *doc = cJSON_ParseWithLengthOpts(text->p + skip,
	    text->len - skip, at, 0);
	struct tp_buf mended = { 0 };

	if (doc || run->strict)
		return doc;
	count = tp_json_mend(text->p + skip, text->len - skip, &mended);
	if (!count) {
		tp_buf_release(&mended);
		return NULL;
	}
	tp_buf_release(text);
	*text = mended;
	tp_trace_note(run->trace, "json.repaired", 0, count,
	    "%s: NaN or Infinity was read as unknown", run->file);
	return cJSON_ParseWithLengthOpts(text->p, text->len, at, 0);
}

static int
parse_document(struct tp_run *run, struct tp_buf *buf)
{
	const char *at = NULL, *end, *p;
	uint64_t line = 1;

	run->document = parse_mended(run, buf, &at);
	end = buf->p + buf->len;
	if (!run->document) {
		for (p = buf->p; at && p < at; p++)
			line += *p == '\n';
		return ends_early(buf) ? tp_fail(&run->err, TP_BAD,
		    "input.truncated", line, "the JSON document ends early") :
		    tp_fail(&run->err, TP_BAD, "json.damaged", line,
		    "not JSON");
	}
	while (at && at < end && strchr(" \t\r\n", *at) && *at)
		at++;
	if (at && at < end) {
		tp_warn(run, "%s: text after the first JSON document was "
		    "ignored", run->file);
		tp_trace_note(run->trace, "json.trailing", 0,
		    (uint64_t)(end - at), "%s: bytes after the first JSON "
		    "document were ignored", run->file);
	}
	return 0;
}

int
tp_tool_take_document(struct tp_run *run, enum tp_format format)
{
	struct tp_buf buf = { 0 };
	int got = 0;

	if (format != TP_FORMAT_JSON)
		tp_tool_wrong_format(run, format);
	else if (!slurp(run, &buf) && !parse_document(run, &buf))
		got = 1;
	if (got)
		tp_tool_add_source(run, "json", NULL)->bytes =
		    tp_in_bytes(run->private->in);
	else
		tp_tool_bad_input(run);
	tp_buf_release(&buf);
	tp_tool_close_input(run);
	return got;
}

void
tp_tool_drop_document(struct tp_run *run)
{
	cJSON_Delete(run->document);
	run->document = NULL;
}

int
tp_next_document(struct tp_run *run)
{
	enum tp_format format;

	tp_tool_drop_document(run);
	while (tp_tool_open_next(run, &format))
		if (tp_tool_take_document(run, format))
			return 1;
	return 0;
}
