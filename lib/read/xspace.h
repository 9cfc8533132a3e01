/*
 * xspace - the events of an XSpace (*.xplane.pb) of JAX/xprof
 *
 * An XSpace contains planes (a host, a device); a plane contains lines (a
 * thread, a stream) of events, and two maps that define its ids.  The maps
 * come after the lines, so a file is walked twice.  Events are returned line
 * by line, in the form of the trace.json that XLA's exporter makes of the
 * same capture, with its pids and tids; in addition what the exporter drops:
 * operations in flight, allocations (phase TP_MEMORY_PHASE), and, as
 * members, the properties of devices.
 *
 * Members: "planes", an object: pid of a plane -> { "name", stat: value };
 * "environment", the same for the plane "Task Environment"; "hostnames", an
 * array of strings.  Values are numbers or strings; integers of more than 15
 * digits are strings.  Bytes are "<opaque bytes>", except
 * "memory_access_breakdown" of a kind of event, the traffic of one
 * execution: "HBM read 4096, VMEM write 512".
 *
 * Source: xplane.proto and xplane_to_trace_events.cc of openxla/xla.  Damage
 * loses only its message and is reported after everything else is read.
 *
 * Memory: reach.h; the event names of one plane; 104 bytes a line.  For GPU
 * captures, whose events are read twice: one program at a time (hlo.h), 300
 * bytes per kernel of a plane, and the texts of their instructions.
 */
#ifndef TP_READ_XSPACE_H
#define TP_READ_XSPACE_H

#include "events_private.h"
#include "proto.h"
#include "reach.h"

/* Field numbers of xplane.proto. */
enum { SPACE_PLANES = 1, SPACE_ERRORS = 2, SPACE_WARNINGS = 3,
    SPACE_HOSTS = 4 };
enum { PLANE_ID = 1, PLANE_NAME = 2, PLANE_LINES = 3, PLANE_KINDS = 4,
    PLANE_STATS = 5, PLANE_OWN = 6 };
enum { LINE_ID = 1, LINE_NAME = 2, LINE_TS = 3, LINE_EVENTS = 4,
    LINE_SHOWN_ID = 10, LINE_SHOWN = 11 };
enum { EVENT_KIND = 1, EVENT_OFFSET = 2, EVENT_DURATION = 3, EVENT_STATS = 4,
    EVENT_TIMES = 5 };
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };
enum { KIND_NAME = 2, KIND_BYTES = 3, KIND_SHOWN = 4, KIND_STATS = 5 };
enum { STAT_ID = 1, STAT_DOUBLE = 2, STAT_UINT = 3, STAT_INT = 4,
    STAT_TEXT = 5, STAT_BYTES = 6, STAT_REF = 7, STAT_PACKED = 8 };
enum { STAT_NAME = 2, STAT_ABOUT = 3 };	/* of the definition of a stat id */
/* Fields of a MemoryAccessBreakdown, the bytes of one stat. */
enum { ACCESSES_LIST = 1, ACCESS_HOW = 1, ACCESS_SPACE = 2,
    ACCESS_BYTES = 3 };

/* Limits beyond any real capture, against damaged or hostile files. */
enum {
	TP_X_PLACES = 1000,		/* places of damage that are counted */
	TP_X_PLANES = 16384,
	TP_X_LINES = 1 << 20,
	TP_X_TEXTS = 100,		/* warnings, host names */
	TP_X_STATS = 1000		/* of a plane */
};

/* The rest of a message in the input. */
struct tp_walk {
	uint64_t at, end;
};

struct tp_xplane {
	struct tp_walk place;
	char *name;
	size_t name_len;
	int64_t id, pid;
	int is_wanted;
	uint64_t events;
};

struct tp_xline {
	struct tp_walk place;
	size_t plane;
	char *name;
	size_t name_len;
	uint64_t tid;
	int64_t ts_ns;
	int64_t first_ps;	/* its first event, relative to TS_NS */
	int64_t last_ps;	/* latest start so far */
	uint64_t events;
	int is_unordered;
	size_t lane;
};

/* A stat of an event or its kind, as the text of argument WANT. */
struct tp_xarg {
	uint32_t want;
	struct tp_arg value;
};

/* Definition of a stat id. */
struct tp_xstat {
	const char *name;
	size_t len;
	int32_t want;		/* argument, or -1 */
	int is_step;		/* it names the event instead */
	int is_accesses;	/* a MemoryAccessBreakdown */
};

/* Definition of an event id. */
struct tp_xkind {
	struct tp_arg name;
	size_t args, arg_count;	/* in x->kind_args */
	enum tp_xuse { TP_X_PLAIN, TP_X_HIDDEN, TP_X_MEMORY } use;
};

/*
 * Map of ids to indexes by first appearance.  Exporters count from 1, so
 * small ids use a table.
 */
struct tp_xids {
	struct tp_ids ids;
	uint32_t *small;		/* index + 1 */
	size_t small_cap;
};

struct tp_xprograms;

struct tp_xspace {
	struct tp_events *e;
	struct tp_reach reach;
	struct tp_arena arena;		/* names of planes and lines */
	struct tp_xplane *planes;
	size_t plane_count, plane_cap;
	struct tp_xline *lines;
	size_t line_count, line_cap;
	struct tp_xprograms *programs;	/* or NULL: nothing to explain */
	/* The current plane. */
	size_t plane;			/* index, or SIZE_MAX */
	struct tp_arena texts;
	struct tp_xids stat_ids, kind_ids;
	struct tp_xstat *stats;		/* as stat_ids */
	size_t stat_cap;
	struct tp_xkind *kinds;		/* as kind_ids */
	size_t kind_cap;
	struct tp_xarg *kind_args;
	size_t kind_arg_count, kind_arg_cap;
	size_t kind_base;		/* number of kinds in earlier planes */
	/* The current line. */
	size_t line;			/* the next one */
	struct tp_walk left;		/* rest of the open one */
	int64_t line_ps;		/* its start since the base */
	int line_is_far;		/* that overflows */
	/* The last event returned. */
	const struct tp_xkind *filled;	/* kind whose arguments, and no others,
					 * are set */
	uint64_t own;			/* arguments of the event itself */
	uint32_t set[TP_ARGS_MAX + 1];
	size_t set_count;
	char numbers[TP_ARGS_MAX + 1][32];
	/* Problems found. */
	int cut;			/* the input ends early */
	int clipped;			/* the last field is truncated */
	uint64_t unnamed, aggregates, broken;
	size_t warnings, hosts;
	const char *wrong;		/* kind of the first damage */
	struct tp_ids damaged;		/* places of damage, up to a limit;
					 * emptied when reported */
};

/* Open E, whose input is an XSpace.  0, or -1 with ERR. */
int tp_xspace_open(struct tp_events *e, struct tp_err *err);
/* Next event, as tp_events_next(). */
int tp_xspace_next(struct tp_xspace *x, struct tp_event *event,
    struct tp_err *err);
/* Write notes about problems. */
void tp_xspace_tell(struct tp_xspace *x);
void tp_xspace_close(struct tp_xspace *x);

/* --- one message (xspace_walk.c) */

/*
 * Next field of W; *AT is the position of its bytes, and W moves past them.
 * 1, 0 at the end, -1 with ERR.  An invalid field ends W and is reported
 * later; a field that exceeds W is truncated, which sets x->clipped.
 */
int tp_xspace_field(struct tp_xspace *x, struct tp_walk *w,
    struct tp_proto_field *f, uint64_t *at, struct tp_err *err);
/* The LEN bytes at AT, complete, as message M; -1 with ERR. */
int tp_xspace_message(struct tp_xspace *x, uint64_t at, uint64_t len,
    struct tp_proto *m, struct tp_err *err);
/* Record that something at AT is WRONG, a literal. */
void tp_xspace_damaged(struct tp_xspace *x, uint64_t at, const char *wrong);

/* --- a plane (xspace_plane.c) */

/* Read the event and stat definitions of plane AT.  0, or -1 with ERR. */
int tp_xspace_open_plane(struct tp_xspace *x, size_t at, struct tp_err *err);
/*
 * Set the arguments of EVENT, of KIND, whose own stats are fields of STATS;
 * *NAME gets its name.
 */
void tp_xspace_fill(struct tp_xspace *x, const struct tp_xkind *kind,
    struct tp_proto event, struct tp_proto stats, struct tp_arg *name);
/* Index of the wanted argument NAME, or -1. */
static inline int
tp_xspace_want(const struct tp_xspace *x, const char *name, size_t len)
{
	const struct tp_arg_names *names = &x->e->reading.names;
	size_t at = tp_arg_names_find(names, name, len);

	return at < names->wanted ? (int)at : -1;
}
/* The kind of ID, or NULL. */
const struct tp_xkind *tp_xspace_kind(const struct tp_xspace *x, uint64_t id);
void tp_xspace_close_plane(struct tp_xspace *x);
/*
 * Definition of stat ID in the plane, or NULL; id of the stat called NAME,
 * or 0.
 */
const struct tp_xstat *tp_xspace_stat(const struct tp_xspace *x, uint64_t id);
uint64_t tp_xspace_stat_id(const struct tp_xspace *x, const char *name);

/* --- programs (xspace_program.c) */

/*
 * GPU kernels name their instruction (stats hlo_op, and program_id or else
 * hlo_module); the programs in the plane /host:metadata describe it (hlo.h).
 * Wanted values that a kernel lacks become its arguments "long_name", "source",
 * "tf_op", "model_flops" and "bytes_accessed".
 *
 * Several kernels may belong to one instruction (a transformation before a
 * convolution, the sum of a split product): per plane, the one with most
 * total time gets the cost, the others none.  When a kernel ran more often
 * than its computation did, as counted by the fusions in it (one kernel
 * each), every run gets an equal part, so that costs add up to what was
 * computed.
 */

/*
 * Find the programs, when events can be explained by them.  0, or -1 with
 * ERR.
 */
int tp_xspace_programs(struct tp_xspace *x, struct tp_err *err);
/* Scan the kernels of PLANE, which is open.  0, or -1 with ERR. */
int tp_xspace_open_programs(struct tp_xspace *x, size_t plane,
    struct tp_err *err);
/* Call SET for the arguments that event M of the open line lacks. */
void tp_xspace_explain(struct tp_xspace *x, struct tp_proto m,
    void (*set)(struct tp_xspace *, uint32_t, const struct tp_arg *));
/* Number of programs that are damaged or larger than the line limit. */
uint64_t tp_xspace_unread_programs(const struct tp_xspace *x);
void tp_xspace_close_programs(struct tp_xspace *x);
void tp_xspace_release_programs(struct tp_xspace *x);

#endif
