/* ranks_rows - collectives of one kind on all ranks of a job as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/ranks.h>
#include <tp/order.h>

/* A row to write. */
struct collective_sum {
	uint32_t what;
	const struct tp_ranks_sum *sum;
	struct tp_stat exchange, skew_start, skew_end;
	int crosses_nodes;
	int64_t exchange_ns;
	int64_t last_rank;		/* rank that came last most often, */
	uint64_t last_count;		/* the lowest of several */
};

void
tp_ranks_out_text(const struct tp_ranks *r, struct tp_out *out,
    const char *key, uint32_t text)
{
	if (text)
		tp_out_text(out, key, r->texts.names[text].text);
}

void
tp_ranks_out_what(const struct tp_ranks *r, const struct tp_ranks_what *w,
    struct tp_out *out)
{
	tp_ranks_out_text(r, out, "collective", w->collective);
	tp_ranks_out_text(r, out, "name", w->name);
	tp_ranks_out_text(r, out, "kernel", w->kernel);
	tp_ranks_out_text(r, out, "process_group", w->group);
	tp_ranks_out_text(r, out, "process_group_ranks", w->group_ranks);
	tp_out_known(out, "process_group_count", w->size);
	tp_ranks_out_text(r, out, "element_type", w->dtype);
	tp_out_known(out, "in_element_count", w->in_elements);
	tp_out_known(out, "out_element_count", w->out_elements);
	tp_out_known(out, "in_bytes", w->in_bytes);
	tp_out_known(out, "out_bytes", w->out_bytes);
}

static void
out_skew(struct collective_sum *s, struct tp_out *out)
{
	tp_stat_emit(&s->skew_start, out, "skew_start", "mean p50 max", "_ns");
	tp_stat_emit(&s->skew_end, out, "skew_end", "mean p50 max", "_ns");
	tp_out_int(out, "wait_sum_ns", tp_narrow(s->sum->wait));
	if (!s->last_count)
		return;		/* all arrived at once */
	tp_out_int(out, "last_rank", s->last_rank);
	tp_out_int(out, "last_count", (int64_t)s->last_count);
}

static void
emit_collective_sum(const struct tp_ranks *r, struct collective_sum *s,
    struct tp_out *out)
{
	const struct tp_ranks_what *w = &r->whats[s->what];
	double rate = (double)s->sum->moved * 1e9 / (double)s->exchange_ns;

	tp_out_begin(out, "ranks.collective");
	tp_ranks_out_what(r, w, out);
	if (r->node_ranks)
		tp_out_bool(out, "crosses_nodes", s->crosses_nodes);
	tp_out_int(out, "count", (int64_t)s->sum->count);
	tp_out_int(out, "traced_min_count", s->sum->traced_min);
	tp_out_int(out, "traced_max_count", s->sum->traced_max);
	tp_stat_emit(&s->exchange, out, "exchange", "sum mean min p50 max",
	    "_ns");
	if (w->moved_bytes >= 0 && s->exchange_ns > 0) {
		tp_out_real(out, "exchange_bytes_per_s", rate);
		if (w->bus_factor > 0)
			tp_out_real(out, "exchange_bus_bytes_per_s",
			    rate * w->bus_factor);
	}
	if (s->sum->in_known && s->sum->in_all > 0)
		tp_out_real(out, "in_imbalance_factor",
		    (double)s->sum->in_most / (double)s->sum->in_all);
	if (r->clock == TP_RANKS_COMMON)
		out_skew(s, out);
	tp_out_end(out);
}

/*
 * Without a group, matching by order may be wrong; times that do not fit
 * show that.
 */
static int
is_comparable(const struct tp_ranks *r, const struct tp_ranks_what *w)
{
	return w->group || r->clock == TP_RANKS_COMMON;
}

/* For the comparison: qsort() has no argument for it. */
static const struct tp_ranks *sorted;

TP_ORDER(by_exchange, struct collective_sum, TP_DOWN(exchange_ns)
    TP_BY(tp_ranks_compare(sorted, a->what, b->what)))

/* Rows that differ only in their group. */
struct alike {
	uint32_t at, group_count;
	int crosses_nodes;
	const struct collective_sum *worst;	/* waits most, or is longest */
	uint64_t count;
	tp_int128 exchange, wait;
};

TP_ORDER(by_exchange_sum, struct alike, TP_DOWN(exchange) TP_UP(at))

static void
emit_one_alike(const struct tp_ranks *r, const struct alike *a,
    struct tp_out *out)
{
	const struct collective_sum *s = a->worst;
	const struct tp_ranks_what *w = &r->whats[s->what];
	struct tp_ranks_what common = *w;

	common.group = common.group_ranks = 0;
	tp_out_begin(out, "ranks.alike");
	tp_ranks_out_what(r, &common, out);
	tp_out_int(out, "group_count", a->group_count);
	if (r->node_ranks)
		tp_out_bool(out, "crosses_nodes", a->crosses_nodes);
	tp_out_int(out, "count", (int64_t)a->count);
	tp_out_int(out, "exchange_sum_ns", tp_narrow(a->exchange));
	tp_ranks_out_text(r, out, "worst_group", w->group);
	tp_ranks_out_text(r, out, "worst_ranks", w->group_ranks);
	tp_out_int(out, "worst_exchange_sum_ns", s->exchange_ns);
	if (r->clock == TP_RANKS_COMMON) {
		tp_out_int(out, "wait_sum_ns", tp_narrow(a->wait));
		tp_out_int(out, "worst_wait_sum_ns", tp_narrow(s->sum->wait));
	}
	if (r->clock == TP_RANKS_COMMON && s->last_count) {
		tp_out_int(out, "last_rank", s->last_rank);
		tp_out_int(out, "last_count", (int64_t)s->last_count);
	}
	tp_out_end(out);
}

/* Add S to the entry of LIST with equal properties. */
static void
add_alike(const struct tp_ranks *r, const struct collective_sum *s,
    struct tp_names *keys, struct tp_ids *groups, struct alike *list)
{
	const struct tp_ranks_what *w = &r->whats[s->what];
	struct tp_ranks_what key;
	size_t had = groups->count;
	struct alike *a;
	ptrdiff_t at;

	memcpy(&key, w, sizeof key);	/* padding included */
	key.group = key.group_ranks = 0;
	key.stream = 0;
	at = tp_names_add(keys, (const char *)&key, sizeof key);
	tp_ids_add(groups, (uint64_t)at, (uint64_t)w->group << 32 |
	    w->group_ranks);
	a = &list[at];
	a->at = (uint32_t)at;
	a->group_count += groups->count > had;
	a->crosses_nodes |= s->crosses_nodes;
	a->count += s->sum->count;
	a->exchange += s->exchange_ns;
	a->wait += s->sum->wait;
	if (!a->worst || (r->clock == TP_RANKS_COMMON &&
	    s->sum->wait > a->worst->sum->wait))
		a->worst = s;
}

/*
 * Write "ranks.alike" for those of the COUNT SUMS, longest first, with equal
 * properties, if any.
 */
static void
emit_alike(const struct tp_ranks *r, const struct collective_sum *sums,
    size_t count, struct tp_out *out)
{
	struct tp_names keys = { 0 };
	struct tp_ids groups = { 0 };
	struct alike *list;
	size_t comparable = 0;

	list = tp_zalloc((count + 1) * sizeof *list);
	for (size_t i = 0; i < count; i++) {
		if (!is_comparable(r, &r->whats[sums[i].what]))
			continue;
		comparable++;
		add_alike(r, &sums[i], &keys, &groups, list);
	}
	if (keys.count < comparable) {
		TP_SORT(list, keys.count, by_exchange_sum);
		for (size_t i = 0; i < keys.count; i++)
			emit_one_alike(r, &list[i], out);
	}
	tp_free(list);
	tp_names_release(&keys);
	tp_ids_release(&groups);
}

size_t
tp_ranks_collective_count(const struct tp_ranks *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->sum_cap; i++)
		count += r->sums[i].count && is_comparable(r, &r->whats[i]);
	return count;
}

static void
add_times(struct collective_sum *s)
{
	for (uint64_t i = 0; i < s->sum->count; i++) {
		const struct tp_ranks_times *t = &s->sum->times[i];

		tp_stat_add(&s->exchange, t->exchange);
		tp_stat_add(&s->skew_start, t->skew_start);
		tp_stat_add(&s->skew_end, t->skew_end);
	}
	s->exchange_ns = tp_stat_sum(&s->exchange);
}

/*
 * Find the rank that came last in each row; PLACES maps what to 1 + the
 * index of its row.
 */
static void
find_last(const struct tp_ranks *r, struct collective_sum *sums,
    const uint32_t *places)
{
	for (size_t i = 0; i < r->last_ids.count; i++) {
		uint64_t what = r->last_ids.ids[i].a;
		int64_t rank = (int64_t)r->last_ids.ids[i].b;
		struct collective_sum *s = &sums[places[what] - 1];

		if (r->lasts[i] < s->last_count || (r->lasts[i] == s->last_count
		    && rank > s->last_rank))
			continue;
		s->last_count = r->lasts[i];
		s->last_rank = rank;
	}
}

void
tp_ranks_emit_collectives(const struct tp_ranks *r, struct tp_out *out)
{
	struct collective_sum *sums =
	    tp_zalloc((r->sum_cap + 1) * sizeof *sums);
	uint32_t *places = tp_zalloc((r->sum_cap + 1) * sizeof *places);
	size_t count = 0;

	for (size_t i = 0; i < r->sum_cap; i++) {
		const struct tp_ranks_sum *sum = &r->sums[i];
		struct collective_sum *s = &sums[count];

		if (!sum->count)
			continue;
		s->what = (uint32_t)i;
		s->sum = sum;
		s->crosses_nodes = tp_ranks_crosses(r, sum);
		add_times(s);
		places[i] = (uint32_t)++count;
	}
	find_last(r, sums, places);
	sorted = r;
	TP_SORT(sums, count, by_exchange);
	emit_alike(r, sums, count, out);
	for (size_t i = 0; i < count; i++) {
		if (is_comparable(r, &r->whats[sums[i].what]))
			emit_collective_sum(r, &sums[i], out);
		tp_stat_release(&sums[i].exchange);
		tp_stat_release(&sums[i].skew_start);
		tp_stat_release(&sums[i].skew_end);
	}
	tp_free(sums);
	tp_free(places);
}
