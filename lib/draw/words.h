/*
 * words - the records of a picture, and texts from templates
 *
 * A picture's JSON selects records ("records", a selector) and holds
 * templates for their labels.  Errors stick: after the first there are no
 * more records, texts are "", and tp_draw() fails.
 *
 * Memory: the texts, until the picture is drawn.
 */
#ifndef TP_DRAW_WORDS_H
#define TP_DRAW_WORDS_H

#include <tp/alloc.h>
#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>

struct cJSON;

struct tp_words {
	const struct cJSON *picture;
	const struct tp_set *set;
	struct tp_err *err;
	int failed;			/* ERR is set */
	struct tp_arena arena;
	const struct cJSON *spec;	/* part of the picture that is read */
	const struct tp_rec *rec;	/* of its records; NULL: none */
	size_t at;			/* index of the next in SET */
	const char *src;		/* the trace of tp_words_other() */
	struct tp_names traces;		/* by tp_words_panel() */
};

/* Begin with the records that SPEC (may be NULL) selects. */
void tp_words_begin(struct tp_words *w, const struct cJSON *spec);
/*
 * Begin with the first spec in the list KEY of the picture that selects
 * records.  Returns whether there is one.
 */
int tp_words_first(struct tp_words *w, const char *key);
/* Go to the next record.  Returns whether there is one. */
int tp_words_next(struct tp_words *w);
/* Whether the records are of more than one trace. */
int tp_words_many(const struct tp_words *w);

/*
 * Member KEY of the spec, a template or a list of its parts, filled in from
 * the record and the set, as one line; "" when there is no KEY.
 */
const char *tp_words(struct tp_words *w, const char *key);
/* As tp_words(), of SPEC instead. */
const char *tp_words_of(struct tp_words *w, const struct cJSON *spec,
    const char *key);
/* The text in B, kept as long as W; empties B. */
const char *tp_words_keep(struct tp_words *w, struct tp_buf *b);
/* The colour that member KEY of SPEC names; NULL if there is none. */
const char *tp_words_colour(const struct cJSON *spec, const char *key);

/*
 * The value (0 to TP_SCALE_FAR) of the field that member KEY of the spec
 * names; -1 if the record has none.
 */
int64_t tp_words_amount(const struct tp_words *w, const char *key);
/* Whether the field that member KEY of the spec names is true. */
int tp_words_is(const struct tp_words *w, const char *key);
/*
 * Set *N to the value (0 to TP_SCALE_FAR) of the first of KEYS, a list of
 * names, that the record has.  Returns its index in KEYS, or -1 when it has
 * none.
 */
int tp_words_value(const struct tp_words *w, const struct cJSON *keys,
    int64_t *n);
/* The panel of the record's trace: panels are in order of arrival. */
size_t tp_words_panel(struct tp_words *w);
/*
 * Whether the record is of another trace than the first record that this was
 * called for since tp_words_begin().
 */
int tp_words_other(struct tp_words *w);
/* How many of NAMES, such as traces, are beyond the first COUNT. */
size_t tp_words_left(const struct tp_names *names, size_t count);

/* Fail: the picture is damaged, because of WHY.  Returns 0. */
int tp_words_fail(struct tp_words *w, const char *why);

/*
 * Append member KEY of SPEC to BUF, as tp_words(), filled in from REC (may be
 * NULL).  0, or -1 with ERR.
 */
int tp_words_line(struct tp_buf *buf, const struct cJSON *spec,
    const char *key, const struct tp_set *set, const struct tp_rec *rec,
    struct tp_err *err);

#endif
