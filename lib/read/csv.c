/*
 * csv - rows of a table written as comma-separated values
 *
 * libcsv in strict mode defines CSV.  It is fed line by line, so that line
 * numbers are exact and a damaged row costs only that row: after an error
 * parsing restarts at the next line.  An unclosed quote would swallow the
 * following rows; they are kept and parsed again without it.
 */
#include <csv.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/limits.h>
#include <tp/read/csv.h>
#include <tp/text.h>

#include "csv_parts.h"
#include "csv_plain.h"
#include "csv_strict.h"
#include "headed.h"

/* A longer quoted field of several lines is an unclosed quote. */
#define QUOTED_MAX ((size_t)4 << 20)

/* Most rows before the header, which spreadsheets write: "sep=;", a title. */
#define TITLES 8

/* Rows queued before they are handed out, few enough for the L1 cache. */
#define BATCH 64

struct csv {
	struct tp_headed h;
	struct csv_parser parser;
	struct tp_buf held;		/* lines of the current row after its
					 * first */
	uint64_t line;			/* current line */
	int in_row;			/* bytes of a row were fed */
	int skip_line, started, last_was_lf, looked;
	uint64_t line_bytes;		/* of the current line so far, and of */
	uint64_t row_bytes;		/* the current row's lines before it */
	unsigned char delim;
	const char *at, *end;		/* rest of the block */
	const char *look_end;		/* end of the bytes that look() reads */
	size_t look_column;
	struct tp_plain *plain;
	struct tp_csv_parts *parts;	/* parts after the first blocks, or
					 * NULL */
	const struct tp_csv_part *part;	/* the part that "at" points into, or
					 * NULL */
	int asked;			/* tried to read in parts */
};

static void
on_field(void *text, size_t len, void *arg)
{
	tp_headed_field(&((struct csv *)arg)->h, text, len);
}

static void
on_row(int end, void *arg)
{
	struct csv *c = arg;

	(void)end;
	tp_headed_row(&c->h);
	/* after a bare CR the next row starts in the same line */
	c->h.row_line = c->line;
	c->held.len = 0;
}

static void
restart(struct csv *c)
{
	if (c->started)
		csv_free(&c->parser);
	tp_csv_strict(&c->parser, c->delim);
	csv_set_blk_size(&c->parser, 1 << 16);
	c->started = 1;
}

static void feed(struct csv *c, const char *p, size_t len);

static void
feed_lines(struct csv *c, const char *p, size_t len)
{
	const char *end = p + len, *lf;

	for (; p < end && !c->h.stopped; p = lf) {
		lf = memchr(p, '\n', (size_t)(end - p));
		lf = lf ? lf + 1 : end;
		feed(c, p, (size_t)(lf - p));
	}
}

/*
 * Parse the further lines of the current row, and the LEN bytes at P, as rows
 * of their own.
 */
static void
again(struct csv *c, const char *p, size_t len)
{
	struct tp_buf lines = c->held;

	memset(&c->held, 0, sizeof c->held);
	tp_buf_add(&lines, p, len);
	c->line = c->h.row_line + 1;
	c->line_bytes = c->row_bytes = 0;
	feed_lines(c, lines.p, lines.len);
	tp_buf_release(&lines);
}

/*
 * Drop the current row as damaged because of WHAT, found in the LEN bytes at P,
 * and continue after its first line.
 */
static void
refused(struct csv *c, const char *p, size_t len, const char *what)
{
	int several = c->line > c->h.row_line;
	struct tp_err err;

	tp_fail(&err, TP_BAD, "row.damaged", c->h.row_line, "%s", what);
	err.what = "quotes";
	if (!c->h.header_done) {
		*c->h.err = err;
		c->h.stopped = 1;
		return;
	}
	tp_headed_refuse(&c->h, &err);
	c->in_row = 0;
	restart(c);
	if (several)
		again(c, p, len);
	else
		c->skip_line = 1;
}

/* Keep a piece of a row that continues in the next line. */
static void
hold(struct csv *c, const char *p, size_t len)
{
	if (!c->in_row)
		tp_buf_clear(&c->held);
	else if (c->line > c->h.row_line)
		tp_buf_add(&c->held, p, len);
}

/* Feed a piece of one line, with its LF if there is one. */
static void
feed(struct csv *c, const char *p, size_t len)
{
	int lf = p[len - 1] == '\n';

	if (!c->in_row)
		c->h.row_line = c->line;
	else	/* double the buffer: smaller steps would copy long fields
		 * often */
		csv_set_blk_size(&c->parser,
		    csv_get_buffer_size(&c->parser) | 1 << 16);
	c->last_was_lf = lf;
	if (!c->skip_line && csv_parse(&c->parser, p, len, on_field, on_row,
	    c) != len && !c->h.stopped) {
		if (c->line > c->h.row_line) {
			refused(c, p, len, "a quote is never closed");
			return;
		}
		refused(c, p, len, "a quote where none may stand");
	}
	/* libcsv skips empty lines without a callback */
	c->in_row = c->h.field_count || c->parser.entry_pos;
	if (!c->skip_line)
		hold(c, p, len);
	/* rows are judged where lines end, wherever those of blocks fall */
	if (lf && c->held.len > QUOTED_MAX && !c->h.stopped) {
		refused(c, "", 0, "a quote is never closed");
		return;
	}
	/* limit bytes that an unclosed quote swallows or that are skipped */
	c->line_bytes += len;
	if (c->line_bytes + (lf ? c->row_bytes : 0) >
	    (uint64_t)tp_limits.line_bytes && !c->h.stopped) {
		tp_limit_line(c->h.err, "limit.row", c->h.row_line,
		    "a line, if this is CSV,");
		c->h.stopped = 1;
	}
	if (lf) {
		c->row_bytes = !c->in_row ? 0 : c->line_bytes +
		    (c->line > c->h.row_line ? c->row_bytes : 0);
		c->line++;
		c->line_bytes = 0;
		c->skip_line = 0;
	}
}

static void
cut_off(struct csv *c, uint64_t line, const char *what)
{
	tp_fail(c->h.err, TP_BAD, "input.truncated", line, "%s", what);
	c->h.stopped = 1;
}

/*
 * The input ends inside quotes: it was cut off, unless good rows follow the
 * quote.  Returns whether to continue.
 */
static int
open_quote(struct csv *c)
{
	uint64_t good = c->h.good, line = c->h.row_line;

	if (c->h.header_done && c->held.len)
		refused(c, "", 0, "a quote is never closed");
	if (!c->h.stopped && c->h.good == good)
		cut_off(c, line, "the file ends inside quotes: it was cut "
		    "off, or a quote is never closed");
	return !c->h.stopped;
}

/* End the input.  The last row may lack its LF, or be incomplete. */
static int
finish(struct tp_rows *rows, struct tp_err *err)
{
	struct csv *c = rows->form;
	const struct tp_queue *q = rows->fill;
	size_t queued;
	uint64_t line;
	int last;

	c->h.err = err;
	do {
		line = c->h.row_line;
		queued = q->row_count;
		last = c->in_row && c->h.header_done && !c->last_was_lf;
	} while (!c->skip_line && csv_fini(&c->parser, on_field, on_row, c) &&
	    !c->h.stopped && open_quote(c));
	if (last && !c->h.stopped && q->row_count > queued &&
	    q->runs[q->run_count - 1].damage) {
		/* a damaged last row without LF: the file was cut off */
		cut_off(c, line, "the last row is cut off");
		tp_queue_drop(rows);
		rows->trace->sources[rows->plan->source].skipped++;
	} else if (last && !c->h.stopped && !c->skip_line) {
		tp_trace_note(rows->trace, "row.unended", 0, 1,
		    "%s: the last row has no line end: if the file was cut "
		    "off there, its last value may be short",
		    tp_in_name(c->h.rows->in));
	}
	if (!c->h.stopped && !c->h.header_done) {
		if (!c->h.titles)
			tp_fail(c->h.err, TP_BAD, "input.empty", 0,
			    "no header: the file is empty");
		else
			tp_headed_unknown(&c->h);
		c->h.stopped = 1;
	}
	return c->h.stopped ? -1 : 0;
}

/*
 * Load the next block, the first without its BOM.  Returns 1, 0 at the end, or
 * -1.
 */
static int
next_block(struct csv *c)
{
	const char *block;
	ptrdiff_t n = tp_in_read(c->h.rows->in, &block, c->h.err);

	if (n < 0)
		return -1;
	/* the first block nearly always has the header, and rows behind it */
	c->look_end = block + (n < TP_LOOKED ? n : TP_LOOKED);
	if (!c->started) {
		if (n >= 3 && !memcmp(block, "\xef\xbb\xbf", 3)) {
			block += 3;
			n -= 3;
		}
		c->delim = tp_csv_delim(block, (size_t)n);
		restart(c);
	}
	c->at = block;
	c->end = block + n;
	c->plain->base = NULL;
	return n != 0;
}

/*
 * Whether plain rows can start here: libcsv is not inside a row, and the
 * position is at the start of a line.  No plain row is longer than a piece, so
 * their lengths matter only with a limit below that.
 */
static int
is_between(const struct csv *c)
{
	return c->h.header_done && !c->h.rows->only_library &&
	    (size_t)tp_limits.line_bytes >= TP_CSV_PIECE &&
	    !c->skip_line && c->last_was_lf && c->parser.pstate == 0;
}

/* Take the rows of a whole part; the position must be between rows. */
static void
take_whole(struct csv *c, struct tp_csv_part *p)
{
	struct tp_queue *q = c->h.rows->fill, empty = *q;

	*q = p->queue;
	p->queue = empty;
	for (size_t i = 0; i < q->run_count; i++) {
		q->runs[i].plan = c->h.rows->plan;
		q->runs[i].line += c->line;
	}
	tp_count_rows(c->h.rows, p->rows);
	c->h.rows->parts += p->rows > 0;
	c->h.good += p->rows;
	c->line += p->rows;
	c->at = c->end;
}

/*
 * Load the next part, as next_block() does.  A part that is not all plain rows,
 * or begins inside a row, is parsed like a block.
 */
static int
next_part(struct csv *c)
{
	struct tp_csv_part *p;
	char byte;

	if (c->part && c->part->part.last)
		return tp_in_part(c->h.rows->in, c->part->part.end, &byte, 1,
		    c->h.err) < 0 ? -1 : 0;
	c->part = p = tp_csv_parts_next(c->parts);
	c->at = p->part.from;
	c->end = p->part.to;
	c->plain->base = NULL;
	if (p->whole && is_between(c))
		take_whole(c, p);
	return 1;
}

/*
 * Take plain rows from the block if a row can start here.  Returns their
 * number.
 */
static size_t
plain_rows(struct csv *c)
{
	ptrdiff_t n;

	if (!is_between(c))
		return 0;
	n = tp_plain_rows(c->plain, c->h.rows, &c->at, c->end, (char)c->delim,
	    c->h.column_count, BATCH, &c->line, &c->h.rows->fill->arena,
	    c->h.err);
	if (n < 0) {
		c->h.stopped = 1;
		return 0;
	}
	c->h.good += (uint64_t)n;
	return (size_t)n;
}

static void
look_field(void *text, size_t len, void *arg)
{
	struct csv *c = arg;

	tp_headed_look(&c->h, c->look_column++, text, len);
}

static void
look_row(int end, void *arg)
{
	(void)end;
	((struct csv *)arg)->look_column = 0;
}

/*
 * Determine the form of numbers from the rows after the header, up to a damaged
 * one.
 */
static void
look(struct csv *c)
{
	struct csv_parser parser;

	c->looked = 1;
	tp_csv_strict(&parser, c->delim);
	if (c->at < c->look_end)
		csv_parse(&parser, c->at, (size_t)(c->look_end - c->at),
		    look_field, look_row, c);
	csv_free(&parser);
	tp_headed_looked(&c->h, c->delim == ';' ? ',' : 0);
}

static int
more(struct tp_rows *rows, struct tp_err *err)
{
	struct csv *c = rows->form;
	const char *lf;
	size_t most = rows->fill->row_count + BATCH;
	int rc;

	c->h.err = err;
	if (c->at == c->end) {
		if (rows->jobs > 1 && c->looked && !c->asked++)
			c->parts = tp_csv_parts_new(rows, (char)c->delim,
			    c->h.column_count, rows->jobs - 1);
		rc = c->parts ? next_part(c) : next_block(c);
		if (rc <= 0)
			return rc;
	}
	/* take plain rows, or feed lines to libcsv until some are plain */
	while (c->at < c->end && !c->h.stopped &&
	    rows->fill->row_count < most && !plain_rows(c)) {
		if (c->h.stopped)
			break;
		lf = memchr(c->at, '\n', (size_t)(c->end - c->at));
		lf = lf ? lf + 1 : c->end;
		/* the separator of a title need not be that of the columns */
		if (!c->h.header_done && !c->in_row && c->h.titles) {
			c->delim = tp_csv_delim(c->at,
			    (size_t)(c->end - c->at));
			csv_set_delim(&c->parser, c->delim);
		}
		feed(c, c->at, (size_t)(lf - c->at));
		c->at = lf;
		if (c->h.header_done && !c->looked && !c->h.stopped)
			look(c);
	}
	if (c->part)
		tp_in_passed(rows->in, c->part->part.end - (uint64_t)(c->end -
		    c->at));
	return c->h.stopped ? -1 : 1;
}

static void
close_form(struct tp_rows *rows)
{
	struct csv *c = rows->form;

	if (c->started)
		csv_free(&c->parser);
	tp_headed_release(&c->h);
	tp_buf_release(&c->held);
	tp_csv_parts_free(c->parts);
	tp_plain_free(c->plain);
	tp_free(c);
}

void
tp_csv_open(struct tp_rows *rows)
{
	struct csv *c = tp_zalloc(sizeof *c);

	c->plain = tp_plain_new();
	rows->form = c;
	rows->more = more;
	rows->finish = finish;
	rows->close = close_form;
	c->h.rows = rows;
	c->h.titles_max = TITLES;
	c->line = 1;
}

/* Whether the field must be quoted to keep its meaning. */
static int
needs_quotes(const char *text, size_t len)
{
	if (!len)
		return 0;
	/* libcsv would trim blanks around an unquoted field */
	if (text[0] == ' ' || text[0] == '\t' || text[len - 1] == ' ' ||
	    text[len - 1] == '\t')
		return 1;
	for (size_t i = 0; i < len; i++)
		if (memchr("\",;\t\r\n", text[i], 6))
			return 1;
	return 0;
}

void
tp_csv_field(struct tp_buf *buf, const char *text, size_t len)
{
	struct tp_buf mended = { 0 };
	size_t need;
	char *quoted;

	tp_utf8_mend(&mended, text, len);
	if (needs_quotes(mended.p, mended.len)) {
		need = csv_write(NULL, 0, mended.p, mended.len);
		quoted = tp_alloc(need);
		csv_write(quoted, need, mended.p, mended.len);
		tp_buf_add(buf, quoted, need);
		tp_free(quoted);
	} else {
		tp_buf_add(buf, mended.p, mended.len);
	}
	tp_buf_release(&mended);
}
