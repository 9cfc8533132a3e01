/*
 * emit - a JAX capture as records, and as profile_summary.v1
 */
#ifndef TP_JAX_EMIT_H
#define TP_JAX_EMIT_H

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/records.h>

#include "jax/jax.h"
#include "read/trace_state.h"

struct cJSON;

/* Groups of records, to be or-ed. */
enum {
	TP_JAX_EMIT_TRACE = 1,		/* trace.summary, always useful */
	TP_JAX_EMIT_TIME = 2,		/* timeline.* mem.* */
	TP_JAX_EMIT_STEPS = 4,		/* step.* */
	TP_JAX_EMIT_OPS = 8,		/* op.* */
	TP_JAX_EMIT_COMM = 16,		/* collective flight */
	TP_JAX_EMIT_GAPS = 32,		/* gap.* */
	TP_JAX_EMIT_REGIONS = 64,	/* region.* */
	TP_JAX_EMIT_BUDGET = 128,	/* budget budget.* path.* */
	TP_JAX_EMIT_ALL = 255,
	TP_JAX_EMIT_PATH = 256		/* tp_jax_emit_path() */
};

enum tp_jax_basis { TP_JAX_DEVICE, TP_JAX_PER_TRACK, TP_JAX_GLOBAL };

/* Write the records of GROUPS of an analysed CAPTURE.  0, or -1 with ERR. */
int tp_jax_emit(struct tp_jax_trace *capture, unsigned groups,
    struct tp_out *out, struct tp_err *err);
/* Write those of its critical path (tp/timeline/path.h).  0, or -1 with ERR. */
struct tp_path_options;
int tp_jax_emit_path(struct tp_jax_trace *capture,
    const struct tp_path_options *options, struct tp_out *out,
    struct tp_err *err);
/* Write the "timeline.chosen" record of BASIS: the shares that rules judge. */
void tp_jax_emit_chosen(const struct tp_jax_trace *capture,
    enum tp_jax_basis basis, struct tp_out *out);

/*
 * Write "timeline.lane" records: the stretches (lanes.h) of the operations of
 * each host, over PIXELS columns; first one lane per device, then one per line
 * of the device and kind of work.  Memory: a union per lane.
 */
void tp_jax_emit_lanes(const struct tp_jax_trace *capture, size_t pixels,
    struct tp_out *out);

/*
 * Write the time per call stack of an analysed CAPTURE as folded stacks
 * (folded.h); with several hosts, below each host's name.  Of devices: the
 * named scopes of each operation, then the operation without its number,
 * weighted by its exclusive time; all devices are added up, so the sum is
 * the time of all regions.  With HOST: what each thread executed, outermost
 * first, weighted by the union of the events.
 */
void tp_jax_folded(struct tp_jax_trace *capture, int host, struct tp_out *out);

/* Content of a summary document that is not in the events. */
struct tp_jax_summary {
	enum tp_jax_basis basis;
	size_t hot_ops;			/* maximum rows of operations */
	const char *generated_at;	/* "2026-01-01T00:00:00Z" */
	const char *source_path;
	const char *sha256;		/* of the file as stored, or NULL */
	const struct tp_set *records;	/* of the trace */
	const struct tp_set *findings;	/* of rules applied to the records */
	const struct cJSON *keep;	/* share/summary.json */
	const struct cJSON *artifact;	/* artifact.json it came with, or
					 * NULL */
};

/* The profile_summary.v1 document of an analysed CAPTURE, appended to BUF. */
void tp_jax_summarise(const struct tp_jax_trace *capture,
    const struct tp_jax_summary *summary, struct tp_buf *buf);

#endif
