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

#endif
