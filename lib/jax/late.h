/*
 * late - in which steps a host or a device has more to do than the others
 *
 * The fewest steps that hold nine tenths of its lag: nearly all steps if it is
 * always slower, one step if something happened once.  Spans are a union as a
 * list that can be searched.  Memory: 16 bytes a step and a span of one
 * device.
 */
#ifndef TP_JAX_LATE_H
#define TP_JAX_LATE_H

#include "ival.h"

struct tp_out;

/* The lag of a step: negative where the others have more to do. */
struct tp_jax_lag {
	int64_t ps, number;
};

struct tp_jax_late {
	size_t count;		/* steps; 0: it has no lag */
	int64_t first, last;	/* their numbers */
};

/* Find these among the N steps at LAGS, which are reordered. */
void tp_jax_late_find(struct tp_jax_late *late, struct tp_jax_lag *lags,
    size_t n);
void tp_jax_late_emit(const struct tp_jax_late *late, struct tp_out *out);

struct tp_jax_spans {
	struct tp_span *list;
	size_t count, cap;
};

/* Set TO, which is empty, to the union of COUNT OF.  0, or -1. */
#define TP_JAX_UNITE_MAX 5
void tp_jax_unite(struct tp_ival *to, const struct tp_ival *const *of,
    size_t count);
/* Replace what SPANS hold by U, which is finished. */
void tp_jax_spans_set(struct tp_jax_spans *spans, const struct tp_ival *u);
/* How much of SPANS lies in [FROM, TO). */
int64_t tp_jax_spans_inside(const struct tp_jax_spans *spans, int64_t from,
    int64_t to);
void tp_jax_spans_release(struct tp_jax_spans *spans);

#endif
