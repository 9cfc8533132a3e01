/* steps - training steps of a JAX trace */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "names.h"
#include "step_programs.h"
#include "steps.h"

/* A first step longer than this many times the median is warm-up. */
#define SLOW_START 1.5
/* Steps of a kind that run its program. */
#define KIND_SHARE 0.9

int
tp_jax_whole(const char *text, size_t len, int64_t *n)
{
	const char *end = text + len;
	int minus = 0, digit = 0;
	int64_t v = 0;

	tp_jax_trim(&text, &end);
	if (text < end && (*text == '-' || *text == '+'))
		minus = *text++ == '-';
	for (; text < end; text++) {
		if (*text == '_' && digit && text + 1 < end &&
		    text[1] != '_') {	/* a '_' between digits */
			continue;
		}
		digit = *text >= '0' && *text <= '9';
		if (!digit || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, *text - '0', &v))
			return 0;
	}
	if (!digit)
		return 0;
	*n = minus ? -v : v;
	return 1;
}

double
tp_jax_step_ps(const struct tp_jax_step *step)
{
	return (double)step->sum_ps / (double)step->count;
}

static int
add(struct tp_jax_steps *st, size_t *cap, struct tp_ids *ids, int64_t number,
    uint32_t host, const struct tp_jax_event *s)
{
	ptrdiff_t at = tp_ids_add(ids, (uint64_t)number, host);
	struct tp_jax_step_part *step;

	if (at < 0 || tp_grow(&st->parts, cap, (size_t)at + 1,
	    sizeof *st->parts) < 0)
		return -1;
	step = &st->parts[at];
	if ((size_t)at == st->part_count) {
		*step = (struct tp_jax_step_part){ .host = host,
		    .number = number, .from_ps = s->from_ps,
		    .to_ps = s->to_ps };
		st->part_count++;
	}
	TP_LEAST(step->from_ps, s->from_ps);
	TP_MOST(step->to_ps, s->to_ps);
	tp_ps_add(&step->sum_ps, tp_slice_ps(s));
	step->count++;
	if (st->from_host)
		return 0;
	/* holds the part's number until the step's is final */
	return TP_APPEND(st->windows, st->window_count, st->window_cap,
	    (struct tp_jax_step_window){ .from_ps = s->from_ps,
	    .to_ps = s->to_ps, .track = s->track, .part = (uint32_t)at });
}

TP_ORDER(by_number, struct tp_jax_step_part, TP_UP(number) TP_UP(host))

/* Add a part to its step. */
static void
join_part(struct tp_jax_steps *st, size_t at)
{
	const struct tp_jax_step_part *p = &st->parts[at];
	struct tp_jax_step *step;

	if (!st->count || st->list[st->count - 1].number != p->number)
		st->list[st->count++] = (struct tp_jax_step){
		    .number = p->number, .from_ps = p->from_ps,
		    .to_ps = p->to_ps, .part = at };
	step = &st->list[st->count - 1];
	tp_ps_add(&step->sum_ps, p->sum_ps);
	step->count += p->count;
	step->part_count++;
}

/* Distance from the parts of STEP to those of NEXT on the same hosts. */
static void
measure_apart(struct tp_jax_steps *st, struct tp_jax_step *step,
    const struct tp_jax_step *next)
{
	size_t at = next->part, end = at + next->part_count, n = 0;
	int64_t sum = 0;

	for (size_t i = step->part; i < step->part + step->part_count; i++) {
		struct tp_jax_step_part *p = &st->parts[i];

		while (at < end && st->parts[at].host < p->host)
			at++;
		if (at == end || st->parts[at].host != p->host ||
		    st->parts[at].from_ps <= p->from_ps)
			continue;
		p->apart_ps = st->parts[at].from_ps - p->from_ps;
		tp_ps_add(&sum, p->apart_ps);
		n++;
	}
	step->apart_ps = n ? sum / (int64_t)n : 0;
}

/* Join the parts of all hosts to steps, by number. */
static int
join(struct tp_jax_steps *st)
{
	if (!st->part_count)
		return 0;
	for (size_t i = 0; i < st->window_count; i++)
		st->windows[i].number = st->parts[st->windows[i].part].number;
	TP_SORT(st->parts, st->part_count, by_number);
	st->list = tp_alloc(st->part_count * sizeof *st->list);
	if (!st->list)
		return -1;
	for (size_t i = 0; i < st->part_count; i++)
		join_part(st, i);
	for (size_t i = 0; i + 1 < st->count; i++)
		measure_apart(st, &st->list[i], &st->list[i + 1]);
	return 0;
}

/*
 * The program with most time on lanes of programs, if it ran twice on one of
 * them; -1: none, -2: no memory.
 */
static ptrdiff_t
busiest(const struct tp_tracks *t)
{
	int64_t *sums = tp_zalloc((t->names.count + 1) * sizeof *sums);
	ptrdiff_t most = -1;
	uint64_t times = 0, lanes = 0;

	if (!sums)
		return -2;
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];

		if (!t->tracks[s->track].holds_programs)
			continue;
		tp_ps_add(&sums[s->name], tp_slice_ps(s));
		if (most < 0 || sums[s->name] > sums[most])
			most = s->name;
	}
	tp_free(sums);
	for (size_t i = 0; most >= 0 && i < t->count; i++)
		times += t->tracks[t->slices[i].track].holds_programs &&
		    t->slices[i].name == (uint32_t)most;
	for (size_t i = 0; i < t->track_count; i++)
		lanes += t->tracks[i].holds_programs && t->tracks[i].count;
	return times > lanes ? most : -1;
}

/* Collect the executions of the busiest program, in order on each lane. */
static int
collect_programs(struct tp_jax_steps *st, size_t *cap, struct tp_ids *ids,
    const struct tp_tracks *t)
{
	ptrdiff_t program = busiest(t);
	int rc = program == -2 ? -1 : 0;

	for (size_t i = 0; !rc && program >= 0 && i < t->track_count; i++) {
		const struct tp_track *k = &t->tracks[i];
		int64_t number = 0;

		for (uint32_t j = 0; !rc && k->holds_programs &&
		    j < k->count; j++) {
			const struct tp_jax_event *s =
			    &t->slices[t->order[k->first + j]];

			if (s->name == (uint32_t)program)
				rc = add(st, cap, ids, number++, k->host, s);
		}
	}
	st->from_program = st->part_count > 0;
	st->program = program >= 0 ? (uint32_t)program : 0;
	return rc;
}

/*
 * Number of the one of the COUNT PARTS, in time order, that starts closest
 * to AT.
 */
static int64_t
nearest(const struct tp_jax_step_part *parts, size_t count, int64_t at)
{
	size_t low;

	TP_SEEK(low, 0, count - 1, middle, parts[middle].from_ps < at);
	if (low && at - parts[low - 1].from_ps < parts[low].from_ps - at)
		low--;
	return parts[low].number;
}

/*
 * Executions are numbered from the first that each host recorded; on a
 * common axis, those that start together become one step.
 */
static int
align_programs(struct tp_jax_steps *st)
{
	size_t first = 0, n, end;
	int64_t *apart = tp_alloc((st->part_count + 1) * sizeof *apart);
	int64_t least = 0;

	if (!apart)
		return -1;
	/* parts of a host are adjacent and in order */
	while (first < st->part_count &&
	    st->parts[first].host == st->parts[0].host)
		first++;
	for (size_t i = first; i < st->part_count; i = end) {
		for (end = i, n = 0; end < st->part_count &&
		    st->parts[end].host == st->parts[i].host; end++)
			apart[n++] = nearest(st->parts, first,
			    st->parts[end].from_ps) - st->parts[end].number;
		tp_sort_ints(apart, n);
		for (size_t k = i; k < end; k++) {
			st->parts[k].number += apart[n / 2];
			TP_LEAST(least, st->parts[k].number);
		}
	}
	for (size_t i = 0; i < st->part_count; i++)
		st->parts[i].number -= least;
	tp_free(apart);
	return 0;
}

static int
collect(struct tp_jax_steps *st, const struct tp_tracks *t,
    const struct tp_jax_mark *marks, size_t mark_count)
{
	struct tp_ids ids = { 0 };
	size_t cap = 0;
	int64_t number;
	int rc = 0;

	for (size_t i = 0; !rc && i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		const struct tp_name *name = &t->names.names[s->name];

		if (t->tracks[s->track].role == TP_ROLE_STEPS &&
		    tp_jax_whole(name->text, name->len, &number))
			rc = add(st, &cap, &ids, number,
			    t->tracks[s->track].host, s);
	}
	st->from_host = !st->part_count;
	for (size_t i = 0; !rc && st->from_host && i < mark_count; i++) {
		const struct tp_jax_event *s = &t->slices[marks[i].slice];

		rc = add(st, &cap, &ids, marks[i].step,
		    t->tracks[s->track].host, s);
	}
	st->from_host = st->from_host && st->part_count;
	if (!rc && !st->part_count)
		rc = collect_programs(st, &cap, &ids, t);
	if (!rc && st->from_program && t->is_aligned)
		rc = align_programs(st);
	tp_ids_release(&ids);
	return rc ? rc : join(st);
}

/*
 * Marked steps with a number below WARMUP are warm-up.  Steps that were
 * found may begin anywhere in training: warm-up are the slow ones at the
 * start, among the first WARMUP.
 */
static int
is_warmup(const struct tp_jax_steps *st, const struct tp_jax_step *step,
    int64_t warmup)
{
	return step->number < warmup && (!st->from_program ||
	    tp_jax_step_ps(step) > SLOW_START * st->all.median);
}

/* Compute OF, start to start of the steps from FIRST on; X is scratch. */
static void
steps_apart(const struct tp_jax_steps *st, size_t first, double *x,
    struct tp_step_times *of)
{
	size_t n = 0;

	for (size_t i = first; i < st->count; i++)
		if (st->list[i].apart_ps)
			x[n++] = (double)st->list[i].apart_ps;
	tp_step_times(of, x, n);
}

/*
 * Whether the steady steps that are HEAVY run another program than the light
 * ones, with few exceptions.
 */
static void
find_kinds(struct tp_jax_steps *st, const struct tp_tracks *t,
    const unsigned char *heavy)
{
	const uint32_t *programs = st->programs + st->warmup_count;
	size_t n = st->count - st->warmup_count, as[2] = { 0, 0 };

	for (int k = 0; k < 2; k++) {
		st->kinds[k] = TP_JAX_NO_PROGRAM;
		for (size_t i = 0; i < n; i++)
			if (heavy[i] == k && st->list[st->warmup_count +
			    i].number == st->classes[k].number)
				st->kinds[k] = programs[i];
	}
	for (size_t i = 0; i < n; i++)
		as[heavy[i]] += tp_jax_same_program(t, programs[i],
		    st->kinds[heavy[i]]);
	st->has_kinds = st->kinds[0] != TP_JAX_NO_PROGRAM &&
	    st->kinds[1] != TP_JAX_NO_PROGRAM &&
	    !tp_jax_same_program(t, st->kinds[0], st->kinds[1]);
	for (int k = 0; k < 2; k++)
		if ((double)as[k] < KIND_SHARE *
		    (double)st->classes[k].times.count)
			st->has_kinds = 0;
}

int
tp_jax_steps_make(struct tp_jax_steps *st, const struct tp_tracks *tracks,
    const struct tp_jax_mark *marks, size_t mark_count, int64_t warmup,
    struct tp_err *err)
{
	/* clearly apart, and more than an outlier */
	static const struct tp_step_least least = { 6, 2, 0.1 };
	unsigned char *heavy = NULL;
	int64_t *numbers = NULL;
	double *x = NULL, *ps = NULL;
	size_t steady;
	int classes = -1;

	memset(st, 0, sizeof *st);
	if (collect(st, tracks, marks, mark_count) == 0) {
		heavy = tp_alloc(st->count + 1);
		numbers = tp_alloc((st->count + 1) * sizeof *numbers);
		x = tp_alloc((st->count + 1) * sizeof *x);
		ps = tp_alloc((st->count + 1) * sizeof *ps);
		st->programs = tp_jax_step_programs(st, tracks);
	}
	if (heavy && numbers && x && ps && st->programs) {
		for (size_t i = 0; i < st->count; i++) {
			numbers[i] = st->list[i].number;
			x[i] = ps[i] = tp_jax_step_ps(&st->list[i]);
		}
		tp_step_times(&st->all, x, st->count);
		while (st->warmup_count < st->count &&
		    is_warmup(st, &st->list[st->warmup_count], warmup))
			st->warmup_count++;
		steady = st->count - st->warmup_count;
		memcpy(x, ps + st->warmup_count, steady * sizeof *x);
		tp_step_times(&st->steady, x, steady);
		steps_apart(st, st->warmup_count, x, &st->apart);
		steps_apart(st, 0, x, &st->all_apart);
		classes = tp_step_classes(st->classes, ps + st->warmup_count,
		    numbers + st->warmup_count, steady, &least, heavy);
		st->class_count = classes > 0 ? (size_t)classes : 0;
		if (classes == 2)
			find_kinds(st, tracks, heavy);
	}
	tp_free(heavy);
	tp_free(numbers);
	tp_free(x);
	tp_free(ps);
	return classes < 0 ? tp_fail_memory(err) : 0;
}

int
tp_jax_steps_range(const struct tp_jax_steps *st, uint32_t host,
    int64_t *from_ps, int64_t *to_ps)
{
	int found = 0;

	for (size_t i = st->warmup_count; i < st->count; i++)
		for (size_t j = 0; j < st->list[i].part_count; j++) {
			const struct tp_jax_step_part *p =
			    &st->parts[st->list[i].part + j];

			if (p->host != host)
				continue;
			if (!found++)
				*from_ps = p->from_ps;
			*to_ps = p->to_ps;
		}
	return found > 0;
}

void
tp_jax_steps_release(struct tp_jax_steps *st)
{
	tp_free(st->list);
	tp_free(st->parts);
	tp_free(st->windows);
	tp_free(st->programs);
	memset(st, 0, sizeof *st);
}
