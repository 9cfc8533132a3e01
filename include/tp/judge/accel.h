/*
 * accel - how much faster one run of a model is than another, and where
 *
 * Puts two ExecuTorch runs beside each other: latency, the parts that add up
 * to it, operators (joined by their names without packed types), what was
 * accelerated and what that leaves.  Factors are before over after; where both
 * sides tell what every run took, they are of medians and have an interval.
 * What is expected, and what counts as accelerated, is data, share/compare.
 *
 * Memory: 8 bytes per run and class, and per run and operator, of each side.
 */
#ifndef TP_JUDGE_ACCEL_H
#define TP_JUDGE_ACCEL_H

#include <tp/judge/compare.h>

#include "bootstrap.h"

struct cJSON;

/* A part or an operator on one side; means of a run. */
struct tp_accel_side {
	int is;
	int64_t ns;
	int has_share;
	double share;		/* of Method::execute, over all runs */
	int is_packed;
	const char *place;
	double *samples;
	size_t sample_count, sample_cap;
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
	const char *because;	/* of that, or NULL */
	/* of a part; neither packing is held against it */
	int64_t packing_ns[TP_SIDES];
	int64_t aside_ns[TP_SIDES];	/* nor what no delegate ran */
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
	const char *refused;	/* why no time is compared, or NULL */
	struct tp_accel_item run;	/* latency itself */
	struct tp_accel_list parts, ops;
	/* By signature, where both sides have several: what runs hold may
	 * differ, so that these are judged. */
	struct tp_accel_list executions;
	int is_other_mix;	/* not as many of each: no parts, no ops */
	int is_expected;	/* that the second is the one with SME2 */
	const struct cJSON *data;	/* of share/compare, or NULL */
};

/*
 * Look at SETS by RULES.  1; 0 when a side has no latency.summary; -1 with
 * ERR.  Texts are borrowed from both.
 */
int tp_accel_make(struct tp_accel *accel, const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], struct tp_err *err);
void tp_accel_release(struct tp_accel *accel);
/* Write accel.summary, accel.latency, accel.part, accel.share and accel.op,
 * the sides called NAMES.  0, or -1 with ERR. */
int tp_accel_emit(struct tp_accel *accel, const char *const names[TP_SIDES],
    struct tp_out *out, struct tp_err *err);
/* Write how long a run took, and how much faster that is, into the record under
 * way. */
void tp_accel_emit_run(const struct tp_accel *accel, struct tp_out *out);

/* Limit NAME of share/compare, NaN when the data have none. */
double tp_accel_limit(const struct tp_accel *accel, const char *name);
/* Whether executions are compared by their signatures, in place of runs. */
int tp_accel_by_signature(const struct tp_accel *accel);
/* Whether operators of CATEGORY are expected to be accelerated. */
int tp_accel_is_target(const struct tp_accel *accel, const char *category);
/* Packed operators, mean of a run; -1: unknown. */
int64_t tp_accel_packed(const struct tp_accel *accel, int side);

#endif
