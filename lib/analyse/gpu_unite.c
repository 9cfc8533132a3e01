/* gpu_unite - unions of the GPU analysis, of the lanes that are kept */
#include <tp/alloc.h>
#include <tp/merge.h>

#include "gpu_private.h"

/* Lanes that are merged, and whose they are. */
struct lanes {
	const struct tp_ival **spans;
	struct whose {
		ptrdiff_t proc;		/* -1: nobody's */
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

/* The lanes of PROC, or all (-1), to release; -1 without memory. */
static int
lanes_find(const struct tp_gpu *gpu, ptrdiff_t proc, struct lanes *l)
{
	size_t most = gpu->nobody.channel_cap, i;

	for (i = 0; i < gpu->part_cap; i++)
		most += gpu->parts[i].channel_cap;
	*l = (struct lanes){ .spans = tp_alloc((most + 1) *
	    sizeof *l->spans) };
	l->whose = tp_alloc((most + 1) * sizeof *l->whose);
	if (!l->spans || !l->whose)
		return -1;
	if (proc < 0)
		lanes_of(&gpu->nobody, -1, l);
	for (i = 0; i < gpu->part_cap; i++)
		if (proc < 0 || (size_t)proc == i)
			lanes_of(&gpu->parts[i], (ptrdiff_t)i, l);
	return 0;
}

static void
lanes_release(struct lanes *l)
{
	tp_free(l->spans);
	tp_free(l->whose);
}

/* All unions under way. */
struct unions {
	struct tp_run_length machine, rest, attributed;
	struct tp_run_length *parts, *channels;
	ptrdiff_t target;
	tp_gpu_gap *gap;
	void *of_machine, *of_target;
};

static inline int
told(const struct unions *u, void *arg, int64_t length, int64_t to)
{
	return length && u->gap ? u->gap(arg, to - length, to) : 0;
}

static int
add(struct unions *u, const struct whose *w, int64_t from, int64_t to)
{
	int64_t gap = tp_run_length_add(&u->machine, from, to);

	if (told(u, u->of_machine, gap, from) < 0)
		return -1;
	tp_run_length_add(&u->channels[w->channel], from, to);
	if (w->proc < 0)
		return 0;
	tp_run_length_add(&u->attributed, from, to);
	gap = tp_run_length_add(&u->parts[w->proc], from, to);
	if (w->proc == u->target)
		return told(u, u->of_target, gap, from);
	tp_run_length_add(&u->rest, from, to);
	return 0;
}

/* What came of it. */
static void
keep(struct tp_gpu *gpu, const struct unions *u)
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

int
tp_gpu_unite(struct tp_gpu *gpu, ptrdiff_t target, tp_gpu_gap *gap,
    void *machine, void *of_target)
{
	struct unions u = { .target = target, .gap = gap,
	    .of_machine = machine, .of_target = of_target };
	struct tp_merge merge = { 0 };
	const struct tp_span *span;
	struct lanes lanes;
	size_t which;
	int more = -1;

	u.parts = tp_zalloc((gpu->part_cap + 1) * sizeof *u.parts);
	u.channels = tp_zalloc((gpu->channels.count + 1) *
	    sizeof *u.channels);
	if (lanes_find(gpu, -1, &lanes) == 0 && u.parts && u.channels &&
	    tp_merge_begin(&merge, lanes.spans, lanes.count) == 0)
		while ((more = tp_merge_next(&merge, &span, &which)) > 0)
			if (add(&u, &lanes.whose[which], span->from,
			    span->to) < 0) {
				more = -1;
				break;
			}
	if (!more)
		keep(gpu, &u);
	tp_merge_stop(&merge);
	lanes_release(&lanes);
	tp_free(u.parts);
	tp_free(u.channels);
	return more;
}

int
tp_gpu_spans(const struct tp_gpu *gpu, ptrdiff_t proc, struct tp_ival *busy)
{
	struct tp_merge merge = { 0 };
	const struct tp_span *span;
	struct lanes lanes;
	size_t which;
	int more = -1;

	if (lanes_find(gpu, proc, &lanes) == 0 &&
	    tp_merge_begin(&merge, lanes.spans, lanes.count) == 0)
		while ((more = tp_merge_next(&merge, &span, &which)) > 0)
			if (tp_ival_add(busy, span->from, span->to) < 0) {
				more = -1;
				break;
			}
	tp_merge_stop(&merge);
	lanes_release(&lanes);
	return more;
}
