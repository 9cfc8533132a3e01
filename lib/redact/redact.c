/* redact - redact a text block by block: learn names, then write */
#include <string.h>

#include <tp/limits.h>

#include "redact_parts.h"

/* Bytes within which line numbers are counted. */
#define LINES_OF ((size_t)1 << 20)

struct tp_redact *
tp_redact_open(struct tp_err *err)
{
	struct tp_redact *r = tp_zalloc(sizeof *r);

	if (tp_redact_load(r, err) < 0) {
		tp_redact_close(r);
		return NULL;
	}
	return r;
}

void
tp_redact_close(struct tp_redact *r)
{
	struct tp_names *const lists[] = { &r->keys, &r->secrets, &r->weak,
	    &r->secrets_not, &r->text_keys, &r->text_names, &r->kept,
	    &r->accounts, &r->endings, &r->addresses, &r->homes, &r->nothing,
	    &r->values, &r->words };

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		tp_names_release(lists[i]);
	for (size_t i = 0; i < 3; i++) {
		tp_buf_release(&r->plain[i]);
		tp_free(r->from[i]);
	}
	tp_buf_release(&r->in);
	tp_free(r->value);
	tp_free(r->word_value);
	tp_free(r->edits);
	tp_free(r->columns);
	tp_arena_release(&r->arena);
	tp_free(r);
}

/* The function that finds the strings of FORMAT, or NULL. */
static size_t
(*splitter(enum tp_format format))(struct tp_redact *, const char *, size_t,
    int)
{
	switch (format) {
	case TP_FORMAT_JSON:
	case TP_FORMAT_TRACE_EVENTS:
	case TP_FORMAT_RECORDS:
		return tp_redact_json;
	case TP_FORMAT_XCTRACE:
	case TP_FORMAT_TOC:
	case TP_FORMAT_HTML:
		return tp_redact_xml;
	case TP_FORMAT_CSV:
	case TP_FORMAT_STACKS:
	case TP_FORMAT_LFS:
	case TP_FORMAT_EMPTY:
		return tp_redact_rows;
	case TP_FORMAT_XPLANE:
		return tp_redact_space;
	default:
		return NULL;
	}
}

int
tp_redact_begin(struct tp_redact *r, enum tp_format format,
    void (*write)(void *arg, const char *bytes, size_t len), void *arg,
    struct tp_err *err)
{
	if (!splitter(format))
		return tp_fail(err, TP_BAD, "input.unknown", 0, "%s data "
		    "cannot be redacted: JSON, XML, CSV and xplane.pb can",
		    tp_format_name(format));
	r->format = format;
	r->write = write;
	r->arg = arg;
	tp_buf_clear(&r->in);
	r->want = 0;
	/* binary formats have no lines */
	r->line = format != TP_FORMAT_XPLANE;
	r->is_lossy = r->is_over = 0;
	r->secret_places = 0;
	r->line_bytes = 0;
	r->is_first = 1;
	r->in_pem = r->pending = r->inside = r->is_kept = 0;
	r->key_class = TP_REDACT_NONE;
	r->depth = r->inside_depth = 0;
	r->key[0] = r->element[0] = r->attribute[0] = '\0';
	r->column = r->column_count = 0;
	r->row_first = 0;
	for (size_t i = 0; i < r->values.count; i++)
		r->value[i].places = 0;
	return 0;
}

/* Processes the buffered bytes. */
static void
go_on(struct tp_redact *r, int last)
{
	size_t n;

	if (!r->in.len)
		return;
	r->base = r->in.p;
	n = splitter(r->format)(r, r->in.p, r->in.len, last);
	tp_redact_copy(r, r->in.p + n);
	/* the line of a secret is counted within the first MiB only */
	if (r->line && (r->line_bytes += n) > LINES_OF)
		r->line = 0;
	if (r->line)
		for (size_t i = 0; i < n; i++)
			r->line += r->in.p[i] == '\n';
	r->in.len -= n;
	if (n && r->in.len)
		memmove(r->in.p, r->in.p + n, r->in.len);
	r->want = r->in.len * 2;
}

int
tp_redact_add(struct tp_redact *r, const char *bytes, size_t len,
    struct tp_err *err)
{
	if (r->format != TP_FORMAT_XPLANE && memchr(bytes, '\0', len))
		return tp_fail(err, TP_BAD, "input.unknown", 0, "binary data "
		    "cannot be redacted: JSON, XML, CSV and xplane.pb can");
	tp_buf_add(&r->in, bytes, len);
	if (r->in.len < r->want)
		return 0;
	go_on(r, 0);
	if ((uint64_t)r->in.len > (uint64_t)tp_limits.line_bytes)
		return tp_limit_line(err, "line.long", r->line,
		    r->format == TP_FORMAT_XPLANE ? "a plane" : "a text");
	return 0;
}

void
tp_redact_end(struct tp_redact *r)
{
	go_on(r, 1);
}

int
tp_redact_is_lossy(const struct tp_redact *r)
{
	return r->is_lossy;
}

int
tp_redact_again(struct tp_redact *r)
{
	int again = r->doubts && r->words.count > r->known;

	r->doubts = 0;
	r->known = r->words.count;
	return again;
}

struct tp_redact_tally
tp_redact_tally(const struct tp_redact *r, enum tp_redact_what what)
{
	struct tp_redact_tally n = { 0, 0 };

	for (size_t i = 0; i < r->values.count; i++)
		if (r->value[i].what == what && r->value[i].places) {
			n.values++;
			n.places += r->value[i].places;
		}
	return n;
}

uint64_t
tp_redact_secret(const struct tp_redact *r, const char **what,
    uint64_t *line, const char **key)
{
	*what = r->secret_what;
	*line = r->secret_line;
	*key = r->secret_key;
	return r->secret_places;
}
