/* compare_private - the data of share/compare; not installed */
#ifndef TP_JUDGE_COMPARE_PRIVATE_H
#define TP_JUDGE_COMPARE_PRIVATE_H

#include <tp/cond.h>
#include <tp/judge/compare.h>

struct tp_compare_kind {
	const char *kind;	/* a pattern */
	const char **identity;
	const char **values;	/* patterns; NULL: every number */
	const char *cut_kind, *cut_key;
	const char **samples;	/* keys with repeated measurements; NULL:
				 * none */
	struct tp_conds unless;	/* skip records for which this holds */
	const char *work, *work_else;	/* key of the amount of work; work_else
					 * when no side has it */
	const char *holds;	/* key of how much one of them holds */
	const struct cJSON *noise;	/* how its keys were measured */
	const struct cJSON *drift;	/* how they vary within a run */
	const char *stands_back;	/* kind that replaces this one when both
					 * sides have it */
	int rows, sum;
	const char **course;	/* samples in the order of steps; NULL: none */
	int placed;		/* rows are called by names of operations */
};

struct tp_compare_same {
	const char *kind;
	int is_device;		/* else a parameter */
	int refuses;		/* a difference forbids the comparison */
	const char **keys;
};

/* A number that a report shows; METRIC is a pattern for tp_is_named(). */
struct tp_compare_shown {
	const char *metric;
	const char *section, *title;	/* both NULL: another row covers it */
	const char *headline;	/* group whose first row counts, or NULL */
	const char *part_of;	/* metrics, as a pattern, that this one is a
				 * part of, or NULL */
	int rest;		/* everything else that changed, listed after
				 * its title */
	int each;		/* every metric that matches is a headline */
	int throughput;		/* its inverse is a throughput */
	int beside;		/* said with the headline, too */
	int whole;		/* counts where the first row did not change */
};

/*
 * Records that are stretches of a lane, identified by IDENTITY.  A record
 * with a key of WITHOUT (or NULL) is part of a lane only.
 */
struct tp_compare_lane {
	const char *kind;
	const char **identity, **without;
	const struct cJSON *words;	/* word to put before the value of a
					 * key, or NULL */
};

/* What a record says of the runs of a side. */
struct tp_compare_state_rule {
	const char *state, *kind;
	struct tp_conds when;
	const struct cJSON *shown;	/* keys of numbers to show, with "from"
					 * and "to" how far runs are apart */
	double factor;		/* that, else; 0: it hides any change */
};

struct tp_compare_least {
	const char *unit;
	double value;
};

struct tp_compare_rules {
	struct cJSON **files;
	int file_count;
	struct tp_arena arena;
	struct tp_compare_kind *kinds;
	size_t kind_count, kind_cap;
	struct tp_compare_same *same;
	size_t same_count, same_cap;
	struct tp_compare_least *least;
	size_t least_count, least_cap;
	struct tp_compare_shown *shown;
	size_t shown_count, shown_cap;
	struct tp_compare_lane *lanes;
	size_t lane_count, lane_cap;
	struct tp_compare_state_rule *states;	/* the first that holds */
	size_t state_count, state_cap;
	const struct cJSON *placed;	/* how operations tell their place */
	const struct cJSON *state_of;	/* kinds that states are of */
	const struct cJSON *less, *more, *total, *share, *less_share,
	    *ignore;
	const struct cJSON *fusion;	/* limits for fusion.c by name */
	const struct cJSON *uniform;	/* for compare_uniform.c */
	const struct cJSON *slow;	/* for compare_course.c */
	const struct cJSON *devices;	/* numbers of devices, by metric */
	const struct cJSON *amounts, *inputs;	/* for compare_amount.c */
	const struct cJSON *accel;	/* for accel.c */
	const struct cJSON *promises;	/* for promise.c */
	const struct cJSON *noise;	/* assumed noise */
	const struct cJSON *exact;	/* counts, by key */
	const struct cJSON *temporary;	/* folders whose names mean nothing */
	const struct cJSON *calls;	/* for compare_calls.c */
};

/* The rule for KIND: an exact name takes precedence over a pattern. */
const struct tp_compare_kind *tp_compare_kind_of(
    const struct tp_compare_rules *rules, const char *kind);
/*
 * Limit NAME of fusion.json; NaN, which no value reaches, when it is
 * missing.
 */
double tp_compare_fusion(const struct tp_compare_rules *rules,
    const char *name);

/*
 * Whether TEXTS of both sides differ, apart from where in a temporary folder
 * a path leads.  DIFFERING (NULL: not wanted) is then set to them, or to the
 * words that differ where they are long.
 */
int tp_compare_words(const struct tp_compare_rules *rules,
    const struct tp_buf texts[TP_SIDES], struct tp_buf differing[TP_SIDES]);

/* Find the states of the sides. */
void tp_compare_find_states(struct tp_comparison *c,
    const struct tp_runs runs[TP_SIDES]);
/* Make V unknown if the state of a side hides its change. */
void tp_compare_hide(struct tp_comparison *c, struct tp_compared *v);

/* Whether a step or run of one side did more than that of the other. */
int tp_compare_other_amount(const struct tp_comparison *c);
/* Find where the time V changes on the way; judge it by the levels then. */
void tp_compare_find_course(const struct tp_comparison *c,
    struct tp_compared *v);

/*
 * Pair the operations of AFTER, a run that is added next, with those of
 * BEFORE, the first run.
 */
void tp_compare_pair(struct tp_comparison *c, const struct tp_set *before,
    const struct tp_set *after);
/* What the operation called NAME in the run being added is called before. */
const char *tp_compare_name_of(const struct tp_comparison *c,
    const char *name);

/* The data of accel.c, or NULL. */
const struct cJSON *tp_compare_accel(const struct tp_compare_rules *rules);

#endif
