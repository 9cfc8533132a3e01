/*
 * redact - find what does not belong in public in a trace, and replace it
 *
 * A text is taken apart into what it says: strings of JSON, attributes and
 * text of XML, cells of CSV, lines, texts of an xplane.pb.  Each of these is
 * looked through for tokens, names and addresses, behind its escapes; what a
 * key says of a value counts, too.  What is found gets a word of [a-z0-9-], the
 * same for the same value.  Names that are told once are then names everywhere,
 * so a text is read twice: first to learn, then to write.  How things are found
 * is share/redact.json.
 *
 * Memory: the distinct values found, and the longest string, cell or line, or
 * twice the largest plane, which tp_limits.line_bytes bounds.
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

/* How many distinct values of WHAT were replaced, in how many places. */
struct tp_redact_tally {
	uint64_t values, places;
};

/* With the data loaded; NULL with ERR. */
struct tp_redact *tp_redact_open(struct tp_err *err);
void tp_redact_close(struct tp_redact *r);

/*
 * Begin to read a text of FORMAT: 0, or -1 with ERR (TP_BAD) for a format
 * that cannot be redacted.  WRITE, called with ARG, gets the bytes that are
 * to be written; NULL: the names are learnt.
 */
int tp_redact_begin(struct tp_redact *r, enum tp_format format,
    void (*write)(void *arg, const char *bytes, size_t len), void *arg,
    struct tp_err *err);
/* The next LEN BYTES; 0, or -1 with ERR. */
int tp_redact_add(struct tp_redact *r, const char *bytes, size_t len,
    struct tp_err *err);
/* The end of the text; 0, or -1 with ERR. */
int tp_redact_end(struct tp_redact *r, struct tp_err *err);

/* Whether something was left out of what was written: what of an xplane.pb is
 * damaged, cut off, or compressed. */
int tp_redact_is_lossy(const struct tp_redact *r);

/* After a text: whether to learn from it once more, as a name that it told of
 * late tells of others ("alice@box7"). */
int tp_redact_again(struct tp_redact *r);

/* Of the text that was written last. */
struct tp_redact_tally tp_redact_tally(const struct tp_redact *r,
    enum tp_redact_what what);
/* "user name", "token": what is counted, in words. */
const char *tp_redact_word(enum tp_redact_what what);

/*
 * The first secret of the text - a token, a password, a private key, no name:
 * what it is ("a GitHub token"), in which LINE, from 1 (0: beyond the first
 * MiB, or there are none), and under which KEY, "" where there is none.  How
 * many places there are, or 0.
 */
uint64_t tp_redact_secret(const struct tp_redact *r, const char **what,
    uint64_t *line, const char **key);

#endif
