/* ranks_emit - several ranks of one job as records */
#include <stdlib.h>

#include <tp/alloc.h>
#include <tp/judge/ranks.h>

#include "stat.h"

/* Of all ranks with a time line: the most, where, and the sum. */
struct load {
	int64_t max, rank;
	tp_int128 sum;
	int64_t count;
};

static void
add_load(struct load *l, int64_t rank, int64_t value)
{
	if (!l->count || value > l->max) {
		l->max = value;
		l->rank = rank;
	}
	l->sum += value;
	l->count++;
}

/* VALUE over the mean of L as KEY. */
static void
out_factor(struct tp_out *out, const char *key, const struct load *l,
    int64_t value)
{
	if (l->sum > 0)
		tp_out_real(out, key, (double)value * (double)l->count /
		    (double)l->sum);
}

struct loads {
	struct load span, busy, compute, steps;
	int64_t step_min;
};

static struct loads
loads_of(const struct tp_ranks *r)
{
	struct loads l = { .step_min = INT64_MAX };

	for (size_t i = 0; i < r->count; i++) {
		const struct tp_rank *k = &r->ranks[i];

		add_load(&l.steps, k->number, k->step_count);
		if (k->step_count < l.step_min)
			l.step_min = k->step_count;
		if (!k->has_time)
			continue;
		add_load(&l.span, k->number, k->span_ns);
		add_load(&l.busy, k->number, k->busy_ns);
		add_load(&l.compute, k->number, k->compute_ns);
	}
	return l;
}

static const char *
clock_name(enum tp_ranks_clock clock)
{
	static const char *const names[] = { "common", "apart", "unknown" };

	return names[clock];
}

/* How much longer others than S communicate with nothing beside it, on
 * average: waits that computation covers cost nothing. */
static void
out_exposed(const struct tp_ranks *r, const struct tp_rank *s,
    struct tp_out *out)
{
	tp_int128 sum = 0;
	int64_t count = 0, more;

	for (size_t i = 0; i < r->count; i++) {
		const struct tp_rank *k = &r->ranks[i];

		if (k == s || !k->matched_count || k->communication_ns < 0)
			continue;
		sum += k->communication_ns;
		count++;
	}
	if (!count || s->communication_ns < 0)
		return;
	more = tp_div_even(sum, count) - s->communication_ns;
	if (more <= 0)
		return;
	tp_out_int(out, "others_exposed_mean_ns", more);
	tp_out_ratio(out, "others_exposed_of_span_ratio", more, s->span_ns);
}

static void
out_waits(const struct tp_ranks *r, const struct loads *l, struct tp_out *out)
{
	tp_int128 wait = 0;
	const struct tp_rank *s;
	int64_t others = 0, waited;

	for (size_t i = 0; i < r->count; i++) {
		wait += r->ranks[i].wait_sum_ns;
		others += r->ranks[i].matched_count > 0;
	}
	tp_out_int(out, "wait_sum_ns", tp_narrow(wait));
	tp_out_ratio(out, "wait_of_span_ratio", tp_narrow(wait),
	    tp_narrow(l->span.sum));
	if (r->straggler < 0)
		return;
	s = &r->ranks[r->straggler];
	waited = tp_div_even(wait - s->wait_sum_ns, others - 1);
	tp_out_int(out, "straggler_rank", s->number);
	tp_out_int(out, "straggler_wait_ns", s->wait_sum_ns);
	tp_out_int(out, "others_wait_mean_ns", waited);
	tp_out_ratio(out, "straggler_wait_ratio", s->wait_sum_ns, waited);
	out_exposed(r, s, out);
	tp_out_int(out, "straggler_last_count", s->last_count);
	tp_out_ratio(out, "straggler_last_ratio", s->last_count,
	    s->matched_count);
}

static void
emit_summary(const struct tp_ranks *r, const struct loads *l,
    struct tp_out *out)
{
	tp_out_begin(out, "ranks.summary");
	if (r->rank_count > 0)
		tp_out_int(out, "rank_count", r->rank_count);
	tp_out_int(out, "traced_count", (int64_t)r->count);
	if (r->rank_count >= (int64_t)r->count)
		tp_out_int(out, "missing_rank_count",
		    r->rank_count - (int64_t)r->count);
	if (r->detail >= 0)
		tp_out_int(out, "detail_rank", r->ranks[r->detail].number);
	tp_out_int(out, "step_min_count", l->step_min);
	tp_out_int(out, "step_max_count", l->steps.max);
	if (l->busy.count) {
		tp_out_int(out, "busy_max_rank", l->busy.rank);
		out_factor(out, "busy_imbalance_factor", &l->busy,
		    l->busy.max);
		tp_out_int(out, "compute_max_rank", l->compute.rank);
		out_factor(out, "compute_imbalance_factor", &l->compute,
		    l->compute.max);
		tp_out_int(out, "compute_above_mean_ns", l->compute.max -
		    tp_div_even(l->compute.sum, l->compute.count));
	}
	tp_out_int(out, "matched_count", (int64_t)r->match_count);
	tp_out_int(out, "incomplete_count", (int64_t)r->incomplete_count);
	tp_out_int(out, "lone_count", (int64_t)r->unmatched_count);
	tp_out_text(out, "clock", clock_name(r->clock));
	if (r->clock != TP_RANKS_UNKNOWN)
		tp_out_int(out, "apart_count", (int64_t)r->apart_count);
	if (r->clock == TP_RANKS_COMMON && r->match_count)
		out_waits(r, l, out);
	tp_out_end(out);
}

static void
emit_rank(const struct tp_ranks *r, size_t i, const struct loads *l,
    struct tp_out *out)
{
	const struct tp_rank *k = &r->ranks[i];

	tp_out_begin(out, "ranks.rank");
	tp_out_int(out, "process_rank", k->number);
	if (k->gpu)
		tp_out_text(out, "gpu_name", r->texts.names[k->gpu].text);
	if (k->has_time) {
		tp_out_int(out, "span_ns", k->span_ns);
		tp_out_int(out, "busy_ns", k->busy_ns);
		tp_out_ratio(out, "busy_of_span_ratio", k->busy_ns,
		    k->span_ns);
		tp_out_int(out, "compute_ns", k->compute_ns);
		tp_out_known(out, "communication_ns", k->communication_ns);
		tp_out_known(out, "communication_union_ns",
		    k->communication_union_ns);
		tp_out_known(out, "memcpy_ns", k->memcpy_ns);
		tp_out_known(out, "idle_ns", k->idle_ns);
		out_factor(out, "busy_of_mean_factor", &l->busy, k->busy_ns);
		out_factor(out, "compute_of_mean_factor", &l->compute,
		    k->compute_ns);
	}
	tp_out_int(out, "step_count", k->step_count);
	tp_out_int(out, "collective_count", k->run_count);
	tp_out_int(out, "collective_sum_ns", k->collective_sum_ns);
	tp_out_int(out, "matched_count", k->matched_count);
	if (r->clock == TP_RANKS_COMMON && k->matched_count) {
		tp_out_int(out, "wait_sum_ns", k->wait_sum_ns);
		tp_out_ratio(out, "wait_of_span_ratio", k->wait_sum_ns,
		    k->span_ns);
		tp_out_int(out, "last_count", k->last_count);
		tp_out_bool(out, "is_straggler",
		    r->straggler == (ptrdiff_t)i);
	}
	tp_out_end(out);
}

static void
emit_steps(const struct tp_ranks *r, size_t i, struct tp_out *out)
{
	const struct tp_rank *k = &r->ranks[i];

	for (int64_t n = 0; n < k->step_count; n++) {
		const struct tp_ranks_step *s = &k->steps[n];

		tp_out_begin(out, "ranks.step");
		tp_out_int(out, "process_rank", k->number);
		if (r->straggler >= 0)
			tp_out_bool(out, "is_straggler",
			    r->straggler == (ptrdiff_t)i);
		tp_out_known(out, "index", s->index);
		tp_out_known(out, "number", s->number);
		tp_out_known(out, "wall_ns", s->wall_ns);
		tp_out_known(out, "compute_ns", s->compute_ns);
		tp_out_known(out, "communication_ns", s->communication_ns);
		tp_out_known(out, "memcpy_ns", s->memcpy_ns);
		tp_out_end(out);
	}
}

/* What the collectives of a row come to. */
struct row {
	uint32_t what;
	uint64_t count;
	uint32_t rank_min, rank_max;
	struct tp_stat exchange, skew_start, skew_end;
	tp_int128 wait, moved, in_most, in_all;
	int in_known;
	uint32_t *last;		/* per rank: how often it came last */
	int64_t exchange_ns;
};

/* When a collective began and ended on its ranks. */
struct moment {
	int64_t first, last, left, done, shortest;
	tp_int128 starts;
	uint32_t who;
};

static struct moment
moment_of(const struct tp_ranks *r, const struct tp_ranks_match *m)
{
	struct moment t = { INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN,
	    INT64_MAX, 0, 0 };

	for (uint32_t i = 0; i < m->count; i++) {
		const struct tp_ranks_run *x = &r->runs[m->first + i];
		int64_t from = tp_ranks_time(r, x, x->from_ns);
		int64_t to = tp_ranks_time(r, x, x->to_ns);

		if (from > t.last) {
			t.last = from;
			t.who = x->rank;
		}
		t.first = from < t.first ? from : t.first;
		t.left = to < t.left ? to : t.left;
		t.done = to > t.done ? to : t.done;
		if (x->to_ns - x->from_ns < t.shortest)
			t.shortest = x->to_ns - x->from_ns;
		t.starts += from;
	}
	return t;
}

static void
add_bytes(const struct tp_ranks *r, struct row *row,
    const struct tp_ranks_match *m)
{
	int64_t most = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		int64_t n = r->whats[r->runs[m->first + i].what].in_bytes;

		if (n < 0)
			row->in_known = 0;
		most = n > most ? n : most;
		row->in_all += n;
	}
	row->in_most += (tp_int128)most * m->count;
	row->moved += r->whats[row->what].moved_bytes;
}

static int
add_match(const struct tp_ranks *r, struct row *row,
    const struct tp_ranks_match *m)
{
	struct moment t = moment_of(r, m);

	if (!row->count || m->count < row->rank_min)
		row->rank_min = m->count;
	if (m->count > row->rank_max)
		row->rank_max = m->count;
	row->count++;
	row->wait += (tp_int128)t.last * m->count - t.starts;
	row->last[t.who] += t.first < t.last;
	add_bytes(r, row, m);
	return tp_stat_add(&row->exchange, t.shortest) < 0 ||
	    tp_stat_add(&row->skew_start, t.last - t.first) < 0 ||
	    tp_stat_add(&row->skew_end, t.done - t.left) < 0 ? -1 : 0;
}

static void
out_text(const struct tp_ranks *r, struct tp_out *out, const char *key,
    uint32_t text)
{
	if (text)
		tp_out_text(out, key, r->texts.names[text].text);
}

static void
out_what(const struct tp_ranks *r, const struct tp_ranks_what *w,
    struct tp_out *out)
{
	out_text(r, out, "collective", w->collective);
	out_text(r, out, "name", w->name);
	out_text(r, out, "kernel", w->kernel);
	out_text(r, out, "process_group", w->group);
	out_text(r, out, "process_group_ranks", w->group_ranks);
	tp_out_known(out, "process_group_count", w->size);
	out_text(r, out, "element_type", w->dtype);
	tp_out_known(out, "in_element_count", w->in_elements);
	tp_out_known(out, "out_element_count", w->out_elements);
	tp_out_known(out, "in_bytes", w->in_bytes);
	tp_out_known(out, "out_bytes", w->out_bytes);
}

static void
out_skew(const struct tp_ranks *r, struct row *row, struct tp_out *out)
{
	uint32_t who = 0;

	tp_stat_emit(&row->skew_start, out, "skew_start", "mean p50 max",
	    "_ns");
	tp_stat_emit(&row->skew_end, out, "skew_end", "mean p50 max", "_ns");
	tp_out_int(out, "wait_sum_ns", tp_narrow(row->wait));
	for (uint32_t i = 1; i < r->count; i++)
		if (row->last[i] > row->last[who])
			who = i;
	if (!row->last[who])
		return;		/* all came at once */
	tp_out_int(out, "last_rank", r->ranks[who].number);
	tp_out_int(out, "last_count", row->last[who]);
}

static void
emit_row(const struct tp_ranks *r, struct row *row, struct tp_out *out)
{
	const struct tp_ranks_what *w = &r->whats[row->what];
	double rate = (double)row->moved * 1e9 / (double)row->exchange_ns;

	tp_out_begin(out, "ranks.collective");
	out_what(r, w, out);
	tp_out_int(out, "count", (int64_t)row->count);
	tp_out_int(out, "traced_min_count", row->rank_min);
	tp_out_int(out, "traced_max_count", row->rank_max);
	tp_stat_emit(&row->exchange, out, "exchange", "sum mean min p50 max",
	    "_ns");
	if (w->moved_bytes >= 0 && row->exchange_ns > 0) {
		tp_out_real(out, "exchange_bytes_per_s", rate);
		if (w->bus_factor > 0)
			tp_out_real(out, "exchange_bus_bytes_per_s",
			    rate * w->bus_factor);
	}
	if (row->in_known && row->in_all > 0)
		tp_out_real(out, "in_imbalance_factor",
		    (double)row->in_most / (double)row->in_all);
	if (r->clock == TP_RANKS_COMMON)
		out_skew(r, row, out);
	tp_out_end(out);
}

/* Without a group the order may have matched what is not one: times that do
 * not fit show that. */
static int
is_told(const struct tp_ranks *r, const struct tp_ranks_what *w)
{
	return w->group || r->clock == TP_RANKS_COMMON;
}

static int
by_exchange(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->exchange_ns != y->exchange_ns)
		return x->exchange_ns < y->exchange_ns ? 1 : -1;
	/* the first of them came first */
	return (x->last > y->last) - (x->last < y->last);
}

static int
emit_rows(const struct tp_ranks *r, struct tp_out *out)
{
	struct row *rows = tp_zalloc((r->row_count + 1) * sizeof *rows);
	uint32_t *last = tp_zalloc((r->row_count * r->count + 1) *
	    sizeof *last);
	int rc = rows && last ? 0 : -1;

	for (size_t i = 0; !rc && i < r->row_count; i++) {
		rows[i].what = r->rows[i];
		rows[i].last = last + i * r->count;
		rows[i].in_known = 1;
	}
	for (size_t i = 0; !rc && i < r->match_count; i++)
		rc = add_match(r, &rows[r->matches[i].row], &r->matches[i]);
	if (!rc) {
		for (size_t i = 0; i < r->row_count; i++)
			rows[i].exchange_ns = tp_stat_sum(&rows[i].exchange);
		qsort(rows, r->row_count, sizeof *rows, by_exchange);
	}
	for (size_t i = 0; rows && i < r->row_count; i++) {
		if (!rc && is_told(r, &r->whats[rows[i].what]))
			emit_row(r, &rows[i], out);
		tp_stat_release(&rows[i].exchange);
		tp_stat_release(&rows[i].skew_start);
		tp_stat_release(&rows[i].skew_end);
	}
	tp_free(rows);
	tp_free(last);
	return rc;
}

int
tp_ranks_emit(const struct tp_ranks *r, struct tp_out *out,
    struct tp_err *err)
{
	struct loads l = loads_of(r);

	if (!r->count)
		return 0;
	emit_summary(r, &l, out);
	for (size_t i = 0; i < r->count; i++)
		emit_rank(r, i, &l, out);
	for (size_t i = 0; i < r->count; i++)
		emit_steps(r, i, out);
	if (emit_rows(r, out) < 0)
		return tp_fail_memory(err);
	tp_ranks_emit_notes(r, l.step_min, l.steps.max, out);
	return 0;
}
