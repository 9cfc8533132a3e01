/* emit_pieces - the parts of the budget that the time of a gap belongs to */
#include <tp/budget.h>
#include <tp/json.h>

#include "emit_torch.h"

/* Whether the host in gap G is to be told by shares. */
static int
is_shared(const struct tp_torch_gap *g)
{
	return !g->about && (g->cause == TP_TORCH_CPU || g->cause ==
	    TP_TORCH_UNTRACED || g->cause == TP_TORCH_IN_RUNTIME ||
	    g->cause == TP_TORCH_PROFILER);
}

/* Whether calls of CLASS that took PS did what comes once. */
static int
is_first_use(const struct tp_class *class, int64_t ps)
{
	double first_ns;

	return tp_json_number(class->row, "first_use_ns", &first_ns) &&
	    (double)ps >= first_ns * 1000;
}

static struct tp_torch_gap_part
part_of_calls(const struct tp_class *class, int first_use)
{
	if (first_use)
		return (struct tp_torch_gap_part){ TP_PART_HOST, "first-use" };
	return (struct tp_torch_gap_part){ (enum tp_budget_part)class->number,
	    tp_json_text(class->row, "cause") };
}

/* The part by the cause of G alone. */
static struct tp_torch_gap_part
part_of_cause(const struct tp_torch_gap *g)
{
	static const struct tp_torch_gap_part by_cause[TP_TORCH_CAUSES] = {
		[TP_TORCH_CPU] = { TP_PART_BUILDING, "operators" },
		[TP_TORCH_UNTRACED] = { TP_PART_UNRECORDED,
		    "between-operators" },
		[TP_TORCH_LAUNCH_OVERHEAD] = { TP_PART_LAUNCH, "launch" },
		[TP_TORCH_INSIDE_LAUNCH] = { TP_PART_LAUNCH,
		    "inside-a-graph" },
		[TP_TORCH_STREAM_WAIT] = { TP_PART_LAUNCH,
		    "after-a-stream-wait" },
		[TP_TORCH_LAUNCH_ANOMALY] = { TP_PART_UNRECORDED, "queued" },
		[TP_TORCH_PROFILER] = { TP_PART_UNRECORDED, "profiler" },
		[TP_TORCH_UNLINKED] = { TP_PART_UNRECORDED,
		    "no-launch-known" },
		[TP_TORCH_MIGRATION] = { TP_PART_UNRECORDED,
		    "before-migrations" },
	};

	if (g->cause == TP_TORCH_UNTRACED && g->function != TP_TORCH_NO)
		return (struct tp_torch_gap_part){ TP_PART_BUILDING,
		    "python" };
	return by_cause[g->cause];
}

struct tp_torch_gap_part
tp_torch_gap_part(const struct tp_torch_out *o, const struct tp_torch_gap *g)
{
	const struct tp_class *calls =
	    &o->file->torch.ops->runtime.list[g->runtime_class];
	struct tp_torch_gap_piece p, most = { .ps = -1 };

	/* work that is queued already is not delayed by the host */
	if (g->about && !g->queued)
		return (struct tp_torch_gap_part){
		    (enum tp_budget_part)g->about->number,
		    tp_json_text(g->about->row, "cause") };
	if (g->cause == TP_TORCH_IN_RUNTIME)
		return part_of_calls(calls, is_first_use(calls, g->host_ps));
	if (g->cause != TP_TORCH_CPU)
		return part_of_cause(g);
	for (size_t i = TP_TORCH_FIRST_SHARE;
	    tp_torch_gap_piece(o, g, i, &p); i++)
		if (p.name == g->host_name && p.ps > most.ps)
			most = p;
	return most.ps < 0 ? part_of_cause(g) : most.in;
}

/* Share I of G. */
static struct tp_torch_gap_piece
share(const struct tp_torch_out *o, const struct tp_torch_gap *g, size_t i)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_share *s = &o->file->gaps.shares[g->share + i];
	const struct tp_torch_name *trait = &t->traits[s->name];
	struct tp_torch_gap_piece p = { { TP_PART_BUILDING, "operators" },
	    s->ps, s->name };
	const struct tp_class *class;

	if (s->of == TP_TORCH_OF_CALLS) {
		class = &t->ops->runtime.list[trait->runtime_class];
		p.in = part_of_calls(class, is_first_use(class, s->ps) ||
		    (g->cause == TP_TORCH_IN_RUNTIME && trait->runtime_class ==
		    g->runtime_class && is_first_use(class, g->host_ps)));
	} else if (s->of == TP_TORCH_OF_OPS_ALONE) {
		class = &t->ops->alone.list[trait->alone - 1];
		p.in = part_of_calls(class, 0);
	} else if (s->of == TP_TORCH_OF_PAUSE) {
		p.in = (struct tp_torch_gap_part){ TP_PART_UNRECORDED,
		    "pauses" };
	}
	return p;
}

/* Time of G from PS on that its host did not use while it waited. */
static int64_t
after(const struct tp_torch_gap *g, int64_t ps)
{
	int64_t from = g->from_ps + tp_torch_gap_waited(g);

	return ps > from ? ps : from;
}

/* Time from FROM to TO in which the profiler did not hold the program up. */
static int64_t
between(const struct tp_torch_out *o, int64_t from, int64_t to)
{
	return to - from - tp_torch_profiled(&o->file->torch, from, to);
}

/* The time of G in which its host was in nothing recorded. */
static int64_t
in_nothing(const struct tp_torch_out *o, const struct tp_torch_gap *g)
{
	int64_t ps = between(o, after(g, g->from_ps), after(g, g->host_to_ps))
	    + g->drained_ps;

	for (size_t i = 0; i < g->share_count; i++)
		ps -= o->file->gaps.shares[g->share + i].ps;
	return ps;
}

/*
 * The part of what the host did in nothing recorded, PS of G: between two
 * operators, if that is less than half, it went on building.
 */
static struct tp_torch_gap_part
part_of_nothing(const struct tp_torch_gap *g, int64_t ps)
{
	if (g->function != TP_TORCH_NO)
		return (struct tp_torch_gap_part){ TP_PART_BUILDING,
		    "python" };
	if (ps < (g->to_ps - after(g, g->from_ps)) / 2)
		return (struct tp_torch_gap_part){ TP_PART_BUILDING,
		    "not-recorded" };
	return (struct tp_torch_gap_part){ TP_PART_UNRECORDED,
	    "between-operators" };
}

/* The pieces behind the shares of G. */
static struct tp_torch_gap_piece
rest(const struct tp_torch_out *o, const struct tp_torch_gap *g, size_t i)
{
	struct tp_torch_gap_piece p = { .name = TP_TORCH_NO };

	switch (i) {
	case 0:
		p.ps = in_nothing(o, g);
		p.in = part_of_nothing(g, p.ps);
		break;
	case 1:		/* a thread takes launches out of a queue */
		p.in = (struct tp_torch_gap_part){ TP_PART_BUILDING,
		    "launch-calls" };
		p.ps = between(o, after(g, g->host_to_ps),
		    after(g, g->launched_ps));
		break;
	case 2:
		p.in = (struct tp_torch_gap_part){ TP_PART_LAUNCH, "launch" };
		p.ps = between(o, after(g, g->launched_ps), g->to_ps);
		break;
	default:
		p.in = (struct tp_torch_gap_part){ TP_PART_UNRECORDED,
		    "profiler" };
		p.ps = tp_torch_profiled(&o->file->torch,
		    after(g, g->from_ps), g->to_ps);
	}
	return p;
}

int
tp_torch_gap_piece(const struct tp_torch_out *o, const struct tp_torch_gap *g,
    size_t i, struct tp_torch_gap_piece *p)
{
	int64_t waited = tp_torch_gap_waited(g) - g->drained_ps;

	*p = (struct tp_torch_gap_piece){ { TP_PART_SYNCHRONISING,
	    "waited-before" }, waited, TP_TORCH_NO };
	if (g->cause == TP_TORCH_EDGE)
		return 0;
	if (i < TP_TORCH_FIRST_SHARE)
		return 1;
	i -= TP_TORCH_FIRST_SHARE;
	if (!is_shared(g)) {
		p->in = tp_torch_gap_part(o, g);
		p->ps = g->to_ps - g->from_ps - waited;
		p->name = g->host_name;
		return i == 0;
	}
	if (i < g->share_count)
		*p = share(o, g, i);
	else
		*p = rest(o, g, i - g->share_count);
	return i < g->share_count + 4;
}

int64_t
tp_torch_gap_in_part(const struct tp_torch_out *o, const struct tp_torch_gap *g)
{
	struct tp_torch_gap_part in = tp_torch_gap_part(o, g);
	struct tp_torch_gap_piece p;
	int64_t ps = 0;

	for (size_t i = TP_TORCH_FIRST_SHARE;
	    tp_torch_gap_piece(o, g, i, &p); i++)
		if (p.in.part == in.part)
			ps += p.ps;
	return ps;
}
