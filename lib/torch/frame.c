/* frame - the calls around the GPU work of a PyTorch trace */
#include <ctype.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "frame.h"

/* A function with GPU work and its places in the tree. */
struct placed {
	uint32_t start, stop, name;
};

TP_ORDER(by_lane, struct tp_torch_function, TP_UP(lane) TP_UP(from_ps)
    TP_DOWN(to_ps) TP_UP(name))

void
tp_torch_sort_functions(struct tp_torch *t)
{
	TP_SORT(t->functions, t->function_count, by_lane);
}

void
tp_torch_function_place(const struct tp_torch *t,
    const struct tp_torch_function *f, size_t from, uint32_t *start,
    uint32_t *stop)
{
	uint32_t at = tp_torch_tree_place(t, from, f->lane, f->from_ps);

	for (; at < t->tree_count; at++) {
		const struct tp_torch_event *e = &t->events[t->tree[at]];

		if (e->lane != f->lane || e->from_ps != f->from_ps ||
		    e->to_ps <= f->to_ps)
			break;
	}
	*start = at;
	*stop = tp_torch_tree_place(t, at, f->lane, f->to_ps);
}

/* The functions with GPU work in order. */
static struct placed *
functions(struct tp_torch *t, size_t *count)
{
	struct placed *list = NULL;
	size_t cap = 0, link = 0;

	*count = 0;
	tp_torch_sort_functions(t);
	for (size_t i = 0; i < t->function_count; i++) {
		const struct tp_torch_function *f = &t->functions[i];
		struct placed p = { .name = f->name };

		while (link < t->tree_link_count && tp_torch_is_before(
		    &t->events[t->links[link].call], f->lane, f->from_ps))
			link++;
		if (link == t->tree_link_count)
			break;
		if (!tp_torch_is_before(
		    &t->events[t->links[link].call], f->lane,
		    f->to_ps) || t->events[t->links[link].call].lane !=
		    f->lane)
			continue;
		tp_torch_function_place(t, f, *count ?
		    list[*count - 1].start : 0, &p.start, &p.stop);
		tp_grow(&list, &cap, *count + 1, sizeof *list);
		list[(*count)++] = p;
	}
	return list ? list : tp_zalloc(sizeof *list);
}

/*
 * The length of the class in NAME, a function; -1 if it is not a call of a
 * module.
 */
static int32_t
class_len(const struct tp_torch *t, const struct tp_name *name)
{
	size_t skip = strlen(t->ops->module), len = name->len, n;

	if (len <= skip || len > INT32_MAX ||
	    memcmp(name->text, t->ops->module, skip))
		return -1;
	len -= skip;
	for (n = len; n > 1 &&
	    isdigit((unsigned char)name->text[skip + n - 1]); n--)
		;
	if (n < len && n > 1 && name->text[skip + n - 1] == '_')
		len = n - 1;
	return (int32_t)len;
}

struct nest {
	struct tp_torch_frames *frames;
	const struct tp_torch *t;
	uint32_t top;		/* innermost frame that has not ended */
	unsigned depth;		/* of top */
};

static void
pop(struct nest *n, uint32_t upto)
{
	while (n->top != TP_TORCH_NO &&
	    n->frames->list[n->top].stop <= upto) {
		n->top = n->frames->list[n->top].parent;
		n->depth--;
	}
}

static void
push(struct nest *n, struct tp_torch_frame f)
{
	struct tp_torch_frames *frames = n->frames;

	pop(n, f.start);
	f.parent = n->top;
	if (n->top != TP_TORCH_NO && f.stop > frames->list[n->top].stop)
		f.stop = frames->list[n->top].stop;
	if (tp_torch_frame_first(n->t, &f) == tp_torch_frame_last(n->t, &f))
		return;
	if (n->depth == TP_TORCH_FRAME_DEPTH) {
		frames->deep_count++;
		return;
	}
	tp_grow(&frames->list, &frames->cap, frames->count + 1,
	    sizeof *frames->list);
	n->top = (uint32_t)frames->count;
	n->depth++;
	frames->list[frames->count++] = f;
}

/* Make frames of functions and operators in nesting order. */
static void
merge(struct nest *n, const struct placed *list, size_t count)
{
	const struct tp_torch *t = n->t;
	size_t k = 0;

	for (uint32_t i = 0; i < t->tree_count; i++) {
		const struct tp_torch_event *e = &t->events[t->tree[i]];

		for (; k < count && list[k].start <= i; k++)
			push(n, (struct tp_torch_frame){ .start = list[k].start,
			    .stop = list[k].stop, .of = list[k].name,
			    .is_function = 1 });
		if (e->cat == TP_TORCH_OP)
			push(n, (struct tp_torch_frame){ .start = i,
			    .stop = e->last, .of = t->tree[i] });
	}
}

void
tp_torch_frames_make(struct tp_torch_frames *frames, struct tp_torch *t)
{
	struct nest n = { frames, t, TP_TORCH_NO, 0 };
	size_t count, names = t->function_names.count;
	struct placed *list;

	memset(frames, 0, sizeof *frames);
	list = functions(t, &count);
	tp_free(t->functions);
	t->functions = NULL;
	t->function_count = t->function_cap = 0;
	tp_free(t->built_ins);
	t->built_ins = NULL;
	t->built_in_count = t->built_in_cap = 0;
	frames->class_len = tp_alloc((names + 1) * sizeof *frames->class_len);
	for (size_t i = 0; i < names; i++)
		frames->class_len[i] = class_len(t,
		    &t->function_names.names[i]);
	merge(&n, list, count);
	tp_free(list);
}

uint32_t
tp_torch_frame_end(const struct tp_torch_frames *frames, uint32_t at)
{
	size_t from = at, to = from + 1, step = 1;

	/* exponential search: most frames contain few others */
	for (; to < frames->count && frames->list[to].start <
	    frames->list[at].stop; step *= 2) {
		from = to;
		to += step;
	}
	TP_LEAST(to, frames->count);
	TP_SEEK(from, from, to, middle, frames->list[middle].start <
	    frames->list[at].stop);
	return (uint32_t)from;
}

uint32_t
tp_torch_frame_at(const struct tp_torch_frames *frames, uint32_t order)
{
	size_t from;
	uint32_t at;

	TP_SEEK(from, 0, frames->count, middle, frames->list[middle].start <=
	    order);
	at = from ? (uint32_t)from - 1 : TP_TORCH_NO;
	while (at != TP_TORCH_NO && frames->list[at].stop <= order)
		at = frames->list[at].parent;
	return at;
}
