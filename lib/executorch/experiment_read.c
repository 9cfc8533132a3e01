/* experiment_read - documents of a run folder */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tp/json.h>
#include <tp/lines.h>
#include <tp/unit.h>

#include "experiment_private.h"

const char *const tp_run_document_names[TP_RUN_DOCUMENTS] = {
	[TP_RUN_MANIFEST] = "manifest", [TP_RUN_SUMMARY] = "pipeline-summary",
	[TP_RUN_METRICS] = "metrics", [TP_RUN_CONFIG] = "config",
	[TP_RUN_LOG] = "runner-log",
};

/* Documents whose time of creation is that of the run, by precedence. */
static const enum tp_run_document time_order[] = { TP_RUN_MANIFEST,
    TP_RUN_SUMMARY, TP_RUN_METRICS };

static const cJSON *
list_of(const cJSON *doc, const char *key)
{
	const cJSON *list = tp_json_get(doc, key);

	return cJSON_IsArray(list) ? list : NULL;
}

/* The type of DOC, or TP_RUN_DOCUMENTS if it is none of a run. */
static enum tp_run_document
what(const cJSON *doc)
{
	const cJSON *runs = list_of(doc, "runs");

	if (list_of(doc, "results"))
		return tp_json_get(doc, "config") ||
		    tp_json_get(doc, "executorch") ? TP_RUN_MANIFEST :
		    TP_RUN_METRICS;
	if (list_of(doc, "experiments") && tp_json_get(doc, "model"))
		return TP_RUN_CONFIG;
	if (runs && (tp_json_get(doc, "output_root") ||
	    tp_json_get(runs->child, "experiment")))
		return TP_RUN_SUMMARY;
	return TP_RUN_DOCUMENTS;
}

static int64_t
whole(const cJSON *object, const char *key)
{
	double x;

	return tp_json_number(object, key, &x) && x >= 0 && x < 9e15 ?
	    (int64_t)x : -1;
}

/* KEY, in milliseconds, as ns; -1 if it is absent or out of range. */
static int64_t
time_of(const cJSON *object, const char *key)
{
	double ms;

	return tp_json_number(object, key, &ms) && ms >= 0 && ms < 9e9 ?
	    (int64_t)nearbyint(ms * 1e6) : -1;
}

static void
add_file(struct tp_experiments *e, const char *role, const char *name,
    const char *path, const char *other)
{
	struct tp_experiment_file *f;

	if (!path)
		return;
	for (size_t i = 0; i < e->file_count; i++)
		if (!strcmp(e->files[i].path, path))
			return;
	f = TP_PUSH(e->files, e->file_count, e->file_cap);
	f->role = tp_experiments_keep(e, role);
	f->name = tp_experiments_keep(e, name);
	f->path = tp_experiments_keep(e, path);
	f->other = tp_experiments_keep(e, other);
}

/*
 * Add the files that an entry names: {"etdump": "path"}, or in version 1
 * {"etdump": {"path": .., "relative_path": ..}}.
 */
static void
add_files(struct tp_experiments *e, const cJSON *files, const char *name)
{
	static const char *const numbers[] = { "robust_stats_path",
	    "etdump", "log" };
	const cJSON *i;
	int known;

	cJSON_ArrayForEach(i, files) {
		if (cJSON_IsObject(i)) {
			add_file(e, i->string, name, tp_json_text(i, "path"),
			    tp_json_text(i, "relative_path"));
			continue;
		}
		if (!cJSON_IsString(i) || !*i->valuestring)
			continue;
		/* among metrics only these three keys hold paths */
		known = !tp_json_get(files, "median_ms");
		for (size_t k = 0; !known && k < sizeof numbers /
		    sizeof *numbers; k++)
			known = !strcmp(i->string, numbers[k]);
		if (known)
			add_file(e, i->string, name, i->valuestring, NULL);
	}
}

static void
add_said(struct tp_experiments *e, const struct tp_experiment_said *said)
{
	struct tp_experiment_said *s;

	s = TP_PUSH(e->said, e->said_count, e->said_cap);
	*s = *said;
	s->name = tp_experiments_keep(e, said->name);
	s->mode = tp_experiments_keep(e, said->mode);
	s->state = tp_experiments_keep(e, said->state);
	s->runner = tp_experiments_keep(e, said->runner);
}

static int64_t
either(int64_t a, int64_t b)
{
	return a >= 0 ? a : b;
}

/*
 * Read the time of each run, "latency_ms" of METRICS, into S and skip damaged
 * values.
 */
static void
take_runs(struct tp_experiments *e, const cJSON *metrics,
    struct tp_experiment_said *s)
{
	const cJSON *list = list_of(metrics, "latency_ms"), *i;
	size_t n = 0;

	cJSON_ArrayForEach(i, list)
		n++;
	if (!n)
		return;
	s->run_ns = tp_arena_get(&e->arena, n * sizeof *s->run_ns);
	cJSON_ArrayForEach(i, list)
		if (cJSON_IsNumber(i) && i->valuedouble >= 0 &&
		    i->valuedouble < 9e9)
			s->run_ns[s->run_ns_count++] =
			    (int64_t)nearbyint(i->valuedouble * 1e6);
}

/* Add an entry of "results" or "runs"; entries without a name are skipped. */
static void
take_entry(struct tp_experiments *e, enum tp_run_document by,
    const char *model, const cJSON *entry)
{
	const cJSON *metrics = tp_json_get(entry, "metrics");
	struct tp_experiment_said s = {
		.by = by,
		.model = model,
		.name = tp_json_text(entry, "experiment"),
		.mode = tp_json_text(entry, "mode"),
		.state = tp_json_text(entry, "status"),
		.threads = either(whole(entry, "threads"),
		    whole(metrics, "threads")),
		.runs = either(whole(entry, "runs"), whole(metrics, "runs")),
		.warmup = whole(entry, "warmup"),
		.median_ns = time_of(metrics, "median_ms"),
		.mean_ns = time_of(metrics, "mean_ms"),
	};

	if (!s.name)
		return;
	take_runs(e, metrics, &s);
	add_said(e, &s);
	add_files(e, tp_json_get(entry, "paths"), s.name);
	add_files(e, tp_json_get(entry, "artifacts"), s.name);
	if (cJSON_IsObject(metrics))
		add_files(e, metrics, s.name);
}

/* Add an experiment of the configuration, once per thread count. */
static void
take_plan(struct tp_experiments *e, const cJSON *plan)
{
	const char *runner = tp_json_text(plan, "runner_path");
	const cJSON *threads = list_of(plan, "threads"), *i;
	struct tp_experiment_said s = {
		.by = TP_RUN_CONFIG,
		.name = tp_json_text(plan, "name"),
		.mode = tp_json_text(plan, "mode"),
		.runner = runner ? runner :
		    tp_json_text(plan, "quiet_runner"),
		.threads = whole(plan, "threads"),
		.runs = whole(plan, "runs"),
		.warmup = whole(plan, "warmup"),
		.median_ns = -1, .mean_ns = -1,
	};

	if (!s.name)
		return;
	add_file(e, "runner", s.name, s.runner, NULL);
	if (!threads || !threads->child)
		add_said(e, &s);
	cJSON_ArrayForEach(i, threads) {
		s.threads = cJSON_IsNumber(i) && i->valuedouble >= 0 &&
		    i->valuedouble < 1e6 ? (int64_t)i->valuedouble : -1;
		add_said(e, &s);
	}
}

static void
take_wish(struct tp_experiments *e, const cJSON *wish)
{
	static const char *const sides[2] = { "baseline", "candidate" };
	struct tp_experiment_wish w;
	const cJSON *side;

	for (int i = 0; i < 2; i++) {
		side = tp_json_get(wish, sides[i]);
		w.name[i] = tp_json_text(side, "experiment");
		w.threads[i] = whole(side, "threads");
		if (!w.name[i])
			return;
		w.name[i] = tp_experiments_keep(e, w.name[i]);
	}
	TP_APPEND(e->wishes, e->wish_count, e->wish_cap, w);
}

static void
take_entries(struct tp_experiments *e, enum tp_run_document by,
    const cJSON *doc)
{
	static const char *const lists[] = { "results", "runs" };
	const char *path = tp_json_text(doc, "model"), *model = NULL;
	const cJSON *i;
	size_t len;

	if (path) {
		path = tp_experiment_base(path, &len);
		model = tp_arena_text(&e->arena, path, len);
	}
	for (size_t k = 0; k < 2; k++)
		cJSON_ArrayForEach(i, list_of(doc, lists[k]))
			take_entry(e, by, model, i);
	cJSON_ArrayForEach(i, list_of(doc, "experiments"))
		take_plan(e, i);
	cJSON_ArrayForEach(i, list_of(tp_json_get(doc, "analysis"),
	    "compare_pairs"))
		take_wish(e, i);
}

static void
fill(struct tp_experiments *e, const char **at, const char *text)
{
	if (!*at)
		*at = tp_experiments_keep(e, text);
}

static int
truth(const cJSON *object, const char *key, int otherwise)
{
	const cJSON *i = tp_json_get(object, key);

	return cJSON_IsBool(i) ? cJSON_IsTrue(i) : otherwise;
}

static void
take_head(struct tp_experiments *e, const cJSON *doc)
{
	const cJSON *torch = tp_json_get(doc, "executorch");

	fill(e, &e->model, tp_json_text(doc, "model"));
	fill(e, &e->config, tp_json_text(doc, "config"));
	fill(e, &e->output_root, tp_json_text(doc, "output_root"));
	fill(e, &e->sha, tp_json_text(torch, "actual_sha"));
	fill(e, &e->sha, tp_json_text(torch, "sha"));
	fill(e, &e->expected_sha, tp_json_text(torch, "expected_sha"));
	e->dirty = truth(torch, "dirty", e->dirty);
	e->present = truth(torch, "present", e->present);
}

static void
choose_time(struct tp_experiments *e)
{
	const struct tp_experiment_document *d;

	for (size_t i = sizeof time_order / sizeof *time_order; i--; ) {
		d = e->documents[time_order[i]];
		if (!d || !d->generated_at)
			continue;
		e->generated_at = d->generated_at;
		e->generated_by = tp_run_document_names[time_order[i]];
	}
}

/* Remember document DOC, the first of each type. */
static void
keep_document(struct tp_experiments *e, enum tp_run_document by,
    const char *file, const cJSON *doc)
{
	struct tp_experiment_document *d = tp_arena_get(&e->arena, sizeof *d);

	d->file = tp_experiments_keep(e, file);
	d->generated_at =
	    tp_experiments_keep(e, tp_json_text(doc, "generated_at"));
	d->version = either(whole(doc, "schema_version"), 0);
	e->documents[by] = d;
}

int
tp_experiments_document(struct tp_experiments *e, const cJSON *doc,
    const char *file)
{
	enum tp_run_document by = what(doc);

	/* a folder may hold several models, each with a summary */
	if (by == TP_RUN_DOCUMENTS ||
	    (by != TP_RUN_SUMMARY && e->documents[by]))
		return 0;
	take_head(e, doc);
	if (!e->documents[by])
		keep_document(e, by, file, doc);
	take_entries(e, by, doc);
	add_file(e, "model", NULL, tp_json_text(doc, "model"), NULL);
	add_file(e, "config", NULL, tp_json_text(doc, "config"), NULL);
	choose_time(e);
	return 1;
}

/*
 * Parse "... executed successfully 10 time(s) in 367.2 ms." Returns 1 if LINE
 * has this form.
 */
static int
take_line(const char *line, size_t len, int64_t *runs, int64_t *sum_ns)
{
	static const char words[] = "executed successfully ";
	const size_t n = sizeof words - 1;
	char copy[160], *p, *end;
	size_t size;

	for (; len > n && memcmp(line, words, n); line++, len--)
		continue;
	if (len <= n || len - n >= sizeof copy)
		return 0;
	memcpy(copy, line + n, len - n);
	copy[len - n] = '\0';
	*runs = strtoll(copy, &end, 10);
	p = strstr(end, " in ");
	if (end == copy || *runs <= 0 || !p)
		return 0;
	p += 4;
	size = strcspn(p, " ");
	size += p[size] == ' ' ? 1 + strcspn(p + size + 1, " .") : 0;
	return !tp_unit_parse(TP_DIM_TIME, p, size, sum_ns) && *sum_ns >= 0;
}

int
tp_experiments_log(struct tp_experiments *e, struct tp_in *in,
    const char *file, struct tp_err *err)
{
	struct tp_experiment_said s = { .by = TP_RUN_LOG, .threads = -1,
	    .warmup = -1, .median_ns = -1, .mean_ns = -1 };
	struct tp_lines lines;
	int64_t runs, sum_ns, all_runs = 0, all_ns = 0;
	const char *line, *base;
	size_t len;
	int rc;

	tp_lines_init(&lines, in);
	while ((rc = tp_lines_next(&lines, &line, &len, err)) > 0)
		if (take_line(line, len, &runs, &sum_ns) &&
		    all_runs < INT64_MAX / 2 - runs &&
		    all_ns < INT64_MAX / 2 - sum_ns) {
			all_runs += runs;
			all_ns += sum_ns;
		}
	tp_lines_release(&lines);
	if (rc < 0)
		return -1;
	if (!all_runs)
		return 0;
	base = tp_experiment_base(file, &len);
	s.name = tp_arena_text(&e->arena, base, len);
	s.runs = all_runs;
	s.mean_ns = (all_ns + all_runs / 2) / all_runs;
	add_said(e, &s);
	return 1;
}
