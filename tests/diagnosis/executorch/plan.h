/*
 * plan - runs of a made-up model, and what is wrong with them
 *
 * The model is a row of calls of a delegate, each of the same operators, with
 * operators outside of any delegate behind each call.  An operator that takes
 * no time is not there.  What varies is drawn by place: a run with a cause and
 * the run without it differ by what the cause costs, and by nothing else.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdint.h>

#include "../../../examples/executorch/mketdump.h"

/* Times in us, of one operator without SME2. */
struct plan {
	int64_t seed, noise;		/* noise: percent up or down */
	int64_t runs, blocks;		/* calls of the delegate */
	int64_t convs, conv;		/* of a block: how many, how long */
	int64_t products, product;
	int64_t depthwise, clamp, softmax;
	int64_t transpose, convert;	/* layouts, in the delegate */
	int64_t gap;			/* a call beside its operators */
	int64_t portable, copy;		/* behind each block: an operator, and
					 * one that moves data */
	int64_t slow;			/* one operator more of its kind */
	int64_t cold;			/* thousandths longer, the first run */
	int64_t drift, step;		/* the last one, or the last third */
	int64_t spread;			/* of runs: up to so many longer */
	int64_t outlier;		/* so many, one run */
	int64_t modes, turn;		/* so many, each second time that TURN
					 * runs are done; 0: by chance */
	int64_t build;			/* 0: named by no build, 1: SME2 off,
					 * 2: on, 3: both */
	int64_t inactive;		/* not 0: no kernel of SME2 runs */
	int64_t silent;			/* not 0: the delegate says nothing */
	int64_t log;			/* a log of kernels, too */
	int64_t dump;			/* not 0: an ETDump in place of CSV */
};
extern const struct plan plan_usual;

enum part_of_run { OPERATORS, PORTABLE, MOVEMENT, GAP, FRAMEWORK, PART_COUNT };

struct outcome {
	int64_t span;		/* all Method::execute */
	int64_t rows;		/* operators of all runs, */
	int64_t busy;		/* and what they take */
	int64_t parts[PART_COUNT];	/* they add up to the span */
};

/* Build the events of PLAN, with SME2 or without; release when done. */
void plan_play(const struct plan *plan, int sme2, struct experiment *e);
void plan_measure(const struct experiment *e, struct outcome *out);

#endif
