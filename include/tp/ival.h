/*
 * ival - the union of half-open intervals
 *
 * Busy time is a union, never a sum.  Touching intervals merge.  Any order
 * of the same intervals gives the same spans; rows sorted by start, as
 * profilers write them, are merged as they come.  Memory: 16 bytes per span
 * of the union, and 16 per interval that came late until it is merged in.
 */
#ifndef TP_IVAL_H
#define TP_IVAL_H

#include <stddef.h>
#include <stdint.h>

struct tp_span {
	int64_t from, to;
};

/* A zeroed struct is an empty union. */
struct tp_ival {
	struct tp_span *spans;		/* sorted, disjoint, not touching */
	size_t count, cap;
	struct tp_span *late;		/* started before the last span */
	size_t late_count, late_cap;
	uint64_t late_total;		/* ever */
};

/* Add [FROM, TO); nothing when it is empty.  0, or -1 without memory. */
int tp_ival_add(struct tp_ival *ival, int64_t from, int64_t to);
/* Merge what came late; spans are complete after it.  0 or -1. */
int tp_ival_finish(struct tp_ival *ival);
/* After tp_ival_finish(): total length. */
int64_t tp_ival_busy(const struct tp_ival *ival);
/* After both are finished: length of their intersection. */
int64_t tp_ival_common(const struct tp_ival *a, const struct tp_ival *b);
void tp_ival_release(struct tp_ival *ival);

#endif
