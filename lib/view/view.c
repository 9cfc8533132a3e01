/* view - write a timeline for Perfetto: tracks with slices, counters, arrows */
#include <string.h>

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/order.h>
#include <tp/view.h>

#include "proto_out.h"

/* Field numbers of protos/perfetto/trace (perfetto.dev), which never change. */
enum { TRACE_PACKET = 1 };
enum { PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11,
	PACKET_INTERNED = 12, PACKET_FLAGS = 13, PACKET_TRACK = 60 };
enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_ARG = 3 };
enum { ENTRY_IID = 1, ENTRY_NAME = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5, TRACK_COUNTER = 8,
	TRACK_ORDERING = 11, TRACK_RANK = 12 };
enum { ORDER_EXPLICIT = 3 };
enum { COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6 };
enum { UNIT_NS = 1, UNIT_BYTES = 3 };
enum { EVENT_CATEGORY = 3, EVENT_ARG = 4, EVENT_TYPE = 9, EVENT_NAME = 10,
	EVENT_TRACK = 11, EVENT_DOUBLE = 44, EVENT_FLOW = 47 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_COUNTER = 4 };
enum { ARG_NAME = 1, ARG_INT = 4, ARG_TEXT = 6 };

#define SEQUENCE 1
#define NONE 0		/* interned ids begin at 1 */

/* A slice, or a value of a counter. */
struct item {
	int64_t from, to;
	union {
		uint64_t args;	/* offset in the view's args; length arg_len */
		double value;
	};
	uint32_t track, name, category, arg_len;
};

struct flow {
	uint64_t id;
	int64_t at;
	uint32_t track;
	int is_end;
};

struct track {
	uint32_t parent, name;
	const char *unit;
	int is_counter, is_hidden;
	uint32_t first, count;		/* its items after sort() */
	uint32_t flow_first, flow_count;
};

struct tp_view {
	struct tp_names names, categories, keys, places;
	uint32_t *place_tracks;		/* by index in places */
	size_t place_cap;
	struct track *tracks;
	size_t track_count, track_cap;
	struct item *items;
	size_t count, cap;
	struct flow *flows;
	size_t flow_count, flow_cap;
	struct tp_buf args, part;
	uint64_t args_from;		/* args of the next slice begin here */
};

struct tp_view *
tp_view_open(void)
{
	return tp_zalloc(sizeof(struct tp_view));
}

/* The id of TEXT in NAMES, added if new. */
static uint32_t
intern(struct tp_names *names, const char *text, size_t len)
{
	return (uint32_t)tp_names_add(names, text, len) + 1;
}

uint32_t
tp_view_track(struct tp_view *v, uint32_t parent, const char *name,
    size_t len)
{
	struct track *t = TP_PUSH(v->tracks, v->track_count, v->track_cap);

	t->parent = parent;
	t->name = intern(&v->names, name, len);
	return (uint32_t)v->track_count - 1;
}

uint32_t
tp_view_find(struct tp_view *v, uint32_t parent, const char *name,
    size_t len)
{
	size_t had = v->places.count;
	ptrdiff_t at;

	tp_buf_clear(&v->part);
	tp_buf_add(&v->part, (const char *)&parent, sizeof parent);
	tp_buf_add(&v->part, name, len);
	at = tp_names_add(&v->places, v->part.p, v->part.len);
	tp_buf_clear(&v->part);
	TP_ITEM(v->place_tracks, v->place_cap, at);
	if (v->places.count > had)
		v->place_tracks[at] = tp_view_track(v, parent, name, len);
	return v->place_tracks[at];
}

void
tp_view_rename(struct tp_view *v, uint32_t track, const char *name,
    size_t len)
{
	v->tracks[track].name = intern(&v->names, name, len);
}

void
tp_view_arg_text(struct tp_view *v, const char *key, const char *text,
    size_t len)
{
	tp_put_int(&v->part, ARG_NAME, intern(&v->keys, key, strlen(key)));
	tp_put_text(&v->part, ARG_TEXT, text, len);
	tp_put_message(&v->args, EVENT_ARG, &v->part);
}

void
tp_view_arg_int(struct tp_view *v, const char *key, int64_t n)
{
	tp_put_int(&v->part, ARG_NAME, intern(&v->keys, key, strlen(key)));
	tp_put_int(&v->part, ARG_INT, (uint64_t)n);
	tp_put_message(&v->args, EVENT_ARG, &v->part);
}

static struct item *
new_item(struct tp_view *v, uint32_t track, int64_t from, int64_t to)
{
	struct item *i;

	if (v->count == UINT32_MAX)
		tp_no_memory();
	i = TP_PUSH(v->items, v->count, v->cap);
	i->track = track;
	i->from = from;
	i->to = to;
	return i;
}

void
tp_view_slice(struct tp_view *v, uint32_t track, int64_t from, int64_t to,
    const char *name, size_t len, const char *category, size_t category_len)
{
	struct item *i = new_item(v, track, from, to < from ? from : to);

	i->name = intern(&v->names, name, len);
	if (category_len)
		i->category = intern(&v->categories, category, category_len);
	i->args = v->args_from;
	i->arg_len = (uint32_t)(v->args.len - v->args_from);
	v->args_from = v->args.len;
}

void
tp_view_value(struct tp_view *v, uint32_t track, int64_t at, double value,
    const char *unit)
{
	struct item *i = new_item(v, track, at, at);

	i->value = value;
	v->tracks[track].is_counter = 1;
	v->tracks[track].unit = unit;
}

void
tp_view_flow(struct tp_view *v, uint32_t track, int64_t at, uint64_t id,
    int is_end)
{
	TP_APPEND(v->flows, v->flow_count, v->flow_cap, (struct flow){ id, at,
	    track, is_end });
}

/* An enclosing slice sorts before the slices inside it. */
TP_ORDER(by_time, struct item, TP_UP(track) TP_UP(from) TP_DOWN(to) TP_UP(name)
    TP_UP(args))

TP_ORDER(by_id, struct flow, TP_UP(id) TP_UP(is_end))

TP_ORDER(by_track, struct flow, TP_UP(track) TP_UP(at) TP_UP(id))

/* Drop flows without both ends and sort the rest by track and time. */
static void
sort_flows(struct tp_view *v)
{
	size_t kept = 0, next;

	TP_SORT(v->flows, v->flow_count, by_id);
	for (size_t i = 0; i < v->flow_count; i = next) {
		for (next = i + 1; next < v->flow_count &&
		    v->flows[next].id == v->flows[i].id; next++)
			continue;
		if (!v->flows[i].is_end && v->flows[next - 1].is_end)
			for (size_t k = i; k < next; k++)
				v->flows[kept++] = v->flows[k];
	}
	v->flow_count = kept;
	TP_SORT(v->flows, kept, by_track);
}

static void
sort(struct tp_view *v)
{
	TP_SORT(v->items, v->count, by_time);
	for (size_t i = v->count; i--;) {
		v->tracks[v->items[i].track].first = (uint32_t)i;
		v->tracks[v->items[i].track].count++;
	}
	sort_flows(v);
	for (size_t i = v->flow_count; i--;) {
		v->tracks[v->flows[i].track].flow_first = (uint32_t)i;
		v->tracks[v->flows[i].track].flow_count++;
	}
}

/*
 * A track of the file with its open slices, outermost first.  A track of the
 * view whose slices overlap needs several.
 */
struct lane {
	uint64_t uuid;
	uint32_t *open;
	size_t count, cap;
};

/* The least and the most of the ends of the innermost slices of lanes. */
struct ends {
	int64_t least, most;
};

struct writer {
	struct tp_view *v;
	struct tp_out *out;
	int64_t base;
	uint64_t next_uuid;
	struct tp_buf packet, event, part;
	struct lane *lanes;		/* of the current track */
	size_t lane_count, lane_cap;
	struct ends *ends;		/* a tree: of 2k and 2k + 1 in k, of
					 * lane k in leaf_count + k */
	size_t ends_cap, leaf_count;
};

static void
put_packet(struct writer *w)
{
	struct tp_buf *whole = &w->part;

	tp_put_int(&w->packet, PACKET_SEQUENCE, SEQUENCE);
	tp_put_message(whole, TRACE_PACKET, &w->packet);
	tp_out_raw(w->out, whole->p, whole->len);
	tp_buf_clear(whole);
}

static void
put_names(struct writer *w, const struct tp_names *names, unsigned field)
{
	for (size_t i = 0; i < names->count; i++) {
		tp_put_int(&w->part, ENTRY_IID, i + 1);
		tp_put_text(&w->part, ENTRY_NAME, names->names[i].text,
		    names->names[i].len);
		tp_put_message(&w->event, field, &w->part);
	}
}

static void
put_interned(struct writer *w)
{
	put_names(w, &w->v->categories, INTERNED_CATEGORY);
	put_names(w, &w->v->names, INTERNED_NAME);
	put_names(w, &w->v->keys, INTERNED_ARG);
	tp_put_int(&w->packet, PACKET_FLAGS, FLAG_CLEARED);
	tp_put_message(&w->packet, PACKET_INTERNED, &w->event);
	put_packet(w);
}

/* Write track T with UUID.  Tracks are shown in order of creation. */
static void
put_track(struct writer *w, const struct track *t, uint64_t uuid)
{
	const struct tp_name *name = &w->v->names.names[t->name - 1];

	tp_put_int(&w->event, TRACK_UUID, uuid);
	tp_put_text(&w->event, TRACK_NAME, name->text, name->len);
	if (t->parent != TP_VIEW_NO)
		tp_put_int(&w->event, TRACK_PARENT, t->parent + 1);
	tp_put_int(&w->event, TRACK_ORDERING, ORDER_EXPLICIT);
	tp_put_int(&w->event, TRACK_RANK, (uint64_t)(t - w->v->tracks));
	if (t->is_counter) {
		if (t->unit && !strcmp(t->unit, "ns"))
			tp_put_int(&w->part, COUNTER_UNIT, UNIT_NS);
		else if (t->unit && !strcmp(t->unit, "bytes"))
			tp_put_int(&w->part, COUNTER_UNIT, UNIT_BYTES);
		else if (t->unit)
			tp_put_bytes(&w->part, COUNTER_UNIT_NAME, t->unit,
			    strlen(t->unit));
		tp_put_message(&w->event, TRACK_COUNTER, &w->part);
	}
	tp_put_message(&w->packet, PACKET_TRACK, &w->event);
	put_packet(w);
}

/* Write the event in w->event at time AT. */
static void
put_event(struct writer *w, int64_t at)
{
	tp_put_int(&w->packet, PACKET_TIMESTAMP, (uint64_t)at -
	    (uint64_t)w->base);
	tp_put_int(&w->packet, PACKET_FLAGS, FLAG_NEEDS);
	tp_put_message(&w->packet, PACKET_EVENT, &w->event);
	put_packet(w);
}

static void
put_end(struct writer *w, struct lane *lane)
{
	const struct item *i = &w->v->items[lane->open[--lane->count]];

	tp_put_int(&w->event, EVENT_TYPE, TYPE_END);
	tp_put_int(&w->event, EVENT_TRACK, lane->uuid);
	put_event(w, i->to);
}

/*
 * Add the flows of T inside slice I to its event.  Flows before the next slice
 * that are in none are dropped.
 */
static void
put_flows(struct writer *w, const struct track *t, const struct item *i,
    uint32_t *at)
{
	const struct item *next = i + 1 < w->v->items + t->first + t->count ?
	    i + 1 : NULL;

	for (; *at < t->flow_count; ++*at) {
		const struct flow *f = &w->v->flows[t->flow_first + *at];

		if (next && f->at >= next->from)
			break;
		if (f->at >= i->from && f->at <= i->to)
			tp_put_fixed64(&w->event, EVENT_FLOW, f->id);
	}
}

static void
put_begin(struct writer *w, const struct track *t, struct lane *lane,
    uint32_t at, uint32_t *flow)
{
	const struct item *i = &w->v->items[at];

	TP_APPEND(lane->open, lane->count, lane->cap, at);
	tp_put_int(&w->event, EVENT_TYPE, TYPE_BEGIN);
	tp_put_int(&w->event, EVENT_TRACK, lane->uuid);
	tp_put_int(&w->event, EVENT_NAME, i->name);
	if (i->category)
		tp_put_int(&w->event, EVENT_CATEGORY, i->category);
	if (i->arg_len)
		tp_buf_add(&w->event, w->v->args.p + i->args, i->arg_len);
	put_flows(w, t, i, flow);
	put_event(w, i->from);
}

/* Note when the innermost slice of lane K ends; none: whenever one wants. */
static void
note_end(struct writer *w, size_t k)
{
	const struct lane *lane = &w->lanes[k];
	size_t at = w->leaf_count + k;

	w->ends[at].least = w->ends[at].most = lane->count ?
	    w->v->items[lane->open[lane->count - 1]].to : INT64_MAX;
	while (at /= 2) {
		const struct ends *of = &w->ends[2 * at];

		w->ends[at].least = of->least;
		w->ends[at].most = of->most;
		TP_LEAST(w->ends[at].least, of[1].least);
		TP_MOST(w->ends[at].most, of[1].most);
	}
}

/* Make room for another lane. */
static void
add_leaf(struct writer *w)
{
	if (w->lane_count < w->leaf_count)
		return;
	w->leaf_count = w->leaf_count ? w->leaf_count * 2 : 1;
	tp_grow(&w->ends, &w->ends_cap, w->leaf_count * 2, sizeof *w->ends);
	for (size_t i = 0; i < w->leaf_count * 2; i++)
		w->ends[i] = (struct ends){ INT64_MAX, INT64_MIN };
	for (size_t k = 0; k < w->lane_count; k++)
		note_end(w, k);
}

/*
 * The first lane where a slice has ended by the start of I, or I nests in the
 * open slices or none is open; lane_count if there is none.
 */
static size_t
first_lane(const struct writer *w, const struct item *i)
{
	size_t at = 1;

	if (!w->leaf_count || (w->ends[1].least > i->from &&
	    w->ends[1].most < i->to))
		return w->lane_count;
	while (at < w->leaf_count) {
		at *= 2;
		at += w->ends[at].least > i->from && w->ends[at].most < i->to;
	}
	at -= w->leaf_count;
	return at < w->lane_count ? at : w->lane_count;
}

/*
 * The first lane where I nests in the open slices or none is open, added if
 * there is none.
 */
static size_t
lane_of(struct writer *w, const struct track *t, const struct item *i)
{
	struct lane *lane;
	size_t k;

	while ((k = first_lane(w, i)) < w->lane_count) {
		lane = &w->lanes[k];
		while (lane->count &&
		    w->v->items[lane->open[lane->count - 1]].to <= i->from)
			put_end(w, lane);
		if (!lane->count ||
		    w->v->items[lane->open[lane->count - 1]].to >= i->to)
			return k;
		note_end(w, k);
	}
	add_leaf(w);
	lane = TP_PUSH(w->lanes, w->lane_count, w->lane_cap);
	lane->uuid = k ? w->next_uuid++ : (uint64_t)(t - w->v->tracks) + 1;
	if (k)
		put_track(w, t, lane->uuid);
	return k;
}

static void
put_slices(struct writer *w, const struct track *t)
{
	uint32_t flow = 0;

	for (uint32_t i = t->first; i < t->first + t->count; i++) {
		size_t k = lane_of(w, t, &w->v->items[i]);

		put_begin(w, t, &w->lanes[k], i, &flow);
		note_end(w, k);
	}
	for (size_t k = 0; k < w->lane_count; k++) {
		while (w->lanes[k].count)
			put_end(w, &w->lanes[k]);
		tp_free(w->lanes[k].open);
	}
	w->lane_count = w->leaf_count = 0;
}

static void
put_values(struct writer *w, const struct track *t)
{
	for (uint32_t k = t->first; k < t->first + t->count; k++) {
		const struct item *i = &w->v->items[k];

		tp_put_int(&w->event, EVENT_TYPE, TYPE_COUNTER);
		tp_put_int(&w->event, EVENT_TRACK,
		    (uint64_t)(t - w->v->tracks) + 1);
		tp_put_double(&w->event, EVENT_DOUBLE, i->value);
		put_event(w, i->from);
	}
}

int
tp_view_range(const struct tp_view *v, int64_t *from, int64_t *to)
{
	*from = INT64_MAX;
	*to = INT64_MIN;
	for (size_t i = 0; i < v->count; i++) {
		TP_LEAST(*from, v->items[i].from);
		TP_MOST(*to, v->items[i].to);
	}
	return v->count > 0;
}

void
tp_view_move(struct tp_view *v, uint32_t from, uint32_t to)
{
	if (from == to)
		return;
	v->tracks[from].is_hidden = 1;
	for (size_t i = 0; i < v->track_count; i++)
		if (v->tracks[i].parent == from)
			v->tracks[i].parent = to;
}

/*
 * Remove a lone top-level track without slices, which carries no information.
 */
static void
lift(struct tp_view *v)
{
	uint32_t tops = 0, top = 0;

	for (uint32_t i = 0; i < v->track_count; i++)
		if (v->tracks[i].parent == TP_VIEW_NO &&
		    !v->tracks[i].is_hidden) {
			tops++;
			top = i;
		}
	if (tops == 1 && !v->tracks[top].count)
		tp_view_move(v, top, TP_VIEW_NO);
}

void
tp_view_write(struct tp_view *v, struct tp_out *out)
{
	struct writer w = { .v = v, .out = out,
	    .next_uuid = v->track_count + 1 };
	int64_t last;

	sort(v);
	lift(v);
	tp_view_range(v, &w.base, &last);
	put_interned(&w);
	for (size_t i = 0; i < v->track_count; i++)
		if (!v->tracks[i].is_hidden)
			put_track(&w, &v->tracks[i], i + 1);
	for (size_t i = 0; i < v->track_count; i++)
		if (v->tracks[i].is_counter)
			put_values(&w, &v->tracks[i]);
		else
			put_slices(&w, &v->tracks[i]);
	tp_buf_release(&w.packet);
	tp_buf_release(&w.event);
	tp_buf_release(&w.part);
	tp_free(w.lanes);
	tp_free(w.ends);
}
