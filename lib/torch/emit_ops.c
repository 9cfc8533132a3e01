/* emit_ops - launchers of a PyTorch trace as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_private.h"
#include "samples.h"

/* Launchers that count, as items of tables. */
struct items {
	const struct tp_torch_launcher **list;
	size_t count;
	int64_t *direct, *subtree;
	uint32_t *groups;
	struct tp_torch_samples samples;
};

static void
items_init(struct items *it, const struct tp_torch_file *file)
{
	const struct tp_torch_launchers *l = &file->launchers;
	size_t n = l->count + 1;

	memset(it, 0, sizeof *it);
	it->list = tp_alloc(n * sizeof *it->list);
	it->direct = tp_alloc(n * sizeof *it->direct);
	it->subtree = tp_alloc(n * sizeof *it->subtree);
	it->groups = tp_alloc(n * sizeof *it->groups);
	tp_torch_samples_init(&it->samples, &file->times, &file->torch,
	    l->count);
	for (size_t i = 0; i < l->count; i++) {
		if (!l->list[i].counted)
			continue;
		it->list[it->count] = &l->list[i];
		tp_torch_samples_put(&it->samples, it->count,
		    l->list[i].event);
		it->direct[it->count] = l->list[i].direct_ps;
		it->subtree[it->count++] = l->list[i].subtree_ps;
	}
}

static void
items_release(struct items *it)
{
	tp_free(it->list);
	tp_free(it->direct);
	tp_free(it->subtree);
	tp_free(it->groups);
	tp_torch_samples_release(&it->samples);
}

static const char *
category_name(const struct tp_torch *t, unsigned category)
{
	return tp_torch_category_name(t->ops, category);
}

/*
 * The direct time of launchers of ROW that launched only copies: their category
 * is by name, not by what the GPU did.
 */
static int64_t
copied_ps(const struct items *it, const struct tp_torch_table *table,
    const struct tp_torch_row *row)
{
	int64_t ps = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		const struct tp_torch_launcher *l =
		    it->list[table->items[row->first + i]];

		if (l->copies == l->counted)
			ps += l->direct_ps;
	}
	return ps;
}

/* Write what launched most of ROW by name.  SUMS: zeroed, by name; again so. */
static void
out_largest(const struct tp_torch_out *o, const struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_row *row,
    int64_t *sums)
{
	const struct tp_torch *t = &o->file->torch;
	uint32_t name, most = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		uint32_t at = table->items[row->first + i];

		name = t->events[it->list[at]->event].name;
		sums[name] += it->direct[at];
		if (!i || sums[name] > sums[most])
			most = name;
	}
	if (row->count && sums[most] > 0) {
		tp_torch_out_name(o, "largest_op", most);
		tp_out_ps(o->out, "largest_op_ns", sums[most]);
	}
	for (uint32_t i = 0; i < row->count; i++)
		sums[t->events[it->list[table->items[row->first +
		    i]]->event].name] = 0;
}

static void
emit_categories(const struct tp_torch_out *o, struct items *it)
{
	const struct tp_torch *t = &o->file->torch;
	int64_t *sums = tp_zalloc((t->names.count + 1) * sizeof *sums);
	struct tp_torch_table table = { 0 };

	for (size_t i = 0; i < it->count; i++)
		it->groups[i] = it->list[i]->category;
	tp_torch_table_make(&table, it->groups, it->direct, it->count,
	    t->ops->categories.count);
	for (size_t i = 0; i < table.count; i++) {
		const struct tp_torch_row *r = &table.rows[i];
		int64_t copied = copied_ps(it, &table, r);

		tp_torch_out_begin(o, "launcher.category");
		tp_out_text(o->out, "category", category_name(t, r->group));
		tp_out_int(o->out, "count", r->count);
		tp_out_ps(o->out, "own_sum_ns", r->sum_ps);
		tp_out_ratio(o->out, "own_ratio", r->sum_ps, table.sum_ps);
		if (copied)
			tp_out_ps(o->out, "own_copy_sum_ns", copied);
		/* the name of the first category says nothing */
		if (!r->group)
			out_largest(o, it, &table, r, sums);
		tp_torch_samples_emit(&it->samples, &table, r, it->direct,
		    o->out);
		tp_out_end(o->out);
	}
	tp_torch_table_release(&table);
	tp_free(sums);
}

TP_ORDER(by_text, char *const, TP_BY(strcmp(*a, *b)))

/*
 * Write the categories of a row's launchers as a JSON list.  SEEN: zeroed
 * pointers by category, zeroed again on return.
 */
static void
out_categories(const struct tp_torch_out *o, const struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_row *row,
    const char **names, char *seen)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_buf buf = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		unsigned c = it->list[table->items[row->first + i]]->category;

		if (!seen[c])
			names[n++] = category_name(t, c);
		seen[c] = 1;
	}
	for (uint32_t i = 0; i < row->count; i++)
		seen[it->list[table->items[row->first + i]]->category] = 0;
	TP_SORT(names, n, by_text);
	for (size_t i = 0; i < n; i++) {
		tp_buf_str(&buf, i ? ", \"" : "[\"");
		tp_json_escape(&buf, names[i], strlen(names[i]));
		tp_buf_chr(&buf, '"');
	}
	tp_buf_chr(&buf, ']');
	tp_out_text(o->out, "categories", buf.p);
	tp_buf_release(&buf);
}

static void
out_sums(const struct tp_torch_out *o, const struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_row *row)
{
	int64_t subtree = 0;

	for (uint32_t i = 0; i < row->count; i++)
		subtree += it->subtree[table->items[row->first + i]];
	tp_out_ps(o->out, "own_sum_ns", row->sum_ps);
	tp_out_ps(o->out, "subtree_sum_ns", subtree);
	tp_out_ratio(o->out, "own_ratio", row->sum_ps, table->sum_ps);
}

static void
emit_names(const struct tp_torch_out *o, struct items *it)
{
	const struct tp_torch *t = &o->file->torch;
	size_t categories = t->ops->categories.count;
	const char **names = tp_alloc(categories * sizeof *names);
	char *seen = tp_zalloc(categories);
	struct tp_torch_table table;

	for (size_t i = 0; i < it->count; i++)
		it->groups[i] = t->events[it->list[i]->event].name;
	tp_torch_table_make(&table, it->groups, it->direct, it->count,
	    t->names.count);
	for (size_t i = 0; i < table.count; i++) {
		const struct tp_torch_row *r = &table.rows[i];

		tp_torch_out_begin(o, "launcher.name");
		tp_torch_out_name(o, "op", r->group);
		out_categories(o, it, &table, r, names, seen);
		tp_out_int(o->out, "count", r->count);
		out_sums(o, it, &table, r);
		tp_torch_samples_emit(&it->samples, &table, r, it->direct,
		    o->out);
		tp_out_end(o->out);
	}
	tp_torch_table_release(&table);
	tp_free(names);
	tp_free(seen);
}

static void
emit_launcher(const struct tp_torch_out *o, struct items *it,
    const struct tp_torch_table *table, const struct tp_torch_row *row)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_launcher *l =
	    it->list[table->items[row->first]];
	const struct tp_torch_event *e = &t->events[l->event];
	struct tp_torch_stat direct = tp_torch_row_stat(table, row, it->direct);
	struct tp_torch_stat subtree = tp_torch_row_stat(table, row,
	    it->subtree);

	tp_torch_out_begin(o, "launcher");
	tp_torch_out_name(o, "op", e->name);
	tp_out_text(o->out, "category", category_name(t, l->category));
	tp_torch_out_lane(o, e->lane);
	tp_torch_out_call(o, e, 1);
	tp_out_int(o->out, "count", row->count);
	tp_torch_out_stat(o, "own", &direct);
	tp_torch_out_stat(o, "subtree", &subtree);
	tp_out_ratio(o->out, "own_ratio", row->sum_ps, table->sum_ps);
	tp_out_int(o->out, "first_uid", e->uid);
	tp_torch_samples_emit(&it->samples, table, row, it->direct, o->out);
	tp_out_end(o->out);
}

/*
 * Group launchers by name, category, names of process and thread, and
 * arguments.
 */
static ptrdiff_t
alike(const struct tp_torch_out *o, struct tp_ids *ids, struct tp_ids *calls,
    const struct tp_torch_launcher *l)
{
	const struct tp_torch_event *e =
	    &o->file->torch.events[l->event];
	ptrdiff_t call = tp_ids_add(calls,
	    (uint64_t)e->name << 16 | l->category,
	    e->cat == TP_TORCH_OP ? e->args : 0);

	return tp_ids_add(ids, (uint64_t)call, o->lane_group[e->lane]);
}

static void
emit_launchers(const struct tp_torch_out *o, struct items *it)
{
	struct tp_torch_table table = { 0 };
	struct tp_ids ids = { 0 }, calls = { 0 };

	for (size_t i = 0; i < it->count; i++)
		it->groups[i] = (uint32_t)alike(o, &ids, &calls, it->list[i]);
	tp_torch_table_make(&table, it->groups, it->direct, it->count,
	    ids.count);
	for (size_t i = 0; i < table.count; i++)
		emit_launcher(o, it, &table, &table.rows[i]);
	tp_torch_table_release(&table);
	tp_ids_release(&ids);
	tp_ids_release(&calls);
}

void
tp_torch_emit_ops(const struct tp_torch_out *o)
{
	struct items it;

	items_init(&it, o->file);
	emit_categories(o, &it);
	emit_names(o, &it);
	emit_launchers(o, &it);
	items_release(&it);
}
