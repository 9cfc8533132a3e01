/*
 * to_timeline - a JAX capture as a timeline
 *
 * Each host is a process, its lanes are threads and its devices have a stream
 * for each lane of operations.  Work is each stretch in which an operation is
 * the innermost of its lane; it was launched by the event of the host that its
 * correlation, context or run leads to, or that of its execution (links.h).
 * On a host without any of these, work of a device that had none was launched
 * by the last call before it that launches.
 * What an event of the host is says share/ops/jax.json; what has no class is
 * part of what is around it.  Where the clock of a device is behind that of its
 * host, so that work would start before its launch, its times are moved.
 *
 * Memory: that of the timeline, 4 bytes an event, 4 a track and a name, 24 a
 * stretch of work and 24 an execution.
 */
#ifndef TP_JAX_TO_TIMELINE_H
#define TP_JAX_TO_TIMELINE_H

#include "jax.h"
#include "timeline/graph.h"

/* A stretch of work, in the order of the timeline. */
struct tp_jax_work {
	int64_t from_ps, to_ps;
	uint32_t slice;		/* in tracks; TP_NIL: work of a device that is
				 * missing in the capture */
	uint32_t device;	/* in time.devices */
};

struct tp_jax_timeline {
	struct tp_timeline timeline;
	struct tp_jax_work *works;
	size_t count, cap;
	int64_t *shifts;	/* by device: what was added to its times */
};

/*
 * Make the timeline of an analysed TRACE, and end it.  RULES are those of the
 * graph that is made of it.
 */
void tp_jax_to_timeline(struct tp_jax_timeline *jt, struct tp_jax_trace *trace,
    const struct tp_path_rules *rules);
void tp_jax_timeline_release(struct tp_jax_timeline *jt);

#endif
