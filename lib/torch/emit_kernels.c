/* emit_kernels - kernels of a PyTorch trace as records */
#include <string.h>

#include <tp/alloc.h>

#include "emit_private.h"
#include "samples.h"

/* Kernels as items of tables. */
struct kernels {
	uint32_t *list;		/* events, by start */
	int64_t *durations;
	uint32_t *groups;
	size_t count;
	struct tp_torch_samples samples;
};

static void
kernels_init(struct kernels *k, const struct tp_torch_file *file)
{
	const struct tp_torch *t = &file->torch;
	size_t n = t->gpu_count + 1;

	memset(k, 0, sizeof *k);
	k->list = tp_alloc(n * sizeof *k->list);
	k->durations = tp_alloc(n * sizeof *k->durations);
	k->groups = tp_alloc(n * sizeof *k->groups);
	tp_torch_samples_init( &k->samples, &file->times, t, t->gpu_count);
	/* by start: rows of equal sums stay in this order */
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		if (e->cat != TP_TORCH_KERNEL)
			continue;
		k->list[k->count] = t->gpu[i];
		tp_torch_samples_put(&k->samples, k->count, e->parent);
		k->durations[k->count++] = e->to_ps - e->from_ps;
	}
}

static void
kernels_release(struct kernels *k)
{
	tp_free(k->list);
	tp_free(k->durations);
	tp_free(k->groups);
	tp_torch_samples_release(&k->samples);
}

/* The launcher of kernel EVENT, or NULL. */
static const struct tp_torch_launcher *
launcher(const struct tp_torch_out *o, uint32_t event)
{
	uint32_t at = o->file->launchers.of[event];

	return at == TP_TORCH_NO ? NULL : &o->file->launchers.list[at];
}

/*
 * The category of a launcher.  A runtime call is not an operator; its category
 * is "graph" or "runtime".
 */
static const char *
category(const struct tp_torch_out *o, const struct tp_torch_launcher *l)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_event *e = &t->events[l->event];

	if (e->cat == TP_TORCH_OP)
		return tp_torch_category_name(t->ops, l->category);
	return tp_torch_trait(t, e)->is_graph ? "graph" : "runtime";
}

static void
out_parent(const struct tp_torch_out *o, uint32_t event)
{
	const struct tp_torch_launcher *l = launcher(o, event);

	if (!l)
		return;
	tp_out_text(o->out, "category", category(o, l));
	tp_torch_out_name(o, "op", o->file->torch.events[l->event].name);
}

static void
emit_kernel(const struct tp_torch_out *o, struct kernels *k,
    const struct tp_torch_table *table, const struct tp_torch_row *row)
{
	uint32_t event = k->list[table->items[row->first]];
	const struct tp_torch_event *e = &o->file->torch.events[event];
	struct tp_torch_stat s = tp_torch_row_stat(table, row, k->durations);

	tp_torch_out_begin(o, "launcher.kernel");
	out_parent(o, event);
	tp_torch_out_name(o, "kernel", e->name);
	tp_out_known(o->out, "stream", e->stream);
	tp_out_int(o->out, "count", row->count);
	tp_torch_out_stat(o, "duration", &s);
	tp_out_ratio(o->out, "duration_ratio", s.sum_ps, table->sum_ps);
	tp_out_ratio(o->out, "duration_of_span_factor", s.sum_ps,
	    tp_torch_span(&o->file->times.linked));
	tp_torch_samples_emit(&k->samples, table, row, k->durations, o->out);
	tp_out_end(o->out);
}

/* Group kernels by name, stream, and name and category of the launcher. */
static ptrdiff_t
alike(const struct tp_torch_out *o, struct tp_ids *ids, struct tp_ids *parents,
    uint32_t event)
{
	const struct tp_torch_event *e = &o->file->torch.events[event];
	const struct tp_torch_launcher *l = launcher(o, event);
	const struct tp_torch_event *p =
	    l ? &o->file->torch.events[l->event] : NULL;
	ptrdiff_t parent = tp_ids_add(parents, p ? p->name : UINT64_MAX,
	    p ? (uint64_t)(p->cat == TP_TORCH_OP) << 16 | l->category : 0);

	return tp_ids_add(ids, (uint64_t)parent << 32 | e->name,
	    (uint32_t)e->stream);
}

static void
emit_all(const struct tp_torch_out *o, struct kernels *k)
{
	struct tp_torch_table table = { 0 };
	struct tp_ids ids = { 0 }, parents = { 0 };

	for (size_t i = 0; i < k->count; i++)
		k->groups[i] = (uint32_t)alike(o, &ids, &parents, k->list[i]);
	tp_torch_table_make(&table, k->groups, k->durations, k->count,
	    ids.count);
	for (size_t i = 0; i < table.count; i++)
		emit_kernel(o, k, &table, &table.rows[i]);
	tp_torch_table_release(&table);
	tp_ids_release(&ids);
	tp_ids_release(&parents);
}

/*
 * Write a histogram of the durations of short kernels: 100 equal bins over
 * their range, computed in microseconds as doubles like other tools.
 */
static void
emit_histogram(const struct tp_torch_out *o, const struct kernels *k)
{
	enum { BINS = 100 };
	uint64_t counts[BINS] = { 0 };
	double min = 0, max = 0, step, edge[BINS + 1];
	size_t count = 0;

	for (size_t i = 0; i < k->count; i++) {
		double us = (double)k->durations[i] / 1e6;

		if (k->durations[i] >= o->short_limit_ps)
			continue;
		min = !count || us < min ? us : min;
		max = !count || us > max ? us : max;
		count++;
	}
	step = (max - min) / BINS;
	for (int b = 0; b <= BINS; b++)
		edge[b] = b == BINS ? max : min + b * step;
	for (size_t i = 0; i < k->count; i++) {
		double us = (double)k->durations[i] / 1e6;
		int b;

		if (k->durations[i] >= o->short_limit_ps)
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

static void
emit_short(const struct tp_torch_out *o, const struct kernels *k,
    const struct tp_torch_table *table, const struct tp_torch_row *row)
{
	uint32_t event = k->list[table->items[row->first]];
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_launcher *l = launcher(o, event);
	struct tp_torch_stat s = tp_torch_row_stat(table, row, k->durations);

	tp_torch_out_begin(o, "short_kernel");
	if (l) {
		tp_torch_out_name(o, "op", t->events[l->event].name);
		tp_torch_out_call(o, &t->events[l->event], 0);
	}
	tp_torch_out_name(o, "kernel", t->events[event].name);
	tp_out_ps(o->out, "short_limit_ns", o->short_limit_ps);
	tp_out_int(o->out, "count", row->count);
	tp_torch_out_stat(o, "duration", &s);
	tp_out_ratio(o->out, "duration_of_span_factor", s.sum_ps,
	    tp_torch_span(&o->file->times.linked));
	tp_out_end(o->out);
}

/*
 * Group kernels by name, and by name and arguments (without types) of the
 * launcher.
 */
static ptrdiff_t
alike_short(const struct tp_torch_out *o, struct tp_ids *ids,
    struct tp_ids *calls, uint32_t event)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_launcher *l = launcher(o, event);
	const struct tp_torch_event *p = l ? &t->events[l->event] : NULL;
	struct tp_torch_args call = { 0 };
	ptrdiff_t at;

	if (p && p->cat == TP_TORCH_OP)
		call = tp_torch_args_of(t, p);
	at = tp_ids_add(calls, (uint64_t)call.dims << 32 | call.strides,
	    (uint64_t)call.concrete << 32 | (p ? p->name : UINT32_MAX));
	return tp_ids_add(ids, (uint64_t)at, t->events[event].name);
}

static void
emit_shorts(const struct tp_torch_out *o, struct kernels *k)
{
	struct tp_torch_table table = { 0 };
	struct tp_ids ids = { 0 }, calls = { 0 };

	for (size_t i = 0; i < k->count; i++)
		k->groups[i] = k->durations[i] >= o->short_limit_ps ?
		    UINT32_MAX : (uint32_t)alike_short(o, &ids, &calls,
		    k->list[i]);
	tp_torch_table_make(&table, k->groups, k->durations, k->count,
	    ids.count);
	for (size_t i = 0; i < table.count; i++)
		emit_short(o, k, &table, &table.rows[i]);
	tp_torch_table_release(&table);
	tp_ids_release(&ids);
	tp_ids_release(&calls);
}

void
tp_torch_emit_kernels(const struct tp_torch_out *o)
{
	struct kernels k;

	kernels_init(&k, o->file);
	emit_all(o, &k);
	emit_histogram(o, &k);
	emit_shorts(o, &k);
	kernels_release(&k);
}
