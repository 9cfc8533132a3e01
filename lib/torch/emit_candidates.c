/* emit_candidates - candidates for fusion as records */
#include <string.h>

#include <tp/buf.h>

#include "emit_torch.h"

/* Most frames listed around a candidate. */
#define FRAMES_MAX 32

struct fusion_out {
	const struct tp_torch_out *o;
	const struct tp_torch *t;
	const struct tp_torch_candidates *f;
	struct tp_buf buf;
};

static const char *const confidences[] = {
	[TP_FUSION_LOW] = "low", [TP_FUSION_MEDIUM] = "medium",
	[TP_FUSION_HIGH] = "high",
};

static const struct tp_torch_frame *
frame_of(const struct fusion_out *p, const struct tp_torch_candidate *c)
{
	return &p->o->file->frames.list[c->frame];
}

/* Write the name of candidate C as KEY. */
static void
out_name(const struct fusion_out *p, const char *key,
    const struct tp_torch_candidate *c)
{
	const struct tp_torch_frames *frames = &p->o->file->frames;
	const struct tp_torch_frame *f = frame_of(p, c);
	struct tp_name n = tp_torch_is_module(frames, f) ?
	    tp_torch_frame_class(p->t, frames, f) :
	    *tp_torch_frame_name(p->t, f);

	tp_out_bytes(p->o->out, key, n.text, n.len);
}

/* Write the frames around frame AT, outermost first, as a JSON list. */
static void
out_frames(struct fusion_out *p, uint32_t at)
{
	const struct tp_torch_frame *list = p->o->file->frames.list;
	uint32_t chain[FRAMES_MAX];
	size_t n = 0;

	for (at = list[at].parent; at != TP_TORCH_NO && n < FRAMES_MAX;
	    at = list[at].parent)
		chain[n++] = at;
	if (!n)
		return;
	tp_buf_clear(&p->buf);
	while (n-- > 0) {
		const struct tp_name *name = tp_torch_frame_name(p->t,
		    &list[chain[n]]);

		tp_buf_str(&p->buf, p->buf.len ? ", \"" : "[\"");
		tp_json_escape(&p->buf, name->text, name->len);
		tp_buf_chr(&p->buf, '"');
	}
	tp_buf_chr(&p->buf, ']');
	tp_out_bytes(p->o->out, "frames", p->buf.p, p->buf.len);
}

/* Kernels that could go into another one, in one candidate. */
struct merged {
	const uint32_t *of;	/* by event */
	uint32_t candidate;
};

static int
is_merged(const void *arg, uint32_t event)
{
	const struct merged *m = arg;

	return m->of[event] == m->candidate + 1;
}

/* Write the estimated gain if it is known. */
static void
out_saving(const struct fusion_out *p, const struct tp_torch_candidate *c)
{
	const struct merged m = { p->f->merged, (uint32_t)(c - p->f->list) };

	if (!c->is_known)
		return;
	tp_out_ps(p->o->out, "saving_low_ns",
	    tp_torch_mean_ps(p->o, c->low_ps));
	tp_out_ps(p->o->out, "saving_ns",
	    tp_torch_mean_ps(p->o, c->middle_ps));
	tp_out_ps(p->o->out, "saving_high_ns",
	    tp_torch_mean_ps(p->o, c->high_ps));
	tp_out_ratio(p->o->out, "saving_of_span_ratio",
	    tp_torch_mean_ps(p->o, c->middle_ps), p->o->span_ps);
	if (c->inside == TP_TORCH_NO && c->confidence == TP_FUSION_HIGH &&
	    p->f->merged)
		tp_torch_out_gain(p->o, is_merged, &m, c->high_ps, 1);
}

static void
emit_candidate(struct fusion_out *p, size_t i)
{
	const struct tp_torch_candidate *c = &p->f->list[i];
	const struct tp_torch_frame *f = frame_of(p, c);
	struct tp_out *out = p->o->out;

	tp_torch_out_begin(p->o, "fusion.candidate");
	tp_out_int(out, "rank", (int64_t)i + 1);
	out_name(p, "site", c);
	tp_out_text(out, "what", tp_torch_is_module(&p->o->file->frames, f) ?
	    "module" : f->is_function ? "function" : "operator");
	if (c->inside != TP_TORCH_NO)
		out_name(p, "inside", &p->f->list[c->inside]);
	tp_torch_out_module_path(p->o, c->frame);
	tp_out_bytes(out, "first_name", tp_torch_frame_name(p->t, f)->text,
	    tp_torch_frame_name(p->t, f)->len);
	out_frames(p, c->frame);
	if (!f->is_function)
		tp_torch_out_text(p->o, "input_dims", tp_torch_args_of(p->t,
		    &p->t->events[f->of]).dims);
	tp_out_int(out, "count", c->instance_count);
	tp_out_int(out, "launched_kernel_count", c->kernel_count);
	tp_out_int(out, "eligible_kernel_count", c->eligible_count);
	tp_out_ps(out, "duration_sum_ns", c->duration_ps);
	tp_out_ratio(out, "duration_of_span_ratio",
	    tp_torch_mean_ps(p->o, c->duration_ps),
	    p->o->span_ps);
	tp_out_bool(out, "has_gemm", c->has_gemm);
	tp_out_text(out, "confidence", confidences[c->confidence]);
	out_saving(p, c);
	tp_out_end(out);
}

/* Write the kernels of the first instance of candidate I. */
static void
emit_kernels(const struct fusion_out *p, size_t i)
{
	const struct tp_torch_frame *f = frame_of(p, &p->f->list[i]);
	int64_t index = 0;

	for (uint32_t k = tp_torch_frame_first(p->t, f),
	    last = tp_torch_frame_last(p->t, f); k < last; k++) {
		const struct tp_torch_event *e =
		    &p->t->events[p->t->links[k].work];
		const struct tp_name *name = tp_torch_event_name(p->t, e);
		const char *type = p->f->types[e->name];

		if (!tp_torch_may_fuse(e))
			continue;
		tp_torch_out_begin(p->o, "fusion.kernel");
		tp_out_int(p->o->out, "rank", (int64_t)i + 1);
		tp_out_int(p->o->out, "index", ++index);
		tp_out_bytes(p->o->out, "kernel", name->text, name->len);
		tp_out_text(p->o->out, "kernel_type", type ? type : "Unknown");
		tp_out_bool(p->o->out, "eligible",
		    p->f->roles[e->name] != TP_FUSION_COMMUNICATION);
		tp_out_ps(p->o->out, "duration_ns", e->to_ps - e->from_ps);
		tp_out_int(p->o->out, "first_uid", e->uid);
		tp_out_end(p->o->out);
	}
}

void
tp_torch_emit_candidates(const struct tp_torch_out *o,
    const struct tp_torch_candidates *f)
{
	struct fusion_out p = { .o = o, .t = &o->file->torch, .f = f };

	for (size_t i = 0; i < f->count; i++) {
		emit_candidate(&p, i);
		emit_kernels(&p, i);
	}
	tp_buf_release(&p.buf);
}
