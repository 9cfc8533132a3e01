/*
 * driver - CPU time of the GPU driver per command buffer and encoder
 *
 * Rows of metal-driver-intervals are grouped by type ("Command Buffer",
 * "Command Encoder").  Encoders lie within command buffers, so types are
 * never added up.  The depth column also encodes the lane (10 and 11 occur
 * beside 0 and 1) and is not used.  Memory: a union (ival.h) and durations
 * (stat.h) per process and type.
 */
#ifndef TP_METAL_DRIVER_H
#define TP_METAL_DRIVER_H

#include "ival.h"
#include "metal/tables.h"
#include "stat.h"

struct tp_driver_part {
	struct tp_ival busy;
	struct tp_stat duration;
};

/* A zeroed struct is empty. */
struct tp_driver {
	struct tp_names types;
	struct tp_procs procs;
	struct tp_ids keys;		/* (process + 1, type); 0: all */
	struct tp_driver_part *parts;
	size_t cap;
};

/* Add one row of metal-driver-intervals.  0, or -1 with ERR. */
int tp_driver_add(struct tp_driver *driver, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err);
/* Write driver.summary per type, for the machine and for the target. */
void tp_driver_emit(struct tp_driver *driver, const struct tp_trace *trace,
    const char *process, struct tp_out *out);

#endif
