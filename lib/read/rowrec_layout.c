/* rowrec_layout - the members of row records of a table, and their order */
#include <string.h>

#include <tp/records.h>

#include "rowrec_layout.h"

void
tp_rowrec_number_key(struct tp_buf *key, const struct tp_table_column *c)
{
	if (strcmp(c->key, c->type == TP_PROCESS ? "process" : "thread"))
		tp_buf_fmt(key, "%s_", c->key);
	tp_buf_str(key, c->type == TP_PROCESS ? "pid" : "tid");
}

static ptrdiff_t
slot_of(const struct tp_plan *plan, size_t column)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->slots[i].cell == (ptrdiff_t)column)
			return (ptrdiff_t)i;
	return -1;
}

static struct tp_member *
member_of(const struct tp_layout *l, const char *key)
{
	size_t n = strlen(key);

	for (size_t i = 0; i < l->count; i++)
		if (l->members[i].len == n + 4 &&
		    !memcmp(l->members[i].key + 2, key, n))
			return &l->members[i];
	return NULL;
}

/*
 * Add a member.  A duplicate key, or one that needs escapes, makes the layout
 * odd.
 */
static struct tp_member *
add_member(struct tp_layout *l, const char *key)
{
	struct tp_buf text = { 0 };
	struct tp_member *m;

	tp_grow(&l->members, &l->cap, l->count + 1, sizeof *m);
	tp_buf_str(&text, ",\"");
	tp_json_escape(&text, key, strlen(key));
	tp_buf_str(&text, "\":");
	if (text.len != strlen(key) + 4 || member_of(l, key) || !strcmp(key,
	    "kind") || !strcmp(key, "src"))
		l->odd = 1;
	m = &l->members[l->count++];
	m->len = text.len;
	m->least = m->len < 7 ? 8 : m->len + 1;
	m->to = NULL;
	m->key = tp_arena_text(&l->arena, text.p, text.len);
	tp_buf_release(&text);
	m->start = m->mask = m->last = 0;
	if (m->len > 8)
		memcpy(&m->last, m->key + m->len - 8, 8);
	memcpy(&m->start, m->key, m->len < 8 ? m->len : 8);
	memset(&m->mask, 0xff, m->len < 8 ? m->len : 8);
	return m;
}

/* Add a pid or tid, which follows its name unless it is a column. */
static void
add_number(struct tp_layout *l, const struct tp_table_column *c,
    ptrdiff_t slot)
{
	const struct tp_table *t = l->plan->table;
	struct tp_buf key = { 0 };
	struct tp_member *m;
	size_t i;

	tp_rowrec_number_key(&key, c);
	for (i = 0; i < t->column_count; i++)
		if (!strcmp(t->columns[i].key, key.p))
			break;
	/* rare: also a column, so left to the parser */
	if (i < t->column_count) {
		l->odd = 1;
	} else {
		m = add_member(l, key.p);
		if (slot >= 0)
			m->to = &l->numbers[slot];
	}
	tp_buf_release(&key);
}

/* Link the members: each is tried where the one before it ends. */
static void
chain(struct tp_layout *l)
{
	struct tp_member *m;

	tp_grow(&l->members, &l->cap, l->count + 1, sizeof *m);
	l->before.then = l->members;
	for (m = l->members; m < l->members + l->count; m++)
		m->then = m + 1;
	memset(m, 0, sizeof *m);
	m->len = m->least = SIZE_MAX;
}

static void
lay_out(struct tp_layout *l)
{
	const struct tp_plan *p = l->plan;
	const struct tp_table *t = p->table;
	struct tp_member *m;
	ptrdiff_t slot;
	size_t i;

	l->values = tp_arena_get(&l->arena, p->count * sizeof *l->values);
	l->numbers = tp_arena_get(&l->arena, p->count * sizeof *l->numbers);
	for (i = 0; i < t->column_count && !l->odd; i++) {
		m = add_member(l, t->columns[i].key);
		slot = slot_of(p, i);
		if (slot >= 0)
			m->to = &l->values[slot];
		if (t->columns[i].type == TP_PROCESS ||
		    t->columns[i].type == TP_THREAD)
			add_number(l, &t->columns[i], slot);
	}
	/* a column requested twice, or whose key has the unit of its cell */
	for (i = 0; i < p->count; i++)
		if (p->slots[i].is_any || (p->slots[i].cell >= 0 && slot_of(p,
		    (size_t)p->slots[i].cell) != (ptrdiff_t)i))
			l->odd = 1;
	if (l->count + 2 > TP_REC_MAX)
		l->odd = 1;
	chain(l);
}

/* The layout of PLAN, moved to the front of the list, created when new. */
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
		l->plan = plan;
		lay_out(l);
	}
	l->next = *layouts;
	*layouts = l;
	return l;
}

void
tp_layout_expect(struct tp_layout **layouts, const struct tp_rows *rows,
    const struct tp_rec *rec, const char *line, size_t len)
{
	struct tp_layout *l = layout_of(layouts, rows->plan);
	struct tp_buf *head = &l->head;

	if (l->odd || (head->len && head->len < len &&
	    !memcmp(line, head->p, head->len) && !strcmp(l->src, rows->src)))
		return;
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
	/* other spellings are left to the parser */
	if (head->len >= len || memcmp(line, head->p, head->len))
		tp_buf_clear(head);
	l->head_marks = 0;
	for (size_t i = 0; i < head->len; i++)
		l->head_marks += head->p[i] == '"' || head->p[i] == '\\';
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
