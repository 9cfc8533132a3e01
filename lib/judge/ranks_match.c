/* ranks_match - match the collectives of several ranks */
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/ranks.h>
#include <tp/order.h>

TP_ORDER_POINTERS(by_number, struct tp_rank, TP_UP(number))

/* In the order of their start on each rank. */
TP_ORDER(by_start, struct tp_ranks_run, TP_UP(rank) TP_UP(from_ns) TP_UP(order))

TP_ORDER(by_order, struct tp_ranks_run, TP_UP(group) TP_UP(order) TP_UP(rank))

/* Sort ranks by number; *ORDER gets the new index of each. */
static void
sort_ranks(struct tp_ranks *r, uint32_t **order)
{
	struct tp_rank *old = tp_alloc((r->count + 1) * sizeof *old);
	struct tp_rank **p = tp_alloc((r->count + 1) * sizeof *p);

	*order = tp_alloc((r->count + 1) * sizeof **order);
	if (r->count) {
		memcpy(old, r->ranks, r->count * sizeof *old);
		for (size_t i = 0; i < r->count; i++)
			p[i] = &old[i];
		TP_SORT(p, r->count, by_number);
		for (size_t i = 0; i < r->count; i++) {
			(*order)[p[i] - old] = (uint32_t)i;
			r->ranks[i] = *p[i];
		}
		for (size_t i = 0; i < r->run_count; i++)
			r->runs[i].rank = (*order)[r->runs[i].rank];
	}
	tp_free(old);
	tp_free(p);
}

/* Number the runs of each group on each rank, and count them in the member. */
static void
order_runs(struct tp_ranks *r)
{
	struct tp_ids seen = { 0 };

	TP_SORT(r->runs, r->run_count, by_start);
	for (size_t i = 0; i < r->run_count; i++) {
		struct tp_ranks_run *x = &r->runs[i];
		ptrdiff_t group = tp_ranks_group(r, x->what), at;
		size_t had = seen.count, before = r->member_count - had;
		struct tp_ranks_member *m;

		at = tp_ids_add(&seen, x->rank, (uint64_t)group);
		if ((size_t)at == had)
			tp_ranks_member(r);
		m = &r->members[before + (size_t)at];
		if ((size_t)at == had)
			*m = (struct tp_ranks_member){
			    .rank = r->ranks[x->rank].number,
			    .group = (uint32_t)group };
		x->group = (uint32_t)group;
		x->order = m->count++;
		m->start_sum += r->ranks[x->rank].base_ns + x->from_ns;
	}
	tp_ids_release(&seen);
}

static int
differ(const struct tp_ranks *r, uint32_t what, uint32_t other)
{
	const struct tp_ranks_what *a = &r->whats[what], *b = &r->whats[other];

	return a->name != b->name || a->kernel != b->kernel ||
	    a->dtype != b->dtype;
}

/* Merge Y, the same collective on other ranks, into X. */
static void
join(const struct tp_ranks *r, struct tp_ranks_instance *x,
    const struct tp_ranks_instance *y)
{
	x->is_odd |= y->is_odd || differ(r, x->what, y->what);
	if (y->low_rank < x->low_rank) {
		x->low_rank = y->low_rank;
		x->what = y->what;
	}
	TP_MOST(x->high_rank, y->high_rank);
	if (y->start_last_ns > x->start_last_ns ||
	    (y->start_last_ns == x->start_last_ns &&
	    y->last_rank < x->last_rank)) {
		x->start_last_ns = y->start_last_ns;
		x->last_rank = y->last_rank;
	}
	TP_LEAST(x->start_first_ns, y->start_first_ns);
	TP_LEAST(x->end_first_ns, y->end_first_ns);
	TP_MOST(x->end_last_ns, y->end_last_ns);
	TP_LEAST(x->shortest_ns, y->shortest_ns);
	x->traced_count += y->traced_count;
	x->start_sum += y->start_sum;
	x->in_known &= y->in_known;
	TP_MOST(x->in_max, y->in_max);
	x->in_sum += y->in_sum;
}

static struct tp_ranks_instance
instance_of(const struct tp_ranks *r, const struct tp_ranks_run *x)
{
	const struct tp_rank *k = &r->ranks[x->rank];
	int64_t from = k->base_ns + x->from_ns, to = k->base_ns + x->to_ns;
	int64_t bytes = r->whats[x->what].in_bytes;

	return (struct tp_ranks_instance){ .group = x->group,
	    .order = x->order, .what = x->what, .traced_count = 1,
	    .low_rank = k->number, .high_rank = k->number,
	    .last_rank = k->number, .start_first_ns = from,
	    .start_last_ns = from, .end_first_ns = to, .end_last_ns = to,
	    .shortest_ns = to - from, .start_sum = from, .in_max = bytes,
	    .in_sum = bytes, .in_known = bytes >= 0 };
}

TP_ORDER(by_place, struct tp_ranks_instance, TP_UP(group) TP_UP(order)
    TP_UP(low_rank))

/*
 * Make an instance of each run and merge equal ones; then assign them to
 * groups.
 */
static void
make_instances(struct tp_ranks *r)
{
	size_t from = r->instance_count, kept = 0;
	struct tp_ranks_instance *x;

	TP_SORT(r->runs, r->run_count, by_order);
	for (size_t i = 0; i < r->run_count; i++) {
		struct tp_ranks_instance one = instance_of(r, &r->runs[i]);

		x = r->instance_count > from ?
		    &r->instances[r->instance_count - 1] : NULL;
		if (x && x->group == one.group && x->order == one.order) {
			join(r, x, &one);
			continue;
		}
		x = tp_ranks_instance(r);
		*x = one;
	}
	tp_free(r->runs);
	r->runs = NULL;
	r->run_count = r->run_cap = 0;
	if (from)
		TP_SORT(r->instances, r->instance_count, by_place);
	for (size_t i = 0; i < r->instance_count; i++) {
		x = kept ? &r->instances[kept - 1] : NULL;
		if (x && x->group == r->instances[i].group &&
		    x->order == r->instances[i].order)
			join(r, x, &r->instances[i]);
		else
			r->instances[kept++] = r->instances[i];
		x = &r->instances[kept - 1];
		if (x->is_odd)
			r->groups[x->group].is_odd = 1;
	}
	r->instance_count = kept;
}

static void
add_times(struct tp_ranks_sum *row, const struct tp_ranks_instance *x)
{
	TP_APPEND(row->times, row->count, row->times_cap,
	    (struct tp_ranks_times){ x->shortest_ns,
	    x->start_last_ns - x->start_first_ns,
	    x->end_last_ns - x->end_first_ns });
}

/* Add X, which several ranks have, to its row. */
static void
add_to_sum(struct tp_ranks *r, const struct tp_ranks_instance *x)
{
	struct tp_ranks_sum *row = tp_ranks_sum(r, x->what);

	if (!row->count) {
		row->traced_min = x->traced_count;
		row->low_rank = x->low_rank;
		row->in_known = 1;
	}
	TP_LEAST(row->traced_min, x->traced_count);
	TP_MOST(row->traced_max, x->traced_count);
	TP_LEAST(row->low_rank, x->low_rank);
	TP_MOST(row->high_rank, x->high_rank);
	row->wait += (tp_int128)x->start_last_ns * x->traced_count -
	    x->start_sum;
	row->in_known &= x->in_known;
	row->in_all += x->in_sum;
	row->in_most += (tp_int128)x->in_max * x->traced_count;
	row->moved += r->whats[x->what].moved_bytes;
	add_times(row, x);
	if (x->start_first_ns < x->start_last_ns)
		tp_ranks_add_last(r, x->what, x->last_rank, 1);
}

/* Whether X includes all ranks of its group. */
static int
is_complete(const struct tp_ranks *r, const struct tp_ranks_instance *x)
{
	return r->whats[x->what].size > 1 &&
	    x->traced_count >= r->whats[x->what].size;
}

/*
 * Choose for each group the kind of collective that sorts first, so that the
 * order of reading does not matter.
 */
static void
find_kinds(struct tp_ranks *r)
{
	for (size_t i = 0; i < r->what_keys.count; i++) {
		ptrdiff_t at = tp_ranks_group(r, (uint32_t)i);

		if (tp_ranks_compare(r, (uint32_t)i, r->groups[at].what) < 0)
			r->groups[at].what = (uint32_t)i;
	}
}

/*
 * Fold complete collectives into their group and row; drop those of groups
 * that are out of step.
 */
static void
fold(struct tp_ranks *r)
{
	size_t kept = 0;

	find_kinds(r);
	for (size_t i = 0; i < r->instance_count; i++) {
		const struct tp_ranks_instance *x = &r->instances[i];
		struct tp_ranks_group *g = &r->groups[x->group];

		if (g->is_odd)
			continue;
		if (!is_complete(r, x)) {
			r->instances[kept++] = *x;
			continue;
		}
		g->matched_count++;
		g->apart_count += x->end_first_ns < x->start_last_ns;
		g->last_sum += x->start_last_ns;
		add_to_sum(r, x);
	}
	r->instance_count = kept;
}

/* Match the rest: no more ranks will come. */
static void
match_rest(struct tp_ranks *r)
{
	for (size_t i = 0; i < r->group_ids.count; i++) {
		r->match_count += (uint64_t)r->groups[i].matched_count;
		r->apart_count += (uint64_t)r->groups[i].apart_count;
		r->odd_count += (uint64_t)r->groups[i].is_odd;
		r->groups[i].first = r->groups[i].end = 0;
	}
	for (size_t i = 0; i < r->instance_count; i++) {
		const struct tp_ranks_instance *x = &r->instances[i];
		struct tp_ranks_group *g = &r->groups[x->group];
		int64_t size = r->whats[x->what].size;

		if (g->first == g->end)
			g->first = i;
		g->end = i + 1;
		if (g->is_odd)
			continue;
		if (x->traced_count < 2) {
			/* a group of one rank has nothing to match */
			r->unmatched_count += size == 1 ? 0 : 1;
			continue;
		}
		r->match_count++;
		r->apart_count += x->end_first_ns < x->start_last_ns;
		r->incomplete_count += x->traced_count < (size < 0 ?
		    r->rank_count : size);
		add_to_sum(r, x);
	}
}

/* Decide whether start times of different ranks are comparable. */
static void
judge_clock(struct tp_ranks *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (!r->ranks[i].has_base)
			r->clock = TP_RANKS_UNKNOWN;
	if (r->clock == TP_RANKS_UNKNOWN)
		return;
	if ((double)r->apart_count >
	    TP_RANKS_APART_RATIO * (double)r->match_count)
		r->clock = TP_RANKS_APART;
}

TP_ORDER(by_group, struct tp_ranks_member, TP_UP(group) TP_UP(count)
    TP_UP(rank))

static struct tp_rank *
rank_of(const struct tp_ranks *r, int64_t number)
{
	size_t low;

	TP_SEEK(low, 0, r->count, mid, r->ranks[mid].number < number);
	return low < r->count && r->ranks[low].number == number ?
	    &r->ranks[low] : NULL;
}

/*
 * Add how long each rank waited.  A member takes part in the first COUNT
 * collectives of its group: its wait is the sum of their last starts minus
 * that of its own starts.
 */
static void
add_waits(struct tp_ranks *r)
{
	size_t at = 0;
	int64_t matched = 0;
	tp_int128 last = 0;

	TP_SORT(r->members, r->member_count, by_group);
	for (size_t i = 0; i < r->member_count; i++) {
		const struct tp_ranks_member *m = &r->members[i];
		const struct tp_ranks_group *g = &r->groups[m->group];
		struct tp_rank *k = rank_of(r, m->rank);

		if (!i || m->group != m[-1].group) {
			at = g->first;
			matched = g->matched_count;
			last = g->last_sum;
		}
		for (; at < g->end && r->instances[at].order < m->count;
		    at++) {
			matched += r->instances[at].traced_count > 1;
			last += r->instances[at].start_last_ns;
		}
		if (g->is_odd)
			r->unmatched_count += m->count;
		if (g->is_odd || !k)
			continue;
		k->matched_count += matched;
		if (r->clock == TP_RANKS_COMMON)
			k->wait_sum_ns = tp_narrow((tp_int128)k->wait_sum_ns +
			    last - m->start_sum);
	}
	for (size_t i = 0; i < r->last_ids.count; i++) {
		struct tp_rank *k = rank_of(r,
		    (int64_t)r->last_ids.ids[i].b);

		if (k)
			k->last_count += (int64_t)r->lasts[i];
	}
}

/* Find the rank that waited least, if any waited. */
static void
find_straggler(struct tp_ranks *r)
{
	int64_t most = 0;

	r->straggler = -1;
	for (size_t i = 0; i < r->count; i++) {
		const struct tp_rank *k = &r->ranks[i];

		if (!k->matched_count)
			continue;
		most = k->wait_sum_ns > most ? k->wait_sum_ns : most;
		if (r->straggler < 0 || k->wait_sum_ns <
		    r->ranks[r->straggler].wait_sum_ns)
			r->straggler = (ptrdiff_t)i;
	}
	if (!most || r->clock != TP_RANKS_COMMON)
		r->straggler = -1;
}

/*
 * When all traces list the same number of GPUs, that many consecutive ranks
 * form a node.
 */
static void
find_nodes(struct tp_ranks *r)
{
	int64_t n = r->count ? r->ranks[0].device_count : 0;

	r->node_is_given = r->node_ranks > 0;
	if (r->node_is_given)
		return;
	for (size_t i = 1; i < r->count; i++)
		if (r->ranks[i].device_count != n)
			n = 0;
	if (n > 1 && r->rank_count > n && r->rank_count % n == 0)
		r->node_ranks = n;
}

void
tp_ranks_match(struct tp_ranks *r, int as_part, uint32_t **order)
{
	TP_MOST(r->rank_count, r->expected);
	sort_ranks(r, order);
	order_runs(r);
	make_instances(r);
	if (as_part) {
		fold(r);
		return;
	}
	match_rest(r);
	find_nodes(r);
	judge_clock(r);
	add_waits(r);
	find_straggler(r);
}
