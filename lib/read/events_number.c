/* events_number - exact times of events */
#include <string.h>

#include <tp/order.h>

#include "events_private.h"

#define PS_PER_US 1000000

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number: digits with a point among them, and an exponent. */
struct decimal {
	const char *digits;	/* with its point, if any */
	size_t len;		/* length of DIGITS */
	int64_t whole;		/* digits before the point after applying the
				 * exponent */
	int negative;
};

/* Read the exponent after 'e'; extreme ones are clamped, not rejected. */
static int
exponent(const char *p, const char *end, int64_t *e)
{
	int negative = p < end && *p == '-';

	*e = 0;
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	if (p == end)
		return -1;
	for (; p < end; p++) {
		if (!is_digit(*p))
			return -1;
		if (*e < INT32_MAX)
			*e = *e * 10 + (*p - '0');
	}
	if (negative)
		*e = -*e;
	return 0;
}

/* Parse TEXT (RFC 8259) into D.  0 or -1. */
static int
take_apart(const char *text, size_t len, struct decimal *d)
{
	const char *p = text, *end = text + len, *whole;
	int64_t e = 0;

	d->negative = p < end && *p == '-';
	p += d->negative;
	whole = d->digits = p;
	while (p < end && is_digit(*p))
		p++;
	d->whole = p - whole;
	if (!d->whole || (*whole == '0' && d->whole > 1))
		return -1;
	if (p < end && *p == '.') {
		whole = ++p;
		while (p < end && is_digit(*p))
			p++;
		if (p == whole)
			return -1;
	}
	d->len = (size_t)(p - d->digits);
	if (p < end && (*p != 'e' && *p != 'E'))
		return -1;
	if (p < end && exponent(p + 1, end, &e) < 0)
		return -1;
	d->whole += e;
	return 0;
}

int
tp_json_is_number(const char *text, size_t len)
{
	struct decimal d;
	size_t i = 0;

	while (i < len && is_digit(text[i]))
		i++;
	if (i == len && (len == 1 || (len && *text != '0')))
		return 1;
	return !take_apart(text, len, &d);
}

/* Scale *N by ten and add DIGIT; -1 when it does not fit. */
static int
push(uint64_t *n, unsigned digit)
{
	if (*n > ((uint64_t)INT64_MAX - digit) / 10)
		return -1;
	*n = *n * 10 + digit;
	return 0;
}

/* Value of D as whole microseconds and picoseconds, both unsigned. */
static int
split(const struct decimal *d, uint64_t *us, uint32_t *ps)
{
	int64_t place = d->whole;	/* place of the next digit: > 0 before
					 * the point, 0 .. -5 after it */
	int round = 0, rest = 0;
	uint32_t fraction = 0;

	*us = 0;
	for (size_t i = 0; i < d->len; i++) {
		unsigned digit = (unsigned)(d->digits[i] - '0');

		if (d->digits[i] == '.')
			continue;
		if (place > 0 && push(us, digit) < 0)
			return -1;
		else if (place <= 0 && place > -6)
			fraction = fraction * 10 + digit;
		else if (place == -6)
			round = (int)digit;
		else if (place < -6)
			rest |= digit != 0;
		place--;
	}
	for (; place > 0 && *us; place--)
		if (push(us, 0) < 0)
			return -1;
	if (place > 0)
		place = 0;
	for (; fraction && place > -6; place--)
		fraction *= 10;
	if (round > 5 || (round == 5 && (rest || (fraction & 1))))
		fraction++;
	if (fraction == PS_PER_US) {
		fraction = 0;
		++*us;
	}
	*ps = fraction;
	return 0;
}

static int
finish(int negative, uint64_t u, uint32_t f, int64_t *us, int32_t *ps)
{
	if (u > INT64_MAX)
		return -1;
	*us = negative ? -(int64_t)u : (int64_t)u;
	*ps = (int32_t)f;
	if (negative && f) {
		*us -= 1;
		*ps = PS_PER_US - (int32_t)f;
	}
	return 0;
}

/* Fast path: at most 18 digits, a point, at most 6 more. */
static int
simple(const char *text, size_t len, int64_t *us, int32_t *ps)
{
	static const int32_t scale[] = { 1000000, 100000, 10000, 1000, 100,
	    10, 1 };
	const char *p = text, *end = text + len, *from = text;
	uint64_t n = 0;
	int32_t f = 0;

	while (p < end && is_digit(*p))
		n = n * 10 + (uint64_t)(*p++ - '0');
	if (p == from || p - from > 18 || (*from == '0' && p - from > 1))
		return -1;
	if (p < end) {
		if (*p != '.' || end - p < 2 || end - p > 7)
			return -1;
		for (from = ++p; p < end && is_digit(*p); p++)
			f = f * 10 + (*p - '0');
		if (p < end)
			return -1;
		f *= scale[p - from];
	}
	*us = (int64_t)n;
	*ps = f;
	return 0;
}

int
tp_events_us(const char *text, size_t len, int64_t *us, int32_t *ps)
{
	struct decimal d;
	uint64_t u;
	uint32_t f;

	if (len <= 25 && !simple(text, len, us, ps))
		return 0;
	if (take_apart(text, len, &d) < 0 || split(&d, &u, &f) < 0)
		return -1;
	return finish(d.negative, u, f, us, ps);
}

int
tp_events_is_far(int64_t us, int64_t from_us)
{
	int64_t n;

	return __builtin_sub_overflow(us, from_us, &n) || n < -TP_DAY_US ||
	    n > TP_DAY_US;
}

int
tp_events_since(int64_t us, int32_t ps, int64_t base_us, int32_t base_ps,
    int64_t *since_ps)
{
	if (tp_events_is_far(us, base_us))
		return -1;
	*since_ps = (us - base_us) * PS_PER_US + (ps - base_ps);
	return 0;
}

int
tp_json_int(const char *text, size_t len, int64_t *n)
{
	size_t i = len && *text == '-';
	int64_t v = 0;

	if (i == len || len - i > 19 || (text[i] == '0' && len - i > 1))
		return -1;
	/* negative, so that INT64_MIN fits */
	for (; i < len; i++)
		if (!is_digit(text[i]) || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_sub_overflow(v, text[i] - '0', &v))
			return -1;
	if (*text != '-' && v == INT64_MIN)
		return -1;
	*n = *text == '-' ? v : -v;
	return 0;
}

void
tp_first_times_add(struct tp_first_times *first, int64_t at)
{
	if (first->count < TP_FIRST_TIMES)
		first->at[first->count++] = at;
}

int
tp_first_times_median(struct tp_first_times *first, int64_t *at)
{
	if (!first->count)
		return 0;
	*at = tp_pick_int(first->at, first->count, first->count / 2);
	return 1;
}

int
tp_events_time(struct tp_events *e, int64_t us, int32_t ps, int64_t *ts_ps)
{
	if (e->sample)
		tp_first_times_add(e->sample, us);
	if (!e->has_base) {
		if (e->has_median && tp_events_is_far(us, e->median_us))
			return -1;
		e->has_base = !e->sample;
		e->base_us = us;
		e->base_ps = ps;
	}
	return tp_events_since(us, ps, e->base_us, e->base_ps, ts_ps);
}
