/* waits - what other threads of the host ran while it waited */
#include <string.h>

#include <tp/alloc.h>
#include <tp/budget.h>
#include <tp/order.h>

#include "peel.h"
#include "waits.h"

struct ran {
	struct tp_ival at;
	uint32_t name;
	int part;
	const struct tp_track *thread, *longest;
	int64_t thread_ps, longest_ps;	/* on these two */
};

struct build {
	const struct tp_tracks *tracks;
	struct tp_jax_acts *acts;
	int slept;
	const struct tp_track *thread;
	struct tp_ids ids;		/* (name, part) */
	struct ran *list;		/* of each */
	size_t cap;
	const struct tp_ival *waiting;
	struct tp_ival_walk walk;	/* over it, in order */
	struct tp_span wait;		/* the next stretch, if */
	int more;			/* there is one */
};

/* Whether S, or the innermost event around it with a class, does nothing. */
static int
is_idle(const struct build *b, const struct tp_jax_event *s)
{
	ptrdiff_t class = tp_jax_acts_name(b->acts, s->name);
	const char *name;

	while (class < 0 && s->parent) {
		s = &b->tracks->slices[s->parent - 1];
		class = tp_jax_acts_name(b->acts, s->name);
	}
	if (class < 0)
		return 0;
	name = b->acts->classes->list[class].name;
	return !strcmp(name, "waiting") || !strcmp(name, "sleeping");
}

/* The part of the budget that a wait for S is in. */
static int
part_of(const struct build *b, const struct tp_jax_event *s)
{
	ptrdiff_t class;

	if (!b->slept)
		return TP_PART_SYNCHRONISING;
	class = tp_jax_acts_of(b->acts, s, 0);
	return class < 0 || b->acts->kinds[class].is_generic ||
	    b->acts->kinds[class].waits ? TP_PART_HOST :
	    b->acts->classes->list[class].number;
}

static void
end_thread(struct ran *r)
{
	if (r->thread && r->thread_ps > r->longest_ps) {
		r->longest = r->thread;
		r->longest_ps = r->thread_ps;
	}
}

static void
ran(struct build *b, const struct tp_jax_event *s, int64_t from, int64_t to)
{
	int part = part_of(b, s);
	ptrdiff_t at = tp_ids_add(&b->ids, s->name, (uint64_t)part);
	struct ran *r;

	TP_ITEM(b->list, b->cap, at);
	r = &b->list[at];
	r->name = s->name;
	r->part = part;
	if (r->thread != b->thread) {
		end_thread(r);
		r->thread = b->thread;
		r->thread_ps = 0;
	}
	tp_ps_add(&r->thread_ps, to - from);
	tp_ival_add(&r->at, from, to);
}

/* Add an interval in which S is innermost; called in time order. */
static void
add(void *arg, const struct tp_jax_event *s, int64_t from, int64_t to)
{
	struct build *b = arg;
	int does = -1;

	while (b->more > 0 && b->wait.to <= from)
		b->more = tp_ival_next(&b->walk, &b->wait);
	while (b->more > 0 && b->wait.from < to) {
		if (does < 0)
			does = !is_idle(b, s);
		if (does)
			ran(b, s, b->wait.from > from ? b->wait.from : from,
			    b->wait.to < to ? b->wait.to : to);
		if (b->wait.to > to)
			break;
		b->more = tp_ival_next(&b->walk, &b->wait);
	}
}

static void
add_thread(struct build *b, const struct tp_track *k)
{
	b->thread = k;
	tp_ival_begin(&b->walk, b->waiting);
	b->more = tp_ival_next(&b->walk, &b->wait);
	tp_tracks_innermost(b->tracks, k, add, b);
	tp_ival_stop(&b->walk);
}

/* "pool/-123" is thread -123 of a pool. */
static void
name_thread(struct tp_jax_wait *w, const struct tp_track *k)
{
	size_t len = k->thread ? strlen(k->thread) : 0, at = len;

	while (at && k->thread[at - 1] >= '0' && k->thread[at - 1] <= '9')
		at--;
	if (at && at < len && k->thread[at - 1] == '-')
		at--;
	w->thread = len ? k->thread : NULL;
	w->thread_len = at > 1 && at < len && k->thread[at - 1] == '/' ?
	    at - 1 : len;
}

/* The name that covers most of WAITING, for *PS; NULL: none covers any. */
static void
find_most(struct build *b, const struct tp_ival *waiting, struct ran **most,
    int64_t *ps)
{
	const struct tp_name *names = b->tracks->names.names;
	int64_t common;

	*most = NULL;
	*ps = 0;
	for (size_t i = 0; i < b->ids.count; i++) {
		struct ran *r = &b->list[i];

		common = tp_ival_common(&r->at, waiting);
		if (common > *ps || (*most && common == *ps &&
		    strcmp(names[r->name].text,
		    names[(*most)->name].text) < 0)) {
			*most = r;
			*ps = common;
		}
	}
}

/* Take what R covers out of WAITING. */
static void
cover(struct tp_jax_wait *w, struct ran *r, struct tp_ival *waiting)
{
	struct tp_ival_walk walk;
	struct tp_span span;
	struct tp_ival covered = { 0 };

	*w = (struct tp_jax_wait){ .name = r->name, .part = r->part };
	end_thread(r);
	name_thread(w, r->longest);
	tp_peel_into(waiting, &r->at, &covered);
	tp_ival_finish(&covered);
	w->total_ps = tp_ival_busy(&covered);
	w->count = tp_ival_count(&covered);
	tp_ival_begin(&walk, &covered);
	while (tp_ival_next(&walk, &span))
		TP_MOST(w->max_ps, span.to - span.from);
	tp_ival_stop(&walk);
	tp_ival_release(&covered);
}

void
tp_jax_waits_make(struct tp_jax_waits *w, const struct tp_jax *jax,
    struct tp_jax_acts *acts, uint32_t host, struct tp_ival *waiting,
    int slept)
{
	const struct tp_tracks *t = acts->tracks;
	struct build b = { .tracks = t, .acts = acts, .slept = slept,
	    .waiting = waiting };
	struct ran *most;
	int64_t ps;

	memset(w, 0, sizeof *w);
	w->waiting_ps = tp_ival_busy(waiting);
	for (size_t i = 0; w->waiting_ps && i < t->track_count; i++)
		if (t->tracks[i].role == TP_ROLE_HOST &&
		    t->tracks[i].host == host)
			add_thread(&b, &t->tracks[i]);
	for (size_t i = 0; i < b.ids.count; i++)
		tp_ival_finish(&b.list[i].at);
	while (w->count < TP_JAX_WAITS) {
		find_most(&b, waiting, &most, &ps);
		if (!most || (double)ps < jax->wait_least_ratio *
		    (double)w->waiting_ps)
			break;
		cover(&w->list[w->count++], most, waiting);
	}
	for (size_t i = 0; i < b.ids.count; i++)
		tp_ival_release(&b.list[i].at);
	tp_free(b.list);
	tp_ids_release(&b.ids);
}
