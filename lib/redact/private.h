/* private - what the parts of redact share */
#ifndef TP_REDACT_PRIVATE_H
#define TP_REDACT_PRIVATE_H

#include <limits.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/hash.h>
#include <tp/redact.h>

/* What a key says of its value, beside enum tp_redact_what. */
enum {
	KEY_WEAK = TP_REDACT_COUNT,	/* a token, where it looks like one */
	KEY_UNAME, KEY_UNAME_HOST, KEY_VERSION,
	KEY_VARIABLE		/* NAME=VALUE of an environment */
};

/* How characters hide in a text. */
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

/* A value that was found, in the order of tp_redact.values. */
struct tp_redact_value {
	enum tp_redact_what what;
	uint32_t number;
	ptrdiff_t same;		/* the value whose word it gets, or itself */
	uint64_t places;
	int everywhere;
};

struct tp_redact_edit {
	size_t from, to;	/* in the text as it came */
	size_t value;
};

struct tp_redact {
	struct tp_arena arena;
	struct tp_redact_pattern *patterns;
	const struct tp_redact_pattern *by_first[SET_BYTES];
	struct tp_redact_element *elements;
	size_t element_count;
	struct tp_names keys;		/* by name; what they say: */
	unsigned char key_is[256];
	struct tp_names secrets, weak, secrets_not, text_keys, text_names,
	    kept, accounts, endings, addresses, homes, nothing;

	/* whether something may begin or stand at two bytes in a row */
	unsigned char pair[SET_BYTES * SET_BYTES / 8];

	struct tp_names values;		/* a byte for what, and the value */
	struct tp_redact_value *value;
	size_t value_cap;
	uint32_t numbers[TP_REDACT_COUNT];
	/* names that are replaced wherever they are words: their text, the
	 * value each is, and how long such names are */
	struct tp_names words;
	uint32_t *word_value;
	size_t word_cap;
	unsigned char lengths[NAME_MOST + 1];
	size_t length_most;

	/* the text that is read */
	enum tp_format format;
	void (*write)(void *arg, const char *bytes, size_t len);
	void *arg;
	struct tp_buf in;
	size_t want;			/* until there is more, it is no use */
	const char *base;		/* what was not written yet */
	uint64_t line;			/* where what is held begins, 0: too
					 * far to have been counted */
	size_t line_bytes;
	const char *unit;		/* the string that is looked through */
	struct tp_redact_edit *edits;
	size_t edit_count, edit_cap;
	struct tp_buf plain[3];		/* a string without its escapes */
	size_t plain_len;		/* of the first */
	size_t *from[3];		/* where each byte came from */
	size_t from_cap[3];
	int failed, is_first;
	int is_lossy;			/* something was left out, */
	int is_over;			/* and so is all that comes */
	int in_pem;			/* in a private key of many lines */
	size_t pem;			/* which value that is */
	size_t known;			/* words, when that was asked */
	uint64_t doubts;		/* USER@HOST of nobody known */

	/* where in the structure that is */
	int key_class;			/* of the key before */
	char key[KEY_MOST + 1];
	int pending;			/* a value names a secret: so the next
					 * is one */
	int inside;			/* of an object or list: its class */
	uint64_t depth, inside_depth;
	char element[KEY_MOST + 1], attribute[KEY_MOST + 1];
	int is_kept;			/* name of the environment in a tag */
	unsigned char *columns;		/* classes, of the first row */
	size_t column, column_count, column_cap;
	int row_first;
	char separator;

	uint64_t secret_places;
	const char *secret_what;
	uint64_t secret_line;
	char secret_key[KEY_MOST + 1];

	/* classes of keys that were asked for lately */
	struct tp_redact_key {
		size_t len;
		unsigned char is, known;
		char text[KEY_MOST];
	} recent[512];
};

int tp_redact_load(struct tp_redact *r, struct tp_err *err);
/* What the key of LEN bytes says of its value. */
int tp_redact_key(struct tp_redact *r, const char *key, size_t len);
/* Whether it is a name of the environment, as they are written. */
int tp_redact_is_variable(const char *name, size_t len);
/* Whether the environment's NAME keeps its value. */
int tp_redact_is_kept(const struct tp_redact *r, const char *name,
    size_t len);

/*
 * Look through the LEN bytes at P, of which ESCAPE tells how to read them;
 * where WHOLE is not none, all of it is that.  Writes what was before it and
 * what is to replace in it.
 */
void tp_redact_text(struct tp_redact *r, const char *p, size_t len,
    enum tp_escape escape, int whole);
/* Write up to P. */
void tp_redact_copy(struct tp_redact *r, const char *p);

/* Take apart LEN bytes at P, all there are when LAST; how many were used. */
size_t tp_redact_json(struct tp_redact *r, const char *p, size_t len,
    int last);
size_t tp_redact_xml(struct tp_redact *r, const char *p, size_t len,
    int last);
size_t tp_redact_rows(struct tp_redact *r, const char *p, size_t len,
    int last);
size_t tp_redact_space(struct tp_redact *r, const char *p, size_t len,
    int last);
/* A member KEY comes: what its value is all of. */
int tp_redact_member(struct tp_redact *r, const char *key, size_t len);

static inline int
tp_redact_has(const struct tp_names *names, const char *p, size_t len)
{
	return tp_names_find(names, p, len) >= 0;
}

#endif
