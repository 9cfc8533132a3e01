/*
 * torch - a PyTorch (Kineto) trace: what the host called, what the GPU ran
 *
 * One file is one process of one rank.  Add its events in the order of the
 * file, end it, analyse it.  Then every host event has its place in the tree
 * of calls of its thread, and every GPU event that some call launched has
 * that call for a parent.
 *
 * What names mean (which category of events is what, launches, collectives,
 * categories of operations) is share/ops/torch.json (ops.h).
 *
 * Memory: 64 bytes per event that is kept (operators, runtime calls, GPU
 * work, annotations; arrows are 28 until GPU work is linked), 24 more in the
 * analyses, 8 per number of more than 30 bits, and distinct
 * names, shapes and arguments; 24 bytes per Python function that is not built
 * in, until frame.h has found those that have GPU work; 48 bytes for what an
 * allocator did, and for each wait, where those were recorded.
 */
#ifndef TP_TORCH_TORCH_H
#define TP_TORCH_TORCH_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>

#include "device.h"
#include "ops.h"
#include "read/events.h"

/* The arguments of events that are read, for struct tp_events_want; other
 * phases than "X" and "M": arrows and instants. */
#define TP_TORCH_PHASES "XMsfiI"
extern const char *const tp_torch_args[];

/* No number: the argument was absent. */
#define TP_TORCH_NONE INT64_MIN
/* The devices of host events that the host did not do where they stand: that a
 * capture had (graft.h), or that stand for kernels (pseudo.h). */
#define TP_TORCH_CAPTURED (-2)
#define TP_TORCH_PSEUDO (-3)
/* No such event, lane or place. */
#define TP_TORCH_NO UINT32_MAX
/* Events, or functions, of a trace are no more. */
#define TP_TORCH_MOST (UINT32_MAX / 2)
/* A number of an event is in torch->wide. */
#define TP_TORCH_WIDE ((uint32_t)1 << 31)

struct tp_torch_event {
	int64_t from_ps, to_ps;
	/* as tp_torch_number() reads them, or TP_TORCH_NO */
	uint32_t correlation, external;
	uint32_t number;	/* of an operator its sequence number, of a
				 * copy its bytes, of a kernel or its launch
				 * the node of its graph */
	uint32_t name;		/* in names */
	uint32_t lane;
	uint32_t uid;		/* place in traceEvents */
	uint32_t args;		/* of an operator: in args, 0 none; of GPU
				 * work: in collectives, 0 none; of a call the
				 * name + 1 of the kernel it says it launches,
				 * 0 */
	uint32_t parent;	/* of a host event the one it lies in, of GPU
				 * work the call that launched it last */
	uint32_t order;		/* place in the tree: what lies in an event
				 * comes behind it, up to its last; of GPU
				 * work TP_TORCH_NO */
	uint32_t last;		/* place behind all that lies in it; of a bare
				 * event its task, in texts */
	int32_t stream;		/* of GPU work; -1 unknown */
	int16_t device;		/* the same */
	uint8_t cat;		/* enum tp_torch_cat */
	uint8_t bucket;		/* of GPU work: enum tp_torch_bucket */
};

/* What an operator was called with: indexes in texts, 0 where it was not
 * recorded.  The texts are JSON as it was written. */
struct tp_torch_args {
	uint32_t dims, types, strides, concrete;
};

/* What a collective says of itself; texts and numbers as above. */
struct tp_torch_collective {
	uint32_t name, dtype, group, ranks, in_split, out_split;
	int64_t in_count, out_count, size;	/* or TP_TORCH_NONE */
};

struct tp_torch_lane {
	int64_t pid, tid;
	int is_n;		/* both are integers */
	uint32_t process, label, thread;	/* in texts, 0: no name */
};

/* A launch: CALL (a runtime event) made the GPU do WORK. */
struct tp_torch_link {
	uint32_t call, work;
};

struct tp_torch_arrow {
	uint32_t start;		/* whether it starts anywhere */
	uint32_t end;		/* lane it ends on, or TP_TORCH_NO */
};

/* A call of a Python function. */
struct tp_torch_function {
	int64_t from_ps, to_ps;
	uint32_t name;		/* in function_names */
	uint32_t lane;
};

/* What an allocator did: BYTES more or, below 0, fewer. */
struct tp_torch_memory {
	int64_t at_ps, bytes;
	int64_t address;		/* or TP_TORCH_NONE */
	int64_t allocated, reserved;	/* by then, in all; -1: not said */
	uint32_t lane;
	int16_t type, device;		/* as PyTorch numbers them; -1: the
					 * host has no number */
};

/* A wait, as the driver recorded it. */
struct tp_torch_sync {
	int64_t from_ps, to_ps;		/* of the call */
	int64_t correlation;		/* of the call, */
	int64_t record;			/* of that which recorded the event
					 * waited for; or TP_TORCH_NONE */
	uint32_t name;			/* in names */
	uint32_t lane, uid;		/* as of an event */
	uint32_t call;			/* of the host: the event that is the
					 * call, TP_TORCH_NO before that is
					 * known; sorted by it */
	int32_t stream, awaited;	/* the stream that waits, and that
					 * waited for; -1: none, or unknown */
	int16_t device;
	uint8_t kind;			/* enum tp_torch_sync_kind */
};

struct tp_torch {
	const struct tp_torch_ops *ops;		/* borrowed */
	struct tp_torch_event *events;		/* in the order of the file */
	size_t count, cap;
	int64_t *wide;				/* numbers of events that do
						 * not fit into 31 bits */
	size_t wide_count, wide_cap;
	struct tp_names names, texts;		/* text 0 is "" */
	struct tp_torch_name *traits;		/* per name (ops.h) */
	size_t trait_cap;
	struct tp_ids arg_ids;		/* pairs of texts: see _call() */
	struct tp_torch_collective *collectives;	/* 0 is unused */
	size_t collective_count, collective_cap;
	struct tp_torch_lane *lanes;
	size_t lane_count, lane_cap;
	struct tp_torch_function *functions;	/* in the order of the file */
	size_t function_count, function_cap;
	struct tp_names function_names;
	struct tp_torch_memory *memory;	/* in the order of the file */
	size_t memory_count, memory_cap;
	struct tp_torch_sync *syncs;
	size_t sync_count, sync_cap;
	struct tp_ids arrow_ids;	/* until GPU work is linked */
	struct tp_torch_arrow *arrows;
	size_t arrow_count, arrow_cap;
	uint64_t cat_count[TP_TORCH_CATS];	/* events of each category */
	struct tp_buf text;		/* of one event */
	size_t bare_count;	/* events without one, of which it is not known
				 * yet what they are */
	struct tp_names unread;		/* categories of events with a duration
					 * that Kineto does not have, */
	uint64_t *unread_count;		/* and how many of each */
	size_t unread_cap;
	uint64_t event_count;		/* elements of traceEvents */
	int64_t rank, world_size;	/* as the trace says, or -1 */
	const char *recorder;		/* a profiler that is not PyTorch's,
					 * and what it recorded ("cuda"), of
					 * share/events; or NULL */
	const char *framework;
	int64_t epoch_ns;		/* what times count from; 0: not said */
	struct tp_torch_devices devices;	/* that the trace lists */
	const char *device_kind;	/* borrowed; NULL: a GPU, or not said */
	uint64_t cats_seen;		/* a bit for each of ops->events */
	uint32_t *labels;		/* per process, in texts */
	size_t label_cap;
	int64_t sum_ps;			/* durations of events, added */
	int is_cut;			/* the trace ends early */
	int64_t base_us;
	int32_t base_ps;
	uint32_t *made;			/* per event: of work whose call came
					 * through a queue that call + 1, made
					 * by another thread; 0, or NULL: none
					 * (join.c) */
	uint32_t *origin;		/* per event: of work of a graph the
					 * call + 1 that was captured; 0, or
					 * NULL: none (graft.h) */
	size_t origin_count;
	/* after tp_torch_analyse() */
	int by_external;		/* linked by External id */
	uint32_t *tree;			/* host events by order */
	size_t tree_count;
	uint32_t *unnested;		/* that fit into no tree */
	size_t unnested_count;
	struct tp_torch_link *links;	/* by the order of the call; those of
					 * calls in no tree are last */
	size_t link_count, link_cap, tree_link_count;
	uint32_t *links_before;		/* per place of the tree, and behind
					 * the last: links of calls in front */
	uint32_t *gpu;			/* GPU work by (start, file order) */
	size_t gpu_count, linked_count;
	int gpu_only;			/* there is no operator */
};

/* A zeroed struct becomes an empty trace; 0 or -1 with ERR. */
int tp_torch_init(struct tp_torch *torch, const struct tp_torch_ops *ops,
    struct tp_err *err);
void tp_torch_release(struct tp_torch *torch);

/* Whether EVENT, with tp_torch_args from ARGS on, is one of PyTorch: by its
 * category, or without one as Ascend writes them. */
int tp_torch_is_of(const struct tp_torch_ops *ops,
    const struct tp_event *event, const struct tp_arg *args);
/* Add EVENT, which EVENTS just gave, with tp_torch_args from ARGS on.  0 or
 * -1 with ERR. */
int tp_torch_add(struct tp_torch *torch, const struct tp_events *events,
    const struct tp_event *event, const struct tp_arg *args,
    struct tp_err *err);
/* EVENTS has been read to its end: take names of lanes, the rank, GPUs. */
int tp_torch_end(struct tp_torch *torch, const struct tp_events *events,
    struct tp_err *err);
/* Make *TO, a number of an event, N or TP_TORCH_NONE.  0, or -1 without
 * memory. */
int tp_torch_put_number(struct tp_torch *torch, uint32_t *to, int64_t n);
/* NAME as an index in names, its traits known; -1 without memory. */
ptrdiff_t tp_torch_add_name(struct tp_torch *torch, const char *name,
    size_t len);
/* Make TO the JSON list of what TEXT says of arguments: their DIMS, or types
 * (inputs.c). */
void tp_torch_inputs(struct tp_buf *to, const char *text, size_t len,
    int dims);
/* One more event of category NAME is not read.  0, or -1 without memory. */
int tp_torch_add_unread(struct tp_torch *torch, const char *name, size_t len);
/* All lanes of EVENTS have their names: find what the bare events are (bare.c).
 * 0, or -1 without memory. */
int tp_torch_settle_bare(struct tp_torch *torch,
    const struct tp_events *events);
/* Nest host events, link GPU work.  0 or -1 with ERR. */
int tp_torch_analyse(struct tp_torch *torch, struct tp_err *err);

/* The parts of it, in this order. */
int tp_torch_join_syncs(struct tp_torch *torch, struct tp_err *err);
int tp_torch_nest(struct tp_torch *torch, struct tp_err *err);
int tp_torch_join(struct tp_torch *torch, struct tp_err *err);
/* Whether E begins before PS on LANE. */
static inline int
tp_torch_is_before(const struct tp_torch_event *e, uint32_t lane, int64_t ps)
{
	return e->lane < lane || (e->lane == lane && e->from_ps < ps);
}

/* The first place in the tree, of at least FROM and likely near it, that is
 * in a lane after LANE or in it at PS or later. */
uint32_t tp_torch_tree_place(const struct tp_torch *torch, size_t from,
    uint32_t lane, int64_t ps);
/* The outermost operator around host event E, or TP_TORCH_NO. */
uint32_t tp_torch_op_around(const struct tp_torch *torch,
    const struct tp_torch_event *e);
/* Put EVENT around places [START, STOP) of the tree, which lie beside each
 * other in one event; several of these by START, none in another.  Links keep
 * their order.  0 or -1 with ERR. */
struct tp_torch_around {
	uint32_t start, stop, event;
};
int tp_torch_surround(struct tp_torch *torch,
    const struct tp_torch_around *list, size_t count, struct tp_err *err);
/* The tree, or the order of links, is another one: count links_before.  0, or
 * -1 without memory. */
int tp_torch_count_links(struct tp_torch *torch);
/* Sort COUNT indices of events by start, then file.  0, or -1 without
 * memory. */
int tp_torch_sort(const struct tp_torch *torch, uint32_t *events,
    size_t count);

/* A number of an event, or TP_TORCH_NONE: half of 31 bits is below 0. */
static inline int64_t
tp_torch_number(const struct tp_torch *torch, uint32_t of)
{
	return of == TP_TORCH_NO ? TP_TORCH_NONE :
	    of & TP_TORCH_WIDE ? torch->wide[of ^ TP_TORCH_WIDE] :
	    (int64_t)of - TP_TORCH_WIDE / 2;
}

static inline const struct tp_name *
tp_torch_event_name(const struct tp_torch *torch,
    const struct tp_torch_event *e)
{
	return &torch->names.names[e->name];
}

static inline const struct tp_torch_name *
tp_torch_trait(const struct tp_torch *torch, const struct tp_torch_event *e)
{
	return &torch->traits[e->name];
}

/* What operator E was called with. */
static inline struct tp_torch_args
tp_torch_args_of(const struct tp_torch *torch, const struct tp_torch_event *e)
{
	struct tp_id id = { 0, 0 };

	if (e->args)
		id = torch->arg_ids.ids[e->args];
	return (struct tp_torch_args){ (uint32_t)(id.a >> 32), (uint32_t)id.a,
	    (uint32_t)(id.b >> 32), (uint32_t)id.b };
}

static inline int
tp_torch_is_gpu(const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_KERNEL || e->cat == TP_TORCH_MEMCPY ||
	    e->cat == TP_TORCH_MEMSET;
}

/* What GPU work E is for. */
static inline uint8_t
tp_torch_bucket_of(const struct tp_torch *torch, const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_MEMCPY ? TP_TORCH_COPY :
	    e->cat == TP_TORCH_MEMSET ? TP_TORCH_COMPUTATION :
	    tp_torch_trait(torch, e)->bucket;
}

/* Whether host event E was captured, and not done where it is. */
static inline int
tp_torch_is_captured(const struct tp_torch_event *e)
{
	return e->device == TP_TORCH_CAPTURED;
}

/* Whether the trace itself has host event E nowhere. */
static inline int
tp_torch_is_added(const struct tp_torch_event *e)
{
	return e->device <= TP_TORCH_CAPTURED;
}

/* The call that stands for the launch of GPU work AT, which is linked: of a
 * graph that of its capture, where that is known. */
static inline uint32_t
tp_torch_origin(const struct tp_torch *torch, uint32_t at)
{
	return torch->origin && at < torch->origin_count &&
	    torch->origin[at] ? torch->origin[at] - 1 :
	    torch->events[at].parent;
}

/* The call that CALL lies in, or TP_TORCH_NO. */
static inline uint32_t
tp_torch_outer_call(const struct tp_torch *torch, uint32_t call)
{
	uint32_t at = torch->events[call].parent;

	return at != TP_TORCH_NO && torch->events[at].cat ==
	    TP_TORCH_RUNTIME ? at : TP_TORCH_NO;
}

/* Whether event AT is a call that launches, was made where it is, and in no
 * other such call. */
static inline int
tp_torch_is_launch(const struct tp_torch *torch, uint32_t at)
{
	const struct tp_torch_event *e = &torch->events[at];
	uint32_t outer;

	if (e->cat != TP_TORCH_RUNTIME || tp_torch_is_captured(e) ||
	    !tp_torch_trait(torch, e)->launches)
		return 0;
	outer = tp_torch_outer_call(torch, at);
	return outer == TP_TORCH_NO || !tp_torch_trait(torch,
	    &torch->events[outer])->launches;
}

/* The operator around CALL, or TP_TORCH_NO: a call of the driver lies in one of
 * the runtime. */
static inline uint32_t
tp_torch_caller(const struct tp_torch *torch, uint32_t call)
{
	do
		call = torch->events[call].parent;
	while (call != TP_TORCH_NO && torch->events[call].cat != TP_TORCH_OP);
	return call;
}

/* The call that brought GPU work AT, which is linked, to the device: that of
 * another thread where its parent only left it in a queue. */
static inline uint32_t
tp_torch_made(const struct tp_torch *torch, uint32_t at)
{
	return torch->made && torch->made[at] ? torch->made[at] - 1 :
	    torch->events[at].parent;
}

/* Durations of all GPU work, added up; the reader bounds their sum. */
static inline int64_t
tp_torch_gpu_sum_ps(const struct tp_torch *torch)
{
	int64_t ps = 0;

	for (size_t i = 0; i < torch->gpu_count; i++)
		ps += torch->events[torch->gpu[i]].to_ps -
		    torch->events[torch->gpu[i]].from_ps;
	return ps;
}

/* Whether some call launched GPU work E. */
static inline int
tp_torch_is_linked(const struct tp_torch_event *e)
{
	return e->parent != TP_TORCH_NO;
}

#endif
