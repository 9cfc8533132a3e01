/*
 * csv_batch - values of plain CSV rows, a column at a time
 *
 * Decisions per column are made once for all rows, which keeps the cost of a
 * value low.
 */
#include <string.h>

#include "csv_plain.h"
#include "vector.h"
#include "simd.h"
#include "word.h"

/* The wanted column of some rows. */
struct column {
	const struct tp_slot *slot;
	const char *base;
	const uint32_t *ends;	/* end of the column in the first row */
	size_t columns;		/* ends from a row to the next */
	size_t stride;		/* values from a row to the next */
};

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
	tp_queue_damage(rows, err);
	return 0;
}

/*
 * Parse a field between FROM and TO that may be quoted or the last of its row.
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

/* Set a value as tp_cell_parse() does. */
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
 * rows before the first damaged one, or N.  C is their own copy: the compiler
 * knows that no value they set changes it.
 */
TP_ALWAYS size_t
numbers_by(int (*digits)(const char *to, size_t len, uint64_t *n),
    struct column c, struct tp_value *v, size_t n,
    struct tp_arena *arena, struct tp_err *err)
{
	const uint32_t *end = c.ends;
	enum tp_type type = c.slot->type;
	const char *from, *to;

	for (size_t i = 0; i < n; i++, end += c.columns, v += c.stride) {
		from = c.base + (uint32_t)(end[-1] + 1);
		to = c.base + end[0];
		if (end[0] >= 16 && digits(to, (size_t)(to - from), &v->id))
			set(v, type, from, to);
		else if (any(v, c.slot, from, to, arena, err) < 0)
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
	return numbers_by(tp_digits_avx2, *c, v, n, arena, err);
}
#endif

static size_t
numbers(const struct column *c, struct tp_value *v, size_t n,
    struct tp_arena *arena, struct tp_err *err)
{
#if defined(__x86_64__)
	if (tp_simd_used() >= TP_SIMD_AVX2)
		return numbers_avx2(c, v, n, arena, err);
#endif
	return numbers_by(digits, *c, v, n, arena, err);
}

/* Whether libcsv keeps C at the edge of a field. */
static int
is_edge(char c)
{
	return (unsigned char)c > ' ' && c != '"';
}

/* Whether the LEN bytes before A equal those before B.  Reads 8 bytes before
 * each even if LEN is less. */
static inline int
same_before(const char *a, const char *b, size_t len)
{
	if (len - 1 < 8)
		return !((tp_load64(a - 8) ^ tp_load64(b - 8)) >>
		    (64 - 8 * len));
	return tp_same_bytes(a - len, b - len, len);
}

/*
 * Set other types.  A value equal to that of the row before is copied with the
 * address of its text, so callers can compare addresses.
 */
static size_t
others(const struct column *column, struct tp_value *v, size_t n,
    struct tp_arena *arena, struct tp_err *err)
{
	const struct column c = *column;
	const uint32_t *end = c.ends;
	int is_text = c.slot->type == TP_TEXT && !c.slot->shift;
	const char *from, *to, *last = NULL;
	size_t len, last_len = SIZE_MAX;	/* what none has */

	for (size_t i = 0; i < n; i++, end += c.columns, v += c.stride) {
		from = c.base + (uint32_t)(end[-1] + 1);
		to = c.base + end[0];
		len = (size_t)(to - from);
		if (len == last_len && same_before(to, last, len)) {
			*v = v[-(ptrdiff_t)c.stride];
			continue;
		}
		if (is_text && len && is_edge(*from) && is_edge(to[-1])) {
			set(v, TP_TEXT, from, to);
			v->id = 0;
		} else if (any(v, c.slot, from, to, arena, err) < 0) {
			return i;
		}
		last = to;
		last_len = end[0] < 8 ? SIZE_MAX : len;
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

/* Set the values of N rows at V.  Returns as above. */
static size_t
values(const struct tp_plain *x, const struct tp_plan *p, size_t columns,
    struct tp_value *v, size_t n, struct tp_arena *arena, struct tp_err *err)
{
	struct column c = { .base = x->base, .columns = columns,
	    .stride = p->count };

	for (size_t i = 0; i < p->count; i++, v++) {
		c.slot = &p->slots[i];
		c.ends = x->ends + (size_t)x->row * columns + c.slot->cell;
		n = c.slot->cell < 0 ? absent(v, n, c.stride) :
		    c.slot->type >= TP_TIME && c.slot->type <= TP_ID &&
		    !c.slot->unit ?
		    numbers(&c, v, n, arena, err) :
		    others(&c, v, n, arena, err);
	}
	return n;
}

ptrdiff_t
tp_plain_batch(struct tp_plain *x, struct tp_rows *rows, size_t columns,
    size_t limit, uint64_t line, struct tp_arena *arena, struct tp_err *err)
{
	size_t left = (size_t)(x->row_count - x->row);
	size_t n = x->careful ? 1 : left < limit ? left : limit, good = n;
	struct tp_value *v;
	int rc = 0;

	if (rows->plan->wanted) {
		v = tp_queue_room(rows, n);
		good = values(x, rows->plan, columns, v, n, arena, err);
		if (good < n)
			x->careful = 1;
		/* a damaged row is queued alone */
		n = good ? good : 1;
		tp_queue_push(rows, line, n);
	}
	tp_count_rows(rows, n);
	x->row += (ptrdiff_t)n;
	if (!good)
		rc = tp_plain_damaged(rows, line, err);
	return rc < 0 ? -1 : (ptrdiff_t)n;
}
