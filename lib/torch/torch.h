/*
 * torch - a PyTorch (Kineto) trace: what the host called, what the GPU ran
 *
 * One file is one process of one rank, or several processes put together
 * (merged.c).  Add its events in file order, end it, analyse it.  Then every
 * host event has its place in the tree of calls of its thread, and every GPU
 * event launched by a known call has that call as its launch.
 *
 * share/ops/torch.json (ops.h) gives names their meaning: categories of
 * events, launches, collectives, categories of operations.
 *
 * Memory: 64 bytes per event that is kept (operators, runtime calls, GPU
 * work, annotations; an arrow takes 32 to 40 until GPU work is linked), 24
 * more during analysis, 8 per number outside 31 bits, and distinct names,
 * shapes and arguments; 24 bytes per Python function, of those that are
 * built in only long ones, until frame.h has found those with GPU work; 48
 * bytes per allocator event, 64 per wait, 16 per overhead of the profiler and
 * 56 per tally and 32 per state, if those were recorded.
 */
#ifndef TP_TORCH_TORCH_H
#define TP_TORCH_TORCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>

#include "device.h"
#include "ival.h"
#include "ops.h"
#include "read/events.h"

/*
 * Phases of the events needed (arrows and instants besides "X" and "M"), and
 * their arguments, for struct tp_events_want.
 */
#define TP_TORCH_PHASES "XMsfiI"
extern const char *const tp_torch_args[];

/* A number that is absent. */
#define TP_TORCH_NONE INT64_MIN
/*
 * Devices of host events that were not executed where they are: from a
 * capture (graft.h), or made for kernels (pseudo.h).
 */
#define TP_TORCH_CAPTURED (-2)
#define TP_TORCH_PSEUDO (-3)
/* No event, lane or place. */
#define TP_TORCH_NO UINT32_MAX
/* Limit on events and on functions of a trace. */
#define TP_TORCH_MOST (UINT32_MAX / 2)
/* Flag of a number of an event that is in torch->wide. */
#define TP_TORCH_WIDE ((uint32_t)1 << 31)

struct tp_torch_event {
	int64_t from_ps, to_ps;
	/* read with tp_torch_number(), or TP_TORCH_NO */
	uint32_t correlation, external;
	/*
	 * What a union holds depends on the category.  The first name is for
	 * code that only sets or copies it.
	 */
	union {				/* read with tp_torch_number() */
		uint32_t number;
		uint32_t sequence;	/* of an operator */
		uint32_t bytes;		/* of a copy or memory set */
		uint32_t node;		/* of a kernel or its launch: in its
					 * graph */
		uint32_t peer;		/* of a bare event: a rank */
	};
	uint32_t name;			/* in names */
	uint32_t lane;
	uint32_t uid;			/* place in traceEvents */
	union {				/* 0: none */
		uint32_t args;
		uint32_t inputs;	/* of an operator: in arg_ids */
		uint32_t collective;	/* of GPU work: in collectives */
		uint32_t kernel_name;	/* of a call: 1 + name of the kernel it
					 * says it launches */
	};
	union {
		uint32_t parent;	/* of a host event: that around it */
		uint32_t launch;	/* of GPU work: the call that launched
					 * it last */
	};
	uint32_t order;			/* place in the tree: the events inside
					 * follow, up to "last"; of GPU work
					 * TP_TORCH_NO */
	union {
		uint32_t last;		/* place after all events inside */
		uint32_t task;		/* of a bare event: in texts */
	};
	union {				/* -1: unknown */
		int32_t stream;		/* of GPU work */
		int32_t stack;		/* of an operator: the functions around
					 * it, innermost first, in texts */
	};
	int16_t device;			/* of GPU work; -1: unknown */
	uint8_t cat;			/* enum tp_torch_cat */
	union {
		uint8_t bucket;		/* of GPU work: enum tp_torch_bucket */
		uint8_t copy_kind;	/* of a call: 1 + hipMemcpyKind; 0: not
					 * recorded */
	};
};

/*
 * Arguments of an operator: indices in texts, 0 if not recorded.  The texts
 * are JSON as written.
 */
struct tp_torch_args {
	uint32_t dims, types, strides, concrete;
};

/* Properties of a collective; texts as above. */
struct tp_torch_collective {
	uint32_t name, dtype, group, ranks, in_split, out_split;
	int64_t in_count, out_count, size;	/* or TP_TORCH_NONE */
};

struct tp_torch_lane {
	int64_t pid, tid;		/* 0 if they are no numbers */
	uint32_t process_id;		/* number of the process, also if its
					 * pid is no number */
	uint32_t pid_text;		/* that pid, in texts; 0: a number */
	uint32_t process, label, thread;	/* in texts; 0: no name */
};

/* A launch: CALL (a runtime event) made the GPU do WORK. */
struct tp_torch_link {
	uint32_t call, work;
};

struct tp_torch_arrow {
	uint32_t start;		/* whether it has a start */
	uint32_t end;		/* lane of its end, or TP_TORCH_NO */
};

/* A call of a Python function. */
struct tp_torch_function {
	int64_t from_ps, to_ps;
	uint32_t name;		/* in function_names */
	uint32_t lane;
};

/* An allocator event: BYTES more or, if negative, fewer. */
struct tp_torch_memory {
	int64_t at_ps, bytes;
	int64_t address;		/* or TP_TORCH_NONE */
	int64_t allocated, reserved;	/* totals after it; -1: unknown */
	uint32_t lane;
	int16_t type, device;		/* PyTorch's numbers; device -1: the
					 * host */
};

/* A wait recorded by the driver. */
struct tp_torch_sync {
	int64_t from_ps, to_ps;		/* of the call */
	int64_t correlation;		/* of the call */
	int64_t record;			/* of the call that recorded the awaited
					 * event, or TP_TORCH_NONE */
	uint32_t name;			/* in names */
	uint32_t lane, uid;		/* as for events */
	uint32_t call;			/* of the host: event of the call,
					 * TP_TORCH_NO until it is known; the
					 * list is sorted by it */
	int32_t stream, awaited;	/* stream that waits, and stream waited
					 * for; -1: none, or unknown */
	int16_t device;
	uint8_t kind;			/* enum tp_torch_sync_kind */
};

/* A sum over rows that are no events, by thread and name. */
enum tp_torch_tally_kind {
	TP_TORCH_OS_CALL,	/* calls of the operating system */
	TP_TORCH_ON_CPU,	/* stretches on a CPU */
	TP_TORCH_SAMPLE,	/* samples, by innermost function */
	TP_TORCH_TALLIES
};

struct tp_torch_tally {
	int64_t sum_ns, max_ns;		/* -1: does not fit */
	int64_t from_ns, to_ns;
	uint64_t count;
	uint32_t lane, name;		/* name in texts; 0: none */
	enum tp_torch_tally_kind kind;
};

/*
 * A thread in a long call of the operating system, off the CPU for long
 * (TP_TORCH_ON_CPU), or in what a sample found.
 */
struct tp_torch_state {
	int64_t from_ps, to_ps;
	uint32_t lane, name;		/* name in texts; 0: none */
	enum tp_torch_tally_kind kind;
};

/* A part of a collective that moves bytes. */
struct tp_torch_move {
	int64_t from, to;	/* to INT64_MAX: end unknown */
	uint32_t lane;		/* of the collectives that it may belong to;
				 * TP_TORCH_NO: unknown */
};

/* A part of a collective that waits for rank PEER of its group. */
struct tp_torch_for_rank {
	int64_t from, to;
	uint32_t lane;		/* as of moves */
	int32_t peer;
};

struct tp_torch {
	const struct tp_torch_ops *ops;		/* borrowed */
	struct tp_torch_event *events;		/* in file order */
	size_t count, cap;
	int64_t *wide;				/* numbers of events outside 31
						 * bits */
	size_t wide_count, wide_cap;
	struct tp_names names, texts;		/* text 0 is "" */
	struct tp_torch_name *traits;		/* per name (ops.h) */
	size_t trait_cap;
	struct tp_ids arg_ids;		/* pairs of pairs of texts: see
					 * tp_torch_args_of() */
	struct tp_torch_collective *collectives;	/* 0 is unused */
	size_t collective_count, collective_cap;
	struct tp_torch_lane *lanes;
	size_t lane_count, lane_cap;
	struct tp_torch_function *functions;	/* in file order */
	size_t function_count, function_cap;
	struct tp_torch_function *built_ins;	/* long ones, in file order */
	size_t built_in_count, built_in_cap;
	struct tp_names function_names;
	struct tp_span *profiler;	/* when the profiler held the program
					 * up; disjoint, by start */
	size_t profiler_count, profiler_cap;
	struct tp_torch_memory *memory;	/* in file order */
	size_t memory_count, memory_cap;
	struct tp_torch_sync *syncs;
	size_t sync_count, sync_cap;
	struct tp_torch_tally *tallies;
	size_t tally_count, tally_cap;
	struct tp_torch_state *states;
	size_t state_count, state_cap;
	int is_tallied;			/* they were read, if only to be
					 * none */
	int64_t recorded_ns;		/* of the recording; 0: unknown */
	int is_gpu_traced;		/* the profiler was to record the GPU;
					 * 0: no, or unknown */
	struct tp_ids arrow_ids;	/* until GPU work is linked */
	struct tp_torch_arrow *arrows;
	size_t arrow_count, arrow_cap;
	uint64_t cat_count[TP_TORCH_CATS];	/* events by category */
	struct tp_buf text;		/* scratch space for one event */
	struct tp_torch_move *moves;	/* by start, if recorded (bare.c) */
	size_t move_count, move_cap;
	/* by lane, peer and start (bare.c) */
	struct tp_torch_for_rank *waits;
	size_t wait_count, wait_cap;
	size_t bare_count;	/* events whose type is not determined yet */
	int is_strange;		/* the trace is of no program that is known: its
				 * events are as operators */
	uint64_t op_time_count;	/* times of operators on the device, which are
				 * no kernels */
	struct tp_names unread;		/* categories of events with a duration
					 * that Kineto does not have, */
	uint64_t *unread_count;		/* ... and the number of events in
					 * each */
	size_t unread_cap;
	uint64_t event_count;		/* elements of traceEvents */
	int64_t profiled_from_ps;	/* of the profiler's own event around
					 * all it recorded, */
	int64_t profiled_ps;		/* ... how long; 0: there is none */
	int64_t rank, world_size;	/* from the trace, or -1 */
	const char *recorder;		/* profiler other than PyTorch's, and
					 * what it recorded ("cuda"), from
					 * share/events; or NULL */
	const char *framework;
	int64_t epoch_ns;		/* time that timestamps count from; 0:
					 * unknown */
	struct tp_torch_devices devices;	/* listed in the trace */
	const char *device_kind;	/* borrowed; NULL: a GPU, or unknown */
	uint64_t cats_seen;		/* a bit per class of ops->events */
	uint32_t *labels;		/* by process: index in texts */
	size_t label_cap;
	int64_t sum_ps;			/* sum of the durations of events */
	int is_cut;			/* the trace ends early */
	int64_t base_us;
	int32_t base_ps;
	uint32_t *submit_call;		/* by event: for work whose call went
					 * through a queue 1 + the call made by
					 * another thread; 0, or NULL: none
					 * (join.c) */
	uint32_t *captured_call;	/* by event: for work of a graph 1 + the
					 * captured call; 0, or NULL: none
					 * (graft.h) */
	size_t captured_call_count;
	/* after tp_torch_analyse() */
	int by_external;		/* linked by External id */
	uint32_t *tree;			/* host events in call order */
	size_t tree_count;
	uint32_t *unnested;		/* events that fit into no tree */
	size_t unnested_count;
	uint32_t *alone;		/* by event: 1 + the call of work that
					 * is not linked; NULL: none has one */
	size_t alone_count;
	struct tp_torch_link *links;	/* by place of the call; those of calls
					 * outside the tree are last */
	size_t link_count, link_cap, tree_link_count;
	uint32_t *links_before;		/* by place of the tree, and after the
					 * last: number of links of calls before
					 * it */
	uint32_t *gpu;			/* GPU work by start, then file order */
	size_t gpu_count, linked_count;
};

/* A number from 0 to MAX, possibly in a string; else -1. */
int64_t tp_torch_natural(const struct tp_arg *arg, int64_t max);
/* Make TORCH an empty trace. */
void tp_torch_init(struct tp_torch *torch, const struct tp_torch_ops *ops);

/*
 * Add EVENT, which EVENTS just returned, with tp_torch_args from ARGS on.
 * Returns 0, or -1 with ERR.
 */
int tp_torch_add(struct tp_torch *torch, const struct tp_events *events,
    const struct tp_event *event, const struct tp_arg *args,
    struct tp_err *err);
/*
 * End the trace after EVENTS was read to its end: takes lane names, rank and
 * GPUs.
 */
void tp_torch_end(struct tp_torch *torch, const struct tp_events *events);
/* Set *TO, a number of an event, to N or TP_TORCH_NONE. */
void tp_torch_put_number(struct tp_torch *torch, uint32_t *to, int64_t n);
/* The index of NAME in names, added with its traits if new. */
ptrdiff_t tp_torch_add_name(struct tp_torch *torch, const char *name,
    size_t len);
/*
 * Set TO to the JSON list of dimensions (DIMS) or types that TEXT describes
 * (inputs.c).
 */
void tp_torch_inputs(struct tp_buf *to, const char *text, size_t len,
    int dims);
/* Count an event of category NAME that is not read. */
void tp_torch_add_unread(struct tp_torch *torch, const char *name, size_t len);
/*
 * Determine the types of bare events once all lanes of EVENTS have their names
 * (bare.c).
 */
void tp_torch_settle_bare(struct tp_torch *torch,
    const struct tp_events *events);
/* Nest host events and link GPU work. */
void tp_torch_analyse(struct tp_torch *torch);

/* Steps of tp_torch_analyse(), in this order. */
/*
 * Choose the number that links: the one that the first launch has; and tell
 * processes apart that have the same numbers (merged.c).
 */
void tp_torch_separate(struct tp_torch *torch);
void tp_torch_join_syncs(struct tp_torch *torch);
void tp_torch_nest(struct tp_torch *torch);
void tp_torch_join(struct tp_torch *torch);
/*
 * Returns whether E is on an earlier lane than LANE, or on LANE and begins
 * before PS.
 */
static inline int
tp_torch_is_before(const struct tp_torch_event *e, uint32_t lane, int64_t ps)
{
	return e->lane < lane || (e->lane == lane && e->from_ps < ps);
}

/*
 * The first place in the tree that is on a lane after LANE, or on LANE at PS or
 * later.  It must be at least FROM, and is found fast near FROM.
 */
uint32_t tp_torch_tree_place(const struct tp_torch *torch, size_t from,
    uint32_t lane, int64_t ps);
/* The outermost operator around host event E, or TP_TORCH_NO. */
uint32_t tp_torch_op_around(const struct tp_torch *torch,
    const struct tp_torch_event *e);
/*
 * Inserts each EVENT around the places [START, STOP) of the tree, which must
 * be siblings.  LIST is sorted by START and its ranges do not overlap.
 * Links keep their order.
 */
struct tp_torch_around {
	uint32_t start, stop, event;
};
void tp_torch_surround(struct tp_torch *torch,
    const struct tp_torch_around *list, size_t count);
/* Recount links_before after a change of the tree or of the order of links. */
void tp_torch_count_links(struct tp_torch *torch);
/* Sort COUNT indices of events by start, then file order. */
void tp_torch_sort(const struct tp_torch *torch, uint32_t *events,
    size_t count);

/*
 * A number of an event, or TP_TORCH_NONE.  Numbers in 31 bits are stored with
 * an offset, so that half of them are negative.
 */
static inline int64_t
tp_torch_number(const struct tp_torch *torch, uint32_t of)
{
	return of == TP_TORCH_NO ? TP_TORCH_NONE :
	    of & TP_TORCH_WIDE ? torch->wide[of ^ TP_TORCH_WIDE] :
	    (int64_t)of - TP_TORCH_WIDE / 2;
}

/* The number that links call or work E to others. */
static inline int64_t
tp_torch_link_number(const struct tp_torch *torch,
    const struct tp_torch_event *e)
{
	return tp_torch_number(torch, torch->by_external ? e->external :
	    e->correlation);
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

/* Whether E marks a step. */
static inline int
tp_torch_is_step(const struct tp_torch *torch, const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_ANNOTATION &&
	    tp_torch_trait(torch, e)->is_step;
}

/* Whether the name of E begins with START. */
static inline int
tp_torch_starts(const struct tp_torch *torch, const struct tp_torch_event *e,
    const char *start)
{
	return !strncmp(tp_torch_event_name(torch, e)->text, start,
	    strlen(start));
}

/* The arguments of operator E. */
static inline struct tp_torch_args
tp_torch_args_of(const struct tp_torch *torch, const struct tp_torch_event *e)
{
	struct tp_id id = { 0, 0 };

	if (e->inputs)
		id = torch->arg_ids.ids[e->inputs];
	return (struct tp_torch_args){ (uint32_t)(id.a >> 32), (uint32_t)id.a,
	    (uint32_t)(id.b >> 32), (uint32_t)id.b };
}

static inline int
tp_torch_is_gpu(const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_KERNEL || e->cat == TP_TORCH_MEMCPY ||
	    e->cat == TP_TORCH_MEMSET;
}

/* How long E took. */
static inline int64_t
tp_torch_took(const struct tp_torch_event *e)
{
	return e->to_ps - e->from_ps;
}

/* The purpose of GPU work E. */
static inline uint8_t
tp_torch_bucket_of(const struct tp_torch *torch, const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_MEMCPY ? TP_TORCH_COPY :
	    e->cat == TP_TORCH_MEMSET ? TP_TORCH_COMPUTATION :
	    tp_torch_trait(torch, e)->bucket;
}

/* Whether host event E was captured rather than executed where it is. */
static inline int
tp_torch_is_captured(const struct tp_torch_event *e)
{
	return e->device == TP_TORCH_CAPTURED;
}

/* Whether host event E was added and is not in the trace itself. */
static inline int
tp_torch_is_added(const struct tp_torch_event *e)
{
	return e->device <= TP_TORCH_CAPTURED;
}

/*
 * The call that launched GPU work AT, which must be linked; for a graph the
 * call in its capture if it is known.
 */
static inline uint32_t
tp_torch_captured_call(const struct tp_torch *torch, uint32_t at)
{
	return torch->captured_call && at < torch->captured_call_count &&
	    torch->captured_call[at] ? torch->captured_call[at] - 1 :
	    torch->events[at].launch;
}

/* The call around CALL, or TP_TORCH_NO. */
static inline uint32_t
tp_torch_outer_call(const struct tp_torch *torch, uint32_t call)
{
	uint32_t at = torch->events[call].parent;

	return at != TP_TORCH_NO && torch->events[at].cat ==
	    TP_TORCH_RUNTIME ? at : TP_TORCH_NO;
}

/*
 * Whether event AT is a call that launches, was executed where it is, and is
 * not inside another such call.
 */
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

/*
 * The operator around CALL, or TP_TORCH_NO.  A driver call may be inside a
 * runtime call.
 */
static inline uint32_t
tp_torch_calling_op(const struct tp_torch *torch, uint32_t call)
{
	do
		call = torch->events[call].parent;
	while (call != TP_TORCH_NO && torch->events[call].cat != TP_TORCH_OP);
	return call;
}

/*
 * By event that of tp_torch_calling_op(), with PASSING or else the next
 * operator around that does not pass its launches on.
 */
uint32_t *tp_torch_calling_ops(const struct tp_torch *torch, int passing);

/*
 * The direction of copy AT as of tp_torch_direction().  What the call says
 * counts before the name: ROCm names many copies that read values back "DtoD".
 */
const char *tp_torch_copy_direction(const struct tp_torch *torch, uint32_t at);

/*
 * The call that submitted GPU work AT, which must be linked: that of another
 * thread if its launch only put it into a queue.
 */
static inline uint32_t
tp_torch_submit_call(const struct tp_torch *torch, uint32_t at)
{
	return torch->submit_call && torch->submit_call[at] ?
	    torch->submit_call[at] - 1 : torch->events[at].launch;
}

/* The sum of the durations of all GPU work, which the reader bounds. */
static inline int64_t
tp_torch_gpu_sum_ps(const struct tp_torch *torch)
{
	int64_t ps = 0;

	for (size_t i = 0; i < torch->gpu_count; i++)
		ps += tp_torch_took(&torch->events[torch->gpu[i]]);
	return ps;
}

/* Whether E moves pages of unified memory, which no call launches. */
static inline int
tp_torch_is_migration(const struct tp_torch *t,
    const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_MEMCPY && tp_torch_trait(t, e)->memory ==
	    TP_TORCH_UNIFIED;
}

/* Whether the call that launched GPU work E is known. */
static inline int
tp_torch_is_linked(const struct tp_torch_event *e)
{
	return e->launch != TP_TORCH_NO;
}

#endif
