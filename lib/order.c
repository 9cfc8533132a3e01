/* order - lists put in order */
#include <stdint.h>

#include <tp/order.h>

/* Shorter lists are sorted by insertion. */
#define FEW 64

void
tp_sort(void *list, size_t count, size_t size,
    int (*by)(const void *, const void *))
{
	const char *at = list;

	for (size_t i = 1; i < count; i++, at += size)
		if (by(at, at + size) > 0) {
			qsort(list, count, size, by);
			return;
		}
}

static void
insert(int64_t *list, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		int64_t x = list[i];
		size_t at = i;

		for (; at && list[at - 1] > x; at--)
			list[at] = list[at - 1];
		list[at] = x;
	}
}

/* The byte of X at SHIFT, with negative numbers first. */
static unsigned
digit(int64_t x, unsigned shift)
{
	return ((uint64_t)x ^ (uint64_t)1 << 63) >> shift & 255;
}

/*
 * Put LIST into stretches by the highest eight bits in which any two differ;
 * the stretch of value D ends at END[D].  Returns 0 when LIST is in order.
 */
static int
spread(int64_t *list, size_t count, size_t *end)
{
	size_t next[256] = { 0 }, sum = 0;
	uint64_t differ = 0;
	unsigned shift;
	int sorted = 1;

	for (size_t i = 1; i < count; i++) {
		differ |= (uint64_t)list[i] ^ (uint64_t)list[0];
		sorted &= list[i - 1] <= list[i];
	}
	if (sorted)
		return 0;
	shift = 63 - (unsigned)__builtin_clzll(differ);
	shift = shift > 7 ? shift - 7 : 0;
	for (size_t i = 0; i < count; i++)
		next[digit(list[i], shift)]++;
	for (unsigned d = 0; d < 256; d++) {
		sum += next[d];
		end[d] = sum;
		next[d] = sum - next[d];
	}
	/* swap each item into the bucket of its digit (American flag sort) */
	for (unsigned d = 0; d < 256; d++)
		while (next[d] < end[d]) {
			int64_t x = list[next[d]], y;
			unsigned to;

			while ((to = digit(x, shift)) != d) {
				y = list[next[to]];
				list[next[to]++] = x;
				x = y;
			}
			list[next[d]++] = x;
		}
	return 1;
}

void
tp_sort_ints(int64_t *list, size_t count)
{
	size_t end[256], from = 0;

	if (count < FEW)
		insert(list, count);
	else if (spread(list, count, end))
		for (unsigned d = 0; d < 256; from = end[d++])
			tp_sort_ints(list + from, end[d] - from);
}

int64_t
tp_pick_int(int64_t *list, size_t count, size_t at)
{
	size_t end[256], from;
	unsigned d;

	while (count >= FEW && spread(list, count, end)) {
		for (from = d = 0; end[d] <= at; from = end[d++])
			;
		list += from;
		count = end[d] - from;
		at -= from;
	}
	if (count < FEW)
		insert(list, count);
	return list[at];
}
