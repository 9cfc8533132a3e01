/*
 * gaps - why the GPU was idle
 *
 * A gap is a time between the first and the last GPU work without work on any
 * stream.  Gaps of at least ignore_ns are compared with what the host did.  The
 * cause depends on the call that launched the work after the gap:
 *
 *   unlinked         the call is unknown
 *   migration        the driver moves pages of unified memory next
 *   inside-launch    the work before and after is of one launch (of a graph)
 *   stream-wait      it was launched before the gap, and its stream waited
 *                    for an event of another one until the gap began (sync.h)
 *   launch-anomaly   it began slow_launch_ns after its launch, longer than a
 *                    GPU takes to begin, and was launched queued_ns before the
 *                    gap or slow_launch_ratio of the gap before it began: it
 *                    was in the queue and did not start
 *   launch-overhead  all but only_launch_ns of the gap is the delay from the
 *                    launch to the start: it was launched as the gap began
 *   profiler         half of the gap is overhead of the profiler
 *   runtime          calls of one class (synchronize, memory, launch, ...)
 *                    take runtime_ratio of the gap
 *   cpu-untraced     operators and calls take less than traced_ratio of it:
 *                    the thread was in Python, or waited for something else
 *   cpu              the thread ran operators
 *
 * The last four look at the thread of that call, from the start of the gap
 * to the end of the call; time counts for the innermost operator or call.
 *
 * What began the gap is a separate question.  The trigger is a call that waits
 * for the GPU (synchronize, memcpy), ended at most sync_slack_ns before the gap
 * began, and was not made after the launch of the work that follows the gap.
 * If it had waited at least drain_ns for work, the queue was drained
 * (sync-drain); otherwise the GPU had nothing left to do (starved).
 *
 * Whatever the cause, a range that the program or a library marked on the host
 * (DataLoader), or a Python function, names the activity if it covers half of
 * the gap.
 *
 * A gap that is due to the host is split by instant into shares: the time of
 * that thread by the innermost operator or call, in none of them, and from the
 * end of the call that launched the work to the start of the work.  What the
 * host could have done while it waited (trigger sync-drain) is in no share; it
 * could not have made calls that wait for the GPU themselves ("drains": memory
 * is freed when no work is left).  The time in which the profiler held the
 * program up is in no share either.  Times of pause_ns and
 * more at once in an operator are a pause if they are pause_factor times the
 * median of its calls, at least pause_calls of which began before the gap.
 *
 * A gap outside of the window (work.h) has the cause edge instead: what the
 * recording cut off is no property of the program.
 *
 * The limits are "gaps" of share/ops/torch.json.  Linear except for sorting.
 * Memory: 120 bytes a gap, and 16 per name of an operator or call in it; 24
 * more a gap, and 24 per call that waits, during analysis.
 */
#ifndef TP_TORCH_GAPS_H
#define TP_TORCH_GAPS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

#include "sync.h"

enum tp_torch_cause {
	TP_TORCH_CPU, TP_TORCH_UNTRACED, TP_TORCH_IN_RUNTIME,
	TP_TORCH_LAUNCH_OVERHEAD, TP_TORCH_LAUNCH_ANOMALY,
	TP_TORCH_INSIDE_LAUNCH, TP_TORCH_STREAM_WAIT, TP_TORCH_UNLINKED,
	TP_TORCH_EDGE, TP_TORCH_PROFILER, TP_TORCH_MIGRATION, TP_TORCH_CAUSES
};

enum tp_torch_trigger {
	TP_TORCH_NO_SYNC, TP_TORCH_SYNC_DRAIN, TP_TORCH_STARVED,
	TP_TORCH_TRIGGERS
};

/* Names in records; trigger 0 has none. */
extern const char *const tp_torch_causes[TP_TORCH_CAUSES];
extern const char *const tp_torch_triggers[TP_TORCH_TRIGGERS];

/* Time in a gap of what the thread was in. */
enum tp_torch_share_of {
	TP_TORCH_OF_CALLS,
	TP_TORCH_OF_OPS,
	TP_TORCH_OF_OPS_ALONE,	/* operators that launched nothing, at length:
				 * "alone" of share/ops/torch.json */
	TP_TORCH_OF_PAUSE,	/* operators, at once for far longer than their
				 * calls take (gaps_pause.c) */
	TP_TORCH_SHARES
};
struct tp_torch_share {
	int64_t ps;
	uint32_t name;
	uint8_t of;
};

struct tp_torch_gap {
	int64_t from_ps, to_ps;
	int64_t host_ps;	/* part of it that host_name took */
	int64_t waited_ps;	/* trigger sync-drain: how long the call had
				 * waited for work, */
	int64_t drained_ps;	/* ... and how much of as much time after it
				 * calls took that drain the GPU */
	int64_t host_to_ps;	/* if due to the host: until when the thread
				 * made the next work wait, */
	int64_t launched_ps;	/* ... and from when on it had been launched;
				 * between them another thread launched it */
	int64_t function_ps;	/* part of it in that function */
	uint32_t share, share_count;	/* in shares; none: not due to the
					 * host, or in nothing recorded */
	uint32_t before, next;	/* events: the work on both sides */
	uint32_t host_name;	/* name of the operator, or call of the class,
				 * that took most; TP_TORCH_NO: none */
	uint32_t annotation;	/* event: innermost range on the host that
				 * covers half of it; TP_TORCH_NO: none */
	uint32_t function;	/* name: the same for Python functions of the
				 * thread that launched the next work;
				 * TP_TORCH_NO: none */
	const struct tp_class *about;	/* what the name of the range or
					 * function says; its number is a part
					 * of the budget (tp/budget.h); or
					 * NULL */
	uint32_t sync;		/* event: the call that waited as it began;
				 * TP_TORCH_NO: none */
	uint8_t cause, trigger;
	uint8_t runtime_class;	/* if the cause is runtime */
	uint8_t queued;		/* the work was launched long before */
};

struct tp_torch_gaps {
	struct tp_torch_gap *list;	/* in order, without ignored ones */
	size_t count, cap;
	struct tp_torch_share *shares;
	size_t shared, shared_cap;
	int64_t ignore_ps;
	size_t longest;		/* how many to list one by one */
	uint64_t short_count;	/* ignored gaps */
	int64_t short_ps, total_ps, max_ps;	/* total, max: of all gaps */
};

/*
 * Returns the call whose thread G, followed by linked work, waited for: the
 * call that launched the work, or the call that passed it to another thread,
 * if that came later in the gap.
 */
const struct tp_torch_event *tp_torch_gap_call(const struct tp_torch *torch,
    const struct tp_torch_gap *gap);

/* From the start of G, what the host could have done while it waited before. */
static inline int64_t
tp_torch_gap_waited(const struct tp_torch_gap *g)
{
	int64_t ps = g->to_ps - g->from_ps;

	return g->trigger != TP_TORCH_SYNC_DRAIN ? 0 :
	    g->waited_ps < ps ? g->waited_ps : ps;
}

/*
 * Finds the gaps of an analysed trace.  Returns 0, or -1 with ERR; must be
 * released even after failure.
 */
int tp_torch_gaps_make(struct tp_torch_gaps *gaps, const struct tp_torch *torch,
    const struct tp_torch_waits *waits, struct tp_err *err);

/*
 * Finds the ranges and functions that cover half of a gap.  Must be called
 * before frames are made, which releases the functions (frame.h).
 */
void tp_torch_gaps_about(struct tp_torch_gaps *gaps,
    const struct tp_torch *torch);

/* Marks gaps before FROM_PS or after TO_PS as edges. */
void tp_torch_gaps_cut(struct tp_torch_gaps *gaps, int64_t from_ps,
    int64_t to_ps);

/* See the top of this file. */
struct tp_torch_gap_limits {
	int64_t ignore_ps, queued_ps, sync_slack_ps, drain_ps,
	    slow_launch_ps, only_launch_ps;
	int64_t pause_ps;
	double slow_launch_ratio, runtime_ratio, traced_ratio,
	    pause_factor, pause_calls, longest;
};

/* Gaps whose cause is the activity of a host thread. */
struct tp_torch_gap_host {
	struct gap_window {
		int64_t from_ps, to_ps;
		uint32_t lane, gap;
	} *list;
	size_t count, cap;
	/* during analysis: time by name and by class in one gap */
	size_t at;
	int64_t *named;		/* by name * 2 + (1 for an operator) */
	uint32_t *touched;	/* indices of non-zero entries */
	size_t touched_count, touched_cap;
	uint32_t *share_at;	/* by name * TP_TORCH_SHARES +
				 * tp_torch_share_of: 1 + its share */
	int64_t class_ps[TP_TORCH_CLASSES], op_ps;
};

/* Adds gap AT of GAPS. */
void tp_torch_gap_host_add(struct tp_torch_gap_host *host,
    const struct tp_torch *torch, const struct tp_torch_gaps *gaps, size_t at);
/* Finds the cause of each. */
void tp_torch_gap_host_judge(struct tp_torch_gap_host *host,
    const struct tp_torch *torch, const struct tp_torch_gap_limits *limits,
    struct tp_torch_gaps *gaps);
void tp_torch_gap_host_release(struct tp_torch_gap_host *host);
/* Finds the shares of judged gaps that are pauses. */
void tp_torch_gaps_pause(struct tp_torch_gaps *gaps,
    const struct tp_torch *torch, const struct tp_torch_gap_limits *limits);

#endif
