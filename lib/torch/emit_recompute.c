/* emit_recompute - forward work that a PyTorch trace runs again, as a record */
#include <tp/order.h>

#include "emit_torch.h"
#include "ival.h"
#include "recompute.h"

/* The memory of the device that the allocator reserved most of. */
struct room {
	int64_t all, reserved;		/* bytes; -1: unknown */
};

static struct room
room_of(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_devices *d = &t->devices;
	struct room room = { d->chosen < 0 ? -1 :
	    d->list[d->chosen].memory_bytes, -1 };

	for (size_t i = 0; i < t->memory_count; i++)
		TP_MOST(room.reserved, t->memory[i].reserved);
	if (room.reserved <= 0)
		room.reserved = -1;
	/* memory reserved on another device does not count */
	if (room.reserved > room.all)
		room.all = -1;
	return room;
}

/* Computation in the window: all, and without what is run again. */
struct union_ps {
	int64_t all, first, again;
};

static struct union_ps
union_of(const struct tp_torch_out *o, const uint8_t *again)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_sweep all = { 0 }, first = { 0 }, second = { 0 };

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		if (e->from_ps >= e->to_ps || tp_torch_bucket_of(t, e) !=
		    TP_TORCH_COMPUTATION)
			continue;
		tp_sweep_add(&all, e->from_ps, e->to_ps);
		tp_sweep_add(again[t->gpu[i]] ? &second : &first, e->from_ps,
		    e->to_ps);
	}
	return (struct union_ps){ all.busy, first.busy, second.busy };
}

/*
 * Write the memory that is left, as far as it is known.  Returns whether there
 * is enough of it to keep more in.
 */
static int
out_room(const struct tp_torch_out *o)
{
	struct room room = room_of(o);
	double least;

	tp_out_known(o->out, "capacity_bytes", room.all);
	tp_out_known(o->out, "reserved_peak_bytes", room.reserved);
	if (room.all < 0 || room.reserved < 0)
		return 0;
	tp_out_int(o->out, "unreserved_bytes", room.all - room.reserved);
	tp_out_ratio(o->out, "unreserved_ratio", room.all - room.reserved,
	    room.all);
	least = o->file->torch.ops->free_ratio * (double)room.all;
	return (double)(room.all - room.reserved) >= least;
}

static int
is_again(const void *arg, uint32_t event)
{
	const uint8_t *again = arg;

	return again[event];
}

int
tp_torch_emit_recompute(const struct tp_torch_out *o,
    const struct tp_torch_recompute *r)
{
	const struct tp_torch_file *f = o->file;
	struct union_ps ps;
	struct tp_name module;
	int has_room;

	if (!r->gpu_count)
		return 0;
	ps = union_of(o, r->again);
	tp_torch_out_begin(o, "recompute");
	tp_out_int(o->out, "count", (int64_t)r->region_count);
	tp_out_int(o->out, "op_call_count", (int64_t)r->op_count);
	if (r->module != TP_TORCH_NO) {
		module = tp_torch_frame_class(&f->torch, &f->frames,
		    &f->frames.list[r->module]);
		tp_out_bytes(o->out, "module", module.text, module.len);
		tp_out_int(o->out, "call_count", (int64_t)r->module_count);
	}
	tp_out_int(o->out, "gpu_count", (int64_t)r->gpu_count);
	tp_out_ps(o->out, "busy_ns", ps.again);
	tp_out_ps(o->out, "compute_ns", ps.all);
	tp_out_ratio(o->out, "busy_of_compute_ratio", ps.again, ps.all);
	tp_out_ps(o->out, "alone_ns", ps.all - ps.first);
	tp_out_ratio(o->out, "wall_ratio", ps.all - ps.first,
	    o->span_ps);
	has_room = out_room(o);
	if (has_room)
		tp_torch_out_gain(o, is_again, r->again, INT64_MAX, 1);
	tp_out_end(o->out);
	return has_room;
}
