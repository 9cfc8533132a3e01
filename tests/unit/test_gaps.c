/* The gaps of machine and target, counted together and apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metal/gpu_private.h"
#include "pick.h"

#define MOST 400

static int failed;

static void
complain(const char *what, const char *of, int round)
{
	printf("not ok gaps: %s of the %s in round %d\n", what, of, round);
	failed = 1;
}

/* What must come of it: every gap, in order of time. */
struct gaps {
	struct tp_span v[2 * MOST];
	size_t count;
};

static int64_t
length_of(const struct tp_span *s)
{
	return s->to - s->from;
}

static int
longest_first(const void *a, const void *b)
{
	const struct tp_span *x = a, *y = b;

	if (length_of(x) != length_of(y))
		return length_of(x) < length_of(y) ? 1 : -1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* A length near where something is decided; few different ones, so that many
 * are equal.  Of any kind, or none that is long, or the pauses EARLY. */
static int64_t
pick_length(int round, int early)
{
	static const int64_t near[] = { 1, 300, 1000, 5000, 20000, 100000,
	    1000000, 7000000 };
	int64_t kinds = round % 3 ? sizeof near / sizeof *near : 5;

	if (round % 3 == 1)
		kinds = early ? 2 : 5;
	if (round % 3 == 1 && early && pick(2))
		return near[7];
	return near[pick(kinds)] + pick(3);
}

static void
check_pauses(const struct tp_gpu_part *p, const struct gaps *want, int round)
{
	int64_t total = 0, under = 0;
	size_t n = 0;

	for (size_t i = 0; i < want->count; i++) {
		const struct tp_span *s = &want->v[i];

		if (length_of(s) < TP_PAUSE_NS && length_of(s) > under)
			under = length_of(s);
		if (length_of(s) >= TP_PAUSE_NS && (n >= p->pause_count ||
		    p->pauses[n].from_ns != s->from ||
		    p->pauses[n].to_ns != s->to ||
		    p->pauses[n++].idle_before_ns != total))
			complain("pauses", "target", round);
		total += length_of(s);
	}
	if (n != p->pause_count || under != p->gap_under_ns)
		complain("pauses, or the longest of the others,", "target",
		    round);
}

static void
check(struct tp_gpu_gaps *g, struct gaps *want, const char *of, int round)
{
	uint64_t counts[TP_GPU_BUCKETS] = { 0 }, count = 0;
	int64_t sums[TP_GPU_BUCKETS] = { 0 }, sum = 0, all = 0;
	size_t i, b;

	for (i = 0; i < want->count; i++) {
		int64_t n = length_of(&want->v[i]);

		for (b = 0; n >= tp_gpu_buckets[b].below_ns; b++)
			continue;
		counts[b]++;
		sums[b] += n;
		all += n;
		count += n > TP_GPU_LONG_GAP_NS;
		sum += n > TP_GPU_LONG_GAP_NS ? n : 0;
	}
	if (memcmp(counts, g->bucket_count, sizeof counts) ||
	    memcmp(sums, g->bucket_ns, sizeof sums))
		complain("buckets", of, round);
	if (g->long_ones.count != count || g->long_ones.sum != sum)
		complain("long ones", of, round);
	qsort(want->v, want->count, sizeof *want->v, longest_first);
	if (g->longest_count != (want->count < TP_GPU_LONGEST ? want->count :
	    TP_GPU_LONGEST) || memcmp(g->longest, want->v,
	    g->longest_count * sizeof *want->v))
		complain("longest", of, round);
	if (g->stat.count != want->count || tp_stat_sum(&g->stat) != all)
		complain("count and sum", of, round);
	/* the p95, counted from the longest */
	i = want->count - (want->count * 95 + 99) / 100;
	if (want->count && (tp_stat_quantile(&g->stat, 95, 100) !=
	    length_of(&want->v[i]) || g->stat.max != length_of(want->v)))
		complain("quantiles", of, round);
}

static void
round_of(int round)
{
	static struct gaps machine, target;
	struct tp_gpu_part part = { 0 };
	struct tp_gpu_all_gaps all = { .target = { .pauses = &part } };
	struct tp_span run[9], gap;
	int64_t now = pick(1000);
	int n = pick(MOST);

	machine.count = target.count = 0;
	while (n > 0) {
		enum tp_gpu_whose whose = (enum tp_gpu_whose)pick(3);
		size_t count = 2 + (size_t)pick(8);

		for (size_t i = 0; i < count; i++) {
			run[i].from = now;
			run[i].to = now += 1 + pick(50);
			now += pick_length(round, n > MOST / 4);
			gap = (struct tp_span){ run[i].to, now };
			if (i + 1 == count)
				break;
			if (whose != TP_GPU_TARGET)
				machine.v[machine.count++] = gap;
			if (whose != TP_GPU_MACHINE)
				target.v[target.count++] = gap;
		}
		tp_gpu_gaps_add(&all, whose, run, count);
		n -= (int)count;
	}
	tp_gpu_gaps_finish(&all);
	check_pauses(&part, &target, round);
	check(&all.machine, &machine, "machine", round);
	check(&all.target, &target, "target", round);
	tp_gpu_gaps_release(&all);
	tp_free(part.pauses);
}

int
main(void)
{
	for (int i = 0; i < 2000 && !failed; i++)
		round_of(i);
	if (!failed)
		printf("ok gaps: counted together and apart\n");
	return failed;
}
