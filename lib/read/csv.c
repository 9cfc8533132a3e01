/*
 * csv - rows of a table written as comma-separated values
 *
 * libcsv, strict, says what CSV means.  It is fed line by line, so that line
 * numbers are exact and a damaged row costs just that row: after an error we
 * start again at the next line.  A quote that is never closed would eat the
 * rows behind it: they are held back and read again without it.
 */
#include <csv.h>
#include <string.h>

#include <tp/limits.h>
#include <tp/read/csv.h>
#include <tp/text.h>

#include "csv_plain.h"
#include "read.h"

/* More columns than that are no table; a quoted field of several lines that is
 * longer than that was never closed. */
#define COLUMNS_MAX 4096
#define QUOTED_MAX ((size_t)4 << 20)

/* Rows queued before they are handed out: few enough for the nearest cache. */
#define BATCH 64

struct field {
	size_t at, len;
};

struct csv {
	struct tp_rows *rows;
	struct csv_parser parser;
	int open;
	struct tp_buf text;		/* fields of the row under way */
	struct field *fields;
	size_t field_count, field_cap;
	struct tp_buf held;		/* its lines behind the first */
	uint64_t line, row_line;	/* being read; where the row began */
	uint64_t good;			/* rows with as many cells as the
					 * header */
	int in_row;			/* bytes of a row were fed */
	int header_done, skip_line, started, last_was_lf;
	uint64_t line_bytes;		/* of the line under way, so far */
	unsigned char delim;
	size_t column_count;		/* cells of the header */
	const char *at, *end;		/* what is left of the block */
	struct tp_plain *plain;
	struct tp_err *err;
	int failed;			/* *err is set: stop */
};

static void
no_memory(struct csv *c)
{
	tp_fail_memory(c->err);
	c->failed = 1;
}

static void
on_field(void *text, size_t len, void *arg)
{
	struct csv *c = arg;

	if (c->failed)
		return;
	if (c->header_done && c->field_count >= c->column_count) {
		c->field_count++;
		return;
	}
	if (c->field_count == COLUMNS_MAX) {
		tp_fail(c->err, TP_BAD, "table.unknown", c->row_line,
		    "a header of more than %d columns names no table",
		    COLUMNS_MAX);
		c->failed = 1;
		return;
	}
	if (tp_grow(&c->fields, &c->field_cap, c->field_count + 1,
	    sizeof *c->fields) < 0) {
		no_memory(c);
		return;
	}
	c->fields[c->field_count].at = c->text.len;
	c->fields[c->field_count++].len = len;
	tp_buf_add(&c->text, text ? text : "", len);
}

static const char *
field_text(const struct csv *c, size_t i)
{
	return c->text.p ? c->text.p + c->fields[i].at : "";
}

/* Column of TABLE that header cell I names, by mnemonic, human name or
 * record key; -1 when none. */
static ptrdiff_t
column_of(const struct csv *c, const struct tp_table *table, size_t i)
{
	const char *text = field_text(c, i);
	size_t len = c->fields[i].len;
	const struct tp_table_column *col;

	for (size_t k = 0; k < table->column_count; k++) {
		col = &table->columns[k];
		if (tp_same_name(text, len, col->name, strlen(col->name)) ||
		    tp_same_name(text, len, col->key, strlen(col->key)))
			return (ptrdiff_t)k;
	}
	for (size_t k = 0; k < table->column_count; k++) {
		col = &table->columns[k];
		if (*col->human &&
		    tp_same_name(text, len, col->human, strlen(col->human)))
			return (ptrdiff_t)k;
	}
	return -1;
}

static size_t
score_of(const struct csv *c, const struct tp_table *table)
{
	size_t score = 0;

	for (size_t i = 0; i < c->field_count; i++)
		score += column_of(c, table, i) >= 0;
	return score;
}

/* Tables that differ in the unit of a column only, not in its name. */
static int
are_twins(const struct tp_table *a, const struct tp_table *b)
{
	if (a->column_count != b->column_count)
		return 0;
	for (size_t i = 0; i < a->column_count; i++)
		if (strcmp(a->columns[i].name, b->columns[i].name))
			return 0;
	return 1;
}

/*
 * The table whose columns the header names best.  Among equals a table that
 * has no further columns wins, then one that the filter reads; of twins the
 * first of share/tables (a note says so); if others are left the header does
 * not say which it is.
 */
static const struct tp_table *
recognise(struct csv *c)
{
	const struct tp_rows *rows = c->rows;
	const struct tp_table *t, *best = NULL, *other = NULL;
	size_t score, rank, best_rank = 0;

	if (rows->table_option) {
		best = tp_tables_find(rows->tables, rows->table_option);
		if (!best)
			tp_fail(c->err, TP_USAGE, "table.unknown", 0,
			    "--table '%.80s' is not a table this program knows",
			    rows->table_option);
		return best;
	}
	for (t = rows->tables->first; t; t = t->next) {
		score = score_of(c, t);
		if (!score || score * 2 < c->field_count)
			continue;
		rank = score * 4 + (score == t->column_count) * 2 +
		    (size_t)tp_is_bound(rows, t->name);
		if (rank > best_rank) {
			best = t;
			other = NULL;
			best_rank = rank;
		} else if (rank == best_rank) {
			other = t;
		}
	}
	if (best && other && are_twins(best, other)) {
		tp_trace_note(rows->trace, "table.twin", 0, 1,
		    "%s: the header fits %s and %s; it is read as %s, "
		    "--table says otherwise", tp_in_name(rows->in),
		    best->name, other->name, best->name);
		return best;
	}
	if (!best)
		tp_fail(c->err, TP_BAD, "table.unknown", 1, "the header names "
		    "no table this program knows; --table NAME says which it "
		    "is");
	else if (other)
		tp_fail(c->err, TP_BAD, "table.ambiguous", 1,
		    "the header fits '%s' and '%s' equally; --table NAME says "
		    "which it is", best->name, other->name);
	return other ? NULL : best;
}

/* Columns that TABLE does not have are not read: tell their names. */
static void
note_unknown(struct csv *c, const struct tp_table *table)
{
	struct tp_buf names = { 0 };
	uint64_t count = 0;

	for (size_t i = 0; i < c->field_count; i++) {
		if (column_of(c, table, i) >= 0)
			continue;
		if (count++ < 5)
			tp_buf_fmt(&names, "%s'%.*s'", count > 1 ? ", " : "",
			    (int)(c->fields[i].len < 40 ? c->fields[i].len :
			    40), field_text(c, i));
	}
	if (count && !names.failed)
		tp_trace_note(c->rows->trace, "column.unknown", 0, count,
		    "%s: columns that table %s does not have are not read: "
		    "%s%s", tp_in_name(c->rows->in), table->name, names.p,
		    count > 5 ? " and others" : "");
	tp_buf_release(&names);
}

static void
header(struct csv *c)
{
	const struct tp_table *table = recognise(c);
	ptrdiff_t *cell_of, k;
	size_t i;

	c->header_done = 1;
	c->column_count = c->field_count;
	if (!table) {
		c->failed = 1;
		return;
	}
	cell_of = tp_alloc((table->column_count + 1) * sizeof *cell_of);
	if (!cell_of) {
		no_memory(c);
		return;
	}
	for (i = 0; i < table->column_count; i++)
		cell_of[i] = -1;
	for (i = 0; i < c->field_count; i++) {
		k = column_of(c, table, i);
		if (k < 0)
			continue;
		if (cell_of[k] < 0)
			cell_of[k] = (ptrdiff_t)i;
		else
			tp_trace_note(c->rows->trace, "header.duplicate", 0,
			    1, "%s: column '%s' stands twice in the header; "
			    "the first counts", tp_in_name(c->rows->in),
			    table->columns[k].name);
	}
	if (tp_plan_table(c->rows, table, cell_of, c->err) < 0) {
		c->err->line = c->row_line;
		c->failed = 1;
	} else if (c->rows->plan->wanted) {
		note_unknown(c, table);
	}
	tp_free(cell_of);
}

static void
damaged(struct csv *c, const struct tp_err *err)
{
	if (tp_queue_damage(c->rows, err) < 0)
		no_memory(c);
}

static void
data_row(struct csv *c)
{
	const struct tp_plan *p = c->rows->plan;
	struct tp_value *v;
	struct tp_err err;
	const char *text;
	size_t i, cell;

	c->good += c->field_count == c->column_count;
	if (!p->wanted) {
		tp_count_rows(c->rows, 1);
		return;
	}
	v = tp_queue_row(c->rows, c->row_line);
	if (!v) {
		no_memory(c);
		return;
	}
	if (c->field_count != c->column_count) {
		tp_fail(&err, TP_BAD, "row.damaged", c->row_line,
		    "%zu fields where the header has %zu", c->field_count,
		    c->column_count);
		err.what = "fields";
		damaged(c, &err);
		return;
	}
	for (i = 0; i < p->count; i++) {
		if (p->slots[i].cell < 0)
			continue;
		cell = (size_t)p->slots[i].cell;
		if (!c->fields[cell].len)
			continue;
		text = tp_arena_text(&c->rows->fill->arena, field_text(c, cell),
		    c->fields[cell].len);
		if (!text) {
			no_memory(c);
			return;
		}
		if (tp_cell_parse(&v[i], p->slots[i].type, p->slots[i].name,
		    text, c->fields[cell].len,
		    &c->rows->fill->arena, &err) < 0) {
			err.line = c->row_line;
			damaged(c, &err);
			return;
		}
	}
}

static void
on_row(int end, void *arg)
{
	struct csv *c = arg;

	(void)end;
	if (!c->failed) {
		if (!c->header_done)
			header(c);
		else
			data_row(c);
	}
	/* after a bare CR the next row starts in the same line */
	c->row_line = c->line;
	c->held.len = 0;
	c->field_count = 0;
	c->text.len = 0;
}

static int
restart(struct csv *c)
{
	if (c->open)
		csv_free(&c->parser);
	c->open = !csv_init(&c->parser, CSV_STRICT | CSV_STRICT_FINI);
	if (!c->open)
		return -1;
	csv_set_realloc_func(&c->parser, tp_realloc);
	csv_set_free_func(&c->parser, tp_free);
	/* its buffer grows by that much: by little, a long field is copied
	 * over and over */
	csv_set_blk_size(&c->parser, 1 << 16);
	csv_set_delim(&c->parser, c->delim);
	return 0;
}

static void feed(struct csv *c, const char *p, size_t len);

static void
feed_lines(struct csv *c, const char *p, size_t len)
{
	const char *end = p + len, *lf;

	for (; p < end && !c->failed; p = lf) {
		lf = memchr(p, '\n', (size_t)(end - p));
		lf = lf ? lf + 1 : end;
		feed(c, p, (size_t)(lf - p));
	}
}

/*
 * Read what the row under way held of further lines, and the LEN bytes at P,
 * again: they are rows of their own.
 */
static void
again(struct csv *c, const char *p, size_t len)
{
	struct tp_buf lines = c->held;

	memset(&c->held, 0, sizeof c->held);
	tp_buf_add(&lines, p, len);
	if (lines.failed)
		no_memory(c);
	c->line = c->row_line + 1;
	feed_lines(c, lines.p, lines.len);
	tp_buf_release(&lines);
}

/*
 * The row under way is none because of WHAT, found in the LEN bytes at P:
 * count it, forget it, go on behind its first line.
 */
static void
refused(struct csv *c, const char *p, size_t len, const char *what)
{
	int several = c->line > c->row_line;
	struct tp_err err;

	tp_fail(&err, TP_BAD, "row.damaged", c->row_line, "%s", what);
	err.what = "quotes";
	if (!c->header_done) {
		*c->err = err;
		c->failed = 1;
		return;
	}
	if (!c->rows->plan->wanted)
		tp_count_rows(c->rows, 1);
	else if (!tp_queue_row(c->rows, c->row_line) ||
	    tp_queue_damage(c->rows, &err) < 0)
		no_memory(c);
	c->in_row = 0;
	c->field_count = 0;
	c->text.len = 0;
	if (restart(c) < 0)
		no_memory(c);
	if (several)
		again(c, p, len);
	else
		c->skip_line = 1;
}

/* Keep the piece of a row that goes on in the next line. */
static void
hold(struct csv *c, const char *p, size_t len)
{
	if (!c->in_row)
		tp_buf_clear(&c->held);
	else if (c->line > c->row_line)
		tp_buf_add(&c->held, p, len);
	if (c->held.failed)
		no_memory(c);
}

/* A piece of one line, its LF included where it is there. */
static void
feed(struct csv *c, const char *p, size_t len)
{
	int lf = p[len - 1] == '\n';

	if (!c->in_row)
		c->row_line = c->line;
	c->last_was_lf = lf;
	if (!c->skip_line && csv_parse(&c->parser, p, len, on_field, on_row,
	    c) != len && !c->failed) {
		if (csv_error(&c->parser) == CSV_ENOMEM) {
			no_memory(c);
			return;
		}
		if (c->line > c->row_line) {
			refused(c, p, len, "a quote is never closed");
			return;
		}
		refused(c, p, len, "a quote where none may stand");
	}
	/* libcsv passes over empty lines without a word */
	c->in_row = c->field_count || c->parser.entry_pos;
	if (!c->skip_line)
		hold(c, p, len);
	if (c->held.len > QUOTED_MAX && !c->failed) {
		refused(c, "", 0, "a quote is never closed");
		if (lf)
			return;
	}
	/* an unclosed quote eats what follows; what is passed over counts */
	c->line_bytes += len;
	if (c->text.len + c->parser.entry_pos >
	    (size_t)tp_limits.line_bytes ||
	    c->line_bytes > (uint64_t)tp_limits.line_bytes) {
		tp_limit_line(c->err, "limit.row", c->row_line,
		    "a line, if this is CSV,");
		c->failed = 1;
	}
	if (lf) {
		c->line++;
		c->line_bytes = 0;
		c->skip_line = 0;
	}
}

static void
cut_off(struct csv *c, uint64_t line, const char *what)
{
	tp_fail(c->err, TP_BAD, "input.truncated", line, "%s", what);
	c->failed = 1;
}

/*
 * The input ends inside quotes: cut off, unless good rows stand behind the
 * quote.  Whether to go on.
 */
static int
open_quote(struct csv *c)
{
	uint64_t good = c->good, line = c->row_line;

	if (c->header_done && c->held.len)
		refused(c, "", 0, "a quote is never closed");
	if (!c->failed && c->good == good)
		cut_off(c, line, "the file ends inside quotes: it was cut "
		    "off, or a quote is never closed");
	return !c->failed;
}

/* The input is at its end: the last row may lack its LF, or its rest. */
static int
finish(struct tp_rows *rows, struct tp_err *err)
{
	struct csv *c = rows->form;
	const struct tp_queue *q = rows->fill;
	size_t queued;
	uint64_t line;
	int last;

	c->err = err;
	do {
		line = c->row_line;
		queued = q->row_count;
		last = c->in_row && c->header_done && !c->last_was_lf;
	} while (!c->skip_line && csv_fini(&c->parser, on_field, on_row, c) &&
	    !c->failed && open_quote(c));
	if (last && !c->failed && q->row_count > queued &&
	    q->runs[q->run_count - 1].damage) {
		/* the unfinished last row is what a cut leaves behind */
		cut_off(c, line, "the last row is cut off");
		tp_queue_drop(rows);
		rows->trace->sources[rows->plan->source].skipped++;
	} else if (last && !c->failed && !c->skip_line) {
		tp_trace_note(rows->trace, "row.unended", 0, 1,
		    "%s: the last row has no line end: if the file was cut "
		    "off there, its last value may be short",
		    tp_in_name(c->rows->in));
	}
	if (!c->failed && !c->header_done) {
		tp_fail(c->err, TP_BAD, "input.empty", 0,
		    "no header: the file is empty");
		c->failed = 1;
	}
	return c->failed ? -1 : 0;
}

/* The next block, the first without its BOM; 1, 0 at the end, -1. */
static int
next_block(struct csv *c)
{
	const char *block;
	ptrdiff_t n = tp_in_read(c->rows->in, &block, c->err);

	if (n < 0)
		return -1;
	if (!c->started) {
		/* the first block is what was peeked: the header is in it */
		if (n >= 3 && !memcmp(block, "\xef\xbb\xbf", 3)) {
			block += 3;
			n -= 3;
		}
		c->delim = tp_csv_delim(block, (size_t)n);
		c->started = 1;
		if (restart(c) < 0)
			return tp_fail_memory(c->err);
	}
	c->at = block;
	c->end = block + n;
	c->plain->base = NULL;
	return n != 0;
}

/* Take plain rows off the block, when a row can start here; their number. */
static size_t
plain_rows(struct csv *c)
{
	ptrdiff_t n;

	/* libcsv must not be inside a row, and we not inside a line */
	if (!c->header_done || c->rows->only_libcsv || c->skip_line ||
	    !c->last_was_lf || c->parser.pstate != 0)
		return 0;
	n = tp_plain_rows(c->plain, c->rows, &c->at, c->end, (char)c->delim,
	    c->column_count, BATCH, &c->line, &c->rows->fill->arena,
	    c->err);
	if (n < 0) {
		c->failed = 1;
		return 0;
	}
	c->good += (uint64_t)n;
	return (size_t)n;
}

static int
more(struct tp_rows *rows, struct tp_err *err)
{
	struct csv *c = rows->form;
	const char *lf;
	size_t most = rows->fill->row_count + BATCH;
	int rc;

	c->err = err;
	if (c->at == c->end) {
		rc = next_block(c);
		if (rc < 0)
			return -1;
		if (!rc)
			return 0;
	}
	/* a piece of plain rows, or lines for libcsv until some are plain */
	while (c->at < c->end && !c->failed &&
	    rows->fill->row_count < most && !plain_rows(c)) {
		if (c->failed)
			break;
		lf = memchr(c->at, '\n', (size_t)(c->end - c->at));
		lf = lf ? lf + 1 : c->end;
		feed(c, c->at, (size_t)(lf - c->at));
		c->at = lf;
	}
	rows->apart = c->header_done;
	rows->spent = c->at == c->end;
	if (c->text.failed)
		no_memory(c);
	return c->failed ? -1 : 1;
}

static void
close_form(struct tp_rows *rows)
{
	struct csv *c = rows->form;

	if (c->open)
		csv_free(&c->parser);
	tp_buf_release(&c->text);
	tp_buf_release(&c->held);
	tp_free(c->plain->fields);
	tp_free(c->plain);
	tp_free(c->fields);
	tp_free(c);
}

int
tp_csv_open(struct tp_rows *rows, struct tp_err *err)
{
	struct csv *c = tp_zalloc(sizeof *c);

	if (!c || !(c->plain = tp_alloc(sizeof *c->plain))) {
		tp_free(c);
		return tp_fail_memory(err);
	}
	c->plain->base = NULL;
	c->plain->fields = NULL;
	c->plain->field_cap = 0;
	rows->form = c;
	rows->more = more;
	rows->finish = finish;
	rows->close = close_form;
	c->rows = rows;
	c->line = 1;
	return 0;
}
