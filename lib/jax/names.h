/*
 * names - what the names in a trace of JAX/XLA mean
 *
 * The words are data (share/ops/jax.json): which lanes hold operations, what
 * is a stall or a collective, which family an operation is of, how a tf_op
 * path becomes a region.  Memory: the file, a byte per distinct name that was
 * asked for, and per distinct region path about 40 bytes and its last part.
 */
#ifndef TP_JAX_NAMES_H
#define TP_JAX_NAMES_H

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/err.h>
#include <tp/roofline.h>

#include "classes.h"
#include "tracks.h"

enum tp_jax_part {
	TP_JAX_COMPUTE, TP_JAX_COMMUNICATION, TP_JAX_HOST, TP_JAX_STALL,
	TP_JAX_OTHER, TP_JAX_PARTS
};

struct tp_jax;

/* Read share/ops/jax.json; release with tp_jax_free().  NULL with ERR. */
struct tp_jax *tp_jax_new(struct tp_err *err);
void tp_jax_free(struct tp_jax *jax);

/*
 * Set the role of every track; they must have their names.  AS_PEER: by the
 * names of the lanes alone, as other readers do; else lanes of operations
 * beside streams, which hold the same work, are no lanes of operations, and
 * one of what is in flight is told.
 */
void tp_jax_roles(const struct tp_jax *jax, struct tp_tracks *tracks,
    int as_peer);
/* The name that host events which mark a step have. */
const char *tp_jax_host_step(const struct tp_jax *jax);

/* What tells that a trace was cut off. */
#define TP_JAX_AT_LIMIT "event-limit"
#define TP_JAX_LANE_ENDS "lane-ends"

/* Whether COUNT events are as many as an exporter keeps: the earliest up to a
 * limit, and those that start with the last of them. */
int tp_jax_at_limit(const struct tp_jax *jax, uint64_t count);
/* A sentence for WHY, one of the above. */
const char *tp_jax_cut_text(const struct tp_jax *jax, const char *why);

/* "compute" "communication" "host" "stall" "other". */
const char *tp_jax_part_name(enum tp_jax_part part);
/* What the time of SLICE is spent on, by its name and process. */
enum tp_jax_part tp_jax_part_of(struct tp_jax *jax,
    const struct tp_tracks *tracks, const struct tp_jax_event *slice);
/* The same of an operation: stall, communication, else compute. */
enum tp_jax_part tp_jax_op_part(struct tp_jax *jax,
    const struct tp_tracks *tracks, uint32_t name);
/*
 * What an instant of a device is spent on, by hlo_category where the trace
 * has it, else by name; what comes first counts where two lanes differ.
 */
enum tp_jax_use {
	TP_JAX_WORK, TP_JAX_COLLECTIVE, TP_JAX_TO_DEVICE, TP_JAX_TO_HOST,
	TP_JAX_ON_DEVICE, TP_JAX_INFEED, TP_JAX_WAIT, TP_JAX_CONTAINER,
	TP_JAX_CLASSES
};
enum tp_jax_use tp_jax_class_of(struct tp_jax *jax,
    const struct tp_tracks *tracks, const struct tp_jax_event *slice);
/* What limits work: by its roofline where the trace says its cost and the
 * platform is known; else as a rule, by its kind: hlo_category where it tells,
 * else the name. */
enum tp_jax_limit {
	TP_JAX_BY_MATH, TP_JAX_BY_MEMORY, TP_JAX_MATH_KIND,
	TP_JAX_MEMORY_KIND, TP_JAX_BY_UNKNOWN,
	TP_JAX_TOO_SHORT,	/* a call, whatever its kind */
	TP_JAX_LIMITS
};
/* Less than this, of work or of nothing, is mostly what starting takes: as the
 * kernel_floor_ns of share/platforms. */
#define TP_JAX_SHORT_PS INT64_C(3000000)
/* Memories of a chip by direction, as xprof tells them apart. */
enum tp_jax_space {
	TP_JAX_HBM, TP_JAX_CMEM_READ, TP_JAX_CMEM_WRITE, TP_JAX_VMEM_READ,
	TP_JAX_VMEM_WRITE, TP_JAX_SPACES
};
/* "HBM", "VMEM read": what records call each, and how a list of accesses
 * begins one. */
extern const char *const tp_jax_spaces[TP_JAX_SPACES];
/* What is known of the operation that SLICE is a call of. */
struct tp_jax_known {
	unsigned char class;	/* of tp_jax_use */
	unsigned char limit;	/* of tp_jax_limit, when it is work, */
	unsigned char space;	/* of tp_jax_space, when memory limits it, */
	int64_t roof_ps;	/* what one call takes at best; 0 */
	/* its cost as the trace says; -1: unknown */
	int64_t flops, model_flops, bytes;
	int64_t space_bytes[TP_JAX_SPACES];	/* all or none known */
};
/* Valid until the next call. */
const struct tp_jax_known *tp_jax_known_of(struct tp_jax *jax,
    const struct tp_tracks *tracks, const struct tp_jax_event *slice);
/* The part of the time of operations that a class belongs to. */
enum tp_jax_part tp_jax_class_part(enum tp_jax_use class);
/* Bytes of the first shape in LONG_NAME; 0: unknown. */
int64_t tp_jax_shape_bytes(const char *long_name);

/* Kind of collective NAME is of ("all-reduce"). */
const char *tp_jax_collective(const struct tp_jax *jax, const char *name);

/* How the relative work of an operation can be estimated from its shapes. */
enum tp_jax_flops { TP_JAX_FLOPS_SHAPE, TP_JAX_FLOPS_ATTENTION,
	TP_JAX_FLOPS_LOSS };

/* The same of NAME, an index in names; where that tells none, of CATEGORY, one
 * in texts. */
const char *tp_jax_collective_of(const struct tp_jax *jax,
    const struct tp_tracks *tracks, uint32_t name, uint32_t category);

/* Family of TEXT ("attention_splash"); its estimate into *FLOPS when that is
 * not NULL. */
const char *tp_jax_family(const struct tp_jax *jax, const char *text,
    enum tp_jax_flops *flops);

/* NAME without blanks around it, a leading '%' and one trailing ".digits",
 * appended to BUF. */
void tp_jax_canonical(struct tp_buf *buf, const char *name);
/* Whether an operation of this canonical name only marks others' work. */
int tp_jax_marker(const struct tp_jax *jax, const char *canonical);
/* Whether an operation of this name, or of this tf_op path, computes again what
 * the forward pass did not keep. */
int tp_jax_recomputed(const struct tp_jax *jax, const char *text);
/* What a copy is called, or NULL: this operation is none. */
const char *tp_jax_copy(const struct tp_jax *jax, const char *canonical);

/*
 * Regions: paths of named scopes.  A region is an index; 0 is no region.
 */
struct tp_jax_region {
	uint32_t parent;	/* 0: a root */
	uint32_t part;		/* in xla's own names: tp_jax_region_name() */
	uint32_t depth;		/* 1: a root */
};

/* Region of an operation with tf_op path TF_OP (an index in texts) and NAME;
 * *BARE tells that it is its canonical name alone.  0 with ERR set (no
 * memory). */
uint32_t tp_jax_region_of(struct tp_jax *jax, const struct tp_tracks *tracks,
    uint32_t tf_op, uint32_t name, int *bare, struct tp_err *err);
/* The same of SLICE. */
uint32_t tp_jax_slice_region(struct tp_jax *jax,
    const struct tp_tracks *tracks, const struct tp_jax_event *slice, int *bare,
    struct tp_err *err);
const struct tp_jax_region *tp_jax_region_at(const struct tp_jax *jax,
    uint32_t region);
/* Its last part. */
const char *tp_jax_region_name(const struct tp_jax *jax, uint32_t region);
/* The whole path, parts joined by "=>", appended to BUF. */
void tp_jax_region_path(const struct tp_jax *jax, uint32_t region,
    struct tp_buf *buf);
/* Compares the whole paths of A and B, for sorting. */
int tp_jax_region_order(struct tp_jax *jax, uint32_t a, uint32_t b);
/* REGION cut to its first DEPTH parts. */
uint32_t tp_jax_region_cut(const struct tp_jax *jax, uint32_t region,
    uint32_t depth);

#define TP_JAX_HOST_CLASSES 16	/* at most */

struct tp_jax {
	struct cJSON *doc;
	struct tp_classes processes, threads, parts, classes, limits, pairs,
	    host, collectives, families, copies, markers, recomputed, wrappers,
	    noise;
	const char *host_memory;
	const struct tp_platform *platform;	/* of the devices; or NULL */
	double space_bytes_per_s[TP_JAX_SPACES];	/* 0: unknown; that of
							 * HBM is PLATFORM's */
	struct tp_ids classed_ids;	/* (name, detail) */
	struct tp_jax_known *classed;	/* of each */
	struct tp_jax_known unkept;	/* without memory for more */
	size_t classed_cap;
	struct tp_jax_last {
		uint32_t detail, at;	/* AT: index + 1 in classed */
	} *last;			/* per name, what was asked last */
	size_t last_cap, last_count;
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
