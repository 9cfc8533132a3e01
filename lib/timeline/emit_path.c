/* emit_path - the critical path of a process as records */
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include <tp/timeline/path.h>

#include "critical.h"
#include "tab.h"
#include "what_if.h"

struct emitter {
	const struct tp_graph *g;
	const struct tp_path *p;
	const struct tp_path_options *options;
	struct tp_out *out;
	int64_t process_rank;		/* -1: none */
	int64_t window_ps, window_ns;	/* of the run, where ranks are joined */
	int64_t *ends;
	const struct tp_ranks_times *ranks;	/* or NULL */
};

static void
begin(const struct emitter *e, const char *kind)
{
	tp_out_begin(e->out, kind);
	if (e->process_rank >= 0)
		tp_out_int(e->out, "process_rank", e->process_rank);
}

static void
out_name(const struct emitter *e, const char *key, uint32_t name)
{
	if (name != TP_NIL)
		tp_out_bytes(e->out, key, e->g->timeline->names.names[
		    name].text, e->g->timeline->names.names[name].len);
}

/* The first event, or the start of the recording. */
static int64_t
first_ps(const struct emitter *e)
{
	const struct tp_timeline *tl = e->g->timeline;
	int64_t first = tl->is_recorded ? tl->recorded_ps : e->p->from_ps;

	TP_LEAST(first, e->g->begins[e->p->process]);
	return first;
}

static void
emit_window(const struct emitter *e)
{
	const struct tp_path *p = e->p;
	const struct tp_timeline *tl = e->g->timeline;
	int64_t lead_in_ps = p->from_ps - first_ps(e);

	begin(e, "path.window");
	tp_out_int(e->out, "pid", tl->processes[p->process].pid);
	if (p->track != TP_NIL) {
		out_name(e, "thread_name", tl->tracks[p->track].name);
		tp_out_int(e->out, "tid", tl->tracks[p->track].tid);
	}
	if (p->step_count)
		tp_out_int(e->out, "step_count", (int64_t)p->step_count);
	tp_out_ps(e->out, "start_ns", p->from_ps);
	tp_out_ps(e->out, "end_ns", p->to_ps);
	tp_out_int(e->out, "duration_ns", e->window_ns);
	if (lead_in_ps > 0)
		tp_out_ps(e->out, "lead_in_ns", lead_in_ps);
	tp_out_ps(e->out, "gpu_work_ns", p->work_ps);
	if (p->work_ps && p->work_end_ps < p->to_ps)
		tp_out_ps(e->out, "after_work_ns", p->to_ps - p->work_end_ps);
	tp_out_ratio(e->out, "unlinked_ratio", p->unlinked_ps, p->work_ps);
	tp_out_ratio(e->out, "residual_ratio", tp_path_residual_ns(p),
	    e->window_ns);
	tp_out_ratio(e->out, "nominal_error_ratio", tp_path_nominal_ps(p),
	    p->to_ps - p->from_ps);
	tp_out_int(e->out, "piece_count", (int64_t)p->piece_count);
	tp_out_int(e->out, "node_count", (int64_t)e->g->node_count);
	tp_out_int(e->out, "inferred_count", (int64_t)e->g->inferred_count);
	tp_out_int(e->out, "hand_over_count", (int64_t)e->g->hand_over_count);
	if (e->g->circle_count)
		tp_out_int(e->out, "circle_count", (int64_t)e->g->circle_count);
	tp_out_end(e->out);
}

/* A row of path.class and path.name, or of path.exposer. */
struct part {
	uint32_t what;
	int64_t ns, count, exposed_ns;
	int64_t gain_ps;	/* of an exposer, without its waits alone */
	const char *part, *cause;
};

static void
emit_table(const struct emitter *e, const char *kind, const struct part *list,
    size_t count, size_t limit)
{
	const struct tp_graph *g = e->g;
	struct tp_tab tab = { .count = count, .row_limit = limit,
	    .process_rank = e->process_rank };
	const struct tp_column *what;

	what = TP_TAB_FIELD(&tab, NULL, "what", TP_TAB_INT, list, what);
	TP_TAB_WORDS(&tab, what, "path_class", g->whats, class,
	    tp_path_classes);
	TP_TAB_NAMES(&tab, what, "name", g->whats, name, &g->timeline->names,
	    TP_NIL);
	TP_TAB_NAMES(&tab, what, "call", g->whats, name, &g->timeline->names,
	    TP_NIL);
	TP_TAB_FIELD(&tab, NULL, "time", TP_TAB_INT, list, ns);
	TP_TAB_NAMES(&tab, what, "op", g->whats, op, &g->timeline->names,
	    TP_NIL);
	TP_TAB_FIELD(&tab, NULL, "exposed", TP_TAB_INT, list, exposed_ns);
	TP_TAB_FIELD(&tab, NULL, "part", TP_TAB_TEXT, list, part);
	TP_TAB_FIELD(&tab, NULL, "cause", TP_TAB_TEXT, list, cause);
	TP_TAB_FIELD(&tab, NULL, "pieces", TP_TAB_INT, list, count);
	TP_TAB_FIELD(&tab, NULL, "gain", TP_TAB_PS, list, gain_ps);
	tp_tab_total(&tab, "window", e->window_ns);
	tp_tab_emit(&tab, kind, NULL, e->out);
}

/*
 * What the run gains if WHAT, which a thread waits in, no longer waits; absent
 * where it exposes little, or nothing is promised.
 */
static int64_t
gain_without(const struct emitter *e, uint32_t what)
{
	struct tp_change change = TP_CHANGE_NONE;
	int64_t ps;

	if ((double)e->p->sums[what].exposing_ns < (double)e->window_ns *
	    e->g->rules->name_least_ratio || !tp_path_promises(e->p))
		return TP_TAB_ABSENT;
	tp_change_host(&change, e->g);
	change.by_wait[what] = 0;
	ps = tp_what_if_gain(e->p, &change, 1, e->ends);
	tp_change_release(&change);
	return ps > 0 ? ps : 0;
}

static void
emit_parts(const struct emitter *e)
{
	struct part *parts = tp_alloc((e->g->what_count + 1) * sizeof *parts);
	size_t count = 0, named = 0;

	for (uint32_t i = 0; i < e->g->what_count; i++) {
		struct tp_path_part part = tp_graph_part(e->g, i);

		if (e->p->sums[i].count)
			parts[count++] = (struct part){ i, e->p->sums[i].ns,
			    e->p->sums[i].count, e->p->sums[i].exposed_ns, 0,
			    tp_budget_part_name(part.part), part.cause };
	}
	emit_table(e, "path.class", parts, count, 0);
	for (size_t i = 0; i < count; i++)
		if (e->g->whats[parts[i].what].name != TP_NIL)
			parts[named++] = parts[i];
	emit_table(e, "path.name", parts, named,
	    (size_t)e->g->rules->names_listed);
	count = 0;
	for (uint32_t i = 0; i < e->g->what_count; i++)
		if (e->p->sums[i].exposing_count)
			parts[count++] = (struct part){ i,
			    e->p->sums[i].exposing_ns,
			    e->p->sums[i].exposing_count, 0,
			    gain_without(e, i), NULL, NULL };
	emit_table(e, "path.exposer", parts, count, 0);
	tp_free(parts);
}

/* Write that a piece of the path is of PROCESS. */
static void
out_rank(const struct emitter *e, uint32_t process)
{
	for (size_t i = 0; i < e->ranks->count; i++)
		if (e->ranks->list[i].process == process)
			tp_out_int(e->out, "of_rank",
			    e->ranks->list[i].number);
}

static void
emit_pieces(const struct emitter *e)
{
	const struct tp_graph *g = e->g;

	for (size_t i = e->p->count; i; i--) {
		const struct tp_path_piece *piece = &e->p->pieces[i - 1];
		const struct tp_what *what = &g->whats[piece->what];
		uint32_t of;

		begin(e, "path.piece");
		tp_out_ps(e->out, "start_ns", piece->from_ps);
		tp_out_int(e->out, "duration_ns", tp_ps_to_ns(piece->to_ps) -
		    tp_ps_to_ns(piece->from_ps));
		tp_out_text(e->out, "path_class", tp_path_classes[what->class]);
		out_name(e, "name", what->name);
		of = tp_node_process(g, piece->node);
		if (e->ranks && of != e->p->process)
			out_rank(e, of);
		if (piece->exposed_by != TP_NIL)
			out_name(e, "call", g->whats[g->stretches[
			    piece->exposed_by].what].name);
		tp_out_end(e->out);
	}
}

static void
out_gain(const struct emitter *e, const char *text, size_t count,
    int64_t gain_ps)
{
	begin(e, "path.gain");
	tp_out_text(e->out, "what_if", text);
	tp_out_int(e->out, "what_if_count", (int64_t)count);
	tp_out_ps(e->out, "gain_ns", gain_ps);
	tp_out_ratio(e->out, "gain_ratio", gain_ps, e->window_ps);
	tp_out_end(e->out);
}

/* Write what TEXT would be worth, unless it applies to nothing. */
static void
try(const struct emitter *e, const char *text)
{
	struct tp_change change;

	if (tp_what_if_make(&change, e->g, e->ranks, text))
		out_gain(e, text, 1, tp_what_if_gain(e->p, &change, 1,
		    e->ends));
	tp_change_release(&change);
}

/* What was asked for: each alone, and all at once. */
static void
try_asked(const struct emitter *e)
{
	struct tp_change *changes = NULL;
	struct tp_buf all = { 0 };
	size_t count = 0, cap = 0;

	for (const char *const *w = e->options->what_ifs; *w; w++) {
		TP_PUSH(changes, count, cap);
		if (!tp_what_if_make(&changes[count - 1], e->g, e->ranks,
		    *w)) {
			tp_out_note(e->out, "path.unnamed", 0, 1,
			    "--what-if %.200s: nothing of this trace is called "
			    "so", *w);
			tp_change_release(&changes[--count]);
			continue;
		}
		out_gain(e, *w, 1, tp_what_if_gain(e->p, &changes[count - 1], 1,
		    e->ends));
		tp_buf_fmt(&all, "%s%s", all.len ? " " : "", *w);
	}
	if (count > 1)
		out_gain(e, all.p, count, tp_what_if_gain(e->p, changes,
		    count, e->ends));
	for (size_t i = 0; i < count; i++)
		tp_change_release(&changes[i]);
	tp_free(changes);
	tp_buf_release(&all);
}

/* A name on the path. */
struct named {
	int64_t ns;
	uint32_t what;
};

TP_ORDER(by_time, struct named, TP_DOWN(ns) TP_UP(what))

static void
try_names(const struct emitter *e)
{
	struct named *list = tp_alloc((e->g->what_count + 1) * sizeof *list);
	double least = e->g->rules->name_least_ratio * (double)e->window_ns;
	struct tp_buf text = { 0 };
	size_t count = 0;

	for (uint32_t i = 0; i < e->g->what_count; i++) {
		enum tp_path_class class =
		    (enum tp_path_class)e->g->whats[i].class;

		if ((double)e->p->sums[i].ns >= least &&
		    e->g->whats[i].name != TP_NIL && (class >= TP_PATH_SYNC ||
		    tp_path_is_device(class)))
			list[count++] = (struct named){ e->p->sums[i].ns, i };
	}
	TP_SORT(list, count, by_time);
	TP_LEAST(count, (size_t)e->g->rules->names_tried);
	for (size_t i = 0; i < count; i++) {
		const struct tp_what *what = &e->g->whats[list[i].what];
		const struct tp_name *name =
		    &e->g->timeline->names.names[what->name];

		tp_buf_clear(&text);
		tp_buf_fmt(&text, "%s/", tp_path_classes[what->class]);
		tp_buf_add(&text, name->text, name->len);
		tp_buf_str(&text, "=0");
		try(e, text.p);
	}
	tp_buf_release(&text);
	tp_free(list);
}

/* The rank that waited least, and the one that was last most often. */
static void
try_ranks(const struct emitter *e)
{
	const struct tp_rank_times *list = e->ranks->list;
	size_t least = 0, last = 0;
	char text[64];

	for (size_t i = 1; i < e->ranks->count; i++) {
		if (list[i].wait_ps < list[least].wait_ps)
			least = i;
		if (list[i].last_count > list[last].last_count)
			last = i;
	}
	for (;; least = last) {
		snprintf(text, sizeof text, "rank/%lld=median",
		    (long long)list[least].number);
		try(e, text);
		if (least == last)
			return;
	}
}

/* Whether work waited for that of another stream, or of another device. */
static void
find_waits(const struct tp_graph *g, int *streams, int *devices)
{
	size_t k, last;

	*streams = *devices = 0;
	for (uint32_t i = (uint32_t)g->host_count; i < g->node_count; i++) {
		tp_node_edges(g, i, &k, &last);
		for (; k < last; k++) {
			enum tp_edge_kind kind = TP_EDGE_KIND(g->edges[k]);

			*streams |= kind >= TP_EDGE_EVENT;
			*devices |= kind != TP_EDGE_LAUNCH && tp_node_device(g,
			    TP_EDGE_NODE(g->edges[k])) != tp_node_device(g, i);
		}
	}
}

/* What a report needs. */
static void
try_usual(const struct emitter *e)
{
	int64_t of_class[TP_PATH_CLASSES] = { 0 };
	char text[64];
	int has_wait = 0, has_streams, has_devices;

	for (size_t i = 0; i < e->g->host_count; i++)
		has_wait |= e->g->nodes[i].released_by == TP_RELEASE_SYNC ||
		    e->g->nodes[i].released_by == TP_RELEASE_LATENT;
	find_waits(e->g, &has_streams, &has_devices);
	for (size_t i = 0; i < e->g->what_count; i++)
		of_class[e->g->whats[i].class] += e->p->sums[i].ns;
	for (enum tp_path_class c = 0; c < TP_PATH_CLASSES; c++) {
		if ((double)of_class[c] < e->g->rules->class_least_ratio *
		    (double)e->window_ns || tp_path_is_fixed(c) ||
		    c == TP_PATH_SYNC_RETURN || c == TP_PATH_SYNC)
			continue;
		snprintf(text, sizeof text, "%s=0", tp_path_classes[c]);
		try(e, text);
	}
	try(e, "host=0");
	if (has_wait)
		try(e, "sync=0");
	if (has_streams)
		try(e, "streams=apart");
	if (has_devices)
		try(e, "devices=apart");
	try_names(e);
	if (e->ranks)
		try_ranks(e);
}

static struct emitter
emitter_of(const struct tp_path *p, int64_t process_rank, struct tp_out *out)
{
	return (struct emitter){ .g = p->graph, .p = p, .out = out,
	    .process_rank = process_rank, .window_ps = p->to_ps - p->from_ps,
	    .window_ns = tp_ps_to_ns(p->to_ps) - tp_ps_to_ns(p->from_ps) };
}

void
tp_path_emit_tables(const struct tp_path *p, int64_t process_rank,
    struct tp_out *out)
{
	struct emitter e = emitter_of(p, process_rank, out);

	e.ends = tp_alloc((e.g->node_count + 1) * sizeof *e.ends);
	emit_window(&e);
	emit_parts(&e);
	tp_free(e.ends);
}

void
tp_path_emit_gain(const struct tp_path *p, const char *text,
    int64_t process_rank, struct tp_out *out)
{
	struct emitter e = emitter_of(p, process_rank, out);

	e.ends = tp_alloc((e.g->node_count + 1) * sizeof *e.ends);
	try(&e, text);
	tp_free(e.ends);
}

/* Write what changes of what E is about would be worth. */
static void
emit_gains(struct emitter *e)
{
	e->ends = tp_alloc((e->g->node_count + 1) * sizeof *e->ends);
	if (e->options->what_ifs && *e->options->what_ifs)
		try_asked(e);
	else
		try_usual(e);
	tp_free(e->ends);
}

static void
emit_alone(struct tp_graph *g, const struct tp_path_options *options,
    struct tp_out *out, uint32_t process)
{
	struct tp_path path = { 0 };
	struct emitter e;

	if (!tp_path_make(&path, g, process, options->pieces))
		return;
	tp_path_emit_tables(&path, options->process_rank, out);
	e = emitter_of(&path, options->process_rank, out);
	e.options = options;
	emit_gains(&e);
	if (options->pieces)
		emit_pieces(&e);
	tp_path_release(&path);
}

/* Write what rank AT has, and how much more of a class than the others. */
static void
emit_rank(const struct emitter *e, size_t at)
{
	const struct tp_rank_times *rank = &e->ranks->list[at];
	const struct tp_process *process =
	    &e->g->timeline->processes[rank->process];
	int64_t median;
	size_t class = tp_rank_excess(e->ranks, at, &median);

	begin(e, "path.rank");
	tp_out_int(e->out, "pid", process->pid);
	if (process->shift_ps)
		tp_out_ps(e->out, "clock_shift_ns", process->shift_ps);
	tp_out_int(e->out, "matched_count", (int64_t)rank->joined_count);
	tp_out_int(e->out, "last_count", (int64_t)rank->last_count);
	tp_out_ps(e->out, "wait_sum_ns", rank->wait_ps);
	if (class < TP_PATH_CLASSES) {
		tp_out_text(e->out, "path_class", tp_path_classes[class]);
		tp_out_ps(e->out, "time_ns", rank->ps[class]);
		tp_out_ps(e->out, "ranks_median_ns", median);
	}
	tp_out_end(e->out);
}

/* Write the paths of the processes IN, whose collectives are joined. */
static void
emit_joined(struct tp_graph *g, const struct tp_path_options *options,
    struct tp_out *out, const uint8_t *in)
{
	size_t count = 0, all = g->timeline->process_count;
	struct tp_path *paths = tp_zalloc((all + 1) * sizeof *paths);
	struct tp_path *last = paths, *others = NULL;
	struct tp_ranks_times ranks;
	struct emitter e;

	for (uint32_t i = 0; i < all; i++) {
		paths[count] = (struct tp_path){ 0 };
		count += in[i] && tp_path_make(&paths[count], g, i,
		    options->pieces);
	}
	tp_ranks_times_make(&ranks, g, paths, count);
	for (size_t i = 0; i < count; i++) {
		/* a later path may be in what this one was not */
		tp_path_grow(&paths[i]);
		if (paths[i].to_ps > last->to_ps)
			last = &paths[i];
		tp_path_emit_tables(&paths[i], ranks.list[i].number, out);
		e = emitter_of(&paths[i], ranks.list[i].number, out);
		e.ranks = &ranks;
		emit_rank(&e, i);
		if (options->pieces)
			emit_pieces(&e);
	}
	for (size_t i = 0; i < count; i++)
		if (&paths[i] != last) {
			paths[i].next = others;
			others = &paths[i];
		}
	last->next = others;
	e = emitter_of(last, -1, out);
	e.options = options;
	e.ranks = &ranks;
	e.window_ps = ranks.to_ps - ranks.from_ps;
	e.window_ns = tp_ps_to_ns(ranks.to_ps) - tp_ps_to_ns(ranks.from_ps);
	if (count)
		emit_gains(&e);
	for (size_t i = 0; i < count; i++)
		tp_path_release(&paths[i]);
	tp_free(paths);
	tp_ranks_times_release(&ranks);
}

void
tp_path_emit(struct tp_graph *g, const struct tp_path_options *options,
    struct tp_out *out)
{
	const struct tp_timeline *tl = g->timeline;
	int64_t *work = tp_zalloc((tl->process_count + 1) * sizeof *work);
	uint8_t *joined = tp_zalloc(tl->process_count + 1), joins = 0;
	int64_t most = 0;

	for (uint32_t i = (uint32_t)g->host_count; i < g->node_count; i++)
		work[tp_node_process(g, i)] += g->nodes[i].to_ps -
		    g->nodes[i].from_ps;
	for (size_t i = 0; !g->work_count && i < g->host_count; i++)
		work[tp_node_process(g, (uint32_t)i)]++;
	for (size_t i = 0; i < tl->process_count; i++)
		TP_MOST(most, work[i]);
	for (size_t i = 1; i < tl->collective_count; i++) {
		const struct tp_collective *a = &tl->collectives[i - 1];

		if (a->group != TP_NIL && a->group == a[1].group &&
		    a->process != a[1].process)
			joined[a->process] = joined[a[1].process] = joins = 1;
	}
	if (joins)
		emit_joined(g, options, out, joined);
	for (uint32_t i = 0; i < tl->process_count; i++)
		/* one with less of the work of the busiest has no path */
		if (!joined[i] && (double)work[i] >=
		    g->rules->process_least_ratio * (double)most)
			emit_alone(g, options, out, i);
	tp_free(joined);
	tp_free(work);
}
