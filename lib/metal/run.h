/*
 * run - what a process had on the GPU, and what its threads did meanwhile
 *
 * GPU rows and command buffers come from the tables themselves, or from the
 * records that a filter wrote for another one.  Samples are those of the
 * process: of threads that commit and of others, running or waiting.
 *
 * Memory: 16 bytes per GPU row and span of other processes, 56 per command
 * buffer, 32 per sample, and distinct functions.
 */
#ifndef TP_METAL_RUN_H
#define TP_METAL_RUN_H

#include <tp/metal/budget.h>
#include <tp/hash.h>

#include "timeline/graph.h"

/* Not known: a time that is before all others. */
#define TP_METAL_UNKNOWN INT64_MIN

struct tp_metal_buffer {
	int64_t commit_ns, done_ns;	/* or TP_METAL_UNKNOWN */
	int64_t encode_ns;		/* its first encoder; INT64_MAX */
	int64_t tid;			/* of the thread; -1: unknown */
	int64_t to_ns;			/* end of its work */
	uint32_t track;
	uint32_t first, last;		/* rows: that begins first, that ends
					 * last */
	uint32_t commit;		/* 1 + slice of the timeline */
};

struct tp_metal_row {
	int64_t from_ns, to_ns;
	uint32_t buffer;		/* or TP_NIL: other processes */
};

/* A window of the budget. */
struct tp_metal_view {
	const char *scope;		/* a literal */
	int64_t segment;		/* 0: none */
	int is_main;
	int64_t from_ns, to_ns;
};

struct tp_metal_sample {
	int64_t at_ns, weight_ns;
	uint32_t name;			/* in names */
	uint32_t track;			/* or TP_NIL: of a thread that does not
					 * commit */
	int64_t tid;
	uint8_t commits, waits;
};

struct tp_metal_run {
	char *process;			/* NULL: unknown */
	int64_t pid, late_ns;
	size_t pixels;			/* width of path.lane; 0: none */
	struct tp_metal_row *rows;	/* by start */
	size_t row_count, row_cap;
	struct tp_metal_buffer *buffers;
	size_t buffer_count, buffer_cap;
	struct tp_metal_view *views;
	size_t view_count, view_cap;
	struct tp_metal_sample *samples;
	size_t sample_count, sample_cap;
	struct tp_names names;		/* functions that say the cause */
	signed char *causes;		/* by name */
	size_t cause_cap;
	struct tp_ids tids;		/* threads that commit: tracks */
	const struct tp_cpu_buckets *buckets;	/* share/ops/cpu-causes.json;
						 * NULL: no samples */
};

/* Limits of share/ops/metal.json. */
struct tp_metal_limits {
	int64_t latency_ns, wake_ns, long_ns;
	double ran_ratio, held_back_ratio, boundary_ratio, beside_ratio,
	    long_samples,
	    alone_factor, alone_ratio, alone_rows;
};

/* The one wait for a commit that stands alone. */
struct tp_metal_pause {
	int64_t from_ns, to_ns;		/* empty: there is none */
	int64_t next_ns;		/* the longest of the others */
	int64_t count;			/* waits for a commit */
};

/* What a name of the timeline is. */
struct tp_metal_meaning {
	signed char cause;		/* in buckets, or -1 */
	uint8_t of;			/* enum tp_metal_meant */
	uint8_t is_pause;		/* in the pause */
};
enum tp_metal_meant {
	TP_METAL_NAMED,			/* by its cause */
	TP_METAL_HELD,			/* the same, of another thread */
	TP_METAL_LATE,			/* not told from waiting */
	TP_METAL_ENCODING, TP_METAL_OTHERS, TP_METAL_BUFFERS,
	TP_METAL_ENCODERS, TP_METAL_RESTS,
	TP_METAL_UNLINKED		/* its commit is not known */
};

struct tp_metal_timeline {
	struct tp_timeline tl;
	struct tp_metal_meaning *meanings;	/* by name */
	size_t meaning_cap;
	struct tp_metal_pause pause;
	uint32_t others;		/* tracks of other processes: their
					 * turns, and what they did beside */
};

/* Make T of RUN, whose samples are by time.  0 is the process of RUN. */
void tp_metal_to_timeline(struct tp_metal_timeline *t,
    struct tp_metal_run *run, const struct tp_metal_limits *limits);
/* Write the budget of RUN, and its path and gaps.  0, or -1 with ERR. */
int tp_metal_run_emit(struct tp_metal_run *run, struct tp_out *out,
    struct tp_err *err);
void tp_metal_run_release(struct tp_metal_run *run);

#endif
