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

const char *
tp_jax_step_basis(const struct tp_jax_steps *st)
{
	static const char *const words[] = {
		[TP_JAX_BY_HOST] = "host", [TP_JAX_BY_DEVICE] = "device",
		[TP_JAX_BY_DISPATCH] = "dispatch",
	};

	return words[st->basis];
}

double
tp_jax_step_ps(const struct tp_jax_step *step)
{
	return (double)step->sum_ps / (double)step->count;
}

/* Collects parts of steps; keyed by number and host. */
struct build {
	const struct tp_tracks *tracks;
	struct tp_ids ids, cut;
	size_t cap;
	int pass;		/* 0: find those that are cut, 1: add others */
};

/* Remember that step NUMBER of HOST is not whole. */
static void
add_cut(struct tp_jax_steps *st, struct build *b, int64_t number,
    uint32_t host)
{
	size_t known = b->cut.count;

	tp_ids_add(&b->cut, (uint64_t)number, host);
	st->cut_count += b->cut.count > known;
}

static void
add_step_slice(struct tp_jax_steps *st, struct build *b, int64_t number,
    uint32_t host, const struct tp_jax_event *s)
{
	const struct tp_tracks_axis *axis = &b->tracks->axes[host];
	struct tp_jax_step_part *step;
	ptrdiff_t at;

	if (!b->pass) {
		if (axis->is_cut && s->to_ps > axis->cut_ps)
			add_cut(st, b, number, host);
		return;
	}
	if (tp_ids_find(&b->cut, (uint64_t)number, host) >= 0)
		return;
	at = tp_ids_add(&b->ids, (uint64_t)number, host);
	tp_grow(&st->parts, &b->cap, (size_t)at + 1, sizeof *st->parts);
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
		return;
	/* holds the part's number until the step's is final */
	TP_APPEND(st->windows, st->window_count, st->window_cap,
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
	if (!step->count && p->count) {
		step->from_ps = p->from_ps;
		step->to_ps = p->to_ps;
	}
	tp_ps_add(&step->sum_ps, p->sum_ps);
	step->count += p->count;
	tp_ps_add(&step->host_sum_ps, p->host_span.sum_ps);
	step->host_count += p->host_span.count;
	tp_ps_add(&step->device_sum_ps, p->device_span.sum_ps);
	step->device_count += p->device_span.count;
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
		if (at == end || st->parts[at].host != p->host || !p->count ||
		    !st->parts[at].count ||
		    st->parts[at].from_ps <= p->from_ps)
			continue;
		p->apart_ps = st->parts[at].from_ps - p->from_ps;
		tp_ps_add(&sum, p->apart_ps);
		n++;
	}
	step->apart_ps = n ? sum / (int64_t)n : 0;
}

/* Join the parts of all hosts to steps, by number. */
static void
join(struct tp_jax_steps *st)
{
	if (!st->part_count)
		return;
	for (size_t i = 0; i < st->window_count; i++)
		st->windows[i].number = st->parts[st->windows[i].part].number;
	TP_SORT(st->parts, st->part_count, by_number);
	st->list = tp_alloc(st->part_count * sizeof *st->list);
	for (size_t i = 0; i < st->part_count; i++)
		join_part(st, i);
	for (size_t i = 0; i + 1 < st->count; i++)
		measure_apart(st, &st->list[i], &st->list[i + 1]);
}

/*
 * The program with most time on lanes of programs, if it ran twice on one of
 * them; -1: none.
 */
static ptrdiff_t
busiest(const struct tp_tracks *t)
{
	int64_t *sums = tp_zalloc((t->names.count + 1) * sizeof *sums);
	ptrdiff_t most = -1;
	uint64_t times = 0, lanes = 0;

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
static void
collect_programs(struct tp_jax_steps *st, struct build *b, ptrdiff_t program)
{
	const struct tp_tracks *t = b->tracks;

	for (size_t i = 0; program >= 0 && i < t->track_count; i++) {
		const struct tp_track *k = &t->tracks[i];
		int64_t number = 0;

		for (uint32_t j = 0; k->holds_programs && j < k->count; j++) {
			const struct tp_jax_event *s =
			    &t->slices[t->order[k->first + j]];

			if (s->name == (uint32_t)program)
				add_step_slice(st, b, number++, k->host, s);
		}
	}
	st->from_program = program >= 0 && st->part_count;
	st->program = program >= 0 ? (uint32_t)program : 0;
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
static void
align_programs(struct tp_jax_steps *st)
{
	size_t first = 0, n, end;
	int64_t *apart = tp_alloc((st->part_count + 1) * sizeof *apart);
	int64_t least = 0;

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
}

/* For qsort(). */
static const struct tp_tracks *sorting;

TP_ORDER(by_lane, struct tp_jax_marked_work,
    TP_BY(TP_CMP(sorting->tracks[a->track].host,
    sorting->tracks[b->track].host))
    TP_BY(TP_CMP(sorting->tracks[a->track].pid,
    sorting->tracks[b->track].pid))
    TP_UP(from_ps) TP_UP(to_ps) TP_UP(mark))

static int
is_same_device(const struct tp_track *a, const struct tp_track *b)
{
	return a->host == b->host && a->pid == b->pid;
}

static void
add_span(struct tp_jax_step_span *to, int64_t from_ps, int64_t to_ps)
{
	if (!to->count++)
		*to = (struct tp_jax_step_span){ from_ps, to_ps, 0, 1 };
	TP_LEAST(to->from_ps, from_ps);
	TP_MOST(to->to_ps, to_ps);
	tp_ps_add(&to->sum_ps, to_ps - from_ps);
}

/* The last work of a device in a capture that was cut may not be whole. */
static void
find_cut_work(struct tp_jax_steps *st, struct build *b,
    const struct tp_jax_mark *marks, const struct tp_jax_marked *m)
{
	const struct tp_tracks *t = b->tracks;

	for (size_t i = 0; i < m->count; i++) {
		const struct tp_track *k = &t->tracks[m->list[i].track];

		if (t->axes[k->host].is_cut && (i + 1 == m->count ||
		    !is_same_device(k, &t->tracks[m->list[i + 1].track])))
			add_cut(st, b, marks[m->list[i].mark].step, k->host);
	}
}

/* Add the times on devices of the steps marked. */
static void
add_marked(struct tp_jax_steps *st, struct build *b,
    const struct tp_jax_mark *marks, struct tp_jax_marked *m)
{
	const struct tp_tracks *t = b->tracks;
	const struct tp_track *before = NULL;
	int64_t reach_ps = 0;

	sorting = t;
	TP_SORT(m->list, m->count, by_lane);
	find_cut_work(st, b, marks, m);
	for (size_t i = 0; i < m->count; i++) {
		const struct tp_jax_marked_work *w = &m->list[i];
		const struct tp_track *k = &t->tracks[w->track];
		int64_t number = marks[w->mark].step, from_ps = w->from_ps;
		ptrdiff_t at = tp_ids_find(&b->ids, (uint64_t)number, k->host);

		if (before && is_same_device(before, k))
			TP_MOST(from_ps, reach_ps);
		else
			reach_ps = w->to_ps;
		before = k;
		TP_MOST(reach_ps, w->to_ps);
		/* else all of it ran beside that of the step before */
		if (at < 0 || from_ps >= w->to_ps || tp_ids_find(&b->cut,
		    (uint64_t)number, k->host) >= 0)
			continue;
		add_span(&st->parts[at].device_span, from_ps, w->to_ps);
		TP_APPEND(st->windows, st->window_count, st->window_cap,
		    (struct tp_jax_step_window){ .from_ps = from_ps,
		    .to_ps = w->to_ps, .track = w->track,
		    .part = (uint32_t)at });
	}
}

/* Choose what the time of marked steps is. */
static void
choose_basis(struct tp_jax_steps *st, const struct tp_jax_marked *m)
{
	st->basis = !m->works_on ? TP_JAX_BY_HOST : st->window_count ?
	    TP_JAX_BY_DEVICE : TP_JAX_BY_DISPATCH;
	for (size_t i = 0; i < st->part_count; i++) {
		struct tp_jax_step_part *p = &st->parts[i];

		p->host_span = (struct tp_jax_step_span){ p->from_ps,
		    p->to_ps, p->sum_ps, p->count };
		if (st->basis == TP_JAX_BY_HOST)
			continue;
		p->from_ps = p->device_span.from_ps;
		p->to_ps = p->device_span.to_ps;
		p->sum_ps = p->device_span.sum_ps;
		p->count = p->device_span.count;
	}
	if (st->basis != TP_JAX_BY_DEVICE)
		st->window_count = 0;
}

/* The lanes of devices that hold steps. */
static void
collect_lanes(struct tp_jax_steps *st, struct build *b)
{
	const struct tp_tracks *t = b->tracks;
	int64_t number;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		const struct tp_name *name = &t->names.names[s->name];

		if (t->tracks[s->track].role == TP_ROLE_STEPS &&
		    tp_jax_whole(name->text, name->len, &number))
			add_step_slice(st, b, number, t->tracks[s->track].host,
			    s);
	}
}

static void
collect_marks(struct tp_jax_steps *st, struct build *b,
    const struct tp_jax_mark *marks, size_t count)
{
	const struct tp_tracks *t = b->tracks;

	for (size_t i = 0; i < count; i++) {
		const struct tp_jax_event *s = &t->slices[marks[i].slice];

		add_step_slice(st, b, marks[i].step, t->tracks[s->track].host,
		    s);
	}
}

static void
collect(struct tp_jax_steps *st, const struct tp_tracks *t,
    const struct tp_jax_mark *marks, size_t mark_count,
    struct tp_jax_marked *marked)
{
	struct build b = { .tracks = t };
	ptrdiff_t program;

	for (b.pass = 0; b.pass < 2; b.pass++)
		collect_lanes(st, &b);
	st->from_host = !st->part_count && !st->cut_count;
	for (b.pass = 0; st->from_host && b.pass < 2; b.pass++)
		collect_marks(st, &b, marks, mark_count);
	st->from_host = st->from_host && st->part_count;
	if (st->from_host && marked) {
		add_marked(st, &b, marks, marked);
		choose_basis(st, marked);
	}
	program = st->part_count || st->cut_count ? -1 : busiest(t);
	for (b.pass = 0; b.pass < 2; b.pass++)
		collect_programs(st, &b, program);
	if (st->from_program && t->is_aligned)
		align_programs(st);
	tp_ids_release(&b.ids);
	tp_ids_release(&b.cut);
	join(st);
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

/* Compute the times of the steady steps on the host and on the devices. */
static void
both_times(struct tp_jax_steps *st, double *x)
{
	size_t n = 0;

	for (size_t i = st->warmup_count; i < st->count; i++)
		if (st->list[i].host_count)
			x[n++] = (double)st->list[i].host_sum_ps /
			    (double)st->list[i].host_count;
	tp_step_times(&st->host, x, n);
	n = 0;
	for (size_t i = st->warmup_count; i < st->count; i++)
		if (st->list[i].device_count)
			x[n++] = (double)st->list[i].device_sum_ps /
			    (double)st->list[i].device_count;
	tp_step_times(&st->device, x, n);
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
 * ones, with few exceptions.  HEAVY is of those whose time is known.
 */
static void
find_kinds(struct tp_jax_steps *st, const struct tp_tracks *t,
    const unsigned char *heavy)
{
	size_t n = 0, as[2] = { 0, 0 };

	st->kinds[0] = st->kinds[1] = TP_JAX_NO_PROGRAM;
	for (size_t i = st->warmup_count; i < st->count; i++)
		if (st->list[i].count) {
			int k = heavy[n++];

			if (st->list[i].number == st->classes[k].number)
				st->kinds[k] = st->programs[i];
		}
	n = 0;
	for (size_t i = st->warmup_count; i < st->count; i++)
		if (st->list[i].count) {
			int k = heavy[n++];

			as[k] += tp_jax_same_program(t, st->programs[i],
			    st->kinds[k]);
		}
	st->has_kinds = st->kinds[0] != TP_JAX_NO_PROGRAM &&
	    st->kinds[1] != TP_JAX_NO_PROGRAM &&
	    !tp_jax_same_program(t, st->kinds[0], st->kinds[1]);
	for (int k = 0; k < 2; k++)
		if ((double)as[k] < KIND_SHARE *
		    (double)st->classes[k].times.count)
			st->has_kinds = 0;
}

/*
 * Compute the times of steps, with room for each in X, PS, NUMBERS and HEAVY.
 */
static void
times(struct tp_jax_steps *st, const struct tp_tracks *tracks, int64_t warmup,
    double *x, double *ps, int64_t *numbers, unsigned char *heavy)
{
	/* clearly apart, and more than an outlier */
	static const struct tp_step_least least = { 6, 2, 0.1 };
	size_t n = 0;

	for (size_t i = 0; i < st->count; i++)
		if (st->list[i].count)
			x[n++] = tp_jax_step_ps(&st->list[i]);
	tp_step_times(&st->all, x, n);
	while (st->warmup_count < st->count &&
	    is_warmup(st, &st->list[st->warmup_count], warmup))
		st->warmup_count++;
	n = 0;
	for (size_t i = st->warmup_count; i < st->count; i++)
		if (st->list[i].count) {
			numbers[n] = st->list[i].number;
			x[n] = ps[n] = tp_jax_step_ps(&st->list[i]);
			n++;
		}
	tp_step_times(&st->steady, x, n);
	both_times(st, x);
	steps_apart(st, st->warmup_count, x, &st->apart);
	steps_apart(st, 0, x, &st->all_apart);
	st->class_count = tp_step_classes(st->classes, ps, numbers, n, &least,
	    heavy);
	if (st->class_count == 2)
		find_kinds(st, tracks, heavy);
}

void
tp_jax_steps_make(struct tp_jax_steps *st, const struct tp_tracks *tracks,
    const struct tp_jax_mark *marks, size_t mark_count,
    struct tp_jax_marked *marked, int64_t warmup)
{
	unsigned char *heavy;
	int64_t *numbers;
	double *x, *ps;

	memset(st, 0, sizeof *st);
	collect(st, tracks, marks, mark_count, marked);
	heavy = tp_alloc(st->count + 1);
	numbers = tp_alloc((st->count + 1) * sizeof *numbers);
	x = tp_alloc((st->count + 1) * sizeof *x);
	ps = tp_alloc((st->count + 1) * sizeof *ps);
	st->programs = tp_jax_step_programs(st, tracks);
	times(st, tracks, warmup, x, ps, numbers, heavy);
	tp_free(heavy);
	tp_free(numbers);
	tp_free(x);
	tp_free(ps);
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
