/*
 * events - the events of a trace in Chrome's trace-event JSON
 *
 * The events of an xplane.pb come the same way, as xspace.h tells, and those
 * of a database of Nsight Systems or rocprofv3, as queries.h does.
 *
 * Reads an object with "traceEvents" or a bare array of events, element by
 * element, and gives those of the phases that were asked for.  Nothing is
 * allocated per event: text is borrowed from the input.  Times are read from
 * their digits, never through a double, as integer picoseconds since the
 * first event, and are exact to 1 ps (finer fractions are rounded half to
 * even).  Of a member that stands twice in one object the last counts.
 *
 * What is checked: the structure of the document and of each event, strings,
 * nesting everywhere, and every field that is read; inside a value that
 * nobody asked for only strings and brackets.  What producers are known to
 * get wrong is repaired, counted and noted.  STRICT holds every byte to RFC
 * 8259 and repairs nothing.
 *
 * How a producer lays out its events is learned from the first, which makes
 * the others cheap; what is read does not depend on it.
 *
 * Memory: a block of the input, or the longest element (at most 64 MiB); per
 * lane its key and names; per span that "B" has opened and no "E" has closed
 * its text; members beside the events up to 1 MiB each, 16 MiB in all.
 */
#ifndef TP_READ_EVENTS_H
#define TP_READ_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/in.h>

#include "trace.h"

struct cJSON;
struct tp_events;
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

/* A lane: what one thread of one process did.  Both may be any value; the
 * numbers are set when they are integers. */
struct tp_lane {
	struct tp_arg pid, tid;		/* kept to the end */
	int pid_is_n, tid_is_n;
	int64_t pid_n, tid_n;
	size_t process;		/* index of the pid, by first appearance */
};

/* Of an allocation in an xplane.pb, with the time and as 'X' a duration. */
#define TP_MEMORY_PHASE 'v'

struct tp_event {
	char phase;		/* 'X' 'M' 'C' ...; 0 when there is none */
	int has_ts, has_dur;	/* "M" has no time, "X" has both */
	int64_t ts_ps;		/* since the base; may be negative */
	int64_t dur_ps;		/* >= 0 */
	struct tp_arg name, cat, id;
	size_t lane;		/* index of its (pid, tid), by first
				 * appearance */
	const struct tp_arg *args;	/* as want->args, in that order */
	uint64_t own_args;	/* bits of those it has itself; the name and
				 * all others are the same of all events of
				 * its KIND, 1 and on; 0: no kind is known */
	size_t kind;
	uint64_t index;		/* place in traceEvents; every element counts;
				 * of a pair the place of its "B" */
};

/* Names in "args" that can be asked for, and "name"; fits a byte. */
#define TP_ARGS_MAX 95

/* What a filter wants of a trace. */
struct tp_events_want {
	const char *const *args;	/* names in "args", NULL-terminated,
					 * or NULL, at most TP_ARGS_MAX;
					 * "a|b": one that has either name */
	const char *phases;	/* the letters it takes, NULL: "XM".  Without
				 * "B" in it, pairs of "B" and "E" on a lane
				 * come as one "X" when they are closed */
	int strict;
	/* &tp_databases: SQLite is read too, and only then its library is part
	 * of the program */
	const struct tp_events_source *databases;
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
 * with ERR: err->fatal says that nothing more can be read (what came before
 * was good), else one event is damaged ("event.baddur": its time or that of
 * an "X" how long it took is missing, no number, negative as a duration, or
 * too far from the base: 106 days) and the next call goes on.
 */
int tp_events_next(struct tp_events *events, struct tp_event *event,
    struct tp_err *err);
void tp_events_close(struct tp_events *events);

/*
 * Lane I (below the count), and what metadata has called it so far, or NULL:
 * metadata may follow the events, so ask at the end.  NUL-terminated,
 * borrowed until _close; the last name given counts.
 */
size_t tp_events_lane_count(const struct tp_events *events);
const struct tp_lane *tp_events_lane(const struct tp_events *events,
    size_t i);
const char *tp_events_thread_name(const struct tp_events *events,
    size_t lane);
/* The same of a process, by lane->process. */
size_t tp_events_process_count(const struct tp_events *events);
const char *tp_events_process_name(const struct tp_events *events,
    size_t process);

/* Whether this is an xplane.pb. */
int tp_events_is_space(const struct tp_events *events);
/* Which profiler recorded it, a name of share/events, and what for ("cuda"),
 * when that is not the one of a framework, or NULL. */
const char *tp_events_recorder(const struct tp_events *events,
    const char **framework);
/*
 * Whether lanes come one after the other, each in order of the start of its
 * events, and what they are called is known before the first event: an
 * xplane.pb whose lines are sorted.
 */
int tp_events_is_ordered(const struct tp_events *events);

/* The line in which the current element begins; counts up to it, so not for
 * every event. */
uint64_t tp_events_line(struct tp_events *events);

/* Elements of traceEvents so far, of any kind and however damaged. */
uint64_t tp_events_elements(const struct tp_events *events);
/* Whether traceEvents (or a bare array) was found; whether the document held
 * anything at all. */
int tp_events_found(const struct tp_events *events);
int tp_events_blank(const struct tp_events *events);
/*
 * The base: the time of the first event that is not metadata, in whole
 * microseconds and picoseconds (0 .. 999999) of the trace's own clock.  1, or
 * 0 when no event had a time.
 */
int tp_events_base(const struct tp_events *events, int64_t *us, int32_t *ps);
/*
 * A member beside traceEvents ("deviceProperties", "displayTimeUnit") read so
 * far, or NULL; larger ones than 1 MiB are passed over with a note.  Its
 * numbers are doubles.
 */
const struct cJSON *tp_events_member(const struct tp_events *events,
    const char *name);

/*
 * The decimal TEXT in microseconds as *US and *PS (0 .. 999999; a negative
 * time counts up from the microsecond below).  Exact; finer than 1 ps is
 * rounded half to even.  0, or -1 when it is not a JSON number or does not
 * fit.
 */
int tp_events_us(const char *text, size_t len, int64_t *us, int32_t *ps);

#endif
