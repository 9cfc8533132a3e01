/*
 * last_over - the last of a list's first values that is over a limit
 *
 * Of intervals by start, whose ends are the values, that is the innermost one
 * open at a time, whatever ended before it or overlaps it.  Finding one takes
 * O(log n); memory: at most 32 bytes a value.
 */
#ifndef TP_LAST_OVER_H
#define TP_LAST_OVER_H

#include <stddef.h>
#include <stdint.h>

struct tp_last_over {
	int64_t *most;		/* a tree: of 2k and 2k + 1 in k; the value at
				 * k in leaf_count + k */
	size_t leaf_count;
};

/* Prepare for COUNT values, which are put into the result. */
int64_t *tp_last_over_init(struct tp_last_over *list, size_t count);
/* After all values were put: sum up. */
void tp_last_over_ready(struct tp_last_over *list);
/* The place of the last value over LIMIT before place END, or -1. */
ptrdiff_t tp_last_over(const struct tp_last_over *list, size_t end,
    int64_t limit);
void tp_last_over_release(struct tp_last_over *list);

#endif
