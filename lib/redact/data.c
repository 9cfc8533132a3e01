/* data - load the rules of redaction from share/redact.json */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "redact_parts.h"

static const char file[] = "redact.json";

/* Add the texts of KEY to NAMES.  Returns their number, or -1. */
static int
take_names(struct tp_redact *r, const struct cJSON *doc, const char *key,
    struct tp_names *names)
{
	const char **texts;
	int n = 0;

	tp_share_texts(&r->arena, tp_json_get(doc, key), &texts);
	if (!texts)
		return -1;
	for (; texts[n]; n++)
		tp_names_add(names, texts[n], strlen(texts[n]));
	return n;
}

/* Make a set of bytes from ranges such as "A-Z0-9_". */
static void
take_set(unsigned char set[SET_BYTES], const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	for (; *p; p++) {
		if (p[1] == '-' && p[2]) {
			for (int c = p[0]; c <= p[2]; c++)
				set[c] = 1;
			p += 2;
		} else {
			set[*p] = 1;
		}
	}
}

static void
set_pair(struct tp_redact *r, unsigned a, unsigned b)
{
	unsigned at = a | b << 8;

	r->pair[at >> 3] |= (unsigned char)(1U << (at & 7));
}

static void
set_pairs(struct tp_redact *r, unsigned a, const char *set)
{
	unsigned char in[SET_BYTES] = { 0 };

	take_set(in, set);
	for (unsigned b = 0; b < SET_BYTES; b++)
		if (in[b])
			set_pair(r, a, b);
}

static int
take_patterns(struct tp_redact *r, const struct cJSON *list)
{
	const struct cJSON *i, *starts, *k;
	struct tp_redact_pattern *p;
	const char *set, *needs, *what, *start;
	double least;
	size_t n = 0;

	cJSON_ArrayForEach(i, list)
		n += (size_t)cJSON_GetArraySize(tp_json_get(i, "starts"));
	if (!n)
		return -1;
	p = r->patterns = tp_arena_get(&r->arena, n * sizeof *p);
	memset(p, 0, n * sizeof *p);
	cJSON_ArrayForEach(i, list) {
		starts = tp_json_get(i, "starts");
		set = tp_json_text(i, "set");
		needs = tp_json_text(i, "needs");
		what = tp_json_text(i, "what");
		if (!set || !what || !tp_json_number(i, "least", &least) ||
		    least < 1 || least > 1000)
			return -1;
		cJSON_ArrayForEach(k, starts) {
			start = cJSON_GetStringValue(k);
			if (!start || strlen(start) < 2)
				return -1;
			p->start = tp_arena_text(&r->arena, start,
			    strlen(start));
			p->what = tp_arena_text(&r->arena, what, strlen(what));
			p->start_len = strlen(start);
			p->least = (size_t)least;
			take_set(p->in, set);
			p->has_needs = needs != NULL;
			take_set(p->needs, needs ? needs : "");
			set_pair(r, (unsigned char)start[0],
			    (unsigned char)start[1]);
			p->next = r->by_first[(unsigned char)*start];
			r->by_first[(unsigned char)*start] = p;
			p++;
		}
	}
	return 0;
}

static int
class_of(const char *name)
{
	static const struct { const char *name; int is; } classes[] = {
		{ "user", TP_REDACT_USER }, { "host", TP_REDACT_HOST },
		{ "email", TP_REDACT_EMAIL }, { "device", TP_REDACT_DEVICE },
		{ "prompt", TP_REDACT_PROMPT },
		{ "argument", TP_REDACT_ARGUMENT },
		{ "environment", TP_REDACT_ENV }, { "uname", KEY_UNAME },
		{ "uname_host", KEY_UNAME_HOST },
	};

	for (size_t i = 0; name && i < sizeof classes / sizeof *classes; i++)
		if (!strcmp(name, classes[i].name))
			return classes[i].is;
	return TP_REDACT_NONE;
}

static int
take_keys(struct tp_redact *r, const struct cJSON *keys)
{
	const struct cJSON *i;
	size_t n = 0;

	cJSON_ArrayForEach(i, keys) {
		int is = class_of(i->string);

		if (!is || take_names(r, keys, i->string, &r->keys) < 0 ||
		    r->keys.count > sizeof r->key_is)
			return -1;
		for (; n < r->keys.count; n++)
			r->key_is[n] = (unsigned char)is;
	}
	return 0;
}

static int
take_elements(struct tp_redact *r, const struct cJSON *list)
{
	const struct cJSON *i;
	const char *element, *attribute;
	struct tp_redact_element *e;

	r->elements = e = tp_arena_get(&r->arena, ((size_t)
	    cJSON_GetArraySize(list) + 1) * sizeof *e);
	cJSON_ArrayForEach(i, list) {
		element = tp_json_text(i, "element");
		attribute = tp_json_text(i, "attribute");
		e->is = class_of(tp_json_text(i, "is"));
		if (!element || !attribute || !e->is)
			return -1;
		e->element = tp_arena_text(&r->arena, element,
		    strlen(element));
		e->attribute = tp_arena_text(&r->arena, attribute,
		    strlen(attribute));
		e++;
	}
	r->element_count = (size_t)(e - r->elements);
	return 0;
}

int
tp_redact_load(struct tp_redact *r, struct tp_err *err)
{
	static const char all[] = { 1, '-', '\377', 0 };
	struct cJSON *doc = tp_share_json(file, err);
	struct { const char *key; struct tp_names *names; } lists[] = {
		{ "secrets", &r->secrets },
		{ "weak_secrets", &r->weak },
		{ "secrets_not", &r->secrets_not },
		{ "home_folders", &r->homes },
		{ "no_values", &r->nothing },
		{ "text_keys", &r->text_keys },
		{ "text_names", &r->text_names },
		{ "environment_kept", &r->kept },
		{ "accounts", &r->accounts },
		{ "file_endings", &r->endings },
		{ "addresses_kept", &r->addresses },
	};
	const char *bad = NULL;

	if (!doc)
		return -1;
	for (size_t i = 0; !bad && i < sizeof lists / sizeof *lists; i++)
		if (take_names(r, doc, lists[i].key, lists[i].names) < 0)
			bad = lists[i].key;
	if (!bad && take_patterns(r, tp_json_get(doc, "tokens")) < 0)
		bad = "tokens";
	if (!bad && take_keys(r, tp_json_get(doc, "keys")) < 0)
		bad = "keys";
	if (!bad && take_elements(r, tp_json_get(doc, "elements")) < 0)
		bad = "elements";
	cJSON_Delete(doc);
	if (bad)
		return tp_share_damaged("share/redact.json", bad, err);
	set_pairs(r, '@', "A-Za-z0-9[");
	set_pairs(r, '=', all);
	set_pairs(r, ':', all);
	set_pairs(r, '.', "0-9");
	for (size_t i = 0; i < r->homes.count; i++) {
		set_pair(r, '/', (unsigned char)*r->homes.names[i].text);
		set_pair(r, '\\', (unsigned char)*r->homes.names[i].text);
	}
	set_pair(r, '-', '-');
	return 0;
}

/*
 * Split KEY into words separated and enclosed by '_', in WORDS of KEY_MOST
 * * 2 + 3 bytes.  Returns the length.
 */
static size_t
key_words(const char *key, size_t len, char *words)
{
	size_t n = 0;

	words[n++] = '_';
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)key[i];

		if (isupper(c) && i && islower((unsigned char)key[i - 1]))
			words[n++] = '_';
		words[n++] = isalnum(c) || c > 127 ? (char)tolower(c) : '_';
	}
	words[n++] = '_';
	words[n] = '\0';
	return n;
}

/*
 * Returns TP_REDACT_SECRET or KEY_WEAK if a word in WORDS, or the end of
 * one, names a secret; else 0.
 */
static int
is_secret(const struct tp_redact *r, const char *words)
{
	int is = 0;

	for (size_t i = 0; i < r->secrets.count; i++) {
		const struct tp_name *s = &r->secrets.names[i];
		const char *at = words;

		while ((at = strstr(at, s->text))) {
			if (at[s->len] == '_' && (at[-1] == '_' ||
			    s->len >= 5))
				is = is == TP_REDACT_SECRET ||
				    !tp_redact_has(&r->weak, s->text,
				    s->len) ? TP_REDACT_SECRET : KEY_WEAK;
			at++;
		}
	}
	return is;
}

static int
find_class(struct tp_redact *r, const char *key, size_t len)
{
	char words[KEY_MOST * 2 + 3];
	size_t n;
	ptrdiff_t at;

	while (len && (*key == '-' || *key == '_' || *key == ' '))
		key++, len--;
	n = key_words(key, len, words);
	at = tp_names_find(&r->keys, words + 1, n - 2);
	if (at >= 0)
		return r->key_is[at];
	if (tp_redact_has(&r->secrets_not, words + 1, n - 2))
		return TP_REDACT_NONE;
	at = is_secret(r, words);
	if (at)
		return (int)at;
	return strstr(words, "version") ? KEY_VERSION : TP_REDACT_NONE;
}

int
tp_redact_key(struct tp_redact *r, const char *key, size_t len)
{
	struct tp_redact_key *k;
	size_t h;

	if (!len || len > KEY_MOST)
		return TP_REDACT_NONE;
	h = len * 31 + (unsigned char)key[0] * 7 +
	    (unsigned char)key[len - 1] * 131 +
	    (unsigned char)key[len / 2] * 17;
	k = &r->recent[h % (sizeof r->recent / sizeof *r->recent)];
	if (!k->known || k->len != len || memcmp(k->text, key, len)) {
		k->is = (unsigned char)find_class(r, key, len);
		k->len = len;
		k->known = 1;
		memcpy(k->text, key, len);
	}
	return k->is;
}

int
tp_redact_is_variable(const char *p, size_t len)
{
	if (!len || len > KEY_MOST)
		return 0;
	for (size_t i = 0; i < len; i++)
		if (!isupper((unsigned char)p[i]) && p[i] != '_' &&
		    !isdigit((unsigned char)p[i]))
			return 0;
	return 1;
}

int
tp_redact_is_kept(const struct tp_redact *r, const char *name, size_t len)
{
	for (size_t i = 0; i < r->kept.count; i++)
		if (tp_glob(r->kept.names[i].text, name, len))
			return 1;
	return 0;
}
