/*
 * fusion - did compiling fuse the kernels
 *
 * Puts the GPU work of two traces, or of two segments of one, beside each
 * other, per step where both have steps, else of the whole run: intervals,
 * command buffers, busy and wall time.  Utilisation says nothing here: a fused
 * run leaves the GPU idle because it is done.  Times are compared only when
 * both did the same work.  What counts as fused is data,
 * share/compare/fusion.json.
 *
 * Memory: 8 bytes per step of each side, the labels of one.
 */
#ifndef TP_JUDGE_FUSION_H
#define TP_JUDGE_FUSION_H

#include <tp/judge/compare.h>

#include "bootstrap.h"
#include "read/times.h"

/* A number that may be unknown. */
struct tp_known {
	int is;
	int64_t n;
};

struct tp_fusion_side {
	const char *src;		/* of the first trace */
	const char *name;		/* of the segment; NULL: none */
	int64_t segment;		/* its number; 0: the whole trace */
	size_t traces;
	int64_t steps;			/* after warm-up; 0: none found */
	const char *method;		/* how they were found */
	struct tp_known intervals, buffers, busy, wall;	/* of a step or run */
	struct tp_known duration, gap;	/* medians, of the whole run */
	int64_t named_labels;		/* distinct; Metal's own left out */
	struct tp_known operations;	/* of a step, as labels name them */
	struct tp_known compiled;	/* intervals with a compiled kernel */
	struct tp_known labelled;	/* of so many with a label */
	struct tp_known allocations, bytes;	/* of a step */
	struct tp_known held;		/* when a step has freed its own */
	double *walls;			/* of the steps; yours to tp_free() */
	size_t wall_count, wall_cap;
};

struct tp_fusion {
	struct tp_fusion_side side[TP_SIDES];
	int by_step;			/* else by run */
	const char *refused;	/* why no time is compared, or NULL */
	const char *verdict, *rests_on;
	const char *busy_change;	/* less, same, more; NULL: unknown */
	int has_labels_left;
	double labels_left;	/* rows under labels that there were before,
				 * of a step where there are steps */
	int has_speedup;
	struct tp_interval speedup;	/* before over after; low is 0 when
					 * there are too few steps */
	int has_split;		/* of the time that a step saves: */
	int64_t dispatch_ns;	/* gaps of intervals that are gone */
	int64_t kernel_ns;	/* of the rest, less GPU work */
	int64_t other_ns;
};

/* What a side is: all of a trace, or one of its segments. */
struct tp_fusion_of {
	const struct tp_set *set;
	int64_t segment;		/* its number; 0: the whole trace */
};

/*
 * The two segments of SET to compare: those that NAMES (a number or a name
 * each, or NULL) ask for; else eager and compiled ones, by their names; else of
 * those without a name the two with the most similar numbers of steps, in
 * order of time.  0, or -1 with ERR: TP_BAD when there are no two.
 */
int tp_fusion_segments(const struct tp_set *set,
    const char *const names[TP_SIDES], struct tp_fusion_of of[TP_SIDES],
    struct tp_err *err);
/*
 * Look at the sides OF by RULES.  1; 0 when a side has no GPU work of a
 * target; -1 with ERR.  Texts are borrowed from the sets.
 */
int tp_fusion_make(struct tp_fusion *fusion,
    const struct tp_compare_rules *rules,
    const struct tp_fusion_of of[TP_SIDES], struct tp_err *err);
/* Where the verdict on SETS is "fused": what C judges and fusing changes by
 * design (share/compare) is neither better nor worse.  0, or -1 with ERR. */
int tp_fusion_excuse(struct tp_comparison *c,
    const struct tp_set sets[TP_SIDES], struct tp_err *err);
void tp_fusion_release(struct tp_fusion *fusion);

/* Write fusion.summary and fusion.metric.  IS_ASKED: a report shows them. */
void tp_fusion_emit(const struct tp_fusion *fusion, int is_asked,
    struct tp_out *out);
/* Write fusion.times: what a benchmark printed, beside what was measured. */
void tp_fusion_emit_times(const struct tp_fusion *fusion,
    const struct tp_compare_rules *rules, const struct tp_times *times,
    struct tp_out *out);

#endif
