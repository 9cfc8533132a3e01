/*
 * graph - what each piece of work waited for
 *
 * The threads of a timeline are cut into nodes where something is launched,
 * waited for or handed over; every piece of work on a device is a node.  A
 * node of a thread that runs takes its own time; one that waits or is idle ends
 * when what released it has ended; work starts when all it depends on has
 * ended.  What a thread was in between two cuts is in stretches, each with a
 * class and a name (what).
 *
 * An edge holds no time: its lag is the start of its node less the end of what
 * it depends on, as recorded.  share/doc/path.md has the rules by which edges
 * are found, share/ops/path.json their limits and what names mean.
 *
 * All depend on what precedes them (tp_node_precedes), and members of a group
 * on what ended before any of them, so no edges make a circle; a launch that
 * does not precede its work is none of it, and counted.
 *
 * Memory: 40 bytes a node, 4 an edge, 16 a stretch, 12 a work and 16 a launch;
 * while it is made 32 a work more.  With several streams 16 a work, with
 * several ranks 4 a work, 4 a collective and 32 a group.
 */
#ifndef TP_TIMELINE_GRAPH_H
#define TP_TIMELINE_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include <tp/budget.h>
#include <tp/err.h>

#include "classes.h"
#include "timeline.h"

/* A microsecond in picoseconds. */
#define US ((int64_t)1000000)

/* Where the time of a class stands in a budget. */
struct tp_path_part {
	enum tp_budget_part part;
	const char *cause;	/* or NULL */
	int breadth;		/* less: it says more exactly what to change */
};

/* What share/ops/path.json says. */
struct tp_path_rules {
	struct cJSON *doc;
	struct tp_classes functions, ranges, blocked, producers, own, library,
	    allocators, generated, watchers, calls;
	struct tp_path_part parts[TP_PATH_CLASSES];
	/* "limits" */
	int64_t copy_wait_ps, dispatch_ps, long_call_ps, first_use_ps, once_ps,
	    set_up_ps, lone_ps, launch_most_ps, gap_most_ps, least_cost_ps,
	    idle_ps, producer_wait_ps, hand_over_ps, clocks_agree_ps,
	    short_gap_ps, exposing_ps, generate_ps, least_launch_ps;
	double gaps_least, gaps_least_ratio, full_queue, mismatch_ratio,
	    unlinked_ratio, residual_ratio, part_least_ratio, tie_ratio,
	    class_least_ratio, name_least_ratio, names_tried, names_listed,
	    process_least_ratio, gaps_listed, taken_ratio,
	    refute_unlinked_ratio, late_ratio, beside_ratio, return_ratio,
	    told_return_ratio, turns_ratio, calls_least, first_call_factor;
};

/* 0, or -1 with ERR; must be released even after failure. */
int tp_path_rules_load(struct tp_path_rules *rules, struct tp_err *err);
/*
 * Take those "limits" of path.json that FROM, an object of FILE, has too.
 * 0, or -1 with ERR.
 */
int tp_path_rules_change(struct tp_path_rules *rules,
    const struct cJSON *from, const char *file, struct tp_err *err);
void tp_path_rules_release(struct tp_path_rules *rules);

struct tp_buf;

/*
 * Write what the patterns of functions see of NAME (share/doc/path.md) into
 * BUF: "FILE: FUNCTION", without the line, and without the folder in which
 * packages are installed; anything else as it is.  Whether NAME is that of a
 * function.
 */
int tp_frame_name(struct tp_buf *buf, const char *name);

enum tp_node_kind {
	TP_NODE_RUNS,		/* a thread */
	TP_NODE_WAITS,		/* a thread, in a call */
	TP_NODE_IDLE,		/* a thread: in nothing, or in what blocks; or
				 * what it asked for is made elsewhere */
	TP_NODE_WORK		/* of a device */
};

/* Why a node waits for another one. */
enum tp_release {
	TP_RELEASE_NONE,
	TP_RELEASE_SYNC,	/* the work it waited for ended */
	TP_RELEASE_INPUT,	/* the copy into a device that it made ended */
	TP_RELEASE_LATENT,	/* it did not wait, but would have for this */
	TP_RELEASE_IDLE,	/* it was in nothing that is recorded until the
				 * work had ended */
	TP_RELEASE_QUEUE,	/* there was room for a launch again */
	TP_RELEASE_HAND_OVER	/* another thread had finished */
};

enum tp_edge_kind {
	TP_EDGE_LAUNCH, TP_EDGE_STREAM, TP_EDGE_EVENT, TP_EDGE_INFERRED
};

struct tp_node {
	int64_t from_ps, to_ps;
	uint32_t track;
	uint32_t release;	/* of a thread: node, or TP_NIL */
	uint32_t first;		/* of a thread: its stretches; of work: its
				 * edges.  Those of the next node follow */
	uint32_t slice;		/* of work, or of a wait: its call */
	uint8_t kind;		/* enum tp_node_kind */
	uint8_t released_by;	/* enum tp_release */
	uint8_t is_first;	/* of its track: the node before it is of
				 * another one */
};

/* Instead of a slice: as the system tells. */
#define TP_SYSTEM (TP_SLICE_MOST - 1)

/* What a thread was in, until TO. */
struct tp_graph_stretch {
	int64_t to_ps;
	uint32_t what;
	uint32_t slice : 29;	/* its innermost */
	uint32_t is_cut : 1;	/* a node begins with it */
	uint32_t role : 2;	/* enum tp_node_kind */
};

/*
 * A collective of several processes.  It takes its own time, the least of any
 * member, once the last one has begun.
 */
struct tp_group {
	uint32_t first, count;		/* in members */
	uint32_t last_node;		/* the member that began last */
	int64_t own_ps;
	int64_t to_ps;			/* when the first member ended: they
					 * depend on what ended before */
};

struct tp_what {
	uint8_t class;		/* enum tp_path_class */
	uint32_t name;		/* in the names of the timeline, or TP_NIL */
	uint32_t op;		/* of a call that waits: the operator around it,
				 * or TP_NIL */
};

/* A call that launched. */
struct tp_launch {
	uint32_t slice;
	uint32_t first_work;	/* that started first */
	uint32_t point;		/* node that ends where it launched */
	uint32_t op;		/* name of the operator around it, or TP_NIL */
};

/* What the device of a work did until it started. */
struct tp_taken {
	int64_t busy_ps;	/* how long it worked until then */
	uint32_t last;		/* of works that had started, that which ends
				 * last; or TP_NIL */
};

/* The end of a work: by stream or process, and time. */
struct tp_ended {
	int64_t to_ps;
	uint32_t of, work;
};

/* An edge: a node, and its kind in the two highest bits. */
#define TP_EDGE(node, kind) ((uint32_t)(node) | (uint32_t)(kind) << 30)
#define TP_EDGE_NODE(edge) ((edge) & (((uint32_t)1 << 30) - 1))
#define TP_EDGE_KIND(edge) ((enum tp_edge_kind)((edge) >> 30))

struct tp_graph {
	const struct tp_timeline *timeline;
	const struct tp_path_rules *rules;
	struct tp_node *nodes;		/* of threads by track and time, then
					 * work by start; one more ends them */
	size_t node_count, node_cap;
	size_t host_count;		/* nodes of threads */
	uint32_t *edges;		/* of work, what bound it first */
	size_t edge_count, edge_cap;
	struct tp_graph_stretch *stretches;
	size_t stretch_count, stretch_cap;
	uint32_t *first_stretch;	/* by track, and after the last */
	int64_t *begins;		/* by process: first slice, or step */
	struct tp_what *whats;
	size_t what_count, what_cap;
	struct tp_ids what_ids;
	struct tp_launch *launches;	/* by slice */
	size_t launch_count, launch_cap;
	uint32_t *work_what;		/* by work */
	struct tp_taken *taken;		/* by work; NULL: no stream of the
					 * graph has another one beside it */
	uint32_t *order;		/* nodes, each after what it depends
					 * on, or what its group does */
	size_t work_count;
	struct tp_group *groups;
	size_t group_count;
	uint32_t *members;		/* nodes, by group and process */
	uint32_t *group_of;		/* by work: 1 + group; NULL: there is
					 * none */
	struct tp_ended *of_stream, *of_process;	/* while it is made */
	/* where a what stands in a budget; NULL: as the rules say */
	struct tp_path_part (*part_of)(const void *arg,
	    const struct tp_graph *graph, size_t what);
	const void *part_arg;
	/* nominal delays of the recording */
	int64_t launch_ps, tail_ps, *gap_ps;	/* gap_ps by device */
	int has_few_turns;		/* of processes that share the devices,
					 * one has nearly all the work */
	size_t device_count;
	/* what the recording told */
	uint64_t inferred_count, hand_over_count, circle_count;
};

/* Make the graph of TIMELINE, which has ended.  RULES must outlive it. */
void tp_graph_make(struct tp_graph *graph, struct tp_timeline *timeline,
    const struct tp_path_rules *rules);
void tp_graph_release(struct tp_graph *graph);

/* Steps of tp_graph_make(), in this order. */
/* What each thread was in, and which calls launched (stretch.c). */
void tp_graph_stretches(struct tp_graph *graph, struct tp_timeline *timeline);
/* Find frames that only stood while another thread worked (hand_over.c). */
void tp_graph_stood(struct tp_graph *graph);
/* Find frames that waited for the interpreter (interpreter.c). */
void tp_graph_interpreter(struct tp_graph *graph);
/* Cut the threads into nodes. */
void tp_graph_nodes(struct tp_graph *graph);
/* Collectives of several processes (collectives.c). */
void tp_graph_groups(struct tp_graph *graph);
/* What work depends on (work_edges.c). */
void tp_graph_work(struct tp_graph *graph);
/* What calls waited for (release.c). */
void tp_graph_releases(struct tp_graph *graph);
/* What threads do once, such as setting up a library (first_use.c). */
void tp_graph_first_use(struct tp_graph *graph);
/* What idle threads waited for (hand_over.c). */
void tp_graph_hand_overs(struct tp_graph *graph);
/* The order of nodes (schedule.c); of a group the last member has the place. */
void tp_graph_order(struct tp_graph *graph);

/* The index of CLASS, NAME and OP in whats, added when new. */
uint32_t tp_graph_what(struct tp_graph *graph, enum tp_path_class class,
    uint32_t name, uint32_t op);

/*
 * The kernel that had the device of work AT when AT started, if that device
 * was busy from READY_PS on (for a collective or copy, most of the time); or
 * TP_NIL.
 */
uint32_t tp_graph_taken_by(const struct tp_graph *graph, uint32_t at,
    int64_t ready_ps);

/* The process with most work. */
uint32_t tp_graph_main_process(const struct tp_graph *graph);

/*
 * The place after the last of works that OF (a stream's track, or a process)
 * ended until PS, in LIST.
 */
size_t tp_graph_ended(const struct tp_graph *graph, const struct tp_ended *list,
    uint32_t of, int64_t ps);

/* When stretch AT of TRACK begins. */
static inline int64_t
tp_stretch_from(const struct tp_graph *g, uint32_t track, size_t at)
{
	return at > g->first_stretch[track] ? g->stretches[at - 1].to_ps :
	    g->begins[g->timeline->tracks[track].process];
}

/* The stretches [*FIRST, *LAST) of node AT of a thread. */
static inline void
tp_node_stretches(const struct tp_graph *g, uint32_t at, size_t *first,
    size_t *last)
{
	*first = g->nodes[at].first;
	*last = at + 1 < g->host_count ? g->nodes[at + 1].first :
	    g->stretch_count;
}

/* The edges [*FIRST, *LAST) of node AT, a work. */
static inline void
tp_node_edges(const struct tp_graph *g, uint32_t at, size_t *first,
    size_t *last)
{
	*first = g->nodes[at].first;
	*last = at + 1 < g->node_count ? g->nodes[at + 1].first :
	    g->edge_count;
}

/*
 * Whether node AT waited for what is made elsewhere, whatever its thread does:
 * it does not end sooner because it began sooner.
 */
static inline int
tp_node_is_fed(const struct tp_graph *g, uint32_t at)
{
	return g->nodes[at].kind == TP_NODE_IDLE &&
	    g->whats[g->stretches[g->nodes[at].first].what].class ==
	    TP_PATH_DATA_LOADING;
}

/* Where WHAT stands in a budget. */
static inline struct tp_path_part
tp_graph_part(const struct tp_graph *g, size_t what)
{
	return g->part_of ? g->part_of(g->part_arg, g, what) :
	    g->rules->parts[g->whats[what].class];
}

/* The process of node AT. */
static inline uint32_t
tp_node_process(const struct tp_graph *g, uint32_t at)
{
	return g->timeline->tracks[g->nodes[at].track].process;
}

/* The device of work AT. */
static inline uint32_t
tp_node_device(const struct tp_graph *g, uint32_t at)
{
	return g->timeline->tracks[g->nodes[at].track].device;
}

/* The node before AT on its thread, or TP_NIL. */
static inline uint32_t
tp_node_before(const struct tp_graph *g, uint32_t at)
{
	return g->nodes[at].is_first ? TP_NIL : at - 1;
}

/* The collective of several processes that node AT is part of, or NULL. */
static inline const struct tp_group *
tp_node_group(const struct tp_graph *g, uint32_t at)
{
	return g->group_of && at >= g->host_count &&
	    g->group_of[at - g->host_count] ?
	    &g->groups[g->group_of[at - g->host_count] - 1] : NULL;
}

/* The launch that made work AT, or NULL. */
static inline const struct tp_launch *
tp_node_launch(const struct tp_graph *g, uint32_t at)
{
	uint32_t call = g->timeline->slices[g->nodes[at].slice].launch;

	return call ? &g->launches[g->timeline->slices[call - 1].launch - 1] :
	    NULL;
}

/*
 * Whether node A ended before node B: what B may depend on.  This is an order
 * of all nodes, in which those of a thread are as they followed each other; so
 * what depends only on what precedes it makes no circle.
 */
static inline int
tp_node_precedes(const struct tp_graph *g, uint32_t a, uint32_t b)
{
	const struct tp_node *x = &g->nodes[a], *y = &g->nodes[b];
	int at_once = x->to_ps <= x->from_ps;
	int at_once_y = y->to_ps <= y->from_ps;

	if (x->to_ps != y->to_ps)
		return x->to_ps < y->to_ps;
	if (at_once != at_once_y)
		return at_once < at_once_y;
	if (!at_once && (x->kind == TP_NODE_WAITS || x->kind == TP_NODE_IDLE) !=
	    (y->kind == TP_NODE_WAITS || y->kind == TP_NODE_IDLE))
		return x->kind != TP_NODE_WAITS && x->kind != TP_NODE_IDLE;
	return a < b;
}

#endif
