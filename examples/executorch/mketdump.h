/* mketdump - what the parts of the generator share */
#ifndef MKETDUMP_H
#define MKETDUMP_H

#include <stdint.h>
#include <stdio.h>

#include "../file.h"

#define MODEL "segment_fp32"

/* Events of a run, at most. */
#define NODES_MAX 512

/* A device, and how its runs differ from each other. */
struct platform {
	const char *name;	/* "mac" */
	int slow;		/* times as slow as the first */
	int outlier;		/* run that is disturbed, or -1 */
	int throttles;		/* its last third of runs is slower */
	const char *kernel_log;	/* in front of a line of the log */
	int noise;		/* percent an operator takes longer, mean */
	const int *pace;	/* thousandths of each run, or NULL: as the
				 * above say */
};

/* An operator of a model, or the call that ends with it.  packed: with SME2
 * so many percent of the time, under another name. */
struct part {
	const char *name, *packed_name;
	int us, packed;
	int times;		/* that it stands in its call */
};

/* Parts in order, operators before their call; the last is the method. */
struct model {
	const struct part *parts;
	size_t count;
};
extern const struct model segment;

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
	struct node nodes[NODES_MAX];
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

/* Build the events of all runs of MODEL; release when done.  What is drawn
 * depends on the number of parts and not on what they take. */
void play(struct experiment *e, const struct model *model,
    const struct platform *platform, int sme2, int runs, uint64_t seed);
int is_frame(const char *name);
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
