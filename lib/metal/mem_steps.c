/* mem_steps - memory levels per step, and growth over the steps */
#include "mem_private.h"

struct range {
	int64_t peak, peak_at, low, last;
};

/*
 * Range of levels in STEP; 0 when there is no row.  *AT is the first
 * relevant level and advances: call in order of steps.
 */
static int
levels_in(const struct tp_mem_series *s, const struct tp_phase *step,
    size_t *at, struct range *r)
{
	const struct tp_mem_level *l;
	int any = 0;

	/* levels are consecutive, so only one reaches into the step */
	while (*at + 1 < s->count &&
	    s->levels[*at + 1].at_ns <= step->start_ns)
		++*at;
	for (size_t i = *at; i < s->count; i++) {
		l = &s->levels[i];
		if (l->at_ns >= step->end_ns)
			break;
		if (l->at_ns < step->start_ns &&
		    l->at_ns + l->length_ns <= step->start_ns)
			continue;
		if (!any || l->bytes > r->peak) {
			r->peak = l->bytes;
			r->peak_at = l->at_ns < step->start_ns ?
			    step->start_ns : l->at_ns;
		}
		if (!any || l->bytes < r->low)
			r->low = l->bytes;
		r->last = l->bytes;
		any = 1;
	}
	return any;
}

/*
 * Growth of the lowest level per step: what is held after a step freed its
 * own.
 */
struct growth {
	int64_t first, last;
	int64_t steps, rises;
};

static void
grow(struct growth *g, int64_t low)
{
	if (!g->steps)
		g->first = low;
	else if (low > g->last)
		g->rises++;
	g->last = low;
	g->steps++;
}

static void
emit_growth(const struct tp_mem_of *of, const struct growth *g)
{
	struct tp_out *out = of->out;

	tp_mem_begin(of, "mem.growth");
	tp_out_int(out, "level_step_count", g->steps);
	tp_out_int(out, "pair_count", g->steps - 1);
	tp_out_int(out, "rise_count", g->rises);
	tp_out_int(out, "first_low_bytes", g->first);
	tp_out_int(out, "last_low_bytes", g->last);
	tp_out_int(out, "low_growth_bytes", g->last - g->first);
	tp_out_end(out);
}

/* Write a record of KIND for each of PHASES with a known level. */
static void
emit_levels(const struct tp_mem_of *of, const char *kind,
    const struct tp_phase_view *phases, struct growth *g)
{
	const struct tp_phase *p;
	struct tp_out *out = of->out;
	struct range r = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < phases->count; i++) {
		p = &phases->list[i];
		if (!levels_in(of->series, p, &at, &r))
			continue;
		tp_mem_begin(of, kind);
		tp_out_int(out, g ? "index" : "segment", p->index);
		tp_out_int(out, "start_ns", p->start_ns);
		tp_out_int(out, "end_ns", p->end_ns);
		if (g)
			tp_out_bool(out, "is_warmup", p->warmup);
		tp_out_int(out, "peak_bytes", r.peak);
		tp_out_int(out, "peak_at_ns", r.peak_at);
		tp_out_int(out, "min_bytes", r.low);
		tp_out_int(out, "last_bytes", r.last);
		tp_out_end(out);
		if (g && !p->warmup)
			grow(g, r.low);
	}
}

void
tp_mem_emit_steps(const struct tp_mem_of *of)
{
	const struct tp_mem_series *s = of->series;
	struct growth g = { 0 };

	if (s->proc >= 0 && s->proc != of->target)
		return;
	emit_levels(of, "mem.step", of->steps, &g);
	if (g.steps > 1)
		emit_growth(of, &g);
	emit_levels(of, "mem.segment", of->segments, NULL);
}
