/*
 * ranks - the traces of several ranks of one job, held together
 *
 * Takes the records of each rank, in any order, and matches collectives: of
 * a process group (or, where none is named, of a stream and kernel) the n-th
 * of one rank is the n-th of another.  A rank waits in a collective until
 * the last has come; who waits least in all is who the others wait for.
 * Starts on different ranks are compared only where their clocks count from
 * one time, and collectives that ended before another rank came are few.
 *
 * Memory: 32 bytes per collective of a rank until they are matched; then 128
 * per collective of several ranks and 24 for its times; 40 per distinct
 * collective and rank that came last to one; per step of a rank 48.
 */
#ifndef TP_JUDGE_RANKS_H
#define TP_JUDGE_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>

#include "stat.h"

/* Clocks that are one let ranks leave collectives before others come in at
 * most this share of them: in a broadcast, they may. */
#define TP_RANKS_APART_RATIO 0.1

enum tp_ranks_clock {
	TP_RANKS_COMMON,	/* starts can be compared */
	TP_RANKS_APART,		/* ranks came after others had left */
	TP_RANKS_UNKNOWN	/* a trace counts from a time of its own */
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
	int64_t base_ns;		/* what its times count from */
	int64_t job_count;		/* ranks of its job, or -1 */
	int64_t device_count;		/* GPUs that its trace lists */
	int has_range;
	int64_t first_ns, last_ns;	/* since base_ns */
	int64_t span_ns, busy_ns, compute_ns, communication_ns,
	    communication_union_ns, memcpy_ns, idle_ns;
	struct tp_ranks_step *steps;
	size_t step_cap;
	int64_t step_count, run_count, matched_count, last_count;
	int64_t wait_sum_ns, collective_sum_ns;
};

/* What collectives say of themselves; -1: unknown.  Texts are in texts, text
 * 0 is "". */
struct tp_ranks_what {
	uint32_t collective, name, kernel, group, group_ranks, dtype;
	int64_t stream, size, in_elements, out_elements, in_bytes, out_bytes,
	    moved_bytes;
	double bus_factor;		/* 0: unknown */
};

/* One collective on one rank. */
struct tp_ranks_run {
	int64_t from_ns, to_ns;		/* since the start of its trace */
	uint32_t rank, what, group, order;	/* order: in the group; before
						 * on its rank */
};

/* The same on all ranks that are known to take part, as far as it adds up:
 * times on the clock of all. */
struct tp_ranks_instance {
	uint32_t group, order, what;	/* what: of the lowest rank */
	uint32_t traced_count;
	int64_t low_rank, high_rank, last_rank;	/* last: the lowest of them */
	int64_t start_first_ns, start_last_ns, end_first_ns, end_last_ns,
	    shortest_ns;
	tp_int128 start_sum, in_sum;
	int64_t in_max;
	int in_known, is_odd;		/* odd: ranks say different things */
};

/* A rank in a group: the first COUNT collectives of it are its. */
struct tp_ranks_member {
	int64_t rank;
	uint32_t group, count;
	tp_int128 start_sum;
};

/* A group, and the sums of its collectives that are complete. */
struct tp_ranks_group {
	uint32_t what;			/* one of it */
	int is_odd;			/* out of step: nothing is matched */
	int64_t matched_count, apart_count;
	tp_int128 last_sum;
	size_t first, end;		/* its instances */
};

/* What the collectives that say the same come to. */
struct tp_ranks_row {
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
	struct tp_names texts, what_keys;
	struct tp_ranks_what *whats;
	size_t what_cap;
	struct tp_ranks_run *runs;
	size_t run_count, run_cap;
	int64_t rank_count;		/* of the job, or -1 */
	int64_t expected;		/* ranks that should be there; 0: any */
	int64_t node_ranks;		/* that follow each other on a node; 0:
					 * as many as GPUs that traces list,
					 * after tp_ranks_match() 0: unknown */
	int node_is_given;
	uint64_t unknown_count;		/* traces that do not say their rank */
	/* of partials, then after tp_ranks_match() of all: */
	struct tp_ranks_instance *instances;	/* open ones, by group and
						 * order */
	size_t instance_count, instance_cap;
	struct tp_ranks_member *members;
	size_t member_count, member_cap;
	struct tp_ids group_ids;
	struct tp_ranks_group *groups;
	size_t group_cap;
	struct tp_ranks_row *rows;	/* by what; those with a count */
	size_t row_cap;
	struct tp_ids last_ids;		/* pairs (what, rank): */
	uint64_t *lasts;		/* how often it came last */
	size_t last_cap;
	struct tp_ids numbers;		/* (rank, 0): its place in ranks, while
					 * they are taken */
	struct tp_names parts;		/* digests of partials */
	int skips;			/* a partial that was read before */
	uint32_t *part_whats;		/* of the partial that is read */
	size_t part_what_count, part_what_cap;
	uint64_t match_count;		/* collectives of several ranks */
	uint64_t incomplete_count;	/* those that lack ranks */
	uint64_t unmatched_count;	/* runs that are in none */
	uint64_t apart_count;		/* matches where a rank left before
					 * another came */
	uint64_t odd_count;		/* groups that are out of step */
	enum tp_ranks_clock clock;
	ptrdiff_t straggler;		/* in ranks, or -1 */
	ptrdiff_t detail;		/* whose records follow, or -1 */
};

/* A zeroed struct is empty.  Take REC; which rank it is of into *RANK (an
 * index, -1: of none).  0 or -1 with ERR. */
int tp_ranks_take(struct tp_ranks *ranks, const struct tp_rec *rec,
    ptrdiff_t *rank, struct tp_err *err);
/* A record of a partial, KIND "ranks.part" or one that begins so. */
int tp_ranks_take_part(struct tp_ranks *ranks, const struct tp_rec *rec,
    struct tp_err *err);
/* All records were taken: match.  ORDER gets for each index given so far the
 * one it has now; yours to tp_free().  With AS_PART only what is complete is
 * summed up, for tp_ranks_emit_part().  0 or -1 with ERR. */
int tp_ranks_match(struct tp_ranks *ranks, int as_part, uint32_t **order,
    struct tp_err *err);
/*
 * Write a partial: "ranks.part" and the records behind it.  Those of ranks that
 * are disjoint, taken in any order and put together by any tree, come to the
 * same bytes.  TOLD, records that go with it, tells partials without ranks
 * apart.  0 or -1 with ERR.
 */
int tp_ranks_emit_part(const struct tp_ranks *ranks,
    const struct tp_buf *told, struct tp_out *out, struct tp_err *err);
/* Write "ranks.summary", "ranks.rank", "ranks.node", "ranks.step",
 * "ranks.collective", "ranks.alike" and notes.  0 or -1 with ERR. */
int tp_ranks_emit(const struct tp_ranks *ranks, struct tp_out *out,
    struct tp_err *err);
void tp_ranks_release(struct tp_ranks *ranks);

/* Where rank NUMBER is, when the ranks of a node are known. */
static inline int64_t
tp_ranks_node(const struct tp_ranks *r, int64_t number)
{
	return number / r->node_ranks;
}

/* Whether collectives of ROW go across nodes. */
static inline int
tp_ranks_crosses(const struct tp_ranks *r, const struct tp_ranks_row *row)
{
	return r->node_ranks && row->count && tp_ranks_node(r,
	    row->low_rank) != tp_ranks_node(r, row->high_rank);
}

/* What the parts share: the text and the kind of collective, added when new,
 * the rank of NUMBER, and room for one more; -1 or NULL without memory. */
ptrdiff_t tp_ranks_text(struct tp_ranks *ranks, const char *text);
ptrdiff_t tp_ranks_what(struct tp_ranks *ranks, const struct tp_rec *rec);
ptrdiff_t tp_ranks_rank(struct tp_ranks *ranks, int64_t number,
    const char *src);
int tp_ranks_add_step(struct tp_rank *rank, const struct tp_rec *rec);
int64_t tp_ranks_number(const struct tp_rec *rec, const char *key);
void tp_ranks_take_time(struct tp_rank *rank, const struct tp_rec *rec);
struct tp_ranks_instance *tp_ranks_instance(struct tp_ranks *ranks);
struct tp_ranks_member *tp_ranks_member(struct tp_ranks *ranks);
/* The group that WHAT is of, and the row of WHAT. */
ptrdiff_t tp_ranks_group(struct tp_ranks *ranks, uint32_t what);
struct tp_ranks_row *tp_ranks_row(struct tp_ranks *ranks, uint32_t what);
/* RANK came last N times in collectives of WHAT. */
int tp_ranks_add_last(struct tp_ranks *ranks, uint32_t what, int64_t rank,
    uint64_t n);
/* By what they say, in the same order whatever was read first. */
int tp_ranks_compare(const struct tp_ranks *ranks, uint32_t a, uint32_t b);
/* What W says as keys of a record, without its stream. */
void tp_ranks_out_what(const struct tp_ranks *ranks,
    const struct tp_ranks_what *w, struct tp_out *out);
void tp_ranks_out_step(const struct tp_ranks_step *step, struct tp_out *out);
void tp_ranks_out_text(const struct tp_ranks *ranks, struct tp_out *out,
    const char *key, uint32_t text);

/* Write "ranks.collective", and "ranks.alike" where groups of other ranks do
 * the same; 0, or -1 without memory.  And how many "ranks.collective" it
 * writes. */
int tp_ranks_emit_rows(const struct tp_ranks *ranks, struct tp_out *out);
size_t tp_ranks_row_count(const struct tp_ranks *ranks);
/* Write what the span of RANK is made of. */
void tp_ranks_out_parts(const struct tp_rank *rank, struct tp_out *out);

/* Write notes; ranks recorded from STEP_MIN to STEP_MAX steps. */
void tp_ranks_emit_notes(const struct tp_ranks *ranks, int64_t step_min,
    int64_t step_max, struct tp_out *out);

#endif
