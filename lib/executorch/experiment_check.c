/* experiment_check - compare tables with the documents of their run */
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>

#include "experiment_private.h"
#include "stat.h"

struct checks {
	const struct tp_experiments *e;
	struct tp_out *out;
	double tolerance;
	int64_t count, failed;
};

static void
begin_check(struct checks *c, const struct tp_experiment *x, const char *check,
    const char *against)
{
	tp_out_begin(c->out, "validation.check");
	tp_out_text(c->out, "experiment", x->name);
	tp_out_known(c->out, "threads", x->threads);
	tp_out_text(c->out, "check", check);
	tp_out_text(c->out, "against", against);
}

static void
end(struct checks *c, int holds)
{
	tp_out_text(c->out, "verdict", holds ? "pass" : "fail");
	tp_out_end(c->out);
	c->count++;
	c->failed += !holds;
}

/* Compare the value KEY of the tables with SAID, which is from S. */
static void
check_near(struct checks *c, const struct tp_experiment *x,
    const struct tp_experiment_said *s, const char *check, const char *key,
    int64_t said)
{
	int64_t value, apart;

	/*
	 * if the latencies are from the metrics, comparing with the metrics
	 * proves nothing
	 */
	if (said < 0 || (c->e->document_records.buf.len &&
	    s->by == TP_RUN_METRICS) ||
	    !x->latency || !tp_rec_int(x->latency, key, &value))
		return;
	apart = value > said ? value - said : said - value;
	begin_check(c, x, check, tp_run_document_names[s->by]);
	tp_out_int(c->out, "value_ns", value);
	tp_out_int(c->out, "reference_ns", said);
	tp_out_ratio(c->out, "apart_ratio", apart, said);
	tp_out_real(c->out, "tolerance_ratio", c->tolerance);
	end(c, said ? (double)apart <= c->tolerance * (double)said : !apart);
}

/*
 * Sum the records of X: *CATEGORIES gets the operators by category, *ROWS all
 * rows of its runs (frames and their contents).  Returns 0 if a sum is unknown
 * or overflows.
 */
static int
sums(const struct tp_experiments *e, const struct tp_experiment *x,
    int64_t *categories, int64_t *rows)
{
	static const char *const parts[] = { "delegated_sum_ns",
	    "delegated_sum_ns", "portable_sum_ns", "portable_sum_ns",
	    "direct_sum_ns", "delegate_gap_sum_ns",
	    "operator_overhead_sum_ns" };
	tp_int128 in_all = 0, by_category = 0;
	int64_t n;

	for (size_t i = 0; i < e->set.count; i++) {
		const struct tp_rec *r = &e->set.recs[i];

		if (!strcmp(r->kind, "op.category") &&
		    !strcmp(r->src, x->src) && tp_rec_int(r, "sum_ns", &n))
			by_category += n;
	}
	if (!tp_rec_int(x->latency, "sum_ns", &n))
		return 0;
	in_all = n;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (tp_rec_int(x->delegation, parts[i], &n))
			in_all += n;
	if (by_category > INT64_MAX || in_all > INT64_MAX)
		return 0;
	*categories = (int64_t)by_category;
	*rows = (int64_t)in_all;
	return 1;
}

static void
check_order(struct checks *c, const struct tp_experiment *x,
    const char *check, const char *against, int64_t low, int64_t high)
{
	begin_check(c, x, check, against);
	tp_out_int(c->out, "value_ns", low);
	tp_out_int(c->out, "reference_ns", high);
	end(c, low <= high);
}

static void
check_sums(struct checks *c, const struct tp_experiment *x)
{
	int64_t categories, rows, e2e;

	if (!x->latency || !x->delegation ||
	    !tp_rec_int(x->latency, "sum_ns", &e2e) ||
	    !sums(c->e, x, &categories, &rows))
		return;
	check_order(c, x, "categories", "latency", categories, e2e);
	check_order(c, x, "latency", "rows", e2e, rows);
}

/* Check what S says of X.  Kernel traces (xnntrace) do not measure latency. */
static void
check_said(struct checks *c, const struct tp_experiment *x,
    const struct tp_experiment_said *s)
{
	if (tp_experiment_is_trace(s) || !tp_experiment_is(x, s))
		return;
	check_near(c, x, s, "median", "median_ns", s->median_ns);
	check_near(c, x, s, "mean", "mean_ns", s->mean_ns);
}

/*
 * Whether entry AT is of an experiment with a table, or repeats an earlier
 * entry.
 */
static int
is_there(const struct tp_experiments *e, size_t at)
{
	const struct tp_experiment_said *s = &e->said[at], *o;

	for (size_t i = 0; i < e->count && !e->document_records.buf.len; i++)
		if (e->list[i].latency && tp_experiment_is(&e->list[i], s))
			return 1;
	for (size_t i = 0; i < at; i++) {
		o = &e->said[i];
		if (!tp_experiment_is_trace(o) && o->name &&
		    !strcmp(o->name, s->name) && o->threads == s->threads)
			return 1;
	}
	return 0;
}

/*
 * Fail the checks of experiments without a table, and of tables whose latency
 * no document states.
 */
static void
check_absent(struct checks *c)
{
	const struct tp_experiments *e = c->e;

	for (size_t k = 0; k < e->said_count; k++) {
		const struct tp_experiment_said *s = &e->said[k];
		const struct tp_experiment x = { .name = s->name,
		    .threads = s->threads };

		if (s->by == TP_RUN_LOG || !s->name ||
		    tp_experiment_is_trace(s) || is_there(e, k))
			continue;
		begin_check(c, &x, "table", tp_run_document_names[s->by]);
		end(c, 0);
	}
	for (size_t i = 0; i < e->count; i++) {
		size_t told = 0;

		for (size_t k = 0; k < e->said_count; k++)
			told += (e->said[k].median_ns >= 0 ||
			    e->said[k].mean_ns >= 0) &&
			    !tp_experiment_is_trace(&e->said[k]) &&
			    tp_experiment_is(&e->list[i], &e->said[k]);
		if (told || !e->list[i].latency || !e->said_count)
			continue;
		begin_check(c, &e->list[i], "document", "documents");
		end(c, 0);
	}
}

int
tp_experiments_check(const struct tp_experiments *e, struct tp_out *out,
    int64_t *failed, struct tp_err *err)
{
	struct checks c = { .e = e, .out = out };

	if (!tp_json_number(e->words, "tolerance_ratio", &c.tolerance))
		return tp_share_fail(err, TP_BAD, "no tolerance_ratio");
	for (size_t i = 0; i < e->count; i++) {
		for (size_t k = 0; k < e->said_count; k++)
			check_said(&c, &e->list[i], &e->said[k]);
		check_sums(&c, &e->list[i]);
	}
	check_absent(&c);
	tp_out_begin(out, "validation.summary");
	tp_out_int(out, "check_count", c.count);
	tp_out_int(out, "failed_count", c.failed);
	/* without documents there was nothing to compare */
	if (c.count && (c.failed || e->said_count))
		tp_out_text(out, "verdict", c.failed ? "fail" : "pass");
	tp_out_end(out);
	*failed = c.failed;
	return 0;
}
