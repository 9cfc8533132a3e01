/*
 * summary_compare - two profile_summary.v1 documents, compared as others do
 *
 * The document has the keys and the numbers that other readers of
 * profile_summary.v1 know.  Where they take what a list does not hold for
 * zero, this only does so when the list is whole: operations that may merely
 * have dropped out of a list of the highest stand in unknown_ops.
 */
#ifndef TP_JUDGE_SUMMARY_COMPARE_H
#define TP_JUDGE_SUMMARY_COMPARE_H

#include <tp/doc.h>
#include <tp/err.h>

struct cJSON;

/* What a gate on steps and shares looks at; has_x is 0 where it is unknown. */
struct tp_summary_change {
	double median_pct, p90_pct, communication, stall;
	int has_median, has_p90, has_communication, has_stall;
};

void tp_summary_change_of(const struct cJSON *before, const struct cJSON *after,
    struct tp_summary_change *change);

/* Write the comparison of BEFORE and AFTER, which were checked, as member KEY
 * (or NULL) of J, with at most TOP operations a list.  0 or -1 with ERR. */
int tp_summary_compare(struct tp_doc *j, const char *key,
    const struct cJSON *before, const struct cJSON *after, size_t top,
    struct tp_err *err);

#endif
