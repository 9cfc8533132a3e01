/* anchor - the link target of a heading */
#include <tp/show/anchor.h>
#include <tp/text.h>

/* Whether C is a letter or a digit, judged by its Unicode range. */
static int
is_letter(uint32_t c)
{
	if (c < 0x80)
		return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		    c == '_' || c == '-';
	return c >= 0xc0 && c != 0xd7 && c != 0xf7 &&
	    !(c >= 0x2000 && c <= 0x2bff) && !(c >= 0x3000 && c <= 0x303f) &&
	    !(c >= 0xd800 && c <= 0xf8ff) && !(c >= 0xfe00 && c <= 0xfe6f) &&
	    !(c >= 0xff00 && c <= 0xff0f) && !(c >= 0x1f000 && c <= 0x1faff) &&
	    c < 0xe0000 && c != 0xfeff && c != 0xfffd && c != 0xfffe &&
	    c != 0xffff;
}

static int
is_blank(uint32_t c)
{
	return c == ' ' || c == '\n' || c == '\t';
}

/* Consecutive blanks count as one, as Markdown readers do in headings. */
void
tp_anchor(struct tp_buf *buf, const char *text, size_t len)
{
	const char *end = text + len;
	uint32_t c;
	size_t n;
	int blank = 0;

	for (; text < end; text += n) {
		n = tp_utf8(text, (size_t)(end - text), &c);
		if (!n) {
			n = 1;
			continue;
		}
		if (c >= 'A' && c <= 'Z')
			c += 'a' - 'A';
		if (is_blank(c) && !blank)
			tp_buf_chr(buf, '-');
		else if (is_letter(c))
			tp_utf8_add(buf, c);
		blank = is_blank(c);
	}
}
