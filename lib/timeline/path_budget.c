/* path_budget - the budget of a window, from its critical path */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/records.h>
#include <tp/text.h>

#include "path_budget.h"
#include "schedule.h"
#include "what_if.h"

#define ROWS_MAX 32
#define NO_ROW ROWS_MAX

/* Classes or work of one part and cause. */
struct row {
	enum tp_budget_part part;
	const char *cause;
	uint64_t classes;	/* a bit each */
	int kind;		/* of work, or -1 */
	int breadth;
	int64_t ns, alone_ps, beyond_ps;
	int is_tried, is_ranked;
	struct tp_change change;
};

struct maker {
	const struct tp_path *p;
	const struct tp_work_kinds *kinds;
	struct row rows[ROWS_MAX];
	size_t count;
	uint8_t *row_of;	/* by what, or NO_ROW */
	size_t sync;		/* the row of calls that synchronise */
	int64_t *ends;
};

void
tp_work_add(void *arg, const struct tp_path *p,
    const struct tp_path_piece *piece)
{
	struct tp_work_kinds *kinds = arg;
	const struct tp_graph *g = p->graph;

	if (piece->node >= g->host_count && tp_path_is_device(
	    (enum tp_path_class)g->whats[piece->what].class))
		kinds->ns[kinds->of[piece->node - g->host_count]] +=
		    tp_ps_to_ns(piece->to_ps) - tp_ps_to_ns(piece->from_ps);
}

static struct row *
row_of(struct maker *m, enum tp_budget_part part, const char *cause)
{
	struct row *row;

	for (size_t i = 0; i < m->count; i++)
		if (m->rows[i].part == part && tp_same(m->rows[i].cause,
		    cause))
			return &m->rows[i];
	if (m->count == ROWS_MAX)
		return &m->rows[ROWS_MAX - 1];
	row = &m->rows[m->count++];
	*row = (struct row){ .part = part, .cause = cause, .kind = -1,
	    .breadth = TP_PATH_CLASSES, .change = TP_CHANGE_NONE };
	return row;
}

/* Let the row where PART stands be of CLASS.  Returns its place. */
static uint8_t
add_class(struct maker *m, int class, struct tp_path_part part)
{
	struct row *row = row_of(m, part.part, part.cause);

	row->classes |= (uint64_t)1 << class;
	TP_LEAST(row->breadth, part.breadth);
	return (uint8_t)(row - m->rows);
}

/* Rows of classes, and of work by kind. */
static void
add_rows(struct maker *m)
{
	const struct tp_graph *g = m->p->graph;

	int64_t class_ns[TP_PATH_CLASSES] = { 0 };

	m->row_of = tp_alloc(g->what_count + 1);
	for (size_t i = 0; i < g->what_count; i++)
		class_ns[g->whats[i].class] += m->p->sums[i].ns;
	for (int k = 0; k < TP_WORK_KINDS; k++) {
		const struct tp_work_kind *kind = &m->kinds->list[k];
		struct row *row;

		if (!m->kinds->ns[k])
			continue;
		row = row_of(m, kind->part, kind->cause);
		row->ns += m->kinds->ns[k];
		row->kind = k;
		row->breadth = g->rules->parts[kind->part ==
		    TP_PART_COMMUNICATION ? TP_PATH_COMMUNICATION :
		    kind->part == TP_PART_COPIES ? TP_PATH_COPY :
		    TP_PATH_KERNEL].breadth;
	}
	memset(m->row_of, NO_ROW, g->what_count);
	for (int c = TP_PATH_MEMSET + 1; c < TP_PATH_CLASSES; c++) {
		if (c == TP_PATH_SYNC)
			m->sync = add_class(m, c, g->rules->parts[c]);
		for (size_t i = 0; i < g->what_count; i++) {
			if (g->whats[i].class != c || (!class_ns[c] &&
			    c != TP_PATH_SYNC))
				continue;
			m->row_of[i] = add_class(m, c, tp_graph_part(g, i));
			m->rows[m->row_of[i]].ns += m->p->sums[i].ns;
		}
	}
}

/* By work the factor of the delay after other work, if it stands in row AT. */
static double *
shorter_gaps(const struct maker *m, size_t at)
{
	const struct tp_graph *g = m->p->graph;
	double *by_gap = tp_alloc((g->work_count + 1) * sizeof *by_gap);

	for (size_t i = 0; i < g->work_count; i++) {
		ptrdiff_t what = tp_ids_find(&g->what_ids,
		    (uint64_t)TP_NIL << 8 | TP_PATH_DEVICE_GAP,
		    g->whats[g->work_what[i]].name);

		by_gap[i] = what >= 0 && m->row_of[what] != NO_ROW &&
		    m->row_of[what] != at ? 1 : m->kinds->gap_least;
	}
	return by_gap;
}

/* Make the change that removes what ROW is.  Returns whether there is one. */
static int
make_change(const struct maker *m, struct row *row)
{
	const struct tp_graph *g = m->p->graph;
	struct tp_change *c = &row->change;
	size_t at = (size_t)(row - m->rows);
	int any = 0;

	if (row->kind >= 0 && isnan(m->kinds->list[row->kind].least))
		return 0;
	tp_change_host(c, g);
	for (size_t i = 0; i < g->what_count; i++) {
		enum tp_path_class class =
		    (enum tp_path_class)g->whats[i].class;

		int is_in = m->row_of[i] == at;
		int waits = at == m->sync && tp_path_is_sync(class);

		/* without a recording there is no profiler */
		if (!(is_in || waits) || tp_path_is_fixed(class) ||
		    class == TP_PATH_PROFILER)
			continue;
		any |= is_in;
		tp_change_what(c, g, i, waits, 0);
	}
	if (row->classes >> TP_PATH_DEVICE_GAP & 1)
		c->by_gap = shorter_gaps(m, at);
	if (row->classes >> TP_PATH_LAUNCH_LATENCY & 1)
		c->launch = 0;
	if (at == m->sync)
		c->idle = 0;
	if (row->kind < 0)
		return any;
	c->inputs_ahead = m->kinds->list[row->kind].is_input;
	c->by_work = tp_alloc((g->work_count + 1) * sizeof *c->by_work);
	for (size_t i = 0; i < g->work_count; i++)
		c->by_work[i] = m->kinds->of[i] == row->kind ?
		    m->kinds->list[row->kind].least : 1;
	return 1;
}

/* Take the time in which calls copy for work of ROW off these calls. */
static void
take_staging(const struct maker *m, struct row *row)
{
	const struct tp_graph *g = m->p->graph;

	if (row->kind < 0 || !m->kinds->list[row->kind].is_staged)
		return;
	for (size_t i = 0; i < g->work_count; i++) {
		const struct tp_node *work = &g->nodes[g->host_count + i];
		const struct tp_launch *l = tp_node_launch(g,
		    (uint32_t)(g->host_count + i));
		const struct tp_node *call = l ? &g->nodes[l->point + 1] : NULL;
		int64_t from = work->from_ps, to = work->to_ps;

		if (!l || m->kinds->of[i] != row->kind || l->point + 1 >=
		    g->host_count || call->is_first)
			continue;
		TP_MOST(from, call->from_ps);
		TP_LEAST(to, call->to_ps);
		TP_LEAST(to, g->timeline->slices[l->slice].to_ps);
		if (to > from)
			row->change.less[l->point + 1] += to - from;
	}
}

static int64_t
gain(const struct maker *m, const struct tp_change *changes, size_t count)
{
	int64_t ps = tp_what_if_gain(m->p, changes, count, m->ends);

	return ps > 0 ? ps : 0;
}

/* Whether ROW is waiting, and nothing says for what: it may have to last. */
static int
is_unexplained_wait(const struct row *row)
{
	return row->part == TP_PART_WAITING && !row->cause;
}

/* What each row would save alone. */
static void
try_alone(struct maker *m)
{
	/* a row with less of the window is not replayed */
	double least = m->p->graph->rules->part_least_ratio *
	    (double)(m->p->to_ps - m->p->from_ps);
	struct tp_change *changes[ROWS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < m->count; i++) {
		struct row *row = &m->rows[i];

		if (((double)row->ns * 1000 < least && i != m->sync) ||
		    is_unexplained_wait(row) || !make_change(m, row))
			continue;
		row->is_tried = 1;
		changes[count++] = &row->change;
	}
	tp_changes_prepare(m->p->graph, m->p->from_ps, m->p->until_ps, changes,
	    count);
	for (size_t i = 0; i < m->count; i++) {
		struct row *row = &m->rows[i];

		if (!row->is_tried)
			continue;
		take_staging(m, row);
		row->alone_ps = gain(m, &row->change, 1);
		/* of a thread before its first event nothing is known */
		row->is_tried = row->alone_ps > row->ns * 10 ||
		    !(row->classes >> TP_PATH_UNTRACED & 1);
	}
}

/* Whether ROW is first use, which a process pays once, whatever is changed. */
static int
is_once(const struct row *row)
{
	return row->classes >> TP_PATH_FIRST_USE & 1;
}

/* The turn of ROW: what can change, what is not recorded, what came once. */
static int
turn_of(const struct row *row)
{
	return is_once(row) ? 2 : row->part == TP_PART_UNRECORDED;
}

/* Whether ROW is to be told yet, in TURN. */
static int
is_open(const struct row *row, int turn)
{
	return row->is_tried && !row->is_ranked && turn == turn_of(row);
}

/*
 * The row to be told next, or NULL.  What is not recorded has no cause that
 * could be changed, so what it shares with others is theirs; so is what it
 * shares with first use.
 */
static struct row *
next_row(struct maker *m)
{
	/* of two gains as near as this the narrower cause is told first */
	double near = 1 - m->p->graph->rules->tie_ratio;
	struct row *best = NULL;
	int64_t most;

	for (int turn = 0; turn < 3 && !best; turn++) {
		most = -1;
		for (size_t i = 0; i < m->count; i++)
			if (is_open(&m->rows[i], turn))
				TP_MOST(most, m->rows[i].alone_ps);
		for (size_t i = 0; i < m->count; i++) {
			struct row *row = &m->rows[i];

			if (is_open(row, turn) && (double)row->alone_ps
			    >= near * (double)most && (!best ||
			    row->breadth < best->breadth))
				best = row;
		}
	}
	return best;
}

/* What each saves beyond those before it. */
static void
try_together(struct maker *m)
{
	struct tp_change changes[ROWS_MAX];
	int64_t all = 0, now;
	size_t count = 0;
	struct row *row;

	while ((row = next_row(m)) != NULL) {
		row->is_ranked = 1;
		if (!row->alone_ps)
			continue;
		changes[count++] = row->change;
		now = count == 1 ? row->alone_ps : gain(m, changes, count);
		row->beyond_ps = now > all ? now - all : 0;
		TP_MOST(all, now);
	}
}

/* What the rows of PART would save, and nothing else. */
static int64_t
part_alone(const struct maker *m, enum tp_budget_part part)
{
	struct tp_change changes[ROWS_MAX];
	size_t count = 0;
	int64_t alone = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->rows[i].is_tried && m->rows[i].part == part) {
			changes[count++] = m->rows[i].change;
			alone = m->rows[i].alone_ps;
		}
	return count > 1 ? gain(m, changes, count) : alone;
}

/*
 * Move what a call exposed, and could hide, from building to synchronising.
 */
static void
move_exposed(struct maker *m)
{
	const struct tp_graph *g = m->p->graph;
	const struct tp_path_part *sync = &g->rules->parts[TP_PATH_SYNC];
	struct row *to = &m->rows[m->sync], *row;
	int64_t exposed[ROWS_MAX] = { 0 }, all = 0;
	double share;

	if (!to->is_tried)
		return;
	for (size_t i = 0; i < g->what_count; i++)
		if (m->row_of[i] != NO_ROW && tp_graph_part(g, i).breadth >
		    sync->breadth) {
			all += m->p->sums[i].exposed_ns;
			if (g->whats[i].class != TP_PATH_SYNC_RETURN)
				exposed[m->row_of[i]] +=
				    m->p->sums[i].exposed_ns;
		}
	share = all > 0 ? (double)to->alone_ps / 1000 / (double)all : 0;
	TP_LEAST(share, 1);
	for (size_t i = 0; i < m->count; i++) {
		int64_t ns = (int64_t)((double)exposed[i] * share);

		row = &m->rows[i];
		if (row == to)
			continue;
		TP_LEAST(ns, row->ns);
		row->ns -= ns;
		to->ns += ns;
	}
}

void
tp_path_budget(struct tp_budget *b, const struct tp_path *p,
    const struct tp_work_kinds *kinds)
{
	struct maker m = { .p = p, .kinds = kinds };
	/*
	 * less is next to nothing, which is told where nothing is promised; but
	 * work without a launch stays where it was
	 */
	double least = (double)p->unlinked_ps > (double)p->work_ps *
	    p->graph->rules->refute_unlinked_ratio ? 0 :
	    p->graph->rules->part_least_ratio *
	    (double)tp_ps_to_ns(p->to_ps - p->from_ps);
	int tells[TP_PART_COUNT];

	m.ends = tp_alloc((p->graph->node_count + 1) * sizeof *m.ends);
	add_rows(&m);
	try_alone(&m);
	try_together(&m);
	move_exposed(&m);
	for (size_t i = 0; i < m.count; i++)
		tp_budget_add(b, m.rows[i].part, m.rows[i].cause, m.rows[i].ns,
		    TP_FLOOR_UNKNOWN);
	b->is_unpromised = !tp_path_promises(p);
	for (size_t i = 0; i < TP_PART_COUNT; i++) {
		b->part_gain_ns[i] = tp_ps_to_ns(part_alone(&m,
		    (enum tp_budget_part)i));
		tells[i] = !b->is_unpromised ||
		    (double)b->part_gain_ns[i] < least;
	}
	/* what others may have held up is not refuted */
	for (size_t i = 0; i < m.count; i++)
		if (b->is_unpromised && m.rows[i].kind >= 0)
			tells[m.rows[i].part] = 0;
	for (size_t i = 0; i < m.count; i++) {
		const struct row *row = &m.rows[i];

		if (!row->is_tried || !tells[row->part])
			continue;
		tp_budget_say_gain(b, row->part, row->cause,
		    tp_ps_to_ns(row->alone_ps), tp_ps_to_ns(row->beyond_ps));
		if (!b->is_unpromised && !is_once(row))
			b->joint_ns += tp_ps_to_ns(row->beyond_ps);
	}
	for (size_t i = 0; i < m.count; i++)
		tp_change_release(&m.rows[i].change);
	tp_free(m.row_of);
	tp_free(m.ends);
}
