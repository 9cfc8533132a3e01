/*
 * segments - parts of a run that each have their own step shape
 *
 * A program that runs eager and then compiled, or loads, denoises and
 * decodes, is several runs in one trace.  Its parts are searched for in
 * three ways; the first that finds any is used:
 *
 * signpost: marks of the program.  Three or more consecutive marks of one
 * name are the steps of one part; any other mark is a part, and the marks
 * within it are its steps.  Marks within steps, and marks at least half
 * filled by smaller parts, are left out. label: command buffers that keep
 * one label for long: runs of at least three intervals, at most sixteen
 * runs. step-family: steps that change shape (steps.h): other GPU time, or
 * another number of intervals, holding at least 2 % of the GPU time.
 *
 * Work between, before and after the parts that holds 1 % of the GPU time is
 * a part too (rest).  A single part does not count.
 *
 * Memory: 8 bytes per GPU interval, 56 per pause and per step of a part, 32
 * per signpost, 24 per label of a part, and the exact quantiles (stat.h) of
 * one part at a time.
 */
#ifndef TP_METAL_SEGMENTS_H
#define TP_METAL_SEGMENTS_H

#include <tp/metal/steps.h>

struct tp_segment {
	const char *name;		/* borrowed; NULL: none */
	size_t name_len;
	const char *method;		/* a literal; "boundary" of records */
	int64_t from_ns, to_ns;
	int64_t tokens;			/* -1: unknown */
	struct tp_steps_found found;	/* its steps; count 0: none */
};

/* In time order, without overlap.  A zeroed struct is empty. */
struct tp_segments {
	struct tp_segment *list;
	size_t count, cap;
};

/* Input of the search.  All borrowed. */
struct tp_segments_in {
	struct tp_gpu *gpu;		/* for names of labels */
	const struct tp_cmdbuf *cb;	/* rows sorted by time */
	const int64_t *ends;		/* per row: latest end so far, from
					 * tp_segments_ends() */
	ptrdiff_t proc;			/* of CB */
	const struct tp_window *window;
	int64_t limit_ns;		/* gaps this long are pauses */
	const struct tp_steps *steps;	/* for names of marks */
	const struct tp_mark *marks;	/* tp_steps_marks() */
	size_t mark_count;
	struct tp_steps_found *main;	/* steps of the run; count 0: none;
					 * those of the parts may replace
					 * them */
};

/* Find the segments. */
void tp_segments_find(struct tp_segments *segments,
    const struct tp_segments_in *in);
/*
 * When SEGMENTS have steps of several shapes, keep in FOUND, the steps of
 * the run, only those of the shape with most GPU work.  1 when steps were
 * left out, else 0.
 */
int tp_segments_choose(const struct tp_segments *segments,
    struct tp_steps_found *found);
/*
 * For each row, the latest end of any row of IN's process so far: yours to
 * tp_free().
 */
int64_t *tp_segments_ends(const struct tp_segments_in *in);
/* The first row that may end after FROM_NS. */
size_t tp_segments_first(const struct tp_segments_in *in, int64_t from_ns);
/*
 * Copy the next row of IN's process, at or after index *AT, clipped to IN's
 * window, to *ROW, and move *AT past it.  1, or 0 when there is none.
 */
int tp_segments_row(const struct tp_segments_in *in, size_t *at,
    struct tp_buffer_row *row);
/*
 * Write segment.summary, then segment, segment.label and segment.step of
 * each segment; nothing when there are none.  share/ops/segments.json says
 * what names mean.  0, or -1 with ERR.
 */
int tp_segments_emit(struct tp_segments *segments,
    const struct tp_segments_in *in, struct tp_out *out,
    struct tp_err *err);

/*
 * Mark the warm-up of FOUND, and write the figures of its steps as keys of
 * the open record.
 */
void tp_steps_emit_figures(struct tp_steps_found *found, struct tp_out *out);
/* Write a record of KIND for each step, with its SEGMENT unless that is 0. */
void tp_steps_emit_each(const struct tp_steps_found *found,
    const char *kind, size_t segment, struct tp_out *out);
/*
 * Find the steps of a program that never pauses: the labels of its GPU work
 * from FROM_NS to TO_NS repeat, and each period is a step.  The longest
 * repeating stretch is used; unless ANY is set it must hold half of the
 * intervals.  FOUND is as for tp_steps_in_parts(); its method stays NULL
 * when there are no steps.
 */
void tp_steps_in_labels(const struct tp_segments_in *in, int64_t from_ns,
    int64_t to_ns, int any, struct tp_steps_found *found);

#endif
