/*
 * words - the texts of a picture, from templates in share/pictures
 *
 * A picture's JSON selects records ("records", a selector) and holds
 * templates for their labels.  Memory: the texts, in the caller's arena.
 */
#ifndef TP_DRAW_WORDS_H
#define TP_DRAW_WORDS_H

#include <tp/alloc.h>
#include <tp/err.h>
#include <tp/records.h>

struct cJSON;

/*
 * Append member KEY of SPEC, a template or a list of its parts, filled in
 * from REC (may be NULL) and SET, as one line; nothing when SPEC has no KEY.
 * 0, or -1 with ERR.
 */
int tp_words_line(struct tp_buf *buf, const struct cJSON *spec,
    const char *key, const struct tp_set *set, const struct tp_rec *rec,
    struct tp_err *err);
/* As tp_words_line(), into ARENA: "" when it is empty, NULL with ERR. */
const char *tp_words(struct tp_arena *arena, const struct cJSON *spec,
    const char *key, const struct tp_set *set, const struct tp_rec *rec,
    struct tp_err *err);

/*
 * Set *N to the value (0 to TP_SCALE_FAR) of the first of KEYS, a list of
 * names, that REC has.  Returns its index in KEYS, or -1 when REC has none.
 */
int tp_words_value(const struct tp_rec *rec, const struct cJSON *keys,
    int64_t *n);

/* The next record that SPEC selects at or after index *AT, or NULL. */
const struct tp_rec *tp_words_next(const struct cJSON *spec,
    const struct tp_set *set, size_t *at);
/* Whether SPEC selects records of more than one trace in SET. */
int tp_words_many(const struct cJSON *spec, const struct tp_set *set);
/* The first spec of LIST that selects records in SET, or NULL. */
const struct cJSON *tp_words_first(const struct cJSON *list,
    const struct tp_set *set);

#endif
