/* pace - how command buffers follow each other, and how steadily */
#include <math.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "bootstrap.h"
#include "noise.h"
#include "pace.h"

/* A part with fewer values says little of how the run strays. */
#define LEAST 20

static double
mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

/* How the parts of the N values at X, of these MEDIANS, vary; reorders X. */
static void
drifts(double *x, size_t n, double *medians, double *median, double *mean)
{
	double means[TP_PACE_PARTS];
	struct tp_squares s = { 0 }, t = { 0 };
	size_t part = n / TP_PACE_PARTS;

	*median = *mean = -1;
	if (part < LEAST)
		return;
	for (size_t i = 0; i < TP_PACE_PARTS; i++) {
		means[i] = mean_of(x + i * part, part);
		medians[i] = tp_median(x + i * part, part);
		if (!(medians[i] > 0) || !(means[i] > 0))
			return;
	}
	tp_scatter_add(&s, medians, TP_PACE_PARTS);
	tp_scatter_add(&t, means, TP_PACE_PARTS);
	*median = sqrt(s.squares / s.df);
	*mean = sqrt(t.squares / t.df);
}

/* Buffer B was committed after LAST had ended at END_NS. */
static void
take_turn(struct tp_pace *p, const struct tp_buffer *b,
    const struct tp_buffer *last, int64_t end_ns)
{
	int64_t done_ns = last->done_ns;

	p->serialized++;
	if (!last->done || done_ns < end_ns)
		return;
	TP_LEAST(done_ns, b->commit_ns);
	tp_stat_add(&p->notified, done_ns - end_ns);
	tp_stat_add(&p->commit, b->commit_ns - done_ns);
	tp_stat_add(&p->start, b->from_ns - b->commit_ns);
}

void
tp_pace_walk(struct tp_pace *p, const struct tp_cmdbuf *cb,
    const struct tp_buffer_row *rows, size_t n, const int64_t *busy)
{
	const struct tp_buffer *last = NULL;
	double *x = tp_alloc((n + 1) * sizeof *x);
	double *y = tp_alloc((n + 1) * sizeof *y);
	double medians[TP_PACE_PARTS] = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct tp_buffer *b = &cb->buffers[rows[i].buffer];

		if (i) {
			x[i - 1] = (double)(rows[i].from_ns -
			    rows[i - 1].from_ns);
			tp_stat_add(&p->apart, rows[i].from_ns -
			    rows[i - 1].from_ns);
		}
		y[i] = (double)busy[rows[i].buffer];
		if (last && b->commit_source && b->commit_ns > last->to_ns)
			take_turn(p, b, last, last->to_ns);
		if (!last || b->to_ns > last->to_ns)
			last = b;
	}
	drifts(x, n ? n - 1 : 0, medians, &p->apart_drift,
	    &p->apart_mean_drift);
	drifts(y, n, medians, &p->busy_drift, &p->busy_mean_drift);
	p->busy_first_ns = (int64_t)medians[0];
	p->busy_last_ns = (int64_t)medians[TP_PACE_PARTS - 1];
	tp_free(x);
	tp_free(y);
}

static void
out_drift(struct tp_out *out, const char *key, double drift)
{
	if (drift >= 0)
		tp_out_real(out, key, drift);
}

void
tp_pace_emit(struct tp_pace *p, struct tp_out *out)
{
	tp_stat_emit(&p->apart, out, "start_to_start", "mean p50", "_ns");
	if (p->busy_drift >= 0)
		tp_out_int(out, "drift_part_count", TP_PACE_PARTS);
	out_drift(out, "start_to_start_drift_ratio", p->apart_drift);
	out_drift(out, "start_to_start_mean_drift_ratio",
	    p->apart_mean_drift);
	out_drift(out, "busy_drift_ratio", p->busy_drift);
	if (p->busy_drift >= 0) {
		tp_out_int(out, "busy_first_p50_ns", p->busy_first_ns);
		tp_out_int(out, "busy_last_p50_ns", p->busy_last_ns);
	}
	out_drift(out, "busy_mean_drift_ratio", p->busy_mean_drift);
	/* a few turns say nothing of the others */
	if (2 * p->notified.count <= p->apart.count)
		return;
	tp_out_int(out, "turn_count", (int64_t)p->notified.count);
	tp_stat_emit(&p->notified, out, "turn_notification", "p50", "_ns");
	tp_stat_emit(&p->commit, out, "turn_commit", "p50", "_ns");
	tp_stat_emit(&p->start, out, "turn_start", "p50", "_ns");
}

void
tp_pace_release(struct tp_pace *p)
{
	tp_stat_release(&p->apart);
	tp_stat_release(&p->notified);
	tp_stat_release(&p->commit);
	tp_stat_release(&p->start);
}
