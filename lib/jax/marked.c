/* marked - the work of devices that each step marked by a host launched */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "ival.h"
#include "marked.h"

enum { NONE = -1, HANDED_MAX = 8 };	/* threads that a launch passes */

/* A mark on the axis of its host. */
struct span {
	uint32_t host, mark;
	int64_t from_ps, to_ps;
};

struct build {
	struct tp_jax_marked *marked;
	const struct tp_tracks *t;
	struct tp_jax *jax;
	const struct tp_jax_mark *marks;
	size_t mark_count;
	const struct tp_jax_links *links;
	uint32_t *mark_of;	/* per slice, mark + 1: of a mark itself, and of
				 * work */
	struct span *spans;	/* by host and start */
	struct tp_ids groups;	/* (host, id) that marks have, */
	uint32_t *of_group;	/* ... the earliest mark of each + 1 */
	size_t group_cap;
};

static const struct tp_track *
track_of(const struct build *b, uint32_t slice)
{
	return &b->t->tracks[b->t->slices[slice].track];
}

TP_ORDER(by_host, struct span, TP_UP(host) TP_UP(from_ps) TP_UP(mark))

/* Note the marks: at their slices, and by time. */
static void
note_marks(struct build *b)
{
	b->spans = tp_alloc((b->mark_count + 1) * sizeof *b->spans);
	b->mark_of = tp_zalloc((b->t->count + 1) * sizeof *b->mark_of);
	for (size_t i = 0; i < b->mark_count; i++) {
		uint32_t slice = b->marks[i].slice;

		b->mark_of[slice] = (uint32_t)i + 1;
		b->spans[i] = (struct span){ track_of(b, slice)->host,
		    (uint32_t)i, b->t->slices[slice].from_ps,
		    b->t->slices[slice].to_ps };
	}
	TP_SORT(b->spans, b->mark_count, by_host);
}

/* Note which marks the groups of xprof have. */
static void
note_groups(struct build *b)
{
	for (uint32_t i = 0; i < b->mark_count; i++) {
		uint32_t slice = b->marks[i].slice;
		const struct tp_jax_tie *tie = tp_jax_tie_of(b->links, slice,
		    TP_JAX_GROUP);
		size_t had = b->groups.count;
		ptrdiff_t at;

		if (!tie)
			continue;
		at = tp_ids_add(&b->groups, track_of(b, slice)->host, tie->id);
		TP_ITEM(b->of_group, b->group_cap, at);
		if ((size_t)at == had || b->t->slices[slice].from_ps <
		    b->t->slices[b->marks[b->of_group[at] - 1].slice].from_ps)
			b->of_group[at] = i + 1;
	}
}

/* The mark that has the group of SLICE, or NONE. */
static ptrdiff_t
mark_of_group(const struct build *b, uint32_t slice)
{
	const struct tp_jax_tie *tie = tp_jax_tie_of(b->links, slice,
	    TP_JAX_GROUP);
	ptrdiff_t at = tie ? tp_ids_find(&b->groups, track_of(b, slice)->host,
	    tie->id) : NONE;

	return at >= 0 ? (ptrdiff_t)b->of_group[at] - 1 : NONE;
}

/*
 * The mark around SLICE, of a host, or around the event that handed it to its
 * thread; or NONE.
 */
static ptrdiff_t
mark_around(const struct build *b, uint32_t slice)
{
	const struct tp_jax_event *all = b->t->slices;
	ptrdiff_t by = slice;

	for (int handed = 0; by >= 0 && handed < HANDED_MAX; handed++) {
		uint32_t from = (uint32_t)by + 1;

		for (uint32_t at = from; at; at = all[at - 1].parent)
			if (b->mark_of[at - 1])
				return (ptrdiff_t)b->mark_of[at - 1] - 1;
		by = NONE;
		for (uint32_t at = from; by < 0 && at;
		    at = all[at - 1].parent)
			by = tp_jax_link_follow(b->links, at - 1,
			    TP_JAX_CONSUMED);
	}
	return NONE;
}

/* The mark during which SLICE, of a host, begins; or NONE. */
static ptrdiff_t
mark_during(const struct build *b, uint32_t slice)
{
	uint32_t host = track_of(b, slice)->host;
	int64_t at_ps = b->t->slices[slice].from_ps;
	size_t at;

	TP_SEEK(at, 0, b->mark_count, mid, b->spans[mid].host < host ||
	    (b->spans[mid].host == host && b->spans[mid].from_ps <= at_ps));
	return at && b->spans[at - 1].host == host &&
	    b->spans[at - 1].to_ps > at_ps ?
	    (ptrdiff_t)b->spans[at - 1].mark : NONE;
}

/*
 * The mark that launched SLICE, work of a device; or NONE.  A GPU's work is
 * launched before the call returns, even if other threads do it; other
 * launches may come in any later step, and so may copies of input.
 */
static ptrdiff_t
mark_of_work(const struct build *b, uint32_t slice)
{
	static const enum tp_jax_tie_kind launches[] = { TP_JAX_CONSUMED,
	    TP_JAX_CORRELATION, TP_JAX_RUN };
	ptrdiff_t mark = mark_of_group(b, slice), by;

	if (mark >= 0)
		return mark;
	for (int i = 0; mark < 0 && i < 3; i++) {
		by = tp_jax_link_follow(b->links, slice, launches[i]);
		if (by >= 0)
			mark = mark_around(b, (uint32_t)by);
	}
	if (mark < 0 && b->links->calls[slice])
		mark = mark_around(b, b->links->calls[slice] - 1);
	by = mark < 0 && tp_jax_class_of(b->jax, b->t, &b->t->slices[slice]) !=
	    TP_JAX_TO_DEVICE ? tp_jax_link_follow(b->links, slice,
	    TP_JAX_CORRELATION) : NONE;
	return by >= 0 ? mark_during(b, (uint32_t)by) : mark;
}

/* Add SLICE to the work of its MARK; IDS: (device and mark). */
static void
add_work(struct build *b, struct tp_ids *devices, struct tp_ids *ids,
    uint32_t slice)
{
	const struct tp_jax_event *s = &b->t->slices[slice];
	const struct tp_track *k = track_of(b, slice);
	uint32_t mark = b->mark_of[slice] - 1;
	ptrdiff_t device = tp_ids_add(devices, k->host, (uint64_t)k->pid);
	ptrdiff_t at = tp_ids_add(ids, (uint64_t)device, mark);
	struct tp_jax_marked *m = b->marked;

	if ((size_t)at == m->count)
		TP_APPEND(m->list, m->count, m->cap,
		    (struct tp_jax_marked_work){ mark, s->track, s->from_ps,
		    s->to_ps });
	TP_LEAST(m->list[at].from_ps, s->from_ps);
	TP_MOST(m->list[at].to_ps, s->to_ps);
}

static void
find_work(struct build *b)
{
	struct tp_ids devices = { 0 }, ids = { 0 };

	for (uint32_t i = 0; i < b->t->count; i++) {
		if (!tp_jax_is_of_device(track_of(b, i)))
			continue;
		b->mark_of[i] = (uint32_t)(mark_of_work(b, i) + 1);
		if (b->mark_of[i])
			add_work(b, &devices, &ids, i);
	}
	tp_ids_release(&devices);
	tp_ids_release(&ids);
}

/*
 * Whether enough of the work is linked, from the first that is to the last:
 * of the executions of programs if any of these is, else of the operations.
 */
static int
is_enough(const struct build *b)
{
	int64_t linked[2] = { 0 }, all[2] = { 0 };
	int64_t from = INT64_MAX, to = INT64_MIN;
	size_t first = b->marked->count ? b->marked->list[0].mark : 0;
	int several = 0;

	for (size_t i = 0; i < b->marked->count; i++) {
		TP_LEAST(from, b->marked->list[i].from_ps);
		TP_MOST(to, b->marked->list[i].to_ps);
		several |= b->marked->list[i].mark != first;
	}
	for (uint32_t i = 0; i < b->t->count; i++) {
		const struct tp_jax_event *s = &b->t->slices[i];
		const struct tp_track *k = track_of(b, i);

		if (!tp_jax_is_of_device(k) || s->from_ps < from ||
		    s->to_ps > to)
			continue;
		tp_ps_add(&all[k->holds_programs], s->own_ps);
		if (b->mark_of[i])
			tp_ps_add(&linked[k->holds_programs], s->own_ps);
	}
	if (b->mark_count > 1 && !several)
		return 0;	/* an id that all share links nothing */
	return linked[linked[1] > 0] && (double)linked[linked[1] > 0] >=
	    b->jax->linked_least_ratio * (double)all[linked[1] > 0];
}

/*
 * Note in ENDS which of the marks of HOST, by start, end inside SLICE.  A mark
 * that ends where the next begins does not show that work goes on.
 */
static void
find_ends(const struct build *b, uint32_t host,
    const struct tp_jax_event *slice, unsigned char *ends)
{
	size_t at;

	/* marks of a host follow each other */
	TP_SEEK(at, 0, b->mark_count, mid, b->spans[mid].host < host ||
	    (b->spans[mid].host == host &&
	    b->spans[mid].to_ps <= slice->from_ps));
	for (; at < b->mark_count && b->spans[at].host == host &&
	    b->spans[at].to_ps < slice->to_ps; at++)
		ends[at] = 1;
}

/*
 * Whether devices compute or communicate at the end of most marks that end
 * between their first and last operation; ENDS says at which.
 */
static int
is_outlasted(const struct build *b, const struct tp_jax_time *time,
    const unsigned char *ends)
{
	size_t early = 0, count = 0, inside = 0, later = 0;

	for (size_t i = 0; i < b->mark_count; i++) {
		const struct tp_jax_host_time *h =
		    &time->hosts[b->spans[i].host];

		if (!h->device_count)
			continue;
		count++;
		if (b->spans[i].to_ps < h->first_ps) {
			early++;
		} else if (b->spans[i].to_ps < h->last_ps) {
			inside++;
			later += ends[i];
		}
	}
	return inside ? 2 * later > inside : count && early == count;
}

static void
find_works_on(struct build *b, const struct tp_jax_time *time)
{
	unsigned char *ends = tp_zalloc(b->mark_count + 1);
	enum tp_jax_use use;

	for (uint32_t i = 0; i < b->t->count; i++) {
		const struct tp_track *k = track_of(b, i);

		if (k->role != TP_ROLE_OPS)
			continue;
		use = tp_jax_class_of(b->jax, b->t, &b->t->slices[i]);
		if (use == TP_JAX_WORK || use == TP_JAX_COLLECTIVE)
			find_ends(b, k->host, &b->t->slices[i], ends);
	}
	b->marked->works_on = is_outlasted(b, time, ends);
	tp_free(ends);
}

/* Find whether most marks that have work end before it does. */
static void
find_outlasted(struct build *b)
{
	unsigned char *is = tp_zalloc(b->mark_count + 1);
	size_t later = 0, count = 0;

	for (size_t i = 0; i < b->marked->count; i++) {
		const struct tp_jax_marked_work *w = &b->marked->list[i];

		is[w->mark] |= w->to_ps > b->t->slices[
		    b->marks[w->mark].slice].to_ps ? 3 : 1;
	}
	for (size_t i = 0; i < b->mark_count; i++) {
		count += is[i] != 0;
		later += is[i] == 3;
	}
	b->marked->works_on = 2 * later > count;
	tp_free(is);
}

static void
make(struct build *b, const struct tp_jax_time *time)
{
	note_marks(b);
	note_groups(b);
	find_work(b);
	if (is_enough(b)) {
		find_outlasted(b);
		return;
	}
	b->marked->count = 0;
	find_works_on(b, time);
}

/* Whether devices mark the steps themselves. */
static int
has_steps(const struct tp_tracks *t)
{
	for (size_t i = 0; i < t->track_count; i++)
		if (t->tracks[i].role == TP_ROLE_STEPS && t->tracks[i].count)
			return 1;
	return 0;
}

void
tp_jax_marked_make(struct tp_jax_marked *m, const struct tp_tracks *t,
    struct tp_jax *jax, const struct tp_jax_time *time,
    const struct tp_jax_mark *marks, size_t mark_count,
    const struct tp_jax_links *links)
{
	struct build b = { .marked = m, .t = t, .jax = jax, .marks = marks,
	    .mark_count = mark_count, .links = links };

	memset(m, 0, sizeof *m);
	if (mark_count && !has_steps(t))
		make(&b, time);
	tp_free(b.mark_of);
	tp_free(b.spans);
	tp_ids_release(&b.groups);
	tp_free(b.of_group);
}

void
tp_jax_marked_release(struct tp_jax_marked *m)
{
	tp_free(m->list);
	memset(m, 0, sizeof *m);
}
