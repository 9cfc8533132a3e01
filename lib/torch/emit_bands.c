/* emit_bands - parts of a model over time, for pictures */
#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_torch.h"

/* A picture has room for so many parts; one says nothing, a few say more. */
enum { LEAST = 2, FEW = 4, MOST = 30, DEPTHS = 32 };

TP_ORDER(by_start, struct tp_torch_band, TP_UP(from_ps) TP_DOWN(to_ps))

/* The least depth with LEAST to MOST of COUNTS; DEPTHS: there is none. */
static uint32_t
find_depth(const size_t *counts, size_t least)
{
	uint32_t depth = 0;

	while (depth < DEPTHS && (counts[depth] < least || counts[depth] >
	    MOST))
		depth++;
	return depth;
}

void
tp_torch_emit_bands(const struct tp_torch_out *o, const char *scope,
    struct tp_torch_band *list, size_t count)
{
	size_t counts[DEPTHS] = { 0 };
	uint32_t depth;

	for (size_t i = 0; i < count; i++)
		if (list[i].depth < DEPTHS)
			counts[list[i].depth]++;
	depth = find_depth(counts, FEW);
	if (depth == DEPTHS)
		depth = find_depth(counts, LEAST);
	TP_SORT(list, count, by_start);
	for (size_t i = 0; i < count; i++) {
		const struct tp_torch_band *b = &list[i];

		if (b->depth != depth)
			continue;
		tp_torch_out_begin(o, "timeline.range");
		tp_out_text(o->out, "scope", scope);
		tp_out_bytes(o->out, "name", b->name.text, b->name.len);
		tp_out_int(o->out, "depth", depth);
		tp_out_ps(o->out, "start_ns", b->from_ps);
		tp_out_int(o->out, "duration_ns", tp_ps_to_ns(b->to_ps) -
		    tp_ps_to_ns(b->from_ps));
		tp_out_end(o->out);
	}
}
