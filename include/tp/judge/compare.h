/*
 * compare - what changed between two record streams
 *
 * Both sides become a list of comparable numbers: metrics, named
 * KIND[IDENTITY...].KEY, rows of named things (operations, functions),
 * shares and repeated measurements.  share/compare says what identifies a
 * row, what is compared and which direction is better.
 *
 * Compilers renumber operations.  If records give the place of an operation
 * in the model, the place identifies it, not its name.  Several operations at
 * one place are paired in the order of their numbers if both sides have the
 * same count; otherwise they are not judged.
 *
 * A number that one side lacks is unknown.  A row counts as new or gone only
 * when the other side measured rows of that kind and kept all of them.
 * Totals are judged only when both sides did the same work.
 *
 * Runs of one program differ by more than measurements within a run show.
 * Several runs per side, or earlier runs on record, give that noise.  With
 * one run each and no record, share/compare gives an assumed noise.  A row
 * of unknown noise is not judged; among the rows reported as changed, a
 * stated share are false discoveries (noise.h).
 *
 * The runs of a side may be in a state that can hide a change: they slow down,
 * take one of two times, or are too few.  share/compare says when.  A change no
 * larger than the state is unknown.
 *
 * The steps of a run may become slower or faster during the run (course.h).
 * Then the levels of both sides after warm-up are compared instead of their
 * medians.
 *
 * Memory: about 500 bytes per number compared and its name; 8 bytes per run
 * and 16 per repeated measurement.  The records compared are borrowed.
 */
#ifndef TP_JUDGE_COMPARE_H
#define TP_JUDGE_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>

#include "bootstrap.h"
#include "course.h"

enum { TP_BEFORE, TP_AFTER, TP_SIDES };

enum tp_verdict {
	TP_SAME,	/* no change, or too small to matter */
	TP_REGRESSED, TP_IMPROVED,
	TP_APPEARED, TP_VANISHED,	/* rows */
	TP_NEUTRAL,	/* neither direction is better */
	TP_UNCLEAR,	/* unknown */
	TP_VERDICTS
};

enum tp_better { TP_BETTER_NEITHER, TP_BETTER_LESS, TP_BETTER_MORE };

struct tp_compare_rules;

/* Source of a number's noise. */
enum tp_noise { TP_NOISE_UNKNOWN, TP_NOISE_ASSUMED, TP_NOISE_HISTORY,
	TP_NOISE_RUNS };

/* The runs of one side. */
struct tp_runs {
	struct tp_set *sets;
	size_t count;
};

/* Values of METRIC in earlier runs. */
struct tp_past {
	const char *metric;
	const double *x;
	size_t count;
	size_t of;		/* runs averaged in each value, at most */
	double squares, df;	/* scatter of still earlier values (struct
				 * tp_scatter) */
};

/* A number on one side; with several runs, their geometric mean. */
struct tp_number {
	unsigned times;		/* how often it occurred; 0: absent */
	int whole;		/* n is valid, else only x */
	int64_t n;
	double x;
};

/*
 * State of the runs of SIDE: slowing down, taking one of two times, too few.
 * It hides changes whose logarithm is at most REACH.
 */
struct tp_compare_state {
	const struct tp_compare_state_rule *rule;
	const struct tp_rec *rec;	/* what says so */
	int side;
	double reach;
};

struct tp_compared {
	const struct tp_compare_kind *rule;
	const char *kind, *identity, *key;
	const char *src;	/* when a side has several traces, else NULL */
	const char *name;	/* KIND[SRC][...].KEY */
	const char *bare;	/* NAME without SRC */
	const char *unit;	/* suffix for keys: "ns", "count", ... */
	struct tp_number side[TP_SIDES];
	enum tp_better better;
	int is_total, is_share, is_row;
	int is_twice;		/* one identity occurred twice in a run */
	/* one value per run */
	double *runs[TP_SIDES];
	size_t run_count[TP_SIDES], run_cap[TP_SIDES];
	/* repeated measurements of all runs */
	double *samples[TP_SIDES];
	size_t sample_count[TP_SIDES], sample_cap[TP_SIDES];
	int64_t *numbers[TP_SIDES];	/* of the steps they are of */
	size_t number_count[TP_SIDES], number_cap[TP_SIDES];
	struct tp_course course[TP_SIDES];	/* where they change */
	size_t sample_from;	/* first sample of the run being added */
	/* of a row, per step; count 0: unknown */
	double step_mean[TP_SIDES], step_stdev[TP_SIDES],
	    step_count[TP_SIDES];
	/* standard deviation of the logarithms of parts of the run, and its
	 * degrees of freedom; 0: unknown */
	double drift[TP_SIDES], drift_df[TP_SIDES];
	int is_drift;		/* the interval is from that */
	int has_interval;
	struct tp_interval interval;
	enum tp_noise noise;
	double detectable;	/* smallest change that would be detected,
				 * relative to before; 0: unknown */
	int has_chance;
	double chance;		/* probability of such a change by noise
				 * alone */
	enum tp_verdict verdict;
	const char *reason;	/* of TP_NEUTRAL or TP_UNCLEAR, or NULL */
	const struct tp_compare_state *state;	/* hides the change, or NULL */
};

/* Names of a run, and what they are called in the first run before. */
struct tp_compare_names {
	struct tp_names names;
	const char **to;		/* by index */
	size_t cap;
};

struct tp_comparison {
	const struct tp_compare_rules *rules;
	struct tp_compared *list;	/* in order of appearance */
	size_t count, cap;
	struct tp_names keys;		/* kind, identity, key: index in list */
	struct tp_names kinds[TP_SIDES];	/* kinds that occurred */
	struct tp_names srcs;		/* of one run */
	size_t run_count[TP_SIDES];	/* TP_BEFORE 0: the past stands in */
	const struct tp_past *past;
	size_t past_count;
	size_t tested_count;		/* rows of known noise */
	struct tp_compare_state *states;	/* one a trace and side */
	size_t state_count, state_cap;
	struct tp_compare_names renamed;	/* of the run being added */
	struct tp_names unpaired;	/* names that cannot be paired */
	size_t renumbered_count;	/* operations with another name in the
					 * last run after */
	struct tp_arena arena;
	struct tp_buf text;
};

/* Read share/compare; release with tp_compare_rules_free().  NULL with ERR. */
struct tp_compare_rules *tp_compare_rules_load(struct tp_err *err);
void tp_compare_rules_free(struct tp_compare_rules *rules);
/*
 * Changes up to this do not matter: "least" of share/compare for UNIT, or for
 * "relative" a ratio of the value before.
 */
double tp_compare_least_of(const struct tp_compare_rules *rules,
    const char *unit);
/* The assumed noise called NAME in share/compare. */
double tp_compare_noise(const struct tp_compare_rules *rules,
    const char *name);

/*
 * Compare RUNS[TP_BEFORE] and RUNS[TP_AFTER] by RULES.  RULES and the
 * PAST_COUNT values at PAST must outlive C.  Without runs before, PAST takes
 * their place; with one run each, PAST gives the noise.
 */
void tp_compare(struct tp_comparison *c, const struct tp_compare_rules *rules,
    const struct tp_runs *runs, const struct tp_past *past, size_t past_count);

/* The number called NAME, or NULL. */
const struct tp_compared *tp_comparison_find(const struct tp_comparison *c,
    const char *name);
/* How many numbers both sides have. */
size_t tp_comparison_common(const struct tp_comparison *c);
/*
 * *X = after / before.  1, or 0 with *X untouched when before is not above
 * 0.
 */
int tp_compared_factor(const struct tp_compared *v, double *x);
const char *tp_verdict_name(enum tp_verdict verdict);
/* Whether V is above 0 in every run of both sides. */
int tp_compared_is_positive(const struct tp_compared *v);
/* "assumed", "history", "runs"; NULL for TP_NOISE_UNKNOWN. */
const char *tp_noise_name(enum tp_noise noise);
/* "before" or "after". */
const char *tp_side_name(int side);

/* Whether both sides are the same trace, and what they say of their origin. */
struct tp_compare_origin {
	const char *sha256[TP_SIDES], *source_path[TP_SIDES],
	    *run_id[TP_SIDES];
	const char *device_kind;	/* of both sides, else NULL */
	int same_trace;		/* both sides are one trace */
	const char *why;	/* the evidence for that */
	size_t damage[TP_SIDES];	/* number of notes of lost data */
};

void tp_compare_origin_of(const struct tp_set sets[TP_SIDES],
    struct tp_compare_origin *origin);
/*
 * Write a note for each difference in device, parameters or run between the
 * sides (SETS: the first run of each), or between the RUNS of one side, by
 * RULES.
 */
void tp_compare_notes(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], const struct tp_runs runs[TP_SIDES],
    const struct tp_compare_origin *origin, struct tp_out *out);

/*
 * Append to WORDS the differences that make the sides incomparable; nothing
 * when there are none.
 */
void tp_compare_differs(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], struct tp_buf *words);
/* Whether SETS name different devices. */
int tp_compare_is_moved(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES]);
/*
 * Write a compare.origin record for each thing that share/compare expects to
 * be equal.
 */
void tp_compare_emit_origin(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], struct tp_out *out);

/*
 * Write compare.metric, compare.share and compare.row, rows by meaning, then
 * largest change first.
 */
void tp_compare_emit(const struct tp_comparison *c, struct tp_out *out);
/*
 * TP_REGRESSED or TP_IMPROVED when all named rows changed by one common
 * factor that exceeds the noise between runs; else TP_SAME.
 */
enum tp_verdict tp_compare_uniform(const struct tp_comparison *c);
/* That factor.  1, or 0 with *FACTOR untouched when there is none. */
int tp_compare_uniform_factor(const struct tp_comparison *c, double *factor);
/*
 * Write compare.uniform when tp_compare_uniform() finds a common factor:
 * then no single row is to blame.  First of the rows that show it, then of
 * each other kind that changed by it, too.
 */
void tp_compare_emit_uniform(const struct tp_comparison *c, struct tp_out *out);
/*
 * Write a compare.course record for each place where the time V of a step
 * changes, else a compare.slow record of the steps that take much longer on
 * one side.
 */
void tp_compare_emit_course(const struct tp_comparison *c,
    const struct tp_compared *v, struct tp_out *out);
/*
 * Whether V equals the other side until a step and differs from there on: *FROM
 * is the number of that step.
 */
int tp_compare_from(const struct tp_comparison *c,
    const struct tp_compared *v, int64_t *from);
/*
 * Write compare.amount if a step or run of one side does more of the work that
 * share/compare counts, and compare.inputs if the operators it names are mostly
 * called with other shapes.
 */
void tp_compare_emit_amount(struct tp_comparison *c, struct tp_out *out);
/*
 * Write compare.calls and compare.call: what share/compare names as called, and
 * only one of the two runs has or calls another number of times (only where
 * they did the same work).
 */
void tp_compare_emit_calls(const struct tp_comparison *c,
    const struct tp_set sets[TP_SIDES], struct tp_out *out);
/*
 * The state of a side that hides the change FACTOR of a time of the trace SRC
 * (NULL: of the only one), or NULL.
 */
const struct tp_compare_state *tp_compare_hidden_by(
    const struct tp_comparison *c, const char *src, double factor);
/* Write the compare.state of S; IS_HIDING: it hides a headline. */
void tp_compare_emit_state(const struct tp_compare_state *s, int is_hiding,
    struct tp_out *out);
/* Write the number of rows per verdict as keys of the open record. */
void tp_compare_emit_counts(const struct tp_comparison *c,
    struct tp_out *out);
/* Write V's numbers and change as keys of the open record. */
void tp_compared_out(const struct tp_compared *v, struct tp_out *out);

#endif
