/*
 * events - the events of a trace in Chrome's trace-event JSON
 *
 * Events of an xplane.pb (xspace.h) and of databases of Nsight Systems and
 * rocprofv3 (queries.h) are returned in the same form.
 *
 * Reads an object with "traceEvents", or a bare array of events, element by
 * element, and returns the events of the requested phases.  Nothing is
 * allocated per event: text is borrowed from the input.  Times are parsed
 * from their digits, never through a double, as integer picoseconds since
 * the first event; they are exact to 1 ps (finer fractions are rounded half
 * to even).  Of duplicate members of an object the last counts.
 *
 * Checked are: the structure of the document and of each event, strings,
 * nesting everywhere, and every field that is read; inside a value that
 * nobody asked for, only strings and brackets.  Known mistakes of producers
 * are repaired, counted and noted.  STRICT checks every byte against RFC
 * 8259 and repairs nothing.
 *
 * The layout of events is learned from the first ones, which makes the
 * others cheap; the result does not depend on it.
 *
 * Memory: a block of the input, or the longest element (at most 64 MiB); per
 * lane its key and names; per span that "B" opened and no "E" closed, its
 * text; members beside the events up to 1 MiB each, 16 MiB in all; 100 bytes
 * per tally.
 */
#ifndef TP_READ_EVENTS_H
#define TP_READ_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/in.h>
#include <tp/read/identity.h>

#include "trace_state.h"

struct cJSON;
struct tp_events;
struct tp_name;
struct tp_events_source;

enum tp_arg_type {
	TP_ARG_ABSENT = 0,
	TP_ARG_STRING,		/* decoded; may hold NUL; valid UTF-8 */
	TP_ARG_NUMBER,		/* as it is written */
	TP_ARG_WORD,		/* true, false, null */
	TP_ARG_NESTED,		/* object or array, as it is written */
};

/* A value.  Borrowed until the next event; not NUL-terminated. */
struct tp_arg {
	enum tp_arg_type type;
	uint32_t len;
	const char *text;
};

/*
 * A lane: one thread of one process.  Both ids may be any JSON value; the
 * numbers are set when they are integers.
 */
struct tp_lane {
	struct tp_arg pid, tid;		/* kept until the reader is closed */
	int pid_is_n, tid_is_n;
	int64_t pid_n, tid_n;
	size_t process;		/* index of the pid, by first appearance */
};

/*
 * Phase of an allocation in an xplane.pb: has a time and, like 'X', a
 * duration.
 */
#define TP_MEMORY_PHASE 'v'

struct tp_event {
	char phase;		/* 'X' 'M' 'C' ...; 0 when there is none */
	int has_ts, has_dur;	/* "M" has no time; "X" has both */
	int64_t ts_ps;		/* since the base; may be negative */
	int64_t dur_ps;		/* >= 0 */
	struct tp_arg name, cat, id;
	size_t lane;		/* index of its (pid, tid), by first
				 * appearance */
	const struct tp_arg *args;	/* as want->args, in that order */
	uint64_t own_args;	/* bits of the args it has itself; its name and
				 * all other args are common to all events of
				 * its KIND (from 1; 0: unknown) */
	size_t kind;
	uint64_t index;		/* index in traceEvents, counting every element;
				 * of a pair, that of its "B" */
};

/* Most args that can be requested; with "name" they fit a byte. */
#define TP_ARGS_MAX 95

/* What a filter wants from a trace. */
struct tp_events_want {
	const char *const *args;	/* names in "args", NULL-terminated, at
					 * most TP_ARGS_MAX, or NULL; "a|b":
					 * either name */
	const char *phases;	/* phases to return; NULL: "XM".  Without "B", a
				 * pair of "B" and "E" on a lane is returned as
				 * one "X" when it closes */
	int strict;
	/*
	 * Set to &tp_databases to read SQLite too; only then is its library
	 * linked in.
	 */
	const struct tp_events_source *databases;
	size_t jobs;		/* threads allowed, with the caller's; only JSON
				 * in a plain file uses more than one */
	int tallies;		/* sum what a database has beside the events
				 * (tp_events_tallies()) */
	int profiler;		/* tell whose trace it is
				 * (tp_events_profiler()) */
};
extern const struct tp_events_source tp_databases;	/* queries.h */

/*
 * Read IN, which stays the caller's.  TRACE gets the notes.  NULL with ERR.
 */
struct tp_events *tp_events_open(struct tp_in *in,
    const struct tp_events_want *want, struct tp_trace *trace,
    struct tp_err *err);
/*
 * Next event into *EVENT (borrowed until the next call): 1, 0 at the end, -1
 * with ERR.  err->fatal: nothing more can be read (everything before was
 * good).  Otherwise one event is damaged and the next call continues;
 * "event.baddur": its time, or the duration of an "X", is missing, no
 * number, negative (a duration), or more than 106 days from the base.
 */
int tp_events_next(struct tp_events *events, struct tp_event *event,
    struct tp_err *err);
void tp_events_close(struct tp_events *events);

/*
 * Lane I (below the count) and its name from metadata so far, or NULL.
 * Metadata may follow the events, so ask at the end; the last name that is
 * not empty counts.  NUL-terminated, borrowed until _close.
 */
size_t tp_events_lane_count(const struct tp_events *events);
const struct tp_lane *tp_events_lane(const struct tp_events *events,
    size_t i);
const char *tp_events_thread_name(const struct tp_events *events,
    size_t lane);
/* As for lanes, for processes, by lane->process. */
size_t tp_events_process_count(const struct tp_events *events);
const char *tp_events_process_name(const struct tp_events *events,
    size_t process);

/* Whether this is an xplane.pb. */
int tp_events_is_space(const struct tp_events *events);
/*
 * Whose trace it is, if that was wanted: an xplane.pb is JAX's, JSON is of
 * whom most of the first events are.
 */
enum tp_profiler tp_events_profiler(const struct tp_events *events);
/*
 * The profiler that recorded the trace, a name of share/events, and its
 * framework ("cuda"); NULL for a framework's own profiler.
 */
const char *tp_events_recorder(const struct tp_events *events,
    const char **framework);
/*
 * Whether lanes come one after the other, each in order of start, with their
 * names known before the first event: an xplane.pb whose lines are sorted.
 */
int tp_events_is_ordered(const struct tp_events *events);

/*
 * Line of the current element.  Counts lines up to it, so do not call it for
 * every event.
 */
uint64_t tp_events_line(struct tp_events *events);

/*
 * At the end, begins without an end, ends without a begin, and events that
 * have no phase or, in an xplane.pb, cannot be read.
 */
uint64_t tp_events_unmatched(const struct tp_events *events);
/* Elements of traceEvents so far, of any kind, damaged ones included. */
uint64_t tp_events_elements(const struct tp_events *events);
/*
 * Whether traceEvents (or a bare array) was found; whether the document was
 * empty.
 */
int tp_events_found(const struct tp_events *events);
int tp_events_blank(const struct tp_events *events);
/*
 * The base: time of the first event that is not metadata, in whole
 * microseconds and picoseconds (0 .. 999999) of the trace's own clock.  1,
 * or 0 when no event had a time.
 */
int tp_events_base(const struct tp_events *events, int64_t *us, int32_t *ps);
/*
 * A member beside traceEvents ("deviceProperties", "displayTimeUnit") read
 * so far, or NULL.  Members larger than 1 MiB are skipped with a note.  Its
 * numbers are doubles.
 */
const struct cJSON *tp_events_member(const struct tp_events *events,
    const char *name);

/*
 * Sums over rows that are too many to be events: calls of the operating
 * system, when threads ran, samples.  One per kind, lane and name, by first
 * appearance; complete at the end of the trace, borrowed until _close.
 */
struct tp_tally {
	const char *what;	/* kind, a word of share/events */
	size_t lane;
	const struct tp_name *name;	/* NULL: none */
	uint64_t count;
	int64_t sum_ns, max_ns;		/* of the durations */
	int64_t from_ns, to_ns;		/* first and last time */
	int is_over;			/* the sum does not fit */
};
const struct tp_tally *tp_events_tallies(const struct tp_events *events,
    size_t *count);
/*
 * Rows of tallies that are kept one by one, as share/events says: long calls,
 * long times between two spans of a thread, samples.
 */
struct tp_tally_row {
	const char *what;
	size_t lane;
	uint32_t named;			/* 1 + in names of tallies; 0: none */
	const struct tp_name *name;	/* that; NULL: none */
	int64_t from_ps, to_ps;
};
const struct tp_tally_row *tp_events_tally_rows(const struct tp_events *events,
    size_t *count);
/* Whether the trace is of a kind that has tallies, if only empty ones. */
int tp_events_is_tallied(const struct tp_events *events);

/*
 * Parse decimal TEXT in microseconds into *US and *PS (0 .. 999999; a
 * negative time counts up from the microsecond below).  Exact; finer than 1
 * ps is rounded half to even.  0, or -1 when it is no JSON number or does
 * not fit.
 */
int tp_events_us(const char *text, size_t len, int64_t *us, int32_t *ps);

#endif
