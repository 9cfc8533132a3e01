/* emit_perf - what operations of a PyTorch trace did, as records */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>

#include "op_groups.h"

/* Most operators listed around one. */
#define PARENTS_MAX 32

/* Append the name of C; TRACELENS: as TraceLens has it. */
static void
add_name(const struct tp_torch_op_groups *p, const struct tp_torch_counted *c,
    int tracelens, struct tp_buf *name)
{
	const struct tp_name *n = tp_torch_event_name(p->t,
	    &p->t->events[c->event]), *k;

	tp_buf_add(name, n->text, n->len);
	if (c->work == TP_TORCH_NO)
		return;
	k = tp_torch_event_name(p->t, &p->t->events[c->work]);
	tp_buf_str(name, "->");
	tp_buf_add(name, k->text, k->len);
	if (tracelens)
		tp_buf_str(name, " (Synthetic Op)");
}

/* The longest kernel below C, or NULL. */
static const struct tp_torch_event *
longest_kernel(const struct tp_torch_op_groups *p,
    const struct tp_torch_counted *c)
{
	const struct tp_torch_event *best = NULL;
	uint32_t i, last;

	if (c->work != TP_TORCH_NO)
		return &p->t->events[c->work];
	tp_torch_links_below(p->t, &p->t->events[c->event], &i, &last);
	for (; i < last; i++) {
		const struct tp_torch_event *e =
		    &p->t->events[p->t->links[i].work];

		if (!best || e->to_ps - e->from_ps > best->to_ps -
		    best->from_ps)
			best = e;
	}
	return best;
}

/* Write the operators around C, outermost first, as a JSON list. */
static void
out_parents(const struct tp_torch_op_groups *p,
    const struct tp_torch_counted *c)
{
	const struct tp_torch_event *e = &p->t->events[c->event];
	uint32_t chain[PARENTS_MAX], at = e->parent;
	struct tp_buf buf = { 0 };
	size_t n = 0;

	for (; at != TP_TORCH_NO && n < PARENTS_MAX;
	    at = p->t->events[at].parent)
		if (p->t->events[at].cat == TP_TORCH_OP)
			chain[n++] = at;
	if (!n)
		return;
	for (size_t i = n; i-- > 0; ) {
		const struct tp_name *name = tp_torch_event_name(p->t,
		    &p->t->events[chain[i]]);

		tp_buf_str(&buf, i + 1 < n ? ", \"" : "[\"");
		tp_json_escape(&buf, name->text, name->len);
		tp_buf_chr(&buf, '"');
	}
	tp_buf_chr(&buf, ']');
	tp_out_bytes(p->o->out, "parents", buf.p, buf.len);
	tp_buf_release(&buf);
}

/* Write the row's analyser, and what it ran. */
static void
out_whose(const struct tp_torch_op_groups *p, const struct tp_torch_counted *c,
    const struct tp_torch_gain_item *gain, const char *kernel)
{
	tp_out_text(p->o->out, "analyser", gain->analyser);
	tp_out_text(p->o->out, "kernel_library", gain->library);
	tp_out_text(p->o->out, "kernel", kernel);
	tp_torch_out_module_path(p->o, tp_torch_frame_at(&p->o->file->frames,
	    p->t->events[c->event].order));
	out_parents(p, c);
}

/* Work that counts on its own communicates if its kernel does. */
static enum tp_torch_basis
basis_of(const struct tp_torch_op_groups *p, const struct tp_torch_counted *c,
    const char *op, const struct tp_roofline *line)
{
	if (c->work != TP_TORCH_NO ? p->o->work->category[c->work] ==
	    p->o->work->communication :
	    tp_torch_communicates(p->o->analysers, op))
		return TP_GAIN_COMMUNICATION;
	if (!p->o->platform || p->o->platform->memory_bytes_per_s <= 0)
		return TP_GAIN_UNASKED;
	return line->bound == TP_BOUND_COMPUTE ? TP_GAIN_COMPUTE :
	    line->bound == TP_BOUND_MEMORY ? TP_GAIN_MEMORY :
	    TP_GAIN_UNMODELLED;
}

/* Write the GPU time of ROW, its shares, and its variation. */
static void
out_times(struct tp_torch_op_groups *p, const struct tp_torch_group *row)
{
	struct tp_figures gpu = tp_torch_op_groups_times(p, row);

	tp_out_ratio(p->o->out, "gpu_ratio", row->sum_ps, p->table.sum_ps);
	tp_out_ratio(p->o->out, "gpu_of_span_ratio",
	    tp_torch_mean_ps(p->o, row->sum_ps), p->o->span_ps);
	if (gpu.stdev >= 0)
		tp_out_ratio(p->o->out, "gpu_cv_factor", gpu.stdev, gpu.mean);
}

/*
 * The category by name, else by the first kernel that the operation launched
 * itself.
 */
static unsigned
category(const struct tp_torch_op_groups *p, const struct tp_torch_counted *c)
{
	const struct tp_torch_launchers *l = &p->o->file->launchers;
	const struct tp_torch_event *e = &p->t->events[c->event];
	const struct tp_torch_name *name = tp_torch_trait(p->t, e);
	uint32_t first, last;

	if (c->work != TP_TORCH_NO)
		return tp_torch_trait(p->t,
		    &p->t->events[c->work])->kernel_category;
	tp_torch_links_below(p->t, e, &first, &last);
	for (; !name->is_known && first < last; first++) {
		uint32_t at = l->of[p->t->links[first].work];

		if (at != TP_TORCH_NO && l->list[at].event == c->event)
			return l->list[at].category;
	}
	return name->category;
}

/*
 * COUNT times the roofline of operations that took GPU_PS, but at least the
 * time of empty kernels, which cannot be gained.
 */
static int64_t
best_ps(const struct tp_platform *platform, const struct tp_roofline *line,
    uint64_t count, int64_t gpu_ps)
{
	double ps = line->time_ns * 1000 * (double)count;
	double floor = platform->kernel_floor_ns * 1000 * (double)count;

	if (ps < (double)gpu_ps && floor > ps)
		ps = floor < (double)gpu_ps ? floor : (double)gpu_ps;
	return ps < 9e18 ? (int64_t)nearbyint(ps) : INT64_MAX;
}

static int64_t
part_of(int64_t sum_ps, int64_t part, int64_t all)
{
	return all > 0 ? (int64_t)nearbyint((double)sum_ps *
	    ((double)part / (double)all)) : 0;
}

/*
 * Set the parts of ROW's time whose gain is counted elsewhere: what need not
 * be run again, and of the rest what is in candidates for fusion.
 */
static void
set_counted_elsewhere(const struct tp_torch_op_groups *p,
    const struct tp_torch_group *row, struct tp_torch_gain_item *gain)
{
	const uint32_t *is_merged = p->o->merged;
	const uint8_t *is_again = p->o->again;
	int64_t all = 0, merged = 0, again = 0;

	for (uint32_t i = 0; (is_merged || is_again) && i < row->count; i++) {
		const struct tp_torch_counted *c =
		    &p->counts.list[p->table.items[row->first + i]];
		uint32_t first = 0, last = 0;

		if (c->work == TP_TORCH_NO)
			tp_torch_links_below(p->t, &p->t->events[c->event],
			    &first, &last);
		for (; first < last; first++) {
			uint32_t work = p->t->links[first].work;
			const struct tp_torch_event *e = &p->t->events[work];

			all += e->to_ps - e->from_ps;
			if (is_again && is_again[work])
				again += e->to_ps - e->from_ps;
			else if (is_merged && is_merged[work])
				merged += e->to_ps - e->from_ps;
		}
	}
	gain->merged_ps = part_of(row->sum_ps, merged, all);
	gain->again_ps = part_of(row->sum_ps, again, all);
}

/* Count ROW's time for SPEC ("matrix_bf16"; may be NULL). */
static void
add_spec(struct tp_torch_op_groups *p, const struct tp_torch_group *row,
    const char *spec)
{
	size_t had = p->specs.count;
	ptrdiff_t at;

	if (!spec || strncmp(spec, "matrix_", 7))
		return;
	at = tp_names_add(&p->specs, spec + 7, strlen(spec + 7));
	TP_ITEM(p->spec_ps, p->spec_cap, at);
	p->spec_ps[at] = ((size_t)at == had ? 0 : p->spec_ps[at]) +
	    row->sum_ps;
}

/* Write the precisions of matrix products, longest time first. */
static void
emit_precision(const struct tp_torch_op_groups *p)
{
	struct tp_tab tab = { .count = p->specs.count,
	    .process_rank = p->o->rank };

	TP_TAB_ARRAY(&tab, NULL, "precision", TP_TAB_STRING, p->specs.names);
	TP_TAB_ARRAY(&tab, NULL, "time", TP_TAB_PS, p->spec_ps);
	tp_tab_emit(&tab, "model.precision", NULL, p->o->out);
}

/* A row to write: operations with equal name and arguments. */
struct unified {
	const struct tp_torch_group *row;
	const struct tp_torch_counted *c;
	const struct tp_torch_event *e;
	const char *kernel;		/* the longest, or NULL */
	uint8_t pattern;		/* pattern it indicates, or 0 */
	int is_copy;			/* between host and GPU */
	struct tp_torch_perf perf;
	struct tp_cost matrix;		/* its cost on the matrix units */
	struct tp_figures host;	/* each call counted once */
	struct tp_torch_gain_item gain;
	struct tp_buf name;
};

static void
emit_true(struct tp_torch_op_groups *p, const struct unified *u)
{
	tp_torch_out_begin(p->o, "op.perf");
	tp_out_bytes(p->o->out, "op", u->name.p, u->name.len);
	tp_out_text(p->o->out, "category", u->gain.category);
	out_whose(p, u->c, &u->gain, u->kernel);
	tp_torch_out_lane(p->o, u->e->lane);
	tp_torch_out_call(p->o, u->e, 1);
	tp_torch_op_groups_params(p, u->perf.params, u->perf.param_count);
	tp_out_bool(p->o->out, "has_model", u->perf.has_model);
	out_times(p, u->row);
	tp_torch_out_stat(p->o, "host", &u->host);
	tp_torch_op_groups_cost(p, u->row, &u->perf.cost);
	tp_torch_op_groups_roofline(p, u->row, &u->perf.cost);
	tp_out_end(p->o->out);
}

/*
 * Write the row in the terms of TraceLens: work launched by runtime calls has
 * category "other", and a call counts once per kernel.
 */
static void
emit_tracelens(struct tp_torch_op_groups *p, const struct unified *u)
{
	struct tp_figures host = tp_torch_group_stat(&p->table, u->row,
	    p->host);
	struct tp_buf name = { 0 };

	add_name(p, u->c, 1, &name);
	tp_torch_out_begin(p->o, "op.unified");
	tp_out_bytes(p->o->out, "op", name.p, name.len);
	tp_out_text(p->o->out, "category", u->gain.category);
	tp_out_text(p->o->out, "tracelens_category",
	    u->c->work != TP_TORCH_NO && u->e->cat != TP_TORCH_OP ? "other" :
	    u->gain.category);
	tp_torch_out_lane(p->o, u->e->lane);
	tp_torch_out_call(p->o, u->e, 1);
	tp_out_bool(p->o->out, "has_model", u->perf.tracelens.has_model);
	out_times(p, u->row);
	tp_torch_out_stat(p->o, "host", &host);
	tp_torch_op_groups_cost(p, u->row, &u->perf.tracelens.cost);
	tp_out_end(p->o->out);
	tp_buf_release(&name);
}

/*
 * Compare what a kernel without matrix units computes with the vector rate:
 * what these units would give is the gain of its pattern.
 */
static void
take_vector_rate(const struct tp_torch_op_groups *p, struct unified *u)
{
	const struct tp_class *pattern = u->pattern ?
	    &p->o->categories->patterns.list[u->pattern - 1] : NULL;
	const char *spec = pattern ?
	    tp_json_text(pattern->row, "compute_spec") : NULL;

	u->matrix = u->perf.cost;
	if (spec && u->perf.cost.spec && !strncmp(u->perf.cost.spec,
	    "matrix_", 7))
		u->perf.cost.spec = spec;
}

/* The low estimate of what U gains on the best units for its types. */
static int64_t
pattern_gain_ps(const struct tp_torch_op_groups *p, const struct unified *u)
{
	struct tp_roofline line = tp_roofline_of(p->o->platform, &u->matrix);
	struct tp_torch_gain_item gain = u->gain;

	if (line.bound == TP_BOUND_UNKNOWN)
		return 0;
	gain.best_ps = best_ps(p->o->platform, &line, u->row->count,
	    u->row->sum_ps);
	tp_torch_gain_estimate(&gain, p->o->analysers);
	return gain.gain.low_ps;
}

/* Set the analyser, library and gain of a row. */
static void
judge(struct tp_torch_op_groups *p, struct unified *u)
{
	struct tp_roofline line = tp_roofline_of(p->o->platform,
	    &u->perf.cost);
	struct tp_torch_gain_item *gain = &u->gain;

	gain->op = u->name.p;
	if (u->e->cat == TP_TORCH_OP)
		gain->dims = tp_torch_args_of(p->t, u->e).dims;
	gain->analyser = tp_torch_analyser(p->o->analysers, u->name.p,
	    gain->category);
	gain->library = tp_torch_library(p->o->analysers, u->name.p,
	    u->kernel);
	gain->basis = u->is_copy ? TP_GAIN_COPY :
	    basis_of(p, u->c, u->name.p, &line);
	gain->best_ps = gain->basis < TP_GAIN_COMPUTE ? 0 :
	    best_ps(p->o->platform, &line, u->row->count, u->row->sum_ps);
	gain->pattern = u->pattern;
	tp_torch_gain_add(&p->gains, p->o->analysers, *gain);
	add_spec(p, u->row, u->matrix.spec);
	if (u->pattern && gain->basis >= TP_GAIN_COMPUTE)
		p->o->work->pattern_gain_ps[u->pattern - 1] +=
		    pattern_gain_ps(p, u);
}

/*
 * Whether all work below C is copies between host and GPU, which GPU memory
 * does not limit.
 */
static int
is_host_copy(const struct tp_torch_op_groups *p,
    const struct tp_torch_counted *c)
{
	uint32_t first, last;

	if (c->work != TP_TORCH_NO)
		return 0;
	tp_torch_links_below(p->t, &p->t->events[c->event], &first, &last);
	for (uint32_t i = first; i < last; i++) {
		uint32_t work = p->t->links[i].work;

		if (p->t->events[work].cat != TP_TORCH_MEMCPY ||
		    !strcmp(tp_torch_copy_direction(p->t, work), "D2D"))
			return 0;
	}
	return first < last;
}

/* Add work of LIMIT that takes PS, at best BEST_PS; 0: unknown. */
static void
add_limit(struct tp_torch_work *w, enum tp_torch_limit limit, int64_t ps,
    int64_t best_ps)
{
	if (limit == TP_TORCH_UNCOSTED)
		return;
	w->sum_ps[limit] += ps;
	w->best_ps[limit] += best_ps < ps ? best_ps : ps;
}

/*
 * Set what limits memsets from FIRST to LAST beside other work, of which the
 * operator's cost says nothing.  Returns how long they take.
 */
static int64_t
take_memsets(struct tp_torch_op_groups *p, uint32_t first, uint32_t last)
{
	struct tp_torch_work *w = p->o->work;
	int64_t sum = 0, best, ps;
	uint32_t others = 0;

	for (uint32_t i = first; i < last; i++)
		others += w->category[p->t->links[i].work] != w->memset;
	for (uint32_t i = first; others && i < last; i++) {
		uint32_t at = p->t->links[i].work;
		const struct tp_torch_event *e = &p->t->events[at];
		struct tp_cost cost = { 0, tp_torch_number(p->t, e->bytes),
		    NULL };

		if (w->category[at] != w->memset)
			continue;
		ps = e->to_ps - e->from_ps;
		w->limit[at] = (uint8_t)tp_torch_limit_of(p->o->platform,
		    p->o->categories->floor_factor, &cost, ps, &best);
		add_limit(w, w->limit[at], ps, best);
		sum += ps;
	}
	return sum;
}

/* The mean time of a kernel below the operations of ROW. */
static int64_t
kernel_mean_ps(const struct tp_torch_op_groups *p,
    const struct tp_torch_group *row)
{
	uint32_t count = 0, first, last;

	for (uint32_t i = 0; i < row->count; i++) {
		const struct tp_torch_counted *c =
		    &p->counts.list[p->table.items[row->first + i]];

		if (c->work != TP_TORCH_NO)
			continue;
		tp_torch_links_below(p->t, &p->t->events[c->event], &first,
		    &last);
		count += last - first;
	}
	return count ? row->sum_ps / count : 0;
}

/* Set what limits the work of ROW, all of which has COST. */
static void
take_limits(struct tp_torch_op_groups *p, const struct tp_torch_group *row,
    const struct tp_cost *cost)
{
	struct tp_torch_work *w = p->o->work;
	int64_t best, mean = row->count ? row->sum_ps / row->count : 0;
	int64_t sum_ps = row->sum_ps;
	enum tp_torch_limit limit = tp_torch_limit_of(p->o->platform,
	    p->o->categories->floor_factor, cost, kernel_mean_ps(p, row),
	    &best);

	/* what takes far longer than either roof allows is not held up by it */
	if ((limit == TP_TORCH_MATH || limit == TP_TORCH_MEMORY) &&
	    p->o->analysers->band_count && (double)best <
	    p->o->analysers->bands[0] * (double)mean)
		limit = TP_TORCH_UNCOSTED;
	for (uint32_t i = 0; i < row->count; i++) {
		const struct tp_torch_counted *c =
		    &p->counts.list[p->table.items[row->first + i]];
		uint32_t from = 0, last = 0;

		if (c->work != TP_TORCH_NO) {
			w->item[c->work] = (uint32_t)p->gains.count + 1;
			continue;
		}
		tp_torch_links_below(p->t, &p->t->events[c->event], &from,
		    &last);
		for (uint32_t k = from; k < last; k++) {
			w->limit[p->t->links[k].work] = (uint8_t)limit;
			w->item[p->t->links[k].work] =
			    (uint32_t)p->gains.count + 1;
		}
		sum_ps -= take_memsets(p, from, last);
	}
	if (sum_ps > 0)
		add_limit(w, limit, sum_ps, best < mean ?
		    best * row->count : sum_ps);
}

/* Count what ROW took, is limited by and could gain. */
static void
count_group(struct tp_torch_op_groups *p, struct unified *u)
{
	const struct tp_torch_group *row = u->row;

	u->gain.gpu_ps = row->sum_ps;
	u->gain.host_ps = u->host.sum < 0 ? 0 : u->host.sum;
	u->gain.count = row->count;
	u->gain.variant = p->variants.ids[p->groups[
	    p->table.items[row->first]]].a;
	set_counted_elsewhere(p, row, &u->gain);
	take_limits(p, row, &u->perf.cost);
	if (u->e->cat == TP_TORCH_OP)
		tp_torch_patterns_add(&p->o->work->patterns, p->t, u->e->name,
		    tp_torch_args_of(p->t, u->e).dims, &u->perf, p->o->platform,
		    row->sum_ps, u->gain.again_ps, row->count);
	judge(p, u);
}

static void
emit_unified(struct tp_torch_op_groups *p, const struct tp_torch_group *row)
{
	struct unified u =
	    { .row = row, .c = tp_torch_op_groups_first(p, row) };
	const struct tp_torch_event *longest;

	u.e = &p->t->events[u.c->event];
	u.host = tp_torch_group_stat(&p->table, row, p->calls);
	longest = longest_kernel(p, u.c);
	if (longest) {
		u.kernel = tp_torch_event_name(p->t, longest)->text;
		u.pattern = p->o->work->pattern[longest->name];
	}
	u.perf.cost.flops = u.perf.cost.bytes = -1;
	u.perf.tracelens.cost = u.perf.cost;
	if (u.c->work == TP_TORCH_NO)
		tp_torch_op_groups_evaluate(p, u.c, u.kernel, &u.perf);
	add_name(p, u.c, 0, &u.name);
	if (is_host_copy(p, u.c)) {
		u.is_copy = 1;
		u.perf.cost = (struct tp_cost){ -1, -1, NULL };
	}
	take_vector_rate(p, &u);
	u.gain.category = tp_torch_category_name(p->t->ops,
	    category(p, u.c));
	if (p->is_true)
		count_group(p, &u);
	if ((!p->o->uncosted || (u.perf.cost.flops < 0 && u.perf.cost.bytes <
	    0))) {
		if (p->is_true)
			emit_true(p, &u);
		if (p->is_tracelens)
			emit_tracelens(p, &u);
	}
	tp_buf_release(&u.name);
}

TP_ORDER(by_name, uint32_t, TP_BY(TP_CMP(*a, *b)))

/*
 * The index in SETS of the set of kernels below C.  NAMES is room for all of
 * them.
 */
static ptrdiff_t
kernels_of(const struct tp_torch_op_groups *p, const struct tp_torch_counted *c,
    struct tp_names *sets, uint32_t *names)
{
	uint32_t first = 0, last = 0;
	size_t n = 0, distinct = 0;

	if (c->work == TP_TORCH_NO)
		tp_torch_links_below(p->t, &p->t->events[c->event], &first,
		    &last);
	for (; first < last; first++)
		names[n++] = p->t->events[p->t->links[first].work].name;
	TP_SORT(names, n, by_name);
	for (size_t i = 0; i < n; i++)
		if (!distinct || names[i] != names[distinct - 1])
			names[distinct++] = names[i];
	return tp_names_add(sets, (const char *)names,
	    distinct * sizeof *names);
}

/*
 * Group operations by name, kernel, category, names of process and thread,
 * arguments, and the server's step if that matters; in op.perf also by the set
 * of their kernels: that of another one is other work.
 */
static void
group_unified(struct tp_torch_op_groups *p)
{
	struct tp_ids ids = { 0 }, calls = { 0 };
	uint32_t *names = tp_alloc((p->t->link_count + 1) * sizeof *names);
	struct tp_names sets = { 0 };
	ptrdiff_t at, set;
	uint32_t step;

	for (size_t i = 0; i < p->counts.count; i++) {
		const struct tp_torch_counted *c = &p->counts.list[i];
		const struct tp_torch_event *e = &p->t->events[c->event];
		uint64_t work = c->work == TP_TORCH_NO ? 0 :
		    (uint64_t)p->t->events[c->work].name + 1;

		at = tp_ids_add(&calls, (uint64_t)e->name << 32 | work,
		    (uint64_t)(e->cat == TP_TORCH_OP ? e->inputs : 0) << 16 |
		    category(p, c));
		step = tp_torch_op_groups_step(p, e);
		at = tp_ids_add(&ids, (uint64_t)at, (uint64_t)(step ==
		    TP_TORCH_NO ? 0 : p->t->events[step].name + 1) << 32 |
		    p->o->lane_group[e->lane]);
		set = p->is_true ? kernels_of(p, c, &sets, names) : 0;
		p->groups[i] = (uint32_t)tp_ids_add(&p->variants,
		    (uint64_t)at, (uint64_t)set);
	}
	tp_torch_table_make(&p->table, p->groups, p->gpu, p->counts.count,
	    p->variants.count);
	if (p->variants.count == ids.count && !p->counts.is_inner)
		p->is_tracelens = 1;
	tp_names_release(&sets);
	tp_ids_release(&ids);
	tp_ids_release(&calls);
	tp_free(names);
}

static void
unified(struct tp_torch_op_groups *p, const struct tp_torch_passes *passes)
{
	tp_torch_unify(&p->counts, !p->is_true, p->t, &p->o->file->launchers,
	    passes, p->o->models);
	tp_torch_op_groups_init(p);
	group_unified(p);
	for (size_t i = 0; i < p->table.count; i++)
		emit_unified(p, &p->table.list[i]);
	if (!p->is_true)
		return;
	emit_precision(p);
	tp_torch_emit_gains(p->o, &p->gains);
}

void
tp_torch_emit_perf(const struct tp_torch_out *o,
    const struct tp_torch_passes *passes)
{
	enum { COUNTED, TRACELENS, MODELS, BACKWARD, TABLES };
	int is_tracelens = 0;

	for (int i = 0; i < TABLES; i++) {
		struct tp_torch_op_groups p = { .o = o, .t = &o->file->torch,
		    .is_true = i == COUNTED, .is_tracelens = i == TRACELENS };

		if (i >= MODELS)
			tp_torch_emit_models(&p, passes, i == BACKWARD);
		else if (!is_tracelens)
			unified(&p, passes);
		is_tracelens |= p.is_tracelens;
		tp_torch_op_groups_release(&p);
	}
}
