/*
 * memory - allocations on the devices of a JAX capture
 *
 * An xplane.pb has an event for each allocation and deallocation, with the
 * state after it: reserved for program stacks, allocated from the heap, and
 * free.  As in xprof, used = reserved + allocated, capacity = all three.
 * Blocks live at the peak are found by pairing addresses; of blocks from
 * before the first event only the total size is known.
 *
 * Memory: 80 bytes an event, and the distinct texts.
 */
#ifndef TP_JAX_MEMORY_H
#define TP_JAX_MEMORY_H

#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>

/* One event; -1: not stated. */
struct tp_jax_alloc {
	int64_t at_ps;
	uint32_t id;		/* in ids */
	uint32_t host;
	uint32_t what;		/* in texts, of an allocation; 0: unknown */
	int is_free;
	int64_t addr, bytes;	/* of the block */
	int64_t reserved, allocated, available;	/* after the event */
	int64_t lifetime_peak;
	double fragmentation;
	uint64_t index;		/* place in the file */
};

/* Blocks live at the peak, of one operation, region, type and shape. */
struct tp_jax_live {
	uint32_t what;		/* in texts; 0: from before the first event */
	int64_t bytes;
	uint64_t count;		/* 0: unknown */
};

/* The memory of one allocator. */
struct tp_jax_memory_of {
	uint32_t id;		/* in ids */
	uint64_t allocations, frees;
	struct tp_jax_alloc peak;	/* event after which most was used */
	int64_t last_bytes;	/* used at the end */
	struct tp_jax_live *live;	/* by bytes, then first seen */
	size_t live_count;
};

struct tp_jax_memory {
	struct tp_jax_alloc *events;
	size_t count, cap;
	struct tp_names ids, texts;
	struct tp_jax_memory_of *list;	/* by the text of its id */
	size_t list_count;
};

/* Separates the parts of a text. */
#define TP_JAX_MEMORY_PART '\n'

/* Call after the last event. */
void tp_jax_memory_make(struct tp_jax_memory *memory);

#endif
