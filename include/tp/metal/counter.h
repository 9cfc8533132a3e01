/*
 * counter - GPU hardware counters
 *
 * Counters come in two forms: values over intervals
 * (metal-gpu-counter-intervals) and numbered samples (gpu-counter-value),
 * whose names are in another table (gpu-counter-info).  Means of intervals
 * are weighted by time, means of samples by count; each record says which.
 * When both forms have a counter, intervals are used.
 *
 * Values are read as whole billionths (above 2^63 billionths as whole
 * numbers) and summed in 128 bits, so the order of rows does not matter;
 * when a sum overflows, the mean is left out.  A mean is one division in
 * double precision.  Memory: about 200 bytes per counter, nothing per row.
 */
#ifndef TP_METAL_COUNTER_H
#define TP_METAL_COUNTER_H

#include "classes.h"
#include "metal/tables.h"
#include "stat.h"

struct cJSON;

struct tp_counter_sum {
	uint64_t rows;
	int64_t weight;			/* ns, or samples */
	tp_int128 sum;			/* billionths times weight */
	int overflow;
};

struct tp_counter_series {
	int64_t id;			/* -1: unknown */
	ptrdiff_t name, gpu;		/* -1: unknown */
	int sampled, percent;
	int limiter;			/* its labels name the limiter */
	struct tp_counter_sum all, nonzero;
	int64_t first_ns, last_ns;
	tp_int128 peak;			/* billionths */
	int64_t peak_at_ns;
	int64_t unit;			/* bytes/s per unit, from the labels; 0:
					 * unknown, -1: they disagree */
};

struct tp_counter_info {
	int64_t max;			/* 0: unknown */
	ptrdiff_t name;
	int percent;
};

/* A zeroed struct is empty. */
struct tp_counter {
	/* how long the GPU worked between two times; ns 0: unknown */
	struct tp_counter_active {
		int64_t ns, from_ns, to_ns;
	} active;
	struct cJSON *doc;		/* share/ops/counters.json */
	struct tp_classes roles;
	struct tp_names names, gpus;
	struct tp_ids keys, places;	/* (id, name), (key, place) to series */
	struct tp_counter_series *series;
	size_t series_cap;
	struct tp_ids described;	/* (id, 0) to infos */
	struct tp_counter_info *infos;
	size_t info_cap;
	struct tp_names limiters;	/* of the counter that names limiters */
	int64_t *limiter_ns;
	size_t limiter_cap;
	int64_t limited_ns;		/* time covered by that counter */
	uint64_t zero_durations, profile_rows;
};

/* Add one row of a counter table.  0, or -1 with ERR. */
int tp_counter_add(struct tp_counter *counter, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err);
/*
 * Write counter.set, counter.summary, counter.bandwidth, counter.limiter.
 * 0, or -1 with ERR.
 */
int tp_counter_emit(struct tp_counter *counter, struct tp_out *out,
    struct tp_err *err);
/*
 * Write counter.bandwidth per GPU: the rate of its read and write counters
 * over the time in which the GPU worked, and the peak memory bandwidth of the
 * chip (share/platforms).  If that time is unknown, the rate is over the
 * sampling windows with traffic, which also hold idle time.  0, or -1 with ERR.
 */
int tp_counter_bandwidth(const struct tp_counter *counter,
    struct tp_out *out, struct tp_err *err);

/* Whether a counter called NAME, or NULL, has ROLE. */
int tp_counter_is(const struct tp_counter *counter, const char *name,
    const char *role);
/*
 * Bytes per second per unit of a counter whose VALUE (billionths) is
 * displayed as LABEL ("312 GB/s"); 0 when the label does not tell.
 */
int64_t tp_counter_unit(tp_int128 value, const char *label, size_t len);

#endif
