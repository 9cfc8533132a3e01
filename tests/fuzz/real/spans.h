/*
 * spans - the parts of a capture that a mutation may change
 *
 * A capture of any form is cut into spans: values of JSON, elements and
 * attributes of XML, cells of a table, fields of protocol buffers, fields of
 * pages of SQLite, words of a FlatBuffer.  What changes them need not know
 * the form.  Memory: 64 bytes a span.
 */
#ifndef SPANS_H
#define SPANS_H

#include <stddef.h>
#include <stdint.h>

enum form {
	FORM_TEXT,		/* also Markdown, logs, folded stacks */
	FORM_RECORDS,		/* a JSON object a line */
	FORM_EVENTS,		/* JSON with trace events */
	FORM_JSON,		/* any other document */
	FORM_XML,
	FORM_TABLE,		/* CSV or TSV */
	FORM_PROTO,
	FORM_DATABASE,
	FORM_FLAT,
	FORMS
};

#define NO_SPAN ((size_t)-1)

struct span {
	size_t at, end;		/* the value */
	size_t from;		/* where its key or tag begins */
	size_t up;		/* index of the span around it, or NO_SPAN */
	size_t size_at;		/* of a message: where its length stands */
	uint64_t group;		/* of the same key, column or path */
	char type;		/* 'c' with others inside, 'v' value, 'k' key,
				   'n' varint, 'b' bytes of a fixed size */
};

struct spans {
	struct span *v;
	size_t count, cap;
};

/* A word for each form, for tables. */
extern const char *const form_names[FORMS];

/* The form of the LEN bytes at P, which are not packed. */
enum form form_of(const char *p, size_t len);

/* Cut the LEN bytes at P, of FORM, into spans, in order of their place. */
void spans_find(struct spans *s, enum form form, const char *p, size_t len);

/* A varint at P, of END bytes; its length, or 0. */
size_t varint_read(const char *p, size_t at, size_t end, uint64_t *value);
size_t varint_write(char out[10], uint64_t value);

#endif
