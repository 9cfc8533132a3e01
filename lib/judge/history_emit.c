/* history_emit - the records of a history */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/history.h>
#include <tp/order.h>
#include <tp/unit.h>

#include "course.h"

static void
out_run(const struct tp_history_series *h, struct tp_out *out,
    const char *key, size_t run)
{
	tp_out_text(out, key, h->runs[run].name);
}

static void
begin_history(struct tp_out *out, const char *kind, const char *series)
{
	tp_out_begin(out, kind);
	if (*series)
		tp_out_text(out, "series", series);
}

static void
emit_summary(const struct tp_history_series *h, const char *series,
    struct tp_out *out)
{
	char key[64];

	begin_history(out, "history.summary", series);
	tp_out_int(out, "recorded_count", (int64_t)h->run_count);
	for (int s = 0; s <= TP_GATE_FAIL; s++) {
		snprintf(key, sizeof key, "%s_count",
		    tp_gate_status_name((enum tp_gate_status)s));
		tp_out_int(out, key, (int64_t)h->status_counts[s]);
	}
	if (h->run_count) {
		out_run(h, out, "first_label", 0);
		out_run(h, out, "last_label", h->run_count - 1);
		tp_out_text(out, "outcome",
		    tp_gate_status_name(h->last_status));
	}
	tp_out_end(out);
}

struct order {
	const struct tp_history_message *m;
	const char *text;
};

TP_ORDER(by_times, struct order, TP_UP(m->warning) TP_DOWN(m->times)
    TP_BY(strcmp(a->text, b->text)))

static void
emit_messages(const struct tp_history_series *h, const char *series,
    size_t top, struct tp_out *out)
{
	size_t n = h->texts.count, shown[2] = { 0 };
	struct order *list = tp_alloc((n + 1) * sizeof *list);

	for (size_t i = 0; i < n; i++) {
		list[i].m = &h->messages[i];
		list[i].text = h->texts.names[i].text;
	}
	TP_SORT(list, n, by_times);
	for (size_t i = 0; i < n; i++) {
		const struct tp_history_message *m = list[i].m;
		int current = m->last + 1 == h->run_count;

		if (shown[m->warning]++ >= top)
			continue;
		begin_history(out, "history.message", series);
		tp_out_text(out, "outcome", m->warning ? "warn" : "fail");
		tp_out_text(out, "text", list[i].text);
		tp_out_int(out, "recorded_count", (int64_t)m->times);
		out_run(h, out, "first_label", m->first);
		out_run(h, out, "last_label", m->last);
		tp_out_bool(out, "is_current", current);
		if (current)
			out_run(h, out, "since_label", m->since);
		tp_out_end(out);
	}
	tp_free(list);
}

static const char *
metric_unit(const char *name)
{
	static const char *const units[] = { "ns", "bytes", "mb", "ratio",
	    "factor", "count", "pct" };
	const char *end = strrchr(name, '_');

	for (size_t i = 0; end && i < sizeof units / sizeof *units; i++)
		if (!strcmp(end + 1, units[i]))
			return units[i];
	return "value";
}

/* A sparkline of the N points at P: eight heights from lowest to highest. */
static void
spark(const struct tp_history_point *p, size_t n, struct tp_buf *buf)
{
	double low = p->x, high = p->x;

	for (size_t i = 1; i < n; i++) {
		low = p[i].x < low ? p[i].x : low;
		high = p[i].x > high ? p[i].x : high;
	}
	for (size_t i = 0; i < n; i++) {
		int step = high > low ? (int)((p[i].x - low) / (high - low) *
		    7.999) : 3;
		char block[] = "\xe2\x96\x81";

		block[2] = (char)(0x81 + step);
		tp_buf_str(buf, block);
	}
}

/* Slope of the N points at P per run, by least squares. */
static double
slope(const struct tp_history_point *p, size_t n)
{
	double x = 0, y = 0, xx = 0, xy = 0;

	for (size_t i = 0; i < n; i++) {
		x += (double)p[i].run;
		y += p[i].x;
	}
	x /= (double)n;
	y /= (double)n;
	for (size_t i = 0; i < n; i++) {
		double d = (double)p[i].run - x;

		xx += d * d;
		xy += d * (p[i].x - y);
	}
	return xx > 0 ? xy / xx : 0;
}

static int
is_whole(const char *unit)
{
	return !strcmp(unit, "ns") || !strcmp(unit, "bytes") ||
	    !strcmp(unit, "count");
}

static void
out_value(struct tp_out *out, const char *what, const char *unit, double x)
{
	char key[64];

	snprintf(key, sizeof key, "%s_%s", what, unit);
	if (is_whole(unit))
		tp_out_int(out, key, (int64_t)nearbyint(x));
	else
		tp_out_real(out, key, x);
}

static void
emit_metrics(const struct tp_history_series *h, const char *series,
    size_t tail, struct tp_out *out)
{
	struct tp_buf line = { 0 };

	for (size_t i = 0; i < h->metric_names.count; i++) {
		const struct tp_history_metric *m = &h->metrics[i];
		const char *name = h->metric_names.names[i].text;
		const char *unit = metric_unit(name);
		size_t n = tail && m->count > tail ? tail : m->count;
		const struct tp_history_point *p = m->points + m->count - n;

		tp_buf_clear(&line);
		spark(p, n, &line);
		begin_history(out, "history.metric", series);
		tp_out_text(out, "metric", name);
		tp_out_int(out, "recorded_count", (int64_t)m->count);
		tp_out_int(out, "trend_count", (int64_t)n);
		out_run(h, out, "first_label", p[0].run);
		out_run(h, out, "last_label", p[n - 1].run);
		out_value(out, "first_run", unit, p[0].x);
		out_value(out, "last_run", unit, p[n - 1].x);
		if (n > 1)
			out_value(out, "slope_per_run", unit, slope(p, n));
		tp_out_text(out, "sparkline", line.p);
		tp_out_end(out);
	}
	tp_buf_release(&line);
}

static void
emit_change(const struct tp_history_series *h, const char *series, size_t at,
    const struct tp_course_change *c, int is_current, struct tp_out *out)
{
	const struct tp_history_metric *m = &h->metrics[at];
	const char *name = h->metric_names.names[at].text;
	const char *unit = metric_unit(name);

	begin_history(out, "history.change", series);
	tp_out_text(out, "metric", name);
	tp_out_text(out, "change_kind", c->is_drift ? "drift" : "jump");
	out_run(h, out, "since_label", m->points[c->at].run);
	if (c->is_drift && c->until + 1 < m->count)
		out_run(h, out, "last_label", m->points[c->until].run);
	out_value(out, "before", unit, c->before);
	out_value(out, "after", unit, c->after);
	tp_out_real(out, "change_factor", c->after / c->before);
	tp_out_real(out, "change_ratio", fabs(c->after / c->before - 1));
	if (c->is_drift)
		tp_out_real(out, "per_run_ratio",
		    fabs(tp_course_per_run(c) - 1));
	tp_out_int(out, "before_run_count", (int64_t)(c->at - c->first));
	tp_out_int(out, "after_run_count", (int64_t)(c->end - c->at));
	tp_out_bool(out, "is_current", is_current);
	tp_out_end(out);
}

enum { COLUMNS = 60, ROWS = 6 };

/* The column of item I of N. */
static size_t
column(size_t i, size_t n)
{
	return n > COLUMNS ? i * COLUMNS / n : i;
}

/* Print X, of a metric in UNIT, beside a line of a chart. */
static void
put_scale(struct tp_buf *buf, const char *unit, double x)
{
	char key[64];
	struct tp_field f = { .key = key, .type = TP_FIELD_REAL, .x = x };

	snprintf(key, sizeof key, "x_%s", unit);
	if (is_whole(unit)) {
		f.type = TP_FIELD_INT;
		f.n = (int64_t)nearbyint(x);
	}
	tp_buf_chr(buf, ' ');
	tp_unit_print(buf, &f, NULL);
}

/*
 * Draw the N values at X as ROWS lines of blocks, with a line of marks
 * below.
 */
static void
draw(const double *x, size_t n, const struct tp_course *c, const char *unit,
    struct tp_out *out, struct tp_buf *buf)
{
	size_t width = column(n - 1, n) + 1, of[COLUMNS] = { 0 };
	double mean[COLUMNS] = { 0 }, low, high;
	char marks[COLUMNS + 1] = "", key[32];

	for (size_t i = 0; i < n; i++) {
		mean[column(i, n)] += x[i];
		of[column(i, n)]++;
	}
	low = high = mean[0] /= (double)of[0];
	for (size_t k = 1; k < width; k++) {
		mean[k] /= (double)of[k];
		low = mean[k] < low ? mean[k] : low;
		high = mean[k] > high ? mean[k] : high;
	}
	for (int row = 0; row < ROWS; row++) {
		tp_buf_clear(buf);
		for (size_t k = 0; k < width; k++) {
			int full = high > low ? 1 + (int)((mean[k] - low) /
			    (high - low) * (8 * ROWS - 1)) : 4 * ROWS;
			int part = full - 8 * (ROWS - 1 - row);
			char block[] = "\xe2\x96\x88";

			if (part < 8)
				block[2] = (char)(0x80 + part);
			tp_buf_str(buf, part > 0 ? block : " ");
		}
		if (row == (high > low ? 0 : ROWS / 2))
			put_scale(buf, unit, high);
		else if (row == ROWS - 1 && high > low)
			put_scale(buf, unit, low);
		snprintf(key, sizeof key, "chart_%d", row + 1);
		tp_out_text(out, key, buf->p);
	}
	if (!c->count)
		return;
	memset(marks, ' ', column(c->changes[c->count - 1].until, n));
	for (size_t i = 0; i < c->count; i++)
		for (size_t k = column(c->changes[i].at, n);
		    k <= column(c->changes[i].until, n); k++)
			marks[k] = c->changes[i].is_drift ? '~' : '^';
	tp_out_text(out, "chart_marks", marks);
}

static void
emit_chart(const struct tp_history_series *h, const char *series, size_t at,
    const double *x, const struct tp_course *c, struct tp_out *out,
    struct tp_buf *buf)
{
	const struct tp_history_metric *m = &h->metrics[at];
	const char *name = h->metric_names.names[at].text;

	begin_history(out, "history.chart", series);
	tp_out_text(out, "metric", name);
	tp_out_int(out, "recorded_count", (int64_t)m->count);
	out_run(h, out, "first_label", m->points[0].run);
	out_run(h, out, "last_label", m->points[m->count - 1].run);
	draw(x, m->count, c, metric_unit(name), out, buf);
	tp_out_end(out);
}

/* Write the last TAIL runs, with the changes among them. */
static void
emit_runs(const struct tp_history_series *h, const char *series, size_t at,
    const struct tp_course *c, size_t tail, struct tp_out *out)
{
	const struct tp_history_metric *m = &h->metrics[at];
	const char *name = h->metric_names.names[at].text;
	size_t next = 0;

	for (size_t i = tail && m->count > tail ? m->count - tail : 0;
	    i < m->count; i++) {
		begin_history(out, "history.run", series);
		tp_out_text(out, "metric", name);
		out_run(h, out, "label", m->points[i].run);
		out_value(out, "after", metric_unit(name), m->points[i].x);
		while (next < c->count && c->changes[next].at < i)
			next++;
		if (next < c->count && c->changes[next].at == i)
			tp_out_text(out, "change_kind",
			    c->changes[next].is_drift ? "drift" : "jump");
		tp_out_end(out);
	}
}

/* Write the changes of a metric, and if it decides also its chart and runs. */
static void
emit_course(const struct tp_history_series *h, const char *series, size_t at,
    size_t tail, struct tp_out *out, struct tp_buf *buf)
{
	const struct tp_history_metric *m = &h->metrics[at];
	double *x = tp_alloc(m->count * sizeof *x);
	struct tp_course c = { 0 };

	for (size_t i = 0; i < m->count; i++)
		x[i] = m->points[i].x;
	if (m->is_level)
		tp_course_find(&c, x, m->count);
	for (size_t i = 0; i < c.count; i++)
		emit_change(h, series, at, &c.changes[i], i + 1 == c.count,
		    out);
	if (m->decides && m->count > 1)
		emit_chart(h, series, at, x, &c, out, buf);
	if (m->decides)
		emit_runs(h, series, at, &c, tail, out);
	tp_course_release(&c);
	tp_free(x);
}

/* Deciding metrics first. */
static void
emit_courses(const struct tp_history_series *h, const char *series,
    size_t tail, struct tp_out *out)
{
	struct tp_buf buf = { 0 };

	for (int decides = 1; decides >= 0; decides--)
		for (size_t i = 0; i < h->metric_names.count; i++)
			if (h->metrics[i].decides == decides)
				emit_course(h, series, i, tail, out, &buf);
	tp_buf_release(&buf);
}

static void
emit_series(const struct tp_history_series *h, const char *series, size_t top,
    size_t tail, struct tp_out *out)
{
	emit_summary(h, series, out);
	emit_courses(h, series, tail, out);
	emit_messages(h, series, top, out);
	tp_history_promises_emit(&h->promises, series, out);
	emit_metrics(h, series, tail, out);
}

void
tp_history_emit(const struct tp_history *h, const char *by, size_t top,
    size_t tail, struct tp_out *out)
{
	static const struct tp_history_series none;
	const struct tp_history_series *one = by || !h->names.count ?
	    tp_history_find(h, by) : NULL;

	if (by || !h->names.count)
		emit_series(one ? one : &none, by ? by : "", top, tail, out);
	for (size_t i = 0; !by && i < h->names.count; i++)
		emit_series(&h->series[i], h->names.names[i].text, top, tail,
		    out);
}
