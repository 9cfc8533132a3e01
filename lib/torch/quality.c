/* quality - how far a PyTorch trace can be trusted */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_torch.h"
#include "graft.h"

struct quality {
	int64_t work_ps, linked_ps, graph_ps;	/* sums of durations */
	int64_t migrated_ps;
	uint64_t migrations;	/* not linked */
	uint64_t launches, empty_launches, graph_launches, graph_works;
	uint64_t awaited_launches;	/* ended before a call that waits */
	uint64_t captures;	/* launches into a graph */
	uint64_t overlaps, captured;
	int64_t overlap_ps, overlap_max_ps;
	uint64_t ops, shaped;
	uint64_t steps, empty_steps;
};

/* Status of a call that launches. */
enum seen { NO_WORK, HAS_WORK, IN_A_GRAPH };

/*
 * Mark launches without work between the calls that begin and end a capture on
 * their lane: they went into the graph.
 */
static void
mark_captures(const struct tp_torch *t, char *seen)
{
	uint32_t lane = TP_TORCH_NO;	/* with an open capture */

	for (size_t i = 0; i < t->tree_count; i++) {
		const struct tp_torch_event *e = &t->events[t->tree[i]];

		if (tp_torch_is_call(t, e, &t->ops->capture_begin))
			lane = e->lane;
		else if (e->lane != lane || tp_torch_is_call(t, e,
		    &t->ops->capture_end))
			lane = TP_TORCH_NO;
		else if (!seen[t->tree[i]])
			seen[t->tree[i]] = IN_A_GRAPH;
	}
}

/* When the last call began that waits for the GPU; INT64_MIN: there is none. */
static int64_t
last_wait(const struct tp_torch *t)
{
	int64_t ps = INT64_MIN;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (e->cat == TP_TORCH_RUNTIME &&
		    tp_torch_trait(t, e)->only_waits)
			TP_MOST(ps, e->from_ps);
	}
	return ps;
}

/*
 * Count calls that launch, and those without known GPU work.  SEEN: a zeroed
 * byte per event.
 */
static void
count_launches(struct quality *q, const struct tp_torch *t, char *seen)
{
	int64_t wait_ps = t->gpu_count ? INT64_MIN : last_wait(t);

	for (size_t i = 0; i < t->link_count; i++)
		for (uint32_t at = tp_torch_submit_call(t, t->links[i].work);
		    at != TP_TORCH_NO && !seen[at];
		    at = tp_torch_outer_call(t, at))
			seen[at] = HAS_WORK;
	mark_captures(t, seen);
	for (uint32_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (tp_torch_is_added(e))
			continue;
		if (e->cat == TP_TORCH_OP) {
			q->ops++;
			q->shaped += tp_torch_args_of(t, e).dims != 0;
		}
		if (!tp_torch_is_launch(t, i))
			continue;
		/* captured work runs when the graph is launched */
		if (e->node != TP_TORCH_NO || seen[i] == IN_A_GRAPH) {
			q->captures++;
			continue;
		}
		q->launches++;
		q->empty_launches += seen[i] == NO_WORK;
		q->graph_launches += tp_torch_trait(t, e)->launches_graph;
		q->awaited_launches += e->to_ps <= wait_ps;
	}
}

/*
 * Count work that starts before the previous work of its stream has ended.  An
 * exporter with wrong durations causes overlaps of seconds.
 */
static void
count_overlaps(struct quality *q, const struct tp_torch_out *o, int64_t *ends)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_times *times = &o->file->times;

	for (size_t i = 0; i < times->stream_count; i++)
		ends[i] = INT64_MIN;
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		size_t at = tp_torch_stream_of(times, e);
		int64_t over;

		if (e->stream >= 0 && e->from_ps < ends[at]) {
			over = (e->to_ps < ends[at] ? e->to_ps : ends[at]) -
			    e->from_ps;
			q->overlaps++;
			q->overlap_ps += over;
			TP_MOST(q->overlap_max_ps, over);
		}
		TP_MOST(ends[at], e->to_ps);
	}
}

static void
count_work(struct quality *q, const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_times *times = &o->file->times;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		int64_t ps = e->to_ps - e->from_ps;

		q->work_ps += ps;
		if (!tp_torch_is_linked(e)) {
			if (tp_torch_is_migration(t, e)) {
				q->migrations++;
				q->migrated_ps += ps;
			} else if (t->alone && t->alone[t->gpu[i]])
				q->linked_ps += ps;
			continue;
		}
		q->linked_ps += ps;
		if (!tp_torch_trait(t, &t->events[e->launch])->launches_graph)
			continue;
		q->graph_works++;
		q->captured += tp_torch_captured_call(t, t->gpu[i]) !=
		    e->launch;
		q->graph_ps += ps;
	}
	for (size_t i = 0; i < times->step_count; i++) {
		q->steps++;
		q->empty_steps += times->steps[i].launch_count &&
		    !times->steps[i].work_count;
	}
}

double
tp_torch_kept_ratio(const struct tp_torch *t)
{
	double ratio;
	int64_t first = INT64_MAX, last = INT64_MIN, n;
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (e->cat != TP_TORCH_OP || tp_torch_is_added(e) ||
		    (n = tp_torch_number(t, e->external)) < 0)
			continue;
		TP_LEAST(first, n);
		TP_MOST(last, n);
		count++;
	}
	if ((double)count < t->ops->thinned_count || !count)
		return 0;
	ratio = (double)count / ((double)(last - first) + 1);
	return ratio < t->ops->thinned_ratio ? ratio : 0;
}

static void
emit_quality(const struct tp_torch_out *o, const struct quality *q)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_out *out = o->out;
	size_t linked = t->linked_count + t->alone_count;
	int64_t launched = q->work_ps - q->migrated_ps;

	tp_torch_out_begin(o, "trace.quality");
	tp_out_int(out, "gpu_count", (int64_t)t->gpu_count);
	tp_out_int(out, "linked_count", (int64_t)linked);
	tp_out_int(out, "unlinked_count",
	    (int64_t)(t->gpu_count - linked - q->migrations));
	if (q->migrations)
		tp_out_int(out, "migration_count", (int64_t)q->migrations);
	tp_out_ps(out, "gpu_duration_sum_ns", q->work_ps);
	tp_out_ps(out, "unlinked_duration_sum_ns", launched -
	    q->linked_ps);
	tp_out_ratio(out, "linked_ratio", q->linked_ps, launched);
	tp_out_text(out, "linked_by", t->by_external ? "external-id" :
	    "correlation");
	tp_out_int(out, "arrow_count", (int64_t)t->arrow_count);
	tp_out_int(out, "launch_count", (int64_t)q->launches);
	tp_out_int(out, "launch_without_work_count",
	    (int64_t)q->empty_launches);
	if (q->launches && !t->gpu_count)
		tp_out_int(out, "awaited_launch_count",
		    (int64_t)q->awaited_launches);
	tp_out_int(out, "graph_launch_count", (int64_t)q->graph_launches);
	tp_out_int(out, "graph_work_count", (int64_t)q->graph_works);
	/* only the capture was recorded */
	if (q->captures > q->launches && !q->graph_launches)
		tp_out_int(out, "captured_launch_count", (int64_t)q->captures);
	if (q->captured)
		tp_out_int(out, "captured_work_count", (int64_t)q->captured);
	if (o->file->pseudo.operations) {
		tp_out_int(out, "pseudo_op_count",
		    (int64_t)o->file->pseudo.operations);
		tp_out_int(out, "pseudo_op_work_count",
		    (int64_t)o->file->pseudo.kernels);
		tp_out_int(out, "op_with_pseudo_count",
		    (int64_t)o->file->pseudo.operators);
	}
	tp_out_ratio(out, "graph_of_linked_ratio", q->graph_ps,
	    q->linked_ps);
	tp_out_int(out, "step_count", (int64_t)q->steps);
	tp_out_int(out, "step_without_work_count", (int64_t)q->empty_steps);
	tp_out_int(out, "overlap_count", (int64_t)q->overlaps);
	tp_out_ps(out, "overlap_sum_ns", q->overlap_ps);
	tp_out_ps(out, "overlap_max_ns", q->overlap_max_ps);
	tp_out_ratio(out, "overlap_ratio", q->overlap_ps, q->work_ps);
	tp_out_int(out, "op_call_count", (int64_t)q->ops);
	tp_out_int(out, "op_call_with_shapes_count", (int64_t)q->shaped);
	if (o->kept_ratio > 0)
		tp_out_real(out, "op_kept_ratio", o->kept_ratio);
	tp_out_int(out, "unnested_count", (int64_t)t->unnested_count);
	tp_out_end(out);
}

void
tp_torch_emit_quality(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	char *seen = tp_zalloc(t->count + 1);
	int64_t *ends = tp_alloc((o->file->times.stream_count + 1) *
	    sizeof *ends);
	struct quality q = { 0 };

	count_launches(&q, t, seen);
	count_overlaps(&q, o, ends);
	count_work(&q, o);
	emit_quality(o, &q);
	tp_free(seen);
	tp_free(ends);
}
