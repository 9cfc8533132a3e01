/* gpu_lanes - busy times of the GPU's channels as lanes */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/lanes.h>
#include <tp/metal/gpu.h>
#include <tp/metal/segments.h>
#include <tp/order.h>

/* A channel of a process. */
struct channel {
	const struct tp_gpu *gpu;
	const char *scope;
	ptrdiff_t proc;			/* -1: rows without a process */
	const char *name;		/* NULL: all channels */
	const struct tp_ival *spans;
	int64_t busy;
	struct tp_lane_kinds kinds;	/* of the target: its segments */
};

struct channels {
	struct channel *list;
	size_t count;
};

static void
add_channels(struct channels *all, const struct tp_gpu *gpu, const char *scope,
    ptrdiff_t proc)
{
	const struct tp_gpu_part *p = proc < 0 ? &gpu->nobody :
	    &gpu->parts[proc];

	for (size_t i = 0; i < p->channel_cap && i < gpu->channels.count; i++)
		if (p->channels[i].rows)
			all->list[all->count++] = (struct channel){ gpu, scope,
			    proc, gpu->channels.names[i].text,
			    &p->channels[i].spans, p->channels[i].busy_ns,
			    { 0 } };
}

/* Busiest first; ties by name and pid of the process, and channel. */
static int
by_busy(const void *a, const void *b)
{
	const struct channel *x = a, *y = b;
	const struct tp_procs *procs = &x->gpu->procs;
	int d = 0;

	if (x->busy != y->busy)
		return x->busy < y->busy ? 1 : -1;
	if (x->proc < 0 || y->proc < 0)
		d = (x->proc < 0) - (y->proc < 0);
	else if (x->proc != y->proc)
		d = strcmp(tp_procs_name(procs, x->proc),
		    tp_procs_name(procs, y->proc));
	if (!d && x->proc != y->proc)
		d = tp_procs_pid(procs, x->proc) <
		    tp_procs_pid(procs, y->proc) ? -1 : 1;
	return d ? d : strcmp(x->name, y->name);
}

/* All channels, those of TARGET first. */
static void
list_channels(struct channels *all, const struct tp_gpu *gpu, ptrdiff_t target,
    size_t *own)
{
	size_t most = (gpu->part_cap + 1) * gpu->channels.count;

	all->list = tp_alloc((most + 1) * sizeof *all->list);
	if (target >= 0)
		add_channels(all, gpu, "target", target);
	*own = all->count;
	for (size_t i = 0; i < gpu->part_cap; i++)
		if ((ptrdiff_t)i != target)
			add_channels(all, gpu, "process", (ptrdiff_t)i);
	add_channels(all, gpu, "process", -1);
	TP_SORT(all->list, *own, by_busy);
	qsort(all->list + *own, all->count - *own, sizeof *all->list, by_busy);
}

/* Tell of C, a channel of the target, in which of SEGMENTS it worked. */
static void
divide(struct channel *c, const struct tp_segments *segments,
    const struct tp_lane_columns *columns)
{
	struct tp_ival_walk walk;
	struct tp_span s;
	size_t at = 0;

	tp_ival_begin(&walk, c->spans);
	while (tp_ival_next(&walk, &s))
		while (s.from < s.to) {
			const struct tp_segment *g;
			int64_t end = s.to;

			while (at < segments->count &&
			    segments->list[at].to_ns <= s.from)
				at++;
			g = at < segments->count ? &segments->list[at] : NULL;
			if (g && g->from_ns <= s.from)
				TP_LEAST(end, g->to_ns);
			else if (g)
				TP_LEAST(end, g->from_ns);
			/* the last kind is work in none */
			tp_lane_kinds_add(&c->kinds, columns, s.from, end,
			    g && g->from_ns <= s.from ? (int)at :
			    (int)segments->count);
			s.from = end;
		}
	tp_ival_stop(&walk);
}

static void
begin_gpu_lane(const void *arg, const void *of, int kind, struct tp_out *out)
{
	const struct tp_segments *segments = arg;
	const struct channel *c = of;

	tp_out_begin(out, "gpu.lane");
	tp_out_text(out, "scope", c ? c->scope : "other");
	if (!c)
		return;
	tp_out_target(out, &c->gpu->procs, c->proc, NULL);
	tp_out_text(out, "channel", c->name);
	if (kind < 0 || (size_t)kind == segments->count)
		return;
	tp_out_int(out, "segment", kind + 1);
	if (segments->list[kind].name)
		tp_out_bytes(out, "name", segments->list[kind].name,
		    segments->list[kind].name_len);
}

static void
emit_channel_lanes(const struct channel *whole, const struct channels *all,
    size_t own, const struct tp_segments *segments,
    const struct tp_lane_columns *columns, struct tp_out *out)
{
	struct tp_lane_of *lanes = tp_alloc((all->count + 1) * sizeof *lanes);

	lanes[0] = (struct tp_lane_of){ whole->spans, whole, 1, NULL };
	for (size_t i = 0; i < all->count; i++)
		lanes[i + 1] = (struct tp_lane_of){ all->list[i].spans,
		    &all->list[i], i < own, &all->list[i].kinds };
	tp_lanes_emit(lanes, all->count + 1, columns, begin_gpu_lane, segments,
	    out);
	tp_free(lanes);
}

void
tp_gpu_emit_lanes(const struct tp_gpu *gpu, ptrdiff_t target,
    const struct tp_segments *segments, size_t pixels, struct tp_out *out)
{
	const struct tp_gpu_part *m = &gpu->machine;
	struct tp_lane_columns columns;
	struct channels all = { 0 };
	struct tp_ival busy = { 0 };
	const struct channel whole = { gpu, target < 0 ? "all" : "target",
	    target, NULL, &busy, 0, { 0 } };
	size_t own;

	if (!pixels || !m->all.rows)
		return;
	columns = tp_lane_columns_over(m->first_ns, m->last_ns, 1, pixels);
	list_channels(&all, gpu, target, &own);
	for (size_t i = 0; i < own && segments->count; i++)
		divide(&all.list[i], segments, &columns);
	tp_gpu_spans(gpu, target, &busy);
	emit_channel_lanes(&whole, &all, own, segments, &columns, out);
	tp_ival_release(&busy);
	for (size_t i = 0; i < own; i++)
		tp_lane_kinds_release(&all.list[i].kinds);
	tp_free(all.list);
}
