/*
 * host - what the threads of the host did: operators by their own time
 *
 * Rows are those of PyTorch's key_averages(): operators, marked ranges and
 * calls of the runtime, by name or by name and shapes.  Steps are one row; an
 * event that is the only one inside another of its name is not counted, and
 * its time is the outer one's; Python functions are no rows.  Own time is
 * without what is directly inside.  Memory is that of the host's allocator,
 * by the innermost row on the thread; with all below for the total.
 *
 * The main thread is the one with the steps, else the one with most time in
 * operators and ranges outside of backward passes.  Its window begins with
 * the first step, or without steps with the first operator or range of the
 * process, and ends with the last.  Every instant of it is in one part: what
 * is innermost decides, but all that is inside of data loading or of an
 * optimizer's step belongs to that.
 *
 * Memory: 90 bytes an event during analysis, 100 a row.
 */
#ifndef TP_TORCH_HOST_H
#define TP_TORCH_HOST_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>

#include "torch.h"

struct tp_torch_host_group {
	uint32_t name;		/* of its first call, in names */
	uint32_t dims;		/* in texts; 0: none, or not told apart */
	uint32_t function;	/* of the program, with most of its own time,
				 * in function_names; or TP_TORCH_NO */
	int16_t part;		/* of an operator, in parts; -1: the program is
				 * not known, or it is no operator */
	uint8_t cat;		/* enum tp_torch_cat */
	uint64_t count;
	int64_t calls;		/* of the runtime inside; TP_TORCH_NONE: it is
				 * no operator, or none is recorded */
	int64_t sum_ps, mean_ps, own_ps;
	int64_t first_ps, median_ps, max_ps;	/* of the own times of its
						 * calls; the first two
						 * TP_TORCH_NONE of one call */
	int64_t bytes, own_bytes;	/* allocated minus freed */
};

/* By own time. */
struct tp_torch_host_table {
	struct tp_torch_host_group *list;
	size_t count, cap;
};

struct tp_torch_host_thread {
	uint32_t lane;
	uint64_t op_count, call_count, range_count, function_count;
	int64_t busy_ps;	/* in operators and calls of the runtime */
	int64_t range_ps;	/* in marked ranges */
	int64_t first_ps, last_ps;
};

struct tp_torch_host {
	struct tp_torch_host_table by_name, by_shapes;
	int64_t own_ps;		/* sum of the own times of all rows */
	int64_t busy_ps;	/* of a program that is not known: with an
				 * event on any thread; the main thread of such
				 * a one is not known */
	int has_memory;		/* whether the host's allocator was recorded */
	struct tp_torch_host_thread *threads;	/* the main one first, then by
						 * busy time */
	size_t thread_count, thread_cap;
	uint32_t main;		/* lane; TP_TORCH_NO: there is no operator or
				 * range, and the rest is unset */
	int by_steps;		/* whether steps bound the window */
	int64_t from_ps, to_ps;
	uint64_t op_count;	/* operators that began in the window on the
				 * main thread, */
	uint64_t short_count;	/* ... of them without another one inside and
				 * shorter than the limit */
	int64_t short_ps, short_limit_ps;
	struct tp_names parts;
	int64_t *part_ps;	/* by part */
	size_t part_cap;
};

/*
 * Analyse TORCH, after tp_torch_analyse() and before its functions are
 * released.  Returns 0, or -1 with ERR.
 */
int tp_torch_host_make(struct tp_torch_host *host, struct tp_torch *torch,
    struct tp_err *err);

#endif
