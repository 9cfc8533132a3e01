/* fusion - did compiling fuse the kernels */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/judge/fusion.h>
#include <tp/text.h>

#include "compare_private.h"
#include "stat.h"

/* First record named by SELECTOR, of trace SRC when that is not NULL. */
static const struct tp_rec *
first(const struct tp_set *set, const char *selector, const char *src)
{
	const struct tp_rec *rec;

	for (size_t at = 0; (rec = tp_set_next(set, selector,
	    strlen(selector), &at)); )
		if (!src || !strcmp(rec->src, src))
			return rec;
	return NULL;
}

static size_t
count_of(const struct tp_set *set, const char *selector)
{
	size_t n = 0, at = 0;

	while (tp_set_next(set, selector, strlen(selector), &at))
		n++;
	return n;
}

static void
know(struct tp_known *k, const struct tp_rec *rec, const char *key)
{
	k->is = rec && tp_rec_int(rec, key, &k->n) && k->n >= 0;
}

/* The times of the steps after warm-up. */
static int
take_walls(struct tp_fusion_side *s, const struct tp_set *set)
{
	static const char selector[] = "step[target]";
	const struct tp_field *warm;
	const struct tp_rec *rec;
	double wall;

	for (size_t at = 0; (rec = tp_set_next(set, selector,
	    sizeof selector - 1, &at)); ) {
		warm = tp_rec_field(rec, "is_warmup");
		if (strcmp(rec->src, s->src) || (warm && warm->n) ||
		    !tp_rec_real(rec, "wall_ns", &wall))
			continue;
		if (tp_grow(&s->walls, &s->wall_cap, s->wall_count + 1,
		    sizeof wall) < 0)
			return -1;
		s->walls[s->wall_count++] = wall;
	}
	return 0;
}

/* 1; 0: SET has no GPU work of a target; -1 without memory. */
static int
read_side(struct tp_fusion_side *s, const struct tp_set *set)
{
	const struct tp_rec *gpu, *steps, *labels;
	int64_t count;

	gpu = first(set, "gpu.summary[target]", NULL);
	if (!gpu || !tp_rec_int(gpu, "rows", &count) || count <= 0)
		return 0;
	s->src = gpu->src;
	s->traces = count_of(set, "gpu.summary[target]");
	know(&s->duration, gpu, "duration_p50_ns");
	know(&s->gap, gpu, "gap_p50_ns");
	steps = first(set, "step.summary[target]", s->src);
	if (steps && tp_rec_int(steps, "used_step_count", &count) &&
	    count > 0)
		s->steps = count;
	s->method = steps ? tp_rec_text(steps, "method") : NULL;
	labels = first(set, "label.summary[target]", s->src);
	if (!labels || !tp_rec_int(labels, "named_label_count",
	    &s->named_labels))
		s->named_labels = 0;
	return take_walls(s, set) < 0 ? -1 : 1;
}

static void
read_numbers(struct tp_fusion_side *s, const struct tp_set *set, int by_step)
{
	const struct tp_rec *rec = first(set, by_step ?
	    "step.summary[target]" : "gpu.summary[target]", s->src);

	know(&s->busy, rec, by_step ? "busy_p50_ns" : "busy_ns");
	know(&s->wall, rec, by_step ? "wall_p50_ns" : "span_ns");
	know(&s->intervals, rec, by_step ? "interval_count_p50" : "rows");
	if (by_step)
		know(&s->buffers, rec, "command_buffer_count_p50");
	else
		know(&s->buffers, first(set, "cmdbuf.summary[target]",
		    s->src), "count");
}

/* After over before; NaN when unknown. */
static double
factor(const struct tp_known *before, const struct tp_known *after)
{
	if (!before->is || !after->is || before->n <= 0)
		return NAN;
	return (double)after->n / (double)before->n;
}

/* Whether both first records of KIND have KEY and differ in it. */
static int
differ(const struct tp_set sets[], const char *kind, const char *key)
{
	const struct tp_field *f[TP_SIDES];
	const struct tp_rec *rec;

	for (int i = 0; i < TP_SIDES; i++) {
		rec = first(&sets[i], kind, NULL);
		f[i] = rec ? tp_rec_field(rec, key) : NULL;
		if (!f[i])
			return 0;
	}
	return strcmp(f[TP_BEFORE]->text, f[TP_AFTER]->text) != 0;
}

/* Why the times of both cannot be compared, or NULL. */
static const char *
refusal(const struct tp_fusion *f, const struct tp_set sets[])
{
	static const char *const parameters[] = { "model", "steps",
	    "n_images", "image_size" };
	const struct tp_fusion_side *b = &f->side[TP_BEFORE];
	const struct tp_fusion_side *a = &f->side[TP_AFTER];

	if (b->traces > 1 || a->traces > 1)
		return "several-traces";
	if (differ(sets, "trace.info", "device_model"))
		return "device";
	for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
		if (differ(sets, "bench.run", parameters[i]))
			return "parameters";
	if (!f->by_step)
		return "no-steps";
	if (b->method && a->method && strcmp(b->method, a->method))
		return "step-method";
	return NULL;
}

/* The rows of both sides under labels that there were before; whether they
 * can be told, -1 without memory. */
static int
labels_left(struct tp_fusion *f, const struct tp_set sets[])
{
	struct tp_names names = { 0 };
	double rows[TP_SIDES] = { 0 }, n;
	const struct tp_rec *rec;
	const char *name;
	int rc = 0;

	for (int i = 0; i < TP_SIDES; i++) {
		const struct tp_field *cut;

		if (f->side[i].named_labels < 2)
			return 0;
		rec = first(&sets[i], "label.summary[target]",
		    f->side[i].src);
		cut = rec ? tp_rec_field(rec, "is_cut") : NULL;
		if (!cut || cut->n)
			return 0;
	}
	for (int i = 0; i < TP_SIDES && !rc; i++)
		for (size_t at = 0; !rc && (rec = tp_set_next(&sets[i],
		    "label[target]", strlen("label[target]"), &at)); ) {
			name = tp_rec_text(rec, "label");
			if (!name || strcmp(rec->src, f->side[i].src) ||
			    !tp_rec_real(rec, "rows", &n) ||
			    (i == TP_AFTER && tp_names_find(&names, name,
			    strlen(name)) < 0))
				continue;
			rows[i] += n;
			if (i == TP_BEFORE && tp_names_add(&names, name,
			    strlen(name)) < 0)
				rc = -1;
		}
	tp_names_release(&names);
	if (rc || !(rows[TP_BEFORE] > 0))
		return rc;
	f->has_labels_left = 1;
	f->labels_left = rows[TP_AFTER] / rows[TP_BEFORE];
	return 1;
}

static void
decide(struct tp_fusion *f, const char *verdict, const char *rests_on)
{
	f->verdict = verdict;
	f->rests_on = rests_on;
}

/* Whether the intervals of S are kernels, as far as the trace shows: short, and
 * several in a command buffer.  MLX has one to a buffer, of many operations. */
static int
are_kernels(const struct tp_fusion_side *s, const struct tp_compare_rules *r)
{
	return s->duration.is && s->intervals.is && s->buffers.is &&
	    (double)s->duration.n < tp_compare_fusion(r, "kernel_ns") &&
	    s->intervals.n > s->buffers.n;
}

/* Fewer intervals are left, LEFT of them, and BUSY of the GPU time. */
static void
judge_fewer(struct tp_fusion *f, const struct tp_compare_rules *r,
    double left, double busy)
{
	const struct tp_fusion_side *b = &f->side[TP_BEFORE];
	double same = tp_compare_fusion(r, "same_busy");
	double few = tp_compare_fusion(r, "few");
	int by_labels = f->has_labels_left &&
	    f->labels_left < tp_compare_fusion(r, "labels_left");
	int is_short = b->duration.is &&
	    (double)b->duration.n < tp_compare_fusion(r, "kernel_ns");

	if (busy > 1 + same)
		decide(f, "fewer-slower", "fewer-intervals-more-busy");
	else if (busy >= 1 - same)
		decide(f, "batched", "fewer-intervals-as-busy");
	else if (by_labels || are_kernels(b, r) || (is_short && left > few))
		decide(f, left <= few ? "fused" : "partly-fused", by_labels ?
		    "labels-gone" : "fewer-intervals-less-busy");
	else if (left > few && (double)b->intervals.n <
	    tp_compare_fusion(r, "countable"))
		decide(f, "faster-inside", "intervals-of-many");
	else
		decide(f, "less-work", "intervals-of-many");
}

/* Two programs that did the same steps. */
static void
judge_steps(struct tp_fusion *f, const struct tp_compare_rules *r,
    double left, double busy)
{
	double same = tp_compare_fusion(r, "same_busy");
	double fewer = tp_compare_fusion(r, "fewer");

	if (isnan(busy))
		decide(f, "undecided", "intervals-unknown");
	else if (f->has_labels_left && f->labels_left >=
	    tp_compare_fusion(r, "labels_left") && left <= fewer)
		decide(f, "not-fused", "labels-left");
	else if (left <= fewer)
		judge_fewer(f, r, left, busy);
	else if (left * fewer >= 1)
		decide(f, "not-fused", "more-intervals");
	else if (busy >= 1 - same)
		decide(f, "not-fused", "as-many-intervals");
	else if ((double)f->side[TP_BEFORE].intervals.n >=
	    tp_compare_fusion(r, "many"))
		decide(f, "same-kernels-faster", "as-many-intervals");
	else
		decide(f, "faster-inside", "intervals-of-many");
}

static void
judge(struct tp_fusion *f, const struct tp_compare_rules *r)
{
	double left = factor(&f->side[TP_BEFORE].intervals,
	    &f->side[TP_AFTER].intervals);
	double busy = factor(&f->side[TP_BEFORE].busy,
	    &f->side[TP_AFTER].busy);
	double fewer = tp_compare_fusion(r, "fewer");

	if (f->refused && strcmp(f->refused, "no-steps"))
		decide(f, "undecided", "other-work");
	else if (isnan(left))
		decide(f, "undecided", "intervals-unknown");
	else if (!f->refused)
		judge_steps(f, r, left, busy);
	else if (left * fewer >= 1)
		decide(f, "not-fused", "more-intervals");
	else if (left > tp_compare_fusion(r, "few"))
		decide(f, "not-fused", "as-many-intervals");
	else
		decide(f, "undecided", "other-work");
}

/* Before over after, with its interval where there are enough steps. */
static int
speedup(struct tp_fusion *f)
{
	const struct tp_fusion_side *b = &f->side[TP_BEFORE];
	const struct tp_fusion_side *a = &f->side[TP_AFTER];
	int rc;

	if (f->refused)
		return 0;
	rc = tp_bootstrap(a->walls, a->wall_count, b->walls, b->wall_count,
	    &f->speedup);
	if (rc < 0)
		return -1;
	f->has_speedup = rc;
	if (!rc && a->wall.is && b->wall.is && a->wall.n > 0) {
		f->speedup.factor = (double)b->wall.n / (double)a->wall.n;
		f->speedup.low = f->speedup.high = 0;
		f->has_speedup = 1;
	}
	return 0;
}

/* Where the time saved was: gaps between intervals that are gone; kernels, as
 * far as the GPU was busy for less; the rest. */
static void
split(struct tp_fusion *f)
{
	const struct tp_fusion_side *b = &f->side[TP_BEFORE];
	const struct tp_fusion_side *a = &f->side[TP_AFTER];
	int64_t rest, busy;
	tp_int128 ns;

	/* a saving that may be none has no parts */
	if (!f->has_speedup || f->speedup.low <= 1 || !b->wall.is ||
	    !a->wall.is || !b->gap.is ||
	    !b->busy.is || !a->busy.is || !b->intervals.is ||
	    !a->intervals.is || b->intervals.n < a->intervals.n)
		return;
	ns = (tp_int128)(b->intervals.n - a->intervals.n) * b->gap.n;
	if (ns > b->wall.n - a->wall.n)
		return;
	f->dispatch_ns = (int64_t)ns;
	rest = b->wall.n - a->wall.n - f->dispatch_ns;
	busy = b->busy.n > a->busy.n ? b->busy.n - a->busy.n : 0;
	f->kernel_ns = rest < busy ? rest : busy;
	f->other_ns = rest - f->kernel_ns;
	f->has_split = 1;
}

int
tp_fusion_make(struct tp_fusion *f, const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], struct tp_err *err)
{
	int rc = 1;

	memset(f, 0, sizeof *f);
	for (int i = 0; i < TP_SIDES && rc > 0; i++)
		rc = read_side(&f->side[i], &sets[i]);
	if (rc > 0) {
		f->by_step = f->side[TP_BEFORE].steps &&
		    f->side[TP_AFTER].steps;
		for (int i = 0; i < TP_SIDES; i++)
			read_numbers(&f->side[i], &sets[i], f->by_step);
		f->refused = refusal(f, sets);
		if (labels_left(f, sets) < 0 || speedup(f) < 0)
			rc = -1;
	}
	if (rc > 0) {
		judge(f, rules);
		split(f);
	}
	return rc < 0 ? tp_fail_memory(err) : rc;
}

static int
is_by_design(const struct tp_compare_rules *r, const char *name)
{
	const struct cJSON *i;

	cJSON_ArrayForEach(i, tp_json_get(r->fusion, "by_design"))
		if (cJSON_IsString(i) && tp_is_named(i->valuestring, name))
			return 1;
	return 0;
}

int
tp_fusion_excuse(struct tp_comparison *c, const struct tp_set sets[TP_SIDES],
    struct tp_err *err)
{
	struct tp_compared *v;
	struct tp_fusion f;
	int rc = tp_fusion_make(&f, c->rules, sets, err);

	for (v = c->list; rc > 0 && (!strcmp(f.verdict, "fused") ||
	    !strcmp(f.verdict, "partly-fused")) && v < c->list + c->count;
	    v++)
		if ((v->verdict == TP_REGRESSED ||
		    v->verdict == TP_IMPROVED) &&
		    is_by_design(c->rules, v->name)) {
			v->verdict = TP_NEUTRAL;
			v->reason = "fused";
		}
	tp_fusion_release(&f);
	return rc < 0 ? -1 : 0;
}

void
tp_fusion_release(struct tp_fusion *f)
{
	for (int i = 0; i < TP_SIDES; i++)
		tp_free(f->side[i].walls);
}
