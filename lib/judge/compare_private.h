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
	const char **samples;	/* keys that are measured again and again;
				 * NULL: none */
	struct tp_conds unless;	/* records of which that holds count not */
	const char *work, *work_else;	/* this where no side has that */
	const struct cJSON *noise;	/* what its keys were measured by */
	const char *stands_back;	/* for this kind, when both sides
					 * have it */
	int rows, sum;
};

struct tp_compare_same {
	const char *kind;
	int is_device;		/* else a parameter */
	int refuses;		/* runs that differ are not compared */
	const char **keys;
};

/* A number that a report shows; tp_is_named() says of which METRIC. */
struct tp_compare_shown {
	const char *metric;
	const char *section, *title;	/* both NULL: said by another */
	const char *headline;	/* group of which the first counts, or NULL */
	int rest;		/* what else changed, after its title */
	int each;		/* all that it names are headlines */
	int throughput;		/* its inverse is work in a time */
};

/* Records that are the stretches of a lane, which IDENTITY tells apart; one
 * that has a key of WITHOUT (or NULL) is of a part of a lane. */
struct tp_compare_lane {
	const char *kind;
	const char **identity, **without;
	const struct cJSON *words;	/* before the value of a key, or NULL */
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
	const struct cJSON *less, *more, *total, *share, *less_share,
	    *ignore;
	const struct cJSON *fusion;	/* limits of fusion.c by name */
	const struct cJSON *uniform;	/* and of compare_uniform.c */
	const struct cJSON *accel;	/* and of accel.c */
	const struct cJSON *promises;	/* and of promise.c */
	const struct cJSON *noise;	/* what is assumed of it */
};

/* The rule for KIND: one that names it before one whose pattern fits. */
const struct tp_compare_kind *tp_compare_kind_of(
    const struct tp_compare_rules *rules, const char *kind);
/* Whether a pattern of LIST fits KEY. */
int tp_compare_fits(const struct cJSON *list, const char *key);
/* The smallest change in UNIT ("relative" too) that matters. */
double tp_compare_least_of(const struct tp_compare_rules *rules,
    const char *unit);
/* Limit NAME of what is fused, NaN when the data have none: nothing is. */
double tp_compare_fusion(const struct tp_compare_rules *rules,
    const char *name);

/* What accel.c goes by, or NULL. */
const struct cJSON *tp_compare_accel(const struct tp_compare_rules *rules);

#endif
