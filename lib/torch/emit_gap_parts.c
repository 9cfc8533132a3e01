/* emit_gap_parts - idle time by part of the budget, and by name, as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/budget.h>
#include <tp/hash.h>
#include <tp/order.h>

#include "emit_torch.h"

/* The pieces of gaps of one part and cause, of one operator or call. */
struct row {
	struct tp_torch_gap_part in;
	uint32_t name, order;
	int64_t ps;
	int64_t gaps, gap_max_ps, gap_ps;	/* gap_ps: of the last gap */
	size_t gap;				/* 1 + the last gap */
};

struct parts {
	struct tp_ids ids;
	const char *causes[32];
	size_t cause_count;
	struct row *list;
	size_t count, cap;
};

TP_ORDER(by_time, struct row, TP_DOWN(ps) TP_UP(order))

/* Index of CAUSE; all without room share the last. */
static size_t
cause_at(struct parts *p, const char *cause)
{
	size_t i = 0;

	cause = cause ? cause : "";
	while (i < p->cause_count && strcmp(p->causes[i], cause) != 0)
		i++;
	if (i == p->cause_count && i < sizeof p->causes / sizeof *p->causes)
		p->causes[p->cause_count++] = cause;
	return i;
}

/* Adds PIECE of gap AT. */
static void
add(struct parts *p, const struct tp_torch_gap_piece *piece, size_t at)
{
	ptrdiff_t id = tp_ids_add(&p->ids, piece->name,
	    (uint64_t)piece->in.part << 8 | cause_at(p, piece->in.cause));
	struct row *row;

	if ((size_t)id == p->count)
		TP_APPEND(p->list, p->count, p->cap, (struct row){
		    .in = piece->in, .name = piece->name, .order = (uint32_t)id
		    });
	row = &p->list[id];
	if (row->gap != at + 1) {
		row->gap = at + 1;
		row->gap_ps = 0;
		row->gaps++;
	}
	row->gap_ps += piece->ps;
	row->ps += piece->ps;
	TP_MOST(row->gap_max_ps, row->gap_ps);
}

int
tp_torch_may_recur(const struct tp_torch_out *o)
{
	size_t steps = o->file->times.step_count;

	return !steps || steps > 2;
}

static void
emit(const struct tp_torch_out *o, const struct row *row, int64_t rank)
{
	tp_torch_out_begin(o, "gap.part");
	tp_out_int(o->out, "rank", rank);
	tp_out_text(o->out, "part", tp_budget_part_name(row->in.part));
	tp_out_text(o->out, "cause", row->in.cause);
	if (row->name != TP_TORCH_NO)
		tp_torch_out_name(o, "host_name", row->name);
	tp_out_int(o->out, "gap_count", row->gaps);
	tp_out_ps(o->out, "time_ns", row->ps);
	tp_out_ps(o->out, "one_gap_ns", row->gap_max_ps);
	if (tp_torch_may_recur(o))
		tp_out_ratio(o->out, "one_gap_ratio", row->gap_max_ps,
		    row->ps);
	tp_out_end(o->out);
}

void
tp_torch_emit_gap_parts(const struct tp_torch_out *o)
{
	const struct tp_torch_gaps *g = &o->file->gaps;
	struct parts p = { .count = 0 };
	struct tp_torch_gap_piece piece;

	for (size_t i = 0; i < g->count; i++)
		for (size_t k = 0; tp_torch_gap_piece(o, &g->list[i], k,
		    &piece); k++)
			if (piece.ps > 0)
				add(&p, &piece, i);
	TP_SORT(p.list, p.count, by_time);
	for (size_t i = 0; i < p.count; i++)
		emit(o, &p.list[i], (int64_t)i + 1);
	tp_ids_release(&p.ids);
	tp_free(p.list);
}
