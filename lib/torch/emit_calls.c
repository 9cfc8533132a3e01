/* emit_calls - operators by how often they were called, as records */
#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_private.h"
#include "graft.h"

struct calls {
	const struct tp_name *name;
	uint32_t of;			/* in names */
	int64_t sum_ps;
	uint64_t count;
};

TP_ORDER(by_count, struct calls, TP_DOWN(count) TP_DOWN(sum_ps)
    TP_BY(tp_name_cmp(a->name, b->name)))

void
tp_torch_emit_calls(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	struct calls *list = tp_zalloc((t->names.count + 1) * sizeof *list);
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (e->cat != TP_TORCH_OP || tp_torch_is_added(e))
			continue;
		list[e->name].count++;
		list[e->name].sum_ps += e->to_ps - e->from_ps;
	}
	for (size_t i = 0; i < t->names.count; i++)
		if (list[i].count && t->names.names[i].len) {
			list[n] = list[i];
			list[n].of = (uint32_t)i;
			list[n++].name = &t->names.names[i];
		}
	TP_SORT(list, n, by_count);
	for (size_t i = 0; i < n; i++) {
		tp_torch_out_begin(o, "op.calls");
		tp_torch_out_name(o, "op", list[i].of);
		tp_out_int(o->out, "count", (int64_t)list[i].count);
		tp_out_ps(o->out, "host_sum_ns", list[i].sum_ps);
		tp_out_end(o->out);
	}
	tp_free(list);
}
