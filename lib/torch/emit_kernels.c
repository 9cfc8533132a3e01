/* emit_kernels - kernels of a PyTorch trace as records */
#include <tp/alloc.h>

#include "emit_torch.h"
#include "step_samples.h"
#include "tab.h"

/*
 * Write a histogram of the durations of short kernels: 100 equal bins over
 * their range, computed in microseconds as doubles like other tools.
 */
static void
emit_histogram(const struct tp_torch_out *o, const uint32_t *kernels, size_t n)
{
	const struct tp_torch_event *events = o->file->torch.events;
	enum { BINS = 100 };
	uint64_t counts[BINS] = { 0 };
	double min = 0, max = 0, step, edge[BINS + 1];
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t ps = tp_torch_took(&events[kernels[i]]);
		double us = (double)ps / 1e6;

		if (ps >= o->short_limit_ps)
			continue;
		min = !count || us < min ? us : min;
		max = !count || us > max ? us : max;
		count++;
	}
	step = (max - min) / BINS;
	for (int b = 0; b <= BINS; b++)
		edge[b] = b == BINS ? max : min + b * step;
	for (size_t i = 0; i < n; i++) {
		int64_t ps = tp_torch_took(&events[kernels[i]]);
		double us = (double)ps / 1e6;
		int b;

		if (ps >= o->short_limit_ps)
			continue;
		b = step > 0 ? (int)((us - min) / step) : 0;
		b = b < 0 ? 0 : b >= BINS ? BINS - 1 : b;
		/* correct rounding errors of the quotient */
		while (b > 0 && us < edge[b])
			b--;
		while (b < BINS - 1 && us >= edge[b + 1])
			b++;
		counts[b]++;
	}
	for (int b = 0; count && b < BINS; b++) {
		tp_torch_out_begin(o, "short_kernel.bin");
		tp_out_int(o->out, "from_ps", (int64_t)(edge[b] * 1e6 + .5));
		tp_out_int(o->out, "to_ps",
		    (int64_t)(edge[b + 1] * 1e6 + .5));
		tp_out_int(o->out, "count", (int64_t)counts[b]);
		tp_out_end(o->out);
	}
}

/*
 * The category of each launcher.  A runtime call is not an operator; its
 * category is "graph" or "runtime".
 */
static const char **
categories_of(const struct tp_torch_file *file)
{
	const struct tp_torch_launchers *l = &file->launchers;
	const struct tp_torch *t = &file->torch;
	const char **list = tp_alloc((l->count + 1) * sizeof *list);

	for (size_t i = 0; i < l->count; i++) {
		const struct tp_torch_event *e = &t->events[l->list[i].event];

		list[i] = e->cat == TP_TORCH_OP ? tp_torch_category_name(
		    t->ops, l->list[i].category) :
		    tp_torch_trait(t, e)->is_graph ? "graph" : "runtime";
	}
	return list;
}

void
tp_torch_emit_kernels(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_launchers *l = &o->file->launchers;
	uint32_t *kernels = tp_alloc((t->gpu_count + 1) * sizeof *kernels);
	uint8_t *is_short = tp_alloc(t->gpu_count + 1);
	const char **categories = categories_of(o->file);
	struct tp_torch_args *args = tp_torch_launcher_args(o->file);
	struct tp_tab tab = { .process_rank = o->rank };
	const struct tp_column *event, *launcher, *call;
	struct tp_torch_samples samples;

	tp_torch_samples_init(&samples, &o->file->times, t, t->gpu_count);
	/* by start: rows of equal sums stay in this order */
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		if (e->cat != TP_TORCH_KERNEL)
			continue;
		kernels[tab.count] = t->gpu[i];
		tp_torch_samples_put(&samples, tab.count, e->launch);
		is_short[tab.count] = tp_torch_took(e) < o->short_limit_ps;
		tab.count++;
	}
	tp_torch_samples_tab(&samples, &tab);
	event = TP_TAB_ARRAY(&tab, NULL, "event", TP_TAB_INT, kernels);
	launcher = TP_TAB_ARRAY(&tab, event, "launcher", TP_TAB_INT, l->of);
	call = TP_TAB_FIELD(&tab, launcher, "call", TP_TAB_INT, l->list, event);
	TP_TAB_NAMES(&tab, call, "op", t->events, name, &t->names,
	    TP_TAB_ABSENT);
	TP_TAB_ARRAY(&tab, launcher, "category", TP_TAB_TEXT, categories);
	tp_torch_tab_args(&tab, launcher, t, args);
	TP_TAB_NAMES(&tab, event, "kernel", t->events, name, &t->names,
	    TP_TAB_ABSENT);
	TP_TAB_KNOWN(&tab, event, "stream", t->events, stream);
	TP_TAB_SPAN(&tab, event, "duration", t->events, from_ps, to_ps);
	TP_TAB_ARRAY(&tab, NULL, "is_short", TP_TAB_INT, is_short);
	tp_tab_total(&tab, "span", tp_torch_span(&o->file->times.linked));
	tp_tab_total(&tab, "short_limit", o->short_limit_ps);
	tp_tab_emit(&tab, "launcher.kernel", NULL, o->out);
	emit_histogram(o, kernels, tab.count);
	tp_tab_emit(&tab, "short_kernel", "is_short", o->out);
	tp_torch_samples_release(&samples);
	tp_free(kernels);
	tp_free(is_short);
	tp_free(categories);
	tp_free(args);
}
