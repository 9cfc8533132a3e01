/*
 * csv_plain - rows of CSV that need no parser
 *
 * A row without a quote is what lies between separators, blanks around fields
 * left out, as libcsv leaves them out; a field in quotes with none inside is
 * what lies between them.  Anything else is left to libcsv.
 */
#include <string.h>

#include <tp/alloc.h>

#include "../word.h"
#include "csv_plain.h"
#include "split.h"

static int
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Digits between FROM and TO as V, as tp_cell_parse() makes it; 0: they are
 * not, or more than a few. */
static inline int
number(struct tp_value *v, const struct tp_slot *s, const char *base,
    const char *from, const char *to)
{
	if (s->type < TP_TIME || s->type > TP_ID ||
	    !tp_digits(from, (size_t)(to - from), from - base >= 8, &v->id))
		return 0;
	v->type = s->type;
	v->text = from;
	v->len = v->whole = (uint32_t)(to - from);
	return 1;
}

/*
 * The value of a field between FROM and TO; 0, or -1 with ERR when it is
 * damaged or there is no memory.  SAME is a value of the same column, if
 * there is one: a process that reads the same is the same.
 */
static inline int
field(struct tp_value *v, const struct tp_slot *s, const char *from,
    const char *to, const struct tp_value *same, struct tp_arena *arena,
    struct tp_err *err)
{
	size_t len = (size_t)(to - from);

	if (!len)
		return 0;
	if (s->type == TP_TEXT) {
		v->type = TP_TEXT;
		v->len = v->whole = (uint32_t)len;
	} else if (s->type == TP_PROCESS && same && same->whole == len &&
	    tp_same_bytes(same->text, from, len)) {
		*v = *same;
	} else {
		return tp_cell_parse(v, s->type, s->name, from, len, arena,
		    err);
	}
	v->text = from;
	return 0;
}

/* What a damaged field makes of its row. */
static int
damaged(struct tp_rows *rows, uint64_t line, struct tp_err *err)
{
	err->line = line;
	if (err->status == TP_LIMIT)
		return -1;
	return tp_queue_damage(rows, err) < 0 ? tp_fail_memory(err) : 0;
}

static void
trim(const char **from, const char **to)
{
	while (*from < *to && is_blank(**from))
		++*from;
	while (*to > *from && is_blank((*to)[-1]))
		--*to;
}

/*
 * A row whose fields end at ENDS, the first of them starting at START, each
 * bare or between quotes that hold none: read the wanted ones.
 */
static int
whole_row(struct tp_rows *rows, uint32_t start, const char *base,
    const uint32_t *ends, uint64_t line, struct tp_arena *arena,
    struct tp_err *err)
{
	const struct tp_plan *p = rows->plan;
	struct tp_value *v = tp_queue_new(rows, line);
	const struct tp_value *last;
	const struct tp_slot *s;
	const char *from, *to;

	if (!v)
		return tp_fail_memory(err);
	last = tp_queue_last(rows);
	for (size_t i = 0; i < p->count; i++, v++) {
		s = &p->slots[i];
		if (s->cell < 0) {
			*v = (struct tp_value){ 0 };
			continue;
		}
		from = base + (s->cell ? ends[s->cell - 1] + 1 : start);
		to = base + ends[s->cell];
		if (number(v, s, base, from, to))
			continue;
		if (*to == '\n' && to > from && to[-1] == '\r')
			to--;
		if (*from == '"')
			from++, to--;
		else if (is_blank(*from) || is_blank(to[-1]))
			trim(&from, &to);
		*v = (struct tp_value){ 0 };
		if (field(v, s, from, to, last ? last + i : NULL, arena,
		    err) < 0)
			return damaged(rows, line, err);
	}
	return 0;
}

/* The same of a row that walk() went through. */
static int
walked_row(struct tp_plain *x, struct tp_rows *rows, uint64_t line,
    struct tp_arena *arena, struct tp_err *err)
{
	const struct tp_plan *p = rows->plan;
	struct tp_value *v = tp_queue_row(rows, line);

	if (!v)
		return tp_fail_memory(err);
	for (size_t i = 0; i < p->count; i++) {
		const struct tp_slot *s = &p->slots[i];

		if (s->cell >= 0 && field(&v[i], s,
		    x->base + x->fields[s->cell].from,
		    x->base + x->fields[s->cell].to, NULL, arena, err) < 0)
			return damaged(rows, line, err);
	}
	return 0;
}

enum shape { PLAIN, OTHER, CUT };

/* Ends used by the line end that is ends[at]; 0: it is none, or not whole. */
static size_t
line_end(const struct tp_plain *x, size_t at)
{
	if (x->base[x->ends[at]] == '\n')
		return 1;
	return x->base[x->ends[at]] == '\r' && at + 1 < x->count &&
	    x->ends[at + 1] == x->ends[at] + 1 &&
	    x->base[x->ends[at + 1]] == '\n' ? 2 : 0;
}

/*
 * Walk the fields of the row at START into x->fields; *USED ends belong to
 * it.
 */
static enum shape
walk(struct tp_plain *x, uint32_t start, char delim, size_t columns,
    size_t *used)
{
	size_t at = x->next, i;
	const char *from, *to;
	char c;

	for (i = 0; i < columns; i++, at++) {
		if (at >= x->count)
			return CUT;
		x->fields[i].from = start;
		if (x->base[x->ends[at]] == '"') {
			if (x->ends[at++] != start)
				return OTHER;
			x->fields[i].from = start + 1;
			for (; at < x->count && x->base[x->ends[at]] != '"';
			    at++)
				if (x->base[x->ends[at]] != delim)
					return OTHER;
			if (at + 1 >= x->count)
				return CUT;
			x->fields[i].to = x->ends[at];
			if (x->ends[at + 1] != x->ends[at] + 1)
				return OTHER;
			at++;
		} else {
			from = x->base + start;
			to = x->base + x->ends[at];
			trim(&from, &to);
			x->fields[i].from = (uint32_t)(from - x->base);
			x->fields[i].to = (uint32_t)(to - x->base);
		}
		c = x->base[x->ends[at]];
		if (i + 1 < columns ? c != delim : !line_end(x, at))
			return c == '\r' && at + 1 == x->count ? CUT : OTHER;
		start = x->ends[at] + 1;
	}
	*used = at - 1 + line_end(x, at - 1) - x->next;
	return PLAIN;
}

/* A line of blanks is no row to libcsv. */
static int
is_empty(const struct tp_plain *x, uint32_t start)
{
	const char *from = x->base + start;
	const char *to = x->base + x->ends[x->next];

	trim(&from, &to);
	return from == to;
}

/*
 * Look at the next piece.  One column is walked, for the sake of empty lines,
 * and so is a piece with anything odd in it.
 */
static int
load(struct tp_plain *x, const char *p, const char *end, char delim,
    size_t columns)
{
	size_t len = (size_t)(end - p);

	x->base = p;
	x->len = len < TP_CSV_PIECE ? len : TP_CSV_PIECE;
	x->next = x->row = 0;
	x->row_count = columns > 1 ? tp_split_rows(p, x->len, delim, x->ends,
	    x->rows) : -1;
	if (x->row_count >= 0)
		return 0;
	x->count = tp_split(p, x->len, delim, x->ends);
	return tp_grow(&x->fields, &x->field_cap, columns,
	    sizeof *x->fields);
}

/* Queue the row at *P, as tp_plain_rows(), in a piece with nothing odd. */
static enum shape
next_whole(struct tp_plain *x, struct tp_rows *rows, const char **p,
    size_t columns, uint64_t line, struct tp_arena *arena,
    struct tp_err *err, int *rc)
{
	uint32_t start = (uint32_t)(*p - x->base), first = 0;

	/* behind rows that libcsv read */
	while (x->row < x->row_count && x->ends[x->rows[x->row] - 1] < start)
		x->row++;
	if (x->row == x->row_count)
		return CUT;
	if (x->row)
		first = x->rows[x->row - 1];
	if (x->rows[x->row] - first != columns)
		return OTHER;
	*p = x->base + x->ends[x->rows[x->row++] - 1] + 1;
	if (!rows->plan->wanted)
		tp_count_row(rows);
	else
		*rc = whole_row(rows, start, x->base, x->ends + first, line,
		    arena, err);
	return PLAIN;
}

/* The same in any piece. */
static enum shape
next_walked(struct tp_plain *x, struct tp_rows *rows, const char **p,
    char delim, size_t columns, uint64_t line, struct tp_arena *arena,
    struct tp_err *err, int *rc)
{
	uint32_t start = (uint32_t)(*p - x->base);
	enum shape shape;
	size_t used;

	while (x->next < x->count && x->ends[x->next] < start)
		x->next++;
	if (x->next == x->count)
		return CUT;
	shape = walk(x, start, delim, columns, &used);
	if (shape != PLAIN)
		return shape;
	if (columns == 1 && is_empty(x, start))
		return OTHER;
	if (!rows->plan->wanted)
		tp_count_row(rows);
	else
		*rc = walked_row(x, rows, line, arena, err);
	x->next += used;
	*p = x->base + x->ends[x->next - 1] + 1;
	return PLAIN;
}

ptrdiff_t
tp_plain_rows(struct tp_plain *x, struct tp_rows *rows, const char **p,
    const char *end, char delim, size_t columns, size_t limit,
    uint64_t *line, struct tp_arena *arena, struct tp_err *err)
{
	int fresh = !x->base || *p < x->base || *p >= x->base + x->len;
	enum shape shape;
	size_t n = 0;
	int rc = 0;

	if (fresh && load(x, *p, end, delim, columns) < 0)
		return tp_fail_memory(err);
	while (n < limit) {
		shape = x->row_count >= 0 ? next_whole(x, rows, p, columns,
		    *line, arena, err, &rc) : next_walked(x, rows, p, delim,
		    columns, *line, arena, err, &rc);
		if (rc < 0)
			return -1;
		if (shape == CUT && !fresh && !n && *p < end) {
			/* its rest is behind the piece */
			if (load(x, *p, end, delim, columns) < 0)
				return tp_fail_memory(err);
			fresh = 1;
			continue;
		}
		if (shape != PLAIN)
			break;
		++*line;
		n++;
	}
	return (ptrdiff_t)n;
}
