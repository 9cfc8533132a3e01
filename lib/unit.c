/* unit - numbers for people, and numbers people write */
#include <math.h>
#include <string.h>

#include <tp/records.h>
#include <tp/text.h>
#include <tp/unit.h>

/* Longest number tp_unit_parse() takes, in digits. */
#define DIGITS_MAX 120

enum shape {
	PLAIN, TIME, BYTES, RATIO, FACTOR, GROUPED, CYCLES, PER_S,
	BYTES_PER_S, MEGABYTES
};

/* The first that ends a key says what its value is. */
static const struct suffix {
	const char *end;
	enum shape shape;
} suffixes[] = {
	{ "_bytes_per_s", BYTES_PER_S }, { "_per_s", PER_S }, { "_ns", TIME },
	{ "_bytes", BYTES }, { "_ratio", RATIO }, { "_factor", FACTOR },
	{ "_count", GROUPED }, { "_cycles", CYCLES }, { "_mb", MEGABYTES },
};

struct unit {
	const char *form, *shown;
	int64_t size;
};

static const struct unit times[] = {
	{ "ns", "ns", 1 }, { "us", "us", 1000 }, { "ms", "ms", 1000000 },
	{ "s", "s", 1000000000 }, { NULL, NULL, 0 },
}, sizes[] = {
	{ "bytes", "B", 1 }, { "kib", "KiB", 1024 },
	{ "mib", "MiB", 1024 * 1024 }, { "gib", "GiB", 1024 * 1024 * 1024 },
	{ NULL, NULL, 0 },
};

/* What a form asks for. */
struct wish {
	const struct unit *unit;	/* of the shape's, or NULL */
	int num, raw, plural, percent;
};

static enum shape
shape_of(const char *key)
{
	size_t len = strlen(key), n;

	/* the two counts that records name without a suffix */
	if (!strcmp(key, "rows") || !strcmp(key, "count"))
		return GROUPED;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		n = strlen(suffixes[i].end);
		if (len > n && !strcmp(key + len - n, suffixes[i].end))
			return suffixes[i].shape;
	}
	return PLAIN;
}

static uint64_t
magnitude(int64_t n)
{
	return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

static void
group(struct tp_buf *buf, uint64_t n)
{
	char digits[32], *p = digits + sizeof digits;
	int i = 0;

	do {
		if (i && i % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + n % 10);
		n /= 10;
		i++;
	} while (n);
	tp_buf_add(buf, p, (size_t)(digits + sizeof digits - p));
}

void
tp_unit_group(struct tp_buf *buf, int64_t n)
{
	if (n < 0)
		tp_buf_chr(buf, '-');
	group(buf, magnitude(n));
}

static uint64_t
ten_to(int n)
{
	uint64_t p = 1;

	while (n-- > 0)
		p *= 10;
	return p;
}

/* N / SIZE with DECIMALS digits behind the point, half to even. */
static uint64_t
divide(uint64_t n, uint64_t size, int decimals)
{
	uint64_t scale = ten_to(decimals), r = n % size, q;

	q = n / size * scale + r * scale / size;
	r = r * scale % size;
	if (r > size - r || (r == size - r && q % 2))
		q++;
	return q;
}

/* SCALED is a number times 10^DECIMALS. */
static void
fixed(struct tp_buf *buf, uint64_t scaled, int decimals)
{
	uint64_t scale = ten_to(decimals), rest = scaled % scale;

	group(buf, scaled / scale);
	if (!decimals)
		return;
	tp_buf_chr(buf, '.');
	while (scale /= 10)
		tp_buf_chr(buf, (char)('0' + rest / scale % 10));
}

/*
 * Digits behind the point that leave three significant ones of N / SIZE; one
 * from 1000 on, where three would hide more than they spare.
 */
static int
decimals_of(uint64_t n, uint64_t size)
{
	int d = 0;

	if (!n || size == 1)
		return 0;
	if (n / size >= 1000)
		return 1;
	while (d < 12 && n < 100 * size) {
		n *= 10;
		d++;
	}
	return d;
}

/* N in UNIT, 3 significant digits. */
static void
in_unit(struct tp_buf *buf, int64_t n, const struct unit *unit)
{
	uint64_t u = magnitude(n), size = (uint64_t)unit->size, scaled;
	int d = decimals_of(u, size);

	scaled = divide(u, size, d);
	/* 9.996 became 10.00: one digit too many */
	if (d && scaled < 10000 && scaled >= 1000)
		scaled = divide(u, size, --d);
	if (n < 0)
		tp_buf_chr(buf, '-');
	fixed(buf, scaled, d);
}

/* The largest unit in which N is at least 1, as it will be printed. */
static const struct unit *
best_unit(const struct unit *units, int64_t n)
{
	uint64_t u = magnitude(n), size, next;
	int d;

	for (; units[1].form; units++) {
		size = (uint64_t)units[0].size;
		next = (uint64_t)units[1].size;
		d = decimals_of(u, size);
		if (u < next && divide(u, size, d) < next / size * ten_to(d))
			break;
	}
	return units;
}

static void
with_unit(struct tp_buf *buf, int64_t n, const struct unit *units,
    const struct wish *wish)
{
	const struct unit *unit = wish->unit;

	if (!unit)
		unit = best_unit(units, n);
	in_unit(buf, n, unit);
	if (!wish->num) {
		tp_buf_chr(buf, ' ');
		tp_buf_str(buf, unit->shown);
	}
}

void
tp_unit_ns(struct tp_buf *buf, int64_t n)
{
	with_unit(buf, n, times, &(struct wish){ .unit = NULL });
}

void
tp_unit_bytes(struct tp_buf *buf, int64_t n)
{
	with_unit(buf, n, sizes, &(struct wish){ .unit = NULL });
}

/* X with D digits behind the point, whatever the locale. */
static void
real_fixed(struct tp_buf *buf, double x, int d)
{
	double scaled = nearbyint(fabs(x) * (double)ten_to(d));

	if (x < 0 && scaled > 0)
		tp_buf_chr(buf, '-');
	if (scaled < 9e18)
		fixed(buf, (uint64_t)scaled, d);
	else
		tp_json_real(buf, fabs(x));
}

/* Digits behind the point that leave SIGNIFICANT ones of X; 0 for none. */
static int
real_decimals(double x, int significant)
{
	int d = significant - 1;

	x = fabs(x);
	if (!(x > 0))
		return 0;
	while (d > 0 && x >= 10) {
		x /= 10;
		d--;
	}
	while (d < 15 && x < 1) {
		x *= 10;
		d++;
	}
	/* 9.996 would become 10.00 */
	if (d > 0 && x * (double)ten_to(significant - 1) >=
	    (double)ten_to(significant) - 0.5)
		d--;
	return d;
}

static void
real_significant(struct tp_buf *buf, double x)
{
	if (fabs(x) >= 1000)
		real_fixed(buf, x, 1);
	else
		real_fixed(buf, x, real_decimals(x, 3));
}

static void
percent(struct tp_buf *buf, double x, int num)
{
	x *= 100;
	/* the two ends are exact or they carry digits */
	if (x <= 0 && x >= 0)
		tp_buf_chr(buf, '0');
	else if (x >= 100 && x <= 100)
		tp_buf_str(buf, "100");
	else if (fabs(x) < 0.1)
		real_fixed(buf, x, real_decimals(x, 2));
	else
		real_fixed(buf, x, 1);
	if (!num)
		tp_buf_str(buf, " %");
}

void
tp_unit_percent(struct tp_buf *buf, double x)
{
	percent(buf, x, 0);
}

/* Field as a whole number of its base unit; 0, or -1 when it is too large. */
static int
whole(const struct tp_field *f, int64_t *n)
{
	if (f->type == TP_FIELD_INT) {
		*n = f->n;
		return 0;
	}
	if (!(fabs(f->x) < 9e18))
		return -1;
	*n = (int64_t)nearbyint(f->x);
	return 0;
}

static void
print_scaled(struct tp_buf *buf, const struct tp_field *f,
    const struct unit *units, const struct wish *wish)
{
	int64_t n;

	if (whole(f, &n) < 0)
		tp_buf_str(buf, f->text);
	else
		with_unit(buf, n, units, wish);
}

static void
print_number(struct tp_buf *buf, const struct tp_field *f,
    const char *unit, const struct wish *wish)
{
	if (f->type == TP_FIELD_INT)
		tp_unit_group(buf, f->n);
	else
		real_significant(buf, f->x);
	if (!wish->num)
		tp_buf_str(buf, unit);
}

static void
print_shape(struct tp_buf *buf, const struct tp_field *f, enum shape shape,
    const struct wish *wish)
{
	switch (shape) {
	case TIME:
		print_scaled(buf, f, times, wish);
		break;
	case BYTES:
		print_scaled(buf, f, sizes, wish);
		break;
	case BYTES_PER_S:
		print_scaled(buf, f, sizes, wish);
		if (!wish->num)
			tp_buf_str(buf, "/s");
		break;
	case RATIO:
		percent(buf, f->x, wish->num);
		break;
	case FACTOR:
		real_significant(buf, f->x);
		if (!wish->num)
			tp_buf_chr(buf, 'x');
		break;
	case GROUPED:
		print_number(buf, f, "", wish);
		break;
	case CYCLES:
		print_number(buf, f, " cycles", wish);
		break;
	case PER_S:
		print_number(buf, f, "/s", wish);
		break;
	case MEGABYTES:
		real_significant(buf, f->x);
		if (!wish->num)
			tp_buf_str(buf, " MB");
		break;
	case PLAIN:
		if (f->type == TP_FIELD_REAL)
			real_significant(buf, f->x);
		else
			tp_buf_add(buf, f->text, f->len);
		break;
	}
}

static int
is(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(word, name, len);
}

static const struct unit *
find_unit(const struct unit *units, const char *word, size_t len)
{
	for (; units->form; units++)
		if (is(word, len, units->form))
			return units;
	return NULL;
}

/* One word of a form; 0, or -1 when a value of this SHAPE cannot be so. */
static int
wish_word(struct wish *wish, enum shape shape, const char *word, size_t len)
{
	if (is(word, len, "num"))
		wish->num = 1;
	else if (is(word, len, "raw"))
		wish->raw = 1;
	else if (is(word, len, "plural"))
		wish->plural = 1;
	else if (is(word, len, "percent") && shape == RATIO)
		wish->percent = 1;
	else if (shape == TIME)
		wish->unit = find_unit(times, word, len);
	else if (shape == BYTES || shape == BYTES_PER_S)
		wish->unit = find_unit(sizes, word, len);
	else
		return -1;
	return wish->num || wish->raw || wish->plural || wish->percent ||
	    wish->unit ? 0 : -1;
}

static int
wish_parse(struct wish *wish, enum shape shape, const char *form)
{
	size_t n;

	memset(wish, 0, sizeof *wish);
	while (form && *form) {
		n = strcspn(form, ".");
		if (wish_word(wish, shape, form, n) < 0)
			return -1;
		form += n;
		if (*form == '.' && !*++form)
			return -1;
	}
	return 0;
}

int
tp_unit_print(struct tp_buf *buf, const struct tp_field *field,
    const char *form)
{
	enum shape shape = shape_of(field->key);
	struct wish wish;

	if (field->type != TP_FIELD_INT && field->type != TP_FIELD_REAL)
		shape = PLAIN;
	if (wish_parse(&wish, shape, form) < 0)
		return -1;
	if (wish.raw)
		tp_buf_add(buf, field->text, field->len);
	else if (wish.plural) {
		if (strcmp(field->text, "1"))
			tp_buf_chr(buf, 's');
	} else if (field->type == TP_FIELD_BOOL)
		tp_buf_str(buf, field->n ? "yes" : "no");
	else if (field->type != TP_FIELD_INT && field->type != TP_FIELD_REAL)
		tp_buf_add(buf, field->text, field->len);
	else
		print_shape(buf, field, shape, &wish);
	return 0;
}

/* Reading. */

/*
 * DIGITS ("12.5": one point at most) times UNIT into *N, half to even.  The
 * fraction is taken from its last digit on, twice as large as it is, so that
 * its last bit says whether a half is left.
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

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes of a blank at P that groups digits (space, U+00A0, U+202F, '). */
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
	return end - p >= 3 && is_digit(p[0]) && is_digit(p[1]) &&
	    is_digit(p[2]) && (end - p == 3 || !is_digit(p[3]));
}

/* A number as written: its characters, blanks between groups left out. */
struct written {
	char c[DIGITS_MAX];
	size_t len, points, commas;
	int blanks;
};

static int
take_written(struct written *w, const char **at, const char *end)
{
	const char *p = *at;
	size_t blank;

	memset(w, 0, sizeof *w);
	while (p < end && w->len < sizeof w->c) {
		blank = blank_at(p, end);
		if (blank && w->len && is_digit(w->c[w->len - 1]) &&
		    !w->points && !w->commas &&
		    three_digits(p + blank, end)) {
			w->blanks = 1;
			p += blank;
			continue;
		}
		if (!is_digit(*p) && *p != '.' && *p != ',')
			break;
		w->points += *p == '.';
		w->commas += *p == ',';
		w->c[w->len++] = *p++;
	}
	*at = p;
	return w->len && w->len < sizeof w->c ? 0 : -1;
}

/* Which character is the decimal point of W; 0: there is none. */
static int
decimal_point(const struct written *w, char *point)
{
	const char *comma = memchr(w->c, ',', w->len);
	const char *dot = memchr(w->c, '.', w->len);

	*point = 0;
	if (comma && dot) {
		*point = comma < dot ? '.' : ',';
		return (*point == '.' ? w->points : w->commas) == 1 ? 0 : -1;
	}
	if (dot && w->points == 1)
		*point = '.';
	else if (comma && w->commas == 1 && (w->blanks || *w->c == '0' ||
	    comma - w->c > 3 || comma == w->c ||
	    !three_digits(comma + 1, w->c + w->len)))
		*point = ',';
	return 0;
}

/* Leave digits and one '.' in W: groups of three are checked and joined. */
static int
join_groups(struct written *w)
{
	const char *end = w->c + w->len, *p;
	int before = 0, digits = 0, groups = 0;
	char point;
	size_t n = 0;

	if (decimal_point(w, &point) < 0)
		return -1;
	for (p = w->c; p < end; p++) {
		if (is_digit(*p)) {
			digits = 1;
			w->c[n++] = *p;
			continue;
		}
		if (*p == point) {
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
		    is(p, (size_t)(end - p), names[i].name))
			return names[i].size;
	return 0;
}

static int
hex_number(const char *p, const char *end, int64_t *n)
{
	uint64_t sum = 0;
	unsigned digit;

	for (p += 2; p < end; p++) {
		if (is_digit(*p))
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

/* Digits of a clock up to a colon; -1 when it is none. */
static int64_t
clock_field(const char *p, const char *colon)
{
	int64_t n = 0;

	if (p == colon)
		return -1;
	for (; p < colon; p++) {
		if (!is_digit(*p) || n > 1000000)
			return -1;
		n = n * 10 + (*p - '0');
	}
	return n;
}

/*
 * [HH:]MM:SS[.mmm[.uuu[.nnn]]]: the groups behind the seconds are one
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
		if (is_digit(*p))
			w.c[w.len++] = *p;
		else if ((*p != '.' && *p != ',') || !w.len || p + 1 == end)
			return -1;
		else if (!w.points++)
			w.c[w.len++] = '.';
		else if (!three_digits(p + 1, end))
			return -1;
	}
	if (!w.len || p < end || times_unit(w.c, w.len, 1000000000, 0,
	    &rest) < 0 || rest >= INT64_C(60000000000))
		return -1;
	*n = minutes * INT64_C(60000000000) + rest;
	if (negative)
		*n = -*n;
	return 0;
}

int
tp_unit_parse(enum tp_dim dim, const char *text, size_t len, int64_t *n)
{
	const char *p = text, *end = text + len;
	int negative = 0;
	struct written w;
	size_t blank;
	uint64_t unit;

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
	if (end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x' && !negative)
		return hex_number(p, end, n);
	if (dim == TP_DIM_TIME && memchr(p, ':', (size_t)(end - p)))
		return clock_time(p, end, negative, n);
	if (take_written(&w, &p, end) < 0 || join_groups(&w) < 0)
		return -1;
	while ((blank = blank_at(p, end)))
		p += blank;
	unit = unit_size(dim, p, end);
	return unit ? times_unit(w.c, w.len, unit, negative, n) : -1;
}

/* A decimal number taken apart: digits, and where its point stands. */
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
		if (!is_digit(*p))
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
		if (is_digit(*p))
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
	/* with the point before the first digit, all of it is below a half */
	if (half == 2 || (half == 1 && (rest || sum % 2)))
		sum++;
	if (sum > limit)
		return -1;
	*n = d.negative ? (int64_t)(0 - sum) : (int64_t)sum;
	return 0;
}
