/* ranks_match - which collectives of several ranks are one, who waits */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/ranks.h>

#include "stat.h"

static int
compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
by_number(const void *a, const void *b)
{
	const struct tp_rank *const *x = a, *const *y = b;

	return compare((*x)->number, (*y)->number);
}

/* As they were started on each rank. */
static int
by_start(const void *a, const void *b)
{
	const struct tp_ranks_run *x = a, *y = b;
	int d = compare(x->rank, y->rank);

	d = d ? d : compare(x->from_ns, y->from_ns);
	return d ? d : compare(x->order, y->order);
}

static int
by_order(const void *a, const void *b)
{
	const struct tp_ranks_run *x = a, *y = b;
	int d = compare(x->group, y->group);

	d = d ? d : compare(x->order, y->order);
	return d ? d : compare(x->rank, y->rank);
}

/* Ranks by number; the new index of each in *ORDER. */
static int
sort_ranks(struct tp_ranks *r, uint32_t **order)
{
	struct tp_rank *old = tp_alloc((r->count + 1) * sizeof *old);
	struct tp_rank **p = tp_alloc((r->count + 1) * sizeof *p);

	*order = tp_alloc((r->count + 1) * sizeof **order);
	if (old && p && *order && r->count) {
		memcpy(old, r->ranks, r->count * sizeof *old);
		for (size_t i = 0; i < r->count; i++)
			p[i] = &old[i];
		qsort(p, r->count, sizeof *p, by_number);
		for (size_t i = 0; i < r->count; i++) {
			(*order)[p[i] - old] = (uint32_t)i;
			r->ranks[i] = *p[i];
		}
		for (size_t i = 0; i < r->run_count; i++)
			r->runs[i].rank = (*order)[r->runs[i].rank];
	}
	tp_free(old);
	tp_free(p);
	return old && p && *order ? 0 : -1;
}

/* Where runs are told apart by their order: the process group, or without one
 * the stream and kernel. */
static ptrdiff_t
group_of(const struct tp_ranks *r, struct tp_ids *ids, uint32_t what)
{
	const struct tp_ranks_what *w = &r->whats[what];

	if (w->group)
		return tp_ids_add(ids, (uint64_t)w->group << 32,
		    w->group_ranks);
	return tp_ids_add(ids, (uint64_t)w->kernel << 32 | 1 |
	    (uint64_t)(w->name && !w->kernel) << 1, (uint64_t)w->stream);
}

/* Number the runs of each group on each rank. */
static int
order_runs(struct tp_ranks *r)
{
	struct tp_ids groups = { 0 };
	uint32_t *next = NULL, rank = UINT32_MAX;
	size_t cap = 0;
	ptrdiff_t at = 0;

	if (r->run_count)
		qsort(r->runs, r->run_count, sizeof *r->runs, by_start);
	for (size_t i = 0; at >= 0 && i < r->run_count; i++) {
		struct tp_ranks_run *x = &r->runs[i];

		if (x->rank != rank && cap)
			memset(next, 0, cap * sizeof *next);
		rank = x->rank;
		at = group_of(r, &groups, x->what);
		if (at >= 0 && (size_t)at >= cap) {
			size_t had = cap;

			if (tp_grow(&next, &cap, (size_t)at + 1,
			    sizeof *next) < 0) {
				at = -1;
				break;
			}
			memset(next + had, 0, (cap - had) * sizeof *next);
		}
		if (at < 0)
			break;
		x->group = (uint32_t)at;
		x->order = next[at]++;
	}
	tp_ids_release(&groups);
	tp_free(next);
	return at < 0 ? -1 : 0;
}

/* Runs FIRST to END of one order are one collective when they say so. */
static int
is_one(const struct tp_ranks *r, size_t first, size_t end)
{
	const struct tp_ranks_what *a = &r->whats[r->runs[first].what];

	for (size_t i = first + 1; i < end; i++) {
		const struct tp_ranks_what *b = &r->whats[r->runs[i].what];

		if (a->name != b->name || a->kernel != b->kernel ||
		    a->dtype != b->dtype)
			return 0;
	}
	return end - first > 1;
}

static int
match_runs(struct tp_ranks *r)
{
	size_t end;

	if (r->run_count)
		qsort(r->runs, r->run_count, sizeof *r->runs, by_order);
	for (size_t i = 0; i < r->run_count; i = end) {
		const struct tp_ranks_run *x = &r->runs[i];
		int64_t size = r->whats[x->what].size;

		for (end = i + 1; end < r->run_count &&
		    r->runs[end].group == x->group &&
		    r->runs[end].order == x->order; end++)
			;
		if (!is_one(r, i, end)) {
			/* a group of one has nothing to match */
			r->unmatched_count += size == 1 ? 0 : end - i;
			continue;
		}
		if (tp_grow(&r->matches, &r->match_cap, r->match_count + 1,
		    sizeof *r->matches) < 0)
			return -1;
		r->matches[r->match_count++] = (struct tp_ranks_match){
		    (uint32_t)i, (uint32_t)(end - i), 0 };
		if (size < 0)
			size = r->rank_count;
		r->incomplete_count += (int64_t)(end - i) < size;
	}
	return 0;
}

/* Rows: collectives whose lowest ranks say the same, in order. */
static int
make_rows(struct tp_ranks *r)
{
	struct tp_ids seen = { 0 };
	ptrdiff_t at = 0;

	r->rows = tp_alloc((r->what_keys.count + 1) * sizeof *r->rows);
	for (size_t i = 0; r->rows && i < r->match_count; i++) {
		uint32_t what = r->runs[r->matches[i].first].what;

		at = tp_ids_add(&seen, what, 0);
		if (at < 0)
			break;
		r->matches[i].row = (uint32_t)at;
		r->rows[at] = what;
	}
	r->row_count = seen.count;
	tp_ids_release(&seen);
	return r->rows && at >= 0 ? 0 : -1;
}

/* Whether starts on different ranks may be compared. */
static void
judge_clock(struct tp_ranks *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (!r->ranks[i].has_base)
			r->clock = TP_RANKS_UNKNOWN;
	if (r->clock == TP_RANKS_UNKNOWN)
		return;
	for (size_t i = 0; i < r->match_count; i++) {
		const struct tp_ranks_match *m = &r->matches[i];
		int64_t last = INT64_MIN, left = INT64_MAX;

		for (uint32_t k = 0; k < m->count; k++) {
			const struct tp_ranks_run *x = &r->runs[m->first + k];
			int64_t from = tp_ranks_time(r, x, x->from_ns);
			int64_t to = tp_ranks_time(r, x, x->to_ns);

			last = from > last ? from : last;
			left = to < left ? to : left;
		}
		r->apart_count += left < last;
	}
	if ((double)r->apart_count >
	    TP_RANKS_APART_RATIO * (double)r->match_count)
		r->clock = TP_RANKS_APART;
}

static void
add_waits(struct tp_ranks *r)
{
	for (size_t i = 0; i < r->match_count; i++) {
		const struct tp_ranks_match *m = &r->matches[i];
		int64_t first = INT64_MAX, last = INT64_MIN;
		size_t who = 0;

		for (uint32_t k = 0; k < m->count; k++) {
			const struct tp_ranks_run *x = &r->runs[m->first + k];
			int64_t from = tp_ranks_time(r, x, x->from_ns);

			r->ranks[x->rank].matched_count++;
			first = from < first ? from : first;
			if (from > last) {
				last = from;
				who = x->rank;
			}
		}
		if (r->clock != TP_RANKS_COMMON)
			continue;
		r->ranks[who].last_count += first < last;
		for (uint32_t k = 0; k < m->count; k++) {
			const struct tp_ranks_run *x = &r->runs[m->first + k];

			int64_t *sum = &r->ranks[x->rank].wait_sum_ns;

			*sum = tp_narrow((tp_int128)*sum + last -
			    tp_ranks_time(r, x, x->from_ns));
		}
	}
}

/* The rank that waited least, when any waited. */
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

/* As many ranks follow each other on a node as it has GPUs, if all traces
 * list as many. */
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

int
tp_ranks_match(struct tp_ranks *r, uint32_t **order, struct tp_err *err)
{
	if (sort_ranks(r, order) < 0 || order_runs(r) < 0 ||
	    match_runs(r) < 0 || make_rows(r) < 0)
		return tp_fail_memory(err);
	find_nodes(r);
	judge_clock(r);
	add_waits(r);
	find_straggler(r);
	return 0;
}
