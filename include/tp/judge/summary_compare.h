/*
 * summary_compare - compare two profile_summary.v1 documents
 *
 * The result has the keys and numbers that other readers of
 * profile_summary.v1 know.  Other readers count a missing list entry as
 * zero; this one does so only when the list is complete.  Operations that
 * may merely have dropped out of a top list are in unknown_ops.
 */
#ifndef TP_JUDGE_SUMMARY_COMPARE_H
#define TP_JUDGE_SUMMARY_COMPARE_H

#include <tp/doc.h>
#include <tp/err.h>

struct cJSON;

/* Changes that gates on steps and shares check; has_X 0: X is unknown. */
struct tp_summary_change {
	double median_pct, p90_pct, communication, stall;
	int has_median, has_p90, has_communication, has_stall;
};

void tp_summary_change_of(const struct cJSON *before, const struct cJSON *after,
    struct tp_summary_change *change);

/*
 * Write the comparison of BEFORE and AFTER, both checked, as member KEY (or
 * NULL) of J, with at most TOP operations per list.
 */
void tp_summary_compare(struct tp_doc *j, const char *key,
    const struct cJSON *before, const struct cJSON *after, size_t top);

#endif
