/* emit_gaps - idle gaps of a PyTorch trace as records */
#include <tp/alloc.h>
#include <tp/budget.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/text.h>

#include "emit_torch.h"

/* Gaps as items of tables. */
struct items {
	const struct tp_torch_gaps *gaps;
	int64_t *durations;
	int64_t *in_part;	/* time of each that the budget counts in the
				 * part that a table is about */
	const int64_t *ranked_by;	/* time that orders the rows */
	uint32_t *groups;
};

/* Number and time of gaps by trigger. */
struct triggers {
	int64_t count[TP_TORCH_TRIGGERS], ps[TP_TORCH_TRIGGERS];
};

static void
triggers_add(struct triggers *t, const struct tp_torch_gap *g)
{
	t->count[g->trigger]++;
	t->ps[g->trigger] += g->to_ps - g->from_ps;
}

static void
triggers_emit(const struct tp_torch_out *o, const struct triggers *t)
{
	tp_out_int(o->out, "sync_drain_count",
	    t->count[TP_TORCH_SYNC_DRAIN]);
	tp_out_ps(o->out, "sync_drain_ns", t->ps[TP_TORCH_SYNC_DRAIN]);
	tp_out_int(o->out, "starved_count", t->count[TP_TORCH_STARVED]);
	tp_out_ps(o->out, "starved_ns", t->ps[TP_TORCH_STARVED]);
}

static void
out_head(const struct tp_torch_out *o, const struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_group *row)
{
	int64_t sum = 0, max = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		int64_t d = it->durations[table->items[row->first + i]];

		sum += d;
		TP_MOST(max, d);
	}
	tp_out_ps(o->out, "gap_total_ns", sum);
	tp_out_ps(o->out, "gap_max_ns", max);
	tp_out_ratio(o->out, "idle_ratio", sum, it->gaps->total_ps);
}

static const struct tp_torch_gap *
gap_of(const struct items *it, const struct tp_torch_table *table,
    const struct tp_torch_group *row, uint32_t i)
{
	return &it->gaps->list[table->items[row->first + i]];
}

/* Writes the part of the budget that G's main activity belongs to. */
static void
out_main_part(const struct tp_torch_out *o, const struct tp_torch_gap *g)
{
	tp_out_text(o->out, "part",
	    tp_budget_part_name(tp_torch_gap_part(o, g).part));
}

/* Write what the host did in the gap: class of calls, and name. */
static void
out_host(const struct tp_torch_out *o, const struct tp_torch_gap *g)
{
	const struct tp_torch_ops *ops = o->file->torch.ops;

	if (g->cause == TP_TORCH_IN_RUNTIME)
		tp_out_text(o->out, "runtime_class",
		    ops->runtime.list[g->runtime_class].name);
	if (g->host_name != TP_TORCH_NO)
		tp_torch_out_name(o, "host_name", g->host_name);
}

static void
emit_class(const struct tp_torch_out *o, const struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_group *row)
{
	struct triggers triggers = { 0 };
	int64_t queued = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		const struct tp_torch_gap *g = gap_of(it, table, row, i);

		triggers_add(&triggers, g);
		queued += g->queued;
	}
	tp_torch_out_begin(o, "gap.class");
	tp_out_text(o->out, "cause", tp_torch_causes[row->group]);
	tp_out_int(o->out, "gap_count", row->count);
	out_head(o, it, table, row);
	triggers_emit(o, &triggers);
	if (row->group == TP_TORCH_LAUNCH_ANOMALY)
		tp_out_int(o->out, "queued_count", queued);
	tp_out_end(o->out);
}

/* Write the gaps that are too short for a cause. */
static void
emit_short(const struct tp_torch_out *o, const struct tp_torch_gaps *g)
{
	if (!g->short_count)
		return;
	tp_torch_out_begin(o, "gap.class");
	tp_out_text(o->out, "cause", "short");
	tp_out_int(o->out, "gap_count", (int64_t)g->short_count);
	tp_out_ps(o->out, "gap_total_ns", g->short_ps);
	tp_out_ratio(o->out, "idle_ratio", g->short_ps, g->total_ps);
	tp_out_end(o->out);
}

static void
emit_host(const struct tp_torch_out *o, const struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_group *row)
{
	const struct tp_torch_gap *first = gap_of(it, table, row, 0);
	int64_t host_ps = 0;

	for (uint32_t i = 0; i < row->count; i++)
		host_ps += gap_of(it, table, row, i)->host_ps;
	tp_torch_out_begin(o, "gap.host");
	tp_out_int(o->out, "rank", row - table->list + 1);
	tp_out_text(o->out, "cause", tp_torch_causes[first->cause]);
	out_host(o, first);
	out_main_part(o, first);
	tp_out_int(o->out, "gap_count", row->count);
	out_head(o, it, table, row);
	tp_out_ps(o->out, "host_self_ns", host_ps);
	tp_out_end(o->out);
}

/*
 * The name of the operator that launched the work after G, else of that work.
 */
static uint32_t
op_after(const struct tp_torch_out *o, const struct tp_torch_gap *g)
{
	const struct tp_torch_launchers *l = &o->file->launchers;
	uint32_t at = l->of[g->next];

	return o->file->torch.events[at == TP_TORCH_NO ? g->next :
	    l->list[at].event].name;
}

static void
emit_op(const struct tp_torch_out *o, const struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_group *row)
{
	tp_torch_out_begin(o, "gap.op");
	tp_out_int(o->out, "rank", row - table->list + 1);
	tp_torch_out_name(o, "name", row->group);
	tp_out_int(o->out, "count", row->count);
	out_head(o, it, table, row);
	tp_out_end(o->out);
}

typedef void emit_row(const struct tp_torch_out *o, const struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_group *row);

static void
emit_table(const struct tp_torch_out *o, const struct items *it, size_t groups,
    emit_row *emit)
{
	struct tp_torch_table table;

	tp_torch_table_make(&table, it->groups, it->ranked_by,
	    it->gaps->count, groups);
	for (size_t i = 0; i < table.count; i++)
		emit(o, it, &table, &table.list[i]);
	tp_torch_table_release(&table);
}

static void
emit_classes(const struct tp_torch_out *o, struct items *it)
{
	for (size_t i = 0; i < it->gaps->count; i++)
		it->groups[i] = it->gaps->list[i].cause;
	emit_table(o, it, TP_TORCH_CAUSES, emit_class);
}

static void
emit_hosts(const struct tp_torch_out *o, struct items *it)
{
	struct tp_ids ids = { 0 };

	for (size_t i = 0; i < it->gaps->count; i++) {
		const struct tp_torch_gap *g = &it->gaps->list[i];

		it->groups[i] = UINT32_MAX;
		if (g->host_name == TP_TORCH_NO)
			continue;
		it->groups[i] = (uint32_t)tp_ids_add(&ids, g->host_name,
		    (uint64_t)tp_torch_gap_part(o, g).part << 16 |
		    (uint64_t)g->cause << 8 | g->runtime_class);
	}
	emit_table(o, it, ids.count, emit_host);
	tp_ids_release(&ids);
}

static void
emit_ops(const struct tp_torch_out *o, struct items *it)
{
	for (size_t i = 0; i < it->gaps->count; i++)
		it->groups[i] = it->gaps->list[i].cause == TP_TORCH_EDGE ?
		    UINT32_MAX : op_after(o, &it->gaps->list[i]);
	emit_table(o, it, o->file->torch.names.count, emit_op);
}

/* Write the part of the budget that a name assigns G to. */
static void
out_part(const struct tp_torch_out *o, const struct tp_torch_gap *g)
{
	if (g->about)
		tp_out_text(o->out, "part", tp_budget_part_name(
		    (enum tp_budget_part)g->about->number));
}

/* Write gaps by Python function, where the host was late. */
static void
emit_function(const struct tp_torch_out *o, const struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_group *row)
{
	const struct tp_torch_gap *first = gap_of(it, table, row, 0);
	const struct tp_name *name =
	    &o->file->torch.function_names.names[first->function];

	tp_torch_out_begin(o, "gap.function");
	tp_out_int(o->out, "rank", row - table->list + 1);
	tp_out_bytes(o->out, "function", name->text, name->len);
	out_main_part(o, first);
	tp_out_ps(o->out, "in_part_ns", row->sum_ps);
	tp_out_int(o->out, "gap_count", row->count);
	out_head(o, it, table, row);
	tp_out_end(o->out);
}

/* Time of G in its function, as far as the budget counts it in its part. */
static int64_t
in_function(const struct tp_torch_out *o, const struct tp_torch_gap *g)
{
	int64_t ps = tp_torch_gap_in_part(o, g);

	return ps < g->function_ps ? ps : g->function_ps;
}

static void
emit_functions(const struct tp_torch_out *o, struct items *it)
{
	struct tp_ids ids = { 0 };

	it->ranked_by = it->in_part;
	for (size_t i = 0; i < it->gaps->count; i++) {
		const struct tp_torch_gap *g = &it->gaps->list[i];

		it->groups[i] = UINT32_MAX;
		if (g->function == TP_TORCH_NO ||
		    g->cause == TP_TORCH_INSIDE_LAUNCH ||
		    g->cause == TP_TORCH_PROFILER ||
		    g->cause == TP_TORCH_STREAM_WAIT ||
		    g->cause == TP_TORCH_LAUNCH_ANOMALY ||
		    g->cause == TP_TORCH_LAUNCH_OVERHEAD)
			continue;
		it->groups[i] = (uint32_t)tp_ids_add(&ids, g->function,
		    (uint64_t)tp_torch_gap_part(o, g).part);
		it->in_part[i] = in_function(o, g);
	}
	emit_table(o, it, ids.count, emit_function);
	it->ranked_by = it->durations;
	tp_ids_release(&ids);
}

/* Time of G for which nothing was recorded of its host. */
static int64_t
unrecorded_ps(const struct tp_torch_out *o, const struct tp_torch_gap *g)
{
	struct tp_torch_gap_piece p;
	int64_t ps = 0;

	for (size_t i = 0; tp_torch_gap_piece(o, g, i, &p); i++)
		if (p.in.part == TP_PART_UNRECORDED &&
		    tp_same(p.in.cause, "between-operators"))
			ps += p.ps;
	return ps;
}

/* Write gaps by the name of a range on the host. */
static void
emit_range(const struct tp_torch_out *o, const struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_group *row)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_gap *first = gap_of(it, table, row, 0);
	const struct tp_torch_event *e = &t->events[first->annotation];
	const char *loader = first->about ?
	    tp_json_text(first->about->row, "loader") : NULL;
	int64_t unrecorded = 0;

	for (uint32_t i = 0; i < row->count; i++)
		unrecorded += unrecorded_ps(o, gap_of(it, table, row, i));
	tp_torch_out_begin(o, "gap.range");
	tp_out_int(o->out, "rank", row - table->list + 1);
	tp_torch_out_name(o, "annotation", e->name);
	out_part(o, first);
	tp_out_text(o->out, "loader", loader);
	tp_out_int(o->out, "gap_count", row->count);
	out_head(o, it, table, row);
	tp_out_ps(o->out, "unrecorded_ns", unrecorded);
	tp_out_end(o->out);
}

/* Write gaps by the call that waited for the GPU and the operator around it. */
static void
emit_sync(const struct tp_torch_out *o, const struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_group *row)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_event *e =
	    &t->events[gap_of(it, table, row, 0)->sync];
	uint32_t op = tp_torch_op_around(t, e);
	const struct tp_torch_gap *most = gap_of(it, table, row, 0);
	const struct tp_torch_sync *sync;
	int64_t waited = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		const struct tp_torch_gap *g = gap_of(it, table, row, i);

		waited += g->waited_ps;
		most = g->waited_ps > most->waited_ps ? g : most;
	}
	sync = tp_torch_sync_of(t, most->sync);
	tp_torch_out_begin(o, "gap.sync");
	tp_out_int(o->out, "rank", row - table->list + 1);
	tp_torch_out_name(o, "sync_name", e->name);
	if (op != TP_TORCH_NO)
		tp_torch_out_name(o, "op", t->events[op].name);
	tp_out_ps(o->out, "in_part_ns", row->sum_ps);
	tp_out_int(o->out, "gap_count", row->count);
	out_head(o, it, table, row);
	tp_out_ps(o->out, "waited_ns", waited);
	/* of the longest wait */
	if (sync && sync->awaited >= 0)
		tp_out_int(o->out, "awaited_stream", sync->awaited);
	tp_out_end(o->out);
}

static void
emit_gap(const struct tp_torch_out *o, const struct tp_torch_gap *g,
    int64_t rank)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_event *next = &t->events[g->next];

	tp_torch_out_begin(o, "gap");
	tp_out_int(o->out, "rank", rank);
	tp_out_ps(o->out, "start_ns", g->from_ps);
	tp_out_ps(o->out, "duration_ns", g->to_ps - g->from_ps);
	tp_out_text(o->out, "cause", tp_torch_causes[g->cause]);
	/* as in the budget: queued work is not delayed by the host */
	if (!g->queued)
		out_part(o, g);
	if (g->trigger)
		tp_out_text(o->out, "trigger",
		    tp_torch_triggers[g->trigger]);
	if (g->sync != TP_TORCH_NO)
		tp_torch_out_name(o, "sync_name", t->events[g->sync].name);
	if (g->annotation != TP_TORCH_NO)
		tp_torch_out_name(o, "annotation",
		    t->events[g->annotation].name);
	if (g->function != TP_TORCH_NO)
		tp_out_text(o->out, "function",
		    t->function_names.names[g->function].text);
	out_host(o, g);
	if (g->host_name != TP_TORCH_NO)
		tp_out_ps(o->out, "host_self_ns", g->host_ps);
	tp_torch_out_name(o, "name", op_after(o, g));
	tp_torch_out_name(o, "kernel", next->name);
	tp_torch_out_name(o, "kernel_before", t->events[g->before].name);
	if (tp_torch_is_linked(next)) {
		int64_t to_ps =
		    t->events[tp_torch_submit_call(t, g->next)].to_ps;

		tp_out_ps(o->out, "launch_delay_ns",
		    next->from_ps > to_ps ? next->from_ps - to_ps : 0);
	}
	tp_out_end(o->out);
}

/* Group gaps by the open range. */
static void
emit_ranges(const struct tp_torch_out *o, struct items *it)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_ids ids = { 0 };

	for (size_t i = 0; i < it->gaps->count; i++) {
		uint32_t event = it->gaps->list[i].annotation;

		it->groups[i] = UINT32_MAX;
		if (event == TP_TORCH_NO)
			continue;
		it->groups[i] = (uint32_t)tp_ids_add(&ids,
		    t->events[event].name, 0);
	}
	emit_table(o, it, ids.count, emit_range);
	tp_ids_release(&ids);
}

/* Group gaps by the call that waited before, if it waited for work. */
static void
emit_syncs(const struct tp_torch_out *o, struct items *it)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_ids ids = { 0 };
	struct tp_torch_gap_piece waited;

	it->ranked_by = it->in_part;
	for (size_t i = 0; i < it->gaps->count; i++) {
		const struct tp_torch_gap *g = &it->gaps->list[i];
		uint32_t op;

		it->groups[i] = UINT32_MAX;
		if (g->trigger != TP_TORCH_SYNC_DRAIN)
			continue;
		op = tp_torch_op_around(t, &t->events[g->sync]);
		it->groups[i] = (uint32_t)tp_ids_add(&ids,
		    t->events[g->sync].name, op == TP_TORCH_NO ? 0 :
		    t->events[op].name + 1u);
		tp_torch_gap_piece(o, g, 0, &waited);
		it->in_part[i] = waited.ps;
	}
	emit_table(o, it, ids.count, emit_sync);
	it->ranked_by = it->durations;
	tp_ids_release(&ids);
}

/* Most gaps listed one by one. */
enum { LONGEST = 32 };

/* Write the COUNT longest gaps, earlier ones first among equals. */
static void
emit_longest(const struct tp_torch_out *o, const struct items *it, size_t count)
{
	const struct tp_torch_gap *list[LONGEST];
	size_t n = 0;

	for (size_t i = 0; i < it->gaps->count; i++) {
		size_t at = n;

		for (; at && list[at - 1]->to_ps - list[at - 1]->from_ps <
		    it->durations[i]; at--)
			if (at < count)
				list[at] = list[at - 1];
		if (at >= count)
			continue;
		list[at] = &it->gaps->list[i];
		n += n < count;
	}
	for (size_t i = 0; i < n; i++)
		emit_gap(o, list[i], (int64_t)i + 1);
}

static void
emit_summary(const struct tp_torch_out *o, const struct tp_torch_gaps *g)
{
	struct triggers triggers = { 0 };

	for (size_t i = 0; i < g->count; i++)
		triggers_add(&triggers, &g->list[i]);
	tp_torch_out_begin(o, "gap.summary");
	tp_out_int(o->out, "gap_count",
	    (int64_t)(g->count + g->short_count));
	tp_out_ps(o->out, "gap_total_ns", g->total_ps);
	tp_out_ps(o->out, "gap_max_ns", g->max_ps);
	tp_out_ratio(o->out, "gap_of_busy_factor", g->total_ps,
	    tp_torch_busy(&o->file->times.all));
	tp_out_ps(o->out, "short_gap_limit_ns", g->ignore_ps);
	triggers_emit(o, &triggers);
	tp_out_ratio(o->out, "sync_drain_of_idle_ratio",
	    triggers.ps[TP_TORCH_SYNC_DRAIN], g->total_ps);
	tp_out_ratio(o->out, "starved_of_idle_ratio",
	    triggers.ps[TP_TORCH_STARVED], g->total_ps);
	tp_out_end(o->out);
}

void
tp_torch_emit_gaps(const struct tp_torch_out *o)
{
	const struct tp_torch_gaps *g = &o->file->gaps;
	size_t n = g->count + 1;
	struct items it = { .gaps = g,
	    .durations = tp_alloc(n * sizeof *it.durations),
	    .in_part = tp_alloc(n * sizeof *it.in_part),
	    .groups = tp_alloc(n * sizeof *it.groups) };

	it.ranked_by = it.durations;
	for (size_t i = 0; i < g->count; i++)
		it.durations[i] = g->list[i].to_ps - g->list[i].from_ps;
	if (o->file->torch.gpu_count) {
		emit_summary(o, g);
		emit_classes(o, &it);
		emit_short(o, g);
		tp_torch_emit_gap_parts(o);
		emit_hosts(o, &it);
		emit_ranges(o, &it);
		emit_functions(o, &it);
		emit_syncs(o, &it);
		emit_ops(o, &it);
		emit_longest(o, &it, LONGEST < g->longest ? LONGEST :
		    g->longest);
	}
	tp_free(it.durations);
	tp_free(it.in_part);
	tp_free(it.groups);
}
