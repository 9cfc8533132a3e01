/* stat - exact sums and quantiles of many integers */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/stat.h>

#define FEW 4096			/* a list costs less than pages */
#define PAGED (1 << 20)			/* values below are counted */
#define PAGE 4096			/* counters in a page */
#define LIST_MAX ((size_t)1 << 20)
#define SUB_BITS 10			/* buckets per octave: 1024 */
#define FIRST_OCTAVE 20
#define BUCKETS ((size_t)(63 - FIRST_OCTAVE) << SUB_BITS)

static int
count_paged(struct tp_stat *s, int64_t value)
{
	uint64_t **page = &s->pages[value / PAGE];

	if (!*page) {
		*page = tp_zalloc(PAGE * sizeof **page);
		if (!*page)
			return -1;
	}
	(*page)[value % PAGE]++;
	return 0;
}

static size_t
bucket_of(int64_t value)
{
	int octave = 63 - __builtin_clzll((unsigned long long)value);

	return ((size_t)(octave - FIRST_OCTAVE) << SUB_BITS) +
	    (size_t)((value >> (octave - SUB_BITS)) &
	    ((1 << SUB_BITS) - 1));
}

static int64_t
bucket_low(size_t bucket)
{
	int octave = (int)(bucket >> SUB_BITS) + FIRST_OCTAVE;
	int64_t sub = (int64_t)(bucket & ((1 << SUB_BITS) - 1));

	return ((int64_t)1 << octave) + (sub << (octave - SUB_BITS));
}

static int
to_list(struct tp_stat *s, int64_t value)
{
	if (tp_grow(&s->list, &s->list_cap, s->list_count + 1,
	    sizeof value) < 0)
		return -1;
	s->list[s->list_count++] = value;
	s->sorted = 0;
	return 0;
}

/* Where VALUE is kept once there are pages. */
static int
place(struct tp_stat *s, int64_t value)
{
	if (value >= 0 && value < PAGED)
		return count_paged(s, value);
	if (s->buckets && value >= PAGED) {
		s->buckets[bucket_of(value)]++;
		return 0;
	}
	return to_list(s, value);
}

/* Move the list into the pages, or the long list into buckets. */
static int
rehouse(struct tp_stat *s)
{
	size_t i, n = s->list_count;

	if (!s->pages) {
		s->pages = tp_zalloc(PAGED / PAGE * sizeof *s->pages);
		if (!s->pages)
			return -1;
	} else {
		s->buckets = tp_zalloc(BUCKETS * sizeof *s->buckets);
		if (!s->buckets)
			return -1;
	}
	/* what stays in the list is written at or before where it is read */
	for (s->list_count = i = 0; i < n; i++)
		if (place(s, s->list[i]) < 0)
			return -1;
	return 0;
}

int
tp_stat_add(struct tp_stat *s, int64_t value)
{
	if (!s->count || value < s->min)
		s->min = value;
	if (!s->count || value > s->max)
		s->max = value;
	s->count++;
	s->sum += value;
	if (!s->pages) {
		if (s->list_count < FEW)
			return to_list(s, value);
		if (rehouse(s) < 0)
			return -1;
	}
	if (!s->buckets && s->list_count >= LIST_MAX && rehouse(s) < 0)
		return -1;
	return place(s, value);
}

static int
ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Value of the page counter that holds RANK (1-based) or 0 with the rest. */
static int
in_pages(const struct tp_stat *s, uint64_t *rank, int64_t *value)
{
	for (size_t p = 0; s->pages && p < PAGED / PAGE; p++) {
		for (size_t i = 0; s->pages[p] && i < PAGE; i++) {
			if (s->pages[p][i] >= *rank) {
				*value = (int64_t)(p * PAGE + i);
				return 1;
			}
			*rank -= s->pages[p][i];
		}
	}
	return 0;
}

int64_t
tp_stat_quantile(struct tp_stat *s, unsigned num, unsigned den)
{
	__extension__ typedef unsigned __int128 u128;
	uint64_t rank;
	size_t below = 0, i;
	int64_t value;

	if (!s->count)
		return 0;
	rank = (uint64_t)(((u128)s->count * num + den - 1) / den);
	if (!rank)
		rank = 1;
	if (!s->sorted && s->list_count)
		qsort(s->list, s->list_count, sizeof *s->list, ascending);
	s->sorted = 1;
	/* sorted: what is below the pages, the pages, what is above */
	while (s->pages && below < s->list_count && s->list[below] < 0)
		below++;
	if (!s->pages)
		below = s->list_count;
	if (rank <= below)
		return s->list[rank - 1];
	rank -= below;
	if (in_pages(s, &rank, &value))
		return value;
	if (rank <= s->list_count - below)
		return s->list[below + rank - 1];
	rank -= s->list_count - below;
	for (i = 0; s->buckets && i < BUCKETS; i++) {
		if (s->buckets[i] >= rank)
			return bucket_low(i);
		rank -= s->buckets[i];
	}
	return s->max;
}

int64_t
tp_stat_sum(const struct tp_stat *s)
{
	return s->sum > INT64_MAX ? INT64_MAX :
	    s->sum < INT64_MIN ? INT64_MIN : (int64_t)s->sum;
}

int64_t
tp_div_even(tp_int128 n, int64_t den)
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
	return (int64_t)q;
}

int64_t
tp_stat_mean(const struct tp_stat *s)
{
	return tp_div_even(s->sum, (int64_t)s->count);
}

double
tp_stat_error(const struct tp_stat *s)
{
	return s->buckets ? 1.0 / (1 << SUB_BITS) : 0;
}

void
tp_stat_release(struct tp_stat *s)
{
	for (size_t i = 0; s->pages && i < PAGED / PAGE; i++)
		tp_free(s->pages[i]);
	tp_free(s->pages);
	tp_free(s->buckets);
	tp_free(s->list);
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
