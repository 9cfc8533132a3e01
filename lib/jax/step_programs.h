/*
 * step_programs - which program each step of a JAX trace runs
 *
 * That of the longest execution inside the step, on lanes of programs.  Its
 * name counts without the fingerprint: "jit_step" of "jit_step(42)" is also
 * "jit_step(43)", compiled for other shapes.  Memory: 4 bytes a step.
 */
#ifndef TP_JAX_STEP_PROGRAMS_H
#define TP_JAX_STEP_PROGRAMS_H

#include "steps.h"

#define TP_JAX_NO_PROGRAM UINT32_MAX

/*
 * An index in the names of ordered TRACKS for each of STEPS, or
 * TP_JAX_NO_PROGRAM; to be freed.
 */
uint32_t *tp_jax_step_programs(const struct tp_jax_steps *steps,
    const struct tp_tracks *tracks);
/* Length of program NAME without its fingerprint. */
size_t tp_jax_program_len(const char *name);
/* Whether A and B of the names of TRACKS are the same program. */
int tp_jax_same_program(const struct tp_tracks *tracks, uint32_t a,
    uint32_t b);

#endif
