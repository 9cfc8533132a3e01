/*
 * rule - judgements as data
 *
 * A rule fires when all its conditions hold over the records of one trace.
 * It never computes: every number it compares or quotes was emitted by an
 * analysis.  share/doc/rules.md describes the file format.
 *
 * Memory: the rule files, and one pointer-sized copy per record.
 */
#ifndef TP_JUDGE_RULE_H
#define TP_JUDGE_RULE_H

#include <tp/err.h>
#include <tp/records.h>

struct tp_rules;

/*
 * Load share/rules/NAME.json of each of NAMES (NULL-terminated, or NULL), or
 * every file there when none of them is such a name; then also those of
 * tp_share_own("rules").  A name with a '/' or that ends in .json is a file
 * or folder whose rules are read beside all these.  REPO says which
 * repository the report is for: share/repos/REPO.json; NULL: the first whose
 * "match" fits SET, or none; "none": none.  SET is only looked at here.
 * Release with tp_rules_free().  NULL with ERR set: TP_IO "share.missing" when
 * there is no such file, TP_BAD "rule.damaged" when a rule is wrong, TP_USAGE
 * when it is one of the user's, naming file and rule.
 */
struct tp_rules *tp_rules_load(const char *const *names, const char *repo,
    const struct tp_set *set, struct tp_err *err);
void tp_rules_free(struct tp_rules *rules);

/*
 * Write what fires over SET to OUT: repo, verdict, remark, finding (with
 * finding.evidence and finding.proposal) and proposal records.  Each src of
 * SET is a trace of its own and judged by itself, in order of first
 * appearance; records without src belong to every trace.
 * Returns 0, or -1 with ERR: TP_BAD "rule.type" when a metric is not of the
 * type a rule compares it with, or "template.damaged".
 */
int tp_rules_apply(struct tp_rules *rules, const struct tp_set *set,
    struct tp_out *out, struct tp_err *err);

/* A finding that says how much time can be saved, at most. */
struct tp_promised {
	const char *rule, *title;	/* of RULES, as are these: */
	const char *metric;	/* KIND[...].KEY, or KEY of a record, */
	const char *each;	/* the selector of which is this, or NULL */
	const char *subject;	/* of the set, or NULL */
	struct tp_rec rec;	/* that record; no kind: none */
	int64_t impact_ns;
};

/* The findings of SET, one trace, that have an impact: *COUNT of them, in
 * their order, into *LIST, to be released with tp_free().  0, or -1 with ERR
 * as tp_rules_apply(). */
int tp_rules_promised(struct tp_rules *rules, const struct tp_set *set,
    struct tp_promised **list, size_t *count, struct tp_err *err);

/*
 * Write to OUT what rule ID (or the rule of finding ID) asks of SET:
 * rule.explained, and rule.condition for every condition, with what was
 * measured and whether it holds; of an "each" for the first records.
 * Returns 0, or -1 with ERR: TP_USAGE "rule.unknown" when there is no such
 * rule, or as tp_rules_apply().
 */
int tp_rules_explain(struct tp_rules *rules, const char *id,
    const struct tp_set *set, struct tp_out *out, struct tp_err *err);

#endif
