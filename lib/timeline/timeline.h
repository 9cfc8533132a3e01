/*
 * timeline - what happened, whoever recorded it
 *
 * A reader fills it: processes, tracks (a thread of the host, a stream of a
 * device), slices on them (what a thread was in, or what a device ran), and
 * what caused what.  Slices may be added in any order.  Times are picoseconds
 * since the first event; processes of one timeline share that clock once their
 * collectives are matched.  What a name means is data: share/ops/path.json.
 *
 * Memory: 32 bytes a slice, 40 a state, a track or a collective, 8 a link, and
 * distinct names.
 */
#ifndef TP_TIMELINE_H
#define TP_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/hash.h>

/* No slice, track or node. */
#define TP_NIL UINT32_MAX
/* Most slices of a timeline. */
#define TP_SLICE_MOST ((uint32_t)1 << 29)

/* Where time is on the critical path; the names are tp_path_classes. */
enum tp_path_class {
	/* of a device */
	TP_PATH_KERNEL, TP_PATH_COMMUNICATION, TP_PATH_COPY, TP_PATH_MEMSET,
	/* between host and device */
	TP_PATH_LAUNCH_LATENCY, TP_PATH_DEVICE_GAP, TP_PATH_DEVICE_WAIT,
	TP_PATH_GRAPH_GAP,
	TP_PATH_SYNC_RETURN, TP_PATH_QUEUE_FULL, TP_PATH_HAND_OVER,
	/* calls of the runtime */
	TP_PATH_SYNC, TP_PATH_COPY_CALL, TP_PATH_FREE, TP_PATH_ALLOCATION,
	TP_PATH_LAUNCH_CALL, TP_PATH_RUNTIME_CALL, TP_PATH_FIRST_USE,
	/* of a thread */
	TP_PATH_COMPILE, TP_PATH_DATA_LOADING, TP_PATH_SLEEP, TP_PATH_GC,
	TP_PATH_READING, TP_PATH_IMPORT, TP_PATH_INTERPRETER,
	TP_PATH_DISPATCH, TP_PATH_CPU_OPERATOR, TP_PATH_PYTHON,
	TP_PATH_RANGE, TP_PATH_SAMPLED, TP_PATH_IN_BETWEEN, TP_PATH_BLOCKED,
	TP_PATH_UNTRACED, TP_PATH_PROFILER, TP_PATH_UNLINKED,
	TP_PATH_CLASSES
};
extern const char *const tp_path_classes[TP_PATH_CLASSES + 1];

/* The class called NAME, or OTHER if none is or NAME is NULL. */
enum tp_path_class tp_path_class_called(const char *name,
    enum tp_path_class other);

static inline int
tp_path_is_device(enum tp_path_class class)
{
	return class <= TP_PATH_MEMSET;
}

/* Whether a thread in CLASS may wait for a device as its work is done. */
static inline int
tp_path_is_sync(enum tp_path_class class)
{
	return class == TP_PATH_SYNC || class == TP_PATH_COPY_CALL;
}

/* Whether no change removes time of CLASS: it waits, for reasons not known. */
static inline int
tp_path_is_fixed(enum tp_path_class class)
{
	return class == TP_PATH_DEVICE_WAIT || class == TP_PATH_GRAPH_GAP ||
	    class == TP_PATH_QUEUE_FULL || class == TP_PATH_HAND_OVER ||
	    class == TP_PATH_UNLINKED;
}

/* What a slice is. */
enum tp_slice_kind {
	TP_SLICE_FUNCTION,	/* of Python */
	TP_SLICE_OPERATOR,
	TP_SLICE_RANGE,		/* that a program marked */
	TP_SLICE_CALL,		/* of the runtime or driver */
	TP_SLICE_PROFILER,	/* the profiler held the thread up */
	TP_SLICE_WORK		/* on a device */
};

/*
 * A call puts another one into a queue; a function blocks, or no wait for a
 * device is recorded in it.
 */
#define TP_SLICE_PUTS 1
#define TP_SLICE_WAITS 2

struct tp_slice {
	int64_t from_ps, to_ps;
	uint32_t track;
	uint32_t name;		/* in names */
	uint32_t launch;	/* of work: 1 + the slice that launched it;
				 * of a call that launched: set by graph.h */
	uint8_t kind;		/* enum tp_slice_kind */
	uint8_t class;		/* of work: enum tp_path_class; of a thread:
				 * TP_SLICE_PUTS, TP_SLICE_WAITS */
	uint8_t is_input;	/* of work: a copy into memory of a device */
	uint8_t told;		/* of a thread: 1 + the class that its reader
				 * tells, whatever its name means; of a call:
				 * it waited.  0: its name tells.  Of work: no
				 * call launches its kind */
};

struct tp_timeline_track {
	uint32_t process;	/* index in processes */
	uint32_t device;	/* of a stream: a number of the timeline's */
	uint32_t first, count;	/* of a thread: its slices, once ended */
	int64_t tid;		/* as recorded: of a thread, or stream */
	uint32_t name;		/* in names; TP_NIL: none */
	uint8_t is_stream;
	uint8_t is_main;	/* of threads, this one leads its process */
};

struct tp_process {
	int64_t pid;
	int64_t rank;		/* -1: unknown */
	uint32_t clock;		/* those of one file have one, from 0 */
	int64_t shift_ps;	/* what was added to its times, so that
				 * collectives end together */
};

/*
 * A collective of a device of a process.  What these did in the same order in
 * one communicator is one collective.
 */
struct tp_collective {
	uint32_t slice, process, device;
	uint32_t communicator, what;	/* in names */
	int64_t size;			/* elements, or less than 0 */
	uint32_t group;			/* that it is part of, or TP_NIL */
};

/* The work AWAITED ended before AFTER (a call, or other work) went on. */
struct tp_await {
	uint32_t after, awaited;	/* slices */
};

/* A call that another thread put into a queue, by PUT in operator OP. */
struct tp_queued_call {
	uint32_t call, put;	/* slices */
	uint32_t op;		/* in names, or TP_NIL */
};

/*
 * What a thread was in where nothing else is recorded of it: a call of the
 * operating system, no CPU, or a function as a sample found it.
 */
struct tp_state {
	int64_t from_ps, to_ps;
	int64_t at_ps;		/* when it began, or was found by a sample: then
				 * it held since the state before, or from_ps */
	uint32_t track, name;	/* in names; TP_NIL: none */
	uint8_t class;		/* enum tp_path_class */
	uint8_t is_sample;
};

/* A marked step, or one of a device (has_device_steps). */
struct tp_marked_step {
	int64_t from_ps, to_ps;
	uint32_t track;
};

struct tp_timeline {
	struct tp_slice *slices;	/* once ended: threads by track, start,
					 * longest; then work by start */
	size_t slice_count, slice_cap;
	size_t host_count;		/* once ended: slices of threads */
	struct tp_timeline_track *tracks;
	size_t track_count, track_cap;
	struct tp_process *processes;
	size_t process_count, process_cap;
	struct tp_await *awaits;
	size_t await_count, await_cap;
	struct tp_queued_call *queued;
	size_t queued_count, queued_cap;
	struct tp_state *states;	/* once ended: by track and start, and
					 * apart */
	size_t state_count, state_cap;
	struct tp_marked_step *steps;
	size_t step_count, step_cap;
	struct tp_names names;
	struct tp_collective *collectives;	/* once matched by group */
	size_t collective_count, collective_cap;
	uint32_t group_count;		/* collectives of several devices */
	int64_t recorded_ps;		/* when the recording began, */
	int is_recorded;		/* ... if that is known */
	int has_epoch;			/* all clocks began to count together */
	int is_shared;			/* processes share the devices */
	int hides_waits;		/* not every wait for a device is
					 * recorded; what threads are in is
					 * told */
	int has_device_steps;		/* steps are when devices ran them, not
					 * when the host launched them */
};

struct tp_path_rules;

/*
 * Find which collectives of several devices are one, and shift the clocks of
 * files that do not agree about when they ended.  Call it before the timeline
 * ends.  Those of one process must have been added by start (collectives.c).
 */
void tp_timeline_match(struct tp_timeline *timeline,
    const struct tp_path_rules *rules);

/*
 * Sort the slices and renumber what refers to them.  Slices that were added in
 * their order cost one pass.
 */
void tp_timeline_end(struct tp_timeline *timeline);
void tp_timeline_release(struct tp_timeline *timeline);

/* Make room for COUNT slices. */
static inline void
tp_timeline_reserve(struct tp_timeline *tl, size_t count)
{
	tp_grow(&tl->slices, &tl->slice_cap, count, sizeof *tl->slices);
}

/* Add a slice and return its index. */
static inline uint32_t
tp_timeline_add(struct tp_timeline *tl, struct tp_slice slice)
{
	if (tl->slice_count >= TP_SLICE_MOST - 1)
		tp_no_memory();
	TP_APPEND(tl->slices, tl->slice_count, tl->slice_cap, slice);
	return (uint32_t)tl->slice_count - 1;
}

#endif
