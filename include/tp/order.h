/*
 * order - compare, sort and search, for any type
 *
 * These are macros; arguments may be evaluated twice.
 */
#ifndef TP_ORDER_H
#define TP_ORDER_H

#include <stdint.h>
#include <stdlib.h>

/*
 * Define a comparison function NAME for qsort() over items of TYPE.  KEYS
 * follow each other without commas; the first that differs decides:
 *
 *	TP_ORDER(by_size, struct block, TP_DOWN(bytes) TP_UP(at_ns))
 */
#define TP_ORDER(name, type, keys) \
	static int \
	name(const void *tp_a, const void *tp_b) \
	{ \
		const type *a = tp_a; \
		const type *b = tp_b; \
 \
		keys \
		return 0; \
	}
/* The same for an array of pointers to TYPE. */
#define TP_ORDER_POINTERS(name, type, keys) \
	static int \
	name(const void *tp_a, const void *tp_b) \
	{ \
		const type *a = *(const type *const *)tp_a; \
		const type *b = *(const type *const *)tp_b; \
 \
		keys \
		return 0; \
	}
/* Ascending, or descending, by member KEY. */
#define TP_UP(key) \
	if (a->key != b->key) \
		return a->key < b->key ? -1 : 1;
#define TP_DOWN(key) \
	if (a->key != b->key) \
		return a->key > b->key ? -1 : 1;
/*
 * By an expression of A and B: below 0 when A comes first, above 0 when B
 * does.
 */
#define TP_BY(comparison) \
	{ \
		int tp_d = (comparison); \
 \
		if (tp_d) \
			return tp_d; \
	}

/* -1, 0 or 1: A is less than, equal to or greater than B. */
#define TP_CMP(a, b) (((a) > (b)) - ((a) < (b)))
/* Sort the COUNT items of LIST, which may be NULL when COUNT is 0.  A list that
 * is in order already costs one pass. */
#define TP_SORT(list, count, by) \
	tp_sort((list), (count), sizeof *(list), (by))
void tp_sort(void *list, size_t count, size_t size,
    int (*by)(const void *, const void *));
/* Sort integers by their digits: takes no memory and calls no comparison. */
void tp_sort_ints(int64_t *list, size_t count);
/* What would stand at AT, below COUNT, if LIST were sorted.  LIST is reordered:
 * the value stands there, and no later one is less. */
int64_t tp_pick_int(int64_t *list, size_t count, size_t at);
/* X = max(X, N), or min(X, N). */
#define TP_MOST(x, n) ((x) = (n) > (x) ? (n) : (x))
#define TP_LEAST(x, n) ((x) = (n) < (x) ? (n) : (x))
/*
 * Binary search: set AT to the first index in [FROM, END) for which BEFORE,
 * an expression of MID, is false; END when there is none.  BEFORE must be
 * true up to some index and false from there on.
 */
#define TP_SEEK(at, from, end, mid, before) \
	do { \
		size_t mid, tp_high = (end); \
 \
		for ((at) = (from); (at) < tp_high; ) { \
			mid = (at) + (tp_high - (at)) / 2; \
			if (before) \
				(at) = mid + 1; \
			else \
				tp_high = mid; \
		} \
	} while (0)

#endif
