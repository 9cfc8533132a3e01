/*
 * jax - a JAX capture: its events and everything derived from them
 *
 * Add the events of one or more files (hosts), then analyse once. Memory:
 * tracks.h, 16 bytes for each tie (links.h), and that of each analysis.
 */
#ifndef TP_JAX_JAX_H
#define TP_JAX_JAX_H

#include <stdint.h>

#include <tp/err.h>
#include <tp/records.h>
#include <tp/roofline.h>

#include "gaps.h"
#include "hosts.h"
#include "memory.h"
#include "missing.h"
#include "hlo_ops.h"
#include "read/events.h"
#include "regions.h"
#include "op_samples.h"
#include "steps.h"
#include "activity.h"

/* The event arguments that are read, for struct tp_events_want. */
extern const char *const tp_jax_args[];
/* One of them, which every operation of a TPU has. */
#define TP_JAX_DEVICE_CLOCK "device_duration_ps"

/* How often each text occurred. */
struct tp_jax_votes {
	struct tp_names names;
	uint64_t *counts;
	size_t cap;
};

/* Stages of the input pipeline, from host events. */
struct tp_jax_stages {
	struct tp_names names;	/* id, name and category, joined by
				 * TP_JAX_MEMORY_PART */
	struct tp_jax_stage {
		uint64_t count;
		int64_t total_ps, max_ps;
	} *list;		/* as names */
	size_t cap;
};

struct tp_jax_trace {
	struct tp_tracks tracks;
	struct tp_jax *jax;
	struct tp_jax_mark *marks;
	size_t mark_count, mark_cap;
	struct tp_jax_ties ties[TP_JAX_TIES];
	struct tp_jax_links links;	/* of tp_jax_trace_links() */
	uint32_t host_count;
	char **names;			/* of the hosts, or NULL */
	size_t name_count, name_cap;
	uint64_t event_count, complete_count;
	uint64_t other_events, other_complete;	/* of those: of files read to
						 * their end */
	int has_limit;		/* one had as many as the exporter keeps */
	char *time_unit;		/* "displayTimeUnit", or NULL */
	struct tp_jax_votes run_ids, sources;
	struct tp_jax_stages stages;
	int64_t base_us;		/* zero of all times */
	int32_t base_ps;
	int has_base;
	int64_t day_ns;			/* time of day of the base, since 1970;
					 * or 0 */
	int is_begun;			/* this file has had an event */
	int64_t shift_ps;		/* from this file's axis to that of the
					 * first */
	int is_apart;			/* some file's time of day is unknown */
	int64_t warmup;
	size_t pixels;		/* width of "path.lane"; 0: none */
	int only_devices;		/* compute only time.device; events are
					 * not kept when tp_events_is_ordered */
	int is_part;			/* other processes have more hosts of
					 * the run */
	int as_peer;			/* as other readers: categories by
					 * name alone, gaps per lane */
	enum tp_platform_basis basis;	/* of jax->platform; _OPTION and _OFF
					 * are set before the first file */
	struct tp_platform stated;	/* rates the capture states for its
					 * devices */
	double matrix_unit_ratio;	/* utilisation of their matrix units; 0:
					 * not stated */
	struct tp_described *kinds;	/* of this file, by event->kind, as far
					 * as seen */
	size_t kind_count, kind_cap;
	/* Internal, with ONLY_DEVICES: */
	int in_parts;			/* events of this file are not kept */
	int64_t part_end_ps;		/* end of the current lane's events */
	size_t part_lane;
	/* Set by tp_jax_trace_analyse(): */
	struct tp_jax_memory memory;
	struct tp_jax_time time;
	struct tp_jax_steps steps;
	struct tp_jax_hosts hosts;
	struct tp_jax_missing missing;
	struct tp_jax_ops ops;
	struct tp_jax_groups collectives;
	struct tp_jax_gaps gaps;
	struct tp_jax_regions regions;
	struct tp_jax_windows windows;
	struct tp_jax_samples samples;
	int64_t graph_ps;		/* kernels of graphs that name no
					 * operation, summed */
	uint64_t python_count;		/* calls of Python functions */
	uint32_t *cpu_ops;		/* slices of operations that may have
					 * run on the CPU */
	size_t cpu_op_count, cpu_op_cap;
	int on_cpu;			/* they did: the device is the CPU */
};

int tp_jax_trace_init(struct tp_jax_trace *trace, struct tp_err *err);

/* Add EVENT, just returned by EVENTS.  0, or -1 with ERR. */
int tp_jax_trace_add(struct tp_jax_trace *trace,
    const struct tp_events *events, const struct tp_event *event,
    struct tp_err *err);
/*
 * EVENTS, of the file PATH, was read to its end, or to where it broke.  0,
 * or -1 with ERR.
 */
int tp_jax_trace_end(struct tp_jax_trace *trace,
    const struct tp_events *events, const char *path, struct tp_err *err);
/* Call after the last file. */
void tp_jax_trace_analyse(struct tp_jax_trace *trace);

/* The links of an analysed TRACE, found on first use. */
const struct tp_jax_links *tp_jax_trace_links(struct tp_jax_trace *trace);

/* Whether records about a device must name its host. */
static inline int
tp_jax_is_one_of_hosts(const struct tp_jax_trace *trace)
{
	return trace->host_count > 1 || trace->is_part;
}

/* Name of HOST from its file, or NULL. */
static inline const char *
tp_jax_host_name(const struct tp_jax_trace *trace, uint32_t host)
{
	return host < trace->name_count ? trace->names[host] : NULL;
}

/*
 * Evidence that the exporter cut the capture, or NULL: "event-limit": there
 * are about as many events as it keeps; "lane-ends": it drops the latest
 * events, and one device ends long before another, with fewer operations.
 */
const char *tp_jax_trace_truncated(const struct tp_jax_trace *trace);

#endif
