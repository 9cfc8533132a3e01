/* unit_read - read numbers that people write, without doubles */
#include <stdint.h>
#include <string.h>

#include <tp/text.h>
#include <tp/unit.h>

/* Most digits that tp_unit_parse() accepts. */
#define DIGITS_MAX 120

/*
 * *N = DIGITS ("12.5", at most one point) times UNIT, rounded half to even.
 * The fraction is accumulated from its last digit on, doubled, so that its
 * lowest bit shows whether at least a half remains.
 */
static int
times_unit(const char *digits, size_t len, uint64_t unit, int negative,
    int64_t *n)
{
	const char *point = memchr(digits, '.', len), *p;
	uint64_t sum = 0, twice = 0, limit;
	int rest = 0;

	limit = (uint64_t)INT64_MAX + (negative != 0);
	for (p = digits; p < (point ? point : digits + len); p++) {
		if (sum > (limit - (uint64_t)(*p - '0')) / 10)
			return -1;
		sum = sum * 10 + (uint64_t)(*p - '0');
	}
	if (sum > limit / unit)
		return -1;
	sum *= unit;
	for (p = digits + len; point && --p > point;) {
		twice += 2 * unit * (uint64_t)(*p - '0');
		rest |= twice % 10 != 0;
		twice /= 10;
	}
	sum += twice / 2;
	if (twice % 2 && (rest || sum % 2))
		sum++;
	if (sum > limit)
		return -1;
	*n = negative ? (int64_t)(0 - sum) : (int64_t)sum;
	return 0;
}

/*
 * Length of a blank at P that groups digits (space, U+00A0, U+202F, '), or
 * 0.
 */
static size_t
blank_at(const char *p, const char *end)
{
	if (p < end && (*p == ' ' || *p == '\''))
		return 1;
	if (end - p >= 2 && !memcmp(p, "\xc2\xa0", 2))
		return 2;
	if (end - p >= 3 && (!memcmp(p, "\xe2\x80\xaf", 3) ||
	    !memcmp(p, "\xe2\x80\x99", 3)))
		return 3;
	return 0;
}

static int
three_digits(const char *p, const char *end)
{
	return end - p >= 3 && tp_is_digit(p[0]) && tp_is_digit(p[1]) &&
	    tp_is_digit(p[2]) && (end - p == 3 || !tp_is_digit(p[3]));
}

/* A number as written: its characters, without blanks between groups. */
struct written {
	char c[DIGITS_MAX];
	size_t len, points, commas;
	int blanks;
	uint64_t unit;
};

static int
take_written(struct written *w, const char **at, const char *end)
{
	const char *p = *at;
	size_t blank;

	memset(w, 0, sizeof *w);
	while (p < end && w->len < sizeof w->c) {
		blank = blank_at(p, end);
		if (blank && w->len && tp_is_digit(w->c[w->len - 1]) &&
		    !w->points && !w->commas &&
		    three_digits(p + blank, end)) {
			w->blanks = 1;
			p += blank;
			continue;
		}
		if (!tp_is_digit(*p) && *p != '.' && *p != ',')
			break;
		w->points += *p == '.';
		w->commas += *p == ',';
		w->c[w->len++] = *p++;
	}
	*at = p;
	return w->len && w->len < sizeof w->c ? 0 : -1;
}

/* The decimal sign that W must have been written with; 0: ambiguous. */
static char
sure_decimal(const struct written *w)
{
	const char *comma = memchr(w->c, ',', w->len);
	const char *dot = memchr(w->c, '.', w->len);
	const char *sign = comma ? comma : dot;

	if (comma && dot)
		return comma < dot ? '.' : ',';
	if (!sign)
		return 0;
	if (w->points > 1 || w->commas > 1)
		return comma ? '.' : ',';
	if (w->blanks || *w->c == '0' || sign == w->c || sign - w->c > 3 ||
	    !three_digits(sign + 1, w->c + w->len))
		return *sign;
	return 0;
}

/*
 * Reduce W to digits and one '.', given its DECIMAL sign; groups of three
 * are checked and joined.
 */
static int
join_groups(struct written *w, char decimal)
{
	const char *end = w->c + w->len, *p;
	int before = 0, digits = 0, groups = 0;
	size_t n = 0;

	if ((decimal == '.' ? w->points : w->commas) > 1)
		return -1;
	for (p = w->c; p < end; p++) {
		if (tp_is_digit(*p)) {
			digits = 1;
			w->c[n++] = *p;
			continue;
		}
		if (*p == decimal) {
			before = 1;
			w->c[n++] = '.';
			continue;
		}
		if (before || p == w->c || !three_digits(p + 1, end) ||
		    (!groups++ && n > 3))
			return -1;
	}
	w->len = n;
	return digits ? 0 : -1;
}

/* Size of the unit at P..END in DIM, 0 when there is no such unit. */
static uint64_t
unit_size(enum tp_dim dim, const char *p, const char *end)
{
	static const struct {
		enum tp_dim dim;
		const char *name;
		uint64_t size;
	} names[] = {
		{ TP_DIM_TIME, "ns", 1 },
		{ TP_DIM_TIME, "us", 1000 },
		{ TP_DIM_TIME, "\xc2\xb5s", 1000 },
		{ TP_DIM_TIME, "\xce\xbcs", 1000 },
		{ TP_DIM_TIME, "ms", 1000000 },
		{ TP_DIM_TIME, "s", 1000000000 },
		{ TP_DIM_TIME, "sec", 1000000000 },
		{ TP_DIM_TIME, "min", UINT64_C(60000000000) },
		{ TP_DIM_TIME, "h", UINT64_C(3600000000000) },
		{ TP_DIM_BYTES, "B", 1 },
		{ TP_DIM_BYTES, "Byte", 1 },
		{ TP_DIM_BYTES, "Bytes", 1 },
		{ TP_DIM_BYTES, "byte", 1 },
		{ TP_DIM_BYTES, "bytes", 1 },
		{ TP_DIM_BYTES, "KB", 1000 },
		{ TP_DIM_BYTES, "kB", 1000 },
		{ TP_DIM_BYTES, "MB", 1000000 },
		{ TP_DIM_BYTES, "GB", 1000000000 },
		{ TP_DIM_BYTES, "TB", UINT64_C(1000000000000) },
		{ TP_DIM_BYTES, "KiB", UINT64_C(1) << 10 },
		{ TP_DIM_BYTES, "MiB", UINT64_C(1) << 20 },
		{ TP_DIM_BYTES, "GiB", UINT64_C(1) << 30 },
		{ TP_DIM_BYTES, "TiB", UINT64_C(1) << 40 },
	};

	if (p == end)
		return 1;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].dim == dim &&
		    tp_is(p, (size_t)(end - p), names[i].name))
			return names[i].size;
	return 0;
}

static int
hex_number(const char *p, const char *end, int64_t *n)
{
	uint64_t sum = 0;
	unsigned digit;

	for (p += 2; p < end; p++) {
		if (tp_is_digit(*p))
			digit = (unsigned)(*p - '0');
		else if ((*p | 32) >= 'a' && (*p | 32) <= 'f')
			digit = (unsigned)((*p | 32) - 'a' + 10);
		else
			return -1;
		if (sum > ((uint64_t)INT64_MAX - digit) >> 4)
			return -1;
		sum = sum << 4 | digit;
	}
	*n = (int64_t)sum;
	return 0;
}

/* Number of a clock field before a colon; -1 when it is none. */
static int64_t
clock_field(const char *p, const char *colon)
{
	int64_t n = 0;

	if (p == colon)
		return -1;
	for (; p < colon; p++) {
		if (!tp_is_digit(*p) || n > 1000000)
			return -1;
		n = n * 10 + (*p - '0');
	}
	return n;
}

/*
 * Read [HH:]MM:SS[.mmm[.uuu[.nnn]]]; the groups after the seconds form one
 * fraction.
 */
static int
clock_time(const char *p, const char *end, int negative, int64_t *n)
{
	struct written w = { .len = 0 };
	int64_t minutes = 0, rest, field;
	int fields = 0;
	const char *colon;

	while ((colon = memchr(p, ':', (size_t)(end - p)))) {
		field = clock_field(p, colon);
		if (field < 0 || fields == 2 || (fields++ && field >= 60))
			return -1;
		minutes = minutes * 60 + field;
		p = colon + 1;
	}
	for (; p < end && w.len < sizeof w.c; p++) {
		if (tp_is_digit(*p))
			w.c[w.len++] = *p;
		else if ((*p != '.' && *p != ',') || !w.len || p + 1 == end)
			return -1;
		else if (!w.points++)
			w.c[w.len++] = '.';
		else if (!three_digits(p + 1, end))
			return -1;
	}
	if (!w.len || p < end || minutes >= INT64_MAX / INT64_C(60000000000) ||
	    times_unit(w.c, w.len, 1000000000, 0, &rest) < 0 ||
	    rest >= INT64_C(60000000000))
		return -1;
	*n = minutes * INT64_C(60000000000) + rest;
	if (negative)
		*n = -*n;
	return 0;
}

/* Skip blanks around the number, and its sign. */
static int
take_sign(const char **at, const char **to)
{
	const char *p = *at, *end = *to;
	int negative = 0;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (p < end && (*p == '-' || *p == '+')) {
		negative = *p++ == '-';
	} else if (end - p > 3 && !memcmp(p, "\xe2\x88\x92", 3)) {
		negative = 1;
		p += 3;
	}
	*at = p;
	*to = end;
	return negative;
}

/* The number between P and END and its unit. */
static int
take_number(struct written *w, enum tp_dim dim, const char *p,
    const char *end)
{
	size_t blank;

	if (take_written(w, &p, end) < 0)
		return -1;
	while ((blank = blank_at(p, end)))
		p += blank;
	w->unit = unit_size(dim, p, end);
	return w->unit ? 0 : -1;
}

char
tp_unit_decimal_sign(enum tp_dim dim, const char *text, size_t len)
{
	const char *end = text + len;
	struct written w;
	char sure;

	take_sign(&text, &end);
	if (take_number(&w, dim, text, end) < 0)
		return 0;
	sure = sure_decimal(&w);
	/* "1.5." is no number under either decimal sign */
	return join_groups(&w, sure) < 0 ? 0 : sure;
}

/* Whether W, in the base unit, has a nonzero fraction. */
static int
has_fraction(const struct written *w)
{
	const char *p = memchr(w->c, '.', w->len);

	for (; p && p < w->c + w->len; p++)
		if (*p > '0')
			return 1;
	return 0;
}

enum tp_unit_fault
tp_unit_read(enum tp_dim dim, const char *text, size_t len, char decimal,
    int64_t *n)
{
	const char *p = text, *end = text + len;
	int negative = take_sign(&p, &end);
	struct written w;
	char sure;

	if (end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x' && !negative)
		return hex_number(p, end, n) < 0 ? TP_UNIT_NONE : TP_UNIT_OK;
	if (dim == TP_DIM_TIME && memchr(p, ':', (size_t)(end - p)))
		return clock_time(p, end, negative, n) < 0 ? TP_UNIT_NONE :
		    TP_UNIT_OK;
	if (take_number(&w, dim, p, end) < 0)
		return TP_UNIT_NONE;
	sure = sure_decimal(&w);
	if (sure && decimal && sure != decimal)
		return TP_UNIT_NOTATION;
	if (!sure && !decimal && w.points + w.commas) {
		/* counts have no fraction */
		if (w.unit > 1 || w.points)
			return TP_UNIT_AMBIGUOUS;
		decimal = '.';
	}
	if (join_groups(&w, sure ? sure : decimal ? decimal : '.') < 0)
		return TP_UNIT_NONE;
	if (times_unit(w.c, w.len, w.unit, negative, n) < 0)
		return TP_UNIT_NONE;
	return w.unit == 1 && has_fraction(&w) ? TP_UNIT_FRACTION :
	    TP_UNIT_OK;
}

int
tp_unit_parse(enum tp_dim dim, const char *text, size_t len, int64_t *n)
{
	char sure = tp_unit_decimal_sign(dim, text, len);
	enum tp_unit_fault fault = tp_unit_read(dim, text, len,
	    sure ? sure : '.', n);

	return fault == TP_UNIT_OK || fault == TP_UNIT_FRACTION ? 0 : -1;
}

/* A decimal number: its digits and the position of its point. */
struct decimal {
	const char *p, *end;	/* the digits, a '.' among them */
	int64_t digits, point;
	int negative;
};

static int
exponent(const char *p, const char *end, int64_t *e)
{
	int negative = 0;

	if (p < end && (*p == '-' || *p == '+'))
		negative = *p++ == '-';
	if (p == end)
		return -1;
	for (*e = 0; p < end; p++) {
		if (!tp_is_digit(*p))
			return -1;
		if (*e < 1000000)
			*e = *e * 10 + (*p - '0');
	}
	if (negative)
		*e = -*e;
	return 0;
}

static int
take_decimal(struct decimal *d, const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	int64_t e = 0;

	memset(d, 0, sizeof *d);
	d->point = -1;
	if (p < end && (*p == '-' || *p == '+'))
		d->negative = *p++ == '-';
	for (d->p = p; p < end; p++) {
		if (tp_is_digit(*p))
			d->digits++;
		else if (*p == '.' && d->point < 0)
			d->point = d->digits;
		else
			break;
	}
	d->end = p;
	if (!d->digits)
		return -1;
	if (d->point < 0)
		d->point = d->digits;
	if (p < end && ((*p | 32) != 'e' || exponent(p + 1, end, &e) < 0))
		return -1;
	d->point += e;
	return 0;
}

int
tp_unit_decimal(const char *text, size_t len, int64_t scale, int64_t *n)
{
	uint64_t sum = 0, limit, digit;
	int64_t at = 0;
	int half = 0, rest = 0;
	struct decimal d;

	if (take_decimal(&d, text, len) < 0)
		return -1;
	for (; scale > 1; scale /= 10)
		d.point++;
	limit = (uint64_t)INT64_MAX + (d.negative != 0);
	for (; d.p < d.end || (at < d.point && sum); d.p++) {
		if (d.p < d.end && *d.p == '.')
			continue;
		digit = d.p < d.end ? (uint64_t)(*d.p - '0') : 0;
		if (at < d.point) {
			if (sum > (limit - digit) / 10)
				return -1;
			sum = sum * 10 + digit;
		} else if (at == d.point) {
			half = digit > 5 ? 2 : digit == 5;
			rest |= digit > 0 && digit < 5;
		} else {
			rest |= digit != 0;
		}
		at++;
	}
	/* with the point before the first digit, everything is below a half */
	if (half == 2 || (half == 1 && (rest || sum % 2)))
		sum++;
	if (sum > limit)
		return -1;
	*n = d.negative ? (int64_t)(0 - sum) : (int64_t)sum;
	return 0;
}
