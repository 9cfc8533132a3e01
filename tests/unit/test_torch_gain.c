/* What could be gained on operations, with the shares and bands of
 * share/ops/pytorch-analysis.json, and the groups that are slow alike. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/torch_gain.h>

static int failed;

static void
check(const char *what, size_t i, int64_t got, int64_t want)
{
	if (got == want)
		return;
	printf("not ok torch_gain: %s of %zu: got %lld, want %lld\n", what, i,
	    (long long)got, (long long)want);
	failed = 1;
}

/* The three gains are 0.75, 0.875 and 1 of what is above the roofline; of
 * unmodelled time 0.15, 0.3 and 0.45.  A share is rounded half to even. */
static const struct {
	const char *category, *library;
	enum tp_torch_basis basis, becomes;
	int64_t gpu, host, best;
	int waits;
	size_t band;
	int64_t low, middle, high;
} rows[] = {
	{ "gemm", NULL, TP_GAIN_COMPUTE, TP_GAIN_COMPUTE,
	  1000, 5000, 300, 0, 1, 525, 612, 700 },
	{ "gemm", NULL, TP_GAIN_MEMORY, TP_GAIN_MEMORY,
	  1000, 5001, 299, 1, 0, 526, 613, 701 },
	{ "gemm", NULL, TP_GAIN_COMPUTE, TP_GAIN_COMPUTE,
	  2000, 0, 1199, 0, 1, 601, 701, 801 },
	{ "gemm", NULL, TP_GAIN_COMPUTE, TP_GAIN_COMPUTE,
	  1000, 9000, 600, 1, 2, 300, 350, 400 },
	/* up to a tenth faster than the roofline nothing is gained, */
	{ "gemm", NULL, TP_GAIN_COMPUTE, TP_GAIN_COMPUTE,
	  1000, 0, 1100, 0, 2, 0, 0, 0 },
	/* beyond that the roofline is wrong */
	{ "gemm", NULL, TP_GAIN_MEMORY, TP_GAIN_ANOMALY,
	  1000, 0, 1101, 0, 0, 0, 0, 0 },
	{ "other", NULL, TP_GAIN_UNMODELLED, TP_GAIN_UNMODELLED,
	  4000, 0, 0, 0, 0, 600, 1200, 1800 },
	{ "other", NULL, TP_GAIN_COMMUNICATION, TP_GAIN_COMMUNICATION,
	  500, 0, 100, 0, 0, 0, 0, 0 },
	{ "gemm", NULL, TP_GAIN_UNASKED, TP_GAIN_UNASKED,
	  300, 0, 100, 0, 0, 0, 0, 0 },
	{ "gemm", NULL, TP_GAIN_COMPUTE, TP_GAIN_COMPUTE,
	  0, 1, 0, 1, 0, 0, 0, 0 },
	{ "gemm", "CUB", TP_GAIN_COMPUTE, TP_GAIN_COMPUTE, 100, 0, 50, 0, 1,
	  38, 44, 50 },
};
enum { ROWS = sizeof rows / sizeof *rows };

static void
add(struct tp_torch_gains *g, const struct tp_torch_judge *judge)
{
	char op[24];

	for (size_t i = 0; i < ROWS; i++) {
		const struct tp_torch_gain_row *r;

		snprintf(op, sizeof op, "op%zu", i);
		if (tp_torch_gain_add(g, judge, (struct tp_torch_gain_row){
		    .op = op, .category = rows[i].category,
		    .library = rows[i].library, .analyser = "x",
		    .basis = rows[i].basis, .gpu_ps = rows[i].gpu,
		    .host_ps = rows[i].host, .best_ps = rows[i].best,
		    .count = i + 1 }) < 0)
			exit(1);
		r = &g->rows[i];
		check("basis", i, r->basis, rows[i].becomes);
		check("waiting", i, r->waits, rows[i].waits);
		check("band", i, (int64_t)r->band, (int64_t)rows[i].band);
		check("least", i, r->gain.low_ps, rows[i].low);
		check("middle", i, r->gain.middle_ps, rows[i].middle);
		check("most", i, r->gain.high_ps, rows[i].high);
	}
}

static void
categories(const struct tp_torch_gains *gains)
{
	size_t n;
	struct tp_torch_gain_group *g = tp_torch_gain_groups(gains, 1, &n);

	if (!g || n != 2)
		exit(1);
	check("rows", 0, (int64_t)g[0].row_count, 9);
	check("calls", 0, (int64_t)g[0].count, 51);
	check("GPU time", 0, g[0].gpu_ps, 7400);
	check("host time", 0, g[0].host_ps, 19002);
	check("roofline", 0, g[0].best_ps, 4749);
	check("modelled time", 0, g[0].modelled_ps, 6100);
	check("anomalies", 0, g[0].anomaly_ps, 1000);
	check("rows that wait", 0, (int64_t)g[0].wait_count, 3);
	check("waiting time", 0, g[0].wait_ps, 4001 + 8000 + 1);
	check("least", 0, g[0].gain.low_ps, 1990);
	check("middle", 0, g[0].gain.middle_ps, 2320);
	check("most", 0, g[0].gain.high_ps, 2652);
	check("largest row", 0, g[0].first.gpu_ps, 2000);
	/* what is guessed is no gain of a category */
	check("GPU time", 1, g[1].gpu_ps, 4500);
	check("most", 1, g[1].gain.high_ps, 0);
	tp_free(g);
}

/* By what could be gained, then by time; rows of one category, bound, band
 * and library are together where they have a roofline. */
static void
groups(const struct tp_torch_gains *gains)
{
	static const struct {
		const char *op;
		int64_t rows, middle;
	} want[] = {
		{ "op2", 2, 1313 }, { "op6", 1, 1200 }, { "op1", 1, 613 },
		{ "op3", 2, 350 }, { "op10", 1, 44 }, { "op5", 1, 0 },
		{ "op7", 1, 0 }, { "op8", 1, 0 }, { "op9", 1, 0 },
	};
	size_t n;
	struct tp_torch_gain_group *g = tp_torch_gain_groups(gains, 0, &n);

	if (!g || n != sizeof want / sizeof *want)
		exit(1);
	for (size_t i = 0; i < n; i++) {
		check("order", i, strcmp(g[i].first.op, want[i].op), 0);
		check("rows", i, (int64_t)g[i].row_count, want[i].rows);
		check("gain", i, g[i].gain.middle_ps, want[i].middle);
	}
	tp_free(g);
}

/* The last band ends where an efficiency is no longer taken for one. */
static void
bands(const struct tp_torch_judge *judge)
{
	static const double edges[] = { 0, 0.3, 0.6, 1.1 };
	double from, to;

	for (size_t i = 0; i < 3; i++) {
		tp_torch_band(judge, i, &from, &to);
		check("a band's edges", i, from == edges[i] &&
		    to == edges[i + 1], 1);
	}
}

int
main(void)
{
	struct tp_torch_gains gains = { 0 };
	struct tp_err err;
	struct tp_torch_judge *judge = tp_torch_judge_load(&err);

	if (!judge) {
		printf("not ok torch_gain: %s\n", err.text);
		return 1;
	}
	add(&gains, judge);
	categories(&gains);
	groups(&gains);
	bands(judge);
	tp_torch_gains_release(&gains);
	tp_torch_judge_free(judge);
	if (!failed)
		puts("ok torch_gain: gains, bands, waits and groups");
	return failed;
}
