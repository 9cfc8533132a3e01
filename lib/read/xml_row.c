/* xml_row - parse a row of an export by xctrace without an XML parser */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/text.h>

#include "word.h"
#include "xml_row.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define ATTS 16		/* most attributes of a tag */

#define ROW_END "</row>"
#define ROW_END_LEN 6

/* What a byte may be part of. */
enum { NAME = 1, VALUE = 2, CONTENT = 4 };

/* For ASCII bytes that do not begin an entity. */
static const unsigned char is[256] = {
#define L NAME | VALUE | CONTENT
#define V VALUE | CONTENT
	[' '] = V, ['!'] = V, ['"'] = CONTENT, ['#'] = V, ['$'] = V,
	['%'] = V, ['\''] = V, ['('] = V, [')'] = V, ['*'] = V, ['+'] = V,
	[','] = V, ['-'] = L, ['.'] = L, ['/'] = V, ['0'] = L, ['1'] = L,
	['2'] = L, ['3'] = L, ['4'] = L, ['5'] = L, ['6'] = L, ['7'] = L,
	['8'] = L, ['9'] = L, [':'] = V, [';'] = V, ['='] = V,
	['>'] = VALUE,	/* "]]>" is not allowed in text */
	['?'] = V, ['@'] = V, ['A'] = L, ['B'] = L, ['C'] = L, ['D'] = L,
	['E'] = L, ['F'] = L, ['G'] = L, ['H'] = L, ['I'] = L, ['J'] = L,
	['K'] = L, ['L'] = L, ['M'] = L, ['N'] = L, ['O'] = L, ['P'] = L,
	['Q'] = L, ['R'] = L, ['S'] = L, ['T'] = L, ['U'] = L, ['V'] = L,
	['W'] = L, ['X'] = L, ['Y'] = L, ['Z'] = L, ['['] = V, ['\\'] = V,
	[']'] = V, ['^'] = V, ['_'] = L, ['`'] = V, ['a'] = L, ['b'] = L,
	['c'] = L, ['d'] = L, ['e'] = L, ['f'] = L, ['g'] = L, ['h'] = L,
	['i'] = L, ['j'] = L, ['k'] = L, ['l'] = L, ['m'] = L, ['n'] = L,
	['o'] = L, ['p'] = L, ['q'] = L, ['r'] = L, ['s'] = L, ['t'] = L,
	['u'] = L, ['v'] = L, ['w'] = L, ['x'] = L, ['y'] = L, ['z'] = L,
	['{'] = V, ['|'] = V, ['}'] = V, ['~'] = V, [0x7f] = V,
#undef L
#undef V
};

static const struct entity {
	const char *name;
	size_t len;
	char c;
} entities[] = {
	{ "&amp;", 5, '&' }, { "&lt;", 4, '<' }, { "&gt;", 4, '>' },
	{ "&quot;", 6, '"' }, { "&apos;", 6, '\'' },
};

static const struct entity *
entity_at(const char *p, const char *end)
{
	for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
		if ((size_t)(end - p) >= entities[i].len &&
		    !memcmp(p, entities[i].name, entities[i].len))
			return &entities[i];
	return NULL;
}

size_t
tp_xml_plain(char *out, const struct tp_xml_text *text)
{
	const char *p = text->p, *end = p + text->len;
	const struct entity *e;
	char *to = out;

	while (p < end) {
		if (*p == '&' && (e = entity_at(p, end))) {
			*to++ = e->c;
			p += e->len;
		} else {
			*to++ = *p++;
		}
	}
	return (size_t)(to - out);
}

/* The length of a non-ASCII character at P that XML allows; else 0. */
static size_t
wide(const char *p, const char *end)
{
	uint32_t c;
	size_t n = tp_utf8(p, (size_t)(end - p), &c);

	return n > 1 && c != 0xfffe && c != 0xffff ? n : 0;
}

/*
 * The first byte from P on that is not of KIND; there must be one before END.
 */
static inline const char *
past(const char *p, const char *end, unsigned kind)
{
#ifdef __SSE2__
	const __m128i mark = _mm_set1_epi8(kind == VALUE ? '"' : '>');

	for (; end - p >= 16; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i stop = _mm_or_si128(_mm_or_si128(
		    _mm_cmplt_epi8(x, _mm_set1_epi8(' ')),	/* signed: also
								 * bytes above
								 * 0x7f */
		    _mm_cmpeq_epi8(x, _mm_set1_epi8('&'))), _mm_or_si128(
		    _mm_cmpeq_epi8(x, _mm_set1_epi8('<')),
		    _mm_cmpeq_epi8(x, mark)));
		int bits = _mm_movemask_epi8(stop);

		if (bits)
			return p + __builtin_ctz((unsigned)bits);
	}
#else
	(void)end;
#endif
	while (is[(unsigned char)*p] & kind)
		p++;
	return p;
}

/*
 * Set *TEXT to the bytes of KIND from P on, which must end before END.  Returns
 * their end, or NULL if they do not have the known form.
 */
static inline const char *
scan_xml_text(const char *p, const char *end, unsigned kind,
    struct tp_xml_text *text)
{
	const struct entity *e;
	size_t n;

	text->p = p;
	text->has_entities = 0;
	for (;;) {
		p = past(p, end, kind);
		if ((unsigned char)*p >= 0x80) {
			n = wide(p, end);
			if (!n)
				return NULL;
			p += n;
		} else if (*p == '&') {
			e = entity_at(p, end);
			if (!e)
				return NULL;
			text->has_entities = 1;
			p += e->len;
		} else {
			break;
		}
	}
	text->len = (uint32_t)(p - text->p);
	return p;
}

static const char *
take_name(const char *p, struct tp_xml_text *name)
{
	name->p = p;
	name->has_entities = 0;
	/* a name does not begin with a digit, '-' or '.' */
	if (!(is[(unsigned char)*p] & NAME) || *p < 'A')
		return NULL;
	while (is[(unsigned char)*p] & NAME)
		p++;
	name->len = (uint32_t)(p - name->p);
	return p;
}

static inline int
same(const struct tp_xml_text *a, const struct tp_xml_text *b)
{
	return a->len == b->len && !memcmp(a->p, b->p, a->len);
}

void
tp_xml_number(struct tp_xml_token *t, enum tp_xml_number what,
    const char *text, size_t len)
{
	char digits[32], *end;
	uint64_t n = 0;
	int good = len < sizeof digits;

	if (good) {
		memcpy(digits, text, len);
		digits[len] = '\0';
		errno = 0;
		n = strtoull(digits, &end, 10);
		good = end != digits && !*end && !errno && *digits != '-';
	}
	if (what == TP_XML_ID && (!good || t->numbered > TP_XML_ID))
		return;
	t->numbered = good ? what : TP_XML_BAD_REF;
	t->id = n;
}

/*
 * Parse the number at P, which ends in a quote, as the WHAT of T.  Returns the
 * end after the quote, or NULL if it is not a number or very large.  Try the
 * number of digits that TAG had last first: a search for the quote would stall.
 */
static inline const char *
take_number(const char *p, const char *end, struct tp_xml_token *t,
    struct tp_xml_tag *tag, enum tp_xml_number what)
{
	const char *from = p;

	p += tag->digits;
	if (tag->digits >= end - from || *p != '"' ||
	    !tp_digits(from, tag->digits, 1, &t->id)) {
		p = tp_digits_from(from, end, &t->id);
		if (*p != '"' || p == from || p - from > 18)
			return NULL;
		tag->digits = (unsigned char)(p - from);
	}
	t->numbered = what;
	return p + 1;
}

/*
 * Parse the attributes of T, of TAG, from P on.  Returns their end, or NULL if
 * they do not have the known form.  At least "</row>" lies between P, or the
 * result, and END.
 */
static const char *
take_atts(const char *p, const char *end, struct tp_xml_token *t,
    struct tp_xml_tag *tag)
{
	struct tp_xml_text names[ATTS], value;
	const char *next;
	size_t count = 0;

	t->numbered = TP_XML_NO_ID;
	t->fmt.p = t->named.p = NULL;
	t->fmt.has_entities = 0;
	/* most tags have these attributes only */
	if (!memcmp(p, " ref=\"", 6)) {
		next = take_number(p + 6, end, t, tag, TP_XML_REF);
		if (next && *next != ' ')
			return next;
		t->numbered = TP_XML_NO_ID;
	}
	if (!memcmp(p, " id=\"", 5) &&
	    (next = take_number(p + 5, end, t, tag, TP_XML_ID))) {
		names[count++] = (struct tp_xml_text){ p + 1, 2, 0 };
		p = next;
		if (!memcmp(p, " fmt=\"", 6)) {
			next = scan_xml_text(p + 6, end, VALUE, &t->fmt);
			if (!next || *next != '"')
				return NULL;
			names[count++] = (struct tp_xml_text){ p + 1, 3, 0 };
			p = next + 1;
		}
	}
	for (; *p == ' '; count++) {
		struct tp_xml_text *name = &names[count];

		if (count == ATTS || !(p = take_name(p + 1, name)) ||
		    p[0] != '=' || p[1] != '"' ||
		    !(p = scan_xml_text(p + 2, end, VALUE, &value)) || *p !=
		    '"')
			return NULL;
		p++;
		/* attributes must differ */
		for (size_t i = 0; i < count; i++)
			if (same(&names[i], name))
				return NULL;
		if (name->len == 2 && !memcmp(name->p, "id", 2))
			tp_xml_number(t, TP_XML_ID, value.p, value.len);
		else if (name->len == 3 && !memcmp(name->p, "fmt", 3))
			t->fmt = value;
		else if (name->len == 3 && !memcmp(name->p, "ref", 3))
			tp_xml_number(t, TP_XML_REF, value.p, value.len);
		else if (name->len == 4 && !memcmp(name->p, "name", 4))
			t->named = value;
	}
	return p;
}

const char *
tp_xml_last_row(const char *p, const char *end)
{
	for (; end - p >= ROW_END_LEN; end--)
		if (end[-1] == '>' && !memcmp(end - ROW_END_LEN, ROW_END,
		    ROW_END_LEN))
			return end;
	return p;
}

uint32_t
tp_xml_tag(struct tp_xml_tokens *tokens, const char *name, size_t len)
{
	ptrdiff_t at = tp_names_add(&tokens->names, name, len);
	struct tp_xml_tag *tag = TP_ITEM(tokens->tags, tokens->tag_cap, at);

	tag->name = tokens->names.names[at].text;
	tag->len = (uint32_t)len;
	return (uint32_t)at;
}

int
tp_xml_tags_full(const struct tp_xml_tokens *tokens, const char *name,
    size_t len)
{
	return tokens->names.count >= TP_XML_TAGS &&
	    tp_names_find(&tokens->names, name, len) < 0;
}

void
tp_xml_release(struct tp_xml_tokens *tokens)
{
	tp_names_release(&tokens->names);
	tp_free(tokens->tags);
	tp_free(tokens->list);
}

/* An open element, or the row. */
struct open {
	uint32_t tag, kids;		/* number of children so far */
};

/*
 * Set *TAG to the tag of the child of O whose name is at P.  Returns the end of
 * the name, or NULL.
 */
static inline const char *
take_tag(const char *p, const char *end, struct tp_xml_tokens *tokens,
    struct open *o, uint32_t *tag)
{
	size_t kid = o->kids < TP_XML_KIDS ? o->kids : TP_XML_KIDS - 1;
	uint32_t likely = tokens->tags[o->tag].kids[kid];
	const struct tp_xml_tag *guess = &tokens->tags[likely];
	struct tp_xml_text name;

	o->kids++;
	if ((size_t)(end - p) > guess->len &&
	    tp_same_bytes(p, guess->name, guess->len) &&
	    !(is[(unsigned char)p[guess->len]] & NAME)) {
		*tag = likely;
		return p + guess->len;
	}
	p = take_name(p, &name);
	if (!p)
		return NULL;
	if (tp_xml_tags_full(tokens, name.p, name.len))
		return NULL;
	*tag = tp_xml_tag(tokens, name.p, name.len);
	tokens->tags[o->tag].kids[kid] = *tag;
	return p;
}

/* The end of the end tag of TAG at P, or NULL if another tag ends. */
static inline const char *
take_end(const char *p, const char *end, const struct tp_xml_tag *tag)
{
	return (size_t)(end - p) < (size_t)tag->len + 3 ||
	    !tp_same_bytes(p + 2, tag->name, tag->len) ||
	    p[2 + tag->len] != '>' ? NULL : p + 3 + tag->len;
}

/*
 * Parse the content of T from P on, behind its start tag.  Returns the end of
 * its end tag if it has no children; else P, and T is a START.  NULL if it does
 * not have the known form.
 */
static inline const char *
take_content(const char *p, const char *end, struct tp_xml_tokens *tokens,
    struct tp_xml_token *t)
{
	const char *next = scan_xml_text(p, end, CONTENT, &t->text);

	if (!next || *next != '<')
		return NULL;
	t->is = next[1] == '/' ? TP_XML_LEAF : TP_XML_START;
	return t->is == TP_XML_START ? p :
	    take_end(next, end, &tokens->tags[t->tag]);
}

size_t
tp_xml_row(const char *p, const char *end, struct tp_xml_tokens *tokens)
{
	struct open open[TP_XML_DEPTH + 1];
	const char *from = p;
	size_t depth = 0;
	uint32_t row = tp_xml_tag(tokens, "row", 3);

	tokens->count = 0;
	open[0] = (struct open){ row, 0 };
	p += 5;				/* "<row>" */
	for (;;) {
		struct tp_xml_token *t;

		if (tokens->count + 1 >= tokens->cap)
			tp_grow(&tokens->list, &tokens->cap, tokens->count + 2,
			    sizeof *tokens->list);
		t = &tokens->list[tokens->count];
		if (*p != '<') {
			/* text between cells belongs to none */
			t->is = TP_XML_TEXT;
			p = scan_xml_text(p, end, CONTENT, &t->text);
			if (!p || *p != '<')
				return 0;
			if (depth)
				t = &tokens->list[++tokens->count];
		}
		if (p[1] == '/') {
			if (!depth)
				break;
			p = take_end(p, end, &tokens->tags[open[depth].tag]);
			if (!p)
				return 0;
			depth--;
			t->is = TP_XML_END;
			tokens->count++;
			continue;
		}
		p = take_tag(p + 1, end, tokens, &open[depth], &t->tag);
		if (!p || !(p = take_atts(p, end, t, &tokens->tags[t->tag])))
			return 0;
		if (p[0] == '/' && p[1] == '>') {
			t->is = TP_XML_LEAF;
			t->text = (struct tp_xml_text){ p, 0, 0 };
			p += 2;
		} else if (*p == '>' && depth < TP_XML_DEPTH) {
			p = take_content(p + 1, end, tokens, t);
			if (!p)
				return 0;
			if (t->is == TP_XML_START)
				open[++depth] = (struct open){ t->tag, 0 };
		} else {
			return 0;
		}
		tokens->count++;
	}
	return memcmp(p, ROW_END, ROW_END_LEN) ? 0 : (size_t)(p + ROW_END_LEN -
	    from);
}
