/* rowrec_plain - row records as tp-rows writes them, read where they lie */
#include <string.h>

#include <tp/records.h>

#include "../json_plain.h"
#include "rowrec_plain.h"

/* Where a value lies in the line. */
struct found {
	const char *text;		/* NULL: absent */
	size_t len;
	int is_int;
	int64_t n;
};

/* What the members of a line may be, in their order. */
struct member {
	char *key;			/* ,"KEY": */
	size_t len, least;		/* of the line from there on */
	uint64_t start, mask;		/* its first eight bytes */
	uint64_t last;			/* its last, when it has more */
	struct found *to;		/* that takes the value, or NULL */
	struct member *then;		/* that came behind it last time */
};

struct tp_layout {
	const struct tp_plan *plan;
	struct member *members;		/* and one that is in no line */
	size_t count, cap;
	struct member *first;		/* that came first last time */
	struct found *values, *numbers;	/* by slot */
	struct tp_buf head;		/* {"kind":"..","src":".." */
	const char *src;		/* which rows->src that is */
	int odd;			/* the table's keys are not plain */
	struct tp_arena arena;
	struct tp_layout *next;
};

void
tp_rowrec_number_key(struct tp_buf *key, const struct tp_table_column *c)
{
	if (strcmp(c->key, c->type == TP_PROCESS ? "process" : "thread"))
		tp_buf_fmt(key, "%s_", c->key);
	tp_buf_str(key, c->type == TP_PROCESS ? "pid" : "tid");
}

/* "NAME (ID)" again, so that a process reads the same in every form. */
static int
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
	if (!text)
		return -1;
	memcpy(text, v->text, v->len);
	memcpy(text + v->len, open, at - v->len);
	memcpy(text + at, p, n);
	v->text = text;
	v->whole = (uint32_t)(at + n);
	return 0;
}

int
tp_rowrec_cell(struct tp_value *v, const struct tp_slot *slot,
    const char *text, size_t len, const int64_t *number,
    struct tp_arena *arena, struct tp_err *err)
{
	if (tp_cell_parse(v, slot->type, slot->name, text, len, arena,
	    err) < 0)
		return -1;
	if (v->type != TP_PROCESS && v->type != TP_THREAD)
		return 0;
	/* the key holds the bare name; the number has a key of its own */
	v->len = v->whole = (uint32_t)len;
	v->n = number ? *number : -1;
	return number && display(v, arena) < 0 ? tp_fail_memory(err) : 0;
}

static ptrdiff_t
slot_of(const struct tp_plan *plan, size_t column)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->slots[i].cell == (ptrdiff_t)column)
			return (ptrdiff_t)i;
	return -1;
}

static struct member *
member_of(const struct tp_layout *l, const char *key)
{
	size_t n = strlen(key);

	for (size_t i = 0; i < l->count; i++)
		if (l->members[i].len == n + 4 &&
		    !memcmp(l->members[i].key + 2, key, n))
			return &l->members[i];
	return NULL;
}

/* Add a member; NULL without memory.  A key that comes twice, or is not
 * printed as it is, makes the layout odd. */
static struct member *
add_member(struct tp_layout *l, const char *key)
{
	struct tp_buf text = { 0 };
	struct member *m;

	if (tp_grow(&l->members, &l->cap, l->count + 1, sizeof *m) < 0)
		return NULL;
	tp_buf_str(&text, ",\"");
	tp_json_escape(&text, key, strlen(key));
	tp_buf_str(&text, "\":");
	if (text.failed || text.len != strlen(key) + 4 ||
	    member_of(l, key) || !strcmp(key, "kind") ||
	    !strcmp(key, "src"))
		l->odd = 1;
	m = &l->members[l->count++];
	m->len = text.len;
	m->least = m->len < 7 ? 8 : m->len + 1;
	m->to = NULL;
	m->key = text.failed ? NULL :
	    tp_arena_text(&l->arena, text.p, text.len);
	tp_buf_release(&text);
	if (!m->key)
		return NULL;
	m->start = m->mask = m->last = 0;
	if (m->len > 8)
		memcpy(&m->last, m->key + m->len - 8, 8);
	memcpy(&m->start, m->key, m->len < 8 ? m->len : 8);
	memset(&m->mask, 0xff, m->len < 8 ? m->len : 8);
	return m;
}

/* The pids and tids: those without a column follow their name. */
static int
add_number(struct tp_layout *l, const struct tp_table_column *c,
    ptrdiff_t slot)
{
	const struct tp_table *t = l->plan->table;
	struct tp_buf key = { 0 };
	struct member *m = NULL;
	size_t i;

	tp_rowrec_number_key(&key, c);
	if (key.failed)
		return -1;
	for (i = 0; i < t->column_count; i++)
		if (!strcmp(t->columns[i].key, key.p))
			break;
	/* that a column is also a number is rare: left to the parser */
	if (i < t->column_count)
		l->odd = 1;
	else if ((m = add_member(l, key.p)) && slot >= 0)
		m->to = &l->numbers[slot];
	tp_buf_release(&key);
	return m || l->odd ? 0 : -1;
}

/* Each member is looked for where the one before it ends. */
static int
chain(struct tp_layout *l)
{
	struct member *m;

	if (tp_grow(&l->members, &l->cap, l->count + 1, sizeof *m) < 0)
		return -1;
	l->first = l->members;
	for (m = l->members; m < l->members + l->count; m++)
		m->then = m + 1;
	memset(m, 0, sizeof *m);
	m->len = m->least = SIZE_MAX;
	return 0;
}

static int
lay_out(struct tp_layout *l)
{
	const struct tp_plan *p = l->plan;
	const struct tp_table *t = p->table;
	struct member *m;
	ptrdiff_t slot;
	size_t i;

	l->values = tp_arena_get(&l->arena, p->count * sizeof *l->values);
	l->numbers = tp_arena_get(&l->arena, p->count * sizeof *l->numbers);
	if (!l->values || !l->numbers)
		return -1;
	for (i = 0; i < t->column_count && !l->odd; i++) {
		m = add_member(l, t->columns[i].key);
		if (!m)
			return -1;
		slot = slot_of(p, i);
		if (slot >= 0)
			m->to = &l->values[slot];
		if ((t->columns[i].type == TP_PROCESS ||
		    t->columns[i].type == TP_THREAD) &&
		    add_number(l, &t->columns[i], slot) < 0)
			return -1;
	}
	/* a column wanted twice */
	for (i = 0; i < p->count; i++)
		if (p->slots[i].cell >= 0 && slot_of(p,
		    (size_t)p->slots[i].cell) != (ptrdiff_t)i)
			l->odd = 1;
	if (l->count + 2 > TP_REC_MAX)
		l->odd = 1;
	return chain(l);
}

/* The layout of PLAN, moved to the front of the list, made when new. */
static struct tp_layout *
layout_of(struct tp_layout **layouts, const struct tp_plan *plan)
{
	struct tp_layout **at = layouts, *l;

	while ((l = *at) && l->plan != plan)
		at = &l->next;
	if (l) {
		*at = l->next;
	} else {
		l = tp_zalloc(sizeof *l);
		if (!l)
			return NULL;
		l->plan = plan;
	}
	l->next = *layouts;
	*layouts = l;
	return !l->values && lay_out(l) < 0 ? NULL : l;
}

int
tp_layout_expect(struct tp_layout **layouts, const struct tp_rows *rows,
    const struct tp_rec *rec, const char *line, size_t len)
{
	struct tp_layout *l = layout_of(layouts, rows->plan);
	struct tp_buf *head;

	if (!l)
		return -1;
	head = &l->head;
	if (l->odd || (head->len && head->len < len &&
	    !memcmp(line, head->p, head->len) && !strcmp(l->src, rows->src)))
		return 0;
	l->src = rows->src;
	tp_buf_clear(head);
	tp_buf_str(head, "{\"kind\":\"");
	tp_json_escape(head, rec->kind, strlen(rec->kind));
	tp_buf_chr(head, '"');
	if (tp_rec_field(rec, "src")) {
		tp_buf_str(head, ",\"src\":\"");
		tp_json_escape(head, rec->src, strlen(rec->src));
		tp_buf_chr(head, '"');
	}
	if (head->failed)
		return -1;
	/* what is written otherwise is left to the parser */
	if (head->len >= len || memcmp(line, head->p, head->len))
		tp_buf_clear(head);
	return 0;
}

/* The end of the digits from P on that are a number, which cannot have run
 * over; NULL when they are none. */
static inline const char *
digits_end(const char *p, const char *end, const char *digits)
{
	return p == digits || p - digits > 18 ||
	    (*digits == '0' && p - digits > 1) || p == end ? NULL : p;
}

/* What is behind the value at P, or NULL: not a plain one. */
static inline const char *
pass_value(const char *p, const char *end)
{
	const char *digits;

	if (*p == '"') {
		p = tp_json_run(p + 1, end);
		return p < end && *p == '"' ? p + 1 : NULL;
	}
	digits = p += *p == '-';
	return digits_end(tp_digits_end(p, end), end, digits);
}

/* Read the value at P into F; what is behind it, or NULL: not a plain one. */
static inline const char *
plain_value(struct found *f, const char *p, const char *end)
{
	const char *digits;
	uint64_t u;

	f->is_int = 0;
	f->n = 0;
	if (*p == '"') {
		f->text = ++p;
		p = tp_json_run(p, end);
		f->len = (size_t)(p - f->text);
		return p < end && *p == '"' ? p + 1 : NULL;
	}
	f->text = p;
	digits = p += *p == '-';
	p = digits_end(tp_digits_from(p, end, &u), end, digits);
	if (!p)
		return NULL;
	f->len = (size_t)(p - f->text);
	f->is_int = 1;
	f->n = *f->text == '-' ? -(int64_t)u : (int64_t)u;
	return p;
}

/* Whether M is at P, of which LEFT bytes are there, and a value behind it;
 * most that are not differ in their first bytes. */
static inline int
is_at(const struct member *m, const char *p, size_t left)
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
	return word == m->last && (m->len <= 16 ||
	    tp_same_bytes(p + 8, m->key + 8, m->len - 16));
}

/* Find the values of the members from P on; 1 when all of it is plain. */
static int
scan(struct tp_layout *l, const char *p, const char *end)
{
	struct member *m, *next = l->members, **then = &l->first;

	for (;; then = &m->then, next = m + 1) {
		/* those that are absent mostly were in the line before too */
		m = *then;
		if (!is_at(m, p, (size_t)(end - p))) {
			if (p + 1 == end && *p == '}')
				return 1;
			for (m = next; m < l->members + l->count; m++)
				if (is_at(m, p, (size_t)(end - p)))
					break;
			if (m == l->members + l->count)
				return 0;
			*then = m;
		}
		p = m->to ? plain_value(m->to, p + m->len, end) :
		    pass_value(p + m->len, end);
		if (!p)
			return 0;
	}
}

/*
 * The value in F: what tp_rowrec_cell() makes of it, without its work for
 * what most are.  LAST is the value of the same column in the row before, if
 * there is one: a process that is the same has the same text.
 */
static inline int
cell(struct tp_value *v, const struct tp_slot *s, const struct found *f,
    const struct found *number, const struct tp_value *last,
    struct tp_arena *arena, struct tp_err *err)
{
	int plain = 0;

	v->n = f->n;
	if (s->type == TP_TEXT)
		plain = f->len > 0;
	else if (s->type >= TP_TIME && s->type <= TP_CYCLES)
		plain = f->is_int && f->n >= 0;
	else if (s->type == TP_ID)	/* a line does not start with it */
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

/* Take back the row that was queued last. */
static void
unqueue(struct tp_rows *rows)
{
	struct tp_queue *q = &rows->queue;

	q->value_count = q->rows[--q->row_count].at;
}

int
tp_layout_row(struct tp_layout *l, struct tp_rows *rows, const char *line,
    size_t len, uint64_t number, struct tp_arena *arena, struct tp_err *err)
{
	const struct tp_plan *p = rows->plan;
	const struct tp_value *last;
	struct tp_value *v;

	if (!l || l->plan != p || !l->head.len || len <= l->head.len ||
	    memcmp(line, l->head.p, l->head.len))
		return 0;
	for (size_t i = 0; i < p->count; i++)
		l->values[i].text = l->numbers[i].text = NULL;
	if (!scan(l, line + l->head.len, line + len))
		return 0;
	/* a source or note record of another trace may have come between */
	rows->src = l->src;
	v = tp_queue_row(rows, number);
	if (!v)
		return tp_fail_memory(err);
	last = tp_queue_last(rows);
	for (size_t i = 0; i < p->count; i++) {
		if (!l->values[i].text || !cell(&v[i], &p->slots[i],
		    &l->values[i], &l->numbers[i], last ? last + i : NULL,
		    arena, err))
			continue;
		if (err->status == TP_LIMIT)
			return -1;
		unqueue(rows);
		return 0;
	}
	return 1;
}

void
tp_layouts_free(struct tp_layout *l)
{
	struct tp_layout *next;

	for (; l; l = next) {
		next = l->next;
		tp_free(l->members);
		tp_buf_release(&l->head);
		tp_arena_release(&l->arena);
		tp_free(l);
	}
}
