/*
 * ops - meaning of the names in a PyTorch trace
 *
 * The rules are in share/ops/torch.json: categories of events, names of
 * calls that launch, of copies and of collectives, and the category of an
 * operator by its name or that of its first kernel.  Memory: the file.
 */
#ifndef TP_TORCH_OPS_H
#define TP_TORCH_OPS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>

#include "classes.h"
#include "operators.h"

struct cJSON;

/* Type of an event, by its "cat". */
enum tp_torch_cat {
	TP_TORCH_OTHER,		/* from Kineto, but not kept */
	TP_TORCH_OP,		/* operator on the host */
	TP_TORCH_RUNTIME,	/* call of the runtime or driver */
	TP_TORCH_ENQUEUE,	/* passes a call to another thread, */
	TP_TORCH_DEQUEUE,	/* ... which makes it (join.c) */
	TP_TORCH_KERNEL,
	TP_TORCH_MEMCPY,
	TP_TORCH_MEMSET,
	TP_TORCH_ANNOTATION,	/* range on the host */
	TP_TORCH_GPU_ANNOTATION,
	TP_TORCH_PYTHON,	/* Python function */
	TP_TORCH_OVERHEAD,	/* what the profiler or driver held up */
	TP_TORCH_SYNC,		/* a wait recorded by the driver */
	TP_TORCH_ARROW,		/* from a call to its work */
	TP_TORCH_CATS,
	TP_TORCH_BARE = TP_TORCH_CATS,	/* without "cat", type not determined
					 * yet (bare.c), */
	TP_TORCH_STRANGE	/* ... or one that PyTorch does not have, before
				 * any that it has */
};

/* What waited for what. */
enum tp_torch_sync_kind {
	TP_TORCH_STREAM_EVENT,	/* a stream for an event of another one */
	TP_TORCH_HOST_EVENT,	/* the host for an event */
	TP_TORCH_HOST_STREAM,	/* the host for a stream */
	TP_TORCH_HOST_DEVICE	/* the host for a device */
};

/* Purpose of GPU work. */
enum tp_torch_bucket {
	TP_TORCH_COMPUTATION,
	TP_TORCH_COMMUNICATION,
	TP_TORCH_COPY,
	TP_TORCH_BUCKETS
};

/* Their names, followed by NULL. */
extern const char *const tp_torch_bucket_names[TP_TORCH_BUCKETS + 1];

/* Host memory that a copy reads or writes, by its name. */
enum {
	TP_TORCH_UNSTATED, TP_TORCH_PAGEABLE, TP_TORCH_PINNED,
	TP_TORCH_UNIFIED,		/* the driver migrates it: no launch */
	TP_TORCH_MEMORIES
};

/* A node of the backward pass, by its name. */
enum tp_torch_node {
	TP_TORCH_NO_NODE,
	TP_TORCH_CHECKPOINT,	/* runs its forward pass again */
	TP_TORCH_OWN,		/* of an operator of PyTorch */
	TP_TORCH_NODE		/* any other */
};

/* Properties of a name, computed once per distinct name. */
struct tp_torch_name {
	uint8_t bucket;		/* of GPU work that is not a copy by its cat */
	uint8_t launches;	/* a call of this name launches work */
	uint8_t launches_graph;	/* ... all work with its number */
	uint8_t is_graph;	/* relates to graphs */
	uint8_t is_backward;	/* work of a backward pass */
	uint8_t passes;		/* an operator that is skipped in the search for
				 * a kernel's launcher */
	uint8_t runtime_class;	/* of a call, index in ops->runtime */
	uint8_t memory;		/* of a copy */
	uint8_t waits;		/* a call that may wait for the GPU */
	uint8_t only_waits;	/* ... that does nothing else */
	uint8_t is_step;	/* a range that is a step */
	uint8_t about;		/* of a range: 1 + index in ops->annotations; 0:
				 * none */
	uint8_t node;		/* enum tp_torch_node */
	uint8_t is_unlisted;	/* the profiler's own: no operator of tables */
	uint8_t is_known;	/* the category follows from the name, not from
				 * the first kernel */
	uint16_t category;
	uint16_t kernel_category;	/* of an operator whose first kernel has
					 * this name */
};

/* Limit on the classes of runtime calls. */
#define TP_TORCH_CLASSES 16

struct tp_torch_ops {
	struct cJSON *doc;
	struct tp_names categories;	/* 0 is "other" */
	struct tp_torch_index index;	/* names of operators */
	uint16_t *category_at;		/* by that index */
	size_t category_cap;
	struct tp_torch_operators operators;
	struct tp_classes events,
	    bare,		/* numbers: enum tp_torch_cat (bare.c) */
	    recorders,		/* other profilers without categories */
	    launch, graph_launch, graph, backward_work, work, pass,
	    memory, directions, runtime, blocking, collectives, by_name,
	    by_kernel,
	    runtimes,		/* by what the names of calls begin with */
	    library,		/* Python functions not of the program */
	    unmarked,		/* ranges that no program marked */
	    profiler,		/* overhead that only recording causes */
	    syncs,		/* numbers: enum tp_torch_sync_kind */
	    nodes,		/* numbers: enum tp_torch_node */
	    recompute,		/* Python functions that run a part of the
				 * forward pass again */
	    capture_begin, capture_end,	/* calls around the capture of a
					 * graph */
	    unlisted,		/* operators of the profiler itself */
	    host_parts,		/* what operators do on a CPU */
	    annotations, functions;	/* numbers: parts of the budget */
	const char *step;	/* prefix of the names of steps, */
	const char *backward;	/* ... of backward passes, */
	const char *module;	/* ... of calls of nn.Modules, */
	const char *built_in;	/* ... of functions not written in Python */
	const char *collector;	/* name of the garbage collector, */
	const char *recording;	/* prefix of the profiler's own event */
	const char *optimizer;	/* prefix of an optimizer's steps */
	const char *allocation;	/* name of an allocator's events */
	const char *read_back;	/* operator that hands a value to Python */
	const char *dequeue;	/* prefix of a call taken out of a queue */
	const char *collective_end;	/* between the name and the group of a
					 * bare collective, */
	const char *group_end;	/* ... and between its group and its number */
	double most_ratio;	/* share that counts as most of a module */
	double whole_ratio;	/* whole_step_ratio of the file */
	double slower_ratio;	/* slower_kernel_ratio of the file, */
	double slower_time;	/* ... and slower_time_ratio */
	double long_factor;	/* long_collective_factor of the file */
	double built_in_ns;	/* shorter functions that are built in are left
				 * out */
	double iterations;	/* fewer steps of an optimizer make no steps */
	double repeats, repeats_launch, warm_up;	/* a range that repeats:
				 * how often, share of launches, first to
				 * others */
	double copy_end;	/* share of its time by which a copy may end
				 * after the call that waited for it */
	double free_ratio;	/* of recompute_limits */
	double thinned_ratio, thinned_count;	/* thinned_op_ratio and _count
						 * of the file */
};

/*
 * Read the rules and the user's FILES about operators (operators.h).  Returns
 * 0, or -1 with ERR.
 */
int tp_torch_ops_load(struct tp_torch_ops *ops, const char *const *files,
    struct tp_err *err);

/*
 * The category of events with cat CAT, whose number is an enum tp_torch_cat;
 * NULL if Kineto has no such category.
 */
const struct tp_class *tp_torch_cat_of(const struct tp_torch_ops *ops,
    const char *cat, size_t len);
/*
 * The type of device with events of class C if that is not a GPU; else NULL.
 * Called once per distinct class.
 */
const char *tp_torch_device_of(const struct tp_class *c);
/* The properties of NAME. */
struct tp_torch_name tp_torch_name_of(const struct tp_torch_ops *ops,
    const struct tp_name *name);

/* The direction of a copy called NAME: "D2H", "H2D", "D2D", "other". */
const char *tp_torch_direction(const struct tp_torch_ops *ops,
    const char *name);
/*
 * Read limit KEY of GROUP ("queue", "host") into *X; _ps converts one
 * in ns to ps.  Returns 0, or -1 with ERR.
 */
int tp_torch_limit(const struct tp_torch_ops *ops, const char *group,
    const char *key, double *x, struct tp_err *err);
int tp_torch_limit_ps(const struct tp_torch_ops *ops, const char *group,
    const char *key, int64_t *ps, struct tp_err *err);
/* The kind of collective NAME, or NULL. */
const struct tp_class *tp_torch_collective_of(
    const struct tp_torch_ops *ops, const char *name);
/*
 * The bus traffic of this kind of collective relative to the data moved; 0:
 * unknown.
 */
double tp_torch_bus_factor(const struct tp_class *collective);
/* The bytes per element of DTYPE; 0: unknown. */
int tp_torch_dtype_bytes(const struct tp_torch_ops *ops, const char *dtype);

static inline const char *
tp_torch_category_name(const struct tp_torch_ops *ops, unsigned category)
{
	return ops->categories.names[category].text;
}

#endif
