/* ranks_rows - collectives of one kind on all ranks of a job as records */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/ranks.h>

#include "stat.h"

/* Rows of collectives that a report shows (share/sections/_torch_ranks.md). */
#define SHOWN 15

/* What the collectives of a row come to. */
struct row {
	uint32_t at, what;
	uint64_t count;
	uint32_t rank_min, rank_max;
	struct tp_stat exchange, skew_start, skew_end;
	tp_int128 wait, moved, in_most, in_all;
	int in_known, crosses_nodes;
	int64_t exchange_ns;
	uint32_t last_rank, last_count;	/* which came last most often */
};

/* Rows, and how often a rank came last in one: pair (row, rank) of IDS has
 * the count at its place of LAST. */
struct rows {
	struct row *list;
	struct tp_ids ids;
	uint32_t *last;
	size_t last_cap;
};

/* When a collective began and ended on its ranks. */
struct moment {
	int64_t first, last, left, done, shortest;
	tp_int128 starts;
	uint32_t who;
};

static struct moment
moment_of(const struct tp_ranks *r, const struct tp_ranks_match *m)
{
	struct moment t = { INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN,
	    INT64_MAX, 0, 0 };

	for (uint32_t i = 0; i < m->count; i++) {
		const struct tp_ranks_run *x = &r->runs[m->first + i];
		int64_t from = tp_ranks_time(r, x, x->from_ns);
		int64_t to = tp_ranks_time(r, x, x->to_ns);

		if (from > t.last) {
			t.last = from;
			t.who = x->rank;
		}
		t.first = from < t.first ? from : t.first;
		t.left = to < t.left ? to : t.left;
		t.done = to > t.done ? to : t.done;
		if (x->to_ns - x->from_ns < t.shortest)
			t.shortest = x->to_ns - x->from_ns;
		t.starts += from;
	}
	return t;
}

static void
add_bytes(const struct tp_ranks *r, struct row *row,
    const struct tp_ranks_match *m)
{
	int64_t most = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		int64_t n = r->whats[r->runs[m->first + i].what].in_bytes;

		if (n < 0)
			row->in_known = 0;
		most = n > most ? n : most;
		row->in_all += n;
	}
	row->in_most += (tp_int128)most * m->count;
	row->moved += r->whats[row->what].moved_bytes;
}

static int64_t
rank_number(const struct tp_ranks *r, const struct tp_ranks_match *m,
    uint32_t i)
{
	return r->ranks[r->runs[m->first + i].rank].number;
}

static int
add_last(struct rows *rows, uint32_t row, uint32_t rank)
{
	size_t had = rows->ids.count;
	ptrdiff_t at = tp_ids_add(&rows->ids, row, rank);

	if (at < 0 || tp_grow(&rows->last, &rows->last_cap, (size_t)at + 1,
	    sizeof *rows->last) < 0)
		return -1;
	if ((size_t)at == had)
		rows->last[at] = 0;
	rows->last[at]++;
	return 0;
}

static int
add_match(const struct tp_ranks *r, struct rows *rows,
    const struct tp_ranks_match *m)
{
	struct moment t = moment_of(r, m);
	struct row *row = &rows->list[m->row];

	if (!row->count || m->count < row->rank_min)
		row->rank_min = m->count;
	if (m->count > row->rank_max)
		row->rank_max = m->count;
	row->count++;
	/* its runs are by rank */
	if (r->node_ranks && tp_ranks_node(r, rank_number(r, m, 0)) !=
	    tp_ranks_node(r, rank_number(r, m, m->count - 1)))
		row->crosses_nodes = 1;
	row->wait += (tp_int128)t.last * m->count - t.starts;
	add_bytes(r, row, m);
	return (t.first < t.last && add_last(rows, m->row, t.who) < 0) ||
	    tp_stat_add(&row->exchange, t.shortest) < 0 ||
	    tp_stat_add(&row->skew_start, t.last - t.first) < 0 ||
	    tp_stat_add(&row->skew_end, t.done - t.left) < 0 ? -1 : 0;
}

static void
out_text(const struct tp_ranks *r, struct tp_out *out, const char *key,
    uint32_t text)
{
	if (text)
		tp_out_text(out, key, r->texts.names[text].text);
}

static void
out_what(const struct tp_ranks *r, const struct tp_ranks_what *w,
    struct tp_out *out)
{
	out_text(r, out, "collective", w->collective);
	out_text(r, out, "name", w->name);
	out_text(r, out, "kernel", w->kernel);
	out_text(r, out, "process_group", w->group);
	out_text(r, out, "process_group_ranks", w->group_ranks);
	tp_out_known(out, "process_group_count", w->size);
	out_text(r, out, "element_type", w->dtype);
	tp_out_known(out, "in_element_count", w->in_elements);
	tp_out_known(out, "out_element_count", w->out_elements);
	tp_out_known(out, "in_bytes", w->in_bytes);
	tp_out_known(out, "out_bytes", w->out_bytes);
}

static void
out_skew(const struct tp_ranks *r, struct row *row, struct tp_out *out)
{
	tp_stat_emit(&row->skew_start, out, "skew_start", "mean p50 max",
	    "_ns");
	tp_stat_emit(&row->skew_end, out, "skew_end", "mean p50 max", "_ns");
	tp_out_int(out, "wait_sum_ns", tp_narrow(row->wait));
	if (!row->last_count)
		return;		/* all came at once */
	tp_out_int(out, "last_rank", r->ranks[row->last_rank].number);
	tp_out_int(out, "last_count", row->last_count);
}

static void
emit_row(const struct tp_ranks *r, struct row *row, struct tp_out *out)
{
	const struct tp_ranks_what *w = &r->whats[row->what];
	double rate = (double)row->moved * 1e9 / (double)row->exchange_ns;

	tp_out_begin(out, "ranks.collective");
	out_what(r, w, out);
	if (r->node_ranks)
		tp_out_bool(out, "crosses_nodes", row->crosses_nodes);
	tp_out_int(out, "count", (int64_t)row->count);
	tp_out_int(out, "traced_min_count", row->rank_min);
	tp_out_int(out, "traced_max_count", row->rank_max);
	tp_stat_emit(&row->exchange, out, "exchange", "sum mean min p50 max",
	    "_ns");
	if (w->moved_bytes >= 0 && row->exchange_ns > 0) {
		tp_out_real(out, "exchange_bytes_per_s", rate);
		if (w->bus_factor > 0)
			tp_out_real(out, "exchange_bus_bytes_per_s",
			    rate * w->bus_factor);
	}
	if (row->in_known && row->in_all > 0)
		tp_out_real(out, "in_imbalance_factor",
		    (double)row->in_most / (double)row->in_all);
	if (r->clock == TP_RANKS_COMMON)
		out_skew(r, row, out);
	tp_out_end(out);
}

/* Without a group the order may have matched what is not one: times that do
 * not fit show that. */
static int
is_told(const struct tp_ranks *r, const struct tp_ranks_what *w)
{
	return w->group || r->clock == TP_RANKS_COMMON;
}

static int
by_exchange(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->exchange_ns != y->exchange_ns)
		return x->exchange_ns < y->exchange_ns ? 1 : -1;
	/* as they came */
	return (x->at > y->at) - (x->at < y->at);
}

/* Rows that say the same of themselves but for their groups. */
struct alike {
	uint32_t at, group_count;
	int crosses_nodes;
	const struct row *worst;	/* most waited in, or longest */
	uint64_t count;
	tp_int128 exchange, wait;
};

static int
by_exchange_sum(const void *a, const void *b)
{
	const struct alike *x = a, *y = b;

	if (x->exchange != y->exchange)
		return x->exchange < y->exchange ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

static void
emit_one_alike(const struct tp_ranks *r, const struct alike *a,
    struct tp_out *out)
{
	const struct row *row = a->worst;
	const struct tp_ranks_what *w = &r->whats[row->what];
	struct tp_ranks_what common = *w;

	common.group = common.group_ranks = 0;
	tp_out_begin(out, "ranks.alike");
	out_what(r, &common, out);
	tp_out_int(out, "group_count", a->group_count);
	if (r->node_ranks)
		tp_out_bool(out, "crosses_nodes", a->crosses_nodes);
	tp_out_int(out, "count", (int64_t)a->count);
	tp_out_int(out, "exchange_sum_ns", tp_narrow(a->exchange));
	out_text(r, out, "worst_group", w->group);
	out_text(r, out, "worst_ranks", w->group_ranks);
	tp_out_int(out, "worst_exchange_sum_ns", row->exchange_ns);
	if (r->clock == TP_RANKS_COMMON) {
		tp_out_int(out, "wait_sum_ns", tp_narrow(a->wait));
		tp_out_int(out, "worst_wait_sum_ns", tp_narrow(row->wait));
	}
	if (r->clock == TP_RANKS_COMMON && row->last_count) {
		tp_out_int(out, "last_rank", r->ranks[row->last_rank].number);
		tp_out_int(out, "last_count", row->last_count);
	}
	tp_out_end(out);
}

/* Add ROW to those of LIST that are alike. */
static int
add_alike(const struct tp_ranks *r, const struct row *row,
    struct tp_names *keys, struct tp_ids *groups, struct alike *list)
{
	const struct tp_ranks_what *w = &r->whats[row->what];
	struct tp_ranks_what key;
	size_t had = groups->count;
	struct alike *a;
	ptrdiff_t at;

	memcpy(&key, w, sizeof key);	/* with what lies between its parts */
	key.group = key.group_ranks = 0;
	key.stream = 0;
	at = tp_names_add(keys, (const char *)&key, sizeof key);
	if (at < 0 || tp_ids_add(groups, (uint64_t)at, (uint64_t)w->group <<
	    32 | w->group_ranks) < 0)
		return -1;
	a = &list[at];
	a->at = (uint32_t)at;
	a->group_count += groups->count > had;
	a->crosses_nodes |= row->crosses_nodes;
	a->count += row->count;
	a->exchange += row->exchange_ns;
	a->wait += row->wait;
	if (!a->worst || (r->clock == TP_RANKS_COMMON &&
	    row->wait > a->worst->wait))
		a->worst = row;
	return 0;
}

/* Where there are more rows than a report shows, those that are alike
 * together.  ROWS: the longest first. */
static int
emit_alike(const struct tp_ranks *r, const struct row *rows,
    struct tp_out *out)
{
	struct tp_names keys = { 0 };
	struct tp_ids groups = { 0 };
	struct alike *list;
	size_t told = 0;
	int rc = 0;

	if (r->row_count <= SHOWN)
		return 0;
	list = tp_zalloc(r->row_count * sizeof *list);
	rc = list ? 0 : -1;
	for (size_t i = 0; !rc && i < r->row_count; i++) {
		if (!is_told(r, &r->whats[rows[i].what]))
			continue;
		told++;
		rc = add_alike(r, &rows[i], &keys, &groups, list);
	}
	if (!rc && keys.count < told) {
		qsort(list, keys.count, sizeof *list, by_exchange_sum);
		for (size_t i = 0; i < keys.count; i++)
			emit_one_alike(r, &list[i], out);
	}
	tp_free(list);
	tp_names_release(&keys);
	tp_ids_release(&groups);
	return rc;
}

/* Of each row the rank that came last most often, the lowest of several. */
static void
find_last(struct rows *rows)
{
	for (size_t i = 0; i < rows->ids.count; i++) {
		struct row *row = &rows->list[rows->ids.ids[i].a];
		uint32_t rank = (uint32_t)rows->ids.ids[i].b;

		if (rows->last[i] < row->last_count ||
		    (rows->last[i] == row->last_count &&
		    rank > row->last_rank))
			continue;
		row->last_count = rows->last[i];
		row->last_rank = rank;
	}
}

int
tp_ranks_emit_rows(const struct tp_ranks *r, struct tp_out *out)
{
	struct rows rows = { .list = tp_zalloc((r->row_count + 1) *
	    sizeof *rows.list) };
	struct row *list = rows.list;
	int rc = list ? 0 : -1;

	for (size_t i = 0; !rc && i < r->row_count; i++) {
		list[i].at = (uint32_t)i;
		list[i].what = r->rows[i];
		list[i].in_known = 1;
	}
	for (size_t i = 0; !rc && i < r->match_count; i++)
		rc = add_match(r, &rows, &r->matches[i]);
	if (!rc) {
		find_last(&rows);
		for (size_t i = 0; i < r->row_count; i++)
			list[i].exchange_ns = tp_stat_sum(&list[i].exchange);
		qsort(list, r->row_count, sizeof *list, by_exchange);
		rc = emit_alike(r, list, out);
	}
	for (size_t i = 0; list && i < r->row_count; i++) {
		if (!rc && is_told(r, &r->whats[list[i].what]))
			emit_row(r, &list[i], out);
		tp_stat_release(&list[i].exchange);
		tp_stat_release(&list[i].skew_start);
		tp_stat_release(&list[i].skew_end);
	}
	tp_free(list);
	tp_ids_release(&rows.ids);
	tp_free(rows.last);
	return rc;
}
