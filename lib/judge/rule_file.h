/*
 * rule_file - a loaded rule file, shared by rule.c and rule_apply.c
 *
 * All text is borrowed from the cJSON documents, which live as long as the
 * rules; lists are in the arena.
 */
#ifndef TP_JUDGE_RULE_FILE_H
#define TP_JUDGE_RULE_FILE_H

#include <stddef.h>

#include <tp/alloc.h>
#include <tp/cond.h>
#include <tp/records.h>

struct cJSON;

struct rule_evidence {
	const char *metric, *label, *source;
	struct tp_conds when;	/* quote only when these hold */
};

struct rule_proposal {
	const char *title, *text, *improves;
};

struct rule_proposals {
	struct rule_proposal *list;
	size_t count;
};

/* of tp_rule_confidences */
enum { CONFIDENCE_SPENT = 3 };

enum rule_emit { EMIT_FINDING, EMIT_REMARK, EMIT_VERDICT };

struct rule {
	const char *file;	/* "share/rules/x.json" */
	const char *id, *why;	/* why: or NULL */
	const char *each;	/* selector, or NULL */
	const char *group;	/* or NULL */
	enum rule_emit emit;
	size_t limit;		/* firings of an "each"; 0: no limit */
	struct tp_conds when;
	struct tp_conds *any;	/* unless empty, one must hold */
	size_t any_count;
	int severity;		/* index into tp_rule_severities */
	int worse;		/* severity when worse_when holds */
	struct tp_conds worse_when;
	const char *section, *role, *verdict, *title, *text;
	const char *section_of;	/* metric that names the section, or NULL */
	const char *impact;	/* metric, or NULL */
	const char *weight;	/* the same: findings are ordered by it */
	int of_others;		/* the impact is time of other processes */
	const struct cJSON *part_of;	/* ids of rules whose impacts hold some
					 * of it, and metrics of how much; or
					 * NULL */
	int is_own;		/* of a file of the user, never silenced */
	const struct cJSON *silences;	/* sections without findings and
					 * remarks when this verdict fires,
					 * or NULL */
	const char *subject;	/* metric that names the subject, or NULL */
	const char *where;	/* template: where to look, or NULL */
	int confidence;		/* index into tp_rule_confidences */
	struct rule_evidence *evidence;
	size_t evidence_count;
	struct rule_proposals proposals;
};

struct rule_fact {
	const char *key, *text;
};

/* Additions of share/repos to one rule. */
struct rule_advice {
	const char *id;		/* of the rule */
	const char *explains;	/* template added to its text, or NULL */
	struct rule_proposals proposals;	/* replace the rule's own,
						 * unless empty */
};

struct rule_repo {
	const char *name, *chosen_by;	/* name NULL: no repository */
	struct rule_fact *facts;
	size_t fact_count;
	struct rule_advice *advice;
	size_t advice_count;
};

struct tp_rules {
	struct rule *rules;
	size_t count, cap;
	struct rule_repo repo;
	struct cJSON **docs;
	size_t doc_count, doc_cap;
	struct tp_arena arena;
	/* The user's own files. */
	struct rule_own {
		const char *file;
		size_t count;	/* of rules */
	} *own;
	size_t own_count, own_cap;
	/* How findings with an impact are graded (share/severity.json). */
	struct rule_grades {
		struct cJSON *doc;
		const char *of;	/* metric: the time that impacts are part of */
		double least[3];	/* of it, by severity; the last is 0 */
	} grades;
};

/* Where conditions are evaluated: over SET; RULE is named in messages. */
struct rule_scope {
	const struct tp_set *set;
	const struct rule *rule;
	struct tp_err *err;
};

/*
 * Look up METRIC in REC or in any record; *FIELD gets it, or NULL.  0, or -1
 * with ERR.
 */
int tp_rule_look_up(const struct rule_scope *s, const struct tp_rec *rec,
    const char *metric, const struct tp_field **field);
/*
 * Whether a condition, all of CONDS, or the conditions of the rule hold: 1
 * or 0; -1 with ERR.
 */
int tp_rule_holds(const struct rule_scope *s, const struct tp_rec *rec,
    const struct tp_cond *c);
int tp_rule_fires(const struct rule_scope *s, const struct tp_rec *rec);

/*
 * The findings section NAME as a section file spells it (borrowed), and
 * *TIER, the tier in that file, or NULL.  NULL when there is no such
 * section.
 */
const char *tp_rule_find_section(const struct tp_rules *rules, const char *name,
    const char **tier);

/*
 * Write a note for each condition of the user's own rules, and each impact, of
 * which share/schema has no kind or no key: such a rule never holds.
 */
void tp_rule_check_own(const struct tp_rules *rules, struct tp_out *out);

/* Spelling in files, by enum. */
extern const char *const tp_rule_emits[];
extern const char *const tp_rule_severities[];	/* worst first */
extern const char *const tp_rule_confidences[];	/* surest first */

#endif
