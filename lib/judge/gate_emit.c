/* gate_emit - gate results, for programs and for CI */
#include <stdio.h>
#include <string.h>

#include <tp/judge/gate.h>
#include <tp/text.h>

/* Whether an earlier check than I belongs to the same gate. */
static int
is_again(const struct tp_gates *g, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (g->list[j].has_limit && !strcmp(g->list[j].id,
		    g->list[i].id))
			return 1;
	return 0;
}

void
tp_gates_out(const struct tp_gates *g, struct tp_out *out)
{
	enum tp_noise noise = TP_NOISE_UNKNOWN;
	double least = tp_gates_detectable(g, &noise);
	int64_t deciding = 0, exceeded = 0;
	char key[64];

	for (int i = 0; i <= TP_GATE_FAIL; i++) {
		enum tp_gate_status status = (enum tp_gate_status)i;

		snprintf(key, sizeof key, "%s_count",
		    tp_gate_status_name(status));
		tp_out_int(out, key, (int64_t)tp_gates_count(g, status));
	}
	for (size_t i = 0; i < g->count; i++) {
		int failed = 0;

		if (!g->list[i].is_deciding || !g->list[i].has_limit ||
		    is_again(g, i))
			continue;
		for (size_t j = i; j < g->count; j++)
			failed |= g->list[j].status == TP_GATE_FAIL &&
			    !strcmp(g->list[j].id, g->list[i].id);
		deciding++;
		exceeded += failed;
	}
	tp_out_int(out, "deciding_count", deciding);
	tp_out_int(out, "exceeded_count", exceeded);
	if (noise == TP_NOISE_UNKNOWN)
		return;
	tp_out_text(out, "noise_from", tp_noise_name(noise));
	tp_out_real(out, "detectable_ratio", least);
	tp_out_bool(out, "is_weak", tp_gates_are_weak(g));
}

void
tp_gates_emit(const struct tp_gates *gates, struct tp_out *out)
{
	for (size_t i = 0; i < gates->count; i++) {
		const struct tp_gate_check *k = &gates->list[i];

		tp_out_begin(out, "track.check");
		tp_out_text(out, "gate", k->id);
		tp_out_text(out, "title", k->title);
		tp_out_text(out, "outcome", tp_gate_status_name(k->status));
		tp_out_text(out, "text", k->text);
		tp_out_bool(out, "is_deciding", k->is_deciding);
		tp_out_text(out, "decides", k->decides);
		tp_out_text(out, "same_as", k->same_as);
		if (k->has_limit)
			tp_out_real(out, "limit_ratio", k->limit);
		if (k->of) {
			tp_out_text(out, "metric", k->of->name);
			tp_compared_out(k->of, out);
		}
		tp_out_end(out);
	}
}

static void
test_case(const struct tp_gate_check *k, struct tp_buf *buf)
{
	static const char *const tags[] = { NULL, "system-out", "error",
	    "failure" };
	const char *tag = tags[k->status];

	tp_buf_str(buf, "  <testcase classname=\"performance\" name=\"");
	tp_xml_text(buf, k->id);
	if (k->of) {
		tp_buf_str(buf, ": ");
		tp_xml_text(buf, k->of->name);
	}
	tp_buf_str(buf, tag ? "\">\n" : "\"/>\n");
	if (!tag)
		return;
	tp_buf_fmt(buf, "    <%s", tag);
	if (k->status == TP_GATE_WARN) {
		tp_buf_chr(buf, '>');
		tp_xml_text(buf, k->text);
		tp_buf_fmt(buf, "</%s>\n", tag);
	} else {
		tp_buf_str(buf, " message=\"");
		tp_xml_text(buf, k->text);
		tp_buf_str(buf, "\"/>\n");
	}
	tp_buf_str(buf, "  </testcase>\n");
}

void
tp_gates_junit(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf)
{
	tp_buf_str(buf, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuite name=\"");
	tp_xml_text(buf, label);
	tp_buf_fmt(buf, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
	    gates->count, tp_gates_count(gates, TP_GATE_FAIL),
	    tp_gates_count(gates, TP_GATE_UNKNOWN));
	for (size_t i = 0; i < gates->count; i++)
		test_case(&gates->list[i], buf);
	tp_buf_str(buf, "</testsuite>\n");
}

/* Escape TEXT for a workflow command; PROPERTY: in the part before "::". */
static void
command(struct tp_buf *buf, const char *text, int property)
{
	for (; *text; text++)
		if (*text == '%' || (unsigned char)*text < 0x20 ||
		    *text == 0x7f || (property && strchr(":,", *text)))
			tp_buf_fmt(buf, "%%%02X", (unsigned char)*text);
		else
			tp_buf_chr(buf, *text);
}

void
tp_gates_github(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf)
{
	static const char *const levels[] = { "notice", "warning", "error",
	    "error" };
	size_t held = tp_gates_count(gates, TP_GATE_PASS);

	for (size_t i = 0; i < gates->count; i++) {
		const struct tp_gate_check *k = &gates->list[i];

		if (k->status == TP_GATE_PASS || k->same_as)
			continue;
		tp_buf_fmt(buf, "::%s title=", levels[k->status]);
		command(buf, label, 1);
		tp_buf_str(buf, "%3A ");
		command(buf, k->id, 1);
		tp_buf_str(buf, "::");
		command(buf, k->text, 0);
		tp_buf_chr(buf, '\n');
	}
	tp_buf_str(buf, "::notice title=");
	command(buf, label, 1);
	tp_buf_fmt(buf, "::%s: %zu of %zu limits were kept\n",
	    tp_gate_status_name(tp_gates_status(gates)), held, gates->count);
}

/* Whether K is a number of which less is better. */
static int
is_measured(const struct tp_gate_check *k)
{
	return k->of && k->of->side[TP_AFTER].times && !k->of->is_twice &&
	    k->of->better == TP_BETTER_LESS;
}

/*
 * Smallest and largest value of the runs after; 0 when there is a single
 * run.
 */
static int
range_of(const struct tp_compared *v, double *low, double *high)
{
	const double *x = v->runs[TP_AFTER];
	size_t n = v->run_count[TP_AFTER];

	for (size_t i = 0; i < n; i++) {
		*low = !i || x[i] < *low ? x[i] : *low;
		*high = !i || x[i] > *high ? x[i] : *high;
	}
	return n > 1;
}

static int
is_one_of_many(const struct tp_gates *gates, const struct tp_gate_check *k)
{
	for (size_t i = 0; i < gates->count; i++)
		if (&gates->list[i] != k && !strcmp(gates->list[i].title,
		    k->title))
			return 1;
	return 0;
}

void
tp_gates_benchmark(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf)
{
	struct tp_doc doc = { .buf = buf }, *j = &doc;
	struct tp_buf name = { 0 };
	char range[64];
	double low, high;

	(void)label;
	tp_doc_array(j, NULL);
	for (size_t i = 0; i < gates->count; i++) {
		const struct tp_gate_check *k = &gates->list[i];

		if (!is_measured(k))
			continue;
		tp_doc_object(j, NULL);
		tp_doc_text(j, "extra", k->of->name);
		tp_buf_clear(&name);
		tp_buf_str(&name, k->title);
		if (is_one_of_many(gates, k))
			tp_buf_fmt(&name, ", %s", k->of->name);
		tp_doc_text(j, "name", name.p);
		if (range_of(k->of, &low, &high)) {
			snprintf(range, sizeof range, "%.15g to %.15g", low,
			    high);
			tp_doc_text(j, "range", range);
		}
		tp_doc_text(j, "unit", k->of->unit);
		tp_doc_float(j, "value", k->of->side[TP_AFTER].x);
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
	tp_buf_release(&name);
}

void
tp_gates_bencher(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf)
{
	struct tp_doc doc = { .buf = buf }, *j = &doc;
	double low, high;

	(void)label;
	tp_doc_object(j, NULL);
	for (size_t i = 0; i < gates->count; i++) {
		const struct tp_gate_check *k = &gates->list[i];

		if (!is_measured(k))
			continue;
		tp_doc_object(j, k->of->name);
		/* Bencher's built-in measure "latency" is in ns */
		tp_doc_object(j, !strcmp(k->of->unit, "ns") ? "latency" :
		    k->of->unit);
		if (range_of(k->of, &low, &high)) {
			tp_doc_float(j, "lower_value", low);
			tp_doc_float(j, "upper_value", high);
		}
		tp_doc_float(j, "value", k->of->side[TP_AFTER].x);
		tp_doc_close(j, '}');
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, '}');
}
