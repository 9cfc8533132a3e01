/* unit - print numbers for people, and read numbers that people wrote */
#include <math.h>
#include <string.h>

#include <tp/records.h>
#include <tp/text.h>
#include <tp/unit.h>

enum shape {
	PLAIN, TIME, BYTES, RATIO, FACTOR, GROUPED, CYCLES, PER_S,
	BYTES_PER_S, FLOPS_PER_S, MEGABYTES, POINTS
};

/* The first suffix that ends a key gives the type of its value. */
static const struct suffix {
	const char *end;
	enum shape shape;
} suffixes[] = {
	{ "_bytes_per_s", BYTES_PER_S }, { "_flops_per_s", FLOPS_PER_S },
	{ "_per_s", PER_S }, { "_ns", TIME }, { "_ps", TIME },
	{ "_bytes", BYTES }, { "_ratio", RATIO }, { "_factor", FACTOR },
	{ "_count", GROUPED }, { "_cycles", CYCLES }, { "_mb", MEGABYTES },
	{ "_points", POINTS },
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
}, works[] = {
	{ "flops", "FLOP", 1 }, { "mflops", "MFLOP", 1000000 },
	{ "gflops", "GFLOP", 1000000000 },
	{ "tflops", "TFLOP", 1000000000000 }, { NULL, NULL, 0 },
};

/* A parsed form. */
struct wish {
	const struct unit *unit;	/* of that shape, or NULL */
	int num, raw, plural, percent;
};

static enum shape
shape_of(const char *key)
{
	/* keys without a suffix */
	if (!strcmp(key, "rows") || !strcmp(key, "count"))
		return GROUPED;
	if (!strcmp(key, "bytes"))
		return BYTES;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (tp_has_end(key, suffixes[i].end))
			return suffixes[i].shape;
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

/* N / SIZE with DECIMALS decimals, rounded half to even. */
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

/* Print SCALED, a number times 10^DECIMALS. */
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

/* Decimals for three significant digits of N / SIZE; none from 100 on. */
static int
decimals_of(uint64_t n, uint64_t size)
{
	int d = 0;

	if (!n || size == 1)
		return 0;
	while (d < 12 && n < 100 * size) {
		n *= 10;
		d++;
	}
	return d;
}

/* Print N in UNIT with 3 significant digits. */
static void
in_unit(struct tp_buf *buf, int64_t n, const struct unit *unit)
{
	uint64_t u = magnitude(n), size = (uint64_t)unit->size, scaled;
	int d = decimals_of(u, size);

	scaled = divide(u, size, d);
	/* 9.996 rounded to 10.00 has one decimal too many */
	if (d && scaled < 10000 && scaled >= 1000)
		scaled = divide(u, size, --d);
	if (n < 0)
		tp_buf_chr(buf, '-');
	fixed(buf, scaled, d);
}

/* The largest unit in which N, as printed, is at least 1. */
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

/*
 * Whether N reads well in UNIT: from 0.1 to 99,999 of it.  The smallest unit is
 * asked for where each digit matters.
 */
static int
is_readable(int64_t n, const struct unit *unit)
{
	uint64_t u = magnitude(n), size = (uint64_t)unit->size;

	return size == 1 || !u || (u >= size / 10 && u / size < 100000);
}

/* Without the unit behind it, a number stays in the unit that is asked for. */
static void
with_unit(struct tp_buf *buf, int64_t n, const struct unit *units,
    const struct wish *wish)
{
	const struct unit *unit = wish->unit;

	if (!unit || (!wish->num && !is_readable(n, unit)))
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

/* X with D decimals, in any locale. */
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

/* Decimals for SIGNIFICANT digits of X. */
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

/*
 * Print X with DECIMALS.  What is not 0 but less than the last of LEAST
 * decimals is "<0.1".
 */
static void
real_or_less(struct tp_buf *buf, double x, int least, int decimals)
{
	int is_zero = x <= 0 && x >= 0;

	if (!is_zero && fabs(x) * (double)ten_to(least) < 1) {
		tp_buf_chr(buf, '<');
		real_fixed(buf, 1 / (double)ten_to(least), least);
	} else {
		real_fixed(buf, x, is_zero ? 0 : decimals);
	}
}

static void
real_significant(struct tp_buf *buf, double x)
{
	real_or_less(buf, x, 3, real_decimals(x, 3));
}

/*
 * Shares in a column have one precision.  Nothing but 0 is 0 %, and nothing
 * less than all is 100 %.
 */
static void
percent(struct tp_buf *buf, double x, int num)
{
	double whole = 100 * x;

	if (x < 1 && whole >= 99.95)
		tp_buf_str(buf, ">99.9");
	else
		real_or_less(buf, whole, 1, fabs(whole) < 99.95);
	if (!num)
		tp_buf_str(buf, " %");
}

void
tp_unit_percent(struct tp_buf *buf, double x)
{
	percent(buf, x, 0);
}

void
tp_unit_change(struct tp_buf *buf, double x)
{
	if (x >= 0.001)
		tp_buf_chr(buf, '+');
	percent(buf, x, 0);
}

void
tp_unit_hundredths(struct tp_buf *buf, double x)
{
	real_or_less(buf, x, 2, fabs(x) < 99.995 ? 2 : 0);
}

void
tp_unit_limit(struct tp_buf *buf, double x)
{
	if (fabs(x) < 0.01)
		tp_unit_hundredths(buf, x);
	else
		tp_json_real(buf, nearbyint(100 * x) / 100);
}

/* FIELD as a whole number of its base unit.  0, or -1 when it is too large. */
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
	case FLOPS_PER_S:
		print_scaled(buf, f, works, wish);
		if (!wish->num)
			tp_buf_str(buf, "/s");
		break;
	case RATIO:
		percent(buf, f->x, wish->num);
		break;
	case FACTOR:
		if (wish->percent) {
			percent(buf, f->x, wish->num);
			break;
		}
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
	case POINTS:	/* of percent, which have one digit too */
		if (f->x >= 0.1)
			tp_buf_chr(buf, '+');
		real_or_less(buf, f->x, 1, 1);
		break;
	case PLAIN:
		if (f->type == TP_FIELD_REAL)
			real_significant(buf, f->x);
		else
			tp_buf_add(buf, f->text, f->len);
		break;
	}
}

static const struct unit *
find_unit(const struct unit *units, const char *word, size_t len)
{
	for (; units->form; units++)
		if (tp_is(word, len, units->form))
			return units;
	return NULL;
}

/* Apply one word of a form.  0, or -1 when it does not fit SHAPE. */
static int
wish_word(struct wish *wish, enum shape shape, const char *word, size_t len)
{
	if (tp_is(word, len, "num"))
		wish->num = 1;
	else if (tp_is(word, len, "raw"))
		wish->raw = 1;
	else if (tp_is(word, len, "plural"))
		wish->plural = 1;
	else if (tp_is(word, len, "percent") &&
	    (shape == RATIO || shape == FACTOR))
		wish->percent = 1;
	else if (shape == TIME)
		wish->unit = find_unit(times, word, len);
	else if (shape == BYTES || shape == BYTES_PER_S)
		wish->unit = find_unit(sizes, word, len);
	else if (shape == FLOPS_PER_S)
		wish->unit = find_unit(works, word, len);
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

/* FIELD converted to nanoseconds when its key is in picoseconds. */
static const struct tp_field *
as_ns(const struct tp_field *field, struct tp_field *ns)
{
	size_t len = strlen(field->key);

	if (len < 4 || strcmp(field->key + len - 3, "_ps") ||
	    (field->type != TP_FIELD_INT && field->type != TP_FIELD_REAL))
		return field;
	*ns = *field;
	ns->type = TP_FIELD_REAL;
	ns->x = field->x / 1000;
	if (field->type == TP_FIELD_INT) {
		ns->type = TP_FIELD_INT;
		ns->n = (int64_t)nearbyint(ns->x);
	}
	return ns;
}

int
tp_unit_print(struct tp_buf *buf, const struct tp_field *field,
    const char *form)
{
	enum shape shape = shape_of(field->key);
	struct tp_field ns;
	struct wish wish;

	field = as_ns(field, &ns);
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
