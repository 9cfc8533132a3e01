/*
 * csv_plain - rows of CSV that need no parser
 *
 * A row without a quote is what lies between separators, blanks around fields
 * left out, as libcsv leaves them out; a field in quotes with none inside is
 * what lies between them.  Anything else is left to libcsv.
 */
#include <string.h>

#include <tp/alloc.h>

#include "csv_plain.h"
#include "split.h"

/* Digits only, at most 18: the common case of a time or a size. */
static int
digits(const char *p, const char *end, int64_t *n)
{
	uint64_t u = 0;
	unsigned d;

	if (end - p > 18)
		return 0;
	for (; p < end; p++) {
		d = (unsigned)(unsigned char)*p - '0';
		if (d > 9)
			return 0;
		u = u * 10 + d;
	}
	*n = (int64_t)u;
	return 1;
}

static int
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * The value of a field between FROM and TO; 0, or -1 with ERR when it is
 * damaged or there is no memory.
 */
static inline int
field(struct tp_value *v, const struct tp_slot *s, const char *from,
    const char *to, struct tp_arena *arena, struct tp_err *err)
{
	if (from == to)
		return 0;
	if (s->type >= TP_TIME && s->type <= TP_CYCLES &&
	    digits(from, to, &v->n)) {
		v->type = s->type;
		v->text = from;
		v->len = v->whole = (uint32_t)(to - from);
		return 0;
	}
	return tp_cell_parse(v, s->type, s->name, from, (size_t)(to - from),
	    arena, err);
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

/* A row whose fields lie between the ENDS: read the wanted ones. */
static int
bare_row(struct tp_rows *rows, const char *start, const char *base,
    const uint32_t *ends, uint64_t line, struct tp_arena *arena,
    struct tp_err *err)
{
	const struct tp_plan *p = rows->plan;
	struct tp_value *v = tp_queue_row(rows, line);
	const char *from, *to;

	if (!v)
		return tp_fail_memory(err);
	for (size_t i = 0; i < p->count; i++) {
		const struct tp_slot *s = &p->slots[i];

		if (s->cell < 0)
			continue;
		from = s->cell ? base + ends[s->cell - 1] + 1 : start;
		to = base + ends[s->cell];
		trim(&from, &to);
		if (field(&v[i], s, from, to, arena, err) < 0)
			return damaged(rows, line, err);
	}
	return 0;
}

/* The same of a row some of whose fields are in quotes. */
static int
quoted_row(struct tp_plain *x, struct tp_rows *rows, uint64_t line,
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
		    x->base + x->fields[s->cell].to, arena, err) < 0)
			return damaged(rows, line, err);
	}
	return 0;
}

enum shape { BARE, QUOTED, OTHER, CUT };

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
 * Walk the fields of the row at START, some of them in quotes, into
 * x->fields; *USED ends belong to it.
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
	return QUOTED;
}

/* What kind of row is at START, and how many ends it USED. */
static enum shape
shape_of(struct tp_plain *x, uint32_t start, char delim, size_t columns,
    size_t *used)
{
	const uint32_t *ends = x->ends + x->next;
	size_t last = columns - 1, i, n;

	if (x->count - x->next < columns)
		return walk(x, start, delim, columns, used);
	for (i = 0; i < last; i++)
		if (x->base[ends[i]] != delim)
			return walk(x, start, delim, columns, used);
	n = line_end(x, x->next + last);
	if (!n)
		return walk(x, start, delim, columns, used);
	*used = last + n;
	return BARE;
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

static int
load(struct tp_plain *x, const char *p, const char *end, char delim,
    size_t columns)
{
	size_t len = (size_t)(end - p);

	x->base = p;
	x->len = len < TP_CSV_PIECE ? len : TP_CSV_PIECE;
	x->count = tp_split(p, x->len, delim, x->ends);
	x->next = 0;
	return tp_grow(&x->fields, &x->field_cap, columns,
	    sizeof *x->fields);
}

ptrdiff_t
tp_plain_rows(struct tp_plain *x, struct tp_rows *rows, const char **p,
    const char *end, char delim, size_t columns, size_t limit,
    uint64_t *line, struct tp_arena *arena, struct tp_err *err)
{
	int fresh = !x->base || *p < x->base || *p >= x->base + x->len;
	size_t n = 0, used;
	enum shape shape;
	uint32_t start;
	int rc = 0;

	if (fresh && load(x, *p, end, delim, columns) < 0)
		return tp_fail_memory(err);
	while (n < limit) {
		start = (uint32_t)(*p - x->base);
		while (x->next < x->count && x->ends[x->next] < start)
			x->next++;
		shape = x->next < x->count ?
		    shape_of(x, start, delim, columns, &used) : CUT;
		if (shape == CUT && !fresh && !n && *p < end) {
			/* its rest is behind the piece */
			if (load(x, *p, end, delim, columns) < 0)
				return tp_fail_memory(err);
			fresh = 1;
			continue;
		}
		if (shape == CUT || shape == OTHER ||
		    (columns == 1 && is_empty(x, start)))
			break;
		if (!rows->plan->wanted)
			tp_count_row(rows);
		else if (shape == BARE)
			rc = bare_row(rows, *p, x->base, x->ends + x->next,
			    *line, arena, err);
		else
			rc = quoted_row(x, rows, *line, arena, err);
		if (rc < 0)
			return -1;
		x->next += used;
		*p = x->base + x->ends[x->next - 1] + 1;
		++*line;
		n++;
	}
	return (ptrdiff_t)n;
}
