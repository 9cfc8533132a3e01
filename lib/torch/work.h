/*
 * work - category and limit of each piece of GPU work
 *
 * Each kernel, copy and memset has a category by its own name, even without
 * a launch, an operator or a shape (share/ops/torch-kernels.json).  If its
 * name says nothing, the operator that launched it decides.  Its limit is
 * known if the operator has a cost and the platform has rates: arithmetic,
 * memory, or latency if there is too little to do.
 *
 * Memory: 2 bytes an event of the trace, 2 a name; the file.
 */
#ifndef TP_TORCH_WORK_H
#define TP_TORCH_WORK_H

#include <stdint.h>

#include <tp/err.h>

#include "classes.h"
#include "launch.h"
#include "pattern.h"
#include <tp/roofline.h>

enum tp_torch_limit {
	TP_TORCH_UNCOSTED,	/* its cost is unknown */
	TP_TORCH_MATH, TP_TORCH_MEMORY, TP_TORCH_LATENCY,
	TP_TORCH_LIMITS
};

struct tp_torch_categories {
	struct cJSON *doc;
	struct tp_classes classes;
	struct tp_classes patterns;	/* patterns that a name indicates */
	const struct cJSON *operators;
	double least_keys;		/* of attention */
	double loop_kernels;		/* of an optimizer's step */
	double chain_kernels;		/* that one could replace */
	double gpu_ratio;		/* of the busiest GPU's work */
	double at_once_ratio;		/* of the time in which any worked */
	double floor_factor;		/* longest small kernel, in times of an
					 * empty one */
};

/* Limit on categories; the last means none. */
#define TP_TORCH_CATEGORIES 64

/*
 * Load the file.  Returns 0, or -1 with ERR; must be released even after
 * failure.
 */
int tp_torch_categories_load(struct tp_torch_categories *categories,
    struct tp_err *err);
void tp_torch_categories_release(struct tp_torch_categories *categories);
/* The name of category AT. */
const char *tp_torch_work_category(
    const struct tp_torch_categories *categories, unsigned at);

struct tp_torch_work {
	uint8_t *category, *limit;	/* by event of the trace */
	uint32_t *item;			/* by event: 1 + index of the row of
					 * its operation (struct
					 * tp_torch_gains), or 0 */
	uint8_t *pattern;		/* by name: 1 + index, or 0 */
	/* by limit: actual and best time of its work */
	int64_t sum_ps[TP_TORCH_LIMITS], best_ps[TP_TORCH_LIMITS];
	/* by pattern: low estimate of the gain of its operations */
	int64_t pattern_gain_ps[TP_TORCH_CATEGORIES];
	/* indices of these categories */
	unsigned communication, copy, optimizer, elementwise, memset;
	struct tp_torch_patterns patterns;
};

/* Determine the categories of all GPU work, but not the limits. */
void tp_torch_work_make(struct tp_torch_work *work,
    const struct tp_torch_categories *categories, const struct tp_torch *torch,
    const struct tp_torch_launchers *launchers);
void tp_torch_work_release(struct tp_torch_work *work);

/*
 * What limits an operation of COST whose kernels take MEAN_PS each.  *BEST_PS
 * gets its best time, 0 if unknown.  If that is below the time of an empty
 * kernel, and the kernels take at most FLOOR_FACTOR times that, it is latency;
 * kernels that take longer have a limit that is not known.  Data that fit into
 * the cache are not compared with the memory rate: then it is latency, or
 * memory with an unknown best.  Weights of products, and keys and values,
 * differ in each call and therefore count in full.
 */
enum tp_torch_limit tp_torch_limit_of(const struct tp_platform *platform,
    double floor_factor, const struct tp_cost *cost, int64_t mean_ps,
    int64_t *best_ps);

#endif
