/*
 * skew - whether one device of a JAX trace has more to do than the others
 *
 * The own work of a device is computing and waiting for copies, in the window
 * of the path; devices of one host are compared.  Memory: late.h's.
 */
#ifndef TP_JAX_SKEW_H
#define TP_JAX_SKEW_H

#include "late.h"
#include "to_timeline.h"

struct tp_path;

/*
 * Compare the devices of the host that PATH is of, which JT and TRACE are the
 * timeline of: write "device.summary", if several compute.
 */
void tp_jax_emit_skew(const struct tp_jax_trace *trace,
    const struct tp_jax_timeline *jt, const struct tp_path *path,
    struct tp_out *out);

#endif
