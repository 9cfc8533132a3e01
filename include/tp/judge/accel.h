/*
 * accel - how much faster one run of a model is than another, and where
 *
 * Compares two ExecuTorch runs: latency, the parts that add up to it,
 * operators (matched by name without packed types), what was accelerated and
 * what remains.  A factor is time before divided by time after.  When both
 * sides record every run, factors are ratios of medians and have a
 * confidence interval.  Expectations, and which operators count as
 * accelerated, are data: share/compare.
 *
 * Memory: 8 bytes per run and class, and per run and operator, of each side.
 */
#ifndef TP_JUDGE_ACCEL_H
#define TP_JUDGE_ACCEL_H

#include <tp/judge/compare.h>

#include "bootstrap.h"

struct cJSON;

/* A part or an operator on one side; times are means over runs. */
struct tp_accel_node {
	const char *name;
	int64_t ns;
};

struct tp_accel_side {
	int is;
	int64_t ns;
	int has_share;
	double share;		/* of Method::execute, over all runs */
	int is_packed;
	const char *place;
	double *samples;
	size_t sample_count, sample_cap;
	struct tp_accel_node *nodes;	/* of an operator, in order */
	size_t node_count, node_cap;
};

enum tp_accel_change { TP_ACCEL_SAME, TP_ACCEL_FASTER, TP_ACCEL_SLOWER,
	TP_ACCEL_NEW, TP_ACCEL_GONE, TP_ACCEL_UNKNOWN };

struct tp_accel_item {
	const char *name;
	const char *category;	/* of an operator */
	int is_overhead, is_packing, is_mismatch;
	struct tp_accel_side side[TP_SIDES];
	int has_speedup, has_interval;
	struct tp_interval speedup;
	enum tp_accel_change change;	/* of an operator */
	const char *because;	/* the reason of CHANGE, or NULL */
	/* Of a part: packing, excluded from its factor. */
	int64_t packing_ns[TP_SIDES];
	int64_t aside_ns[TP_SIDES];	/* outside delegates, excluded too */
	const struct cJSON *expected;	/* range of share/compare, or NULL */
};

struct tp_accel_list {
	struct tp_accel_item *items;
	size_t count, cap;
	struct tp_names names;
};

struct tp_accel {
	const struct tp_rec *latency[TP_SIDES];	/* latency.summary */
	const struct tp_rec *nodes[TP_SIDES];	/* delegation.nodes, or NULL */
	const char *refused;	/* why times are not comparable, or NULL */
	struct tp_accel_item run;	/* the latency itself */
	struct tp_accel_list parts, ops;
	/*
	 * By signature, when both sides have several: runs may mix signatures
	 * differently, so signatures are compared instead of runs.
	 */
	struct tp_accel_list executions;
	int is_other_mix;	/* signatures occur in other proportions: parts
				 * and operators are not compared */
	int is_expected;	/* the second side is expected to use SME2 */
	const struct tp_comparison *comparison;	/* whose states decide, too;
						 * set before tp_accel_emit(),
						 * or NULL */
	const char *src;	/* the trace in that, of several, or NULL */
	const struct cJSON *data;	/* of share/compare, or NULL */
	double one_run;		/* noise between runs that is assumed */
};

/*
 * Compare SETS by RULES; NAMES (or NULL) are names that the user gave.  1;
 * 0 when a side has no latency.summary; -1 with ERR.  Texts are borrowed from
 * SETS and RULES.
 */
int tp_accel_make(struct tp_accel *accel, const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], const char *const names[TP_SIDES],
    struct tp_err *err);
void tp_accel_release(struct tp_accel *accel);
/*
 * Write accel.summary, accel.latency, accel.part, accel.share and accel.op;
 * NAMES are the names of the sides.
 */
void tp_accel_emit(struct tp_accel *accel, const char *const names[TP_SIDES],
    struct tp_out *out);
/* Write the run latencies and the speed-up as keys of the open record. */
void tp_accel_emit_run(const struct tp_accel *accel, struct tp_out *out);

/* Whether the sides differ in acceleration: by packed operators or names. */
int tp_accel_is_of_acceleration(const struct tp_accel *accel);
/* Whether executions are compared by signature instead of by run. */
int tp_accel_by_signature(const struct tp_accel *accel);
/* Whether operators of CATEGORY are expected to be accelerated. */
int tp_accel_is_target(const struct tp_accel *accel, const char *category);
/* Mean number of packed operators per run; -1: unknown. */
int64_t tp_accel_packed(const struct tp_accel *accel, int side);

#endif
