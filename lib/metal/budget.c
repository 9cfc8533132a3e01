/* budget - the wall-clock budget of a run on Metal, from GPU rows */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/budget.h>
#include <tp/order.h>

#include "ival.h"
#include "metal/waits.h"

/* Classes of time. */
enum piece { WORK, CONTENTION, BUFFERS, ENCODERS, UNKNOWN, TOLD,
    TOLD_START, LATE, LATE_START, ENCODE, TURNS, PIECES };

const struct tp_waits_piece tp_waits_pieces[TP_WAITS_PIECES] = {
	[WORK] = { "work_ns", TP_PART_DEVICE, NULL, -1 },
	[CONTENTION] = { "contention_ns", TP_PART_CONTENTION, NULL, 0 },
	[BUFFERS] = { "between_buffers_ns", TP_PART_LAUNCH,
	    "between-buffers", 20 },
	[ENCODERS] = { "between_encoders_ns", TP_PART_LAUNCH,
	    "between-encoders", 0 },
	[UNKNOWN] = { "unexplained_ns", TP_PART_UNRECORDED,
	    "commit-unknown", -1 },
	/* from TP_WAITS_SURE on, samples divide the time further */
	[TOLD] = { "told_ns", TP_PART_SYNCHRONISING, "notification", 0 },
	[TOLD_START] = { "told_start_ns", TP_PART_SYNCHRONISING, "start",
	    0 },
	[LATE] = { "late_ns", TP_PART_LATE, NULL, 0 },
	[LATE_START] = { "late_start_ns", TP_PART_LATE, "start", 0 },
	[ENCODE] = { "late_encode_ns", TP_PART_BUILDING, "encoding", 0 },
	[TURNS] = { "late_turns_ns", TP_PART_SYNCHRONISING, "taking-turns",
	    0 },
};

void
tp_waits_piece(struct tp_budget *b, int piece, int64_t time_ns)
{
	const struct tp_waits_piece *p = &tp_waits_pieces[piece];

	tp_budget_add(b, p->part, p->cause, time_ns, p->floor_percent < 0 ?
	    TP_FLOOR_UNKNOWN :
	    (int64_t)((tp_int128)time_ns * p->floor_percent / 100));
}

/*
 * A late gap stands alone if it has this many times the length of any other,
 * which no gap has that comes with each step, this share of the wall clock,
 * below which nothing is judged, and this many rows beside it: with few it
 * does not show that it comes once.
 */
#define ALONE_TIMES 5
#define ALONE_PERCENT 3
#define ALONE_ROWS 10

void
tp_waits_take(struct tp_waits_longest *l, const struct tp_waits_gap *gap)
{
	int64_t length = gap->to_ns - gap->from_ns;
	int64_t most = l->gap.to_ns - l->gap.from_ns;

	if (length > most) {
		l->next_ns = most;
		l->gap = *gap;
		l->at = (size_t)l->count;
	} else {
		TP_MOST(l->next_ns, length);
	}
	l->count++;
}

int
tp_waits_alone(const struct tp_waits_longest *l, int64_t wall_ns)
{
	int64_t length = l->gap.to_ns - l->gap.from_ns;

	return l->rows >= ALONE_ROWS && length / ALONE_TIMES >= l->next_ns &&
	    length >= wall_ns / 100 * ALONE_PERCENT;
}

void
tp_waits_pause(struct tp_budget *b, const struct tp_waits_longest *l)
{
	b->gaps[TP_PART_PAUSE] = (struct tp_budget_gap){
	    .time_ns = l->gap.to_ns - l->gap.from_ns,
	    .start_ns = l->gap.from_ns, .end_ns = l->gap.to_ns,
	    .count = l->count, .next_ns = l->next_ns };
	for (size_t i = 0; i < b->count; i++)
		if (b->rows[i].part == TP_PART_PAUSE)
			b->rows[i].one_gap_ns = b->rows[i].time_ns;
}

/*
 * A thread that opens an encoder this soon after the notification did nothing
 * but wake up in between.
 */
#define WAKE_NS 100000

/* A window of the budget. */
struct view {
	const char *scope;
	int64_t segment;		/* 0: none */
	int is_main;
	int64_t from_ns, to_ns;
	int64_t piece_ns[PIECES];
	struct tp_waits_longest longest;
};

struct walk {
	const struct tp_cmdbuf *cb;
	ptrdiff_t proc;
	int64_t late_ns;
	struct view *views;		/* two that may overlap, then
					 * segments */
	size_t view_count, fixed;	/* fixed: number of the former */
	size_t first;			/* first segment that has not ended */
	struct tp_span *others;		/* union of the spans of other
					 * processes */
	size_t other_count, next_other;
	const struct tp_window *window;
	int64_t committed_ns;		/* latest commit so far */
	struct tp_out *gaps;		/* receives budget.gap; or NULL */
};

static int
is_in(const struct walk *w, const struct tp_buffer_row *r)
{
	return r->from_ns >= w->window->from_ns &&
	    r->from_ns < w->window->to_ns;
}

/*
 * The first view that may overlap what begins at FROM, and the next one
 * after I; calls must be in time order.
 */
static size_t
first_view(struct walk *w, int64_t from)
{
	while (w->first < w->view_count && w->views[w->first].to_ns <= from)
		w->first++;
	return w->fixed ? 0 : w->first;
}

static size_t
next_view(const struct walk *w, size_t i, int64_t to)
{
	i = i + 1 == w->fixed ? w->first : i + 1;
	return i < w->fixed || (i < w->view_count &&
	    w->views[i].from_ns < to) ? i : w->view_count;
}

static void
take(struct walk *w, enum piece piece, int64_t from, int64_t to)
{
	for (size_t i = first_view(w, from); i < w->view_count;
	    i = next_view(w, i, to)) {
		struct view *v = &w->views[i];
		int64_t a = from > v->from_ns ? from : v->from_ns;
		int64_t b = to < v->to_ns ? to : v->to_ns;

		if (b <= a)
			continue;
		v->piece_ns[piece] += b - a;
		v->longest.rows += piece == WORK;
	}
}

/*
 * [FROM, TO): committed but not started; other processes had the GPU for
 * part of it.
 */
static void
take_committed(struct walk *w, enum piece piece, int64_t from, int64_t to)
{
	const struct tp_span *s;
	int64_t a, b;

	while (w->next_other < w->other_count &&
	    w->others[w->next_other].to <= from)
		w->next_other++;
	for (size_t i = w->next_other; i < w->other_count && from < to; i++) {
		s = &w->others[i];
		a = s->from > from ? s->from : from;
		b = s->to < to ? s->to : to;
		if (a >= to)
			break;
		take(w, piece, from, a);
		take(w, CONTENTION, a, b);
		from = b;
	}
	take(w, piece, from, to);
}

/* The part of GAP within V. */
static struct tp_waits_gap
gap_in(const struct tp_waits_gap *gap, const struct view *v)
{
	struct tp_waits_gap g = *gap;

	TP_MOST(g.from_ns, v->from_ns);
	TP_LEAST(g.to_ns, v->to_ns);
	TP_MOST(g.done_ns, g.from_ns);
	TP_LEAST(g.done_ns, g.to_ns);
	TP_MOST(g.encode_ns, g.from_ns);
	TP_LEAST(g.encode_ns, g.to_ns);
	TP_MOST(g.turns_ns, g.from_ns);
	TP_LEAST(g.turns_ns, g.to_ns);
	return g;
}

/* The CPU committed late. */
static void
take_late(struct walk *w, const struct tp_waits_gap *gap)
{
	struct tp_waits_gap g;

	for (size_t i = first_view(w, gap->from_ns); i < w->view_count;
	    i = next_view(w, i, gap->to_ns)) {
		g = gap_in(gap, &w->views[i]);
		if (g.to_ns > g.from_ns)
			tp_waits_take(&w->views[i].longest, &g);
	}
	take(w, TOLD, gap->from_ns, gap->done_ns);
	take(w, LATE, gap->done_ns, gap->encode_ns);
	take(w, TURNS, gap->encode_ns, gap->turns_ns);
	take(w, ENCODE, gap->turns_ns, gap->to_ns);
}

static void
hand_on(struct walk *w, const struct tp_waits_gap *gap, int64_t tid)
{
	struct tp_waits_gap g;
	/* what was encoded as soon as it woke is too short to be sampled */
	int64_t done = gap->done_ns == gap->encode_ns ? gap->turns_ns :
	    gap->done_ns;

	for (size_t i = first_view(w, gap->from_ns); i < w->view_count;
	    i = next_view(w, i, gap->to_ns)) {
		const struct view *v = &w->views[i];

		g = gap_in(gap, v);
		if (g.to_ns <= g.from_ns)
			continue;
		tp_out_begin(w->gaps, "budget.gap");
		tp_out_text(w->gaps, "scope", v->scope);
		if (v->segment)
			tp_out_int(w->gaps, "segment", v->segment);
		tp_out_int(w->gaps, "start_ns", g.from_ns);
		tp_out_int(w->gaps, "commit_ns", g.to_ns);
		if (w->committed_ns > INT64_MIN)
			tp_out_int(w->gaps, "last_commit_ns",
			    w->committed_ns);
		if (done > g.from_ns)
			tp_out_int(w->gaps, "completed_ns", done);
		if (g.encode_ns < g.to_ns)
			tp_out_int(w->gaps, "encode_start_ns", g.encode_ns);
		tp_out_known(w->gaps, "tid", tid);
		tp_out_end(w->gaps);
	}
}

/*
 * The target had no GPU work from FROM, the end of BEFORE, to TO, the start
 * of AFTER.
 */
static void
take_gap(struct walk *w, const struct tp_buffer *before,
    const struct tp_buffer *after, int64_t from, int64_t to)
{
	int64_t commit = after->commit_ns, encode = after->encode_ns, told;
	int64_t turns;
	struct tp_waits_gap gap;

	if (before == after && !after->anonymous) {
		take_committed(w, ENCODERS, from, to);
		return;
	}
	if (after->anonymous || !after->commit_source) {
		take(w, UNKNOWN, from, to);
		return;
	}
	TP_LEAST(commit, to);
	if (commit <= from + w->late_ns) {
		take_committed(w, BUFFERS, from, to);
		return;
	}
	/*
	 * what was encoded or committed before the notification of the end did
	 * not wait for it
	 */
	told = before->done && before->done_ns > from &&
	    before->done_ns <= commit && before->done_ns <= encode ?
	    before->done_ns : from;
	TP_MOST(encode, told);
	TP_LEAST(encode, commit);
	turns = encode;
	if (told > from) {
		if (encode - told <= WAKE_NS)
			told = encode;
		if (w->committed_ns > INT64_MIN)
			turns += from - w->committed_ns;
		TP_LEAST(turns, commit);
	}
	gap = (struct tp_waits_gap){ from, told, encode, turns, commit };
	if (w->gaps)
		hand_on(w, &gap, after->tid);
	take_late(w, &gap);
	take_committed(w, told > from ? TOLD_START : LATE_START, commit, to);
}

/* Walk the rows of the target in time order. */
static void
walk_rows(struct walk *w)
{
	const struct tp_cmdbuf *cb = w->cb;
	const struct tp_buffer *b, *last = NULL;
	int64_t end = 0;

	w->committed_ns = INT64_MIN;
	for (size_t i = 0; i < cb->row_count; i++) {
		const struct tp_buffer_row *r = &cb->rows[i];

		b = &cb->buffers[r->buffer];
		if (b->proc != w->proc || !is_in(w, r))
			continue;
		if (last && r->from_ns > end)
			take_gap(w, last, b, end, r->from_ns);
		if (!last || r->to_ns > end) {
			take(w, WORK, last && end > r->from_ns ? end :
			    r->from_ns, r->to_ns);
			end = r->to_ns;
			last = b;
		}
		if (b->commit_source && b->commit_ns > w->committed_ns)
			w->committed_ns = b->commit_ns;
	}
}

/* Find the range of the target's work and the spans of others. */
static void
survey(struct walk *w)
{
	const struct tp_cmdbuf *cb = w->cb;
	struct view *v = &w->views[0];
	size_t cap = 0;

	v->from_ns = INT64_MAX;
	v->to_ns = INT64_MIN;
	for (size_t i = 0; i < cb->row_count; i++) {
		const struct tp_buffer_row *r = &cb->rows[i];
		struct tp_span *s = w->other_count ?
		    &w->others[w->other_count - 1] : NULL;

		if (!is_in(w, r))
			continue;
		if (cb->buffers[r->buffer].proc == w->proc) {
			TP_LEAST(v->from_ns, r->from_ns);
			TP_MOST(v->to_ns, r->to_ns);
			continue;
		}
		if (s && r->from_ns <= s->to) {
			TP_MOST(s->to, r->to_ns);
			continue;
		}
		TP_APPEND(w->others, w->other_count, cap, (struct tp_span){
		    r->from_ns, r->to_ns });
	}
}

void
tp_waits_pieces_add(struct tp_budget *b, const int64_t *piece_ns,
    const struct tp_waits_longest *l)
{
	const struct tp_waits_gap *g = &l->gap;
	int64_t in_pause[PIECES] = { [TOLD] = g->done_ns - g->from_ns,
	    [LATE] = g->encode_ns - g->done_ns,
	    [TURNS] = g->turns_ns - g->encode_ns,
	    [ENCODE] = g->to_ns - g->turns_ns };
	int alone = tp_waits_alone(l, b->end_ns - b->start_ns);

	for (int i = 0; i < PIECES; i++)
		tp_waits_piece(b, i, piece_ns[i] - (alone ? in_pause[i] : 0));
	if (!alone)
		return;
	tp_budget_add(b, TP_PART_PAUSE, NULL, in_pause[TOLD] + in_pause[LATE],
	    0);
	tp_budget_add(b, TP_PART_PAUSE, tp_waits_pieces[ENCODE].cause,
	    in_pause[TURNS] + in_pause[ENCODE], 0);
	tp_waits_pause(b, l);
}

void
tp_waits_rest(struct tp_budget *b)
{
	tp_budget_add(b, TP_PART_UNRECORDED, "no-gpu-work",
	    tp_budget_rest(b), TP_FLOOR_UNKNOWN);
}

static void
emit(const struct walk *w, const struct view *v, int hand, struct tp_out *out)
{
	struct tp_budget b = { .scope = v->scope, .segment = v->segment,
	    .is_main = v->is_main, .start_ns = v->from_ns, .end_ns = v->to_ns };

	if (!hand) {
		tp_waits_pieces_add(&b, v->piece_ns, &v->longest);
		tp_waits_rest(&b);
		tp_budget_emit(&b, out);
		return;
	}
	tp_out_begin(out, "budget.gpu");
	tp_out_text(out, "scope", v->scope);
	if (v->segment)
		tp_out_int(out, "segment", v->segment);
	if (v->is_main)
		tp_out_text(out, "role", "main");
	tp_out_target(out, &w->cb->procs, w->proc, NULL);
	tp_out_int(out, "start_ns", v->from_ns);
	tp_out_int(out, "end_ns", v->to_ns);
	tp_out_int(out, "rows", v->longest.rows);
	for (int i = 0; i < PIECES; i++)
		tp_out_int(out, tp_waits_pieces[i].key, v->piece_ns[i]);
	tp_out_end(out);
}

void
tp_metal_budget(const struct tp_cmdbuf *cb, ptrdiff_t proc,
    const struct tp_window *window, const struct tp_window *steady,
    const struct tp_segments *segments, int64_t late_ns, int hand,
    struct tp_out *out)
{
	struct walk w = { .cb = cb, .proc = proc, .window = window,
	    .late_ns = late_ns };
	struct view *all, *v;

	w.views = tp_zalloc((segments->count + 2) * sizeof *w.views);
	all = &w.views[0];
	all->scope = "span";
	survey(&w);
	if (all->to_ns > all->from_ns) {
		w.view_count = 1;
		if (steady->to_ns > steady->from_ns) {
			v = &w.views[w.view_count++];
			v->scope = "steps";
			v->from_ns = steady->from_ns;
			v->to_ns = steady->to_ns;
			/*
			 * the steps are judged if they cover most of the time
			 */
			v->is_main = v->to_ns - v->from_ns >=
			    (all->to_ns - all->from_ns) / 2;
		}
		all->is_main = w.view_count == 1 || !w.views[1].is_main;
		w.fixed = w.first = w.view_count;
		for (size_t i = 0; i < segments->count; i++) {
			v = &w.views[w.view_count++];
			v->scope = "segment";
			v->segment = (int64_t)i + 1;
			v->from_ns = segments->list[i].from_ns;
			v->to_ns = segments->list[i].to_ns;
		}
		w.gaps = hand ? out : NULL;
		walk_rows(&w);
		for (size_t i = 0; i < w.view_count; i++)
			emit(&w, &w.views[i], hand, out);
	}
	tp_free(w.others);
	tp_free(w.views);
}
