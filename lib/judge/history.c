/* history - read what gates have put on record */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/judge/history.h>

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void
tp_history_fold(struct tp_buf *buf, const char *text)
{
	const char *start = text;

	while (*text) {
		/* the digits of "p90" belong to a name */
		if (!is_digit(*text) || (text > start &&
		    is_letter(text[-1]))) {
			do
				tp_buf_chr(buf, *text++);
			while (is_digit(*text) && is_letter(text[-1]));
			while (text > start && is_digit(text[-1]) &&
			    is_digit(*text))
				tp_buf_chr(buf, *text++);
			continue;
		}
		if (text > start && (text[-1] == '-' || text[-1] == '+') &&
		    buf->len)
			buf->p[--buf->len] = '\0';
		while (is_digit(*text) || ((*text == '.' || *text == ',') &&
		    is_digit(text[1])))
			text++;
		tp_buf_chr(buf, 'N');
	}
}

static int
add_message(struct tp_history *h, const char *text, int warning,
    struct tp_err *err)
{
	struct tp_history_message *m;
	struct tp_buf folded = { 0 };
	ptrdiff_t at;
	size_t run = h->run_count, had = h->texts.count;

	tp_history_fold(&folded, text);
	/* failures and warnings of one text are told apart */
	tp_buf_add(&folded, warning ? "\0w" : "\0f", 2);
	at = folded.failed ? -1 : tp_names_add(&h->texts, folded.p,
	    folded.len);
	tp_buf_release(&folded);
	if (at < 0 || tp_grow(&h->messages, &h->message_cap,
	    h->texts.count, sizeof *m) < 0)
		return tp_fail_memory(err);
	m = &h->messages[at];
	if (h->texts.count > had) {
		memset(m, 0, sizeof *m);
		m->first = m->since = run;
		m->warning = warning;
	} else if (m->last + 1 < run) {
		m->since = run;
	}
	if (!m->times || m->last != run)
		m->times++;
	m->last = run;
	return 0;
}

static int
add_point(struct tp_history *h, const char *metric, double x,
    struct tp_err *err)
{
	struct tp_history_series *s;
	size_t had = h->metrics.count;
	ptrdiff_t at = tp_names_add(&h->metrics, metric, strlen(metric));

	if (at < 0 || tp_grow(&h->series, &h->series_cap, h->metrics.count,
	    sizeof *s) < 0)
		return tp_fail_memory(err);
	s = &h->series[at];
	if (h->metrics.count > had)
		memset(s, 0, sizeof *s);
	if (tp_grow(&s->points, &s->cap, s->count + 1,
	    sizeof *s->points) < 0)
		return tp_fail_memory(err);
	s->points[s->count].run = h->run_count;
	s->points[s->count++].x = x;
	return 0;
}

static int
add_messages(struct tp_history *h, const struct cJSON *list, int warning,
    struct tp_err *err)
{
	const struct cJSON *i;

	cJSON_ArrayForEach(i, list)
		if (cJSON_IsString(i) && add_message(h, i->valuestring,
		    warning, err) < 0)
			return -1;
	return 0;
}

static int
add_run(struct tp_history *h, const struct cJSON *doc,
    enum tp_gate_status status, struct tp_err *err)
{
	const struct cJSON *a = tp_json_get(doc, "assessment"), *i;
	const char *label = tp_json_text(doc, "label"), *name;
	double x;

	if (add_messages(h, tp_json_get(a, "failures"), 0, err) < 0 ||
	    add_messages(h, tp_json_get(a, "warnings"), 1, err) < 0)
		return -1;
	cJSON_ArrayForEach(i, tp_json_get(a, "metrics"))
		if (cJSON_IsNumber(i) && fabs(i->valuedouble) < 9e18 &&
		    add_point(h, i->string, i->valuedouble, err) < 0)
			return -1;
	cJSON_ArrayForEach(i, tp_json_get(a, "checks"))
		if ((name = tp_json_text(i, "metric")) &&
		    tp_json_number(i, "after", &x) && fabs(x) < 9e18 &&
		    add_point(h, name, x, err) < 0)
			return -1;
	if (tp_grow(&h->labels, &h->label_cap, h->run_count + 1,
	    sizeof *h->labels) < 0)
		return tp_fail_memory(err);
	label = tp_arena_text(&h->arena, label ? label : "",
	    label ? strlen(label) : 0);
	if (!label)
		return tp_fail_memory(err);
	h->labels[h->run_count++] = label;
	h->status_counts[status]++;
	h->last_status = status;
	return 0;
}

int
tp_history_add(struct tp_history *h, const char *line, size_t len,
    struct tp_err *err)
{
	struct cJSON *doc = cJSON_ParseWithLength(line, len);
	const char *text = tp_json_text(tp_json_get(doc, "assessment"),
	    "status");
	int status = TP_GATE_FAIL, rc;

	if (!doc && tp_alloc_failed())
		return tp_fail_memory(err);
	while (status >= 0 && (!text || strcmp(text,
	    tp_gate_status_name((enum tp_gate_status)status))))
		status--;
	rc = status >= 0 ? add_run(h, doc, (enum tp_gate_status)status,
	    err) : tp_fail(err, TP_BAD, "history.damaged", 0, doc ?
	    "no run: its assessment has no status that is known" :
	    "not JSON");
	cJSON_Delete(doc);
	return rc;
}

void
tp_history_release(struct tp_history *h)
{
	for (size_t i = 0; i < h->metrics.count; i++)
		tp_free(h->series[i].points);
	tp_free(h->series);
	tp_free(h->messages);
	tp_free(h->labels);
	tp_names_release(&h->texts);
	tp_names_release(&h->metrics);
	tp_arena_release(&h->arena);
}

/* KEY: the label of RUN, or its number when it has none. */
static void
out_run(const struct tp_history *h, struct tp_out *out, const char *key,
    size_t run)
{
	char number[32];

	snprintf(number, sizeof number, "#%zu", run + 1);
	tp_out_text(out, key, *h->labels[run] ? h->labels[run] : number);
}

static void
emit_summary(const struct tp_history *h, struct tp_out *out)
{
	char key[64];

	tp_out_begin(out, "history.summary");
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

static int
by_times(const void *p, const void *q)
{
	const struct order *a = p, *b = q;

	if (a->m->warning != b->m->warning)
		return a->m->warning - b->m->warning;
	if (a->m->times != b->m->times)
		return a->m->times > b->m->times ? -1 : 1;
	return strcmp(a->text, b->text);
}

static int
emit_messages(const struct tp_history *h, size_t top, struct tp_out *out,
    struct tp_err *err)
{
	size_t n = h->texts.count, shown[2] = { 0 };
	struct order *list = tp_alloc((n + 1) * sizeof *list);

	if (!list)
		return tp_fail_memory(err);
	for (size_t i = 0; i < n; i++) {
		list[i].m = &h->messages[i];
		list[i].text = h->texts.names[i].text;
	}
	qsort(list, n, sizeof *list, by_times);
	for (size_t i = 0; i < n; i++) {
		const struct tp_history_message *m = list[i].m;
		int current = m->last + 1 == h->run_count;

		if (shown[m->warning]++ >= top)
			continue;
		tp_out_begin(out, "history.message");
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
	return 0;
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

/* Eight heights from the lowest to the highest of the N points at P. */
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

/* Least squares: growth of the N points at P from run to run. */
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

static void
out_value(struct tp_out *out, const char *what, const char *unit, double x)
{
	char key[64];

	snprintf(key, sizeof key, "%s_%s", what, unit);
	if (!strcmp(unit, "ns") || !strcmp(unit, "bytes") ||
	    !strcmp(unit, "count"))
		tp_out_int(out, key, (int64_t)nearbyint(x));
	else
		tp_out_real(out, key, x);
}

static int
emit_metrics(const struct tp_history *h, size_t tail, struct tp_out *out,
    struct tp_err *err)
{
	struct tp_buf line = { 0 };
	int rc = 0;

	for (size_t i = 0; i < h->metrics.count; i++) {
		const struct tp_history_series *s = &h->series[i];
		const char *name = h->metrics.names[i].text;
		const char *unit = metric_unit(name);
		size_t n = tail && s->count > tail ? tail : s->count;
		const struct tp_history_point *p = s->points + s->count - n;

		tp_buf_clear(&line);
		spark(p, n, &line);
		if (line.failed) {
			rc = tp_fail_memory(err);
			break;
		}
		tp_out_begin(out, "history.metric");
		tp_out_text(out, "metric", name);
		tp_out_int(out, "recorded_count", (int64_t)s->count);
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
	return rc;
}

int
tp_history_emit(const struct tp_history *h, size_t top, size_t tail,
    struct tp_out *out, struct tp_err *err)
{
	emit_summary(h, out);
	if (emit_messages(h, top, out, err) < 0)
		return -1;
	return emit_metrics(h, tail, out, err);
}
