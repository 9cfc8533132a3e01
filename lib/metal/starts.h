/*
 * starts - how many intervals of each group began in each time slice
 *
 * Counts in slices of 2^19 ns (0.52 ms): exact for any part of the time line
 * that is separated by idle time of at least one slice, without storing
 * rows.  Memory: 16 bytes a group, and the spool (spool.h), 16 bytes per
 * slice in which a group began anything; more when rows are out of order.
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

/* Add COUNT intervals of GROUP that began in the slice of AT_NS (>= 0). */
void tp_starts_add(struct tp_starts *starts, size_t group, int64_t at_ns,
    uint32_t count);
/*
 * Call TAKE for every slice of GROUP, from FROM_NS to TO_NS, in which COUNT
 * intervals began; a slice may occur several times, in any order.
 */
void tp_starts_each(const struct tp_starts *starts, size_t group,
    void (*take)(void *arg, int64_t from_ns, int64_t to_ns, uint64_t count),
    void *arg);
void tp_starts_release(struct tp_starts *starts);

#endif
