/* Lengths of unions of stretches of a list, against a bitmap. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cover.h"
#include "pick.h"

enum { WIDTH = 700, MOST = 300, QUERIES = 80 };

static int64_t
by_bitmap(const struct tp_span *spans, const struct tp_cover *q)
{
	char map[WIDTH + 1] = { 0 };
	int64_t length = 0;

	for (uint32_t i = q->first; i < q->last; i++)
		for (int64_t at = spans[i].from; at < spans[i].to; at++)
			length += !map[at]++;
	return length;
}

static int
try_one(size_t count, uint64_t longest)
{
	struct tp_span spans[MOST];
	struct tp_cover queries[QUERIES];

	for (size_t i = 0; i < count; i++) {
		spans[i].from = pick(WIDTH - longest);
		spans[i].to = spans[i].from + pick(longest);
	}
	for (size_t i = 0; i < QUERIES; i++) {
		queries[i].first = (uint32_t)pick(count + 1);
		queries[i].last = queries[i].first +
		    (uint32_t)pick(count + 1 - queries[i].first);
	}
	tp_cover_measure(spans, count, queries, QUERIES);
	for (size_t i = 0; i < QUERIES; i++)
		if (queries[i].length != by_bitmap(spans, &queries[i]))
			return 0;
	return 1;
}

int
main(void)
{
	int good = 1;

	for (int round = 0; round < 300; round++)
		good &= try_one((size_t)pick(MOST), 1 + (uint64_t)pick(90));
	printf("%s cover: stretches in any order are as long as their bits\n",
	    good ? "ok" : "not ok");
	return !good;
}
