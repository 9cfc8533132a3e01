/* header_unit - units in headers, and conversion of numbers */
#include <limits.h>
#include <string.h>

#include <tp/text.h>
#include <tp/unit.h>

#include "read.h"
#include "word.h"

/* Longest unit looked up. */
#define UNIT_MAX 16

/* Base units per unit UNIT of DIM; 0 when there is none. */
static int64_t
size_of(enum tp_dim dim, const char *unit, size_t len)
{
	char one[UNIT_MAX + 3] = "1 ";
	int64_t n;

	if (!len || len > UNIT_MAX)
		return 0;
	memcpy(one + 2, unit, len);
	return tp_unit_read(dim, one, len + 2, '.', &n) ? 0 : n;
}

int
tp_unit_is(enum tp_dim dim, const char *unit, size_t len)
{
	return size_of(dim, unit, len) != 0;
}

size_t
tp_unit_behind(const char *text, size_t len, const char **unit,
    size_t *unit_len)
{
	char close = len ? text[len - 1] : '\0';
	char open = close == ')' ? '(' : close == ']' ? '[' : '\0';
	size_t at = len;

	*unit = NULL;
	*unit_len = 0;
	while (at && (open ? text[at - 1] != open : text[at - 1] != '_'))
		at--;
	if (!at || at == 1)
		return len;
	*unit = text + at;
	*unit_len = len - at - (open != '\0');
	if (!open && !size_of(TP_DIM_TIME, *unit, *unit_len) &&
	    !size_of(TP_DIM_BYTES, *unit, *unit_len)) {
		*unit = NULL;
		*unit_len = 0;
		return len;
	}
	for (at--; at && text[at - 1] == ' '; at--)
		continue;
	return at;
}

int
tp_unit_shift(const char *unit, size_t len, const char *base)
{
	int64_t from = size_of(TP_DIM_TIME, unit, len);
	int64_t to = size_of(TP_DIM_TIME, base, strlen(base));
	int shift = 0;

	if (!from || !to)
		return INT_MIN;
	for (; from < to; from *= 10)
		shift++;
	for (; to < from; to *= 10)
		shift--;
	return from == to ? shift : INT_MIN;
}

/*
 * Move the point of the number at TEXT: "12.5" by 3 gives "0.0125".  Digits
 * are copied, nothing is rounded.  Returns the bytes read; *W moves past the
 * output.
 */
static size_t
move_point(const char *text, size_t len, int shift, char **w)
{
	size_t whole = 0, digits, i;
	ptrdiff_t point;
	char *begin;

	while (whole < len && tp_is_digit(text[whole]))
		whole++;
	i = whole;
	if (i < len && text[i] == '.')
		for (i++; i < len && tp_is_digit(text[i]); i++)
			continue;
	digits = whole + (i > whole ? i - whole - 1 : 0);
	point = (ptrdiff_t)whole - shift;
	if (point <= 0) {
		*(*w)++ = '0';
		*(*w)++ = '.';
	}
	for (ptrdiff_t k = point; k < 0; k++)
		*(*w)++ = '0';
	begin = *w;
	for (ptrdiff_t k = 0; k < (ptrdiff_t)digits || k < point; k++) {
		if (k == point && point > 0)
			*(*w)++ = '.';
		/* no leading zeros: "0.03" by -3 is 30 */
		if (*w - begin == 1 && *begin == '0' && k < point)
			*w = begin;
		*(*w)++ = k < (ptrdiff_t)digits ? text[k < (ptrdiff_t)whole ?
		    k : k + 1] : '0';
	}
	/* an exponent is copied unchanged */
	if (i + 1 < len && (text[i] | 32) == 'e' && (tp_is_digit(text[i + 1]) ||
	    (i + 2 < len && tp_is_digit(text[i + 2])))) {
		*(*w)++ = text[i++];
		*(*w)++ = text[i++];
		while (i < len && tp_is_digit(text[i]))
			*(*w)++ = text[i++];
	}
	return i;
}

static int
begins_number(const char *text, size_t i)
{
	return tp_is_digit(text[i]) && (!i || (!tp_is_digit(text[i - 1]) &&
	    text[i - 1] != '.'));
}

const char *
tp_shift_numbers(struct tp_arena *arena, const char *text, size_t len,
    int shift, size_t *new_len)
{
	size_t more = (size_t)(shift < 0 ? -shift : shift) + 2, numbers = 0;
	char *copy, *w;

	for (size_t i = 0; i < len; i++)
		numbers += begins_number(text, i);
	copy = w = tp_arena_get(arena, len + numbers * more + 1);
	for (size_t i = 0; i < len;) {
		if (begins_number(text, i))
			i += move_point(text + i, len - i, shift, &w);
		else
			*w++ = text[i++];
	}
	*w = '\0';
	*new_len = (size_t)(w - copy);
	return copy;
}
