/* emit_functions - GPU work launched by functions of the program, as records */
#include <tp/alloc.h>

#include "emit_torch.h"

struct tally {
	const struct tp_torch *t;
	const struct tp_torch_frames *frames;
	uint8_t *is_library;		/* by name: 0 unknown, 1 yes, 2 no */
	uint32_t *function_of;		/* by link; TP_TORCH_NO: none */
};

static int
is_library(const struct tally *y, uint32_t name)
{
	if (!y->is_library[name])
		y->is_library[name] = tp_class_of_name(&y->t->ops->library,
		    y->t->function_names.names[name].text) ? 1 : 2;
	return y->is_library[name] == 1;
}

/* The innermost function around place ORDER that is not a library's. */
static uint32_t
function_at(const struct tally *y, uint32_t order)
{
	uint32_t at = order == TP_TORCH_NO ? TP_TORCH_NO :
	    tp_torch_frame_at(y->frames, order);

	for (; at != TP_TORCH_NO; at = y->frames->list[at].parent) {
		const struct tp_torch_frame *f = &y->frames->list[at];

		if (f->is_function && !is_library(y, f->of))
			return f->of;
	}
	return TP_TORCH_NO;
}

/*
 * Assign links to functions.  Work of a backward pass goes to the caller of the
 * forward operation.
 */
static void
assign_functions(struct tally *y, const struct tp_torch_passes *passes)
{
	uint32_t first, last, name;

	for (uint32_t i = 0; i < y->t->tree_link_count; i++)
		y->function_of[i] = function_at(y,
		    y->t->events[y->t->links[i].call].order);
	for (size_t i = 0; i < passes->count; i++) {
		name = function_at(y,
		    y->t->events[passes->list[i].forward].order);
		tp_torch_links_below(y->t,
		    &y->t->events[passes->list[i].backward], &first, &last);
		for (; first < last; first++)
			if (y->function_of[first] == TP_TORCH_NO)
				y->function_of[first] = name;
	}
}

void
tp_torch_emit_functions(const struct tp_torch_out *o,
    const struct tp_torch_passes *passes)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_tab tab = { .count = t->tree_link_count,
	    .process_rank = o->rank };
	struct tally y = { t, &o->file->frames,
	    tp_zalloc(t->function_names.count + 1),
	    tp_alloc((t->tree_link_count + 1) * sizeof *y.function_of) };

	assign_functions(&y, passes);
	TP_TAB_ARRAY(&tab, NULL, "python_function", TP_TAB_NAME,
	    y.function_of)->names = &t->function_names;
	TP_TAB_SPAN(&tab, TP_TAB_FIELD(&tab, NULL, "work", TP_TAB_INT,
	    t->links, work), "launched", t->events, from_ps, to_ps);
	tp_tab_total(&tab, "gpu", tp_torch_gpu_sum_ps(t));
	tp_tab_emit(&tab, "python.function", "python_function", o->out);
	tp_free(y.is_library);
	tp_free(y.function_of);
}
