/* idle - why the devices of a process had no work */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/records.h>

#include "idle.h"
#include "tab.h"

/* What one gap was in. */
struct in_gap {
	int64_t ns, exposing_ns;
	uint32_t exposed_by;
};

struct finder {
	struct tp_idle *idle;
	struct tp_graph *g;
	const struct tp_path *window;
	struct tp_path path;		/* through one gap */
	struct in_gap *in;		/* by what */
	size_t in_cap;
	uint32_t *touched;
	size_t touched_count, touched_cap;
};

static struct in_gap *
touch(struct finder *f, uint32_t what)
{
	struct in_gap *in = TP_ITEM(f->in, f->in_cap, what);

	if (!in->ns && !in->exposing_ns) {
		TP_APPEND(f->touched, f->touched_count, f->touched_cap, what);
		in->exposed_by = TP_NIL;
	}
	return in;
}

/* Count PIECE of the path through a gap. */
static void
add_piece(void *arg, const struct tp_path *p,
    const struct tp_path_piece *piece)
{
	struct finder *f = arg;
	int64_t ns = tp_ps_to_ns(piece->to_ps) - tp_ps_to_ns(piece->from_ps);
	uint32_t by = piece->exposed_by == TP_NIL ? TP_NIL :
	    p->graph->stretches[piece->exposed_by].what;

	if (!ns)
		return;
	touch(f, piece->what)->ns += ns;
	if (by == TP_NIL)
		return;
	touch(f, by)->exposing_ns += ns;
	touch(f, piece->what)->exposed_by = by;
}

/* Add what gap GAP was in to the sums. */
static void
settle(struct finder *f, struct tp_idle_gap *gap)
{
	struct tp_idle *idle = f->idle;
	int64_t most = 0;

	for (size_t i = 0; i < f->touched_count; i++) {
		uint32_t what = f->touched[i];
		struct in_gap *in = &f->in[what];
		struct tp_idle_sum *sum = TP_ITEM(idle->sums, idle->sum_cap,
		    what);

		if (in->ns) {
			sum->ns += in->ns;
			sum->gap_count++;
			TP_MOST(sum->most_ns, in->ns);
		}
		if (in->exposing_ns) {
			sum->exposing_ns += in->exposing_ns;
			sum->exposing_count++;
			TP_MOST(sum->exposing_most_ns, in->exposing_ns);
		}
		if (in->ns > most || (in->ns == most && in->ns &&
		    what < gap->what)) {
			most = in->ns;
			gap->what = what;
			gap->exposed_by = in->exposed_by;
		}
		memset(in, 0, sizeof *in);
	}
	gap->what_ps = most * 1000;
	f->touched_count = 0;
}

/*
 * The node that a gap until TO waits for, before work NEXT or the end of the
 * window.  Work that no call launches comes when the program touches memory.
 */
static uint32_t
awaited(const struct finder *f, uint32_t next, int64_t to)
{
	const struct tp_graph *g = f->g;
	uint32_t track = f->window->track;
	size_t i;

	if (next == TP_NIL)
		return f->window->end;
	if (!g->timeline->slices[g->nodes[next].slice].told)
		return next;
	TP_SEEK(i, 0, g->host_count, mid, g->nodes[mid].track < track ||
	    (g->nodes[mid].track == track && g->nodes[mid].to_ps < to));
	return i < g->host_count && g->nodes[i].track == track &&
	    g->nodes[i].from_ps < to ? (uint32_t)i : next;
}

/* Add the gap FROM to TO, from the end of work BEFORE to the start of NEXT. */
static void
add_gap(struct finder *f, int64_t from, int64_t to, uint32_t before,
    uint32_t next)
{
	struct tp_idle *idle = f->idle;
	struct tp_path *p = &f->path;

	if (to <= from)
		return;
	idle->total_ps += to - from;
	TP_MOST(idle->most_ps, to - from);
	if (to - from < f->g->rules->short_gap_ps) {
		idle->short_count++;
		idle->short_ps += to - from;
		return;
	}
	TP_APPEND(idle->list, idle->count, idle->cap, (struct tp_idle_gap){
	    .from_ps = from, .to_ps = to, .before = before, .next = next,
	    .what = TP_NIL, .exposed_by = TP_NIL });
	p->from_ps = from;
	p->to_ps = to;
	p->end = awaited(f, next, to);
	tp_path_walk(p, f->g, 0);
	settle(f, &idle->list[idle->count - 1]);
}

void
tp_idle_make(struct tp_idle *idle, struct tp_graph *g,
    const struct tp_path *window, struct tp_path *through)
{
	struct finder f = { .idle = idle, .g = g, .window = window };
	int64_t busy_to = window->from_ps, to;
	uint32_t last = TP_NIL, *exposers;
	uint8_t *works = tp_zalloc(g->device_count + 1);

	memset(idle, 0, sizeof *idle);
	f.path.graph = g;
	f.path.exposers = exposers = through ? tp_path_exposers(g) : NULL;
	f.path.with = add_piece;
	f.path.with_arg = &f;
	for (uint32_t i = (uint32_t)g->host_count; i < g->node_count; i++) {
		const struct tp_node *n = &g->nodes[i];

		if (tp_node_process(g, i) != window->process ||
		    n->to_ps <= window->from_ps || n->from_ps >= window->to_ps)
			continue;
		idle->device_count += !works[tp_node_device(g, i)];
		works[tp_node_device(g, i)] = 1;
		add_gap(&f, busy_to, n->from_ps, last, i);
		TP_MOST(busy_to, n->from_ps);
		to = n->to_ps < window->to_ps ? n->to_ps : window->to_ps;
		if (last == TP_NIL || to > busy_to) {
			idle->busy_ps += to - busy_to;
			busy_to = to;
			last = i;
		}
	}
	if (last != TP_NIL)
		add_gap(&f, busy_to, window->to_ps, last, TP_NIL);
	(void)TP_ITEM(idle->sums, idle->sum_cap, g->what_count);
	(void)TP_ITEM(f.path.sums, f.path.sum_cap, g->what_count);
	if (through)
		*through = f.path;
	else
		tp_path_release(&f.path);
	tp_free(exposers);
	tp_free(works);
	tp_free(f.in);
	tp_free(f.touched);
}

/* A row of gap.class, gap.part and gap.sync. */
struct row {
	uint32_t what;
	int64_t ns, most_ns, count;
	uint32_t name;		/* none of what no thread did */
	const char *part, *cause;
};

/* The columns of ROWS, in picoseconds as those of gaps are. */
static void
add_columns(struct tp_tab *tab, const struct tp_graph *g,
    const struct row *rows)
{
	const struct tp_column *what = TP_TAB_FIELD(tab, NULL, "what",
	    TP_TAB_INT, rows, what);

	TP_TAB_WORDS(tab, what, "path_class", g->whats, class,
	    tp_path_classes);
	TP_TAB_NAMES(tab, NULL, "host_name", rows, name,
	    &g->timeline->names, TP_NIL);
	TP_TAB_NAMES(tab, what, "sync_name", g->whats, name,
	    &g->timeline->names, TP_NIL);
	TP_TAB_NAMES(tab, what, "op", g->whats, op, &g->timeline->names,
	    TP_NIL);
	TP_TAB_FIELD(tab, NULL, "part", TP_TAB_TEXT, rows, part);
	TP_TAB_FIELD(tab, NULL, "cause", TP_TAB_TEXT, rows, cause);
	TP_TAB_FIELD(tab, NULL, "time", TP_TAB_INT, rows, ns);
	TP_TAB_FIELD(tab, NULL, "most", TP_TAB_INT, rows, most_ns);
	TP_TAB_FIELD(tab, NULL, "gaps", TP_TAB_INT, rows, count);
}

void
tp_idle_emit_parts(const struct tp_idle *idle, const struct tp_graph *g,
    int64_t rank, struct tp_out *out)
{
	struct row *rows = tp_alloc((g->what_count + 1) * sizeof *rows);
	struct tp_tab parts = { .process_rank = rank };
	struct tp_tab syncs = { .process_rank = rank };

	for (uint32_t i = 0; i < g->what_count; i++) {
		struct tp_path_part part = tp_graph_part(g, i);

		if (idle->sums[i].ns)
			rows[parts.count++] = (struct row){ i,
			    idle->sums[i].ns, idle->sums[i].most_ns,
			    (int64_t)idle->sums[i].gap_count,
			    g->whats[i].class < TP_PATH_SYNC ? TP_NIL :
			    g->whats[i].name,
			    tp_budget_part_name(part.part), part.cause };
	}
	add_columns(&parts, g, rows);
	tp_tab_total(&parts, "idle", tp_ps_to_ns(idle->total_ps));
	tp_tab_emit(&parts, "gap.class", NULL, out);
	tp_tab_emit(&parts, "gap.part", NULL, out);
	for (uint32_t i = 0; i < g->what_count; i++)
		if (idle->sums[i].exposing_ns)
			rows[syncs.count++] = (struct row){ i,
			    idle->sums[i].exposing_ns,
			    idle->sums[i].exposing_most_ns,
			    (int64_t)idle->sums[i].exposing_count, TP_NIL,
			    NULL, NULL };
	add_columns(&syncs, g, rows);
	tp_tab_total(&syncs, "idle", tp_ps_to_ns(idle->total_ps));
	tp_tab_emit(&syncs, "gap.sync", NULL, out);
	tp_free(rows);
}

static void
emit_gaps(const struct tp_idle *idle, const struct tp_graph *g, int64_t rank,
    struct tp_out *out)
{
	const struct tp_names *names = &g->timeline->names;
	struct tp_tab tab = { .count = idle->count, .process_rank = rank,
	    .row_limit = (size_t)g->rules->gaps_listed };
	uint32_t *ops = tp_alloc((idle->count + 1) * sizeof *ops);
	const struct tp_column *what, *by, *slice;

	for (size_t i = 0; i < idle->count; i++) {
		const struct tp_launch *l = idle->list[i].next == TP_NIL ?
		    NULL : tp_node_launch(g, idle->list[i].next);

		ops[i] = l ? l->op : TP_NIL;
	}
	TP_TAB_FIELD(&tab, NULL, "start", TP_TAB_PS, idle->list, from_ps);
	TP_TAB_SPAN(&tab, NULL, "duration", idle->list, from_ps, to_ps);
	what = TP_TAB_FIELD(&tab, NULL, "what", TP_TAB_INT, idle->list, what);
	TP_TAB_WORDS(&tab, what, "path_class", g->whats, class,
	    tp_path_classes);
	TP_TAB_NAMES(&tab, what, "host_name", g->whats, name, names, TP_NIL);
	TP_TAB_FIELD(&tab, NULL, "held", TP_TAB_PS, idle->list, what_ps);
	by = TP_TAB_FIELD(&tab, NULL, "by", TP_TAB_INT, idle->list,
	    exposed_by);
	TP_TAB_NAMES(&tab, by, "sync_name", g->whats, name, names, TP_NIL);
	TP_TAB_ARRAY(&tab, NULL, "name", TP_TAB_NAME, ops)->names = names;
	slice = TP_TAB_FIELD(&tab, TP_TAB_FIELD(&tab, NULL, "next",
	    TP_TAB_INT, idle->list, next), "work", TP_TAB_INT, g->nodes,
	    slice);
	TP_TAB_NAMES(&tab, slice, "kernel", g->timeline->slices, name, names,
	    TP_NIL);
	slice = TP_TAB_FIELD(&tab, TP_TAB_FIELD(&tab, NULL, "before",
	    TP_TAB_INT, idle->list, before), "work_before", TP_TAB_INT,
	    g->nodes, slice);
	TP_TAB_NAMES(&tab, slice, "kernel_before", g->timeline->slices, name,
	    names, TP_NIL);
	tp_tab_total(&tab, "idle", idle->total_ps);
	tp_tab_emit(&tab, "gap", NULL, out);
	tab.row_limit = 0;
	tp_tab_emit(&tab, "gap.op", "name", out);
	tp_free(ops);
}

void
tp_idle_emit(const struct tp_idle *idle, const struct tp_graph *g,
    int64_t rank, struct tp_out *out)
{
	/* the reader of a device that is shared sums up its gaps */
	if (g->work_count && !g->timeline->is_shared) {
		tp_out_begin(out, "gap.summary");
		if (rank >= 0)
			tp_out_int(out, "process_rank", rank);
		tp_out_int(out, "device_count", (int64_t)idle->device_count);
		tp_out_int(out, "gap_count", (int64_t)(idle->count +
		    idle->short_count));
		tp_out_ps(out, "gap_total_ns", idle->total_ps);
		tp_out_ps(out, "gap_max_ns", idle->most_ps);
		tp_out_ratio(out, "gap_of_busy_factor", idle->total_ps,
		    idle->busy_ps);
		tp_out_ps(out, "short_gap_limit_ns",
		    g->rules->short_gap_ps);
		tp_out_int(out, "short_gap_count", (int64_t)idle->short_count);
		tp_out_ps(out, "short_gap_total_ns", idle->short_ps);
		tp_out_end(out);
	}
	tp_idle_emit_parts(idle, g, rank, out);
	emit_gaps(idle, g, rank, out);
}
