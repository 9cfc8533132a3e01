/* bench - latency, spread and comparisons of benchmark documents */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/json.h>
#include <tp/metal/bench.h>
#include <tp/order.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "stat.h"

#define NS_PER_S INT64_C(1000000000)

/* Copy of text KEY of OBJECT; NULL when absent, not text or empty. */
static const char *
text_of(struct tp_bench *bench, const cJSON *object, const char *key)
{
	const char *text = tp_json_text(object, key);

	return text ? tp_arena_text(&bench->arena, text, strlen(text)) : NULL;
}

/*
 * Number KEY of OBJECT times SCALE, rounded once.  Uses the shortest decimal
 * that reads back as the same double, which is what the file had, so that half
 * a nanosecond stays a half.
 */
static struct tp_bench_int
int_of(const cJSON *object, const char *key, int64_t scale)
{
	struct tp_bench_int value = { 0, 0 };
	struct tp_buf digits = { 0 };
	double x;

	if (!tp_json_number(object, key, &x) ||
	    (scale == 1 && x != floor(x)))
		return value;	/* counts are whole */
	tp_json_real(&digits, x);
	value.known = !tp_unit_decimal(digits.p, digits.len, scale,
	    &value.n) && value.n >= 0;
	tp_buf_release(&digits);
	return value;
}

static struct tp_bench_real
real_of(const cJSON *object, const char *key)
{
	struct tp_bench_real value = { 0, 0 };

	value.known = tp_json_number(object, key, &value.x) && value.x >= 0;
	return value;
}

static void
add_run(struct tp_bench *bench, const cJSON *c, size_t file, size_t *skipped)
{
	const cJSON *latency, *peak;
	struct tp_bench_run run;

	memset(&run, 0, sizeof run);
	latency = tp_json_get(c, "latency");
	run.mean_ns = int_of(latency, "mean_s", NS_PER_S);
	if (!run.mean_ns.known) {
		++*skipped;
		return;
	}
	peak = tp_json_get(c, "peak_memory_mb");
	run.file = file;
	run.model = text_of(bench, c, "model");
	run.steps = int_of(c, "steps", 1);
	run.n_images = int_of(c, "n_images", 1);
	run.image_size = int_of(c, "image_size", 1);
	run.repeats = int_of(c, "repeats", 1);
	run.warmup = int_of(c, "warmup", 1);
	run.std_ns = int_of(latency, "std_s", NS_PER_S);
	run.p50_ns = int_of(latency, "p50_s", NS_PER_S);
	run.p90_ns = int_of(latency, "p90_s", NS_PER_S);
	run.min_ns = int_of(latency, "min_s", NS_PER_S);
	run.max_ns = int_of(latency, "max_s", NS_PER_S);
	run.images_per_s = real_of(latency, "images_per_second");
	run.prompt_tokens = int_of(c, "prompt_tokens", 1);
	run.tokens = int_of(c, "generation_tokens", 1);
	run.tokens_per_s = real_of(latency, "tokens_per_second");
	if (!run.tokens_per_s.known && run.tokens.known && run.mean_ns.n)
		run.tokens_per_s = (struct tp_bench_real){ 1,
		    (double)run.tokens.n * 1e9 / (double)run.mean_ns.n };
	run.peak_mean_mb = real_of(peak, "mean");
	run.peak_max_mb = real_of(peak, "max");
	run.peak_min_mb = real_of(peak, "min");
	TP_APPEND(bench->runs, bench->run_count, bench->run_cap, run);
	bench->files[file].run_count++;
}

/* Whether RUNS is a list that is empty or has a latency. */
static int
is_benchmark(const cJSON *runs)
{
	const cJSON *c;

	if (!cJSON_IsArray(runs))
		return 0;
	cJSON_ArrayForEach(c, runs)
		if (cJSON_IsObject(tp_json_get(c, "latency")))
			return 1;
	return !cJSON_GetArraySize(runs);
}

static void
add_file(struct tp_bench *bench, const cJSON *doc, const char *file)
{
	struct tp_bench_file *f;
	struct tp_buf home = { 0 };
	const char *dir, *slash = strrchr(file, '/');

	if (slash)
		file = slash + 1;
	tp_grow(&bench->files, &bench->file_cap, bench->file_count + 1,
	    sizeof *f);
	f = &bench->files[bench->file_count];
	memset(f, 0, sizeof *f);
	f->file = tp_arena_text(&bench->arena, file, strlen(file));
	f->tag = text_of(bench, doc, "tag");
	f->hardware_note = text_of(bench, doc, "hardware_note");
	f->timestamp = real_of(doc, "timestamp");
	dir = text_of(bench, doc, "models_dir");
	if (dir) {
		tp_home_path(&home, dir);
		f->models_dir = tp_arena_text(&bench->arena, home.p, home.len);
	}
	tp_buf_release(&home);
	bench->file_count++;
}

int
tp_bench_add(struct tp_bench *bench, const struct cJSON *doc,
    const char *file, size_t *skipped, struct tp_err *err)
{
	const cJSON *runs = tp_json_get(doc, "runs"), *c;

	*skipped = 0;
	if (!cJSON_IsObject(doc) || !is_benchmark(runs)) {
		tp_fail(err, TP_BAD, "bench.unknown", 0, "not a benchmark "
		    "document: no \"runs\" list whose items have a "
		    "\"latency\"");
		err->fatal = 1;
		return -1;
	}
	add_file(bench, doc, file);
	cJSON_ArrayForEach(c, runs)
		add_run(bench, c, bench->file_count - 1, skipped);
	return 0;
}

static void
put_int(struct tp_out *out, const char *key, struct tp_bench_int value)
{
	if (value.known)
		tp_out_int(out, key, value.n);
}

static void
put_real(struct tp_out *out, const char *key, struct tp_bench_real value)
{
	if (value.known)
		tp_out_real(out, key, value.x);
}

/* Newest first. */
static int
by_time(const void *left, const void *right)
{
	const struct tp_bench_file *a = *(const struct tp_bench_file *const *)
	    left, *b = *(const struct tp_bench_file *const *)right;
	double at = a->timestamp.known ? a->timestamp.x : -1;
	double bt = b->timestamp.known ? b->timestamp.x : -1;
	int names;

	if (at != bt)
		return at > bt ? -1 : 1;
	names = strcmp(b->file, a->file);
	return names ? names : (a < b) - (a > b);
}

/* Output state: files newest first, with their runs. */
struct emit {
	const struct tp_bench *bench;
	const struct tp_bench_file **files;
	const struct tp_bench_run **runs;
	size_t latest_count;	/* runs of the newest file */
	struct tp_out *out;
};

static const struct tp_bench_file *
file_of(const struct emit *e, const struct tp_bench_run *run)
{
	return &e->bench->files[run->file];
}

static const char *
order_of(const struct emit *e, const struct tp_bench_file *file)
{
	return file == e->files[0] ? "latest" : "earlier";
}

static void
emit_file(const struct emit *e, const struct tp_bench_file *f)
{
	tp_out_begin(e->out, "bench.file");
	tp_out_text(e->out, "order", order_of(e, f));
	tp_out_text(e->out, "file", f->file);
	tp_out_text(e->out, "tag", f->tag);
	if (f->timestamp.known)
		tp_out_date(e->out, "recorded_at", f->timestamp.x);
	tp_out_text(e->out, "hardware_note", f->hardware_note);
	tp_out_text(e->out, "models_dir", f->models_dir);
	tp_out_int(e->out, "run_count", (int64_t)f->run_count);
	tp_out_end(e->out);
}

static void
emit_run(const struct emit *e, const struct tp_bench_run *r, size_t rank)
{
	struct tp_out *out = e->out;

	tp_out_begin(out, "bench.run");
	tp_out_text(out, "order", order_of(e, file_of(e, r)));
	tp_out_int(out, "rank", (int64_t)rank);
	tp_out_text(out, "file", file_of(e, r)->file);
	tp_out_text(out, "tag", file_of(e, r)->tag);
	tp_out_text(out, "model", r->model);
	put_int(out, "steps", r->steps);
	put_int(out, "n_images", r->n_images);
	put_int(out, "image_size", r->image_size);
	put_int(out, "repeats", r->repeats);
	put_int(out, "warmup", r->warmup);
	put_int(out, "latency_mean_ns", r->mean_ns);
	put_int(out, "latency_std_ns", r->std_ns);
	put_int(out, "latency_p50_ns", r->p50_ns);
	put_int(out, "latency_p90_ns", r->p90_ns);
	put_int(out, "latency_min_ns", r->min_ns);
	put_int(out, "latency_max_ns", r->max_ns);
	if (r->steps.known && r->steps.n)
		tp_out_int(out, "latency_per_step_ns",
		    tp_div_even(r->mean_ns.n, r->steps.n));
	put_real(out, "images_per_s", r->images_per_s);
	put_int(out, "prompt_token_count", r->prompt_tokens);
	put_int(out, "token_count", r->tokens);
	put_real(out, "tokens_per_s", r->tokens_per_s);
	if (r->std_ns.known)
		tp_out_ratio(out, "spread_ratio", r->std_ns.n, r->mean_ns.n);
	if (r->max_ns.known && r->min_ns.known)
		tp_out_ratio(out, "range_factor", r->max_ns.n, r->min_ns.n);
	put_real(out, "peak_memory_mean_mb", r->peak_mean_mb);
	put_real(out, "peak_memory_max_mb", r->peak_max_mb);
	put_real(out, "peak_memory_min_mb", r->peak_min_mb);
	tp_out_end(out);
}

static int
same(struct tp_bench_int a, struct tp_bench_int b)
{
	return a.known == b.known && (!a.known || a.n == b.n);
}

/* A run without a model never matches another. */
static int
models_differ(const struct tp_bench_run *a, const struct tp_bench_run *b)
{
	return !a->model || !b->model || strcmp(a->model, b->model);
}

static int
is_pair(const struct tp_bench_run *a, const struct tp_bench_run *b)
{
	return a->file == b->file && a->model && b->model &&
	    strcmp(a->model, b->model) && same(a->steps, b->steps) &&
	    same(a->n_images, b->n_images) && same(a->tokens, b->tokens) &&
	    same(a->image_size, b->image_size);
}

static void
emit_pair(const struct emit *e, const struct tp_bench_run *a,
    const struct tp_bench_run *b)
{
	const struct tp_bench_run *fast = a, *slow = b;

	if (b->mean_ns.n < a->mean_ns.n) {
		fast = b;
		slow = a;
	}
	tp_out_begin(e->out, "bench.pair");
	tp_out_text(e->out, "order", order_of(e, file_of(e, a)));
	tp_out_text(e->out, "file", file_of(e, a)->file);
	tp_out_text(e->out, "model_fast", fast->model);
	tp_out_text(e->out, "model_slow", slow->model);
	put_int(e->out, "steps", a->steps);
	put_int(e->out, "image_size", a->image_size);
	put_int(e->out, "latency_fast_ns", fast->mean_ns);
	put_int(e->out, "latency_slow_ns", slow->mean_ns);
	tp_out_ratio(e->out, "latency_factor", slow->mean_ns.n,
	    fast->mean_ns.n);
	tp_out_end(e->out);
}

/*
 * Write that two models swapped ranks between two files: A and B of one
 * file, C (the model of A) and D (of B) of another.
 */
static void
emit_reversal(const struct emit *e, const struct tp_bench_run *a,
    const struct tp_bench_run *b, const struct tp_bench_run *c,
    const struct tp_bench_run *d)
{
	tp_out_begin(e->out, "bench.reversal");
	tp_out_text(e->out, "model_fast", a->model);
	tp_out_text(e->out, "model_slow", b->model);
	tp_out_text(e->out, "file", file_of(e, a)->file);
	put_int(e->out, "steps", a->steps);
	tp_out_ratio(e->out, "latency_factor", b->mean_ns.n, a->mean_ns.n);
	tp_out_text(e->out, "file_earlier", file_of(e, c)->file);
	put_int(e->out, "steps_earlier", c->steps);
	tp_out_ratio(e->out, "latency_earlier_factor", c->mean_ns.n,
	    d->mean_ns.n);
	tp_out_end(e->out);
}

static void
emit_pairs(const struct emit *e, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			if (is_pair(e->runs[i], e->runs[k]))
				emit_pair(e, e->runs[i], e->runs[k]);
}

/* A is the faster, B the slower of a pair in the newest file. */
static void
find_reversals(const struct emit *e, size_t count,
    const struct tp_bench_run *a, const struct tp_bench_run *b)
{
	const struct tp_bench_run *c, *d;

	for (size_t i = e->latest_count; i < count; i++)
		for (size_t k = e->latest_count; k < count; k++) {
			c = e->runs[i];
			d = e->runs[k];
			if (is_pair(c, d) && !models_differ(a, c) &&
			    !models_differ(b, d) &&
			    c->mean_ns.n > d->mean_ns.n)
				emit_reversal(e, a, b, c, d);
		}
}

static void
emit_reversals(const struct emit *e, size_t count)
{
	for (size_t i = 0; i < e->latest_count; i++)
		for (size_t k = 0; k < e->latest_count; k++)
			if (is_pair(e->runs[i], e->runs[k]) &&
			    e->runs[i]->mean_ns.n < e->runs[k]->mean_ns.n)
				find_reversals(e, count, e->runs[i],
				    e->runs[k]);
}

/* Run A of an earlier file and run B of the newest, doing the same work. */
struct drift {
	const struct tp_bench_run *a, *b;
	double per_step;	/* latency per step, b / a */
	size_t order;
};

/* Largest decrease per step first. */
TP_ORDER(by_fall, struct drift, TP_UP(per_step) TP_UP(order))

static void
emit_drift(const struct emit *e, const struct drift *d)
{
	const struct tp_bench_run *a = d->a, *b = d->b;
	struct tp_out *out = e->out;

	tp_out_begin(out, "bench.drift");
	tp_out_text(out, "model", b->model);
	tp_out_text(out, "file_a", file_of(e, a)->file);
	tp_out_text(out, "file_b", file_of(e, b)->file);
	put_int(out, "steps_a", a->steps);
	put_int(out, "steps_b", b->steps);
	tp_out_ratio(out, "steps_factor", b->steps.n, a->steps.n);
	put_int(out, "latency_a_ns", a->mean_ns);
	put_int(out, "latency_b_ns", b->mean_ns);
	tp_out_ratio(out, "latency_factor", b->mean_ns.n, a->mean_ns.n);
	tp_out_ratio(out, "speedup_factor", a->mean_ns.n, b->mean_ns.n);
	tp_out_real(out, "per_step_factor", d->per_step);
	tp_out_end(out);
}

static int
is_drift(const struct tp_bench_run *a, const struct tp_bench_run *b)
{
	return !models_differ(a, b) && same(a->image_size, b->image_size) &&
	    same(a->n_images, b->n_images) && a->steps.known && a->steps.n &&
	    b->steps.known && b->steps.n && a->mean_ns.n && b->mean_ns.n;
}

static void
emit_drifts(const struct emit *e, size_t count)
{
	struct drift *drifts = NULL, *d;
	size_t n = 0, cap = 0;

	for (size_t i = e->latest_count; i < count; i++)
		for (size_t k = 0; k < e->latest_count; k++) {
			if (!is_drift(e->runs[i], e->runs[k]))
				continue;
			tp_grow(&drifts, &cap, n + 1, sizeof *d);
			d = &drifts[n];
			d->order = n++;
			d->a = e->runs[i];
			d->b = e->runs[k];
			d->per_step = (double)d->b->mean_ns.n /
			    (double)d->b->steps.n /
			    ((double)d->a->mean_ns.n /
			    (double)d->a->steps.n);
		}
	TP_SORT(drifts, n, by_fall);
	for (size_t i = 0; i < n; i++)
		emit_drift(e, &drifts[i]);
	tp_free(drifts);
}

static double
spread_of(const struct tp_bench_run *run)
{
	return run->std_ns.known && run->mean_ns.n ?
	    (double)run->std_ns.n / (double)run->mean_ns.n : -1;
}

static void
emit_summary(const struct emit *e, size_t count)
{
	const struct tp_bench_run *worst = NULL, *r;
	double least = -1, x;
	struct tp_out *out = e->out;

	for (size_t i = 0; i < count; i++) {
		r = e->runs[i];
		x = spread_of(r);
		if (x < 0)
			continue;
		if (least < 0 || x < least)
			least = x;
		if (!worst || x > spread_of(worst))
			worst = r;
	}
	tp_out_begin(out, "bench.summary");
	tp_out_int(out, "file_count", (int64_t)e->bench->file_count);
	tp_out_int(out, "run_count", (int64_t)count);
	if (worst) {
		tp_out_real(out, "spread_min_ratio", least);
		tp_out_real(out, "spread_max_ratio", spread_of(worst));
		tp_out_text(out, "spread_max_model", worst->model);
		tp_out_text(out, "spread_max_file", file_of(e, worst)->file);
		put_int(out, "spread_max_mean_ns", worst->mean_ns);
		put_int(out, "spread_max_std_ns", worst->std_ns);
		put_int(out, "spread_max_low_ns", worst->min_ns);
		put_int(out, "spread_max_high_ns", worst->max_ns);
		put_int(out, "spread_max_repeats", worst->repeats);
	}
	tp_out_end(out);
}

/* Sort the files of E; runs of a file keep their order. */
static size_t
arrange(struct emit *e)
{
	const struct tp_bench *bench = e->bench;
	size_t n = 0, first;

	for (size_t i = 0; i < bench->file_count; i++)
		e->files[i] = &bench->files[i];
	TP_SORT(e->files, bench->file_count, by_time);
	first = (size_t)(e->files[0] - bench->files);
	for (size_t i = 0; i < bench->file_count; i++)
		for (size_t k = 0; k < bench->run_count; k++)
			if (&bench->files[bench->runs[k].file] == e->files[i])
				e->runs[n++] = &bench->runs[k];
	e->latest_count = bench->files[first].run_count;
	return n;
}

static void
emit_all(struct emit *e)
{
	size_t count = arrange(e), rank = 0;

	for (size_t i = 0; i < e->bench->file_count; i++)
		emit_file(e, e->files[i]);
	for (size_t i = 0; i < count; i++) {
		rank = i && e->runs[i]->file == e->runs[i - 1]->file ?
		    rank + 1 : 1;
		emit_run(e, e->runs[i], rank);
	}
	emit_summary(e, count);
	if (count <= TP_BENCH_PAIRED) {
		emit_pairs(e, count);
		emit_reversals(e, count);
	} else {
		tp_out_note(e->out, "bench.large", 0, count, "%zu runs are "
		    "too many to compare each with each other: no pairs of "
		    "models", count);
	}
	emit_drifts(e, count);
}

void
tp_bench_emit(struct tp_bench *bench, struct tp_out *out)
{
	struct emit e = { .bench = bench, .out = out };

	if (!bench->file_count)
		return;
	e.files = tp_alloc(bench->file_count * sizeof *e.files);
	e.runs = tp_alloc((bench->run_count + 1) * sizeof *e.runs);
	emit_all(&e);
	tp_free(e.files);
	tp_free(e.runs);
}

void
tp_bench_release(struct tp_bench *bench)
{
	tp_free(bench->files);
	tp_free(bench->runs);
	tp_arena_release(&bench->arena);
	memset(bench, 0, sizeof *bench);
}
