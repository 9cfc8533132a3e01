/* collectives - which collectives of several processes are one */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "graph.h"

/* What differs by more is no clock of the same run: an hour. */
#define APART_PS (INT64_C(3600) * 1000000 * US)

TP_ORDER(by_member, struct tp_collective, TP_UP(communicator) TP_UP(process)
    TP_UP(device) TP_UP(slice))
TP_ORDER(by_group, struct tp_collective, TP_UP(group) TP_UP(process)
    TP_UP(device) TP_UP(slice))

/*
 * Whether collectives K of the COUNT devices whose first ones are at RUNS are
 * alike; EXACT: in size, and in time if the clocks began to count together.
 */
static int
are_alike(const struct tp_timeline *tl, const size_t *runs, size_t count,
    size_t k, int exact)
{
	const struct tp_collective *one = &tl->collectives[runs[0] + k];
	int64_t from = INT64_MIN, to = INT64_MAX;

	for (size_t r = 0; r < count; r++) {
		const struct tp_collective *c = &tl->collectives[runs[r] + k];

		if (c->what != one->what || (exact && c->size != one->size))
			return 0;
		TP_MOST(from, tl->slices[c->slice].from_ps);
		TP_LEAST(to, tl->slices[c->slice].to_ps);
	}
	return !exact || !tl->has_epoch || from < to;
}

/*
 * Match the collectives [FIRST, LAST), all of a communicator.  If a device has
 * more of them than another one, only what agrees from the start on is safe.
 */
static void
match(struct tp_timeline *tl, size_t first, size_t last)
{
	struct tp_collective *list = tl->collectives;
	size_t *runs = NULL, count = 0, cap = 0, least = SIZE_MAX, most = 0;

	for (size_t i = first; i <= last; i++) {
		if (i > first && i < last && list[i].process ==
		    list[i - 1].process && list[i].device ==
		    list[i - 1].device)
			continue;
		if (count) {
			TP_LEAST(least, i - runs[count - 1]);
			TP_MOST(most, i - runs[count - 1]);
		}
		TP_APPEND(runs, count, cap, i);
	}
	count--;
	for (size_t k = 0; count > 1 && k < least && are_alike(tl, runs, count,
	    k, least != most); k++) {
		for (size_t r = 0; r < count; r++)
			list[runs[r] + k].group = tl->group_count;
		tl->group_count++;
	}
	tp_free(runs);
}

/* The place after the group whose first member is at AT. */
static size_t
group_end(const struct tp_timeline *tl, size_t at)
{
	uint32_t group = tl->collectives[at].group;

	while (at < tl->collective_count && tl->collectives[at].group == group)
		at++;
	return at;
}

/* The end of collective AT, with the SHIFTS of clocks. */
static int64_t
end_of(const struct tp_timeline *tl, const int64_t *shifts, size_t at)
{
	const struct tp_collective *c = &tl->collectives[at];

	return tl->slices[c->slice].to_ps +
	    shifts[tl->processes[c->process].clock];
}

/* How much later a clock would be right. */
struct shift {
	int64_t ps;
	uint32_t clock;
};

TP_ORDER(by_clock, struct shift, TP_UP(clock) TP_UP(ps))

/* Set SHIFTS of clocks that have collectives with known ones.  0: none has. */
static int
align(const struct tp_timeline *tl, int64_t *shifts, uint8_t *known)
{
	struct shift *list = tp_alloc((tl->collective_count + 1) *
	    sizeof *list);
	size_t count = 0;

	for (size_t i = 0, to; i < tl->collective_count &&
	    tl->collectives[i].group != TP_NIL; i = to) {
		int64_t end = INT64_MIN;

		to = group_end(tl, i);
		for (size_t k = i; k < to; k++)
			if (known[tl->processes[
			    tl->collectives[k].process].clock])
				TP_MOST(end, end_of(tl, shifts, k));
		for (size_t k = i; end != INT64_MIN && k < to; k++) {
			uint32_t clock = tl->processes[
			    tl->collectives[k].process].clock;

			if (!known[clock])
				list[count++] = (struct shift){ end -
				    end_of(tl, shifts, k), clock };
		}
	}
	TP_SORT(list, count, by_clock);
	for (size_t i = 0, to; i < count; i = to) {
		for (to = i; to < count && list[to].clock == list[i].clock;)
			to++;
		shifts[list[i].clock] = list[i + (to - i) / 2].ps;
		known[list[i].clock] = 1;
	}
	tp_free(list);
	return count > 0;
}

/* Add SHIFTS to the times of processes. */
static void
shift(struct tp_timeline *tl, const int64_t *shifts)
{
	for (size_t i = 0; i < tl->process_count; i++)
		tl->processes[i].shift_ps = shifts[tl->processes[i].clock];
	for (size_t i = 0; i < tl->slice_count; i++) {
		struct tp_slice *s = &tl->slices[i];
		int64_t ps = tl->processes[
		    tl->tracks[s->track].process].shift_ps;

		s->from_ps += ps;
		s->to_ps += ps;
	}
	for (size_t i = 0; i < tl->step_count; i++) {
		int64_t ps = tl->processes[
		    tl->tracks[tl->steps[i].track].process].shift_ps;

		tl->steps[i].from_ps += ps;
		tl->steps[i].to_ps += ps;
	}
}

/* Let the clocks of files agree.  0 if they cannot be of one run. */
static int
agree(struct tp_timeline *tl, const struct tp_path_rules *rules)
{
	size_t clocks = tl->processes[tl->process_count - 1].clock + 1;
	int64_t *shifts = tp_zalloc(clocks * sizeof *shifts), most = 0;
	uint8_t *known = tp_zalloc(clocks);

	known[tl->processes[tl->collectives[0].process].clock] = 1;
	while (align(tl, shifts, known))
		;
	for (size_t i = 0; i < clocks; i++)
		TP_MOST(most, shifts[i] < 0 ? -shifts[i] : shifts[i]);
	if (most < APART_PS && (!tl->has_epoch || most >
	    rules->clocks_agree_ps))
		shift(tl, shifts);
	tp_free(shifts);
	tp_free(known);
	return most < APART_PS;
}

/* Whether no member of [FIRST, LAST) ended before the last one began. */
static int
do_meet(const struct tp_timeline *tl, size_t first, size_t last)
{
	int64_t from = INT64_MIN, to = INT64_MAX;

	for (size_t i = first; i < last; i++) {
		const struct tp_slice *s =
		    &tl->slices[tl->collectives[i].slice];

		TP_MOST(from, s->from_ps);
		TP_LEAST(to, s->to_ps);
	}
	return from < to;
}

/* Keep the groups whose members meet, of communicators where most do. */
static void
keep(struct tp_timeline *tl, const struct tp_path_rules *rules)
{
	struct tp_collective *list = tl->collectives;
	size_t count = tl->collective_count, first, last, i, to;
	uint32_t kept = 0;

	for (first = 0; first < count && list[first].group != TP_NIL;
	    first = last) {
		uint32_t before = kept, of = list[first].communicator, all = 0;

		for (i = first; i < count && list[i].group != TP_NIL &&
		    list[i].communicator == of; i = to, all++) {
			int meets;

			to = group_end(tl, i);
			meets = do_meet(tl, i, to);
			for (size_t k = i; k < to; k++)
				list[k].group = meets ? kept : TP_NIL;
			kept += (uint32_t)meets;
		}
		last = i;
		if (all - (kept - before) <= rules->mismatch_ratio * all)
			continue;
		for (i = first; i < last; i++)
			list[i].group = TP_NIL;
		kept = before;
	}
	tl->group_count = kept;
	TP_SORT(list, count, by_group);
}

void
tp_timeline_match(struct tp_timeline *tl, const struct tp_path_rules *rules)
{
	struct tp_collective *list = tl->collectives;

	TP_SORT(list, tl->collective_count, by_member);
	for (size_t i = 0, to; i < tl->collective_count; i = to) {
		for (to = i; to < tl->collective_count &&
		    list[to].communicator == list[i].communicator; to++)
			list[to].group = TP_NIL;
		match(tl, i, to);
	}
	if (!tl->group_count)
		return;
	TP_SORT(list, tl->collective_count, by_group);
	if (agree(tl, rules)) {
		keep(tl, rules);
		return;
	}
	for (size_t i = 0; i < tl->collective_count; i++)
		list[i].group = TP_NIL;
	tl->group_count = 0;
}

void
tp_graph_groups(struct tp_graph *g)
{
	const struct tp_timeline *tl = g->timeline;
	size_t count = 0;

	if (!tl->group_count)
		return;
	g->groups = tp_alloc(tl->group_count * sizeof *g->groups);
	g->group_of = tp_zalloc((g->work_count + 1) * sizeof *g->group_of);
	g->members = tp_alloc(tl->collective_count * sizeof *g->members);
	for (size_t i = 0; i < tl->collective_count; i++) {
		const struct tp_collective *c = &tl->collectives[i];
		uint32_t work = c->slice - (uint32_t)tl->host_count;
		uint32_t at = (uint32_t)g->host_count + work;
		const struct tp_node *n = &g->nodes[at];
		struct tp_group *group;

		if (c->group == TP_NIL)
			break;
		if (c->group == g->group_count)
			g->groups[g->group_count++] = (struct tp_group){
			    .first = (uint32_t)count, .last_node = at,
			    .own_ps = INT64_MAX, .to_ps = INT64_MAX };
		group = &g->groups[c->group];
		g->group_of[work] = 1 + c->group;
		g->members[count++] = at;
		group->count++;
		TP_LEAST(group->own_ps, n->to_ps - n->from_ps);
		TP_LEAST(group->to_ps, n->to_ps);
		if (n->from_ps > g->nodes[group->last_node].from_ps)
			group->last_node = at;
	}
}
