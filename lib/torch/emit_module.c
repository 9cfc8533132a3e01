/* emit_module - GPU time by nn.Module as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/order.h>

#include "emit_torch.h"

void
tp_torch_out_module_path(const struct tp_torch_out *o, uint32_t at)
{
	const struct tp_torch_file *f = o->file;
	struct tp_buf path = { 0 };

	tp_torch_module_path(&f->torch, &f->frames, at, &path);
	if (path.len)
		tp_out_bytes(o->out, "module_path", path.p, path.len);
	tp_buf_release(&path);
}

/* Write the class of the module that frame AT is. */
static void
out_class(const struct tp_torch_out *o, uint32_t at)
{
	const struct tp_torch_file *f = o->file;
	struct tp_name class = tp_torch_frame_class(&f->torch, &f->frames,
	    &f->frames.list[at]);

	tp_out_bytes(o->out, "module", class.text, class.len);
}

static void
emit_module(const struct tp_torch_out *o, const struct tp_torch_module *m,
    int64_t all)
{
	tp_torch_out_begin(o, "module.name");
	out_class(o, m->frame);
	tp_torch_out_module_path(o, m->frame);
	tp_out_int(o->out, "instance_count", m->instance_count);
	tp_out_int(o->out, "count", (int64_t)m->call_count);
	tp_out_int(o->out, "gpu_count", (int64_t)(m->gpu_count +
	    m->backward_count));
	tp_out_ps(o->out, "busy_ns", m->busy_ps);
	tp_out_ps(o->out, "forward_sum_ns", m->duration_ps);
	tp_out_ps(o->out, "own_forward_sum_ns", m->own_ps);
	tp_out_ps(o->out, "backward_sum_ns", m->backward_ps);
	tp_out_ratio(o->out, "gpu_work_ratio", m->duration_ps +
	    m->backward_ps, all);
	tp_out_end(o->out);
}

/*
 * Write the tree.  Children come after their parent, so totals are summed from
 * the end.
 */
static void
emit_tree(const struct tp_torch_out *o, const struct tp_torch_modules *m)
{
	struct above { int64_t total_ps, depth; } *nodes;

	nodes = tp_zalloc((m->paths.count + 1) * sizeof *nodes);
	for (size_t i = m->paths.count; i-- > 0;) {
		nodes[i + 1].total_ps += m->nodes[i].own_ps;
		nodes[m->paths.ids[i].a].total_ps += nodes[i + 1].total_ps;
	}
	for (size_t i = 0; i < m->paths.count; i++) {
		uint64_t parent = m->paths.ids[i].a;

		nodes[i + 1].depth = nodes[parent].depth + 1;
		tp_torch_out_begin(o, "module.frame");
		tp_out_int(o->out, "frame", (int64_t)i + 1);
		if (parent)
			tp_out_int(o->out, "parent", (int64_t)parent);
		tp_out_int(o->out, "depth", nodes[i + 1].depth);
		out_class(o, m->nodes[i].frame);
		tp_out_int(o->out, "count", (int64_t)m->nodes[i].call_count);
		tp_out_ps(o->out, "own_work_sum_ns", m->nodes[i].own_ps);
		tp_out_ps(o->out, "work_sum_ns", nodes[i + 1].total_ps);
		tp_out_end(o->out);
	}
	tp_free(nodes);
}

/* Write the forward work of modules over time. */
static void
emit_bands(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_frames *frames = &o->file->frames;
	struct tp_torch_band *list = tp_alloc((frames->count + 1) *
	    sizeof *list), b;
	uint32_t *depths = tp_alloc((frames->count + 1) * sizeof *depths);
	size_t count = 0;

	/* a frame comes after the one around it */
	for (size_t i = 0; i < frames->count; i++) {
		const struct tp_torch_frame *f = &frames->list[i];
		uint32_t last = tp_torch_frame_last(t, f);
		int is_module = tp_torch_is_module(frames, f) != 0;

		depths[i] = (f->parent == TP_TORCH_NO ? 0 :
		    depths[f->parent]) + is_module;
		if (!is_module)
			continue;
		b = (struct tp_torch_band){ INT64_MAX, INT64_MIN, depths[i],
		    tp_torch_frame_class(t, frames, f) };
		for (uint32_t k = tp_torch_frame_first(t, f); k < last; k++) {
			const struct tp_torch_event *e =
			    &t->events[t->links[k].work];

			TP_LEAST(b.from_ps, e->from_ps);
			TP_MOST(b.to_ps, e->to_ps);
		}
		if (b.from_ps < b.to_ps)
			list[count++] = b;
	}
	tp_torch_emit_bands(o, "module", list, count);
	tp_free(list);
	tp_free(depths);
}

void
tp_torch_emit_modules(const struct tp_torch_out *o,
    const struct tp_torch_modules *modules)
{
	const struct tp_torch *t = &o->file->torch;
	int64_t all;

	if (!modules->count)
		return;
	all = tp_torch_gpu_sum_ps(t);
	tp_torch_out_begin(o, "module.summary");
	tp_out_int(o->out, "module_count", (int64_t)modules->count);
	tp_out_int(o->out, "count", (int64_t)modules->call_count);
	tp_out_ps(o->out, "gpu_work_ns", all);
	tp_out_ps(o->out, "forward_sum_ns", modules->inside_ps);
	tp_out_ps(o->out, "backward_sum_ns", modules->backward_ps);
	tp_out_ratio(o->out, "gpu_work_ratio", modules->inside_ps +
	    modules->backward_ps, all);
	tp_out_end(o->out);
	for (size_t i = 0; i < modules->count; i++)
		emit_module(o, &modules->list[i], all);
	emit_tree(o, modules);
	if (o->pixels)
		emit_bands(o);
}
