/*
 * phase - which step of the run a moment belongs to: inside, before, between
 * or after the steps
 *
 * Steps are taken from the "step" records of a record stream (or segments
 * from its "segment" records).  Memory: 40 bytes a step.
 */
#ifndef TP_METAL_PHASE_H
#define TP_METAL_PHASE_H

#include <tp/hash.h>
#include <tp/records.h>

struct tp_phase {
	int64_t index;			/* number in the records */
	int64_t start_ns, end_ns;	/* half open */
	size_t src;			/* index of its trace in srcs */
	int warmup;
};

/* A zeroed struct is empty. */
struct tp_phase_list {
	struct tp_names srcs;
	struct tp_phase *list;
	size_t count, cap;
	int sorted;
};

/*
 * Take REC if it is of KIND, a literal; its key NUMBER is the index, and it
 * lasts from start_ns to end_ns, or from first_ns to last_ns.  0, or -1 with
 * ERR.
 */
int tp_phase_list_add(struct tp_phase_list *phases, const char *kind,
    const char *number, const struct tp_rec *rec, struct tp_err *err);
/*
 * The COUNT steps of trace SRC, sorted by start; when no trace is called SRC
 * and all steps are of one trace, those.  NULL when there are none.
 * Borrowed until the next tp_phase_list_add().
 */
const struct tp_phase *tp_phase_list_of(struct tp_phase_list *phases,
    const char *src, size_t *count);

/* The steps of the trace being written. */
struct tp_phase_view {
	const struct tp_phase *list;
	size_t count;
};

/* The step that contains AT_NS, or NULL. */
const struct tp_phase *tp_phase_at(const struct tp_phase_view *steps,
    int64_t at_ns);
/*
 * Write the keys PREFIXphase and, inside a step, PREFIXstep; nothing when
 * there are no steps.
 */
void tp_out_phase(struct tp_out *out, const char *prefix,
    const struct tp_phase_view *steps, int64_t at_ns);

#endif
