/*
 * find - find secrets, names and addresses in a text
 *
 * A table of byte pairs says where one may begin, so most positions cost one
 * lookup.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <tp/order.h>
#include <tp/text.h>

#include "redact_parts.h"

static const struct { const char *stem, *word; } names[] = {
	[TP_REDACT_NONE] = { "x", "value" },
	[TP_REDACT_TOKEN] = { "token", "token" },
	[TP_REDACT_SECRET] = { "secret", "secret" },
	[TP_REDACT_PEM] = { "key", "private key" },
	[TP_REDACT_USER] = { "user", "user name" },
	[TP_REDACT_HOST] = { "host", "host name" },
	[TP_REDACT_EMAIL] = { "email", "e-mail address" },
	[TP_REDACT_ADDRESS] = { "address", "network address" },
	[TP_REDACT_DEVICE] = { "device", "device id" },
	[TP_REDACT_ENV] = { "env", "environment value" },
	[TP_REDACT_PROMPT] = { "prompt", "prompt" },
	[TP_REDACT_ARGUMENT] = { "argument", "argument" },
};

const char *
tp_redact_word(enum tp_redact_what what)
{
	return names[what].word;
}

/* Bytes of a value that are examined: more do not change the result. */
#define DECIDED_BY ((size_t)256)

/* A text under examination: one string, possibly unescaped. */
struct text {
	struct tp_redact *r;
	const char *p;
	size_t len;
	const size_t *from;	/* original offset of each byte; NULL: the
				 * same */
	size_t at;		/* positions before this are done */
};

static int
is_word(unsigned char c)
{
	return isalnum(c) || c == '_' || c > 127;
}

static int
lower(char c)
{
	return tolower((unsigned char)c);
}

static int
digit(char c)
{
	return c >= '0' && c <= '9';
}

static int
hex(char c)
{
	return isxdigit((unsigned char)c);
}

/* Whether P is already a replacement, such as "user-12". */
static int
is_ours(const char *p, size_t len)
{
	for (size_t i = 1; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i].stem);

		if (len > n + 1 && len < n + 12 && !memcmp(p, names[i].stem,
		    n) && p[n] == '-') {
			size_t k = n + 1;

			while (k < len && digit(p[k]))
				k++;
			if (k == len)
				return 1;
		}
	}
	return 0;
}

static int
is_number(const char *p, size_t len)
{
	for (; len; p++, len--)
		if (!digit(*p) && *p != '.' && *p != '-')
			return 0;
	return 1;
}

/* From now on replaces the name at P wherever it occurs as a word. */
static void
everywhere(struct tp_redact *r, const char *p, size_t len, size_t value)
{
	char small[NAME_MOST + 1];
	ptrdiff_t at;

	if (len < NAME_LEAST || len > NAME_MOST || is_number(p, len) ||
	    !is_word((unsigned char)p[0]))
		return;
	for (size_t i = 0; i < len; i++)
		small[i] = (char)lower(p[i]);
	if (tp_redact_has(&r->accounts, small, len) || is_ours(p, len) ||
	    tp_redact_has(&r->words, p, len))
		return;
	at = tp_names_add(&r->words, p, len);
	TP_ITEM(r->word_value, r->word_cap, at);
	r->word_value[at] = (uint32_t)value;
	r->lengths[len] = 1;
	r->length_most = len > r->length_most ? len : r->length_most;
	{
		unsigned pair = (unsigned char)p[0] |
		    (unsigned)(unsigned char)p[1] << 8;

		r->pair[pair >> 3] |= (unsigned char)(1U << (pair & 7));
	}
}

/* The index of the value at P, added if new. */
static ptrdiff_t
value_of(struct tp_redact *r, const char *p, size_t len,
    enum tp_redact_what what)
{
	char key[NAME_MOST + 2];
	size_t known = r->values.count;
	ptrdiff_t at;
	uint64_t h, n = len;

	/*
	 * all names and secrets share one key space, whatever rule found them
	 */
	key[0] = what < TP_REDACT_ADDRESS ? 1 : (char)what;
	if (len <= NAME_MOST) {
		memcpy(key + 1, p, len);
		at = tp_names_add(&r->values, key, len + 1);
	} else {
		/*
		 * a long value is identified by its start, two hashes and its
		 * length
		 */
		memcpy(key + 1, p, NAME_MOST - 24);
		h = tp_hash_bytes(p, len);
		memcpy(key + 1 + NAME_MOST - 24, &h, 8);
		h = tp_hash_bytes(p + 1, len - 1);
		memcpy(key + 1 + NAME_MOST - 16, &h, 8);
		memcpy(key + 1 + NAME_MOST - 8, &n, 8);
		at = tp_names_add(&r->values, key, NAME_MOST + 1);
	}
	TP_ITEM(r->value, r->value_cap, at);
	if (r->values.count > known)
		r->value[at] = (struct tp_redact_value){ .what = what,
		    .number = ++r->numbers[what], .same = at };
	return at;
}

/* Record that FROM .. TO of T is replaced by the word of VALUE. */
static void
replace(struct text *t, size_t from, size_t to, size_t value)
{
	struct tp_redact *r = t->r;
	size_t a = t->from ? t->from[from] : from;
	size_t b = t->from ? t->from[to] : to;
	size_t n = r->edit_count, i = n, low = 0, mid;

	/* of overlapping edits the covering one wins, else the first */
	if (n && r->edits[n - 1].from >= a)
		for (; low < i;) {
			mid = low + (i - low) / 2;
			if (r->edits[mid].from < a)
				low = mid + 1;
			else
				i = mid;
		}
	if (i && r->edits[i - 1].to > a)
		return;
	for (size_t k = i; k < n && r->edits[k].from < b; k++)
		if (r->edits[k].to > b || (r->edits[k].from == a &&
		    r->edits[k].to == b))
			return;
	for (size_t k = i; k < n && r->edits[k].from < b;) {
		memmove(&r->edits[k], &r->edits[k + 1], (n - k - 1) *
		    sizeof *r->edits);
		n--;
	}
	r->edit_count = n;
	tp_grow(&r->edits, &r->edit_cap, n + 1, sizeof *r->edits);
	memmove(&r->edits[i + 1], &r->edits[i], (n - i) * sizeof *r->edits);
	r->edits[i] = (struct tp_redact_edit){ a, b, value };
	r->edit_count++;
}

/*
 * Whether the value looks like a token: 8 bytes or more, with a digit or both
 * cases.
 */
static int
may_be_token(const char *p, size_t len)
{
	int digits = 0, small = 0, large = 0;

	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)p[i] <= ' ')
			return 0;
		digits |= digit(p[i]);
		small |= islower((unsigned char)p[i]);
		large |= isupper((unsigned char)p[i]);
	}
	return len >= 8 && !is_number(p, len) && (digits || (small && large));
}

/* Remember the place and the key of the first secret, but not the secret. */
static void
note_secret_place(struct text *t, const char *what, const char *key,
    size_t key_len)
{
	struct tp_redact *r = t->r;

	if (r->secret_places++)
		return;
	r->secret_what = what;
	r->secret_line = r->line;
	for (const char *p = r->in.p; r->line && p < r->unit; p++)
		r->secret_line += *p == '\n';
	/* the key may itself be a secret: then leave it out */
	if (key_len > KEY_MOST || (may_be_token(key, key_len) &&
	    !tp_redact_key(r, key, key_len)))
		key_len = 0;
	memcpy(r->secret_key, key, key_len);
	r->secret_key[key_len] = '\0';
}

/*
 * Replace FROM .. TO of T, which is WHAT.  Returns the index of the value, or
 * -1 if nothing is replaced.
 */
static ptrdiff_t
found(struct text *t, size_t from, size_t to, enum tp_redact_what what)
{
	struct tp_redact *r = t->r;
	const char *p = t->p + from;
	size_t len = to - from;
	ptrdiff_t v, w;

	TP_MOST(t->at, to);
	if (!len || is_ours(p, len))
		return -1;
	/* a known name keeps its word, whatever rule found it */
	w = tp_names_find(&r->words, p, len);
	v = w >= 0 ? (ptrdiff_t)r->word_value[w] : value_of(r, p, len, what);
	replace(t, from, to, (size_t)v);
	if (what == TP_REDACT_USER || what == TP_REDACT_HOST ||
	    (what == TP_REDACT_SECRET && len >= 8))
		everywhere(r, p, len, (size_t)v);
	return v;
}

/*
 * Replace a host name.  From now on its first label is replaced, too, if it has
 * a domain.
 */
static void
found_host(struct text *t, size_t from, size_t to)
{
	ptrdiff_t v = found(t, from, to, TP_REDACT_HOST);
	const char *dot = memchr(t->p + from, '.', to - from);

	if (v >= 0 && dot && !is_number(t->p + from, to - from))
		everywhere(t->r, t->p + from, (size_t)(dot - t->p) - from,
		    (size_t)v);
}

/* Replace a token that starts at I.  Returns 1 if there was one. */
static int
find_token(struct text *t, size_t i)
{
	const struct tp_redact_pattern *k =
	    t->r->by_first[(unsigned char)t->p[i]], *best = NULL;
	size_t end, most = 0, from;
	int has;

	int glued = i && isalnum((unsigned char)t->p[i - 1]);

	for (; k; k = k->next) {
		/* "ghp_" does not occur inside words, "sk-" does */
		if (glued && (k->start_len < 4 || !strchr("_-",
		    k->start[k->start_len - 1])))
			continue;
		if (t->len - i < k->start_len + k->least ||
		    memcmp(t->p + i, k->start, k->start_len))
			continue;
		has = !k->has_needs;
		for (end = i + k->start_len; end < t->len &&
		    k->in[(unsigned char)t->p[end]] && (has ||
		    end - i < DECIDED_BY); end++)
			has |= k->needs[(unsigned char)t->p[end]];
		/* a final full stop ends the sentence */
		while (end > i + k->start_len && t->p[end - 1] == '.')
			end--;
		if (has && end - i - k->start_len >= k->least &&
		    (!best || k->start_len > best->start_len)) {
			best = k;
			most = end;
		}
	}
	if (!best)
		return 0;
	/* keep "Bearer" */
	from = best->start[best->start_len - 1] == ' ' ? i + best->start_len :
	    i;
	if (!is_ours(t->p + from, most - from))
		note_secret_place(t, best->what, t->r->key, strlen(t->r->key));
	found(t, from, most, TP_REDACT_TOKEN);
	return 1;
}

/* Replace the longest known name that starts at I. */
static void
find_word(struct text *t, size_t i)
{
	struct tp_redact *r = t->r;
	size_t len;
	ptrdiff_t at;

	if (i && is_word((unsigned char)t->p[i - 1]))
		return;
	len = t->len - i < r->length_most ? t->len - i : r->length_most;
	for (; len >= NAME_LEAST; len--) {
		if (!r->lengths[len] || (i + len < t->len &&
		    is_word((unsigned char)t->p[i + len])))
			continue;
		at = tp_names_find(&r->words, t->p + i, len);
		if (at < 0)
			continue;
		replace(t, i, i + len, r->word_value[at]);
		t->at = i + len;
		return;
	}
}

static int
is_user_char(char c)
{
	return is_word((unsigned char)c) || c == '-' || c == '.';
}

/*
 * Replace the user name in a home directory; its path begins with the separator
 * at I.
 */
static void
find_home(struct text *t, size_t i)
{
	const char *p = t->p;
	size_t at, end, n;
	char sep = p[i];

	for (size_t k = 0; k < t->r->homes.count; k++) {
		n = t->r->homes.names[k].len;
		if (t->len - i < n + 3 || memcmp(p + i + 1,
		    t->r->homes.names[k].text, n))
			continue;
		at = i + 1 + n;
		if (p[at] != '/' && p[at] != '\\')
			continue;
		while (at < t->len && (p[at] == '/' || p[at] == '\\'))
			at++;
		for (end = at; end < t->len && is_user_char(p[end]); end++)
			;
		/* a Windows user name may contain a space */
		if (sep == '\\' && end < t->len && p[end] == ' ') {
			size_t e = end;

			while (e < t->len && e - at < 40 &&
			    (is_user_char(p[e]) || p[e] == ' '))
				e++;
			if (e < t->len && p[e] == '\\')
				end = e;
		}
		while (end > at && p[end - 1] == '.' && end - at > 1)
			end--;
		if (end > at && p[at] != '.')
			found(t, at, end, TP_REDACT_USER);
	}
}

static int
is_mail_char(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' ||
	    c == '-' || c == '+' || c == '%';
}

/*
 * Replace the mail address around the '@' at I, or USER@HOST if the user is
 * known or the context is a login: a remote path, "ssh" or "://".
 */
static void
find_mail(struct text *t, size_t i)
{
	const char *p = t->p, *dot = NULL;
	size_t from = i, to = i + 1, top;

	while (from > 0 && i - from < 64 && is_mail_char(p[from - 1]))
		from--;
	while (from < i && !isalnum((unsigned char)p[from]) && p[from] != '_')
		from++;
	for (; to < t->len && (isalnum((unsigned char)p[to]) ||
	    p[to] == '-' || p[to] == '.'); to++)
		if (p[to] == '.' && to + 1 < t->len &&
		    isalpha((unsigned char)p[to + 1]))
			dot = p + to;
	while (to > i + 1 && !isalnum((unsigned char)p[to - 1]))
		to--;
	if (from == i || to == i + 1)
		return;
	if (dot && dot < p + to) {
		char small[16];

		top = (size_t)(p + to - dot - 1);
		for (size_t k = 0; k < top && k < sizeof small; k++) {
			small[k] = (char)lower(dot[1 + k]);
			if (!isalpha((unsigned char)dot[1 + k]))
				return;
		}
		if (top < 2 || top > 12 ||
		    tp_redact_has(&t->r->endings, small, top))
			return;
		found(t, from, to, TP_REDACT_EMAIL);
		return;
	}
	if (isdigit((unsigned char)p[i + 1]) || to - i < 4)
		return;
	if (tp_names_find(&t->r->words, p + from, i - from) < 0 &&
	    !is_ours(p + from, i - from) &&
	    !(to + 1 < t->len && p[to] == ':' && (p[to + 1] == '/' ||
	    p[to + 1] == '~')) &&
	    !(from >= 4 && !memcmp(p + from - 4, "ssh ", 4)) &&
	    !(from >= 3 && !memcmp(p + from - 3, "://", 3))) {
		t->r->doubts++;
		return;
	}
	found(t, from, i, TP_REDACT_USER);
	found(t, i + 1, to, TP_REDACT_HOST);
}

/* Replace the login in a URL, whose "://" is at I. */
static void
find_login(struct text *t, size_t i)
{
	const char *p = t->p;
	size_t from = i + 3, at, colon = 0;

	if (t->len - i < 6 || p[i + 2] != '/')
		return;
	for (at = from; at < t->len && at - from < 1024 && p[at] != '@' &&
	    p[at] != '/' && p[at] != '?' && p[at] != '#' && p[at] != '"' &&
	    p[at] != '\'' && (unsigned char)p[at] > ' '; at++)
		if (p[at] == ':' && !colon)
			colon = at;
	if (at >= t->len || p[at] != '@' || at == from)
		return;
	if (!colon) {
		if (at - from >= 16 && !is_ours(p + from, at - from)) {
			note_secret_place(t, "a token in an address", "", 0);
			found(t, from, at, TP_REDACT_SECRET);
		} else {
			found(t, from, at, TP_REDACT_USER);
		}
		return;
	}
	if (!is_ours(p + colon + 1, at - colon - 1))
		note_secret_place(t, "a password in an address", "", 0);
	if (colon > from)
		found(t, from, colon, TP_REDACT_USER);
	found(t, colon + 1, at, TP_REDACT_SECRET);
	t->at = at + 1;
}

/* Whether a value is empty of meaning: "null", or asterisks. */
static int
says_nothing(const struct tp_redact *r, const char *p, size_t len)
{
	char small[16] = "";

	if (len <= sizeof small) {
		for (size_t i = 0; i < len; i++)
			small[i] = (char)lower(p[i]);
		if (tp_redact_has(&r->nothing, small, len))
			return 1;
	}
	for (; len && *p == '*'; p++, len--)
		;
	return !len;
}

/* Replace FROM .. TO as a whole: its key says that it is IS. */
static void
found_whole(struct text *t, size_t from, size_t to, int is, const char *key,
    size_t key_len)
{
	const char *p = t->p;

	while (from < to && (unsigned char)p[from] <= ' ')
		from++;
	while (to > from && (unsigned char)p[to - 1] <= ' ')
		to--;
	if (from == to || is_ours(p + from, to - from))
		return;
	switch (is) {
	case KEY_WEAK:
		if (!may_be_token(p + from, to - from))
			return;
		/* FALLTHROUGH */
	case TP_REDACT_SECRET:
		if (says_nothing(t->r, p + from, to - from))
			return;
		/* keep the scheme of "Bearer TOKEN" or "Basic TOKEN" */
		for (size_t i = from; i < to && i < from + 8; i++)
			if (p[i] == ' ' && (lower(p[from]) == 'b') &&
			    (i - from == 6 || i - from == 5))
				from = i + 1;
		if (is_ours(p + from, to - from))
			return;
		note_secret_place(t, "a secret", key, key_len);
		found(t, from, to, TP_REDACT_SECRET);
		return;
	case TP_REDACT_HOST:
	case KEY_UNAME_HOST:
		if (!says_nothing(t->r, p + from, to - from) &&
		    !tp_redact_has(&t->r->addresses, p + from, to - from))
			found_host(t, from, to);
		return;
	case TP_REDACT_USER:
	case TP_REDACT_EMAIL:
		if (memchr(p + from, '@', to - from))
			is = TP_REDACT_EMAIL;
		if (!says_nothing(t->r, p + from, to - from) &&
		    !is_number(p + from, to - from))
			found(t, from, to, (enum tp_redact_what)is);
		return;
	default:
		found(t, from, to, (enum tp_redact_what)is);
	}
}

static int
ends_value(char c)
{
	return (unsigned char)c <= ' ' || strchr(",;&\"'()[]{}<>", c);
}

/*
 * Replace the value of NAME=VALUE, NAME: VALUE or "NAME": "VALUE" with its
 * separator at I.
 */
static void
find_pair(struct text *t, size_t i)
{
	const char *p = t->p;
	size_t end = i, from, at = i + 1, to;
	char quote = 0;
	int is, upper = 1;

	/* "name==1.2" is a version, "a == b" a comparison */
	if (p[i] == '=' && (i + 1 == t->len || p[i + 1] == '=' ||
	    (i && strchr("=!<>~", p[i - 1]))))
		return;
	while (end > 0 && i - end < 4 && (p[end - 1] == ' ' ||
	    p[end - 1] == '"' || p[end - 1] == '\'' || p[end - 1] == '\\'))
		end--;
	for (from = end; from > 0 && end - from < KEY_MOST &&
	    (is_word((unsigned char)p[from - 1]) || p[from - 1] == '-' ||
	    p[from - 1] == '.'); from--)
		upper &= !islower((unsigned char)p[from - 1]);
	if (end - from < 3)
		return;
	is = tp_redact_key(t->r, p + from, end - from);
	if (is == TP_REDACT_USER || is == TP_REDACT_HOST) {
		char small[KEY_MOST];

		/* "host: 3" does not name a machine */
		for (size_t k = from; k < end; k++)
			small[k - from] = (char)lower(p[k]);
		if (p[i] != '=' && end == i)
			return;
		if (!tp_redact_has(&t->r->text_keys, small, end - from) &&
		    !tp_redact_has(&t->r->text_names, p + from, end - from))
			return;
	} else if (is != TP_REDACT_SECRET && is != KEY_WEAK) {
		return;
	}
	while (at < t->len && p[at] == ' ' && at - i < 4)
		at++;
	while (at < t->len && p[at] == '\\' && at + 1 < t->len &&
	    (p[at + 1] == '"' || p[at + 1] == '\\'))
		at++;
	if (at < t->len && (p[at] == '"' || p[at] == '\''))
		quote = p[at++];
	for (to = at; to < t->len && (quote || to - at < DECIDED_BY) &&
	    !(quote ? p[to] == quote : ends_value(p[to])); to++)
		;
	while (quote && to > at && p[to - 1] == '\\')
		to--;
	/* "Authorization: Bearer abc" */
	if (!quote && to - at >= 5 && to - at <= 6 && lower(p[at]) == 'b' &&
	    to + 1 < t->len && p[to] == ' ')
		for (at = ++to; to < t->len && !ends_value(p[to]); to++)
			;
	/* after a colon in a sentence or C++ it is not a password */
	if (!quote && p[i] == ':' && !may_be_token(p + at, to - at) && !upper)
		return;
	if (is == KEY_WEAK && !may_be_token(p + at, to - at))
		return;
	while (!quote && to < t->len && !ends_value(p[to]))
		to++;
	if (to > at)
		found_whole(t, at, to, is, p + from, end - from);
}

/* Replace VALUE of "--password VALUE"; the dashes are at I. */
static void
find_option(struct text *t, size_t i)
{
	const char *p = t->p;
	size_t at = i + 2, end, to;
	int is;

	for (end = at; end < t->len && (is_word((unsigned char)p[end]) ||
	    p[end] == '-'); end++)
		;
	if (end == at || end >= t->len || p[end] != ' ')
		return;
	is = tp_redact_key(t->r, p + at, end - at);
	if (is != TP_REDACT_SECRET && is != KEY_WEAK)
		return;
	for (to = end + 1; to < t->len && (unsigned char)p[to] > ' ' &&
	    p[to] != '"' && p[to] != '\''; to++)
		;
	if (p[end + 1] != '-')
		found_whole(t, end + 1, to, is, p + at, end - at);
}

/* Replace a private key in PEM form that begins with the dashes at I. */
static void
find_pem(struct text *t, size_t i)
{
	static const char begin[] = "-----BEGIN ", end[] = "-----END ";
	const char *p = t->p, *key, *e;
	ptrdiff_t v;
	size_t to;

	if (t->len - i < sizeof begin - 1 || memcmp(p + i, begin,
	    sizeof begin - 1))
		return;
	for (to = i + sizeof begin - 1; to < t->len && p[to] != '-'; to++)
		;
	key = to - i >= 11 + 11 ? p + to - 11 : NULL;
	if (!key || memcmp(key, "PRIVATE KEY", 11)) {
		/* "PRIVATE KEY BLOCK" of PGP */
		key = to - i >= 11 + 17 ? p + to - 17 : NULL;
		if (!key || memcmp(key, "PRIVATE KEY BLOCK", 17))
			return;
	}
	note_secret_place(t, "a private key", t->r->key, strlen(t->r->key));
	e = NULL;
	for (const char *q = p + to; (q = memchr(q, '-', (size_t)(p + t->len -
	    q))); q++)
		if ((size_t)(p + t->len - q) >= sizeof end - 1 &&
		    !memcmp(q, end, sizeof end - 1)) {
			e = q + sizeof end - 1;
			break;
		}
	if (!e) {
		v = found(t, i, t->len, TP_REDACT_PEM);
		t->r->in_pem = v >= 0;
		t->r->pem = (size_t)(v < 0 ? 0 : v);
		return;
	}
	while (e < p + t->len && *e != '-')
		e++;
	while (e < p + t->len && *e == '-')
		e++;
	found(t, i, (size_t)(e - p), TP_REDACT_PEM);
}

/* Replace further lines of a private key.  Returns 0 if the text is none. */
static int
go_on_pem(struct text *t)
{
	const char *p = t->p;
	size_t from = 0, to = t->len;

	while (from < to && (unsigned char)p[from] <= ' ')
		from++;
	while (to > from && (unsigned char)p[to - 1] <= ' ')
		to--;
	if (from == to)
		return 1;
	if (to - from >= 5 && !memcmp(p + from, "-----", 5)) {
		t->r->in_pem = 0;
	} else {
		for (size_t i = from; i < to; i++)
			if (!isalnum((unsigned char)p[i]) &&
			    !strchr("+/=:-, ", p[i])) {
				t->r->in_pem = 0;
				return 0;
			}
	}
	if (!is_ours(p + from, to - from))
		replace(t, from, to, t->r->pem);
	return 1;
}

/* Read a number up to 255 of an address at *AT.  Returns it, or -1. */
static int
octet(const char *p, size_t len, size_t *at)
{
	int n = 0;
	size_t from = *at;

	while (*at < len && digit(p[*at]) && *at - from < 4)
		n = n * 10 + p[(*at)++] - '0';
	return *at == from || *at - from > 3 || n > 255 ||
	    (*at - from > 1 && p[from] == '0') ? -1 : n;
}

/* Replace an IPv4 address whose first dot is at I, but not a version. */
static void
find_ipv4(struct text *t, size_t i)
{
	const char *p = t->p;
	size_t from = i, at;
	int n[4], most = 0;

	while (from > 0 && digit(p[from - 1]))
		from--;
	if (from == i || i - from > 3)
		return;
	if (from && (is_word((unsigned char)p[from - 1]) ||
	    strchr(".-+~^<>", p[from - 1]) || (p[from - 1] == '=' &&
	    from > 1 && strchr("=<>~!", p[from - 2]))))
		return;
	at = from;
	for (int k = 0; k < 4; k++) {
		n[k] = octet(p, t->len, &at);
		if (n[k] < 0 || (k < 3 && (at >= t->len || p[at++] != '.')))
			return;
		most = n[k] > most ? n[k] : most;
	}
	if (at < t->len && (is_word((unsigned char)p[at]) || p[at] == '+' ||
	    (p[at] == '-' && at + 1 < t->len) ||
	    (p[at] == '.' && at + 1 < t->len && is_word((unsigned char)
	    p[at + 1]))))
		return;
	if (tp_redact_has(&t->r->addresses, p + from, at - from) || !n[0])
		return;
	if (t->r->key_class == KEY_VERSION || (from >= 8 &&
	    (!memcmp(p + from - 7, "ersion", 6) || (!memcmp(p + from - 8,
	    "ersion", 6)))))
		return;
	if (n[0] != 10 && !(n[0] == 172 && n[1] >= 16 && n[1] < 32) &&
	    !(n[0] == 192 && n[1] == 168) && most < 100 &&
	    !(at + 1 < t->len && (p[at] == ':' || p[at] == '/') &&
	    digit(p[at + 1])) && !(from && strchr("@/[", p[from - 1])))
		return;
	found(t, from, at, TP_REDACT_ADDRESS);
}

/* Replace a MAC or IPv6 address with a colon at I. */
static void
find_colons(struct text *t, size_t i)
{
	const char *p = t->p;
	size_t from = i, to = i, groups = 0, doubles = 0, run = 0, pairs = 0;
	int digits = 0, letters = 0;

	while (from > 0 && i - from < 5 && hex(p[from - 1]))
		from--;
	if (i > 0 && p[i - 1] == ':')
		from = i - 1;
	if (from && (is_word((unsigned char)p[from - 1]) ||
	    p[from - 1] == ':' || p[from - 1] == '.'))
		return;
	for (to = from; to < t->len && to - from < 48 && (hex(p[to]) ||
	    p[to] == ':'); to++) {
		if (p[to] != ':') {
			run++;
			digits |= digit(p[to]);
			letters |= !digit(p[to]);
			continue;
		}
		if (to + 1 < t->len && p[to + 1] == ':')
			doubles++;
		groups += run > 0;
		pairs += run == 2;
		if (run > 4)
			return;
		run = 0;
	}
	groups += run > 0;
	pairs += run == 2;
	if (run > 4 || (to < t->len && is_word((unsigned char)p[to])) ||
	    tp_redact_has(&t->r->addresses, p + from, to - from))
		return;
	if (groups == 6 && pairs == 6 && !doubles && to - from == 17) {
		found(t, from, to, TP_REDACT_ADDRESS);
		return;
	}
	while (to > from && p[to - 1] == ':' && doubles == 0)
		return;
	if (!digits || ((doubles || groups != 8) && (doubles != 1 ||
	    groups < 2 || groups > 7)))
		return;
	if (doubles && groups < 4 && !(from + 4 < to && p[from + 4] == ':' &&
	    (digit(p[from]) || lower(p[from]) == 'f')))
		return;
	if (!doubles && !letters && pairs == 8)
		return;
	found(t, from, to, TP_REDACT_ADDRESS);
}

/* Examine all positions of T where something may begin. */
static void
scan(struct text *t)
{
	const unsigned char *p = (const unsigned char *)t->p;
	const unsigned char *pairs = t->r->pair;

	for (size_t i = 0; i + 1 < t->len; i++) {
		unsigned pair = p[i] | (unsigned)p[i + 1] << 8;

		if (!(pairs[pair >> 3] & 1U << (pair & 7)))
			continue;
		t->at = i;
		switch (p[i]) {
		case '@':
			find_mail(t, i);
			break;
		case '=':
			find_pair(t, i);
			break;
		case ':':
			if (p[i + 1] == '/' && i + 2 < t->len &&
			    p[i + 2] == '/')
				find_login(t, i);
			else if (p[i + 1] != ':' && (!i || p[i - 1] != ':'))
				find_pair(t, i);
			if (t->at == i)
				find_colons(t, i);
			break;
		case '.':
			find_ipv4(t, i);
			break;
		case '/':
		case '\\':
			find_home(t, i);
			break;
		case '-':
			find_pem(t, i);
			if (t->at == i)
				find_option(t, i);
			break;
		default:
			if (!find_token(t, i))
				find_word(t, i);
		}
		if (t->at > i)
			i = t->at - 1;
	}
}

/*
 * Decode the JSON escape at P, before LEN bytes, into OUT.  Returns its length,
 * or 0 if it is not one.
 */
static size_t
json_escape(const char *p, size_t len, char *out, size_t *n)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	uint32_t c;
	const char *at;

	if (len < 2)
		return 0;
	at = strchr(from, p[1]);
	if (at && *at) {
		*out = to[at - from];
		*n = 1;
		return 2;
	}
	if (p[1] != 'u' || tp_hex4(p + 2, p + len, &c) < 0)
		return 0;
	*n = tp_utf8_put(out, c);
	return 6;
}

static size_t
xml_escape(const char *p, size_t len, char *out, size_t *n)
{
	static const struct { const char *name; char is; } entities[] = {
		{ "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' },
		{ "&quot;", '"' }, { "&apos;", '\'' },
	};
	unsigned long c = 0;
	size_t at;
	int base = 10;

	for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
		at = strlen(entities[i].name);
		if (len >= at && !memcmp(p, entities[i].name, at)) {
			*out = entities[i].is;
			*n = 1;
			return at;
		}
	}
	if (len < 4 || p[1] != '#')
		return 0;
	at = 2;
	if (p[at] == 'x' || p[at] == 'X')
		base = 16, at++;
	for (; at < len && at < 12 && (base == 16 ? hex(p[at]) :
	    digit(p[at])); at++)
		c = c * (unsigned long)base + (unsigned long)(digit(p[at]) ?
		    p[at] - '0' : lower(p[at]) - 'a' + 10);
	if (at >= len || p[at] != ';' || !c || c > 0xffff)
		return 0;
	*n = tp_utf8_put(out, (uint32_t)c);
	return at + 1;
}

/* Set OUT to T without its escapes.  Returns 0 if T has none. */
static int
unescape(struct tp_redact *r, const struct text *t, enum tp_escape escape,
    int level, struct text *out)
{
	const char mark = escape == ESCAPE_XML ? '&' : escape == ESCAPE_CSV ?
	    '"' : '\\';
	struct tp_buf *buf = &r->plain[level];
	size_t n, used, at = 0;
	char *to, piece[4];

	if (escape == ESCAPE_NONE || !memchr(t->p, mark, t->len))
		return 0;
	tp_buf_clear(buf);
	to = tp_buf_room(buf, t->len);
	tp_grow(&r->from[level], &r->from_cap[level], t->len + 1,
	    sizeof *r->from[level]);
	for (size_t i = 0; i < t->len;) {
		n = 1;
		used = 0;
		if (t->p[i] == mark)
			used = escape == ESCAPE_XML ? xml_escape(t->p + i,
			    t->len - i, piece, &n) : escape == ESCAPE_JSON ?
			    json_escape(t->p + i, t->len - i, piece, &n) :
			    i + 1 < t->len && t->p[i + 1] == '"' ? 2 : 0;
		if (!used || escape == ESCAPE_CSV)
			piece[0] = t->p[i];
		for (size_t k = 0; k < n; k++) {
			to[at] = piece[k];
			r->from[level][at++] = t->from ? t->from[i] : i;
		}
		i += used ? used : 1;
	}
	r->from[level][at] = t->from ? t->from[t->len] : t->len;
	if (!level)
		r->plain_len = at;
	*out = (struct text){ r, to, at, r->from[level], 0 };
	return 1;
}

void
tp_redact_copy(struct tp_redact *r, const char *p)
{
	if (p > r->base && r->write)
		r->write(r->arg, r->base, (size_t)(p - r->base));
	TP_MOST(r->base, p);
}

/* Write the text at P with its replacements. */
static void
write_edits(struct tp_redact *r, const char *p)
{
	struct tp_redact_value *v;
	char word[40];
	int n;

	for (size_t i = 0; i < r->edit_count; i++) {
		v = &r->value[r->edits[i].value];
		v->places++;
		if (!r->write)
			continue;
		tp_redact_copy(r, p + r->edits[i].from);
		n = snprintf(word, sizeof word, "%s-%lu", names[v->what].stem,
		    (unsigned long)v->number);
		r->write(r->arg, word, (size_t)n);
		r->base = p + r->edits[i].to;
	}
	r->edit_count = 0;
}

/*
 * Replace the value of an environment variable NAME=VALUE unless the name is
 * listed as harmless.
 */
static void
find_variable(struct text *t)
{
	const char *eq = memchr(t->p, '=', t->len);
	size_t n = eq ? (size_t)(eq - t->p) : 0;
	int is;

	if (!tp_redact_is_variable(t->p, n))
		return;
	is = tp_redact_key(t->r, t->p, n);
	if (is == KEY_WEAK)
		is = TP_REDACT_SECRET;
	else if (is == TP_REDACT_NONE || is > TP_REDACT_COUNT)
		is = tp_redact_is_kept(t->r, t->p, n) ? TP_REDACT_NONE :
		    TP_REDACT_ENV;
	if (is != TP_REDACT_NONE)
		found_whole(t, n + 1, t->len, is, t->p, n);
}

static void
look_through(struct text *t, int whole)
{
	t->at = 0;
	if (t->r->in_pem && go_on_pem(t))
		return;
	if (whole == KEY_VARIABLE)
		find_variable(t);
	else if (whole != TP_REDACT_NONE && whole != KEY_VERSION &&
	    whole != KEY_UNAME)
		found_whole(t, 0, t->len, whole, t->r->key,
		    strlen(t->r->key));
	scan(t);
}

void
tp_redact_text(struct tp_redact *r, const char *p, size_t len,
    enum tp_escape escape, int whole)
{
	struct text t = { r, p, len, NULL, 0 }, more;

	if (len < 2)
		return;
	r->unit = p;
	if (unescape(r, &t, escape, 0, &more))
		t = more;
	look_through(&t, whole);
	/* JSON nested in JSON strings, up to two levels */
	if (memchr(t.p, '\\', t.len))
		for (int level = 1; level < 3 && unescape(r, &t, ESCAPE_JSON,
		    level, &more); level++) {
			t = more;
			look_through(&t, TP_REDACT_NONE);
		}
	if (r->edit_count)
		write_edits(r, p);
}
