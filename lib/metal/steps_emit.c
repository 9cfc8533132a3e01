/* steps_emit - the records of steps */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/segments.h>
#include <tp/metal/steps.h>
#include <tp/order.h>

#include "spread.h"
#include "step_class.h"

/* A pause is a gap of at least this many times the median gap. */
#define PAUSE_GAPS 20
/* Gaps are of one kind where none has this many tenths of the next shorter. */
#define KIND_TENTHS 15
#define KIND_SLICES 50
/* Warm-up: steps at the start longer than this many tenths of the median. */
#define WARM_TENTHS 12
/* Steps of commits needed to show a loop. */
#define COMMITS_FEWEST 10
/* Steps needed to compare the first and the last third. */
#define DRIFT_FEWEST 6

/* The parts of a process' GPU work, while intervals are counted. */
struct parts {
	struct tp_part *v;
	size_t count, last;
};

/*
 * Add COUNT intervals that began in a slice, which overlaps one part only:
 * pauses are longer than slices.
 */
static void
take_slice(void *arg, int64_t from_ns, int64_t to_ns, uint64_t count)
{
	struct parts *p = arg;
	size_t low = 0, high = p->count, mid;

	if (p->v[p->last].from_ns >= to_ns || p->v[p->last].to_ns <= from_ns) {
		while (low + 1 < high) {
			mid = low + (high - low) / 2;
			if (p->v[mid].from_ns < to_ns)
				low = mid;
			else
				high = mid;
		}
		p->last = low;
	}
	p->v[p->last].intervals += (int64_t)count;
}

/*
 * The shortest of the gaps of G that are of one kind with the shortest from
 * TP_PAUSE_NS on: less than KIND_TENTHS apart, one from the next.  Where no
 * end of them is found, TP_PAUSE_NS.
 */
static int64_t
shortest_pause(const struct tp_gpu_part *g)
{
	const int64_t width = (TP_PAUSE_NS - TP_PAUSE_LEAST_NS) / KIND_SLICES;
	struct { int64_t least, most; } slices[KIND_SLICES] = { { 0, 0 } };
	int64_t shortest = INT64_MAX / KIND_TENTHS, length;

	for (size_t i = 0; i < g->pause_count; i++) {
		length = g->pauses[i].to_ns - g->pauses[i].from_ns;
		if (length >= TP_PAUSE_NS) {
			TP_LEAST(shortest, length);
			continue;
		}
		size_t at = (size_t)((length - TP_PAUSE_LEAST_NS) / width);

		if (!slices[at].most)
			slices[at].least = length;
		TP_LEAST(slices[at].least, length);
		TP_MOST(slices[at].most, length);
	}
	for (size_t at = KIND_SLICES; at-- > 0;)
		if (slices[at].most * KIND_TENTHS > shortest * 10)
			shortest = slices[at].least;
	return shortest >= TP_PAUSE_NS || g->gap_under_ns * KIND_TENTHS >
	    shortest * 10 ? TP_PAUSE_NS : shortest;
}

/* Length from which a gap in the work of G is a pause. */
static int64_t
pause_ns(const struct tp_gpu_part *g)
{
	/* when most gaps are pauses, each interval is a step */
	return g->gap_p50_ns > TP_PAUSE_NS / PAUSE_GAPS &&
	    g->gap_p50_ns < TP_PAUSE_NS ? g->gap_p50_ns * PAUSE_GAPS :
	    shortest_pause(g);
}

/* The buffers of the target, or none. */
struct queue {
	const struct tp_cmdbuf *cb;
	ptrdiff_t proc;
};

/*
 * Whether the work after pause P was queued before it: another process had
 * the GPU, and no step ended.
 */
static int
was_queued(const struct queue *q, const struct tp_pause *p)
{
	const struct tp_cmdbuf *cb = q->cb;
	size_t low;

	TP_SEEK(low, 0, cb ? cb->row_count : 0, mid, cb->rows[mid].from_ns <
	    p->to_ns);
	for (; cb && low < cb->row_count &&
	    cb->rows[low].from_ns == p->to_ns; low++) {
		const struct tp_buffer *b = &cb->buffers[cb->rows[low].buffer];

		if (b->proc == q->proc)
			return tp_buffer_queued(b, p->from_ns);
	}
	return 0;
}

/*
 * Split the work of TARGET at pauses of at least LIMIT ns, except those whose
 * work was in QUEUE; *UNDER_NS gets the longest remaining gap but these.
 */
static void
split(const struct tp_gpu *gpu, ptrdiff_t target, const struct queue *queue,
    struct parts *p, int64_t limit, int64_t *under_ns)
{
	const struct tp_gpu_part *g = &gpu->parts[target];
	int64_t from = g->first_ns, idle = 0, gap;

	*under_ns = g->gap_under_ns;
	p->v = tp_zalloc((g->pause_count + 1) * sizeof *p->v);
	for (size_t i = 0; i <= g->pause_count; i++) {
		const struct tp_pause *e = i < g->pause_count ?
		    &g->pauses[i] : NULL;
		int64_t to = e ? e->from_ns : g->last_ns;
		int64_t idle_at = e ? e->idle_before_ns : g->last_ns -
		    g->first_ns - g->all.busy_ns;

		gap = e ? e->to_ns - e->from_ns : 0;
		if (e && gap < limit) {
			TP_MOST(*under_ns, gap);
			continue;
		}
		if (e && was_queued(queue, e))
			continue;
		p->v[p->count++] = (struct tp_part){ from, to, to - from -
		    (idle_at - idle), 0 };
		from = e ? e->to_ns : to;
		idle = idle_at + gap;
	}
	tp_starts_each(&gpu->starts, (size_t)target, take_slice, p);
}

static void
find_in_gaps(const struct tp_gpu *gpu, ptrdiff_t target,
    const struct queue *queue, struct tp_steps_found *found)
{
	int64_t busy = gpu->parts[target].all.busy_ns, drawing;
	struct parts p = { 0 };
	int64_t under;

	found->limit_ns = pause_ns(&gpu->parts[target]);
	split(gpu, target, queue, &p, found->limit_ns, &under);
	drawing = tp_gpu_channel_busy(gpu, target, "Vertex") +
	    tp_gpu_channel_busy(gpu, target, "Fragment");
	if (drawing > busy / 2)
		found->reason = "drawing";
	else
		tp_steps_in_parts(p.v, p.count, under, 0, found);
	tp_free(p.v);
}

/*
 * Where no pauses are steps, split the work of QUEUE where a buffer was
 * committed after all before it had ended: who waits for each step takes turns
 * with the GPU, however short the pause.
 */
static void
find_in_commits(const struct queue *q, const struct tp_window *window,
    struct tp_steps_found *found)
{
	const struct tp_cmdbuf *cb = q->cb;
	struct tp_steps_found f = { 0 };
	int64_t under = 0, end = INT64_MIN;
	struct tp_part *parts = NULL;
	size_t count = 0, cap = 0;

	for (size_t i = 0; i < cb->row_count; i++) {
		const struct tp_buffer_row *r = &cb->rows[i];
		const struct tp_buffer *b = &cb->buffers[r->buffer];
		struct tp_part *last = count ? &parts[count - 1] : NULL;

		if (b->proc != q->proc || r->from_ns < window->from_ns ||
		    r->from_ns >= window->to_ns)
			continue;
		if (!last || (r->from_ns > end && b->commit_source &&
		    b->commit_ns > end && r->from_ns == b->from_ns)) {
			TP_APPEND(parts, count, cap, (struct tp_part){
			    r->from_ns, r->to_ns, 0, 0 });
			last = &parts[count - 1];
		} else if (r->from_ns > end) {
			TP_MOST(under, r->from_ns - end);
		}
		if (r->to_ns > end) {
			last->busy_ns += r->to_ns - (r->from_ns > end ?
			    r->from_ns : end);
			end = r->to_ns;
		}
		last->to_ns = end;
		last->intervals++;
	}
	if (count >= COMMITS_FEWEST)
		tp_steps_in_parts(parts, count, under, 0, &f);
	if (f.method) {
		*found = f;
		found->method = "commit";
	}
	tp_free(parts);
}

/* Index of the step that contains AT_NS, or -1. */
static ptrdiff_t
step_at(const struct tp_steps_found *f, int64_t at_ns)
{
	size_t low;

	TP_SEEK(low, 0, f->count, mid, f->steps[mid].end_ns <= at_ns);
	return low < f->count && f->steps[low].start_ns <= at_ns ?
	    (ptrdiff_t)low : -1;
}

/*
 * Count the command buffers that began in each step of F, for process
 * PROC of CB, and the intervals where their number is unknown.
 */
static void
count_buffers(struct tp_steps_found *f, const struct tp_cmdbuf *cb,
    ptrdiff_t proc)
{
	int intervals = f->count && f->steps[0].intervals < 0;
	ptrdiff_t at;
	size_t i;

	for (i = 0; i < f->count; i++) {
		f->steps[i].buffers = 0;
		if (intervals)
			f->steps[i].intervals = 0;
	}
	for (i = 0; i < cb->ids.count; i++) {
		const struct tp_buffer *b = &cb->buffers[i];

		if (!b->rows || b->anonymous || b->proc != proc)
			continue;
		at = step_at(f, b->from_ns);
		if (at >= 0)
			f->steps[at].buffers++;
	}
	for (i = 0; intervals && i < cb->row_count; i++) {
		if (cb->buffers[cb->rows[i].buffer].proc != proc)
			continue;
		at = step_at(f, cb->rows[i].from_ns);
		if (at >= 0)
			f->steps[at].intervals++;
	}
}

/* Median duration of steps FROM .. END-1. */
static int64_t
median_wall(const struct tp_steps_found *f, size_t from, size_t end)
{
	struct tp_stat stat = { 0 };
	int64_t median;

	for (; from < end; from++)
		tp_stat_add(&stat, f->steps[from].end_ns -
		    f->steps[from].start_ns);
	median = tp_stat_quantile(&stat, 50, 100);
	tp_stat_release(&stat);
	return median;
}

/* Median and largest GPU work of steps FROM .. END-1. */
static void
busy_of(const struct tp_steps_found *f, size_t from, size_t end,
    int64_t *median, int64_t *most)
{
	struct tp_stat stat = { 0 };

	for (; from < end; from++)
		tp_stat_add(&stat, f->steps[from].busy_ns);
	*median = tp_stat_quantile(&stat, 50, 100);
	*most = stat.max;
	tp_stat_release(&stat);
}

/*
 * Mark the warm-up: the first step, and slower ones directly after it.
 * Returns their number.
 */
static size_t
find_warmup(struct tp_steps_found *f)
{
	size_t warm = f->count > 1;
	int64_t median = median_wall(f, warm, f->count);

	while (warm + 1 < f->count && (tp_int128)10 *
	    (f->steps[warm].end_ns - f->steps[warm].start_ns) >
	    (tp_int128)WARM_TENTHS * median)
		warm++;
	for (size_t i = 0; i < warm; i++)
		f->steps[i].warmup = 1;
	return warm;
}

/* Figures of the steps from WARM on. */
struct figures {
	struct tp_stat wall, busy, intervals, buffers;
	struct tp_spread spread;
	int64_t warm_ns, step_busy_ns, first_third, last_third;
	int64_t busy_first, busy_first_max, busy_last;
	int64_t used_busy_ns;
	uint64_t empty;
};

static void
gather(const struct tp_steps_found *f, size_t warm, struct figures *g)
{
	size_t third = (f->count - warm) / 3, i;
	int64_t most;

	for (i = 0; i < f->count; i++) {
		const struct tp_step *s = &f->steps[i];
		int64_t wall = s->end_ns - s->start_ns;

		g->step_busy_ns += s->busy_ns;
		g->empty += !s->busy_ns;
		if (i < warm) {
			g->warm_ns += wall;
			continue;
		}
		g->used_busy_ns += s->busy_ns;
		tp_spread_add(&g->spread, wall);
		tp_stat_add(&g->wall, wall);
		tp_stat_add(&g->busy, s->busy_ns);
		if (s->intervals >= 0)
			tp_stat_add(&g->intervals, s->intervals);
		if (s->buffers >= 0)
			tp_stat_add(&g->buffers, s->buffers);
	}
	if (f->count - warm < DRIFT_FEWEST)
		return;
	g->first_third = median_wall(f, warm, warm + third);
	g->last_third = median_wall(f, f->count - third, f->count);
	busy_of(f, warm, warm + third, &g->busy_first, &g->busy_first_max);
	busy_of(f, f->count - third, f->count, &g->busy_last, &most);
}

static void
put_counts(struct tp_out *out, const struct tp_steps_found *f, size_t warm,
    const struct figures *g)
{
	tp_out_int(out, "step_count", (int64_t)f->count);
	tp_out_int(out, "warmup_count", (int64_t)warm);
	tp_out_int(out, "warmup_wall_ns", g->warm_ns);
	tp_out_int(out, "used_step_count", (int64_t)(f->count - warm));
}

static void
put_times(struct tp_out *out, struct figures *g)
{
	tp_stat_emit(&g->wall, out, "wall", "mean p50 min max", "_ns");
	tp_out_real(out, "wall_cv_factor", tp_spread_cv(&g->spread));
	tp_stat_emit(&g->busy, out, "busy", "p50", "_ns");
}

static void
put_work(struct tp_out *out, struct figures *g)
{
	tp_stat_emit(&g->intervals, out, "interval_count", "p50", "");
	tp_stat_emit(&g->buffers, out, "command_buffer_count", "p50", "");
}

static void
release_step_stats(struct figures *g)
{
	tp_stat_release(&g->wall);
	tp_stat_release(&g->busy);
	tp_stat_release(&g->intervals);
	tp_stat_release(&g->buffers);
}

void
tp_steps_emit_figures(struct tp_steps_found *f, struct tp_out *out)
{
	struct figures g = { 0 };
	size_t warm = find_warmup(f);

	gather(f, warm, &g);
	put_counts(out, f, warm, &g);
	put_times(out, &g);
	put_work(out, &g);
	release_step_stats(&g);
}

static void
figures(struct tp_out *out, const struct tp_steps_found *f, size_t warm,
    struct figures *g, const struct tp_gpu_part *part)
{
	int64_t total = part->all.busy_ns;
	const struct tp_step *last = &f->steps[f->count - 1];
	int64_t first = f->steps[0].end_ns - f->steps[0].start_ns;
	int64_t median = tp_stat_quantile(&g->wall, 50, 100);

	put_counts(out, f, warm, g);
	tp_out_int(out, "first_used", (int64_t)warm + 1);
	tp_out_int(out, "last_used", (int64_t)f->count);
	tp_out_int(out, "idle_step_count", (int64_t)g->empty);
	tp_out_int(out, "start_ns", f->steps[0].start_ns);
	tp_out_int(out, "end_ns", last->end_ns);
	put_times(out, g);
	tp_out_ratio(out, "busy_of_wall_ratio", tp_stat_sum(&g->busy),
	    tp_stat_sum(&g->wall));
	put_work(out, g);
	if (warm) {
		tp_out_ratio(out, "first_wall_factor", first, median);
		tp_out_int(out, "first_extra_ns", first - median);
	}
	tp_out_ratio(out, "drift_factor", g->last_third, g->first_third);
	if (g->busy_first) {
		tp_out_ratio(out, "busy_drift_factor", g->busy_last,
		    g->busy_first);
		tp_out_ratio(out, "busy_drift_low_factor", g->busy_last,
		    g->busy_first_max);
		tp_out_int(out, "busy_drift_extra_ns", g->used_busy_ns -
		    g->busy_first * (int64_t)(f->count - warm));
	}
	tp_out_ratio(out, "coverage_ratio", g->step_busy_ns, total);
	tp_out_int(out, "before_busy_ns", f->before_ns);
	tp_out_int(out, "after_busy_ns", f->after_ns);
	if (part->last_ns > last->end_ns)
		tp_out_int(out, "after_wall_ns", part->last_ns -
		    last->end_ns);
}

void
tp_steps_emit_each(const struct tp_steps_found *f, const char *kind,
    size_t segment, struct tp_out *out)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct tp_step *s = &f->steps[i];

		tp_out_begin(out, kind);
		tp_out_text(out, "scope", "target");
		if (segment)
			tp_out_int(out, "segment", (int64_t)segment);
		tp_out_int(out, "index", (int64_t)i + 1);
		tp_out_int(out, "start_ns", s->start_ns);
		tp_out_int(out, "end_ns", s->end_ns);
		tp_out_int(out, "wall_ns", s->end_ns - s->start_ns);
		if (i + 1 < f->count)
			tp_out_int(out, "start_to_start_ns",
			    s[1].start_ns - s->start_ns);
		if (s->busy_ns)
			tp_out_int(out, "span_ns", s->last_ns - s->first_ns);
		tp_out_int(out, "busy_ns", s->busy_ns);
		tp_out_ratio(out, "busy_of_wall_ratio", s->busy_ns,
		    s->end_ns - s->start_ns);
		tp_out_known(out, "interval_count", s->intervals);
		tp_out_known(out, "command_buffer_count", s->buffers);
		tp_out_bool(out, "is_warmup", s->warmup);
		tp_out_text(out, "class", s->class);
		tp_out_end(out);
	}
}

/* The used steps while they are classed. */
struct classed {
	struct tp_step *steps;
	size_t n;
	double *ps;
	int64_t *numbers;
	int64_t *some;			/* room for one of each */
	unsigned char *heavy;
};

/* Median GPU work (nearest rank) of the steps that are HEAVY. */
static int64_t
busy_p50(const struct classed *c, unsigned char heavy)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->heavy[i] == heavy)
			c->some[n++] = c->steps[i].busy_ns;
	tp_sort_ints(c->some, n);
	return c->some[(n - 1) / 2];
}

/* Write step.class twice, and tell each step which it is of. */
static void
put_classes(struct classed *c, struct tp_out *out)
{
	/* a run has few steps, and one of them may be the slow one */
	static const struct tp_step_least least = { 4, 1, 0 };
	struct tp_step_class classes[2];

	if (tp_step_classes(classes, c->ps, c->numbers, c->n, &least,
	    c->heavy) < 2)
		return;
	for (size_t i = 0; i < c->n; i++)
		c->steps[i].class = classes[c->heavy[i]].name;
	for (int i = 0; i < 2; i++) {
		tp_out_begin(out, "step.class");
		tp_step_class_put(out, classes, (size_t)i);
		tp_out_int(out, "busy_p50_ns", busy_p50(c, (unsigned char)i));
		if (i)
			tp_out_int(out, "extra_busy_ns",
			    (int64_t)classes[1].times.count *
			    (busy_p50(c, 1) - busy_p50(c, 0)));
		tp_out_end(out);
	}
}

/* Class the steps of F from WARM on, if there are two kinds of them. */
static void
emit_classes(struct tp_steps_found *f, size_t warm, struct tp_out *out)
{
	struct classed c = { .steps = f->steps + warm, .n = f->count - warm };

	c.ps = tp_alloc((c.n + 1) * sizeof *c.ps);
	c.numbers = tp_alloc((c.n + 1) * sizeof *c.numbers);
	c.some = tp_alloc((c.n + 1) * sizeof *c.some);
	c.heavy = tp_alloc(c.n + 1);
	for (size_t i = 0; i < c.n; i++) {
		c.ps[i] = 1000 * (double)(c.steps[i].end_ns -
		    c.steps[i].start_ns);
		c.numbers[i] = (int64_t)(warm + i) + 1;
	}
	put_classes(&c, out);
	tp_free(c.ps);
	tp_free(c.numbers);
	tp_free(c.some);
	tp_free(c.heavy);
}

static void
emit_target_steps(const struct tp_gpu *gpu, ptrdiff_t target, const char *how,
    struct tp_steps_found *f, struct tp_window *steady, struct tp_out *out)
{
	struct figures g = { 0 };
	size_t warm = 0;

	if (f->count) {
		warm = find_warmup(f);
		gather(f, warm, &g);
		if (warm < f->count) {
			steady->from_ns = f->steps[warm].start_ns;
			steady->to_ns = f->steps[f->count - 1].end_ns;
		}
	}
	tp_out_begin(out, "step.summary");
	tp_out_text(out, "scope", "target");
	tp_out_target(out, &gpu->procs, target, how);
	tp_out_text(out, "method", f->method ? f->method : "none");
	tp_out_text(out, "reason", f->reason);
	if (f->name)
		tp_out_text(out, "name", f->name);
	if (f->limit_ns)
		tp_out_int(out, "split_limit_ns", f->limit_ns);
	if (f->count)
		figures(out, f, warm, &g, &gpu->parts[target]);
	tp_out_end(out);
	emit_classes(f, warm, out);
	tp_steps_emit_each(f, "step", 0, out);
	release_step_stats(&g);
}

static void
in_marks(const struct tp_steps *steps, const struct tp_mark *marks,
    size_t count, const struct tp_gpu *gpu, ptrdiff_t target,
    struct tp_steps_found *found)
{
	struct tp_ival busy = { 0 };

	if (!count)
		return;
	tp_gpu_spans(gpu, target, &busy);
	tp_steps_in_marks(steps, marks, count, &busy, found);
	tp_ival_release(&busy);
}

/* Measure the GPU work in the steps of FOUND and outside them. */
static void
measure_again(const struct tp_gpu *gpu, ptrdiff_t target,
    struct tp_steps_found *found)
{
	struct tp_ival busy = { 0 };

	tp_gpu_spans(gpu, target, &busy);
	found->before_ns = found->after_ns = 0;
	for (size_t i = 0; i < found->count; i++)
		found->steps[i].busy_ns = 0;
	tp_steps_measure(&busy, found->steps, found->count, found);
	tp_ival_release(&busy);
}

/* Find steps by repeating labels when there are no others. */
static void
in_labels(const struct tp_segments_in *in, const struct tp_gpu *gpu,
    ptrdiff_t target, struct tp_steps_found *found)
{
	struct tp_steps_found f = { 0 };

	tp_steps_in_labels(in, INT64_MIN, INT64_MAX, 0, &f);
	if (!f.method)
		return;
	*found = f;
	measure_again(gpu, target, found);
}

int
tp_steps_emit(struct tp_steps *steps, struct tp_gpu *gpu,
    struct tp_cmdbuf *cb, ptrdiff_t target, const char *how,
    const struct tp_window *window, struct tp_window *steady,
    struct tp_segments *segments, struct tp_out *out, struct tp_err *err)
{
	struct tp_steps_found f = { 0 };
	struct tp_segments_in in = { .gpu = gpu, .cb = cb, .proc = -1,
	    .window = window, .steps = steps, .main = &f };
	struct queue queue = { cb, -1 };
	struct tp_mark *marks;
	int64_t *ends = NULL;
	size_t had = 0;
	int rc = 0, adopted, chosen;

	if (target < 0)
		return 0;
	in.limit_ns = pause_ns(&gpu->parts[target]);
	in.marks = marks = tp_steps_marks(steps, tp_procs_same(&gpu->procs,
	    target, &steps->procs), window, &in.mark_count);
	if (cb)
		queue.proc = in.proc = tp_procs_same(&gpu->procs, target,
		    &cb->procs);
	in_marks(steps, marks, in.mark_count, gpu, target, &f);
	if (!f.method && steps->wanted)
		f.reason = "no-signpost";
	else if (!f.method)
		find_in_gaps(gpu, target, &queue, &f);
	if (cb && !f.method && !steps->wanted && (!f.reason ||
	    strcmp(f.reason, "drawing")))
		find_in_commits(&queue, window, &f);
	if (cb && !f.method && !steps->wanted && gpu->has_labels)
		in_labels(&in, gpu, target, &f);
	if (cb) {
		count_buffers(&f, cb, in.proc);
		had = f.count;
		in.ends = ends = tp_segments_ends(&in);
		if (!f.reason || strcmp(f.reason, "drawing"))
			tp_segments_find(segments, &in);
	}
	adopted = cb && !had && f.count;
	chosen = cb && f.count && tp_segments_choose(segments, &f);
	if (chosen || adopted)
		measure_again(gpu, target, &f);
	if (adopted)
		count_buffers(&f, cb, in.proc);
	emit_target_steps(gpu, target, how, &f, steady, out);
	if (cb)
		rc = tp_segments_emit(segments, &in, out, err);
	tp_free(marks);
	tp_free(ends);
	tp_free(f.steps);
	return rc;
}
