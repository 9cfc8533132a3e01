/* stretch - what each thread was in, instant by instant */
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/json.h>
#include <tp/order.h>

#include "graph.h"

/* An end that overlaps the next start by less is an error of the clock. */
#define OVERLAP_PS 2000

/* What a name means, once per distinct name and kind. */
struct meaning {
	uint8_t class;		/* or TP_PATH_CLASSES: none */
	uint8_t is_known, blocks, is_fed, is_own, waits, allocates;
	uint8_t is_named;	/* a class whose functions are named */
	uint8_t is_built_in;
};

/* A slice that has not ended. */
struct frame {
	uint32_t slice;
	int64_t to_ps;
	uint32_t own;		/* name of the innermost function around it
				 * that is the program's; TP_NIL: none */
	uint32_t op;		/* name of the innermost operator, this or
				 * around it; or TP_NIL */
	uint8_t special;	/* class that it and all inside are in, or
				 * TP_PATH_CLASSES */
	uint8_t begun;		/* a stretch of it was added */
	uint32_t blocked;	/* name of the function that waits, with what
				 * it calls that is built in, or TP_NIL */
	uint8_t is_fed;		/* in what others make meanwhile */
};

struct walk {
	struct tp_graph *g;
	struct tp_timeline *tl;
	struct meaning *frames, *calls;		/* by name */
	struct tp_names plains;			/* tp_frame_name() of names, */
	struct meaning *of_plain;		/* and what they mean */
	struct tp_buf plain;
	uint8_t *used;		/* by name: a kernel of it was launched */
	uint8_t *blocking;	/* by name of a call: find_blocking() */
	uint32_t *cache;	/* by name: 1 + what it was last */
	struct frame *stack;
	size_t depth, cap;
	uint32_t track;
	size_t first;		/* stretch of the track */
	const struct tp_state *state, *state_end;	/* of it, yet to come */
	int64_t known_ps;	/* when its first state began */
	int64_t at_ps;		/* until when its stretches reach */
	int must_cut;		/* before the next stretch */
	int is_lone;		/* the last stretch goes no further */
};

uint32_t
tp_graph_what(struct tp_graph *g, enum tp_path_class class, uint32_t name,
    uint32_t op)
{
	size_t had = g->what_ids.count;
	ptrdiff_t at = tp_ids_add(&g->what_ids, (uint64_t)op << 8 | class,
	    name);

	if ((size_t)at == had)
		TP_APPEND(g->whats, g->what_count, g->what_cap,
		    (struct tp_what){ (uint8_t)class, name, op });
	return (uint32_t)at;
}

static uint8_t
class_number(const struct tp_class *c)
{
	return c ? (uint8_t)c->number : TP_PATH_CLASSES;
}

static const struct meaning *
meaning_of_call(struct walk *w, uint32_t name)
{
	struct meaning *m = &w->calls[name];
	const struct tp_class *c;
	double waits = 0;

	if (!m->is_known) {
		c = tp_class_of_name(&w->g->rules->calls,
		    w->tl->names.names[name].text);
		m->is_known = 1;
		m->class = class_number(c);
		if (c)
			tp_json_number(c->row, "waits", &waits);
		m->waits = waits > 0;
	}
	return m;
}

static struct meaning
classify_frame(const struct tp_path_rules *r, const char *plain,
    int is_function)
{
	const struct tp_class *c = tp_class_of_name(is_function ?
	    &r->functions : &r->ranges, plain);
	struct meaning m = { .class = class_number(c), .is_known = 1 };
	double named = 0;

	if (c)
		tp_json_number(c->row, "named", &named);
	m.is_named = named > 0;
	m.is_built_in = !strncmp(plain, "<built-in ", 10);
	m.is_fed = !!tp_class_of_name(&r->producers, plain);
	m.allocates = !!tp_class_of_name(&r->allocators, plain);
	m.blocks = is_function && tp_class_of_name(&r->blocked, plain);
	m.is_own = !is_function || !tp_class_of_name(&r->library, plain) ||
	    tp_class_of_name(&r->own, plain);
	return m;
}

static const struct meaning *
meaning_of_frame(struct walk *w, uint32_t name)
{
	struct meaning *m = &w->frames[name], *of;
	int is_function;

	if (!m->is_known) {
		is_function = tp_frame_name(&w->plain,
		    w->tl->names.names[name].text);
		of = &w->of_plain[tp_names_add(&w->plains, w->plain.p,
		    w->plain.len)];
		if (!of->is_known)
			*of = classify_frame(w->g->rules, w->plain.p,
			    is_function);
		*m = *of;
	}
	return m;
}

/* Add a stretch until TO, unless it continues the one before. */
static void
add(struct walk *w, int64_t to, enum tp_path_class class, uint32_t name,
    enum tp_node_kind role, uint32_t slice)
{
	struct tp_graph *g = w->g;
	struct tp_graph_stretch *last = g->stretch_count > w->first ?
	    &g->stretches[g->stretch_count - 1] : NULL;
	uint32_t key = name == TP_NIL ? 0 : name + 1, what = w->cache[key];
	uint32_t op = role == TP_NODE_WAITS && w->depth ?
	    w->stack[w->depth - 1].op : TP_NIL;
	/* a function that goes on for long without a call stands alone */
	int is_lone = class == TP_PATH_PYTHON && to - w->at_ps >=
	    g->rules->lone_ps;

	if (to <= w->at_ps && !w->must_cut)
		return;
	if (!what || g->whats[what - 1].class != class ||
	    g->whats[what - 1].op != op)
		w->cache[key] = what = 1 + tp_graph_what(g, class, name, op);
	what--;
	TP_MOST(to, w->at_ps);
	w->at_ps = to;
	if (last && !w->must_cut && !is_lone && !w->is_lone &&
	    last->what == what && last->role == role && role !=
	    TP_NODE_WAITS) {
		last->to_ps = to;
		return;
	}
	TP_APPEND(g->stretches, g->stretch_count, g->stretch_cap,
	    (struct tp_graph_stretch){ to, what, slice, !!w->must_cut, role });
	w->must_cut = 0;
	w->is_lone = is_lone;
}

/*
 * Whether other work of PROCESS ended shortly before the work at PS, which was
 * launched at FROM: then the device held it up, not the call.
 */
static int
was_freed(const struct tp_graph *g, uint32_t process, int64_t from, int64_t ps)
{
	size_t at = tp_graph_ended(g, g->of_process, process, ps + 200000);
	int64_t near = (ps - from) / 10;
	const struct tp_ended *e;

	if (!at || g->of_process[at - 1].of != process)
		return 0;
	e = &g->of_process[at - 1];
	TP_MOST(near, 30000000);
	return e->to_ps > from && ps - e->to_ps < near;
}

/*
 * If call S, which launches, kept its thread until shortly before its work
 * started: until when; else its start.
 */
static int64_t
held_until(const struct walk *w, const struct tp_slice *s, int64_t to)
{
	const struct tp_graph *g = w->g;
	const struct tp_launch *l = &g->launches[s->launch - 1];
	const struct tp_slice *work =
	    &w->tl->slices[w->tl->host_count + l->first_work];
	int64_t until = work->from_ps - g->rules->least_launch_ps;
	size_t at = tp_graph_ended(g, g->of_stream, work->track,
	    work->from_ps - 1);

	TP_LEAST(until, to);
	if (until - s->from_ps <= g->rules->long_call_ps ||
	    (at && g->of_stream[at - 1].of == work->track &&
	    g->of_stream[at - 1].to_ps >= until) ||
	    was_freed(g, w->tl->tracks[w->track].process, s->from_ps,
	    work->from_ps))
		return s->from_ps;
	return until;
}

/* Whether call S, which launches, returned as its work ended. */
static int
returned_with(const struct tp_graph *g, const struct tp_slice *s,
    const struct tp_slice **work)
{
	int64_t tail = (s->to_ps - s->from_ps) / 10;

	*work = &g->timeline->slices[g->timeline->host_count +
	    g->launches[s->launch - 1].first_work];
	TP_MOST(tail, 30 * US);
	return (*work)->from_ps >= s->from_ps && (*work)->to_ps <= s->to_ps &&
	    s->to_ps - (*work)->to_ps <= tail;
}

/* Whether that is most of its time. */
static int
blocks(const struct tp_graph *g, const struct tp_slice *s)
{
	int64_t took = s->to_ps - s->from_ps;
	const struct tp_slice *work;

	return took > g->rules->long_call_ps && returned_with(g, s, &work) &&
	    (work->to_ps - work->from_ps) * 2 > took;
}

/* By name of a call whether most return as their work ends. */
static uint8_t *
find_blocking(const struct tp_graph *g)
{
	size_t names = g->timeline->names.count + 1;
	int32_t *counts = tp_zalloc(names * sizeof *counts);
	uint8_t *blocking = tp_zalloc(names);

	for (size_t i = 0; i < g->launch_count; i++) {
		const struct tp_slice *work, *s =
		    &g->timeline->slices[g->launches[i].slice];

		counts[s->name] += returned_with(g, s, &work) ? 1 : -1;
	}
	for (size_t i = 0; i < names; i++)
		blocking[i] = counts[i] > 0;
	tp_free(counts);
	return blocking;
}

/* Add the time of call S, a FRAME, until TO. */
static void
add_call(struct walk *w, struct frame *f, const struct tp_slice *s, int64_t to)
{
	const struct tp_path_rules *r = w->g->rules;
	const struct meaning *m = meaning_of_call(w, s->name);
	int is_launch = s->launch && !f->begun;
	enum tp_path_class class = s->told ? (enum tp_path_class)(s->told - 1) :
	    m->class == TP_PATH_CLASSES ? TP_PATH_RUNTIME_CALL :
	    (enum tp_path_class)m->class;
	int waits = m->waits || s->told;
	enum tp_node_kind role = waits && (class != TP_PATH_COPY_CALL ||
	    to - w->at_ps > r->copy_wait_ps) ? TP_NODE_WAITS : TP_NODE_RUNS;
	int64_t until = w->at_ps;
	uint32_t kernel;

	if (!waits && class != TP_PATH_ALLOCATION) {
		if (f->special != TP_PATH_CLASSES)
			class = (enum tp_path_class)f->special;
		else if (is_launch)
			class = TP_PATH_LAUNCH_CALL;
	}
	w->must_cut |= s->class & TP_SLICE_PUTS && !f->begun;
	if (class == TP_PATH_RUNTIME_CALL && to - w->at_ps >= r->once_ps)
		class = TP_PATH_FIRST_USE;
	if (is_launch) {
		struct tp_launch *l = &w->g->launches[s->launch - 1];

		kernel = w->tl->slices[w->tl->host_count +
		    l->first_work].name;
		until = held_until(w, s, to);
		if (until > w->at_ps)
			add(w, until, class == TP_PATH_LAUNCH_CALL &&
			    !w->used[kernel] && until - s->from_ps >
			    r->first_use_ps ? TP_PATH_FIRST_USE : class,
			    s->name, TP_NODE_RUNS, f->slice);
		w->used[kernel] = 1;
		l->point = (uint32_t)w->g->stretch_count;
		if (l->op == TP_NIL)
			l->op = f->op;
		w->must_cut = 1;
		if (class == TP_PATH_LAUNCH_CALL && w->blocking[s->name] &&
		    blocks(w->g, s)) {
			class = TP_PATH_SYNC;
			role = TP_NODE_WAITS;
		}
	}
	add(w, to, class, s->name, role, f->slice);
	f->begun = 1;
}

/* Whether something below slice AT, of the track of the walk, launched. */
static int
launches(const struct walk *w, uint32_t at, int64_t to)
{
	const struct tp_graph *g = w->g;
	const struct tp_slice *call;
	size_t i;

	TP_SEEK(i, 0, g->launch_count, mid, g->launches[mid].slice < at);
	if (i == g->launch_count)
		return 0;
	call = &w->tl->slices[g->launches[i].slice];
	return call->track == w->track && call->from_ps < to;
}

/*
 * Add the time until TO by the states of the thread: between them it runs.
 * Where it is in a marked range, only what blocks: the rest is that of the
 * range.
 */
static void
add_states(struct walk *w, int64_t to, const struct tp_slice *range,
    uint32_t name, uint32_t slice)
{
	enum tp_path_class class = range ? TP_PATH_RANGE : TP_PATH_UNTRACED;
	enum tp_node_kind role = range || w->at_ps >= w->known_ps ?
	    TP_NODE_RUNS : TP_NODE_IDLE;

	for (; w->state < w->state_end && w->state->from_ps < to; w->state++) {
		const struct tp_state *s = w->state;

		if (s->to_ps <= w->at_ps || (range && s->class !=
		    TP_PATH_BLOCKED))
			continue;
		if (s->from_ps > w->at_ps)
			add(w, s->from_ps, class, name, role, slice);
		w->must_cut |= s->class == TP_PATH_BLOCKED;
		add(w, s->to_ps < to ? s->to_ps : to, (enum tp_path_class)
		    s->class, s->name, TP_NODE_RUNS, TP_SYSTEM);
		w->must_cut = s->class == TP_PATH_BLOCKED;
		role = TP_NODE_RUNS;
		if (s->to_ps > to)
			break;
	}
	add(w, to, class, name, role, slice);
}

/* Add the time of the innermost frame, or of none, until TO. */
static void
go_on(struct walk *w, int64_t to)
{
	struct frame *f = w->depth ? &w->stack[w->depth - 1] : NULL;
	const struct tp_slice *s = f ? &w->tl->slices[f->slice] : NULL;
	int is_fed;
	uint32_t name;

	if (to <= w->at_ps && !(s && s->kind == TP_SLICE_CALL && s->launch &&
	    !f->begun))
		return;
	if (!s) {
		add_states(w, to, NULL, TP_NIL, 0);
		return;
	}
	name = f->own == TP_NIL ? s->name : f->own;
	is_fed = f->is_fed && f->special == TP_PATH_DATA_LOADING &&
	    to - w->at_ps >= w->g->rules->producer_wait_ps;
	if (s->kind == TP_SLICE_CALL)
		add_call(w, f, s, to);
	else if (s->kind == TP_SLICE_PROFILER)
		add(w, to, TP_PATH_PROFILER, s->name, TP_NODE_RUNS, f->slice);
	else if (f->blocked != TP_NIL)
		add(w, to, f->special == TP_PATH_CLASSES ? TP_PATH_BLOCKED :
		    (enum tp_path_class)f->special, f->special ==
		    TP_PATH_CLASSES ? f->blocked : name, TP_NODE_IDLE,
		    f->slice);
	else if (f->special != TP_PATH_CLASSES)
		add(w, to, (enum tp_path_class)f->special, name, is_fed ?
		    TP_NODE_IDLE : TP_NODE_RUNS, f->slice);
	else if (s->kind == TP_SLICE_OPERATOR)
		add(w, to, s->to_ps - s->from_ps < w->g->rules->dispatch_ps ||
		    meaning_of_frame(w, s->name)->allocates ||
		    launches(w, f->slice, s->to_ps) ? TP_PATH_DISPATCH :
		    TP_PATH_CPU_OPERATOR, s->name, TP_NODE_RUNS, f->slice);
	else if (s->kind == TP_SLICE_RANGE)
		add_states(w, to, s, name, f->slice);
	else
		add(w, to, TP_PATH_PYTHON, name, s->class & TP_SLICE_WAITS ?
		    TP_NODE_IDLE : TP_NODE_RUNS, f->slice);
}

/* End frames so that slice S can begin. */
static void
leave(struct walk *w, const struct tp_slice *s)
{
	const struct frame *f;
	enum tp_slice_kind kind;

	for (; w->depth; w->depth--) {
		f = &w->stack[w->depth - 1];
		kind = (enum tp_slice_kind)w->tl->slices[f->slice].kind;
		/* what outlasts a call or the profiler is not inside of it,
		 * and a range that outlasts another one takes over */
		if (f->to_ps > s->from_ps + OVERLAP_PS && (s->to_ps <=
		    f->to_ps || !(kind == TP_SLICE_PROFILER ||
		    (kind == s->kind && (kind == TP_SLICE_CALL ||
		    kind == TP_SLICE_RANGE)))))
			break;
		go_on(w, kind == TP_SLICE_RANGE && f->to_ps > s->from_ps ?
		    s->from_ps : f->to_ps);
	}
}

/* What frame F, called NAME, which means M, and all inside are in. */
static void
take_meaning(struct frame *f, const struct meaning *m, uint32_t name)
{
	/* what the profiler calls is its own; whoever works or waits reads */
	if (m->class == TP_PATH_CLASSES || m->class == TP_PATH_PYTHON ||
	    f->special == TP_PATH_PROFILER ||
	    (m->class == TP_PATH_READING && (f->blocked != TP_NIL ||
	    f->special != TP_PATH_CLASSES)))
		return;
	if ((m->is_named && f->special != m->class) || f->own == TP_NIL)
		f->own = name;
	f->special = m->class;
}

/* The same of what its reader told of slice S. */
static void
take_told(struct frame *f, const struct tp_slice *s)
{
	f->own = s->name;
	if (s->class & TP_SLICE_WAITS) {
		f->blocked = s->name;
		return;
	}
	f->special = (uint8_t)(s->told - 1);
	f->blocked = TP_NIL;
}

static void
enter(struct walk *w, uint32_t at)
{
	const struct tp_slice *s = &w->tl->slices[at];
	const struct frame *around;
	struct frame f = { .slice = at, .to_ps = s->to_ps, .own = TP_NIL,
	    .op = TP_NIL, .special = TP_PATH_CLASSES, .blocked = TP_NIL };
	const struct meaning *m;

	leave(w, s);
	go_on(w, s->from_ps);
	around = w->depth ? &w->stack[w->depth - 1] : NULL;
	if (around) {
		TP_LEAST(f.to_ps, around->to_ps);
		f.own = around->own;
		f.op = around->op;
		f.special = around->special;
		f.blocked = around->blocked;
		f.is_fed = around->is_fed;
	}
	if (s->kind == TP_SLICE_OPERATOR)
		f.op = s->name;
	if (s->kind <= TP_SLICE_RANGE && s->told) {
		take_told(&f, s);
	} else if (s->kind <= TP_SLICE_RANGE) {
		m = meaning_of_frame(w, s->name);
		take_meaning(&f, m, s->name);
		f.is_fed |= m->is_fed;
		if (s->kind != TP_SLICE_OPERATOR && m->is_own)
			f.own = s->name;
		if (!m->is_built_in)
			f.blocked = TP_NIL;
		if (m->blocks && f.blocked == TP_NIL && s->kind !=
		    TP_SLICE_OPERATOR)
			f.blocked = s->name;
	}
	TP_APPEND(w->stack, w->depth, w->cap, f);
}

static void
walk_track(struct walk *w, int64_t begin)
{
	const struct tp_timeline_track *track = &w->tl->tracks[w->track];
	const struct tp_slice end = { .from_ps = INT64_MAX - OVERLAP_PS,
	    .to_ps = INT64_MAX };

	w->first = w->g->stretch_count;
	w->at_ps = begin;
	w->must_cut = 1;
	if (track->count)
		add(w, w->tl->slices[track->first].from_ps, TP_PATH_UNTRACED,
		    TP_NIL, TP_NODE_IDLE, 0);
	else
		add_states(w, w->state_end[-1].to_ps, NULL, TP_NIL, 0);
	for (uint32_t i = 0; i < track->count; i++)
		enter(w, track->first + i);
	leave(w, &end);
	if (w->must_cut)
		add(w, w->at_ps, TP_PATH_UNTRACED, TP_NIL, TP_NODE_IDLE, 0);
}

/* Find the calls that launched. */
static void
find_launches(struct tp_graph *g, struct tp_timeline *tl)
{
	for (size_t i = 0; i < g->work_count; i++) {
		const struct tp_slice *s = &tl->slices[tl->host_count + i];

		if (s->launch && !tl->slices[s->launch - 1].launch)
			tl->slices[s->launch - 1].launch = (uint32_t)i + 1;
	}
	for (size_t i = 0, k = 0; i < tl->host_count; i++) {
		struct tp_slice *s = &tl->slices[i];

		if (!s->launch)
			continue;
		while (k < tl->queued_count && tl->queued[k].call < i)
			k++;
		TP_APPEND(g->launches, g->launch_count, g->launch_cap,
		    (struct tp_launch){ (uint32_t)i, s->launch - 1, 0,
		    k < tl->queued_count && tl->queued[k].call == i ?
		    tl->queued[k].op : TP_NIL });
		s->launch = (uint32_t)g->launch_count;
	}
}

/* By process when its first slice or step began. */
static int64_t *
find_begins(const struct tp_timeline *tl)
{
	int64_t *begins = tp_alloc((tl->process_count + 1) * sizeof *begins);

	for (size_t i = 0; i < tl->process_count; i++)
		begins[i] = INT64_MAX;
	for (size_t i = 0; i < tl->track_count; i++)
		if (tl->tracks[i].count)
			TP_LEAST(begins[tl->tracks[i].process],
			    tl->slices[tl->tracks[i].first].from_ps);
	for (size_t i = 0; i < tl->step_count; i++)
		TP_LEAST(begins[tl->tracks[tl->steps[i].track].process],
		    tl->steps[i].from_ps);
	return begins;
}

void
tp_graph_stretches(struct tp_graph *g, struct tp_timeline *tl)
{
	size_t names = tl->names.count + 1;
	struct walk w = { .g = g, .tl = tl, .state_end = tl->states };

	g->begins = find_begins(tl);
	g->first_stretch = tp_alloc((tl->track_count + 1) *
	    sizeof *g->first_stretch);
	find_launches(g, tl);
	/* without copies of what there is so far */
	tp_grow(&g->stretches, &g->stretch_cap, 3 * tl->host_count / 2 + 1,
	    sizeof *g->stretches);
	w.frames = tp_zalloc(names * sizeof *w.frames);
	w.of_plain = tp_zalloc(names * sizeof *w.of_plain);
	w.calls = tp_zalloc(names * sizeof *w.calls);
	w.used = tp_zalloc(names);
	w.blocking = find_blocking(g);
	w.cache = tp_zalloc(names * sizeof *w.cache);
	for (uint32_t i = 0; i < tl->track_count; i++) {
		w.track = i;
		w.state = w.state_end;
		w.known_ps = w.state < tl->states + tl->state_count &&
		    w.state->track == i ? w.state->from_ps : INT64_MAX;
		while (w.state_end < tl->states + tl->state_count &&
		    w.state_end->track == i)
			w.state_end++;
		g->first_stretch[i] = (uint32_t)g->stretch_count;
		if (tl->tracks[i].count || w.state < w.state_end)
			walk_track(&w, g->begins[tl->tracks[i].process]);
	}
	g->first_stretch[tl->track_count] = (uint32_t)g->stretch_count;
	tp_free(w.frames);
	tp_free(w.of_plain);
	tp_names_release(&w.plains);
	tp_buf_release(&w.plain);
	tp_free(w.calls);
	tp_free(w.used);
	tp_free(w.blocking);
	tp_free(w.cache);
	tp_free(w.stack);
}
