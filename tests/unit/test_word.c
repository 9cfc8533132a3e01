/* Digits and short texts as words, against loops over bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "word.h"

static uint32_t seed = 3;

static unsigned
next(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 16) % n;
}

static int
plain_digits(const char *p, size_t len, uint64_t *n)
{
	*n = 0;
	for (size_t i = 0; i < len; i++) {
		if (p[i] < '0' || p[i] > '9')
			return 0;
		*n = *n * 10 + (uint64_t)(p[i] - '0');
	}
	return len > 0 && len <= 16;
}

/* Text of exactly LEN bytes, so that a sanitizer sees a byte too many. */
static int
digits_differ(size_t len, int flaw)
{
	char *text = malloc(len + 8), *alone = malloc(len + !len);
	uint64_t want, a = 0, b = 0;
	int ok, bad;

	if (!text || !alone)
		abort();
	for (size_t i = 0; i < len + 8; i++)
		text[i] = (char)('0' + next(10));
	if (flaw && len)
		text[8 + next((unsigned)len)] = (char)next(256);
	memcpy(alone, text + 8, len);
	ok = plain_digits(alone, len, &want);
	bad = tp_digits(alone, len, 0, &a) != ok ||
	    tp_digits(text + 8, len, 1, &b) != ok ||
	    (ok && (a != want || b != want));
	if (bad)
		printf("not ok word: digits '%.*s'\n", (int)len, alone);
	free(text);
	free(alone);
	return bad;
}

static int
same_differs(size_t len)
{
	char *a = malloc(len + 1), *b = malloc(len + 1);
	int bad;

	if (!a || !b)
		abort();
	for (size_t i = 0; i < len; i++)
		a[i] = b[i] = (char)next(256);
	bad = !tp_same_bytes(a, b, len);
	if (len) {
		b[next((unsigned)len)] ^= (char)(1 << next(8));
		bad |= tp_same_bytes(a, b, len);
	}
	if (bad)
		printf("not ok word: the same %zu bytes\n", len);
	free(a);
	free(b);
	return bad;
}

/* Room for what may be stored behind the end, and no more. */
static int
copy_differs(size_t len)
{
	char *from = malloc(len + !len), *to = malloc(len + TP_SLACK);
	int bad;

	if (!from || !to)
		abort();
	for (size_t i = 0; i < len; i++)
		from[i] = (char)next(256);
	tp_copy_short(to, from, len);
	bad = memcmp(to, from, len) != 0;
	if (bad)
		printf("not ok word: a copy of %zu bytes\n", len);
	free(from);
	free(to);
	return bad;
}

static int
put_differs(uint64_t u)
{
	char want[24];
	int n = snprintf(want, sizeof want, "%" PRIu64, u);
	char *got = malloc((size_t)n + TP_SLACK);
	int bad;

	if (!got)
		abort();
	bad = tp_put_digits(got, u) != got + n ||
	    memcmp(got, want, (size_t)n);
	if (bad)
		printf("not ok word: %s printed\n", want);
	free(got);
	return bad;
}

/* Every number of up to five digits, those beside a power of ten, others. */
static int
puts_differ(void)
{
	uint64_t power = 1, r;
	int bad = 0;

	for (uint32_t u = 0; u < 100000; u++)
		bad |= put_differs(u);
	for (int i = 0; i < 20; i++, power *= 10)
		bad |= put_differs(power - 1) | put_differs(power) |
		    put_differs(9 * power);
	for (int i = 0; i < 100000 && !bad; i++) {
		r = (uint64_t)next(65536) << 48 | (uint64_t)next(65536) << 32 |
		    next(65536) << 16 | next(65536);
		bad |= put_differs(r >> next(64));
	}
	return bad | put_differs(UINT64_MAX);
}

int
main(void)
{
	int failed = puts_differ();

	for (int i = 0; i < 100000 && !failed; i++) {
		failed |= digits_differ((size_t)i % 20, i % 3 == 0);
		failed |= same_differs((size_t)i % 40);
		failed |= copy_differs((size_t)i % 70);
	}
	if (!failed)
		printf("ok word: digits, copies and equal bytes\n");
	return failed;
}
