/*
 * device - the GPUs that a PyTorch trace lists, and which of them worked
 *
 * A trace lists them beside its events.  Those that say the same of
 * themselves are one here, with a count.  Work names its GPU by a number that
 * is the one of the list on some systems only, so where GPUs differ it is
 * used only when every GPU that worked is listed and none is AMD's (whose
 * numbers count the CPUs too).
 *
 * Memory: 64 bytes and the name per distinct GPU.
 */
#ifndef TP_TORCH_DEVICE_H
#define TP_TORCH_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

struct cJSON;
struct tp_torch;

struct tp_torch_device {
	uint32_t name;		/* in texts, 0: not said */
	int worked;		/* as far as numbers tell */
	uint64_t count;		/* that say the same */
	int64_t index;		/* of the first; -1 unknown, as the others */
	int64_t memory_bytes, major, minor, multiprocessors;
};

struct tp_torch_devices {
	struct tp_torch_device *list;
	size_t count, cap;
	ptrdiff_t chosen;	/* stands for those that worked; -1: none is
				 * listed, or they differ */
	int differ;		/* they do, or may do */
	uint64_t damaged_count;	/* that are no objects */
};

/* Take what TORCH, whose events have been read, LISTED, or NULL.  0 or -1
 * with ERR. */
int tp_torch_devices_make(struct tp_torch *torch, const struct cJSON *listed,
    struct tp_err *err);
void tp_torch_devices_release(struct tp_torch_devices *devices);

#endif
