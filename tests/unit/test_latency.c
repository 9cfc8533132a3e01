/* Latency: quantiles, outliers, trimmed means, drift, against values worked
 * out by hand. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "executorch/latency.h"

static int failed;

static void
check(int ok, const char *what)
{
	printf("%s %s\n", ok ? "ok" : "not ok", what);
	failed |= !ok;
}

static const struct quantile {
	int64_t values[6];
	size_t count;
	unsigned num, den;
	int64_t want;
} quantiles[] = {
	{ { 7 }, 1, 99, 100, 7 },
	{ { 1, 2 }, 2, 1, 2, 2 },	/* 1.5, to even */
	{ { 2, 3 }, 2, 1, 2, 2 },	/* 2.5, to even */
	{ { 0, 10 }, 2, 1, 4, 2 },	/* 2.5 */
	{ { 0, 10 }, 2, 9, 10, 9 },
	{ { -3, -2 }, 2, 1, 2, -2 },	/* -2.5, to even */
	{ { 10, 20, 30, 40, 50, 60 }, 6, 1, 4, 22 },	/* 22.5 */
	{ { 10, 20, 30, 40, 50, 60 }, 6, 3, 4, 48 },	/* 47.5 */
	{ { 10, 20, 30, 40, 50, 60 }, 6, 19, 20, 58 },	/* 57.5 */
	{ { 10, 20, 30, 40, 50, 60 }, 6, 99, 100, 60 },	/* 59.5 */
	{ { 0 }, 0, 1, 2, 0 },
};

/* The records of COUNT runs, latency, then drift; the caller's until the next
 * call. */
static const char *
records(const int64_t *ns, size_t count, int *drift)
{
	static struct tp_out out;
	struct tp_latency l = { 0 };

	tp_out_release(&out);
	tp_out_init(&out, -1);
	for (size_t i = 0; i < count; i++)
		tp_latency_add(&l, ns[i]);
	tp_latency_judge(&l);
	tp_out_begin(&out, "x");
	tp_latency_emit(&l, &out);
	if (l.count)
		tp_latency_emit_first(&l, &out);
	tp_out_end(&out);
	tp_latency_emit_drift(&l, &out);
	*drift = strstr(out.buf.p, "latency.drift") != NULL;
	tp_latency_emit_modes(&l, &out);
	tp_latency_release(&l);
	return out.buf.p;
}

static void
has(const char *text, const char *want)
{
	check(strstr(text, want) != NULL, want);
}

/* Ten runs: 5 % cuts none, 10 % one at either end. */
static void
ten(void)
{
	static const int64_t ns[] = { 100, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	int drift;
	const char *got = records(ns, 10, &drift);

	has(got, "\"sum_ns\":145");
	has(got, "\"mean_ns\":14,");	/* 14.5, to even */
	has(got, "\"median_ns\":6,");	/* 5.5 */
	has(got, "\"p25_ns\":3,");	/* 3.25 */
	has(got, "\"p75_ns\":8,");	/* 7.75 */
	has(got, "\"outlier_count\":1");
	has(got, "\"outlier_low_ns\":-4,");	/* 3.25 - 6.75 = -3.5 */
	has(got, "\"outlier_high_ns\":14,");	/* 7.75 + 6.75 = 14.5 */
	has(got, "\"robust_count\":9");
	has(got, "\"robust_median_ns\":5");
	has(got, "\"robust_mean_ns\":5");
	has(got, "\"robust_stdev_ns\":3");	/* sqrt(7.5) */
	has(got, "\"trimmed_5_mean_ns\":14,");
	has(got, "\"trimmed_10_mean_ns\":6,");	/* 44 / 8 = 5.5 */
	has(got, "\"first_run_ns\":100");
	has(got, "\"cold_run_factor\":20");	/* 100 / 5 */
	has(got, "\"is_cold\":true,\"cold_run_count\":1,"
	    "\"warm_median_ns\":5,\"disturbed_count\":0");
	/* 1 2 3 and 7 8 9: 6 * 0.954 / sqrt(2 / 3) */
	has(got, "\"run_count\":9,\"first_third_median_ns\":2,");
	has(got, "\"drift_factor\":4");
	has(got, "\"drift_noise_factor\":7.01");
	check(drift, "ten runs have a drift");
}

/*
 * Six runs, each slower: S = 15, variance 28.33, z = 14 / 5.3229.  With two
 * alike: S = 14, variance (510 - 18) / 18, z = 13 / 5.2281.
 */
static void
rising(void)
{
	static const int64_t ns[] = { 10, 11, 12, 13, 14, 15 };
	static const int64_t tie[] = { 10, 11, 12, 12, 13, 14 };
	int drift;
	const char *got = records(ns, 6, &drift);

	has(got, "\"first_third_median_ns\":10,");	/* 10.5, to even */
	has(got, "\"last_third_median_ns\":14,");	/* 14.5, to even */
	has(got, "\"no_trend_ratio\":0.0085");
	has(got, "\"is_cold\":false");
	has(records(tie, 6, &drift), "\"no_trend_ratio\":0.01289");
	check(records(ns, 5, &drift) && !drift,
	    "five runs have no drift");
}

/* Runs in blocks, by turns, after a step, and along a slope. */
static void
modes(void)
{
	static const int64_t blocks[] = { 100, 101, 99, 130, 131, 129, 100,
	    101, 132 };
	static const int64_t turns[] = { 100, 50, 101, 51, 99, 49, 100, 50 };
	static const int64_t step[] = { 100, 101, 99, 100, 130, 131, 129,
	    130 };
	static const int64_t slope[] = { 100, 104, 103, 108, 112, 111, 116,
	    120 };
	static const int64_t few[] = { 100, 130, 101, 99, 100, 101, 99, 100 };
	int drift;
	const char *got = records(blocks, 9, &drift);

	has(got, "\"fast_median_ns\":100,\"slow_median_ns\":130,");
	has(got, "\"slow_run_count\":4,\"modes_factor\":1.3,");
	has(got, "\"switch_count\":3,\"loss_ns\":14");	/* 113.7 - 100 */
	has(records(turns, 8, &drift), "\"switch_count\":7");
	check(!strstr(records(step, 8, &drift), "latency.modes"),
	    "a step is no pair of modes");
	check(!strstr(records(slope, 8, &drift), "latency.modes"),
	    "a slope has no modes");
	check(!strstr(records(few, 8, &drift), "latency.modes"),
	    "a run apart is an outlier, no mode");
	check(!strstr(records(turns, 7, &drift), "latency.modes"),
	    "seven runs have no modes");
}

/* Warm-up of three runs, each against those after it. */
static void
cold(void)
{
	static const int64_t ns[] = { 200, 150, 120, 100, 101, 99, 100, 102,
	    100, 99 };
	int drift;
	const char *got = records(ns, 10, &drift);

	has(got, "\"cold_run_count\":3,\"warm_median_ns\":100,");
	has(got, "\"disturbed_count\":0");
	has(got, "\"run_count\":7,\"first_third_median_ns\":100,");
}

/* On a fence is no outlier; all alike neither; and nothing divides by 0. */
static void
edges(void)
{
	static const int64_t fence[] = { 0, 4, 4, 8, 8, 14 };
	static const int64_t zero[] = { 0, 0, 0, 0, 0, 0 };
	static const int64_t huge[] = { INT64_C(1) << 60, INT64_C(1) << 60,
	    INT64_C(1) << 60 };
	int drift;

	/* quartiles 4 and 8: 14 is on the fence */
	has(records(fence, 6, &drift), "\"outlier_count\":0");
	has(records(zero, 6, &drift), "\"outlier_count\":0");
	has(records(zero, 6, &drift), "\"stdev_ns\":0");
	has(records(zero, 6, &drift), "\"no_trend_ratio\":1,\"loss_ns\":0}");
	check(!strstr(records(zero, 6, &drift), "factor"),
	    "no quotient of nothing");
	has(records(huge, 3, &drift), "\"mean_ns\":1152921504606846976");
	check(!strcmp(records(zero, 0, &drift), "{\"kind\":\"x\"}\n"),
	    "of no runs nothing is said");
}

int
main(void)
{
	for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
		const struct quantile *q = &quantiles[i];
		char what[64];

		snprintf(what, sizeof what, "quantile %zu is %lld", i,
		    (long long)q->want);
		check(tp_linear_quantile(q->values, q->count, q->num,
		    q->den) == q->want, what);
	}
	ten();
	rising();
	edges();
	modes();
	cold();
	return failed;
}
