/* tab - items with columns, and the records that share/schema makes of them */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/share.h>

#include "spread.h"
#include "tab.h"

enum { KEYS_MAX = 64, BY_MAX = 16, ORDER_MAX = 5 };

/* Rows are not ranked by what stands behind OP_MOST. */
enum op {
	OP_FIRST, OP_ITEMS, OP_SUM, OP_MIN, OP_MAX, OP_MEAN, OP_MEDIAN,
	OP_STDEV, OP_ALL, OP_TOTAL, OP_DISTINCT, OP_TOP, OP_MOST, OP_RANK,
	OP_LIST, OP_STEPS, OP_ALSO
};

/* What a column in brackets may be. */
enum {
	NUMBER = 1 << TP_TAB_INT | 1 << TP_TAB_PS,
	SUMMED = NUMBER | 1 << TP_TAB_REAL,
	TEXT = 1 << TP_TAB_NAME | 1 << TP_TAB_TEXT | 1 << TP_TAB_STRING,
	EXACT = NUMBER | TEXT | 1 << TP_TAB_WORD,
	ANY = SUMMED | EXACT
};

static const struct {
	const char *name;
	int takes[3];		/* one or two columns; 0 ends them */
} ops[] = {
	[OP_FIRST] = { "first", { ANY } }, [OP_ITEMS] = { "items", { 0 } },
	[OP_SUM] = { "sum", { SUMMED } }, [OP_MIN] = { "min", { NUMBER } },
	[OP_MAX] = { "max", { NUMBER } }, [OP_MEAN] = { "mean", { NUMBER } },
	[OP_MEDIAN] = { "median", { NUMBER } },
	[OP_STDEV] = { "stdev", { NUMBER } }, [OP_ALL] = { "all", { NUMBER } },
	[OP_TOTAL] = { "total", { ANY } },	/* no column, but a total */
	[OP_DISTINCT] = { "distinct", { EXACT } },
	[OP_TOP] = { "top", { EXACT, NUMBER } },
	[OP_MOST] = { "most", { NUMBER, EXACT } },
	[OP_RANK] = { "rank", { 0 } }, [OP_LIST] = { "list", { TEXT } },
	[OP_STEPS] = { "steps", { NUMBER } }, [OP_ALSO] = { "also", { 0 } },
};

#define OPS (sizeof ops / sizeof *ops)

/* What is computed of the items of a row. */
struct term {
	enum op op;
	const struct tp_column *c, *by;
	int64_t n;			/* of all() and total() */
};

struct key {
	const char *name;
	struct term term, under;	/* divided by under */
	int is_ratio;
};

struct row {
	size_t first, count;		/* range in items */
	int64_t order[ORDER_MAX];
};

/* The making of one kind of record. */
struct making {
	const struct tp_tab *tab;
	const char *kind;
	char file[160];			/* of its schema */
	cJSON *schema;
	const struct tp_column *by[BY_MAX], *where;
	size_t by_count;
	struct key keys[KEYS_MAX];
	size_t key_count;
	struct order {
		size_t key;
		const struct tp_column *c;	/* instead of a key */
		const struct tp_column *text;	/* of texts; or NULL */
		int is_rising;
	} order[ORDER_MAX];
	size_t order_count;
	struct tp_names texts;		/* of cells, see id_of() */
	struct row *rows;
	size_t row_count;
	uint32_t *items;		/* row by row, each in order */
	size_t item_count;
	/* of the row being written */
	int64_t *values;		/* scratch space for its items */
	const struct tp_column *described;	/* what "stats" is of, */
	struct tp_figures stats;
	const struct tp_column *summed;		/* ... and "sum" */
	int64_t sum;
	const struct tp_column *topped, *topped_by;	/* ... and "top" */
	int64_t top, most;
	int64_t *step_sums;		/* by step, or TP_TAB_ABSENT */
	uint32_t *steps;		/* those that are not */
};

struct tp_column *
tp_tab_add(struct tp_tab *t, const struct tp_column *via, const char *name,
    enum tp_tab_type type, const void *list, size_t offset, size_t stride,
    int bytes, int is_signed)
{
	struct tp_column *c = &t->columns[t->column_count++];

	if (t->column_count > TP_TAB_COLUMNS || (via && via->depth + 1 >
	    TP_TAB_DEPTH))
		tp_quit(TP_LIMIT, "a table has too many columns");
	*c = (struct tp_column){ name, list ? (const char *)list + offset :
	    NULL, stride, 0, bytes, is_signed, type,
	    NULL, NULL, type == TP_TAB_TEXT ? 0 : bytes == 4 && !is_signed ?
	    UINT32_MAX : TP_TAB_ABSENT, { NULL }, via ? via->depth + 1 : 0 };
	for (int i = 0; i < c->depth; i++)
		c->path[i] = i < via->depth ? via->path[i] : via;
	return c;
}

void
tp_tab_total(struct tp_tab *t, const char *name, int64_t n)
{
	if (t->total_count == TP_TAB_TOTALS)
		tp_quit(TP_LIMIT, "a table has too many totals");
	t->totals[t->total_count++] = (struct tp_tab_total){ name, n };
}

/* The number in ROW of C alone. */
static inline int64_t
load(const struct tp_column *c, size_t row)
{
	const char *at = (const char *)c->cells + row * c->stride;
	tp_int128 n128;
	int64_t n, less;
	uint32_t n32;
	uint16_t n16;

	if (c->bytes == 4) {
		memcpy(&n32, at, sizeof n32);
		n = c->is_signed ? (int32_t)n32 : (int64_t)n32;
	} else if (c->bytes == 8) {
		memcpy(&n, at, sizeof n);
		if (c->less) {
			memcpy(&less, at + c->less, sizeof less);
			return n - less;
		}
	} else if (c->bytes == 16) {
		memcpy(&n128, at, sizeof n128);
		n = tp_narrow(n128);
	} else if (c->bytes == 2) {
		memcpy(&n16, at, sizeof n16);
		n = c->is_signed ? (int16_t)n16 : n16;
	} else if (c->bytes == 1) {
		n = c->is_signed ? *(const int8_t *)at : *(const uint8_t *)at;
	} else {
		n = ((const struct tp_name *)at)->len ? (intptr_t)at :
		    TP_TAB_ABSENT;
	}
	return n == c->absent ? TP_TAB_ABSENT : n;
}

/* The value of C of ITEM. */
static inline int64_t
cell(const struct tp_column *c, size_t item)
{
	for (int i = 0; i < c->depth; i++) {
		int64_t row = load(c->path[i], item);

		if (row == TP_TAB_ABSENT)
			return row;
		item = (size_t)row;
	}
	return load(c, item);
}

/* The value of C, of reals, of ITEM, or NAN. */
static double
real_cell(const struct tp_column *c, size_t item)
{
	int64_t row = c->depth ? cell(c->path[c->depth - 1], item) :
	    (int64_t)item;
	double x = NAN;

	if (row != TP_TAB_ABSENT)
		memcpy(&x, (const char *)c->cells + (size_t)row * c->stride,
		    sizeof x);
	return x;
}

static int
is_text(const struct tp_column *c)
{
	return c->type == TP_TAB_NAME || c->type == TP_TAB_TEXT ||
	    c->type == TP_TAB_STRING;
}

/* The text of cell N of C, which is not absent. */
static struct tp_name
text_of(const struct tp_column *c, int64_t n)
{
	const char *text = (const char *)(intptr_t)n;

	return c->type == TP_TAB_NAME ? c->names->names[n] :
	    c->type == TP_TAB_STRING ? *(const struct tp_name *)(intptr_t)n :
	    (struct tp_name){ .text = text, .len = strlen(text) };
}

/* Whether the LEN bytes at TEXT are NAME. */
static int
is_name(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !memcmp(name, text, len);
}

/* The column of the LEN bytes at NAME, or NULL. */
static const struct tp_column *
column(const struct tp_tab *t, const char *name, size_t len)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (is_name(t->columns[i].name, name, len))
			return &t->columns[i];
	return NULL;
}

/* Set N to the total of the LEN bytes at NAME, if there is one. */
static int
has_total(const struct tp_tab *t, const char *name, size_t len, int64_t *n)
{
	for (size_t i = 0; i < t->total_count; i++)
		if (is_name(t->totals[i].name, name, len)) {
			*n = t->totals[i].n;
			return 1;
		}
	return 0;
}

_Noreturn static void
quit_damaged(const struct making *m, const char *key)
{
	struct tp_err err;

	tp_share_damaged(m->file, key, &err);
	tp_quit(err.status, err.text);
}

/*
 * Read the term at *TEXT: "op(column,column)", and move past it.  Returns 0
 * when the table has no such column.
 */
static int
read_term(struct making *m, const char *key, const char **text, struct term *e)
{
	size_t len = strcspn(*text, "(/"), op = 0;
	const char *end = *text + len;
	int has_all = 1;

	while (op < OPS && !is_name(ops[op].name, *text, len))
		op++;
	if (op == OPS || (*end == '(') != (ops[op].takes[0] != 0))
		quit_damaged(m, key);
	e->op = (enum op)op;
	for (const int *takes = ops[op].takes; *takes; takes++) {
		const char *name = end + 1;
		const struct tp_column *c;

		len = strcspn(name, ",)");
		end = name + len;
		if (*end != (takes[1] ? ',' : ')'))
			quit_damaged(m, key);
		if (op == OP_TOTAL) {
			has_all = has_total(m->tab, name, len, &e->n);
			continue;
		}
		c = column(m->tab, name, len);
		if (c && !(*takes & 1 << c->type))
			quit_damaged(m, key);
		has_all &= c != NULL;
		*(takes == ops[op].takes ? &e->c : &e->by) = c;
	}
	*text = end + (*end == ')');
	return has_all;
}

/* Whether the value of E is of the type of its column. */
static int
is_typed(const struct term *e)
{
	return e->c && e->op != OP_DISTINCT;
}

static int
is_number(const struct term *e)
{
	return e->op <= OP_RANK && (!is_typed(e) || SUMMED & 1 << e->c->type);
}

/* Read what KEY is made from; NULL: the column of its name. */
static void
read_key(struct making *m, const char *name, const char *from)
{
	struct key *k = &m->keys[m->key_count];
	int has_all;

	if (m->key_count == KEYS_MAX)
		quit_damaged(m, name);
	*k = (struct key){ .name = name };
	if (!from) {
		k->term.c = column(m->tab, name, strlen(name));
		m->key_count += k->term.c != NULL;
		return;
	}
	has_all = read_term(m, name, &from, &k->term);
	k->is_ratio = *from == '/';
	if (k->is_ratio) {
		from++;
		has_all &= read_term(m, name, &from, &k->under);
		if (!is_number(&k->term) || !is_number(&k->under))
			quit_damaged(m, name);
	}
	if (*from)
		quit_damaged(m, name);
	m->key_count += has_all;
}

static void
read_by(struct making *m, const char *name)
{
	const struct tp_column *c = column(m->tab, name, strlen(name));

	if (m->by_count == BY_MAX)
		quit_damaged(m, "by");
	if (c)
		m->by[m->by_count++] = c;
}

static void
read_order(struct making *m, const char *name)
{
	struct order *o = &m->order[m->order_count];
	const struct key *k = m->keys, *end = k + m->key_count;

	if (m->order_count == ORDER_MAX)
		quit_damaged(m, "order");
	*o = (struct order){ .is_rising = *name == '+' };
	if (*name == '+' || *name == '-') {
		o->c = column(m->tab, name + 1, strlen(name + 1));
		if (!o->c)
			return;
		if (o->c->type == TP_TAB_REAL)
			quit_damaged(m, "order");
		o->text = is_text(o->c) ? o->c : NULL;
		m->order_count++;
		return;
	}
	if (!tp_json_get(tp_json_get(m->schema, "properties"), name))
		quit_damaged(m, "order");
	while (k < end && strcmp(k->name, name) != 0)
		k++;
	if (k == end)
		return;
	if (k->is_ratio || k->term.op > OP_MOST || (is_typed(&k->term) &&
	    k->term.c->type == TP_TAB_REAL))
		quit_damaged(m, "order");
	o->key = (size_t)(k - m->keys);
	o->is_rising = is_typed(&k->term) && is_text(k->term.c);
	o->text = o->is_rising ? k->term.c : NULL;
	m->order_count++;
}

/* Hand the texts of the list KEY to READ. */
static void
read_list(struct making *m, const char *key,
    void (*read)(struct making *m, const char *name))
{
	const cJSON *list = tp_json_get(m->schema, key), *i;

	if (list && !cJSON_IsArray(list))
		quit_damaged(m, key);
	cJSON_ArrayForEach(i, list) {
		if (!cJSON_IsString(i))
			quit_damaged(m, key);
		read(m, i->valuestring);
	}
}

static void
read_schema(struct making *m)
{
	const cJSON *keys, *i, *from;
	struct tp_err err;

	snprintf(m->file, sizeof m->file, "share/schema/%s.json", m->kind);
	m->schema = tp_share_json(m->file + strlen("share/"), &err);
	if (!m->schema)
		tp_quit(err.status, err.text);
	keys = tp_json_get(m->schema, "properties");
	if (!cJSON_IsObject(keys))
		quit_damaged(m, "properties");
	cJSON_ArrayForEach(i, keys) {
		from = tp_json_get(i, "from");
		if (from && !cJSON_IsString(from))
			quit_damaged(m, i->string);
		read_key(m, i->string, cJSON_GetStringValue(from));
	}
	read_list(m, "by", read_by);
	read_list(m, "order", read_order);
}

static int
is_in(const struct making *m, size_t item)
{
	int64_t n = m->where ? cell(m->where, item) : 1;

	return n != TP_TAB_ABSENT && (n || m->where->type == TP_TAB_NAME);
}

/* What cell N of C has in common with equal ones: itself, or its text. */
static inline int64_t
id_of(struct making *m, const struct tp_column *c, int64_t n)
{
	struct tp_name text;

	if (n == TP_TAB_ABSENT || (c->type != TP_TAB_TEXT && c->type !=
	    TP_TAB_STRING))
		return n;
	text = text_of(c, n);
	return tp_names_add(&m->texts, text.text, text.len);
}

/* The row of ITEM, which may be new: GROUPS are what the columns tell. */
static uint32_t
row_of(struct making *m, struct tp_names *groups, size_t item)
{
	const struct tp_column *via = NULL;
	int64_t key[BY_MAX], row = TP_TAB_ABSENT;

	for (size_t k = 0; k < m->by_count; k++) {
		const struct tp_column *c = m->by[k];

		/* columns of one struct follow each other */
		if (!c->depth) {
			key[k] = load(c, item);
		} else {
			if (c->path[c->depth - 1] != via) {
				via = c->path[c->depth - 1];
				row = cell(via, item);
			}
			key[k] = row == TP_TAB_ABSENT ? row :
			    load(c, (size_t)row);
		}
		key[k] = id_of(m, c, key[k]);
	}
	return (uint32_t)tp_names_add(groups, (char *)key, m->by_count *
	    sizeof *key);
}

/* Put the items into rows, which are in the order of their first items. */
static void
make_rows(struct making *m)
{
	size_t n = m->tab->count;
	uint32_t *of = tp_alloc((n + 1) * sizeof *of);
	struct tp_names groups = { 0 };
	int is_grouped = tp_json_get(m->schema, "by") != NULL;
	size_t sum = 0, most = 0;

	for (size_t i = 0; i < n; i++)
		of[i] = !is_in(m, i) ? UINT32_MAX : is_grouped ?
		    row_of(m, &groups, i) : (uint32_t)m->row_count++;
	m->row_count += groups.count;
	tp_names_release(&groups);
	m->rows = tp_zalloc((m->row_count + 1) * sizeof *m->rows);
	for (size_t i = 0; i < n; i++)
		if (of[i] != UINT32_MAX)
			m->rows[of[i]].count++;
	for (size_t i = 0; i < m->row_count; i++) {
		m->rows[i].first = sum;
		sum += m->rows[i].count;
		TP_MOST(most, m->rows[i].count);
		m->rows[i].count = 0;
	}
	m->items = tp_alloc((sum + 1) * sizeof *m->items);
	for (size_t i = 0; i < n; i++)
		if (of[i] != UINT32_MAX) {
			struct row *r = &m->rows[of[i]];

			m->items[r->first + r->count++] = (uint32_t)i;
		}
	m->item_count = sum;
	tp_free(of);
	m->values = tp_alloc((most + 1) * sizeof *m->values);
}

/* The sum of C over COUNT items, or TP_TAB_ABSENT if none has it. */
static int64_t
sum_of(const struct tp_column *c, const uint32_t *items, size_t count)
{
	int64_t sum = 0, n;
	int is_known = 0;

	for (size_t i = 0; i < count; i++) {
		n = cell(c, items[i]);
		if (n != TP_TAB_ABSENT) {
			is_known = 1;
			sum = tp_plus(sum, n);
		}
	}
	return is_known ? sum : TP_TAB_ABSENT;
}

static void
describe(struct making *m, const struct row *r, const struct tp_column *c)
{
	size_t n = 0;

	if (m->described == c)
		return;
	for (size_t i = 0; i < r->count; i++) {
		int64_t v = cell(c, m->items[r->first + i]);

		if (v != TP_TAB_ABSENT)
			m->values[n++] = v;
	}
	m->described = c;
	m->stats = tp_figures_of(m->values, n);
}

/*
 * Set m->top to the C with the largest sum of OF in the row, of equal ones the
 * first, and m->most to that sum; absent if it is not positive.
 */
static void
find_top(struct making *m, const struct row *r, const struct tp_column *c,
    const struct tp_column *of)
{
	struct part {
		int64_t cell, sum;
	} *parts = NULL, *p;
	struct tp_ids ids = { 0 };
	size_t cap = 0;

	m->topped = c;
	m->topped_by = of;
	m->top = m->most = TP_TAB_ABSENT;
	for (size_t i = 0; i < r->count; i++) {
		uint32_t item = m->items[r->first + i];
		int64_t n = cell(of, item), what;
		size_t had = ids.count;
		ptrdiff_t at;

		if (n == TP_TAB_ABSENT)
			continue;
		what = cell(c, item);
		if (what == TP_TAB_ABSENT)
			continue;
		at = tp_ids_add(&ids, (uint64_t)id_of(m, c, what), 0);
		p = TP_ITEM(parts, cap, at);
		if (ids.count > had)
			p->cell = what;
		p->sum = tp_plus(p->sum, n);
	}
	for (size_t i = 0; i < ids.count; i++)
		if (parts[i].sum > 0 && parts[i].sum > m->most) {
			m->top = parts[i].cell;
			m->most = parts[i].sum;
		}
	tp_ids_release(&ids);
	tp_free(parts);
}

/* top(C, D), or most(D, C). */
static int64_t
top_of(struct making *m, const struct row *r, const struct term *e)
{
	int is_top = e->op == OP_TOP;
	const struct tp_column *c = is_top ? e->c : e->by;
	const struct tp_column *of = is_top ? e->by : e->c;

	if (m->topped != c || m->topped_by != of)
		find_top(m, r, c, of);
	return is_top ? m->top : m->most;
}

/* Add what tells the values of C in row R apart to IDS; returns how many. */
static size_t
distinct(struct making *m, const struct row *r,
    const struct tp_column *c, struct tp_ids *ids)
{
	int64_t last = TP_TAB_ABSENT, n;

	for (size_t i = 0; i < r->count; i++) {
		n = cell(c, m->items[r->first + i]);
		if (n != TP_TAB_ABSENT && n != last)
			tp_ids_add(ids, (uint64_t)id_of(m, c, n), 0);
		last = n;
	}
	return ids->count;
}

/* E of row R, or TP_TAB_ABSENT. */
static int64_t
value_of(struct making *m, const struct row *r, const struct term *e)
{
	const uint32_t *items = m->items + r->first;
	struct tp_ids ids = { 0 };
	int64_t n;

	switch (e->op) {
	case OP_FIRST:
		return cell(e->c, items[0]);
	case OP_ITEMS:
		return (int64_t)r->count;
	case OP_RANK:
		return r - m->rows + 1;
	case OP_SUM:
		if (m->summed != e->c)
			m->sum = sum_of(e->c, items, r->count);
		m->summed = e->c;
		return m->sum;
	case OP_ALL:
	case OP_TOTAL:
		return e->n;
	case OP_TOP:
	case OP_MOST:
		return top_of(m, r, e);
	case OP_DISTINCT:
		n = (int64_t)distinct(m, r, e->c, &ids);
		tp_ids_release(&ids);
		return n;
	default:
		break;
	}
	describe(m, r, e->c);
	n = e->op == OP_MIN ? m->stats.min : e->op == OP_MAX ? m->stats.max :
	    e->op == OP_MEAN ? m->stats.mean : e->op == OP_MEDIAN ?
	    m->stats.median : m->stats.stdev;
	return !m->stats.count || (e->op == OP_STDEV && m->stats.count < 2) ?
	    TP_TAB_ABSENT : n;
}

/* The value of E of row R as a real, or NAN. */
static double
real_of(struct making *m, const struct row *r, const struct term *e)
{
	double sum = NAN, x;
	int64_t n;

	if (!e->c || e->c->type != TP_TAB_REAL) {
		n = value_of(m, r, e);
		return n == TP_TAB_ABSENT ? NAN : (double)n;
	}
	for (size_t i = 0; i < (e->op == OP_SUM ? r->count : 1); i++) {
		x = real_cell(e->c, m->items[r->first + i]);
		if (!isnan(x))
			sum = isnan(sum) ? x : sum + x;
	}
	return sum;
}

TP_ORDER(by_text, struct tp_name, TP_BY(tp_name_cmp(a, b)))

/* Write the distinct texts of C as a JSON list. */
static void
out_list(struct making *m, const struct row *r, const char *key,
    const struct tp_column *c, struct tp_out *out)
{
	struct tp_ids ids = { 0 };
	size_t n = distinct(m, r, c, &ids);
	struct tp_name *list = tp_alloc((n + 1) * sizeof *list);
	const struct tp_names *names = c->type == TP_TAB_NAME ? c->names :
	    &m->texts;
	struct tp_buf buf = { 0 };

	for (size_t i = 0; i < n; i++)
		list[i] = names->names[ids.ids[i].a];
	TP_SORT(list, n, by_text);
	for (size_t i = 0; i < n; i++) {
		tp_buf_str(&buf, i ? ", \"" : "[\"");
		tp_json_escape(&buf, list[i].text, list[i].len);
		tp_buf_chr(&buf, '"');
	}
	tp_buf_chr(&buf, ']');
	if (n)
		tp_out_bytes(out, key, buf.p, buf.len);
	tp_buf_release(&buf);
	tp_free(list);
	tp_ids_release(&ids);
}

/* Write how C varies from step to step. */
static void
out_steps(struct making *m, const struct row *r, const struct tp_column *c,
    struct tp_out *out)
{
	const struct tp_tab *t = m->tab;
	struct tp_spread spread = { 0 };
	size_t n = 0;

	if (!t->step_of || t->sample_count < 2)
		return;
	for (size_t i = 0; i < r->count; i++)
		if (t->step_of[m->items[r->first + i]] == TP_TAB_UNKNOWN)
			return;
	for (size_t i = 0; i < r->count; i++) {
		uint32_t item = m->items[r->first + i];
		uint32_t step = t->step_of[item];
		int64_t v = cell(c, item);

		if (step == TP_TAB_OUTSIDE || v == TP_TAB_ABSENT)
			continue;
		if (m->step_sums[step] == TP_TAB_ABSENT) {
			m->step_sums[step] = 0;
			m->steps[n++] = step;
		}
		m->step_sums[step] = tp_plus(m->step_sums[step], v);
	}
	while (n--) {
		tp_spread_add(&spread, m->step_sums[m->steps[n]]);
		m->step_sums[m->steps[n]] = TP_TAB_ABSENT;
	}
	tp_spread_emit_steps(&spread, t->sample_count, out);
}

static int
ends_in(const char *key, const char *end)
{
	size_t len = strlen(key), n = strlen(end);

	return len > n && !strcmp(key + len - n, end);
}

static void
out_value(const char *key, const struct term *e, int64_t n, struct tp_out *out)
{
	enum tp_tab_type type = e->op == OP_TOTAL ? TP_TAB_PS : is_typed(e) ?
	    e->c->type : TP_TAB_INT;
	struct tp_name text;

	if (n == TP_TAB_ABSENT)
		return;
	if (is_typed(e) && is_text(e->c)) {
		text = text_of(e->c, n);
		tp_out_bytes(out, key, text.text, text.len);
	} else if (type == TP_TAB_WORD) {
		tp_out_text(out, key, e->c->words[n]);
	} else if (type == TP_TAB_PS && !ends_in(key, "_ps")) {
		tp_out_ps(out, key, n);
	} else {
		tp_out_int(out, key, n);
	}
}

/* Write X, which is in picoseconds if KEY is a time. */
static void
out_real(const char *key, double x, struct tp_out *out)
{
	if (isfinite(x) && ends_in(key, "_ns"))
		tp_out_real_ps(out, key, x);
	else
		tp_out_real(out, key, x);
}

static void
out_key(struct making *m, const struct row *r, const struct key *k,
    struct tp_out *out)
{
	const struct term *e = &k->term;
	double x;

	if (k->is_ratio) {
		x = real_of(m, r, e);
		if (ends_in(k->name, "_per_s"))
			x *= 1e12;
		out_real(k->name, x / real_of(m, r, &k->under), out);
	} else if (e->op == OP_LIST) {
		out_list(m, r, k->name, e->c, out);
	} else if (e->op == OP_STEPS) {
		out_steps(m, r, e->c, out);
	} else if (e->op == OP_ALSO) {
		if (m->tab->also)
			m->tab->also(m->tab->also_arg, k->name,
			    m->items + r->first, r->count, out);
	} else if (is_typed(e) && e->c->type == TP_TAB_REAL) {
		out_real(k->name, real_of(m, r, e), out);
	} else {
		out_value(k->name, e, value_of(m, r, e), out);
	}
}

static void
out_row(struct making *m, const struct row *r, struct tp_out *out)
{
	m->described = m->summed = m->topped = NULL;
	/* the sum by which rows are ranked is known; 0 may be none */
	if (m->order_count && !m->order[0].c && r->order[0] &&
	    m->keys[m->order[0].key].term.op == OP_SUM) {
		m->summed = m->keys[m->order[0].key].term.c;
		m->sum = r->order[0];
	}
	tp_out_begin(out, m->kind);
	if (m->tab->process_rank >= 0)
		tp_out_int(out, "process_rank", m->tab->process_rank);
	for (size_t i = 0; i < m->key_count; i++)
		out_key(m, r, &m->keys[i], out);
	tp_out_end(out);
}

/* For qsort(). */
static const struct making *sorting;

static int
in_order(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int by = 0;

	for (size_t k = 0; !by && k < sorting->order_count; k++) {
		const struct tp_column *c = sorting->order[k].text;
		int64_t na = a->order[k], nb = b->order[k];

		by = TP_CMP(na, nb);
		if (by && c && na != TP_TAB_ABSENT && nb != TP_TAB_ABSENT) {
			struct tp_name x = text_of(c, na), y = text_of(c, nb);

			by = tp_name_cmp(&x, &y);
		}
		by = sorting->order[k].is_rising ? by : -by;
	}
	return by ? by : TP_CMP(a->first, b->first);
}

/* Sort the rows; a number that is absent counts as 0, a text as "". */
static void
sort_rows(struct making *m)
{
	for (size_t i = 0; i < m->row_count; i++) {
		struct row *r = &m->rows[i];

		m->described = m->summed = m->topped = NULL;
		for (size_t k = 0; k < m->order_count; k++) {
			r->order[k] = m->order[k].c ?
			    cell(m->order[k].c, m->items[r->first]) :
			    value_of(m, r, &m->keys[m->order[k].key].term);
			if (!m->order[k].text && r->order[k] == TP_TAB_ABSENT)
				r->order[k] = 0;
		}
	}
	sorting = m;
	TP_SORT(m->rows, m->row_count, in_order);
}

static void
out_rows(struct making *m, struct tp_out *out)
{
	const struct tp_tab *t = m->tab;
	int64_t last = TP_TAB_ABSENT, n;

	for (size_t i = 0, first = 0; i < m->row_count; i++) {
		n = !t->limits_each || !m->by_count ? last :
		    cell(m->by[0], m->items[m->rows[i].first]);
		first = n != last ? i : first;
		last = n;
		if (!t->row_limit || i - first < t->row_limit)
			out_row(m, &m->rows[i], out);
	}
}

void
tp_tab_emit(const struct tp_tab *t, const char *kind, const char *where,
    struct tp_out *out)
{
	struct making m = { .tab = t, .kind = kind, .where = where ?
	    column(t, where, strlen(where)) : NULL };

	/* what a table does not have no item has */
	if (where && !m.where)
		return;
	read_schema(&m);
	make_rows(&m);
	m.step_sums = tp_alloc((t->step_count + 1) * sizeof *m.step_sums);
	m.steps = tp_alloc((t->step_count + 1) * sizeof *m.steps);
	for (size_t i = 0; i < t->step_count; i++)
		m.step_sums[i] = TP_TAB_ABSENT;
	for (size_t i = 0; i < 2 * m.key_count; i++) {
		struct key *k = &m.keys[i / 2];
		struct term *e = i % 2 ? &k->under : &k->term;

		if (e->op == OP_ALL)
			e->n = sum_of(e->c, m.items, m.item_count);
	}
	sort_rows(&m);
	out_rows(&m, out);
	cJSON_Delete(m.schema);
	tp_names_release(&m.texts);
	tp_free(m.rows);
	tp_free(m.items);
	tp_free(m.values);
	tp_free(m.step_sums);
	tp_free(m.steps);
}
