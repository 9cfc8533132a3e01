/* records - read the record stream */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tp/cond.h>
#include <tp/hash.h>
#include <tp/records.h>
#include <tp/text.h>

#include "json_plain.h"

/* A hand-written parser of one line, so that no number is rounded. */

struct scan {
	const char *p, *end;
	struct tp_arena *arena;
	struct tp_buf *text;	/* scratch for strings with escapes */
	const char *plain;	/* the last string, if it has none: */
	size_t plain_len;
};

static void
blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' ||
	    *s->p == '\r' || *s->p == '\n'))
		s->p++;
}

static int
hex4(struct scan *s, uint32_t *unit)
{
	if (tp_hex4(s->p, s->end, unit) < 0)
		return -1;
	s->p += 4;
	return 0;
}

/* Read a character after "\u", both halves of a surrogate pair. */
static int
unicode(struct scan *s, uint32_t *c)
{
	uint32_t low;

	if (hex4(s, c) < 0)
		return -1;
	if (*c >= 0xd800 && *c < 0xdc00 && s->end - s->p >= 6 &&
	    s->p[0] == '\\' && s->p[1] == 'u') {
		s->p += 2;
		if (hex4(s, &low) < 0)
			return -1;
		if (low >= 0xdc00 && low < 0xe000)
			*c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
		else
			*c = 0xfffd;
	} else if (*c >= 0xd800 && *c < 0xe000) {
		*c = 0xfffd;
	}
	return 0;
}

/*
 * Read a string from its opening quote on, into s->plain or, unescaped,
 * s->text.
 */
static int
string(struct scan *s)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *plain, *at;
	uint32_t c;

	if (s->p >= s->end || *s->p != '"')
		return -1;
	s->plain = plain = ++s->p;
	s->p = tp_json_run(s->p, s->end);
	if (s->p < s->end && *s->p == '"') {
		s->plain_len = (size_t)(s->p++ - plain);
		return 0;
	}
	s->plain = NULL;
	tp_buf_clear(s->text);
	while (s->p < s->end && *s->p != '"') {
		if ((unsigned char)*s->p < 0x20)
			return -1;
		tp_buf_add(s->text, plain, (size_t)(s->p - plain));
		if (++s->p >= s->end)
			return -1;
		if (*s->p == 'u') {
			s->p++;
			if (unicode(s, &c) < 0)
				return -1;
			tp_utf8_add(s->text, c);
		} else {
			at = *s->p ? strchr(from, *s->p) : NULL;
			if (!at)
				return -1;
			tp_buf_chr(s->text, to[at - from]);
			s->p++;
		}
		plain = s->p;
		s->p = tp_json_run(s->p, s->end);
	}
	if (s->p >= s->end)
		return -1;
	tp_buf_add(s->text, plain, (size_t)(s->p++ - plain));
	return 0;
}

/* Parse the integer text of F; 0 when it may exceed 64 bits or is -0. */
static int
small_int(struct tp_field *f)
{
	const char *p = f->text + (*f->text == '-');
	uint64_t u = 0;

	if (f->text + f->len - p > 18 || (*p == '0' && p > f->text))
		return 0;
	for (; *p; p++)
		u = u * 10 + (uint64_t)(*p - '0');
	f->n = *f->text == '-' ? -(int64_t)u : (int64_t)u;
	f->x = (double)f->n;
	f->type = TP_FIELD_INT;
	return 1;
}

/* Read a number (RFC 8259) and set its type. */
static int
number(struct scan *s, struct tp_field *f)
{
	const char *start = s->p, *digits;
	int real = 0;

	if (s->p < s->end && *s->p == '-')
		s->p++;
	digits = s->p;
	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	if (s->p == digits || (*digits == '0' && s->p - digits > 1))
		return -1;
	if (s->p < s->end && *s->p == '.') {
		real = 1;
		digits = ++s->p;
		while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
			s->p++;
		if (s->p == digits)
			return -1;
	}
	if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
		real = 1;
		s->p++;
		if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
			s->p++;
		digits = s->p;
		while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
			s->p++;
		if (s->p == digits)
			return -1;
	}
	f->len = (size_t)(s->p - start);
	f->text = tp_arena_text(s->arena, start, f->len);
	if (!real && small_int(f))
		return 0;
	f->x = strtod(f->text, NULL);
	if (!isfinite(f->x)) {
		/* too large for a double: treated as unknown */
		f->x = 0;
		return 0;
	}
	f->type = TP_FIELD_REAL;
	errno = 0;
	if (!real) {
		f->n = strtoll(f->text, NULL, 10);
		if (!errno)
			f->type = TP_FIELD_INT;
		else
			f->n = 0;
	}
	return 0;
}

static int
literal(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n))
		return 0;
	s->p += n;
	return 1;
}

static void
keep_scanned_text(struct scan *s, const char **text, size_t *len)
{
	if (s->plain) {
		*len = s->plain_len;
		*text = tp_arena_text(s->arena, s->plain, s->plain_len);
		return;
	}
	*text = tp_arena_text(s->arena, s->text->p ? s->text->p : "",
	    s->text->len);
	*len = s->text->len;
}

static int
value(struct scan *s, struct tp_field *f)
{
	f->text = "";
	if (s->p >= s->end)
		return -1;
	if (*s->p == '"') {
		if (string(s) < 0)
			return -1;
		f->type = TP_FIELD_TEXT;
		keep_scanned_text(s, &f->text, &f->len);
		return 0;
	}
	if (literal(s, "null"))
		return 0;
	if (literal(s, "true") || literal(s, "false")) {
		f->type = TP_FIELD_BOOL;
		f->n = s->p[-2] == 'u';
		f->text = f->n ? "true" : "false";
		f->len = strlen(f->text);
		return 0;
	}
	return number(s, f);
}

/* {"key":value,...}: 0; or -1, not a flat object. */
static int
object(struct scan *s, struct tp_rec *rec)
{
	struct tp_field fields[TP_REC_MAX], *f;
	size_t n = 0, len;

	blanks(s);
	if (s->p >= s->end || *s->p++ != '{')
		return -1;
	for (;;) {
		blanks(s);
		if (!n && s->p < s->end && *s->p == '}')
			break;
		if (n == TP_REC_MAX)
			return -1;
		f = &fields[n++];
		memset(f, 0, sizeof *f);
		if (string(s) < 0)
			return -1;
		keep_scanned_text(s, &f->key, &len);
		blanks(s);
		if (s->p >= s->end || *s->p++ != ':')
			return -1;
		blanks(s);
		if (value(s, f) < 0)
			return -1;
		blanks(s);
		if (s->p >= s->end)
			return -1;
		if (*s->p == '}')
			break;
		if (*s->p++ != ',')
			return -1;
	}
	s->p++;
	blanks(s);
	if (s->p != s->end)
		return -1;
	rec->fields = tp_arena_get(s->arena, n * sizeof *f);
	memcpy(rec->fields, fields, n * sizeof *f);
	rec->count = n;
	return 0;
}

int
tp_rec_object(struct tp_rec *rec, const char *text, size_t len,
    struct tp_arena *arena, struct tp_err *err)
{
	struct tp_buf buf = { 0 };
	struct scan s = { text, text + len, arena, &buf, NULL, 0 };
	int rc;

	memset(rec, 0, sizeof *rec);
	rc = object(&s, rec);
	tp_buf_release(&buf);
	if (rc < 0)
		return tp_fail(err, TP_BAD, "record.damaged", 0,
		    "not a flat JSON object at byte %zu",
		    (size_t)(s.p - text) + 1);
	return 0;
}

int
tp_rec_parse(struct tp_rec *rec, const char *line, size_t len,
    struct tp_arena *arena, struct tp_err *err)
{
	if (tp_rec_object(rec, line, len, arena, err) < 0)
		return -1;
	rec->kind = tp_rec_text(rec, "kind");
	rec->src = tp_rec_text(rec, "src");
	if (!rec->src)
		rec->src = "";
	if (!rec->kind)
		return tp_fail(err, TP_BAD, "record.damaged", 0,
		    "an object without \"kind\" is not a record");
	return 0;
}

const struct tp_field *
tp_rec_field(const struct tp_rec *rec, const char *key)
{
	for (size_t i = 0; i < rec->count; i++)
		if (!strcmp(rec->fields[i].key, key))
			return &rec->fields[i];
	return NULL;
}

const char *
tp_rec_text(const struct tp_rec *rec, const char *key)
{
	const struct tp_field *f = tp_rec_field(rec, key);

	return f && f->type == TP_FIELD_TEXT ? f->text : NULL;
}

int
tp_rec_int(const struct tp_rec *rec, const char *key, int64_t *n)
{
	const struct tp_field *f = tp_rec_field(rec, key);

	if (!f || f->type != TP_FIELD_INT)
		return 0;
	*n = f->n;
	return 1;
}

int
tp_rec_real(const struct tp_rec *rec, const char *key, double *x)
{
	const struct tp_field *f = tp_rec_field(rec, key);

	if (!f || (f->type != TP_FIELD_INT && f->type != TP_FIELD_REAL))
		return 0;
	*x = f->x;
	return 1;
}

void
tp_set_chain(struct tp_set_chains *c, const char *name, size_t len, size_t at)
{
	size_t had = c->names.count;
	ptrdiff_t i = tp_names_add(&c->names, name, len);

	if (at >= UINT32_MAX)
		tp_no_memory();
	TP_ITEM(c->first, c->first_cap, i);
	tp_grow(&c->last, &c->last_cap, (size_t)i + 1, sizeof *c->last);
	tp_grow(&c->next, &c->next_cap, at + 1, sizeof *c->next);
	if ((size_t)i == had || c->first[i] == UINT32_MAX)
		c->first[i] = (uint32_t)at;
	else
		c->next[c->last[i]] = (uint32_t)at;
	c->last[i] = (uint32_t)at;
	c->next[at] = UINT32_MAX;
}

void
tp_set_chains_release(struct tp_set_chains *c)
{
	tp_names_release(&c->names);
	tp_free(c->first);
	tp_free(c->last);
	tp_free(c->next);
}

/* The first record of NAME (LEN bytes); UINT32_MAX: none. */
static uint32_t
first_of(const struct tp_set_chains *c, const char *name, size_t len)
{
	ptrdiff_t i = tp_names_find(&c->names, name, len);

	return i < 0 ? UINT32_MAX : c->first[i];
}

/* The record after the last one is filled in: count it. */
static void
take_in(struct tp_set *set)
{
	const struct tp_rec *rec = &set->recs[set->count];

	tp_set_chain(&set->kinds, rec->kind, strlen(rec->kind), set->count);
	tp_set_chain(&set->srcs, rec->src, strlen(rec->src), set->count);
	set->count++;
}

int
tp_set_add(struct tp_set *set, const char *line, size_t len,
    struct tp_err *err)
{
	tp_grow(&set->recs, &set->cap, set->count + 1, sizeof *set->recs);
	if (tp_rec_parse(&set->recs[set->count], line, len, &set->arena,
	    err) < 0)
		return -1;
	take_in(set);
	return 0;
}

void
tp_set_push(struct tp_set *set, const struct tp_rec *rec)
{
	tp_grow(&set->recs, &set->cap, set->count + 1, sizeof *set->recs);
	set->recs[set->count] = *rec;
	take_in(set);
}

void
tp_set_chained(const struct tp_set *set, const struct tp_set_chains *c,
    const char *name, size_t len, struct tp_set *view)
{
	uint32_t all = first_of(c, "", 0);
	uint32_t own = len ? first_of(c, name, len) : UINT32_MAX, *at;

	while ((own != UINT32_MAX || all != UINT32_MAX)) {
		at = own < all ? &own : &all;
		tp_set_push(view, &set->recs[*at]);
		*at = c->next[*at];
	}
}

void
tp_set_of(const struct tp_set *set, const char *src, struct tp_set *view)
{

	if (src) {
		tp_set_chained(set, &set->srcs, src, strlen(src), view);
		return;
	}
	for (size_t i = 0; i < set->count; i++)
		tp_set_push(view, &set->recs[i]);
}

void
tp_set_cut(struct tp_set *set, size_t count)
{
	struct tp_set_chains *const chains[] = { &set->kinds, &set->srcs };

	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < chains[i]->names.count; k++)
			chains[i]->first[k] = UINT32_MAX;
	for (set->count = 0; set->count < count;)
		take_in(set);
}

int
tp_set_take(struct tp_set *set, struct tp_out *out, struct tp_err *err)
{
	const char *text = out->buf.p ? out->buf.p : "";
	const char *end = text + out->buf.len, *line;

	for (; text < end; text = line + 1) {
		line = memchr(text, '\n', (size_t)(end - text));
		if (!line)
			line = end;
		if (tp_set_add(set, text, (size_t)(line - text), err) < 0)
			return -1;
	}
	tp_buf_clear(&out->buf);
	return 0;
}

void
tp_set_release(struct tp_set *set)
{
	tp_free(set->recs);
	tp_set_chains_release(&set->kinds);
	tp_set_chains_release(&set->srcs);
	tp_arena_release(&set->arena);
	memset(set, 0, sizeof *set);
}

void
tp_set_kinds(const struct tp_set *set, struct tp_names *kinds)
{
	const struct tp_set_chains *c = &set->kinds;

	for (size_t i = 0; i < c->names.count; i++)
		if (c->first[i] != UINT32_MAX)
			tp_names_add(kinds, c->names.names[i].text,
			    c->names.names[i].len);
}

/* Keys whose values may stand in KIND[VALUE]. */
static const char *const selecting[] = { "scope", "series", "category",
    "section", "role", "bucket", "cause", "order", "state", "channel",
    "code", "family", "basis", "class", "part", "standing", "pattern" };

const struct tp_field *
tp_rec_choice(const struct tp_rec *rec, size_t *at)
{
	const struct tp_field *f;

	while (*at < sizeof selecting / sizeof *selecting) {
		f = tp_rec_field(rec, selecting[(*at)++]);
		if (f && f->type == TP_FIELD_TEXT)
			return f;
	}
	return NULL;
}

static int
is_selecting(const char *key)
{
	for (size_t i = 0; i < sizeof selecting / sizeof *selecting; i++)
		if (!strcmp(selecting[i], key))
			return 1;
	return 0;
}

/*
 * Whether WANT selects REC: by a key that tp_rec_choice() offers, by "op",
 * or as a condition.
 */
static int
selected(const struct tp_rec *rec, const char *want, size_t len)
{
	struct tp_cond cond;
	struct tp_err err;

	for (size_t i = 0; i < rec->count; i++) {
		const struct tp_field *f = &rec->fields[i];

		/* few values are WANT, so their keys are looked up last */
		if (f->type == TP_FIELD_TEXT && f->len == len &&
		    !memcmp(f->text, want, len) && (is_selecting(f->key) ||
		    !strcmp(f->key, "op")))
			return 1;
	}
	/* a single name is a VALUE */
	return !tp_cond_parse(&cond, want, len, &err) &&
	    cond.op != TP_COND_IS && tp_cond_of(&cond, rec);
}

int
tp_rec_is(const struct tp_rec *rec, const char *selector, size_t len)
{
	const char *end = selector + len, *open, *close;
	size_t n;

	open = memchr(selector, '[', len);
	n = open ? (size_t)(open - selector) : len;
	if (strlen(rec->kind) != n || memcmp(rec->kind, selector, n))
		return 0;
	while (open && open < end && *open == '[') {
		close = memchr(open, ']', (size_t)(end - open));
		if (!close || !selected(rec, open + 1,
		    (size_t)(close - open - 1)))
			return 0;
		open = close + 1;
	}
	return !open || open == end;
}

/* The first record from AT on that C lists under NAME. */
static uint32_t
first_from(const struct tp_set_chains *c, const char *name, size_t len,
    size_t at)
{
	uint32_t i = first_of(c, name, len);

	while (i != UINT32_MAX && i < at)
		i = c->next[i];
	return i;
}

const struct tp_rec *
tp_set_next(const struct tp_set *set, const char *selector, size_t *at)
{
	return tp_set_next_part(set, selector, strlen(selector), at);
}

const struct tp_rec *
tp_set_next_of(const struct tp_set *set, const char *selector,
    const char *src, size_t *at)
{
	size_t len = strlen(selector), kind_len = strcspn(selector, "[");
	const struct tp_rec *last = *at && *at <= set->count ?
	    &set->recs[*at - 1] : NULL;
	uint32_t of_kind, of_src;

	if (!src)
		return tp_set_next(set, selector, at);
	if (last && tp_rec_is(last, selector, kind_len) &&
	    !strcmp(last->src, src)) {
		of_kind = set->kinds.next[*at - 1];
		of_src = set->srcs.next[*at - 1];
	} else {
		of_kind = first_from(&set->kinds, selector, kind_len, *at);
		of_src = first_from(&set->srcs, src, strlen(src), *at);
	}
	/* at the cost of the shorter list: the first hit of both is one */
	while (of_kind != UINT32_MAX && of_src != UINT32_MAX) {
		if (!strcmp(set->recs[of_kind].src, src) &&
		    tp_rec_is(&set->recs[of_kind], selector, len))
			of_src = of_kind;
		else if (!tp_rec_is(&set->recs[of_src], selector, len)) {
			of_kind = set->kinds.next[of_kind];
			of_src = set->srcs.next[of_src];
			continue;
		}
		*at = (size_t)of_src + 1;
		return &set->recs[of_src];
	}
	*at = set->count > *at ? set->count : *at;
	return NULL;
}

size_t
tp_set_count(const struct tp_set *set, const char *selector)
{
	size_t n = 0, at = 0;

	while (tp_set_next(set, selector, &at))
		n++;
	return n;
}

const struct tp_rec *
tp_set_next_part(const struct tp_set *set, const char *selector, size_t len,
    size_t *at)
{
	const char *bracket = memchr(selector, '[', len);
	size_t kind_len = bracket ? (size_t)(bracket - selector) : len;
	uint32_t i;

	/* the previous hit has that kind */
	if (*at && *at <= set->count && tp_rec_is(&set->recs[*at - 1],
	    selector, kind_len))
		i = set->kinds.next[*at - 1];
	else
		i = first_from(&set->kinds, selector, kind_len, *at);
	for (; i != UINT32_MAX; i = set->kinds.next[i])
		if (!bracket || tp_rec_is(&set->recs[i], selector, len)) {
			*at = (size_t)i + 1;
			return &set->recs[i];
		}
	*at = set->count > *at ? set->count : *at;
	return NULL;
}

void
tp_set_parts(const struct tp_set *set, const char *kind, size_t len,
    struct tp_names *parts)
{
	struct tp_buf part = { 0 };
	const struct tp_field *f;
	const struct tp_rec *rec;
	size_t at = 0, i;

	while ((rec = tp_set_next_part(set, kind, len, &at)))
		for (i = 0; (f = tp_rec_choice(rec, &i)); ) {
			tp_buf_clear(&part);
			tp_buf_fmt(&part, "%s[%s]", rec->kind, f->text);
			tp_names_add(parts, part.p, part.len);
		}
	tp_buf_release(&part);
}
