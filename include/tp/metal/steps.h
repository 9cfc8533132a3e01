/*
 * steps - the iterations of the loop in which a program spends its GPU time
 *
 * Signposts give the steps when the program has them: at least three
 * intervals of one name, none overlapping another.  Otherwise pauses do: the
 * GPU work of the process is split at gaps above 1 ms and 20 times its
 * median gap (when the median itself is a pause, each interval is a step).
 * Gaps of one kind are not cut at 1 ms, and a gap before work that was
 * committed already is no pause.
 * Among the gap lengths that stand out, the limit is chosen that puts most
 * work into consecutive parts of similar busy time and number of GPU
 * intervals.  Such parts must hold half of the busy time.  A differing part
 * before or after them (loading, decoding) is no step.  A process that
 * draws, or that leaves the GPU idle for nine tenths of the time, has no
 * steps; with ten or more similar steps of at least eight intervals the idle
 * limit is 99 %.  Without such pauses, and where commits are known, the work is
 * split where a buffer was committed after all before it had ended.
 *
 * A step found by pauses spans from the end of the step before to the end of
 * its own work: the duration of an iteration in a program that waits at its
 * end.  The first step begins at the end of the work before it, or with its
 * own work when that end is longer ago than a step takes.
 *
 * Memory: 32 bytes per signpost interval, 32 per begin or end event of a
 * process (Apple's own frameworks left out), about 140 bytes per pause
 * (gpu.h).
 */
#ifndef TP_METAL_STEPS_H
#define TP_METAL_STEPS_H

#include <tp/metal/cmdbuf.h>
#include <tp/metal/gpu.h>

struct tp_segments;

struct tp_mark {
	int64_t from_ns, to_ns;
	int64_t tokens;			/* from its messages; -1: unknown */
	uint32_t name, proc;
};

/* A begin or end event of an interval. */
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

/* Add one row of os-signpost-interval or os-signpost.  0, or -1 with ERR. */
int tp_steps_add(struct tp_steps *steps, const struct tp_row *row,
    struct tp_err *err);
/*
 * Write step.summary and step for process TARGET (index in GPU's procs; HOW
 * says how it was chosen); nothing when TARGET is -1.  Call after
 * tp_gpu_emit().  With CB (after tp_cmdbuf_emit(), or NULL), also write what
 * only command buffers show, and fill SEGMENTS, empty before.  STEADY becomes
 * the time of the steps after the warm-up, or stays unchanged without steps.
 * 0, or -1 with ERR.
 */
int tp_steps_emit(struct tp_steps *steps, struct tp_gpu *gpu,
    struct tp_cmdbuf *cb, ptrdiff_t target, const char *how,
    const struct tp_window *window, struct tp_window *steady,
    struct tp_segments *segments, struct tp_out *out, struct tp_err *err);

struct tp_step {
	int64_t start_ns, end_ns;
	int64_t first_ns, last_ns;	/* its GPU work; busy_ns 0: none */
	int64_t busy_ns;
	int64_t intervals, buffers;	/* -1: unknown */
	int warmup;
	const char *class;		/* "light", "heavy"; NULL: all alike */
};

struct tp_steps_found {
	const char *method, *reason, *name;	/* literals, except name */
	int64_t limit_ns;
	struct tp_step *steps;		/* yours to tp_free() */
	size_t count;
	int64_t before_ns, after_ns;	/* GPU busy time outside the steps */
};

/* GPU work between two pauses. */
struct tp_part {
	int64_t from_ns, to_ns, busy_ns;
	int64_t intervals;
};

/*
 * Find steps among PARTS, which are in time order; UNDER_NS is the longest
 * gap inside a part.  Unless ANY is set, steps must hold half of the busy
 * time.  FOUND, zeroed before, gets the steps or the reason why there are
 * none.
 */
void tp_steps_in_parts(const struct tp_part *parts, size_t count,
    int64_t under_ns, int any, struct tp_steps_found *found);
/*
 * The signposts of process PROC (in STEPS) inside WINDOW, by name, then by
 * time: *COUNT of them, yours to tp_free(); their names stay with STEPS.
 */
struct tp_mark *tp_steps_marks(struct tp_steps *steps, ptrdiff_t proc,
    const struct tp_window *window, size_t *count);
/*
 * Find steps among MARKS; BUSY is the GPU work of their process.
 * FOUND->method stays NULL when there are none.
 */
void tp_steps_in_marks(const struct tp_steps *steps,
    const struct tp_mark *marks, size_t count, const struct tp_ival *busy,
    struct tp_steps_found *found);
/* Fill in the GPU work of the COUNT STEPS, and FOUND's busy time outside. */
void tp_steps_measure(const struct tp_ival *busy, struct tp_step *steps,
    size_t count, struct tp_steps_found *found);

#endif
