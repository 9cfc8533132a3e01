/* mem_emit - the records of the memory analysis */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "mem_private.h"
#include "stat.h"

struct jump {
	int64_t at_ns, from, to;
};

struct numbers {
	int64_t peak, peak_at, min, min_nonzero, row_median;
	int64_t p10, p50, p90, mean, last, first_ns, last_ns;
	int64_t jump_limit, jump_max, tooth_limit;
	uint64_t up, down, teeth;
	double growth;
	int64_t largest_rise;		/* between two levels */
	int weighted;			/* time-weighted values are known */
	struct jump *jumps;
	size_t jump_count, jump_cap;
};

TP_ORDER(by_time, struct tp_mem_level, TP_UP(at_ns) TP_UP(order))

TP_ORDER(by_bytes, struct tp_mem_level, TP_UP(bytes) TP_BY(by_time(tp_a, tp_b)))

TP_ORDER(largest, struct jump,
    TP_BY(TP_CMP(llabs(b->to - b->from), llabs(a->to - a->from)))
    TP_UP(at_ns))

void
tp_mem_order(struct tp_mem_series *s)
{
	TP_SORT(s->levels, s->count, by_time);
	for (size_t i = 0; i < s->count; i++)
		if (s->levels[i].length_ns < 0)
			s->levels[i].length_ns = i + 1 < s->count ?
			    s->levels[i + 1].at_ns - s->levels[i].at_ns : 0;
}

/*
 * Smallest level at or above the level for NUM/DEN of the time; input sorted
 * by bytes.
 */
static int64_t
time_quantile(const struct tp_mem_level *l, size_t count, tp_int128 total,
    int num, int den)
{
	tp_int128 held = 0;

	for (size_t i = 0; i < count; i++) {
		held += l[i].length_ns;
		if (held * den >= total * num)
			return l[i].bytes;
	}
	return count ? l[count - 1].bytes : 0;
}

/* The time-weighted median of the levels in [from, to); -1: none. */
static int64_t
median_between(const struct tp_mem_series *s, int64_t from, int64_t to)
{
	struct tp_mem_level *l = tp_alloc((s->count + 1) * sizeof *l);
	tp_int128 total = 0;
	int64_t a, b, median = -1;
	size_t n = 0, i;

	for (i = 0; i < s->count; i++) {
		a = s->levels[i].at_ns;
		b = a + s->levels[i].length_ns;
		a = a < from ? from : a;
		b = b > to ? to : b;
		if (a >= b)
			continue;
		l[n] = s->levels[i];
		l[n].length_ns = b - a;
		total += b - a;
		n++;
	}
	TP_SORT(l, n, by_bytes);
	if (n)
		median = time_quantile(l, n, total, 1, 2);
	tp_free(l);
	return median;
}

/* Find jumps between rows, and teeth by zig-zag with hysteresis. */
static void
walk(struct numbers *x, const struct tp_mem_series *s)
{
	const struct tp_mem_level *l = s->levels;
	int64_t low = l[0].bytes, high = l[0].bytes, step, swing;
	int rising = 0;

	for (size_t i = 1; i < s->count; i++) {
		step = l[i].bytes - l[i - 1].bytes;
		swing = step < 0 ? -step : step;
		if (x->jump_limit > 0 && swing >= x->jump_limit) {
			TP_APPEND(x->jumps, x->jump_count, x->jump_cap,
			    (struct jump){ l[i].at_ns, l[i - 1].bytes,
			    l[i].bytes });
			x->up += step > 0;
			x->down += step < 0;
			TP_MOST(x->jump_max, swing);
		}
		TP_MOST(high, l[i].bytes);
		TP_LEAST(low, l[i].bytes);
		if (x->tooth_limit <= 0)
			continue;
		if (!rising && l[i].bytes - low >= x->tooth_limit) {
			rising = 1;
			high = l[i].bytes;
		} else if (rising && high - l[i].bytes >= x->tooth_limit) {
			rising = 0;
			low = l[i].bytes;
			x->teeth++;
		}
	}
}

static void
extremes(struct numbers *x, const struct tp_mem_series *s)
{
	const struct tp_mem_level *l = s->levels;
	int64_t end;

	x->peak = x->min = l[0].bytes;
	x->peak_at = x->first_ns = l[0].at_ns;
	x->min_nonzero = -1;
	x->last_ns = l[0].at_ns;
	for (size_t i = 0; i < s->count; i++) {
		if (l[i].bytes > x->peak) {
			x->peak = l[i].bytes;
			x->peak_at = l[i].at_ns;
		}
		TP_LEAST(x->min, l[i].bytes);
		if (i && l[i].bytes - l[i - 1].bytes > x->largest_rise)
			x->largest_rise = l[i].bytes - l[i - 1].bytes;
		if (l[i].bytes > 0 && (x->min_nonzero < 0 ||
		    l[i].bytes < x->min_nonzero))
			x->min_nonzero = l[i].bytes;
		end = l[i].at_ns + l[i].length_ns;
		TP_MOST(x->last_ns, end);
	}
	x->last = l[s->count - 1].bytes;
}

/* Quantiles by rows and by time; leaves the levels sorted by time. */
static void
quantiles(struct numbers *x, struct tp_mem_series *s)
{
	int64_t third = (x->last_ns - x->first_ns) / 3, a, b;
	tp_int128 total = 0, area = 0;
	int over = 0;
	size_t i;

	for (i = 0; i < s->count; i++) {
		total += s->levels[i].length_ns;
		over |= __builtin_add_overflow(area,
		    (tp_int128)s->levels[i].length_ns * s->levels[i].bytes,
		    &area);
	}
	if (third > 0 && x->peak > 0) {
		a = median_between(s, x->first_ns, x->first_ns + third);
		b = median_between(s, x->last_ns - third, x->last_ns);
		if (a >= 0 && b >= 0)
			x->growth = (double)(b - a) / (double)x->peak;
	}
	TP_SORT(s->levels, s->count, by_bytes);
	x->row_median = s->levels[(s->count + 1) / 2 - 1].bytes;
	x->weighted = total > 0;
	if (x->weighted) {
		x->p10 = time_quantile(s->levels, s->count, total, 1, 10);
		x->p50 = time_quantile(s->levels, s->count, total, 1, 2);
		x->p90 = time_quantile(s->levels, s->count, total, 9, 10);
		x->mean = over ? -1 : tp_div_even(area, total);
	}
	TP_SORT(s->levels, s->count, by_time);
}

static const char *
pattern(const struct numbers *x, const struct tp_mem_limits *limits)
{
	/* a ripple small relative to the level is no sawtooth */
	if ((int64_t)x->teeth >= limits->teeth &&
	    x->peak - x->min >= x->jump_limit)
		return "sawtooth";
	/* a single lasting rise, as when weights are read, is no growth */
	if (x->growth >= limits->growth_ratio)
		return (double)x->largest_rise < x->growth / 2 *
		    (double)x->peak ? "growing" : "raised";
	if (x->growth <= -limits->growth_ratio)
		return "shrinking";
	/*
	 * a spike: for nine tenths of the time the level is a jump or more
	 * below the peak, also at the end
	 */
	if (x->weighted && x->jump_limit > 0 &&
	    x->peak - x->p90 >= x->jump_limit)
		return x->peak - x->last < x->jump_limit ? "raised" :
		    "spiked";
	return "steady";
}

static int
is_wired(const struct tp_mem *mem, const struct tp_mem_series *s)
{
	return s >= mem->wired && s < mem->wired + mem->wired_count;
}

void
tp_mem_begin(const struct tp_mem_of *of, const char *kind)
{
	const struct tp_mem_series *s = of->series;
	struct tp_out *out = of->out;
	int target = s->proc >= 0 && s->proc == of->target;

	tp_out_begin(out, kind);
	tp_out_text(out, "scope", s->proc < 0 ? "all" : target ? "target" :
	    "process");
	tp_out_text(out, "series", is_wired(of->mem, s) ? "wired" : "current");
	if (s->gpu >= 0)
		tp_out_text(out, "gpu", of->mem->gpus.names[s->gpu].text);
	tp_out_target(out, &of->mem->procs, s->proc, target &&
	    !strcmp(kind, "mem.summary") ? of->how : NULL);
}

/* X counts every row; SHAPE those that are levels, while the GPU worked. */
static void
summary(const struct tp_mem_of *of, const struct numbers *x,
    const struct numbers *shape, int64_t total_ns)
{
	const struct tp_mem_limits *limits = of->limits;
	struct tp_out *out = of->out;

	tp_mem_begin(of, "mem.summary");
	tp_out_int(out, "rows", (int64_t)of->series->count);
	tp_out_int(out, "first_ns", x->first_ns);
	tp_out_int(out, "last_ns", x->last_ns);
	tp_out_int(out, "peak_bytes", x->peak);
	tp_out_int(out, "peak_at_ns", x->peak_at);
	if (total_ns > 0)
		tp_out_ratio(out, "peak_at_ratio", x->peak_at, total_ns);
	tp_out_phase(out, "peak_", of->steps, x->peak_at);
	if (limits->working_set) {
		tp_out_int(out, "working_set_bytes", limits->working_set);
		tp_out_real(out, "peak_of_working_set_factor",
		    (double)x->peak / (double)limits->working_set);
	}
	tp_out_int(out, "min_bytes", x->min);
	tp_out_known(out, "min_nonzero_bytes", x->min_nonzero);
	tp_out_int(out, "row_median_bytes", x->row_median);
	if (x->weighted) {
		tp_out_int(out, "time_weighted_median_bytes", x->p50);
		tp_out_int(out, "time_weighted_p10_bytes", x->p10);
		tp_out_int(out, "time_weighted_p90_bytes", x->p90);
		tp_out_known(out, "time_weighted_mean_bytes", x->mean);
	}
	tp_out_int(out, "last_bytes", x->last);
	tp_out_int(out, "jump_limit_bytes", x->jump_limit);
	tp_out_int(out, "jump_up_count", (int64_t)x->up);
	tp_out_int(out, "jump_down_count", (int64_t)x->down);
	if (x->jump_count)
		tp_out_int(out, "jump_max_bytes", x->jump_max);
	if (of->work->count && shape != x) {
		tp_out_int(out, "judged_from_ns", shape->first_ns);
		tp_out_int(out, "judged_to_ns", shape->last_ns);
	}
	tp_out_int(out, "tooth_limit_bytes", shape->tooth_limit);
	tp_out_int(out, "tooth_count", (int64_t)shape->teeth);
	if (shape->last_ns > shape->first_ns)
		tp_out_real(out, "teeth_per_s", (double)shape->teeth * 1e9 /
		    (double)(shape->last_ns - shape->first_ns));
	tp_out_real(out, "growth_ratio", shape->growth);
	tp_out_real(out, "growth_limit_ratio", limits->growth_ratio);
	tp_out_text(out, "pattern", pattern(shape, limits));
	tp_out_end(out);
}

static void
jumps(const struct tp_mem_of *of, struct numbers *x, int64_t total_ns)
{
	struct tp_out *out = of->out;

	TP_SORT(x->jumps, x->jump_count, largest);
	for (size_t i = 0; i < x->jump_count &&
	    (int64_t)i < of->limits->jumps; i++) {
		const struct jump *j = &x->jumps[i];

		tp_mem_begin(of, "mem.jump");
		tp_out_int(out, "rank", (int64_t)i + 1);
		tp_out_int(out, "at_ns", j->at_ns);
		if (total_ns > 0)
			tp_out_ratio(out, "at_ratio", j->at_ns, total_ns);
		tp_out_phase(out, "", of->steps, j->at_ns);
		tp_out_int(out, "from_bytes", j->from);
		tp_out_int(out, "to_bytes", j->to);
		tp_out_int(out, "delta_bytes", j->to - j->from);
		tp_out_end(out);
	}
}

/*
 * The levels of S without the first ZEROS: a copy, for the time of the GPU work
 * alone if that is known.
 */
static struct tp_mem_series
judged(const struct tp_mem_of *of, const struct tp_mem_series *s, size_t zeros)
{
	const struct tp_phase *work = of->work->count ? of->work->list : NULL;
	struct tp_mem_series r = *s;

	r.levels = tp_alloc(s->count * sizeof *r.levels);
	r.count = 0;
	for (size_t i = zeros; i < s->count; i++) {
		struct tp_mem_level l = s->levels[i];
		int64_t end = l.at_ns + l.length_ns;

		if (work) {
			TP_MOST(l.at_ns, work->start_ns);
			TP_LEAST(end, work->end_ns);
			l.length_ns = end - l.at_ns;
		}
		if (l.length_ns > 0 || !work)
			r.levels[r.count++] = l;
	}
	return r;
}

/* Count the numbers of S, whose levels are sorted. */
static void
count(struct numbers *x, struct tp_mem_series *s,
    const struct tp_mem_limits *limits)
{
	extremes(x, s);
	x->jump_limit = (int64_t)((double)x->peak * limits->jump_ratio);
	x->tooth_limit = (int64_t)((double)(x->peak - x->min) *
	    limits->tooth_ratio);
	walk(x, s);
	quantiles(x, s);
}

static void
emit_series(struct tp_mem_of *of, struct tp_mem_series *s, int64_t total_ns)
{
	struct numbers x = { 0 }, later = { 0 };
	struct tp_mem_series r;
	size_t zeros = 0;

	of->series = s;
	tp_mem_order(s);
	/*
	 * Instruments writes zeros for the time before the driver first
	 * reports the level of the machine: they are no levels.
	 */
	while (is_wired(of->mem, s) && zeros + 1 < s->count &&
	    !s->levels[zeros].bytes)
		zeros++;
	r = judged(of, s, zeros);
	count(&x, s, of->limits);
	if (r.count)
		count(&later, &r, of->limits);
	if (!total_ns)
		total_ns = x.last_ns;
	x.first_ns = s->levels[zeros].at_ns;
	summary(of, &x, r.count ? &later : &x, total_ns);
	tp_free(r.levels);
	jumps(of, &x, total_ns);
	tp_mem_emit_steps(of);
	tp_mem_emit_levels(of);
	tp_free(x.jumps);
	tp_free(later.jumps);
}

static int64_t
peak_of(const struct tp_mem_series *s)
{
	int64_t peak = 0;

	for (size_t i = 0; i < s->count; i++)
		TP_MOST(peak, s->levels[i].bytes);
	return peak;
}

/* The process with the highest peak, unless an option or the TOC names one. */
static ptrdiff_t
choose(const struct tp_mem *mem, const struct tp_trace *trace,
    const char *process, const char **how)
{
	int64_t *weights = tp_zalloc((mem->procs.ids.count + 1) *
	    sizeof *weights);
	ptrdiff_t target;

	for (size_t i = 0; i < mem->current_count; i++)
		if (mem->current[i].proc >= 0)
			weights[mem->current[i].proc] =
			    peak_of(&mem->current[i]);
	target = tp_target_choose(&mem->procs, process, &trace->toc, weights,
	    "size", how);
	tp_free(weights);
	return target;
}

void
tp_mem_emit(struct tp_mem *mem, const struct tp_trace *trace,
    const char *process, const struct tp_mem_limits *limits,
    const struct tp_phase_view *steps,
    const struct tp_phase_view *segments,
    const struct tp_phase_view *work, struct tp_out *out)
{
	struct tp_mem_of of = { .mem = mem, .limits = limits, .steps = steps,
	    .segments = segments, .work = work, .out = out };
	int64_t total = trace->toc.duration_ns;
	int pass;
	size_t i;

	of.target = choose(mem, trace, process, &of.how);
	if (of.target < 0)
		tp_target_note(&mem->procs, process, &trace->toc,
		    "the current allocations", out);

	for (i = 0; i < mem->wired_count; i++)
		emit_series(&of, &mem->wired[i], total);
	/* the target first, then the others in order */
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < mem->current_count; i++)
			if ((of.target >= 0 &&
			    mem->current[i].proc == of.target) == !pass)
				emit_series(&of, &mem->current[i], total);
}
