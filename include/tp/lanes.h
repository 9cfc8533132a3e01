/*
 * lanes - when work ran, as stretches to draw
 *
 * A lane is a union (ival.h) of work: of a device, a channel, a stream.  The
 * run is divided into columns, the pixels of a picture.  Neighbouring
 * columns form one stretch when their busy shares differ by at most an
 * eighth from that of its first column; a full column joins only full ones,
 * and an empty column ends a stretch.  So a lane has at most one stretch per
 * column, whatever its length.
 *
 * A stretch spans from the first busy ns of its first column to the last
 * busy ns of its last.  The busy times of a lane's stretches add up exactly
 * to that of the lane.  When times are picoseconds, columns are whole ns, a
 * stretch covers every ns it touches, and busy times are differences of
 * rounded running sums, so that they add up to the rounded total.  The first
 * and last stretch of a full span may then state 1 ns less than they cover.
 *
 * Work may be of several kinds.  Then the kind with most of a column's time
 * is that of the column, and a stretch has columns of one kind.
 *
 * Memory: none for walking.  Kinds take 16 bytes for each change of kind, of
 * which there is at most one a column, and for each kind of one column.
 * tp_lanes_emit() takes 32 bytes a lane, and one union of the lanes beyond the
 * limit.
 */
#ifndef TP_LANES_H
#define TP_LANES_H

#include <stddef.h>
#include <stdint.h>

#include <tp/records.h>

#include "ival.h"

/* More columns than any picture has. */
#define TP_PIXELS_MAX 10000
/* Lanes per run, including the one that merges all others. */
#define TP_LANES_MAX 24

struct tp_lane_columns {
	int64_t from;		/* of the first, in units */
	int64_t length;		/* of all together, in ns */
	int64_t unit;		/* units per ns */
	int64_t count;
};

/*
 * Columns over [FROM, TO): at most COUNT (above 0), none shorter than 1 ns.
 * Times are in units of 1 / UNIT ns: UNIT is 1, or 1000 for picoseconds.
 */
struct tp_lane_columns tp_lane_columns_over(int64_t from, int64_t to,
    int64_t unit, size_t count);
/* Start of column I, which may be COUNT: the end of the last. */
int64_t tp_lane_column(const struct tp_lane_columns *columns, int64_t i);

/* What a lane mostly did, by column.  A zeroed struct is empty. */
struct tp_lane_kinds {
	struct tp_lane_change {
		int64_t column;	/* from which on */
		int kind;
	} *list;
	size_t count, cap;
	int64_t column, from, end;	/* that is being added to */
	struct tp_lane_sum {
		int64_t busy;
		int kind;
	} *sums;			/* in this column */
	size_t sum_count, sum_cap;
	int64_t most;			/* the largest of them */
};

/*
 * Add work of KIND (0 or more) in COLUMNS, the same for all of KINDS.  What
 * begins in an earlier column than the work added before counts from the start
 * of that column on.
 */
void tp_lane_kinds_add(struct tp_lane_kinds *kinds,
    const struct tp_lane_columns *columns, int64_t from, int64_t to, int kind);
void tp_lane_kinds_release(struct tp_lane_kinds *kinds);

struct tp_stretch {
	int64_t from_ns, to_ns;
	int64_t busy_ns;	/* busy time of the lane in it */
	int64_t count;		/* spans that begin in it */
	int kind;		/* of its work; -1: not known */
};

/* Iterates over the stretches of a lane, in order. */
struct tp_lane_walk {
	struct tp_ival_walk spans;
	struct tp_lane_columns columns;
	struct tp_span span;	/* rest of the current span */
	int more;		/* there is a current span */
	int is_begun;		/* the current span was counted */
	int64_t column, end;	/* current column and its end */
	struct tp_lane_column {
		int64_t index, from, to, busy, count;
		int is_full, kind;
	} next;			/* valid when has_next */
	int has_next;
	int64_t busy, tie;	/* busy so far; rounding adjustment */
	const struct tp_lane_kinds *kinds;	/* or NULL */
	size_t change;		/* the current one */
};

/*
 * BUSY must be finished; it and KINDS, which may be NULL, are borrowed until
 * tp_lane_stop().  Work outside COLUMNS counts in the first or last column.
 */
void tp_lane_begin(struct tp_lane_walk *walk, const struct tp_ival *busy,
    const struct tp_lane_kinds *kinds, const struct tp_lane_columns *columns);
/* Next stretch into *STRETCH: 1, or 0 at the end. */
int tp_lane_next(struct tp_lane_walk *walk, struct tp_stretch *stretch);
void tp_lane_stop(struct tp_lane_walk *walk);

struct tp_lane_of {
	const struct tp_ival *busy;	/* finished, borrowed */
	const void *of;			/* the caller's own pointer, passed to
					 * BEGIN */
	int is_main;			/* kept when there are too many lanes */
	const struct tp_lane_kinds *kinds;	/* or NULL */
};

/*
 * Write a record for each stretch of COUNT lanes, in order.  Beyond
 * TP_LANES_MAX lanes the main ones are kept, then the busiest; the rest are
 * merged into one last lane.  BEGIN starts a record and writes what
 * identifies the lane OF, NULL for the merged rest, and KIND, -1 if it is not
 * known.
 */
void tp_lanes_emit(const struct tp_lane_of *lanes, size_t count,
    const struct tp_lane_columns *columns, void (*begin)(const void *arg,
    const void *of, int kind, struct tp_out *out), const void *arg,
    struct tp_out *out);

#endif
