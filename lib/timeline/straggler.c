/* straggler - which rank the others wait for */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "straggler.h"

/* Add the time of node AT of a thread, by class. */
static void
add_thread(struct tp_ranks_times *r, struct tp_rank_times *rank,
    const struct tp_graph *g, uint32_t at, uint32_t main)
{
	const struct tp_node *n = &g->nodes[at];
	int64_t from = n->from_ps, to;
	size_t first, last;

	if ((n->release != TP_NIL && n->released_by != TP_RELEASE_LATENT) ||
	    (n->kind == TP_NODE_IDLE && n->track != main))
		return;
	tp_node_stretches(g, at, &first, &last);
	for (; first < last; first++, from = to) {
		int64_t until = to = g->stretches[first].to_ps;

		TP_MOST(from, r->from_ps);
		TP_LEAST(until, r->to_ps);
		if (until > from)
			rank->ps[g->whats[g->stretches[first].what].class] +=
			    until - from;
	}
}

/* Count the collectives of GROUP; PLACE: 1 + rank by process. */
static void
add_group(struct tp_ranks_times *r, const struct tp_graph *g,
    const struct tp_group *group, const uint32_t *place)
{
	int64_t last = g->nodes[group->last_node].from_ps, least = last;
	uint32_t at;

	for (uint32_t i = 0; i < group->count; i++)
		TP_LEAST(least, g->nodes[g->members[group->first +
		    i]].from_ps);
	if (last < r->from_ps || last >= r->to_ps)
		return;
	for (uint32_t i = 0; i < group->count; i++) {
		uint32_t node = g->members[group->first + i];

		at = place[tp_node_process(g, node)];
		if (!at)
			continue;
		r->list[at - 1].joined_count++;
		r->list[at - 1].wait_ps += last - g->nodes[node].from_ps;
		r->list[at - 1].last_count += least < last &&
		    node == group->last_node;
	}
}

/* Find the ranks that waited less than RATIO of what they do on average. */
static void
find_late(struct tp_ranks_times *r, double ratio)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		sum += (double)r->list[i].wait_ps;
		count += r->list[i].joined_count > 0;
	}
	for (size_t i = 0; i < r->count; i++)
		r->list[i].is_late = r->list[i].joined_count &&
		    (double)r->list[i].wait_ps * (double)count < ratio * sum;
}

void
tp_ranks_times_make(struct tp_ranks_times *r, const struct tp_graph *g,
    const struct tp_path *paths, size_t count)
{
	const struct tp_timeline *tl = g->timeline;
	uint32_t *place = tp_zalloc((tl->process_count + 1) * sizeof *place);
	int are_known = 1;

	*r = (struct tp_ranks_times){ .count = count, .from_ps = INT64_MAX,
	    .to_ps = INT64_MIN };
	r->list = tp_zalloc((count + 1) * sizeof *r->list);
	for (size_t i = 0; i < count; i++) {
		TP_LEAST(r->from_ps, paths[i].from_ps);
		TP_MOST(r->to_ps, paths[i].to_ps);
		r->list[i].process = paths[i].process;
		are_known &= tl->processes[paths[i].process].rank >= 0;
		place[paths[i].process] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < r->count; i++)
		r->list[i].number = are_known ?
		    tl->processes[r->list[i].process].rank : (int64_t)i;
	for (uint32_t i = 0; i < g->node_count; i++) {
		uint32_t process = tp_node_process(g, i);
		const struct tp_node *n = &g->nodes[i];
		struct tp_rank_times *rank;

		if (!place[process])
			continue;
		rank = &r->list[place[process] - 1];
		if (i < g->host_count)
			add_thread(r, rank, g, i, paths[place[process] -
			    1].track);
		else if (g->whats[g->work_what[i - g->host_count]].class !=
		    TP_PATH_COMMUNICATION && n->from_ps >= r->from_ps &&
		    n->from_ps < r->to_ps)
			rank->ps[TP_PATH_KERNEL] += n->to_ps - n->from_ps;
	}
	for (size_t i = 0; i < g->group_count; i++)
		add_group(r, g, &g->groups[i], place);
	find_late(r, g->rules->late_ratio);
	tp_free(place);
}

void
tp_ranks_times_release(struct tp_ranks_times *r)
{
	tp_free(r->list);
}

size_t
tp_rank_excess(const struct tp_ranks_times *r, size_t at, int64_t *median)
{
	int64_t *list = tp_alloc((r->count + 1) * sizeof *list), most = 0;
	size_t class = TP_PATH_CLASSES;

	*median = 0;
	for (size_t c = 0; c < TP_PATH_CLASSES; c++) {
		int64_t ps;

		for (size_t i = 0; i < r->count; i++)
			list[i] = r->list[i].ps[c];
		ps = tp_pick_int(list, r->count, (r->count - 1) / 2);
		if (r->list[at].ps[c] - ps <= most)
			continue;
		most = r->list[at].ps[c] - ps;
		*median = ps;
		class = c;
	}
	tp_free(list);
	return class;
}
