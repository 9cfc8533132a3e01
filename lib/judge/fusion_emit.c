/* fusion_emit - the records of the fusion analysis */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <tp/judge/fusion.h>

#include "compare_private.h"

/* Write what NAME, a time or a number, was before (B) and after (A). */
static void
metric(struct tp_out *out, const char *name, int is_time,
    const struct tp_known *b, const struct tp_known *a)
{
	if (!b->is && !a->is)
		return;
	tp_out_begin(out, "fusion.metric");
	tp_out_text(out, "metric", name);
	if (b->is)
		tp_out_int(out, is_time ? "before_ns" : "before_count", b->n);
	if (a->is)
		tp_out_int(out, is_time ? "after_ns" : "after_count", a->n);
	if (a->is && b->is) {
		tp_out_int(out, is_time ? "delta_ns" : "delta_count",
		    a->n - b->n);
		tp_out_ratio(out, "change_factor", a->n, b->n);
	}
	tp_out_end(out);
}

static void
saved(struct tp_out *out, const char *key, const struct tp_known *b,
    const struct tp_known *a)
{
	if (b->is && a->is)
		tp_out_int(out, key, b->n - a->n);
}

/* Write what a step saves and where, for equal work only. */
static void
savings(const struct tp_fusion *f, struct tp_out *out)
{
	const struct tp_fusion_side *b = &f->side[TP_BEFORE];
	const struct tp_fusion_side *a = &f->side[TP_AFTER];
	int64_t whole;

	if (f->has_speedup) {
		tp_out_real(out, "step_speedup_factor", f->speedup.factor);
		if (f->speedup.low > 0) {
			tp_out_real(out, "step_speedup_low_factor",
			    f->speedup.low);
			tp_out_real(out, "step_speedup_high_factor",
			    f->speedup.high);
		}
	}
	if (f->refused)
		return;
	if (b->wall.is && a->wall.is && b->busy.is && a->busy.is)
		tp_out_bool(out, "is_slower", a->wall.n > b->wall.n &&
		    a->busy.n < b->busy.n);
	saved(out, "wall_saved_ns", &b->wall, &a->wall);
	saved(out, "busy_saved_ns", &b->busy, &a->busy);
	if (!f->has_split)
		return;
	whole = b->wall.n - a->wall.n;
	tp_out_int(out, "dispatch_saved_ns", f->dispatch_ns);
	tp_out_ratio(out, "dispatch_saved_ratio", f->dispatch_ns, whole);
	tp_out_int(out, "kernel_saved_ns", f->kernel_ns);
	tp_out_ratio(out, "kernel_saved_ratio", f->kernel_ns, whole);
	tp_out_int(out, "other_saved_ns", f->other_ns);
}

/* Write the name of a side: its trace or segment. */
static void
side(struct tp_out *out, const char *key, const char *number,
    const struct tp_fusion_side *s, const struct tp_fusion_side *other)
{
	const char *name = s->name;
	char text[40];

	/* a name shared by both sides is left out */
	if (name && other->name && !strcmp(name, other->name))
		name = NULL;
	snprintf(text, sizeof text, "part %" PRId64, s->segment);
	tp_out_text(out, key, !s->segment ? s->src : name ? name : text);
	if (s->segment)
		tp_out_int(out, number, s->segment);
}

void
tp_fusion_emit(const struct tp_fusion *f, int is_asked, struct tp_out *out)
{
	const struct tp_fusion_side *b = &f->side[TP_BEFORE];
	const struct tp_fusion_side *a = &f->side[TP_AFTER];

	tp_out_begin(out, "fusion.summary");
	side(out, "before", "before_segment", b, a);
	side(out, "after", "after_segment", a, b);
	tp_out_bool(out, "is_one_trace", b->segment != 0);
	if (b->segment)
		tp_out_bool(out, "is_named", b->name && a->name &&
		    strcmp(b->name, a->name));
	tp_out_bool(out, "is_asked", is_asked);
	tp_out_text(out, "verdict", f->verdict);
	tp_out_text(out, "rests_on", f->rests_on);
	tp_out_text(out, "busy_change", f->busy_change);
	tp_out_bool(out, "is_by_step", f->by_step);
	tp_out_bool(out, "is_same_work", !f->refused);
	tp_out_text(out, "refused_for", f->refused);
	if (b->steps)
		tp_out_int(out, "before_step_count", b->steps);
	if (a->steps)
		tp_out_int(out, "after_step_count", a->steps);
	tp_out_bool(out, "has_labels", b->named_labels > 1 &&
	    a->named_labels > 1);
	if (f->has_labels_left)
		tp_out_real(out, "labels_left_factor", f->labels_left);
	savings(f, out);
	tp_out_end(out);
	metric(out, "intervals", 0, &b->intervals, &a->intervals);
	metric(out, "command-buffers", 0, &b->buffers, &a->buffers);
	metric(out, "operations", 0, &b->operations, &a->operations);
	metric(out, "allocations", 0, &b->allocations, &a->allocations);
	metric(out, "busy", 1, &b->busy, &a->busy);
	metric(out, "wall", 1, &b->wall, &a->wall);
	metric(out, "median-interval", 1, &b->duration, &a->duration);
	metric(out, "median-gap", 1, &b->gap, &a->gap);
}

void
tp_fusion_emit_times(const struct tp_fusion *f,
    const struct tp_compare_rules *rules, const struct tp_times *t,
    struct tp_out *out)
{
	double printed = (double)t->eager_ns / (double)t->compiled_ns;
	double agree = tp_compare_fusion(rules, "agree");

	tp_out_begin(out, "fusion.times");
	tp_out_int(out, "eager_ns", t->eager_ns);
	tp_out_int(out, "compiled_ns", t->compiled_ns);
	tp_out_real(out, "times_factor", printed);
	if (t->speedup > 0)
		tp_out_real(out, "printed_factor", t->speedup);
	if (f->has_speedup) {
		tp_out_real(out, "step_speedup_factor", f->speedup.factor);
		tp_out_bool(out, "is_agreed",
		    fabs(f->speedup.factor / printed - 1) <= agree);
	}
	tp_out_end(out);
}
