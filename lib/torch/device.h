/*
 * device - the GPUs that a PyTorch trace lists, and which of them worked
 *
 * GPUs with the same properties are one entry with a count.  GPU work names
 * its GPU by a number that equals the index in the list on some systems
 * only.  Therefore, if GPUs differ, numbers are used only if every GPU that
 * worked is listed and none is from AMD, whose numbers count the CPUs too.
 *
 * Memory: 80 bytes and the name per distinct GPU.
 */
#ifndef TP_TORCH_DEVICE_H
#define TP_TORCH_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/roofline.h>

struct cJSON;
struct tp_torch;

struct tp_torch_device {
	uint32_t name;		/* in texts; 0: unknown */
	int worked;		/* it worked, as far as numbers tell */
	uint64_t count;		/* GPUs with these properties */
	int64_t index;		/* of the first; this and the others: -1
				 * unknown */
	int64_t memory_bytes;
	struct tp_chip chip;
};

struct tp_torch_devices {
	struct tp_torch_device *list;
	size_t count, cap;
	ptrdiff_t chosen;	/* represents those that worked; -1: none is
				 * listed, or they differ */
	int differ;		/* those that worked differ, or may */
	uint64_t damaged_count;	/* entries that are not objects */
};

/* Read LISTED (may be NULL), the GPUs of TORCH, whose events have been read. */
void tp_torch_devices_make(struct tp_torch *torch, const struct cJSON *listed);

#endif
