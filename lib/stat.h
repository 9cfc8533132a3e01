/*
 * stat - exact sums and quantiles of many integers
 *
 * Quantiles are nearest rank: sorted[ceil(p n) - 1].  A few values are a
 * list.  Of many, those of 0 .. 2^20-1 are counted, in pages allocated on
 * first touch: a byte each, and four more where it ran over (5 MiB at most).
 * The others are listed (4 bytes each below 2^32, else 8).  A list that passes
 * 2^20 values becomes 1024 buckets per octave; quantiles in it are then low by
 * at most 1/1024, and tp_stat_error() says so.
 */
#ifndef TP_STAT_H
#define TP_STAT_H

#include <stddef.h>
#include <stdint.h>

#include <tp/records.h>

__extension__ typedef __int128 tp_int128;

/* A zeroed struct is empty. */
struct tp_stat {
	uint64_t count;
	int64_t min, max;
	tp_int128 sum;			/* see tp_stat_total() */
	uint64_t newest;		/* sum of those not in sum yet */
	uint64_t low, span;		/* tp_stat_add() keeps those from low
					 * to below low + span by itself */
	void **pages;			/* of bytes; NULL: all values are in
					 * far.  The last is a place where
					 * values without a counter count */
	void **carries;			/* of how often those ran over, 32
					 * bits each */
	uint32_t *list;			/* 2^20 .. 2^32-1, of those that go
					 * to buckets the newest */
	size_t list_count, list_cap;	/* with pages, one is always free */
	int64_t *far;			/* all others */
	size_t far_count, far_cap;
	uint64_t *buckets;		/* of list and far; NULL: exact */
	int sorted;			/* far is */
};

#define TP_STAT_PAGE ((uint64_t)1 << 12)	/* counters in a page */
#define TP_STAT_PAGES ((uint64_t)1 << 8)
#define TP_STAT_PAGED (TP_STAT_PAGE * TP_STAT_PAGES)	/* those below are
							 * counted */
#define TP_STAT_LISTED ((uint64_t)1 << 32)	/* those below take 4 bytes */

/* What tp_stat_add() does with a VALUE that is the least or the greatest so
 * far, or has no page; and when a counter ran over or the list is full.  That
 * happens at least every 2^29 values, so newest stays below 2^61. */
int tp_stat_place(struct tp_stat *stat, int64_t value);
int tp_stat_full(struct tp_stat *stat, int64_t value);

/*
 * 0, or -1 without memory.  Which values are counted and which are listed is
 * anyone's guess, and a wrong one costs as much as all the rest: so each does
 * both, and only one of the two counts.
 */
static inline int
tp_stat_add(struct tp_stat *stat, int64_t value)
{
	uint64_t u = (uint64_t)value, at = u / TP_STAT_PAGE;
	uint8_t *page;

	at = at < TP_STAT_PAGES ? at : TP_STAT_PAGES;
	if (u - stat->low >= stat->span || !(page = stat->pages[at]))
		return tp_stat_place(stat, value);
	stat->count++;
	stat->newest += u;
	stat->list[stat->list_count] = (uint32_t)u;
	stat->list_count += u >= TP_STAT_PAGED;
	if (!++page[u % TP_STAT_PAGE] || stat->list_count == stat->list_cap)
		return tp_stat_full(stat, value);
	return 0;
}

/* Add all that FROM holds, as if its values were added one by one. */
int tp_stat_merge(struct tp_stat *stat, const struct tp_stat *from);
/* The NUM/DEN quantile; 0 when empty. */
int64_t tp_stat_quantile(struct tp_stat *stat, unsigned num, unsigned den);
/* The sum of all. */
tp_int128 tp_stat_total(const struct tp_stat *stat);
/* The same, saturated. */
int64_t tp_stat_sum(const struct tp_stat *stat);
/* Mean, rounded half to even; 0 when empty. */
int64_t tp_stat_mean(const struct tp_stat *stat);
/* Bound of the relative error of quantiles: 0 when they are exact. */
double tp_stat_error(const struct tp_stat *stat);
void tp_stat_release(struct tp_stat *stat);

/*
 * Emit PREFIX_{WHICH}UNIT for every name in WHICH ("min mean p50 p95 p99 max
 * sum", space separated): "duration", "p50 p95 max", "_ns" gives
 * duration_p50_ns ...  Nothing when there are no values.
 */
void tp_stat_emit(struct tp_stat *stat, struct tp_out *out,
    const char *prefix, const char *which, const char *unit);

/* N / DEN rounded half to even, saturated; 0 when DEN is 0. */
int64_t tp_div_even(tp_int128 n, tp_int128 den);
/* N as int64, saturated. */
int64_t tp_narrow(tp_int128 n);

#endif
