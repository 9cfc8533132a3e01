/*
 * cover - how much of a line stretches of a list of intervals cover
 *
 * Many unions at once: for each query [first, last) of a list of intervals,
 * in any order, the length of their union.  Nested and overlapping queries
 * cost the same as others, O((n + q) log n) in all.
 * Memory: about 70 bytes an interval while it works.
 */
#ifndef TP_COVER_H
#define TP_COVER_H

#include <stddef.h>
#include <stdint.h>

#include "ival.h"

struct tp_cover {
	uint32_t first, last;	/* of the list, half open */
	int64_t length;		/* answer */
};

/* Answer all QUERIES about SPANS, of which there are fewer than 2^30; 0, or
 * -1 without memory. */
int tp_cover_measure(const struct tp_span *spans, size_t count,
    struct tp_cover *queries, size_t query_count);

#endif
