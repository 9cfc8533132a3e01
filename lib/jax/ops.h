/*
 * xla_ops - operations of a JAX trace, their families and collectives
 *
 * An operation is everything of one full name on lanes of operations.
 * Memory: 80 bytes per distinct name, and some per distinct argument.
 */
#ifndef TP_XLA_OPS_H
#define TP_XLA_OPS_H

#include <stdint.h>

#include <tp/err.h>

#include "names.h"

struct tp_xla_op {
	uint32_t name;		/* in tracks->names */
	uint32_t canonical;	/* these in tracks->texts; 0: unknown */
	uint32_t shape, source, tf_op;	/* most frequent; ties: seen first */
	enum tp_xla_part part;
	uint64_t count;
	int64_t total_ps, own_ps;
	double flops;		/* relative work of one, from shapes; not
				 * FLOPs.  0: unknown */
};

struct tp_xla_ops {
	struct tp_xla_op *list;	/* by own_ps, total_ps, then name */
	size_t count;
	int64_t total_ps, own_ps;	/* of all */
};

/* From nested TRACKS whose roles are set.  0 or -1 with ERR. */
int tp_xla_ops(struct tp_xla_ops *ops, struct tp_tracks *tracks,
    struct tp_xla *xla, struct tp_err *err);
void tp_xla_ops_release(struct tp_xla_ops *ops);

/* Operations of one family, or collectives of one kind. */
struct tp_xla_group {
	const char *name;
	uint64_t count;
	int64_t total_ps, own_ps;
	const struct tp_xla_op *example;	/* the one with most own_ps */
	uint32_t shape;		/* of most calls; 0: unknown */
	double flops;		/* of all calls; 0: unknown */
};

struct tp_xla_groups {
	struct tp_xla_group *list;	/* by own_ps, then name */
	size_t count;
};

/* Families of the first LIMIT operations. */
int tp_xla_families(struct tp_xla_groups *groups,
    const struct tp_xla_ops *ops, size_t limit,
    const struct tp_tracks *tracks, const struct tp_xla *xla,
    struct tp_err *err);
/* Kinds of collectives among the operations. */
int tp_xla_collectives(struct tp_xla_groups *groups,
    const struct tp_xla_ops *ops, const struct tp_tracks *tracks,
    const struct tp_xla *xla, struct tp_err *err);
void tp_xla_groups_release(struct tp_xla_groups *groups);

/*
 * The shapes in LONG_NAME, an HLO text: of the result, else the first eight;
 * dimensions joined by ',', shapes by '|', appended to BUF.
 */
void tp_xla_shape(struct tp_buf *buf, const char *long_name);
/*
 * Relative work of one call of SHAPE, for comparing calls of one kind: by
 * FLOPS attention 2 B H S^2 (d_qk + d_v), cross entropy 2 d0 d1, else the
 * elements of the largest shape.  0: unknown.
 */
double tp_xla_work(const char *shape, enum tp_xla_flops flops);

#endif
