/* gaps - why the GPU was idle */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "gaps.h"

const char *const tp_torch_causes[TP_TORCH_CAUSES] = {
	"cpu", "cpu-untraced", "runtime", "launch-overhead",
	"launch-anomaly", "inside-launch", "stream-wait", "unlinked", "edge",
	"profiler", "migration"
};
const char *const tp_torch_triggers[TP_TORCH_TRIGGERS] = {
	NULL, "sync-drain", "starved"
};

static int
load_limits(struct tp_torch_gap_limits *l, const struct tp_torch_ops *ops,
    struct tp_err *err)
{
	const struct { const char *key; int64_t *ps; } times[] = {
		{ "ignore_ns", &l->ignore_ps },
		{ "queued_ns", &l->queued_ps },
		{ "sync_slack_ns", &l->sync_slack_ps },
		{ "drain_ns", &l->drain_ps },
		{ "slow_launch_ns", &l->slow_launch_ps },
		{ "only_launch_ns", &l->only_launch_ps },
		{ "pause_ns", &l->pause_ps },
	};
	const struct { const char *key; double *x; } numbers[] = {
		{ "slow_launch_ratio", &l->slow_launch_ratio },
		{ "runtime_ratio", &l->runtime_ratio },
		{ "traced_ratio", &l->traced_ratio },
		{ "pause_factor", &l->pause_factor },
		{ "pause_calls", &l->pause_calls },
		{ "longest", &l->longest },
	};

	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (tp_torch_limit_ps(ops, "gaps", times[i].key,
		    times[i].ps, err) < 0)
			return -1;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (tp_torch_limit(ops, "gaps", numbers[i].key,
		    numbers[i].x, err) < 0)
			return -1;
	return 0;
}

/* Calls that wait for the GPU, by start. */
struct waits {
	struct wait {
		int64_t from_ps, to_ps;
		uint32_t event;
	} *list;
	size_t count, cap, at;
	const struct wait *last;	/* of those before "at" the one that
					 * ends last */
};

TP_ORDER(by_start, struct wait, TP_UP(from_ps) TP_UP(event))

static void
find_waits(struct waits *w, const struct tp_torch *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (e->cat != TP_TORCH_RUNTIME ||
		    (!tp_torch_trait(t, e)->waits &&
		    !tp_torch_sync_of(t, (uint32_t)i)))
			continue;
		TP_APPEND(w->list, w->count, w->cap, (struct wait){ e->from_ps,
		    e->to_ps, (uint32_t)i });
	}
	TP_SORT(w->list, w->count, by_start);
}

/*
 * Finds the trigger of gap G; the GPU had been busy since BUSY_PS.  Gaps
 * must come in order.
 */
static void
find_trigger(struct waits *w, const struct tp_torch *t,
    const struct tp_torch_gap_limits *l, struct tp_torch_gap *g,
    int64_t busy_ps)
{
	const struct tp_torch_event *next = &t->events[g->next];

	for (; w->at < w->count && w->list[w->at].from_ps <= g->from_ps;
	    w->at++)
		if (!w->last || w->list[w->at].to_ps > w->last->to_ps)
			w->last = &w->list[w->at];
	if (!w->last || w->last->to_ps < g->from_ps - l->sync_slack_ps)
		return;
	/* A wait did not delay a launch made before it. */
	if (tp_torch_is_linked(next) &&
	    t->events[next->launch].from_ps < w->last->from_ps)
		return;
	TP_MOST(busy_ps, w->last->from_ps);
	g->sync = w->last->event;
	g->trigger = g->from_ps - busy_ps > l->drain_ps ?
	    TP_TORCH_SYNC_DRAIN : TP_TORCH_STARVED;
	if (g->trigger == TP_TORCH_SYNC_DRAIN)
		g->waited_ps = g->from_ps - busy_ps;
}

/*
 * Judges the launch of the work after G.  Returns 1 if the cause is what the
 * host did instead.
 */
static int
judge_launch(const struct tp_torch *t, const struct tp_torch_waits *waits,
    const struct tp_torch_gap_limits *l, struct tp_torch_gap *g)
{
	const struct tp_torch_event *next = &t->events[g->next], *call;
	int64_t late, gap = g->to_ps - g->from_ps;

	g->cause = tp_torch_is_migration(t, next) ? TP_TORCH_MIGRATION :
	    TP_TORCH_UNLINKED;
	if (!tp_torch_is_linked(next))
		return 0;
	g->cause = TP_TORCH_INSIDE_LAUNCH;
	if (tp_torch_submit_call(t, g->before) ==
	    tp_torch_submit_call(t, g->next))
		return 0;
	call = &t->events[tp_torch_submit_call(t, g->next)];
	late = g->to_ps > call->to_ps ? g->to_ps - call->to_ps : 0;
	g->queued = call->to_ps < g->from_ps - l->queued_ps &&
	    late > l->slow_launch_ps;
	g->cause = TP_TORCH_STREAM_WAIT;
	if (call->to_ps <= g->from_ps && tp_torch_held_until(waits, g->next) >=
	    g->from_ps - l->sync_slack_ps)
		return 0;
	g->cause = TP_TORCH_LAUNCH_ANOMALY;
	if (g->queued || (late > l->slow_launch_ps &&
	    (double)late > l->slow_launch_ratio * (double)gap))
		return 0;
	g->cause = TP_TORCH_LAUNCH_OVERHEAD;
	return gap - late >= l->only_launch_ps;
}

const struct tp_torch_event *
tp_torch_gap_call(const struct tp_torch *t, const struct tp_torch_gap *g)
{
	const struct tp_torch_event *made =
	    &t->events[tp_torch_submit_call(t, g->next)];
	const struct tp_torch_event *left =
	    &t->events[t->events[g->next].launch];

	/* the thread that the gap waited for longer */
	return left->to_ps - g->from_ps > made->to_ps - left->to_ps ?
	    left : made;
}

/* Adds gap [FROM, TO). */
static void
add(struct tp_torch_gaps *s, int64_t from, int64_t to, uint32_t before,
    uint32_t next)
{
	s->total_ps += to - from;
	TP_MOST(s->max_ps, to - from);
	if (to - from < s->ignore_ps) {
		s->short_count++;
		s->short_ps += to - from;
		return;
	}
	TP_APPEND(s->list, s->count, s->cap, (struct tp_torch_gap){
	    .from_ps = from, .to_ps = to, .before = before, .next = next,
	    .host_name = TP_TORCH_NO, .sync = TP_TORCH_NO,
	    .annotation = TP_TORCH_NO, .function = TP_TORCH_NO });
}

/* Finds all gaps and judges their launches. */
static void
find(struct tp_torch_gaps *s, const struct tp_torch *t,
    const struct tp_torch_waits *waits,
    const struct tp_torch_gap_limits *l, struct tp_torch_gap_host *host)
{
	struct waits w = { 0 };
	int64_t busy_ps = 0;
	uint32_t last = TP_TORCH_NO;

	find_waits(&w, t);
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		size_t had = s->count;
		int64_t end = last == TP_TORCH_NO ? e->from_ps :
		    t->events[last].to_ps;

		if (last == TP_TORCH_NO)
			busy_ps = e->from_ps;
		if (e->from_ps > end) {
			add(s, end, e->from_ps, last, t->gpu[i]);
			if (s->count > had)
				find_trigger(&w, t, l, &s->list[had],
				    busy_ps);
			if (s->count > had && judge_launch(t, waits, l,
			    &s->list[had]))
				tp_torch_gap_host_add(host, t, s, had);
			/* a gap below the limit does not end a busy time */
			if (s->count > had)
				busy_ps = e->from_ps;
		}
		if (last == TP_TORCH_NO || e->to_ps > end)
			last = t->gpu[i];
	}
	tp_free(w.list);
}

int
tp_torch_gaps_make(struct tp_torch_gaps *s, const struct tp_torch *t,
    const struct tp_torch_waits *waits, struct tp_err *err)
{
	struct tp_torch_gap_limits limits;
	struct tp_torch_gap_host host = { 0 };

	memset(s, 0, sizeof *s);
	if (load_limits(&limits, t->ops, err) < 0)
		return -1;
	s->ignore_ps = limits.ignore_ps;
	s->longest = (size_t)limits.longest;
	find(s, t, waits, &limits, &host);
	tp_torch_gaps_about(s, t);
	tp_torch_gap_host_judge(&host, t, &limits, s);
	tp_torch_gaps_pause(s, t, &limits);
	tp_torch_gap_host_release(&host);
	return 0;
}

void
tp_torch_gaps_cut(struct tp_torch_gaps *s, int64_t from_ps, int64_t to_ps)
{
	for (size_t i = 0; i < s->count; i++) {
		struct tp_torch_gap *g = &s->list[i];

		if (g->from_ps >= from_ps && g->to_ps <= to_ps)
			continue;
		g->cause = TP_TORCH_EDGE;
		g->trigger = TP_TORCH_NO_SYNC;
		g->host_name = g->annotation = g->function = g->sync =
		    TP_TORCH_NO;
		g->about = NULL;
		g->queued = 0;
	}
}
