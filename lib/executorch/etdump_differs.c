/* etdump_differs - two tables of one experiment held against each other */
#include <inttypes.h>
#include <stdio.h>

#include "etdump_private.h"

/* Tolerance: the tool that made a table may have rounded its times. */
#define ROUNDED_NS 1000
#define ROUNDED_PART 10000

static int
is_other(tp_int128 a, tp_int128 b)
{
	tp_int128 most = a / ROUNDED_PART;

	return (a > b ? a - b : b - a) > (most > ROUNDED_NS ? most :
	    ROUNDED_NS);
}

static const struct tp_etdump_run *
find_executed_run(const struct tp_etdump *e, int64_t index)
{
	ptrdiff_t at = tp_ids_find(&e->run_ids, (uint64_t)index, 0);

	return at >= 0 && e->runs[at].executions ? &e->runs[at] : NULL;
}

static tp_int128
total_of(const struct tp_etdump *e)
{
	tp_int128 sum = 0;

	for (size_t i = 0; i < e->run_count; i++)
		sum += e->runs[i].e2e;
	return sum;
}

/*
 * Find the first run of OTHER that E lacks or in which it took a different
 * time; describe it in WORDS and return 1, or return 0.
 */
static int
runs_differ(const struct tp_etdump *e, const struct tp_etdump *other,
    char words[200])
{
	for (size_t i = 0; i < other->run_count; i++) {
		const struct tp_etdump_run *b = &other->runs[i], *a;

		if (!b->executions)
			continue;
		a = find_executed_run(e, b->index);
		if (a && !is_other(a->e2e, b->e2e))
			continue;
		if (a)
			snprintf(words, 200, "run %" PRId64 " takes %" PRId64
			    " ns there and %" PRId64 " ns in the ETDump",
			    b->index, b->e2e, a->e2e);
		else
			snprintf(words, 200, "run %" PRId64 " is not in the "
			    "ETDump", b->index);
		return 1;
	}
	return 0;
}

int
tp_etdump_differs(const struct tp_etdump *e, const struct tp_etdump *other,
    char words[200])
{
	size_t count = tp_etdump_whole_runs(e);
	size_t others = tp_etdump_whole_runs(other);

	if (other->averages || !others)
		return 0;
	/* some tools export the first run only */
	if (e->signature_count < 2 && (others == 1 || others == count))
		return runs_differ(e, other, words);
	/*
	 * tools number the runs of each input shape from 0, so with several
	 * shapes run numbers are ambiguous: compare totals
	 */
	if (e->signature_count > 1 && others > 1) {
		if (!is_other(total_of(e), total_of(other)))
			return 0;
		snprintf(words, 200, "its runs take together another time "
		    "than those of the ETDump");
		return 1;
	}
	if (others == 1)
		return 0;
	snprintf(words, 200, "it holds %zu runs, the ETDump %zu", others,
	    count);
	return 1;
}
