/*
 * gain - how far operations of a PyTorch trace are from their rooflines
 *
 * Each row (operations that are alike) gets an analyser, the library of its
 * kernel and an estimate of the possible gain.  Rows that are slow for the
 * same reason form a group.  Analysers, libraries and all constants are in
 * share/ops/torch-analysis.json.
 *
 * The best case of a row is its roofline.  Without a roofline the estimate
 * is a guess, and marked as one.  A row faster than its roofline shows that
 * its cost or the rates are wrong; it gets no estimate.
 *
 * Memory: 144 bytes a row, and distinct names.
 */
#ifndef TP_TORCH_GAIN_H
#define TP_TORCH_GAIN_H

#include <stddef.h>
#include <stdint.h>

#include <tp/alloc.h>
#include <tp/err.h>

#include "classes.h"

struct tp_torch_analysers;

/* Read the file.  Returns NULL with ERR on failure. */
struct tp_torch_analysers *tp_torch_analysers_load(struct tp_err *err);
void tp_torch_analysers_free(struct tp_torch_analysers *analysers);

/* The analyser for operations OP of CATEGORY. */
const char *tp_torch_analyser(const struct tp_torch_analysers *analysers,
    const char *op, const char *category);
/*
 * The library of OP and its longest KERNEL, either of which may be NULL; or
 * NULL.
 */
const char *tp_torch_library(const struct tp_torch_analysers *analysers,
    const char *op, const char *kernel);

/* Whether OP communicates, whatever its kernels are called. */
int tp_torch_communicates(const struct tp_torch_analysers *analysers,
    const char *op);

enum tp_torch_basis {
	TP_GAIN_UNASKED,	/* no platform to compare with */
	TP_GAIN_COMMUNICATION,	/* includes waiting for other ranks: no
				 * estimate */
	TP_GAIN_COPY,		/* between host and GPU: limited by the link */
	TP_GAIN_UNMODELLED,	/* no roofline: a guess */
	TP_GAIN_ANOMALY,	/* faster than its roofline */
	TP_GAIN_COMPUTE,	/* has a roofline; this bounds it */
	TP_GAIN_MEMORY
};

struct tp_torch_gain {
	int64_t low_ps, middle_ps, high_ps;
};

struct tp_torch_gain_item {
	const char *op, *category, *analyser, *library;	/* library may be
							 * NULL */
	enum tp_torch_basis basis;
	uint8_t pattern;	/* 1 + index of its kernel's pattern; 0: none */
	uint32_t dims;		/* shapes, a text of the trace; 0: unknown */
	int64_t gpu_ps, host_ps;	/* sums */
	int64_t best_ps;	/* sum by the roofline */
	int64_t merged_ps;	/* part of gpu_ps in candidates for fusion,
				 * where its gain is counted instead */
	int64_t again_ps;	/* part of gpu_ps that is promised whole, as
				 * work that need not be run again; not in
				 * merged_ps */
	uint64_t count;
	uint64_t variant;	/* number of its name and arguments */
	/* set by tp_torch_gain_add() */
	size_t band;		/* of efficiency, if it has a roofline */
	struct tp_torch_gain gain;
	int64_t left_ps;	/* middle estimate for merged_ps */
	uint32_t group;		/* of the last tp_torch_gain_groups() */
	int waits;		/* the host took far longer than the GPU */
};

/* Criterion that groups rows. */
enum tp_torch_gain_by {
	TP_GAIN_BY_REASON,	/* same reason, category, analyser and
				 * pattern */
	TP_GAIN_BY_CATEGORY,
	TP_GAIN_BY_ANALYSER
};

/* Sums over the rows of a group. */
struct tp_torch_gain_group {
	struct tp_torch_gain_item first;		/* its largest row */
	uint32_t id;		/* see struct tp_torch_gain_item */
	size_t item_count, wait_count;
	size_t variant_count;
	uint64_t count;
	int64_t gpu_ps, host_ps, best_ps, wait_ps;
	int64_t modelled_ps;	/* of rows with a roofline */
	int64_t anomaly_ps;
	int64_t merged_ps, left_ps;
	struct tp_torch_gain gain;	/* without guesses, except by reason */
};

struct tp_torch_gains {
	struct tp_torch_gain_item *items;
	size_t count, cap;
	struct tp_arena arena;
};

/* Set the band and the gain of ROW from its times and its basis. */
void tp_torch_gain_estimate(struct tp_torch_gain_item *row,
    const struct tp_torch_analysers *analysers);
/* Add ROW; its operation is copied. */
void tp_torch_gain_add(struct tp_torch_gains *gains,
    const struct tp_torch_analysers *analysers, struct tp_torch_gain_item row);
/*
 * The groups, by gain if grouped by reason, else by time.  The caller frees
 * them with tp_free().
 */
struct tp_torch_gain_group *tp_torch_gain_groups(
    struct tp_torch_gains *gains, enum tp_torch_gain_by by, size_t *count);
void tp_torch_gains_release(struct tp_torch_gains *gains);

/* The bounds of efficiency band BAND. */
void tp_torch_band(const struct tp_torch_analysers *analysers, size_t band,
    double *from, double *to);

#define JUDGE_BANDS 8

struct cJSON;

struct tp_torch_analysers {
	struct cJSON *doc;
	struct tp_classes libraries, analysers, communication;
	double anomaly, wait_factor;
	double least_ratio;	/* of the span: savings that are replayed */
	double known[3], guessed[3];	/* low, middle, high */
	double bands[JUDGE_BANDS];
	size_t band_count;
};

#endif
