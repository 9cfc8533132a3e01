/*
 * json_rows - rows of a table written as JSON objects
 *
 * An array of objects, or consecutive objects, one per line or not, keyed by
 * column names: what jq, Miller, DuckDB and pandas write.  The columns are
 * the keys of all objects that begin in the first 64 KiB, since a writer may
 * leave out absent values.
 */
#include <string.h>

#include <tp/hash.h>
#include <tp/limits.h>
#include <tp/records.h>

#include "headed.h"
#include "json_skip.h"

/* Rows queued before they are returned. */
#define BATCH 64

enum found { NOTHING, OBJECT, OTHER };

struct json {
	struct tp_headed h;
	struct tp_buf text;	/* input, from the first unprocessed object
				 * on */
	size_t at, begin;	/* next byte; start of the current object */
	uint64_t line, begin_line;
	enum found current;
	struct tp_skip skip;	/* of the current object */
	int in_array, ended;
	struct tp_names keys;
	const struct tp_field **cells;	/* of the current object, by key */
	struct tp_arena arena;		/* of its fields */
};

/* Length of a byte order mark at the start. */
static size_t
bom(const char *p, size_t len)
{
	return len >= 3 && !memcmp(p, "\xef\xbb\xbf", 3) ? 3 : 0;
}

static int
one_of(const char *set, char c)
{
	return memchr(set, c, strlen(set)) != NULL;
}

static void
begin_json_value(struct json *j, enum found what)
{
	j->current = what;
	j->begin = j->at;
	j->begin_line = j->line;
	tp_skip_init(&j->skip);
}

/* Scan the current object to its end or to an error. */
static int
skip_object(struct json *j)
{
	const char *p = j->text.p + j->at, *end;
	size_t n = tp_skip_run(&j->skip, p, j->text.len - j->at);

	j->at += n;
	for (end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		j->line++;
	return j->skip.wrong || !j->skip.depth;
}

/*
 * Find the next object, or something else, up to j->at; NOTHING: more input
 * is needed.
 */
static enum found
find_next_object(struct json *j)
{
	enum found what;
	int done = 0;
	char c;

	while (!done && j->at < j->text.len) {
		c = j->text.p[j->at];
		if (j->current == OBJECT) {
			done = skip_object(j);
		} else if (j->current == OTHER) {
			done = one_of(" \t\r\n,{[]", c);
			j->at += !done;
		} else if (c == '{') {
			begin_json_value(j, OBJECT);
		} else if (c == '[' || c == ']') {
			j->in_array += c == '[' ? 1 : -1;
			j->at++;
		} else if (one_of(" \t\r\n,", c)) {
			j->line += c == '\n';
			j->at++;
		} else {
			begin_json_value(j, OTHER);
		}
	}
	if (!done && !(j->ended && j->current == OTHER))
		return NOTHING;
	what = j->current;
	j->current = NOTHING;
	return what;
}

/* Read more input: 1, 0 at the end, -1 with ERR. */
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
	/* drop what is processed, once the header has used it too */
	if (!j->current)
		j->begin = j->at;
	if (j->begin && h->header_done) {
		j->text.len -= j->begin;
		memmove(j->text.p, j->text.p + j->begin, j->text.len);
		j->at -= j->begin;
		j->begin = 0;
	}
	tp_buf_add(&j->text, block, (size_t)n);
	if ((j->current || !h->header_done) && j->text.len - (size_t)n >
	    (size_t)tp_limits.line_bytes)
		return tp_limit_line(h->err, "limit.row", j->begin_line,
		    "an object");
	return 1;
}

/* Parse the object that was found; -1 with ERR, in terms of its line. */
static int
parse(struct json *j, struct tp_rec *rec, struct tp_err *err)
{
	int rc;

	tp_arena_release(&j->arena);
	if (j->skip.wrong)
		return tp_json_wrong(err, "row.damaged", j->begin_line,
		    j->skip.wrong);
	rc = tp_rec_object(rec, j->text.p + j->begin, j->at - j->begin,
	    &j->arena, err);
	if (rc < 0 && err->status == TP_BAD)
		err->code = "row.damaged";
	err->line = j->begin_line;
	err->what = "objects";
	return rc;
}

/* Add a key as a column. */
static void
add_key(struct json *j, const struct tp_field *f)
{
	tp_names_add(&j->keys, f->key, strlen(f->key));
}

/* Examine a text that may be a number for its decimal sign. */
static void
see_value(struct json *j, const struct tp_field *f)
{
	ptrdiff_t k = tp_names_find(&j->keys, f->key, strlen(f->key));

	if (k >= 0 && f->type == TP_FIELD_TEXT)
		tp_headed_look(&j->h, (size_t)k, f->text, f->len);
}

/*
 * Call SEE for each field of the object found, unless it is damaged.  0, or -1
 * with ERR at a limit.
 */
static int
see_object(struct json *j,
    void (*see)(struct json *j, const struct tp_field *f))
{
	struct tp_rec rec;
	struct tp_err err;

	if (parse(j, &rec, &err) < 0) {
		if (err.status != TP_LIMIT)
			return 0;
		*j->h.err = err;
		return -1;
	}
	for (size_t i = 0; i < rec.count; i++)
		see(j, &rec.fields[i]);
	return 0;
}

/*
 * Call SEE for the fields of all objects that begin in the first 64 KiB, and
 * of further ones until one has a key; the input is kept and read again.
 */
static int
look(struct json *j, void (*see)(struct json *j, const struct tp_field *f))
{
	size_t start = bom(j->text.p, j->text.len);
	enum found what;
	int rc = 1;

	j->at = start;
	while (rc > 0) {
		what = find_next_object(j);
		if (j->keys.count && TP_LOOKED <=
		    (what || j->current ? j->begin : j->at))
			break;
		if (what == OBJECT && see_object(j, see) < 0)
			return -1;
		if (!what)
			rc = j->ended ? 0 : read_on(j);
	}
	if (rc < 0)
		return -1;
	j->at = start;
	j->line = 1;
	j->current = NOTHING;
	j->in_array = 0;
	return 0;
}

static int
header(struct json *j)
{
	struct tp_headed *h = &j->h;

	if (read_on(j) < 0 || look(j, add_key) < 0)
		return -1;
	if (!j->keys.count)
		return tp_fail(h->err, TP_BAD, "table.unknown",
		    j->begin_line, "this is not a table: no object has a key");
	h->row_line = 1;
	for (size_t i = 0; i < j->keys.count; i++)
		tp_headed_field(h, j->keys.names[i].text,
		    j->keys.names[i].len);
	tp_headed_row(h);
	if (h->stopped || look(j, see_value) < 0)
		return -1;
	tp_headed_looked(h, 0);
	j->cells = tp_zalloc(j->keys.count * sizeof *j->cells);
	return h->stopped ? -1 : 0;
}

/* Queue the object found as a row. */
static void
row(struct json *j)
{
	struct tp_headed *h = &j->h;
	const struct tp_field *f;
	struct tp_rec rec;
	struct tp_err err;
	ptrdiff_t k = 0;

	h->row_line = j->begin_line;
	if (parse(j, &rec, &err) < 0) {
		if (err.status == TP_LIMIT) {
			*h->err = err;
			h->stopped = 1;
		} else {
			tp_headed_refuse(h, &err);
		}
		return;
	}
	memset(j->cells, 0, j->keys.count * sizeof *j->cells);
	for (size_t i = 0; i < rec.count; i++) {
		f = &rec.fields[i];
		k = tp_names_find(&j->keys, f->key, strlen(f->key));
		if (k < 0 || j->cells[k]) {
			tp_fail(&err, TP_BAD, "row.damaged", j->begin_line,
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
		if (f && f->type == TP_FIELD_REAL)
			tp_headed_number(h, f->text, f->len);
		else
			tp_headed_field(h, f ? f->text : NULL,
			    f && f->type != TP_FIELD_NULL ? f->len : 0);
	}
	tp_headed_row(h);
}

static void
no_object(struct json *j)
{
	struct tp_err err;

	tp_fail(&err, TP_BAD, "row.damaged", j->begin_line,
	    "not an object: '%.*s'", (int)(j->at - j->begin < 40 ?
	    j->at - j->begin : 40), j->text.p + j->begin);
	err.what = "objects";
	j->h.row_line = j->begin_line;
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
	while (rc > 0 && !j->h.stopped && rows->fill->row_count < most) {
		what = find_next_object(j);
		if (what == OBJECT && j->at - j->begin >
		    (size_t)tp_limits.line_bytes)
			return tp_limit_line(err, "limit.row", j->begin_line,
			    "an object");
		if (what == OBJECT)
			row(j);
		else if (what == OTHER)
			no_object(j);
		else
			rc = j->ended ? 0 : read_on(j);
	}
	return j->h.stopped ? -1 : rc;
}

static int
finish(struct tp_rows *rows, struct tp_err *err)
{
	const struct json *j = rows->form;

	return j->current ? tp_fail(err, TP_BAD, "input.truncated",
	    j->begin_line, "the last object is cut off") :
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

void
tp_json_rows_open(struct tp_rows *rows)
{
	struct json *j = tp_zalloc(sizeof *j);

	rows->form = j;
	rows->more = more;
	rows->finish = finish;
	rows->close = close_form;
	j->h.rows = rows;
	j->line = 1;
}

int
tp_rows_can(struct tp_in *in, enum tp_format format)
{
	struct json j = { .line = 1 };
	struct tp_rec rec;
	struct tp_err err;
	const char *p;
	ptrdiff_t n;
	int can;

	if (format != TP_FORMAT_JSON)
		return format == TP_FORMAT_XCTRACE || format == TP_FORMAT_CSV
		    || format == TP_FORMAT_RECORDS ||
		    format == TP_FORMAT_ETDUMP || format == TP_FORMAT_STACKS;
	n = tp_in_peek(in, &p, &err);
	if (n < 0)
		return 0;
	/* borrowed: it is not appended to */
	j.text.p = (char *)(uintptr_t)p;
	j.text.len = (size_t)n;
	j.at = bom(p, j.text.len);
	can = find_next_object(&j) == OBJECT && j.in_array <= 1 &&
	    !parse(&j, &rec, &err) && rec.count;
	tp_arena_release(&j.arena);
	return can;
}
