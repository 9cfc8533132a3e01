/*
 * stat - exact sums and quantiles of many integers
 *
 * Quantiles are nearest rank: sorted[ceil(p n) - 1].  A few values are a
 * list.  Of many, those of 0 .. 2^20-1 are counted, in pages allocated on
 * first touch (2 MiB at most), and the others listed (4 bytes each below
 * 2^32, else 8).  A list that passes 2^20 values becomes 1024 buckets per
 * octave; quantiles in it are then low by at most 1/1024, and
 * tp_stat_error() says so.
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
	tp_int128 sum;
	uint16_t **pages;		/* NULL: all values are in far */
	struct tp_stat_carry {		/* 65536 more of a counted value */
		uint32_t value, times;
	} *carries;
	size_t carry_count, carry_cap;
	uint32_t *list;			/* 2^20 .. 2^32-1 */
	size_t list_count, list_cap;
	int64_t *far;			/* all others */
	size_t far_count, far_cap;
	uint64_t *buckets;		/* of list and far; NULL: exact */
	int sorted;			/* far is */
};

#define TP_STAT_PAGED ((int64_t)1 << 20)	/* values below are counted */
#define TP_STAT_PAGE 4096	/* counters in a page */

/* Keep VALUE, which is in the sums: what tp_stat_add() does when it has no
 * counter yet, or when its COUNTER runs over. */
int tp_stat_place(struct tp_stat *stat, int64_t value);
int tp_stat_carry(struct tp_stat *stat, int64_t value);

/* 0, or -1 without memory. */
static inline int
tp_stat_add(struct tp_stat *stat, int64_t value)
{
	uint16_t *page;

	if (!stat->count)
		stat->min = stat->max = value;
	stat->min = value < stat->min ? value : stat->min;
	stat->max = value > stat->max ? value : stat->max;
	stat->count++;
	stat->sum += value;
	if (!stat->pages || value < 0 || value >= TP_STAT_PAGED ||
	    !(page = stat->pages[value / TP_STAT_PAGE]))
		return tp_stat_place(stat, value);
	return ++page[value % TP_STAT_PAGE] ? 0 : tp_stat_carry(stat, value);
}

/* Add all that FROM holds, as if its values were added one by one. */
int tp_stat_merge(struct tp_stat *stat, const struct tp_stat *from);
/* The NUM/DEN quantile; 0 when empty. */
int64_t tp_stat_quantile(struct tp_stat *stat, unsigned num, unsigned den);
/* Sum as int64, saturated. */
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
