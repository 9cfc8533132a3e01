/*
 * budget - the wall-clock budget of a run on Metal, from its execution graph
 *
 * A commit is the launch of the work of its command buffer; between two
 * commits a thread runs, waits for the end of what it had committed, waits for
 * room in the queue, or rests.  GPU rows and commits say when it may have
 * waited, CPU samples whether it did, and what it did else: they are classified
 * by share/ops/cpu-causes.json.  Of a thread that rests, what the others of its
 * process run says why.  Waits for a commit of less than eight sample periods
 * share their samples.  share/ops/metal.json has the limits.
 *
 * Each instant without work of the process has one cause, by the path back from
 * the work that follows; what a change would save is replayed.  Without samples
 * a late commit is not told from a wait; without commits nothing is promised.
 *
 * tp-gpu-intervals --waits writes the rows as records, which tp-cpu-top --like
 * reads and completes with samples.
 */
#ifndef TP_METAL_BUDGET_H
#define TP_METAL_BUDGET_H

#include <tp/budget.h>
#include <tp/metal/segments.h>

/*
 * Write the budget of process PROC of CB over all its work in WINDOW, over
 * STEADY unless that is empty, and over each of SEGMENTS, and the path and gaps
 * of that which is judged.  Rows of CB must be sorted: call after
 * tp_cmdbuf_emit().  A commit up to LATE_NS after a gap began is not late.
 * With PIXELS (not 0) also path.lane, that wide.  HAND_ON writes budget.gpu and
 * budget.work, the input of tp-cpu-top, instead.  0, or -1 with ERR.
 */
int tp_metal_budget(const struct tp_cmdbuf *cb, ptrdiff_t proc,
    const struct tp_window *window, const struct tp_window *steady,
    const struct tp_segments *segments, int64_t late_ns,
    size_t pixels, int hand_on, struct tp_out *out, struct tp_err *err);

/* The GPU work of each trace in a record stream.  A zeroed struct is empty. */
struct tp_waits {
	struct tp_names srcs;
	struct tp_waits_trace *traces;
	size_t cap;
};

struct tp_cpu_buckets;

/* Take REC if it is budget.gpu or budget.work.  0, or -1 with ERR. */
int tp_waits_add(struct tp_waits *waits, const struct tp_rec *rec,
    struct tp_err *err);
/* The work of trace SRC, or of the only trace; NULL when there is none. */
struct tp_waits_trace *tp_waits_of(struct tp_waits *waits, const char *src);
/* A CPU sample; unknown numbers are -1. */
struct tp_waits_sample {
	const char *process, *thread;	/* borrowed; thread has thread_len
					 * bytes */
	size_t thread_len;
	int64_t pid, tid;
	int64_t at_ns, weight_ns;
	const char *function;		/* that says the cause, */
	int cause;			/* ... as index in
					 * share/ops/cpu-causes.json */
	int waits;			/* the thread was not running */
};

/*
 * Whether SAMPLE is of a thread that commits, while the GPU had nothing of its
 * process; its cause need not be known.
 */
int tp_waits_wants(struct tp_waits_trace *trace,
    const struct tp_waits_sample *sample);
/* Add SAMPLE, unless it is of another process. */
void tp_waits_sample(struct tp_waits_trace *trace,
    const struct tp_waits_sample *sample);
/*
 * Write what came before the first GPU work, and the budgets; CAUSES gives the
 * names of the causes.  0, or -1 with ERR.
 */
int tp_waits_emit(struct tp_waits_trace *trace,
    const struct tp_cpu_buckets *causes, struct tp_out *out,
    struct tp_err *err);

#endif
