/* text - bytes, characters and case, without the locale */
#include <string.h>

#include <tp/text.h>

size_t
tp_utf8(const char *text, size_t len, uint32_t *c)
{
	const unsigned char *p = (const unsigned char *)text;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n, i;

	if (p[0] < 0x80) {
		*c = p[0];
		return 1;
	}
	n = p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 :
	    p[0] < 0xf5 ? 4 : 0;
	if (!n || n > len)
		return 0;
	*c = p[0] & (0x7fu >> n);
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	if (*c < least[n] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000))
		return 0;
	return n;
}

size_t
tp_utf8_put(char *out, uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	*out = (char)(first[n - 1] | c);
	return n;
}

int
tp_hex4(const char *p, const char *end, uint32_t *n)
{
	if (end - p < 4)
		return -1;
	*n = 0;
	for (int i = 0; i < 4; i++) {
		char c = p[i], lower = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			*n = *n << 4 | (uint32_t)(c - '0');
		else if (lower >= 'a' && lower <= 'f')
			*n = *n << 4 | (uint32_t)(lower - 'a' + 10);
		else
			return -1;
	}
	return 0;
}

void
tp_utf8_add(struct tp_buf *buf, uint32_t c)
{
	char bytes[4];

	tp_buf_add(buf, bytes, tp_utf8_put(bytes, c));
}

int
tp_turns_text(uint32_t c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f ||
	    (c >= 0x202a && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069);
}

int
tp_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 ||
	    c == 0x2029;
}

int
tp_is_blank(uint32_t c)
{
	return c == ' ' || c == 0xa0 || c == 0x1680 || c == 0x202f ||
	    (c >= 0x2000 && c <= 0x200a) || c == 0x205f || c == 0x3000;
}

void
tp_show_control(struct tp_buf *buf, uint32_t c)
{
	if (c == '\n')
		tp_buf_str(buf, "\\n");
	else if (c == '\r')
		tp_buf_str(buf, "\\r");
	else if (c == '\t')
		tp_buf_str(buf, "\\t");
	else if (c == 0x1b)
		tp_buf_str(buf, "\\e");
	else if (c < 0x80)
		tp_buf_fmt(buf, "\\x%02x", (unsigned)c);
	else
		tp_buf_fmt(buf, "\\u{%x}", (unsigned)c);
}

int
tp_shows_itself(const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	uint32_t c;
	size_t n;

	for (; p < end; p += n) {
		n = tp_utf8(p, (size_t)(end - p), &c);
		if (!n || tp_is_control(c) || tp_turns_text(c))
			return 0;
	}
	return 1;
}

void
tp_show_text(struct tp_buf *buf, const char *text, size_t len)
{
	uint32_t c;
	size_t n;

	for (size_t i = 0; i < len; i += n) {
		n = tp_utf8(text + i, len - i, &c);
		if (!n) {
			n = 1;
			c = 0xfffd;
		}
		if (tp_is_control(c) || tp_turns_text(c))
			tp_show_control(buf, c);
		else
			tp_utf8_add(buf, c);
	}
}

static int
skipped(char c)
{
	return c == ' ' || c == '-' || c == '_' || c == '\t';
}

int
tp_is_digits(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!tp_is_digit(text[i]))
			return 0;
	return len > 0;
}

int
tp_same_name(const char *a, size_t a_len, const char *b, size_t b_len)
{
	const char *a_end = a + a_len, *b_end = b + b_len;

	for (;;) {
		while (a < a_end && skipped(*a))
			a++;
		while (b < b_end && skipped(*b))
			b++;
		if (a == a_end || b == b_end)
			return a == a_end && b == b_end;
		if (tp_lower(*a++) != tp_lower(*b++))
			return 0;
	}
}

/* Match one [...] at P with C; *NEXT is set after it, NULL when unclosed. */
static int
class_has(const char *p, char c, const char **next)
{
	int no = p[1] == '!' || p[1] == '^', hit = 0;
	const char *q = p + 1 + no;

	for (; *q && (*q != ']' || q == p + 1 + no); q++) {
		if (q[1] == '-' && q[2] && q[2] != ']') {
			hit |= c >= q[0] && c <= q[2];
			q += 2;
		} else {
			hit |= c == *q;
		}
	}
	*next = *q ? q + 1 : NULL;
	return hit != no;
}

int
tp_glob(const char *pattern, const char *text, size_t len)
{
	const char *p = pattern, *t = text, *end = text + len, *next;
	const char *star = NULL, *retry = NULL;

	/* only the last star needs backtracking */
	for (;;) {
		if (*p == '*') {
			star = ++p;
			retry = t;
			continue;
		}
		if (t == end) {
			if (!*p)
				return 1;
			return 0;
		}
		if (*p == '[' && (class_has(p, *t, &next), next)) {
			if (class_has(p, *t, &next)) {
				p = next;
				t++;
				continue;
			}
		} else if (*p && (*p == '?' || *p == *t)) {
			p++;
			t++;
			continue;
		}
		if (!star || retry == end)
			return 0;
		p = star;
		t = ++retry;
	}
}

void
tp_home_path(struct tp_buf *buf, const char *path)
{
	static const char *const homes[] = { "/Users/", "/home/" };
	const char *rest;
	size_t n;

	for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
		n = strlen(homes[i]);
		if (strncmp(path, homes[i], n) || !path[n])
			continue;
		rest = strchr(path + n, '/');
		tp_buf_chr(buf, '~');
		if (rest)
			tp_buf_str(buf, rest);
		return;
	}
	if (!strncmp(path, "/root/", 6)) {
		tp_buf_chr(buf, '~');
		path += 5;
	}
	tp_buf_str(buf, path);
}

int
tp_is_named(const char *pattern, const char *name)
{
	const char *star = NULL, *back = NULL;

	while (*name)
		if (*pattern == '*') {
			star = ++pattern;
			back = name;
		} else if (*pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star;
			name = ++back;
		} else {
			return 0;
		}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

void
tp_xml_text(struct tp_buf *buf, const char *text)
{
	size_t left = strlen(text), n;
	uint32_t c;

	for (; left; text += n, left -= n) {
		n = tp_utf8(text, left, &c);
		if (!n || (c < 0x20 && c != '\t' && c != '\n') ||
		    c == 0xfffe || c == 0xffff) {
			n = n ? n : 1;
			c = 0xfffd;
		}
		switch (c) {
		case '&': tp_buf_str(buf, "&amp;"); break;
		case '<': tp_buf_str(buf, "&lt;"); break;
		case '>': tp_buf_str(buf, "&gt;"); break;
		case '"': tp_buf_str(buf, "&quot;"); break;
		case '\n': tp_buf_str(buf, "&#10;"); break;
		default: tp_utf8_add(buf, c);
		}
	}
}

size_t
tp_utf8_mend(struct tp_buf *buf, const char *text, size_t len)
{
	size_t ascii = 0, count = 0, n;
	uint32_t c;

	while (ascii < len && (unsigned char)text[ascii] < 0x80)
		ascii++;
	tp_buf_add(buf, text, ascii);
	for (size_t i = ascii; i < len; i += n) {
		n = tp_utf8(text + i, len - i, &c);
		tp_utf8_add(buf, n ? c : 0xfffd);
		count += !n;
		n += !n;
	}
	return count;
}

void
tp_xml_shown(struct tp_buf *buf, const char *text, size_t len)
{
	struct tp_buf shown = { 0 };

	tp_show_text(&shown, text, len);
	if (shown.len)
		tp_xml_text(buf, shown.p);
	tp_buf_release(&shown);
}

void
tp_shell_word(struct tp_buf *buf, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-";

	if (*text && *text != '-' && !text[strspn(text, plain)]) {
		tp_buf_str(buf, text);
		return;
	}
	tp_buf_chr(buf, '\'');
	if (*text == '-')
		tp_buf_str(buf, "./");	/* not an option */
	for (; *text; text++)
		if (*text == '\'')
			tp_buf_str(buf, "'\\''");
		else
			tp_buf_chr(buf, *text);
	tp_buf_chr(buf, '\'');
}
