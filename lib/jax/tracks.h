/*
 * tracks - the complete events of a trace, by track
 *
 * A track is one lane of one file (one host), a slice one complete event on
 * it.  Slices are kept in the order of the file, because metadata that names
 * their track may come last.  Times are picoseconds since the first event of
 * their file: those of two hosts cannot be compared, unless IS_ALIGNED.
 * Memory: 48 bytes a slice, 4 more once tp_tracks_order() has run, and the
 * distinct names and arguments.
 */
#ifndef TP_JAX_TRACKS_H
#define TP_JAX_TRACKS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>

struct tp_events;

/* Text 0 of every table below is "": the argument was absent. */
struct tp_jax_event {
	int64_t from_ps, to_ps;
	int64_t own_ps;		/* exclusive time, after tp_tracks_nest() */
	uint32_t track;
	uint32_t name;		/* in names */
	uint32_t detail;	/* in details */
	uint32_t uid;		/* position in the file, all events counted */
	uint32_t parent;	/* slice + 1 it lies in, 0: none; after
				 * tp_tracks_nest() */
	uint32_t depth;		/* slices it lies in */
};

/* What a track's slices are; set by the analysis that knows the producer. */
enum tp_role {
	TP_ROLE_OTHER, TP_ROLE_HOST, TP_ROLE_DEVICE, TP_ROLE_OPS,
	TP_ROLE_FLIGHT,		/* operations in flight beside the others */
	TP_ROLE_STEPS
};

struct tp_track {
	uint32_t host, lane;
	int64_t pid, tid;
	const char *process, *thread;	/* names, or NULL */
	uint32_t first, count;	/* its part of tracks->order */
	enum tp_role role;
	int holds_programs;	/* executions of whole programs */
	int is_awaited;		/* it is known before its events */
};

/* What the arguments of a slice say of the operation that it is a call of. */
enum tp_jax_told {
	TP_TOLD_TF_OP, TP_TOLD_LONG_NAME, TP_TOLD_SOURCE, TP_TOLD_CATEGORY,
	TP_TOLD_MODEL_FLOPS, TP_TOLD_BYTES, TP_TOLD_KERNEL, TP_TOLD_PROGRAM,
	TP_TOLD_FLOPS, TP_TOLD_ACCESSES, TP_TOLD_STACK, TP_TOLDS
};

struct tp_detail {
	uint32_t of[TP_TOLDS];	/* in texts */
};

/* The same as it is read; without LEN it is absent. */
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
	/* what slices of one name and detail measured of themselves */
	struct tp_ids measured_ids;
	struct tp_jax_measured {
		int64_t stall_ps;	/* of their time, waiting for DMA */
		double scaled_ps;	/* what their time would be longer at
					 * the nominal clock; may be negative */
		int has_scale;
		/* of those whose length the device's own clock tells too: by
		 * the trace, by that clock, and how far these are apart, in
		 * sum and at most */
		int64_t timed_ps, device_ps, differ_ps, differ_max_ps;
	} *measured;
	size_t measured_cap;
	uint32_t *order;	/* slices by track, then by (from, longest,
				 * file order) */
	struct tp_tracks_axis {
		int64_t first_ps, last_ps;	/* range of the slices */
	} *axes;		/* of each host, which has its own zero */
	size_t host_count, axis_cap;
	int is_aligned;		/* hosts are on the axis of the first, by what
				 * time of day it was */
	size_t named_processes, named_threads;
	/* inside */
	struct tp_ids track_ids;
	struct tp_names detail_keys;	/* the bytes of each of details */
	size_t last_track;
	uint32_t *last_detail;	/* per name */
	size_t last_detail_cap;
};

/* A zeroed struct becomes an empty store; 0, or -1 without memory. */
int tp_tracks_init(struct tp_tracks *tracks);
void tp_tracks_release(struct tp_tracks *tracks);

/* TEXT as an index in texts; -1 without memory. */
ptrdiff_t tp_tracks_text(struct tp_tracks *tracks, const char *text,
    size_t len);

/* A name and arguments, as indexes in names and details. */
struct tp_described {
	uint32_t name, detail;
};

/* NAME with TOLD into *D; -1 without memory. */
int tp_tracks_describe(struct tp_tracks *tracks, const char *name,
    size_t name_len, const struct tp_detail_text told[TP_TOLDS],
    struct tp_described *d);

/* Add MORE to *SUM. */
void tp_jax_measured_add(struct tp_jax_measured *sum,
    const struct tp_jax_measured *more);
/* A slice that D describes says MEASURED; -1 without memory. */
int tp_tracks_measure(struct tp_tracks *tracks, const struct tp_described *d,
    const struct tp_jax_measured *measured);

/*
 * Append [FROM_PS, TO_PS), which D describes, on LANE of HOST.  Returns the
 * new slice, valid until the next call, or NULL with ERR set (TP_LIMIT).
 */
struct tp_jax_event *tp_tracks_add(struct tp_tracks *tracks, uint32_t host,
    size_t lane, int64_t from_ps, int64_t to_ps,
    const struct tp_described *d, struct tp_err *err);

/* When EVENTS, the file of HOST, has been read: take what its lanes are
 * called.  0, or -1 without memory. */
int tp_tracks_names(struct tp_tracks *tracks, uint32_t host,
    const struct tp_events *events);

/* Lanes of EVENTS become tracks of HOST before any of their events.  0, or -1
 * without memory. */
int tp_tracks_lanes(struct tp_tracks *tracks, uint32_t host,
    const struct tp_events *events);
/* The track of LANE, which was one of them. */
const struct tp_track *tp_tracks_of_lane(struct tp_tracks *tracks,
    uint32_t host, size_t lane);
/* Forget the slices; all else stays. */
void tp_tracks_drop(struct tp_tracks *tracks);

/* When all has been added: build order.  A call when that is done does
 * nothing.  0 or -1 with ERR set. */
int tp_tracks_order(struct tp_tracks *tracks, struct tp_err *err);

/*
 * own_ps, parent and depth of every slice, track by track: a slice lies in
 * the innermost one that started before it and ends no earlier.  One that
 * ends after the slice it started in ends that one's nesting (nothing is
 * clipped; own_ps is at least 0).  Orders first.  0 or -1 with ERR set.
 */
int tp_tracks_nest(struct tp_tracks *tracks, struct tp_err *err);

/*
 * Call WITH(ARG, slice, from, to) for each stretch of TRACK in which SLICE is
 * the innermost, in order; they cover its slices once.  A slice that ends
 * after the one it started in goes on when that has ended.  Stops when WITH
 * returns other than 0, and returns that; -1 without memory.
 */
int tp_tracks_innermost(const struct tp_tracks *tracks,
    const struct tp_track *track, int (*with)(void *arg,
    const struct tp_jax_event *slice, int64_t from_ps, int64_t to_ps),
    void *arg);

/* Tracks of one role, those of one process together: by host, pid, and first
 * appearance.  A zeroed struct is an empty list; the list is to be freed. */
struct tp_track_list {
	const struct tp_track **list;
	size_t count, cap;
};

/* Fill LIST with the tracks of role FIRST to LAST that hold slices.  0, or -1
 * without memory. */
int tp_tracks_of(const struct tp_tracks *tracks, enum tp_role first,
    enum tp_role last, struct tp_track_list *list);
/* Where the tracks of the next process begin after those at AT. */
size_t tp_track_list_next(const struct tp_track_list *list, size_t at);

static inline int64_t
tp_slice_ps(const struct tp_jax_event *slice)
{
	return slice->to_ps - slice->from_ps;
}

/* Add PS to *SUM; a sum above 106 days stays there. */
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

/* Text WHAT of detail AT; "" when it is absent. */
static inline const char *
tp_told(const struct tp_tracks *tracks, uint32_t at, enum tp_jax_told what)
{
	return tracks->texts.names[tracks->details[at].of[what]].text;
}

static inline const char *
tp_slice_tf_op(const struct tp_tracks *tracks, const struct tp_jax_event *slice)
{
	return tp_told(tracks, slice->detail, TP_TOLD_TF_OP);
}

#endif
