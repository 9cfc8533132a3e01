/*
 * marked - the work of devices that each step marked by a host launched
 *
 * A host runs ahead of its devices, so the end of a marked step on the host
 * does not show when its work ends.  Work is linked to a step by the first of
 * these that is known: the group that xprof gave both; the host event that
 * launched it (links.h).  That event belongs to the step it lies in, or to the
 * step around the event that handed it to its thread.  Otherwise work that has
 * a correlation belongs to the step during which its launch began.  Memory: 4
 * bytes a slice, 28 for each group of a mark, 80 for each step on a device.
 */
#ifndef TP_JAX_MARKED_H
#define TP_JAX_MARKED_H

#include <stdint.h>

#include "activity.h"
#include "links.h"
#include "names.h"
#include "tracks.h"

/* A host event that marks a step, and the step's number. */
struct tp_jax_mark {
	uint32_t slice;
	int64_t step;
};

/* The work of a mark on a device. */
struct tp_jax_marked_work {
	uint32_t mark, track;	/* TRACK: one of the device's */
	int64_t from_ps, to_ps;	/* first start and last end */
};

struct tp_jax_marked {
	struct tp_jax_marked_work *list;	/* none: not known */
	size_t count, cap;
	int works_on;		/* devices work on when most marks end */
};

/*
 * Find the work of MARKS, on hosts of nested TRACKS with roles set.
 */
void tp_jax_marked_make(struct tp_jax_marked *marked,
    const struct tp_tracks *tracks, struct tp_jax *jax,
    const struct tp_jax_time *time, const struct tp_jax_mark *marks,
    size_t mark_count, const struct tp_jax_links *links);
void tp_jax_marked_release(struct tp_jax_marked *marked);

#endif
