/* emit_causes - where the time of a JAX capture went, as records */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/budget.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/timeline/path.h>
#include <tp/text.h>

#include "emit_jax.h"
#include "executions.h"
#include "skew.h"
#include "timeline/idle.h"
#include "timeline/path_budget.h"

/* What work is: the uses of a device, with work by its limit. */
enum {
	LIMITED = TP_JAX_CLASSES,	/* from here on by limit */
	BOTH_WAYS = LIMITED + TP_JAX_LIMITS, MISSING, KINDS
};
_Static_assert(KINDS <= TP_WORK_KINDS, "too few kinds");

static const struct tp_work_kind kinds[KINDS] = {
	[TP_JAX_COLLECTIVE] = { TP_PART_COMMUNICATION, "collectives", 0, 0 },
	[TP_JAX_TO_DEVICE] = { TP_PART_COPIES, "from-host-memory", 0, 1 },
	[TP_JAX_TO_HOST] = { TP_PART_COPIES, "to-host-memory", 0, 0 },
	[TP_JAX_ON_DEVICE] = { TP_PART_COPIES, "on-device", 0, 0 },
	[TP_JAX_ANY_DIRECTION] = { TP_PART_COPIES, "way-not-recorded", 0, 0 },
	[TP_JAX_INFEED] = { TP_PART_LOADING, "infeed", 0, 0 },
	[TP_JAX_WAIT] = { TP_PART_SYNCHRONISING, "device-waits", 0, 0 },
	[TP_JAX_CONTAINER] = { TP_PART_DEVICE, "control-flow", NAN, 0 },
	[TP_JAX_CALLBACK] = { TP_PART_HOST, "callback", 0, 0 },
	[LIMITED + TP_JAX_BY_MATH] = { TP_PART_MATH, "flops", 0, 0 },
	[LIMITED + TP_JAX_BY_MEMORY] = { TP_PART_MEMORY, "bytes", 0, 0 },
	[LIMITED + TP_JAX_MATH_KIND] = { TP_PART_MATH, "by-kind", NAN, 0 },
	[LIMITED + TP_JAX_MEMORY_KIND] = { TP_PART_MEMORY, "by-kind", NAN,
	    0 },
	[LIMITED + TP_JAX_LAYOUT] = { TP_PART_MEMORY, "layout", 0, 0 },
	[LIMITED + TP_JAX_BY_UNKNOWN] = { TP_PART_DEVICE, "uncosted", NAN,
	    0 },
	[LIMITED + TP_JAX_TOO_SHORT] = { TP_PART_LATENCY, NULL, NAN, 0 },
	[BOTH_WAYS] = { TP_PART_COPIES, "both-ways", 0, 0 },
	[MISSING] = { TP_PART_MISSING, NULL, NAN, 0 },
};

struct emitter {
	struct tp_jax_trace *c;
	struct tp_out *out;
	struct tp_jax_timeline jt;
	struct tp_graph graph;
	struct tp_work_kinds kinds;
	uint8_t *of;			/* that of kinds */
	struct tp_ival once[TP_PATH_CLASSES];	/* of a path, by class */
	struct tp_ival building;		/* of a path */
};

/* Copies that mostly went both ways wait for neither direction alone. */
static void
find_both(struct emitter *e)
{
	size_t devices = e->c->time.device_count;
	struct tp_jax_spans *both = tp_zalloc((devices + 1) * sizeof *both);

	for (size_t i = 0; i < devices; i++)
		tp_jax_spans_set(&both[i],
		    &e->c->time.devices[i].both_directions);
	for (size_t i = 0; i < e->jt.count; i++) {
		const struct tp_jax_work *w = &e->jt.works[i];

		if ((e->of[i] == TP_JAX_TO_DEVICE || e->of[i] ==
		    TP_JAX_TO_HOST) && tp_jax_spans_inside(&both[w->device],
		    w->from_ps, w->to_ps) * 2 > w->to_ps - w->from_ps)
			e->of[i] = BOTH_WAYS;
	}
	for (size_t i = 0; i < devices; i++)
		tp_jax_spans_release(&both[i]);
	tp_free(both);
}

/* Set what each work is, and what it needs at least. */
static void
find_kinds(struct emitter *e)
{
	const struct tp_jax_trace *c = e->c;
	int64_t best[TP_JAX_LIMITS] = { 0 }, work[TP_JAX_LIMITS] = { 0 };

	e->of = tp_alloc(e->jt.count + 1);
	for (size_t i = 0; i < e->jt.count; i++) {
		uint32_t slice = e->jt.works[i].slice;
		const struct tp_jax_known *known = slice == TP_NIL ? NULL :
		    tp_jax_known_of(c->jax, &c->tracks,
		    &c->tracks.slices[slice]);

		e->of[i] = (uint8_t)(!known ? MISSING : known->class !=
		    TP_JAX_WORK ? known->class : LIMITED + tp_jax_limit_of(
		    known, tp_slice_ps(&c->tracks.slices[slice])));
	}
	for (size_t i = 0; i < c->time.device_count; i++)
		for (int k = 0; k < TP_JAX_LIMITS; k++) {
			tp_ps_add(&best[k], c->time.devices[i].best_ps[k]);
			tp_ps_add(&work[k], c->time.devices[i].work_ps[k]);
		}
	e->kinds.of = e->of;
	memcpy(e->kinds.list, kinds, sizeof kinds);
	for (int k = 0; k < TP_JAX_LIMITS; k++)
		/* changes of layout need not be at all */
		if (!isnan(kinds[LIMITED + k].least) && work[k] &&
		    k != TP_JAX_LAYOUT)
			e->kinds.list[LIMITED + k].least = (double)best[k] /
			    (double)work[k];
	find_both(e);
}

/* Count PIECE of the path. */
static void
add_piece(void *arg, const struct tp_path *path,
    const struct tp_path_piece *piece)
{
	struct emitter *e = arg;
	enum tp_path_class class =
	    (enum tp_path_class)path->graph->whats[piece->what].class;

	tp_work_add(&e->kinds, path, piece);
	if (class == TP_PATH_COMPILE || class == TP_PATH_ALLOCATION)
		tp_ival_add(&e->once[class], piece->from_ps, piece->to_ps);
	if (path->graph->rules->parts[class].part == TP_PART_BUILDING)
		tp_ival_add(&e->building, piece->from_ps, piece->to_ps);
}

/* State of B how long work would take at the rates of the device. */
static void
say_floors(const struct emitter *e, struct tp_budget *b)
{
	for (size_t i = 0; i < b->count; i++)
		for (int k = LIMITED; k < LIMITED + TP_JAX_LIMITS; k++) {
			const struct tp_work_kind *kind = &e->kinds.list[k];
			struct tp_budget_row *row = &b->rows[i];

			if (kind->part == row->part && tp_same(kind->cause,
			    row->cause) && !isnan(kind->least))
				row->floor_ns = (int64_t)(kind->least *
				    (double)row->time_ns);
		}
}

/* Whether event NAME of a host launches. */
static int
is_launch(void *arg, uint32_t name)
{
	const struct tp_jax_trace *c = arg;
	const struct tp_class *class = tp_class_of_name(&c->jax->host,
	    c->tracks.names.names[name].text);

	return class && class->number == TP_PATH_DISPATCH;
}

/* State of B how much of what PATH is in first executions took. */
static void
say_once(struct emitter *e, const struct tp_path *path, struct tp_budget *b)
{
	const struct tp_timeline *tl = &e->jt.timeline;
	const struct tp_tracks *t = &e->c->tracks;
	struct tp_jax_executions x = { 0 };
	struct tp_budget_once once;

	for (size_t i = 0; path->track != TP_NIL && i < t->track_count; i++)
		if (t->tracks[i].role == TP_ROLE_HOST && t->tracks[i].host ==
		    path->process && t->tracks[i].tid ==
		    tl->tracks[path->track].tid) {
			tp_jax_executions_make(&x, t, &t->tracks[i], is_launch,
			    e->c);
			break;
		}
	for (int i = 0; i < TP_PATH_CLASSES; i++) {
		tp_ival_finish(&e->once[i]);
		if (tp_ival_count(&e->once[i])) {
			const struct tp_path_part *part =
			    &e->graph.rules->parts[i];

			tp_jax_executions_reset(&x);
			tp_jax_executions_add(&x, &e->once[i]);
			tp_jax_executions_sum(&x, &once);
			tp_budget_say_once(b, part->part, part->cause, &once);
		}
		tp_ival_release(&e->once[i]);
	}
	tp_jax_executions_release(&x);
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

/* The step of HOST that what lasted until PS delayed, in *NUMBER. */
static int
find_delayed(const struct tp_jax_steps *st, uint32_t host, int64_t ps,
    int64_t *number)
{
	for (size_t i = 0; i < st->part_count; i++)
		if (st->parts[i].host == host && st->parts[i].to_ps >= ps) {
			*number = st->parts[i].number;
			return 1;
		}
	return 0;
}

/* What the host was in under one name. */
struct in_name {
	int64_t ps, count;
};

static void
add_call(struct in_name *in, int64_t ps)
{
	in->ps += ps;
	in->count++;
}

/*
 * How much of FROM to TO lies in PATH and is on thread AT: TRACK, or with
 * TP_NIL any of the process.
 */
static int64_t
within(const struct tp_graph *g, const struct tp_path *path, uint32_t track,
    uint32_t at, int64_t from, int64_t to)
{
	if (track == TP_NIL ? g->timeline->tracks[at].process != path->process :
	    at != track)
		return 0;
	TP_MOST(from, path->from_ps);
	TP_LEAST(to, path->to_ps);
	return to > from ? to - from : 0;
}

/*
 * By name, the waits of TRACK, or of all threads of PATH, within PATH: calls
 * that wait, and where a thread was in nothing recorded until work ended.
 */
static struct in_name *
find_waits(const struct tp_graph *g, const struct tp_path *path,
    uint32_t track)
{
	const struct tp_timeline *tl = g->timeline;
	struct in_name *list = tp_zalloc((tl->names.count + 1) * sizeof *list);
	uint8_t *waits = tp_zalloc(tl->names.count + 1);

	for (size_t i = 0; i < g->what_count; i++)
		if (g->whats[i].class == TP_PATH_SYNC && g->whats[i].name !=
		    TP_NIL)
			waits[g->whats[i].name] = 1;
	for (size_t i = 0; i < tl->host_count; i++) {
		const struct tp_slice *s = &tl->slices[i];
		int64_t ps = waits[s->name] ? within(g, path, track, s->track,
		    s->from_ps, s->to_ps) : 0;

		if (ps)
			add_call(&list[s->name], ps);
	}
	for (size_t i = 0; i < g->host_count; i++) {
		const struct tp_node *n = &g->nodes[i];
		uint32_t name = g->whats[g->stretches[n->first].what].name;
		int64_t ps = n->kind == TP_NODE_IDLE && n->released_by ==
		    TP_RELEASE_IDLE && name != TP_NIL ? within(g, path, track,
		    n->track, n->from_ps, n->to_ps) : 0;

		/* how often it waited is not recorded */
		if (ps)
			list[name].ps += ps;
	}
	tp_free(waits);
	return list;
}

/*
 * By name, how much of UNION the main thread of PATH was in functions, with all
 * that they called.
 */
static struct in_name *
find_functions(const struct tp_graph *g, const struct tp_path *path,
    const struct tp_ival *u)
{
	const struct tp_timeline *tl = g->timeline;
	struct in_name *list = tp_zalloc((tl->names.count + 1) * sizeof *list);
	int64_t *until = tp_zalloc((tl->names.count + 1) * sizeof *until);
	struct tp_jax_spans spans = { 0 };

	tp_jax_spans_set(&spans, u);
	for (size_t i = 0; i < tl->host_count; i++) {
		const struct tp_slice *s = &tl->slices[i];

		/* one that calls itself is counted once */
		if (s->kind != TP_SLICE_FUNCTION || s->from_ps <
		    until[s->name] || !within(g, path, path->track, s->track,
		    s->from_ps, s->to_ps))
			continue;
		until[s->name] = s->to_ps;
		add_call(&list[s->name], tp_jax_spans_inside(&spans,
		    s->from_ps, s->to_ps));
	}
	tp_jax_spans_release(&spans);
	tp_free(until);
	return list;
}

/* State of B that PART was in what LIST has most of, from LEAST to LIMIT. */
static void
say_most(const struct tp_graph *g, struct tp_budget *b,
    enum tp_budget_part part, const struct in_name *list, double least,
    double limit)
{
	size_t most = g->timeline->names.count;

	for (size_t i = 0; i < g->timeline->names.count; i++)
		if ((double)list[i].ps <= limit && list[i].ps > list[most].ps)
			most = i;
	if (list[most].ps && (double)list[most].ps >= least)
		b->places[part] = (struct tp_budget_place){
		    g->timeline->names.names[most].text, list[most].count };
}

/* State of B where PATH waited, and what it was in that prepared work. */
static void
say_places(struct emitter *e, const struct tp_path *path, struct tp_budget *b)
{
	struct in_name *list = find_waits(&e->graph, path, path->track);
	double all;

	say_most(&e->graph, b, TP_PART_SYNCHRONISING, list, 0, INFINITY);
	tp_free(list);
	tp_ival_finish(&e->building);
	all = (double)tp_ival_busy(&e->building);
	list = find_functions(&e->graph, path, &e->building);
	say_most(&e->graph, b, TP_PART_BUILDING, list,
	    e->c->jax->function_least_ratio * all,
	    e->c->jax->function_most_ratio * all);
	tp_free(list);
	tp_ival_release(&e->building);
}

/* State of B that one gap of PATH was in NAME.  Returns how often it waits. */
static int64_t
say_wait(const struct tp_graph *g, const struct tp_path *path, uint32_t name,
    struct tp_budget *b)
{
	struct tp_budget_place *place = &b->places[TP_PART_SYNCHRONISING];
	struct in_name *list;

	*place = (struct tp_budget_place){ 0 };
	if (name == TP_NIL)
		return 0;
	list = find_waits(g, path, TP_NIL);
	place->name = g->timeline->names.names[name].text;
	place->count = list[name].count;
	tp_free(list);
	return place->count;
}

/* State of B the gap that holds nearly all of PART, if one of IDLE does. */
static void
say_gap(struct emitter *e, const struct tp_path *path, struct tp_budget *b,
    const struct tp_idle *idle, enum tp_budget_part part)
{
	const struct tp_graph *g = &e->graph;
	const struct tp_idle_gap *gap = NULL;
	struct tp_budget_gap *said = &b->gaps[part];
	int is_often = (double)e->c->steps.steady.count >=
	    e->c->jax->one_gap_least_steps;
	int64_t all = 0;

	for (uint32_t i = 0; i < g->what_count; i++)
		if (g->rules->parts[g->whats[i].class].part == part)
			all += idle->sums[i].ns * 1000;
	for (size_t i = 0; i < idle->count; i++)
		if (g->rules->parts[g->whats[idle->list[i].what].class].part ==
		    part && (!gap || idle->list[i].what_ps > gap->what_ps))
			gap = &idle->list[i];
	if (!gap || (double)gap->what_ps < TP_ONCE * (double)all ||
	    (double)gap->what_ps < e->c->jax->one_gap_of_wall_ratio *
	    (double)(path->to_ps - path->from_ps) || is_told(b, part, all))
		return;
	/* without steps, so many waits of which it is one */
	if (part == TP_PART_SYNCHRONISING && (double)say_wait(g, path,
	    g->whats[gap->what].name, b) >= e->c->jax->one_gap_least_waits &&
	    !path->step_count)
		is_often = 1;
	if (!is_often)
		return;
	said->time_ns = tp_ps_to_ns(gap->what_ps);
	said->start_ns = tp_ps_to_ns(gap->from_ps);
	said->end_ns = tp_ps_to_ns(gap->to_ps);
	tp_budget_say_gap(b, part, g->rules->parts[
	    g->whats[gap->what].class].cause, said->time_ns, 1);
	said->has_number = find_delayed(&e->c->steps, path->process,
	    gap->to_ps, &said->number);
}

/* Of the parts that the host explains, state of B which came once. */
static void
say_gaps(struct emitter *e, const struct tp_path *path, struct tp_budget *b,
    const struct tp_idle *idle)
{
	static const enum tp_budget_part parts[] = { TP_PART_BUILDING,
	    TP_PART_SYNCHRONISING, TP_PART_HOST, TP_PART_LOADING,
	    TP_PART_WAITING, TP_PART_UNRECORDED };

	say_places(e, path, b);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		say_gap(e, path, b, idle, parts[i]);
}

/* Write the records of the host that PROCESS is. */
static void
emit_host(struct emitter *e, uint32_t process, int is_main)
{
	const struct tp_jax_trace *c = e->c;
	struct tp_path path = { .with = add_piece, .with_arg = e };
	int64_t rank = e->jt.timeline.processes[process].rank;
	struct tp_budget b = { .is_main = is_main };
	struct tp_idle idle = { 0 };

	memset(e->kinds.ns, 0, sizeof e->kinds.ns);
	if (!tp_path_make(&path, &e->graph, process, 0)) {
		tp_path_release(&path);
		return;
	}
	path.with = NULL;
	/* nobody knows what launched work that is missing, or waits for it */
	if (c->missing.hosts[process].is_mostly_missing) {
		path.unlinked_ps = path.work_ps;
		TP_LEAST(path.linked_ps, path.from_ps);
	}
	b.scope = path.step_count ? "steps" : "span";
	b.host_index = c->host_count > 1 ? process + 1 : 0;
	b.host = tp_jax_is_one_of_hosts(c) ? tp_jax_host_name(c, process) :
	    NULL;
	b.start_ns = tp_ps_to_ns(path.from_ps);
	b.end_ns = tp_ps_to_ns(path.to_ps);
	tp_path_budget(&b, &path, &e->kinds);
	say_floors(e, &b);
	say_once(e, &path, &b);
	tp_idle_make(&idle, &e->graph, &path, NULL);
	tp_path_grow(&path);
	say_gaps(e, &path, &b, &idle);
	tp_budget_emit(&b, e->out);
	if (is_main) {
		tp_path_emit_tables(&path, rank, e->out);
		tp_path_emit_lanes(&path, &e->graph, c->pixels, rank, e->out);
		tp_idle_emit_parts(&idle, &e->graph, rank, e->out);
		tp_jax_emit_skew(c, &e->jt, &path, e->out);
	}
	tp_free(idle.list);
	tp_free(idle.sums);
	tp_path_release(&path);
}

/* Say of devices whose clock is not that of their host. */
static void
note_shifts(const struct emitter *e)
{
	size_t count = 0, most = 0;

	for (size_t i = 0; i < e->c->time.device_count; i++) {
		count += e->jt.shifts[i] > 0;
		if (e->jt.shifts[i] > e->jt.shifts[most])
			most = i;
	}
	if (count)
		tp_out_note(e->out, "clock.behind", 0, count,
		    "devices ran operations before the host had launched them: "
		    "their clocks are at least %.3f ms behind; causes of idle "
		    "time are those with this difference taken off",
		    (double)e->jt.shifts[most] / 1e9);
}

/* Make the graph of C for E; 0, or -1 with ERR. */
static int
make(struct emitter *e, struct tp_jax_trace *c, struct tp_path_rules *rules,
    struct tp_out *out, struct tp_err *err)
{
	*e = (struct emitter){ .c = c, .out = out };
	if (tp_path_rules_load(rules, err) < 0)
		return -1;
	tp_jax_to_timeline(&e->jt, c, rules);
	tp_graph_make(&e->graph, &e->jt.timeline, rules);
	return 0;
}

/*
 * The host that the others wait for longest in collectives; where none waits
 * for another one, that whose devices do most besides.
 */
static uint32_t
main_host(const struct emitter *e)
{
	const struct tp_graph *g = &e->graph;
	int64_t *awaited = tp_zalloc((e->c->host_count + 1) * sizeof *awaited);
	uint32_t main = 0;

	for (size_t i = 0; i < g->group_count; i++) {
		const struct tp_group *group = &g->groups[i];
		uint32_t last = tp_node_process(g, group->last_node);

		for (uint32_t k = 0; k < group->count; k++) {
			uint32_t at = g->members[group->first + k];

			if (tp_node_process(g, at) != last)
				tp_ps_add(&awaited[last],
				    g->nodes[group->last_node].from_ps -
				    g->nodes[at].from_ps);
		}
	}
	for (uint32_t i = 1; i < e->c->host_count; i++)
		if (awaited[i] > awaited[main])
			main = i;
	if (!awaited[main])
		main = tp_graph_main_process(g);
	tp_free(awaited);
	return main;
}

int
tp_jax_emit_path(struct tp_jax_trace *c, const struct tp_path_options *options,
    struct tp_out *out, struct tp_err *err)
{
	struct tp_path_rules rules = { 0 };
	struct emitter e = { 0 };
	int rc = make(&e, c, &rules, out, err);

	if (!rc) {
		note_shifts(&e);
		tp_path_emit(&e.graph, options, out);
	}
	tp_graph_release(&e.graph);
	tp_jax_timeline_release(&e.jt);
	tp_path_rules_release(&rules);
	return rc;
}

int
tp_jax_emit_budget(struct tp_jax_trace *c, struct tp_out *out,
    struct tp_err *err)
{
	struct tp_path_rules rules = { 0 };
	struct emitter e = { 0 };
	int rc = make(&e, c, &rules, out, err);

	if (!rc && e.jt.count) {
		uint32_t main;

		find_kinds(&e);
		main = main_host(&e);
		note_shifts(&e);
		for (uint32_t i = 0; i < e.jt.timeline.process_count; i++)
			if (c->time.hosts[i].device_count)
				emit_host(&e, i, i == main);
		tp_free(e.of);
	}
	tp_graph_release(&e.graph);
	tp_jax_timeline_release(&e.jt);
	tp_path_rules_release(&rules);
	return rc;
}
