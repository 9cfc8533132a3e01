/*
 * cpu - where CPU time went, from sampled call stacks
 *
 * self: weight of samples whose leaf is the function.  total: weight of
 * samples whose stack contains it, recursion counted once.  A function is
 * its name plus its library.  Shares are of the total weight, including rows
 * without a stack ("(no backtrace)").  Weights are as recorded: ns in
 * time-profile, cycles in cpu-profile, ns or counter events in
 * counters-profile, samples in folded stacks; they are never multiplied by a
 * rate.  The bucket of a sample comes from the frame nearest to the leaf that
 * matches a pattern of share/ops/cpu.json (Python, MLX, data conversion,
 * Metal driver); else it is system, or unresolved when there are only
 * addresses.  The caller of a function is the nearest frame above it that
 * share/ops/cpu.json does not list as plumbing; of several, the one with
 * most samples.  Memory: 8 bytes per sample (8 MiB at most), 64 bytes per
 * distinct function, library and thread, 48 per distinct pair of leaf and
 * caller, 4 per frame of a stack that rows refer to, and the names; with tree
 * also 64 per node of the call tree (at most the frames of all distinct
 * stacks), and for folded stacks their text.
 */
#ifndef TP_METAL_CPU_H
#define TP_METAL_CPU_H

#include <tp/hash.h>

#include "metal/tables.h"
#include "stat.h"
#include "timeline/timeline.h"

struct tp_cpu_buckets;

/*
 * Load the patterns of share/ops/NAME.json.  NULL with ERR.  Free after the
 * analyses that use them.
 */
struct tp_cpu_buckets *tp_cpu_buckets_load(const char *name,
    struct tp_err *err);

struct tp_cpu_sum {
	tp_int128 self, total;
	uint64_t seen;			/* last sample counted in total */
	ptrdiff_t library;		/* of a function; -1: none */
	ptrdiff_t proc;			/* of a thread */
	size_t call;			/* of a leaf: 1 + index of its last
					 * call */
};

struct tp_cpu_part {			/* all, or one process */
	tp_int128 total, no_stack;
	uint64_t rows;
	int64_t first_ns, last_ns;
};

/* A function in the call tree, reached by one path of callers. */
struct tp_cpu_node {
	tp_int128 self;
	uint64_t samples;		/* with this leaf */
};

/*
 * Classification of a frame: its bucket and its cause (-1: none); whether the
 * cause is a part of the budget by itself (2), a wait (1) or neither; and
 * whether the frame is plumbing.
 */
struct tp_cpu_class {
	signed char bucket, cause, firm, plumbing;
};

/* A stack that rows refer to, and what tp_cpu_settle() adds for it. */
struct tp_cpu_stack {
	size_t first, count;		/* in kept */
	int cause;
	uint32_t caused_by;
	tp_int128 weight;
	uint64_t samples;
};

/* A zeroed struct is empty; BUCKETS may be NULL (no split). */
struct tp_cpu {
	const struct tp_cpu_buckets *buckets;
	const struct tp_cpu_buckets *causes;	/* or NULL; when set, each
						 * sample */
	int cause;				/* sets its cause, */
	uint32_t caused_by;			/* the function that says it,
						 */
	ptrdiff_t proc;				/* and its process; -1: none */
	enum tp_type unit;		/* of the weights; TP_NONE: no row
					 * yet */
	const struct tp_table *table;	/* of the last row */
	int folded;			/* input is folded stacks: a row counts
					 * as many samples as its weight */
	struct tp_names names, libraries, threads;
	struct tp_ids functions;	/* (name, library) */
	struct tp_cpu_sum *by_function, *by_library, *by_thread;
	size_t function_cap, library_cap, thread_cap, class_cap;
	struct tp_cpu_sum *by_bucket;
	struct tp_cpu_class *classes;		/* by index of functions */
	struct tp_ids calls;			/* (leaf, caller) */
	tp_int128 *call_self;			/* by index of calls */
	size_t call_cap;
	struct tp_procs procs;
	struct tp_cpu_part all, *parts;
	struct tp_stat times;		/* of the samples */
	size_t part_cap;
	uint64_t sample;		/* number of the current sample */
	uint64_t addresses_only, not_running;
	int is_of_waits;		/* samples of threads that wait are
					 * taken, not those that run */
	struct tp_cpu *waits;		/* such an analysis of what the GPU
					 * waited for; NULL: none */
	int tree;			/* keep the call tree */
	struct tp_ids nodes;		/* (1 + caller's node or 0, function) */
	struct tp_cpu_node *by_node;
	uint32_t *path;			/* functions of a sample, leaf first */
	size_t node_cap, path_cap;
	struct tp_ids stack_ids;
	struct tp_cpu_stack *stacks;	/* as stack_ids */
	uint32_t *kept;			/* functions of stacks, leaf first */
	size_t stack_cap, kept_count, kept_cap;
	struct tp_buf scratch;
};

/*
 * Add one row of a profile table, unless its thread was not running.  0, or -1
 * with ERR.
 */
int tp_cpu_add(struct tp_cpu *cpu, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err);
/* Call after the last row, before the functions that write. */
void tp_cpu_settle(struct tp_cpu *cpu);
/* Whether the thread of ROW was not running on a CPU. */
int tp_cpu_waits(const struct tp_row *row);
/*
 * Write cpu.summary (all, target), cpu.bucket, cpu.library, cpu.thread,
 * cpu.function, cpu.inclusive, and cpu.wait of cpu->waits; of libraries,
 * threads, functions and waits at most TOP each (0: all).
 */
void tp_cpu_emit(struct tp_cpu *cpu, struct tp_trace *trace,
    const char *process, int64_t top, struct tp_out *out);
/*
 * Write the call tree of the whole run as cpu.frame records: callers before
 * callees, heaviest first.  Nodes of less than 1/MOST of all weight are left
 * out, so there are at most MOST times the greatest stack depth.  Needs
 * tree.
 */
void tp_cpu_emit_frames(const struct tp_cpu *cpu, int64_t most,
    struct tp_out *out);
/*
 * Write "root;...;leaf COUNT" lines, sorted by name; WEIGHT: sums of weights
 * instead of sample counts.  Needs tree.
 */
void tp_cpu_folded(const struct tp_cpu *cpu, int weight, struct tp_out *out);

size_t tp_cpu_bucket_count(const struct tp_cpu_buckets *buckets);
const char *tp_cpu_bucket_name(const struct tp_cpu_buckets *buckets,
    size_t i);
const char *tp_cpu_bucket_label(const struct tp_cpu_buckets *buckets,
    size_t i);
/* Name of function AT. */
const char *tp_cpu_name(const struct tp_cpu *cpu, size_t at);
/* Class of the critical path for bucket I (lib/timeline/timeline.h). */
enum tp_path_class tp_cpu_bucket_class(const struct tp_cpu_buckets *buckets,
    size_t i);
/* Part of the wall-clock budget for bucket I; NULL: none. */
const char *tp_cpu_bucket_part(const struct tp_cpu_buckets *buckets,
    size_t i);
/* Whether a frame is plumbing: it does not show who asked for the work. */
int tp_cpu_is_plumbing(const struct tp_cpu_buckets *buckets,
    const char *symbol, const char *library);
/* Bucket of a frame, or -1 when no pattern matches. */
int tp_cpu_bucket_of(const struct tp_cpu_buckets *buckets,
    const char *symbol, const char *library);
/* Bucket of a sample with this LEAF when no frame of its stack matches. */
int tp_cpu_bucket_rest(const struct tp_cpu_buckets *buckets,
    const char *leaf);

#endif
