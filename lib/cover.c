/*
 * cover - union lengths of many ranges of a list of intervals
 *
 * Intervals are painted onto a line one after the other.  Every piece of the
 * line stores the interval that painted it last, and each interval has the
 * sum of its pieces.  After interval N - 1 was painted, the union of
 * intervals M to N - 1 is the total length of pieces owned by M and later
 * ones: each instant that any of them covers is owned by the last that does.
 * A painted-over piece disappears, so each interval adds at most two pieces.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "cover.h"

#define NOBODY UINT32_MAX

struct line {
	int64_t *at;		/* ends of all intervals, sorted, distinct */
	size_t count, near;	/* NEAR: the mark found last */
	uint32_t *owner;	/* of the piece that starts at a mark */
	uint64_t *marks, *words;	/* bit per piece start; bit per nonzero
					 * word of marks */
	size_t word_count;
	int64_t *sums;		/* Fenwick tree: lengths by owner, from 1 */
	size_t sum_count;
};

/* The mark at or before AT.  The search starts at the last one found: intervals
 * come mostly in order. */
static size_t
find_mark_before(struct line *l, int64_t at)
{
	size_t from = l->at[l->near] <= at ? l->near : 0, to = from + 1;

	for (size_t step = 1; to < l->count && l->at[to] <= at; step *= 2) {
		from = to;
		to += step;
	}
	TP_LEAST(to, l->count);
	while (to - from > 1) {
		size_t middle = from + (to - from) / 2;

		if (l->at[middle] <= at)
			from = middle;
		else
			to = middle;
	}
	return l->near = from;
}

static void
mark(struct line *l, size_t at)
{
	l->marks[at / 64] |= (uint64_t)1 << at % 64;
	l->words[at / 4096] |= (uint64_t)1 << at / 64 % 64;
}

static void
unmark(struct line *l, size_t at)
{
	l->marks[at / 64] &= ~((uint64_t)1 << at % 64);
	if (!l->marks[at / 64])
		l->words[at / 4096] &= ~((uint64_t)1 << at / 64 % 64);
}

/* The highest set bit of BITS at or below AT; bit 0 is always set. */
static size_t
last_bit(const uint64_t *bits, size_t at)
{
	size_t word = at / 64;
	uint64_t b = bits[word] & (~(uint64_t)0 >> (63 - at % 64));

	while (!b)
		b = bits[--word];
	return word * 64 + 63 - (size_t)__builtin_clzll(b);
}

/* The lowest set bit above AT in the COUNT words of BITS, or SIZE_MAX. */
static size_t
next_bit(const uint64_t *bits, size_t count, size_t at)
{
	size_t word = at / 64;
	uint64_t b = bits[word] & ~(~(uint64_t)0 >> (63 - at % 64));

	while (!b)
		if (++word == count)
			return SIZE_MAX;
		else
			b = bits[word];
	return word * 64 + (size_t)__builtin_ctzll(b);
}

/* Start of the piece that contains AT. */
static size_t
piece_at(const struct line *l, size_t at)
{
	uint64_t b = l->marks[at / 64] & (~(uint64_t)0 >> (63 - at % 64));

	if (b)
		return at / 64 * 64 + 63 - (size_t)__builtin_clzll(b);
	/* mark 0 is always set */
	return last_bit(l->marks, last_bit(l->words, at / 64 - 1) * 64 + 63);
}

/* Start of the next piece, or the end of the line. */
static size_t
next_piece(const struct line *l, size_t at)
{
	uint64_t b = l->marks[at / 64] & ~(~(uint64_t)0 >> (63 - at % 64));
	size_t word;

	if (b)
		return at / 64 * 64 + (size_t)__builtin_ctzll(b);
	word = next_bit(l->words, (l->word_count + 63) / 64, at / 64);
	return word == SIZE_MAX ? l->count - 1 :
	    word * 64 + (size_t)__builtin_ctzll(l->marks[word]);
}

static void
add_owner_length(struct line *l, uint32_t owner, int64_t length)
{
	for (size_t i = (size_t)owner + 1; i <= l->sum_count; i += i & -i)
		l->sums[i] += length;
}

static int64_t
sum_below(const struct line *l, size_t owner)
{
	int64_t sum = 0;

	for (; owner; owner -= owner & -owner)
		sum += l->sums[owner];
	return sum;
}

/* Split the piece that contains AT, so that one starts there. */
static void
split(struct line *l, size_t at)
{
	size_t piece = piece_at(l, at);

	if (piece == at)
		return;
	l->owner[at] = l->owner[piece];
	mark(l, at);
}

static void
lay(struct line *l, const struct tp_span *span, uint32_t owner)
{
	size_t from = find_mark_before(l, span->from),
	    to = find_mark_before(l, span->to), next;

	split(l, from);
	split(l, to);
	for (size_t at = from; at < to; at = next) {
		next = next_piece(l, at);
		if (l->owner[at] != NOBODY)
			add_owner_length(l, l->owner[at],
			    l->at[at] - l->at[next]);
		if (at != from)
			unmark(l, at);
	}
	l->owner[from] = owner;
	add_owner_length(l, owner, span->to - span->from);
}

static void
line_init(struct line *l, const struct tp_span *spans, size_t count)
{
	size_t n = 0, kept = 0;

	l->at = tp_alloc((2 * count + 2) * sizeof *l->at);
	l->at[n++] = INT64_MIN;	/* mark 0, which no interval paints over */
	for (size_t i = 0; i < count; i++) {
		l->at[n++] = spans[i].from;
		l->at[n++] = spans[i].to;
	}
	l->at[n++] = INT64_MAX;
	tp_sort_ints(l->at, n);
	for (size_t i = 0; i < n; i++)
		if (!kept || l->at[i] != l->at[kept - 1])
			l->at[kept++] = l->at[i];
	l->count = kept;
	l->word_count = kept / 64 + 1;
	l->sum_count = count;
	l->owner = tp_alloc(kept * sizeof *l->owner);
	l->marks = tp_zalloc(l->word_count * sizeof *l->marks);
	l->words = tp_zalloc((l->word_count / 64 + 1) * sizeof *l->words);
	l->sums = tp_zalloc((count + 1) * sizeof *l->sums);
	l->owner[0] = NOBODY;
	mark(l, 0);
}

static void
line_release(struct line *l)
{
	tp_free(l->at);
	tp_free(l->owner);
	tp_free(l->marks);
	tp_free(l->words);
	tp_free(l->sums);
}

/* Linked lists of queries by their last interval. */
static void
answer(struct line *l, const struct tp_span *spans, size_t count,
    struct tp_cover *queries, size_t query_count)
{
	uint32_t *first = tp_alloc((count + 1) * sizeof *first);
	uint32_t *next = tp_alloc((query_count + 1) * sizeof *next);

	for (size_t i = 0; i <= count; i++)
		first[i] = NOBODY;
	for (size_t i = 0; i < query_count; i++) {
		queries[i].length = 0;
		next[i] = first[queries[i].last];
		first[queries[i].last] = (uint32_t)i;
	}
	for (size_t i = 0; i < count; i++) {
		if (spans[i].from < spans[i].to)
			lay(l, &spans[i], (uint32_t)i);
		for (uint32_t q = first[i + 1]; q != NOBODY; q = next[q])
			queries[q].length = sum_below(l, i + 1) -
			    sum_below(l, queries[q].first);
	}
	tp_free(first);
	tp_free(next);
}

void
tp_cover_measure(const struct tp_span *spans, size_t count,
    struct tp_cover *queries, size_t query_count)
{
	struct line l = { 0 };

	line_init(&l, spans, count);
	answer(&l, spans, count, queries, query_count);
	line_release(&l);
}
