/* redact_parts - what the parts of redact share */
#ifndef TP_REDACT_REDACT_PARTS_H
#define TP_REDACT_REDACT_PARTS_H

#include <limits.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/hash.h>
#include <tp/redact.h>

/* What a key implies for its value, besides enum tp_redact_what. */
enum {
	KEY_WEAK = TP_REDACT_COUNT,	/* a token, if it looks like one */
	KEY_UNAME, KEY_UNAME_HOST, KEY_VERSION,
	KEY_VARIABLE		/* NAME=VALUE of an environment */
};

/* Escaping of a text. */
enum tp_escape { ESCAPE_NONE, ESCAPE_JSON, ESCAPE_XML, ESCAPE_CSV };

enum { SET_BYTES = UCHAR_MAX + 1, NAME_LEAST = 3, NAME_MOST = 255,
	KEY_MOST = 80 };

struct tp_redact_pattern {
	const char *what, *start;
	size_t start_len, least;
	unsigned char in[SET_BYTES], needs[SET_BYTES];
	int has_needs;
	const struct tp_redact_pattern *next;	/* with the same first byte */
};

struct tp_redact_element {
	const char *element, *attribute;
	int is;
};

/* A value found, in the order of tp_redact.values. */
struct tp_redact_value {
	enum tp_redact_what what;
	uint32_t number;
	ptrdiff_t same;		/* value whose replacement it shares, or
				 * itself */
	uint64_t places;
};

struct tp_redact_edit {
	size_t from, to;	/* in the original text */
	size_t value;
};

struct tp_redact {
	struct tp_arena arena;
	struct tp_redact_pattern *patterns;
	const struct tp_redact_pattern *by_first[SET_BYTES];
	struct tp_redact_element *elements;
	size_t element_count;
	struct tp_names keys;		/* by name; their classes are: */
	unsigned char key_is[256];
	struct tp_names secrets, weak, secrets_not, text_keys, text_names,
	    kept, accounts, endings, addresses, homes, nothing;

	/* Whether a match may begin or occur at two adjacent bytes. */
	unsigned char pair[SET_BYTES * SET_BYTES / 8];

	struct tp_names values;		/* a byte for the type, and the value */
	struct tp_redact_value *value;
	size_t value_cap;
	uint32_t numbers[TP_REDACT_COUNT];
	/*
	 * Names replaced wherever they occur as words: their text, the value of
	 * each, and which lengths occur.
	 */
	struct tp_names words;
	uint32_t *word_value;
	size_t word_cap;
	unsigned char lengths[NAME_MOST + 1];
	size_t length_most;

	/* The text being read. */
	enum tp_format format;
	void (*write)(void *arg, const char *bytes, size_t len);
	void *arg;
	struct tp_buf in;
	size_t want;			/* bytes needed before parsing can
					 * continue */
	const char *base;		/* start of what is not written yet */
	uint64_t line;			/* line where the buffer begins; 0: too
					 * far to count */
	size_t line_bytes;
	const char *unit;		/* the string being searched */
	struct tp_redact_edit *edits;
	size_t edit_count, edit_cap;
	struct tp_buf plain[3];		/* a string after unescaping */
	size_t plain_len;		/* of the first */
	size_t *from[3];		/* original position of each byte */
	size_t from_cap[3];
	int is_first;
	int is_lossy;			/* something was dropped, */
	int is_over;			/* and so is everything that follows */
	int in_pem;			/* inside a multi-line private key */
	size_t pem;			/* its value */
	size_t known;			/* number of words at the last check */
	uint64_t doubts;		/* USER@HOST with neither known */

	/* Position in the structure. */
	int key_class;			/* class of the current key */
	char key[KEY_MOST + 1];
	int pending;			/* the last value named a secret, so the
					 * next one is it */
	int inside;			/* class of the enclosing object or
					 * list */
	uint64_t depth, inside_depth;
	char element[KEY_MOST + 1], attribute[KEY_MOST + 1];
	int is_kept;			/* the tag names a variable that is
					 * kept */
	unsigned char *columns;		/* classes, from the first row */
	size_t column, column_count, column_cap;
	int row_first;
	char separator;

	uint64_t secret_places;
	const char *secret_what;
	uint64_t secret_line;
	char secret_key[KEY_MOST + 1];

	/* Cache of key classes. */
	struct tp_redact_key {
		size_t len;
		unsigned char is, known;
		char text[KEY_MOST];
	} recent[512];
};

int tp_redact_load(struct tp_redact *r, struct tp_err *err);
/* Class of the value under a key of LEN bytes. */
int tp_redact_key(struct tp_redact *r, const char *key, size_t len);
/* Whether it looks like the name of an environment variable. */
int tp_redact_is_variable(const char *name, size_t len);
/* Whether the value of environment variable NAME is kept. */
int tp_redact_is_kept(const struct tp_redact *r, const char *name,
    size_t len);

/*
 * Search the LEN bytes at P, escaped as ESCAPE says; unless WHOLE is none, the
 * whole text is one value of that type.  Write everything before it, and the
 * text with replacements.
 */
void tp_redact_text(struct tp_redact *r, const char *p, size_t len,
    enum tp_escape escape, int whole);
/* Write everything up to P. */
void tp_redact_copy(struct tp_redact *r, const char *p);

/*
 * Parse LEN bytes at P, the rest of the input when LAST.  Returns how many
 * were used.
 */
size_t tp_redact_json(struct tp_redact *r, const char *p, size_t len,
    int last);
size_t tp_redact_xml(struct tp_redact *r, const char *p, size_t len,
    int last);
size_t tp_redact_rows(struct tp_redact *r, const char *p, size_t len,
    int last);
size_t tp_redact_space(struct tp_redact *r, const char *p, size_t len,
    int last);
/* A member KEY begins: the type of its whole value. */
int tp_redact_member(struct tp_redact *r, const char *key, size_t len);

static inline int
tp_redact_has(const struct tp_names *names, const char *p, size_t len)
{
	return tp_names_find(names, p, len) >= 0;
}

#endif
