/*
 * steady - times of single steps for a document
 *
 * A median alone says nothing of noise, so a document keeps the times it is
 * of.  Memory: 16 bytes a steady step.
 */
#ifndef TP_JAX_STEADY_H
#define TP_JAX_STEADY_H

#include <tp/doc.h>

#include "steps.h"

/*
 * Write the object "steady_steps", or nothing without steady steps: count,
 * and in the order of time start_to_start_durations (null: not known) and
 * wall_durations, in us of whole ns as the "step" records have them.  Of more
 * than 4096 steps each list holds 4096 evenly spaced order statistics of what
 * is known, still in the order of time.  0, or -1 with ERR.
 */
int tp_jax_put_samples(struct tp_doc *doc, const struct tp_jax_steps *steps,
    struct tp_err *err);

#endif
