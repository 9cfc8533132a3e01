/* launch_queue - how launches reach the GPU: delays, queues */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "launch_queue.h"

/* A launch (+1) or the start of its work (-1). */
struct turn {
	int64_t at_ps;
	uint32_t queue;
	int32_t step;		/* 1 or -1 */
};

static int
load_limits(struct tp_torch_queues *q, const struct tp_torch_ops *ops,
    struct tp_err *err)
{
	double full;

	if (tp_torch_limit_ps(ops, "queue", "slow_call_ns",
	    &q->slow_call_ps, err) < 0 ||
	    tp_torch_limit_ps(ops, "queue", "late_ns", &q->late_ps,
	    err) < 0 ||
	    tp_torch_limit(ops, "queue", "full", &full, err) < 0)
		return -1;
	q->full = (int64_t)full;
	return 0;
}

TP_ORDER(by_stream, struct tp_torch_queue, TP_UP(device) TP_UP(stream))

TP_ORDER(by_turn, struct turn, TP_UP(queue) TP_UP(at_ps) TP_DOWN(step))

/* The queue of work E. */
static ptrdiff_t
queue_of(struct tp_torch_queues *q, struct tp_ids *ids,
    const struct tp_torch_event *e)
{
	size_t had = ids->count;
	ptrdiff_t at = tp_ids_add(ids, (uint32_t)e->stream,
	    (uint16_t)e->device);

	TP_ITEM(q->list, q->cap, at);
	if ((size_t)at == had) {
		q->list[at].stream = e->stream;
		q->list[at].device = e->device;
		q->count++;
	}
	return at;
}

/* Calls that launched work, each once: a graph has hundreds of kernels. */
struct calls {
	struct tp_ids ids;		/* events */
	int64_t *work_ps;		/* sum of the work it launched */
	size_t cap;
};

/* Add work E of CALL, which is event AT.  Work must come by start. */
static void
add_launch(struct tp_torch_queues *q, struct calls *calls,
    const struct tp_torch_event *e, const struct tp_torch_event *call,
    uint32_t at)
{
	int64_t took = call->to_ps - call->from_ps;
	int64_t delay = e->from_ps > call->to_ps ?
	    e->from_ps - call->to_ps : 0;
	size_t had = calls->ids.count;
	ptrdiff_t i = tp_ids_add(&calls->ids, at, 0);

	TP_ITEM(calls->work_ps, calls->cap, i);
	if ((size_t)i < had) {
		calls->work_ps[i] += e->to_ps - e->from_ps;
		return;
	}
	calls->work_ps[i] = e->to_ps - e->from_ps;
	q->slow_call_count += took > q->slow_call_ps;
	q->late_count += delay > q->late_ps;
	tp_stat_add(&q->call_ns, tp_ps_to_ns(took));
	tp_stat_add(&q->delay_ns, tp_ps_to_ns(delay));
}

/* Count calls that took longer than the work they launched. */
static uint64_t
outrun(const struct calls *calls, const struct tp_torch *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < calls->ids.count; i++) {
		const struct tp_torch_event *e =
		    &t->events[calls->ids.ids[i].a];

		n += calls->work_ps[i] < e->to_ps - e->from_ps;
	}
	return n;
}

/*
 * Walk over GPU work by start and add launches and starts to TURNS.  Returns
 * their number.
 */
static size_t
take_work(struct tp_torch_queues *q, const struct tp_torch *t,
    struct turn *turns)
{
	struct tp_ids ids = { 0 };
	struct calls calls = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		uint32_t made = tp_torch_submit_call(t, t->gpu[i]);
		const struct tp_torch_event *call = tp_torch_is_linked(e) ?
		    &t->events[made] : NULL;
		ptrdiff_t at = queue_of(q, &ids, e);

		if (!call)
			continue;
		add_launch(q, &calls, e, call, made);
		q->list[at].launch_count++;
		turns[n++] = (struct turn){ call->from_ps, (uint32_t)at, 1 };
		turns[n++] = (struct turn){ e->from_ps, (uint32_t)at, -1 };
	}
	q->short_count = outrun(&calls, t);
	tp_ids_release(&calls.ids);
	tp_free(calls.work_ps);
	tp_ids_release(&ids);
	return n;
}

/* Measure how deep the queues were. */
static void
take_turns(struct tp_torch_queues *q, struct turn *turns, size_t count)
{
	int64_t depth = 0;

	TP_SORT(turns, count, by_turn);
	for (size_t i = 0; i < count; i++) {
		struct tp_torch_queue *queue = &q->list[turns[i].queue];

		if (i && turns[i].queue != turns[i - 1].queue)
			depth = 0;
		else if (i && depth >= q->full)
			queue->full_ps += turns[i].at_ps -
			    turns[i - 1].at_ps;
		depth += turns[i].step;
		tp_stat_add(&queue->depth, depth < 0 ? 0 : depth);
	}
}

int
tp_torch_queues_make(struct tp_torch_queues *q, const struct tp_torch *t,
    struct tp_err *err)
{
	struct turn *turns;

	memset(q, 0, sizeof *q);
	if (load_limits(q, t->ops, err) < 0)
		return -1;
	turns = tp_alloc((t->gpu_count * 2 + 1) * sizeof *turns);
	take_turns(q, turns, take_work(q, t, turns));
	tp_free(turns);
	TP_SORT(q->list, q->count, by_stream);
	return 0;
}
