/*
 * hlo_ops - operations of a JAX trace, their families and collectives
 *
 * An operation is everything with one full name on lanes of operations;
 * operations of different programs are kept apart when the trace names
 * programs (not AS_PEER). Memory: 250 bytes per operation, and some per
 * distinct argument.
 */
#ifndef TP_JAX_HLO_OPS_H
#define TP_JAX_HLO_OPS_H

#include <stdint.h>

#include <tp/err.h>

#include "async.h"
#include "names.h"

struct tp_jax_op {
	uint32_t name;		/* in tracks->names */
	uint32_t canonical;	/* in tracks->texts, as the next three; 0:
				 * unknown */
	uint32_t shape, source, tf_op;	/* most frequent; ties: seen first */
	enum tp_jax_part part;
	enum tp_jax_half half;
	/* In texts, from its first call. */
	uint32_t category, kernel, program, module, stack;
	int has_twin;		/* another program has one of this name */
	enum tp_jax_use use;	/* from its first call */
	uint64_t count;
	int64_t total_ps, own_ps;
	/*
	 * Over all calls.  The start or end of a transfer does not move its
	 * bytes within its own time, and a call that contains others includes
	 * their cost.
	 */
	struct tp_jax_rates {
		uint64_t count;		/* calls of known cost */
		int64_t ps;		/* their time */
		double flops, model_flops, bytes;	/* sums; 0: unknown */
		double space_bytes[TP_JAX_SPACES];
		int has_spaces;
		struct tp_jax_measured measured;
	} rates;
	double flops;		/* relative work of one call, from shapes; not
				 * FLOPs.  0: unknown */
	/*
	 * Over the calls with a cost in the trace that do work and contain no
	 * others.
	 */
	struct tp_jax_costs {
		uint64_t count;
		int64_t ps;		/* their time */
		double flops, bytes;	/* sums; bytes of HBM */
		int64_t roof_ps;	/* shortest time; 0: unknown */
		enum tp_jax_limit limit;
		enum tp_jax_space space;
	} costs;
};

struct tp_jax_ops {
	struct tp_jax_op *list;	/* by own_ps, total_ps, then name */
	size_t count;
	int64_t total_ps, own_ps;	/* over all operations */
};

/* Make the list from nested TRACKS with roles set. */
void tp_jax_ops_make(struct tp_jax_ops *ops, struct tp_tracks *tracks,
    struct tp_jax *jax, int as_peer);
void tp_jax_ops_release(struct tp_jax_ops *ops);

/* Add MORE to *SUM, except what was measured. */
void tp_jax_rates_add(struct tp_jax_rates *sum,
    const struct tp_jax_rates *more);

/* Operations of one family, or collectives of one kind. */
struct tp_jax_group {
	const char *name;
	uint64_t count;
	int64_t total_ps, own_ps;
	const struct tp_jax_op *example;	/* operation with most own_ps */
	uint32_t shape;		/* most frequent; 0: unknown */
	double flops;		/* over all calls; 0: unknown */
};

struct tp_jax_groups {
	struct tp_jax_group *list;	/* by own_ps, then name */
	size_t count;
};

/*
 * Family of OP, from its name or tf_op, where these name no part of a model its
 * kind of kernel.  TEXT is scratch.
 */
const char *tp_jax_op_family(const struct tp_jax_op *op,
    const struct tp_tracks *tracks, const struct tp_jax *jax, int as_peer,
    struct tp_buf *text);
/* Calls of OP; the start and the end of a transfer are one unless AS_PEER. */
uint64_t tp_jax_op_calls(const struct tp_jax_op *op, int as_peer);
/* Families of the first LIMIT operations. */
void tp_jax_families(struct tp_jax_groups *groups, const struct tp_jax_ops *ops,
    size_t limit, const struct tp_tracks *tracks, const struct tp_jax *jax,
    int as_peer);
/* Kind of the collective OP; NULL: none. */
const char *tp_jax_op_collective(const struct tp_jax_op *op,
    const struct tp_tracks *tracks, const struct tp_jax *jax, int as_peer);
/*
 * Kinds of collectives among the operations.  AS_PEER, the start and the end
 * of a transfer are two calls, else one; so also in families.
 */
void tp_jax_collectives(struct tp_jax_groups *groups,
    const struct tp_jax_ops *ops, const struct tp_tracks *tracks,
    const struct tp_jax *jax, int as_peer);
void tp_jax_groups_release(struct tp_jax_groups *groups);

/*
 * Append the shapes in LONG_NAME, an HLO text, to BUF: that of the result,
 * else the first eight; dimensions joined by ',', shapes by '|'.
 */
void tp_jax_shape(struct tp_buf *buf, const char *long_name);
/*
 * Relative work of one call of SHAPE, to compare calls of one kind, by
 * FLOPS: attention 2 B H S^2 (d_qk + d_v), cross entropy 2 d0 d1, else the
 * elements of the largest shape.  0: unknown.
 */
double tp_jax_work(const char *shape, enum tp_jax_flops flops);

#endif
