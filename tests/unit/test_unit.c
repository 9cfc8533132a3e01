/* Numbers for people, and numbers people write. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/records.h>
#include <tp/text.h>
#include <tp/unit.h>

static int failed;

static const struct print {
	const char *key, *value, *form, *want;	/* want NULL: refused */
} prints[] = {
	{ "x_ns", "0", NULL, "0 ns" },
	{ "x_ns", "17", NULL, "17 ns" },
	{ "x_ns", "999", NULL, "999 ns" },
	{ "x_ns", "1000", NULL, "1.00 us" },
	{ "x_ns", "6250", NULL, "6.25 us" },
	{ "x_ns", "9996", NULL, "10.0 us" },
	{ "x_ns", "99960", NULL, "100 us" },
	{ "x_ns", "999499", NULL, "999 us" },
	{ "x_ns", "999500", NULL, "1.00 ms" },
	{ "x_ns", "63892716", NULL, "63.9 ms" },
	{ "x_ns", "-63892716", NULL, "-63.9 ms" },
	{ "x_ns", "2123900000", NULL, "2.12 s" },
	{ "x_ns", "2123900000", "ms", "2,124 ms" },
	{ "x_ns", "2123900000", "ms.num", "2,124" },
	{ "x_ns", "2123900000", "num", "2.12" },
	{ "x_ns", "598700000000", NULL, "599 s" },
	{ "x_ns", "21", "ms", "21 ns" },
	{ "x_ns", "21", "ms.num", "0.0000210" },
	{ "x_ns", "5450", "ms", "5.45 us" },
	{ "x_ns", "99999", "ms", "100 us" },
	{ "x_ns", "100000", "ms", "0.100 ms" },
	{ "x_ns", "-5450", "ms", "-5.45 us" },
	{ "x_ns", "99999000000", "ms", "99,999 ms" },
	{ "x_ns", "100000000000", "ms", "100 s" },
	{ "x_ns", "9668000000000", "ms", "9,668 s" },
	{ "x_ns", "9668000000000", "ms.num", "9,668,000" },
	{ "x_ns", "9668000000000", NULL, "9,668 s" },
	{ "x_ns", "0", "ms", "0 ms" },
	{ "x_ns", "-1", NULL, "-1 ns" },
	{ "x_ns", "-0.0", NULL, "0 ns" },
	{ "x_ns", "9223372036854775807", NULL, "9,223,372,037 s" },
	{ "x_ns", "-9223372036854775808", NULL, "-9,223,372,037 s" },
	{ "x_ns", "-9223372036854775808", "ms", "-9,223,372,037 s" },
	{ "x_ns", "-9223372036854775808", "ns",
	    "-9,223,372,036,854,775,808 ns" },
	{ "x_ns", "1500.5", NULL, "1.50 us" },
	{ "x_ns", "12", "gib", NULL },
	{ "x_ns", "12", "percent", NULL },
	{ "x_ns", "12", "", "12 ns" },
	{ "x_ns", "12", "ms.", NULL },
	{ "x_ns", "12", "nonsense", NULL },
	{ "x_ps", "1500000", NULL, "1.50 us" },
	{ "x_ps", "2499", NULL, "2 ns" },
	{ "x_ps", "-2500000000", "us", "-2,500 us" },
	{ "x_ps", "17600.5", NULL, "18 ns" },
	{ "x_bytes", "272089088", NULL, "259 MiB" },
	{ "x_bytes", "1023", NULL, "1,023 B" },
	{ "x_bytes", "1048064", NULL, "1.00 MiB" },
	{ "x_bytes", "1047040", NULL, "1,022 KiB" },
	{ "x_bytes", "1048550", NULL, "1.00 MiB" },
	{ "x_bytes", "21474836480", NULL, "20.0 GiB" },
	{ "x_bytes", "272089088", "gib", "0.253 GiB" },
	{ "x_bytes", "1000", "gib", "1,000 B" },
	{ "x_bytes", "2740000000000", NULL, "2,552 GiB" },
	{ "x_bytes_per_s", "1073741824", NULL, "1.00 GiB/s" },
	{ "x_bytes_per_s", "3350000000000", NULL, "3,120 GiB/s" },
	{ "x_flops_per_s", "1979000000000000", NULL, "1,979 TFLOP/s" },
	{ "x_ratio", "0.713", NULL, "71.3 %" },
	{ "x_ratio", "0", NULL, "0 %" },
	{ "x_ratio", "1", NULL, "100 %" },
	{ "x_ratio", "0.001", NULL, "0.1 %" },
	{ "x_ratio", "-0.0", NULL, "0 %" },
	{ "x_ratio", "0.00099999", NULL, "<0.1 %" },
	{ "x_ratio", "0.00045", NULL, "<0.1 %" },
	{ "x_ratio", "0.0000000075", NULL, "<0.1 %" },
	{ "x_ratio", "1e-300", "percent.num", "<0.1" },
	{ "x_ratio", "-0.00045", NULL, "<0.1 %" },
	{ "x_ratio", "-0.0024", NULL, "-0.2 %" },
	{ "x_ratio", "0.9994", NULL, "99.9 %" },
	{ "x_ratio", "0.9995", NULL, ">99.9 %" },
	{ "x_ratio", "0.9999999999", NULL, ">99.9 %" },
	{ "x_ratio", "-1", NULL, "-100 %" },
	{ "x_ratio", "12.3456", NULL, "1,235 %" },
	{ "x_ratio", "0.713", "percent", "71.3 %" },
	{ "x_ratio", "0.713", "percent.num", "71.3" },
	{ "x_factor", "0.182", "percent", "18.2 %" },
	{ "x_factor", "1.1", "percent", "110 %" },
	{ "x_factor", "1.1", "percent.num", "110" },
	{ "x_ratio", "0.713", "raw", "0.713" },
	{ "x_factor", "12.648", NULL, "12.6x" },
	{ "x_factor", "0.06104", NULL, "0.0610x" },
	{ "x_factor", "2", NULL, "2.00x" },
	{ "x_factor", "1234.56", NULL, "1,235x" },
	{ "x_factor", "999.6", NULL, "1,000x" },
	{ "x_factor", "1e-12", NULL, "<0.001x" },
	{ "x_factor", "-1e-12", NULL, "<0.001x" },
	{ "x_factor", "-0.0", NULL, "0x" },
	{ "x_factor", "1e300", NULL, "1e+300x" },
	{ "x_count", "1234567", NULL, "1,234,567" },
	{ "x_count", "-1234", NULL, "-1,234" },
	{ "x_count", "1", "plural", "" },
	{ "x_count", "2", "plural", "s" },
	{ "x_count", "0", "plural", "s" },
	{ "rows", "3839", NULL, "3,839" },
	{ "pid", "37931", NULL, "37931" },
	{ "images_per_s", "0.021125", NULL, "0.0211/s" },
	{ "buffers_per_s", "4995", NULL, "4,995/s" },
	{ "x_cycles", "322133", NULL, "322,133 cycles" },
	{ "peak_mb", "3908.2200000000003", NULL, "3,908 MB" },
	{ "delta_points", "-12.34", NULL, "-12.3" },
	{ "delta_points", "1.2", NULL, "+1.2" },
	{ "delta_points", "-0.00000334", NULL, "<0.1" },
	{ "delta_points", "-0.0", NULL, "0" },
	{ "per_buffer_mean", "6.3106796116504853", NULL, "6.31" },
	{ "name", "\"a b\"", NULL, "a b" },
	{ "name_ns", "\"a b\"", NULL, "a b" },
	{ "name_ns", "\"a b\"", "ms", NULL },
	{ "damaged", "true", NULL, "yes" },
	{ "damaged", "false", "raw", "false" },
};

static void
check_print(const struct print *t)
{
	struct tp_buf got = { 0 };
	struct tp_set set = { 0 };
	struct tp_err err;
	char line[200];
	int rc;

	snprintf(line, sizeof line, "{\"kind\":\"k\",\"%s\":%s}", t->key,
	    t->value);
	if (tp_set_add(&set, line, strlen(line), &err) < 0) {
		printf("not ok %s: %s\n", line, err.text);
		failed = 1;
		return;
	}
	rc = tp_unit_print(&got, tp_rec_field(&set.recs[0], t->key), t->form);
	if (rc != (t->want ? 0 : -1) || (t->want &&
	    strcmp(got.p ? got.p : "", t->want))) {
		printf("not ok %s=%s as '%s' gave %d '%s', not '%s'\n",
		    t->key, t->value, t->form ? t->form : "", rc,
		    got.p ? got.p : "", t->want ? t->want : "a refusal");
		failed = 1;
	}
	tp_buf_release(&got);
	tp_set_release(&set);
}

/* What is beside a limit, and the limit. */
static const struct beside {
	double x;
	const char *change, *hundredths, *limit;
} besides[] = {
	{ 0.05, "+5.0 %", "5.00", "5" },
	{ 0.0504, "+5.0 %", "5.04", "5.04" },
	{ 0.025, "+2.5 %", "2.50", "2.5" },
	{ -0.0024, "-0.2 %", "-0.24", "-0.24" },
	{ -0.0000001, "<0.1 %", "<0.01", "<0.01" },
	{ -0.0, "0 %", "0", "0" },
	{ 0, "0 %", "0", "0" },
	{ 1, "+100 %", "100", "100" },
	{ 4.481, "+448 %", "448", "448.1" },
};

static void
check_text(const char *what, double x, const struct tp_buf *got,
    const char *want)
{
	if (got->p && !strcmp(got->p, want))
		return;
	printf("not ok %s of %g is '%s', not '%s'\n", what, x,
	    got->p ? got->p : "", want);
	failed = 1;
}

static void
check_beside(const struct beside *t)
{
	struct tp_buf got = { 0 };

	tp_unit_change(&got, t->x);
	check_text("change", t->x, &got, t->change);
	tp_buf_clear(&got);
	tp_unit_hundredths(&got, 100 * t->x);
	check_text("hundredths", t->x, &got, t->hundredths);
	tp_buf_clear(&got);
	tp_unit_limit(&got, 100 * t->x);
	check_text("limit", t->x, &got, t->limit);
	tp_buf_release(&got);
}

static const struct parse {
	enum tp_dim dim;
	const char *text;
	int rc;
	int64_t n;
} parses[] = {
	{ TP_DIM_TIME, "16917", 0, 16917 },
	{ TP_DIM_TIME, "1.23 ms", 0, 1230000 },
	{ TP_DIM_TIME, "16.92 \xc2\xb5s", 0, 16920 },
	{ TP_DIM_TIME, "16.92 \xce\xbcs", 0, 16920 },
	{ TP_DIM_TIME, "16.92us", 0, 16920 },
	{ TP_DIM_TIME, "1,23 ms", 0, 1230000 },
	{ TP_DIM_TIME, "1,234 ms", 0, 1234000000 },
	{ TP_DIM_TIME, "0,123 ms", 0, 123000 },
	{ TP_DIM_TIME, "1.234,5 ms", 0, 1234500000 },
	{ TP_DIM_TIME, "1,234.5 ms", 0, 1234500000 },
	{ TP_DIM_TIME, "1\xc2\xa0""234,5\xc2\xa0ms", 0, 1234500000 },
	{ TP_DIM_TIME, "1'234'567", 0, 1234567 },
	{ TP_DIM_TIME, "1.206.362.555", 0, 1206362555 },
	{ TP_DIM_TIME, "1,526,452,089", 0, 1526452089 },
	{ TP_DIM_TIME, "1.5 min", 0, 90000000000 },
	{ TP_DIM_TIME, "2 h", 0, 7200000000000 },
	{ TP_DIM_TIME, "-1.5 us", 0, -1500 },
	{ TP_DIM_TIME, "\xe2\x88\x92""1.5 us", 0, -1500 },
	{ TP_DIM_TIME, "0.5", 0, 0 },
	{ TP_DIM_TIME, "1.5", 0, 2 },
	{ TP_DIM_TIME, "2.5", 0, 2 },
	{ TP_DIM_TIME, "2.50000000000000000000000000000001", 0, 3 },
	{ TP_DIM_TIME, "0.0000000005 s", 0, 0 },
	{ TP_DIM_TIME, "00:01.234.567", 0, 1234567000 },
	{ TP_DIM_TIME, "00:00.408.969", 0, 408969000 },
	{ TP_DIM_TIME, "01:02", 0, 62000000000 },
	{ TP_DIM_TIME, "01:00:00.5", 0, 3600500000000 },
	{ TP_DIM_TIME, "00:01,234,567", 0, 1234567000 },
	{ TP_DIM_TIME, "00:61", -1, 0 },
	{ TP_DIM_TIME, "1:2:3:4", -1, 0 },
	{ TP_DIM_TIME, "00:01.2345.6", -1, 0 },
	{ TP_DIM_TIME, ":1", -1, 0 },
	{ TP_DIM_TIME, "9223372036854775807", 0, INT64_MAX },
	{ TP_DIM_TIME, "9223372036854775808", -1, 0 },
	{ TP_DIM_TIME, "-9223372036854775808", 0, INT64_MIN },
	{ TP_DIM_TIME, "9223372037 s", -1, 0 },
	{ TP_DIM_TIME, "12 MiB", -1, 0 },
	{ TP_DIM_TIME, "", -1, 0 },
	{ TP_DIM_TIME, "ms", -1, 0 },
	{ TP_DIM_TIME, ",", -1, 0 },
	{ TP_DIM_TIME, "1,2,3", -1, 0 },
	{ TP_DIM_TIME, "1234,567,890", -1, 0 },
	{ TP_DIM_TIME, "1.2.3,4", -1, 0 },
	{ TP_DIM_TIME, "1e3", -1, 0 },
	{ TP_DIM_TIME, "lots", -1, 0 },
	{ TP_DIM_BYTES, "12.5 MiB", 0, 13107200 },
	{ TP_DIM_BYTES, "259.48 MiB", 0, 272084500 },
	{ TP_DIM_BYTES, "0 Bytes", 0, 0 },
	{ TP_DIM_BYTES, "0 B", 0, 0 },
	{ TP_DIM_BYTES, "1 KB", 0, 1000 },
	{ TP_DIM_BYTES, "1 GiB", 0, 1073741824 },
	{ TP_DIM_BYTES, "1 ms", -1, 0 },
	{ TP_DIM_PLAIN, "0x1f", 0, 31 },
	{ TP_DIM_PLAIN, "0x7fffffffffffffff", 0, INT64_MAX },
	{ TP_DIM_PLAIN, "0x8000000000000000", -1, 0 },
	{ TP_DIM_PLAIN, "0xg", -1, 0 },
	{ TP_DIM_PLAIN, "1,234", 0, 1234 },
	{ TP_DIM_PLAIN, " 42 ", 0, 42 },
	{ TP_DIM_PLAIN, "4 ms", -1, 0 },
};

static const struct decimal {
	const char *text;
	int64_t scale;
	int rc;
	int64_t n;
} decimals[] = {
	{ "47.3380", 1000000000, 0, 47338000000 },
	{ "1e-3", 1000000000, 0, 1000000 },
	{ "1E+2", 1, 0, 100 },
	{ "0.756190", 1000000000, 0, 756190000 },
	{ "388.04307606248767", 1000000000, 0, 388043076062 },
	{ "0.5", 1, 0, 0 },
	{ "1.5", 1, 0, 2 },
	{ "2.5", 1, 0, 2 },
	{ "2.5000000000000000000000001", 1, 0, 3 },
	{ "-2.5", 1, 0, -2 },
	{ "-3.5", 1, 0, -4 },
	{ "0.05", 1, 0, 0 },
	{ "5e-1", 1, 0, 0 },
	{ "0.00000000000001e14", 1, 0, 1 },
	{ "9223372036854775807", 1, 0, INT64_MAX },
	{ "-9223372036854775808", 1, 0, INT64_MIN },
	{ "9223372036854775807.5", 1, -1, 0 },
	{ "9223372036854775808", 1, -1, 0 },
	{ "1e19", 1, -1, 0 },
	{ "1e999999999", 1, -1, 0 },
	{ "0e999999999", 1, 0, 0 },
	{ "1e-999999999", 1, 0, 0 },
	{ "", 1, -1, 0 },
	{ ".", 1, -1, 0 },
	{ "1e", 1, -1, 0 },
	{ "1.2.3", 1, -1, 0 },
	{ "nan", 1, -1, 0 },
	{ "0x10", 1, -1, 0 },
	{ "1 ", 1, -1, 0 },
};

static void
verdict(const char *what, const char *text, int rc, int64_t n, int want_rc,
    int64_t want)
{
	if (rc == want_rc && (rc < 0 || n == want))
		return;
	printf("not ok %s '%s' gave %d %" PRId64 ", not %d %" PRId64 "\n",
	    what, text, rc, n, want_rc, want);
	failed = 1;
}

static void
wrong(const char *key, double x, const char *text, const char *what)
{
	printf("not ok %s=%.17g as '%s' %s\n", key, x, text, what);
	failed = 1;
}

/* The number that TEXT says, in the base unit of KEY; NAN if it is none. */
static double
said(const char *key, const char *text)
{
	static const struct { const char *name; double size; } units[] = {
		{ " ns", 1 }, { " us", 1e3 }, { " ms", 1e6 }, { " s", 1e9 },
		{ " B", 1 }, { " KiB", 1024 }, { " MiB", 1048576 },
		{ " GiB", 1073741824 }, { " %", 0.01 }, { "x", 1 }, { "", 1 },
	};
	char digits[64];
	size_t n = 0;
	char *end;
	double x;

	for (; *text && n < sizeof digits - 1; text++)
		if (*text != ',' && *text != '<' && *text != '>' &&
		    *text != '+')
			digits[n++] = *text;
	digits[n] = '\0';
	x = strtod(digits, &end);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].name))
			return x * units[i].size;
	return tp_has_end(key, "_points") ? x : (double)NAN;
}

/* The value of the last digit of TEXT, in the base unit of KEY. */
static double
last_digit(const char *key, const char *text)
{
	const char *point = strchr(text, '.'), *p;
	char one[64] = "1";
	double step = 1;

	for (p = point ? point + 1 : ""; *p >= '0' && *p <= '9'; p++)
		step /= 10;
	for (p = text; strchr("<>+-,.0123456789", *p) && *p; p++)
		;
	snprintf(one, sizeof one, "1%s", p);
	return step * said(key, one);
}

/*
 * The number printed is within half a unit of its last digit, is never a
 * negative zero and 0 only for 0, is short, and grows with the value.
 */
static void
check_number(const char *key, enum tp_field_type type, double x,
    const char *form, double *before)
{
	struct tp_field f = { .key = key, .type = type, .x = x,
	    .n = type == TP_FIELD_INT ? (int64_t)x : 0 };
	struct tp_buf text = { 0 };
	double back, half;

	tp_unit_print(&text, &f, form);
	back = said(key, text.p);
	half = last_digit(key, text.p) / 2;
	if (*text.p == '<' ? !(fabs(x) < back) :
	    *text.p == '>' ? !(x > back && x < 1) :
	    !(fabs(back - x) <= half * (1 + 1e-9) + fabs(x) * 1e-15))
		wrong(key, x, text.p, "is another number");
	if ((x != 0) != (back != 0))
		wrong(key, x, text.p, "is wrong about 0");
	if (x == 0 && *text.p == '-')
		wrong(key, x, text.p, "is a negative zero");
	if (strchr(text.p, ',') && strchr(text.p, '.'))
		wrong(key, x, text.p, "has too many digits");
	if (strlen(text.p) > 18)
		wrong(key, x, text.p, "is too long");
	if (x >= 0 && back < *before * (1 - 1e-12))
		wrong(key, x, text.p, "is less than what is printed for less");
	if (x >= 0)
		*before = back;
	tp_buf_release(&text);
}

static void
check_numbers(const char *key, enum tp_field_type type, const char *form,
    double from, double to)
{
	double before = 0;

	check_number(key, type, 0, form, &before);
	for (double x = from; x < to; x = x * 1.00713 + from / 3) {
		double whole = type == TP_FIELD_INT ? nearbyint(x) : x;

		check_number(key, type, whole, form, &before);
		check_number(key, type, -whole, form, &before);
	}
	/* around each power of ten and of two */
	for (double p = from; p < to; p *= 10)
		for (int i = -60; i <= 60; i++) {
			double x = p * (1 + i / 10000.);

			before = 0;
			check_number(key, type, type == TP_FIELD_INT ?
			    nearbyint(x) : x, form, &before);
		}
}

int
main(void)
{
	int64_t n;
	size_t i;
	int rc;

	for (i = 0; i < sizeof prints / sizeof *prints; i++)
		check_print(&prints[i]);
	for (i = 0; i < sizeof parses / sizeof *parses; i++) {
		n = 0;
		rc = tp_unit_parse(parses[i].dim, parses[i].text,
		    strlen(parses[i].text), &n);
		verdict("parse", parses[i].text, rc, n, parses[i].rc,
		    parses[i].n);
	}
	for (i = 0; i < sizeof decimals / sizeof *decimals; i++) {
		n = 0;
		rc = tp_unit_decimal(decimals[i].text,
		    strlen(decimals[i].text), decimals[i].scale, &n);
		verdict("decimal", decimals[i].text, rc, n, decimals[i].rc,
		    decimals[i].n);
	}
	for (i = 0; i < sizeof besides / sizeof *besides; i++)
		check_beside(&besides[i]);
	check_numbers("x_ns", TP_FIELD_INT, NULL, 1, 9e18);
	check_numbers("x_ns", TP_FIELD_INT, "ms", 1, 9e18);
	check_numbers("x_bytes", TP_FIELD_INT, NULL, 1, 9e18);
	check_numbers("x_bytes", TP_FIELD_INT, "gib", 1, 9e18);
	check_numbers("x_ratio", TP_FIELD_REAL, NULL, 1e-15, 9e6);
	check_numbers("x_factor", TP_FIELD_REAL, NULL, 1e-15, 9e9);
	check_numbers("x_points", TP_FIELD_REAL, NULL, 1e-15, 100);
	check_numbers("x", TP_FIELD_REAL, NULL, 1e-15, 9e9);
	return failed;
}
