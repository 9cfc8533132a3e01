/* accel - what was accelerated between two runs of a model */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/judge/accel.h>
#include <tp/share.h>
#include <tp/text.h>

#include "build.h"
#include "compare_private.h"
#include "noise.h"

int
tp_accel_by_signature(const struct tp_accel *a)
{
	for (size_t i = 0; i < a->executions.count; i++)
		if (a->executions.items[i].side[TP_BEFORE].is &&
		    a->executions.items[i].side[TP_AFTER].is)
			return 1;
	return 0;
}

/* The limit called NAME in share/compare; NaN when there is none. */
static double
limit_of(const struct tp_accel *a, const char *name)
{
	double x;

	return tp_json_number(a->data, name, &x) ? x : NAN;
}

/* The item called NAME, made when new. */
static struct tp_accel_item *
item_of(struct tp_accel_list *l, const char *name)
{
	ptrdiff_t at = tp_names_add(&l->names, name, strlen(name));

	TP_ITEM(l->items, l->cap, at);
	if ((size_t)at == l->count) {
		l->items[at].name = name;
		l->count++;
	}
	return &l->items[at];
}

static int
is_true(const struct tp_rec *rec, const char *key)
{
	const struct tp_field *f = tp_rec_field(rec, key);

	return f && f->n;
}

/* Add the time under KEY and the share under SHARE of REC to S. */
static void
add_time(struct tp_accel_side *s, const struct tp_rec *rec, const char *key,
    const char *share)
{
	double ratio;
	int64_t ns;

	if (!tp_rec_int(rec, key, &ns) || __builtin_add_overflow(s->ns, ns,
	    &ns))
		return;
	s->is = 1;
	s->ns = ns;
	if (share && tp_rec_real(rec, share, &ratio)) {
		s->has_share = 1;
		s->share += ratio;
	}
}

static void
read_categories(struct tp_accel *a, const struct tp_set *set, int side,
    const char *src)
{
	struct tp_accel_item *item;
	const struct tp_rec *rec;
	const char *name;

	for (size_t at = 0; (rec = tp_set_next_of(set, "op.category[run]", src,
	    &at)); ) {
		name = tp_rec_text(rec, "category");
		if (!name)
			continue;
		item = item_of(&a->parts, name);
		add_time(&item->side[side], rec, "mean_ns", "e2e_ratio");
	}
}

/* Read the times outside operators. */
static void
read_overheads(struct tp_accel *a, const struct tp_set *set, int side,
    const char *src)
{
	static const struct {
		const char *name, *key;
	} parts[] = {
		{ "delegate gap", "delegate_gap_ns" },
		{ "operator overhead", "operator_overhead_ns" },
		{ "method itself", "method_self_ns" },
		{ "unattributed", "unattributed_ns" },
	};
	struct tp_accel_item *item;
	const struct tp_rec *rec;
	size_t at = 0;

	rec = tp_set_next_of(set, "delegation.summary[run]", src, &at);
	for (size_t i = 0; rec && i < sizeof parts / sizeof *parts; i++) {
		item = item_of(&a->parts, parts[i].name);
		item->is_overhead = 1;
		add_time(&item->side[side], rec, parts[i].key, NULL);
	}
}

/*
 * Add NS of operator OP, of CATEGORY and in PLACE, to what its part
 * excludes.
 */
static void
add_aside(struct tp_accel *a, const struct tp_accel_item *op,
    const char *category, const char *place, int side, int64_t ns)
{
	struct tp_accel_item *part;

	if (!op->is_packing && place && !strcmp(place, "delegate"))
		return;
	if (!op->is_packing && tp_names_find(&a->parts.names, category,
	    strlen(category)) < 0)
		return;
	part = item_of(&a->parts, category);
	part->aside_ns[side] += ns;
	if (op->is_packing)
		part->packing_ns[side] += ns;
}

static void
read_ops(struct tp_accel *a, const struct tp_set *set, int side,
    const char *src)
{
	struct tp_accel_item *item;
	const struct tp_rec *rec;
	const char *name, *category;
	int64_t had;

	for (size_t at = 0; (rec = tp_set_next_of(set, "op.latency", src,
	    &at)); ) {
		name = tp_rec_text(rec, "op_joined");
		category = tp_rec_text(rec, "category");
		if (!name || !category)
			continue;
		item = item_of(&a->ops, name);
		item->category = category;
		item->is_packing = tp_json_fits(tp_json_get(a->data,
		    "packing"), name);
		item->is_mismatch |= is_true(rec, "mismatch");
		item->side[side].is_packed |= is_true(rec, "packed");
		if (!item->side[side].place)
			item->side[side].place = tp_rec_text(rec, "place");
		had = item->side[side].ns;
		add_time(&item->side[side], rec, "mean_ns", "e2e_ratio");
		had = item->side[side].ns - had;
		if (!item->is_mismatch)
			add_aside(a, item, category, tp_rec_text(rec, "place"),
			    side, had);
	}
}

/*
 * Read the samples per run from records of KIND under KEY; NAMED: key of the
 * item, or NULL.
 */
static void
read_samples(struct tp_accel_list *l, struct tp_accel_item *only,
    const struct tp_set *set, int side, const char *src, const char *kind,
    const char *key, const char *named)
{
	struct tp_accel_side *s;
	const struct tp_rec *rec;
	const struct tp_field *name;
	ptrdiff_t i;
	double x;

	for (size_t at = 0; (rec = tp_set_next_of(set, kind, src, &at)); ) {
		name = named ? tp_rec_field(rec, named) : NULL;
		i = name ? tp_names_find(&l->names, name->text, name->len) :
		    -1;
		if ((named && i < 0) || !tp_rec_real(rec, key, &x))
			continue;
		s = named ? &l->items[i].side[side] : &only->side[side];
		TP_APPEND(s->samples, s->sample_count, s->sample_cap, x);
	}
}

/* Read the nodes of operators, when recorded. */
static void
read_nodes(struct tp_accel *a, const struct tp_set *set, int side,
    const char *src)
{
	const struct tp_rec *rec;

	for (size_t at = 0; (rec = tp_set_next_of(set, "op.node", src,
	    &at)); ) {
		const struct tp_field *op = tp_rec_field(rec, "op_joined");
		struct tp_accel_node n = { tp_rec_text(rec, "node"), 0 };
		struct tp_accel_side *s;
		ptrdiff_t i = op ? tp_names_find(&a->ops.names, op->text,
		    op->len) : -1;

		if (i < 0 || !n.name || !tp_rec_int(rec, "mean_ns", &n.ns))
			continue;
		s = &a->ops.items[i].side[side];
		TP_APPEND(s->nodes, s->node_count, s->node_cap, n);
	}
}

/* Read the executions by signature, when recorded. */
static void
read_executions(struct tp_accel *a, const struct tp_set *set, int side,
    const char *src)
{
	static const char each[] = "latency.execution";
	const struct tp_field *signature;
	struct tp_accel_item *item;
	const struct tp_rec *rec;
	size_t at = 0;

	if (!tp_set_next_of(set, each, src, &at))
		return;
	for (at = 0; (rec = tp_set_next_of(set, "latency.summary[execution]",
	    src, &at)); ) {
		signature = tp_rec_field(rec, "signature");
		if (!signature)
			continue;
		item = item_of(&a->executions, signature->text);
		add_time(&item->side[side], rec, "median_ns", NULL);
	}
	read_samples(&a->executions, NULL, set, side, src, each, "latency_ns",
	    "signature");
}

/*
 * Before divided by after; of medians when both sides have every run.  Two
 * runs of a program differ by more than their parts show.
 */
static void
find_speedup(const struct tp_accel *accel, struct tp_accel_item *item)
{
	struct tp_accel_side *b = &item->side[TP_BEFORE];
	struct tp_accel_side *a = &item->side[TP_AFTER];

	if (!b->is || !a->is || item->is_mismatch)
		return;
	item->has_speedup = item->has_interval = tp_bootstrap(a->samples,
	    a->sample_count, b->samples, b->sample_count, &item->speedup);
	if (item->has_interval) {
		tp_interval_widen(&item->speedup, accel->one_run);
	} else if (a->ns > 0 && b->ns > 0) {
		item->speedup.factor = (double)b->ns / (double)a->ns;
		item->has_speedup = 1;
	}
}

static void
judge_op(struct tp_accel *a, struct tp_accel_item *op)
{
	double least = limit_of(a, "least");
	double x = op->speedup.factor;

	op->change = TP_ACCEL_UNKNOWN;
	if (op->is_mismatch)
		op->because = "mismatch";
	else if (!op->side[TP_BEFORE].is)
		op->change = TP_ACCEL_NEW;
	else if (!op->side[TP_AFTER].is)
		op->change = TP_ACCEL_GONE;
	else if (!op->has_speedup)
		op->because = "no-time";
	else if (op->has_interval && op->speedup.low <= 1 &&
	    op->speedup.high >= 1) {
		op->change = TP_ACCEL_SAME;
		op->because = "within-noise";
	} else
		op->change = x >= least ? TP_ACCEL_FASTER :
		    x * least <= 1 ? TP_ACCEL_SLOWER : TP_ACCEL_SAME;
}

static const struct cJSON *
expected_of(const struct tp_accel *a, const char *category)
{
	const struct cJSON *i;
	const char *name;

	cJSON_ArrayForEach(i, tp_json_get(a->data, "expected"))
		if ((name = tp_json_text(i, "category")) &&
		    !strcmp(name, category))
			return i;
	return NULL;
}

int
tp_accel_is_target(const struct tp_accel *a, const char *category)
{
	double low;

	return tp_json_number(expected_of(a, category), "low", &low) &&
	    low > limit_of(a, "least");
}

int64_t
tp_accel_packed(const struct tp_accel *a, int side)
{
	int64_t ns;

	return a->nodes[side] && tp_rec_int(a->nodes[side], "packed_ns",
	    &ns) ? ns : -1;
}

static int
is_off_and_on(const struct cJSON *off, const struct cJSON *on,
    const char *const names[])
{
	return tp_build_of(off, on, names[TP_BEFORE]) == TP_BUILD_OFF &&
	    tp_build_of(off, on, names[TP_AFTER]) == TP_BUILD_ON;
}

int
tp_accel_is_of_acceleration(const struct tp_accel *a)
{
	int64_t before = tp_accel_packed(a, TP_BEFORE);
	int64_t after = tp_accel_packed(a, TP_AFTER);

	return a->is_expected || (before >= 0 && after >= 0 &&
	    (before > 0) != (after > 0));
}

/* Whether the second run is the SME2 one of a pair. */
static int
find_roles(struct tp_accel *a, const char *const srcs[],
    const char *const names[], struct tp_err *err)
{
	struct cJSON *words = tp_share_json("ops/xnnpack.json", err);
	const struct cJSON *off = tp_json_get(words, "off");
	const struct cJSON *on = tp_json_get(words, "on");

	if (!words)
		return -1;
	a->is_expected = (tp_accel_packed(a, TP_BEFORE) == 0 &&
	    tp_accel_packed(a, TP_AFTER) > 0) ||
	    is_off_and_on(off, on, srcs) || (names &&
	    is_off_and_on(off, on, names));
	cJSON_Delete(words);
	return 0;
}

static void
read_side(struct tp_accel *a, const struct tp_set *set, int side)
{
	const char *src = a->latency[side]->src;
	struct tp_accel_side *run = &a->run.side[side];
	size_t at = 0;

	a->nodes[side] = tp_set_next_of(set, "delegation.nodes", src, &at);
	run->is = tp_rec_int(a->latency[side], "median_ns", &run->ns);
	read_categories(a, set, side, src);
	read_overheads(a, set, side, src);
	read_executions(a, set, side, src);
	read_ops(a, set, side, src);
	read_nodes(a, set, side, src);
	read_samples(NULL, &a->run, set, side, src, "latency.run", "latency_ns",
	    NULL);
	/* a median over runs of different work means nothing */
	if (is_true(a->latency[side], "is_mixed"))
		return;
	read_samples(&a->parts, NULL, set, side, src, "category.run", "run_ns",
	    "category");
	read_samples(&a->ops, NULL, set, side, src, "op.run", "run_ns",
	    "op_joined");
}

static void
find_all(struct tp_accel *a)
{
	find_speedup(a, &a->run);
	for (size_t i = 0; i < a->executions.count; i++)
		find_speedup(a, &a->executions.items[i]);
	for (size_t i = 0; i < a->parts.count; i++) {
		struct tp_accel_item *part = &a->parts.items[i];

		part->expected = a->is_expected && !part->is_overhead ?
		    expected_of(a, part->name) : NULL;
		find_speedup(a, part);
	}
	for (size_t i = 0; i < a->ops.count; i++) {
		struct tp_accel_item *op = &a->ops.items[i];
		const char *place = op->side[TP_AFTER].place;

		op->expected = a->is_expected && !op->is_mismatch && place &&
		    !strcmp(place, "delegate") ? expected_of(a,
		    op->category) : NULL;
		find_speedup(a, op);
		judge_op(a, op);
	}
}

static void
release_item(struct tp_accel_item *item)
{
	for (int i = 0; i < TP_SIDES; i++) {
		tp_free(item->side[i].samples);
		tp_free(item->side[i].nodes);
	}
}

static void
release_list(struct tp_accel_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		release_item(&l->items[i]);
	tp_free(l->items);
	tp_names_release(&l->names);
}

/* How often trace SRC of SET executed SIGNATURE. */
static int64_t
executions_of(const struct tp_set *set, const char *src,
    const char *signature)
{
	const struct tp_field *f;
	const struct tp_rec *rec;
	int64_t n = 0;

	for (size_t at = 0; (rec = tp_set_next_of(set,
	    "latency.summary[execution]", src, &at)); ) {
		f = tp_rec_field(rec, "signature");
		if (f && !strcmp(f->text, signature))
			tp_rec_int(rec, "execution_count", &n);
	}
	return n;
}

/* Whether every signature has the same share of executions on both sides. */
static int
is_same_mix(const struct tp_accel *a, const struct tp_set sets[])
{
	int64_t all[TP_SIDES], n[TP_SIDES];

	for (int s = 0; s < TP_SIDES; s++)
		if (!tp_rec_int(a->latency[s], "execution_count", &all[s]))
			return 0;
	for (size_t i = 0; i < a->executions.count; i++) {
		for (int s = 0; s < TP_SIDES; s++)
			n[s] = executions_of(&sets[s], a->latency[s]->src,
			    a->executions.items[i].name);
		/* equal quotients of integers round equally */
		if ((double)n[0] / (double)all[0] !=
		    (double)n[1] / (double)all[1])
			return 0;
	}
	return 1;
}

int
tp_accel_make(struct tp_accel *a, const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], const char *const names[TP_SIDES],
    struct tp_err *err)
{
	static const char selector[] = "latency.summary[run]";
	const char *srcs[TP_SIDES];

	memset(a, 0, sizeof *a);
	a->data = tp_compare_accel(rules);
	a->one_run = tp_compare_noise(rules, "one_run");
	for (int i = 0; i < TP_SIDES; i++) {
		size_t at = 0;

		a->latency[i] = tp_set_next(&sets[i], selector, &at);
		if (!a->latency[i])
			return 0;
		srcs[i] = a->latency[i]->src;
		if (tp_set_count(&sets[i], "latency.summary[run]") > 1)
			a->refused = "several-traces";
	}
	if (a->refused)
		return 1;
	for (int i = 0; i < TP_SIDES; i++)
		read_side(a, &sets[i], i);
	if (tp_accel_by_signature(a) && !is_same_mix(a, sets)) {
		/* means per run cover different work */
		a->is_other_mix = 1;
		release_list(&a->parts);
		release_list(&a->ops);
		a->parts = a->ops = (struct tp_accel_list){ 0 };
	}
	if (find_roles(a, srcs, names, err) < 0)
		return -1;
	find_all(a);
	if (!a->run.has_speedup)
		a->refused = "no-time";
	return 1;
}

void
tp_accel_release(struct tp_accel *a)
{
	release_item(&a->run);
	release_list(&a->parts);
	release_list(&a->ops);
	release_list(&a->executions);
}
