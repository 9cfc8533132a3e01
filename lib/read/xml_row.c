/* xml_row - parse a row of an export by xctrace without an XML parser */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/text.h>

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

/* Returns the length of a non-ASCII character at P that XML allows; else 0. */
static size_t
wide(const char *p, const char *end)
{
	uint32_t c;
	size_t n = tp_utf8(p, (size_t)(end - p), &c);

	return n > 1 && c != 0xfffe && c != 0xffff ? n : 0;
}

/*
 * Returns the first byte from P on that is not of KIND; there must be one
 * before END.
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
#endif
	while (is[(unsigned char)*p] & kind)
		p++;
	return p;
}

/*
 * Sets *TEXT to the bytes of KIND from P on, which must end before END.
 * Returns their end, or NULL if they do not have the known form.
 */
static inline const char *
take(const char *p, const char *end, unsigned kind, struct tp_xml_text *text)
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

#ifdef __SSE2__
/* Returns a bit for each of the 16 bytes at P that may be in a name. */
static inline unsigned
name_bits(const char *p)
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i lower = _mm_or_si128(x, _mm_set1_epi8(0x20));
	__m128i letter = _mm_and_si128(
	    _mm_cmpgt_epi8(lower, _mm_set1_epi8('a' - 1)),
	    _mm_cmplt_epi8(lower, _mm_set1_epi8('z' + 1)));
	/* '-', '.' and digits; the range includes '/' */
	__m128i other = _mm_andnot_si128(_mm_cmpeq_epi8(x,
	    _mm_set1_epi8('/')), _mm_and_si128(
	    _mm_cmpgt_epi8(x, _mm_set1_epi8('-' - 1)),
	    _mm_cmplt_epi8(x, _mm_set1_epi8('9' + 1))));

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(letter,
	    other), _mm_cmpeq_epi8(x, _mm_set1_epi8('_'))));
}
#endif

static inline const char *
take_name(const char *p, const char *end, struct tp_xml_text *name)
{
	name->p = p;
	name->has_entities = 0;
	/* a name does not begin with a digit, '-' or '.' */
	if (!(is[(unsigned char)*p] & NAME) || *p < 'A')
		return NULL;
#ifdef __SSE2__
	for (; end - p >= 16; p += 16) {
		unsigned no = ~name_bits(p) & 0xffff;

		if (no) {
			p += __builtin_ctz(no);
			name->len = (uint32_t)(p - name->p);
			return p;
		}
	}
#else
	(void)end;
#endif
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
 * Parses a number that ends in a quote as the WHAT of T.  Returns the end
 * after the quote, or NULL if it is not a number or very large.
 */
static inline const char *
take_number(const char *p, struct tp_xml_token *t, enum tp_xml_number what)
{
	const char *from = p;
	uint64_t n = 0;

	while (*p >= '0' && *p <= '9')
		n = n * 10 + (uint64_t)(*p++ - '0');
	if (*p != '"' || p == from || p - from > 18)
		return NULL;
	t->numbered = what;
	t->id = n;
	return p + 1;
}

/*
 * Parses the attributes of T from P on.  Returns where the tag continues, or
 * NULL.  At P and at the result there are at least as many bytes before END
 * as in "</row>".
 */
static const char *
take_atts(const char *p, const char *end, struct tp_xml_token *t)
{
	struct tp_xml_text names[ATTS], value;
	const char *next;
	size_t count = 0;

	t->numbered = TP_XML_NO_ID;
	t->fmt.p = t->named.p = NULL;
	/* most tags have these attributes only */
	if (!memcmp(p, " ref=\"", 6)) {
		next = take_number(p + 6, t, TP_XML_REF);
		if (next && *next != ' ')
			return next;
		t->numbered = TP_XML_NO_ID;
	}
	if (!memcmp(p, " id=\"", 5) &&
	    (next = take_number(p + 5, t, TP_XML_ID))) {
		names[count++] = (struct tp_xml_text){ p + 1, 2, 0 };
		p = next;
		if (!memcmp(p, " fmt=\"", 6)) {
			next = take(p + 6, end, VALUE, &t->fmt);
			if (!next || *next != '"')
				return NULL;
			names[count++] = (struct tp_xml_text){ p + 1, 3, 0 };
			p = next + 1;
		}
	}
	for (; *p == ' '; count++) {
		struct tp_xml_text *name = &names[count];

		if (count == ATTS || !(p = take_name(p + 1, end, name)) ||
		    p[0] != '=' || p[1] != '"' ||
		    !(p = take(p + 2, end, VALUE, &value)) || *p != '"')
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

size_t
tp_xml_row(const char *p, const char *end, struct tp_xml_tokens *tokens)
{
	struct tp_xml_text open[TP_XML_DEPTH];
	const char *from = p;
	size_t depth = 0;

	tokens->count = 0;
	p += 5;				/* skip "<row>" */
	for (;;) {
		struct tp_xml_token *t;

		if (tokens->count + 1 >= tokens->cap && tp_grow(&tokens->list,
		    &tokens->cap, tokens->count + 2,
		    sizeof *tokens->list) < 0) {
			tokens->failed = 1;
			return 0;
		}
		t = &tokens->list[tokens->count];
		if (*p != '<') {
			/* text between cells belongs to none */
			t->is = TP_XML_TEXT;
			p = take(p, end, CONTENT, &t->name);
			if (!p || *p != '<')
				return 0;
			if (depth)
				t = &tokens->list[++tokens->count];
		}
		if (p[1] == '/') {
			if (!depth)
				break;
			depth--;
			if ((size_t)(end - p) < open[depth].len + 3 ||
			    memcmp(p + 2, open[depth].p, open[depth].len) ||
			    p[2 + open[depth].len] != '>')
				return 0;
			p += 3 + open[depth].len;
			t->is = TP_XML_END;
			tokens->count++;
			continue;
		}
		p = take_name(p + 1, end, &t->name);
		if (!p || !(p = take_atts(p, end, t)))
			return 0;
		if (p[0] == '/' && p[1] == '>') {
			t->is = TP_XML_EMPTY;
			p += 2;
		} else if (*p == '>' && depth < TP_XML_DEPTH) {
			t->is = TP_XML_START;
			open[depth++] = t->name;
			p++;
		} else {
			return 0;
		}
		tokens->count++;
	}
	return memcmp(p, ROW_END, ROW_END_LEN) ? 0 :
	    (size_t)(p + ROW_END_LEN - from);
}
