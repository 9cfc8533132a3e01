/*
 * csv_plain - parse rows of CSV without libcsv
 *
 * A field without quotes is the bytes between separators, without blanks
 * around it, as in libcsv; a quoted field without quotes inside is the bytes
 * between its quotes.  Anything else is left to libcsv.
 */
#include <string.h>

#include <tp/alloc.h>

#include "csv_plain.h"
#include "split.h"
#include "word.h"

struct tp_plain *
tp_plain_new(void)
{
	struct tp_plain *x = tp_alloc(sizeof *x);

	x->base = NULL;
	x->fields = NULL;
	x->field_cap = 0;
	return x;
}

void
tp_plain_free(struct tp_plain *x)
{
	if (x)
		tp_free(x->fields);
	tp_free(x);
}

/* Queue a row that walk() accepted. */
static int
walked_row(struct tp_plain *x, struct tp_rows *rows, uint64_t line,
    struct tp_arena *arena, struct tp_err *err)
{
	const struct tp_plan *p = rows->plan;
	struct tp_value *v = tp_queue_row(rows, line);

	for (size_t i = 0; i < p->count; i++) {
		const struct tp_slot *s = &p->slots[i];

		if (s->cell >= 0 && tp_plain_field(&v[i], s,
		    x->base + x->fields[s->cell].from,
		    x->base + x->fields[s->cell].to, arena, err) < 0)
			return tp_plain_damaged(rows, line, err);
	}
	return 0;
}

enum shape { PLAIN, OTHER, CUT };

/*
 * The number of ends that the line end at ends[AT] takes; 0 if it is not one or
 * incomplete.
 */
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
 * Walk the fields of the row at START into x->fields.  *USED gets the number of
 * ends in it.
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
			tp_plain_trim(&from, &to);
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

/* Whether the line is blank, which is not a row to libcsv. */
static int
is_empty(const struct tp_plain *x, uint32_t start)
{
	const char *from = x->base + start;
	const char *to = x->base + x->ends[x->next];

	tp_plain_trim(&from, &to);
	return from == to;
}

/*
 * Load the next piece.  It is walked field by field if it has one column,
 * because of empty lines, or contains anything unusual, such as a row of
 * another length.
 */
static void
load(struct tp_plain *x, const char *p, const char *end, char delim,
    size_t columns)
{
	size_t len = (size_t)(end - p);

	x->base = p;
	x->len = len < TP_CSV_PIECE ? len : TP_CSV_PIECE;
	x->ends = x->end_space + 1;
	x->ends[-1] = UINT32_MAX;
	x->next = 0;
	x->row = 0;
	x->careful = 0;
	x->row_count = columns > 1 ? tp_split_rows(p, x->len, delim, columns,
	    x->ends) : -1;
	if (x->row_count >= 0)
		return;
	x->count = tp_split(p, x->len, delim, x->ends);
	tp_grow(&x->fields, &x->field_cap, columns, sizeof *x->fields);
}

/*
 * Queue rows from *P on, as tp_plain_rows(), in a piece whose rows all have as
 * many fields.
 */
static enum shape
next_whole(struct tp_plain *x, struct tp_rows *rows, const char **p,
    size_t columns, size_t limit, uint64_t line, struct tp_arena *arena,
    struct tp_err *err, ptrdiff_t *n)
{
	if (x->row == x->row_count)
		return CUT;
	*n = tp_plain_batch(x, rows, columns, limit, line, arena, err);
	*p = x->base + x->ends[(size_t)x->row * columns - 1] + 1;
	return PLAIN;
}

/* Queue one row in a piece that must be walked. */
static enum shape
next_walked(struct tp_plain *x, struct tp_rows *rows, const char **p,
    char delim, size_t columns, uint64_t line, struct tp_arena *arena,
    struct tp_err *err, ptrdiff_t *n)
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
	*n = 1;
	if (!rows->plan->wanted)
		tp_count_rows(rows, 1);
	else if (walked_row(x, rows, line, arena, err) < 0)
		*n = -1;
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
	ptrdiff_t some, n = 0;

	if (fresh)
		load(x, *p, end, delim, columns);
	while (n < (ptrdiff_t)limit) {
		shape = x->row_count >= 0 ? next_whole(x, rows, p, columns,
		    limit - (size_t)n, *line, arena, err, &some) :
		    next_walked(x, rows, p, delim, columns, *line, arena,
		    err, &some);
		if (shape == CUT && !fresh && !n && *p < end) {
			/*
			 * the row continues after the piece: load from its
			 * start
			 */
			load(x, *p, end, delim, columns);
			fresh = 1;
			continue;
		}
		if (shape != PLAIN)
			break;
		if (some < 0)
			return -1;
		*line += (uint64_t)some;
		n += some;
	}
	return n;
}
