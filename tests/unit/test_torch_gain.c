/* What could be gained on operations, worked out by hand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "torch/gain.h"

static int failed;
static struct tp_torch_analysers *analysers;

static void
check(int ok, const char *what)
{
	printf("%s - %s\n", ok ? "ok" : "not ok", what);
	failed |= !ok;
}

static void
add(struct tp_torch_gains *g, struct tp_torch_gain_item row)
{
	if (!row.category)
		row.category = "GEMM";
	row.analyser = tp_torch_analyser(analysers, row.op, row.category);
	tp_torch_gain_add(g, analysers, row);
}

static int
gains(const struct tp_torch_gain *g, int64_t low, int64_t middle, int64_t high)
{
	return g->low_ps == low && g->middle_ps == middle &&
	    g->high_ps == high;
}

/* Above the roofline three quarters, seven eighths, all; without one 15, 30
 * and 45 % of all time. */
static void
estimates(void)
{
	struct tp_torch_gains g = { 0 };

	add(&g, (struct tp_torch_gain_item){ .op = "known", .gpu_ps = 1000,
	    .best_ps = 200, .basis = TP_GAIN_COMPUTE });
	check(gains(&g.items[0].gain, 600, 700, 800),
	    "time above the roofline");
	add(&g, (struct tp_torch_gain_item){ .op = "guess", .gpu_ps = 1000,
	    .basis = TP_GAIN_UNMODELLED });
	check(gains(&g.items[1].gain, 150, 300, 450), "a guess is of all time");
	add(&g, (struct tp_torch_gain_item){ .op = "collective", .gpu_ps = 1000,
	    .basis = TP_GAIN_COMMUNICATION });
	check(gains(&g.items[2].gain, 0, 0, 0), "nothing of what communicates");
	add(&g, (struct tp_torch_gain_item){ .op = "unasked", .gpu_ps = 1000,
	    .basis = TP_GAIN_UNASKED });
	check(gains(&g.items[3].gain, 0, 0, 0), "nothing without a platform");
	/* 0.75 x 9 = 6.75, 0.875 x 9 = 7.875: whole picoseconds */
	add(&g, (struct tp_torch_gain_item){ .op = "odd", .gpu_ps = 10,
	    .best_ps = 1, .basis = TP_GAIN_MEMORY });
	check(gains(&g.items[4].gain, 7, 8, 9), "rounded to a picosecond");
	tp_torch_gains_release(&g);
}

/* A tenth above the roofline is the last that is believed. */
static void
anomalies(void)
{
	struct tp_torch_gains g = { 0 };

	add(&g, (struct tp_torch_gain_item){ .op = "at", .gpu_ps = 1000,
	    .best_ps = 1100, .basis = TP_GAIN_MEMORY });
	check(g.items[0].basis == TP_GAIN_MEMORY &&
	    gains(&g.items[0].gain, 0, 0, 0),
	    "110 % is no anomaly, nor a gain");
	add(&g, (struct tp_torch_gain_item){ .op = "above", .gpu_ps = 1000,
	    .best_ps = 1101, .basis = TP_GAIN_MEMORY });
	check(g.items[1].basis == TP_GAIN_ANOMALY &&
	    gains(&g.items[1].gain, 0, 0, 0), "more than 110 % is");
	add(&g, (struct tp_torch_gain_item){ .op = "none", .best_ps = 1,
	    .basis = TP_GAIN_COMPUTE });
	check(g.items[2].basis == TP_GAIN_ANOMALY, "so is work in no time");
	tp_torch_gains_release(&g);
}

/* Bands end at 30 and 60 %; the first value of a band is its own. */
static void
bands(void)
{
	static const struct { int64_t best; size_t band; } cases[] = {
		{ 0, 0 }, { 299, 0 }, { 300, 1 }, { 599, 1 }, { 600, 2 },
		{ 1000, 2 }, { 1100, 2 },
	};
	struct tp_torch_gains g = { 0 };
	double from, to;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		add(&g, (struct tp_torch_gain_item){ .op = "x", .gpu_ps = 1000,
		    .best_ps = cases[i].best, .basis = TP_GAIN_COMPUTE });
		check(g.items[i].band == cases[i].band, "band of efficiency");
	}
	tp_torch_band(analysers, 0, &from, &to);
	check(from == 0 && fabs(to - 0.3) < 1e-12, "the first band");
	tp_torch_band(analysers, 2, &from, &to);
	check(fabs(from - 0.6) < 1e-12 && fabs(to - 1.1) < 1e-12,
	    "the last ends where anomalies begin");
	tp_torch_gains_release(&g);
}

static void
fill(struct tp_torch_gains *g)
{
	/* 800 above its roofline */
	add(g, (struct tp_torch_gain_item){ .op = "mm", .gpu_ps = 1000,
	    .best_ps = 200, .host_ps = 5000, .count = 2, .library = "A",
	    .basis = TP_GAIN_COMPUTE });
	/* the same reason: 1500 of 2000; it waits by 10001 - 2000 */
	add(g, (struct tp_torch_gain_item){ .op = "addmm", .gpu_ps = 2000,
	    .best_ps = 500, .host_ps = 10001, .count = 3, .library = "A",
	    .basis = TP_GAIN_COMPUTE });
	/* another library, another bound, another band */
	add(g, (struct tp_torch_gain_item){ .op = "mm", .gpu_ps = 100,
	    .best_ps = 20, .count = 1, .library = "B",
	    .basis = TP_GAIN_COMPUTE });
	add(g, (struct tp_torch_gain_item){ .op = "mm", .gpu_ps = 100,
	    .best_ps = 20, .count = 1, .library = "A",
	    .basis = TP_GAIN_MEMORY });
	add(g, (struct tp_torch_gain_item){ .op = "mm", .gpu_ps = 100,
	    .best_ps = 90, .count = 1, .library = "A",
	    .basis = TP_GAIN_COMPUTE });
	/* guesses stand by themselves */
	add(g, (struct tp_torch_gain_item){ .op = "p", .gpu_ps = 400,
	    .count = 1, .library = "A", .basis = TP_GAIN_UNMODELLED });
	add(g, (struct tp_torch_gain_item){ .op = "q", .gpu_ps = 400,
	    .count = 1, .library = "A", .basis = TP_GAIN_UNMODELLED });
	add(g, (struct tp_torch_gain_item){ .op = "r", .category = "reduce",
	    .gpu_ps = 5000, .best_ps = 6000, .count = 1,
	    .basis = TP_GAIN_MEMORY });
}

static void
by_reason(void)
{
	struct tp_torch_gains g = { 0 };
	struct tp_torch_gain_group *groups;
	size_t n;

	fill(&g);
	groups = tp_torch_gain_groups(&g, TP_GAIN_BY_REASON, &n);
	check(groups && n == 7, "a group per reason");
	if (!groups)
		return;
	check(groups[0].item_count == 2 && groups[0].count == 5 &&
	    groups[0].gpu_ps == 3000 && groups[0].best_ps == 700,
	    "rows slow for one reason are one group");
	check(gains(&groups[0].gain, 1725, 2012, 2300),
	    "their gains are added: 600 + 1125, 700 + 1312, 800 + 1500");
	check(!strcmp(groups[0].first.op, "addmm"),
	    "it is called by its largest row");
	check(!strcmp(groups[1].first.op, "p") &&
	    !strcmp(groups[2].first.op, "q"),
	    "equal gains stand by time, then by name");
	check(groups[6].first.basis == TP_GAIN_ANOMALY &&
	    groups[6].anomaly_ps == 5000 && !groups[6].modelled_ps,
	    "an anomaly is last, and no modelled time");
	tp_free(groups);
	tp_torch_gains_release(&g);
}

static void
by_category(void)
{
	struct tp_torch_gains g = { 0 };
	struct tp_torch_gain_group *groups;
	size_t n;

	fill(&g);
	groups = tp_torch_gain_groups(&g, TP_GAIN_BY_CATEGORY, &n);
	check(groups && n == 2, "a group per category");
	if (!groups)
		return;
	check(!strcmp(groups[0].first.category, "reduce") &&
	    !strcmp(groups[1].first.category, "GEMM"), "largest first");
	check(groups[1].gpu_ps == 4100 && groups[1].modelled_ps == 3300 &&
	    groups[1].count == 10, "sums; guesses are not modelled");
	/* 1725 + 60 + 60 + 8 (of 7.5); 2012 + 70 + 70 + 9 (of 8.75);
	 * 2300 + 80 + 80 + 10 */
	check(gains(&groups[1].gain, 1853, 2161, 2470),
	    "gains of a category are without guesses");
	check(groups[1].wait_count == 1 && groups[1].wait_ps == 8001,
	    "more than five times the work on the host is waiting");
	tp_free(groups);
	tp_torch_gains_release(&g);
}

/* Analysers go by operation first: one category may have several. */
static void
by_analyser(void)
{
	struct tp_torch_gains g = { 0 };
	struct tp_torch_gain_group *groups;
	size_t n;

	add(&g, (struct tp_torch_gain_item){ .op = "x::moe_gate",
	    .category = "other", .gpu_ps = 10, .best_ps = 1, .count = 1,
	    .basis = TP_GAIN_MEMORY });
	add(&g, (struct tp_torch_gain_item){ .op = "x::gate",
	    .category = "other", .gpu_ps = 20, .best_ps = 2, .count = 1,
	    .basis = TP_GAIN_MEMORY });
	groups = tp_torch_gain_groups(&g, TP_GAIN_BY_ANALYSER, &n);
	check(groups && n == 2 && groups[0].gpu_ps == 20 &&
	    !strcmp(groups[0].first.analyser, "generic") &&
	    !strcmp(groups[1].first.analyser, "moe"), "a group per analyser");
	tp_free(groups);
	groups = tp_torch_gain_groups(&g, TP_GAIN_BY_REASON, &n);
	check(groups && n == 2, "no reason is shared by two analysers");
	tp_free(groups);
	tp_torch_gains_release(&g);
}

int
main(void)
{
	struct tp_err err;

	analysers = tp_torch_analysers_load(&err);
	check(analysers != NULL, "share/ops/torch-analysis.json");
	if (!analysers)
		return 1;
	estimates();
	anomalies();
	bands();
	by_reason();
	by_category();
	by_analyser();
	tp_torch_analysers_free(analysers);
	return failed;
}
