/*
 * names - the meaning of names in a JAX/XLA trace
 *
 * share/ops/jax.json says which lanes hold operations, what is a stall or a
 * collective, the family of an operation, and how a tf_op path becomes a
 * region.  Memory: the file, a byte per distinct name looked up, and per
 * distinct region path about 40 bytes and its last part.
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
 * Set the role of every track; tracks must have their names.  A lane of
 * operations beside streams with the same work is ignored, and lanes of
 * transfers in flight are recognised.
 */
void tp_jax_roles(const struct tp_jax *jax, struct tp_tracks *tracks);
/* Whether PROCESS is the name of a host; of a device. */
int tp_jax_is_host(const struct tp_jax *jax, const char *process);
int tp_jax_is_device(const struct tp_jax *jax, const char *process);
/* Name of the host events that mark steps. */
const char *tp_jax_host_step(const struct tp_jax *jax);

/* Evidence that a trace was cut. */
#define TP_JAX_AT_LIMIT "event-limit"
#define TP_JAX_LANE_ENDS "lane-ends"

/*
 * Whether COUNT matches the number of events an exporter keeps: the earliest
 * up to a limit, plus those that start with the last of them.
 */
int tp_jax_at_limit(const struct tp_jax *jax, uint64_t count);
/* Message for WHY, one of the above. */
const char *tp_jax_cut_text(const struct tp_jax *jax, const char *why);

/* "compute" "communication" "host" "stall" "other", by enum tp_jax_part. */
extern const char *const tp_jax_part_names[];
const char *tp_jax_part_name(enum tp_jax_part part);
/* Part of SLICE, by its name and process. */
enum tp_jax_part tp_jax_part_of(struct tp_jax *jax,
    const struct tp_tracks *tracks, const struct tp_jax_event *slice);
/* Part of an operation: stall, communication, else compute. */
enum tp_jax_part tp_jax_op_part(struct tp_jax *jax,
    const struct tp_tracks *tracks, uint32_t name);
/*
 * Use of a device at an instant, by hlo_category when the trace has it, else
 * by name.  When two lanes differ, the first value here wins.
 */
enum tp_jax_use {
	TP_JAX_WORK, TP_JAX_COLLECTIVE, TP_JAX_TO_DEVICE, TP_JAX_TO_HOST,
	TP_JAX_ON_DEVICE,
	TP_JAX_ANY_DIRECTION,		/* a copy of unknown direction */
	TP_JAX_INFEED, TP_JAX_WAIT, TP_JAX_CONTAINER,
	TP_JAX_CALLBACK,	/* no class of share/ops/jax.json: a transfer
				 * from or to the host of one of callbacks */
	TP_JAX_CLASSES
};
enum tp_jax_use tp_jax_class_of(struct tp_jax *jax,
    const struct tp_tracks *tracks, const struct tp_jax_event *slice);
/*
 * What limits work: by its roofline when its cost and the platform are
 * known; else typically, by hlo_category or, without one, by name.
 */
enum tp_jax_limit {
	TP_JAX_BY_MATH, TP_JAX_BY_MEMORY, TP_JAX_MATH_KIND,
	TP_JAX_MEMORY_KIND,
	TP_JAX_LAYOUT,		/* it only changes the layout of data */
	TP_JAX_BY_UNKNOWN,
	TP_JAX_TOO_SHORT,	/* a single call, of any kind */
	TP_JAX_LIMITS
};
/*
 * Below this, work or a gap is mostly launch overhead; equals
 * kernel_floor_ns of share/platforms.
 */
#define TP_JAX_SHORT_PS INT64_C(3000000)
/* Memories of a chip and directions, as xprof distinguishes them. */
enum tp_jax_space {
	TP_JAX_HBM, TP_JAX_CMEM_READ, TP_JAX_CMEM_WRITE, TP_JAX_VMEM_READ,
	TP_JAX_VMEM_WRITE, TP_JAX_SPACES
};
/*
 * Their names in records, "HBM", "VMEM read", which also begin the entries
 * of a list of accesses.
 */
extern const char *const tp_jax_spaces[TP_JAX_SPACES];
/* Properties of the operation that SLICE is a call of. */
struct tp_jax_known {
	unsigned char class;	/* enum tp_jax_use */
	unsigned char limit;	/* enum tp_jax_limit, of work */
	unsigned char space;	/* enum tp_jax_space, when memory limits it */
	int64_t roof_ps;	/* shortest time of one call; 0: unknown */
	/* Cost as stated by the trace; -1: unknown. */
	int64_t flops, model_flops, bytes;
	int64_t space_bytes[TP_JAX_SPACES];	/* all known, or none */
};
/* What limits a call of work KNOWN that took PS. */
static inline enum tp_jax_limit
tp_jax_limit_of(const struct tp_jax_known *known, int64_t ps)
{
	return ps < TP_JAX_SHORT_PS && known->roof_ps < ps / 2 ?
	    TP_JAX_TOO_SHORT : (enum tp_jax_limit)known->limit;
}
/* Look up SLICE; valid until the next call. */
const struct tp_jax_known *tp_jax_known_of(struct tp_jax *jax,
    const struct tp_tracks *tracks, const struct tp_jax_event *slice);
/* The part that a class of operations belongs to. */
enum tp_jax_part tp_jax_class_part(enum tp_jax_use class);
/* Bytes of the first shape in LONG_NAME; 0: unknown. */
int64_t tp_jax_shape_bytes(const char *long_name);

/* Kind of the collective NAME ("all-reduce"), or NULL. */
const char *tp_jax_collective(const struct tp_jax *jax, const char *name);

/* How the relative work of an operation can be estimated from its shapes. */
enum tp_jax_flops { TP_JAX_FLOPS_SHAPE, TP_JAX_FLOPS_ATTENTION,
	TP_JAX_FLOPS_LOSS };

/*
 * As tp_jax_collective(), for index NAME in names; when the name does not
 * tell, for CATEGORY, an index in texts.
 */
const char *tp_jax_collective_of(const struct tp_jax *jax,
    const struct tp_tracks *tracks, uint32_t name, uint32_t category);

/*
 * Family of TEXT ("attention_splash"); *FLOPS (unless NULL) gets its
 * estimate.
 */
const char *tp_jax_family(const struct tp_jax *jax, const char *text,
    enum tp_jax_flops *flops);
/* The same; of no family, what a kernel of that name does, if that is known. */
const char *tp_jax_family_or_kernel(const struct tp_jax *jax,
    const char *text);

/*
 * Append NAME to BUF without surrounding blanks, a leading '%' and one
 * trailing ".digits".
 */
void tp_jax_canonical(struct tp_buf *buf, const char *name);
/* Whether an operation of this canonical name only marks other work. */
int tp_jax_marker(const struct tp_jax *jax, const char *canonical);
/*
 * Whether an operation of this name or tf_op path recomputes what the
 * forward pass did not keep.
 */
int tp_jax_recomputed(const struct tp_jax *jax, const char *text);
/* Name of a copy, or NULL when the operation is none. */
const char *tp_jax_copy(const struct tp_jax *jax, const char *canonical);

/*
 * Regions: paths of named scopes.  A region is an index; 0 is no region.
 */
struct tp_jax_region {
	uint32_t parent;	/* 0: a root */
	uint32_t part;		/* in xla's own names: tp_jax_region_name() */
	uint32_t depth;		/* 1: a root */
};

/*
 * Region of an operation with tf_op path TF_OP (index in texts) and NAME;
 * *BARE: the region is only its canonical name.
 */
uint32_t tp_jax_region_of(struct tp_jax *jax, const struct tp_tracks *tracks,
    uint32_t tf_op, uint32_t name, int *bare);
/* As tp_jax_region_of(), for SLICE. */
uint32_t tp_jax_slice_region(struct tp_jax *jax, const struct tp_tracks *tracks,
    const struct tp_jax_event *slice, int *bare);
const struct tp_jax_region *tp_jax_region_at(const struct tp_jax *jax,
    uint32_t region);
/* The last part of REGION. */
const char *tp_jax_region_name(const struct tp_jax *jax, uint32_t region);
/* Append the whole path, parts joined by "=>", to BUF. */
void tp_jax_region_path(const struct tp_jax *jax, uint32_t region,
    struct tp_buf *buf);
/* Compare the paths of A and B, for sorting. */
int tp_jax_region_order(struct tp_jax *jax, uint32_t a, uint32_t b);
/* REGION truncated to its first DEPTH parts. */
uint32_t tp_jax_region_cut(const struct tp_jax *jax, uint32_t region,
    uint32_t depth);

struct tp_jax {
	struct cJSON *doc;
	struct tp_classes processes, threads, parts, classes, limits, pairs,
	    host, views, launches, calls, callbacks, collectives, families,
	    kernels, copies, markers, recomputed, wrappers, noise;
	const char *host_memory, *no_direction;
	int64_t host_wake_ps;	/* as host_wake_ns of share/ops/jax.json */
	int64_t no_registers;	/* as there: a thread has fewer */
	double one_gap_of_wall_ratio, one_gap_least_steps,
	    one_gap_least_waits, function_least_ratio, function_most_ratio;
	double linked_least_ratio, view_outside_ratio;	/* as there */
	const char *call_of, *program_of;	/* as there */
	const struct tp_platform *platform;	/* of the devices; or NULL */
	double space_bytes_per_s[TP_JAX_SPACES];	/* 0: unknown; that of
							 * HBM is PLATFORM's */
	struct tp_ids classed_ids;	/* (name, detail) */
	struct tp_jax_known *classed;	/* of each */
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

/* Counts of distinct pairs.  A zeroed struct is empty. */
struct tp_jax_tally {
	struct tp_ids ids;
	uint32_t *counts;	/* of each of ids */
	size_t cap;
};

/* Add COUNT to the pair (A, B). */
void tp_jax_tally_add(struct tp_jax_tally *tally, uint64_t a, uint64_t b,
    uint32_t count);
void tp_jax_tally_release(struct tp_jax_tally *tally);

/* Remove blanks (as Python defines them) from both ends of *FROM..*END. */
void tp_jax_trim(const char **from, const char **end);

#endif
