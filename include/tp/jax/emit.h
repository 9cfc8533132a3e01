/*
 * xla_emit - a JAX capture as records, and as profile_summary.v1
 */
#ifndef TP_XLA_EMIT_H
#define TP_XLA_EMIT_H

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/records.h>

#include "jax/trace.h"
#include "read/trace.h"

struct cJSON;

/* Groups of records, to be or-ed. */
enum {
	TP_XLA_EMIT_TRACE = 1,		/* trace.summary, always useful */
	TP_XLA_EMIT_TIME = 2,		/* timeline.* */
	TP_XLA_EMIT_STEPS = 4,		/* step.* */
	TP_XLA_EMIT_OPS = 8,		/* op.* */
	TP_XLA_EMIT_COMM = 16,		/* collective.* */
	TP_XLA_EMIT_GAPS = 32,		/* gap.* */
	TP_XLA_EMIT_REGIONS = 64,	/* region.* */
	TP_XLA_EMIT_ALL = 127
};

enum tp_xla_basis { TP_XLA_DEVICE, TP_XLA_PER_TRACK, TP_XLA_GLOBAL };

/* Write the records of GROUPS of an analysed CAPTURE.  0 or -1 with ERR. */
int tp_xla_emit(const struct tp_xla_trace *capture, unsigned groups,
    struct tp_out *out, struct tp_err *err);
/* The "timeline.chosen" record of BASIS: shares that rules judge by. */
void tp_xla_emit_chosen(const struct tp_xla_trace *capture,
    enum tp_xla_basis basis, struct tp_out *out);

/*
 * Write COUNT "timeline.slice" for each device: how busy it was in equal parts
 * of the range of all operations.  0 or -1 with ERR.
 */
int tp_xla_emit_slices(const struct tp_xla_trace *capture, size_t count,
    struct tp_out *out, struct tp_err *err);

/* What a summary document says that is not in the events. */
struct tp_xla_summary {
	enum tp_xla_basis basis;
	size_t hot_ops;			/* rows of operations */
	const char *generated_at;	/* "2026-01-01T00:00:00Z" */
	const char *source_path;
	const char *sha256;		/* of the file as stored, or NULL */
	const struct tp_set *findings;	/* of rules applied to the records */
	const struct cJSON *artifact;	/* artifact.json it was in, or NULL */
};

/* The profile_summary.v1 document of an analysed CAPTURE, appended to BUF.
 * 0 or -1 with ERR. */
int tp_xla_summarise(const struct tp_xla_trace *capture,
    const struct tp_xla_summary *summary, struct tp_buf *buf,
    struct tp_err *err);

#endif
