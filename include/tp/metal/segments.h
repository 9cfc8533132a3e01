/*
 * segments - parts of one run that have a step shape of their own
 *
 * A program that runs eager and then compiled, or loads, denoises and decodes,
 * is several runs in one trace.  Its parts are looked for in three ways, and
 * the first that finds any counts:
 *
 * signpost: what the program marks.  Marks of one name that follow each other,
 * three or more, are the steps of one part; any other mark is a part, and the
 * marks within it are its steps.  Left out are marks within steps, and marks
 * half of whose time smaller parts fill.
 * label: command buffers that bear one label for long: runs of three intervals
 * or more, sixteen runs at most.
 * step-family: steps that change their shape (steps.h): other GPU time, or
 * another number of intervals, and 2 % of the GPU time or more.
 *
 * What lies between, before and behind them and holds 1 % of the GPU time is a
 * part too (rest).  One part alone is none.
 *
 * Memory: 8 bytes per GPU interval, 56 per pause and per step of a part, 32
 * per signpost, 24 per label of a part, and the exact quantiles (stat.h) of
 * one part at a time.
 */
#ifndef TP_METAL_SEGMENTS_H
#define TP_METAL_SEGMENTS_H

#include <tp/metal/steps.h>

struct tp_segment {
	const char *name;		/* borrowed; NULL: it has none */
	size_t name_len;
	const char *method;		/* a literal; "boundary" of records */
	int64_t from_ns, to_ns;
	int64_t tokens;			/* -1: not known */
	struct tp_steps_found found;	/* its steps; count 0: none */
};

/* A zeroed struct is empty; in order of time, none overlaps another. */
struct tp_segments {
	struct tp_segment *list;
	size_t count, cap;
};

/* Where they are looked for.  All borrowed. */
struct tp_segments_in {
	struct tp_gpu *gpu;		/* for names of labels */
	const struct tp_cmdbuf *cb;	/* rows sorted by time */
	const int64_t *ends;		/* per row: the last end so far, of
					 * tp_segments_ends() */
	ptrdiff_t proc;			/* of CB */
	const struct tp_window *window;
	int64_t limit_ns;		/* a gap this long is a pause */
	const struct tp_steps *steps;	/* for names of marks */
	const struct tp_mark *marks;	/* tp_steps_marks() */
	size_t mark_count;
	struct tp_steps_found *main;	/* steps of the run; count 0: none,
					 * and those of the parts may become
					 * them */
};

/* Find them.  0, or -1 without memory. */
int tp_segments_find(struct tp_segments *segments,
    const struct tp_segments_in *in);
/*
 * Where SEGMENTS have steps of several shapes, leave those of one in FOUND, the
 * steps of the run: of the shape that holds most GPU work.  1 when steps were
 * left out, 0, or -1 without memory.
 */
int tp_segments_choose(const struct tp_segments *segments,
    struct tp_steps_found *found);
/* The last end of a row of IN's process up to each row: yours to tp_free();
 * NULL without memory. */
int64_t *tp_segments_ends(const struct tp_segments_in *in);
/* The first row that may reach behind FROM_NS. */
size_t tp_segments_first(const struct tp_segments_in *in, int64_t from_ns);
/* The row of IN's process that begins at or after *AT (an index, moved past
 * it) within its window, clipped to that; 0 when there is none. */
int tp_segments_row(const struct tp_segments_in *in, size_t *at,
    struct tp_buffer_row *row);
/* Write segment.summary, then segment, segment.label and segment.step of each;
 * nothing when there are none.  share/ops/segments.json says what names stand
 * for.  0, or -1 with ERR. */
int tp_segments_emit(struct tp_segments *segments,
    const struct tp_segments_in *in, struct tp_out *out,
    struct tp_err *err);
void tp_segments_release(struct tp_segments *segments);

/* What began in each step of FOUND, of process PROC of CB: command buffers, and
 * intervals where they are not known yet. */
void tp_steps_count(struct tp_steps_found *found, const struct tp_cmdbuf *cb,
    ptrdiff_t proc);
/* Mark the warm-up of FOUND, and write the figures of its steps into the
 * record that is begun.  0, or -1 without memory. */
int tp_steps_emit_figures(struct tp_steps_found *found, struct tp_out *out);
/* Write a record of KIND for each step, of SEGMENT when that is not 0. */
void tp_steps_emit_each(const struct tp_steps_found *found,
    const char *kind, size_t segment, struct tp_out *out);
/*
 * Steps of a program that never pauses: the labels of its GPU work from
 * FROM_NS to TO_NS repeat, and each period is a step; the stretch that repeats
 * for longest is taken.  Unless ANY will do it holds half of the intervals.
 * FOUND as of tp_steps_in_parts(); its method stays NULL when there is none.
 * 0, or -1 without memory.
 */
int tp_steps_in_labels(const struct tp_segments_in *in, int64_t from_ns,
    int64_t to_ns, int any, struct tp_steps_found *found);

#endif
