/*
 * emit_recorded - what the host did, by call and by thread, as records
 *
 * Recordings of other profilers have calls of the runtime as events, and of
 * calls of the operating system, of stretches on a CPU and of samples only
 * sums by thread (tp_torch_tally).  Memory: 88 bytes per distinct call, 16 per
 * call and thread; 48 per thread; 56 per distinct text.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_torch.h"

/* Most functions listed. */
#define FUNCTIONS_MAX 1000

static const char runtime[] = "runtime";

/* A call by name. */
struct recorded_call {
	int64_t sum_ns, max_ns, mean_ps;	/* sum -1: does not fit; mean
						 * then -1, too */
	uint64_t count, threads;
	struct tp_name name;
	const char *layer, *class;	/* class NULL: none */
	int copies_pageable;
};

struct activity {
	int64_t on_ns, off_ns, on_count;	/* -1: unknown */
	uint64_t samples, calls;
	uint8_t has_events, is_active;	/* is_active: has any of the above */
};

/* Samples of a text: a function and, in the next line, its binary. */
struct sampled {
	uint64_t count;
	struct tp_name symbol, library;		/* empty: none */
};

struct recorded {
	const struct tp_torch_out *o;
	const struct tp_torch *t;
	struct tp_ids ids;		/* layer, name */
	struct tp_ids on;		/* call, lane */
	struct recorded_call *calls;	/* by index in ids */
	size_t cap;
	struct activity *threads;	/* by lane */
	struct sampled *sampled;	/* by text */
	uint64_t os_calls, stretches, samples, active;
};

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
		*c = (struct recorded_call){ .name = *text, .layer = layer };
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
		call = &t->events[tp_torch_submit_call(t, t->gpu[i])];
		at = call->cat != TP_TORCH_RUNTIME ? -1 : tp_ids_find(&h->ids,
		    (uint64_t)runtime[0], call->name);
		if (at >= 0)
			h->calls[at].copies_pageable = 1;
	}
}

/* Count N samples of TEXT: a function and, in the next line, its binary. */
static void
add_samples(struct sampled *s, const struct tp_name *text, uint64_t n)
{
	const char *at = memchr(text->text, '\n', text->len);

	s->count += n;
	s->symbol = *text;
	if (!at)
		return;
	s->symbol.len = (size_t)(at - text->text);
	s->library.text = at + 1;
	s->library.len = text->len - s->symbol.len - 1;
}

static void
add_tallies(struct recorded *h)
{
	const struct tp_torch *t = h->t;

	for (size_t i = 0; i < t->tally_count; i++) {
		const struct tp_torch_tally *y = &t->tallies[i];
		const struct tp_name *name = &t->texts.names[y->name];
		struct activity *d = &h->threads[y->lane];

		d->is_active |= y->count > 0;
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
			if (y->sum_ns < 0)
				break;
			d->on_ns = y->sum_ns;
			d->on_count = (int64_t)y->count;
			d->off_ns = y->to_ns - y->from_ns - y->sum_ns;
			TP_MOST(d->off_ns, -1);
			break;
		default:
			h->samples += y->count;
			d->samples += y->count;
			if (y->name)
				add_samples(&h->sampled[y->name], name,
				    y->count);
		}
	}
	for (size_t i = 0; i < t->lane_count; i++)
		h->active += h->threads[i].has_events ||
		    h->threads[i].is_active;
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
	struct tp_tab tab = { .count = h->ids.count,
	    .process_rank = h->o->rank };

	for (size_t i = 0; i < h->ids.count; i++) {
		struct recorded_call *c = &h->calls[i];
		const struct tp_class *class = tp_class_of_name(
		    &h->t->ops->blocking, c->name.text);

		c->class = c->copies_pageable ? "copy" : class ? class->name :
		    NULL;
		c->mean_ps = c->sum_ns < 0 || !c->count ? -1 : tp_div_even(
		    (tp_int128)c->sum_ns * 1000, (int64_t)c->count);
	}
	TP_TAB_FIELD(&tab, NULL, "layer", TP_TAB_TEXT, h->calls, layer);
	TP_TAB_FIELD(&tab, NULL, "call", TP_TAB_STRING, h->calls, name);
	TP_TAB_FIELD(&tab, NULL, "blocks", TP_TAB_TEXT, h->calls, class);
	TP_TAB_FIELD(&tab, NULL, "count", TP_TAB_INT, h->calls, count);
	TP_TAB_KNOWN(&tab, NULL, "host_sum_ns", h->calls, sum_ns);
	TP_TAB_KNOWN(&tab, NULL, "host_mean_ps", h->calls, mean_ps);
	TP_TAB_FIELD(&tab, NULL, "host_max_ns", TP_TAB_INT, h->calls, max_ns);
	TP_TAB_FIELD(&tab, NULL, "thread_count", TP_TAB_INT, h->calls, threads);
	tp_tab_emit(&tab, "host.call", NULL, h->o->out);
}

static void
out_threads(const struct recorded *h)
{
	const struct activity *d = h->threads;
	const struct tp_torch *t = h->t;
	struct tp_tab tab = { .count = t->lane_count,
	    .process_rank = h->o->rank };

	tp_torch_tab_lane(&tab, NULL, t);
	TP_TAB_FIELD(&tab, NULL, "pid", TP_TAB_INT, t->lanes, pid);
	TP_TAB_FIELD(&tab, NULL, "tid", TP_TAB_INT, t->lanes, tid);
	TP_TAB_KNOWN(&tab, NULL, "on_cpu_ns", d, on_ns);
	TP_TAB_KNOWN(&tab, NULL, "off_cpu_ns", d, off_ns);
	TP_TAB_KNOWN(&tab, NULL, "on_cpu_count", d, on_count);
	if (h->samples)
		TP_TAB_FIELD(&tab, NULL, "sample_count", TP_TAB_INT, d,
		    samples);
	if (h->os_calls)
		TP_TAB_FIELD(&tab, NULL, "os_call_count", TP_TAB_INT, d, calls);
	TP_TAB_FIELD(&tab, NULL, "is_active", TP_TAB_INT, d, is_active);
	tp_tab_emit(&tab, "thread.activity", "is_active", h->o->out);
}

static void
out_functions(const struct recorded *h)
{
	struct tp_tab tab = { .count = h->t->texts.count,
	    .process_rank = h->o->rank, .row_limit = FUNCTIONS_MAX };

	TP_TAB_FIELD(&tab, NULL, "symbol", TP_TAB_STRING, h->sampled, symbol);
	TP_TAB_FIELD(&tab, NULL, "library", TP_TAB_STRING, h->sampled, library);
	TP_TAB_FIELD(&tab, NULL, "self_count", TP_TAB_INT, h->sampled, count);
	TP_TAB_FIELD(&tab, NULL, "self", TP_TAB_INT, h->sampled, count);
	tp_tab_total(&tab, "all", (int64_t)h->samples);
	tp_tab_emit(&tab, "cpu.function", "self_count", h->o->out);
	tab.row_limit = 0;
	tp_tab_emit(&tab, "cpu.library", "library", h->o->out);
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
	for (size_t i = 0; i < t->lane_count; i++)
		h.threads[i] = (struct activity){ -1, -1, -1, 0, 0, 0, 0 };
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
