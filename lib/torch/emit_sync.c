/* emit_sync - recorded waits of a PyTorch trace as records */
#include <string.h>

#include <tp/alloc.h>

#include "emit_private.h"

/* Waits as items of a table, and by name what one row waited for. */
struct rows {
	const struct tp_torch_out *o;
	const struct tp_torch_waits *waits;
	int is_host;
	uint32_t *groups;
	int64_t *waited;
	struct tp_ids ids;		/* of the groups */
	struct tp_ids names;
	int64_t *named;
	size_t named_cap;
};

static const struct tp_torch *
torch_of(const struct rows *r)
{
	return &r->o->file->torch;
}

/* Add PS to the name of E. */
static void
give(struct rows *r, const struct tp_torch_event *e, int64_t ps)
{
	size_t had = r->names.count;
	ptrdiff_t at = tp_ids_add(&r->names, e->name, e->bucket);

	TP_ITEM(r->named, r->named_cap, at);
	r->named[at] = (size_t)at == had ? ps : r->named[at] + ps;
}

/*
 * Add what WAIT was for: for the host the work that ended it, for a stream all
 * work that ran meanwhile.
 */
static void
give_wait(struct rows *r, const struct tp_torch_wait *wait)
{
	const struct tp_torch_ordered *at = &r->waits->order[wait->place];
	const struct tp_torch *t = torch_of(r);
	uint64_t stream;

	if (wait->to_ps == wait->from_ps)
		return;
	if (r->is_host) {
		give(r, &t->events[at[-1].last], wait->to_ps - wait->from_ps);
		return;
	}
	stream = at[-1].stream;
	for (; at > r->waits->order && at[-1].stream == stream &&
	    t->events[at[-1].last].to_ps > wait->from_ps; at--) {
		const struct tp_torch_event *e = &t->events[at[-1].event];
		int64_t from = e->from_ps > wait->from_ps ? e->from_ps :
		    wait->from_ps;
		int64_t to = e->to_ps < wait->to_ps ? e->to_ps : wait->to_ps;

		if (to > from)
			give(r, e, to - from);
	}
}

static void
emit_row(struct rows *r, const struct tp_torch_table *table,
    const struct tp_torch_row *row, int64_t rank)
{
	const struct tp_torch *t = torch_of(r);
	const struct tp_torch_sync *first =
	    &t->syncs[table->items[row->first]];
	struct tp_out *out = r->o->out;
	int64_t took = 0, count = 0;
	int is_known = 0;
	size_t most = 0;
	uint32_t op;

	tp_ids_release(&r->names);
	for (uint32_t i = 0; i < row->count; i++) {
		uint32_t at = table->items[row->first + i];
		const struct tp_torch_wait *wait = &r->waits->list[at];

		took += t->syncs[at].to_ps - t->syncs[at].from_ps;
		count += r->waited[at] > 0;
		is_known |= wait->place != 0;
		give_wait(r, wait);
	}
	for (size_t i = 1; i < r->names.count; i++)
		most = r->named[i] > r->named[most] ? i : most;
	tp_torch_out_begin(r->o, "sync.wait");
	tp_out_int(out, "rank", rank);
	tp_out_text(out, "waiter", r->is_host ? "host" : "stream");
	if (r->is_host) {
		tp_torch_out_name(r->o, "sync_name",
		    t->events[first->call].name);
		op = tp_torch_op_around(t, &t->events[first->call]);
		if (op != TP_TORCH_NO)
			tp_torch_out_name(r->o, "op", t->events[op].name);
	}
	tp_out_known(out, "device_index", first->device);
	if (!r->is_host && first->stream >= 0)
		tp_out_int(out, "stream", first->stream);
	tp_out_known(out, "awaited_stream", first->awaited);
	tp_out_int(out, "count", row->count);
	if (r->is_host)
		tp_out_ps(out, "duration_sum_ns", took);
	if (is_known) {
		tp_out_int(out, "waited_count", count);
		tp_out_ps(out, "waited_ns", row->sum_ps);
	}
	if (r->names.count) {
		tp_torch_out_name(r->o, "awaited_kernel",
		    (uint32_t)r->names.ids[most].a);
		tp_out_ps(out, "awaited_kernel_ns", r->named[most]);
		tp_out_text(out, "bucket",
		    tp_torch_bucket_names[r->names.ids[most].b]);
	}
	tp_out_end(out);
}

/* Group waits by what waits and what is awaited. */
static ptrdiff_t
group_of(struct rows *r, const struct tp_torch_sync *s)
{
	const struct tp_torch *t = torch_of(r);
	uint32_t op, who = (uint32_t)s->stream, in = 0;

	if (r->is_host) {
		op = tp_torch_op_around(t, &t->events[s->call]);
		who = t->events[s->call].name;
		in = op == TP_TORCH_NO ? 0 : t->events[op].name + 1u;
	}
	return tp_ids_add(&r->ids, (uint64_t)who << 32 | in,
	    (uint64_t)(uint16_t)s->device << 32 | (uint32_t)s->awaited);
}

static void
emit_rows(struct rows *r)
{
	const struct tp_torch *t = torch_of(r);
	struct tp_torch_table table = { 0 };

	for (size_t i = 0; i < r->waits->count; i++) {
		const struct tp_torch_sync *s = &t->syncs[i];
		const struct tp_torch_wait *wait = &r->waits->list[i];

		r->waited[i] = wait->to_ps - wait->from_ps;
		r->groups[i] = UINT32_MAX;
		/* a call waits once, even with several records */
		if (r->is_host == (s->kind == TP_TORCH_STREAM_EVENT) ||
		    (r->is_host && i && s[-1].call == s->call))
			continue;
		r->groups[i] = (uint32_t)group_of(r, s);
	}
	tp_torch_table_make(&table, r->groups, r->waited, r->waits->count,
	    r->ids.count);
	for (size_t i = 0; i < table.count; i++)
		emit_row(r, &table, &table.rows[i], (int64_t)i + 1);
	tp_torch_table_release(&table);
	tp_ids_release(&r->ids);
	tp_ids_release(&r->names);
}

void
tp_torch_emit_waits(const struct tp_torch_out *o)
{
	const struct tp_torch_waits *w = &o->file->waits;
	struct rows r = { .o = o, .waits = w, .is_host = 1,
	    .groups = tp_alloc((w->count + 1) * sizeof *r.groups),
	    .waited = tp_alloc((w->count + 1) * sizeof *r.waited) };

	if (w->count) {
		emit_rows(&r);
		r.is_host = 0;
		emit_rows(&r);
	}
	tp_free(r.groups);
	tp_free(r.waited);
	tp_free(r.named);
}
