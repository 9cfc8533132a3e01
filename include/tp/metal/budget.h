/*
 * budget - the wall-clock budget of a run on Metal
 *
 * The GPU's rows say when it worked for the target, and of each gap how much
 * passed before the next buffer was committed (late), while another process
 * had the GPU (contention), and until the work began (launch).  What the
 * host did while the GPU waited for a commit only its samples say, so that is
 * told in two steps: tp-gpu-intervals --waits hands the late gaps on, as
 * records, and tp-cpu-top --like takes them.  Without samples only the time
 * until the CPU was told of the end is known, where it committed after that.
 *
 * Of the time H of a late gap the samples of the process in it are split by
 * share/ops/cpu-causes.json: those of its main thread and of the threads that
 * commit, where the submissions name these, else of all.  When these sleep,
 * what stands for itself in another thread is what they wait for.  Converting,
 * computing and loading on the CPU stand for themselves.  What else the CPU
 * did, and what it slept until it was told of the end (the completion), it
 * could have done before: as long as it slept between its last commit and the
 * beginning of the gap.  So much is synchronising, the rest building; when it
 * slept for no such reason, nothing is recorded.  Gaps of less than eight
 * samples' time are taken together.
 *
 * Memory: 16 bytes per span of other processes; on the CPU's side 32 per late
 * gap and 330 per one of eight samples or more.
 */
#ifndef TP_METAL_BUDGET_H
#define TP_METAL_BUDGET_H

#include <tp/budget.h>
#include <tp/metal/segments.h>

/*
 * Write the budget of process PROC of CB, whose rows are sorted (after
 * tp_cmdbuf_emit()), over all its work in WINDOW, over STEADY, unless that is
 * empty, and over each of SEGMENTS.
 * A commit up to LATE_NS after a gap began is not late.  With HAND_ON what
 * tp-cpu-top needs instead: budget.gpu and budget.gap.  0, or -1 with ERR.
 */
int tp_metal_budget(const struct tp_cmdbuf *cb, ptrdiff_t proc,
    const struct tp_window *window, const struct tp_window *steady,
    const struct tp_segments *segments, int64_t late_ns, int hand_on,
    struct tp_out *out, struct tp_err *err);

/* The late gaps of the traces in a record stream; a zeroed struct is empty. */
struct tp_waits {
	struct tp_names srcs;
	struct tp_waits_trace *traces;
	size_t cap;
};

struct tp_cpu_buckets;

/* Take REC when it is one of the two kinds.  0, or -1 with ERR. */
int tp_waits_add(struct tp_waits *waits, const struct tp_rec *rec,
    struct tp_err *err);
/* What is known of the trace called SRC (if all is of one trace: of that);
 * NULL: nothing. */
struct tp_waits_trace *tp_waits_of(struct tp_waits *waits, const char *src);
/* What a thread of a process was seen at; -1 for numbers that are not known. */
struct tp_waits_sample {
	const char *process, *thread;	/* borrowed; the thread's LEN long */
	size_t thread_len;
	int64_t pid, tid;
	int64_t at_ns, weight_ns;
	int cause;			/* in share/ops/cpu-causes.json */
};

/* Take SAMPLE, unless its thread has no part in the commits.  0, or -1 without
 * memory. */
int tp_waits_sample(struct tp_waits_trace *trace,
    const struct tp_waits_sample *sample);
/* Write the budgets; CAUSES names what was counted. */
void tp_waits_emit(struct tp_waits_trace *trace,
    const struct tp_cpu_buckets *causes, struct tp_out *out);
void tp_waits_release(struct tp_waits *waits);

#endif
