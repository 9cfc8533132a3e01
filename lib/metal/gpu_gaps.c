/* gpu_gaps - gaps of the GPU: histogram, longest, pauses */
#include <tp/alloc.h>
#include <tp/order.h>

#include "gpu_private.h"
#include "merge.h"

/* Bounds of the gap histogram; gaps of a few us may come from the profiler. */
const struct tp_gpu_bucket tp_gpu_buckets[TP_GPU_BUCKETS] = {
	{ "<1us", 1000 }, { "1-5us", 5000 }, { "5-20us", 20000 },
	{ "20-100us", 100000 }, { "0.1-1ms", 1000000 }, { ">1ms", INT64_MAX },
};

static int64_t
length_of(const struct tp_span *s)
{
	return s->to - s->from;
}

/*
 * Insert a gap that is longer than the last into the list of longest gaps;
 * among equals the earlier comes first.
 */
static void
rank(struct tp_gpu_gaps *g, struct tp_span gap)
{
	struct tp_span *l = g->longest;
	size_t i = g->longest_count;

	if (i < TP_GPU_LONGEST)
		g->longest_count++;
	else
		i--;
	for (; i && length_of(&l[i - 1]) < length_of(&gap); i--)
		l[i] = l[i - 1];
	l[i] = gap;
}

/* Add a gap as a pause of P; gaps before it total TOTAL_NS. */
static void
pause_add(struct tp_gpu_part *p, const struct tp_span *gap, int64_t total_ns)
{
	if (length_of(gap) < TP_PAUSE_LEAST_NS) {
		TP_MOST(p->gap_under_ns, length_of(gap));
		return;
	}
	TP_APPEND(p->pauses, p->pause_count, p->pause_cap, (struct tp_pause){
	    gap->from, gap->to, total_ns });
}

static size_t
bucket_of(int64_t length)
{
	size_t b = 0;

	while (length >= tp_gpu_buckets[b].below_ns)
		b++;
	return b;
}

static void
to_bucket(struct tp_gpu_gaps *g, size_t bucket, size_t n, int64_t sum)
{
	g->bucket_count[bucket] += n;
	g->bucket_ns[bucket] += sum;
}

/* Count N gaps of which only the lengths matter.  Fast path: all are in one
 * bucket. */
static void
count(struct tp_gpu_gaps *g, const int64_t *lengths, size_t n)
{
	int64_t least = INT64_MAX, most = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		least = lengths[i] < least ? lengths[i] : least;
		most = lengths[i] > most ? lengths[i] : most;
		sum += lengths[i];
	}
	if (n && bucket_of(least) == bucket_of(most))
		to_bucket(g, bucket_of(least), n, sum);
	else
		for (size_t i = 0; i < n; i++)
			to_bucket(g, bucket_of(lengths[i]), 1, lengths[i]);
	tp_stat_add_all(&g->stat, lengths, n);
}

/* Longest gap that need only be counted. */
static int64_t
plain_ns(const struct tp_gpu_gaps *g)
{
	const struct tp_span *last = &g->longest[TP_GPU_LONGEST - 1];
	int64_t most = TP_GPU_LONG_GAP_NS;

	if (g->pauses && g->pauses->gap_under_ns < most)
		most = g->pauses->gap_under_ns;
	if (g->longest_count < TP_GPU_LONGEST)
		return 0;
	return length_of(last) < most ? length_of(last) : most;
}

static void
next_gap(struct tp_gpu_gaps *g, struct tp_span gap,
    const struct tp_gpu_gaps *others)
{
	int64_t length = length_of(&gap);

	if (length > g->plain_ns) {
		if (g->pauses)
			pause_add(g->pauses, &gap, tp_stat_sum(&g->stat) +
			    tp_stat_sum(&others->stat));
		if (length > TP_GPU_LONG_GAP_NS)
			tp_spread_add(&g->long_ones, length);
		if (g->longest_count < TP_GPU_LONGEST || length >
		    length_of(&g->longest[TP_GPU_LONGEST - 1]))
			rank(g, gap);
		g->plain_ns = plain_ns(g);
	}
	count(g, &length, 1);
}

void
tp_gpu_gaps_add(struct tp_gpu_all_gaps *all, enum tp_gpu_whose whose,
    const struct tp_span *spans, size_t n)
{
	struct tp_gpu_gaps *m = &all->machine, *t = &all->target;
	int64_t lengths[TP_MERGE_RUN];
	size_t plain = 0;
	struct tp_span gap;

	for (size_t i = 1; i < n; i++) {
		gap = (struct tp_span){ spans[i - 1].to, spans[i].from };
		if (whose == TP_GPU_BOTH && length_of(&gap) <= m->plain_ns &&
		    length_of(&gap) <= t->plain_ns) {
			lengths[plain++] = length_of(&gap);
			continue;
		}
		/* pauses use the sum of all earlier gaps */
		count(&all->both, lengths, plain);
		plain = 0;
		if (whose != TP_GPU_TARGET)
			next_gap(m, gap, &all->both);
		if (whose != TP_GPU_MACHINE)
			next_gap(t, gap, &all->both);
	}
	count(&all->both, lengths, plain);
}

static void
merge(struct tp_gpu_gaps *g, const struct tp_gpu_gaps *from)
{
	for (size_t i = 0; i < TP_GPU_BUCKETS; i++) {
		g->bucket_count[i] += from->bucket_count[i];
		g->bucket_ns[i] += from->bucket_ns[i];
	}
	tp_stat_merge(&g->stat, &from->stat);
}

void
tp_gpu_gaps_finish(struct tp_gpu_all_gaps *all)
{
	merge(&all->machine, &all->both);
	merge(&all->target, &all->both);
}

void
tp_gpu_gaps_release(struct tp_gpu_all_gaps *all)
{
	tp_stat_release(&all->machine.stat);
	tp_stat_release(&all->target.stat);
	tp_stat_release(&all->both.stat);
}
