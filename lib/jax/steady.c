/* steady - durations of single steps for a summary document */
#include <math.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "read/events.h"
#include "steady.h"

/* Per list: about 40 KB. */
enum { MOST = 4096 };

struct sample {
	int64_t ns;		/* -1: unknown */
	size_t at;		/* index of the step */
};

TP_ORDER(by_length, struct sample, TP_UP(ns) TP_UP(at))

TP_ORDER(by_time, struct sample, TP_UP(at))

/*
 * Reduce the N values at X to at most MOST, each from the middle of a group
 * of order statistics, so that quantiles stay.  Returns their number.
 */
static size_t
thin(struct sample *x, size_t n)
{
	if (n <= MOST)
		return n;
	TP_SORT(x, n, by_length);
	for (size_t i = 0; i < MOST; i++)
		x[i] = x[(2 * i + 1) * n / (2 * MOST)];
	TP_SORT(x, MOST, by_time);
	return MOST;
}

static void
put(struct tp_doc *j, const char *key, const struct sample *x, size_t n)
{
	tp_doc_array(j, key);
	/* on one line instead of thousands */
	j->compact++;
	for (size_t i = 0; i < n; i++)
		if (x[i].ns < 0)
			tp_doc_null(j, NULL);
		else
			tp_doc_float(j, NULL, (double)x[i].ns / 1000);
	tp_doc_close(j, ']');
	j->compact--;
}

void
tp_jax_put_samples(struct tp_doc *j, const struct tp_jax_steps *st)
{
	const struct tp_jax_step *steps = st->list + st->warmup_count;
	size_t all = st->count - st->warmup_count, count = st->steady.count;
	size_t n = 0;
	struct sample *x;

	if (!count)
		return;
	x = tp_alloc(all * sizeof *x);
	tp_doc_object(j, "steady_steps");
	tp_doc_int(j, "count", (int64_t)count);
	for (size_t i = 0; i < all; i++)
		if (steps[i].apart_ps)
			x[n++] = (struct sample){
			    tp_ps_to_ns(steps[i].apart_ps), i };
		else if (steps[i].count && count <= MOST)
			x[n++] = (struct sample){ -1, i };
	put(j, "start_to_start_durations", x, thin(x, n));
	n = 0;
	for (size_t i = 0; i < all; i++)
		if (steps[i].count)
			x[n++] = (struct sample){ (int64_t)nearbyint(
			    tp_jax_step_ps(&steps[i]) / 1000), i };
	put(j, "wall_durations", x, thin(x, n));
	tp_doc_close(j, '}');
	tp_free(x);
}
