/* Integers in order as qsort() puts them, and lists that are in order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tp/order.h>

#include "pick.h"

enum { MOST = 3000 };

TP_ORDER(ascending, int64_t, TP_BY(TP_CMP(*a, *b)))

/* COUNT numbers of at most BITS bits, some below zero. */
static int
try_one(size_t count, unsigned bits)
{
	static int64_t list[MOST], same[MOST];

	for (size_t i = 0; i < count; i++) {
		uint64_t x = (uint64_t)pick(UINT32_MAX) << 32 |
		    (uint64_t)pick(UINT32_MAX);

		list[i] = (int64_t)(x >> (64 - bits));
		if (bits < 64 && pick(3) == 0)
			list[i] = -list[i];
		same[i] = list[i];
	}
	if (count > 4) {
		list[1] = same[1] = INT64_MAX;
		list[3] = same[3] = INT64_MIN;
	}
	if (count)
		qsort(same, count, sizeof *same, ascending);
	for (int round = 0; count && round < 3; round++) {
		size_t at = (size_t)pick((int64_t)count);

		if (tp_pick_int(list, count, at) != same[at] ||
		    list[at] != same[at])
			return 0;
		for (size_t i = 0; i < count; i++)
			if (i < at ? list[i] > list[at] : list[i] < list[at])
				return 0;
	}
	tp_sort_ints(list, count);
	if (count && memcmp(list, same, count * sizeof *list) != 0)
		return 0;
	/* in order now, and then but for the last */
	tp_sort_ints(list, count);
	TP_SORT(list, count, ascending);
	if (count && memcmp(list, same, count * sizeof *list) != 0)
		return 0;
	if (count) {
		list[count - 1] = INT64_MIN;
		TP_SORT(list, count, ascending);
	}
	return !count || list[0] == INT64_MIN;
}

int
main(void)
{
	int good = 1;

	for (unsigned bits = 1; bits <= 64; bits++)
		for (int round = 0; round < 8; round++)
			good &= try_one((size_t)pick(round < 4 ? 200 : MOST),
			    bits);
	TP_SORT((int64_t *)NULL, 0, ascending);
	printf("%s order: integers of any size and sign are as qsort() has "
	    "them\n", good ? "ok" : "not ok");
	return !good;
}
