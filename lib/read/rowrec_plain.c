/* rowrec_plain - read row records in the form tp-rows writes them, in place */
#include <string.h>

#include <tp/records.h>

#include "rowrec_layout.h"
#include "rowrec_plain.h"
#include "word.h"

/* Restore "NAME (ID)", so that a process reads the same from every format. */
static void
display(struct tp_value *v, struct tp_arena *arena)
{
	static const char hex[] = "0123456789abcdef";
	unsigned base = v->type == TP_PROCESS ? 10 : 16;
	uint64_t u = (uint64_t)v->n;
	const char *open = base == 10 ? " (" : " 0x";
	char id[24], *p = id + sizeof id, *text;
	size_t n, at = v->len + strlen(open);

	if (base == 10) {
		*--p = ')';
		u = v->n < 0 ? 0 - u : u;
	}
	do {
		*--p = hex[u % base];
		u /= base;
	} while (u);
	if (base == 10 && v->n < 0)
		*--p = '-';
	n = (size_t)(id + sizeof id - p);
	text = tp_arena_get(arena, at + n);
	memcpy(text, v->text, v->len);
	memcpy(text + v->len, open, at - v->len);
	memcpy(text + at, p, n);
	v->text = text;
	v->whole = (uint32_t)(at + n);
}

int
tp_rowrec_cell(struct tp_value *v, const struct tp_slot *slot,
    const char *text, size_t len, const int64_t *number,
    struct tp_arena *arena, struct tp_err *err)
{
	if (tp_cell_parse(v, slot, text, len, arena, err) < 0)
		return -1;
	if (v->type != TP_PROCESS && v->type != TP_THREAD)
		return 0;
	/* the key has the bare name; the number has its own key */
	v->len = v->whole = (uint32_t)len;
	v->n = number ? *number : -1;
	if (number)
		display(v, arena);
	return 0;
}

/* Find the marks of the piece at P; only whole lines are kept. */
static void
load(struct tp_marks *x, const char *p, const char *end)
{
	size_t len = (size_t)(end - p);

	len = len < TP_REC_PIECE ? len : TP_REC_PIECE;
	x->base = p;
	x->next = 0;
	for (x->count = tp_split_json(p, len, x->at); x->count; x->count--)
		if (p[x->at[x->count - 1]] == '\n')
			break;
	x->len = x->count ? x->at[x->count - 1] + 1 : 0;
}

/* The marks of the line at P; NULL when it is not complete in a piece. */
static const uint32_t *
marks_of(struct tp_marks *x, const char *p, const char *end)
{
	if (!x->len || p < x->base || p >= x->base + x->len)
		load(x, p, end);
	if (!x->len)
		return NULL;
	/* skip lines that went to the parser */
	while (x->at[x->next] < (size_t)(p - x->base))
		x->next++;
	return x->at + x->next;
}

static int
many_digits(const char *p, size_t len, uint64_t *u)
{
	return tp_digits(p, len, 1, u) ||
	    (len - 17 < 2 && tp_digits_from(p, p + len, u) == p + len);
}

/*
 * Set F, unless NULL, to the number P..TO, which is preceded by other bytes
 * of the line; 0 when it is not plain.
 */
TP_ALWAYS int
plain_number(struct tp_found *f, const char *p, const char *to)
{
	const char *digits = p + (*p == '-');
	size_t len = (size_t)(to - digits);
	uint64_t u, many;

	if (*digits == '0' && len > 1)
		return 0;
	if (len - 1 < 8) {
		/* checking alone is cheaper */
		if (!f)
			return tp_digits8(digits, len, 1, &u);
		if (!tp_digits8(digits, len, 1, &u))
			return 0;
	} else {
		/* or may have overflowed */
		if (!many_digits(digits, len, &many))
			return 0;
		if (!f)
			return 1;
		u = many;
	}
	f->text = p;
	f->len = (size_t)(to - p);
	f->is_int = 1;
	f->n = digits > p ? -(int64_t)u : (int64_t)u;
	return 1;
}

/*
 * Whether M is at P, with LEFT bytes left, followed by a value; mismatches
 * usually differ in the first bytes.
 */
static inline int
is_at(const struct tp_member *m, const char *p, size_t left)
{
	uint64_t word;

	if (left < m->least)
		return left > m->len && !memcmp(p, m->key, m->len);
	memcpy(&word, p, 8);
	if ((word & m->mask) != m->start)
		return 0;
	if (m->len <= 8)
		return 1;
	memcpy(&word, p + m->len - 8, 8);
	if (word != m->last)
		return 0;
	if (m->len <= 16)
		return 1;
	if (m->len > 32)
		return tp_same_bytes(p + 8, m->key + 8, m->len - 16);
	return tp_load64(p + 8) == tp_load64(m->key + 8) &&
	    tp_load64(p + m->len - 16) == tp_load64(m->key + m->len - 16);
}

/* The member at P, after WAS; NULL when none fits. */
static struct tp_member *
other_member(struct tp_layout *l, struct tp_member *was, const char *p,
    const char *end)
{
	struct tp_member *m = was == &l->before ? l->members : was + 1;

	for (; m < l->members + l->count; m++)
		if (is_at(m, p, (size_t)(end - p)))
			return was->then = m;
	return NULL;
}

/*
 * Find the values of all members from mark Q of X on.  Returns the mark of the
 * line's end when the line is plain, else NULL.  Mark give the end of a value
 * before it is read, so no value waits for another.
 */
static const uint32_t *
scan(struct tp_layout *l, const struct tp_marks *x, const uint32_t *q)
{
	const char *base = x->base, *end = base + x->len, *p, *v;
	struct tp_member *m = &l->before, *was;

	for (;;) {
		/* assumed end of the previous value */
		p = base + *q - 1;
		was = m;
		m = was->then;
		/* absent members were usually absent in the line before */
		if (!is_at(m, p, (size_t)(end - p))) {
			if (*p == '}' && p[1] == '\n')
				return q;
			m = other_member(l, was, p, end);
			if (!m)
				return NULL;
		}
		/* skip the marks of its two quotes */
		v = p + m->len;
		if (*v != '"') {
			q += 2;
			if (!plain_number(m->to, v, base + *q - 1))
				return NULL;
			continue;
		}
		q += 4;
		if (base[q[-1]] != '"' || *q != q[-1] + 2)
			return NULL;
		if (m->to) {
			m->to->text = v + 1;
			m->to->len = (size_t)(base + q[-1] - v - 1);
			m->to->is_int = 0;
			m->to->n = 0;
		}
	}
}

/*
 * Convert F as tp_rowrec_cell() does, with fast paths for usual values.
 * LAST is the value of this column in the row before, or NULL: an equal
 * process can share its text.
 */
static inline int
cell(struct tp_value *v, const struct tp_slot *s, const struct tp_found *f,
    const struct tp_found *number, const struct tp_value *last,
    struct tp_arena *arena, struct tp_err *err)
{
	int plain = 0;

	v->n = f->n;
	if (s->type == TP_TEXT)
		plain = f->len > 0;
	else if (s->type >= TP_TIME && s->type <= TP_CYCLES)
		plain = f->is_int && f->n >= 0;
	else if (s->type == TP_ID)	/* not the first column of a line */
		plain = tp_digits(f->text, f->len, 1, &v->id);
	if (plain) {
		v->type = s->type;
		v->text = f->text;
		v->len = v->whole = (uint32_t)f->len;
		return 0;
	}
	if (s->type == TP_PROCESS && last && last->type == TP_PROCESS &&
	    number->text && number->is_int && number->n == last->n &&
	    last->whole > last->len && f->len == last->len &&
	    tp_same_bytes(f->text, last->text, f->len)) {
		*v = *last;
		return 0;
	}
	return tp_rowrec_cell(v, s, f->text, f->len, number->text &&
	    number->is_int ? &number->n : NULL, arena, err);
}

int
tp_layout_row(struct tp_layout *l, struct tp_rows *rows,
    struct tp_marks *marks, const char **line, const char *end,
    uint64_t number, struct tp_arena *arena, struct tp_err *err)
{
	const struct tp_plan *p = rows->plan;
	const uint32_t *q;
	const struct tp_value *last;
	struct tp_value *v;

	if (!l || l->plan != p || !l->head.len ||
	    (size_t)(end - *line) <= l->head.len ||
	    !tp_same_bytes(*line, l->head.p, l->head.len) ||
	    !(q = marks_of(marks, *line, end)))
		return 0;
	for (size_t i = 0; i < p->count; i++)
		l->values[i].text = l->numbers[i].text = NULL;
	q += l->head_marks;
	if (marks->base + *q != *line + l->head.len + 1)
		return 0;
	q = scan(l, marks, q);
	if (!q)
		return 0;
	/* a record of another trace may have come between */
	rows->src = l->src;
	v = tp_queue_row(rows, number);
	last = tp_queue_last(rows);
	for (size_t i = 0; i < p->count; i++) {
		if (!l->values[i].text || !cell(&v[i], &p->slots[i],
		    &l->values[i], &l->numbers[i], last ? last + i : NULL,
		    arena, err))
			continue;
		if (err->status == TP_LIMIT)
			return -1;
		tp_queue_drop(rows);
		return 0;
	}
	*line = marks->base + *q + 1;
	marks->next = (size_t)(q + 1 - marks->at);
	return 1;
}
