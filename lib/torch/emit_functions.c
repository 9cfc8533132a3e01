/* emit_functions - GPU work launched by functions of the program, as records */
#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_private.h"

/* GPU work launched by a function. */
struct launched {
	int64_t sum_ps;
	uint64_t count;
	const struct tp_name *name;
};

struct tally {
	const struct tp_torch *t;
	const struct tp_torch_frames *frames;
	struct launched *list;		/* by name */
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
place(struct tally *y, const struct tp_torch_passes *passes)
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

TP_ORDER(by_time, struct launched, TP_DOWN(sum_ps)
    TP_BY(tp_name_cmp(a->name, b->name)))

static void
emit(const struct tp_torch_out *o, struct tally *y)
{
	const struct tp_torch *t = y->t;
	struct launched *at;
	int64_t all = tp_torch_gpu_sum_ps(t);
	size_t n = 0;

	for (uint32_t i = 0; i < t->tree_link_count; i++) {
		const struct tp_torch_event *work =
		    &t->events[t->links[i].work];

		if (y->function_of[i] == TP_TORCH_NO)
			continue;
		at = &y->list[y->function_of[i]];
		at->sum_ps += work->to_ps - work->from_ps;
		at->count++;
	}
	for (size_t i = 0; i < t->function_names.count; i++)
		if (y->list[i].count) {
			y->list[n] = y->list[i];
			y->list[n++].name = &t->function_names.names[i];
		}
	TP_SORT(y->list, n, by_time);
	for (size_t i = 0; i < n; i++) {
		const struct tp_name *name = y->list[i].name;

		tp_torch_out_begin(o, "python.function");
		tp_out_int(o->out, "rank", (int64_t)i + 1);
		tp_out_bytes(o->out, "python_function", name->text, name->len);
		tp_out_int(o->out, "gpu_count", (int64_t)y->list[i].count);
		tp_out_ps(o->out, "launched_sum_ns", y->list[i].sum_ps);
		tp_out_ratio(o->out, "launched_ratio", y->list[i].sum_ps,
		    all);
		tp_out_end(o->out);
	}
}

void
tp_torch_emit_functions(const struct tp_torch_out *o,
    const struct tp_torch_passes *passes)
{
	const struct tp_torch *t = &o->file->torch;
	size_t names = t->function_names.count + 1;
	struct tally y = { t, &o->file->frames,
	    tp_zalloc(names * sizeof *y.list), tp_zalloc(names),
	    tp_alloc((t->tree_link_count + 1) * sizeof *y.function_of) };

	place(&y, passes);
	emit(o, &y);
	tp_free(y.list);
	tp_free(y.is_library);
	tp_free(y.function_of);
}
