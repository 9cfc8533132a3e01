/* emit_runs - each collective of a PyTorch trace, and its clock */
#include <string.h>

#include <tp/alloc.h>

#include "emit_torch.h"

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

struct runs {
	const struct tp_torch *t;
	const struct tp_torch_comm *list;
};

/*
 * Write the bytes of a run, those that bandwidth is based on, and the factor
 * for the least that each rank must send and receive.
 */
static void
out_moved(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	const struct runs *r = arg;
	const struct tp_torch_comm *at = &r->list[*items];
	int64_t bytes, n;
	double factor;

	if (!r->t->events[at->event].collective || !count)
		return;
	if (!strcmp(key, "in_bytes")) {
		tp_torch_out_sizes(r->t, at, out);
		return;
	}
	n = tp_torch_moved(r->t, at, &factor);
	if (n < 0 || __builtin_mul_overflow(n, (int64_t)at->size, &bytes))
		return;
	tp_out_int(out, key, bytes);
	if (factor > 0)
		tp_out_real(out, "bus_factor", factor);
}

void
tp_torch_emit_runs(const struct tp_torch_out *o)
{
	struct tp_tab tab = { .process_rank = o->rank, .also = out_moved };
	struct tp_torch_comm *list = tp_torch_comms(&o->file->torch, 0,
	    &tab.count);

	emit_clock(o);
	tab.also_arg = &(struct runs){ &o->file->torch, list };
	tp_torch_tab_comms(&tab, &o->file->torch, list);
	tp_tab_emit(&tab, "collective.run", NULL, o->out);
	tp_free(list);
}
