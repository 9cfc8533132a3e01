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
emit_histogram(const struct tp_torch_out *o, const int64_t *durations,
    size_t n)
{
	enum { BINS = 100 };
	uint64_t counts[BINS] = { 0 };
	double min = 0, max = 0, step, edge[BINS + 1];
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		double us = (double)durations[i] / 1e6;

		if (durations[i] >= o->short_limit_ps)
			continue;
		min = !count || us < min ? us : min;
		max = !count || us > max ? us : max;
		count++;
	}
	step = (max - min) / BINS;
	for (int b = 0; b <= BINS; b++)
		edge[b] = b == BINS ? max : min + b * step;
	for (size_t i = 0; i < n; i++) {
		double us = (double)durations[i] / 1e6;
		int b;

		if (durations[i] >= o->short_limit_ps)
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
 * The category of each launcher, and their NAMES.  A runtime call is not an
 * operator; its category is "graph" or "runtime".
 */
static uint16_t *
categories_of(const struct tp_torch_file *file, const char ***names)
{
	const struct tp_torch_launchers *l = &file->launchers;
	const struct tp_torch *t = &file->torch;
	size_t n = t->ops->categories.count;
	uint16_t *list = tp_alloc((l->count + 1) * sizeof *list);

	*names = tp_alloc((n + 2) * sizeof **names);
	for (size_t i = 0; i < n; i++)
		(*names)[i] = tp_torch_category_name(t->ops, (unsigned)i);
	(*names)[n] = "runtime";
	(*names)[n + 1] = "graph";
	for (size_t i = 0; i < l->count; i++) {
		const struct tp_torch_event *e = &t->events[l->list[i].event];

		list[i] = e->cat == TP_TORCH_OP ? l->list[i].category :
		    (uint16_t)(n + tp_torch_trait(t, e)->is_graph);
	}
	return list;
}

void
tp_torch_emit_kernels(const struct tp_torch_out *o,
    const struct tp_torch_args *args)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_launchers *l = &o->file->launchers;
	uint32_t *kernels = tp_alloc((t->gpu_count + 1) * sizeof *kernels);
	/* read several times: close together, not where the events are */
	int64_t *durations = tp_alloc((t->gpu_count + 1) * sizeof *durations);
	uint8_t *is_short = tp_alloc(t->gpu_count + 1);
	const char **names;
	uint16_t *categories = categories_of(o->file, &names);
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
		durations[tab.count] = tp_torch_took(e);
		is_short[tab.count] = durations[tab.count] < o->short_limit_ps;
		tab.count++;
	}
	tp_torch_samples_tab(&samples, &tab);
	event = TP_TAB_ARRAY(&tab, NULL, "event", TP_TAB_INT, kernels);
	launcher = TP_TAB_ARRAY(&tab, event, "launcher", TP_TAB_INT, l->of);
	call = TP_TAB_FIELD(&tab, launcher, "call", TP_TAB_INT, l->list, event);
	TP_TAB_NAMES(&tab, call, "op", t->events, name, &t->names,
	    TP_TAB_ABSENT);
	TP_TAB_ARRAY(&tab, launcher, "category", TP_TAB_WORD,
	    categories)->words = names;
	tp_torch_tab_args(&tab, launcher, t, args);
	TP_TAB_NAMES(&tab, event, "kernel", t->events, name, &t->names,
	    TP_TAB_ABSENT);
	TP_TAB_KNOWN(&tab, event, "stream", t->events, stream);
	TP_TAB_ARRAY(&tab, NULL, "duration", TP_TAB_PS, durations);
	TP_TAB_ARRAY(&tab, NULL, "is_short", TP_TAB_INT, is_short);
	tp_tab_total(&tab, "span", tp_torch_span(&o->file->times.linked));
	tp_tab_total(&tab, "short_limit", o->short_limit_ps);
	tp_tab_emit(&tab, "launcher.kernel", NULL, o->out);
	emit_histogram(o, durations, tab.count);
	tp_tab_emit(&tab, "short_kernel", "is_short", o->out);
	tp_torch_samples_release(&samples);
	tp_free(kernels);
	tp_free(durations);
	tp_free(is_short);
	tp_free(names);
	tp_free(categories);
}
