/* time - what a GPU did: computation, communication, copies, idle */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "ival.h"
#include "time.h"

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
	}
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

static int
add_stream(struct tp_torch_times *s, struct tp_ids *ids,
    const struct tp_torch_event *e, int64_t micro_ps)
{
	size_t had = ids->count;
	ptrdiff_t at = tp_ids_add(ids, (uint32_t)e->stream,
	    (uint16_t)e->device);

	if (!TP_ITEM(s->streams, s->stream_cap, at))
		return -1;
	if ((size_t)at == had) {
		s->streams[at] = (struct tp_torch_stream){ e->stream,
		    e->device, { .micro_ps = micro_ps } };
		s->stream_count++;
	}
	tp_torch_time_add(&s->streams[at].time, e);
	return 0;
}

static int
by_start(const struct tp_torch *t, uint32_t a, uint32_t b)
{
	const struct tp_torch_event *x = &t->events[a], *y = &t->events[b];

	return x->from_ps != y->from_ps ? x->from_ps > y->from_ps : a > b;
}

static int
find_steps(struct tp_torch_times *s, const struct tp_torch *t,
    int64_t micro_ps)
{
	size_t len = strlen(t->ops->step);

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];
		const struct tp_name *name = tp_torch_event_name(t, e);
		struct tp_torch_step step = { (uint32_t)i, TP_TORCH_NONE, 0,
		    0, { .micro_ps = micro_ps } };
		size_t at = s->step_count;
		char *end;

		if (e->cat != TP_TORCH_ANNOTATION ||
		    strncmp(name->text, t->ops->step, len))
			continue;
		step.number = strtoll(name->text + len, &end, 10);
		if (end == name->text + len || *end || step.number < 0)
			step.number = TP_TORCH_NONE;
		if (tp_grow(&s->steps, &s->step_cap, at + 1,
		    sizeof *s->steps) < 0)
			return -1;
		/* insertion sort: steps are almost always in order */
		for (; at && by_start(t, s->steps[at - 1].annotation,
		    (uint32_t)i); at--)
			s->steps[at] = s->steps[at - 1];
		s->steps[at] = step;
		s->step_count++;
	}
	return 0;
}

/*
 * Returns 1 + index of the step in which something that began at AT_PS
 * began; 0: none.
 */
static size_t
place_at(const struct tp_torch_times *s, const struct tp_torch *t,
    int64_t at_ps)
{
	size_t from;

	TP_SEEK(from, 0, s->step_count, middle,
	    t->events[s->steps[middle].annotation].from_ps <= at_ps);
	return from && t->events[s->steps[from - 1].annotation].to_ps >
	    at_ps ? from : 0;
}

static struct tp_torch_step *
step_at(struct tp_torch_times *s, const struct tp_torch *t, int64_t at_ps)
{
	size_t place = place_at(s, t, at_ps);

	return place ? &s->steps[place - 1] : NULL;
}

const struct tp_torch_step *
tp_torch_step_at(const struct tp_torch_times *s, const struct tp_torch *t,
    int64_t at_ps)
{
	size_t place = place_at(s, t, at_ps);

	return place ? &s->steps[place - 1] : NULL;
}

/* Count the launches of each step. */
static void
count_launches(struct tp_torch_times *s, const struct tp_torch *t)
{
	for (uint32_t i = 0; s->step_count && i < t->count; i++) {
		struct tp_torch_step *step;

		if (tp_torch_is_launch(t, i) &&
		    (step = step_at(s, t, t->events[i].from_ps)))
			step->launch_count++;
	}
}

int
tp_torch_times_make(struct tp_torch_times *s, const struct tp_torch *t,
    int64_t micro_ps, struct tp_err *err)
{
	struct tp_ids ids = { 0 };
	int rc;

	memset(s, 0, sizeof *s);
	s->all.micro_ps = s->linked.micro_ps = micro_ps;
	rc = find_steps(s, t, micro_ps);
	count_launches(s, t);
	for (size_t i = 0; !rc && i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		struct tp_torch_step *step = NULL;

		tp_torch_time_add(&s->all, e);
		rc = add_stream(s, &ids, e, micro_ps);
		/* without calls in the trace nothing can be linked */
		if (!tp_torch_is_linked(e) && t->linked_count)
			continue;
		tp_torch_time_add(&s->linked, e);
		if (tp_torch_is_linked(e))
			step = step_at(s, t, t->events[e->parent].from_ps);
		if (step) {
			tp_torch_time_add(&step->time, e);
			step->work_count++;
		}
	}
	tp_ids_release(&ids);
	if (rc < 0)
		return tp_fail_memory(err);
	TP_SORT(s->streams, s->stream_count, by_stream);
	return 0;
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

void
tp_torch_times_release(struct tp_torch_times *s)
{
	tp_free(s->streams);
	tp_free(s->steps);
	memset(s, 0, sizeof *s);
}
