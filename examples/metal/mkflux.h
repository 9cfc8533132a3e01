/*
 * mkflux - a made-up Flux run, as Instruments would have exported it
 *
 * Four parts: run.c invents what happened (struct run), clock.c what the GPU
 * did about it, table.c writes one table as xctrace XML or as CSV, tables.c
 * binds them.  Everything comes from one seed and whole numbers, so the same
 * options give the same bytes on every machine, and both forms hold the same
 * rows.
 */
#ifndef MKFLUX_H
#define MKFLUX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../file.h"

/* What a process is called and where it lives. */
enum { TARGET, COMPOSITOR, BROWSER, PROCESS_COUNT, NOBODY = -1 };
struct process {
	const char *name;
	unsigned pid;
	const char *path;
};
extern const struct process processes[PROCESS_COUNT];

enum { MAIN, WORKER, MONITOR, DRAWING, PAINTING, THREAD_COUNT,
	NO_THREAD = -1 };
struct thread {
	const char *name;
	unsigned tid;
	int process;
};
extern const struct thread threads[THREAD_COUNT];

/* Code that runs on the CPU: a library, and a frame within it. */
struct library {
	const char *name, *uuid, *path;
	uint64_t address;
};
struct frame {
	const char *name;
	const struct library *library;	/* NULL: no symbols */
	uint64_t address;
};
#define FRAMES_MAX 32
struct stack {
	unsigned short frames[FRAMES_MAX];	/* leaf first */
	unsigned count;				/* 0: no backtrace */
};
struct frame frame_at(unsigned n);

/* Why a thread is busy; chooses its stacks. */
enum work {
	LAUNCH, LOAD, TOKENIZE, GRAPH, ENCODE, CONVERT, WAIT, SAVE, TICK,
	ALLOCATE, INTERPRET, FALLBACK, INPUT, COMPILE, PREFETCH, LOADER,
	NAP, LOCK, REQUEST,
	WORK_COUNT
};

/* All times are ns since the start of the trace. */
enum { VERTEX, FRAGMENT, COMPUTE, BLIT };
struct interval {
	int64_t start, end;
	int64_t commit;			/* -1: not known */
	uint64_t buffer, encoder;	/* 0: none */
	uint64_t submission;
	unsigned buffer_index, encoder_index;	/* in the label */
	unsigned frame;			/* 0: none */
	unsigned char channel, depth;
	signed char process;
};
struct buffer {
	int64_t create, commit, to_gpu;
	int64_t completed;		/* -1: never */
	int64_t encoding;		/* CPU time in its encoders */
	uint64_t id;
	unsigned index, encoders;
	signed char process, thread;
};
struct sample {
	int64_t time, weight;
	struct stack stack;
	unsigned char core, blocked;
	signed char thread;
};
struct level {
	int64_t start, end, bytes;
	signed char process;
};
struct resource {
	int64_t time, lifetime;		/* -1: still there */
	int64_t bytes;
	uint64_t id;
	const char *label;
	struct stack stack;
	unsigned char freed;
	signed char process, thread;
};
struct counter {
	int64_t start, end;
	int64_t value;			/* millionths */
	unsigned char percent;
};
/* A time in which the GPU was active or idle. */
struct activity {
	int64_t start, end;
	unsigned events;		/* 0: idle */
};
/* States of the clock, slowest first. */
enum { MINIMUM, MEDIUM, MAXIMUM };
struct clock {
	int64_t start, end;
	unsigned char state;
};
struct event {
	int64_t time;
	uint64_t arg[4];
	unsigned char core, ends;
	signed char thread;
};

#define LIST(type) struct { struct type *v; size_t n, cap; }
struct run {
	uint64_t random;
	unsigned steps, scale;
	unsigned exit_status;
	int64_t duration;
	LIST(interval) intervals;
	LIST(buffer) buffers;		/* in order of commit */
	LIST(buffer) arrivals;		/* in order of arrival */
	LIST(buffer) completions;	/* in order of completion, nearly */
	LIST(sample) samples;
	LIST(level) wired, current;
	LIST(resource) resources, surfaces;
	LIST(counter) counters;
	LIST(event) events;
	LIST(activity) activity;
	LIST(clock) clocks;
	int64_t peak;			/* of the target's allocations */
};

/* Make what happened from run->random, run->steps and run->scale. */
void run_make(struct run *run);
void run_release(struct run *run);
/* The profiler looks every millisecond from START to END: PERMILLE of the
 * times it finds the thread running. */
void run_busy(struct run *run, int thread, enum work work, int64_t start,
    int64_t end, int permille);
/* Bring rows into the order of an export; qsort() has no ties to decide. */
void run_sort(struct run *run);
/* Tell activity and clock from the sorted intervals. */
void clock_make(struct run *run);

uint64_t random_next(uint64_t *state);
/* A number from LOW to HIGH, both included. */
int64_t random_between(uint64_t *state, int64_t low, int64_t high);

/* A stack that WORK could have been seen with. */
struct stack stack_pick(uint64_t *state, enum work work);

/* Room for one more element of SIZE in a list; exits without memory. */
void *list_more(void *v, size_t n, size_t *cap, size_t size);
#define LIST_ADD(list) \
	((list).v = list_more((list).v, (list).n, &(list).cap, \
	    sizeof(*(list).v)), &(list).v[(list).n++])

enum form { XML, CSV };
/*
 * Write tables as FOLDER/PREFIX_x: those whose schemas ONLY names, up to a
 * NULL, or all without it.
 */
void tables_write(const struct run *run, enum form form, const char *folder,
    const char *prefix, const char *const *only);
void toc_write(const struct run *run, const char *path);
/* The result file of the benchmark that belongs to the run. */
void benchmark_write(struct run *run, const char *path);


#endif
