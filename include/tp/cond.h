/*
 * cond - what a record must have to be meant
 *
 * CONDITIONS of tp-record(5) is the syntax.  A condition that stands alone
 * ends where its text does; those of a list end at blanks, which they have in
 * brackets and quotes only.  Memory: a copy of what is kept.
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

/* Joined: "<=" is LESS and EQUAL. */
enum { TP_COND_IS, TP_COND_EQUAL, TP_COND_LESS, TP_COND_MORE = 4,
    TP_COND_LIKE = 8 };

struct tp_cond {
	const char *name, *text, *other;	/* text: VALUE; other: NAME of
						 * $NAME, or NULL */
	size_t name_len, len, other_len;
	int op;
	int is_not;
	int is_strict;		/* false, too, when a value is not there */
	int is_number, is_whole;	/* VALUE is x; and n */
	int64_t n;
	double x;		/* of $NAME the factor */
};

/* Conditions that must all hold; a zeroed struct has none. */
struct tp_conds {
	struct tp_cond *list;
	size_t count;
};

/*
 * Parse the LEN bytes at TEXT, one condition, into C, which points into them;
 * the byte behind them can be read.  0, or -1 with ERR set (TP_BAD,
 * "condition.damaged": the text, the column and what is expected there).
 */
int tp_cond_parse(struct tp_cond *c, const char *text, size_t len,
    struct tp_err *err);
/*
 * Whether C holds of A, the value it names, and B, the other; NULL: there is
 * none.  *WRONG, unless NULL, gets why they cannot be compared ("is text,
 * which has no order"), where they cannot.
 */
int tp_cond_holds(const struct tp_cond *c, const struct tp_field *a,
    const struct tp_field *b, const char **wrong);
/* The same of keys of REC; and of all of CONDS. */
int tp_cond_of(const struct tp_cond *c, const struct tp_rec *rec);
int tp_conds_of(const struct tp_conds *conds, const struct tp_rec *rec);

/* Append the condition in the LEN bytes at TEXT to CONDS, in ARENA; its texts
 * end with NULs.  0, or -1 with ERR. */
int tp_conds_add(struct tp_conds *conds, const char *text, size_t len,
    struct tp_arena *arena, struct tp_err *err);
/* The same of the list TEXT. */
int tp_conds_parse(struct tp_conds *conds, const char *text,
    struct tp_arena *arena, struct tp_err *err);
/* The same of FORM, one text or a list of them; NULL: none.  Read as well:
 * {"metric": NAME, "op": OP, "value": VALUE} in a list, and {KEY: VALUE}. */
int tp_conds_json(struct tp_conds *conds, const struct cJSON *form,
    struct tp_arena *arena, struct tp_err *err);
/* The first of STOPS from FROM on that is outside of brackets and quotes, or
 * END. */
const char *tp_cond_scan(const char *from, const char *end,
    const char *stops);
/* The first that was read in a form of before, as it is written now; or "". */
const char *tp_cond_was_old(void);

#endif
