/*
 * mkflux - write the example trace
 *
 *	mkflux [--format xml|csv] [--seed N] [--steps N] [--scale N] OUTDIR
 *
 * Makes OUTDIR/flux_example/Trace1.run/Attachments with the exports of a
 * made-up Flux run.  --scale N gives it N times the command buffers in the
 * same time, for measuring: they are then shorter than those of MLX.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mkflux.h"

#define PREFIX "flux_example"
#define REPEATS 3

const char *const program = "mkflux";

static int64_t
root(int64_t n)
{
	int64_t low, high, middle;

	low = 0;
	high = 3000000000;
	while (low < high) {
		middle = low + (high - low + 1) / 2;
		if (middle * middle <= n)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static void
write_key(FILE *f, const char *key, int64_t millionths, const char *after)
{
	fprintf(f, "        \"%s\": %" PRId64 ".%06" PRId64 "%s\n", key,
	    millionths / 1000000, millionths % 1000000, after);
}

/* Latencies in us, three of them, rising. */
static void
write_latency(FILE *f, const int64_t v[REPEATS])
{
	int64_t sum, mean, squares;

	sum = squares = 0;
	for (int i = 0; i < REPEATS; i++)
		sum += v[i];
	mean = (sum + REPEATS / 2) / REPEATS;
	for (int i = 0; i < REPEATS; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	fputs("      \"latency\": {\n", f);
	write_key(f, "mean_s", mean, ",");
	write_key(f, "std_s", root(squares / REPEATS), ",");
	write_key(f, "p50_s", v[1], ",");
	/* linear between the second and the third */
	write_key(f, "p90_s", v[1] + (v[2] - v[1]) * 8 / 10, ",");
	write_key(f, "min_s", v[0], ",");
	write_key(f, "max_s", v[2], ",");
	fprintf(f, "        \"images_per_second\": 0.%09" PRId64 "\n",
	    REPEATS * INT64_C(1000000000) * 1000000 / sum);
	fputs("      },\n", f);
}

static int
by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The model takes about US for an image and PEAK bytes. */
static void
write_model(FILE *f, struct run *run, const char *model, int64_t us,
    int64_t peak)
{
	int64_t v[REPEATS], high;

	for (int i = 0; i < REPEATS; i++)
		v[i] = us + random_between(&run->random, -us / 40, us / 40);
	qsort(v, REPEATS, sizeof(v[0]), by_value);
	fprintf(f, "    {\n      \"model\": \"%s\",\n      \"steps\": %u,\n"
	    "      \"n_images\": 1,\n      \"image_size\": 512,\n"
	    "      \"repeats\": %d,\n      \"warmup\": 1,\n", model,
	    run->steps, REPEATS);
	write_latency(f, v);
	/* millionths of a MiB */
	peak = peak / 1024 * 1000000 / 1024;
	high = peak + random_between(&run->random, 0, 60000000);
	fputs("      \"peak_memory_mb\": {\n", f);
	write_key(f, "mean", peak + (high - peak) / 3, ",");
	write_key(f, "max", high, ",");
	write_key(f, "min", peak, "");
	fputs("      }\n    }", f);
}

void
benchmark_write(struct run *run, const char *path)
{
	FILE *f;

	f = file_create(path);
	fputs("{\n  \"tag\": \"m3-max-example\",\n"
	    "  \"timestamp\": 1770806412.25,\n"
	    "  \"hardware_note\": \"arm64\",\n"
	    "  \"models_dir\": \"/Users/maren.k/src/mlx-rag-lab/mlx-models\","
	    "\n  \"runs\": [\n", f);
	write_model(f, run, "schnell", run->duration / 1000 + 300000,
	    run->peak);
	fputs(",\n", f);
	/* dev is guided: the same steps take longer */
	write_model(f, run, "dev", run->duration / 1000 * 14 / 10,
	    run->peak + run->peak / 50);
	fputs("\n  ]\n}\n", f);
	file_close(f, path);
}

static void
usage(void)
{
	fputs("usage: mkflux [--format xml|csv] [--seed N] [--steps N] "
	    "[--scale N] OUTDIR\n", stderr);
	exit(2);
}

static uintmax_t
number(const char *name, const char *text, uintmax_t least, uintmax_t most)
{
	uintmax_t n;
	char *end;

	if (!text)
		usage();
	errno = 0;
	n = strtoumax(text, &end, 10);
	if (end == text || *end || errno || *text == '-' || n < least ||
	    n > most)
		die(2, "bad %s '%s': not a number from %" PRIuMAX " to %"
		    PRIuMAX, name, text, least, most);
	return n;
}

static void
make_folder(const char *path)
{
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		die(4, "cannot make '%s': %s", path, strerror(errno));
}

static void
write_all(struct run *run, enum form form, const char *out)
{
	char folder[3072], path[4096];
	int len;

	len = snprintf(folder, sizeof(folder), "%s/" PREFIX
	    "/Trace1.run/Attachments", out);
	if (len < 0 || (size_t)len >= sizeof(folder))
		die(4, "'%s': name is too long", out);
	for (char *c = folder + strlen(out); (c = strchr(c, '/')); c++) {
		*c = '\0';
		if (*folder)
			make_folder(folder);
		*c = '/';
	}
	make_folder(folder);
	tables_write(run, form, folder, PREFIX, NULL);
	snprintf(path, sizeof(path), "%s/" PREFIX "_toc.xml", folder);
	toc_write(run, path);
	snprintf(path, sizeof(path), "%s/flux_benchmark.json", folder);
	benchmark_write(run, path);
}

int
main(int argc, char *argv[])
{
	struct run run = { .random = 7, .steps = 8, .scale = 1 };
	enum form form = XML;
	const char *name, *value;
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i += 2) {
		name = argv[i];
		value = argv[i + 1];
		if (strcmp(name, "--seed") == 0)
			run.random = number(name, value, 0, UINT64_MAX);
		else if (strcmp(name, "--steps") == 0)
			run.steps = (unsigned)number(name, value, 1, 10000);
		else if (strcmp(name, "--scale") == 0)
			run.scale = (unsigned)number(name, value, 1, 10000);
		else if (strcmp(name, "--format") == 0 && value &&
		    strcmp(value, "xml") == 0)
			form = XML;
		else if (strcmp(name, "--format") == 0 && value &&
		    strcmp(value, "csv") == 0)
			form = CSV;
		else
			usage();
	}
	if (i != argc - 1)
		usage();
	run_make(&run);
	write_all(&run, form, argv[i]);
	run_release(&run);
	return 0;
}
