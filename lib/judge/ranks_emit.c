/* ranks_emit - several ranks of one job as records */
#include <tp/alloc.h>
#include <tp/judge/ranks.h>
#include <tp/order.h>

/* Over all ranks with a time line: the maximum, its rank, and the sum. */
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

/* Write VALUE divided by the mean of L as KEY. */
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
		TP_LEAST(l.step_min, k->step_count);
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

/*
 * Write how much more exposed communication others have than S on average:
 * waits hidden by computation cost nothing.
 */
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
	more = count ? tp_div_even(sum, count) - s->communication_ns : 0;
	if (more > 0)
		tp_out_int(out, "others_exposed_mean_ns", more);
}

/*
 * Write how many of the COUNT ranks that took part wait as little as S, and
 * what the run would gain if they were not late.  WAIT is the sum of all waits.
 */
static void
out_late(const struct tp_ranks *r, const struct tp_rank *s, tp_int128 wait,
    int64_t count, struct tp_out *out)
{
	int64_t late = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct tp_rank *k = &r->ranks[i];

		late += k->matched_count && (k == s ||
		    (double)k->wait_sum_ns * (double)count <
		    TP_RANKS_LATE_RATIO * (double)wait);
	}
	tp_out_int(out, "late_rank_count", late);
	if (!r->has_late_gain)
		return;
	tp_out_int(out, "late_gain_ns", r->late_gain_ns);
	tp_out_real(out, "late_gain_ratio", r->late_gain_ratio);
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
	if (s->communication_ns >= 0)
		out_exposed(r, s, out);
	out_late(r, s, wait, others, out);
	tp_out_int(out, "straggler_last_count", s->last_count);
	tp_out_ratio(out, "straggler_last_ratio", s->last_count,
	    s->matched_count);
}

/*
 * Rank with the least waiting first, as tp_ranks_match() finds the
 * straggler; ranks without known collectives last.
 */
TP_ORDER_POINTERS(by_wait, struct tp_rank,
    TP_BY(!a->matched_count - !b->matched_count) TP_UP(wait_sum_ns)
    TP_UP(number))

/* Rank with most computation first. */
TP_ORDER_POINTERS(by_compute, struct tp_rank, TP_DOWN(has_time)
    TP_BY(a->has_time ? TP_CMP(b->compute_ns, a->compute_ns) : 0)
    TP_UP(number))

/* Place of each rank, slowest first, from 1. */
static uint32_t *
places_of(const struct tp_ranks *r)
{
	const struct tp_rank **order = tp_alloc((r->count + 1) *
	    sizeof *order);
	uint32_t *places = tp_alloc((r->count + 1) * sizeof *places);

	for (size_t i = 0; i < r->count; i++)
		order[i] = &r->ranks[i];
	TP_SORT(order, r->count, r->clock == TP_RANKS_COMMON &&
	    r->match_count ? by_wait : by_compute);
	for (size_t i = 0; i < r->count; i++)
		places[order[i] - r->ranks] = (uint32_t)i + 1;
	tp_free(order);
	return places;
}

struct node {
	int64_t first, last;		/* first and last rank */
	int64_t traced, timed, matched, last_count;
	tp_int128 compute, wait;
	int64_t compute_mean_ns, wait_mean_ns;	/* wait: INT64_MAX: unknown */
	uint32_t place;			/* of its slowest rank: */
	int64_t slowest;
};

/*
 * Make node N of the ranks on one node from FIRST on; returns the index
 * after them.
 */
static size_t
make_node(const struct tp_ranks *r, size_t first, const uint32_t *places,
    struct node *n)
{
	int64_t node = tp_ranks_node(r, r->ranks[first].number);
	size_t i;

	*n = (struct node){ .first = node * r->node_ranks,
	    .place = UINT32_MAX };
	n->last = n->first + r->node_ranks - 1;
	if (r->rank_count > 0 && n->last >= r->rank_count)
		n->last = r->rank_count - 1;
	for (i = first; i < r->count && tp_ranks_node(r, r->ranks[i].number)
	    == node; i++) {
		const struct tp_rank *k = &r->ranks[i];

		n->traced++;
		n->timed += k->has_time;
		n->compute += k->has_time ? k->compute_ns : 0;
		n->matched += k->matched_count > 0;
		n->wait += k->wait_sum_ns;
		n->last_count += k->last_count;
		if (places[i] >= n->place)
			continue;
		n->place = places[i];
		n->slowest = k->number;
	}
	n->compute_mean_ns = n->timed ? tp_div_even(n->compute, n->timed) : 0;
	n->wait_mean_ns = r->clock == TP_RANKS_COMMON && n->matched ?
	    tp_div_even(n->wait, n->matched) : INT64_MAX;
	return i;
}

/*
 * Node with the least waiting first; without waits, that with most
 * computation.
 */
TP_ORDER(by_mean, struct node, TP_UP(wait_mean_ns) TP_DOWN(compute_mean_ns)
    TP_UP(first))

/*
 * Make the nodes, slowest first; *COUNT is 0 when the ranks per node are
 * unknown or there is one node.
 */
static void
make_nodes(const struct tp_ranks *r, const uint32_t *places,
    struct node **nodes, size_t *count)
{
	*nodes = NULL;
	*count = 0;
	if (!r->node_ranks)
		return;
	*nodes = tp_alloc((r->count + 1) * sizeof **nodes);
	for (size_t i = 0; i < r->count; (*count)++)
		i = make_node(r, i, places, &(*nodes)[*count]);
	if (*count < 2)
		*count = 0;
	TP_SORT(*nodes, *count, by_mean);
}

static void
emit_nodes(const struct tp_ranks *r, const struct loads *l,
    const struct node *nodes, size_t count, struct tp_out *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct node *n = &nodes[i];

		tp_out_begin(out, "ranks.node");
		tp_out_int(out, "slow_position", (int64_t)i + 1);
		tp_out_int(out, "node_first_rank", n->first);
		tp_out_int(out, "node_last_rank", n->last);
		tp_out_text(out, "node_basis", r->node_is_given ? "given" :
		    "devices");
		tp_out_int(out, "traced_count", n->traced);
		tp_out_int(out, "slowest_rank", n->slowest);
		if (n->timed) {
			tp_out_int(out, "compute_mean_ns",
			    n->compute_mean_ns);
			out_factor(out, "compute_of_mean_factor", &l->compute,
			    n->compute_mean_ns);
		}
		if (n->wait_mean_ns != INT64_MAX) {
			tp_out_int(out, "wait_mean_ns", n->wait_mean_ns);
			tp_out_int(out, "last_count", n->last_count);
		}
		tp_out_end(out);
	}
}

/*
 * Write in how many collectives across nodes a rank of N came last: among
 * many nodes one waits least by chance, but does not come last.
 */
static void
out_last(const struct tp_ranks *r, const struct node *n, struct tp_out *out)
{
	int64_t all = 0, own = 0;

	for (size_t i = 0; i < r->sum_cap; i++)
		if (tp_ranks_crosses(r, &r->sums[i]))
			all += (int64_t)r->sums[i].count;
	for (size_t i = 0; i < r->last_ids.count; i++) {
		int64_t rank = (int64_t)r->last_ids.ids[i].b;

		if (rank >= n->first && rank <= n->last &&
		    tp_ranks_crosses(r, &r->sums[r->last_ids.ids[i].a]))
			own += (int64_t)r->lasts[i];
	}
	tp_out_ratio(out, "slow_node_last_ratio", own, all);
}

/* Compare the slowest node with the ranks of the others. */
static void
out_slow_node(const struct tp_ranks *r, const struct node *nodes,
    size_t count, struct tp_out *out)
{
	tp_int128 wait = 0;
	int64_t ranks = 0;

	for (size_t i = 1; i < count; i++) {
		wait += nodes[i].wait;
		ranks += nodes[i].matched;
	}
	if (!ranks || nodes->matched < 2)
		return;
	tp_out_int(out, "slow_node_first_rank", nodes->first);
	tp_out_int(out, "slow_node_last_rank", nodes->last);
	tp_out_ratio(out, "slow_node_wait_ratio", nodes->wait_mean_ns,
	    tp_div_even(wait, ranks));
	out_last(r, nodes, out);
}

static void
emit_summary(const struct tp_ranks *r, const struct loads *l,
    const struct node *nodes, size_t node_count, struct tp_out *out)
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
	tp_out_int(out, "collective_kind_count",
	    (int64_t)tp_ranks_collective_count(r));
	tp_out_int(out, "matched_count", (int64_t)r->match_count);
	tp_out_int(out, "incomplete_count", (int64_t)r->incomplete_count);
	tp_out_int(out, "lone_count", (int64_t)r->unmatched_count);
	tp_out_text(out, "clock", clock_name(r->clock));
	if (r->clock != TP_RANKS_UNKNOWN)
		tp_out_int(out, "apart_count", (int64_t)r->apart_count);
	if (r->clock == TP_RANKS_COMMON && r->match_count) {
		out_waits(r, l, out);
		out_slow_node(r, nodes, node_count, out);
	}
	tp_out_end(out);
}

void
tp_ranks_out_parts(const struct tp_rank *k, struct tp_out *out)
{
	tp_out_int(out, "compute_ns", k->compute_ns);
	tp_out_known(out, "communication_ns", k->communication_ns);
	tp_out_known(out, "communication_union_ns",
	    k->communication_union_ns);
	tp_out_known(out, "memcpy_ns", k->memcpy_ns);
	tp_out_known(out, "idle_ns", k->idle_ns);
}

static void
emit_rank(const struct tp_ranks *r, size_t i, const struct loads *l,
    uint32_t place, struct tp_out *out)
{
	const struct tp_rank *k = &r->ranks[i];

	tp_out_begin(out, "ranks.rank");
	tp_out_int(out, "process_rank", k->number);
	tp_out_int(out, "slow_position", place);
	if (k->gpu)
		tp_out_text(out, "gpu_name", r->texts.names[k->gpu].text);
	if (k->has_time) {
		tp_out_int(out, "span_ns", k->span_ns);
		tp_out_int(out, "busy_ns", k->busy_ns);
		tp_out_ratio(out, "busy_of_span_ratio", k->busy_ns,
		    k->span_ns);
		tp_ranks_out_parts(k, out);
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
		if (k->has_time)
			tp_out_ratio(out, "wait_of_span_ratio",
			    k->wait_sum_ns, k->span_ns);
		tp_out_int(out, "last_count", k->last_count);
		tp_out_bool(out, "is_straggler",
		    r->straggler == (ptrdiff_t)i);
	}
	tp_out_end(out);
}

void
tp_ranks_out_step(const struct tp_ranks_step *s, struct tp_out *out)
{
	tp_out_known(out, "index", s->index);
	tp_out_known(out, "number", s->number);
	tp_out_known(out, "wall_ns", s->wall_ns);
	tp_out_known(out, "compute_ns", s->compute_ns);
	tp_out_known(out, "communication_ns", s->communication_ns);
	tp_out_known(out, "memcpy_ns", s->memcpy_ns);
}

static void
emit_steps(const struct tp_ranks *r, size_t i, struct tp_out *out)
{
	const struct tp_rank *k = &r->ranks[i];

	for (int64_t n = 0; n < k->step_count; n++) {
		tp_out_begin(out, "ranks.step");
		tp_out_int(out, "process_rank", k->number);
		if (r->straggler >= 0)
			tp_out_bool(out, "is_straggler",
			    r->straggler == (ptrdiff_t)i);
		tp_ranks_out_step(&k->steps[n], out);
		tp_out_end(out);
	}
}

void
tp_ranks_emit(const struct tp_ranks *r, struct tp_out *out)
{
	struct loads l = loads_of(r);
	uint32_t *places;
	struct node *nodes = NULL;
	size_t node_count = 0;

	if (!r->count)
		return;
	places = places_of(r);
	make_nodes(r, places, &nodes, &node_count);
	emit_summary(r, &l, nodes, node_count, out);
	for (size_t i = 0; i < r->count; i++)
		emit_rank(r, i, &l, places[i], out);
	emit_nodes(r, &l, nodes, node_count, out);
	for (size_t i = 0; i < r->count; i++)
		emit_steps(r, i, out);
	tp_ranks_emit_collectives(r, out);
	tp_free(places);
	tp_free(nodes);
	tp_ranks_emit_notes(r, l.step_min, l.steps.max, out);
}
