/*
 * critical - where the wall-clock time of a process went
 *
 * The window begins on the host, with the first step, and ends when the main
 * thread has ended the last step, or the last work launched until then ends.
 * Without steps it is all that the process did.  From the node that ends it
 * the critical path leads back over what each one waited for; from a collective
 * of several ranks it goes on in the process that began it last.  Its pieces
 * tile the window: their sum is its length, exactly.
 *
 * Memory: 56 bytes per what; 40 per piece, if they are kept.
 */
#ifndef TP_TIMELINE_CRITICAL_H
#define TP_TIMELINE_CRITICAL_H

#include "graph.h"

struct tp_path_piece {
	int64_t from_ps, to_ps;
	uint32_t what;
	uint32_t node;
	uint32_t exposed_by;	/* stretch: the call whose wait left nothing
				 * queued, so that this time is exposed; or
				 * TP_NIL */
};

/* The path by what it is in; times are rounded where pieces meet. */
struct tp_path_sum {
	int64_t ns, count;
	int64_t exposed_ns;	/* part of it that a call exposed */
	int64_t exposing_ns, exposing_count;	/* of other pieces, by a call
						 * that this is */
};

struct tp_path {
	const struct tp_graph *graph;
	const struct tp_path *next;	/* of another rank of the same run */
	uint32_t process, track;	/* track: the main thread, or TP_NIL */
	int64_t from_ps, to_ps;
	size_t step_count;
	int is_cut;		/* what its threads do does not end it */
	uint32_t last;		/* node of the main thread at its end, or
				 * TP_NIL */
	int64_t last_ps;	/* ... and until when it counts */
	int64_t until_ps;	/* work launched from here on does not count */
	uint32_t end;		/* the node that ends the window */
	struct tp_path_sum *sums;	/* by what */
	size_t sum_cap;
	struct tp_path_piece *pieces;	/* latest first; only if kept */
	size_t count, cap;
	uint64_t piece_count;
	/* gets each piece, latest first; or NULL */
	void (*with)(void *arg, const struct tp_path *path,
	    const struct tp_path_piece *piece);
	void *with_arg;
	/* by node of a thread: the wait of its thread before it that exposes
	 * what follows, for paths that do not go back as far; or NULL */
	const uint32_t *exposers;
	/* work of the window */
	int64_t work_ps;
	int64_t unlinked_ps;	/* of it, without a launch, from linked_ps on */
	int64_t work_end_ps;	/* of the last of it */
	int64_t linked_ps;	/* start of the first work whose launch is in
				 * the trace: others were launched before */
};

/*
 * Find the PATH of PROCESS; PATH is zeroed but for "with".  Returns 1, or 0 if
 * the process did nothing that was recorded.
 */
int tp_path_make(struct tp_path *path, struct tp_graph *graph,
    uint32_t process, int keep_pieces);
/*
 * The same of what PROCESS had on devices from FROM_PS to TO_PS: the window
 * ends with the last work that ended until then.
 */
int tp_path_cut(struct tp_path *path, struct tp_graph *graph,
    uint32_t process, int64_t from_ps, int64_t to_ps);
/* Walk PATH, which is made, once more, with WITH called for each piece. */
void tp_path_again(struct tp_path *path, struct tp_graph *graph,
    void (*with)(void *arg, const struct tp_path *path,
    const struct tp_path_piece *piece), void *with_arg);
/*
 * How the window would change if no delay were longer than usual: what the
 * edges do not explain.  One replay.
 */
int64_t tp_path_nominal_ps(const struct tp_path *path);
/*
 * Add to the sums of PATH what its time from from_ps to to_ps, which node "end"
 * ends, is in.
 */
void tp_path_walk(struct tp_path *path, struct tp_graph *graph,
    int keep_pieces);
void tp_path_release(struct tp_path *path);
/* Make room in the sums of PATH for what was found after it. */
static inline void
tp_path_grow(struct tp_path *p)
{
	(void)TP_ITEM(p->sums, p->sum_cap, p->graph->what_count);
}

/* What the sums of PATH hold that nothing explains, in ns. */
int64_t tp_path_residual_ns(const struct tp_path *path);
/*
 * Whether the PATH explains enough to promise gains: nearly all work has its
 * launch in the trace, and nearly all delays a cause (share/ops/path.json).  Of
 * a source that records no launch it promises what devices would gain.
 */
int tp_path_promises(const struct tp_path *path);
/* By node of a thread the wait before it that exposes what follows. */
uint32_t *tp_path_exposers(const struct tp_graph *graph);
/* Whether work NODE had been launched when the window began. */
int tp_path_is_earlier(const struct tp_path *path, uint32_t node);
/* When the window would end, if nodes ended at ENDS. */
int64_t tp_path_end(const struct tp_path *path, const int64_t *ends);

#endif
