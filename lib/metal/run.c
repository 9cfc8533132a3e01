/* run - the budget of a run on Metal, from its execution graph */
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/metal/cpu.h>
#include <tp/order.h>
#include <tp/share.h>
#include <tp/timeline/path.h>

#include "metal/run.h"
#include "timeline/idle.h"
#include "timeline/path_budget.h"

#define FILE_NAME "ops/metal.json"
/* Later times, or earlier ones, are damage: 26 days. */
#define TIME_MAX (INT64_C(1) << 51)

enum { WORK, OTHERS };

#define AT(MEMBER) offsetof(struct tp_metal_limits, MEMBER)
static const struct tp_share_limit keys[] = {
	{ "latency_ns", AT(latency_ns), 1 }, { "wake_ns", AT(wake_ns), 1 },
	{ "long_ns", AT(long_ns), 1 }, { "ran_ratio", AT(ran_ratio), 0 },
	{ "held_back_ratio", AT(held_back_ratio), 0 },
	{ "boundary_ratio", AT(boundary_ratio), 0 },
	{ "turns_beside_ratio", AT(beside_ratio), 0 },
	{ "long_samples", AT(long_samples), 0 },
	{ "alone_factor", AT(alone_factor), 0 },
	{ "alone_ratio", AT(alone_ratio), 0 },
	{ "alone_rows", AT(alone_rows), 0 },
};

/* Read the limits of Metal into L, and into RULES those of path.json. */
static int
load(struct tp_metal_limits *l, struct tp_path_rules *rules,
    struct tp_err *err)
{
	struct cJSON *doc;
	const struct cJSON *from;
	int rc;

	if (tp_path_rules_load(rules, err) < 0 ||
	    !(doc = tp_share_json(FILE_NAME, err)))
		return -1;
	from = tp_json_get(doc, "limits");
	rc = tp_share_limits(l, keys, sizeof keys / sizeof *keys, from, 0,
	    FILE_NAME, err) < 0 || tp_path_rules_change(rules, from, FILE_NAME,
	    err) < 0 ? -1 : 0;
	cJSON_Delete(doc);
	return rc;
}

/* What part_of() needs. */
struct meant {
	const struct tp_metal_timeline *t;
	const struct tp_cpu_buckets *buckets;
};

static struct tp_path_part
part(enum tp_budget_part of, const char *cause, int breadth)
{
	return (struct tp_path_part){ of, cause, breadth };
}

/* Where what a thread is in stands, or what passes before work, called M. */
static struct tp_path_part
part_of(const void *arg, const struct tp_graph *g, size_t what)
{
	const struct meant *meant = arg;
	const struct tp_path_part *parts = g->rules->parts;
	const struct tp_what *w = &g->whats[what];
	const struct tp_metal_meaning *m = w->name == TP_NIL ? NULL :
	    &meant->t->meanings[w->name];
	const char *name;

	if (w->class == TP_PATH_UNLINKED || (m && m->of == TP_METAL_UNLINKED &&
	    !tp_path_is_device((enum tp_path_class)w->class)))
		return part(TP_PART_UNRECORDED, "commit-unknown", 0);
	if (w->class == TP_PATH_LAUNCH_LATENCY)
		return part(TP_PART_LAUNCH, "start",
		    parts[w->class].breadth);
	if (w->class == TP_PATH_DEVICE_GAP || w->class == TP_PATH_GRAPH_GAP)
		return part(TP_PART_LAUNCH, m && m->of == TP_METAL_ENCODERS ?
		    "between-encoders" : "between-buffers",
		    parts[w->class].breadth);
	if (!m)
		return part(TP_PART_UNRECORDED, "no-gpu-work", 0);
	if (m->is_pause && w->class != TP_PATH_DEVICE_WAIT)
		return part(TP_PART_PAUSE, m->cause >= 0 ?
		    tp_cpu_bucket_name(meant->buckets, (size_t)m->cause) :
		    m->of == TP_METAL_ENCODING ? "encoding" :
		    m->of == TP_METAL_LATE ? NULL : "not-running", 0);
	if (m->of == TP_METAL_RESTS)
		return part(TP_PART_UNRECORDED, "not-running", 0);
	if (m->of == TP_METAL_ENCODING)
		return part(TP_PART_BUILDING, "encoding",
		    parts[TP_PATH_DISPATCH].breadth);
	if (m->of == TP_METAL_LATE && w->class != TP_PATH_SYNC_RETURN)
		return part(TP_PART_LATE, NULL, 0);
	if (m->cause < 0)
		return parts[w->class];
	name = tp_cpu_bucket_part(meant->buckets, (size_t)m->cause);
	return part(name ? (enum tp_budget_part)tp_budget_part_named(name) :
	    TP_PART_BUILDING, tp_cpu_bucket_name(meant->buckets,
	    (size_t)m->cause), name ? 0 : parts[TP_PATH_DISPATCH].breadth);
}

/* The work of G by kind. */
static struct tp_work_kinds
kinds_of(const struct tp_graph *g, const struct tp_metal_timeline *t,
    const struct tp_metal_limits *limits, uint8_t *of)
{
	struct tp_work_kinds kinds = { .of = of, .list = {
	    [WORK] = { TP_PART_DEVICE, NULL, NAN, 0 },
	    [OTHERS] = { TP_PART_CONTENTION, NULL, 0, 0 } },
	    .gap_least = limits->boundary_ratio };

	for (size_t i = 0; i < g->work_count; i++)
		of[i] = g->nodes[g->host_count + i].track >= t->others ?
		    OTHERS : WORK;
	return kinds;
}

/* Tell B of the pause, whose time is in the rows of TP_PART_PAUSE. */
static void
say_pause(struct tp_budget *b, const struct tp_metal_pause *pause)
{
	int64_t time_ns = 0;

	for (size_t i = 0; i < b->count; i++)
		if (b->rows[i].part == TP_PART_PAUSE) {
			b->rows[i].one_gap_ns = b->rows[i].time_ns;
			time_ns += b->rows[i].time_ns;
		}
	if (time_ns)
		b->gaps[TP_PART_PAUSE] = (struct tp_budget_gap){
		    .time_ns = time_ns, .start_ns = pause->from_ns,
		    .end_ns = pause->to_ns, .count = pause->count,
		    .next_ns = pause->next_ns };
}

static void
emit_view(struct tp_graph *g, const struct tp_metal_view *v,
    const struct tp_metal_timeline *t, struct tp_work_kinds *kinds,
    size_t pixels, struct tp_out *out)
{
	struct tp_budget b = { .scope = v->scope, .segment = v->segment,
	    .is_main = v->is_main, .start_ns = v->from_ns,
	    .end_ns = v->to_ns };
	struct tp_path path = { 0 }, through;
	struct tp_idle idle;

	if (tp_path_cut(&path, g, 0, v->from_ns * 1000, v->to_ns * 1000)) {
		tp_idle_make(&idle, g, &path, &through);
		tp_path_grow(&path);
		if (v->is_main) {
			tp_path_emit_tables(&path, -1, out);
			tp_path_emit_lanes(&path, g, pixels, -1, out);
			tp_idle_emit(&idle, g, -1, out);
		}
		/* of the path only what passes while nothing of it runs */
		tp_free(path.sums);
		path.sums = through.sums;
		path.sum_cap = through.sum_cap;
		memset(kinds->ns, 0, sizeof kinds->ns);
		kinds->ns[WORK] = tp_ps_to_ns(idle.busy_ps);
		for (size_t i = 0; i < g->what_count; i++)
			if (tp_path_is_device((enum tp_path_class)
			    g->whats[i].class))
				kinds->ns[OTHERS] += path.sums[i].ns;
		tp_path_budget(&b, &path, kinds);
		say_pause(&b, &t->pause);
		tp_path_release(&path);
		tp_free(idle.list);
		tp_free(idle.sums);
	}
	tp_budget_add(&b, TP_PART_UNRECORDED, "no-gpu-work",
	    tp_budget_rest(&b), TP_FLOOR_UNKNOWN);
	tp_budget_emit(&b, out);
}

/* Whether all times of RUN can be told in picoseconds. */
static int
is_sane(const struct tp_metal_run *run)
{
	for (size_t i = 0; i < run->row_count; i++)
		if (run->rows[i].from_ns < -TIME_MAX ||
		    run->rows[i].to_ns > TIME_MAX)
			return 0;
	for (size_t i = 0; i < run->buffer_count; i++)
		if ((run->buffers[i].commit_ns < -TIME_MAX &&
		    run->buffers[i].commit_ns != TP_METAL_UNKNOWN) ||
		    run->buffers[i].encode_ns < -TIME_MAX)
			return 0;
	for (size_t i = 0; i < run->sample_count; i++)
		if (run->samples[i].at_ns < -TIME_MAX ||
		    run->samples[i].at_ns > TIME_MAX ||
		    run->samples[i].weight_ns > TIME_MAX / 4096)
			return 0;
	return 1;
}

int
tp_metal_run_emit(struct tp_metal_run *run, struct tp_out *out,
    struct tp_err *err)
{
	struct tp_metal_limits limits;
	struct tp_path_rules rules = { 0 };
	struct tp_metal_timeline t;
	struct tp_work_kinds kinds;
	struct tp_graph graph;
	struct meant meant = { &t, run->buckets };
	uint8_t *of;
	int rc = load(&limits, &rules, err);

	if (rc < 0 || !is_sane(run)) {
		tp_path_rules_release(&rules);
		return rc;
	}
	tp_metal_to_timeline(&t, run, &limits);
	tp_graph_make(&graph, &t.tl, &rules);
	graph.part_of = part_of;
	graph.part_arg = &meant;
	of = tp_alloc(graph.work_count + 1);
	kinds = kinds_of(&graph, &t, &limits, of);
	for (size_t i = 0; i < run->view_count; i++)
		emit_view(&graph, &run->views[i], &t, &kinds, run->pixels,
		    out);
	tp_free(of);
	tp_graph_release(&graph);
	tp_timeline_release(&t.tl);
	tp_free(t.meanings);
	tp_path_rules_release(&rules);
	return 0;
}

void
tp_metal_run_release(struct tp_metal_run *run)
{
	tp_free(run->rows);
	tp_free(run->buffers);
	tp_free(run->views);
	tp_free(run->samples);
	tp_free(run->causes);
	tp_free(run->process);
	tp_names_release(&run->names);
	tp_ids_release(&run->tids);
	memset(run, 0, sizeof *run);
}
