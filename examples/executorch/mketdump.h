/* mketdump - what the parts of the generator share */
#ifndef MKETDUMP_H
#define MKETDUMP_H

#include <stdint.h>
#include <stdio.h>

#include "../file.h"

#define MODEL "segment_fp32"

/* A device, and how its runs differ from each other. */
struct platform {
	const char *name;	/* "mac" */
	int slow;		/* times as slow as the first */
	int outlier;		/* run that is disturbed, or -1 */
	int throttles;		/* its last third of runs is slower */
	const char *kernel_log;	/* in front of a line of the log */
};

/* A row of a timeline, for every run. */
struct node {
	const char *name;	/* without its number */
	const char *backend;
	int number;		/* " #3", or 0 */
	int once;		/* in run 0 only: loading */
	int64_t *start_ns, *ns;	/* by run */
};

/* One experiment: a build on a platform. */
struct experiment {
	const struct platform *platform;
	int sme2;
	int runs;
	struct node nodes[64];
	int count;
};

/* Open FOLDER/NAME ENDING for writing; close with done(). */
FILE *create(const char *folder, const char *name, const char *ending);
void done(FILE *f);

/* "mac_sme2_on", in memory of its own until the next call. */
const char *experiment_name(const struct experiment *e);
const char *stem_of(const struct experiment *e);
/* Time of Method::execute in RUN. */
int64_t latency_ns(const struct experiment *e, int run);

/* Build the events of all runs; release when done. */
void play(struct experiment *e, const struct platform *platform, int sme2,
    int runs, uint64_t seed);
void release(struct experiment *e);

/* The tables of E, and the logs of its kernels and of the runs that were
 * timed, into FOLDER. */
void write_timeline(const struct experiment *e, const char *folder,
    const char *ending, int runs);
void write_sums(const struct experiment *e, const char *folder);
void write_log(const struct experiment *e, const char *folder);
void write_runner_log(const struct experiment *e, const char *folder);
/* What the pipeline says of the experiments ON and OFF, into FOLDER. */
void write_documents(const struct experiment *on,
    const struct experiment *off, const char *folder);

#endif
