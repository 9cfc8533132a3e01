/*
 * executions - what the host did in the first execution of a program
 *
 * An execution begins with an event of the launching thread that launches
 * and lies in no other that does; the name of that event is its program.  It
 * lasts until the next one begins: what a host launches it waits for.
 * Memory: 24 bytes for each, 40 for each program.
 */
#ifndef TP_JAX_EXECUTIONS_H
#define TP_JAX_EXECUTIONS_H

#include <tp/budget.h>
#include <tp/hash.h>

#include "ival.h"
#include "tracks.h"

/* A zeroed struct has none. */
struct tp_jax_executions {
	struct tp_jax_execution {
		int64_t from_ps;
		uint32_t program;
		int is_first;		/* of its program */
		uint32_t slice;		/* that event, in tracks->slices */
	} *list;			/* in order of time */
	size_t count, cap;
	struct tp_ids programs;		/* names of events */
	struct tp_jax_program_time {
		int64_t count;		/* executions */
		int64_t first_ps, later_ps;	/* time added, in the first and
						 * in all others */
		int64_t whole_ps;	/* of all, for
					 * tp_jax_executions_longest() */
	} *times;			/* of each program */
	size_t time_cap;
};

/*
 * Find the executions on LANE of ordered TRACKS; LAUNCHES says whether events
 * of that name launch.
 */
void tp_jax_executions_make(struct tp_jax_executions *executions,
    const struct tp_tracks *tracks, const struct tp_track *lane,
    int (*launches)(void *, uint32_t), void *arg);
/* Forget the time added. */
void tp_jax_executions_reset(struct tp_jax_executions *executions);
/* Add the time of finished U. */
void tp_jax_executions_add(struct tp_jax_executions *executions,
    const struct tp_ival *u);
/*
 * Sum the time added into *ONCE, of programs that ran again and took more in
 * their first execution than in later ones on average.
 */
void tp_jax_executions_sum(const struct tp_jax_executions *executions,
    struct tp_budget_once *once);
/* The program whose executions last longest in sum; -1: there is none. */
ptrdiff_t tp_jax_executions_longest(
    const struct tp_jax_executions *executions);
void tp_jax_executions_release(struct tp_jax_executions *executions);

#endif
