/*
 * clock - GPU clock states, and when the GPU was active
 *
 * Clock states (gpu-performance-state-intervals) are opaque names, not
 * frequencies; share/ops/counters.json orders them.  When the machine's
 * activity table (metal-gpu-state-intervals) is present, the time in each
 * state is also given for the active time of the GPU: only that shows how
 * the clock affected the work.  All times are unions.  Memory: a union
 * (ival.h) per state, 16 bytes per row of the clock table.
 */
#ifndef TP_METAL_CLOCK_H
#define TP_METAL_CLOCK_H

#include "ival.h"
#include "metal/tables.h"

struct tp_clock_row {
	int64_t at_ns;
	size_t state;
};

/* A zeroed struct is empty. */
struct tp_clock {
	struct tp_names states;
	struct tp_ival *times;		/* of each state */
	size_t time_cap;
	struct tp_ival covered, induced;
	struct tp_clock_row *rows;
	size_t row_count, row_cap;
	struct tp_ival active, known;	/* of the activity table */
	uint64_t active_rows;
};

/* Add one row of either table.  0, or -1 with ERR. */
int tp_clock_add(struct tp_clock *clock, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err);
/* Write clock.summary, clock.state and gpu.activity.  0, or -1 with ERR. */
int tp_clock_emit(struct tp_clock *clock, struct tp_out *out,
    struct tp_err *err);
/*
 * Time in which the GPU was active, *NS, and the times *FROM and *TO between
 * which the activity table tells it.  1, or 0: no such rows.
 */
int tp_clock_active(struct tp_clock *clock, int64_t *ns, int64_t *from,
    int64_t *to);

#endif
