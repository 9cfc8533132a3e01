/*
 * cond - conditions that select records
 *
 * The syntax is in tp-record(5), CONDITIONS.  A single condition extends to
 * the end of its text.  In a list, blanks separate conditions; a condition
 * may hold blanks only inside brackets and quotes.  Memory: a copy of each
 * condition kept.
 */
#ifndef TP_COND_H
#define TP_COND_H

#include <stddef.h>
#include <stdint.h>

#include <tp/alloc.h>
#include <tp/err.h>

struct cJSON;
struct tp_field;
struct tp_rec;

/* Bits: "<=" is LESS | EQUAL. */
enum { TP_COND_IS, TP_COND_EQUAL, TP_COND_LESS, TP_COND_MORE = 4,
    TP_COND_LIKE = 8 };

struct tp_cond {
	const char *name, *text, *other;	/* text: VALUE; other: NAME of
						 * $NAME, or NULL */
	size_t name_len, len, other_len;
	int op;
	int is_not;
	int is_strict;		/* also false when a value is missing */
	int is_number, is_whole;	/* VALUE is a number, in x; whole: also
					 * in n */
	int64_t n;
	double x;		/* with $NAME: the factor */
};

/* Conditions that must all hold.  A zeroed struct has none and always holds. */
struct tp_conds {
	struct tp_cond *list;
	size_t count;
};

/*
 * Parse one condition, the LEN bytes at TEXT, into C, which points into
 * TEXT; TEXT[LEN] must be readable.  0, or -1 with ERR (TP_BAD
 * "condition.damaged", naming the text, the column and what is expected
 * there).
 */
int tp_cond_parse(struct tp_cond *c, const char *text, size_t len,
    struct tp_err *err);
/*
 * Whether C holds.  A is the field it names, B the field of $NAME; NULL:
 * missing.  When the two cannot be compared, *WRONG (unless NULL) gets the
 * reason ("is text, which has no order").
 */
int tp_cond_holds(const struct tp_cond *c, const struct tp_field *a,
    const struct tp_field *b, const char **wrong);
/* Whether C, or all of CONDS, hold for the keys of REC. */
int tp_cond_of(const struct tp_cond *c, const struct tp_rec *rec);
int tp_conds_of(const struct tp_conds *conds, const struct tp_rec *rec);

/*
 * Append the condition in the LEN bytes at TEXT to CONDS.  Its strings are
 * copied into ARENA and NUL-terminated.  0, or -1 with ERR.
 */
int tp_conds_add(struct tp_conds *conds, const char *text, size_t len,
    struct tp_arena *arena, struct tp_err *err);
/* As tp_conds_add(), for every condition of the list TEXT. */
int tp_conds_parse(struct tp_conds *conds, const char *text,
    struct tp_arena *arena, struct tp_err *err);
/*
 * As tp_conds_add(), for FORM: a string, an array of strings, or NULL for
 * none.  An array may also hold {"metric": NAME, "op": OP, "value": VALUE}
 * and {KEY: VALUE}.
 */
int tp_conds_json(struct tp_conds *conds, const struct cJSON *form,
    struct tp_arena *arena, struct tp_err *err);
/*
 * The first character of STOPS in FROM..END outside brackets and quotes, or
 * END.
 */
const char *tp_cond_scan(const char *from, const char *end,
    const char *stops);
/*
 * The first condition read so far in an outdated form, rewritten in today's
 * form; or "".
 */
const char *tp_cond_was_old(void);

#endif
