/* classes - classify names by the patterns of a share file */
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "classes.h"

/* How a pattern matches. */
enum how { EXACT, STARTS, ENDS, HOLDS, GLOB, REGEX, WORDS };

struct tp_class_pattern {
	enum how how;
	uint32_t row, subject;
	const char *text;
	size_t len;
	regex_t *regex;
};

/* What is being loaded, for messages. */
struct loading {
	struct tp_classes *classes;
	const char *file, *key, *subjects, *more;
	struct tp_err *err;
};

/*
 * Fail: WHAT is wrong with the last row, at TEXT or NULL.  Always returns
 * -1.
 */
static int
bad(const struct loading *l, const char *what, const char *text)
{
	const struct tp_class *c = l->classes->count ?
	    &l->classes->list[l->classes->count - 1] : NULL;
	char row[80] = "";

	if (c && c->row)
		snprintf(row, sizeof row, ", row %zu (%.40s)",
		    l->classes->count, c->name ? c->name : "");
	return tp_share_fail(l->err, TP_BAD,
	    "share/%.60s: '%.40s'%s: %s%s%.60s%s", l->file, l->key, row, what,
	    text ? " '" : "", text ? text : "", text ? "'" : "");
}

/* Index of WORD in WORDS, separated by blanks; or -1. */
static int
find_word_index(const char *words, const char *word)
{
	size_t len = strlen(word), n;
	int at = 0;

	for (; words && *words; words += n + (words[n] == ' '), at++) {
		n = strcspn(words, " ");
		if (n == len && !memcmp(words, word, n))
			return at;
	}
	return -1;
}

/*
 * Compile "/expression/" or "/expression/i" into P: 1; 0 when TEXT is
 * neither; -1 on error.
 */
static int
take_regex(struct tp_class_pattern *p, const char *text, size_t len)
{
	int icase = len > 3 && text[len - 1] == 'i' && text[len - 2] == '/';
	size_t n = len - (size_t)icase;
	char *copy;

	if (n < 3 || *text != '/' || text[n - 1] != '/')
		return 0;
	copy = tp_alloc(n);
	p->regex = tp_alloc(sizeof *p->regex);
	memcpy(copy, text + 1, n - 2);
	copy[n - 2] = '\0';
	if (regcomp(p->regex, copy, REG_EXTENDED | REG_NOSUB |
	    (icase ? REG_ICASE : 0))) {
		tp_free(p->regex);
		p->regex = NULL;
	}
	tp_free(copy);
	p->how = REGEX;
	return p->regex ? 1 : -1;
}

/* Whether the LEN bytes of TEXT are words between braces. */
static int
is_words(const char *text, size_t len)
{
	return len > 2 && *text == '{' && text[len - 1] == '}';
}

/* Whether no word of TEXT is missing, and all can be found. */
static int
is_sound(const char *text)
{
	for (; *text != '}'; text++)
		if (!strchr("{abcdefghijklmnopqrstuvwxyz0123456789_*|! ",
		    *text) || (strchr("{|! ", *text) && strchr(*text == '|' ||
		    *text == '!' ? "|! *}" : "| *}", text[1])))
			return 0;
	return 1;
}

/* Reduce the shell pattern TEXT to the cheapest kind of comparison. */
static void
take_glob(struct tp_class_pattern *p, const char *text, size_t len)
{
	int first = len && *text == '*', last = len > 1 &&
	    text[len - 1] == '*';

	p->text = text + first;
	p->len = len - (size_t)(first + last);
	p->how = first && last ? HOLDS : first ? ENDS : last ? STARTS : EXACT;
	if (is_words(text, len)) {
		p->how = WORDS;
		p->text = text + 1;
	} else if (strcspn(p->text, "*?[") < p->len) {
		p->how = GLOB;
		p->text = text;
	}
}

static int
add_pattern(const struct loading *l, int subject, const char *text)
{
	struct tp_classes *c = l->classes;
	struct tp_class_pattern p = { .row = (uint32_t)c->count - 1,
	    .subject = (uint32_t)subject };
	size_t len = strlen(text), before = c->exact.count;
	ptrdiff_t at;
	int rc = take_regex(&p, text, len);

	if (rc < 0)
		return bad(l, "bad expression", text);
	if (is_words(text, len) && !is_sound(text))
		return bad(l, "bad words", text);
	if (!rc)
		take_glob(&p, text, len);
	if (p.how == EXACT && !subject) {
		at = tp_names_add(&c->exact, text, len);
		TP_ITEM(c->exact_row, c->exact_cap, at);
		if (c->exact.count > before)
			c->exact_row[at] = p.row;
		return 0;
	}
	TP_APPEND(c->patterns, c->pattern_count, c->pattern_cap, p);
	c->has_regex |= p.how == REGEX;
	return 0;
}

/* Add LIST, a pattern or a list of patterns. */
static int
add_patterns(const struct loading *l, int subject, const cJSON *list)
{
	const cJSON *i;

	if (cJSON_IsString(list))
		return add_pattern(l, subject, list->valuestring);
	if (!cJSON_IsArray(list) || !list->child)
		return bad(l, "neither a pattern nor a list of them",
		    list->string);
	cJSON_ArrayForEach(i, list) {
		if (!cJSON_IsString(i))
			return bad(l, "no text among the patterns of",
			    list->string);
		if (add_pattern(l, subject, i->valuestring) < 0)
			return -1;
	}
	return 0;
}

static int
add_row(const struct loading *l, const cJSON *row)
{
	struct tp_classes *c = l->classes;
	const cJSON *i;
	int subject, is_rest = 1;

	if (c->has_rest)
		return bad(l, "only the last row may lack a pattern", NULL);
	c->list[c->count++] = (struct tp_class){ tp_json_text(row, "name"),
	    row, 0 };
	if (!c->list[c->count - 1].name)
		return bad(l, "no name", NULL);
	cJSON_ArrayForEach(i, row) {
		subject =
		    find_word_index(l->subjects, i->string ? i->string : "");
		if (subject >= 0) {
			is_rest = 0;
			if (add_patterns(l, subject, i) < 0)
				return -1;
		} else if (strcmp(i->string, "name") &&
		    find_word_index(l->more, i->string) < 0) {
			return bad(l, "unknown key", i->string);
		}
	}
	c->has_rest = is_rest;
	return 0;
}

int
tp_classes_load(struct tp_classes *classes, const struct cJSON *doc,
    const char *file, const char *key, const char *subjects,
    const char *more, struct tp_err *err)
{
	const struct loading l = { classes, file, key, subjects ? subjects :
	    "match", more, err };
	const cJSON *list = tp_json_get(doc, key), *i;

	memset(classes, 0, sizeof *classes);
	if (!list || (!cJSON_IsString(list) &&
	    !(cJSON_IsArray(list) && list->child)))
		return bad(&l, "no pattern", NULL);
	classes->list = tp_zalloc(((size_t)cJSON_GetArraySize(list) + 1) *
	    sizeof *classes->list);
	if (!cJSON_IsObject(list->child)) {
		classes->list[classes->count++].name = "";
		return add_patterns(&l, 0, list);
	}
	cJSON_ArrayForEach(i, list)
		if (add_row(&l, i) < 0)
			return -1;
	return 0;
}

int
tp_classes_number(struct tp_classes *classes, const char *const *names,
    const char *file, const char *key, struct tp_err *err)
{
	for (size_t i = 0; i < classes->count; i++) {
		struct tp_class *c = &classes->list[i];

		while (names[c->number] && strcmp(names[c->number], c->name))
			c->number++;
		if (!names[c->number])
			return tp_share_fail(err, TP_BAD,
			    "share/%.60s: '%.40s', row %zu: there is no class "
			    "'%.40s'", file, key, i + 1, c->name);
	}
	return 0;
}

void
tp_classes_release(struct tp_classes *classes)
{
	for (size_t i = 0; i < classes->pattern_count; i++) {
		if (classes->patterns[i].regex)
			regfree(classes->patterns[i].regex);
		tp_free(classes->patterns[i].regex);
	}
	tp_free(classes->patterns);
	tp_free(classes->list);
	tp_free(classes->exact_row);
	tp_names_release(&classes->exact);
	memset(classes, 0, sizeof *classes);
}

int
tp_class_lists_load(void *base, const struct tp_class_list *l,
    const struct cJSON *doc, const char *file, struct tp_err *err)
{
	for (; l->key; l++) {
		struct tp_classes *c = tp_class_list_at(base, l);

		if (tp_classes_load(c, doc, file, l->key, l->subjects,
		    l->more, err) < 0 || (l->names &&
		    tp_classes_number(c, l->names, file, l->key, err) < 0))
			return -1;
	}
	return 0;
}

void
tp_class_lists_release(void *base, const struct tp_class_list *l)
{
	for (; l->key; l++)
		tp_classes_release(tp_class_list_at(base, l));
}

static int
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static int
is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/*
 * Append the words of TEXT to WORDS, in lower case, each between blanks: a
 * word ends where no letter or digit follows, and where upper case begins.
 * In mangled names, digits are lengths.
 */
static void
split_words(struct tp_buf *words, const char *text, size_t len)
{
	int mangled = len > 1 && text[0] == '_' && text[1] == 'Z';

	tp_buf_chr(words, ' ');
	for (size_t i = 0; i < len; i++) {
		char c = text[i], before = i ? text[i - 1] : ' ';
		int digit = c >= '0' && c <= '9';

		if (!(is_upper(c) || is_lower(c) || (digit && !mangled))) {
			c = ' ';
		} else if (is_upper(c)) {
			if (is_lower(before) || (i + 1 < len &&
			    is_lower(text[i + 1])))
				tp_buf_chr(words, ' ');
			c = (char)(c - 'A' + 'a');
		}
		tp_buf_chr(words, c);
	}
	tp_buf_chr(words, ' ');
}

/* Whether one of WORDS, or several in a row, are the LEN bytes at WORD. */
static int
has_word(const char *words, const char *word, size_t len)
{
	const char *at = words, *w;
	size_t i;

	while ((at = strchr(at, ' ')) && *++at) {
		for (i = 0, w = at; i < len && word[i] != '*'; i++) {
			if (word[i] == '_')
				w += strspn(w, " ");
			else if (*w++ != word[i])
				break;
		}
		if (i < len ? word[i] == '*' : *w == ' ')
			return 1;
	}
	return 0;
}

/* Whether WORDS fit TERMS, which end with '}'. */
static int
fits_words(const char *terms, const char *words)
{
	int not, found;
	size_t len;

	while (*terms != '}') {
		not = *terms == '!';
		for (terms += not, found = 0; ; terms++) {
			len = strcspn(terms, "| }");
			found |= has_word(words, terms, len);
			terms += len;
			if (*terms != '|')
				break;
		}
		if (found == not)
			return 0;
		terms += strspn(terms, " ");
	}
	return 1;
}

static int
holds(const char *text, const char *end, const struct tp_class_pattern *p)
{
	while (p->len && (size_t)(end - text) >= p->len &&
	    (text = memchr(text, *p->text, (size_t)(end - text) - p->len +
	    1))) {
		if (!memcmp(text, p->text, p->len))
			return 1;
		text++;
	}
	return !p->len;
}

/* Whether the LEN bytes at TEXT match P, which is no regular expression. */
static int
fits(const struct tp_class_pattern *p, const char *text, size_t len)
{
	if (p->how == GLOB)
		return tp_glob(p->text, text, len);
	if (len < p->len)
		return 0;
	if (p->how == ENDS)
		return !memcmp(text + len - p->len, p->text, p->len);
	if (p->how != HOLDS)
		return (p->how == STARTS || len == p->len) &&
		    !memcmp(text, p->text, p->len);
	return holds(text, text + len, p);
}

/*
 * The class of TEXTS; the first text has LEN bytes, and ENDED is its
 * NUL-terminated copy.
 */
static const struct tp_class *
first_of(const struct tp_classes *c, const char *const *texts, size_t len,
    const char *ended)
{
	ptrdiff_t at = texts[0] ? tp_names_find(&c->exact, texts[0], len) :
	    -1;
	size_t best = at >= 0 ? c->exact_row[at] : c->has_rest ?
	    c->count - 1 : c->count;
	const struct tp_class_pattern *p = c->patterns;
	const struct tp_class_pattern *end = p ? p + c->pattern_count : p;
	struct tp_buf words = { 0 };
	const char *text, *split = NULL;

	for (; p < end && p->row < best; p++) {
		text = texts[p->subject];
		if (p->how == WORDS && text && text != split) {
			tp_buf_clear(&words);
			split_words(&words, text, p->subject ? strlen(text) :
			    len);
			split = text;
		}
		if (text && (p->how == REGEX ? !regexec(p->regex, p->subject ?
		    text : ended, 0, NULL, 0) : p->how == WORDS ?
		    fits_words(p->text, words.p) : fits(p, text, p->subject ?
		    strlen(text) : len)))
			best = p->row;
	}
	tp_buf_release(&words);
	return best < c->count ? &c->list[best] : NULL;
}

const struct tp_class *
tp_class_of(const struct tp_classes *classes, const char *const *texts)
{
	return first_of(classes, texts, texts[0] ? strlen(texts[0]) : 0,
	    texts[0]);
}

const struct tp_class *
tp_class_of_part(const struct tp_classes *classes, const char *text,
    size_t len)
{
	char ended[512];
	size_t n = !classes->has_regex ? 0 : len < sizeof ended ? len :
	    sizeof ended - 1;

	if (n)
		memcpy(ended, text, n);
	ended[n] = '\0';
	return first_of(classes, &text, len, ended);
}

/* How many of the LEN bytes at TEXT are before its list of parameters. */
static size_t
before_parameters(const char *text, size_t len)
{
	size_t at = len, depth = 0;

	while (at && text[at - 1] != ')')
		at--;
	if (at < len && !tp_begins(text + at, text + len, " const") &&
	    !tp_begins(text + at, text + len, " [clone"))
		return len;
	while (at) {
		at--;
		depth += text[at] == ')';
		if (text[at] == '(' && !--depth)
			break;
	}
	return at ? at : len;
}

const struct tp_class *
tp_class_of_function(const struct tp_classes *classes,
    const char *const *texts)
{
	size_t len = strlen(texts[0]), n = before_parameters(texts[0], len);
	char *ended = n < len ? tp_alloc(n + 1) : NULL;
	const struct tp_class *found;

	if (!ended)
		return tp_class_of(classes, texts);
	memcpy(ended, texts[0], n);
	ended[n] = '\0';
	found = first_of(classes, texts, n, ended);
	tp_free(ended);
	return found;
}

const struct tp_class *
tp_class_named(const struct tp_classes *classes, const char *name)
{
	for (size_t i = 0; name && i < classes->count; i++)
		if (!strcmp(classes->list[i].name, name))
			return &classes->list[i];
	return NULL;
}
