/* emit_queue - launches and streams of a PyTorch trace as records */
#include "emit_torch.h"

static void
emit_queue(const struct tp_torch_out *o, struct tp_torch_queue *q)
{
	static const char *const waits[TP_TORCH_WAITS][2] = {
		{ "host_wait_count", "host_wait_ns" },
		{ "kernel_wait_count", "kernel_wait_ns" },
		{ "other_wait_count", "other_wait_ns" },
		{ "stream_wait_count", "stream_wait_ns" },
	};
	/* waits for other streams only if such waits were recorded */
	int count = o->file->waits.held.count ? TP_TORCH_WAITS :
	    TP_TORCH_WAIT_STREAM;

	tp_torch_out_begin(o, "stream.queue");
	tp_out_known(o->out, "device_index", q->device);
	if (q->stream >= 0)
		tp_out_int(o->out, "stream", q->stream);
	tp_out_int(o->out, "linked_count", (int64_t)q->launch_count);
	tp_stat_emit(&q->depth, o->out, "queue", "p50 max", "_count");
	tp_out_ps(o->out, "queue_full_ns", q->full_ps);
	for (int i = 0; i < count; i++) {
		tp_out_int(o->out, waits[i][0],
		    (int64_t)q->waits[i].count);
		tp_out_ps(o->out, waits[i][1], q->waits[i].ps);
	}
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
	if (q->blocked_ps >= 0)
		tp_out_ps(o->out, "host_blocked_ns", q->blocked_ps);
	tp_out_end(o->out);
	for (size_t i = 0; i < q->count; i++)
		emit_queue(o, &q->list[i]);
}
