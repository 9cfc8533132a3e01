/* fusion - whether compiling fused kernels */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/choice.h>
#include <tp/json.h>
#include <tp/judge/fusion.h>
#include <tp/text.h>

#include "compare_private.h"
#include "stat.h"

/* First record that matches SELECTOR, in trace SRC unless that is NULL. */
static const struct tp_rec *
first(const struct tp_set *set, const char *selector, const char *src)
{
	size_t at = 0;

	return tp_set_next_of(set, selector, src, &at);
}

static void
know(struct tp_known *k, const struct tp_rec *rec, const char *key)
{
	k->is = rec && tp_rec_int(rec, key, &k->n) && k->n >= 0;
}

/* The next record of KIND at or after *AT that is of segment NUMBER. */
static const struct tp_rec *
next_of(const struct tp_set *set, const char *kind, int64_t number,
    size_t *at)
{
	const struct tp_rec *rec;
	int64_t n;

	while ((rec = tp_set_next(set, kind, at)))
		if (tp_rec_int(rec, "segment", &n) && n == number)
			return rec;
	return NULL;
}

/*
 * The records of a side: those of a trace, or the single record per kind of
 * a segment.
 */
struct source {
	const struct tp_set *set;
	const struct tp_rec *gpu, *steps, *labels;
	const char *step, *label;	/* selectors of their summaries */
};

/* The next record that matches SELECTOR of X and is of S. */
static const struct tp_rec *
next_in(const struct source *x, const struct tp_fusion_side *s,
    const char *selector, size_t *at)
{
	return s->segment ? next_of(x->set, selector, s->segment, at) :
	    tp_set_next_of(x->set, selector, s->src, at);
}

/* Copy the times of the steps after warm-up. */
static void
take_walls(struct tp_fusion_side *s, const struct source *x)
{
	const struct tp_field *warm;
	const struct tp_rec *rec;
	double wall;

	for (size_t at = 0; (rec = next_in(x, s, x->step, &at)); ) {
		warm = tp_rec_field(rec, "is_warmup");
		if ((warm && warm->n) || !tp_rec_real(rec, "wall_ns", &wall))
			continue;
		TP_APPEND(s->walls, s->wall_count, s->wall_cap, wall);
	}
}

/* Find the records of side S; 0 when it has no GPU work of a target. */
static int
find_source(struct source *x, struct tp_fusion_side *s,
    const struct tp_fusion_of *of)
{
	size_t at = 0;

	x->set = of->set;
	s->segment = of->segment;
	s->traces = tp_set_count(of->set, "gpu.summary[target]");
	if (s->segment) {
		x->gpu = next_of(of->set, "segment", s->segment, &at);
		x->steps = x->labels = x->gpu;
		x->step = "segment.step";
		x->label = "segment.label";
		s->name = x->gpu ? tp_rec_text(x->gpu, "name") : NULL;
	} else {
		x->gpu = first(of->set, "gpu.summary[target]", NULL);
		x->step = "step[target]";
		x->label = "label[target]";
	}
	if (!x->gpu)
		return 0;
	s->src = x->gpu->src;
	if (!s->segment) {
		x->steps = first(of->set, "step.summary[target]", s->src);
		x->labels = first(of->set, "label.summary[target]", s->src);
	}
	return 1;
}

/*
 * Read what a step allocates, moves and holds, when the side is a whole
 * trace.
 */
static void
read_memory(struct tp_fusion_side *s, const struct source *x)
{
	const struct tp_rec *rec;
	double coverage = 1;
	int64_t steps = 0, n;

	if (s->segment || !x->steps ||
	    !tp_rec_int(x->steps, "step_count", &steps) || steps <= 0)
		return;
	rec = first(x->set, "resource.summary[target][resource]", s->src);
	if (rec && tp_rec_int(rec, "in_step_count", &n))
		s->allocations = (struct tp_known){ 1, n / steps };
	/* of the steps: other work of the run moved bytes, too */
	tp_rec_real(x->steps, "coverage_ratio", &coverage);
	rec = first(x->set, "counter.bandwidth", s->src);
	if (rec && tp_rec_int(rec, "moved_bytes", &n))
		s->bytes = (struct tp_known){ 1,
		    (int64_t)((double)n * coverage / (double)steps + 0.5) };
	know(&s->held, first(x->set, "mem.growth[target][current]", s->src),
	    "first_low_bytes");
}

/* Read what labels of a debug build say about a step. */
static void
read_labels(struct tp_fusion_side *s, const struct source *x)
{
	double coverage = 1;
	int64_t steps = 0, n;

	if (!x->labels || !tp_rec_int(x->labels, "named_label_count",
	    &s->named_labels))
		s->named_labels = 0;
	know(&s->compiled, x->labels, "compiled_count");
	know(&s->labelled, x->labels, s->segment ? "interval_count" : "rows");
	if (!x->steps || !x->labels ||
	    !tp_rec_int(x->steps, "step_count", &steps) || steps <= 0 ||
	    !tp_rec_int(x->labels, "operation_count", &n))
		return;
	/* share of the steps: work outside them is in neither count */
	tp_rec_real(x->steps, "coverage_ratio", &coverage);
	s->operations = (struct tp_known){ 1,
	    (int64_t)((double)n * coverage / (double)steps + 0.5) };
}

/* Read side OF.  1; 0 when it has no GPU work of a target. */
static int
read_side(struct tp_fusion_side *s, struct source *x,
    const struct tp_fusion_of *of)
{
	int64_t count;

	if (!find_source(x, s, of) || !tp_rec_int(x->gpu, s->segment ?
	    "interval_count" : "rows", &count) || count <= 0)
		return 0;
	know(&s->duration, x->gpu, "duration_p50_ns");
	know(&s->gap, x->gpu, "gap_p50_ns");
	if (x->steps && tp_rec_int(x->steps, "used_step_count", &count) &&
	    count > 0)
		s->steps = count;
	s->method = x->steps ? tp_rec_text(x->steps, s->segment ?
	    "step_method" : "method") : NULL;
	read_labels(s, x);
	read_memory(s, x);
	take_walls(s, x);
	return 1;
}

static void
read_numbers(struct tp_fusion_side *s, const struct source *x, int by_step)
{
	const struct tp_rec *rec = by_step ? x->steps : x->gpu;

	know(&s->busy, rec, by_step ? "busy_p50_ns" : "busy_ns");
	know(&s->wall, rec, by_step ? "wall_p50_ns" : s->segment ? "wall_ns" :
	    "span_ns");
	know(&s->intervals, rec, by_step ? "interval_count_p50" :
	    s->segment ? "interval_count" : "rows");
	if (by_step || s->segment)
		know(&s->buffers, rec, by_step ? "command_buffer_count_p50" :
		    "command_buffer_count");
	else
		know(&s->buffers, first(x->set, "cmdbuf.summary[target]",
		    s->src), "count");
}

static int
missing(struct tp_err *err)
{
	return tp_fail(err, TP_BAD, "segment.missing", 0,
	    "no two segments with steps: put a signpost around each part, or "
	    "record each in a trace of its own");
}

/* Find the segment of SET with the requested NAME or number. */
static int
find_named(const struct tp_set *set, const char *name, int64_t *number,
    struct tp_err *err)
{
	const struct tp_rec *rec;
	struct tp_choice choice;
	const char *text;
	char digits[24];
	int64_t n = 0;

	for (size_t at = 0; (rec = tp_set_next(set, "segment", &at)); ) {
		if (!tp_rec_int(rec, "segment", &n))
			continue;
		text = tp_rec_text(rec, "name");
		snprintf(digits, sizeof digits, "%" PRId64, n);
		if (!strcmp(digits, name) || (text && !strcmp(text, name))) {
			*number = n;
			return 0;
		}
	}
	tp_choice_init(&choice, name);
	for (size_t at = 0; (rec = tp_set_next(set, "segment", &at)); )
		if ((text = tp_rec_text(rec, "name")))
			tp_choice_add(&choice, text);
	if (!n)
		missing(err);
	else if (!choice.count)
		tp_fail(err, TP_USAGE, "segment.unknown", 0,
		    "no segment is called '%.60s': they have numbers, 1 to "
		    "%" PRId64, name, n);
	else
		tp_fail(err, TP_USAGE, "segment.unknown", 0,
		    "no segment is called '%.60s'; there are %s", name,
		    tp_choice_text(&choice));
	tp_choice_release(&choice);
	return -1;
}

/* A candidate segment. */
struct part {
	int64_t number, busy, used, order;	/* order 0: none */
	int64_t step_busy, intervals;	/* per step */
	const char *name;
};

/* Segments of fewer steps are warm-up, not a mode. */
#define USED_FEWEST 4

/* Whether all segments of SET that have steps share NAME. */
static int
is_shared(const struct tp_set *set, const char *name)
{
	const struct tp_rec *rec;
	const char *text;
	int64_t used;
	size_t others = 0;

	for (size_t at = 0; (rec = tp_set_next(set, "segment", &at)); ) {
		if (!tp_rec_int(rec, "used_step_count", &used) ||
		    used < USED_FEWEST)
			continue;
		text = tp_rec_text(rec, "name");
		if (!text || strcmp(text, name))
			return 0;
		others++;
	}
	return others > 1;
}

/* A name shared by all segments does not identify one. */
static void
read_part(const struct tp_set *set, const struct tp_rec *rec, struct part *p)
{
	*p = (struct part){ 0 };
	tp_rec_int(rec, "segment", &p->number);
	tp_rec_int(rec, "busy_ns", &p->busy);
	tp_rec_int(rec, "used_step_count", &p->used);
	tp_rec_int(rec, "compare_order", &p->order);
	tp_rec_int(rec, "busy_p50_ns", &p->step_busy);
	tp_rec_int(rec, "interval_count_p50", &p->intervals);
	p->name = tp_rec_text(rec, "name");
	if (p->name && is_shared(set, p->name))
		p->name = NULL;
}

/* The segment with ORDER and most GPU work, except OTHER; 0: none. */
static int64_t
find_ordered(const struct tp_set *set, int64_t order, int64_t other)
{
	const struct tp_rec *rec;
	struct part p, best = { 0 };

	for (size_t at = 0; (rec = tp_set_next(set, "segment", &at)); ) {
		read_part(set, rec, &p);
		if (p.order == order && p.number != other &&
		    (!best.number || p.busy > best.busy))
			best = p;
	}
	return best.number;
}

/* Steps of A and B that differ by less are of one mode. */
#define SAME_SHAPE 0.05

static int
is_one_shape(const struct part *a, const struct part *b)
{
	return a->intervals == b->intervals && fabs((double)a->step_busy -
	    (double)b->step_busy) <= SAME_SHAPE * (double)b->step_busy;
}

/*
 * Whether A and B are closer in number of steps than BEST_A and BEST_B, or
 * equally close with more GPU work.
 */
static int
is_nearer(const struct part *a, const struct part *b,
    const struct part *best_a, const struct part *best_b)
{
	double apart = fabs(log((double)a->used / (double)b->used));
	double best = best_a->number ? fabs(log((double)best_a->used /
	    (double)best_b->used)) : INFINITY;

	return apart != best ? apart < best :
	    a->busy + b->busy > best_a->busy + best_b->busy;
}

/*
 * Fill in each 0 in N: among segments without a name and of different
 * shapes, take the two closest in number of steps, as a benchmark runs its
 * modes.  Segments that the program named are never guessed.
 */
static void
find_alike(const struct tp_set *set, int64_t n[TP_SIDES])
{
	struct part a, b, best[TP_SIDES] = { { 0 }, { 0 } };
	const struct tp_rec *x, *y;

	for (size_t i = 0; (x = tp_set_next(set, "segment", &i)); ) {
		read_part(set, x, &a);
		if (a.used < USED_FEWEST || (a.name && a.number !=
		    n[TP_BEFORE]) || (n[TP_BEFORE] && a.number !=
		    n[TP_BEFORE]))
			continue;
		for (size_t k = 0; (y = tp_set_next(set, "segment", &k)); ) {
			read_part(set, y, &b);
			if (b.used < USED_FEWEST || b.number == a.number ||
			    (b.name && b.number != n[TP_AFTER]) ||
			    (n[TP_AFTER] ? b.number != n[TP_AFTER] :
			    !n[TP_BEFORE] && b.number < a.number))
				continue;
			if (!(n[TP_BEFORE] && n[TP_AFTER]) &&
			    is_one_shape(&a, &b))
				continue;
			if (is_nearer(&a, &b, &best[TP_BEFORE],
			    &best[TP_AFTER])) {
				best[TP_BEFORE] = a;
				best[TP_AFTER] = b;
			}
		}
	}
	for (int i = 0; i < TP_SIDES; i++)
		n[i] = best[i].number;
}

/* Fail: list the names to choose from.  Always returns -1. */
static int
ask_names(const struct tp_set *set, struct tp_err *err)
{
	struct tp_choice choice;
	const struct tp_rec *rec;
	const char *text;

	tp_choice_init(&choice, "");
	for (size_t at = 0; (rec = tp_set_next(set, "segment", &at)); )
		if ((text = tp_rec_text(rec, "name")))
			tp_choice_add(&choice, text);
	if (choice.count < 2)
		missing(err);
	else
		tp_fail(err, TP_BAD, "segment.missing", 0,
		    "none of the segments is called eager or compiled: choose "
		    "two with --name1 and --name2, by name or number: %s",
		    tp_choice_text(&choice));
	tp_choice_release(&choice);
	return -1;
}

int
tp_fusion_segments(const struct tp_set *set,
    const char *const names[TP_SIDES], struct tp_fusion_of of[TP_SIDES],
    struct tp_err *err)
{
	int64_t n[TP_SIDES] = { 0 };

	for (int i = 0; i < TP_SIDES; i++)
		if (names[i] && find_named(set, names[i], &n[i], err) < 0)
			return -1;
	for (int i = 0; i < TP_SIDES; i++)
		if (!n[i])
			n[i] = find_ordered(set, i + 1, n[!i]);
	if (!n[TP_BEFORE] || !n[TP_AFTER])
		find_alike(set, n);
	if (!n[TP_BEFORE] || !n[TP_AFTER])
		return ask_names(set, err);
	for (int i = 0; i < TP_SIDES; i++)
		of[i] = (struct tp_fusion_of){ set, n[i] };
	return 0;
}

/* After divided by before; NaN when unknown. */
static double
factor(const struct tp_known *before, const struct tp_known *after)
{
	if (!before->is || !after->is || before->n <= 0)
		return NAN;
	return (double)after->n / (double)before->n;
}

/* Whether the first records of KIND on both sides have KEY and differ in it. */
static int
differ(const struct source x[], const char *kind, const char *key)
{
	const struct tp_field *f[TP_SIDES];
	const struct tp_rec *rec;

	for (int i = 0; i < TP_SIDES; i++) {
		rec = first(x[i].set, kind, NULL);
		f[i] = rec ? tp_rec_field(rec, key) : NULL;
		if (!f[i])
			return 0;
	}
	return strcmp(f[TP_BEFORE]->text, f[TP_AFTER]->text) != 0;
}

/* Why the times of the sides are not comparable, or NULL. */
static const char *
refusal(const struct tp_fusion *f, const struct source x[])
{
	static const char *const parameters[] = { "model", "steps",
	    "n_images", "image_size" };
	const struct tp_fusion_side *b = &f->side[TP_BEFORE];
	const struct tp_fusion_side *a = &f->side[TP_AFTER];

	if (b->traces > 1 || a->traces > 1)
		return "several-traces";
	if (differ(x, "trace.info", "device_model"))
		return "device";
	if (differ(x, "gpu.summary[target]", "process"))
		return "program";
	for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
		if (differ(x, "bench.run", parameters[i]))
			return "parameters";
	if (!f->by_step)
		return "no-steps";
	if (b->method && a->method && strcmp(b->method, a->method))
		return "step-method";
	return (b->busy.is && !b->busy.n) || (a->busy.is && !a->busy.n) ?
	    "no-gpu-work" : NULL;
}

/*
 * Compute the share of rows left under labels that existed before, per step
 * when there are steps.
 */
static void
labels_left(struct tp_fusion *f, const struct source x[])
{
	struct tp_names names = { 0 };
	double rows[TP_SIDES] = { 0 }, n;
	const struct tp_rec *rec;
	const char *name;

	for (int i = 0; i < TP_SIDES; i++) {
		const struct tp_field *cut;

		if (f->side[i].named_labels < 2)
			return;
		cut = tp_rec_field(x[i].labels, "is_cut");
		if (!cut || cut->n)
			return;
	}
	for (int i = 0; i < TP_SIDES; i++)
		for (size_t at = 0; (rec = next_in(&x[i], &f->side[i],
		    x[i].label, &at)); ) {
			name = tp_rec_text(rec, "label");
			if (!name || !tp_rec_real(rec, "rows", &n) ||
			    (i == TP_AFTER && tp_names_find(&names, name,
			    strlen(name)) < 0))
				continue;
			rows[i] += n;
			if (i == TP_BEFORE)
				tp_names_add(&names, name, strlen(name));
		}
	tp_names_release(&names);
	if (!(rows[TP_BEFORE] > 0))
		return;
	if (f->by_step)
		for (int i = 0; i < TP_SIDES; i++)
			rows[i] /= (double)f->side[i].steps;
	f->has_labels_left = 1;
	f->labels_left = rows[TP_AFTER] / rows[TP_BEFORE];
}

static void
decide(struct tp_fusion *f, const char *verdict, const char *rests_on)
{
	f->verdict = verdict;
	f->rests_on = rests_on;
}

/*
 * Whether the intervals of S appear to be kernels: short, and several per
 * command buffer.  MLX has one per buffer, with many operations.
 */
static int
are_kernels(const struct tp_fusion_side *s, const struct tp_compare_rules *r)
{
	return s->duration.is && s->intervals.is && s->buffers.is &&
	    (double)s->duration.n < tp_compare_fusion(r, "kernel_ns") &&
	    s->intervals.n > s->buffers.n;
}

/* Judge a side with LEFT of the intervals and BUSY of the GPU time left. */
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

/*
 * Judge by labels of a debug build: which intervals hold kernels made by
 * mx.compile.  0 when not both sides have them.
 */
static int
judge_compiled(struct tp_fusion *f, const struct tp_compare_rules *r)
{
	const struct tp_fusion_side *b = &f->side[TP_BEFORE];
	const struct tp_fusion_side *a = &f->side[TP_AFTER];
	double few = tp_compare_fusion(r, "few");

	if (!b->compiled.is || !a->compiled.is || !a->labelled.is ||
	    !b->labelled.is)
		return 0;
	if (a->compiled.n && !b->compiled.n)
		decide(f, (double)a->compiled.n >= few *
		    (double)a->labelled.n ? "fused" : "partly-fused",
		    "labels-compiled");
	else if (!a->compiled.n)
		decide(f, "not-fused", "labels-eager");
	else
		return 0;
	return 1;
}

/*
 * A fused program allocates or moves less while it holds as much:
 * intermediates are gone, weights are not.
 */
static void
judge_memory(struct tp_fusion *f, const struct tp_compare_rules *r)
{
	const struct tp_fusion_side *b = &f->side[TP_BEFORE];
	const struct tp_fusion_side *a = &f->side[TP_AFTER];
	double same = tp_compare_fusion(r, "same_busy");
	double fewer = tp_compare_fusion(r, "fewer");
	double held = factor(&b->held, &a->held);

	if (strcmp(f->verdict, "less-work") &&
	    strcmp(f->verdict, "faster-inside"))
		return;
	if (isnan(held) || fabs(held - 1) > same)
		return;
	if (factor(&b->allocations, &a->allocations) <= fewer)
		decide(f, "fused", "allocations-gone");
	else if (factor(&b->bytes, &a->bytes) <= fewer)
		decide(f, "fused", "bytes-gone");
}

/* Judge two programs that did the same steps. */
static void
judge_steps(struct tp_fusion *f, const struct tp_compare_rules *r,
    double left, double busy)
{
	double same = tp_compare_fusion(r, "same_busy");
	double fewer = tp_compare_fusion(r, "fewer");

	if (isnan(busy))
		decide(f, "undecided", "intervals-unknown");
	else if (judge_compiled(f, r))
		return;
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
	judge_memory(f, r);
}

static void
judge(struct tp_fusion *f, const struct tp_compare_rules *r)
{
	double left = factor(&f->side[TP_BEFORE].intervals,
	    &f->side[TP_AFTER].intervals);
	double busy = factor(&f->side[TP_BEFORE].busy,
	    &f->side[TP_AFTER].busy);
	double fewer = tp_compare_fusion(r, "fewer");

	if (f->refused && !strcmp(f->refused, "no-gpu-work"))
		decide(f, "undecided", "intervals-unknown");
	else if (f->refused && strcmp(f->refused, "no-steps"))
		decide(f, "undecided", "other-work");
	else if (isnan(left))
		decide(f, "undecided", "intervals-unknown");
	else if (!f->refused)
		judge_steps(f, r, left, busy);
	else if (left * fewer >= 1)
		decide(f, "not-fused", "more-intervals");
	else if (left > tp_compare_fusion(r, "few") && !(factor(
	    &f->side[TP_BEFORE].duration, &f->side[TP_AFTER].duration) <
	    fewer))
		decide(f, "not-fused", "as-many-intervals");
	else
		decide(f, "undecided", "other-work");
}

/* Compute before / after, with its interval when there are enough steps. */
static void
speedup(struct tp_fusion *f)
{
	const struct tp_fusion_side *b = &f->side[TP_BEFORE];
	const struct tp_fusion_side *a = &f->side[TP_AFTER];

	if (f->refused)
		return;
	f->has_speedup = tp_bootstrap(a->walls, a->wall_count, b->walls,
	    b->wall_count, &f->speedup);
	if (!f->has_speedup && a->wall.is && b->wall.is && a->wall.n > 0) {
		f->speedup.factor = (double)b->wall.n / (double)a->wall.n;
		f->speedup.low = f->speedup.high = 0;
		f->has_speedup = 1;
	}
}

/*
 * Split the time saved into gaps between intervals that are gone, less GPU
 * work in the others, and the rest.
 */
static void
split(struct tp_fusion *f)
{
	const struct tp_fusion_side *b = &f->side[TP_BEFORE];
	const struct tp_fusion_side *a = &f->side[TP_AFTER];
	int64_t rest, busy;
	tp_int128 ns;

	/* a saving that may be zero is not split */
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
    const struct tp_fusion_of of[TP_SIDES])
{
	struct source x[TP_SIDES] = { { 0 }, { 0 } };
	double busy;

	memset(f, 0, sizeof *f);
	for (int i = 0; i < TP_SIDES; i++)
		if (!read_side(&f->side[i], &x[i], &of[i]))
			return 0;
	f->by_step = f->side[TP_BEFORE].steps && f->side[TP_AFTER].steps;
	for (int i = 0; i < TP_SIDES; i++)
		read_numbers(&f->side[i], &x[i], f->by_step);
	f->refused = refusal(f, x);
	labels_left(f, x);
	speedup(f);
	judge(f, rules);
	split(f);
	busy = factor(&f->side[TP_BEFORE].busy, &f->side[TP_AFTER].busy);
	if (!isnan(busy))
		f->busy_change = fabs(busy - 1) <= tp_compare_fusion(rules,
		    "same_busy") ? "same" : busy < 1 ? "less" : "more";
	return 1;
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

static void
fusion_release(struct tp_fusion *f)
{
	for (int i = 0; i < TP_SIDES; i++)
		tp_free(f->side[i].walls);
}

void
tp_fusion_excuse(struct tp_comparison *c, const struct tp_set sets[TP_SIDES])
{
	const struct tp_fusion_of of[TP_SIDES] = { { &sets[0], 0 },
	    { &sets[1], 0 } };
	struct tp_compared *v;
	struct tp_fusion f;
	int is = tp_fusion_make(&f, c->rules, of);

	for (v = c->list; is && (!strcmp(f.verdict, "fused") ||
	    !strcmp(f.verdict, "partly-fused")) && v < c->list + c->count;
	    v++)
		if ((v->verdict == TP_REGRESSED ||
		    v->verdict == TP_IMPROVED) &&
		    is_by_design(c->rules, v->name)) {
			v->verdict = TP_NEUTRAL;
			v->reason = "fused";
		}
	fusion_release(&f);
}

