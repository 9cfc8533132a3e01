/* workbook_cell - make texts valid as cells and as names of sheets */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tp/records.h>
#include <tp/show/workbook.h>
#include <tp/text.h>

/* Spreadsheets keep 15 digits; longer integers are ids and stay text. */
#define WHOLE_DIGITS 15
/* Longest number printed with the fewest digits. */
#define NUMBER_MAX 32

#define CUT " [cut]"

/*
 * The length of TEXT without trailing zeros of a fraction; a number with an
 * exponent is unchanged.
 */
static size_t
without_zeros(const char *text, size_t len)
{
	if (!memchr(text, '.', len) || memchr(text, 'e', len))
		return len;
	while (text[len - 1] == '0')
		len--;
	return text[len - 1] == '.' ? len - 1 : len;
}

int
tp_workbook_number(const char *text, size_t len, double *x)
{
	struct tp_buf again = { 0 };
	char copy[NUMBER_MAX + 1], *end;
	size_t kept;
	int is;

	if (!len || len > NUMBER_MAX || memchr("+.e", *text, 3) ||
	    text[len - 1] == '.')
		return 0;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (copy[strspn(copy, "0123456789.e+-")] ||
	    (!strpbrk(copy, ".e") && len > WHOLE_DIGITS + (*copy == '-')))
		return 0;
	*x = strtod(copy, &end);
	if (end != copy + len || !isfinite(*x))
		return 0;
	kept = without_zeros(copy, len);
	tp_json_real(&again, *x);
	is = again.len == kept && !memcmp(again.p, copy, kept);
	tp_buf_release(&again);
	return is;
}

/*
 * Decode the character at P, before END, and replace one that a cell cannot
 * hold.  Returns its length.
 */
static size_t
character(const char *p, const char *end, uint32_t *c)
{
	size_t n = tp_utf8(p, (size_t)(end - p), c);

	/* libxlsxwriter escapes other control characters */
	if (!n || !*c || *c == 0xfffe || *c == 0xffff)
		*c = 0xfffd;
	return n ? n : 1;
}

static size_t
units_of(uint32_t c)
{
	return c > 0xffff ? 2 : 1;
}

/* Whether P looks like the escape _x0041_, which readers would decode. */
static int
is_escape(const char *p, const char *end)
{
	uint32_t c;

	return end - p >= 7 && p[0] == '_' && p[1] == 'x' && p[6] == '_' &&
	    !tp_hex4(p + 2, end, &c);
}

int
tp_workbook_text(struct tp_buf *buf, const char *text, size_t len)
{
	const char *end = text + len;
	size_t units = 0, room, start = buf->len, n;
	uint32_t c;

	for (room = start; text < end; text += n) {
		if (is_escape(text, end)) {
			tp_buf_str(buf, "_x005F");
			units += 6;
		}
		n = character(text, end, &c);
		tp_utf8_add(buf, c);
		units += units_of(c);
		if (units + strlen(CUT) <= TP_SHEET_CELL)
			room = buf->len;
		if (units > TP_SHEET_CELL) {
			buf->len = room;
			tp_buf_str(buf, CUT);
			return 1;
		}
	}
	return 0;
}

/* Append WANTED as a sheet name of at most LIMIT UTF-16 units. */
static void
add_name(struct tp_buf *buf, const char *wanted, size_t limit)
{
	const char *end = wanted + strlen(wanted);
	size_t n, start = buf->len;
	uint32_t c;

	for (; wanted < end; wanted += n) {
		n = character(wanted, end, &c);
		if (units_of(c) > limit)
			break;
		limit -= units_of(c);
		if (tp_is_control(c) || tp_turns_text(c) ||
		    (c < 128 && strchr("[]:*?/\\", (int)c)) ||
		    (c == '\'' && buf->len == start))
			c = '_';
		tp_utf8_add(buf, c);
	}
	if (buf->len > start && buf->p[buf->len - 1] == '\'')
		buf->p[buf->len - 1] = '_';
	if (buf->len == start)
		tp_buf_str(buf, "table");
}

/* Add the name to TAKEN in lower case.  Returns 0 if it is in use. */
static int
reserve_sheet_name(struct tp_names *taken, const char *name, size_t len)
{
	size_t before = taken->count;
	struct tp_buf lower = { 0 };

	for (size_t i = 0; i < len; i++)
		tp_buf_chr(&lower, name[i] >= 'A' && name[i] <= 'Z' ?
		    (char)(name[i] - 'A' + 'a') : name[i]);
	/* Excel reserves this name */
	if (!tp_is(lower.p, lower.len, "history"))
		tp_names_add(taken, lower.p, lower.len);
	tp_buf_release(&lower);
	return taken->count > before;
}

void
tp_workbook_name(struct tp_buf *buf, const char *wanted,
    struct tp_names *taken)
{
	size_t start = buf->len;
	struct tp_buf tail = { 0 };

	add_name(buf, wanted, TP_SHEET_NAME);
	for (int n = 2; !reserve_sheet_name(taken, buf->p + start,
	    buf->len - start); n++) {
		tp_buf_clear(&tail);
		tp_buf_fmt(&tail, " (%d)", n);
		buf->len = start;
		add_name(buf, wanted, TP_SHEET_NAME - tail.len);
		tp_buf_add(buf, tail.p ? tail.p : "", tail.len);
	}
	tp_buf_release(&tail);
}
