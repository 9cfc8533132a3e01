/*
 * gain - how far from its roofline what a PyTorch trace computed is
 *
 * Rows (operations that are alike) get the analyser that looks at them, the
 * library their kernel is of and an estimate of what could be gained; rows
 * that are slow for the same reason make a group.  Who looks at what, the
 * libraries and all constants are share/ops/torch-analysis.json.
 *
 * A row with a roofline could at best be that fast.  Of one that has none the
 * estimate is a guess and says so; one that is faster than its roofline shows
 * that the count or the rates are wrong, and nothing is estimated from it.
 *
 * Memory: 120 bytes a row, and distinct names.
 */
#ifndef TP_TORCH_GAIN_H
#define TP_TORCH_GAIN_H

#include <stddef.h>
#include <stdint.h>

#include <tp/alloc.h>
#include <tp/err.h>

#include "classes.h"

struct tp_torch_analysers;

/* Read the file; NULL with ERR. */
struct tp_torch_analysers *tp_torch_analysers_load(struct tp_err *err);
void tp_torch_analysers_free(struct tp_torch_analysers *analysers);

/* The analyser of operations OP of CATEGORY. */
const char *tp_torch_analyser(const struct tp_torch_analysers *analysers,
    const char *op, const char *category);
/* The library of OP and its longest KERNEL (either may be NULL), or NULL. */
const char *tp_torch_library(const struct tp_torch_analysers *analysers,
    const char *op, const char *kernel);

/* Whether OP communicates, whatever its kernels are called. */
int tp_torch_communicates(const struct tp_torch_analysers *analysers,
    const char *op);

enum tp_torch_basis {
	TP_GAIN_UNASKED,	/* no platform to hold it against */
	TP_GAIN_COMMUNICATION,	/* waits for other ranks: not to be told */
	TP_GAIN_COPY,		/* between host and GPU: the link's time */
	TP_GAIN_UNMODELLED,	/* no roofline: a guess */
	TP_GAIN_ANOMALY,	/* faster than its roofline */
	TP_GAIN_COMPUTE,	/* a roofline, and what bounds it */
	TP_GAIN_MEMORY
};

struct tp_torch_gain {
	int64_t low_ps, middle_ps, high_ps;
};

struct tp_torch_gain_row {
	const char *op, *category, *analyser, *library;	/* library: or NULL */
	enum tp_torch_basis basis;
	uint8_t pattern;	/* of its kernel, 1 + its place; 0: none */
	uint32_t dims;		/* shapes, a text of the trace; 0: unknown */
	int64_t gpu_ps, host_ps;	/* sums */
	int64_t best_ps;	/* sum by the roofline */
	int64_t merged_ps;	/* of gpu_ps, in candidates for fusion: what
				 * could be gained on it counts there */
	uint64_t count;
	/* set by tp_torch_gain_add() */
	size_t band;		/* of efficiency, where it has a roofline */
	struct tp_torch_gain gain;
	int64_t left_ps;	/* middle estimate for merged_ps */
	int waits;		/* the host took far longer than the GPU */
};

/* What makes rows a group. */
enum tp_torch_gain_by {
	TP_GAIN_BY_REASON,	/* slow alike, of one category, analyser and
				 * pattern */
	TP_GAIN_BY_CATEGORY,
	TP_GAIN_BY_ANALYSER
};

/* Of rows that belong together. */
struct tp_torch_gain_group {
	struct tp_torch_gain_row first;		/* its largest row */
	size_t row_count, wait_count;
	uint64_t count;
	int64_t gpu_ps, host_ps, best_ps, wait_ps;
	int64_t modelled_ps;	/* time of rows with a roofline */
	int64_t anomaly_ps;
	int64_t merged_ps, left_ps;
	struct tp_torch_gain gain;	/* without guesses, but by reason */
};

struct tp_torch_gains {
	struct tp_torch_gain_row *rows;
	size_t count, cap;
	struct tp_arena arena;
};

/* Add ROW, whose operation is copied; 0 or -1 without memory. */
int tp_torch_gain_add(struct tp_torch_gains *gains,
    const struct tp_torch_analysers *analysers, struct tp_torch_gain_row row);
/* Groups by reason, by what could be gained; others by their time.
 * Yours to tp_free(); NULL without memory. */
struct tp_torch_gain_group *tp_torch_gain_groups(
    const struct tp_torch_gains *gains, enum tp_torch_gain_by by,
    size_t *count);
void tp_torch_gains_release(struct tp_torch_gains *gains);

/* Where band BAND of efficiency begins and ends. */
void tp_torch_band(const struct tp_torch_analysers *analysers, size_t band,
    double *from, double *to);

#define JUDGE_BANDS 8

struct cJSON;

struct tp_torch_analysers {
	struct cJSON *doc;
	struct tp_classes libraries, analysers, communication;
	double anomaly, wait_factor;
	double known[3], guessed[3];	/* low, middle, high */
	double bands[JUDGE_BANDS];
	size_t band_count;
};

#endif
