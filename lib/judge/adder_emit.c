/* adder_emit - write the merged records */
#include <math.h>
#include <string.h>

#include <tp/order.h>
#include <tp/text.h>

#include "adder.h"

/* The value of a term of a ratio or mean. */
struct amount {
	int is_known, is_ns;
	int64_t n, ps;
	int is_exact;			/* ps is valid too */
};

/* KIND.KEY, per group. */
struct total {
	uint32_t kind, key;
	struct amount *amounts;
};

/* Counts of records of TARGET by the identity of KIND. */
struct tally {
	uint32_t kind, target;
	struct tp_names ids;
	uint64_t *counts;
	size_t cap;
};

struct emit {
	struct tp_adder *a;
	struct tp_out *out;
	struct total *totals;
	size_t total_count, total_cap;
	struct tally *tallies;
	size_t tally_count, tally_cap;
	struct tp_names differ;		/* SRC, a NUL, "KIND: KEY" */
	struct tp_buf text;
};

/* The cell of KEY, or NULL when not all parts of ROW have it. */
static const struct tp_add_cell *
known(const struct tp_adder_kind *k, const struct tp_adder_record *record,
    ptrdiff_t key)
{
	const struct tp_add_cell *c;

	if (key < 0 || (size_t)key >= record->cell_count)
		return NULL;
	c = &record->cells[key];
	if (!c->seen || c->differs)
		return NULL;
	switch (k->rules[key].how) {
	case TP_ADD_SUM:
	case TP_ADD_MIN:
	case TP_ADD_MAX:
	case TP_ADD_OR:
	case TP_ADD_MOST:
	case TP_ADD_WITH:
		return c;
	case TP_ADD_SAME:
	case TP_ADD_PART:
		return c->seen == record->seen ? c : NULL;
	default:
		return record->seen == 1 ? c : NULL;
	}
}

static void
add_amount(struct amount *m, const struct tp_adder_kind *k,
    const struct tp_adder_record *record, ptrdiff_t key)
{
	const struct tp_add_cell *c = known(k, record, key);

	if (!c || c->type != TP_FIELD_INT)
		return;
	if (!m->is_known) {
		m->is_known = m->is_exact = 1;
		m->is_ns = tp_has_end(k->keys.names[key].text, "_ns");
	}
	m->is_exact &= c->exact == c->seen;
	/* no share of a sum that overflows */
	if (__builtin_add_overflow(m->n, c->exact == c->seen ?
	    tp_ps_to_ns(c->ps) : c->n, &m->n) ||
	    (m->is_exact && __builtin_add_overflow(m->ps, c->ps, &m->ps)))
		m->is_known = 0;
}

/* KIND.KEY over all its records, by group. */
static const struct amount *
total(struct emit *e, uint32_t kind, ptrdiff_t key)
{
	const struct tp_adder_kind *k = &e->a->kinds[kind];
	struct total *t;

	for (size_t i = 0; i < e->total_count; i++)
		if (e->totals[i].kind == kind &&
		    e->totals[i].key == (uint32_t)key)
			return e->totals[i].amounts;
	t = TP_PUSH(e->totals, e->total_count, e->total_cap);
	*t = (struct total){ kind, (uint32_t)key, tp_zalloc(
	    e->a->groups.count * sizeof *t->amounts) };
	for (size_t i = 0; i < k->ids.count; i++)
		add_amount(&t->amounts[k->records[i].group], k, &k->records[i],
		    key);
	return t->amounts;
}

static ptrdiff_t
kind_of(const struct emit *e, const char *name)
{
	ptrdiff_t at = tp_names_find(&e->a->names, name, strlen(name));

	return at < 0 || e->a->kinds[at].what != TP_ADD_ADDED ? -1 : at;
}

/* Set M to the value of TERM for ROW of K. */
static void
term(struct emit *e, const struct tp_adder_kind *k,
    const struct tp_adder_record *record, const struct tp_add_term *of,
    struct amount *m)
{
	ptrdiff_t kind, key;

	memset(m, 0, sizeof *m);
	for (int i = 0; i < 2 && of->keys[i]; i++) {
		kind = of->kind ? kind_of(e, of->kind) : 0;
		if (kind < 0)
			return;
		key = tp_names_find(of->kind ? &e->a->kinds[kind].keys :
		    &k->keys, of->keys[i], strlen(of->keys[i]));
		if (key < 0)
			continue;
		if (of->kind)
			*m = total(e, (uint32_t)kind, key)[record->group];
		else
			add_amount(m, k, record, key);
	}
}

static int64_t
value(const struct amount *m, int in_ps)
{
	return in_ps ? m->ps : m->n;
}

/* Compute a ratio or mean from sums. */
static void
derive(struct emit *e, const struct tp_adder_kind *k,
    const struct tp_adder_record *record, ptrdiff_t key)
{
	const struct tp_add_rule *r = &k->rules[key];
	const char *name = k->keys.names[key].text;
	struct amount over, under;
	double ps;

	/* no part knew it */
	if (!record->cells[key].seen)
		return;
	term(e, k, record, &r->over, &over);
	term(e, k, record, &r->under, &under);
	if (!over.is_known || !under.is_known || !under.n)
		return;
	if (r->how == TP_ADD_RATIO) {
		int in_ps = over.is_ns && under.is_ns && over.is_exact &&
		    under.is_exact;

		tp_out_ratio(e->out, name, value(&over, in_ps),
		    value(&under, in_ps));
		return;
	}
	ps = (double)over.n * 1000;
	if (over.is_exact)
		ps = (double)over.ps;
	ps /= (double)under.n;
	tp_out_int(e->out, name, (int64_t)nearbyint(tp_has_end(name, "_ns") ?
	    ps / 1000 : ps));
}

/* Set ID to the identity that records of K have, as in ROW of TARGET. */
static void
shared_id(struct tp_buf *id, const struct tp_adder *a,
    const struct tp_adder_kind *k, const struct tp_adder_kind *target,
    const struct tp_adder_record *record)
{
	tp_buf_clear(id);
	tp_adder_id_int(id, record->group);
	for (const char **by = k->by; *by; by++) {
		ptrdiff_t at = tp_names_find(&target->keys, *by, strlen(*by));
		const struct tp_add_cell *c = known(target, record, at);

		if (!c)
			tp_adder_id_none(id);
		else if (c->type == TP_FIELD_INT || c->type == TP_FIELD_BOOL)
			tp_adder_id_int(id, c->n);
		else
			tp_adder_id_text(id, a->texts.names[c->text].text,
			    a->texts.names[c->text].len);
	}
}

/* Count the records of TARGET per record of KIND. */
static const struct tally *
tally(struct emit *e, uint32_t kind, uint32_t target)
{
	const struct tp_adder_kind *to = &e->a->kinds[target];
	struct tally *t;
	ptrdiff_t at;

	for (size_t i = 0; i < e->tally_count; i++)
		if (e->tallies[i].kind == kind &&
		    e->tallies[i].target == target)
			return &e->tallies[i];
	t = TP_PUSH(e->tallies, e->tally_count, e->tally_cap);
	t->kind = kind;
	t->target = target;
	for (size_t i = 0; i < to->ids.count; i++) {
		shared_id(&e->text, e->a, &e->a->kinds[kind], to,
		    &to->records[i]);
		at = tp_names_add(&t->ids, e->text.p, e->text.len);
		TP_ITEM(t->counts, t->cap, at);
		t->counts[at]++;
	}
	return t;
}

/* Write the number of records of another kind that belong to ROW. */
static void
count_rows(struct emit *e, uint32_t kind, const struct tp_adder_record *record,
    ptrdiff_t key)
{
	const struct tp_adder_kind *k = &e->a->kinds[kind];
	ptrdiff_t target = kind_of(e, k->rules[key].of), at;
	const struct tally *t;

	if (target < 0)
		return;
	t = tally(e, kind, (uint32_t)target);
	shared_id(&e->text, e->a, k, k, record);
	at = tp_names_find(&t->ids, e->text.p, e->text.len);
	if (at >= 0)
		tp_out_int(e->out, k->keys.names[key].text,
		    (int64_t)t->counts[at]);
}

static void
out_cell(struct emit *e, const char *key, const struct tp_add_cell *c)
{
	const struct tp_name *t = &e->a->texts.names[c->text];

	switch (c->type) {
	case TP_FIELD_BOOL:
		tp_out_bool(e->out, key, c->n != 0);
		break;
	case TP_FIELD_INT:
		if (c->exact && c->exact == c->seen) {
			tp_out_ps(e->out, key, c->ps);
		} else {
			tp_out_int(e->out, key, c->n);
		}
		break;
	case TP_FIELD_REAL:
		tp_out_real(e->out, key, c->x);
		break;
	case TP_FIELD_TEXT:
		tp_out_bytes(e->out, key, t->text, t->len);
		break;
	default:
		break;
	}
}

/* Note once per KIND and KEY that records differ in it. */
static void
tell_difference(struct emit *e, uint32_t kind,
    const struct tp_adder_record *record, const char *key)
{
	const struct tp_adder *a = e->a;

	tp_buf_clear(&e->text);
	tp_buf_str(&e->text, a->srcs.names[a->group_srcs[record->group]].text);
	tp_buf_chr(&e->text, '\0');
	tp_buf_fmt(&e->text, "%s: %s differs between parts and is left out",
	    a->names.names[kind].text, key);
	tp_names_add(&e->differ, e->text.p, e->text.len);
}

/* Number of parts merged into ROW. */
static int64_t
parts_of(const struct tp_adder_kind *k, const struct tp_adder_record *record)
{
	return k->part_count < 0 ? 1 : record->cells[k->part_count].n;
}

static void
out_parts(struct emit *e, const struct tp_adder_kind *k,
    const struct tp_adder_record *record, ptrdiff_t key)
{
	int64_t parts = parts_of(k, record);
	const struct tp_add_cell *c;

	if (parts < 2)
		return;
	if (key != k->part_max + 1) {
		if (record->cells[key].seen)
			out_cell(e, k->keys.names[key].text,
			    &record->cells[key]);
		return;
	}
	/* part_mean_ns */
	for (const char **order = k->order; order && *order; order++) {
		c = known(k, record, tp_names_find(&k->keys, *order,
		    strlen(*order)));
		if (c) {
			tp_out_int(e->out, k->keys.names[key].text,
			    (int64_t)nearbyint((c->exact == c->seen ?
			    (double)c->ps / 1000 : (double)c->n) /
			    (double)parts));
			break;
		}
	}
}

static void
out_key(struct emit *e, uint32_t kind, const struct tp_adder_record *record,
    ptrdiff_t key, int64_t place)
{
	const struct tp_adder_kind *k = &e->a->kinds[kind];
	const struct tp_add_rule *r = &k->rules[key];
	const char *name = k->keys.names[key].text;
	const struct tp_add_cell *c = known(k, record, key);

	if (!strncmp(name, "part_", 5) && k->part_count >= 0 &&
	    key >= k->part_count) {
		out_parts(e, k, record, key);
		return;
	}
	switch (r->how) {
	case TP_ADD_RANK:
		tp_out_int(e->out, name, place);
		return;
	case TP_ADD_ROWS:
		count_rows(e, kind, record, key);
		return;
	case TP_ADD_RATIO:
	case TP_ADD_MEAN:
		if (c && !r->over.kind && !r->under.kind)
			break;
		derive(e, k, record, key);
		return;
	case TP_ADD_SAME:
		if (!record->cells[key].differs)
			break;
		tell_difference(e, kind, record, name);
		return;
	default:
		break;
	}
	if (c)
		out_cell(e, name, c);
}

/* A row to sort. */
struct place {
	const struct tp_adder *a;
	const struct tp_adder_kind *k;
	uint32_t record;
};

static int
cmp_cells(const struct tp_adder *a, const struct tp_add_cell *x,
    const struct tp_add_cell *y)
{
	if (!x || !y)
		return !x == !y ? 0 : x ? 1 : -1;
	if (x->type == TP_FIELD_TEXT && y->type == TP_FIELD_TEXT)
		return tp_name_cmp(&a->texts.names[x->text],
		    &a->texts.names[y->text]);
	if (x->exact && y->exact && x->exact == x->seen &&
	    y->exact == y->seen)
		return x->ps < y->ps ? -1 : x->ps > y->ps;
	return x->n < y->n ? -1 : x->n > y->n;
}

static const struct tp_add_cell *
cell_of(const struct place *p, const char *key)
{
	return known(p->k, &p->k->records[p->record],
	    tp_names_find(&p->k->keys, key, strlen(key)));
}

/* Compare the group of X and Y and the keys that sort before the order. */
static int
cmp_within(const struct place *x, const struct place *y)
{
	const struct tp_adder_kind *k = x->k;
	int d = tp_name_cmp(&x->a->groups.names[k->records[x->record].group],
	    &x->a->groups.names[k->records[y->record].group]);

	for (size_t i = 0; !d && i < k->within; i++)
		d = cmp_cells(x->a, cell_of(x, k->by[i]),
		    cell_of(y, k->by[i]));
	return d;
}

static int
by_place(const void *px, const void *py)
{
	const struct place *x = px, *y = py;
	const struct tp_adder_kind *k = x->k;
	int d = k->what == TP_ADD_ADDED ? cmp_within(x, y) : 0;

	for (const char **key = k->order; !d && key && *key; key++)
		d = cmp_cells(x->a, cell_of(y, *key), cell_of(x, *key));
	return d ? d : tp_name_cmp(&k->ids.names[x->record],
	    &k->ids.names[y->record]);
}

/* The rows of K, sorted, yours to free. */
static struct place *
sort(const struct tp_adder *a, const struct tp_adder_kind *k)
{
	struct place *places = tp_alloc((k->ids.count + 1) * sizeof *places);

	for (size_t i = 0; i < k->ids.count; i++)
		places[i] = (struct place){ a, k, (uint32_t)i };
	TP_SORT(places, k->ids.count, by_place);
	return places;
}

/* Write a listed record unchanged. */
static int
out_listed(struct emit *e, const struct tp_adder_record *record,
    struct tp_err *err)
{
	struct tp_arena arena = { 0 };
	struct tp_rec rec;
	int rc = tp_rec_parse(&rec, record->line, record->len, &arena, err);

	for (uint32_t n = 0; !rc && n < record->seen; n++) {
		tp_out_begin(e->out, rec.kind);
		for (size_t i = 0; i < rec.count; i++) {
			const struct tp_field *f = &rec.fields[i];

			if (!strcmp(f->key, "kind") ||
			    !strcmp(f->key, "src") || tp_adder_is_left_out(
			    &e->a->rules, rec.kind, f->key))
				continue;
			if (f->type == TP_FIELD_TEXT)
				tp_out_bytes(e->out, f->key, f->text, f->len);
			else if (f->type == TP_FIELD_BOOL)
				tp_out_bool(e->out, f->key, f->n != 0);
			else if (f->type == TP_FIELD_INT)
				tp_out_int(e->out, f->key, f->n);
			else if (f->type == TP_FIELD_REAL)
				tp_out_real(e->out, f->key, f->x);
		}
		tp_out_end(e->out);
	}
	tp_arena_release(&arena);
	return rc;
}

static void
out_added(struct emit *e, uint32_t kind, const struct tp_adder_record *record,
    int64_t place)
{
	tp_out_begin(e->out, e->a->names.names[kind].text);
	for (size_t i = 0; i < record->cell_count; i++)
		out_key(e, kind, record, (ptrdiff_t)i, place);
	tp_out_end(e->out);
}

static int
out_kind(struct emit *e, uint32_t kind, struct tp_err *err)
{
	const struct tp_adder *a = e->a;
	const struct tp_adder_kind *k = &a->kinds[kind];
	struct place *places = sort(a, k);
	int64_t place = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < k->ids.count; i++) {
		const struct tp_adder_record *record =
		    &k->records[places[i].record];

		e->out->src = a->srcs.names[a->group_srcs[record->group]].text;
		place = i && !cmp_within(&places[i - 1], &places[i]) ?
		    place + 1 : 1;
		if (k->what == TP_ADD_LISTED)
			rc = out_listed(e, record, err);
		else
			out_added(e, kind, record, place);
	}
	tp_free(places);
	return rc;
}

/*
 * Add a note for each of NAMES ("SRC, a NUL, TEXT"), with its count in
 * COUNTS or 1.
 */
static int
note_all(struct tp_adder *a, const struct tp_names *names, const char *code,
    const uint64_t *counts, struct tp_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < names->count; i++) {
		const char *src = names->names[i].text;
		const char *text = src + strlen(src) + 1;
		struct tp_field fields[] = {
			{ "code", code, strlen(code), TP_FIELD_TEXT, 0, 0 },
			{ "text", text, strlen(text), TP_FIELD_TEXT, 0, 0 },
			{ "count", "", 0, TP_FIELD_INT, counts ?
			    (int64_t)counts[i] : 1, 0 },
			{ "status", "0", 1, TP_FIELD_INT, 0, 0 } };
		struct tp_rec rec = { "note", src, fields,
		    sizeof fields / sizeof *fields };

		rc = tp_adder_take(a, &rec, "", 0, err);
	}
	return rc;
}

static void
release_adder_emit(struct emit *e)
{
	for (size_t i = 0; i < e->total_count; i++)
		tp_free(e->totals[i].amounts);
	tp_free(e->totals);
	for (size_t i = 0; i < e->tally_count; i++) {
		tp_names_release(&e->tallies[i].ids);
		tp_free(e->tallies[i].counts);
	}
	tp_free(e->tallies);
	tp_names_release(&e->differ);
	tp_buf_release(&e->text);
}

int
tp_adder_emit(struct tp_adder *a, struct tp_out *out, struct tp_err *err)
{
	const struct tp_name **sorted = tp_names_sorted(&a->names);
	struct emit e = { .a = a, .out = out };
	size_t count = a->names.count;
	ptrdiff_t notes;
	int rc = 0;

	out->exact = 1;
	for (size_t i = 0; !rc && i < count; i++)
		if (strcmp(sorted[i]->text, "note"))
			rc = out_kind(&e, (uint32_t)(sorted[i] -
			    a->names.names), err);
	tp_free(sorted);
	/* these are complete now */
	if (!rc)
		rc = note_all(a, &a->dropped, "merge.dropped",
		    a->dropped_counts, err);
	if (!rc)
		rc = note_all(a, &e.differ, "merge.differs", NULL, err);
	notes = tp_names_find(&a->names, "note", 4);
	if (!rc && notes >= 0)
		rc = out_kind(&e, (uint32_t)notes, err);
	release_adder_emit(&e);
	return rc;
}
