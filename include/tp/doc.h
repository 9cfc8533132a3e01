/*
 * doc - print a nested JSON document
 *
 * For documents in a format that other programs define; everything else is
 * records.  Output is ASCII (other characters as \uXXXX), keys in the order
 * given, indented by two or, with compact, on one line.  Memory: the
 * document, in the caller's buffer.
 */
#ifndef TP_DOC_H
#define TP_DOC_H

#include <stdint.h>

#include <tp/buf.h>

struct cJSON;

struct tp_doc {
	struct tp_buf *buf;
	int depth;
	int filled;		/* the innermost container holds something */
	int compact;		/* all on one line */
};

/*
 * Each value is a member called KEY of the innermost object, or, with KEY
 * NULL, an item of an array or the document itself.
 */
void tp_doc_object(struct tp_doc *doc, const char *key);
void tp_doc_array(struct tp_doc *doc, const char *key);
/* Close the innermost container; CLOSE is '}' or ']'. */
void tp_doc_close(struct tp_doc *doc, char close);
void tp_doc_text(struct tp_doc *doc, const char *key, const char *text);
void tp_doc_int(struct tp_doc *doc, const char *key, int64_t n);
/* TEXT is a number in JSON notation. */
void tp_doc_number(struct tp_doc *doc, const char *key, const char *text);
void tp_doc_bool(struct tp_doc *doc, const char *key, int yes);
/*
 * The shortest decimal that reads back as X, with at least one digit after
 * the point; null when X is not finite.
 */
void tp_doc_float(struct tp_doc *doc, const char *key, double x);
void tp_doc_null(struct tp_doc *doc, const char *key);
/* TEXT as a string, or null when it is NULL or "". */
void tp_doc_maybe(struct tp_doc *doc, const char *key, const char *text);
/* Picoseconds as microseconds. */
void tp_doc_us(struct tp_doc *doc, const char *key, int64_t ps);

/* A parsed value; whole numbers print without a fraction. */
void tp_doc_json(struct tp_doc *doc, const char *key,
    const struct cJSON *value);

#endif
