/*
 * words - what share/pictures says of records
 *
 * A picture's JSON names records ("records", a selector) and says in templates
 * what they are called.  Memory: the texts, in the caller's arena.
 */
#ifndef TP_DRAW_WORDS_H
#define TP_DRAW_WORDS_H

#include <tp/alloc.h>
#include <tp/err.h>
#include <tp/records.h>

struct cJSON;

/* Append member KEY of SPEC, a template or a list of its parts, filled in from
 * REC (may be NULL) and SET, in one line; nothing when SPEC has none.  0 or -1
 * with ERR. */
int tp_words_line(struct tp_buf *buf, const struct cJSON *spec,
    const char *key, const struct tp_set *set, const struct tp_rec *rec,
    struct tp_err *err);
/* That as a text of ARENA: "" when it says nothing, NULL with ERR. */
const char *tp_words(struct tp_arena *arena, const struct cJSON *spec,
    const char *key, const struct tp_set *set, const struct tp_rec *rec,
    struct tp_err *err);

/* The number of the first of KEYS, a list of names, that REC has a value for,
 * from 0 to TP_SCALE_FAR; it goes to *N.  -1 when it has none. */
int tp_words_value(const struct tp_rec *rec, const struct cJSON *keys,
    int64_t *n);

/* The next record at or after *AT that SPEC is about, or NULL. */
const struct tp_rec *tp_words_next(const struct cJSON *spec,
    const struct tp_set *set, size_t *at);
/* Whether SET has records of more than one trace that SPEC is about. */
int tp_words_many(const struct cJSON *spec, const struct tp_set *set);
/* The first of LIST, specs, that SET has records for, or NULL. */
const struct cJSON *tp_words_first(const struct cJSON *list,
    const struct tp_set *set);

#endif
