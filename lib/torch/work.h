/*
 * work - what each piece of GPU work is for, and what limits it
 *
 * Every kernel, copy and memset has a category by its own name, whether or not
 * a launch, an operator or a shape is known (share/ops/torch-kernels.json);
 * where its name says nothing, the operator that launched it does.  What limits
 * it is known where an operator has a cost and the platform its rates:
 * arithmetic, memory, or that there is too little to do (latency).
 *
 * Memory: 2 bytes an event of the trace and a name; the file.
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
	TP_TORCH_UNCOSTED,	/* nothing says what it has to do */
	TP_TORCH_MATH, TP_TORCH_MEMORY, TP_TORCH_LATENCY,
	TP_TORCH_LIMITS
};

struct tp_torch_categories {
	struct cJSON *doc;
	struct tp_classes classes;
	struct tp_classes patterns;	/* what a name is a sign of */
	const struct cJSON *operators;
	double least_keys;		/* of attention */
	double loop_kernels;		/* of a step of an optimizer */
	double chain_kernels;		/* that one could replace */
	double gap_ratio, work_ratio;	/* of a recording that is cut */
};

/* More categories than there are; the last stands for none. */
#define TP_TORCH_CATEGORIES 64

/* 0, or -1 with ERR; _release also then. */
int tp_torch_categories_load(struct tp_torch_categories *categories,
    struct tp_err *err);
void tp_torch_categories_release(struct tp_torch_categories *categories);
/* The name of category AT. */
const char *tp_torch_work_category(
    const struct tp_torch_categories *categories, unsigned at);

/* From the first to the last work, without what is CUT_PS at its edges.  A
 * recording that begins or ends in the middle of the program may have a piece
 * of work there, then nothing for long: that is no idle time of the program. */
struct tp_torch_window {
	int64_t from_ps, to_ps, cut_ps;
};

struct tp_torch_work {
	struct tp_torch_window window;
	uint8_t *category, *limit;	/* per event of the trace */
	uint8_t *pattern;		/* per name: 1 + its place, or 0 */
	/* of each limit how long its work took, and could take at best */
	int64_t sum_ps[TP_TORCH_LIMITS], best_ps[TP_TORCH_LIMITS];
	/* of each pattern what its operations could gain, low estimate */
	int64_t pattern_gain_ps[TP_TORCH_CATEGORIES];
	/* these categories */
	unsigned communication, copy, optimizer, elementwise;
	struct tp_torch_patterns patterns;
};

/* Categories of all GPU work; its limits are not known yet.  0 or -1 with ERR;
 * _release also then. */
int tp_torch_work_make(struct tp_torch_work *work,
    const struct tp_torch_categories *categories, const struct tp_torch *torch,
    const struct tp_torch_launchers *launchers, struct tp_err *err);
void tp_torch_work_release(struct tp_torch_work *work);

static inline int64_t
tp_torch_window_ps(const struct tp_torch_work *work)
{
	return work->window.to_ps - work->window.from_ps;
}

/*
 * What limits an operation of COST that takes MEAN_PS, and how long it takes at
 * best: *BEST_PS, 0 where that is unknown.  Less than a kernel takes that does
 * nothing is latency.  What fits into the cache is not held against memory: it
 * is latency up to three times that, else memory whose best is not known; but
 * weights of products, and keys and values, are others in each call.
 */
enum tp_torch_limit tp_torch_limit_of(const struct tp_platform *platform,
    const struct tp_cost *cost, int64_t mean_ps, int64_t *best_ps);

#endif
