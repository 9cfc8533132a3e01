/*
 * xspace - the events of an XSpace (*.xplane.pb) of JAX/xprof
 *
 * An XSpace is planes (a host, a device), a plane is lines (a thread, a
 * stream) of events and two maps that say what their ids mean, which come
 * after the lines: so a file is walked twice.  Events come as those of the
 * trace.json that XLA's exporter makes of the same capture, with its pids and
 * tids, line by line; beside them what the exporter drops: operations in
 * flight, allocations (phase TP_MEMORY_PHASE), and as members what planes
 * say of their devices.
 *
 * Members: "planes", an object: pid of a plane -> { "name", stat: value };
 * "environment", the same of the plane "Task Environment"; "hostnames", a
 * list of texts.  Values are numbers, or texts; integers of more than 15
 * digits are texts.  Bytes are "<opaque bytes>", but for
 * "memory_access_breakdown" of a kind of event, what one execution moves:
 * "HBM read 4096, VMEM write 512".
 *
 * Facts: xplane.proto and xplane_to_trace_events.cc of openxla/xla.
 * Damage costs the message it is in, and is told when all else is read.
 *
 * Memory: reach.h; what one plane calls its events; 104 bytes a line.  Of a
 * capture of GPUs, whose events are read twice, one program at a time (hlo.h),
 * 300 bytes a kernel of a plane, and the texts of instructions that have any.
 */
#ifndef TP_READ_XSPACE_H
#define TP_READ_XSPACE_H

#include "events_private.h"
#include "proto.h"
#include "reach.h"

/* Numbers of fields, as xplane.proto has them. */
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
enum { STAT_NAME = 2, STAT_ABOUT = 3 };	/* of what a stat id means */
/* Of a MemoryAccessBreakdown, the bytes of one stat. */
enum { ACCESSES_LIST = 1, ACCESS_HOW = 1, ACCESS_SPACE = 2,
    ACCESS_BYTES = 3 };

/* No capture has more; what is damaged or hostile may. */
enum {
	TP_X_PLACES = 1000,		/* of damage that are counted */
	TP_X_PLANES = 16384,
	TP_X_LINES = 1 << 20,
	TP_X_TEXTS = 100,		/* warnings, hosts */
	TP_X_STATS = 1000		/* of a plane */
};

/* What is left of a message in the input. */
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
	int64_t first_ps;	/* of its first event behind TS_NS */
	int64_t last_ps;	/* of the latest so far */
	uint64_t events;
	int is_unordered;
	size_t lane;
};

/* A stat that an event or its kind has: its text as argument WANT. */
struct tp_xarg {
	uint32_t want;
	struct tp_arg value;
};

/* What a stat id means. */
struct tp_xstat {
	const char *name;
	size_t len;
	int32_t want;		/* argument, or -1 */
	int is_step;		/* names the event instead */
	int is_accesses;	/* a MemoryAccessBreakdown */
};

/* What an event id means. */
struct tp_xkind {
	struct tp_arg name;
	size_t args, arg_count;	/* in x->kind_args */
	enum tp_xuse { TP_X_PLAIN, TP_X_HIDDEN, TP_X_MEMORY } use;
};

/* Ids to indexes by first appearance; exporters count from 1, so small ones
 * are looked up in a table. */
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
	struct tp_xprograms *programs;	/* or NULL: nothing to be explained */
	/* the plane that is read */
	size_t plane;			/* index, or SIZE_MAX */
	struct tp_arena texts;
	struct tp_xids stat_ids, kind_ids;
	struct tp_xstat *stats;		/* as stat_ids */
	size_t stat_cap;
	struct tp_xkind *kinds;		/* as kind_ids */
	size_t kind_cap;
	struct tp_xarg *kind_args;
	size_t kind_arg_count, kind_arg_cap;
	size_t kind_base;		/* kinds of the planes before */
	/* the line that is read */
	size_t line;			/* the next */
	struct tp_walk left;		/* of the one that is open */
	int64_t line_ps;		/* since the base */
	int line_is_far;		/* that does not fit */
	/* the event given last */
	const struct tp_xkind *filled;	/* whose arguments are set, and no
					 * other */
	uint64_t own;			/* arguments that it has itself */
	uint32_t set[TP_ARGS_MAX + 1];
	size_t set_count;
	char numbers[TP_ARGS_MAX + 1][32];
	/* what was odd */
	int cut;			/* the input ends early */
	int clipped;			/* the field given last is not all
					 * there */
	uint64_t unnamed, aggregates;
	size_t warnings, hosts;
	const char *wrong;		/* with what is damaged first */
	struct tp_ids damaged;		/* places, the first of many; empty
					 * once it is told */
};

/* Events of E, whose input is an XSpace; 0, or -1 with ERR. */
int tp_xspace_open(struct tp_events *e, struct tp_err *err);
/* The next, as tp_events_next(). */
int tp_xspace_next(struct tp_xspace *x, struct tp_event *event,
    struct tp_err *err);
/* Note what was odd; 0, or -1 without memory. */
int tp_xspace_tell(struct tp_xspace *x);
void tp_xspace_close(struct tp_xspace *x);

/* --- one message (xspace_walk.c) */

/*
 * The next field of W; *AT is where its bytes are, behind which W then stands.
 * 1, 0 at the end, -1 with ERR.  What is no field ends W and is told at the
 * end; a field that goes beyond W is cut short, which x->clipped says.
 */
int tp_xspace_field(struct tp_xspace *x, struct tp_walk *w,
    struct tp_proto_field *f, uint64_t *at, struct tp_err *err);
/* The LEN bytes at AT, all of which are there, as M; -1 with ERR. */
int tp_xspace_message(struct tp_xspace *x, uint64_t at, uint64_t len,
    struct tp_proto *m, struct tp_err *err);
/* Something is WRONG, a literal, at place AT. */
void tp_xspace_damaged(struct tp_xspace *x, uint64_t at, const char *wrong);

/* --- a plane (xspace_plane.c) */

/* Read what the plane AT calls its events, and its stats.  0, or -1 with
 * ERR. */
int tp_xspace_open_plane(struct tp_xspace *x, size_t at, struct tp_err *err);
/* Set the arguments of EVENT, of KIND, whose own stats are fields of STATS;
 * *NAME becomes what it is called.  0, or -1 without memory. */
int tp_xspace_fill(struct tp_xspace *x, const struct tp_xkind *kind,
    struct tp_proto event, struct tp_proto stats, struct tp_arg *name);
/* Which argument the filter wants by this name, or -1. */
static inline int
tp_xspace_want(const struct tp_xspace *x, const char *name, size_t len)
{
	const struct tp_arg_names *names = &x->e->reading.names;
	size_t at = tp_arg_names_find(names, name, len);

	return at < names->wanted ? (int)at : -1;
}
/* The kind that ID means, or NULL. */
const struct tp_xkind *tp_xspace_kind(const struct tp_xspace *x, uint64_t id);
void tp_xspace_close_plane(struct tp_xspace *x);
/* What the stat ID of the plane means, or NULL; the id of the one called NAME,
 * or 0. */
const struct tp_xstat *tp_xspace_stat(const struct tp_xspace *x, uint64_t id);
uint64_t tp_xspace_stat_id(const struct tp_xspace *x, const char *name);

/* --- programs (xspace_program.c) */

/*
 * Kernels of a GPU name the instruction they are of (stats hlo_op, and
 * program_id or else hlo_module), the programs of the plane /host:metadata
 * tell of it what hlo.h says.  What of that is wanted and a kernel lacks
 * becomes its arguments "long_name", "source", "tf_op", "model_flops" and
 * "bytes_accessed".
 *
 * Several kernels may be of one instruction (a transformation before a
 * convolution, the sum of a split product): of one plane the one that took
 * longest in all has the cost, the others have none.  Where it ran more often
 * than its computation, as the fusions of that tell, which are one kernel
 * each, it has an equal part; so costs add up to what was computed.
 */

/* Find what programs there are, when events can be explained by them.  0, or
 * -1 with ERR. */
int tp_xspace_programs(struct tp_xspace *x, struct tp_err *err);
/* Look through the kernels of PLANE, which is open.  0, or -1 with ERR. */
int tp_xspace_open_programs(struct tp_xspace *x, size_t plane,
    struct tp_err *err);
/* SET the arguments of the event M of the open line that it lacks. */
void tp_xspace_explain(struct tp_xspace *x, struct tp_proto m,
    void (*set)(struct tp_xspace *, uint32_t, const struct tp_arg *));
/* Programs that are damaged, or larger than the limit of a line. */
uint64_t tp_xspace_unread_programs(const struct tp_xspace *x);
void tp_xspace_close_programs(struct tp_xspace *x);
void tp_xspace_release_programs(struct tp_xspace *x);

#endif
