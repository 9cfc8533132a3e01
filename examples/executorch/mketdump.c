/*
 * mketdump - write the ExecuTorch example
 *
 *	mketdump [--runs N] [--seed N] [--etdump yes|only] OUTDIR
 *	mketdump --odd KIND FILE
 *
 * Makes OUTDIR/runs/PLATFORM/PLATFORM_sme2_{on,off} with what a profiling
 * pipeline leaves of a made-up model on two devices, with and without SME2.
 * --etdump: also, or only, the ETDump (.etdp) that the tables are made of and
 * the program (.pte).  --odd: a small ETDump of some KIND, for tests.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dump.h"

#define PATH_SIZE 4096

const char *const program = "mketdump";
static char path[PATH_SIZE];
static const char *dumps = "no";

FILE *
create(const char *folder, const char *name, const char *ending)
{
	snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
	return file_create(path);
}

void
done(FILE *f)
{
	file_close(f, path);
}

const char *
experiment_name(const struct experiment *e)
{
	static char name[64];

	snprintf(name, sizeof name, "%s_sme2_%s", e->platform->name,
	    e->sme2 ? "on" : "off");
	return name;
}

const char *
stem_of(const struct experiment *e)
{
	static char stem[128];

	snprintf(stem, sizeof stem, MODEL "_%s_t1", experiment_name(e));
	return stem;
}

static void
make_folder(const char *folder)
{
	if (mkdir(folder, 0777) && errno != EEXIST)
		die(4, "cannot make '%s': %s", folder, strerror(errno));
}

static void
write_experiment(const struct experiment *e, const char *folder)
{
	char own[PATH_SIZE];

	snprintf(own, sizeof own, "%s/%s", folder, experiment_name(e));
	make_folder(own);
	if (strcmp(dumps, "no"))
		write_dump(e, own);
	if (!strcmp(dumps, "only"))
		return;
	write_timeline(e, own, "_exec_all_runs_timeline.csv", e->runs);
	write_timeline(e, own, "_exec_run0_timeline.csv", 1);
	write_sums(e, own);
	write_log(e, own);
	write_runner_log(e, own);
}

static void
write_platform(const struct platform *p, const char *out, int runs,
    uint64_t seed)
{
	struct experiment on, off;
	char folder[PATH_SIZE];

	snprintf(folder, sizeof folder, "%s/runs", out);
	make_folder(folder);
	snprintf(folder, sizeof folder, "%s/runs/%s", out, p->name);
	make_folder(folder);
	play(&on, &segment, p, 1, runs, seed);
	play(&off, &segment, p, 0, runs, seed);
	write_experiment(&on, folder);
	write_experiment(&off, folder);
	if (strcmp(dumps, "only"))
		write_documents(&on, &off, folder);
	release(&on);
	release(&off);
}

static uint64_t
number(const char *text, uint64_t most)
{
	char *end = NULL;
	uintmax_t n;

	errno = 0;
	n = text ? strtoumax(text, &end, 10) : 0;
	if (!n || errno || *end || n > most)
		die(2, "bad number '%s'", text ? text : "");
	return n;
}

int
main(int argc, char *argv[])
{
	static const struct platform platforms[] = {
		{ "mac", 1, 7, 0, "Note (XNNPACK): ", 1, NULL },
		{ "android", 6, -1, 1, "02-01 00:00:00.123  7001  7001 I "
		    "XNNPACK : ", 1, NULL },
	};
	uint64_t seed = 7;
	const char *odd = NULL;
	int runs = 10, i;

	for (i = 1; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
		if (!strcmp(argv[i], "--runs"))
			runs = (int)number(argv[i + 1], 1000000);
		else if (!strcmp(argv[i], "--seed"))
			seed = number(argv[i + 1], UINT32_MAX);
		else if (!strcmp(argv[i], "--etdump") &&
		    (!strcmp(argv[i + 1], "yes") ||
		    !strcmp(argv[i + 1], "only")))
			dumps = argv[i + 1];
		else if (!strcmp(argv[i], "--odd"))
			odd = argv[i + 1];
		else
			die(2, "unknown option '%s'", argv[i]);
	}
	if (i + 1 != argc || argv[i][0] == '-')
		die(2, "usage: mketdump [--runs N] [--seed N] "
		    "[--etdump yes|only] OUTDIR, or --odd KIND FILE");
	if (odd) {
		write_odd(odd, argv[i]);
		return 0;
	}
	make_folder(argv[i]);
	for (size_t k = 0; k < sizeof platforms / sizeof *platforms; k++)
		write_platform(&platforms[k], argv[i], runs, seed + k);
	return 0;
}
