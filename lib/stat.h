/*
 * stat - exact sums and quantiles of many integers
 *
 * Quantiles are nearest rank: sorted[ceil(p n) - 1].  A few values are kept
 * as a list.  With many, values 0 .. 2^20-1 are counted, in pages allocated
 * on first use: one byte per value, and four more once it overflowed (5 MiB
 * at most).  Other values are listed (4 bytes each below 2^32, else 8).  A
 * list beyond 2^20 values is converted to 1024 buckets per octave; its
 * quantiles are then low by at most 1/1024, which tp_stat_error() reports.
 */
#ifndef TP_STAT_H
#define TP_STAT_H

#include <stddef.h>
#include <stdint.h>

#include <tp/records.h>

#include "word.h"

__extension__ typedef __int128 tp_int128;

/* A zeroed struct is empty. */
struct tp_stat {
	uint64_t count;
	int64_t min, max;
	tp_int128 sum;			/* without newest; see
					 * tp_stat_total() */
	uint64_t newest;		/* sum of values not yet in sum */
	uint64_t low, span;		/* tp_stat_add() itself handles values
					 * from low to below low + span */
	void **pages;			/* counters, a byte each; NULL: all
					 * values are in far.  The last page
					 * receives the dummy counts of listed
					 * values */
	void **carries;			/* how often counters overflowed, 32
					 * bits each */
	uint32_t *list;			/* values 2^20 .. 2^32-1; with buckets,
					 * only the newest */
	size_t list_count, list_cap;	/* with pages, one slot is always
					 * free */
	int64_t *far;			/* all other values */
	size_t far_count, far_cap;
	uint64_t *buckets;		/* of list and far; NULL: exact */
	int sorted;			/* far is sorted */
};

#define TP_STAT_PAGE ((uint64_t)1 << 12)	/* counters in a page */
#define TP_STAT_PAGES ((uint64_t)1 << 8)
#define TP_STAT_PAGED (TP_STAT_PAGE * TP_STAT_PAGES)	/* smaller values are
							 * counted */
#define TP_STAT_LISTED ((uint64_t)1 << 32)	/* those below take 4 bytes */

/*
 * Slow paths of tp_stat_add(): VALUE is a new minimum or maximum or its page
 * is missing; a counter overflowed or the list is full.  The latter happens
 * at least every 2^29 values, so newest stays below 2^61.
 */
void tp_stat_place(struct tp_stat *stat, int64_t value);
void tp_stat_full(struct tp_stat *stat, int64_t value);

/*
 * Add N VALUES.  Branch-free: mispredicting "counted or listed" would cost more
 * than both, so each value is written to both, and only one of the two counts.
 */
TP_ALWAYS void
tp_stat_add_all(struct tp_stat *stat, const int64_t *values, size_t n)
{
	for (size_t i = 0, from; i < n; i++) {
		/* counters are bytes, which might be anything: what is read
		 * of STAT is read once */
		uint64_t low = stat->low, span = stat->span, sum = 0, u, at;
		size_t count = stat->list_count, cap = stat->list_cap;
		void *const *pages = stat->pages;
		uint32_t *list = stat->list;
		uint8_t *page = NULL;

		for (from = i; i < n; i++) {
			u = (uint64_t)values[i];
			at = u / TP_STAT_PAGE;
			at = at < TP_STAT_PAGES ? at : TP_STAT_PAGES;
			if (u - low >= span || !(page = pages[at])) {
				page = NULL;
				break;
			}
			sum += u;
			list[count] = (uint32_t)u;
			count += u >= TP_STAT_PAGED;
			if (!++page[u % TP_STAT_PAGE] || count == cap)
				break;
		}
		stat->count += i - from + (i < n && page);
		stat->newest += sum;
		stat->list_count = count;
		if (i == n)
			break;
		if (page)
			tp_stat_full(stat, values[i]);
		else
			tp_stat_place(stat, values[i]);
	}
}

static inline void
tp_stat_add(struct tp_stat *stat, int64_t value)
{
	tp_stat_add_all(stat, &value, 1);
}

/* Add all values of FROM. */
void tp_stat_merge(struct tp_stat *stat, const struct tp_stat *from);
/* The NUM/DEN quantile; 0 when empty. */
int64_t tp_stat_quantile(struct tp_stat *stat, unsigned num, unsigned den);
/* The exact sum. */
tp_int128 tp_stat_total(const struct tp_stat *stat);
/* The sum, saturated. */
int64_t tp_stat_sum(const struct tp_stat *stat);
/* Mean, rounded half to even; 0 when empty. */
int64_t tp_stat_mean(const struct tp_stat *stat);
/* Bound on the relative error of quantiles; 0: exact. */
double tp_stat_error(const struct tp_stat *stat);
void tp_stat_release(struct tp_stat *stat);

/*
 * Write PREFIX_{WHICH}UNIT for every name in WHICH ("min mean p50 p95 p99
 * max sum", space separated): "duration", "p50 p95 max", "_ns" gives
 * duration_p50_ns ...  Nothing when empty.
 */
void tp_stat_emit(struct tp_stat *stat, struct tp_out *out,
    const char *prefix, const char *which, const char *unit);

/* N / DEN rounded half to even, saturated; 0 when DEN is 0. */
int64_t tp_div_even(tp_int128 n, tp_int128 den);
/* N as int64, saturated. */
int64_t tp_narrow(tp_int128 n);

#endif
