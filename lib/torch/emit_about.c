/*
 * emit_about - the model of a PyTorch trace, as far as it can be recognized
 *
 * The model is the outermost module if it has most of the time of all modules.
 * From there each next level is the class with most of the time of its parent:
 * first modules that are alone of their class, then layers, of which there are
 * several.
 */
#include <string.h>

#include "emit_torch.h"

struct about {
	const struct tp_torch_out *o;
	const struct tp_torch *t;
	const struct tp_torch_modules *m;
};

static uint32_t
module_around(const struct about *a, uint32_t at)
{
	const struct tp_torch_frames *frames = &a->o->file->frames;

	do
		at = frames->list[at].parent;
	while (at != TP_TORCH_NO && !tp_torch_is_module(frames,
	    &frames->list[at]));
	return at;
}

/* The class of the module that frame FRAME is. */
static struct tp_name
class_of(const struct about *a, uint32_t frame)
{
	const struct tp_torch_frames *frames = &a->o->file->frames;

	return tp_torch_frame_class(a->t, frames, &frames->list[frame]);
}

static int64_t
time_of(const struct tp_torch_module *m)
{
	return m->duration_ps + m->backward_ps;
}

/*
 * The class with the most time directly inside MODULE (NULL: in no module);
 * NULL if it has not most of ALL.
 */
static const struct tp_torch_module *
most_inside(const struct about *a, const struct tp_torch_module *module,
    int64_t all)
{
	for (size_t i = 0; i < a->m->count; i++) {
		const struct tp_torch_module *m = &a->m->list[i];
		uint32_t around = module_around(a, m->frame);
		struct tp_name name, of;

		if ((around == TP_TORCH_NO) != !module)
			continue;
		if (module) {
			name = class_of(a, around);
			of = class_of(a, module->frame);
			if (name.len != of.len ||
			    memcmp(name.text, of.text, of.len))
				continue;
		}
		return (double)time_of(m) >= (double)all *
		    a->t->ops->most_ratio ? m : NULL;
	}
	return NULL;
}

/* Count events of category CAT whose names begin with START. */
static uint64_t
count_named(const struct about *a, const char *start, int cat)
{
	uint64_t count = 0;

	for (size_t i = 0; i < a->t->count; i++) {
		const struct tp_torch_event *e = &a->t->events[i];

		count += e->cat == cat && tp_torch_starts(a->t, e, start);
	}
	return count;
}

static void
out_class(const struct about *a, const char *key,
    const struct tp_torch_module *m)
{
	struct tp_name name = class_of(a, m->frame);

	tp_out_bytes(a->o->out, key, name.text, name.len);
}

static void
out_model(const struct about *a)
{
	const struct tp_torch_module *m, *next, *layer = NULL;
	int64_t all = 0;

	for (size_t i = 0; i < a->t->gpu_count; i++) {
		const struct tp_torch_event *e = &a->t->events[a->t->gpu[i]];

		if (e->bucket == TP_TORCH_COMPUTATION)
			all += e->to_ps - e->from_ps;
	}
	m = most_inside(a, NULL, all);
	if (!m)
		return;
	out_class(a, "module", m);
	while ((next = most_inside(a, m, time_of(m))) &&
	    next->instance_count == 1)
		m = next;
	tp_torch_out_module_path(a->o, m->frame);
	for (; next && next->instance_count > (layer ?
	    layer->instance_count : 1);
	    next = most_inside(a, layer, time_of(layer)))
		layer = next;
	if (layer) {
		out_class(a, "layer_module", layer);
		tp_out_int(a->o->out, "layer_count", layer->instance_count);
	}
}

/* Whether an operator or GPU work has the name of a part of a backward pass. */
static int
has_backward_work(const struct tp_torch *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if ((e->cat == TP_TORCH_OP || tp_torch_is_gpu(e)) &&
		    tp_torch_trait(t, e)->is_backward)
			return 1;
	}
	return 0;
}

/*
 * What is not recorded proves nothing: only a server's steps are inference.
 * Without a sign of a backward pass the trace is forward only, unless graphs
 * or missing events may hide one.
 */
static const char *
purpose(const struct about *a, uint64_t backward, uint64_t steps)
{
	if (backward || steps)
		return "training";
	if (tp_torch_serves(a->t))
		return "inference";
	if (has_backward_work(a->t))
		return "backward";
	if (a->t->is_cut)
		return NULL;
	for (size_t i = 0; i < a->t->link_count; i++)
		if (tp_torch_trait(a->t, &a->t->events[
		    a->t->links[i].call])->launches_graph)
			return NULL;
	return "forward";
}

void
tp_torch_emit_about(const struct tp_torch_out *o,
    const struct tp_torch_modules *modules)
{
	struct about a = { o, &o->file->torch, modules };
	uint64_t backward = count_named(&a, a.t->ops->backward, TP_TORCH_OP);
	uint64_t steps = count_named(&a, a.t->ops->optimizer, TP_TORCH_OP) +
	    count_named(&a, a.t->ops->optimizer, TP_TORCH_ANNOTATION);

	if (!a.t->tree_link_count || !a.t->cat_count[TP_TORCH_OP])
		return;
	tp_torch_out_begin(o, "model.summary");
	out_model(&a);
	tp_out_text(o->out, "purpose", purpose(&a, backward, steps));
	tp_out_int(o->out, "backward_count", (int64_t)backward);
	tp_out_int(o->out, "optimizer_step_count", (int64_t)steps);
	tp_out_end(o->out);
}
