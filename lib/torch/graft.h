/*
 * graft - give work of a graph the operators that it was captured with
 *
 * A graph is launched by one call, so its kernels have no operator, no shapes
 * and no stack.  Those who captured it do: between the calls that begin and end
 * the capture of a stream each launch is an operator's, in the same trace or in
 * one of the capture.  A kernel is that of a launch by the number of its node,
 * where both tell it, else by its name and place among those of the name; all
 * kernels of a graph have to fit those of one capture alone, or nothing is
 * taken.
 *
 * What was captured then lies in the call that launches the graph, once for
 * each launch, marked (tp_torch_is_captured) and in no time: the host did not
 * do it there.
 * Memory: 80 bytes for each operator and launch of a graph and 24 for each
 * function, for each time that it is launched.
 */
#ifndef TP_TORCH_GRAFT_H
#define TP_TORCH_GRAFT_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

#include "torch.h"

struct tp_torch_graph;

/* Graphs that were captured.  A zeroed struct has none. */
struct tp_torch_graphs {
	struct tp_torch_graph *list;
	size_t count, cap;
};

struct tp_torch_grafted {
	uint64_t launches;		/* of graphs, of several kernels */
	uint64_t unmatched, ambiguous;	/* of these, fit none, or several */
	uint64_t kernels;		/* that got an operator */
};

/*
 * Add what FROM, which has been nested and is borrowed, tells of captures; of a
 * trace without the calls that begin one, where WHOLE, all launches of a
 * thread.  0 or -1 with ERR.
 */
int tp_torch_graphs_add(struct tp_torch_graphs *graphs,
    const struct tp_torch *from, int whole, struct tp_err *err);
void tp_torch_graphs_release(struct tp_torch_graphs *graphs);

/* Whether event E of T is a call that WHAT names. */
int tp_torch_is_call(const struct tp_torch *t, const struct tp_torch_event *e,
    const struct tp_classes *what);

/* Give graphs of T, read and ended and not nested, what GRAPHS or T itself
 * captured.  0 or -1 with ERR. */
int tp_torch_graft(struct tp_torch *t, const struct tp_torch_graphs *graphs,
    struct tp_torch_grafted *grafted, struct tp_err *err);

#endif
