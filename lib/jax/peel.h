/*
 * peel - give each instant of a window to the first of several unions
 *
 * Memory: that of the unions (ival.h).
 */
#ifndef TP_JAX_PEEL_H
#define TP_JAX_PEEL_H

#include "ival.h"

/* Take what UNION covers away from REST; how much that was into *TAKEN.
 * Both are finished.  0, or -1 without memory. */
int tp_peel(struct tp_ival *rest, const struct tp_ival *u, int64_t *taken);

#define TP_PEEL_MAX 16

/* The same for all instants from FIRST to LAST at once: each goes to the first
 * of the COUNT (at most TP_PEEL_MAX) finished unions at OF that has it; how
 * much each got into TAKEN.  In one pass, and no union is made. */
int tp_peel_all(const struct tp_ival *const *of, size_t count, int64_t first,
    int64_t last, int64_t *taken);

#endif
