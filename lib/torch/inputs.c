/*
 * inputs - parse an operator's arguments from a single text
 *
 * Kineto writes a JSON list per argument; Ascend's profiler writes
 * "32,3,224,224;\r\n64,3,11,11;\r\n" and "float;\r\nfloat;\r\nScalar".
 */
#include <string.h>

#include "torch.h"

static int
is_dims(char c)
{
	return (c >= '0' && c <= '9') || c == ',' || c == '-';
}

/* Characters of a type, none of which JSON must escape. */
static int
is_word(char c)
{
	return (unsigned char)c >= ' ' && (unsigned char)c < 0x7f && c != '"' &&
	    c != '\\';
}

/* Append one argument; a malformed one counts as not recorded. */
static void
add_one(struct tp_buf *to, const char *text, size_t len, int dims)
{
	int plain = 1;

	for (size_t i = 0; i < len; i++)
		plain &= dims ? is_dims(text[i]) : is_word(text[i]);
	tp_buf_chr(to, dims ? '[' : '"');
	if (plain)
		tp_buf_add(to, text, len);
	tp_buf_chr(to, dims ? ']' : '"');
}

void
tp_torch_inputs(struct tp_buf *to, const char *text, size_t len, int dims)
{
	const char *end = text + len, *p;

	tp_buf_clear(to);
	tp_buf_chr(to, '[');
	for (;;) {
		while (text < end && (*text == '\r' || *text == '\n'))
			text++;
		p = memchr(text, ';', (size_t)(end - text));
		add_one(to, text, (size_t)((p ? p : end) - text), dims);
		if (!p)
			break;
		tp_buf_chr(to, ',');
		text = p + 1;
	}
	tp_buf_chr(to, ']');
}
