/* gpu_unite - compute the unions of the GPU analysis from its lanes */
#include <tp/alloc.h>

#include "gpu_private.h"
#include "merge.h"

/* The lanes being merged, with their owners. */
struct lanes {
	const struct tp_ival **spans;
	struct whose {
		ptrdiff_t proc;		/* -1: rows without a process */
		size_t channel;
	} *whose;
	size_t count;
};

static void
lanes_of(const struct tp_gpu_part *p, ptrdiff_t proc, struct lanes *l)
{
	for (size_t i = 0; i < p->channel_cap; i++) {
		if (!p->channels[i].rows)
			continue;
		l->spans[l->count] = &p->channels[i].spans;
		l->whose[l->count++] = (struct whose){ proc, i };
	}
}

/* Collect the lanes of PROC, or of all (-1), yours to release. */
static void
lanes_find(const struct tp_gpu *gpu, ptrdiff_t proc, struct lanes *l)
{
	size_t most = gpu->nobody.channel_cap, i;

	for (i = 0; i < gpu->part_cap; i++)
		most += gpu->parts[i].channel_cap;
	l->spans = tp_alloc((most + 1) * sizeof *l->spans);
	l->whose = tp_alloc((most + 1) * sizeof *l->whose);
	l->count = 0;
	if (proc < 0)
		lanes_of(&gpu->nobody, -1, l);
	for (i = 0; i < gpu->part_cap; i++)
		if (proc < 0 || (size_t)proc == i)
			lanes_of(&gpu->parts[i], (ptrdiff_t)i, l);
}

static void
lanes_release(struct lanes *l)
{
	tp_free(l->spans);
	tp_free(l->whose);
}

/* The unions being swept. */
struct unions {
	struct tp_sweep machine, rest, attributed;
	struct tp_sweep *parts, *channels;
	ptrdiff_t target;
	struct tp_gpu_all_gaps *gaps;	/* or NULL */
};

/* Record a gap of LENGTH, unless 0, that ends at TO. */
static void
record_gap(const struct unions *u, enum tp_gpu_whose whose, int64_t length,
    int64_t to)
{
	struct tp_span around[] = { { 0, to - length }, { to, 0 } };

	if (length && u->gaps)
		tp_gpu_gaps_add(u->gaps, whose, around, 2);
}

/* Add a span to all unions it belongs to. */
static void
add_to_unions(struct unions *u, const struct whose *w, const struct tp_span *s)
{
	int64_t gap = tp_sweep_add(&u->machine, s->from, s->to);

	record_gap(u, TP_GPU_MACHINE, gap, s->from);
	tp_sweep_add(&u->channels[w->channel], s->from, s->to);
	if (w->proc < 0)
		return;
	tp_sweep_add(&u->attributed, s->from, s->to);
	gap = tp_sweep_add(&u->parts[w->proc], s->from, s->to);
	if (w->proc == u->target)
		record_gap(u, TP_GPU_TARGET, gap, s->from);
	else
		tp_sweep_add(&u->rest, s->from, s->to);
}

/*
 * Add N spans of a lane.  Once no other span reaches beyond the last one,
 * the rest extends each union equally.
 */
static void
add_run(struct unions *u, const struct whose *w, const struct tp_span *s,
    size_t n)
{
	int64_t busy = 0, to = s[n - 1].to;
	size_t i = 0;

	do
		add_to_unions(u, w, &s[i++]);
	while (i < n && u->machine.to > s[i - 1].to);
	if (i == n)
		return;
	if (u->gaps)
		tp_gpu_gaps_add(u->gaps, w->proc >= 0 &&
		    w->proc == u->target ? TP_GPU_BOTH : TP_GPU_MACHINE,
		    s + i - 1, n - i + 1);
	for (; i < n; i++)
		busy += s[i].to - s[i].from;
	tp_sweep_grow(&u->machine, busy, to);
	tp_sweep_grow(&u->channels[w->channel], busy, to);
	if (w->proc < 0)
		return;
	tp_sweep_grow(&u->attributed, busy, to);
	tp_sweep_grow(&u->parts[w->proc], busy, to);
	if (w->proc != u->target)
		tp_sweep_grow(&u->rest, busy, to);
}

/* Store the results. */
static void
store_unions(struct tp_gpu *gpu, const struct unions *u)
{
	struct tp_gpu_part *m = &gpu->machine;

	m->all.busy_ns = u->machine.busy;
	for (size_t i = 0; i < m->channel_cap && i < gpu->channels.count; i++)
		m->channels[i].busy_ns = u->channels[i].busy;
	for (size_t i = 0; i < gpu->part_cap; i++)
		gpu->parts[i].all.busy_ns = u->parts[i].busy;
	gpu->rest_busy_ns = u->rest.busy;
	gpu->overlap_ns = u->target < 0 ? 0 : u->parts[u->target].busy +
	    u->rest.busy - u->attributed.busy;
	gpu->united = 1;
}

void
tp_gpu_unite(struct tp_gpu *gpu, ptrdiff_t target,
    struct tp_gpu_all_gaps *gaps)
{
	struct unions u = { .target = target, .gaps = gaps };
	struct tp_merge merge;
	const struct tp_span *spans;
	struct lanes lanes;
	size_t which, n;

	u.parts = tp_zalloc((gpu->part_cap + 1) * sizeof *u.parts);
	u.channels = tp_zalloc((gpu->channels.count + 1) * sizeof *u.channels);
	lanes_find(gpu, -1, &lanes);
	tp_merge_begin(&merge, lanes.spans, lanes.count);
	while (tp_merge_next(&merge, &spans, &n, &which))
		add_run(&u, &lanes.whose[which], spans, n);
	if (gaps)
		tp_gpu_gaps_finish(gaps);
	store_unions(gpu, &u);
	tp_merge_stop(&merge);
	lanes_release(&lanes);
	tp_free(u.parts);
	tp_free(u.channels);
}

void
tp_gpu_spans(const struct tp_gpu *gpu, ptrdiff_t proc, struct tp_ival *busy)
{
	struct lanes lanes;

	lanes_find(gpu, proc, &lanes);
	tp_merge_unite(lanes.spans, lanes.count, busy);
	lanes_release(&lanes);
}
