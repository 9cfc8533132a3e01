/* emit_sync - recorded waits of a PyTorch trace as records */
#include <tp/alloc.h>

#include "emit_torch.h"

/* By name what waits were for. */
struct awaited {
	const struct tp_torch *t;
	const struct tp_torch_waits *waits;
	int is_host;
	struct tp_ids names;
	int64_t *ps;
	size_t cap;
};

/* Add PS to the name of E. */
static void
give(struct awaited *a, const struct tp_torch_event *e, int64_t ps)
{
	size_t had = a->names.count;
	ptrdiff_t at = tp_ids_add(&a->names, e->name, e->bucket);

	TP_ITEM(a->ps, a->cap, at);
	a->ps[at] = (size_t)at == had ? ps : a->ps[at] + ps;
}

/*
 * Add what WAIT was for: for the host the work that ended it, for a stream all
 * work that ran meanwhile.
 */
static void
give_wait(struct awaited *a, const struct tp_torch_wait *wait)
{
	const struct tp_torch_ordered *at = &a->waits->order[wait->place];
	const struct tp_torch *t = a->t;
	uint64_t stream;

	if (wait->to_ps == wait->from_ps)
		return;
	if (a->is_host) {
		give(a, &t->events[at[-1].last], wait->to_ps - wait->from_ps);
		return;
	}
	stream = at[-1].stream;
	for (; at > a->waits->order && at[-1].stream == stream &&
	    t->events[at[-1].last].to_ps > wait->from_ps; at--) {
		const struct tp_torch_event *e = &t->events[at[-1].event];
		int64_t from = e->from_ps > wait->from_ps ? e->from_ps :
		    wait->from_ps;
		int64_t to = e->to_ps < wait->to_ps ? e->to_ps : wait->to_ps;

		if (to > from)
			give(a, e, to - from);
	}
}

/* Write the name that the waits ITEMS were for longest. */
static void
out_awaited(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	struct awaited *a = arg;
	const struct tp_name *name;
	size_t most = 0;

	tp_ids_release(&a->names);
	for (size_t i = 0; i < count; i++)
		give_wait(a, &a->waits->list[items[i]]);
	for (size_t i = 1; i < a->names.count; i++)
		most = a->ps[i] > a->ps[most] ? i : most;
	if (!a->names.count)
		return;
	name = &a->t->names.names[a->names.ids[most].a];
	tp_out_bytes(out, key, name->text, name->len);
	tp_out_ps(out, "awaited_kernel_ns", a->ps[most]);
	tp_out_text(out, "bucket", tp_torch_bucket_names[a->names.ids[most].b]);
}

/* What struct tp_torch_wait does not have of each wait. */
struct wait {
	int64_t ps;		/* or TP_TAB_ABSENT */
	uint32_t op;
	int8_t is_in, has_waited;	/* -1: unknown */
};

static void
fill(struct wait *list, const struct awaited *a)
{
	for (size_t i = 0; i < a->waits->count; i++) {
		const struct tp_torch_sync *s = &a->t->syncs[i];
		const struct tp_torch_wait *wait = &a->waits->list[i];
		int64_t ps = wait->to_ps - wait->from_ps;

		/* a call waits once, even with several records */
		list[i].is_in = a->is_host ? s->kind != TP_TORCH_STREAM_EVENT &&
		    (!i || s[-1].call != s->call) :
		    s->kind == TP_TORCH_STREAM_EVENT;
		list[i].op = !list[i].is_in || !a->is_host ? TP_TORCH_NO :
		    tp_torch_op_around(a->t, &a->t->events[s->call]);
		list[i].ps = wait->place ? ps : TP_TAB_ABSENT;
		list[i].has_waited = wait->place ? ps > 0 : -1;
	}
}

static void
emit_waits(const struct tp_torch_out *o, struct wait *list, int is_host)
{
	const struct tp_torch *t = &o->file->torch;
	const char *waiter = is_host ? "host" : "stream";
	struct awaited a = { .t = t, .waits = &o->file->waits,
	    .is_host = is_host };
	struct tp_tab tab = { .count = a.waits->count, .process_rank = o->rank,
	    .also = out_awaited, .also_arg = &a };

	fill(list, &a);
	TP_TAB_FIELD(&tab, NULL, "is_in", TP_TAB_INT, list, is_in);
	TP_TAB_ONE(&tab, "waiter", TP_TAB_TEXT, waiter);
	TP_TAB_KNOWN(&tab, NULL, "device_index", t->syncs, device);
	TP_TAB_KNOWN(&tab, NULL, "awaited_stream", t->syncs, awaited);
	TP_TAB_FIELD(&tab, NULL, "waited", TP_TAB_PS, list, ps);
	TP_TAB_KNOWN(&tab, NULL, "has_waited", list, has_waited);
	if (is_host) {
		TP_TAB_NAMES(&tab, TP_TAB_FIELD(&tab, NULL, "call", TP_TAB_INT,
		    t->syncs, call), "sync_name", t->events, name, &t->names,
		    TP_TAB_ABSENT);
		TP_TAB_NAMES(&tab, TP_TAB_FIELD(&tab, NULL, "around",
		    TP_TAB_INT, list, op), "op", t->events, name, &t->names,
		    TP_TAB_ABSENT);
		TP_TAB_SPAN(&tab, NULL, "duration", t->syncs, from_ps, to_ps);
	} else {
		TP_TAB_KNOWN(&tab, NULL, "stream", t->syncs, stream);
	}
	tp_tab_emit(&tab, "sync.wait", "is_in", o->out);
	tp_ids_release(&a.names);
	tp_free(a.ps);
}

void
tp_torch_emit_waits(const struct tp_torch_out *o)
{
	struct wait *list = tp_alloc((o->file->waits.count + 1) * sizeof *list);

	emit_waits(o, list, 1);
	emit_waits(o, list, 0);
	tp_free(list);
}

static void
emit_queue(const struct tp_torch_out *o, struct tp_torch_queue *q)
{
	tp_torch_out_begin(o, "stream.queue");
	tp_out_known(o->out, "device_index", q->device);
	if (q->stream >= 0)
		tp_out_int(o->out, "stream", q->stream);
	tp_out_int(o->out, "linked_count", (int64_t)q->launch_count);
	tp_stat_emit(&q->depth, o->out, "queue", "p50 max", "_count");
	tp_out_ps(o->out, "queue_full_ns", q->full_ps);
	tp_out_end(o->out);
}

void
tp_torch_emit_queues(const struct tp_torch_out *o, struct tp_torch_queues *q)
{
	if (!q->count)
		return;
	tp_torch_out_begin(o, "launch.summary");
	tp_out_int(o->out, "linked_count", (int64_t)q->delay_ns.count);
	tp_stat_emit(&q->call_ns, o->out, "call", "p50 p95 max sum", "_ns");
	tp_stat_emit(&q->delay_ns, o->out, "launch_delay", "p50 p95 max",
	    "_ns");
	tp_out_ps(o->out, "slow_call_limit_ns", q->slow_call_ps);
	tp_out_int(o->out, "slow_call_count", (int64_t)q->slow_call_count);
	tp_out_ps(o->out, "delay_limit_ns", q->late_ps);
	tp_out_int(o->out, "delayed_count", (int64_t)q->late_count);
	tp_out_int(o->out, "outrun_count", (int64_t)q->short_count);
	tp_out_ratio(o->out, "outrun_ratio", (int64_t)q->short_count,
	    (int64_t)q->delay_ns.count);
	tp_out_end(o->out);
	for (size_t i = 0; i < q->count; i++)
		emit_queue(o, &q->list[i]);
}
