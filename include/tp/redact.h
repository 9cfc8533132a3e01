/*
 * redact - find private data in a trace and replace it
 *
 * A text is split into its values: JSON strings, attributes and text of XML,
 * cells of CSV, lines, strings of an xplane.pb.  Each value is unescaped and
 * searched for tokens, names and addresses; its key counts as evidence too.
 * A match is replaced by a word of [a-z0-9-], always the same for the same
 * value.  A name found in one place is replaced everywhere, so a text is
 * read twice: first to learn names, then to write.  share/redact.json says
 * what is searched for.
 *
 * Memory: the distinct values found, and the longest string, cell or line,
 * or twice the largest plane, which tp_limits.line_bytes bounds.
 */
#ifndef TP_REDACT_H
#define TP_REDACT_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/in.h>

struct tp_redact;

enum tp_redact_what {
	TP_REDACT_NONE, TP_REDACT_TOKEN, TP_REDACT_SECRET, TP_REDACT_PEM,
	TP_REDACT_USER, TP_REDACT_HOST, TP_REDACT_EMAIL, TP_REDACT_ADDRESS,
	TP_REDACT_DEVICE, TP_REDACT_ENV, TP_REDACT_PROMPT, TP_REDACT_ARGUMENT,
	TP_REDACT_COUNT
};

/* How many distinct values were replaced, and in how many places. */
struct tp_redact_tally {
	uint64_t values, places;
};

/* Load the data.  NULL with ERR. */
struct tp_redact *tp_redact_open(struct tp_err *err);
void tp_redact_close(struct tp_redact *r);

/*
 * Begin to read a text of FORMAT.  WRITE, called with ARG, gets the redacted
 * bytes; NULL: this pass only learns names.  0, or -1 with ERR (TP_BAD) for
 * a format that cannot be redacted.
 */
int tp_redact_begin(struct tp_redact *r, enum tp_format format,
    void (*write)(void *arg, const char *bytes, size_t len), void *arg,
    struct tp_err *err);
/* Read the next LEN BYTES.  0, or -1 with ERR. */
int tp_redact_add(struct tp_redact *r, const char *bytes, size_t len,
    struct tp_err *err);
/* End the text. */
void tp_redact_end(struct tp_redact *r);

/*
 * Whether anything was dropped from the output: damaged, truncated or
 * compressed parts of an xplane.pb.
 */
int tp_redact_is_lossy(const struct tp_redact *r);

/*
 * After a learning pass: whether another one is needed, because a name
 * learnt late reveals others ("alice@box7").
 */
int tp_redact_again(struct tp_redact *r);

/* Counts of the text written last. */
struct tp_redact_tally tp_redact_tally(const struct tp_redact *r,
    enum tp_redact_what what);
/* What is counted, in words: "user name", "token". */
const char *tp_redact_word(enum tp_redact_what what);

/*
 * The first secret of the text (a token, password or private key; not a
 * name): *WHAT it is ("a GitHub token"), its *LINE from 1 (0: beyond the
 * first MiB, or the format has no lines), and its *KEY, "" without one.
 * Returns the number of places, or 0.
 */
uint64_t tp_redact_secret(const struct tp_redact *r, const char **what,
    uint64_t *line, const char **key);

#endif
