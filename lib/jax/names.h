/*
 * xla - what the names in a trace of JAX/XLA mean
 *
 * The words are data (share/ops/xla.json): which lanes hold operations, what
 * is a stall or a collective, which family an operation is of, how a tf_op
 * path becomes a region.  Memory: a byte per distinct name that was asked
 * for, and per distinct region path about 40 bytes and its last part.
 */
#ifndef TP_XLA_H
#define TP_XLA_H

#include <tp/buf.h>
#include <tp/err.h>

#include "tracks.h"

enum tp_xla_part {
	TP_XLA_COMPUTE, TP_XLA_COMMUNICATION, TP_XLA_HOST, TP_XLA_STALL,
	TP_XLA_OTHER, TP_XLA_PARTS
};

struct tp_xla;

/* Read share/ops/xla.json; release with tp_xla_free().  NULL with ERR. */
struct tp_xla *tp_xla_new(struct tp_err *err);
void tp_xla_free(struct tp_xla *xla);

/* Set the role of every track; they must have their names. */
void tp_xla_roles(const struct tp_xla *xla, struct tp_tracks *tracks);
/* The name that host events which mark a step have. */
const char *tp_xla_host_step(const struct tp_xla *xla);

/* What tells that a trace was cut off. */
#define TP_XLA_AT_LIMIT "event-limit"
#define TP_XLA_LANE_ENDS "lane-ends"

/* Whether COUNT events are as many as an exporter keeps: the earliest up to a
 * limit, and those that start with the last of them. */
int tp_xla_at_limit(const struct tp_xla *xla, uint64_t count);
/* A sentence for WHY, one of the above. */
const char *tp_xla_cut_text(const struct tp_xla *xla, const char *why);

/* "compute" "communication" "host" "stall" "other". */
const char *tp_xla_part_name(enum tp_xla_part part);
/* What the time of SLICE is spent on, by its name and process. */
enum tp_xla_part tp_xla_part_of(struct tp_xla *xla,
    const struct tp_tracks *tracks, const struct tp_slice *slice);
/* The same of an operation: stall, communication, else compute. */
enum tp_xla_part tp_xla_op_part(struct tp_xla *xla,
    const struct tp_tracks *tracks, uint32_t name);
/* Kind of collective NAME is of ("all-reduce"). */
const char *tp_xla_collective(const struct tp_xla *xla, const char *name);

/* How the relative work of an operation can be estimated from its shapes. */
enum tp_xla_flops { TP_XLA_FLOPS_SHAPE, TP_XLA_FLOPS_ATTENTION,
	TP_XLA_FLOPS_LOSS };

/* Family of TEXT ("attention_splash"); its estimate into *FLOPS when that is
 * not NULL. */
const char *tp_xla_family(const struct tp_xla *xla, const char *text,
    enum tp_xla_flops *flops);

/* NAME without blanks around it, a leading '%' and one trailing ".digits",
 * appended to BUF. */
void tp_xla_canonical(struct tp_buf *buf, const char *name);
/* Whether an operation of this canonical name only marks others' work. */
int tp_xla_marker(const struct tp_xla *xla, const char *canonical);
/* What a copy is called, or NULL: this operation is none. */
const char *tp_xla_copy(const struct tp_xla *xla, const char *canonical);

/*
 * Regions: paths of named scopes.  A region is an index; 0 is no region.
 */
struct tp_xla_region {
	uint32_t parent;	/* 0: a root */
	uint32_t part;		/* in xla's own names: tp_xla_region_name() */
	uint32_t depth;		/* 1: a root */
};

/* Region of an operation with tf_op path TF_OP (an index in texts) and NAME;
 * *BARE tells that it is its canonical name alone.  0 with ERR set (no
 * memory). */
uint32_t tp_xla_region_of(struct tp_xla *xla, const struct tp_tracks *tracks,
    uint32_t tf_op, uint32_t name, int *bare, struct tp_err *err);
/* The same of SLICE. */
uint32_t tp_xla_slice_region(struct tp_xla *xla,
    const struct tp_tracks *tracks, const struct tp_slice *slice, int *bare,
    struct tp_err *err);
const struct tp_xla_region *tp_xla_region(const struct tp_xla *xla,
    uint32_t region);
/* Its last part. */
const char *tp_xla_region_name(const struct tp_xla *xla, uint32_t region);
/* The whole path, parts joined by "=>", appended to BUF. */
void tp_xla_region_path(const struct tp_xla *xla, uint32_t region,
    struct tp_buf *buf);
/* Compares the whole paths of A and B, for sorting. */
int tp_xla_region_order(struct tp_xla *xla, uint32_t a, uint32_t b);
/* REGION cut to its first DEPTH parts. */
uint32_t tp_xla_region_cut(const struct tp_xla *xla, uint32_t region,
    uint32_t depth);

#endif
