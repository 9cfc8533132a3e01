#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "mutant.h"
#include "splitmix.h"

static const char *const scalars[] = {
	"null", "true", "false", "0", "-0", "1", "-1", "2", "0.5", "1e-320",
	"1e308", "-1e308", "1e309", "NaN", "-Infinity", "2147483648",
	"4294967296", "9007199254740993", "9223372036854775807",
	"-9223372036854775808", "9223372036854775808", "18446744073709551615",
	"18446744073709551616", "1e15", "1e18", "9.3e18", "-1e18",
	"9223372036854775", "9223372036854775.807", "9223372036854776",
	"1000000000000000000000000000000000000000", "0.000000000000000001",
	"\"\"", "\"0\"", "\"-1\"", "\"1e308\"", "\"9223372036854775807\"",
	"\"18446744073709551615\"", "\"NaN\"", "\"x\"", "{}", "[]", "[[]]",
	"[1,2,3]", "{\"a\":{\"a\":1}}", "[null]", "[\"\"]", "[-1,1e308]",
	"[[9223372036854775807]]", "1.7976931348623157e308",
};

static const char *const hostile[] = {
	"", "\n", "\r\n", "\t", "\\u0000", "\\ud800", "\\udfff\\ud800",
	"\001\033[31m", "\377\376", "\303", "\355\240\200", "\364\220\200\200",
	"\357\273\277", "\342\200\256", "|", "| a | b |", "`", "```", "</code>",
	"<script>alert(1)</script>", "<!--", "]]>", "&amp;", "&#0;", "&x;",
	"=CMD()", "+1", "@SUM(A1)", "-2", "{{name}}", "{{#op}}", "%s%n", "%",
	"/", "\\", "\\\\\\", "\"", "'", ",", ";", "a;b", "\\u2028", "$(id)",
	"../../../etc/passwd", "(", ")", "((((", "[", "*", "**", "_", "#",
	"[a](javascript:x)", "![a](x)", "<", ">", "::", "<<<>>>", " (7)",
	"(18446744073709551616)", "nan", "inf", "1e999", "0x10", " ", "  ",
	"aten::mm", "ProfilerStep#5", "ProfilerStep#-1",
	"ProfilerStep#99999999999999999999", "cudaLaunchKernel", "Memcpy HtoD",
	"ncclDevKernel_AllReduce_Sum_f32_RING_LL", "[1, 2, [3]]", "float",
	"fusion.1", "jit_step(123)", "0.5 ms", "12,5", "1,000", "Execute",
	"2147483647", "-9223372036854775808", "1.5e300 s",
};

#define N(a) (sizeof (a) / sizeof *(a))

size_t
draw(uint64_t *rng, size_t n)
{
	return n ? (size_t)(tp_splitmix(rng) % n) : 0;
}

static int
chance(uint64_t *rng, size_t n)
{
	return draw(rng, n) == 0;
}

/* In DOC, N bytes of TEXT in place of those between AT and END. */
static void
replace(struct tp_buf *doc, size_t at, size_t end, const char *text, size_t n)
{
	struct tp_buf tail = { 0 };

	tp_buf_add(&tail, doc->p + end, doc->len - end);
	doc->len = at;
	tp_buf_add(doc, text, n);
	tp_buf_add(doc, tail.p ? tail.p : "", tail.len);
	tp_buf_release(&tail);
}

/* The same within message UP of S, whose length and those around it follow. */
static void
replace_in(struct tp_buf *doc, const struct spans *s, size_t up, size_t at,
    size_t end, const char *text, size_t n)
{
	ptrdiff_t more = (ptrdiff_t)n - (ptrdiff_t)(end - at);
	uint64_t size;
	char size_text[10];
	size_t was, is;

	replace(doc, at, end, text, n);
	for (; up != NO_SPAN && s->v[up].size_at; up = s->v[up].up) {
		was = varint_read(doc->p, s->v[up].size_at, doc->len, &size);
		if (!was)
			return;
		is = varint_write(size_text, size + (uint64_t)more);
		replace(doc, s->v[up].size_at, s->v[up].size_at + was,
		    size_text, is);
		more += (ptrdiff_t)is - (ptrdiff_t)was;
	}
}

/* Behind span X with what separates it from the next. */
static size_t
whole_end(const struct tp_buf *doc, enum form form, const struct span *x)
{
	size_t end = x->end;

	if (form == FORM_RECORDS || form == FORM_EVENTS || form == FORM_JSON ||
	    form == FORM_TABLE || form == FORM_TEXT) {
		while (end < doc->len && isspace((unsigned char)doc->p[end]) &&
		    form != FORM_TABLE && form != FORM_TEXT)
			end++;
		if (end < doc->len && x->type != 'c' &&
		    strchr(",\t ", doc->p[end]))
			end++;
		else if (end < doc->len && doc->p[end] == ',')
			end++;
	} else if (form == FORM_XML && x->from < x->at && end < doc->len) {
		end++;		/* the quote of an attribute */
	}
	return end;
}

/* A span of S: each key, column or path is as likely as any other. */
static size_t
pick(const struct spans *s, uint64_t *rng)
{
	uint64_t salt = tp_splitmix(rng), least = UINT64_MAX, h;
	size_t seen = 0, found = NO_SPAN;

	if (!s->count)
		return NO_SPAN;
	if (chance(rng, 3))
		return draw(rng, s->count);
	for (size_t i = 0; i < s->count; i++) {
		h = s->v[i].group ^ salt;
		h = tp_splitmix(&h);
		if (h > least)
			continue;
		if (h < least)
			seen = 0;
		least = h;
		if (chance(rng, ++seen))
			found = i;
	}
	return found;
}

/* Another of the group of span A, or any. */
static size_t
alike(const struct spans *s, size_t a, uint64_t *rng)
{
	size_t seen = 0, found = a;

	if (chance(rng, 4))
		return draw(rng, s->count);
	for (size_t i = 0; i < s->count; i++)
		if (s->v[i].group == s->v[a].group && i != a &&
		    chance(rng, ++seen))
			found = i;
	return found;
}

/* A number near the one at P, as text. */
static void
perturb(struct tp_buf *out, const char *p, size_t n, uint64_t *rng)
{
	char text[64];
	double v;
	long long whole;

	if (n > sizeof text - 1)
		n = sizeof text - 1;
	memcpy(text, p, n);
	text[n] = '\0';
	v = strtod(text, NULL);
	whole = strtoll(text, NULL, 10);
	switch (draw(rng, 8)) {
	case 0:
		tp_buf_fmt(out, "%lld", (long long)((uint64_t)whole + 1));
		return;
	case 1:
		tp_buf_fmt(out, "%lld", (long long)((uint64_t)whole - 1));
		return;
	case 2:
		v = -v;
		break;
	case 3:
		v *= 1e3;
		break;
	case 4:
		v *= 1e6;
		break;
	case 5:
		v /= 1e3;
		break;
	case 6:
		v *= 1e12;
		break;
	default:
		v += (double)draw(rng, 2000) - 1000;
	}
	tp_buf_fmt(out, "%.17g", v);
}

static int
is_number(const char *p, size_t n)
{
	return n && (isdigit((unsigned char)*p) ||
	    (n > 1 && *p == '-' && isdigit((unsigned char)p[1])));
}

/* What may stand in place of the N bytes at P. */
static void
other(struct tp_buf *out, enum form form, const char *p, size_t n,
    uint64_t *rng)
{
	const char *text;
	size_t quote = n > 1 && *p == '"', at;

	if (is_number(p, n) && !chance(rng, 3)) {
		perturb(out, p, n, rng);
		return;
	}
	if (chance(rng, 2)) {
		text = scalars[draw(rng, N(scalars))];
		if (form != FORM_JSON && form != FORM_EVENTS &&
		    form != FORM_RECORDS && *text == '"')
			tp_buf_add(out, text + 1, strlen(text) - 2);
		else
			tp_buf_str(out, text);
		return;
	}
	/* a hostile text within it */
	text = hostile[draw(rng, N(hostile))];
	at = quote + draw(rng, n - 2 * quote + 1);
	if (chance(rng, 3))
		at = quote;
	tp_buf_add(out, p, at);
	for (size_t k = chance(rng, 40) ? 20000 : 1; k; k--)
		tp_buf_str(out, text);
	if (chance(rng, 3))
		at = n - quote;
	tp_buf_add(out, p + at, n - at);
}

/* The same for every value of the group of span A, or every second. */
static void
change_all(struct tp_buf *doc, const struct spans *s, enum form form,
    size_t a, uint64_t *rng)
{
	struct tp_buf out = { 0 };
	size_t at = 0, how = draw(rng, 4), every = 1 + draw(rng, 3);
	const char *text = scalars[draw(rng, N(scalars))];
	uint64_t same = tp_splitmix(rng), again;

	for (size_t i = 0; i < s->count; i++) {
		const struct span *x = &s->v[i];

		if (x->group != s->v[a].group || x->type != s->v[a].type ||
		    x->from < at || draw(rng, every))
			continue;
		tp_buf_add(&out, doc->p + at,
		    (how == 1 ? x->from : x->at) - at);
		again = same;
		at = x->end;
		if (how == 0)
			tp_buf_str(&out, text);
		else if (how == 1)
			at = whole_end(doc, form, x);
		else
			other(&out, form, doc->p + x->at, x->end - x->at,
			    how == 2 ? &again : rng);
	}
	tp_buf_add(&out, doc->p + at, doc->len - at);
	tp_buf_release(doc);
	*doc = out;
}

/* NEST levels around span X. */
static void
wrap(struct tp_buf *out, enum form form, const char *p, size_t n,
    uint64_t *rng)
{
	static const size_t levels[] = { 1, 2, 30, 1000, 100000 };
	size_t nest = levels[draw(rng, N(levels))];
	int xml = form == FORM_XML, object = chance(rng, 2);
	const char *open = xml ? "<a>" : object ? "{\"a\":" : "[";
	const char *close = xml ? "</a>" : object ? "}" : "]";

	for (size_t i = 0; i < nest; i++)
		tp_buf_str(out, open);
	tp_buf_add(out, p, n);
	for (size_t i = 0; i < nest && nest < 100000; i++)
		tp_buf_str(out, close);
}

static void
change_text(struct tp_buf *doc, const struct spans *s, enum form form,
    uint64_t *rng)
{
	size_t a = pick(s, rng), b, end, n;
	struct tp_buf out = { 0 };
	struct span x, y;

	if (a == NO_SPAN)
		return;
	x = s->v[a];
	b = alike(s, a, rng);
	y = s->v[b];
	n = x.end - x.at;
	switch (draw(rng, 16)) {
	case 0:
	case 1:
	case 2:
	case 3:
		other(&out, form, doc->p + x.at, n, rng);
		replace(doc, x.at, x.end, out.p ? out.p : "", out.len);
		break;
	case 4:
		replace(doc, x.from, whole_end(doc, form, &x), "", 0);
		break;
	case 5:
	case 6:			/* again, or often */
		end = whole_end(doc, form, &x);
		for (size_t k = chance(rng, 4) ? 100 : 1; k &&
		    out.len < 1 << 20; k--) {
			tp_buf_add(&out, doc->p + x.from, end - x.from);
			if (end == x.end && form != FORM_XML &&
			    form != FORM_TABLE && form != FORM_TEXT)
				tp_buf_chr(&out,
				    form == FORM_RECORDS ? '\n' : ',');
		}
		replace(doc, x.from, x.from, out.p ? out.p : "", out.len);
		break;
	case 7:
	case 8:			/* a copy of another */
		tp_buf_add(&out, doc->p + y.at, y.end - y.at);
		replace(doc, x.at, x.end, out.p ? out.p : "", out.len);
		break;
	case 9:			/* exchange two */
		if (x.at > y.at)
			x = y, y = s->v[a];
		if (x.end > y.at)
			break;
		tp_buf_add(&out, doc->p + y.at, y.end - y.at);
		tp_buf_add(&out, doc->p + x.end, y.at - x.end);
		tp_buf_add(&out, doc->p + x.at, x.end - x.at);
		replace(doc, x.at, y.end, out.p, out.len);
		break;
	case 10:
		wrap(&out, form, doc->p + x.at, n, rng);
		replace(doc, x.at, x.end, out.p, out.len);
		break;
	case 11:
		if (chance(rng, 4))
			doc->len = chance(rng, 2) ? x.at : x.end;
		break;
	case 12:		/* beside another, with its key */
		tp_buf_add(&out, doc->p + x.from,
		    whole_end(doc, form, &x) - x.from);
		replace(doc, y.from, y.from, out.p ? out.p : "", out.len);
		break;
	default:
		if (x.type == 'v' || x.type == 'k')
			change_all(doc, s, form, a, rng);
		break;
	}
	tp_buf_release(&out);
}

static uint64_t
number(uint64_t *rng)
{
	static const uint64_t most[] = { 0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff,
	    0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
	    1ull << 53, INT64_MAX, 1ull << 63, UINT64_MAX, UINT64_MAX - 1,
	    1000000000000000000, 1000000000000, 0x7ff0000000000000,
	    0x7ff8000000000000, 0x7fefffffffffffff, 0x8000000000000000 };

	if (chance(rng, 3))
		return tp_splitmix(rng) >> draw(rng, 64);
	return most[draw(rng, N(most))] + draw(rng, 3) - 1;
}

static void
change_proto(struct tp_buf *doc, const struct spans *s, uint64_t *rng)
{
	size_t a = pick(s, rng), b, n;
	struct tp_buf out = { 0 };
	struct span x, y;
	uint64_t was;
	char text[10];

	if (a == NO_SPAN)
		return;
	x = s->v[a];
	b = alike(s, a, rng);
	y = s->v[b];
	switch (draw(rng, 10)) {
	case 0:
	case 1:
	case 2:			/* another value */
		if (x.type == 'n') {
			varint_read(doc->p, x.at, doc->len, &was);
			n = varint_write(text, chance(rng, 2) ? number(rng) :
			    was + draw(rng, 65) - 32);
			replace_in(doc, s, x.up, x.at, x.end, text, n);
		} else if (x.type == 'b') {
			was = number(rng);
			memcpy(doc->p + x.at, &was, x.end - x.at);
		} else {
			other(&out, FORM_TEXT, doc->p + x.at, x.end - x.at,
			    rng);
			replace_in(doc, s, a, x.at, x.end, out.p ? out.p : "",
			    out.len);
		}
		break;
	case 3:
		replace_in(doc, s, x.up, x.from, x.end, "", 0);
		break;
	case 4:			/* again, or often */
		for (n = chance(rng, 4) ? 100 : 1; n && out.len < 1 << 20; n--)
			tp_buf_add(&out, doc->p + x.from, x.end - x.from);
		replace_in(doc, s, x.up, x.from, x.from, out.p, out.len);
		break;
	case 5:			/* beside another, which may be anywhere */
		tp_buf_add(&out, doc->p + x.from, x.end - x.from);
		replace_in(doc, s, y.up, y.from, y.from, out.p, out.len);
		break;
	case 6:			/* with the value of another */
		tp_buf_add(&out, doc->p + y.from, y.end - y.from);
		replace_in(doc, s, x.up, x.from, x.end, out.p, out.len);
		break;
	case 7:			/* another number or type of the field */
		doc->p[x.from] = (char)(chance(rng, 2) ?
		    doc->p[x.from] ^ (1 + draw(rng, 7)) :
		    doc->p[x.from] ^ (draw(rng, 15) + 1) << 3);
		break;
	case 8:			/* a length that is wrong */
		if (x.size_at && chance(rng, 2)) {
			n = varint_read(doc->p, x.size_at, doc->len, &was);
			replace(doc, x.size_at, x.size_at + n, text,
			    varint_write(text, number(rng)));
		}
		break;
	default:		/* within itself, some levels deep */
		if (!x.size_at || x.end - x.at > 1 << 12)
			break;
		tp_buf_add(&out, doc->p + x.at, x.end - x.at);
		for (n = chance(rng, 4) ? 300 : 2; n; n--) {
			struct tp_buf in = out;

			out = (struct tp_buf){ 0 };
			tp_buf_add(&out, doc->p + x.from, x.size_at - x.from);
			tp_buf_add(&out, text, varint_write(text, in.len));
			tp_buf_add(&out, in.p, in.len);
			tp_buf_release(&in);
		}
		replace_in(doc, s, a, x.at, x.end, out.p, out.len);
		break;
	}
	tp_buf_release(&out);
}

/* Numbers of a database are big-endian, those of a FlatBuffer little. */
static void
change_fixed(struct tp_buf *doc, const struct spans *s, enum form form,
    uint64_t *rng)
{
	size_t a = pick(s, rng), b, n;
	struct span x, y;
	uint64_t v = 0;
	char copy[8];

	if (a == NO_SPAN)
		return;
	x = s->v[a];
	n = x.end - x.at;
	if (!n || x.end > doc->len)
		return;
	switch (draw(rng, 6)) {
	case 0:
	case 1:			/* near what it was */
		for (size_t i = 0; i < n && i < 8; i++)
			v |= (uint64_t)(unsigned char)doc->p[x.at +
			    (form == FORM_FLAT ? i : n - 1 - i)] << 8 * i;
		v += draw(rng, 65) - 32;
		break;
	case 2:
	case 3:
		v = number(rng);
		break;
	case 4:			/* the value of another */
		b = alike(s, a, rng);
		y = s->v[b];
		if (y.end - y.at != n || y.end > doc->len)
			return;
		memmove(doc->p + x.at, doc->p + y.at, n);
		return;
	default:
		doc->p[x.at + draw(rng, n)] ^= (char)(1 << draw(rng, 8));
		return;
	}
	for (size_t i = 0; i < 8; i++)
		copy[i] = (char)(v >> 8 * (form == FORM_FLAT ? i : 7 - i));
	if (n > 8)
		n = 8;
	memcpy(doc->p + x.at, form == FORM_FLAT ? copy : copy + 8 - n, n);
}

static void
change_bytes(struct tp_buf *doc, uint64_t *rng)
{
	size_t at = draw(rng, doc->len), n;

	if (!doc->len)
		return;
	switch (draw(rng, 6)) {
	case 0:
		doc->p[at] ^= (char)(1 << draw(rng, 8));
		break;
	case 1:
		doc->p[at] = (char)draw(rng, 256);
		break;
	case 2:
		n = 1 + draw(rng, 64);
		replace(doc, at, at + n > doc->len ? doc->len : at + n, "", 0);
		break;
	case 3:
		n = draw(rng, N(hostile));
		replace(doc, at, at, hostile[n], strlen(hostile[n]));
		break;
	case 4:
		if (chance(rng, 3))
			doc->len = at;
		break;
	default:
		replace(doc, at, at, "\0\0\0\0", 1 + draw(rng, 4));
		break;
	}
}

void
mutant_make(struct tp_buf *doc, enum form form, uint64_t rng)
{
	struct spans s = { 0 };
	size_t n = chance(&rng, 12) ? 0 : 1 + draw(&rng, 1 + draw(&rng, 8));

	while (n--) {
		tp_buf_add(doc, "", 0);
		if (chance(&rng, 15)) {
			change_bytes(doc, &rng);
			continue;
		}
		spans_find(&s, form, doc->p, doc->len);
		if (form == FORM_PROTO)
			change_proto(doc, &s, &rng);
		else if (form == FORM_DATABASE || form == FORM_FLAT)
			change_fixed(doc, &s, form, &rng);
		else
			change_text(doc, &s, form, &rng);
	}
	free(s.v);
}

static void
unpack(struct tp_buf *out, const char *p, size_t len)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)p,
	    .avail_in = (uInt)len };
	char block[65536];
	int rc = inflateInit2(&z, 31);

	while (rc == Z_OK && out->len < 64 << 20) {
		z.next_out = (Bytef *)block;
		z.avail_out = sizeof block;
		rc = inflate(&z, Z_NO_FLUSH);
		tp_buf_add(out, block, sizeof block - z.avail_out);
		if (rc == Z_STREAM_END && z.avail_in)
			rc = inflateReset(&z);
	}
	inflateEnd(&z);
}

void
mutant_pack(struct tp_buf *doc)
{
	struct tp_buf out = { 0 };
	z_stream z = { 0 };
	size_t room;

	if (deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	room = deflateBound(&z, doc->len);
	z.next_in = (Bytef *)doc->p;
	z.avail_in = (uInt)doc->len;
	z.next_out = (Bytef *)tp_buf_room(&out, room);
	z.avail_out = (uInt)room;
	deflate(&z, Z_FINISH);
	out.len = z.total_out;
	deflateEnd(&z);
	tp_buf_release(doc);
	*doc = out;
}

/* Leave out children of what has most, but for the first and a window. */
static void
cut(struct tp_buf *doc, enum form form, size_t most, uint64_t *rng)
{
	struct spans s = { 0 };
	struct tp_buf out = { 0 };
	size_t *children, big = 0, from, at = 0, n = 0, keep;

	spans_find(&s, form, doc->p, doc->len);
	children = calloc(s.count + 1, sizeof *children);
	if (!children)
		abort();
	for (size_t i = 0; i < s.count; i++)
		children[s.v[i].up == NO_SPAN ? s.count : s.v[i].up]++;
	for (size_t i = 0; i <= s.count; i++)
		if (children[i] > children[big])
			big = i;
	keep = (size_t)((double)children[big] * (double)most /
	    (double)doc->len);
	from = draw(rng, children[big] - keep + 1);
	for (size_t i = 0; i < s.count; i++) {
		size_t up = s.v[i].up == NO_SPAN ? s.count : s.v[i].up;

		if (up != big || n++ < 40 || (n > from && n <= from + keep) ||
		    n == children[big] || s.v[i].from < at)
			continue;
		tp_buf_add(&out, doc->p + at, s.v[i].from - at);
		at = whole_end(doc, form, &s.v[i]);
	}
	tp_buf_add(&out, doc->p + at, doc->len - at);
	tp_buf_release(doc);
	*doc = out;
	free(children);
	free(s.v);
}

enum form
mutant_seed(struct tp_buf *out, const char *p, size_t len, size_t most,
    uint64_t rng, int *packed)
{
	enum form form;

	*packed = len > 18 && !memcmp(p, "\037\213", 2);
	if (*packed)
		unpack(out, p, len);
	else
		tp_buf_add(out, p, len);
	tp_buf_add(out, "", 0);
	form = form_of(out->p, out->len);
	if (out->len > most && form <= FORM_TABLE)
		cut(out, form, most, &rng);
	return form;
}
