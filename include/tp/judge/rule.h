/*
 * rule - judgements as data
 *
 * A rule fires when all its conditions hold over the records of one trace.
 * It computes nothing: every number it compares or quotes comes from an
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
 * Load share/rules/NAME.json for each of NAMES (NULL-terminated, or NULL),
 * or every file there when NAMES holds no such name; then the user's rules
 * in tp_share_own("rules").  A name that contains a '/' or ends in .json is
 * a file or folder of additional rules.  REPO selects the repository that
 * the report is for, share/repos/REPO.json; NULL: the first whose "match"
 * fits SET, if any; "none": none.  SET is not kept.  Release with
 * tp_rules_free().  NULL with ERR: TP_IO "share.missing" when a file is
 * missing, TP_BAD "rule.damaged" when a rule is wrong, TP_USAGE when one of
 * the user's is, naming file and rule.
 */
struct tp_rules *tp_rules_load(const char *const *names, const char *repo,
    const struct tp_set *set, struct tp_err *err);
void tp_rules_free(struct tp_rules *rules);

/*
 * Write what fires over SET to OUT: repo, verdict, remark, finding (with
 * finding.evidence and finding.proposal) and proposal records.  Each src of
 * SET is a trace and is judged by itself, in order of first appearance;
 * records without src belong to every trace.  Returns 0, or -1 with ERR:
 * TP_BAD "rule.type" when a metric has another type than the value a rule
 * compares it with, or "template.damaged".
 */
int tp_rules_apply(struct tp_rules *rules, const struct tp_set *set,
    struct tp_out *out, struct tp_err *err);

/* A finding that states how much time can be saved at most. */
struct tp_promised {
	const char *rule, *title;	/* borrowed from RULES, as metric and
					 * each */
	const char *metric;	/* KIND[...].KEY, or KEY of rec */
	const char *each;	/* selector that rec matches, or NULL */
	const char *subject;	/* borrowed from the set, or NULL */
	struct tp_rec rec;	/* record the finding is about; no kind: none */
	int64_t impact_ns;
};

/*
 * The findings of SET (one trace) that have an impact, in order: *COUNT of
 * them in *LIST, to be released with tp_free().  0, or -1 with ERR as
 * tp_rules_apply().
 */
int tp_rules_promised(struct tp_rules *rules, const struct tp_set *set,
    struct tp_promised **list, size_t *count, struct tp_err *err);

/*
 * Write to OUT how rule ID (or the rule of finding ID) evaluates on SET:
 * rule.explained, and rule.condition for every condition, with the measured
 * value and whether it holds; for an "each", on the first records.  Returns
 * 0, or -1 with ERR: TP_USAGE "rule.unknown" when there is no such rule, or
 * as tp_rules_apply().
 */
int tp_rules_explain(struct tp_rules *rules, const char *id,
    const struct tp_set *set, struct tp_out *out, struct tp_err *err);

#endif
