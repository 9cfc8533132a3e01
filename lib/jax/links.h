/*
 * links - which event of a host launched the work of devices
 *
 * By the first of these that is known: its context ("_p" of that event is "_c"
 * of the work), correlation or run id.  Otherwise the executions of a program
 * are linked in order to the calls of its function, if there are as many of
 * both.  Memory: 4 bytes a slice, and 28 for each id that ties an event of a
 * host.
 */
#ifndef TP_JAX_LINKS_H
#define TP_JAX_LINKS_H

#include <stdint.h>

#include "names.h"
#include "tracks.h"

/*
 * What ties an event to another: slices that follow each other and have the
 * same id.
 */
enum tp_jax_tie_kind {
	TP_JAX_GROUP, TP_JAX_CORRELATION, TP_JAX_RUN, TP_JAX_PRODUCED,
	TP_JAX_CONSUMED, TP_JAX_TIES
};
struct tp_jax_ties {
	struct tp_jax_tie {
		uint32_t slice;	/* the first */
		uint16_t count;
		uint16_t type;	/* of a context */
		uint64_t id;
	} *list;		/* in the order of slices */
	size_t count, cap;
};

struct tp_jax_links {
	const struct tp_tracks *tracks;
	const struct tp_jax_ties *ties;	/* by kind */
	struct tp_ids keys;		/* (host and kind, id) of ties */
	uint32_t *slices;		/* the earliest event of a host, of
					 * each */
	size_t slice_cap;
	uint32_t *calls;		/* by slice: of an execution 1 + the
					 * call of its function */
};

/* Find the links of nested TRACKS with roles set; TIES by kind. */
void tp_jax_links_make(struct tp_jax_links *links,
    const struct tp_tracks *tracks, const struct tp_jax *jax,
    const struct tp_jax_ties ties[TP_JAX_TIES]);

/* The tie of SLICE of KIND, or NULL. */
const struct tp_jax_tie *tp_jax_tie_of(const struct tp_jax_links *links,
    uint32_t slice, enum tp_jax_tie_kind kind);
/*
 * The event of a host that a tie of SLICE of KIND leads to, or -1; of
 * TP_JAX_CONSUMED that which produced it.
 */
ptrdiff_t tp_jax_link_follow(const struct tp_jax_links *links, uint32_t slice,
    enum tp_jax_tie_kind kind);

/* Whether the slices of K are work of a device, or executions. */
static inline int
tp_jax_is_of_device(const struct tp_track *k)
{
	return k->role == TP_ROLE_OPS || k->holds_programs;
}

#endif
