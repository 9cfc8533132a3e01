/* capture - PyTorch traces of one run, one file per rank, as records */
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/timeline/path.h>

#include "replayed.h"
#include "emit_torch.h"
#include "call_stacks.h"
#include "timeline/graph.h"
#include "to_timeline.h"

/* Clocks of one run begin to count within a day. */
#define CLOCKS_NS INT64_C(86400000000000)

struct tp_torch_file *
tp_torch_file_new(const struct tp_torch_ops *ops)
{
	struct tp_torch_file *f = tp_zalloc(sizeof *f);

	tp_torch_init(&f->torch, ops);
	return f;
}

static const struct tp_torch_device *
chosen_device(const struct tp_torch_file *f)
{
	const struct tp_torch_devices *d = &f->torch.devices;

	return d->count && d->chosen >= 0 ? &d->list[d->chosen] : NULL;
}

const char *
tp_torch_file_gpu(const struct tp_torch_file *f)
{
	const struct tp_torch_device *d = chosen_device(f);

	return d && d->name ? f->torch.texts.names[d->name].text : NULL;
}

int
tp_torch_capture_platforms(struct tp_torch_capture *c, struct tp_err *err)
{
	for (size_t i = 0; i < c->count; i++) {
		struct tp_torch_file *f = c->files[i];
		const char *gpu = tp_torch_file_gpu(f);

		const struct tp_torch_device *d = chosen_device(f);

		f->basis = f->torch.devices.differ ? TP_PLATFORM_MIXED :
		    TP_PLATFORM_UNNAMED;
		if (!d)
			continue;
		if (tp_platform_find(&f->platform, gpu ? gpu : "",
		    d->chip.multiprocessors, d->memory_bytes, &f->basis,
		    err) < 0)
			return -1;
		if (gpu && f->basis == TP_PLATFORM_UNKNOWN &&
		    d->chip.memory_bytes_per_s > 0) {
			if (tp_platform_estimate(&f->platform, gpu, &d->chip,
			    err) < 0)
				return -1;
			f->basis = TP_PLATFORM_ESTIMATED;
		}
		if (!gpu && f->basis != TP_PLATFORM_INFERRED)
			f->basis = TP_PLATFORM_UNNAMED;
	}
	return 0;
}

void
tp_torch_capture_add(struct tp_torch_capture *c, struct tp_torch_file *file)
{
	TP_APPEND(c->files, c->count, c->cap, file);
}

/* Made after the timeline, which is of what the host really did. */
static void
make_pseudo(struct tp_torch_file *f, const struct tp_torch_options *options)
{
	if (options->pseudo)
		tp_torch_pseudo_make(&f->torch, options->pseudo,
		    options->pseudo_when, &f->pseudo);
}

static int
analyse(struct tp_torch_file *f, const struct tp_torch_options *options,
    unsigned groups, const struct tp_path_rules *rules, struct tp_err *err)
{
	tp_torch_graft(&f->torch, options->graphs, &f->grafted);
	tp_torch_analyse(&f->torch);
	tp_torch_times_make(&f->times, &f->torch, options->micro_idle_ps);
	if (groups & (TP_TORCH_EMIT_GAPS | TP_TORCH_EMIT_COMM |
	    TP_TORCH_EMIT_PATH))
		tp_torch_waits_make(&f->waits, &f->torch);
	if (groups & (TP_TORCH_EMIT_GAPS | TP_TORCH_EMIT_COMM)) {
		if (tp_torch_queues_make(&f->queues, &f->torch, err) < 0)
			return -1;
	}
	if (groups & TP_TORCH_EMIT_GAPS) {
		tp_torch_to_timeline(&f->torch, &f->waits, &f->timeline, -1,
		    0);
		tp_timeline_end(&f->timeline);
	}
	make_pseudo(f, options);
	tp_torch_launchers_make(&f->launchers, &f->torch);
	if (!f->torch.gpu_count && groups & (TP_TORCH_EMIT_TIME |
	    TP_TORCH_EMIT_OPS) && tp_torch_host_make(&f->host, &f->torch,
	    err) < 0)
		return -1;
	if (groups & TP_TORCH_EMIT_OPS)
		tp_torch_frames_make(&f->frames, &f->torch);
	/* in the room of the functions that these frames replace */
	if (groups & TP_TORCH_EMIT_GAPS)
		tp_graph_make(&f->graph, &f->timeline, rules);
	return 0;
}

/* By lane a number that lanes with equal names share. */
static uint32_t *
group_lanes(const struct tp_torch *t)
{
	uint32_t *groups = tp_alloc((t->lane_count + 1) * sizeof *groups);
	struct tp_ids ids = { 0 };

	for (size_t i = 0; i < t->lane_count; i++) {
		const struct tp_torch_lane *l = &t->lanes[i];

		groups[i] = (uint32_t)tp_ids_add(&ids,
		    (uint64_t)l->process << 32 | l->label, l->thread);
	}
	tp_ids_release(&ids);
	return groups;
}

/*
 * Write the records of operations and modules; with GAPS also where the time
 * went.
 */
static void
emit_work(struct tp_torch_out *o, int gaps)
{
	const struct tp_torch_file *f = o->file;
	struct tp_torch_passes passes = { 0 };
	struct tp_torch_modules modules = { 0 };
	struct tp_torch_candidates fusion = { 0 };
	struct tp_torch_recompute recompute = { 0 };
	struct tp_torch_gpus gpus = { 0 };

	o->gpus = &gpus;
	tp_torch_gpus_make(&gpus, &f->torch, o->categories->gpu_ratio);
	tp_torch_passes_make(&passes, &f->torch);
	tp_torch_modules_make(&modules, &f->torch, &f->frames, &passes);
	tp_torch_recompute_make(&recompute, &f->torch, &f->frames);
	o->again = tp_torch_emit_recompute(o, &recompute) ? recompute.again :
	    NULL;
	tp_torch_candidates_make(&fusion, &f->torch, &f->frames, o->types_of,
	    o->again);
	o->merged = fusion.merged;
	tp_torch_emit_about(o, &modules);
	tp_torch_emit_modules(o, &modules);
	tp_torch_emit_functions(o, &passes);
	tp_torch_emit_candidates(o, &fusion);
	tp_torch_emit_perf(o, &passes);
	tp_torch_emit_categories(o);
	tp_torch_emit_patterns(o);
	if (gaps)
		tp_torch_emit_budget(o);
	tp_torch_gpus_release(&gpus);
	tp_torch_candidates_release(&fusion);
	tp_torch_recompute_release(&recompute);
	tp_torch_modules_release(&modules);
	tp_torch_passes_release(&passes);
}

static void
emit_record_groups(struct tp_torch_out *o, unsigned groups)
{
	uint32_t *lanes = group_lanes(&o->file->torch);
	struct tp_torch_work work = { 0 };
	struct tp_torch_args *args;

	o->lane_group = lanes;
	if (groups & TP_TORCH_EMIT_OPS || (o->pixels &&
	    groups & TP_TORCH_EMIT_TIME))
		tp_torch_work_make(&work, o->categories, &o->file->torch,
		    &o->file->launchers);
	o->work = &work;
	if (groups & TP_TORCH_EMIT_TRACE) {
		tp_torch_emit_trace(o);
		tp_torch_emit_devices(o);
		tp_torch_emit_quality(o);
	}
	if (groups & TP_TORCH_EMIT_TIME) {
		tp_torch_emit_time(o);
		tp_torch_emit_lanes(o);
		tp_torch_emit_memory(o);
	}
	if (groups & TP_TORCH_EMIT_STEPS)
		tp_torch_emit_steps(o);
	if (groups & TP_TORCH_EMIT_OPS) {
		args = tp_torch_launcher_args(o->file);
		tp_torch_emit_launchers(o, args);
		tp_torch_emit_calls(o);
		tp_torch_emit_recorded(o);
		tp_torch_emit_kernels(o, args);
		tp_free(args);
	}
	if (groups & TP_TORCH_EMIT_COMM)
		tp_torch_emit_comm(o);
	if (groups & TP_TORCH_EMIT_GAPS) {
		if (o->promise)
			tp_idle_emit(&o->file->idle, o->graph, o->rank,
			    o->out);
		tp_torch_emit_waits(o);
	}
	if (groups & TP_TORCH_EMIT_REGIONS)
		tp_torch_emit_regions(o);
	if (!o->file->torch.gpu_count)
		tp_torch_emit_host(o, groups);
	if (groups & TP_TORCH_EMIT_OPS)
		emit_work(o, groups & TP_TORCH_EMIT_GAPS);
	tp_torch_work_release(&work);
	tp_free(lanes);
}

/* The time from the first to the last work on a GPU. */
static int64_t
span_of(const struct tp_torch *t)
{
	int64_t to_ps = INT64_MIN;

	for (size_t i = 0; i < t->gpu_count; i++)
		TP_MOST(to_ps, t->events[t->gpu[i]].to_ps);
	return t->gpu_count ? to_ps - t->events[t->gpu[0]].from_ps : 0;
}

static int
emit_file(struct tp_torch_file *f, struct tp_torch_out *o,
    const struct tp_torch_options *options, unsigned groups,
    const struct tp_path_rules *rules, struct tp_err *err)
{
	o->file = f;
	o->graph = &f->graph;
	o->short_limit_ps = options->short_limit_ps;
	o->uncosted = options->uncosted;
	o->pixels = options->pixels;
	o->basis = options->platform ? TP_PLATFORM_OPTION :
	    options->no_platform ? TP_PLATFORM_OFF : f->basis;
	o->platform = o->basis == TP_PLATFORM_TRACE ||
	    o->basis == TP_PLATFORM_INFERRED ||
	    o->basis == TP_PLATFORM_ESTIMATED ? &f->platform :
	    options->platform;
	if (analyse(f, options, groups, rules, err) < 0)
		return -1;
	o->kept_ratio = tp_torch_kept_ratio(&f->torch);
	o->span_ps = span_of(&f->torch);
	/* what was left out may be what the GPU did */
	o->promise = groups & TP_TORCH_EMIT_GAPS && o->kept_ratio <= 0 ?
	    tp_torch_promise_make(o->graph, &f->torch) : NULL;
	if (o->promise)
		tp_idle_make(&f->idle, &f->graph,
		    tp_torch_promise_path(o->promise), NULL);
	emit_record_groups(o, groups);
	tp_torch_promise_free(o->promise);
	if (groups & TP_TORCH_EMIT_GAPS)
		tp_torch_emit_queues(o, &f->queues);
	if (options->runs && groups & TP_TORCH_EMIT_COMM)
		tp_torch_emit_runs(o);
	return 0;
}

/* The rank that identifies file I, or its index; -1 if it is the only file. */
static int64_t
rank_of(const struct tp_torch_capture *c, size_t i)
{
	int64_t rank = c->files[i]->torch.rank;

	return c->count < 2 ? -1 : rank < 0 ? (int64_t)i : rank;
}

/* Write the critical paths of what is in TIMELINE. */
static void
emit_path(struct tp_timeline *timeline, int64_t rank,
    const struct tp_torch_options *options, struct tp_out *out,
    const struct tp_path_rules *rules)
{
	const struct tp_path_options path = { .process_rank = rank,
	    .what_ifs = options->what_ifs, .pieces = options->pieces };
	struct tp_graph graph;

	tp_timeline_end(timeline);
	tp_graph_make(&graph, timeline, rules);
	tp_path_emit(&graph, &path, out);
	tp_graph_release(&graph);
}

/* Whether the files are of ranks that differ. */
static int
are_ranks(const struct tp_torch_capture *c)
{
	struct tp_ids ids = { 0 };
	int differ;

	for (size_t i = 0; i < c->count; i++)
		tp_ids_add(&ids, (uint64_t)rank_of(c, i), 0);
	differ = ids.count == c->count;
	tp_ids_release(&ids);
	return differ;
}

/*
 * Put all files into TIMELINE, on one clock if all count from an epoch.  0: no
 * collective is of several processes.
 */
static int
join(const struct tp_torch_capture *c, struct tp_timeline *tl,
    const struct tp_path_rules *rules)
{
	int64_t first = tp_torch_clock_base(&c->files[0]->torch), ns, ps;
	int are_near = 1;

	tl->has_epoch = 1;
	for (size_t i = 0; i < c->count; i++) {
		ns = tp_torch_clock_base(&c->files[i]->torch);
		tl->has_epoch &= ns > 0;
		are_near &= ns - first < CLOCKS_NS && first - ns < CLOCKS_NS;
	}
	if (tl->has_epoch && !are_near)
		return 0;
	for (size_t i = 0; i < c->count; i++) {
		struct tp_torch_file *f = c->files[i];

		ps = tl->has_epoch ? (tp_torch_clock_base(&f->torch) -
		    first) * 1000 + f->torch.base_ps % 1000 : 0;
		tp_torch_to_timeline(&f->torch, &f->waits, tl, c->count < 2 ?
		    f->torch.rank : rank_of(c, i), ps);
	}
	for (size_t i = 0; c->count == 1 && tl->process_count > 1 &&
	    i < tl->process_count; i++)
		tl->processes[i].rank = -1;
	tp_timeline_match(tl, rules);
	return tl->group_count > 0;
}

/* Write the critical paths of all files, as one run if they are. */
static void
emit_paths(struct tp_torch_capture *c, const struct tp_torch_options *options,
    struct tp_out *out, const struct tp_path_rules *rules)
{
	struct tp_timeline tl = { 0 };

	if (are_ranks(c) && (join(c, &tl, rules) || c->count == 1)) {
		emit_path(&tl, -1, options, out, rules);
		tp_timeline_release(&tl);
		return;
	}
	if (tl.collective_count)
		tp_out_note(out, "rank.unmatched", 0, tl.collective_count,
		    "collectives of the files do not match, so each file is "
		    "read alone: time of communication may be waiting");
	tp_timeline_release(&tl);
	for (size_t i = 0; i < c->count; i++) {
		struct tp_torch_file *f = c->files[i];

		tp_torch_to_timeline(&f->torch, &f->waits, &tl, -1, 0);
		emit_path(&tl, rank_of(c, i), options, out, rules);
		tp_timeline_release(&tl);
	}
}

static void
add_stacks(struct tp_folded *folded, struct tp_torch_file *f, int64_t rank,
    enum tp_torch_stacks basis, const struct tp_torch_options *options)
{
	uint32_t parent = TP_FOLDED_ROOT;
	char name[32];
	int len;

	if (rank >= 0) {
		len = snprintf(name, sizeof name, "rank %lld",
		    (long long)rank);
		parent = tp_folded_node(folded, parent, name, (size_t)len);
	}
	/* captured operators took no time on the host */
	if (basis == TP_TORCH_OF_GPU)
		tp_torch_graft(&f->torch, options->graphs, &f->grafted);
	tp_torch_analyse(&f->torch);
	if (basis == TP_TORCH_OF_HOST) {
		tp_torch_stacks_host(folded, parent, &f->torch);
		return;
	}
	make_pseudo(f, options);
	tp_torch_frames_make(&f->frames, &f->torch);
	tp_torch_stacks_gpu(folded, parent, &f->torch, &f->frames);
}

void
tp_torch_capture_folded(struct tp_torch_capture *c, enum tp_torch_stacks basis,
    const struct tp_torch_options *options, struct tp_out *out)
{
	struct tp_folded folded = { 0 };

	for (size_t i = 0; i < c->count; i++)
		add_stacks(&folded, c->files[i], rank_of(c, i), basis,
		    options);
	tp_folded_write(&folded, out);
	tp_folded_release(&folded);
}

int
tp_torch_capture_emit(struct tp_torch_capture *c,
    const struct tp_torch_options *options, unsigned groups,
    struct tp_out *out, struct tp_err *err)
{
	struct tp_torch_out o = { .out = out, .rank = -1 };
	struct tp_torch_models *models = NULL;
	struct tp_torch_analysers *analysers = NULL;
	struct tp_torch_kernel_types *types_of = NULL;
	struct tp_torch_categories categories = { 0 };
	struct tp_path_rules rules = { 0 };
	int rc = 0;

	if (groups & TP_TORCH_EMIT_OPS &&
	    (!(models = tp_torch_models_load(
	    &c->files[0]->torch.ops->operators, err)) ||
	    !(analysers = tp_torch_analysers_load(err)) ||
	    !(types_of = tp_torch_kernel_types_load(err))))
		rc = -1;
	if (!rc && groups & (TP_TORCH_EMIT_GAPS | TP_TORCH_EMIT_PATH))
		rc = tp_path_rules_load(&rules, err);
	if (!rc && (options->pixels || groups & (TP_TORCH_EMIT_OPS |
	    TP_TORCH_EMIT_GAPS | TP_TORCH_EMIT_PATH)))
		rc = tp_torch_categories_load(&categories, err);
	o.categories = &categories;
	o.models = models;
	o.analysers = analysers;
	o.types_of = types_of;
	for (size_t i = 0; !rc && i < c->count; i++) {
		struct tp_torch_file *f = c->files[i];

		o.rank = options->runs ? f->torch.rank : rank_of(c, i);
		rc = emit_file(f, &o, options, groups, &rules, err);
	}
	if (!rc && groups & TP_TORCH_EMIT_PATH)
		emit_paths(c, options, out, &rules);
	tp_torch_models_free(models);
	tp_torch_analysers_free(analysers);
	tp_torch_kernel_types_free(types_of);
	tp_torch_categories_release(&categories);
	tp_path_rules_release(&rules);
	return rc;
}
