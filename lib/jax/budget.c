/* budget - the wall-clock budget of the devices of a JAX trace */
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>

#include "acts.h"
#include "budget.h"
#include "executions.h"
#include "peel.h"

/*
 * Host activity in order of precedence: the launching thread and threads
 * that run parts of launches; other threads; a launching thread that sleeps,
 * then Python without a more specific name; waiting.
 */
enum stage { LAUNCHER, OTHERS, GENERIC, WAITING, STAGES };

struct host {
	const struct tp_track *launcher;	/* its thread; NULL */
	struct tp_ival at[STAGES][TP_JAX_HOST_CLASSES];
	struct tp_ival busy;	/* some device of it works or transfers */
	struct tp_ival stuck;	/* waits longer than host_wake_ps, while none
				 * does */
	struct tp_jax_executions executions;
};

struct filling {
	struct host *host;
	const struct tp_jax_trace *trace;
	struct tp_jax_acts acts;
	int launches;			/* this lane launches */
};

static int
is_launch(void *arg, uint32_t name)
{
	struct filling *f = arg;
	ptrdiff_t class = tp_jax_acts_name(&f->acts, name);

	return class >= 0 && !strcmp(f->trace->jax->host.list[class].name,
	    "launching");
}

/* Whether S is part of a launch, which several threads share. */
static int
helps_launch(struct filling *f, const struct tp_jax_event *s)
{
	while (!is_launch(f, s->name) && s->parent)
		s = &f->trace->tracks.slices[s->parent - 1];
	return is_launch(f, s->name);
}

static void
add_host(void *arg, const struct tp_jax_event *s, int64_t from, int64_t to)
{
	struct filling *f = arg;
	ptrdiff_t class = tp_jax_acts_of(&f->acts, s, f->launches);
	const struct tp_class *c;
	enum stage stage;

	if (class < 0)
		return;
	c = &f->trace->jax->host.list[class];
	stage = c->number == TP_PART_SYNCHRONISING ||
	    c->number == TP_PART_UNRECORDED ? WAITING :
	    f->acts.kinds[class].is_generic ? GENERIC :
	    f->launches || helps_launch(f, s) ? LAUNCHER : OTHERS;
	tp_ival_add(&f->host->at[stage][class], from, to);
}

/* Time that thread K spent launching. */
static int64_t
launched(struct filling *f, const struct tp_track *k)
{
	const struct tp_jax_trace *c = f->trace;
	int64_t sum = 0;

	for (uint32_t i = 0; i < k->count; i++) {
		const struct tp_jax_event *s = &c->tracks.slices[
		    c->tracks.order[k->first + i]];

		if (is_launch(f, s->name))
			tp_ps_add(&sum, s->own_ps);
	}
	return sum;
}

static void
fill(struct filling *f, uint32_t number)
{
	const struct tp_tracks *t = &f->trace->tracks;
	int64_t most = 0, sum;

	for (size_t i = 0; i < t->track_count; i++) {
		const struct tp_track *k = &t->tracks[i];

		if (k->role != TP_ROLE_HOST || k->host != number ||
		    (sum = launched(f, k)) <= most)
			continue;
		most = sum;
		f->host->launcher = k;
	}
	if (f->host->launcher) {
		tp_jax_executions_make(&f->host->executions, t,
		    f->host->launcher, is_launch, f);
		tp_jax_acts_steps(&f->acts, &f->host->executions);
	}
	for (size_t i = 0; i < t->track_count; i++) {
		const struct tp_track *k = &t->tracks[i];

		f->launches = k == f->host->launcher;
		if (k->role == TP_ROLE_HOST && k->host == number)
			tp_tracks_innermost(t, k, add_host, f);
	}
	for (int s = 0; s < STAGES; s++)
		for (int i = 0; i < TP_JAX_HOST_CLASSES; i++)
			tp_ival_finish(&f->host->at[s][i]);
}

struct sum {
	struct tp_budget *b;
	const struct tp_jax_peer *peer;	/* the device, in collectives */
	struct tp_ival rest;
	struct tp_ival waiting;		/* the host, while no device works */
	struct tp_ival slept;		/* by the launching thread */
	struct tp_ival idle;		/* before the host explains it */
	struct tp_ival of[TP_JAX_HOST_CLASSES];	/* what each class of the host
						 * explains */
};

static void
release(struct sum *s)
{
	tp_ival_release(&s->rest);
	tp_ival_release(&s->waiting);
	tp_ival_release(&s->slept);
	tp_ival_release(&s->idle);
	for (int i = 0; i < TP_JAX_HOST_CLASSES; i++)
		tp_ival_release(&s->of[i]);
}

/* Give to PART what U covers, and add it to KEPT unless that is NULL. */
static void
take(struct sum *s, const struct tp_ival *u, enum tp_budget_part part,
    const char *cause, int64_t floor_ns, struct tp_ival *kept)
{
	int64_t had = tp_ival_busy(&s->rest);

	tp_peel_into(&s->rest, u, kept);
	tp_budget_add_ps(s->b, part, cause, had - tp_ival_busy(&s->rest),
	    floor_ns);
}

static const struct use {
	enum tp_budget_part part;
	const char *cause;
	int64_t floor_ns;
} uses[TP_JAX_CLASSES] = {
	[TP_JAX_COLLECTIVE] = { TP_PART_COMMUNICATION, "collectives", 0 },
	[TP_JAX_TO_DEVICE] = { TP_PART_COPIES, "from-host-memory", 0 },
	[TP_JAX_TO_HOST] = { TP_PART_COPIES, "to-host-memory", 0 },
	[TP_JAX_ON_DEVICE] = { TP_PART_COPIES, "on-device", 0 },
	[TP_JAX_ANY_DIRECTION] = { TP_PART_COPIES, "way-not-recorded", 0 },
	[TP_JAX_INFEED] = { TP_PART_LOADING, "infeed", 0 },
	[TP_JAX_WAIT] = { TP_PART_SYNCHRONISING, "device-waits", 0 },
	[TP_JAX_CONTAINER] = { TP_PART_DEVICE, "control-flow",
	    TP_FLOOR_UNKNOWN },
	[TP_JAX_CALLBACK] = { TP_PART_HOST, "callback", 0 },
}, work[TP_JAX_LIMITS] = {
	[TP_JAX_BY_MATH] = { TP_PART_MATH, "flops", 0 },
	[TP_JAX_BY_MEMORY] = { TP_PART_MEMORY, "bytes", 0 },
	[TP_JAX_MATH_KIND] = { TP_PART_MATH, "by-kind", TP_FLOOR_UNKNOWN },
	[TP_JAX_MEMORY_KIND] = { TP_PART_MEMORY, "by-kind",
	    TP_FLOOR_UNKNOWN },
	[TP_JAX_LAYOUT] = { TP_PART_MEMORY, "layout", 0 },
	[TP_JAX_BY_UNKNOWN] = { TP_PART_DEVICE, "uncosted",
	    TP_FLOOR_UNKNOWN },
	[TP_JAX_TOO_SHORT] = { TP_PART_LATENCY, NULL, TP_FLOOR_UNKNOWN },
};

/* Add the spans of FROM longer than MIN_PS to TO. */
static void
add_spans(struct tp_ival *to, const struct tp_ival *from, int64_t min_ps)
{
	struct tp_ival_walk walk;
	struct tp_span span;

	tp_ival_begin(&walk, from);
	while (tp_ival_next(&walk, &span))
		if (span.to - span.from > min_ps)
			tp_ival_add(to, span.from, span.to);
	tp_ival_stop(&walk);
}

static void
find_busy(struct host *h, const struct tp_jax_device *d)
{
	for (int i = 0; i < TP_JAX_CLASSES; i++)
		if (i != TP_JAX_WAIT) {
			add_spans(&h->busy, &d->at[i], 0);
			add_spans(&h->busy, &d->in_flight[i], 0);
		}
}

static void
find_stuck(struct host *h, const struct tp_jax *jax)
{
	const struct tp_classes *classes = &jax->host;
	struct tp_ival waits = { 0 };
	int64_t ps;

	tp_ival_finish(&h->busy);
	for (size_t i = 0; i < classes->count; i++)
		if (classes->list[i].number == TP_PART_SYNCHRONISING)
			add_spans(&waits, &h->at[WAITING][i], 0);
	tp_ival_finish(&waits);
	tp_peel(&waits, &h->busy, &ps);
	add_spans(&h->stuck, &waits, jax->host_wake_ps);
	tp_ival_finish(&h->stuck);
	tp_ival_release(&waits);
}

/* Take idle stretches too short for the host to have acted. */
static void
take_short_gaps(struct sum *s)
{
	struct tp_ival gaps = { 0 };
	struct tp_ival_walk walk;
	struct tp_span span;

	tp_ival_begin(&walk, &s->rest);
	while (tp_ival_next(&walk, &span))
		if (span.to - span.from < TP_JAX_SHORT_PS)
			tp_ival_add(&gaps, span.from, span.to);
	tp_ival_stop(&walk);
	tp_ival_finish(&gaps);
	take(s, &gaps, TP_PART_LAUNCH, "short-gaps", 0, NULL);
	tp_ival_release(&gaps);
}

/*
 * The ratio of shortest to actual time is the same in the window as overall.
 * Changes of layout need not be at all.
 */
static void
take_work(struct sum *s, const struct tp_jax_device *d)
{
	int64_t ps, floor_ns;

	for (int i = 0; i < TP_JAX_LIMITS; i++) {
		tp_peel(&s->rest, &d->work[i], &ps);
		floor_ns = work[i].floor_ns;
		if (floor_ns != TP_FLOOR_UNKNOWN && d->work_ps[i] &&
		    i != TP_JAX_LAYOUT)
			floor_ns = (int64_t)((double)tp_ps_to_ns(ps) *
			    (double)d->best_ps[i] / (double)d->work_ps[i]);
		tp_budget_add_ps(s->b, work[i].part, work[i].cause, ps,
		    floor_ns);
	}
}

/*
 * Take what AT has of copies while they went both ways: neither direction
 * alone is what is waited for.
 */
static void
take_both_ways(struct sum *s, const struct tp_ival *at,
    const struct tp_ival *both)
{
	struct tp_ival in = { 0 };

	tp_ival_meet(&in, &at[TP_JAX_TO_DEVICE], both);
	tp_ival_meet(&in, &at[TP_JAX_TO_HOST], both);
	tp_ival_finish(&in);
	take(s, &in, TP_PART_COPIES, "both-ways", 0, NULL);
	tp_ival_release(&in);
}

static void
take_uses(struct sum *s, const struct tp_ival *at, const struct tp_ival *both)
{
	for (int i = 0; i < TP_JAX_CLASSES; i++) {
		if (i == TP_JAX_TO_DEVICE)
			take_both_ways(s, at, both);
		take(s, &at[i], uses[i].part, uses[i].cause, uses[i].floor_ns,
		    NULL);
	}
}

/* Keep what is left while the launching thread slept. */
static void
keep_sleep(struct sum *s, const struct tp_classes *classes,
    const struct host *host)
{
	const struct tp_class *c = tp_class_named(classes, "sleeping");

	if (c)
		tp_ival_meet(&s->slept, &s->rest,
		    &host->at[GENERIC][tp_class_index(classes, c)]);
}

/*
 * Take what no device works in while the host waits, and then what the host
 * does of each class; keep the time of these where that is asked for.
 */
static void
divide_idle(struct sum *s, const struct tp_jax_trace *c,
    const struct host *host)
{
	const struct tp_classes *classes = &c->jax->host;
	size_t had;

	add_spans(&s->idle, &s->rest, 0);
	tp_ival_finish(&s->idle);
	for (int stage = 0; stage < STAGES; stage++) {
		had = s->b->count;
		if (stage == OTHERS)
			keep_sleep(s, classes, host);
		if (stage == WAITING)
			take(s, &host->stuck, TP_PART_SYNCHRONISING,
			    "no-device-works", 0, &s->waiting);
		if (s->b->count > had)
			s->b->wait_limit_ns = tp_ps_to_ns(
			    c->jax->host_wake_ps);
		for (size_t i = 0; i < classes->count; i++)
			take(s, &host->at[stage][i], (enum
			    tp_budget_part)classes->list[i].number,
			    tp_json_text(classes->list[i].row, "cause"), 0,
			    &s->of[i]);
	}
	for (size_t i = 0; i < classes->count; i++)
		tp_ival_finish(&s->of[i]);
	tp_ival_finish(&s->waiting);
}

/* State how much of the host's time first executions took. */
static void
say_once(struct sum *s, const struct tp_jax_trace *c, struct host *host)
{
	const struct tp_classes *classes = &c->jax->host;
	struct tp_budget_once once;

	for (size_t i = 0; i < classes->count; i++) {
		if (!tp_json_get(classes->list[i].row, "once") ||
		    !tp_ival_count(&s->of[i]))
			continue;
		tp_jax_executions_reset(&host->executions);
		tp_jax_executions_add(&host->executions, &s->of[i]);
		tp_jax_executions_sum(&host->executions, &once);
		tp_budget_say_once(s->b,
		    (enum tp_budget_part)classes->list[i].number,
		    tp_json_text(classes->list[i].row, "cause"), &once);
	}
}

/* A cause of idle time, and when it was. */
struct cause {
	const struct tp_ival *at;
	enum tp_budget_part part;
	const char *name;
};

enum { CAUSES = TP_JAX_HOST_CLASSES + 2 };

static size_t
list_causes(const struct sum *s, const struct tp_classes *classes,
    struct cause causes[CAUSES])
{
	size_t n = 0;

	causes[n++] = (struct cause){ &s->rest, TP_PART_UNRECORDED, NULL };
	causes[n++] = (struct cause){ &s->waiting, TP_PART_SYNCHRONISING,
	    "no-device-works" };
	for (size_t i = 0; i < classes->count; i++)
		causes[n++] = (struct cause){ &s->of[i],
		    (enum tp_budget_part)classes->list[i].number,
		    tp_json_text(classes->list[i].row, "cause") };
	return n;
}

/* Add to IN, one for each gap of IDLE, what AT has in it. */
static void
add_to_gaps(const struct tp_ival *idle, const struct tp_ival *at,
    int64_t *in)
{
	struct tp_ival_walk gaps, walk;
	struct tp_span gap, span;
	size_t i = 0;
	int more;

	tp_ival_begin(&gaps, idle);
	tp_ival_begin(&walk, at);
	more = tp_ival_next(&gaps, &gap);
	while (tp_ival_next(&walk, &span) && more) {
		while (more && gap.to <= span.from) {
			more = tp_ival_next(&gaps, &gap);
			i++;
		}
		if (more)
			in[i] += span.to - span.from;
	}
	tp_ival_stop(&gaps);
	tp_ival_stop(&walk);
}

/* The step that the gap AT of IDLE delays, on the host of D. */
static void
find_delayed(struct tp_budget_gap *g, const struct tp_jax_steps *st,
    const struct tp_jax_device *d, const struct tp_ival *idle, size_t at)
{
	struct tp_ival_walk walk;
	struct tp_span gap = { 0, 0 };
	int is_there = 1;

	tp_ival_begin(&walk, idle);
	for (size_t i = 0; is_there && i <= at; i++)
		is_there = tp_ival_next(&walk, &gap);
	tp_ival_stop(&walk);
	for (size_t i = 0; is_there && i < st->part_count; i++)
		if (st->parts[i].host == d->host &&
		    st->parts[i].to_ps >= gap.to) {
			g->number = st->parts[i].number;
			g->has_number = 1;
			break;
		}
}

/* Whether first executions are most of PART already. */
static int
is_told(const struct tp_budget *b, enum tp_budget_part part, int64_t ps)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->rows[i].part == part &&
		    b->rows[i].once.time_ns > tp_ps_to_ns(ps) / 2)
			return 1;
	return 0;
}

/* State the gap that holds nearly all of PART, if one does; IN is scratch. */
static void
say_gap(struct sum *s, const struct tp_jax_trace *c,
    const struct tp_jax_device *d, enum tp_budget_part part, int64_t *in)
{
	const struct tp_jax *jax = c->jax;
	struct cause causes[CAUSES];
	size_t count = list_causes(s, &jax->host, causes), most = 0;
	size_t n = tp_ival_count(&s->idle);
	struct tp_budget_gap *g = &s->b->gaps[part];
	int64_t all = 0;

	memset(in, 0, n * sizeof *in);
	for (size_t i = 0; i < count; i++)
		if (causes[i].part == part)
			add_to_gaps(&s->idle, causes[i].at, in);
	for (size_t i = 0; i < n; i++) {
		all += in[i];
		most = in[i] > in[most] ? i : most;
	}
	if ((double)in[most] < TP_ONCE * (double)all ||
	    (double)tp_ps_to_ns(in[most]) < jax->one_gap_of_wall_ratio *
	    (double)(s->b->end_ns - s->b->start_ns) || is_told(s->b, part, all))
		return;
	g->time_ns = tp_ps_to_ns(in[most]);
	for (size_t i = 0; i < count; i++) {
		if (causes[i].part != part)
			continue;
		memset(in, 0, n * sizeof *in);
		add_to_gaps(&s->idle, causes[i].at, in);
		tp_budget_say_gap(s->b, part, causes[i].name,
		    tp_ps_to_ns(in[most]), 1);
	}
	find_delayed(g, &c->steps, d, &s->idle, most);
}

/* Of the parts that the host explains, state which came once. */
static void
say_gaps(struct sum *s, const struct tp_jax_trace *c,
    const struct tp_jax_device *d)
{
	static const enum tp_budget_part parts[] = { TP_PART_BUILDING,
	    TP_PART_SYNCHRONISING, TP_PART_HOST, TP_PART_LOADING,
	    TP_PART_UNRECORDED };
	size_t n = tp_ival_count(&s->idle);
	int64_t *in;

	if ((double)c->steps.steady.count < c->jax->one_gap_least_steps || !n)
		return;
	in = tp_alloc(n * sizeof *in);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		say_gap(s, c, d, parts[i], in);
	tp_free(in);
}

static const struct tp_jax_unrecorded *
untold(const struct tp_jax_trace *c, const struct tp_jax_device *d)
{
	return &c->missing.devices[d - c->time.devices];
}

/* Take the time in which work of D may be missing: nothing explains it. */
static void
take_missing(struct sum *s, const struct tp_jax_trace *c,
    const struct tp_jax_device *d)
{
	const struct tp_jax_unrecorded *u = untold(c, d);

	take(s, &u->steps, TP_PART_MISSING, "steps", TP_FLOOR_UNKNOWN, NULL);
	take(s, &u->executions, TP_PART_MISSING, "executions", TP_FLOOR_UNKNOWN,
	    NULL);
}

/*
 * The steady steps in *FROM..*TO on the host of D; without its time after
 * the last operation of D, when what followed is missing.
 */
static int
find_steps(const struct tp_jax_trace *c, const struct tp_jax_device *d,
    int64_t *from, int64_t *to)
{
	if (!tp_jax_steps_range(&c->steps, d->host, from, to))
		return 0;
	if (untold(c, d)->is_cut && d->last_ps > *from)
		TP_LEAST(*to, d->last_ps);
	return 1;
}

/*
 * Set the window of device D, and subtract everything that the host need not
 * explain.
 */
static void
take_device(struct sum *s, const struct tp_jax_trace *c,
    const struct tp_jax_device *d)
{
	struct tp_budget *b = s->b;
	int64_t from = d->first_ps, to = d->last_ps;

	b->device_name = c->time.device_count > 1 ||
	    tp_jax_is_one_of_hosts(c) ? d->name : NULL;
	b->host_index = c->host_count > 1 ? d->host + 1 : 0;
	b->host = tp_jax_is_one_of_hosts(c) ?
	    tp_jax_host_name(c, d->host) : NULL;
	b->scope = "span";
	if (find_steps(c, d, &from, &to))
		b->scope = "steps";
	b->start_ns = tp_ps_to_ns(from);
	b->end_ns = b->start_ns + tp_ps_to_ns(to - from);
	tp_ival_add(&s->rest, from, to);
	tp_ival_finish(&s->rest);
	take_work(s, d);
	take(s, &s->peer->waits, TP_PART_COMMUNICATION, TP_JAX_AWAITED, 0,
	    NULL);
	take_uses(s, d->at, &d->both_directions);
	take_uses(s, d->in_flight, &d->both_directions);
	take_missing(s, c, d);
	take_short_gaps(s);
}

static void
divide(struct tp_budget *b, const struct tp_jax_trace *c,
    const struct tp_jax_device *d, const struct tp_jax_peer *peer,
    struct host *host)
{
	struct sum s = { .b = b, .peer = peer };

	take_device(&s, c, d);
	divide_idle(&s, c, host);
	say_once(&s, c, host);
	tp_budget_add_ps(b, TP_PART_UNRECORDED, NULL, tp_ival_busy(&s.rest), 0);
	say_gaps(&s, c, d);
	release(&s);
}

/*
 * Find what the launching thread ran while device D was idle, and other
 * threads while it slept, or while the host waited and no device worked.
 */
static void
find_events(struct tp_jax_budgets *all, const struct tp_jax_trace *c,
    const struct tp_jax_device *d, const struct host *host,
    struct tp_jax_acts *acts)
{
	struct tp_budget again = { 0 };
	struct sum s = { .b = &again,
	    .peer = &all->peers.devices[d - c->time.devices] };

	take_device(&s, c, d);
	if (host->launcher)
		tp_jax_functions_make(&all->functions, acts, host->launcher,
		    &s.rest);
	divide_idle(&s, c, host);
	tp_ival_finish(&s.slept);
	tp_jax_waits_make(&all->waits, c->jax, acts, d->host, &s.waiting, 0);
	tp_jax_waits_make(&all->sleeps, c->jax, acts, d->host, &s.slept, 1);
	release(&s);
}

/*
 * Work and copies minus communication: devices that others wait for wait least
 * themselves.
 */
static int64_t
work_of(const struct tp_budget *b)
{
	int64_t ns = 0;

	for (size_t i = 0; i < b->count; i++)
		if (b->rows[i].part <= TP_PART_LATENCY ||
		    b->rows[i].part == TP_PART_COPIES)
			ns += b->rows[i].time_ns;
		else if (b->rows[i].part == TP_PART_COMMUNICATION)
			ns -= b->rows[i].time_ns;
	return ns;
}

static int64_t
length(const struct tp_budget *b)
{
	return b->end_ns - b->start_ns;
}

static int
computes(const struct tp_budget *b)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->rows[i].part <= TP_PART_LATENCY && b->rows[i].time_ns)
			return 1;
	return 0;
}

/*
 * Windows that differ by less than 1 % count as equal.  Devices that only copy
 * are passed over if others compute.
 */
static size_t
longest(const struct tp_jax_budgets *all)
{
	size_t best = all->count;
	int64_t most = 0;
	int some = 0;

	for (size_t i = 0; i < all->count; i++)
		some |= computes(&all->list[i]);
	for (size_t i = 0; i < all->count; i++)
		if (!some || computes(&all->list[i]))
			TP_MOST(most, length(&all->list[i]));
	for (size_t i = 0; i < all->count; i++) {
		const struct tp_budget *b = &all->list[i];

		if ((!some || computes(b)) && length(b) >= most - most / 100 &&
		    (best == all->count || work_of(b) >
		    work_of(&all->list[best])))
			best = i;
	}
	return best == all->count ? 0 : best;
}

void
tp_jax_budgets_make(struct tp_jax_budgets *all, const struct tp_jax_trace *c)
{
	struct host *hosts = tp_zalloc((c->host_count + 1) * sizeof *hosts);
	struct filling f = { .trace = c };

	memset(all, 0, sizeof *all);
	all->list = tp_zalloc((c->time.device_count + 1) * sizeof *all->list);
	tp_jax_acts_init(&f.acts, &c->tracks, c->jax);
	tp_jax_peers_make(&all->peers, &c->tracks, c->jax, &c->time);
	for (uint32_t i = 0; i < c->host_count; i++) {
		f.host = &hosts[i];
		fill(&f, i);
	}
	for (size_t i = 0; i < c->time.device_count; i++)
		find_busy(&hosts[c->time.devices[i].host], &c->time.devices[i]);
	for (uint32_t i = 0; i < c->host_count; i++)
		find_stuck(&hosts[i], c->jax);
	for (size_t i = 0; i < c->time.device_count; i++) {
		const struct tp_jax_device *d = &c->time.devices[i];

		divide(&all->list[all->count++], c, d, &all->peers.devices[i],
		    &hosts[d->host]);
	}
	all->main = longest(all);
	if (all->count) {
		const struct tp_jax_device *d = &c->time.devices[all->main];

		all->list[all->main].is_main = 1;
		find_events(all, c, d, &hosts[d->host], &f.acts);
	}
	for (uint32_t h = 0; h < c->host_count; h++) {
		for (int s = 0; s < STAGES; s++)
			for (int i = 0; i < TP_JAX_HOST_CLASSES; i++)
				tp_ival_release(&hosts[h].at[s][i]);
		tp_ival_release(&hosts[h].busy);
		tp_ival_release(&hosts[h].stuck);
		tp_jax_executions_release(&hosts[h].executions);
	}
	tp_free(hosts);
	tp_jax_acts_release(&f.acts);
}

void
tp_jax_budgets_release(struct tp_jax_budgets *all)
{
	tp_free(all->list);
	tp_jax_peers_release(&all->peers);
	tp_jax_functions_release(&all->functions);
	memset(all, 0, sizeof *all);
}
