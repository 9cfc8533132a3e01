/*
 * phase - where in the run a moment fell: in which step, before, between or
 * after them
 *
 * The steps are the "step" records of a record stream (or its segments are);
 * nothing is known of them but what these say.  Memory: 40 bytes a step.
 */
#ifndef TP_METAL_PHASE_H
#define TP_METAL_PHASE_H

#include <tp/hash.h>
#include <tp/records.h>

struct tp_phase {
	int64_t index;			/* as the step is called */
	int64_t start_ns, end_ns;	/* half open */
	size_t src;			/* its trace, in srcs */
	int warmup;
};

/* A zeroed struct holds none. */
struct tp_phases {
	struct tp_names srcs;
	struct tp_phase *list;
	size_t count, cap;
	int sorted;
};

/* Take REC when it is of KIND, a literal; NUMBER is the key of what it is
 * called.  0, or -1 with ERR. */
int tp_phases_add(struct tp_phases *phases, const char *kind,
    const char *number, const struct tp_rec *rec, struct tp_err *err);
/*
 * The steps of the trace called SRC by their start, COUNT of them; where
 * none is called so and all are of one trace, those.  NULL when there are
 * none.  Borrowed until the next tp_phases_add().
 */
const struct tp_phase *tp_phases_of(struct tp_phases *phases,
    const char *src, size_t *count);
void tp_phases_release(struct tp_phases *phases);

/* The steps of the trace that is emitted. */
struct tp_phase_view {
	const struct tp_phase *list;
	size_t count;
};

/* The step that AT_NS lies in, or NULL. */
const struct tp_phase *tp_phase_at(const struct tp_phase_view *steps,
    int64_t at_ns);
/* Keys PREFIXphase and, within a step, PREFIXstep; nothing without steps. */
void tp_out_phase(struct tp_out *out, const char *prefix,
    const struct tp_phase_view *steps, int64_t at_ns);

#endif
