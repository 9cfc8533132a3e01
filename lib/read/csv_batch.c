/*
 * csv_batch - values of plain CSV rows, a column at a time
 *
 * Decisions per column are made once for all rows, which keeps the cost of a
 * value low.
 */
#include <string.h>

#include "csv_plain.h"
#include "vector.h"
#include "way.h"
#include "word.h"

/* The wanted column of some rows. */
struct column {
	const struct tp_slot *slot;
	const char *base;
	const uint32_t *ends;	/* end of the column in a row that starts at
				 * field 0 */
	const uint32_t *firsts;	/* by row: its first field */
	size_t stride;		/* values from a row to the next */
};

static inline void
bounds(const struct column *c, size_t row, const char **from,
    const char **to)
{
	const uint32_t *end = c->ends + c->firsts[row];

	*from = c->base + (uint32_t)(end[-1] + 1);
	*to = c->base + end[0];
}

static int
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

void
tp_plain_trim(const char **from, const char **to)
{
	while (*from < *to && is_blank(**from))
		++*from;
	while (*to > *from && is_blank((*to)[-1]))
		--*to;
}

int
tp_plain_field(struct tp_value *v, const struct tp_slot *s,
    const char *from, const char *to, struct tp_arena *arena,
    struct tp_err *err)
{
	size_t len = (size_t)(to - from);

	if (!len)
		return 0;
	if (s->type != TP_TEXT || s->shift)
		return tp_cell_parse(v, s, from, len, arena, err);
	v->type = TP_TEXT;
	v->len = v->whole = (uint32_t)len;
	v->text = from;
	return 0;
}

int
tp_plain_damaged(struct tp_rows *rows, uint64_t line, struct tp_err *err)
{
	err->line = line;
	if (err->status == TP_LIMIT || err->fatal) {
		tp_queue_drop(rows);
		return -1;
	}
	return tp_queue_damage(rows, err) < 0 ? tp_fail_memory(err) : 0;
}

/*
 * Parses a field between FROM and TO that may be quoted or the last of its
 * row.
 */
static int
any(struct tp_value *v, const struct tp_slot *s, const char *from,
    const char *to, struct tp_arena *arena, struct tp_err *err)
{
	memset(v, 0, sizeof *v);
	if (*to == '\n' && to > from && to[-1] == '\r')
		to--;
	if (*from == '"')
		from++, to--;
	else
		tp_plain_trim(&from, &to);
	return tp_plain_field(v, s, from, to, arena, err);
}

/* Sets a value as tp_cell_parse() does. */
static inline void
set(struct tp_value *v, enum tp_type type, const char *from,
    const char *to)
{
	v->type = type;
	v->len = v->whole = (uint32_t)(to - from);
	v->text = from;
}

/*
 * The following functions set a column of N rows.  They return the number of
 * rows before the first damaged one, or N.
 */
TP_ALWAYS size_t
numbers_by(int (*digits)(const char *to, size_t len, uint64_t *n),
    const struct column *c, struct tp_value *v, size_t n,
    struct tp_arena *arena, struct tp_err *err)
{
	const char *from, *to;

	for (size_t i = 0; i < n; i++, v += c->stride) {
		bounds(c, i, &from, &to);
		if (to - c->base >= 16 &&
		    digits(to, (size_t)(to - from), &v->id))
			set(v, c->slot->type, from, to);
		else if (any(v, c->slot, from, to, arena, err) < 0)
			return i;
	}
	return n;
}

static inline int
digits(const char *to, size_t len, uint64_t *n)
{
	return tp_digits(to - len, len, 1, n);
}

#if defined(__x86_64__)
TP_AVX2 static size_t
numbers_avx2(const struct column *c, struct tp_value *v, size_t n,
    struct tp_arena *arena, struct tp_err *err)
{
	return numbers_by(tp_digits_avx2, c, v, n, arena, err);
}
#endif

static size_t
numbers(const struct column *c, struct tp_value *v, size_t n,
    struct tp_arena *arena, struct tp_err *err)
{
#if defined(__x86_64__)
	if (tp_way_used() >= TP_WAY_AVX2)
		return numbers_avx2(c, v, n, arena, err);
#endif
	return numbers_by(digits, c, v, n, arena, err);
}

/* Returns whether libcsv keeps C at the edge of a field. */
static int
is_edge(char c)
{
	return (unsigned char)c > ' ' && c != '"';
}

static size_t
texts(const struct column *c, struct tp_value *v, size_t n,
    struct tp_arena *arena, struct tp_err *err)
{
	const char *from, *to;

	for (size_t i = 0; i < n; i++, v += c->stride) {
		bounds(c, i, &from, &to);
		if (from < to && is_edge(*from) && is_edge(to[-1])) {
			set(v, TP_TEXT, from, to);
			v->id = 0;
		} else if (any(v, c->slot, from, to, arena, err) < 0) {
			return i;
		}
	}
	return n;
}

/* Sets other types.  A process equal to that of the row before is copied. */
static size_t
others(const struct column *c, struct tp_value *v, size_t n,
    struct tp_arena *arena, struct tp_err *err)
{
	const struct tp_value *same = NULL;
	const char *from, *to;
	size_t len;

	for (size_t i = 0; i < n; i++, v += c->stride) {
		bounds(c, i, &from, &to);
		len = (size_t)(to - from);
		if (same && same->whole == len && len &&
		    tp_same_bytes(same->text, from, len))
			*v = *same;
		else if (any(v, c->slot, from, to, arena, err) < 0)
			return i;
		same = c->slot->type == TP_PROCESS ? v : NULL;
	}
	return n;
}

static size_t
absent(struct tp_value *v, size_t n, size_t stride)
{
	for (size_t i = 0; i < n; i++, v += stride)
		memset(v, 0, sizeof *v);
	return n;
}

/* Sets the values of N rows at V.  Returns as above. */
static size_t
values(const struct tp_plain *x, const struct tp_plan *p, struct tp_value *v,
    size_t n, struct tp_arena *arena, struct tp_err *err)
{
	struct column c = { .base = x->base, .firsts = x->rows + x->row - 1,
	    .stride = p->count };

	for (size_t i = 0; i < p->count; i++, v++) {
		c.slot = &p->slots[i];
		c.ends = x->ends + c.slot->cell;
		n = c.slot->cell < 0 ? absent(v, n, c.stride) :
		    c.slot->type >= TP_TIME && c.slot->type <= TP_ID &&
		    !c.slot->unit ?
		    numbers(&c, v, n, arena, err) :
		    c.slot->type == TP_TEXT && !c.slot->shift ?
		    texts(&c, v, n, arena, err) :
		    others(&c, v, n, arena, err);
	}
	return n;
}

/* Returns how many consecutive rows, at most LIMIT, have COLUMNS fields. */
static size_t
alike(const struct tp_plain *x, size_t columns, size_t limit)
{
	const uint32_t *row = x->rows + x->row;
	size_t n = (size_t)(x->row_count - x->row), i;

	n = n < limit ? n : limit;
	n = x->careful && n > 1 ? 1 : n;
	for (i = 0; i < n && row[i] - row[(ptrdiff_t)i - 1] == columns; i++)
		continue;
	return i;
}

ptrdiff_t
tp_plain_batch(struct tp_plain *x, struct tp_rows *rows, size_t columns,
    size_t limit, uint64_t line, struct tp_arena *arena, struct tp_err *err)
{
	size_t n = alike(x, columns, limit), good = n;
	struct tp_value *v;
	int rc = 0;

	if (n && rows->plan->wanted) {
		v = tp_queue_room(rows, n);
		if (!v)
			return tp_fail_memory(err);
		good = values(x, rows->plan, v, n, arena, err);
		if (good < n)
			x->careful = 1;
		/* a damaged row is queued alone */
		n = good ? good : 1;
		tp_queue_push(rows, line, n);
	}
	tp_count_rows(rows, n);
	x->row += (ptrdiff_t)n;
	if (n && !good)
		rc = tp_plain_damaged(rows, line, err);
	return rc < 0 ? -1 : (ptrdiff_t)n;
}
