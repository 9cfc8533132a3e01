/*
 * resource - allocations and deallocations of Metal resources
 *
 * Read from metal-resource-allocations (series "resource": requested by
 * programs) and metal-kernel-resource-allocations ("kernel": made by the
 * driver).  A row is an allocation, a deallocation, or another event, which
 * is only counted; a row without an event type is an allocation.  The
 * lifetime of a resource is what its row states, else the time until its id
 * is deallocated; when an id is allocated again, its deallocation was not
 * recorded.
 *
 * Rows may come in any order and a lifetime needs both ends, so every event
 * is kept: 40 bytes each, and 24 per distinct id and 16 per distinct size.
 */
#ifndef TP_METAL_RESOURCE_H
#define TP_METAL_RESOURCE_H

#include "metal/phase.h"
#include "metal/tables.h"
#include "stat.h"

enum tp_resource_series { TP_RESOURCE, TP_RESOURCE_KERNEL,
    TP_RESOURCE_SERIES };

struct tp_resource_event {
	int64_t at_ns;
	int64_t bytes;			/* -1: unknown */
	int64_t lifetime_ns;		/* -1: unknown */
	uint32_t id, kind;		/* indexes; kind: label and type */
	int32_t proc;			/* or -1 */
	enum tp_resource_state {
		TP_RES_ALLOCATED,
		TP_RES_REPLACED,	/* its id was allocated again after
					 * lifetime_ns, so it was freed
					 * before */
		TP_RES_FREED,
		TP_RES_FREED_UNSEEN	/* allocated before the first row */
	} state;
};

/* One table. */
struct tp_resource_list {
	struct tp_resource_event *events;
	size_t count, cap;
	struct tp_resource_rows {
		int64_t rows, others;	/* others: other events */
		tp_int128 vidmem, sysmem;	/* bytes of allocations */
		int vidmem_known, sysmem_known;
	} *rows;			/* [0]: no process; then by process */
	size_t row_cap;
	int paired;			/* events are sorted and paired */
	struct tp_ids ids;		/* (process + 1, resource id) */
};

/* A zeroed struct is empty. */
struct tp_resources {
	struct tp_procs procs;
	struct tp_names labels, types;
	struct tp_ids kinds;		/* (label + 1, type + 1) */
	struct tp_resource_list lists[TP_RESOURCE_SERIES];
};

/* Add one row of either table.  0, or -1 with ERR. */
int tp_resource_add(struct tp_resources *res, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err);

/* Sort the events of LIST by time and find the end of each allocation. */
void tp_resource_pair(struct tp_resource_list *list);

/* Sums over the allocations of one process, or of all. */
struct tp_resource_sums {
	struct tp_resource_rows rows;
	int64_t first_ns, last_ns;	/* first > last: no event */
	int64_t allocated, freed, freed_unseen, ids;
	int64_t small, size_unknown, lifetime_unknown, in_steps;
	tp_int128 bytes, small_bytes, in_step_bytes;
	int ends_known;
	/* valid with ends_known: */
	int64_t reusable;			/* of a size freed earlier */
	int64_t live;				/* at the end of the trace */
	int64_t peak_at_ns;			/* of the live ones */
	tp_int128 reusable_bytes, live_bytes, peak_bytes;
	struct tp_stat size, lifetime;
};

/* Sum the paired LIST for process PROC (-1: all) into SUMS; release SUMS. */
void tp_resource_sum(const struct tp_resource_list *list, ptrdiff_t proc,
    int64_t small_bytes, const struct tp_phase_view *steps,
    struct tp_resource_sums *sums);
void tp_resource_sums_release(struct tp_resource_sums *sums);

struct tp_resource_limits {
	int64_t small_bytes;		/* allocations below are small */
	int64_t top;			/* most labels and resources listed */
};

/*
 * Write resource.summary of each table for "all" and for the target; and
 * resource.label and resource.largest for the target, or for all when there
 * is none.
 */
void tp_resource_emit(struct tp_resources *res, const struct tp_trace *trace,
    const char *process, const struct tp_resource_limits *limits,
    const struct tp_phase_view *steps, struct tp_out *out);

#endif
