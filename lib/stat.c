/* stat - exact sums and quantiles of many integers */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "stat.h"

#define FEW 4096			/* up to this many, a list is smaller
					 * than pages */
#define PAGES ((size_t)TP_STAT_PAGES)
#define LIST_MAX ((size_t)1 << 20)
#define BATCH ((size_t)1 << 10)		/* length of the list once there are
					 * buckets */
#define SUB_BITS 10			/* buckets per octave: 1024 */
#define FIRST_OCTAVE 20
#define BUCKETS ((size_t)(63 - FIRST_OCTAVE) << SUB_BITS)

/* Page AT of PAGES, of counters of SIZE bytes. */
static void *
page_of(void **pages, size_t at, size_t size)
{
	if (!pages[at])
		pages[at] = tp_zalloc(TP_STAT_PAGE * size);
	return pages[at];
}

/* Add 256 * TIMES to the overflow count of VALUE. */
static void
carry(struct tp_stat *s, uint64_t value, uint32_t times)
{
	uint32_t *page = page_of(s->carries, value / TP_STAT_PAGE,
	    sizeof *page);

	page[value % TP_STAT_PAGE] += times;
}

static void
count_paged(struct tp_stat *s, uint64_t value)
{
	uint8_t *page = page_of(s->pages, value / TP_STAT_PAGE,
	    sizeof *page);

	if (!++page[value % TP_STAT_PAGE])
		carry(s, value, 1);
}

static size_t
bucket_of(int64_t value)
{
	/* a double is exact to 53 bits, and has octave and bucket adjacent */
	double x = (double)(value >> SUB_BITS);
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return (size_t)(bits >> (DBL_MANT_DIG - 1 - SUB_BITS)) -
	    ((DBL_MAX_EXP - 1 + FIRST_OCTAVE - SUB_BITS) << SUB_BITS);
}

static int64_t
bucket_low(size_t bucket)
{
	int octave = (int)(bucket >> SUB_BITS) + FIRST_OCTAVE;
	int64_t sub = (int64_t)(bucket & ((1 << SUB_BITS) - 1));

	return ((int64_t)1 << octave) + (sub << (octave - SUB_BITS));
}

/* Move the list into buckets. */
static void
drain(struct tp_stat *s)
{
	for (size_t i = 0; i < s->list_count; i++)
		s->buckets[bucket_of(s->list[i])]++;
	s->list_count = 0;
}

/* Move all listed values into buckets; the list becomes a short buffer. */
static void
open_buckets(struct tp_stat *s)
{
	uint32_t *list = tp_alloc(BATCH * sizeof *list);
	size_t n = s->far_count, i;

	s->buckets = tp_zalloc(BUCKETS * sizeof *s->buckets);
	drain(s);
	tp_free(s->list);
	s->list = list;
	s->list_cap = BATCH;
	/* kept values move only towards the front */
	for (s->far_count = i = 0; i < n; i++)
		if (s->far[i] < 0)
			s->far[s->far_count++] = s->far[i];
		else
			s->buckets[bucket_of(s->far[i])]++;
}

/* Call after list or far has grown by one. */
static void
listed(struct tp_stat *s)
{
	size_t most = LIST_MAX + 1;

	if (s->buckets) {
		if (s->list_count == s->list_cap)
			drain(s);
		return;
	}
	if (s->list_count + s->far_count > LIST_MAX) {
		open_buckets(s);
		return;
	}
	tp_grow(&s->list, &s->list_cap, s->list_count + 1, sizeof *s->list);
	/* full when it exceeds the limit for listed values */
	most -= s->far_count;
	TP_LEAST(s->list_cap, most);
}

static void
to_list(struct tp_stat *s, uint32_t value)
{
	s->list[s->list_count++] = value;
	if (s->list_count == s->list_cap)
		listed(s);
}

static void
to_far(struct tp_stat *s, int64_t value)
{
	TP_APPEND(s->far, s->far_count, s->far_cap, value);
	s->sorted = 0;
	if (s->pages)
		listed(s);
}

/* Store VALUE, once there are pages. */
static void
store_paged(struct tp_stat *s, int64_t value)
{
	uint64_t u = (uint64_t)value;

	if (u < TP_STAT_PAGED)
		count_paged(s, u);
	else if (u < TP_STAT_LISTED)
		to_list(s, (uint32_t)u);
	else if (value > 0 && s->buckets)
		s->buckets[bucket_of(value)]++;
	else
		to_far(s, value);
}

/* Distribute the first values, all in far. */
static void
open_pages(struct tp_stat *s)
{
	size_t n = s->far_count, i;

	s->pages = tp_zalloc((PAGES + 1) * sizeof *s->pages);
	s->carries = tp_zalloc(PAGES * sizeof *s->carries);
	s->list = tp_alloc(BATCH * sizeof *s->list);
	s->list_cap = BATCH;
	page_of(s->pages, PAGES, 1);
	/* kept values move only towards the front */
	for (s->far_count = i = 0; i < n; i++)
		store_paged(s, s->far[i]);
}

/* Store VALUE, which the sums include already. */
static void
store_value(struct tp_stat *s, int64_t value)
{
	if (!s->pages) {
		if (s->far_count < FEW) {
			to_far(s, value);
			return;
		}
		open_pages(s);
	}
	store_paged(s, value);
}

/*
 * Set the range that tp_stat_add() handles itself: min to max, as far as the
 * list can hold it.
 */
static void
bound(struct tp_stat *s)
{
	int64_t most = (int64_t)TP_STAT_LISTED - 1;
	int64_t low = s->min < 0 ? 0 : s->min;
	int64_t high = s->max < most ? s->max : most;

	s->low = (uint64_t)low;
	s->span = s->pages && low <= high ? (uint64_t)(high - low) + 1 : 0;
}

void
tp_stat_place(struct tp_stat *s, int64_t value)
{
	if (!s->count || value < s->min)
		s->min = value;
	if (!s->count || value > s->max)
		s->max = value;
	s->count++;
	s->sum += value;
	store_value(s, value);
	bound(s);
}

void
tp_stat_full(struct tp_stat *s, int64_t value)
{
	s->sum += s->newest;
	s->newest = 0;
	if ((uint64_t)value < TP_STAT_PAGED)
		carry(s, (uint64_t)value, 1);
	else if (s->list_count == s->list_cap)
		listed(s);
}

/* Add the counters of FROM. */
static void
merge_pages(struct tp_stat *s, const struct tp_stat *from)
{
	const uint8_t *counts;
	const uint32_t *more;
	uint64_t value;
	uint32_t n;
	uint8_t *to;

	for (size_t p = 0; p < PAGES; p++) {
		counts = from->pages[p];
		if (!counts)
			continue;
		more = from->carries[p];
		to = page_of(s->pages, p, sizeof *to);
		for (size_t i = 0; i < TP_STAT_PAGE; i++) {
			value = p * TP_STAT_PAGE + i;
			n = (uint32_t)to[i] + counts[i];
			to[i] = (uint8_t)n;
			n = (n >> 8) + (more ? more[i] : 0);
			if (n)
				carry(s, value, n);
		}
	}
}

void
tp_stat_merge(struct tp_stat *s, const struct tp_stat *from)
{
	size_t i;

	if (!from->count)
		return;
	if (!s->count || from->min < s->min)
		s->min = from->min;
	if (!s->count || from->max > s->max)
		s->max = from->max;
	s->count += from->count;
	s->sum += tp_stat_total(from);
	if (from->pages && !s->pages)
		open_pages(s);
	if (from->pages)
		merge_pages(s, from);
	if (from->buckets && !s->buckets)
		open_buckets(s);
	for (i = 0; from->buckets && i < BUCKETS; i++)
		s->buckets[i] += from->buckets[i];
	for (i = 0; i < from->list_count; i++)
		store_value(s, from->list[i]);
	for (i = 0; i < from->far_count; i++)
		store_value(s, from->far[i]);
	bound(s);
}

static int
ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Value of RANK (1-based) in the unsorted LIST: radix select by the upper 16
 * bits, then by the lower; two passes in any order.
 */
static int64_t
select32(const uint32_t *list, size_t count, uint64_t rank)
{
	static uint32_t counts[1 << 16];
	uint32_t high, low = 0;
	size_t i;

	memset(counts, 0, sizeof counts);
	for (i = 0; i < count; i++)
		counts[list[i] >> 16]++;
	for (high = 0; rank > counts[high]; high++)
		rank -= counts[high];
	memset(counts, 0, sizeof counts);
	for (i = 0; i < count; i++)
		if (list[i] >> 16 == high)
			counts[list[i] & 0xffff]++;
	for (; rank > counts[low]; low++)
		rank -= counts[low];
	return (int64_t)(high << 16 | low);
}

/* Count of counter I of PAGE. */
static uint64_t
counted(const struct tp_stat *s, size_t page, size_t i)
{
	const uint8_t *counts = s->pages[page];
	const uint32_t *more = s->carries[page];

	return counts[i] + (more ? (uint64_t)more[i] << 8 : 0);
}

static uint64_t
page_count(const struct tp_stat *s, size_t page)
{
	const uint8_t *counts = s->pages[page];
	const uint32_t *more = s->carries[page];
	uint64_t carried = 0;
	uint32_t n = 0;

	for (size_t i = 0; i < TP_STAT_PAGE; i++)
		n += counts[i];
	for (size_t i = 0; more && i < TP_STAT_PAGE; i++)
		carried += more[i];
	return n + (carried << 8);
}

/*
 * The value in the pages with *RANK (1-based): 1; else 0 and *RANK reduced
 * by their counts.
 */
static int
in_pages(const struct tp_stat *s, uint64_t *rank, int64_t *value)
{
	uint64_t n;
	size_t p, i;

	for (p = 0; p < PAGES; p++) {
		n = s->pages[p] ? page_count(s, p) : 0;
		if (n >= *rank)
			break;
		*rank -= n;
	}
	if (p == PAGES)
		return 0;
	for (i = 0; (n = counted(s, p, i)) < *rank; i++)
		*rank -= n;
	*value = (int64_t)(p * TP_STAT_PAGE + i);
	return 1;
}

int64_t
tp_stat_quantile(struct tp_stat *s, unsigned num, unsigned den)
{
	__extension__ typedef unsigned __int128 u128;
	size_t below = 0, i;
	uint64_t rank;
	int64_t value;

	if (!s->count)
		return 0;
	if (s->buckets)
		drain(s);
	rank = (uint64_t)(((u128)s->count * num + den - 1) / den);
	if (!rank)
		rank = 1;
	if (!s->sorted && s->far_count)
		qsort(s->far, s->far_count, sizeof *s->far, ascending);
	s->sorted = 1;
	if (!s->pages)
		return s->far[rank - 1];
	/* ascending: negative, pages, list, larger ones, buckets */
	while (below < s->far_count && s->far[below] < 0)
		below++;
	if (rank <= below)
		return s->far[rank - 1];
	rank -= below;
	if (in_pages(s, &rank, &value))
		return value;
	if (rank <= s->list_count)
		return select32(s->list, s->list_count, rank);
	rank -= s->list_count;
	if (rank <= s->far_count - below)
		return s->far[below + rank - 1];
	for (i = 0; s->buckets && i < BUCKETS; i++) {
		if (s->buckets[i] >= rank)
			return bucket_low(i);
		rank -= s->buckets[i];
	}
	return s->max;
}

tp_int128
tp_stat_total(const struct tp_stat *s)
{
	return s->sum + s->newest;
}

int64_t
tp_stat_sum(const struct tp_stat *s)
{
	return tp_narrow(tp_stat_total(s));
}

int64_t
tp_div_even(tp_int128 n, tp_int128 den)
{
	tp_int128 q, r;

	if (!den)
		return 0;
	q = n / den;
	r = n % den;
	if (r < 0)
		r = -r;
	if (2 * r > den || (2 * r == den && (q & 1)))
		q += n < 0 ? -1 : 1;
	return tp_narrow(q);
}

int64_t
tp_narrow(tp_int128 n)
{
	return n > INT64_MAX ? INT64_MAX : n < INT64_MIN ? INT64_MIN :
	    (int64_t)n;
}

int64_t
tp_stat_mean(const struct tp_stat *s)
{
	return tp_div_even(tp_stat_total(s), (int64_t)s->count);
}

double
tp_stat_error(const struct tp_stat *s)
{
	return s->buckets ? 1.0 / (1 << SUB_BITS) : 0;
}

void
tp_stat_release(struct tp_stat *s)
{
	for (size_t i = 0; s->pages && i <= PAGES; i++)
		tp_free(s->pages[i]);
	for (size_t i = 0; s->carries && i < PAGES; i++)
		tp_free(s->carries[i]);
	tp_free(s->pages);
	tp_free(s->carries);
	tp_free(s->buckets);
	tp_free(s->list);
	tp_free(s->far);
	memset(s, 0, sizeof *s);
}

static int64_t
named(struct tp_stat *s, const char *which)
{
	if (!strcmp(which, "min"))
		return s->min;
	if (!strcmp(which, "max"))
		return s->max;
	if (!strcmp(which, "mean"))
		return tp_stat_mean(s);
	if (!strcmp(which, "sum"))
		return tp_stat_sum(s);
	return tp_stat_quantile(s, (unsigned)atoi(which + 1), 100);
}

void
tp_stat_emit(struct tp_stat *s, struct tp_out *out, const char *prefix,
    const char *which, const char *unit)
{
	char key[96], name[16];
	size_t n;

	if (!s->count)
		return;
	while (*which) {
		n = strcspn(which, " ");
		snprintf(name, sizeof name, "%.*s", (int)n, which);
		snprintf(key, sizeof key, "%s_%s%s", prefix, name, unit);
		tp_out_int(out, key, named(s, name));
		which += n + (which[n] == ' ');
	}
	if (s->buckets) {
		snprintf(key, sizeof key, "%s_quantile_error_ratio", prefix);
		tp_out_real(out, key, tp_stat_error(s));
	}
}
