/*
 * starts - how many intervals of each group began when
 *
 * Counts in slices of 2^19 ns (0.52 ms): exact for any part of the time line
 * that idle time of at least a slice sets apart, without keeping a row.
 * Memory: 16 bytes a group, and the spool (spool.h), 16 bytes per slice in
 * which a group began anything; more when slices come back out of order.
 */
#ifndef TP_METAL_STARTS_H
#define TP_METAL_STARTS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/spool.h>

#define TP_STARTS_BITS 19

/* A zeroed struct is empty. */
struct tp_starts {
	struct tp_starts_slice {
		int64_t slice;
		uint32_t group, count;
	} *open;			/* by group; count 0: none */
	size_t open_cap;
	struct tp_spool closed;
};

/* Something of GROUP began at AT_NS (>= 0).  0, or -1 without memory. */
int tp_starts_add(struct tp_starts *starts, size_t group, int64_t at_ns);
/*
 * Hand every slice of GROUP to TAKE: it reaches from FROM_NS to TO_NS, and
 * COUNT began in it; a slice may come several times, in any order.
 * 0, or -1 when they cannot be read back.
 */
int tp_starts_each(const struct tp_starts *starts, size_t group,
    void (*take)(void *arg, int64_t from_ns, int64_t to_ns, uint64_t count),
    void *arg);
void tp_starts_release(struct tp_starts *starts);

#endif
