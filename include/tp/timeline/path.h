/*
 * path - the critical path of a process as records
 *
 * "path.window path.class path.name path.exposer path.gain", path.rank where
 * collectives of several ranks are joined, and path.piece for each piece.
 * Times are rounded where pieces meet, so that those of the classes sum to the
 * window.
 *
 * Memory: 32 bytes a piece of the path, 8 a node of the graph.
 */
#ifndef TP_TIMELINE_PATH_H
#define TP_TIMELINE_PATH_H

#include <tp/err.h>
#include <tp/records.h>

struct tp_graph;
struct tp_path;

struct tp_path_options {
	int64_t process_rank;		/* written first; -1: none */
	const char *const *what_ifs;	/* ends with NULL; none: those that a
					 * report needs */
	int pieces;			/* also path.piece */
};

/* 0 if TEXT is a what-if (what_if.h); -1 with ERR, which says what one is. */
int tp_what_if_check(const char *text, struct tp_err *err);
/* Write "path.window path.class path.name path.exposer" of PATH. */
void tp_path_emit_tables(const struct tp_path *path, int64_t process_rank,
    struct tp_out *out);
/*
 * Write "path.lane": stretches in which mostly one side held PATH, at most
 * PIXELS of them.
 */
void tp_path_emit_lanes(struct tp_path *path, struct tp_graph *graph,
    size_t pixels, int64_t process_rank, struct tp_out *out);
/* Write "path.gain" of what-if TEXT, unless it applies to nothing. */
void tp_path_emit_gain(const struct tp_path *path, const char *text,
    int64_t process_rank, struct tp_out *out);
/*
 * Write the records of the processes of GRAPH that did most work.  What changes
 * gain is of the whole run where ranks are joined.
 */
void tp_path_emit(struct tp_graph *graph,
    const struct tp_path_options *options, struct tp_out *out);

#endif
