/*
 * lanes - when work ran, in stretches, to draw it
 *
 * A lane is a union (ival.h) of work: of a device, a channel, a stream.  Its
 * run is divided into columns, pixels of a picture.  Neighbouring columns that
 * are about equally busy are one stretch: within an eighth of the first of
 * them, and a full column joins only full ones.  An empty column ends a
 * stretch.  So a lane has at most one stretch per column, however long it is.
 *
 * A stretch reaches from the first busy ns of its first column to the last
 * busy ns of its last.  The busy times of all stretches of a lane add up to
 * that of the lane exactly.  Where times are picoseconds, columns are of whole
 * ns; a stretch reaches over each ns that it touches; and busy times are
 * differences of rounded running sums, so that they add up to the rounded sum.
 * The first and last stretch of a full span may then say 1 ns less than they
 * reach over.
 *
 * Memory: none for walking.  tp_lanes_emit() takes 24 bytes a lane and one
 * union, of the lanes that are too many.
 */
#ifndef TP_LANES_H
#define TP_LANES_H

#include <stddef.h>
#include <stdint.h>

#include <tp/records.h>

#include "ival.h"

/* More columns than any picture has. */
#define TP_PIXELS_MAX 10000
/* Lanes of a run, the one of all the others among them. */
#define TP_LANES_MAX 24

struct tp_lane_columns {
	int64_t from;		/* of the first */
	int64_t length;		/* of all, in units */
	int64_t unit;		/* times are so many of a ns */
	int64_t count;
};

/* Columns over [FROM, TO), at most COUNT (above 0) and none shorter than 1 ns.
 * Times are 1 / UNIT ns: 1, or 1000 for picoseconds. */
struct tp_lane_columns tp_lane_columns_over(int64_t from, int64_t to,
    int64_t unit, size_t count);

struct tp_stretch {
	int64_t from_ns, to_ns;
	int64_t busy_ns;	/* of the lane, inside */
	int64_t count;		/* spans that begin inside */
};

/* The stretches of a lane, in order. */
struct tp_lane_walk {
	struct tp_ival_walk spans;
	struct tp_lane_columns columns;
	struct tp_span span;	/* of the one at hand what is left */
	int more;		/* there is one; -1: it cannot be read back */
	int is_begun;		/* it is counted already */
	int64_t column, end;	/* the one reached, and where that ends */
	struct tp_lane_column {
		int64_t index, from, to, busy, count;
		int is_full;
	} next;			/* when has_next */
	int has_next;
	int64_t busy, tie;	/* so far; what rounding adds to it */
};

/* BUSY, finished, is borrowed till the end.  What lies outside of COLUMNS is
 * of the first or the last. */
void tp_lane_begin(struct tp_lane_walk *walk, const struct tp_ival *busy,
    const struct tp_lane_columns *columns);
/* Next stretch into *STRETCH: 1, 0 at the end, -1 when the union cannot be
 * read back. */
int tp_lane_next(struct tp_lane_walk *walk, struct tp_stretch *stretch);
void tp_lane_stop(struct tp_lane_walk *walk);

struct tp_lane_of {
	const struct tp_ival *busy;	/* finished, borrowed */
	const void *of;			/* the caller's */
	int is_main;			/* kept when there are too many */
};

/*
 * Write a record for each stretch of COUNT lanes, in order.  Of more than
 * TP_LANES_MAX those that are main stay, then the busiest, and the rest is one
 * lane behind the others.  BEGIN begins a record of a lane OF and writes what
 * it is; NULL is the rest.  0, or -1 when a union cannot be made or read back.
 */
int tp_lanes_emit(const struct tp_lane_of *lanes, size_t count,
    const struct tp_lane_columns *columns, void (*begin)(const void *arg,
    const void *of, struct tp_out *out), const void *arg, struct tp_out *out);

#endif
