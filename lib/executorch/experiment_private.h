/* experiment_private - what the parts of experiment share; not installed */
#ifndef TP_EXECUTORCH_EXPERIMENT_PRIVATE_H
#define TP_EXECUTORCH_EXPERIMENT_PRIVATE_H

#include <tp/executorch/experiment.h>

extern const char *const tp_run_document_names[TP_RUN_DOCUMENTS];

/* A copy of TEXT in the arena of E; NULL of NULL, or without memory. */
const char *tp_experiments_keep(struct tp_experiments *e, const char *text);

/*
 * The first entry of LIST ("systems", "builds") with words that stand in TEXT
 * one after the other: what its KEY says, and in *AT and *LEN (may be NULL)
 * where in TEXT they are; NULL when none does.
 */
const char *tp_experiments_word(const struct tp_experiments *e,
    const char *list, const char *key, const char *text, size_t *at,
    size_t *len);

/* Base name of PATH without what only says how it is stored: where it starts,
 * and its length in *LEN. */
const char *tp_experiment_base(const char *path, size_t *len);

/* The N in STEM_tN, -1 where it has none, and the length of what is before
 * it. */
int64_t tp_experiment_threads(const char *stem, size_t *len);

/* Append the LEN bytes at NAME without what says the build and the system: such
 * names are of one experiment elsewhere.  0, or -1 without memory. */
int tp_experiment_join_name(const struct tp_experiments *e, const char *name,
    size_t len, struct tp_buf *joined);

/* Where no table tells of an experiment: the latencies that metrics tell, as
 * records of E.  0, or -1 with ERR. */
int tp_experiments_tell(struct tp_experiments *e, struct tp_err *err);

/* Whether what S says is of X. */
int tp_experiment_is(const struct tp_experiment *x,
    const struct tp_experiment_said *s);

/* Whether PATH is there, looked for in FOLDER and those around it; its size
 * in *BYTES.  1, 0, or -1 with ERR when that cannot be told. */
int tp_experiment_find(const char *folder, const char *path, int64_t *bytes,
    struct tp_err *err);

/* Write the checks; *FAILED counts, 0 or -1 with ERR. */
int tp_experiments_check(const struct tp_experiments *e, struct tp_out *out,
    int64_t *failed, struct tp_err *err);

#endif
