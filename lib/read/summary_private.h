/*
 * summary_private - shared by summary_records*.c
 *
 * Each put writes member NAME of OBJECT as KEY, or nothing when it is absent
 * or of another type.
 */
#ifndef TP_READ_SUMMARY_PRIVATE_H
#define TP_READ_SUMMARY_PRIVATE_H

#include <tp/json.h>
#include <tp/read/summary.h>

/* Largest microseconds and counts accepted: ns fit an int64_t. */
#define SUMMARY_MOST 9e15

void tp_summary_put_text(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name);
/* The same, if the text is one of LISTED, which ends with NULL. */
void tp_summary_put_listed(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name, const char *const *listed);
void tp_summary_put_ns(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name);
void tp_summary_put_count(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name);
void tp_summary_put_real(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name);

/* Member NAME of OBJECT as a count in *N; 1, or 0 and *N untouched. */
int tp_summary_count(const struct cJSON *object, const char *name, int64_t *n);
/*
 * Sum of NAME over LIST in ns, rounded once, in *SUM; 1, or 0 and *SUM
 * untouched when a row lacks it.
 */
int tp_summary_sum_ns(const struct cJSON *list, const char *name, int64_t *sum);
/* The first row of LIST that has a text NAME, or NULL. */
const struct cJSON *tp_summary_first(const struct cJSON *list,
    const char *name);

/* Write into a summary of KIND whether DOC's list of its rows is cut. */
void tp_summary_put_cut(const struct cJSON *doc, const char *kind,
    struct tp_out *out);
/* op.summary op.family op collective gap.summary gap.op gap.region
 * region.summary region region.op */
void tp_summary_emit_lists(const struct cJSON *doc, struct tp_out *out);
/* step.summary step.class */
void tp_summary_steps(const struct cJSON *doc, struct tp_out *out);
/* step, and a note when some or all single steps are missing */
void tp_summary_samples(const struct cJSON *doc, struct tp_out *out);
/* Write p90 / median of SPREAD. */
void tp_summary_put_tail(struct tp_out *out, const struct cJSON *spread);

#endif
