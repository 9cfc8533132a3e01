/* emit_runs - each collective of a PyTorch trace, and its clock */
#include "emit_private.h"

/*
 * A clock that counts from 1970 is past this value, reached in 2001; other
 * clocks count from the start of a machine.
 */
#define EPOCH_NS INT64_C(1000000000000000000)

/* Write what the trace's time 0 is on a clock shared by machines. */
static void
emit_clock(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	int64_t ns;

	tp_torch_out_begin(o, "trace.clock");
	if (!__builtin_mul_overflow(t->base_us, (int64_t)1000, &ns) &&
	    !__builtin_add_overflow(ns, t->base_ps / 1000 + t->epoch_ns, &ns) &&
	    ns >= EPOCH_NS)
		tp_out_id(o->out, "clock_base", (uint64_t)ns);
	tp_out_end(o->out);
}

/*
 * Write the bytes that bandwidth is based on, and the factor for the least that
 * each rank must send and receive.
 */
static void
out_moved(const struct tp_torch_out *o, const struct tp_torch_collective *c,
    const struct tp_class *kind, int size)
{
	int64_t bytes, n = tp_torch_collective_moved(c, kind);
	double factor = tp_torch_bus_factor(kind);

	if (n < 0 || !size ||
	    __builtin_mul_overflow(n, (int64_t)size, &bytes))
		return;
	tp_out_int(o->out, "collective_bytes", bytes);
	if (c->size > 0 && factor > 0)
		tp_out_real(o->out, "bus_factor", factor *
		    (double)(c->size - 1) / (double)c->size);
}

static void
emit_run(const struct tp_torch_out *o, const struct tp_torch_event *e)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_class *kind = NULL;
	int size;

	tp_torch_out_begin(o, "collective.run");
	if (e->args)
		tp_torch_out_collective(o, &t->collectives[e->args], &kind,
		    &size);
	else
		tp_torch_out_name(o, "kernel", e->name);
	tp_out_known(o->out, "stream", e->stream);
	tp_out_ps(o->out, "start_ns", e->from_ps);
	tp_out_ps(o->out, "duration_ns", e->to_ps - e->from_ps);
	if (kind)
		out_moved(o, &t->collectives[e->args], kind, size);
	tp_out_end(o->out);
}

void
tp_torch_emit_runs(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;

	emit_clock(o);
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		if (e->bucket == TP_TORCH_COMMUNICATION)
			emit_run(o, e);
	}
}
