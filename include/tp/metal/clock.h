/*
 * clock - at which clock the GPU ran, and when it was active
 *
 * States of the clock (gpu-performance-state-intervals) are opaque names,
 * not frequencies; share/ops/counters.json has their order.  Where the
 * machine's own table of activity (metal-gpu-state-intervals) is there too,
 * the time of a state is also told for the time in which the GPU worked:
 * only that says what the clock did to the work.  All times are unions.
 * Memory: a union (ival.h) per state, 16 bytes per row of the clock table.
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

/* Take one row of either table.  0, or -1 with ERR. */
int tp_clock_add(struct tp_clock *clock, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err);
/* Write clock.summary, clock.state and gpu.activity. */
int tp_clock_emit(struct tp_clock *clock, struct tp_out *out,
    struct tp_err *err);
void tp_clock_release(struct tp_clock *clock);

#endif
