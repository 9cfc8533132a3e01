/*
 * ranks - compare the traces of the ranks of one job
 *
 * Takes the records of each rank, in any order, and matches collectives:
 * within a process group (or, when no group is named, within a stream and
 * kernel), the n-th collective of one rank is the n-th of another.  A rank
 * waits in a collective until the last rank arrives; the rank that waits
 * least in total is the straggler, and it and all that wait less than
 * TP_RANKS_LATE_RATIO of the mean are late.
 *
 * The cost of lateness is how much earlier the run would end if the late ranks
 * were as fast as the rest.  The sum of waits is too much: while its GPU waits,
 * a host fills the queue, so the GPU then runs ahead and waits again in the
 * next collective for the same lateness.  So it is what tp-path promises for
 * "rank/late", whose late_ratio (share/ops/path.json) is the same; without its
 * record nothing is promised.
 *
 * Start times of different ranks are
 * compared only when their clocks count from the same time and few
 * collectives end on one rank before another arrives.
 *
 * Memory: 32 bytes per collective of a rank until matched; then 128 per
 * collective of several ranks and 24 for its times; 40 per distinct
 * collective and rank that arrived last; 48 per step of a rank.
 */
#ifndef TP_JUDGE_RANKS_H
#define TP_JUDGE_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>

#include "stat.h"

/*
 * On a common clock, at most this share of collectives may end on one rank
 * before another enters, as a broadcast allows.
 */
#define TP_RANKS_APART_RATIO 0.1
/* A rank that waits less than this share of the mean wait is late. */
#define TP_RANKS_LATE_RATIO 0.5

enum tp_ranks_clock {
	TP_RANKS_COMMON,	/* start times can be compared */
	TP_RANKS_APART,		/* ranks arrived after others had left */
	TP_RANKS_UNKNOWN	/* a trace counts from its own start */
};

/* A step of a rank; -1: unknown. */
struct tp_ranks_step {
	int64_t index, number, wall_ns, compute_ns, communication_ns,
	    memcpy_ns;
};

struct tp_rank {
	int64_t number;
	uint32_t src, gpu;		/* in texts; 0: unknown */
	unsigned trace_count;
	int has_base, has_time;
	int64_t base_ns;		/* start of its clock */
	int64_t job_count;		/* ranks of its job, or -1 */
	int64_t device_count;		/* GPUs its trace lists */
	int has_range;
	int64_t first_ns, last_ns;	/* since base_ns */
	int64_t span_ns, busy_ns, compute_ns, communication_ns,
	    communication_union_ns, memcpy_ns, idle_ns;
	struct tp_ranks_step *steps;
	size_t step_cap;
	int64_t step_count, run_count, matched_count, last_count;
	int64_t wait_sum_ns, collective_sum_ns;
};

/*
 * Properties of a collective; -1: unknown.  Texts are indexes into texts;
 * index 0 is "".
 */
struct tp_ranks_what {
	uint32_t collective, name, kernel, group, group_ranks, dtype;
	int64_t stream, size, in_elements, out_elements, in_bytes, out_bytes,
	    moved_bytes;
	double bus_factor;		/* 0: unknown */
};

/* One collective on one rank. */
struct tp_ranks_run {
	int64_t from_ns, to_ns;		/* since the start of its trace */
	uint32_t rank, what, group, order;	/* order: within the group,
						 * before that on its rank */
};

/*
 * A collective on all ranks known to take part, aggregated; times are on the
 * common clock.
 */
struct tp_ranks_instance {
	uint32_t group, order, what;	/* what: of the lowest rank */
	uint32_t traced_count;
	int64_t low_rank, high_rank, last_rank;	/* last_rank: lowest of those
						 * that came last */
	int64_t start_first_ns, start_last_ns, end_first_ns, end_last_ns,
	    shortest_ns;
	tp_int128 start_sum, in_sum;
	int64_t in_max;
	int in_known, is_odd;		/* odd: ranks disagree on it */
};

/* A rank in a group, which took part in the first COUNT collectives. */
struct tp_ranks_member {
	int64_t rank;
	uint32_t group, count;
	tp_int128 start_sum;
};

/* A group, and sums over its complete collectives. */
struct tp_ranks_group {
	uint32_t what;			/* one of its collectives */
	int is_odd;			/* ranks are out of step: nothing is
					 * matched */
	int64_t matched_count, apart_count;
	tp_int128 last_sum;
	size_t first, end;		/* its instances */
};

/* Sums over collectives of equal properties. */
struct tp_ranks_sum {
	uint64_t count;
	uint32_t traced_min, traced_max;
	int64_t low_rank, high_rank;
	struct tp_ranks_times {
		int64_t exchange, skew_start, skew_end;
	} *times;
	size_t times_cap;
	tp_int128 wait, moved, in_most, in_all;
	int in_known;
};

struct tp_ranks {
	struct tp_rank *ranks;		/* after tp_ranks_match() by number */
	size_t count, cap;
	int has_late_gain;		/* tp-path replayed all ranks: */
	int64_t late_gain_ns;
	double late_gain_ratio;
	struct tp_names texts, what_keys;
	struct tp_ranks_what *whats;
	size_t what_cap;
	struct tp_ranks_run *runs;
	size_t run_count, run_cap;
	int64_t rank_count;		/* of the job, or -1 */
	int64_t expected;		/* ranks that must be present; 0: any */
	int64_t node_ranks;		/* consecutive ranks per node; 0: the
					 * number of GPUs that traces list, or
					 * after tp_ranks_match() unknown */
	int node_is_given;
	uint64_t unknown_count;		/* traces that do not state their
					 * rank */
	uint64_t empty_count;		/* traces without events: no rank's */
	int is_empty;			/* the records are of such a trace */
	/* Of partials; after tp_ranks_match() of all: */
	struct tp_ranks_instance *instances;	/* incomplete ones, by group and
						 * order */
	size_t instance_count, instance_cap;
	struct tp_ranks_member *members;
	size_t member_count, member_cap;
	struct tp_ids group_ids;
	struct tp_ranks_group *groups;
	size_t group_cap;
	struct tp_ranks_sum *sums;	/* by what; used when count > 0 */
	size_t sum_cap;
	struct tp_ids last_ids;		/* pairs (what, rank): */
	uint64_t *lasts;		/* how often each came last */
	size_t last_cap;
	struct tp_ids numbers;		/* (rank, 0) to its index in ranks,
					 * while records are taken */
	struct tp_names parts;		/* digests of partials */
	int skips;			/* skip a partial that was read
					 * before */
	uint32_t *part_whats;		/* of the partial being read */
	size_t part_what_count, part_what_cap;
	uint64_t match_count;		/* collectives of several ranks */
	uint64_t incomplete_count;	/* matches that lack ranks */
	uint64_t unmatched_count;	/* runs in no match */
	uint64_t apart_count;		/* matches where a rank left before
					 * another came */
	uint64_t odd_count;		/* groups out of step */
	enum tp_ranks_clock clock;
	ptrdiff_t straggler;		/* in ranks, or -1 */
	ptrdiff_t detail;		/* index in ranks of the one whose
					 * details are written, or -1 */
};

/*
 * Take record REC.  *RANK gets the index of its rank, -1: of none.  0, or -1
 * with ERR.  A zeroed struct tp_ranks is empty.
 */
int tp_ranks_take(struct tp_ranks *ranks, const struct tp_rec *rec,
    ptrdiff_t *rank, struct tp_err *err);
/*
 * Take a record of a partial, of kind "ranks.part" or "ranks.part.*".  0, or
 * -1 with ERR.
 */
int tp_ranks_take_part(struct tp_ranks *ranks, const struct tp_rec *rec,
    struct tp_err *err);
/*
 * Match collectives, after the last record.  Ranks are sorted: ORDER maps
 * each index given so far to the new one; yours to tp_free().  AS_PART sums
 * only what is complete, for tp_ranks_emit_part().
 */
void tp_ranks_match(struct tp_ranks *ranks, int as_part, uint32_t **order);
/*
 * Write a partial: "ranks.part" and the records after it.  Partials of
 * disjoint ranks merge to the same bytes in any order and by any tree.
 * TOLD, the records that accompany it, distinguishes partials without ranks.
 * 0, or -1 with ERR.
 */
int tp_ranks_emit_part(const struct tp_ranks *ranks,
    const struct tp_buf *told, struct tp_out *out, struct tp_err *err);
/*
 * Write "ranks.summary", "ranks.rank", "ranks.node", "ranks.step",
 * "ranks.collective", "ranks.alike" and notes.
 */
void tp_ranks_emit(const struct tp_ranks *ranks, struct tp_out *out);

/* Node of rank NUMBER; only when node_ranks is known. */
static inline int64_t
tp_ranks_node(const struct tp_ranks *r, int64_t number)
{
	return number / r->node_ranks;
}

/* Whether collectives of ROW span several nodes. */
static inline int
tp_ranks_crosses(const struct tp_ranks *r, const struct tp_ranks_sum *row)
{
	return r->node_ranks && row->count && tp_ranks_node(r,
	    row->low_rank) != tp_ranks_node(r, row->high_rank);
}

/*
 * Shared by ranks*.c: indexes of a text, a kind of collective and a rank,
 * added when new; and new items.
 */
ptrdiff_t tp_ranks_text(struct tp_ranks *ranks, const char *text);
ptrdiff_t tp_ranks_what(struct tp_ranks *ranks, const struct tp_rec *rec);
ptrdiff_t tp_ranks_rank(struct tp_ranks *ranks, int64_t number,
    const char *src);
void tp_ranks_add_step(struct tp_rank *rank, const struct tp_rec *rec);
int64_t tp_ranks_number(const struct tp_rec *rec, const char *key);
void tp_ranks_take_time(struct tp_rank *rank, const struct tp_rec *rec);
struct tp_ranks_instance *tp_ranks_instance(struct tp_ranks *ranks);
struct tp_ranks_member *tp_ranks_member(struct tp_ranks *ranks);
/* Group of WHAT and row of WHAT. */
ptrdiff_t tp_ranks_group(struct tp_ranks *ranks, uint32_t what);
struct tp_ranks_sum *tp_ranks_sum(struct tp_ranks *ranks, uint32_t what);
/* Count that RANK came last N times in collectives of WHAT. */
void tp_ranks_add_last(struct tp_ranks *ranks, uint32_t what, int64_t rank,
    uint64_t n);
/*
 * Compare A and B by content, so the order does not depend on what was read
 * first.
 */
int tp_ranks_compare(const struct tp_ranks *ranks, uint32_t a, uint32_t b);
/* Write the properties of W, except its stream, as keys of the open record. */
void tp_ranks_out_what(const struct tp_ranks *ranks,
    const struct tp_ranks_what *w, struct tp_out *out);
void tp_ranks_out_step(const struct tp_ranks_step *step, struct tp_out *out);
void tp_ranks_out_text(const struct tp_ranks *ranks, struct tp_out *out,
    const char *key, uint32_t text);

/*
 * Write "ranks.collective", and "ranks.alike" for groups of other ranks that
 * do the same.  tp_ranks_collective_count() is the number of "ranks.collective"
 * records.
 */
void tp_ranks_emit_collectives(const struct tp_ranks *ranks,
    struct tp_out *out);
size_t tp_ranks_collective_count(const struct tp_ranks *ranks);
/* Write the parts of RANK's span as keys of the open record. */
void tp_ranks_out_parts(const struct tp_rank *rank, struct tp_out *out);

/*
 * Write notes; STEP_MIN and STEP_MAX are the fewest and most steps a rank
 * recorded.
 */
void tp_ranks_emit_notes(const struct tp_ranks *ranks, int64_t step_min,
    int64_t step_max, struct tp_out *out);

#endif
