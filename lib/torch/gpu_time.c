/* gpu_time - what a GPU did: computation, communication, copies, idle */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "ival.h"
#include "gpu_time.h"

int64_t
tp_torch_unite(struct tp_span *spans, size_t count)
{
	struct tp_sweep sweep = { 0 };

	tp_spans_sort(spans, count);
	for (size_t i = 0; i < count; i++)
		tp_sweep_add(&sweep, spans[i].from, spans[i].to);
	return sweep.busy;
}

void
tp_torch_time_add(struct tp_torch_time *t, const struct tp_torch_event *e)
{
	int64_t gap = 0;

	if (!t->count++) {
		t->first_ps = e->from_ps;
		t->last_ps = e->to_ps;
		t->device = e->device;
	}
	t->is_mixed |= t->device != e->device;
	TP_MOST(t->last_ps, e->to_ps);
	tp_sweep_add(&t->own[e->bucket], e->from_ps, e->to_ps);
	for (unsigned b = e->bucket; b < TP_TORCH_BUCKETS; b++)
		gap = tp_sweep_add(&t->upto[b], e->from_ps, e->to_ps);
	if (!gap)
		return;
	TP_MOST(t->gap_max_ps, gap);
	if (gap < t->micro_ps) {
		t->micro_idle_ps += gap;
		t->micro_count++;
	} else {
		t->macro_idle_ps += gap;
		t->macro_count++;
	}
}

TP_ORDER(by_stream, struct tp_torch_stream, TP_UP(device) TP_UP(stream))

static void
add_stream(struct tp_torch_times *s, struct tp_ids *ids,
    const struct tp_torch_event *e, int64_t micro_ps)
{
	size_t had = ids->count;
	ptrdiff_t at = tp_ids_add(ids, (uint32_t)e->stream,
	    (uint16_t)e->device);

	TP_ITEM(s->streams, s->stream_cap, at);
	if ((size_t)at == had) {
		s->streams[at] = (struct tp_torch_stream){ e->stream,
		    e->device, { .micro_ps = micro_ps } };
		s->stream_count++;
	}
	tp_torch_time_add(&s->streams[at].time, e);
}

TP_ORDER(by_process, struct tp_torch_step, TP_UP(process_id)
    TP_UP(from_ps) TP_UP(annotation))

/* Determine whether several processes launched work, or marked steps. */
static void
tell_processes(struct tp_torch_times *s, const struct tp_torch *t)
{
	uint32_t launched = TP_TORCH_NO, marked = TP_TORCH_NO;

	for (uint32_t i = 0; !s->by_process && i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];
		uint32_t process = t->lanes[e->lane].process_id;
		uint32_t *first = tp_torch_is_step(t, e) ? &marked :
		    &launched;

		if (first == &launched && !tp_torch_is_launch(t, i))
			continue;
		s->by_process = *first != TP_TORCH_NO && *first != process;
		*first = process;
	}
}

static void
find_steps(struct tp_torch_times *s, const struct tp_torch *t,
    int64_t micro_ps)
{
	size_t len = strlen(t->ops->step);

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];
		struct tp_torch_step step = { .annotation = (uint32_t)i,
		    .from_ps = e->from_ps, .to_ps = e->to_ps,
		    .time = { .micro_ps = micro_ps } };
		const char *number;
		char *end;

		if (!tp_torch_is_step(t, e))
			continue;
		if (s->by_process)
			step.process_id = t->lanes[e->lane].process_id;
		number = tp_torch_event_name(t, e)->text + len;
		step.number = strtoll(number, &end, 10);
		if (end == number || *end || step.number < 0)
			step.number = TP_TORCH_NONE;
		TP_APPEND(s->steps, s->step_count, s->step_cap, step);
	}
	TP_SORT(s->steps, s->step_count, by_process);
}

/* The step in which something that began at AT_PS on LANE began, or NULL. */
static struct tp_torch_step *
step_at(const struct tp_torch_times *s, const struct tp_torch *t,
    uint32_t lane, int64_t at_ps)
{
	uint32_t of = s->by_process ? t->lanes[lane].process_id : 0;
	struct tp_torch_step *step;
	size_t from;

	TP_SEEK(from, 0, s->step_count, middle,
	    s->steps[middle].process_id < of ||
	    (s->steps[middle].process_id == of &&
	    s->steps[middle].from_ps <= at_ps));
	step = from ? &s->steps[from - 1] : NULL;
	return step && step->process_id == of && step->to_ps > at_ps ? step :
	    NULL;
}

const struct tp_torch_step *
tp_torch_step_at(const struct tp_torch_times *s, const struct tp_torch *t,
    uint32_t lane, int64_t at_ps)
{
	return step_at(s, t, lane, at_ps);
}

/* Count the launches of each step. */
static void
count_launches(struct tp_torch_times *s, const struct tp_torch *t)
{
	for (uint32_t i = 0; s->step_count && i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];
		struct tp_torch_step *step;

		if (tp_torch_is_launch(t, i) &&
		    (step = step_at(s, t, e->lane, e->from_ps)))
			step->launch_count++;
	}
}

/* Whether STEP, the last of N of a process, is no whole one. */
static int
is_partial(const struct tp_torch_step *step, size_t n, double ratio)
{
	double launches = (double)step[-1].launch_count;
	double works = (double)step[-1].work_count;

	for (size_t i = 2; i < n; i++) {
		const struct tp_torch_step *before = step - i;

		TP_LEAST(launches, (double)before->launch_count);
		TP_LEAST(works, (double)before->work_count);
	}
	return step->launch_count &&
	    ((double)step->launch_count < ratio * launches ||
	    (double)step->work_count < ratio * works);
}

/*
 * Find the steps in which the recording ends; without three before it cannot be
 * known.
 */
static void
find_partial(struct tp_torch_times *s, double ratio)
{
	size_t n = 0;

	for (size_t i = 0; i < s->step_count; i++) {
		struct tp_torch_step *step = &s->steps[i];

		n = i && step[-1].process_id == step->process_id ? n + 1 : 1;
		if (n > 3 && (i + 1 == s->step_count ||
		    step[1].process_id != step->process_id))
			step->is_partial = is_partial(step, n, ratio);
	}
}

/*
 * Sum what each GPU communicated, and computed beside it; only LINKED work if
 * that is set.
 */
static void
sum_devices(struct tp_torch_time *sum, const struct tp_torch *t, int linked)
{
	struct tp_torch_time *list = NULL;
	struct tp_ids ids = { 0 };
	size_t cap = 0;

	for (size_t i = 0; sum->is_mixed && i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		ptrdiff_t at;

		if (linked && !tp_torch_is_linked(e) && t->linked_count)
			continue;
		at = tp_ids_add(&ids, (uint16_t)e->device, 0);
		TP_ITEM(list, cap, at);
		tp_torch_time_add(&list[at], e);
	}
	for (size_t i = 0; i < ids.count; i++) {
		int64_t ps = list[i].own[TP_TORCH_COMMUNICATION].busy;

		sum->communication_ps += ps;
		sum->hidden_ps += ps - tp_torch_exposed(&list[i],
		    TP_TORCH_COMMUNICATION);
	}
	tp_ids_release(&ids);
	tp_free(list);
}

void
tp_torch_times_make(struct tp_torch_times *s, const struct tp_torch *t,
    int64_t micro_ps)
{
	struct tp_ids ids = { 0 };

	memset(s, 0, sizeof *s);
	s->all.micro_ps = s->linked.micro_ps = micro_ps;
	tell_processes(s, t);
	find_steps(s, t, micro_ps);
	count_launches(s, t);
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		struct tp_torch_step *step = NULL;

		tp_torch_time_add(&s->all, e);
		add_stream(s, &ids, e, micro_ps);
		/* without calls in the trace nothing can be linked */
		if (!tp_torch_is_linked(e) && t->linked_count)
			continue;
		tp_torch_time_add(&s->linked, e);
		if (tp_torch_is_linked(e))
			step = step_at(s, t, t->events[e->launch].lane,
			    t->events[e->launch].from_ps);
		if (step) {
			tp_torch_time_add(&step->time, e);
			step->work_count++;
		}
	}
	tp_ids_release(&ids);
	sum_devices(&s->all, t, 0);
	sum_devices(&s->linked, t, 1);
	TP_SORT(s->streams, s->stream_count, by_stream);
	find_partial(s, t->ops->whole_ratio);
}

int64_t
tp_torch_device_count(const struct tp_torch_times *s)
{
	int64_t n = 0;

	for (size_t i = 0; i < s->stream_count; i++)
		n += !i || s->streams[i].device != s->streams[i - 1].device;
	return n;
}

size_t
tp_torch_stream_of(const struct tp_torch_times *s,
    const struct tp_torch_event *work)
{
	const struct tp_torch_stream key = { work->stream, work->device,
	    { 0 } };
	const struct tp_torch_stream *found = bsearch(&key, s->streams,
	    s->stream_count, sizeof *s->streams, by_stream);

	return found ? (size_t)(found - s->streams) : 0;
}
