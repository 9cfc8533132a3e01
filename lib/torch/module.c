/* module - GPU time of a PyTorch trace by nn.Module */
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/order.h>

#include "ival.h"
#include "module.h"
#include "gpu_time.h"

/* Most classes in a path. */
#define PATH_CLASSES 32

struct tally {
	struct tp_torch_modules *m;
	const struct tp_torch *t;
	const struct tp_torch_frames *frames;
	struct tp_names classes;
	uint32_t *class_of;	/* by frame; TP_TORCH_NO: not a module */
	uint32_t *node_of;	/* by frame of a module: its path */
	uint32_t *next;		/* by frame: next of its class */
	uint32_t *head;		/* by class: first frame */
	uint32_t *inmost;	/* by link: frame of the innermost module */
	uint8_t *seen;		/* by function name */
	size_t head_cap;
};

static const struct tp_torch_event *
work_of(const struct tally *y, uint32_t link)
{
	return &y->t->events[y->t->links[link].work];
}

static int64_t
duration(const struct tp_torch_event *e)
{
	return e->to_ps - e->from_ps;
}

/* The innermost module among frame AT and those around it. */
static uint32_t
module_at(const struct tp_torch_frames *frames, uint32_t at)
{
	while (at != TP_TORCH_NO && !tp_torch_is_module(frames,
	    &frames->list[at]))
		at = frames->list[at].parent;
	return at;
}

static uint32_t
module_around(const struct tp_torch_frames *frames, uint32_t at)
{
	return module_at(frames, frames->list[at].parent);
}

/* Whether a module of the same class is around frame AT. */
static int
is_inner(const struct tally *y, uint32_t at)
{
	uint32_t class = y->class_of[at];

	do
		at = module_around(y->frames, at);
	while (at != TP_TORCH_NO && y->class_of[at] != class);
	return at != TP_TORCH_NO;
}

static void
add_class(struct tally *y, uint32_t at)
{
	struct tp_name name = tp_torch_frame_class(y->t, y->frames,
	    &y->frames->list[at]);
	size_t had = y->classes.count;
	ptrdiff_t class = tp_names_add(&y->classes, name.text, name.len);

	tp_grow(&y->m->list, &y->m->cap, (size_t)class + 1, sizeof *y->m->list);
	TP_ITEM(y->head, y->head_cap, class);
	if ((size_t)class == had) {
		y->m->list[class] = (struct tp_torch_module){ .frame = at };
		y->head[class] = TP_TORCH_NO;
		y->m->count++;
	}
	y->class_of[at] = (uint32_t)class;
}

/* Add the path of frame AT, a module whose class is known. */
static void
add_path(struct tally *y, uint32_t at)
{
	uint32_t around = module_around(y->frames, at);
	size_t had = y->m->paths.count;
	ptrdiff_t node = tp_ids_add(&y->m->paths, around == TP_TORCH_NO ? 0 :
	    (uint64_t)y->node_of[around] + 1, y->class_of[at]);

	tp_grow(&y->m->nodes, &y->m->node_cap, (size_t)node + 1,
	    sizeof *y->m->nodes);
	if ((size_t)node == had)
		y->m->nodes[node] = (struct tp_torch_module_node){
		    .frame = at };
	y->m->nodes[node].call_count++;
	y->node_of[at] = (uint32_t)node;
}

/* Count the call that frame AT is. */
static void
add_call(struct tally *y, uint32_t at)
{
	const struct tp_torch_frame *f = &y->frames->list[at];
	uint32_t last = tp_torch_frame_last(y->t, f);
	struct tp_torch_module *m;

	y->class_of[at] = TP_TORCH_NO;
	if (!tp_torch_is_module(y->frames, f))
		return;
	add_class(y, at);
	add_path(y, at);
	m = &y->m->list[y->class_of[at]];
	if (tp_torch_frame_from(y->t, f) < tp_torch_frame_from(y->t,
	    &y->frames->list[m->frame]))
		m->frame = at;
	m->call_count++;
	y->m->call_count++;
	m->instance_count += !y->seen[f->of];
	y->seen[f->of] = 1;
	for (uint32_t i = tp_torch_frame_first(y->t, f); i < last; i++)
		y->inmost[i] = at;
	if (!is_inner(y, at)) {
		y->next[at] = y->head[y->class_of[at]];
		y->head[y->class_of[at]] = at;
	}
}

/* Sum the work of all calls of each class. */
static void
sum_module_work(struct tally *y)
{
	struct tp_span *spans = NULL;
	size_t cap = 0;

	for (size_t c = 0; c < y->m->count; c++) {
		struct tp_torch_module *m = &y->m->list[c];

		for (uint32_t at = y->head[c]; at != TP_TORCH_NO;
		    at = y->next[at]) {
			const struct tp_torch_frame *f =
			    &y->frames->list[at];
			uint32_t i = tp_torch_frame_first(y->t, f),
			    last = tp_torch_frame_last(y->t, f);

			tp_grow(&spans, &cap, m->gpu_count + last - i,
			    sizeof *spans);
			for (; i < last; i++) {
				const struct tp_torch_event *e = work_of(y, i);

				m->duration_ps += duration(e);
				spans[m->gpu_count++] = (struct tp_span){
				    e->from_ps, e->to_ps };
			}
		}
		m->busy_ps = tp_torch_unite(spans, m->gpu_count);
	}
	tp_free(spans);
}

static void
own(struct tally *y)
{
	for (uint32_t i = 0; i < y->t->tree_link_count; i++) {
		uint32_t at = y->inmost[i];

		if (at == TP_TORCH_NO)
			continue;
		y->m->list[y->class_of[at]].own_ps += duration(work_of(y, i));
		y->m->nodes[y->node_of[at]].own_ps += duration(work_of(y, i));
		y->m->inside_ps += duration(work_of(y, i));
	}
}

/* Count the work of PASS for the modules around its forward operation. */
static void
add_pass(struct tally *y, const struct tp_torch_pass *pass)
{
	const struct tp_torch_event *e = &y->t->events[pass->backward];
	uint32_t at = module_at(y->frames, tp_torch_frame_at(y->frames,
	    y->t->events[pass->forward].order)), first, last;
	uint64_t count = 0;
	int64_t ps = 0;

	if (at == TP_TORCH_NO)
		return;
	tp_torch_links_below(y->t, e, &first, &last);
	for (; first < last; first++)
		if (y->inmost[first] == TP_TORCH_NO) {
			ps += duration(work_of(y, first));
			count++;
		}
	y->m->backward_ps += ps;
	y->m->nodes[y->node_of[at]].own_ps += ps;
	for (; at != TP_TORCH_NO; at = module_around(y->frames, at)) {
		struct tp_torch_module *m = &y->m->list[y->class_of[at]];

		if (is_inner(y, at))
			continue;
		m->backward_ps += ps;
		m->backward_count += count;
	}
}

/* By falling time, forward and backward; ties by first call. */
TP_ORDER(by_time, struct tp_torch_module,
    TP_BY(TP_CMP(b->duration_ps + b->backward_ps,
    a->duration_ps + a->backward_ps)) TP_UP(frame))

void
tp_torch_modules_make(struct tp_torch_modules *m, const struct tp_torch *t,
    const struct tp_torch_frames *frames,
    const struct tp_torch_passes *passes)
{
	struct tally y = { .m = m, .t = t, .frames = frames };
	size_t n = frames->count + 1;

	memset(m, 0, sizeof *m);
	y.class_of = tp_alloc(n * sizeof *y.class_of);
	y.node_of = tp_alloc(n * sizeof *y.node_of);
	y.next = tp_alloc(n * sizeof *y.next);
	y.inmost = tp_alloc((t->link_count + 1) * sizeof *y.inmost);
	y.seen = tp_zalloc(t->function_names.count + 1);
	memset(y.inmost, 0xff, t->link_count * sizeof *y.inmost);
	for (uint32_t i = 0; i < frames->count; i++)
		add_call(&y, i);
	sum_module_work(&y);
	own(&y);
	for (size_t i = 0; i < passes->count; i++)
		add_pass(&y, &passes->list[i]);
	TP_SORT(m->list, m->count, by_time);
	tp_names_release(&y.classes);
	tp_free(y.class_of);
	tp_free(y.node_of);
	tp_free(y.next);
	tp_free(y.head);
	tp_free(y.inmost);
	tp_free(y.seen);
}

void
tp_torch_modules_release(struct tp_torch_modules *m)
{
	tp_free(m->list);
	tp_free(m->nodes);
	tp_ids_release(&m->paths);
	memset(m, 0, sizeof *m);
}

void
tp_torch_module_path(const struct tp_torch *t,
    const struct tp_torch_frames *frames, uint32_t at, struct tp_buf *buf)
{
	uint32_t chain[PATH_CLASSES];
	size_t n = 0;

	for (at = at == TP_TORCH_NO ? at : module_at(frames, at);
	    at != TP_TORCH_NO && n < PATH_CLASSES;
	    at = module_around(frames, at))
		chain[n++] = at;
	if (at != TP_TORCH_NO)
		tp_buf_str(buf, ".../");
	while (n-- > 0) {
		struct tp_name class = tp_torch_frame_class(t, frames,
		    &frames->list[chain[n]]);

		tp_buf_add(buf, class.text, class.len);
		if (n)
			tp_buf_chr(buf, '/');
	}
}
