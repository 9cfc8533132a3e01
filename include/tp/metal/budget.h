/*
 * budget - the wall-clock budget of a run on Metal
 *
 * GPU rows give the time the GPU worked for the target.  Of each gap they
 * give how long it took until the next buffer was committed (late), while
 * another process used the GPU (contention), and from the commit to the
 * start of work (launch).  Only CPU samples show what the host did before a
 * late commit, so this takes two steps: tp-gpu-intervals --waits writes the
 * late gaps as records, and tp-cpu-top --like reads them.  Without samples,
 * only the time until the CPU learned of the completion is known, and only
 * when it committed after that.
 *
 * In a late gap of duration H, the samples of the process are classified by
 * share/ops/cpu-causes.json: samples of its main thread and of the
 * committing threads when submissions identify these, else of all threads.
 * While these threads sleep, samples of waiting threads, where they were
 * recorded, name the call; else they wait for whatever other thread runs
 * converting, computing or loading code, and the time goes to that cause.
 * Sleep until the completion is synchronising, as is waking up after it, and
 * other CPU work that could have happened earlier, while the threads slept
 * between their last commit and the start of the gap.  The rest is building;
 * sleep for any other reason is unrecorded.  Gaps of less than eight sample
 * periods are summed up.  A gap that stands alone is the part "pause", and
 * what the host did in it is told, not judged.
 *
 * Memory: 16 bytes per span of other processes; for CPU samples 32 per late
 * gap, and 460 per late gap of eight sample periods or more.
 */
#ifndef TP_METAL_BUDGET_H
#define TP_METAL_BUDGET_H

#include <tp/budget.h>
#include <tp/metal/segments.h>

/*
 * Write the budget of process PROC of CB over all its work in WINDOW, over
 * STEADY unless that is empty, and over each of SEGMENTS.  Rows of CB must
 * be sorted: call after tp_cmdbuf_emit().  A commit up to LATE_NS after a
 * gap began is not late.  HAND_ON writes budget.gpu and budget.gap, the
 * input of tp-cpu-top, instead.
 */
void tp_metal_budget(const struct tp_cmdbuf *cb, ptrdiff_t proc,
    const struct tp_window *window, const struct tp_window *steady,
    const struct tp_segments *segments, int64_t late_ns, int hand_on,
    struct tp_out *out);

/* The late gaps of each trace in a record stream.  A zeroed struct is empty. */
struct tp_waits {
	struct tp_names srcs;
	struct tp_waits_trace *traces;
	size_t cap;
};

struct tp_cpu_buckets;

/* Take REC if it is budget.gpu or budget.gap.  0, or -1 with ERR. */
int tp_waits_add(struct tp_waits *waits, const struct tp_rec *rec,
    struct tp_err *err);
/*
 * The late gaps of trace SRC, or of the only trace; NULL when there are
 * none.
 */
struct tp_waits_trace *tp_waits_of(struct tp_waits *waits, const char *src);
/* A CPU sample; unknown numbers are -1. */
struct tp_waits_sample {
	const char *process, *thread;	/* borrowed; thread has thread_len
					 * bytes */
	size_t thread_len;
	int64_t pid, tid;
	int64_t at_ns, weight_ns;
	int cause;			/* index in share/ops/cpu-causes.json */
	int waits;			/* the thread was not running */
};

/*
 * Whether SAMPLE is of a thread that commits, in a late gap; its cause need
 * not be known.
 */
int tp_waits_wants(struct tp_waits_trace *trace,
    const struct tp_waits_sample *sample);

/* Add SAMPLE, unless its thread has no part in commits. */
void tp_waits_sample(struct tp_waits_trace *trace,
    const struct tp_waits_sample *sample);
/*
 * Write what came before the first GPU work, and the budgets; CAUSES gives the
 * names of the causes.
 */
void tp_waits_emit(struct tp_waits_trace *trace,
    const struct tp_cpu_buckets *causes, struct tp_out *out);

#endif
