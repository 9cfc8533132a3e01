/* events_private - shared by the parts of the event reader; not installed */
#ifndef TP_READ_EVENTS_PRIVATE_H
#define TP_READ_EVENTS_PRIVATE_H

#include <string.h>

#include <tp/buf.h>
#include <tp/hash.h>

#include "classes.h"
#include "events.h"
#include "events_parse.h"
#include "events_seam.h"
#include "json_check.h"
#include "json_simd.h"

/* --- numbers (events_number.c) */

/* Whether TEXT is a number by RFC 8259. */
int tp_json_is_number(const char *text, size_t len);
/* Parse TEXT as an int64_t; -1 when it is none. */
int tp_json_int(const char *text, size_t len, int64_t *n);
/* Split NS into whole microseconds and picoseconds (0 .. 999999). */
static inline int64_t
tp_ns_split(int64_t ns, int32_t *ps)
{
	int64_t rest = ns % 1000 + (ns % 1000 < 0 ? 1000 : 0);

	*ps = (int32_t)rest * 1000;
	return ns / 1000 - (ns % 1000 < 0);
}
/*
 * No profiler records for longer: a time further than this from the base, or a
 * duration above it, is an error of whoever wrote it.
 */
#define TP_DAY_US ((int64_t)86400 * 1000000)
#define TP_DAY_PS (TP_DAY_US * 1000000)
/* Whether US is further than that from FROM_US. */
int tp_events_is_far(int64_t us, int64_t from_us);
/* Picoseconds from the base to the time US, PS; -1 when it is. */
int tp_events_since(int64_t us, int32_t ps, int64_t base_us, int32_t base_ps,
    int64_t *since_ps);

/* --- base (events_number.c): the time that others are relative to */

/* Times of the first events, of which the base is near the median. */
#define TP_FIRST_TIMES 1023
struct tp_first_times {
	int64_t at[TP_FIRST_TIMES];	/* in one unit */
	size_t count;
};

void tp_first_times_add(struct tp_first_times *first, int64_t at);
/* The median; 0 when there is none. */
int tp_first_times_median(struct tp_first_times *first, int64_t *at);

/* --- votes (events_votes.c): whose the first events are */

/* The arguments that tell, for struct tp_events_want. */
extern const char *const tp_vote_args[];

struct tp_votes {
	struct cJSON *ops;
	struct tp_classes events;	/* categories of PyTorch */
	uint64_t torch, xla, other;
	uint64_t *silent;	/* by process: events that its name decides */
	size_t cap;
};

/* 0, or -1 with ERR when share/ops fails; release VOTES in either case. */
int tp_votes_init(struct tp_votes *votes, struct tp_err *err);
void tp_votes_add(struct tp_votes *votes, const struct tp_event *event,
    size_t process);
/* Whose the trace is that PEEK has read the first events of, and IN all. */
enum tp_profiler tp_votes_count(struct tp_votes *votes,
    const struct tp_events *peek, struct tp_in *in);
void tp_votes_release(struct tp_votes *votes);

/* --- window (events_window.c): the part of the input in view */

struct tp_events_part;
struct tp_parts;

struct tp_sight {
	struct tp_in *in;
	const char *view;		/* where the view began */
	const char *p, *end;	/* in view and not yet read */
	const char *block, *block_end;	/* rest of the input's block */
	struct tp_buf carry;	/* an element cut by a block, and what follows
				 * it */
	size_t fresh;		/* bytes at its end that came from the current
				 * block */
	int in_carry;
	struct tp_check *check;	/* strict: all bytes pass through it */
	struct tp_err late;	/* error to report after the bytes before it */
	int has_late, at_end;
	const char *counted;	/* lines are counted up to here */
	uint64_t line;
	struct tp_parts *parts;		/* blocks come from here, or NULL */
	struct tp_events_part *part;	/* the current block */
	uint64_t place;			/* offset of its end */
	struct tp_buf between;		/* bytes between two parts */
};

void tp_sight_init(struct tp_sight *sight, struct tp_in *in,
    struct tp_check *check);
/* Extend the view, which may move: 1, 0 at the end, -1 with ERR. */
int tp_sight_more(struct tp_sight *sight, struct tp_err *err);
/* Fail: an element is larger than the limit.  Always returns -1. */
int tp_sight_large(struct tp_sight *sight, struct tp_err *err);
/* Return from the carry to the block, after the cut element was read. */
void tp_sight_settle(struct tp_sight *sight);
/* Number of LF bytes in P..END. */
uint64_t tp_line_feeds(const char *p, const char *end);
/*
 * Read PARTS, which become the sight's, after the current block; NULL:
 * nothing changes.
 */
void tp_sight_parts(struct tp_sight *sight, struct tp_parts *parts);
/* Line of AT, which is in view. */
uint64_t tp_sight_line(struct tp_sight *sight, const char *at);
void tp_sight_release(struct tp_sight *sight);

/* --- elements (events_element.c) */

enum tp_event_field {
	TP_F_PH, TP_F_NAME, TP_F_CAT, TP_F_ID, TP_F_PID, TP_F_TID, TP_F_TS,
	TP_F_DUR, TP_F_COUNT,
	TP_F_UNUSED = TP_F_COUNT	/* any other member */
};

#define TP_ARG_UNUSED (TP_VALUES - 1)

/* An element as parsed, not yet checked. */
struct tp_element {
	int is_object, empty;
	char phase;
	struct tp_values fields, args;
	struct tp_raw passed;	/* args that were skipped */
	uint64_t words;		/* wanted args that are no JSON value */
};

/* The second word of have, without what nobody asked for. */
static inline uint64_t
tp_args_have(const struct tp_values *args)
{
	return args->have[1] & ~(UINT64_C(1) << (TP_ARG_UNUSED - 64));
}

/* Lookup table of the wanted args. */
#define TP_ARG_NAMES_MAX 127
#define TP_ARG_TWINS_MAX 8
struct tp_arg_names {
	struct tp_arg_name {
		const char *text;	/* LEN bytes */
		size_t len;
		unsigned char arg;	/* arg of this name */
		unsigned char next;	/* index + 1 of the next with the same
					 * length mod 64; 0: none */
	} names[TP_ARG_NAMES_MAX];
	unsigned char first[64];	/* index + 1, by length mod 64; 0:
					 * none */
	size_t name_count;
	struct { unsigned char from, to; } twins[TP_ARG_TWINS_MAX];
	size_t twin_count;	/* args wanted under a name that is already
				 * taken */
	size_t count;		/* args, with the "name" of metadata */
	size_t wanted;		/* without it, unless it was requested */
	size_t name_at;
};

int tp_arg_names_init(struct tp_arg_names *names, const char *const *wanted,
    struct tp_err *err);

/* The arg called TEXT, or TP_ARG_UNUSED. */
static inline size_t
tp_arg_names_find(const struct tp_arg_names *a, const char *text, size_t len)
{
	for (size_t i = a->first[len & 63]; i; i = a->names[i - 1].next)
		if (a->names[i - 1].len == len &&
		    !memcmp(a->names[i - 1].text, text, len))
			return a->names[i - 1].arg;
	return TP_ARG_UNUSED;
}

/*
 * Copy args that are wanted under one name twice.  Call with BEFORE to reset
 * the copies, then after the args of an event are filled.
 */
static inline void
tp_arg_twins(const struct tp_arg_names *names, struct tp_arg *args,
    int before)
{
	for (size_t i = 0; i < names->twin_count; i++) {
		struct tp_arg *to = &args[names->twins[i].to];

		if (before)
			*to = (struct tp_arg){ 0 };
		else if (to->type == TP_ARG_ABSENT)
			*to = args[names->twins[i].from];
	}
}

/* Whether events of PHASE are parsed or only skipped. */
struct tp_phases {
	unsigned char read[256];
};

/*
 * Check that RAW is a value; NaN and the like become absent and are counted
 * in *WORDS.
 */
void tp_raw_judge(struct tp_raw *raw, uint64_t *words);

/* State of the element reader. */
struct tp_reading {
	const struct tp_json_simd *simd;
	struct tp_arg_names names;
	struct tp_phases phases;
	struct tp_seams seams;
	struct tp_buf spare;		/* keys with escapes */
};

/* Read the element at C->p into E. */
enum tp_parse tp_element_read(struct tp_cursor *c, struct tp_reading *r,
    struct tp_element *e);

/* --- lanes (events_lane.c) */

#define TP_RECENT_LANES 64

struct tp_lanes {
	struct tp_names keys, process_keys;
	struct tp_lane *lanes;		/* as keys */
	char **threads;			/* as keys: names, or NULL */
	size_t cap, thread_cap;
	char **processes;		/* as process_keys */
	size_t process_cap;
	struct tp_buf key;
	uint32_t recent[TP_RECENT_LANES];
};

/* Index of the lane of PID and TID, added when new. */
size_t tp_lanes_add(struct tp_lanes *lanes, const struct tp_arg *pid,
    const struct tp_arg *tid);
/*
 * Set the NAME of a thread or PROCESS, unless it is empty.  Whether it had
 * another one.
 */
int tp_lanes_call(struct tp_lanes *lanes, size_t lane, int process,
    const struct tp_arg *name);
/*
 * As tp_lanes_call(), for the lane of PID and TID, or with TID NULL for the
 * process PID; ignored when there is none.
 */
void tp_lanes_name(struct tp_lanes *lanes, const struct tp_arg *pid,
    const struct tp_arg *tid, const struct tp_arg *name);
void tp_lanes_release(struct tp_lanes *lanes);

/* --- pairs (events_pair.c) */

struct tp_open_span {
	struct tp_open_span *below;
	struct tp_event event;
	struct tp_arg args[TP_ARGS_MAX + 1];
	struct tp_buf text;		/* of its strings */
};

struct tp_pairs {
	struct tp_open_span **top;	/* by lane */
	size_t cap;
	struct tp_open_span *spare;	/* free list */
	struct tp_open_span *given;	/* returned last */
	uint64_t unopened;		/* "E" without "B" */
};

/* EVENT opens a span. */
void tp_pairs_begin(struct tp_pairs *pairs, const struct tp_event *event,
    size_t arg_count);
/*
 * EVENT closes the innermost open span of its lane and becomes the whole
 * span; args missing in "B" are taken from "E".  1, or 0 when none is open.
 */
int tp_pairs_end(struct tp_pairs *pairs, struct tp_event *event,
    size_t arg_count);
/* Number of spans still open. */
uint64_t tp_pairs_open(const struct tp_pairs *pairs);
void tp_pairs_release(struct tp_pairs *pairs);

/* --- members (events_member.c) */

struct tp_members {
	struct tp_names names;
	struct cJSON **values;		/* as names; NULL: not kept */
	size_t cap, bytes;
	uint64_t large, damaged;
};

/*
 * Read the value at SIGHT->p, of member NAME.  TP_PARSE_OK, or TP_PARSE_BAD
 * with ERR.
 */
enum tp_parse tp_members_read(struct tp_members *members,
    struct tp_sight *sight, const char *name, size_t len, struct tp_err *err);
/* Store VALUE, taking ownership, as NAME. */
void tp_members_put(struct tp_members *members, const char *name, size_t len,
    struct cJSON *value);
const struct cJSON *tp_members_find(const struct tp_members *members,
    const char *name);
void tp_members_release(struct tp_members *members);

/* --- tallies (tally.c) */

/* A span that a row opened and no row has closed yet. */
struct tp_tally_span {
	int64_t from_ns;
	int is_open;
};

struct tp_tallies {
	struct tp_names names, what;
	struct tp_ids ids;		/* kind and lane, name */
	struct tp_tally *list;		/* as ids */
	size_t cap;
	struct tp_tally_span *open;	/* by lane, of the current table */
	size_t open_cap;
	struct tp_tally_row *rows;
	size_t row_count, row_cap;
	int are_asked;
};

/*
 * Add a row of kind WHAT from FROM to TO on LANE; NAME is NULL or in names.
 * Only a TIMED one has a duration.
 */
void tp_tallies_add(struct tp_tallies *tallies, const char *what, size_t lane,
    const struct tp_name *name, int64_t from, int64_t to, int timed);
/*
 * Put what was for LEAST_PS or longer between two rows of a lane in place of
 * the rows from FIRST on.
 */
void tp_tallies_between(struct tp_tallies *tallies, size_t first,
    int64_t least_ps);
void tp_tallies_release(struct tp_tallies *tallies);

/* --- the reader (events.c), and checking of events (events_judge.c) */

enum tp_events_where {
	TP_AT_START, TP_AT_MEMBERS, TP_AT_LIST, TP_AT_SPACE, TP_AT_SOURCE,
	TP_AT_END, TP_AT_GONE
};

struct tp_xspace;
struct tp_recorder;

/*
 * A source of events other than JSON (queries.h, row_events.h); STATE is
 * what open returned.
 */
struct tp_events_source {
	/* Begin to read for E; NULL with ERR. */
	void *(*open)(struct tp_events *e, struct tp_err *err);
	/* Next event, as tp_events_next(). */
	int (*next)(void *state, struct tp_event *event, struct tp_err *err);
	/*
	 * Finish: write notes about problems.  Only recorder may be called
	 * after it.  NULL: there are none.
	 */
	void (*tell)(void *state);
	const struct tp_recorder *(*recorder)(const void *state);
	void (*close)(void *state);
};

struct tp_events {
	struct tp_sight sight;
	struct tp_check check;
	struct tp_trace *trace;
	struct tp_reading reading;
	unsigned char given[256];	/* phases the filter takes */
	int pairing, strict;
	enum tp_profiler profiler;
	size_t jobs;		/* threads allowed; 1: parts were asked for */
	char boundary[TP_SEAM_MAX];	/* between two elements, up to the
					 * first key; empty: not known */
	size_t boundary_len;
	enum tp_events_where where;
	int bare, found, blank, first;	/* FIRST: a bracket was just opened */
	struct tp_element element;
	struct tp_arg args[TP_ARGS_MAX + 1];
	uint64_t have[2];		/* args that are not absent */
	struct tp_buf text;		/* decoded strings */
	struct tp_lanes lanes;
	struct tp_pairs pairs;
	struct tp_members members;
	struct tp_tallies tallies;
	int tallying;		/* the filter wants them */
	uint64_t elements, others, empty, trailing, unmatched, renamed,
	    unphased;
	int ends_empty;		/* the last one is empty, as some exporters end
				 * lists */
	int has_base, has_median;
	int64_t base_us, median_us;
	int32_t base_ps;
	struct tp_first_times *sample;	/* being gathered, or NULL */
	struct {
		uint64_t controls, commas, strings, utf8, words;
	} repaired;
	const char *at;			/* the current element */
	int is_ordered;			/* as tp_events_is_ordered() */
	struct tp_xspace *space;	/* of an xplane.pb, or NULL */
	const struct tp_events_source *source;	/* or NULL; and its state */
	void *state;
};

/*
 * The time US, PS since the base, which it becomes if it is the first near
 * the median; -1 when it is too far from either.
 */
int tp_events_time(struct tp_events *e, int64_t us, int32_t ps,
    int64_t *ts_ps);
/*
 * Complete V, an event made from a row of a database or table: its times,
 * name, category are set, its args are e->args.
 */
void tp_events_of_row(struct tp_events *e, struct tp_event *v,
    const struct tp_arg *pid, const struct tp_arg *tid);

/*
 * Check e->element: 1 when *EVENT was made from it and is to be returned, 0
 * when it is not, -1 with ERR.
 */
int tp_events_judge(struct tp_events *e, struct tp_event *event,
    struct tp_err *err);

#endif
