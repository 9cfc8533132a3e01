/*
 * doc - print a nested JSON document
 *
 * For documents whose form others fixed; everything else is records.
 * Indented by two, ASCII (other characters as \uXXXX), keys in the order
 * given; or compact, on one line.  Memory: the document, in the caller's
 * buffer.
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

/* A value may be a member (KEY) of an object, or an item (NULL) of an array
 * or the document itself. */
void tp_doc_object(struct tp_doc *doc, const char *key);
void tp_doc_array(struct tp_doc *doc, const char *key);
/* Close the innermost; CLOSE is '}' or ']'. */
void tp_doc_close(struct tp_doc *doc, char close);
void tp_doc_text(struct tp_doc *doc, const char *key, const char *text);
void tp_doc_int(struct tp_doc *doc, const char *key, int64_t n);
/* TEXT is a number as JSON has them. */
void tp_doc_number(struct tp_doc *doc, const char *key, const char *text);
void tp_doc_bool(struct tp_doc *doc, const char *key, int yes);
/* With the fewest digits that read back the same, and at least one after the
 * point; not a finite number: null. */
void tp_doc_float(struct tp_doc *doc, const char *key, double x);
void tp_doc_null(struct tp_doc *doc, const char *key);
/* TEXT as a value, or null when it is NULL or "". */
void tp_doc_maybe(struct tp_doc *doc, const char *key, const char *text);
/* Picoseconds as microseconds. */
void tp_doc_us(struct tp_doc *doc, const char *key, int64_t ps);

/* A value that was read; whole numbers are printed as such. */
void tp_doc_json(struct tp_doc *doc, const char *key,
    const struct cJSON *value);

#endif
