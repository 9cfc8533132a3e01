/*
 * schedule - when everything would have ended, had something taken less
 *
 * A thread's node takes its own time; a wait ends when what released it has
 * ended, and the same time later as it did; work starts when all it depends
 * on has ended, with the delay that it had.  Where another edge binds, its
 * delay is the usual one of the recording, or what there was if that is less.
 * A collective of several ranks ends its own time after the last has begun it.
 * Replayed without a change, all times are those recorded.
 *
 * Several changes of one time multiply.  One pass over the stretches of
 * threads, if their time changes, and one over the nodes in the order of the
 * graph.  Memory: 16 bytes a node of a thread.
 */
#ifndef TP_TIMELINE_SCHEDULE_H
#define TP_TIMELINE_SCHEDULE_H

#include "graph.h"

/* What takes less: an absent list changes nothing. */
struct tp_change {
	double *by_what;	/* factor of what threads were in, */
	double *by_wait;	/* ... and of waits there for a device */
	double *by_work;	/* factor of work */
	int64_t *less;		/* by node of a thread: how much is taken off
				 * it, by by_what (if no two changes are of the
				 * same what) or else.  NULL: what by_what takes
				 * is found by the replay */
	double *by_gap;		/* by work: factor of the delay before it, after
				 * other work */
	double idle;		/* factor of waits for a device in which a
				 * thread is in nothing recorded */
	double launch, gap;	/* factor of the delays before work that is
				 * launched, or that follows other work */
	int is_nominal;		/* delays beyond the usual ones of the recording
				 * do not happen */
	int inputs_ahead;	/* calls do not wait for copies into a device */
	int streams_apart;	/* no stream waits for another one, */
	int devices_apart;	/* ... of another device */
};

/* A change that changes nothing. */
#define TP_CHANGE_NONE ((struct tp_change){ .launch = 1, .gap = 1, \
    .idle = 1 })

/*
 * Add to LESS, by what a thread is in (NULL: nowhere), how much less of it
 * there would be by FACTORS, by node; of PROCESS, or of all if it is TP_NIL.
 */
void tp_graph_less(const struct tp_graph *graph, int64_t from_ps, int64_t to_ps,
    uint32_t process, const double *factors, int64_t *const *less);
/*
 * Set "less" of COUNT CHANGES, of which no two are of the same what, for
 * replays from FROM_PS to TO_PS.  One pass over the stretches for all.
 */
void tp_changes_prepare(const struct tp_graph *graph, int64_t from_ps,
    int64_t to_ps, struct tp_change *const *changes, size_t count);
/*
 * Set ENDS (by node) to when each would have ended if COUNT CHANGES had been
 * made from FROM_PS on, of threads until TO_PS.
 */
void tp_graph_replay(const struct tp_graph *graph, int64_t from_ps,
    int64_t to_ps, const struct tp_change *changes, size_t count,
    int64_t *ends);

/* The usual delay of edge EDGE before work AT. */
static inline int64_t
tp_edge_usual(const struct tp_graph *g, uint32_t at, uint32_t edge)
{
	return TP_EDGE_KIND(edge) == TP_EDGE_LAUNCH ? g->launch_ps :
	    g->gap_ps[tp_node_device(g, at)];
}

#endif
