/* torch_emit_private - what the files of torch_emit share */
#ifndef TORCH_EMIT_PRIVATE_H
#define TORCH_EMIT_PRIVATE_H

#include <tp/torch_capture.h>

/* Where records go, and of which file they are. */
struct torch_out {
	struct tp_out *out;
	const struct tp_torch_file *file;
	int64_t rank;		/* -1: there is only one file */
};

static inline void
torch_begin(const struct torch_out *o, const char *kind)
{
	tp_out_begin(o->out, kind);
	if (o->rank >= 0)
		tp_out_int(o->out, "rank", o->rank);
}

static inline void
out_ps(struct tp_out *out, const char *key, int64_t ps)
{
	tp_out_int(out, key, tp_ps_to_ns(ps));
}

/* "trace.summary" */
void torch_emit_trace(const struct torch_out *o);
/* "timeline.summary timeline.stream" */
void torch_emit_time(const struct torch_out *o);
/* "step.summary step timeline.step" */
void torch_emit_steps(const struct torch_out *o);

#endif
