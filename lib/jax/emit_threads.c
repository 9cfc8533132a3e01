/* emit_threads - the threads of hosts, where the CPU is the device */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_jax.h"
#include "ival.h"

struct thread {
	const struct tp_track *track;	/* what is no operation */
	struct tp_ival busy, ops;
	int64_t first_ps, last_ps, busy_ps, ops_ps;
	uint64_t op_count, python_count, count;
};

TP_ORDER_POINTERS(by_work, struct thread, TP_DOWN(ops_ps) TP_DOWN(busy_ps)
    TP_UP(track->host) TP_UP(track->pid) TP_UP(track->tid))

/* Add lane K of T to THREAD, of which it is a part. */
static void
add_lane(struct thread *thread, const struct tp_tracks *t,
    const struct tp_track *k)
{
	int is_ops = k->role == TP_ROLE_OPS;

	for (uint32_t i = 0; i < k->count; i++) {
		const struct tp_jax_event *s = &t->slices[t->order[k->first +
		    i]];

		if (!thread->count++ || s->from_ps < thread->first_ps)
			thread->first_ps = s->from_ps;
		if (thread->count == 1 || s->to_ps > thread->last_ps)
			thread->last_ps = s->to_ps;
		thread->op_count += (uint64_t)is_ops;
		thread->python_count += !is_ops && tp_jax_is_python(t, s);
		tp_ival_add(&thread->busy, s->from_ps, s->to_ps);
		if (is_ops)
			tp_ival_add(&thread->ops, s->from_ps, s->to_ps);
	}
}

static int
is_part(const struct tp_track *k, const struct tp_track *of)
{
	return k->host == of->host && k->pid == of->pid && k->tid == of->tid &&
	    (k->role == TP_ROLE_HOST || k->role == TP_ROLE_OPS);
}

/* Collect THREAD, whose track is set. */
static void
collect(struct thread *thread, const struct tp_tracks *t)
{
	for (size_t i = 0; i < t->track_count; i++)
		if (is_part(&t->tracks[i], thread->track))
			add_lane(thread, t, &t->tracks[i]);
	tp_ival_finish(&thread->busy);
	tp_ival_finish(&thread->ops);
	thread->busy_ps = tp_ival_busy(&thread->busy);
	thread->ops_ps = tp_ival_busy(&thread->ops);
}

static void
emit_thread(const struct tp_jax_trace *c, const struct thread *thread,
    int64_t rank, struct tp_out *out)
{
	const struct tp_track *k = thread->track;

	tp_out_begin(out, "host.thread");
	tp_jax_out_host(out, c, "host", k->host);
	tp_out_int(out, "rank", rank);
	tp_out_int(out, "pid", k->pid);
	tp_out_int(out, "tid", k->tid);
	tp_out_text(out, "process", k->process);
	if (k->thread)
		tp_out_text(out, "thread_name", k->thread);
	if (thread->op_count)
		tp_out_int(out, "op_call_count", (int64_t)thread->op_count);
	if (thread->python_count)
		tp_out_int(out, "python_function_count",
		    (int64_t)thread->python_count);
	tp_out_int(out, "event_count", (int64_t)thread->count);
	tp_out_ps(out, "first_ns", thread->first_ps);
	tp_out_ps(out, "last_ns", thread->last_ps);
	tp_out_ps(out, "span_ns", thread->last_ps - thread->first_ps);
	tp_out_ps(out, "busy_ns", thread->busy_ps);
	tp_out_ratio(out, "busy_of_span_ratio", thread->busy_ps,
	    thread->last_ps - thread->first_ps);
	if (thread->op_count)
		tp_out_ps(out, "op_busy_ns", thread->ops_ps);
	tp_out_end(out);
}

void
tp_jax_emit_threads(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_tracks *t = &c->tracks;
	struct thread *list = tp_zalloc((t->track_count + 1) * sizeof *list);
	struct thread **order = tp_alloc((t->track_count + 1) * sizeof *order);
	size_t n = 0;

	for (size_t i = 0; i < t->track_count; i++) {
		if (t->tracks[i].role != TP_ROLE_HOST)
			continue;
		list[n].track = &t->tracks[i];
		collect(&list[n], t);
		order[n] = &list[n];
		n++;
	}
	TP_SORT(order, n, by_work);
	for (size_t i = 0; i < n; i++)
		if (order[i]->count)
			emit_thread(c, order[i], (int64_t)i + 1, out);
	for (size_t i = 0; i < n; i++) {
		tp_ival_release(&list[i].busy);
		tp_ival_release(&list[i].ops);
	}
	tp_free(list);
	tp_free(order);
}
