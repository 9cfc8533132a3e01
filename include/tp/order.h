/*
 * order - which of two comes first, which is more, and where something is
 *
 * Macros, so that they are of any type and cost what is written out: an
 * argument that stands on the left of an assignment, or is compared, may be
 * looked at twice.
 */
#ifndef TP_ORDER_H
#define TP_ORDER_H

#include <stdint.h>
#include <stdlib.h>

/*
 * A function NAME for qsort(): which of the TYPEs A and B comes first.  KEYS
 * follow each other without a comma, and the first that tells A and B apart
 * decides:
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
/* The same of a list of pointers to TYPEs. */
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
/* The one whose member KEY is less comes first, or more. */
#define TP_UP(key) \
	if (a->key != b->key) \
		return a->key < b->key ? -1 : 1;
#define TP_DOWN(key) \
	if (a->key != b->key) \
		return a->key > b->key ? -1 : 1;
/* Below 0 when A comes first, above when B does: an expression of A and B. */
#define TP_BY(comparison) \
	{ \
		int tp_d = (comparison); \
 \
		if (tp_d) \
			return tp_d; \
	}

/* -1, 0 or 1: A is less than B, as much, or more. */
#define TP_CMP(a, b) (((a) > (b)) - ((a) < (b)))
/* Sort the COUNT items of LIST, which may be NULL when there are none; what is
 * in order is only looked at. */
#define TP_SORT(list, count, by) \
	tp_sort((list), (count), sizeof *(list), (by))
void tp_sort(void *list, size_t count, size_t size,
    int (*by)(const void *, const void *));
/* The same of integers, by their digits: no memory, and faster. */
void tp_sort_ints(int64_t *list, size_t count);
/* X is at least, or at most, N from here on. */
#define TP_MOST(x, n) ((x) = (n) > (x) ? (n) : (x))
#define TP_LEAST(x, n) ((x) = (n) < (x) ? (n) : (x))
/*
 * AT becomes the first index from FROM on, before END, of which BEFORE, an
 * expression of MID, is not true; END when it is of all.  It must be true of
 * the first ones and of no other.
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
