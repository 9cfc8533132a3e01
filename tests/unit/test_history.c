/* What a new run is judged by, from lines as tp-track writes them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tp/alloc.h>
#include <tp/judge/history.h>

#include "pick.h"

static int failed;

static void
ok(int good, const char *what)
{
	printf("%s - history: %s\n", good ? "ok" : "not ok", what);
	failed |= !good;
}

/* Add a run with STEP ns; REST: more keys of the line, with a comma first. */
static void
add(struct tp_history *h, const char *status, double step, const char *rest)
{
	char line[1024];
	struct tp_err err;
	int n = snprintf(line, sizeof line, "{\"assessment\":{\"checks\":"
	    "[{\"after\":%.0f,\"decides\":\"time\",\"gate\":\"step\","
	    "\"metric\":\"step_ns\"},"
	    "{\"after\":1,\"gate\":\"again\",\"metric\":\"step_ns\"}],"
	    "\"status\":\"%s\"}%s}", step, status, rest);

	if (tp_history_add(h, line, (size_t)n, &err) < 0)
		ok(0, err.text);
}

/* COUNT runs about LEVEL, which spread by 2 %. */
static void
add_runs(struct tp_history *h, int count, double level, const char *rest)
{
	for (int i = 0; i < count; i++)
		add(h, "pass", level * (0.99 + (double)pick(1000) / 50000),
		    rest);
}

static struct tp_history_baseline
baseline(const struct tp_history *h, const char *series, const char *label,
    size_t last)
{
	struct tp_history_baseline b;

	tp_history_baseline(h, series, label, "step_ns", last, &b);
	return b;
}

/* What H holds, which is released, has COUNT runs, the first called FIRST. */
static int
is_baseline(struct tp_history *h, const char *series, const char *label,
    size_t count, const char *first, const char *last)
{
	struct tp_history_baseline b = baseline(h, series, label, 20);
	int good = b.count == count && (!count || (!strcmp(b.first, first) &&
	    !strcmp(b.last, last)));

	if (!good)
		printf("# %zu runs, %s to %s\n", b.count, b.first ? b.first :
		    "?", b.last ? b.last : "?");
	tp_free(b.x);
	tp_history_release(h);
	memset(h, 0, sizeof *h);
	return good;
}

static void
which_runs(void)
{
	struct tp_history h = { 0 };

	ok(is_baseline(&h, NULL, NULL, 0, "", ""), "no run is no baseline");
	add_runs(&h, 30, 1e6, "");
	ok(is_baseline(&h, NULL, NULL, 20, "#11", "#30"),
	    "the last 20 runs count");
	add_runs(&h, 3, 1e6, "");
	add(&h, "fail", 1e6, "");
	add(&h, "unknown", 1e6, "");
	add(&h, "fail", 1e6, ",\"accepted\":true");
	add(&h, "pass", 1e6, ",\"accepted\":false");
	ok(is_baseline(&h, NULL, NULL, 5, "#1", "#6"),
	    "a failure is none, unless it is accepted");
	add_runs(&h, 4, 1e6, "");
	add(&h, "fail", 2e6, ",\"restart\":true,\"label\":\"new\"");
	add_runs(&h, 2, 2e6, "");
	ok(is_baseline(&h, NULL, NULL, 3, "new", "#7"),
	    "it begins with a change that was accepted");
	add_runs(&h, 4, 1e6, ",\"trace_sha256\":\"a\"");
	add_runs(&h, 1, 1e6, "");
	ok(is_baseline(&h, NULL, NULL, 2, "#4", "#5"),
	    "one trace on record four times is one run");
	add(&h, "pass", 1e6, "");
	add(&h, "pass", 0, "");
	add(&h, "pass", -1e6, "");
	ok(is_baseline(&h, NULL, NULL, 1, "#1", "#1"),
	    "a time that is not above 0 is none");
}

static void
series(void)
{
	struct tp_history h = { 0 };

	for (int round = 0; round < 2; round++) {
		add_runs(&h, 4, 1e6, "");
		add_runs(&h, 3, 5e6, ",\"series\":\"dev\",\"label\":\"d\"");
		if (!round)
			ok(is_baseline(&h, NULL, NULL, 4, "#1", "#4"),
			    "runs that name a series are none of the others");
	}
	ok(is_baseline(&h, "dev", NULL, 3, "d", "d"), "of a series, its own");
	add_runs(&h, 3, 1e6, ",\"series\":\"dev\"");
	ok(is_baseline(&h, "schnell", NULL, 0, "", ""),
	    "a series that is not on record has none");
}

static void
labels(void)
{
	struct tp_history h = { 0 };

	for (int i = 0; i < 3; i++) {
		add(&h, "pass", 1e6, ",\"label\":\"main\"");
		add(&h, "pass", 1e6, "");
	}
	add(&h, "fail", 1e6, ",\"label\":\"main\"");
	ok(is_baseline(&h, NULL, "main", 6, "main", "#6"),
	    "a label of three accepted runs is passed over");
	for (int i = 0; i < 4; i++) {
		add(&h, "pass", 1e6, ",\"label\":\"main\"");
		add(&h, "pass", 1e6, "");
	}
	ok(is_baseline(&h, NULL, "main", 4, "main", "main"),
	    "a label of four accepted runs counts alone");
}

static void
values(void)
{
	static const char lines[2][200] = {
		"{\"assessment\":{\"checks\":[{\"after\":5,\"metric\":"
		"\"step_ns\"}],\"status\":\"pass\"}}",
		"{\"assessment\":{\"checks\":[{\"after\":9,\"after_runs\":"
		"[1,2,6],\"metric\":\"step_ns\"}],\"status\":\"pass\"}}" };
	struct tp_history h = { 0 };
	struct tp_history_baseline b;
	struct tp_err err;

	for (int i = 0; i < 2; i++)
		tp_history_add(&h, lines[i], strlen(lines[i]), &err);
	b = baseline(&h, NULL, NULL, 20);
	ok(b.count == 2 && b.x[0] == 5 && b.x[1] == 3,
	    "a run of several has their mean");
	ok(b.fewest == 1 && b.most == 3, "and how many they were");
	tp_free(b.x);
	tp_history_baseline(&h, NULL, NULL, "else", 20, &b);
	ok(!b.count && !b.x, "a metric that is not on record has none");
	tp_history_release(&h);
}

static void
changes(void)
{
	struct tp_history h = { 0 };
	struct tp_history_baseline b;

	add_runs(&h, 20, 1e6, "");
	add_runs(&h, 7, 1.1e6, "");
	b = baseline(&h, NULL, NULL, 20);
	ok(b.count == 7 && !strcmp(b.first, "#21") && b.drift_factor == 1 &&
	    !b.drift_since, "it begins with the last jump");
	tp_free(b.x);
	/* of a series that failed after the jump, nothing is known of it */
	for (int i = 0; i < 9; i++)
		add(&h, "fail", 2e6, "");
	ok(is_baseline(&h, NULL, NULL, 7, "#21", "#27"),
	    "failures do not move it");
	add_runs(&h, 10, 1e6, "");
	for (int i = 1; i <= 20; i++)
		add_runs(&h, 1, 1e6 * pow(1.01, i), "");
	b = baseline(&h, NULL, NULL, 15);
	ok(b.count == 15 && fabs(b.drift_factor - 1.01) < 0.002 &&
	    (!strcmp(b.drift_since, "#11") || !strcmp(b.drift_since, "#10") ||
	    !strcmp(b.drift_since, "#12")), "it says that it drifts, how much "
	    "and since when");
	tp_free(b.x);
	add_runs(&h, 12, 1e6 * pow(1.01, 20), "");
	b = baseline(&h, NULL, NULL, 30);
	ok(b.count >= 11 && b.count <= 15 && b.drift_factor == 1,
	    "it begins where a drift ended");
	tp_free(b.x);
	tp_history_release(&h);
}

static void
files(void)
{
	static const char run[] = "{\"assessment\":{\"status\":\"pass\"}}";
	char file[] = "/tmp/test_history.XXXXXX";
	struct tp_history h = { 0 };
	struct tp_err err;
	uint64_t damaged = 0, line = 0;
	int fd = mkstemp(file);
	FILE *f;

	if (fd < 0 || close(fd) < 0)
		ok(0, "no file can be made");
	remove(file);
	ok(!tp_history_load(&h, file, &damaged, &line, &err) &&
	    !h.run_count, "a file that is not there has no runs");
	f = fopen(file, "w");
	if (!f || fprintf(f, "%s\nlost\n%s", run, run) < 0 || fclose(f))
		ok(0, "the file cannot be written");
	ok(!tp_history_load(&h, file, &damaged, &line, &err) &&
	    h.run_count == 2 && damaged == 1 && line == 2,
	    "lines that tell of no run are counted, the first is named");
	ok(tp_history_load(&h, ".", &damaged, &line, &err) < 0,
	    "a folder is no history");
	remove(file);
	tp_history_release(&h);
}

int
main(void)
{
	which_runs();
	series();
	labels();
	values();
	changes();
	files();
	return failed;
}
