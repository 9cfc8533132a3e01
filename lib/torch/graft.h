/*
 * graft - give GPU work of a graph the operators it was captured with
 *
 * One call launches a whole graph, so its kernels have no operators, shapes
 * or stacks.  The capture has them: each launch between the calls that begin
 * and end the capture of a stream is made by an operator, in the same trace
 * or in a trace of the capture.  A kernel is matched with a captured launch
 * by the number of its node if both have one, else by its name and its rank
 * among equal names.  All kernels of a graph must match one capture, and
 * only one, or nothing is taken.
 *
 * The captured operators then lie in each call that launches the graph,
 * marked (tp_torch_is_captured) and with no duration, because the host did
 * not run them there. Memory: 80 bytes per operator and launch of a graph
 * and 24 per function, for each time that the graph is launched.
 */
#ifndef TP_TORCH_GRAFT_H
#define TP_TORCH_GRAFT_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

#include "torch.h"

struct tp_torch_graph;

/* Captured graphs.  A zeroed struct is empty. */
struct tp_torch_graphs {
	struct tp_torch_graph *list;
	size_t count, cap;
};

struct tp_torch_grafted {
	uint64_t launches;		/* of graphs with several kernels */
	uint64_t unmatched, ambiguous;	/* launches that match no capture, or
					 * several */
	uint64_t kernels;		/* that got an operator */
};

/*
 * Add the captures in FROM, which must be nested and outlive GRAPHS.  If FROM
 * has no calls that begin a capture and WHOLE is set, all launches of a thread
 * are one capture.
 */
void tp_torch_graphs_add(struct tp_torch_graphs *graphs,
    const struct tp_torch *from, int whole);

/* Whether event E of T is a call named by WHAT. */
int tp_torch_is_call(const struct tp_torch *t, const struct tp_torch_event *e,
    const struct tp_classes *what);

/*
 * Give graphs launched in T the operators captured in GRAPHS or in T.  T must
 * be read and ended, but not nested.
 */
void tp_torch_graft(struct tp_torch *t, const struct tp_torch_graphs *graphs,
    struct tp_torch_grafted *grafted);

#endif
