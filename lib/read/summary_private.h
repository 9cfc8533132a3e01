/*
 * summary_private - what the files of summary_records share
 *
 * Each put writes member NAME of OBJECT as KEY, or nothing where it is absent
 * or not what it should be.
 */
#ifndef TP_READ_SUMMARY_PRIVATE_H
#define TP_READ_SUMMARY_PRIVATE_H

#include <tp/json.h>
#include <tp/read/summary.h>

/* Reads whole microseconds and counts below this: an int64_t holds both. */
#define SUMMARY_MOST 9e15

void tp_summary_put_text(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name);
void tp_summary_put_ns(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name);
void tp_summary_put_count(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name);
void tp_summary_put_real(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name);

/* Member NAME of OBJECT as a count into *N; 1, or 0 and *N untouched. */
int tp_summary_count(const struct cJSON *object, const char *name, int64_t *n);
/* NAME summed over LIST into *SUM in ns, rounded once; 1, or 0 and *SUM
 * untouched when a row lacks it. */
int tp_summary_sum_ns(const struct cJSON *list, const char *name, int64_t *sum);
/* The first row of LIST that has a text NAME, or NULL. */
const struct cJSON *tp_summary_first(const struct cJSON *list,
    const char *name);

/* op.summary op.family op collective gap.summary gap.op gap.region
 * region.summary region region.op */
void tp_summary_rows(const struct cJSON *doc, struct tp_out *out);
/* step.summary step.class step, and a note when the single steps are missing or
 * are not all there */
void tp_summary_steps(const struct cJSON *doc, struct tp_out *out);
/* step, for those after WARMUP steps; how many.  Those that are left of more
 * steps than the document keeps have their times, not those of one step. */
int64_t tp_summary_samples(const struct cJSON *doc, int64_t warmup,
    struct tp_out *out);
/* p90 over median of SPREAD. */
void tp_summary_put_tail(struct tp_out *out, const struct cJSON *spread);

#endif
