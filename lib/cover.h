/*
 * cover - union lengths of many ranges of a list of intervals
 *
 * Answers many queries at once: for each range [first, last) of the list, in
 * any order, the length of the union of its intervals.  Nested and
 * overlapping ranges cost no more than others, O((n + q) log n) in all.
 * Memory: about 70 bytes an interval while it works.
 */
#ifndef TP_COVER_H
#define TP_COVER_H

#include <stddef.h>
#include <stdint.h>

#include "ival.h"

struct tp_cover {
	uint32_t first, last;	/* range of the list, half open */
	int64_t length;		/* answer */
};

/* Answer all QUERIES about SPANS, at most 2^30 - 1 of them. */
void tp_cover_measure(const struct tp_span *spans, size_t count,
    struct tp_cover *queries, size_t query_count);

#endif
