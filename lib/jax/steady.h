/*
 * steady - durations of single steps for a summary document
 *
 * A median alone does not show noise, so a document keeps the individual
 * times.  Memory: 16 bytes a steady step.
 */
#ifndef TP_JAX_STEADY_H
#define TP_JAX_STEADY_H

#include <tp/doc.h>

#include "steps.h"

/*
 * Write the object "steady_steps", or nothing when there are none: count, and
 * in time order start_to_start_durations (null: unknown) and wall_durations, in
 * us with ns precision as in the "step" records.  Beyond 4096 steps each list
 * holds 4096 evenly spaced order statistics of the known values, still in time
 * order.
 */
void tp_jax_put_samples(struct tp_doc *doc, const struct tp_jax_steps *steps);

#endif
