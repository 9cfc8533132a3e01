/*
 * fusion - whether compiling fused kernels
 *
 * Compares the GPU work of two traces, or of two segments of one trace:
 * intervals, command buffers, busy and wall time; per step when both have
 * steps, else over the whole run.  Utilisation is no measure here: a fused
 * run idles the GPU because it finishes early.  Times are compared only when
 * both did the same work.  What counts as fused is data,
 * share/compare/fusion.json.
 *
 * Memory: 8 bytes per step of each side, and the labels of one side.
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
	struct tp_known intervals, buffers, busy, wall;	/* per step or run */
	struct tp_known duration, gap;	/* medians over the whole run */
	int64_t named_labels;		/* distinct; without Metal's own
					 * labels */
	struct tp_known operations;	/* per step, by label */
	struct tp_known compiled;	/* intervals with a compiled kernel */
	struct tp_known labelled;	/* intervals that have a label */
	struct tp_known allocations, bytes;	/* per step */
	struct tp_known held;		/* bytes held after a step freed its
					 * own */
	double *walls;			/* of the steps; yours to tp_free() */
	size_t wall_count, wall_cap;
};

struct tp_fusion {
	struct tp_fusion_side side[TP_SIDES];
	int by_step;			/* else by run */
	const char *refused;	/* why times are not comparable, or NULL */
	const char *verdict, *rests_on;
	const char *busy_change;	/* less, same, more; NULL: unknown */
	int has_labels_left;
	double labels_left;	/* rows under labels that existed before, per
				 * step when there are steps */
	int has_speedup;
	struct tp_interval speedup;	/* before over after; low is 0 with too
					 * few steps */
	int has_split;		/* the time saved per step splits into: */
	int64_t dispatch_ns;	/* gaps of intervals that no longer exist */
	int64_t kernel_ns;	/* less GPU work in the remaining ones */
	int64_t other_ns;
};

/* One side: a whole trace or one of its segments. */
struct tp_fusion_of {
	const struct tp_set *set;
	int64_t segment;		/* its number; 0: the whole trace */
};

/*
 * Choose the two segments of SET to compare.  NAMES (a number or a name
 * each, or NULL) decides; else segments named eager and compiled; else, of
 * the unnamed segments, the two with the most similar number of steps, in
 * time order.  0, or -1 with ERR: TP_BAD when there are no two.
 */
int tp_fusion_segments(const struct tp_set *set,
    const char *const names[TP_SIDES], struct tp_fusion_of of[TP_SIDES],
    struct tp_err *err);
/*
 * Compare the sides OF by RULES.  1; 0 when a side has no GPU work of a
 * target.  Texts are borrowed from the sets.
 */
int tp_fusion_make(struct tp_fusion *fusion,
    const struct tp_compare_rules *rules,
    const struct tp_fusion_of of[TP_SIDES]);
/*
 * When the verdict on SETS is "fused", make neutral in C whatever fusing
 * changes by design (share/compare).
 */
void tp_fusion_excuse(struct tp_comparison *c,
    const struct tp_set sets[TP_SIDES]);

/* Write fusion.summary and fusion.metric.  IS_ASKED: a report shows them. */
void tp_fusion_emit(const struct tp_fusion *fusion, int is_asked,
    struct tp_out *out);
/* Write fusion.times: times a benchmark printed, beside the measured ones. */
void tp_fusion_emit_times(const struct tp_fusion *fusion,
    const struct tp_compare_rules *rules, const struct tp_times *times,
    struct tp_out *out);

#endif
