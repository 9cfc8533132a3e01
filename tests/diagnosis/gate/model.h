/*
 * model - runs of a training loop whose noise and change are known
 *
 * A pair is two sides of runs; what is set as a change is what the runs of the
 * second side have and those of the first have not.  Noise is lognormal, so
 * that the medians of both sides stand to each other as the change says: one
 * factor for a run, one for each step, and for each operation one for a run
 * and one for each step.  Every run has random numbers of its own, which
 * depend on the seed, the pair, the side and its number alone.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdint.h>

#define OPS 12
#define STEPS_MAX 1000
#define WARMUP 5

enum side { BEFORE, AFTER };

/* Numbers are whole where they count; shares and noise are in percent. */
struct plan {
	double before, after;		/* runs */
	double steps, length, idle;	/* of a run; a step and the time to the
					 * next, in microseconds */
	double run, step;		/* noise: of a run, of each step */
	double op_run, op;		/* and of each operation */
	double heavy, times, tail;	/* every so many steps, or so many
					 * percent at random, take longer */
	double all, one, communication;	/* change: of everything, of the
					 * smallest operation, of what
					 * communicates */
	double idle_after;		/* in place of idle; -1: is the same */
	double memory;			/* of the peak */
};

struct op {
	const char *name, *canonical, *collective;
	double share;			/* of a step */
};

struct run {
	char src[32], id[32], sha256[65];
	int steps;
	int64_t start[STEPS_MAX], wall[STEPS_MAX], to_next[STEPS_MAX];
	int64_t op[OPS][STEPS_MAX];
	int64_t peak;
};

extern const struct plan plan_usual;
extern const struct op ops[OPS];

uint64_t model_seed(const char *text);
void model_run(const struct plan *plan, uint64_t seed, int pair,
    enum side side, int number, struct run *run);
/* What stands between the medians of both sides: of the time of a step, of
 * that from start to start, and of operation I. */
double model_wall_factor(const struct plan *plan);
double model_to_next_factor(const struct plan *plan);
double model_op_factor(const struct plan *plan, int i);

#endif
