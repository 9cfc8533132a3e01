/*
 * json_rows - rows of a table written as JSON objects
 *
 * An array of objects, or objects one after the other, in lines or not, keyed
 * by the columns' names: what jq, Miller, DuckDB and pandas write.  The
 * columns are the keys of all objects that begin in the first 64 KiB, since
 * who writes may leave out what is absent.
 */
#include <string.h>

#include <tp/hash.h>
#include <tp/limits.h>
#include <tp/records.h>

#include "headed.h"

/* Rows queued before they are handed out. */
#define BATCH 64

struct json {
	struct tp_headed h;
	struct tp_buf text;	/* what was read, from the first object that
				 * is not done */
	size_t at, begin;	/* next byte to look at; of the object */
	uint64_t line, object_line;
	int depth, in_text, escaped, in_array, ended;
	struct tp_names keys;
	const struct tp_field **cells;	/* of the object under way, by key */
	struct tp_arena arena;		/* of it */
};

enum found { NOTHING, OBJECT, OTHER };

/* Bytes of a byte order mark in front. */
static size_t
bom(const char *p, size_t len)
{
	return len >= 3 && !memcmp(p, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* The next object, or what is none, up to j->at; NOTHING: more is needed. */
static enum found
find(struct json *j)
{
	const char *p = j->text.p;

	for (; j->at < j->text.len; j->at++) {
		char c = p[j->at];

		j->line += c == '\n';
		if (j->escaped) {
			j->escaped = 0;
		} else if (j->in_text) {
			j->escaped = c == '\\';
			j->in_text = c != '"';
		} else if (j->depth) {
			j->in_text = c == '"';
			j->depth += (c == '{' || c == '[') -
			    (c == '}' || c == ']');
			if (!j->depth) {
				j->at++;
				return OBJECT;
			}
		} else if (c == '{') {
			j->depth = 1;
			j->begin = j->at;
			j->object_line = j->line;
		} else if (c == '[' || c == ']') {
			j->in_array += c == '[' ? 1 : -1;
		} else if (!strchr(" \t\r\n,", c)) {
			j->begin = j->at++;
			j->object_line = j->line;
			return OTHER;
		}
	}
	return NOTHING;
}

/* Read on; 1, 0 at the end, -1 with ERR. */
static int
read_on(struct json *j)
{
	struct tp_headed *h = &j->h;
	const char *block;
	ptrdiff_t n = tp_in_read(h->rows->in, &block, h->err);

	if (n <= 0) {
		j->ended = !n;
		return n < 0 ? -1 : 0;
	}
	/* what is done with goes, once it was read for the header too */
	if (!j->depth)
		j->begin = j->at;
	if (j->begin && h->header_done) {
		j->text.len -= j->begin;
		memmove(j->text.p, j->text.p + j->begin, j->text.len);
		j->at -= j->begin;
		j->begin = 0;
	}
	tp_buf_add(&j->text, block, (size_t)n);
	if (j->text.failed)
		return tp_fail_memory(h->err);
	if ((j->depth || !h->header_done) && j->text.len - (size_t)n >
	    (size_t)tp_limits.line_bytes)
		return tp_limit_line(h->err, "limit.row", j->object_line,
		    "an object");
	return 1;
}

/* Parse the object that was found; -1 with ERR, which is of its line. */
static int
parse(struct json *j, struct tp_rec *rec, struct tp_err *err)
{
	int rc;

	tp_arena_release(&j->arena);
	rc = tp_rec_object(rec, j->text.p + j->begin, j->at - j->begin,
	    &j->arena, err);
	if (rc < 0 && err->status == TP_BAD)
		err->code = "row.damaged";
	err->line = j->object_line;
	err->what = "objects";
	return rc;
}

/* All keys of the objects that begin in what was read. */
static int
collect(struct json *j)
{
	struct tp_rec rec;
	struct tp_err err;
	enum found what;

	while ((what = find(j))) {
		if (what != OBJECT || parse(j, &rec, &err) < 0)
			continue;
		for (size_t i = 0; i < rec.count; i++)
			if (tp_names_add(&j->keys, rec.fields[i].key,
			    strlen(rec.fields[i].key)) < 0)
				return tp_fail_memory(j->h.err);
	}
	return 0;
}

/* The first read is what was peeked, or all: the header is made of it. */
static int
header(struct json *j)
{
	struct tp_headed *h = &j->h;
	size_t start;
	int rc = read_on(j);

	start = j->at = bom(j->text.p, j->text.len);
	while (rc > 0 && !(rc = collect(j)) && !j->keys.count)
		rc = read_on(j);
	if (rc < 0)
		return -1;
	if (!j->keys.count)
		return tp_fail(h->err, TP_BAD, "table.unknown",
		    j->object_line, "no object has a key: this is no table");
	j->at = j->begin = start;
	j->line = 1;
	j->depth = j->in_text = j->escaped = j->in_array = 0;
	h->row_line = 1;
	for (size_t i = 0; i < j->keys.count; i++)
		tp_headed_field(h, j->keys.names[i].text,
		    j->keys.names[i].len);
	tp_headed_row(h);
	j->cells = tp_zalloc(j->keys.count * sizeof *j->cells);
	return !j->cells ? tp_fail_memory(h->err) : h->failed ? -1 : 0;
}

/* The object that was found, as a row. */
static void
row(struct json *j)
{
	struct tp_headed *h = &j->h;
	const struct tp_field *f;
	struct tp_rec rec;
	struct tp_err err;
	ptrdiff_t k = 0;

	h->row_line = j->object_line;
	if (parse(j, &rec, &err) < 0) {
		if (err.status == TP_LIMIT)
			tp_headed_no_memory(h);
		else
			tp_headed_refuse(h, &err);
		return;
	}
	memset(j->cells, 0, j->keys.count * sizeof *j->cells);
	for (size_t i = 0; i < rec.count; i++) {
		f = &rec.fields[i];
		k = tp_names_find(&j->keys, f->key, strlen(f->key));
		if (k < 0 || j->cells[k]) {
			tp_fail(&err, TP_BAD, "row.damaged", j->object_line,
			    k < 0 ? "no object in the first 64 KiB has '%.40s'"
			    : "'%.40s' stands twice in an object", f->key);
			err.what = "fields";
			tp_headed_refuse(h, &err);
			return;
		}
		j->cells[k] = f;
	}
	for (size_t i = 0; i < j->keys.count; i++) {
		f = j->cells[i];
		tp_headed_field(h, f ? f->text : NULL,
		    f && f->type != TP_FIELD_NULL ? f->len : 0);
	}
	tp_headed_row(h);
}

static void
no_object(struct json *j)
{
	struct tp_err err;

	/* all of the word or number that stands there */
	while (j->at < j->text.len && !strchr(" \t\r\n,{[]",
	    j->text.p[j->at]))
		j->at++;
	tp_fail(&err, TP_BAD, "row.damaged", j->object_line,
	    "not an object: '%.*s'", (int)(j->at - j->begin < 40 ?
	    j->at - j->begin : 40), j->text.p + j->begin);
	err.what = "objects";
	j->h.row_line = j->object_line;
	tp_headed_refuse(&j->h, &err);
}

static int
more(struct tp_rows *rows, struct tp_err *err)
{
	struct json *j = rows->form;
	size_t most = rows->fill->row_count + BATCH;
	enum found what;
	int rc = 1;

	j->h.err = err;
	if (!j->h.header_done && header(j) < 0)
		return -1;
	while (rc > 0 && !j->h.failed && rows->fill->row_count < most) {
		what = find(j);
		if (what == OBJECT && j->at - j->begin >
		    (size_t)tp_limits.line_bytes)
			return tp_limit_line(err, "limit.row", j->object_line,
			    "an object");
		if (what == OBJECT)
			row(j);
		else if (what == OTHER)
			no_object(j);
		else
			rc = j->ended ? 0 : read_on(j);
	}
	return j->h.failed ? -1 : rc;
}

static int
finish(struct tp_rows *rows, struct tp_err *err)
{
	const struct json *j = rows->form;

	return j->depth ? tp_fail(err, TP_BAD, "input.truncated",
	    j->object_line, "the last object is cut off") :
	    j->in_array > 0 ? tp_fail(err, TP_BAD, "input.truncated", j->line,
	    "the list has no end: it was cut off") : 0;
}

static void
close_form(struct tp_rows *rows)
{
	struct json *j = rows->form;

	tp_headed_release(&j->h);
	tp_buf_release(&j->text);
	tp_names_release(&j->keys);
	tp_free(j->cells);
	tp_arena_release(&j->arena);
	tp_free(j);
}

int
tp_json_rows_open(struct tp_rows *rows, struct tp_err *err)
{
	struct json *j = tp_zalloc(sizeof *j);

	if (!j)
		return tp_fail_memory(err);
	rows->form = j;
	rows->more = more;
	rows->finish = finish;
	rows->close = close_form;
	j->h.rows = rows;
	j->line = 1;
	return 0;
}

int
tp_rows_can(struct tp_in *in, enum tp_format format)
{
	struct tp_arena arena = { 0 };
	struct json j = { .line = 1 };
	struct tp_rec rec;
	struct tp_err err;
	const char *p;
	ptrdiff_t n;
	int can;

	if (format != TP_FORMAT_JSON)
		return format == TP_FORMAT_XCTRACE || format == TP_FORMAT_CSV
		    || format == TP_FORMAT_RECORDS;
	n = tp_in_peek(in, &p, &err);
	if (n < 0)
		return 0;
	/* borrowed: nothing is added to it */
	j.text.p = (char *)(uintptr_t)p;
	j.text.len = (size_t)n;
	j.at = bom(p, j.text.len);
	can = find(&j) == OBJECT && j.in_array <= 1 && !tp_rec_object(&rec,
	    p + j.begin, j.at - j.begin, &arena, &err) && rec.count;
	tp_arena_release(&arena);
	return can;
}
