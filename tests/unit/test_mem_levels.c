/* Levels of memory that are drawn, against the rows, in any order. */
#include <stdio.h>
#include <string.h>

#include "metal/mem_private.h"

#include "pick.h"

#define ROWS 60
#define MOST 24

static int failed;

static void
check(int ok, const char *what, int round)
{
	if (ok)
		return;
	printf("not ok levels: %s in round %d\n", what, round);
	failed = 1;
}

/* Rows of which some last until the next, some do not reach it, and some
 * last no time; all of another time, so that their order is that of time. */
static size_t
make(struct tp_mem_level *rows)
{
	size_t n = 1 + (size_t)pick(ROWS);
	int64_t at = pick(50), values = 1 + pick(6), next;

	for (size_t i = 0; i < n; i++) {
		next = at + 1 + pick(pick(8) ? 5 : 80);
		rows[i].at_ns = at;
		rows[i].bytes = pick(values) * 10;
		rows[i].length_ns = pick(3) ? -1 : pick(next - at + 1);
		at = next;
	}
	return n;
}

static void
shuffle(struct tp_mem_level *rows, size_t n)
{
	struct tp_mem_level swap;
	size_t j;

	for (size_t i = n; i-- > 1;) {
		j = (size_t)pick((int64_t)i + 1);
		swap = rows[i];
		rows[i] = rows[j];
		rows[j] = swap;
	}
	for (size_t i = 0; i < n; i++)
		rows[i].order = i;
}

/* When a row of ROWS ends, as its neighbour or its length says. */
static int64_t
end_of(const struct tp_mem_level *rows, size_t n, size_t i)
{
	if (rows[i].length_ns >= 0)
		return rows[i].at_ns + rows[i].length_ns;
	return i + 1 < n ? rows[i + 1].at_ns : rows[i].at_ns;
}

/* Levels that differ or do not touch, by looking at each pair of rows. */
static size_t
distinct(const struct tp_mem_level *rows, size_t n)
{
	size_t count = 1;

	for (size_t i = 1; i < n; i++)
		count += rows[i].bytes != rows[i - 1].bytes ||
		    end_of(rows, n, i - 1) != rows[i].at_ns;
	return count;
}

/* At each moment and for each row the record over it holds its level, and
 * each bound of a record is the level of a row inside of it. */
static void
hold(const struct tp_mem_level *rows, size_t n, const struct tp_mem_range *r,
    size_t count, int round)
{
	for (size_t k = 0; k < count; k++) {
		int low = 0, high = 0;

		check(r[k].from_ns <= r[k].to_ns &&
		    (!k || r[k].from_ns >= r[k - 1].to_ns),
		    "records overlap", round);
		for (size_t i = 0; i < n; i++) {
			int64_t to = end_of(rows, n, i);
			int inside = rows[i].at_ns < r[k].to_ns &&
			    to > r[k].from_ns;

			if (rows[i].at_ns == to || r[k].from_ns == r[k].to_ns)
				inside = rows[i].at_ns >= r[k].from_ns &&
				    to <= r[k].to_ns;
			else if (inside)
				check(rows[i].bytes >= r[k].low &&
				    rows[i].bytes <= r[k].high,
				    "a level is outside of its record",
				    round);
			low |= inside && rows[i].bytes == r[k].low;
			high |= inside && rows[i].bytes == r[k].high;
		}
		check(low && high, "a bound is of no row", round);
	}
}

static void
random_round(int round)
{
	struct tp_mem_level rows[ROWS], mixed[ROWS];
	struct tp_mem_series s = { .levels = mixed };
	struct tp_mem_range r[MOST];
	size_t n = make(rows), most = 3 + (size_t)pick(MOST - 2), count;
	int64_t low = INT64_MAX, high = -1, min = INT64_MAX, max = -1;
	int64_t time = 0;

	memcpy(mixed, rows, n * sizeof *rows);
	shuffle(mixed, n);
	s.count = n;
	tp_mem_order(&s);
	count = tp_mem_sample(&s, most, r);
	for (size_t i = 0; i < n; i++) {
		min = rows[i].bytes < min ? rows[i].bytes : min;
		max = rows[i].bytes > max ? rows[i].bytes : max;
	}
	for (size_t k = 0; k < count; k++) {
		low = r[k].low < low ? r[k].low : low;
		high = r[k].high > high ? r[k].high : high;
	}
	check(count && count <= most, "too many", round);
	check(low == min && high == max, "an extreme is lost", round);
	check(r[0].low == rows[0].bytes && r[0].high == rows[0].bytes &&
	    r[0].from_ns == rows[0].at_ns, "the first is lost", round);
	check(r[count - 1].low == rows[n - 1].bytes &&
	    r[count - 1].high == rows[n - 1].bytes &&
	    r[count - 1].to_ns == end_of(rows, n, n - 1),
	    "the last is lost", round);
	for (size_t i = 0; i < n; i++)
		time += end_of(rows, n, i) - rows[i].at_ns;
	for (size_t k = 0; k < count; k++)
		time -= r[k].to_ns - r[k].from_ns;
	check(distinct(rows, n) > most || (count == distinct(rows, n) &&
	    !time), "few levels are not as they were", round);
	hold(rows, n, r, count, round);
}

int
main(void)
{
	for (int round = 0; round < 20000 && !failed; round++)
		random_round(round);
	if (!failed)
		printf("ok levels: first, last, lowest and highest are those "
		    "of the rows\n");
	return failed;
}
