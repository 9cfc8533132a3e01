/* private - what the files of this room share */
#ifndef TP_JAX_PRIVATE_H
#define TP_JAX_PRIVATE_H

#include <tp/alloc.h>

#include "names.h"
#include "pattern.h"

struct jax_class {
	const char *name;
	struct tp_pattern match;	/* none: the last class */
	enum tp_jax_flops flops;
};

struct jax_classes {
	struct jax_class *list;
	size_t count;
};

struct tp_jax {
	struct tp_arena arena;
	const char **device, **host, **ops, **steps;	/* NULL-terminated */
	const char *host_step, *copy;
	struct jax_classes parts, collectives, families;
	const int64_t *event_limits;
	size_t event_limit_count;
	const char *cut_texts[2];	/* at a limit, by the ends of lanes */
	const char **marker_names, **marker_starts, **copy_starts;
	const char **region_wrappers, **region_names, **region_starts,
	    **region_holds;
	unsigned char *known;	/* per name: 1 + part of an operation */
	size_t known_cap, known_count;
	/* regions */
	struct tp_jax_region *regions;
	size_t region_count, region_cap;
	struct tp_names region_parts;
	struct tp_ids region_keys;	/* (parent, part) */
	struct tp_ids asked;		/* (tf_op, name) */
	uint32_t *answers;		/* region * 2 + bare */
	size_t answer_cap;
	struct tp_buf scratch, other;
};

/* How often each pair came; a zeroed struct is empty. */
struct tp_jax_tally {
	struct tp_ids ids;
	uint32_t *counts;	/* of each of ids */
	size_t cap;
};

/* Count (A, B) COUNT times more; -1 without memory. */
int tp_jax_tally_add(struct tp_jax_tally *tally, uint64_t a, uint64_t b,
    uint32_t count);
void tp_jax_tally_release(struct tp_jax_tally *tally);

/* Take the blanks (those of Python) off both ends of *FROM to *END. */
void tp_jax_trim(const char **from, const char **end);

#endif
