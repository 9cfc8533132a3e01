/*
 * slices - busy time in equal parts of a run, to draw it
 *
 * A union (ival.h) cut into parts of one length.  Memory: the parts, which
 * are the caller's.
 */
#ifndef TP_SLICES_H
#define TP_SLICES_H

#include <stddef.h>
#include <stdint.h>

#include <tp/records.h>

#include "ival.h"

/* More parts than any drawing shows. */
#define TP_SLICES_MAX 10000

struct tp_busy_part {
	int64_t from, to;
	int64_t busy;	/* of the union, inside */
};

/*
 * Cut [FROM, TO), a multiple of UNIT long, into COUNT parts of whole UNITs,
 * which differ by one at most, and measure how much of each is inside BUSY,
 * which is finished.  0, or -1 when BUSY cannot be read back.
 */
int tp_slices_make(const struct tp_ival *busy, int64_t from, int64_t to,
    int64_t unit, struct tp_busy_part *parts, size_t count);
/* The keys of PART, in ns, the INDEX-th from 0, of the current record. */
void tp_slices_emit(const struct tp_busy_part *part, size_t index,
    struct tp_out *out);

#endif
