/*
 * acts - what a thread of the host does in an event
 *
 * Events get the classes "host" of share/ops/jax.json.  An event without a
 * class is part of what the event around it does.  So is an event of a generic
 * class (any Python function, sleeping), unless nothing around it is more
 * specific; waits of the launching thread while it loads or saves count as
 * loading or saving.
 * A function that launches steps is the loop itself, whatever its name.
 * Memory: 8 bytes a name and a byte an event.
 */
#ifndef TP_JAX_ACTS_H
#define TP_JAX_ACTS_H

#include "executions.h"
#include "names.h"

/* A zeroed struct is empty. */
struct tp_jax_acts {
	const struct tp_tracks *tracks;
	const struct tp_classes *classes;
	ptrdiff_t *of_name;	/* class of each; -1: none, -2: not looked
				 * up */
	ptrdiff_t plain;	/* unspecific class of Python */
	unsigned char *loops;	/* of each event: it launches steps */
	struct tp_jax_act_kind {
		unsigned char is_generic, is_purpose, sleeps, waits;
	} kinds[TP_JAX_HOST_CLASSES];
};

void tp_jax_acts_init(struct tp_jax_acts *acts, const struct tp_tracks *tracks,
    const struct tp_jax *jax);
void tp_jax_acts_release(struct tp_jax_acts *acts);
/* Of EXECUTIONS, those of the program that lasts longest are steps. */
void tp_jax_acts_steps(struct tp_jax_acts *acts,
    const struct tp_jax_executions *executions);
/* The class of NAME alone; -1: none. */
ptrdiff_t tp_jax_acts_name(struct tp_jax_acts *acts, uint32_t name);
/*
 * The class of what a thread does in S, the launching thread if LAUNCHES;
 * -1: nothing, or nothing known.
 */
ptrdiff_t tp_jax_acts_of(struct tp_jax_acts *acts,
    const struct tp_jax_event *s, int launches);

#endif
