/* emit_module - GPU time by nn.Module as records */
#include <string.h>

#include <tp/buf.h>

#include "emit_private.h"

void
tp_torch_out_module_path(const struct tp_torch_out *o, uint32_t at)
{
	const struct tp_torch_file *f = o->file;
	struct tp_buf path = { 0 };

	tp_torch_module_path(&f->torch, &f->frames, at, &path);
	if (path.len && !path.failed)
		tp_out_bytes(o->out, "module_path", path.p, path.len);
	tp_buf_release(&path);
}

static void
emit_module(const struct tp_torch_out *o, const struct tp_torch_module *m,
    int64_t all)
{
	const struct tp_torch_file *f = o->file;
	const struct tp_torch_frame *frame = &f->frames.list[m->frame];

	tp_torch_out_begin(o, "module.name");
	tp_out_bytes(o->out, "module", tp_torch_frame_name(&f->torch,
	    frame)->text + strlen(f->torch.ops->module),
	    (size_t)frame->class_len);
	tp_torch_out_module_path(o, m->frame);
	tp_out_int(o->out, "instance_count", m->instance_count);
	tp_out_int(o->out, "count", (int64_t)m->call_count);
	tp_out_int(o->out, "gpu_count", (int64_t)(m->gpu_count +
	    m->backward_count));
	out_ps(o->out, "busy_ns", m->busy_ps);
	out_ps(o->out, "forward_sum_ns", m->duration_ps);
	out_ps(o->out, "own_forward_sum_ns", m->own_ps);
	out_ps(o->out, "backward_sum_ns", m->backward_ps);
	tp_out_ratio(o->out, "gpu_work_ratio", m->duration_ps +
	    m->backward_ps, all);
	tp_out_end(o->out);
}

void
tp_torch_emit_modules(const struct tp_torch_out *o,
    const struct tp_torch_modules *modules)
{
	const struct tp_torch *t = &o->file->torch;
	int64_t all = 0;

	if (!modules->count)
		return;
	for (size_t i = 0; i < t->gpu_count; i++)
		all += t->events[t->gpu[i]].to_ps -
		    t->events[t->gpu[i]].from_ps;
	tp_torch_out_begin(o, "module.summary");
	tp_out_int(o->out, "module_count", (int64_t)modules->count);
	tp_out_int(o->out, "count", (int64_t)modules->call_count);
	out_ps(o->out, "gpu_work_ns", all);
	out_ps(o->out, "forward_sum_ns", modules->inside_ps);
	out_ps(o->out, "backward_sum_ns", modules->backward_ps);
	tp_out_ratio(o->out, "gpu_work_ratio", modules->inside_ps +
	    modules->backward_ps, all);
	tp_out_end(o->out);
	for (size_t i = 0; i < modules->count; i++)
		emit_module(o, &modules->list[i], all);
}
