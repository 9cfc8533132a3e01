/* ranks_rows - collectives of one kind on all ranks of a job as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/ranks.h>
#include <tp/order.h>

/* A row to write. */
struct row {
	uint32_t what;
	const struct tp_ranks_row *sum;
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
out_skew(struct row *row, struct tp_out *out)
{
	tp_stat_emit(&row->skew_start, out, "skew_start", "mean p50 max",
	    "_ns");
	tp_stat_emit(&row->skew_end, out, "skew_end", "mean p50 max", "_ns");
	tp_out_int(out, "wait_sum_ns", tp_narrow(row->sum->wait));
	if (!row->last_count)
		return;		/* all arrived at once */
	tp_out_int(out, "last_rank", row->last_rank);
	tp_out_int(out, "last_count", (int64_t)row->last_count);
}

static void
emit_row(const struct tp_ranks *r, struct row *row, struct tp_out *out)
{
	const struct tp_ranks_what *w = &r->whats[row->what];
	double rate = (double)row->sum->moved * 1e9 / (double)row->exchange_ns;

	tp_out_begin(out, "ranks.collective");
	tp_ranks_out_what(r, w, out);
	if (r->node_ranks)
		tp_out_bool(out, "crosses_nodes", row->crosses_nodes);
	tp_out_int(out, "count", (int64_t)row->sum->count);
	tp_out_int(out, "traced_min_count", row->sum->traced_min);
	tp_out_int(out, "traced_max_count", row->sum->traced_max);
	tp_stat_emit(&row->exchange, out, "exchange", "sum mean min p50 max",
	    "_ns");
	if (w->moved_bytes >= 0 && row->exchange_ns > 0) {
		tp_out_real(out, "exchange_bytes_per_s", rate);
		if (w->bus_factor > 0)
			tp_out_real(out, "exchange_bus_bytes_per_s",
			    rate * w->bus_factor);
	}
	if (row->sum->in_known && row->sum->in_all > 0)
		tp_out_real(out, "in_imbalance_factor",
		    (double)row->sum->in_most / (double)row->sum->in_all);
	if (r->clock == TP_RANKS_COMMON)
		out_skew(row, out);
	tp_out_end(out);
}

/*
 * Without a group, matching by order may be wrong; times that do not fit
 * show that.
 */
static int
is_told(const struct tp_ranks *r, const struct tp_ranks_what *w)
{
	return w->group || r->clock == TP_RANKS_COMMON;
}

/* For the comparison: qsort() has no argument for it. */
static const struct tp_ranks *sorted;

TP_ORDER(by_exchange, struct row, TP_DOWN(exchange_ns)
    TP_BY(tp_ranks_compare(sorted, a->what, b->what)))

/* Rows that differ only in their group. */
struct alike {
	uint32_t at, group_count;
	int crosses_nodes;
	const struct row *worst;	/* row with most waiting, or longest */
	uint64_t count;
	tp_int128 exchange, wait;
};

TP_ORDER(by_exchange_sum, struct alike, TP_DOWN(exchange) TP_UP(at))

static void
emit_one_alike(const struct tp_ranks *r, const struct alike *a,
    struct tp_out *out)
{
	const struct row *row = a->worst;
	const struct tp_ranks_what *w = &r->whats[row->what];
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
	tp_out_int(out, "worst_exchange_sum_ns", row->exchange_ns);
	if (r->clock == TP_RANKS_COMMON) {
		tp_out_int(out, "wait_sum_ns", tp_narrow(a->wait));
		tp_out_int(out, "worst_wait_sum_ns", tp_narrow(row->sum->wait));
	}
	if (r->clock == TP_RANKS_COMMON && row->last_count) {
		tp_out_int(out, "last_rank", row->last_rank);
		tp_out_int(out, "last_count", (int64_t)row->last_count);
	}
	tp_out_end(out);
}

/* Add ROW to the entry of LIST with equal properties. */
static void
add_alike(const struct tp_ranks *r, const struct row *row,
    struct tp_names *keys, struct tp_ids *groups, struct alike *list)
{
	const struct tp_ranks_what *w = &r->whats[row->what];
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
	a->crosses_nodes |= row->crosses_nodes;
	a->count += row->sum->count;
	a->exchange += row->exchange_ns;
	a->wait += row->sum->wait;
	if (!a->worst || (r->clock == TP_RANKS_COMMON &&
	    row->sum->wait > a->worst->sum->wait))
		a->worst = row;
}

/*
 * Write "ranks.alike" for rows with equal properties, if any.  ROWS: longest
 * first.
 */
static void
emit_alike(const struct tp_ranks *r, const struct row *rows, size_t count,
    struct tp_out *out)
{
	struct tp_names keys = { 0 };
	struct tp_ids groups = { 0 };
	struct alike *list;
	size_t told = 0;

	list = tp_zalloc((count + 1) * sizeof *list);
	for (size_t i = 0; i < count; i++) {
		if (!is_told(r, &r->whats[rows[i].what]))
			continue;
		told++;
		add_alike(r, &rows[i], &keys, &groups, list);
	}
	if (keys.count < told) {
		TP_SORT(list, keys.count, by_exchange_sum);
		for (size_t i = 0; i < keys.count; i++)
			emit_one_alike(r, &list[i], out);
	}
	tp_free(list);
	tp_names_release(&keys);
	tp_ids_release(&groups);
}

size_t
tp_ranks_row_count(const struct tp_ranks *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->row_cap; i++)
		count += r->rows[i].count && is_told(r, &r->whats[i]);
	return count;
}

static void
add_times(struct row *row)
{
	for (uint64_t i = 0; i < row->sum->count; i++) {
		const struct tp_ranks_times *t = &row->sum->times[i];

		tp_stat_add(&row->exchange, t->exchange);
		tp_stat_add(&row->skew_start, t->skew_start);
		tp_stat_add(&row->skew_end, t->skew_end);
	}
	row->exchange_ns = tp_stat_sum(&row->exchange);
}

/*
 * Find the rank that came last in each row; PLACES maps what to 1 + the
 * index of its row.
 */
static void
find_last(const struct tp_ranks *r, struct row *rows, const uint32_t *places)
{
	for (size_t i = 0; i < r->last_ids.count; i++) {
		uint64_t what = r->last_ids.ids[i].a;
		int64_t rank = (int64_t)r->last_ids.ids[i].b;
		struct row *row = &rows[places[what] - 1];

		if (r->lasts[i] < row->last_count ||
		    (r->lasts[i] == row->last_count && rank > row->last_rank))
			continue;
		row->last_count = r->lasts[i];
		row->last_rank = rank;
	}
}

void
tp_ranks_emit_rows(const struct tp_ranks *r, struct tp_out *out)
{
	struct row *rows = tp_zalloc((r->row_cap + 1) * sizeof *rows);
	uint32_t *places = tp_zalloc((r->row_cap + 1) * sizeof *places);
	size_t count = 0;

	for (size_t i = 0; i < r->row_cap; i++) {
		const struct tp_ranks_row *sum = &r->rows[i];
		struct row *row = &rows[count];

		if (!sum->count)
			continue;
		row->what = (uint32_t)i;
		row->sum = sum;
		row->crosses_nodes = tp_ranks_crosses(r, sum);
		add_times(row);
		places[i] = (uint32_t)++count;
	}
	find_last(r, rows, places);
	sorted = r;
	TP_SORT(rows, count, by_exchange);
	emit_alike(r, rows, count, out);
	for (size_t i = 0; i < count; i++) {
		if (is_told(r, &r->whats[rows[i].what]))
			emit_row(r, &rows[i], out);
		tp_stat_release(&rows[i].exchange);
		tp_stat_release(&rows[i].skew_start);
		tp_stat_release(&rows[i].skew_end);
	}
	tp_free(rows);
	tp_free(places);
}
