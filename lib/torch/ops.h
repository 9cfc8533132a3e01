/*
 * ops - what the names in a PyTorch trace mean
 *
 * The rules are share/ops/torch.json: categories of events, names of calls
 * that launch, of copies and collectives on the GPU, and the category of an
 * operator by its name or by that of its first kernel.  Memory: the file.
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

/* What an event is, by its "cat". */
enum tp_torch_cat {
	TP_TORCH_OTHER,		/* known to be Kineto's, not kept */
	TP_TORCH_OP,		/* operator on the host */
	TP_TORCH_RUNTIME,	/* call of the runtime or the driver */
	TP_TORCH_ENQUEUE,	/* leave calls to another thread, */
	TP_TORCH_DEQUEUE,	/* which makes them (join.c) */
	TP_TORCH_KERNEL,
	TP_TORCH_MEMCPY,
	TP_TORCH_MEMSET,
	TP_TORCH_ANNOTATION,	/* range on the host */
	TP_TORCH_GPU_ANNOTATION,
	TP_TORCH_PYTHON,	/* Python function */
	TP_TORCH_SYNC,		/* a wait, as the driver recorded it */
	TP_TORCH_ARROW,		/* from a call to what it launched */
	TP_TORCH_CATS,
	TP_TORCH_BARE = TP_TORCH_CATS	/* there is none, and it is not known
					 * yet what it is (bare.c) */
};

/* Who waited for what. */
enum tp_torch_sync_kind {
	TP_TORCH_STREAM_EVENT,	/* a stream for an event of another one */
	TP_TORCH_HOST_EVENT,	/* the host for an event, */
	TP_TORCH_HOST_STREAM,	/* for all of a stream, */
	TP_TORCH_HOST_DEVICE	/* for all of a device */
};

/* What GPU work is for. */
enum tp_torch_bucket {
	TP_TORCH_COMPUTATION,
	TP_TORCH_COMMUNICATION,
	TP_TORCH_COPY,
	TP_TORCH_BUCKETS
};

/* Their names; NULL is last. */
extern const char *const tp_torch_bucket_names[TP_TORCH_BUCKETS + 1];

/* The memory of the host that a copy says it is from or to. */
enum {
	TP_TORCH_UNTOLD, TP_TORCH_PAGEABLE, TP_TORCH_PINNED,
	TP_TORCH_MEMORIES
};

/* What a name is, asked once per distinct name. */
struct tp_torch_name {
	uint8_t bucket;		/* of GPU work that is no copy by its cat */
	uint8_t launches;	/* a call of this name launches work */
	uint8_t launches_graph;	/* ... all that bears its number */
	uint8_t is_graph;	/* it has to do with graphs */
	uint8_t passes;		/* an operator that is passed over when the
				 * launcher of a kernel is looked for */
	uint8_t runtime_class;	/* of a call, in ops->runtime */
	uint8_t memory;		/* of a copy */
	uint8_t waits;		/* a call that may wait for the GPU */
	uint8_t is_step;	/* a range of this name is a step */
	uint8_t about;		/* ... is about this of ops->annotations, from
				 * 1; 0: it does not say */
	uint8_t is_known;	/* the category is said by the name, not by
				 * the first kernel */
	uint16_t category;
	uint16_t kernel_category;	/* of an operator whose first kernel
					 * has this name */
};

/* More classes of runtime calls than there are. */
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
	    launch, graph_launch, graph, work, pass,
	    memory, directions, runtime, collectives, by_name, by_kernel,
	    library,		/* Python functions that are no program's */
	    unmarked,		/* ranges that nobody marked */
	    syncs,		/* numbers: enum tp_torch_sync_kind */
	    capture_begin, capture_end,	/* calls around what a graph gets */
	    annotations, functions;	/* numbers: parts of the budget */
	const char *step;	/* what names of steps begin with */
	const char *backward;	/* the same of a backward pass, */
	const char *module;	/* of a call of an nn.Module, */
	const char *built_in;	/* of a function that is not Python's own, */
	const char *collector;	/* what the one is called that frees memory, */
	const char *optimizer;	/* of a step of an optimizer */
	const char *allocation;	/* what an allocator did is called */
	const char *dequeue;	/* before the name of a call that is taken out
				 * of a queue */
	const char *collective_end;	/* ends the name of a bare collective,
					 * before that of its group, */
	const char *group_end;	/* and that one, before its number */
	double most_ratio;	/* what is the most of a module */
};

/* Read the rules, and FILES of the user about operators (operators.h); 0, or -1
 * with ERR. */
int tp_torch_ops_load(struct tp_torch_ops *ops, const char *const *files,
    struct tp_err *err);
void tp_torch_ops_release(struct tp_torch_ops *ops);

/* The category of events called CAT, or NULL when Kineto has none of that name;
 * its number is an enum tp_torch_cat. */
const struct tp_class *tp_torch_cat_of(const struct tp_torch_ops *ops,
    const char *cat, size_t len);
/* The kind of device that has events of class C, where it is no GPU, or NULL.
 * Asked once per distinct class. */
const char *tp_torch_device_of(const struct tp_class *c);
/* What NAME means. */
struct tp_torch_name tp_torch_name_of(const struct tp_torch_ops *ops,
    const struct tp_name *name);

/* Which way a copy called NAME goes: "D2H", "H2D", "D2D", "other". */
const char *tp_torch_direction(const struct tp_torch_ops *ops,
    const char *name);
/* Limit KEY of GROUP ("gaps", "queue") into *X; 0 or -1 with ERR.  _ps: one
 * that is written in ns, as ps. */
int tp_torch_limit(const struct tp_torch_ops *ops, const char *group,
    const char *key, double *x, struct tp_err *err);
int tp_torch_limit_ps(const struct tp_torch_ops *ops, const char *group,
    const char *key, int64_t *ps, struct tp_err *err);
/* What kind of collective NAME is, or NULL. */
const struct tp_class *tp_torch_collective_of(
    const struct tp_torch_ops *ops, const char *name);
/* What a bus has to carry of what a collective of this kind moves; 0: unknown.
 */
double tp_torch_bus_factor(const struct tp_class *collective);
/* Bytes of an element of DTYPE, 0: unknown. */
int tp_torch_dtype_bytes(const struct tp_torch_ops *ops, const char *dtype);

static inline const char *
tp_torch_category_name(const struct tp_torch_ops *ops, unsigned category)
{
	return ops->categories.names[category].text;
}

#endif
