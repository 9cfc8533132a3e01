/* hosts - compare the hosts of one run */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "hosts.h"
#include "peel.h"

/* Set E to the exposed communication of D. */
static void
expose(struct tp_jax_spans *e, const struct tp_jax_device *d)
{
	struct tp_ival u = { 0 };
	const struct tp_ival *all[] = { &d->at[TP_JAX_COLLECTIVE],
	    &d->in_flight[TP_JAX_COLLECTIVE] };

	tp_jax_unite(&u, all, 2);
	tp_peel(&u, &d->at[TP_JAX_WORK]);
	tp_jax_spans_set(e, &u);
	tp_ival_release(&u);
}

static void
least(int64_t *of, int64_t ps)
{
	if (*of < 0 || ps < *of)
		*of = ps;
}

/* For each step, the communication of the device that has least. */
static void
find_least(struct tp_jax_hosts *h, const struct tp_jax_time *time,
    const struct tp_jax_steps *st)
{
	struct tp_jax_spans e = { 0 };

	for (size_t i = 0; i < time->device_count; i++) {
		const struct tp_jax_device *d = &time->devices[i];

		expose(&e, d);
		for (size_t j = 0; j < st->part_count; j++) {
			const struct tp_jax_step_part *p = &st->parts[j];
			int64_t *to = h->parts[j].least_ps;

			if (p->host != d->host || !p->count)
				continue;
			least(&to[TP_JAX_IN_STEP], tp_jax_spans_inside(&e,
			    p->from_ps, p->to_ps));
			least(&to[TP_JAX_TO_NEXT], tp_jax_spans_inside(&e,
			    p->from_ps, p->from_ps + p->apart_ps));
		}
	}
	tp_jax_spans_release(&e);
}

static int64_t
whole_ps(const struct tp_jax_step_part *p, enum tp_jax_host_basis basis)
{
	return basis == TP_JAX_IN_STEP ? p->to_ps - p->from_ps : p->apart_ps;
}

static void
find_own(struct tp_jax_hosts *h, const struct tp_jax_steps *st)
{
	for (size_t i = 0; i < st->part_count; i++)
		for (int b = 0; b < TP_JAX_HOST_BASES; b++) {
			struct tp_jax_host_part *p = &h->parts[i];
			int64_t whole = whole_ps(&st->parts[i],
			    (enum tp_jax_host_basis)b);

			p->own_ps[b] = !whole ? -1 : whole -
			    (p->least_ps[b] > 0 ? p->least_ps[b] : 0);
		}
}

struct place {
	int64_t own_ps;
	size_t part;
};

TP_ORDER(by_own, struct place, TP_UP(own_ps) TP_UP(part))

/* Sort the hosts of STEP by their own work; at most as many as it has parts. */
static size_t
rank(const struct tp_jax_hosts *h, const struct tp_jax_step *step,
    enum tp_jax_host_basis basis, struct place *places)
{
	size_t n = 0;

	for (size_t i = step->part; i < step->part + step->part_count; i++)
		if (h->parts[i].own_ps[basis] >= 0)
			places[n++] = (struct place){
			    h->parts[i].own_ps[basis], i };
	TP_SORT(places, n, by_own);
	return n;
}

/* The median of the N values at PLACES without that at K. */
static int64_t
others(const struct place *places, size_t n, size_t k)
{
	size_t low = (n - 2) / 2, high = (n - 1) / 2;

	low += low >= k;
	high += high >= k;
	return places[low].own_ps + (places[high].own_ps -
	    places[low].own_ps) / 2;
}

/* Compare the hosts on BASIS. */
static void
hold(const struct tp_jax_hosts *h, struct tp_jax_host *list,
    const struct tp_jax_steps *st, enum tp_jax_host_basis basis,
    struct place *places)
{
	for (size_t i = st->warmup_count; i < st->count; i++) {
		size_t n = rank(h, &st->list[i], basis, places);

		for (size_t k = 0; n > 1 && k < n; k++) {
			const struct tp_jax_step_part *p =
			    &st->parts[places[k].part];
			struct tp_jax_host *to = &list[p->host];

			to->step_count++;
			tp_ps_add(&to->lag_ps, places[k].own_ps -
			    others(places, n, k));
			tp_ps_add(&to->whole_ps, whole_ps(p, basis));
			to->slowest_count += k == n - 1 &&
			    places[k].own_ps > places[k - 1].own_ps;
		}
	}
}

static size_t
laggard(const struct tp_jax_host *list, size_t count)
{
	size_t most = 0;

	for (size_t i = 1; i < count; i++)
		if (list[i].lag_ps > list[most].lag_ps)
			most = i;
	return most;
}

/* Choose the basis on which a host lags most. */
static void
choose(struct tp_jax_hosts *h, const struct tp_jax_steps *st,
    struct place *places)
{
	struct tp_jax_host *next = tp_zalloc(h->count * sizeof *next);

	hold(h, h->list, st, TP_JAX_IN_STEP, places);
	hold(h, next, st, TP_JAX_TO_NEXT, places);
	h->slowest = laggard(h->list, h->count);
	if (next[laggard(next, h->count)].lag_ps >
	    h->list[h->slowest].lag_ps) {
		memcpy(h->list, next, h->count * sizeof *next);
		h->slowest = laggard(h->list, h->count);
		h->basis = TP_JAX_TO_NEXT;
	}
	tp_free(next);
}

/* What the slowest host has more to do in STEP than the others; 0: unknown. */
static int64_t
lag_in(const struct tp_jax_hosts *h, const struct tp_jax_steps *st,
    const struct tp_jax_step *step, enum tp_jax_host_basis basis,
    struct place *places)
{
	size_t n = rank(h, step, basis, places);

	for (size_t k = 0; n > 1 && k < n; k++)
		if (st->parts[places[k].part].host == h->slowest)
			return places[k].own_ps - others(places, n, k);
	return 0;
}

/*
 * Find in which steps the slowest host lags.  What it does between two steps
 * delays the second.
 */
static void
find_late(struct tp_jax_hosts *h, const struct tp_jax_steps *st,
    struct place *places)
{
	struct tp_jax_lag *lags = tp_alloc((st->count + 1) * sizeof *lags);
	size_t n = 0;

	for (size_t i = st->warmup_count; i < st->count; i++) {
		const struct tp_jax_step *step = &st->list[i];
		int64_t ps = lag_in(h, st, step, h->basis, places);
		int between = i + 1 < st->count && lag_in(h, st, step,
		    TP_JAX_IN_STEP, places) < ps / 2;

		lags[n++] = (struct tp_jax_lag){ ps, step[between].number };
	}
	tp_jax_late_find(&h->late, lags, n);
	tp_free(lags);
}

int
tp_jax_hosts_skew(const struct tp_jax_hosts *h, const struct tp_jax_steps *st,
    const struct tp_jax_step *step, int64_t *wall, int64_t *apart,
    int64_t *own, size_t *slowest)
{
	int64_t low[3] = { INT64_MAX, INT64_MAX, INT64_MAX };
	int64_t high[3] = { -1, -1, -1 };
	size_t n = 0;

	for (size_t i = step->part; i < step->part + step->part_count; i++) {
		const struct tp_jax_step_part *p = &st->parts[i];
		int64_t own_ps = h->parts[i].own_ps[h->basis];
		int64_t x[3] = { p->to_ps - p->from_ps, p->apart_ps, own_ps };

		if (own_ps < 0)
			continue;
		n++;
		for (int k = 0; k < 3; k++) {
			if (k == 2 && x[k] > high[k])
				*slowest = i;
			low[k] = x[k] < low[k] ? x[k] : low[k];
			high[k] = x[k] > high[k] ? x[k] : high[k];
		}
	}
	*wall = high[0] - low[0];
	*apart = low[1] > 0 ? high[1] - low[1] : -1;
	*own = high[2] - low[2];
	return n > 1;
}

int64_t
tp_jax_hosts_start_skew(const struct tp_jax_steps *st,
    const struct tp_jax_step *step)
{
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (size_t i = step->part; i < step->part + step->part_count; i++) {
		int64_t from = st->parts[i].from_ps;

		if (!st->parts[i].count)
			continue;
		low = from < low ? from : low;
		high = from > high ? from : high;
	}
	return high < low ? 0 : high - low;
}

/* Compute the spreads of each host and of the steps. */
static void
spreads(struct tp_jax_hosts *h, const struct tp_jax_steps *st)
{
	double *x = tp_alloc((st->part_count + 1) * 3 * sizeof *x);
	double *y, *z;
	int64_t wall, apart, own;
	size_t n, m, slowest;

	y = x + st->part_count + 1;
	z = y + st->part_count + 1;
	for (size_t i = 0; i < h->count; i++) {
		n = m = 0;
		for (size_t j = st->warmup_count; j < st->count; j++)
			for (size_t k = 0; k < st->list[j].part_count; k++) {
				size_t at = st->list[j].part + k;
				const struct tp_jax_step_part *p =
				    &st->parts[at];

				if (p->host != i || !p->count)
					continue;
				x[n] = (double)(p->to_ps - p->from_ps);
				if (p->apart_ps)
					y[m++] = (double)p->apart_ps;
				z[n++] = (double)h->parts[at].own_ps[
				    TP_JAX_IN_STEP];
			}
		tp_step_times(&h->list[i].wall, x, n);
		tp_step_times(&h->list[i].apart, y, m);
		tp_step_times(&h->list[i].own, z, n);
	}
	n = 0;
	for (size_t j = st->warmup_count; j < st->count; j++)
		if (tp_jax_hosts_skew(h, st, &st->list[j], &wall, &apart,
		    &own, &slowest)) {
			x[n] = (double)wall;
			y[n++] = (double)own;
		}
	h->step_count = n;
	tp_step_times(&h->skew, x, n);
	tp_step_times(&h->own_skew, y, n);
	n = 0;
	for (size_t j = st->warmup_count; h->is_aligned && j < st->count; j++)
		if (st->list[j].part_count > 1)
			x[n++] = (double)tp_jax_hosts_start_skew(st,
			    &st->list[j]);
	tp_step_times(&h->start_skew, x, n);
	tp_free(x);
}

void
tp_jax_hosts_make(struct tp_jax_hosts *h, const struct tp_jax_time *time,
    const struct tp_jax_steps *st, int is_aligned)
{
	struct place *places;

	memset(h, 0, sizeof *h);
	if (time->host_count < 2)
		return;
	h->count = time->host_count;
	h->is_aligned = is_aligned;
	h->list = tp_zalloc(h->count * sizeof *h->list);
	h->parts = tp_alloc((st->part_count + 1) * sizeof *h->parts);
	places = tp_alloc((h->count + 1) * sizeof *places);
	for (size_t i = 0; i < st->part_count; i++)
		h->parts[i] = (struct tp_jax_host_part){ { -1, -1 },
		    { -1, -1 } };
	find_least(h, time, st);
	find_own(h, st);
	choose(h, st, places);
	find_late(h, st, places);
	spreads(h, st);
	tp_free(places);
}
