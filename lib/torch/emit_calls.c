/* emit_calls - operators by how often they were called, as records */
#include <tp/alloc.h>

#include "emit_torch.h"
#include "graft.h"

void
tp_torch_emit_calls(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_tab tab = { .count = t->count, .process_rank = o->rank };
	uint8_t *is_call = tp_alloc(t->count + 1);

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		is_call[i] = e->cat == TP_TORCH_OP && !tp_torch_is_added(e) &&
		    tp_torch_event_name(t, e)->len;
	}
	TP_TAB_ARRAY(&tab, NULL, "is_call", TP_TAB_BOOL, is_call);
	TP_TAB_NAMES(&tab, NULL, "op", t->events, name, &t->names,
	    TP_TAB_ABSENT);
	TP_TAB_SPAN(&tab, NULL, "time", t->events, from_ps, to_ps);
	tp_tab_emit(&tab, "op.calls", "is_call", o->out);
	tp_free(is_call);
}
