/* emit_steps - the steps of a PyTorch trace as records */
#include <stdint.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/order.h>

#include "emit_torch.h"
#include "gpu_time.h"
#include "step_change.h"
#include "step_class.h"

/* What a step counts as in a comparison. */
enum side { SIDE_BEFORE, SIDE_AFTER, SIDE_ASIDE };

/* The kernels of one name on both sides. */
struct kernel {
	double ps[SIDE_ASIDE], count[SIDE_ASIDE];
};

/* The kernels of one name that were launched for one kind of arguments. */
struct kernels {
	struct tp_ids ids;		/* name, arguments of the operator */
	struct kernel *list;
	size_t cap;
};

static void
add_all(struct kernels *k, const struct tp_torch *t,
    const struct tp_torch_times *times, const unsigned char *sides)
{
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		const struct tp_torch_step *step;
		unsigned side;
		uint32_t op;
		ptrdiff_t at;

		if (tp_torch_trait(t, e)->bucket != TP_TORCH_COMPUTATION ||
		    !tp_torch_is_linked(e))
			continue;
		step = tp_torch_step_at(times, t,
		    t->events[e->launch].lane, t->events[e->launch].from_ps);
		side = step ? sides[step - times->steps] : SIDE_ASIDE;
		if (side == SIDE_ASIDE)
			continue;
		op = t->events[e->launch].parent;
		while (op != TP_TORCH_NO && (t->events[op].cat !=
		    TP_TORCH_OP || !t->events[op].inputs))
			op = t->events[op].parent;
		at = tp_ids_add(&k->ids, e->name, op == TP_TORCH_NO ? 0 :
		    t->events[op].inputs);
		TP_ITEM(k->list, k->cap, at);
		k->list[at].ps[side] += (double)(e->to_ps - e->from_ps);
		k->list[at].count[side]++;
	}
}

/* The time of K before, if a call had taken as long as after. */
static double
after(const struct kernel *k)
{
	return k->ps[SIDE_AFTER] / k->count[SIDE_AFTER] * k->count[SIDE_BEFORE];
}

static int
is_on_both(const struct kernel *k)
{
	return k->ps[SIDE_BEFORE] > 0 && k->count[SIDE_AFTER] > 0;
}

/*
 * Sets *RATIO to the share of the computation before that is of kernels whose
 * calls take longer after, by at least half of what all together do; 0 if they
 * do not.  SIDES are those of the steps.
 */
static void
find_slower(const struct tp_torch *t, const struct tp_torch_times *times,
    const unsigned char *sides, double *ratio)
{
	struct kernels all = { .list = NULL };
	double ps = 0, both = 0, more = 0, slower = 0;

	add_all(&all, t, times, sides);
	for (size_t i = 0; i < all.ids.count; i++) {
		const struct kernel *k = &all.list[i];

		ps += k->ps[SIDE_BEFORE];
		if (!is_on_both(k))
			continue;
		both += k->ps[SIDE_BEFORE];
		more += after(k) - k->ps[SIDE_BEFORE];
	}
	for (size_t i = 0; more > 0 && i < all.ids.count; i++) {
		const struct kernel *k = &all.list[i];

		if (is_on_both(k) && after(k) / k->ps[SIDE_BEFORE] - 1 >=
		    0.5 * more / both)
			slower += k->ps[SIDE_BEFORE];
	}
	*ratio = ps > 0 ? slower / ps : 0;
	tp_ids_release(&all.ids);
	tp_free(all.list);
}

/*
 * Whether the step after step I of its process is marked, too, as far as it is
 * known.
 */
static int
is_followed(const struct tp_torch_times *times, size_t i)
{
	const struct tp_torch_step *s = &times->steps[i];

	return i + 1 < times->step_count && s[1].process_id == s->process_id &&
	    (s->number == TP_TORCH_NONE || s[1].number == s->number + 1);
}

/*
 * Set *PS to the start of the step after step I.  Returns 0 if it is unknown.
 */
static int
next_start(const struct tp_torch_times *times, size_t i, int64_t *ps)
{
	const struct tp_torch_step *s = &times->steps[i];

	if (!is_followed(times, i))
		return 0;
	*ps = s[1].from_ps;
	return *ps > s->from_ps;
}

/*
 * The time from the end of the GPU work of the step before step I to the end
 * of its own; 0: unknown.  The host runs ahead of the GPU, so its own times
 * do not tell which step was slow.
 */
static int64_t
end_to_end(const struct tp_torch_times *times, size_t i)
{
	const struct tp_torch_time *time = &times->steps[i].time;
	const struct tp_torch_step *before;

	if (!i || !is_followed(times, i - 1))
		return 0;
	before = &times->steps[i - 1];
	return !time->count || !before->time.count ||
	    time->last_ps < before->time.last_ps ? 0 :
	    time->last_ps - before->time.last_ps;
}

static void
emit_step(const struct tp_torch_out *o, size_t i)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_times *times = &o->file->times;
	const struct tp_torch_step *s = &times->steps[i];
	int64_t next;

	tp_torch_out_begin(o, "timeline.step");
	tp_out_int(o->out, "index", (int64_t)i + 1);
	if (tp_torch_are_steps_mixed(times))
		tp_torch_out_pid(o, t->events[s->annotation].lane);
	if (s->number != TP_TORCH_NONE)
		tp_out_int(o->out, "number", s->number);
	if (s->is_partial)
		tp_out_bool(o->out, "is_partial", 1);
	tp_out_ps(o->out, "start_ns", s->from_ps);
	tp_out_ps(o->out, "end_ns", s->to_ps);
	tp_out_ps(o->out, "wall_ns", s->to_ps - s->from_ps);
	if (next_start(times, i, &next))
		tp_out_ps(o->out, "start_to_start_ns", next - s->from_ps);
	if ((next = end_to_end(times, i)))
		tp_out_ps(o->out, "end_to_end_ns", next);
	tp_out_int(o->out, "launch_count", (int64_t)s->launch_count);
	tp_torch_out_time(o->out, &s->time);
	tp_out_end(o->out);
}

enum value { BUSY, COMPUTE, WORKS, PLACE, VALUES };

/* The steps whose time is known. */
struct timed {
	double *ps;
	int64_t *numbers;
	int64_t *values;	/* VALUES of each; PLACE: in times->steps */
	int64_t *some;		/* room for one of each */
	unsigned char *heavy;	/* of changes: enum side */
	unsigned char *sides;	/* ... of all steps, known or not */
	size_t n;
	size_t ends_heavy;
};

/* Median (nearest rank) of a VALUE of the steps that are HEAVY. */
static int64_t
p50(const struct timed *s, enum value value, unsigned char heavy)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->heavy[i] == heavy)
			s->some[n++] = s->values[i * VALUES + value];
	tp_sort_ints(s->some, n);
	return s->some[(n - 1) / 2];
}

/* How the COUNT heavy steps differ from the light ones. */
static void
emit_extra(const struct tp_torch_out *o, const struct timed *s, int64_t count,
    int most)
{
	const int64_t works = p50(s, WORKS, 0);
	const int64_t slower = count * (p50(s, COMPUTE, 1) -
	    p50(s, COMPUTE, 0));
	int64_t all = 0;

	for (size_t i = 0; i < s->n; i++)
		all += s->values[i * VALUES + COMPUTE];
	tp_out_ps(o->out, "extra_busy_ns", count * (p50(s, BUSY, 1) -
	    p50(s, BUSY, 0)));
	if (most && p50(s, WORKS, 1) == works && (double)slower >=
	    o->file->torch.ops->slower_ratio * (double)all)
		tp_out_ps(o->out, "slower_kernel_ns", slower);
}

static int
emit_classes(const struct tp_torch_out *o, struct timed *s)
{
	/* captures have few steps, and one of them may be the slow one */
	static const struct tp_step_least least = { 4, 1, 0 };
	struct tp_step_class classes[2];
	const struct tp_torch_times *times = &o->file->times;
	int count;

	for (size_t i = 0; i < times->step_count; i++) {
		const struct tp_torch_step *step = &times->steps[i];
		int64_t ps = end_to_end(times, i);
		int64_t *values = &s->values[s->n * VALUES];

		if (!ps || step->is_partial)
			continue;
		s->ps[s->n] = (double)ps;
		values[BUSY] = tp_torch_busy(&step->time);
		values[COMPUTE] = tp_torch_exposed(&step->time,
		    TP_TORCH_COMPUTATION);
		values[WORKS] = (int64_t)step->time.count;
		values[PLACE] = (int64_t)i;
		s->numbers[s->n++] = step->number != TP_TORCH_NONE ?
		    step->number : (int64_t)i + 1;
	}
	if (s->n < least.steps)
		return 0;
	count = tp_step_classes(classes, s->ps, s->numbers, s->n, &least,
	    s->heavy);
	for (int i = 0; i < count; i++) {
		tp_torch_out_begin(o, "step.class");
		tp_step_class_put(o->out, classes, (size_t)i);
		if (count == 2)
			tp_out_ps(o->out, "busy_p50_ns", p50(s, BUSY,
			    (unsigned char)i));
		if (i)
			emit_extra(o, s, (int64_t)classes[1].times.count, 1);
		tp_out_end(o->out);
	}
	return count;
}

/* Leave only the light steps. */
static void
drop_heavy(struct timed *s)
{
	size_t n = 0;

	s->ends_heavy = s->n && s->heavy[s->n - 1];
	for (size_t i = 0; i < s->n; i++) {
		if (s->heavy[i])
			continue;
		s->ps[n] = s->ps[i];
		s->numbers[n] = s->numbers[i];
		for (size_t v = 0; v < VALUES; v++)
			s->values[n * VALUES + v] = s->values[i * VALUES + v];
		n++;
	}
	s->n = n;
}

/* Tell the steps before change K from those after it. */
static void
set_sides(struct timed *s, const struct tp_course_change *k, size_t step_count)
{
	memset(s->sides, SIDE_ASIDE, step_count);
	for (size_t i = 0; i < s->n; i++) {
		s->heavy[i] = i < k->first || i >= k->end ? SIDE_ASIDE :
		    i < k->at ? SIDE_BEFORE : SIDE_AFTER;
		s->sides[s->values[i * VALUES + PLACE]] = s->heavy[i];
	}
}

static void
emit_change(const struct tp_torch_out *o, struct timed *s,
    const struct tp_course *course, size_t i)
{
	const struct tp_torch_times *times = &o->file->times;
	const struct tp_course_change *k = &course->changes[i];
	double ratio;

	set_sides(s, k, times->step_count);
	find_slower(&o->file->torch, times, s->sides, &ratio);
	tp_torch_out_begin(o, "step.change");
	/* a heavy one may come last */
	tp_step_change_put(o->out, course, i, s->ps, s->numbers, s->n +
	    s->ends_heavy);
	emit_extra(o, s, (int64_t)(k->end - k->at), ratio >=
	    o->file->torch.ops->slower_time);
	if (p50(s, WORKS, SIDE_AFTER) == p50(s, WORKS, SIDE_BEFORE))
		tp_out_real(o->out, "slower_time_ratio", ratio);
	tp_out_end(o->out);
}

/* Write "step.change"; of two CLASSES, steps of the light one. */
static void
emit_changes(const struct tp_torch_out *o, struct timed *s, int classes)
{
	struct tp_course course = { 0 };

	if (classes == 2)
		drop_heavy(s);
	tp_course_find(&course, s->ps, s->n);
	for (size_t i = 0; i < course.count; i++)
		emit_change(o, s, &course, i);
	tp_course_release(&course);
}

void
tp_torch_emit_steps(const struct tp_torch_out *o)
{
	size_t count = o->file->times.step_count;
	struct timed s = { .n = 0 };
	int classes;

	for (size_t i = 0; i < count; i++)
		emit_step(o, i);
	if (!count || tp_torch_are_steps_mixed(&o->file->times))
		return;
	s.ps = tp_alloc(count * sizeof *s.ps);
	s.numbers = tp_alloc(count * sizeof *s.numbers);
	s.values = tp_alloc(count * VALUES * sizeof *s.values);
	s.some = tp_alloc(count * sizeof *s.some);
	s.heavy = tp_alloc(count);
	s.sides = tp_alloc(count);
	classes = emit_classes(o, &s);
	emit_changes(o, &s, classes);
	tp_free(s.ps);
	tp_free(s.numbers);
	tp_free(s.values);
	tp_free(s.some);
	tp_free(s.heavy);
	tp_free(s.sides);
}
