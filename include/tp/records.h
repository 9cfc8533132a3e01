/*
 * records - the record stream: one flat JSON object per line
 *
 * Writing: a struct tp_out prints records exactly (integers as integers,
 * doubles with the fewest digits that read back the same).  Reading: a
 * struct tp_rec is one parsed line, a struct tp_set all records of a stream
 * in order.  Numbers keep their text, so nothing is rounded on the way.
 * tp-record(5) defines records.
 */
#ifndef TP_RECORDS_H
#define TP_RECORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>

struct tp_names;

/*
 * A writer to a descriptor.  Memory: one block of 256 KiB and the longest
 * record.  Write errors stick; tp_out_flush() reports them.
 */
struct tp_out {
	int fd;			/* -1: keep everything in buf, which may be
				 * read */
	int error;		/* errno of the first failed write, or 0 */
	struct tp_buf buf;
	const char *src;	/* borrowed; printed after "kind", NULL: none */
	const char *only;	/* selectors (tp_only_has) of the records to
				 * write; NULL: all */
	size_t record_at;	/* where the current record starts in buf */
	uint64_t bytes;		/* handed to the descriptor so far */
	uint64_t replaced;	/* invalid UTF-8 sequences replaced */
	int exact;		/* tp_out_ps() also writes picoseconds */
	/*
	 * Unless NULL, called with STARTS_ARG before the first bytes go to the
	 * descriptor.
	 */
	void (*starts)(void *arg);
	void *starts_arg;
};

void tp_out_init(struct tp_out *out, int fd);
/* Start a record of KIND with the current src. */
void tp_out_begin(struct tp_out *out, const char *kind);
/*
 * Implementations of the inline functions below, with the length of KEY,
 * which the compiler computes for literals.
 */
void tp_out_key_bytes(struct tp_out *out, const char *key, size_t key_len,
    const char *text, size_t len);
void tp_out_key_int(struct tp_out *out, const char *key, size_t key_len,
    int64_t n);
void tp_out_key_id(struct tp_out *out, const char *key, size_t key_len,
    uint64_t id);

/* A string of LEN bytes; invalid UTF-8 becomes U+FFFD. */
static inline void
tp_out_bytes(struct tp_out *out, const char *key, const char *text,
    size_t len)
{
	tp_out_key_bytes(out, key, strlen(key), text, len);
}

/* A NUL-terminated string; left out when TEXT is NULL. */
static inline void
tp_out_text(struct tp_out *out, const char *key, const char *text)
{
	if (text)
		tp_out_bytes(out, key, text, strlen(text));
}

static inline void
tp_out_int(struct tp_out *out, const char *key, int64_t n)
{
	tp_out_key_int(out, key, strlen(key), n);
}

/* As tp_out_int(); left out when N is negative. */
static inline void
tp_out_known(struct tp_out *out, const char *key, int64_t n)
{
	if (n >= 0)
		tp_out_int(out, key, n);
}

/* Picoseconds as nanoseconds, rounded half to even. */
int64_t tp_ps_to_ns(int64_t ps);
/* A + B, saturated at the limits of int64_t. */
static inline int64_t
tp_plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/*
 * PS picoseconds as KEY, which ends in "_ns", rounded half to even; with
 * out->exact also as KEY_ps.
 */
void tp_out_ps(struct tp_out *out, const char *key, int64_t ps);
/* PS, a mean or an interpolated quantile, as KEY, which ends in "_ns". */
void tp_out_real_ps(struct tp_out *out, const char *key, double ps);
/* A 64-bit identifier, as a decimal string. */
static inline void
tp_out_id(struct tp_out *out, const char *key, uint64_t id)
{
	tp_out_key_id(out, key, strlen(key), id);
}

/* NUM / DEN as a double; the key is left out when DEN is 0. */
void tp_out_ratio(struct tp_out *out, const char *key, int64_t num,
    int64_t den);
/* A double; left out when it is not finite. */
void tp_out_real(struct tp_out *out, const char *key, double x);
/*
 * SECONDS since 1970 as "2025-11-10T12:21:35Z"; left out when it is no valid
 * date.
 */
void tp_out_date(struct tp_out *out, const char *key, double seconds);
void tp_out_bool(struct tp_out *out, const char *key, int yes);
void tp_out_end(struct tp_out *out);
/* A "note" record: CODE, the text, COUNT, and the STATUS it stands for. */
void tp_out_note(struct tp_out *out, const char *code, int status,
    uint64_t count, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Bytes that already form a line of the stream (or a document). */
void tp_out_raw(struct tp_out *out, const char *bytes, size_t len);
/* Write what is buffered.  0, or -1 with ERR. */
int tp_out_flush(struct tp_out *out, struct tp_err *err);
void tp_out_release(struct tp_out *out);

/*
 * Append the LEN bytes at TEXT as the body of a JSON string (without
 * quotes), as tp_out_bytes() prints it.  Returns the number of invalid UTF-8
 * sequences.
 */
size_t tp_json_escape(struct tp_buf *buf, const char *text, size_t len);
/* Append the shortest decimal (15 to 17 digits) that reads back as X. */
void tp_json_real(struct tp_buf *buf, double x);

enum tp_field_type {
	TP_FIELD_NULL, TP_FIELD_BOOL, TP_FIELD_INT, TP_FIELD_REAL,
	TP_FIELD_TEXT
};

struct tp_field {
	const char *key;	/* NUL-terminated */
	const char *text;	/* NUL-terminated: the unescaped string, or
				 * the number as it was written */
	size_t len;
	enum tp_field_type type;
	int64_t n;		/* TP_FIELD_INT, TP_FIELD_BOOL; else 0 */
	double x;		/* any number, as a double */
};

/* More fields than any record has; a larger object is damaged. */
#define TP_REC_MAX 256

struct tp_rec {
	const char *kind;	/* value of "kind" */
	const char *src;	/* value of "src", or "" */
	struct tp_field *fields;	/* in the order of the line, kind
					 * and src among them */
	size_t count;
};

/*
 * Parse one line (without its LF) into REC; text and fields are copied into
 * ARENA.  Returns 0, or -1 with ERR set (TP_BAD "record.damaged": not a flat
 * JSON object with a "kind").
 */
int tp_rec_parse(struct tp_rec *rec, const char *line, size_t len,
    struct tp_arena *arena, struct tp_err *err);

/* As tp_rec_parse(), for any flat JSON object; kind and src are not set. */
int tp_rec_object(struct tp_rec *rec, const char *text, size_t len,
    struct tp_arena *arena, struct tp_err *err);

/* Field KEY of REC, or NULL.  Linear: records are short. */
const struct tp_field *tp_rec_field(const struct tp_rec *rec,
    const char *key);
/* Text of KEY, or NULL when absent or not a string. */
const char *tp_rec_text(const struct tp_rec *rec, const char *key);
/* Integer KEY into *N; 1 when there is one, else 0 and *N untouched. */
int tp_rec_int(const struct tp_rec *rec, const char *key, int64_t *n);
/* KEY as a double in *X when it is any number; 1, or 0 and *X untouched. */
int tp_rec_real(const struct tp_rec *rec, const char *key, double *x);

/*
 * Linked lists of records that share a name, such as a kind: for each name
 * the index of its first and last record, and for each record the next;
 * UINT32_MAX: none.  A zeroed struct is empty.  Memory: 4 bytes a record.
 */
struct tp_set_chains {
	struct tp_names names;
	uint32_t *first, *last, *next;
	size_t first_cap, last_cap, next_cap;
};

/*
 * Append record AT, which must follow all earlier ones, to the list of NAME
 * (LEN bytes).
 */
void tp_set_chain(struct tp_set_chains *chains, const char *name, size_t len,
    size_t at);
void tp_set_chains_release(struct tp_set_chains *chains);

/*
 * All records of one or more streams, in order.  A zeroed struct is an empty
 * set.  Memory: about three times the bytes of the stream.
 */
struct tp_set {
	struct tp_rec *recs;
	size_t count, cap;
	struct tp_arena arena;
	struct tp_set_chains kinds, srcs;
};

/* Parse LINE and append it.  0, or -1 with ERR as tp_rec_parse(). */
int tp_set_add(struct tp_set *set, const char *line, size_t len,
    struct tp_err *err);
/*
 * Append all records that OUT, which has no descriptor, holds, and empty
 * OUT.  0, or -1 with ERR.
 */
int tp_set_take(struct tp_set *set, struct tp_out *out, struct tp_err *err);
void tp_set_release(struct tp_set *set);
/* Append REC without copying its fields. */
void tp_set_push(struct tp_set *set, const struct tp_rec *rec);
/*
 * Put the records of SET that CHAINS lists under NAME (LEN bytes) or under "",
 * in order, into VIEW, an empty set.
 */
void tp_set_chained(const struct tp_set *set,
    const struct tp_set_chains *chains, const char *name, size_t len,
    struct tp_set *view);
/*
 * As tp_set_chained(), for records of trace SRC and records without src; SRC
 * NULL: all.
 */
void tp_set_of(const struct tp_set *set, const char *src, struct tp_set *view);
/*
 * Truncate SET to its first COUNT records, which the caller rearranged, and
 * rebuild its chains.
 */
void tp_set_cut(struct tp_set *set, size_t count);
/* Add the kinds in SET to KINDS. */
void tp_set_kinds(const struct tp_set *set, struct tp_names *kinds);
/*
 * Add KIND[VALUE] to PARTS for every VALUE that tp_rec_choice() gives for
 * records of KIND (LEN bytes).
 */
void tp_set_parts(const struct tp_set *set, const char *kind, size_t len,
    struct tp_names *parts);

/*
 * Whether SELECTOR (LEN bytes) names REC.  A selector is a kind, or
 * KIND[VALUE], where VALUE is the text of one of REC's keys "scope",
 * "series", "category", "section", "role", "bucket", "cause", "order",
 * "state", "channel", "code", "family", "basis", "class", "part",
 * "standing", "pattern" or "op", or a condition with an operator
 * (tp/cond.h).  Brackets may be repeated: KIND[a][key=b].
 */
int tp_rec_is(const struct tp_rec *rec, const char *selector, size_t len);
/* Whether any of ONLY, selectors separated by commas, names REC. */
int tp_only_has(const char *only, const struct tp_rec *rec);
/*
 * Next selector of *ONLY: *LEN bytes at *FROM; moves *ONLY past it.  1, or 0
 * at the end.
 */
int tp_only_next(const char **only, const char **from, size_t *len);
/*
 * Next text of REC that may stand in brackets, as tp_rec_is() lists the
 * keys, "op" excepted: it has too many values to offer.  Searches from index
 * *AT and moves it past the hit; NULL when there is none.
 */
const struct tp_field *tp_rec_choice(const struct tp_rec *rec, size_t *at);
/*
 * First record named by SELECTOR at or after index *AT, which moves past the
 * hit; NULL when there is none.
 */
const struct tp_rec *tp_set_next(const struct tp_set *set,
    const char *selector, size_t *at);
/* As tp_set_next(), of trace SRC unless that is NULL. */
const struct tp_rec *tp_set_next_of(const struct tp_set *set,
    const char *selector, const char *src, size_t *at);
/* Number of records named by SELECTOR. */
size_t tp_set_count(const struct tp_set *set, const char *selector);
/* As tp_set_next(), for a selector of LEN bytes. */
const struct tp_rec *tp_set_next_part(const struct tp_set *set,
    const char *selector, size_t len, size_t *at);

#endif
