/* tracks - the complete events of a trace, by track */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "read/events.h"
#include "tracks.h"

ptrdiff_t
tp_tracks_text(struct tp_tracks *t, const char *text, size_t len)
{
	return tp_names_add(&t->texts, text, len);
}

/* Make room for HOST. */
static void
add_host(struct tp_tracks *t, uint32_t host)
{
	tp_grow(&t->axes, &t->axis_cap, (size_t)host + 1, sizeof *t->axes);
	while (t->host_count <= host)
		t->axes[t->host_count++] = (struct tp_tracks_axis){
		    .first_ps = INT64_MAX, .last_ps = INT64_MIN };
}

/* Consecutive events are often on the same track. */
static size_t
track_of(struct tp_tracks *t, uint32_t host, size_t lane)
{
	size_t at;

	if (t->last_track < t->track_count &&
	    t->tracks[t->last_track].host == host &&
	    t->tracks[t->last_track].lane == lane)
		return t->last_track;
	at = (size_t)tp_ids_add(&t->track_ids, host, lane);
	TP_ITEM(t->tracks, t->track_cap, at);
	if (at == t->track_count) {
		t->tracks[at] = (struct tp_track){ .host = host,
		    .lane = (uint32_t)lane };
		t->track_count++;
	}
	t->last_track = at;
	return at;
}

/* Whether D equals TOLD. */
static int
is_detail(const struct tp_tracks *t, const struct tp_detail *d,
    const struct tp_detail_text told[TP_DETAILS])
{
	for (size_t i = 0; i < TP_DETAILS; i++) {
		const struct tp_name *n = &t->texts.names[d->of[i]];

		if (n->len != told[i].len || (n->len &&
		    memcmp(n->text, told[i].text, n->len)))
			return 0;
	}
	return 1;
}

static uint32_t
add_detail(struct tp_tracks *t, const struct tp_detail_text told[TP_DETAILS])
{
	struct tp_detail d = { { 0 } };
	size_t at;

	for (size_t i = 0; i < TP_DETAILS; i++)
		if (told[i].len)
			d.of[i] = (uint32_t)tp_tracks_text(t, told[i].text,
			    told[i].len);
	at = (size_t)tp_names_add(&t->detail_keys, (const char *)&d, sizeof d);
	TP_ITEM(t->details, t->detail_cap, at);
	if (at == t->detail_count)
		t->details[t->detail_count++] = d;
	return (uint32_t)at;
}

void
tp_tracks_init(struct tp_tracks *t)
{
	static const struct tp_detail_text nothing[TP_DETAILS];

	memset(t, 0, sizeof *t);
	tp_names_add(&t->texts, "", 0);
	add_detail(t, nothing);
	t->last_track = SIZE_MAX;
}

void
tp_tracks_release(struct tp_tracks *t)
{
	tp_free(t->slices);
	tp_free(t->tracks);
	tp_free(t->details);
	tp_free(t->order);
	tp_free(t->last_detail);
	tp_free(t->axes);
	tp_names_release(&t->names);
	tp_names_release(&t->texts);
	tp_free(t->measured);
	tp_ids_release(&t->track_ids);
	tp_ids_release(&t->measured_ids);
	tp_names_release(&t->detail_keys);
	memset(t, 0, sizeof *t);
}

/*
 * An operation usually has the same arguments as before, which avoids
 * hashing.  A NEW name has no previous ones.
 */
static uint32_t
detail_of(struct tp_tracks *t, size_t name, int new,
    const struct tp_detail_text told[TP_DETAILS])
{
	tp_grow(&t->last_detail, &t->last_detail_cap, name + 1,
	    sizeof *t->last_detail);
	if (new)
		t->last_detail[name] = 0;
	if (is_detail(t, &t->details[t->last_detail[name]], told))
		return t->last_detail[name];
	return t->last_detail[name] = add_detail(t, told);
}

struct tp_described
tp_tracks_describe(struct tp_tracks *t, const char *name, size_t name_len,
    const struct tp_detail_text told[TP_DETAILS])
{
	size_t names = t->names.count;
	size_t at = (size_t)tp_names_add(&t->names, name, name_len);

	return (struct tp_described){ (uint32_t)at,
	    detail_of(t, at, at == names, told) };
}

void
tp_jax_measured_add(struct tp_jax_measured *sum,
    const struct tp_jax_measured *more)
{
	tp_ps_add(&sum->stall_ps, more->stall_ps);
	sum->scaled_ps += more->scaled_ps;
	sum->has_scale |= more->has_scale;
	tp_ps_add(&sum->timed_ps, more->timed_ps);
	tp_ps_add(&sum->device_ps, more->device_ps);
	tp_ps_add(&sum->differ_ps, more->differ_ps);
	TP_MOST(sum->differ_max_ps, more->differ_max_ps);
}

void
tp_tracks_measure(struct tp_tracks *t, const struct tp_described *d,
    const struct tp_jax_measured *m)
{
	ptrdiff_t at = tp_ids_add(&t->measured_ids, d->name, d->detail);

	TP_ITEM(t->measured, t->measured_cap, at);
	tp_jax_measured_add(&t->measured[at], m);
}

struct tp_jax_event *
tp_tracks_add(struct tp_tracks *t, uint32_t host, size_t lane,
    int64_t from_ps, int64_t to_ps, const struct tp_described *d,
    struct tp_err *err)
{
	struct tp_jax_event *s;
	size_t track;

	if (t->count >= UINT32_MAX - 1) {
		tp_fail(err, TP_LIMIT, "limit.events", 0, "more than %u "
		    "complete events", UINT32_MAX - 1);
		return NULL;
	}
	track = track_of(t, host, lane);
	add_host(t, host);
	tp_grow(&t->slices, &t->cap, t->count + 1, sizeof *t->slices);
	s = &t->slices[t->count++];
	*s = (struct tp_jax_event){ .from_ps = from_ps, .to_ps = to_ps,
	    .track = (uint32_t)track, .name = d->name, .detail = d->detail };
	t->tracks[track].count++;
	TP_LEAST(t->axes[host].first_ps, from_ps);
	TP_MOST(t->axes[host].last_ps, to_ps);
	return s;
}

/* Copy of TEXT that lives as long as T; NULL for NULL. */
static const char *
intern_text(struct tp_tracks *t, const char *text)
{
	ptrdiff_t at;

	if (!text)
		return NULL;
	at = tp_tracks_text(t, text, strlen(text));
	return t->texts.names[at].text;
}

void
tp_tracks_names(struct tp_tracks *t, uint32_t host,
    const struct tp_events *events)
{
	const struct tp_lane *lane;

	add_host(t, host);
	for (size_t i = 0; i < tp_events_process_count(events); i++)
		t->named_processes += !!tp_events_process_name(events, i);
	for (size_t i = 0; i < tp_events_lane_count(events); i++)
		t->named_threads += !!tp_events_thread_name(events, i);
	for (size_t i = 0; i < t->track_count; i++) {
		struct tp_track *k = &t->tracks[i];

		if (k->host != host)
			continue;
		lane = tp_events_lane(events, k->lane);
		k->pid = lane->pid_n;
		k->tid = lane->tid_n;
		k->process = intern_text(t, tp_events_process_name(events,
		    lane->process));
		k->thread =
		    intern_text(t, tp_events_thread_name(events, k->lane));
	}
}

void
tp_tracks_lanes(struct tp_tracks *t, uint32_t host,
    const struct tp_events *events)
{
	for (size_t i = 0; i < tp_events_lane_count(events); i++) {
		size_t at = track_of(t, host, i);

		t->tracks[at].is_awaited = 1;
	}
	tp_tracks_names(t, host, events);
}

const struct tp_track *
tp_tracks_of_lane(struct tp_tracks *t, uint32_t host, size_t lane)
{
	size_t at = track_of(t, host, lane);

	return &t->tracks[at];
}

void
tp_tracks_drop(struct tp_tracks *t)
{
	for (size_t i = 0; i < t->track_count; i++)
		t->tracks[i].count = 0;
	tp_free(t->order);
	t->order = NULL;
	t->count = 0;
}

/* Whether B may follow A on a track. */
static int
in_order(const struct tp_jax_event *a, const struct tp_jax_event *b)
{
	return a->from_ps != b->from_ps ? a->from_ps < b->from_ps :
	    a->to_ps >= b->to_ps;
}

/* Stable bottom-up merge sort of ORDER; SPARE has the same length. */
static void
sort_track(const struct tp_jax_event *s, uint32_t *order, uint32_t *spare,
    size_t n)
{
	size_t half = n / 2, i = 0, j = half, k = 0, sorted = 1;

	while (sorted < n && in_order(&s[order[sorted - 1]],
	    &s[order[sorted]]))
		sorted++;
	if (sorted >= n)
		return;
	sort_track(s, order, spare, half);
	sort_track(s, order + half, spare, n - half);
	memcpy(spare, order, half * sizeof *order);
	while (i < half && j < n)
		order[k++] = in_order(&s[spare[i]], &s[order[j]]) ?
		    spare[i++] : order[j++];
	while (i < half)
		order[k++] = spare[i++];
}

/* Build the order, after the last slice; later calls do nothing. */
static void
tracks_order(struct tp_tracks *t)
{
	uint32_t first = 0, longest = 0, *spare;

	if (t->order)
		return;
	t->order = tp_alloc((t->count + 1) * sizeof *t->order);
	for (size_t i = 0; i < t->track_count; i++) {
		t->tracks[i].first = first;
		first += t->tracks[i].count;
		TP_MOST(longest, t->tracks[i].count);
		t->tracks[i].count = 0;
	}
	for (size_t i = 0; i < t->count; i++) {
		struct tp_track *k = &t->tracks[t->slices[i].track];

		t->order[k->first + k->count++] = (uint32_t)i;
	}
	spare = tp_alloc(((size_t)longest / 2 + 1) * sizeof *spare);
	for (size_t i = 0; i < t->track_count; i++)
		sort_track(t->slices, t->order + t->tracks[i].first, spare,
		    t->tracks[i].count);
	tp_free(spare);
}

struct open {
	uint32_t slice;
	int64_t children_ps;
};

struct stack {
	struct open *open;
	size_t count, cap;
};

static void
pop(struct tp_tracks *t, struct stack *st)
{
	struct open *top = &st->open[--st->count];
	struct tp_jax_event *s = &t->slices[top->slice];
	int64_t whole = tp_slice_ps(s);

	s->own_ps = whole > top->children_ps ? whole - top->children_ps : 0;
	if (st->count && __builtin_add_overflow(whole,
	    st->open[st->count - 1].children_ps,
	    &st->open[st->count - 1].children_ps))
		st->open[st->count - 1].children_ps = INT64_MAX;
}

static void
nest_track(struct tp_tracks *t, const struct tp_track *track, struct stack *st)
{
	for (uint32_t i = 0; i < track->count; i++) {
		uint32_t at = t->order[track->first + i];
		struct tp_jax_event *s = &t->slices[at];

		while (st->count && s->from_ps >=
		    t->slices[st->open[st->count - 1].slice].to_ps)
			pop(t, st);
		while (st->count && s->to_ps >
		    t->slices[st->open[st->count - 1].slice].to_ps)
			pop(t, st);
		s->depth = (uint32_t)st->count;
		s->parent = st->count ? st->open[st->count - 1].slice + 1 : 0;
		TP_APPEND(st->open, st->count, st->cap, (struct open){ at, 0 });
	}
	while (st->count)
		pop(t, st);
}

void
tp_tracks_nest(struct tp_tracks *t)
{
	struct stack st = { 0 };

	tracks_order(t);
	for (size_t i = 0; i < t->track_count; i++)
		nest_track(t, &t->tracks[i], &st);
	tp_free(st.open);
}

/* A track like that of slice S for what moves from there, in MOVED. */
static uint32_t
track_beside(struct tp_tracks *t, const struct tp_jax_event *s,
    uint32_t *moved, const char *process, const char *thread)
{
	struct tp_track *k;

	if (moved[s->track])
		return moved[s->track];
	TP_ITEM(t->tracks, t->track_cap, t->track_count);
	k = &t->tracks[t->track_count];
	*k = t->tracks[s->track];
	k->process = process;
	k->thread = thread;
	k->count = 0;
	return moved[s->track] = (uint32_t)t->track_count++;
}

/* Take the slices that moved to tracks from FIRST on out of the nesting. */
static void
unnest_moved(struct tp_tracks *t, size_t first)
{
	for (size_t i = 0; i < first; i++)
		for (uint32_t k = 0; k < t->tracks[i].count; k++) {
			struct tp_jax_event *s = &t->slices[t->order[
			    t->tracks[i].first + k]];

			while (s->parent && t->slices[s->parent - 1].track >=
			    first)
				s->parent = t->slices[s->parent - 1].parent;
			s->depth = s->parent ? t->slices[s->parent - 1].depth +
			    1 : 0;
		}
}

void
tp_tracks_split(struct tp_tracks *t, const uint32_t *at, size_t count,
    const char *process, const char *thread)
{
	size_t first = t->track_count;
	uint32_t *moved = tp_zalloc((first + 1) * sizeof *moved);
	struct stack st = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct tp_jax_event *s = &t->slices[at[i]];
		uint32_t to = track_beside(t, s, moved, process, thread);

		t->tracks[s->track].count--;
		t->tracks[to].count++;
		s->track = to;
	}
	tp_free(moved);
	tp_free(t->order);
	t->order = NULL;
	tracks_order(t);
	unnest_moved(t, first);
	for (size_t i = first; i < t->track_count; i++)
		nest_track(t, &t->tracks[i], &st);
	tp_free(st.open);
}

void
tp_tracks_innermost(const struct tp_tracks *t, const struct tp_track *track,
    void (*with)(void *, const struct tp_jax_event *, int64_t, int64_t),
    void *arg)
{
	const struct tp_jax_event **open = NULL, *s, *top;
	size_t count = 0, cap = 0;
	int64_t at = INT64_MIN;

	for (uint32_t i = 0; i <= track->count; i++) {
		s = i < track->count ?
		    &t->slices[t->order[track->first + i]] : NULL;
		/* close slices that end before S starts, innermost first */
		while (count && (!s || open[count - 1]->to_ps <= s->from_ps)) {
			top = open[--count];
			if (top->to_ps > at) {
				with(arg, top, at, top->to_ps);
				at = top->to_ps;
			}
		}
		if (!s)
			break;
		if (count && s->from_ps > at)
			with(arg, open[count - 1], at, s->from_ps);
		if (!count || s->from_ps > at)
			at = at > s->from_ps ? at : s->from_ps;
		TP_APPEND(open, count, cap, s);
	}
	tp_free(open);
}

TP_ORDER_POINTERS(by_place, struct tp_track, TP_UP(host) TP_UP(pid)
    TP_BY(TP_CMP(a, b)))

void
tp_tracks_of(const struct tp_tracks *t, enum tp_role first,
    enum tp_role last, struct tp_track_list *l)
{
	for (size_t i = 0; i < t->track_count; i++) {
		const struct tp_track *k = &t->tracks[i];

		if (k->role >= first && k->role <= last && k->count)
			TP_APPEND(l->list, l->count, l->cap, k);
	}
	TP_SORT(l->list, l->count, by_place);
}

size_t
tp_track_list_next(const struct tp_track_list *l, size_t at)
{
	size_t next = at + 1;

	while (next < l->count && l->list[next]->host == l->list[at]->host &&
	    l->list[next]->pid == l->list[at]->pid)
		next++;
	return next;
}
