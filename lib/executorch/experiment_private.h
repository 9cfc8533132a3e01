/* experiment_private - what the parts of experiment share; not installed */
#ifndef TP_EXECUTORCH_EXPERIMENT_PRIVATE_H
#define TP_EXECUTORCH_EXPERIMENT_PRIVATE_H

#include <tp/executorch/experiment.h>

extern const char *const tp_run_document_names[TP_RUN_DOCUMENTS];

/* A copy of TEXT in the arena of E; NULL when TEXT is NULL. */
const char *tp_experiments_keep(struct tp_experiments *e, const char *text);

/*
 * The value of KEY in the first entry of LIST ("systems", "builds") whose
 * words occur consecutively in TEXT; *AT and *LEN (may be NULL) get their
 * position in TEXT.  NULL when no entry matches.
 */
const char *tp_experiments_word(const struct tp_experiments *e,
    const char *list, const char *key, const char *text, size_t *at,
    size_t *len);

/*
 * Base name of PATH without endings that only tell the file format: its
 * start, and its length in *LEN.
 */
const char *tp_experiment_base(const char *path, size_t *len);

/* The N of STEM_tN, or -1; *LEN gets the length of what precedes it. */
int64_t tp_experiment_threads(const char *stem, size_t *len);

/*
 * Append the LEN bytes at NAME without the words for build and system; equal
 * results mean the same experiment on another side.
 */
void tp_experiment_join_name(const struct tp_experiments *e, const char *name,
    size_t len, struct tp_buf *joined);

/*
 * When there is no table, make records of E from the latencies in the
 * metrics.  0, or -1 with ERR.
 */
int tp_experiments_tell(struct tp_experiments *e, struct tp_err *err);

/* Whether entry S is of a kernel trace, which does not measure latency. */
int tp_experiment_is_trace(const struct tp_experiment_said *s);

/* Whether entry S is about experiment X. */
int tp_experiment_is(const struct tp_experiment *x,
    const struct tp_experiment_said *s);

/*
 * Whether PATH exists, looked for in FOLDER and the folders around it;
 * *BYTES gets its size.  1, 0, or -1 with ERR when that cannot be
 * determined.
 */
int tp_experiment_find(const char *folder, const char *path, int64_t *bytes,
    struct tp_err *err);

/* Write the checks; *FAILED counts those that fail.  0, or -1 with ERR. */
int tp_experiments_check(const struct tp_experiments *e, struct tp_out *out,
    int64_t *failed, struct tp_err *err);

#endif
