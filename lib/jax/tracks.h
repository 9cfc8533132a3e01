/*
 * tracks - the complete events of a trace, by track
 *
 * A track is one lane of one file (one host), a slice one complete event on
 * it.  Slices are kept in file order, because metadata that names their
 * track may come last.  Times are picoseconds since the first event of their
 * file; times of two hosts are not comparable unless IS_ALIGNED.  Memory: 48
 * bytes a slice, 4 more once tp_tracks_nest() has run, and the distinct
 * names and arguments.
 */
#ifndef TP_JAX_TRACKS_H
#define TP_JAX_TRACKS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>

struct tp_events;

/* Text 0 of every table below is "": argument absent. */
struct tp_jax_event {
	int64_t from_ps, to_ps;
	int64_t own_ps;		/* exclusive time, after tp_tracks_nest() */
	uint32_t track;
	uint32_t name;		/* in names */
	uint32_t detail;	/* in details */
	uint32_t uid;		/* position in the file, counting all events */
	uint32_t parent;	/* enclosing slice + 1, 0: none; set by
				 * tp_tracks_nest() */
	uint32_t depth;		/* number of enclosing slices */
};

/* Role of a track, set by the analysis, which knows the producer. */
enum tp_role {
	TP_ROLE_OTHER, TP_ROLE_HOST, TP_ROLE_DEVICE, TP_ROLE_OPS,
	TP_ROLE_FLIGHT,		/* transfers in flight */
	TP_ROLE_STEPS
};

struct tp_track {
	uint32_t host, lane;
	int64_t pid, tid;
	const char *process, *thread;	/* names, or NULL */
	uint32_t first, count;	/* range in tracks->order */
	enum tp_role role;
	int holds_programs;	/* its slices are executions of programs */
	int is_awaited;		/* announced, but has no events yet */
};

/* Arguments of a slice that describe its operation. */
enum tp_detail_key {
	TP_DETAIL_TF_OP, TP_DETAIL_LONG_NAME, TP_DETAIL_SOURCE,
	    TP_DETAIL_CATEGORY,
	TP_DETAIL_MODEL_FLOPS, TP_DETAIL_BYTES, TP_DETAIL_KERNEL,
	    TP_DETAIL_PROGRAM,
	TP_DETAIL_FLOPS, TP_DETAIL_ACCESSES, TP_DETAIL_STACK, TP_DETAIL_COPY,
	TP_DETAIL_MODULE,
	TP_DETAILS
};

struct tp_detail {
	uint32_t of[TP_DETAILS];	/* in texts */
};

/* An argument as read; absent when LEN is 0. */
struct tp_detail_text {
	const char *text;
	size_t len;
};

struct tp_tracks {
	struct tp_jax_event *slices;
	size_t count, cap;
	struct tp_track *tracks;	/* in order of first appearance */
	size_t track_count, track_cap;
	struct tp_names names, texts;
	struct tp_detail *details;
	size_t detail_count, detail_cap;
	/* Measurements of slices that share name and detail. */
	struct tp_ids measured_ids;
	struct tp_jax_measured {
		int64_t stall_ps;	/* part of their time waiting for DMA */
		double scaled_ps;	/* extra time at the nominal clock; may
					 * be negative */
		int has_scale;
		/*
		 * Over slices that the device's own clock also times: duration
		 * in the trace, by that clock, sum and maximum of the
		 * difference.
		 */
		int64_t timed_ps, device_ps, differ_ps, differ_max_ps;
	} *measured;
	size_t measured_cap;
	uint32_t *order;	/* slices by track, then by (from, longest, file
				 * order) */
	struct tp_tracks_axis {
		int64_t first_ps, last_ps;	/* range of the slices */
		int is_cut;		/* the exporter dropped what begins
					 * after */
		int64_t cut_ps;		/* this */
	} *axes;		/* per host, each with its own zero */
	size_t host_count, axis_cap;
	int is_aligned;		/* all hosts use the axis of the first, by time
				 * of day */
	size_t named_processes, named_threads;
	/* Internal: */
	struct tp_ids track_ids;
	struct tp_names detail_keys;	/* the bytes of each of details */
	size_t last_track;
	uint32_t *last_detail;	/* per name */
	size_t last_detail_cap;
};

/* Initialise a struct. */
void tp_tracks_init(struct tp_tracks *tracks);
void tp_tracks_release(struct tp_tracks *tracks);

/* Index of TEXT in texts, added when new. */
ptrdiff_t tp_tracks_text(struct tp_tracks *tracks, const char *text,
    size_t len);

/* A name and arguments, as indexes into names and details. */
struct tp_described {
	uint32_t name, detail;
};

/* NAME with arguments TOLD, added when new. */
struct tp_described tp_tracks_describe(struct tp_tracks *tracks,
    const char *name, size_t name_len,
    const struct tp_detail_text told[TP_DETAILS]);

/* Add MORE to *SUM. */
void tp_jax_measured_add(struct tp_jax_measured *sum,
    const struct tp_jax_measured *more);
/* Add MEASURED to the measurements of slices that D describes. */
void tp_tracks_measure(struct tp_tracks *tracks, const struct tp_described *d,
    const struct tp_jax_measured *measured);

/*
 * Append the slice [FROM_PS, TO_PS), described by D, to LANE of HOST.
 * Returns it, valid until the next call, or NULL with ERR (TP_LIMIT).
 */
struct tp_jax_event *tp_tracks_add(struct tp_tracks *tracks, uint32_t host,
    size_t lane, int64_t from_ps, int64_t to_ps,
    const struct tp_described *d, struct tp_err *err);

/*
 * Call when EVENTS, the file of HOST, has been read: copy the names of its
 * lanes.
 */
void tp_tracks_names(struct tp_tracks *tracks, uint32_t host,
    const struct tp_events *events);

/* Create tracks of HOST for the lanes of EVENTS before their events come. */
void tp_tracks_lanes(struct tp_tracks *tracks, uint32_t host,
    const struct tp_events *events);
/* The track of LANE, created by tp_tracks_lanes(). */
const struct tp_track *tp_tracks_of_lane(struct tp_tracks *tracks,
    uint32_t host, size_t lane);
/* Drop the slices and keep everything else. */
void tp_tracks_drop(struct tp_tracks *tracks);

/*
 * Move the COUNT slices AT, of nested tracks, to a track of PROCESS, called
 * THREAD, for each track they are on; there they are nested again.  What
 * stays keeps its own_ps.  The names are borrowed.
 */
void tp_tracks_split(struct tp_tracks *tracks, const uint32_t *at, size_t count,
    const char *process, const char *thread);

/*
 * Set own_ps, parent and depth of every slice, track by track.  A slice's
 * parent is the innermost slice that started before it and ends no earlier.  A
 * slice that outlasts the one it started in ends the nesting there; nothing is
 * clipped, and own_ps is at least 0.
 */
void tp_tracks_nest(struct tp_tracks *tracks);

/*
 * Call WITH(ARG, slice, from, to) for each interval of TRACK in which SLICE is
 * innermost, in order; together they cover the slices exactly once.  A slice
 * that outlasts the one it started in continues when that has ended.
 */
void tp_tracks_innermost(const struct tp_tracks *tracks,
    const struct tp_track *track, void (*with)(void *arg,
    const struct tp_jax_event *slice, int64_t from_ps, int64_t to_ps),
    void *arg);

/*
 * Tracks of some roles, grouped by process: by host, pid, and first
 * appearance.  A zeroed struct is an empty list; LIST is to be freed.
 */
struct tp_track_list {
	const struct tp_track **list;
	size_t count, cap;
};

/* Fill LIST with the tracks of roles FIRST to LAST that have slices. */
void tp_tracks_of(const struct tp_tracks *tracks, enum tp_role first,
    enum tp_role last, struct tp_track_list *list);
/* Index of the first track of the process after that of track AT. */
size_t tp_track_list_next(const struct tp_track_list *list, size_t at);

static inline int64_t
tp_slice_ps(const struct tp_jax_event *slice)
{
	return slice->to_ps - slice->from_ps;
}

/* Add PS to *SUM, saturating at INT64_MAX (106 days). */
static inline void
tp_ps_add(int64_t *sum, int64_t ps)
{
	if (__builtin_add_overflow(*sum, ps, sum))
		*sum = INT64_MAX;
}

static inline const char *
tp_slice_name(const struct tp_tracks *tracks, const struct tp_jax_event *slice)
{
	return tracks->names.names[slice->name].text;
}

/* Whether SLICE is a call of a Python function ("$train.py:40 step"). */
static inline int
tp_jax_is_python(const struct tp_tracks *tracks,
    const struct tp_jax_event *slice)
{
	return *tp_slice_name(tracks, slice) == '$';
}

/* Text WHAT of detail AT; "" when it is absent. */
static inline const char *
tp_detail_get(const struct tp_tracks *tracks, uint32_t at,
    enum tp_detail_key what)
{
	return tracks->texts.names[tracks->details[at].of[what]].text;
}

/* Text of the program of detail AT: its id, else the name of its module. */
static inline uint32_t
tp_detail_program(const struct tp_tracks *tracks, uint32_t at)
{
	const uint32_t *of = tracks->details[at].of;

	return of[TP_DETAIL_PROGRAM] ? of[TP_DETAIL_PROGRAM] :
	    of[TP_DETAIL_MODULE];
}

static inline const char *
tp_slice_tf_op(const struct tp_tracks *tracks, const struct tp_jax_event *slice)
{
	return tp_detail_get(tracks, slice->detail, TP_DETAIL_TF_OP);
}

#endif
