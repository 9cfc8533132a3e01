/*
 * steps - the iterations of the loop that a program spends its GPU time in
 *
 * By signposts where the program marks them: intervals of one name, at least
 * three, none overlapping another.  Else by pauses: the GPU work of the
 * process is split at gaps above 1 ms and 20 times its median gap (unless that
 * is a pause itself: then a step is one interval), at the
 * limit (of those that stand out among the gaps) at which most of it lies in
 * parts that follow each other and are alike in busy time and in number of
 * GPU intervals.  These must hold half of the busy time; a part before or
 * after that differs (loading, decoding) is none, and a process that draws,
 * or that leaves the GPU idle for nine tenths (where ten steps of eight
 * intervals or more are alike: for 99 %), has none.
 *
 * Found by pauses, a step reaches from the end of the one before to the end
 * of its own work: as long as an iteration takes a program that waits at its
 * end.  The first begins at the end of the work before it, unless that is
 * longer ago than a step takes; then with its own work.
 *
 * Memory: 32 bytes per signpost interval and 32 per begin or end of a process
 * (Apple's own frameworks left out), about 140 bytes per pause (gpu.h).
 */
#ifndef TP_METAL_STEPS_H
#define TP_METAL_STEPS_H

#include <tp/metal/cmdbuf.h>
#include <tp/metal/gpu.h>

struct tp_segments;

struct tp_mark {
	int64_t from_ns, to_ns;
	int64_t tokens;			/* its messages tell; -1: not */
	uint32_t name, proc;
};

/* The begin or the end of an interval. */
struct tp_mark_event {
	int64_t at_ns;
	uint64_t id;
	uint32_t name, proc;
	int ends;
};

/* A zeroed struct is empty. */
struct tp_steps {
	const char *wanted;	/* name of the signposts, borrowed; or NULL.
				 * Set before the first row */
	struct tp_procs procs;
	struct tp_names names;
	struct tp_mark *marks;
	size_t mark_count, mark_cap;
	struct tp_mark_event *events;
	size_t event_count, event_cap;
};

/* Take one row of os-signpost-interval or os-signpost.  0, or -1 with ERR. */
int tp_steps_add(struct tp_steps *steps, const struct tp_row *row,
    struct tp_err *err);
/*
 * Write step.summary and step for process TARGET (index in GPU's procs,
 * chosen as HOW says), after tp_gpu_emit(); nothing when TARGET is -1.  With
 * CB (after tp_cmdbuf_emit(), or NULL) also what only command buffers tell,
 * and the SEGMENTS of the run, an empty list before, yours to release.  STEADY
 * gets the time of the steps behind the warm-up; it stays as it is when there
 * are none.
 */
int tp_steps_emit(struct tp_steps *steps, struct tp_gpu *gpu,
    struct tp_cmdbuf *cb, ptrdiff_t target, const char *how,
    const struct tp_window *window, struct tp_window *steady,
    struct tp_segments *segments, struct tp_out *out, struct tp_err *err);
void tp_steps_release(struct tp_steps *steps);

struct tp_step {
	int64_t start_ns, end_ns;
	int64_t first_ns, last_ns;	/* its GPU work; busy_ns 0: none */
	int64_t busy_ns;
	int64_t intervals, buffers;	/* -1: not known */
	int warmup;
};

struct tp_steps_found {
	const char *method, *reason, *name;	/* literals, but for name */
	int64_t limit_ns;
	struct tp_step *steps;		/* yours to tp_free() */
	size_t count;
	int64_t before_ns, after_ns;	/* GPU busy time outside */
};

/* GPU work between two pauses. */
struct tp_part {
	int64_t from_ns, to_ns, busy_ns;
	int64_t intervals;
};

/*
 * Find steps among PARTS, in order of time; UNDER_NS is the longest gap
 * inside one of them.  Unless ANY will do, they hold half of the busy time.
 * FOUND, zeroed before, says what was found, or why nothing was.  0, or -1
 * without memory.
 */
int tp_steps_in_parts(const struct tp_part *parts, size_t count,
    int64_t under_ns, int any, struct tp_steps_found *found);
/*
 * The signposts of process PROC (in STEPS) that lie in WINDOW, by name, then
 * by time: yours to tp_free(), COUNT of them; names stay with STEPS.  NULL
 * without memory.
 */
struct tp_mark *tp_steps_marks(struct tp_steps *steps, ptrdiff_t proc,
    const struct tp_window *window, size_t *count);
/*
 * Find steps among such MARKS; BUSY is the GPU work of their process.
 * FOUND->method stays NULL when there are none.  0, or -1 without memory.
 */
int tp_steps_in_marks(const struct tp_steps *steps,
    const struct tp_mark *marks, size_t count, const struct tp_ival *busy,
    struct tp_steps_found *found);
/* Fill in the GPU work of the COUNT steps at STEPS, and what FOUND has of that
 * outside of them.  0, or -1 when BUSY cannot be read. */
int tp_steps_measure(const struct tp_ival *busy, struct tp_step *steps,
    size_t count, struct tp_steps_found *found);

#endif
