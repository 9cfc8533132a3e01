/*
 * compare - what changed between two record streams
 *
 * Both sides become a list of comparable numbers: metrics, named
 * KIND[IDENTITY...].KEY, rows of named things (operations, functions), shares
 * and repeated measurements.  What tells rows apart, what is compared and
 * which way is better is data, share/compare.
 *
 * A number that one side does not have is unknown.  A row is taken for new
 * or gone only where the other side measured rows of that kind and kept them
 * all.  Totals are judged only when both sides did the same work.
 *
 * Runs of one program differ, by more than measurements within a run tell.
 * Several runs on a side show by how much; so do earlier runs on record.  With
 * one run each and no record, share/compare says what is assumed.  A row whose
 * noise is not known is not judged; of those that are called a change a stated
 * share is none (noise.h).
 *
 * Memory: the data, and about 300 bytes per number compared; 8 bytes per run
 * and per repeated measurement.  The records compared are borrowed.
 */
#ifndef TP_JUDGE_COMPARE_H
#define TP_JUDGE_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>

#include "bootstrap.h"

enum { TP_BEFORE, TP_AFTER, TP_SIDES };

enum tp_verdict {
	TP_SAME,	/* no change that matters */
	TP_REGRESSED, TP_IMPROVED,
	TP_APPEARED, TP_VANISHED,	/* rows */
	TP_NEUTRAL,	/* changed or not, neither is better */
	TP_UNCLEAR,	/* unknown */
	TP_VERDICTS
};

enum tp_better { TP_BETTER_NEITHER, TP_BETTER_LESS, TP_BETTER_MORE };

struct tp_compare_rules;

/* What tells the noise of a number. */
enum tp_noise { TP_NOISE_UNKNOWN, TP_NOISE_ASSUMED, TP_NOISE_HISTORY,
	TP_NOISE_RUNS };

/* The runs of one side. */
struct tp_runs {
	struct tp_set *sets;
	size_t count;
};

/* What METRIC was in earlier runs. */
struct tp_past {
	const char *metric;
	const double *x;
	size_t count;
	size_t of;		/* runs that each is the mean of, at most */
	double squares, df;	/* of still earlier ones (struct tp_scatter) */
};

/* A number on one side; of several runs their geometric mean. */
struct tp_number {
	unsigned times;		/* how often it was met; 0: not there */
	int whole;		/* n holds it, else only x */
	int64_t n;
	double x;
};

struct tp_compared {
	const struct tp_compare_kind *rule;
	const char *kind, *identity, *key;
	const char *src;	/* where a side has several traces, else NULL */
	const char *name;	/* KIND[SRC][...].KEY */
	const char *bare;	/* that without SRC */
	const char *unit;	/* suffix for keys: "ns", "count", ... */
	struct tp_number side[TP_SIDES];
	enum tp_better better;
	int is_total, is_share, is_row;
	int is_twice;		/* two numbers of one identity in a run */
	/* a number for each run */
	double *runs[TP_SIDES];
	size_t run_count[TP_SIDES], run_cap[TP_SIDES];
	/* repeated measurements, of all runs */
	double *samples[TP_SIDES];
	size_t sample_count[TP_SIDES], sample_cap[TP_SIDES];
	size_t sample_from;	/* the first of the run that is added */
	/* of a row by step; count 0: not known */
	double step_mean[TP_SIDES], step_stdev[TP_SIDES],
	    step_count[TP_SIDES];
	int has_interval;
	struct tp_interval interval;
	enum tp_noise noise;
	double detectable;	/* the least change that would have been told,
				 * of what was before; 0: not known */
	int has_chance;
	double chance;		/* of such a change where there is none */
	enum tp_verdict verdict;
	const char *reason;	/* of TP_NEUTRAL or TP_UNCLEAR, or NULL */
};

struct tp_comparison {
	const struct tp_compare_rules *rules;
	struct tp_compared *list;	/* in order of appearance */
	size_t count, cap;
	struct tp_names keys;		/* kind, identity, key: index in list */
	struct tp_names kinds[TP_SIDES];	/* kinds that were met */
	struct tp_names srcs;		/* of a run */
	size_t run_count[TP_SIDES];	/* of TP_BEFORE 0: those on record */
	const struct tp_past *past;
	size_t past_count;
	size_t tested_count;		/* rows whose noise is known */
	struct tp_arena arena;
	struct tp_buf text;
};

/* Read share/compare; release with tp_compare_rules_free().  NULL with ERR. */
struct tp_compare_rules *tp_compare_rules_load(struct tp_err *err);
void tp_compare_rules_free(struct tp_compare_rules *rules);
/* The change, of what was before, up to which there is none. */
double tp_compare_least_ratio(const struct tp_compare_rules *rules);
/* What is assumed of noise, by the NAME it has in share/compare. */
double tp_compare_noise(const struct tp_compare_rules *rules,
    const char *name);

/*
 * Compare RUNS, those before and those after, by RULES, which must outlive C,
 * as the PAST_COUNT numbers at PAST must.  Without runs before, what is on
 * record of the past stands for them; with one run each it tells the noise.
 * 0 or -1 with ERR.
 */
int tp_compare(struct tp_comparison *c, const struct tp_compare_rules *rules,
    const struct tp_runs *runs, const struct tp_past *past,
    size_t past_count, struct tp_err *err);
void tp_comparison_release(struct tp_comparison *c);

/* What is compared under NAME, or NULL. */
const struct tp_compared *tp_comparison_find(const struct tp_comparison *c,
    const char *name);
/* Numbers that both sides have. */
size_t tp_comparison_common(const struct tp_comparison *c);
/* After over before into *X when before is above 0; 1 or 0. */
int tp_compared_factor(const struct tp_compared *v, double *x);
const char *tp_verdict_name(enum tp_verdict verdict);
/* Whether V is above 0 in every run of both sides. */
int tp_compared_is_positive(const struct tp_compared *v);
/* "assumed" "history" "runs"; NULL: nothing tells it. */
const char *tp_noise_name(enum tp_noise noise);
/* "before" or "after". */
const char *tp_side_name(int side);

/* How the two sides are related by what they say of themselves. */
struct tp_compare_origin {
	const char *sha256[TP_SIDES], *source_path[TP_SIDES],
	    *run_id[TP_SIDES];
	int same_trace;		/* one trace twice */
	const char *why;	/* how that is known */
	size_t damage[TP_SIDES];	/* notes of lost data */
};

void tp_compare_origin_of(const struct tp_set sets[TP_SIDES],
    struct tp_compare_origin *origin);
/* A note for each thing that is another on the other side (device, parameters,
 * run), SETS being the first of RUNS, or in another run of a side, by RULES;
 * 0, or -1 with ERR. */
int tp_compare_notes(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], const struct tp_runs runs[TP_SIDES],
    const struct tp_compare_origin *origin, struct tp_out *out,
    struct tp_err *err);

/* What differs between the sides and keeps them from being compared, as words;
 * nothing is added where nothing does.  0, or -1 without memory. */
int tp_compare_differs(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], struct tp_buf *words);
/* Write a compare.origin for what share/compare says should be the same; 0, or
 * -1 with ERR. */
int tp_compare_emit_origin(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], struct tp_out *out,
    struct tp_err *err);

/* Write compare.metric, compare.share and compare.row of C: rows by what they
 * mean, greatest change first. */
int tp_compare_emit(const struct tp_comparison *c, struct tp_out *out,
    struct tp_err *err);
/* TP_REGRESSED or TP_IMPROVED when all that is named changed by one factor, by
 * more than one run each differs; else TP_SAME. */
enum tp_verdict tp_compare_uniform(const struct tp_comparison *c);
/* Write compare.uniform when all that is named changed by one factor: then no
 * single name is to blame. */
void tp_compare_emit_uniform(const struct tp_comparison *c,
    struct tp_out *out);
/* The keys that count C by verdict, of the current record. */
void tp_compare_emit_counts(const struct tp_comparison *c,
    struct tp_out *out);
/* PREFIX_UNIT: N of V's number on SIDE; its change; of the current record. */
void tp_compared_out(const struct tp_compared *v, struct tp_out *out);

#endif
