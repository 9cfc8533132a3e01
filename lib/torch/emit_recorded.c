/*
 * emit_recorded - what the host did, by call and by thread, as records
 *
 * Recordings of other profilers have calls of the runtime as events, and of
 * calls of the operating system, of stretches on a CPU and of samples only
 * sums by thread (tp_torch_tally).  Memory: 56 bytes per distinct call, 16 per
 * call and thread; 48 per thread; 24 per sampled function
 * and per binary.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_private.h"

/* Most functions listed. */
#define FUNCTIONS_MAX 1000

static const char runtime[] = "runtime";

/* A call by name. */
struct recorded_call {
	int64_t sum_ns, max_ns;		/* sum -1: does not fit */
	uint64_t count, threads;
	const struct tp_name *name;
	const char *layer, *class;	/* class NULL: none */
	int copies_pageable;
};

struct activity {
	int64_t on_ns, from_ns, to_ns;
	uint64_t on_count, samples, calls;
	uint32_t lane;
	int has_on, has_events;
};

struct sampled {
	uint64_t count;
	const struct tp_name *name;
};

struct recorded {
	const struct tp_torch_out *o;
	const struct tp_torch *t;
	struct tp_ids ids;		/* layer, name */
	struct tp_ids on;		/* call, lane */
	struct recorded_call *calls;	/* as ids */
	size_t cap;
	struct activity *threads;	/* by lane */
	struct sampled *sampled;	/* by text */
	uint64_t os_calls, stretches, samples, active;
};

TP_ORDER(by_sum, struct recorded_call, TP_DOWN(sum_ns) TP_DOWN(count)
    TP_BY(tp_name_cmp(a->name, b->name)) TP_UP(layer[0]))
TP_ORDER(by_activity, struct activity, TP_DOWN(on_ns) TP_DOWN(samples)
    TP_DOWN(calls) TP_UP(lane))
TP_ORDER(by_samples, struct sampled, TP_DOWN(count)
    TP_BY(tp_name_cmp(a->name, b->name)))

/* The call NAME of LAYER on LANE, counted COUNT times. */
static void
add_call(struct recorded *h, const char *layer, uint32_t name, uint32_t lane,
    const struct tp_name *text, uint64_t count, int64_t sum_ns,
    int64_t max_ns)
{
	size_t had = h->ids.count, on;
	ptrdiff_t at = tp_ids_add(&h->ids, (uint64_t)layer[0], name);
	struct recorded_call *c;

	TP_ITEM(h->calls, h->cap, at);
	c = &h->calls[at];
	if (h->ids.count > had)
		*c = (struct recorded_call){ .name = text, .layer = layer };
	on = h->on.count;
	tp_ids_add(&h->on, (uint64_t)at, lane);
	c->threads += h->on.count > on;
	c->count += count;
	TP_MOST(c->max_ns, max_ns);
	if (sum_ns < 0 || c->sum_ns < 0 || __builtin_add_overflow(c->sum_ns,
	    sum_ns, &c->sum_ns))
		c->sum_ns = -1;
}

/* Add the calls of the runtime that are in the recording itself. */
static void
add_runtime(struct recorded *h)
{
	for (size_t i = 0; i < h->t->count; i++) {
		const struct tp_torch_event *e = &h->t->events[i];
		int64_t ns = tp_ps_to_ns(e->to_ps - e->from_ps);

		if (tp_torch_is_gpu(e) || tp_torch_is_added(e))
			continue;
		h->threads[e->lane].has_events = 1;
		if (e->cat != TP_TORCH_RUNTIME)
			continue;
		add_call(h, runtime, e->name, e->lane, tp_torch_event_name(h->t,
		    e), 1, ns, ns);
	}
}

/* Mark the calls that copied pageable memory: they wait for the copy. */
static void
mark_pageable(struct recorded *h)
{
	const struct tp_torch *t = h->t;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]], *call;
		ptrdiff_t at;

		if (e->cat != TP_TORCH_MEMCPY || !tp_torch_is_linked(e) ||
		    tp_torch_trait(t, e)->memory != TP_TORCH_PAGEABLE)
			continue;
		call = &t->events[tp_torch_made(t, t->gpu[i])];
		at = call->cat != TP_TORCH_RUNTIME ? -1 : tp_ids_find(&h->ids,
		    (uint64_t)runtime[0], call->name);
		if (at >= 0)
			h->calls[at].copies_pageable = 1;
	}
}

static void
add_tallies(struct recorded *h)
{
	const struct tp_torch *t = h->t;

	for (size_t i = 0; i < t->tally_count; i++) {
		const struct tp_torch_tally *y = &t->tallies[i];
		const struct tp_name *name = &t->texts.names[y->name];
		struct activity *d = &h->threads[y->lane];

		d->lane = y->lane;
		switch (y->kind) {
		case TP_TORCH_OS_CALL:
			h->os_calls += y->count;
			d->calls += y->count;
			if (y->name)
				add_call(h, "os", y->name, y->lane, name,
				    y->count, y->sum_ns, y->max_ns);
			break;
		case TP_TORCH_ON_CPU:
			h->stretches += y->count;
			d->has_on = y->sum_ns >= 0;
			d->on_ns = y->sum_ns;
			d->on_count = y->count;
			d->from_ns = y->from_ns;
			d->to_ns = y->to_ns;
			break;
		default:
			h->samples += y->count;
			d->samples += y->count;
			h->sampled[y->name].count += y->count;
			h->sampled[y->name].name = name;
		}
	}
	for (size_t i = 0; i < t->lane_count; i++)
		h->active += h->threads[i].has_events ||
		    h->threads[i].on_count || h->threads[i].calls ||
		    h->threads[i].samples;
}

static void
out_recorded(const struct recorded *h)
{
	const struct tp_torch *t = h->t;
	struct tp_out *out = h->o->out;

	tp_torch_out_begin(h->o, "host.recorded");
	tp_out_int(out, "range_count",
	    (int64_t)t->cat_count[TP_TORCH_ANNOTATION]);
	tp_out_int(out, "runtime_call_count",
	    (int64_t)t->cat_count[TP_TORCH_RUNTIME]);
	tp_out_int(out, "os_call_count", (int64_t)h->os_calls);
	tp_out_int(out, "on_cpu_count", (int64_t)h->stretches);
	tp_out_int(out, "sample_count", (int64_t)h->samples);
	tp_out_int(out, "thread_count", (int64_t)h->active);
	if (t->is_gpu_traced)
		tp_out_bool(out, "is_gpu_traced", 1);
	tp_out_end(out);
}

static void
out_calls(struct recorded *h)
{
	struct tp_out *out = h->o->out;

	for (size_t i = 0; i < h->ids.count; i++) {
		struct recorded_call *c = &h->calls[i];
		const struct tp_class *class = tp_class_of_name(
		    &h->t->ops->blocking, c->name->text);

		c->class = c->copies_pageable ? "copy" : class ? class->name :
		    NULL;
	}
	TP_SORT(h->calls, h->ids.count, by_sum);
	for (size_t i = 0; i < h->ids.count; i++) {
		const struct recorded_call *c = &h->calls[i];

		tp_torch_out_begin(h->o, "host.call");
		tp_out_int(out, "rank", (int64_t)i + 1);
		tp_out_text(out, "layer", c->layer);
		tp_out_bytes(out, "call", c->name->text, c->name->len);
		tp_out_text(out, "blocks", c->class);
		tp_out_int(out, "count", (int64_t)c->count);
		if (c->sum_ns >= 0)
			tp_out_int(out, "host_sum_ns", c->sum_ns);
		if (c->sum_ns >= 0 && c->count)
			tp_out_int(out, "host_mean_ps", tp_div_even(
			    (tp_int128)c->sum_ns * 1000, (int64_t)c->count));
		tp_out_int(out, "host_max_ns", c->max_ns);
		tp_out_int(out, "thread_count", (int64_t)c->threads);
		tp_out_end(out);
	}
}

static void
out_threads(struct recorded *h)
{
	const struct tp_torch *t = h->t;
	struct tp_out *out = h->o->out;
	int64_t rank = 0;

	TP_SORT(h->threads, t->lane_count, by_activity);
	for (size_t i = 0; i < t->lane_count; i++) {
		const struct activity *d = &h->threads[i];

		if (!d->on_count && !d->samples && !d->calls)
			continue;
		tp_torch_out_begin(h->o, "thread.activity");
		tp_out_int(out, "rank", ++rank);
		tp_torch_out_lane(h->o, d->lane);
		tp_out_int(out, "pid", t->lanes[d->lane].pid);
		tp_out_int(out, "tid", t->lanes[d->lane].tid);
		if (d->has_on) {
			tp_out_int(out, "on_cpu_ns", d->on_ns);
			if (d->to_ns - d->from_ns >= d->on_ns)
				tp_out_int(out, "off_cpu_ns", d->to_ns -
				    d->from_ns - d->on_ns);
			tp_out_int(out, "on_cpu_count",
			    (int64_t)d->on_count);
		}
		if (h->samples)
			tp_out_int(out, "sample_count", (int64_t)d->samples);
		if (h->os_calls)
			tp_out_int(out, "os_call_count", (int64_t)d->calls);
		tp_out_end(out);
	}
}

/* The binary after the function's name, if it is recorded; else empty. */
static struct tp_name
library_of(const struct tp_name *name)
{
	const char *at = memchr(name->text, '\n', name->len);

	return (struct tp_name){ .text = at ? at + 1 : "", .len = at ?
	    name->len - (size_t)(at + 1 - name->text) : 0 };
}

/* Write COUNT samples of SYMBOL, of LIBRARY, or of both: empty is none. */
static void
out_samples(const struct recorded *h, const char *kind, size_t rank,
    struct tp_name symbol, struct tp_name library, uint64_t count)
{
	tp_torch_out_begin(h->o, kind);
	tp_out_int(h->o->out, "rank", (int64_t)rank);
	if (symbol.len)
		tp_out_bytes(h->o->out, "symbol", symbol.text, symbol.len);
	if (library.len)
		tp_out_bytes(h->o->out, "library", library.text, library.len);
	tp_out_int(h->o->out, "self_count", (int64_t)count);
	tp_out_ratio(h->o->out, "self_ratio", (int64_t)count,
	    (int64_t)h->samples);
	tp_out_end(h->o->out);
}

/* Write the binaries of the first COUNT functions. */
static void
out_libraries(const struct recorded *h, size_t count)
{
	struct sampled *list = tp_zalloc((count + 1) * sizeof *list);
	struct tp_names names = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct tp_name library = library_of(h->sampled[i].name);

		if (library.len)
			list[tp_names_add(&names, library.text,
			    library.len)].count += h->sampled[i].count;
	}
	for (size_t i = 0; i < names.count; i++)
		list[i].name = &names.names[i];
	TP_SORT(list, names.count, by_samples);
	for (size_t i = 0; i < names.count; i++)
		out_samples(h, "cpu.library", i + 1, (struct tp_name){
		    .len = 0 }, *list[i].name, list[i].count);
	tp_names_release(&names);
	tp_free(list);
}

static void
out_functions(struct recorded *h)
{
	size_t count = 0;

	for (size_t i = 1; i < h->t->texts.count; i++)
		if (h->sampled[i].count)
			h->sampled[count++] = h->sampled[i];
	TP_SORT(h->sampled, count, by_samples);
	for (size_t i = 0; i < count && i < FUNCTIONS_MAX; i++) {
		struct tp_name symbol = *h->sampled[i].name;
		struct tp_name library = library_of(h->sampled[i].name);

		symbol.len -= library.len + (library.len > 0);
		out_samples(h, "cpu.function", i + 1, symbol, library,
		    h->sampled[i].count);
	}
	out_libraries(h, count);
}

void
tp_torch_emit_recorded(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	struct recorded h = { .o = o, .t = t };

	if (!t->recorder)
		return;
	h.threads = tp_zalloc((t->lane_count + 1) * sizeof *h.threads);
	h.sampled = tp_zalloc((t->texts.count + 1) * sizeof *h.sampled);
	add_runtime(&h);
	add_tallies(&h);
	if (t->is_tallied || h.ids.count)
		out_recorded(&h);
	mark_pageable(&h);
	out_calls(&h);
	out_threads(&h);
	out_functions(&h);
	tp_ids_release(&h.ids);
	tp_ids_release(&h.on);
	tp_free(h.calls);
	tp_free(h.threads);
	tp_free(h.sampled);
}
