/*
 * peel - assign each instant to the first of several unions
 *
 * Memory: that of the unions (ival.h).
 */
#ifndef TP_JAX_PEEL_H
#define TP_JAX_PEEL_H

#include "ival.h"

/* Remove from REST what U covers.  Both must be finished. */
void tp_peel(struct tp_ival *rest, const struct tp_ival *u);

#define TP_PEEL_MAX 16

/*
 * Assign each instant from FIRST to LAST to the first of the COUNT (at most
 * TP_PEEL_MAX) finished unions OF that contains it; TAKEN gets the length
 * assigned to each.  One pass; makes no union.
 */
void tp_peel_all(const struct tp_ival *const *of, size_t count, int64_t first,
    int64_t last, int64_t *taken);

#endif
