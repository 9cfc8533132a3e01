/* graph - what each piece of work waited for */
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/share.h>

#include "graph.h"

#define FILE_NAME "ops/path.json"

#define AT(MEMBER) offsetof(struct tp_path_rules, MEMBER)
static const struct tp_class_list lists[] = {
	{ "functions", NULL, "named", tp_path_classes, AT(functions) },
	{ "ranges", NULL, "named", tp_path_classes, AT(ranges) },
	{ "blocked", NULL, NULL, NULL, AT(blocked) },
	{ "own", NULL, NULL, NULL, AT(own) },
	{ "producers", NULL, NULL, NULL, AT(producers) },
	{ "library", NULL, NULL, NULL, AT(library) },
	{ "allocators", NULL, NULL, NULL, AT(allocators) },
	{ "generated", NULL, NULL, NULL, AT(generated) },
	{ "watchers", NULL, NULL, NULL, AT(watchers) },
	{ "calls", NULL, "waits", tp_path_classes, AT(calls) },
	{ NULL, NULL, NULL, NULL, 0 }
};

/* A limit: a time, or another number. */
#define NS(NAME) { #NAME "_ns", AT(NAME##_ps), 1000 }
#define NUMBER(NAME) { #NAME, AT(NAME), 0 }
static const struct tp_share_limit limits[] = {
	NS(copy_wait), NS(dispatch), NS(long_call), NS(first_use), NS(once),
	NS(set_up), NS(lone), NS(launch_most), NS(gap_most), NS(least_cost),
	NS(idle), NS(producer_wait), NS(hand_over), NS(clocks_agree),
	NS(short_gap), NS(exposing), NS(generate), NS(least_launch),
	NUMBER(gaps_least), NUMBER(gaps_least_ratio),
	NUMBER(full_queue), NUMBER(mismatch_ratio), NUMBER(unlinked_ratio),
	NUMBER(residual_ratio), NUMBER(part_least_ratio), NUMBER(tie_ratio),
	NUMBER(class_least_ratio), NUMBER(name_least_ratio),
	NUMBER(names_tried), NUMBER(names_listed),
	NUMBER(process_least_ratio), NUMBER(gaps_listed), NUMBER(taken_ratio),
	NUMBER(refute_unlinked_ratio), NUMBER(late_ratio),
	NUMBER(beside_ratio), NUMBER(return_ratio), NUMBER(told_return_ratio),
	NUMBER(turns_ratio), NUMBER(calls_least), NUMBER(first_call_factor)
};

/* Read where each class stands in a budget; 0, or -1 with ERR. */
static int
load_parts(struct tp_path_rules *r, struct tp_err *err)
{
	const cJSON *parts = tp_json_get(r->doc, "parts"), *of;

	for (int i = 0; i < TP_PATH_CLASSES; i++) {
		int part, breadth = 0;

		of = tp_json_get(parts, tp_path_classes[i]);
		part = cJSON_IsString(cJSON_GetArrayItem(of, 0)) ?
		    tp_budget_part_named(cJSON_GetArrayItem(of,
		    0)->valuestring) : -1;
		if (part < 0)
			return tp_share_damaged(FILE_NAME, tp_path_classes[i],
			    err);
		r->parts[i].part = (enum tp_budget_part)part;
		r->parts[i].cause = cJSON_GetArrayItem(of, 1) ?
		    cJSON_GetArrayItem(of, 1)->valuestring : NULL;
		for (; of && of->prev && of != parts->child; of = of->prev)
			breadth++;
		r->parts[i].breadth = breadth;
	}
	return 0;
}

int
tp_path_rules_change(struct tp_path_rules *r, const cJSON *from,
    const char *file, struct tp_err *err)
{
	return tp_share_limits(r, limits, sizeof limits / sizeof *limits, from,
	    1, file, err);
}

int
tp_path_rules_load(struct tp_path_rules *r, struct tp_err *err)
{
	r->doc = tp_share_json(FILE_NAME, err);
	if (!r->doc || tp_class_lists_load(r, lists, r->doc, FILE_NAME,
	    err) < 0 || load_parts(r, err) < 0)
		return -1;
	return tp_share_limits(r, limits, sizeof limits / sizeof *limits,
	    tp_json_get(r->doc, "limits"), 0, FILE_NAME, err);
}

void
tp_path_rules_release(struct tp_path_rules *r)
{
	tp_class_lists_release(r, lists);
	cJSON_Delete(r->doc);
}

TP_ORDER(by_end, struct tp_ended, TP_UP(of) TP_UP(to_ps) TP_UP(work))

/* Sort the ends of all work, by stream and by process. */
static void
sort_ends(struct tp_graph *g)
{
	const struct tp_timeline *tl = g->timeline;
	size_t n = g->work_count;

	g->of_stream = tp_alloc((n + 1) * sizeof *g->of_stream);
	g->of_process = tp_alloc((n + 1) * sizeof *g->of_process);
	for (size_t i = 0; i < n; i++) {
		const struct tp_slice *s = &tl->slices[tl->host_count + i];

		g->of_stream[i] = g->of_process[i] = (struct tp_ended){
		    s->to_ps, s->track, (uint32_t)i };
		g->of_process[i].of = tl->is_shared ? 0 :
		    tl->tracks[s->track].process;
	}
	TP_SORT(g->of_stream, n, by_end);
	TP_SORT(g->of_process, n, by_end);
}

size_t
tp_graph_ended(const struct tp_graph *g, const struct tp_ended *list,
    uint32_t of, int64_t ps)
{
	size_t at;

	TP_SEEK(at, 0, g->work_count, mid, list[mid].of < of ||
	    (list[mid].of == of && list[mid].to_ps <= ps));
	return at;
}

/* Add the nodes of thread TRACK. */
static void
cut_track(struct tp_graph *g, uint32_t track)
{
	size_t last = g->first_stretch[track + 1];
	struct tp_node *node = NULL;
	int role = -1;

	for (size_t i = g->first_stretch[track]; i < last; i++) {
		const struct tp_graph_stretch *s = &g->stretches[i];

		if (!node || s->is_cut || s->role != role ||
		    role != TP_NODE_RUNS) {
			TP_APPEND(g->nodes, g->node_count, g->node_cap,
			    (struct tp_node){ .from_ps =
			    tp_stretch_from(g, track, i), .track = track,
			    .release = TP_NIL, .first = (uint32_t)i,
			    .slice = s->slice, .kind = (uint8_t)s->role,
			    .is_first = !node });
			node = &g->nodes[g->node_count - 1];
			role = s->role;
		}
		node->to_ps = s->to_ps;
	}
}

/* The node of a thread that begins with stretch AT. */
static uint32_t
node_of(const struct tp_graph *g, size_t at)
{
	size_t i;

	TP_SEEK(i, 0, g->host_count, mid, g->nodes[mid].first <= at);
	return (uint32_t)i - 1;
}

void
tp_graph_nodes(struct tp_graph *g)
{
	const struct tp_timeline *tl = g->timeline;

	for (uint32_t i = 0; i < tl->track_count; i++)
		cut_track(g, i);
	g->host_count = g->node_count;
	for (size_t i = 0; i < g->launch_count; i++)
		g->launches[i].point = node_of(g, g->launches[i].point) - 1;
	if (g->node_count + g->work_count >= (uint32_t)1 << 30)
		tp_no_memory();
	for (size_t i = 0; i < g->work_count; i++) {
		const struct tp_slice *s = &tl->slices[tl->host_count + i];

		TP_APPEND(g->nodes, g->node_count, g->node_cap,
		    (struct tp_node){ .from_ps = s->from_ps, .to_ps = s->to_ps,
		    .track = s->track, .release = TP_NIL,
		    .slice = (uint32_t)(tl->host_count + i),
		    .kind = TP_NODE_WORK });
	}
}

void
tp_graph_make(struct tp_graph *g, struct tp_timeline *tl,
    const struct tp_path_rules *rules)
{
	memset(g, 0, sizeof *g);
	g->timeline = tl;
	g->rules = rules;
	g->work_count = tl->slice_count - tl->host_count;
	sort_ends(g);
	tp_graph_stretches(g, tl);
	tp_graph_interpreter(g);
	tp_graph_stood(g);
	tp_graph_nodes(g);
	tp_graph_groups(g);
	tp_graph_work(g);
	tp_graph_releases(g);
	tp_graph_first_use(g);
	tp_graph_hand_overs(g);
	tp_free(g->of_stream);
	tp_free(g->of_process);
	g->of_stream = g->of_process = NULL;
	tp_graph_order(g);
}

uint32_t
tp_graph_main_process(const struct tp_graph *g)
{
	const struct tp_timeline *tl = g->timeline;
	int64_t *sums = tp_zalloc((tl->process_count + 1) * sizeof *sums);
	uint32_t main = 0;

	for (size_t i = g->host_count; i < g->node_count; i++)
		sums[tp_node_process(g, (uint32_t)i)] += g->nodes[i].to_ps -
		    g->nodes[i].from_ps;
	for (uint32_t i = 1; i < tl->process_count; i++)
		if (sums[i] > sums[main])
			main = i;
	tp_free(sums);
	return main;
}

void
tp_graph_release(struct tp_graph *g)
{
	tp_free(g->nodes);
	tp_free(g->edges);
	tp_free(g->stretches);
	tp_free(g->first_stretch);
	tp_free(g->begins);
	tp_free(g->whats);
	tp_ids_release(&g->what_ids);
	tp_free(g->launches);
	tp_free(g->work_what);
	tp_free(g->taken);
	tp_free(g->order);
	tp_free(g->gap_ps);
	tp_free(g->groups);
	tp_free(g->members);
	tp_free(g->group_of);
	memset(g, 0, sizeof *g);
}
