/* adder - merge the records of disjoint parts into records of the whole */
#include <string.h>

#include "adder.h"

struct tp_adder *
tp_adder_open(const char *const *by, const char *src, struct tp_err *err)
{
	struct tp_adder *a = tp_zalloc(sizeof *a);

	a->by = by;
	a->src = src;
	if (tp_adder_rules_load(&a->rules, err) < 0) {
		tp_free(a);
		return NULL;
	}
	return a;
}

uint64_t
tp_adder_sources(const struct tp_adder *a)
{
	return a->source_count;
}

enum { ID_NONE, ID_INT, ID_TEXT };

void
tp_adder_id_none(struct tp_buf *id)
{
	tp_buf_chr(id, ID_NONE);
}

void
tp_adder_id_int(struct tp_buf *id, int64_t n)
{
	uint64_t u = (uint64_t)n ^ UINT64_C(1) << 63;

	tp_buf_chr(id, ID_INT);
	for (int shift = 56; shift >= 0; shift -= 8)
		tp_buf_chr(id, (char)(u >> shift & 255));
}

void
tp_adder_id_text(struct tp_buf *id, const char *text, size_t len)
{
	tp_buf_chr(id, ID_TEXT);
	for (size_t i = 0; i < len; i++) {
		tp_buf_chr(id, text[i]);
		/* the end of a string sorts before any byte */
		if (!text[i])
			tp_buf_chr(id, (char)255);
	}
	tp_buf_add(id, "\0\1", 2);
}

static void
id_add(struct tp_buf *id, const struct tp_field *f)
{
	if (!f)
		tp_adder_id_none(id);
	else if (f->type == TP_FIELD_INT || f->type == TP_FIELD_BOOL)
		tp_adder_id_int(id, f->n);
	else
		tp_adder_id_text(id, f->text, f->len);
}

static void
id_add_all(struct tp_buf *id, const struct tp_rec *rec,
    const char *const *keys)
{
	for (; keys && *keys; keys++)
		id_add(id, tp_rec_field(rec, *keys));
}

/* Index of the group of REC, whose id becomes a->id. */
static ptrdiff_t
group_of(struct tp_adder *a, const struct tp_rec *rec)
{
	const char *src = a->src ? a->src : rec->src;
	size_t had = a->groups.count;
	ptrdiff_t at, name;

	tp_buf_clear(&a->id);
	tp_adder_id_text(&a->id, src, strlen(src));
	id_add_all(&a->id, rec, a->by);
	at = tp_names_add(&a->groups, a->id.p, a->id.len);
	if (a->groups.count == had)
		return at;
	name = tp_names_add(&a->srcs, src, strlen(src));
	TP_ITEM(a->group_srcs, a->group_cap, at);
	a->group_srcs[at] = (uint32_t)name;
	return at;
}

/* The row with id a->id, created when there is none. */
static struct tp_adder_record *
record_of(struct tp_adder *a, struct tp_adder_kind *k, ptrdiff_t group)
{
	size_t had = k->ids.count;
	ptrdiff_t at = tp_names_add(&k->ids, a->id.p, a->id.len);

	TP_ITEM(k->records, k->record_cap, at);
	if (k->ids.count > had)
		k->records[at].group = (uint32_t)group;
	return &k->records[at];
}

/* Whether REC is about the whole run, so that it is taken once. */
static int
is_said_once(const struct tp_rec *rec)
{
	const char *code = tp_rec_text(rec, "code");

	return !strcmp(rec->kind, "meta") || (!strcmp(rec->kind, "note") &&
	    code && !strcmp(code, "merge.differs"));
}

static int
list(struct tp_adder *a, struct tp_adder_kind *k, const struct tp_rec *rec,
    ptrdiff_t group, const char *line, size_t len, struct tp_err *err)
{
	int is_source = !strcmp(rec->kind, "source");
	struct tp_adder_record *row;
	const char *file;

	id_add_all(&a->id, rec, k->by);
	tp_buf_add(&a->id, line, len);
	row = record_of(a, k, group);
	if (row->seen && is_source) {
		file = tp_rec_text(rec, "file");
		return tp_fail(err, TP_BAD, "merge.twice", 0, "'%.200s' of "
		    "'%.80s' was added before: name each part once",
		    file ? file : "", rec->src);
	}
	a->source_count += (uint64_t)is_source;
	if (row->seen && is_said_once(rec))
		return 0;
	row->seen++;
	if (!row->line) {
		row->line = tp_arena_text(&a->arena, line, len);
		row->len = len;
	}
	return 0;
}

static void
drop(struct tp_adder *a, const struct tp_rec *rec)
{
	const char *src = a->src ? a->src : rec->src;
	ptrdiff_t at;

	tp_buf_clear(&a->id);
	tp_buf_add(&a->id, src, strlen(src) + 1);
	tp_buf_fmt(&a->id, "%s: does not add up over parts and is left out",
	    rec->kind);
	at = tp_names_add(&a->dropped, a->id.p, a->id.len);
	TP_ITEM(a->dropped_counts, a->dropped_cap, at);
	a->dropped_counts[at]++;
}

/*
 * Put the fields of REC by key into a->at.  *EXACT: some KEY_ns has a
 * KEY_ps.
 */
static int
index_fields(struct tp_adder *a, struct tp_adder_kind *k,
    const struct tp_rec *rec, int *exact, struct tp_err *err)
{
	char ns[128];
	ptrdiff_t at;

	*exact = 0;
	tp_grow(&a->at, &a->at_cap, k->keys.count + rec->count, sizeof *a->at);
	for (size_t i = 0; i < k->keys.count + rec->count; i++)
		a->at[i] = NULL;
	for (size_t i = 0; i < rec->count; i++) {
		const struct tp_field *f = &rec->fields[i];
		size_t len = strlen(f->key);

		if (!strcmp(f->key, "kind") || !strcmp(f->key, "src"))
			continue;
		if (len > 3 && len < sizeof ns &&
		    !strcmp(f->key + len - 3, "_ps")) {
			memcpy(ns, f->key, len + 1);
			ns[len - 2] = 'n';
			if (tp_names_find(&k->keys, ns, len) >= 0) {
				*exact = 1;
				continue;
			}
		}
		at = tp_adder_key(k, &a->rules, rec->kind, f->key, len, err);
		if (at < 0)
			return -1;
		a->at[at] = f;
	}
	return 0;
}

static const struct tp_field *
at_key(const struct tp_adder *a, const struct tp_adder_kind *k,
    const char *key)
{
	ptrdiff_t i = tp_names_find(&k->keys, key, strlen(key));

	return i < 0 ? NULL : a->at[i];
}

/* The integer that orders the record, or -1. */
static int64_t
weight(const struct tp_adder *a, const struct tp_adder_kind *k)
{
	const struct tp_field *f;

	for (const char **key = k->order; key && *key; key++) {
		f = at_key(a, k, *key);
		if (f && f->type == TP_FIELD_INT)
			return f->n;
	}
	return -1;
}

/* A record of a single part lacks the keys about parts: make them, in PARTS. */
static void
say_part(struct tp_adder *a, const struct tp_adder_kind *k,
    struct tp_field parts[2])
{
	int64_t most = weight(a, k);

	if (k->part_count >= 0 && !a->at[k->part_count]) {
		parts[0] = (struct tp_field){ .key = "part_count", .text = "1",
		    .len = 1, .type = TP_FIELD_INT, .n = 1 };
		a->at[k->part_count] = &parts[0];
	}
	if (k->part_max >= 0 && !a->at[k->part_max] && most >= 0) {
		parts[1] = (struct tp_field){ .key = "part_max_ns",
		    .text = "", .type = TP_FIELD_INT, .n = most };
		a->at[k->part_max] = &parts[1];
		if (k->part_rank >= 0)
			a->at[k->part_rank] = at_key(a, k, "process_rank");
	}
}

static void
cell_set(struct tp_adder *a, struct tp_add_cell *c, const struct tp_field *f)
{
	ptrdiff_t text = 0;

	c->type = f->type;
	c->n = f->n;
	if (f->type == TP_FIELD_REAL)
		c->x = f->x;
	if (f->type == TP_FIELD_TEXT || f->type == TP_FIELD_REAL)
		text = tp_names_add(&a->texts, f->text, f->len);
	c->text = (uint32_t)text;
}

/* Compare F with C: 0 when equal, else below or above 0. */
static int
cell_cmp(const struct tp_adder *a, const struct tp_add_cell *c,
    const struct tp_field *f)
{
	const struct tp_name *t;

	if (c->type != f->type)
		return c->type < f->type ? -1 : 1;
	if (f->type == TP_FIELD_REAL && c->x != f->x)
		return c->x < f->x ? -1 : 1;
	if (f->type != TP_FIELD_TEXT)
		return c->n < f->n ? -1 : c->n > f->n;
	t = &a->texts.names[c->text];
	return tp_bytes_cmp(t->text, t->len, f->text, f->len);
}

/* Of two equally good values keep the one that sorts first. */
static void
take_first(struct tp_adder *a, struct tp_add_cell *c,
    const struct tp_field *f, int better)
{
	if (better > 0) {
		c->seen = f != NULL;
		if (f)
			cell_set(a, c, f);
		return;
	}
	if (better < 0 || !f || (c->seen && cell_cmp(a, c, f) <= 0))
		return;
	c->seen = 1;
	cell_set(a, c, f);
}

/*
 * Merge a value that follows the minimum or maximum of another key, named by
 * R.
 */
static void
add_with(struct tp_adder *a, const struct tp_adder_kind *k,
    const struct tp_adder_record *row, const struct tp_add_rule *r,
    struct tp_add_cell *c, const struct tp_field *f)
{
	ptrdiff_t base = tp_names_find(&k->keys, r->of, strlen(r->of));
	const struct tp_field *g = base < 0 ? NULL : a->at[base];
	int d;

	if (!g)
		return;
	if (!row->cells[base].seen) {
		take_first(a, c, f, 1);
		return;
	}
	d = cell_cmp(a, &row->cells[base], g);
	take_first(a, c, f, k->rules[base].how == TP_ADD_MIN ? d : -d);
}

/* The KEY_ps of REC that belongs to F, a KEY_ns. */
static const struct tp_field *
exact_of(const struct tp_rec *rec, const struct tp_field *f)
{
	size_t len = strlen(f->key);
	char ps[128];

	if (len < 3 || len >= sizeof ps || strcmp(f->key + len - 3, "_ns"))
		return NULL;
	memcpy(ps, f->key, len + 1);
	ps[len - 2] = 'p';
	f = tp_rec_field(rec, ps);
	return f && f->type == TP_FIELD_INT ? f : NULL;
}

/*
 * Add F, and its picoseconds P (or NULL), to C.  1 when the sum overflows,
 * else 0.
 */
static int
add_cell(struct tp_adder *a, const struct tp_add_rule *r,
    struct tp_add_cell *c, const struct tp_field *f,
    const struct tp_field *p)
{
	int first = !c->seen++, d;

	if (r->how == TP_ADD_SUM && f->type != TP_FIELD_INT)
		c->differs = 1;
	if (first) {
		c->exact = p != NULL;
		cell_set(a, c, f);
		if (p)
			c->ps = p->n;
		return 0;
	}
	if (r->how == TP_ADD_OR) {
		c->n |= f->n;
		return 0;
	}
	if (r->how == TP_ADD_SUM && !c->differs) {
		c->exact += p != NULL;
		if (p && __builtin_add_overflow(c->ps, p->n, &c->ps))
			return 1;
		return __builtin_add_overflow(c->n, f->n, &c->n);
	}
	d = cell_cmp(a, c, f);
	if (r->how != TP_ADD_MIN && r->how != TP_ADD_MAX) {
		c->differs |= d != 0;
		return 0;
	}
	c->exact += p != NULL;
	if (p && (r->how == TP_ADD_MIN ? p->n < c->ps : p->n > c->ps))
		c->ps = p->n;
	if (r->how == TP_ADD_MIN ? d > 0 : d < 0)
		cell_set(a, c, f);
	return 0;
}

static void
grow_cells(struct tp_adder *a, const struct tp_adder_kind *k,
    struct tp_adder_record *row)
{
	struct tp_add_cell *cells;

	if (row->cell_count == k->keys.count)
		return;
	cells = tp_arena_get(&a->arena, k->keys.count * sizeof *cells);
	memset(cells, 0, k->keys.count * sizeof *cells);
	if (row->cell_count)
		memcpy(cells, row->cells, row->cell_count * sizeof *cells);
	row->cells = cells;
	row->cell_count = k->keys.count;
}

static int
add_record_to_group(struct tp_adder *a, struct tp_adder_kind *k,
    const struct tp_rec *rec, ptrdiff_t group, struct tp_err *err)
{
	struct tp_field parts[2];
	struct tp_adder_record *row;
	int64_t most;
	int exact, better, overflows = 0;

	if (index_fields(a, k, rec, &exact, err) < 0)
		return -1;
	id_add_all(&a->id, rec, k->by);
	row = record_of(a, k, group);
	grow_cells(a, k, row);
	if (row->seen && is_said_once(rec))
		return 0;
	say_part(a, k, parts);
	most = k->part_max >= 0 && a->at[k->part_max] ?
	    a->at[k->part_max]->n : weight(a, k);
	better = !row->seen || most > row->best ? 1 : most < row->best ? -1 : 0;
	/* these depend on the values before */
	for (size_t i = 0; i < k->keys.count; i++)
		if (k->rules[i].how == TP_ADD_MOST)
			take_first(a, &row->cells[i], a->at[i], better);
		else if (k->rules[i].how == TP_ADD_WITH)
			add_with(a, k, row, &k->rules[i], &row->cells[i],
			    a->at[i]);
	for (size_t i = 0; !overflows && i < k->keys.count; i++)
		if (a->at[i] && k->rules[i].how != TP_ADD_MOST &&
		    k->rules[i].how != TP_ADD_WITH)
			overflows = add_cell(a, &k->rules[i], &row->cells[i],
			    a->at[i], exact ? exact_of(rec, a->at[i]) : NULL);
	if (better > 0)
		row->best = most;
	row->seen++;
	return !overflows ? 0 : tp_fail(err, TP_LIMIT, "merge.limit", 0,
	    "a sum of '%.80s' does not fit into 64 bits", rec->kind);
}

int
tp_adder_take(struct tp_adder *a, const struct tp_rec *rec, const char *line,
    size_t len, struct tp_err *err)
{
	size_t had = a->names.count;
	ptrdiff_t at = tp_names_add(&a->names, rec->kind, strlen(rec->kind));
	struct tp_adder_kind *k;
	ptrdiff_t group;

	TP_ITEM(a->kinds, a->kind_cap, at);
	k = &a->kinds[at];
	if (a->names.count > had &&
	    tp_adder_kind_load(k, &a->rules, rec->kind, err) < 0)
		return -1;
	if (k->what == TP_ADD_DROPPED) {
		drop(a, rec);
		return 0;
	}
	group = group_of(a, rec);
	return k->what == TP_ADD_LISTED ?
	    list(a, k, rec, group, line, len, err) :
	    add_record_to_group(a, k, rec, group, err);
}
