/* tally - sums over rows of a database that are too many to be events */
#include <tp/order.h>

#include "events_private.h"

void
tp_tallies_add(struct tp_tallies *y, const char *what, size_t lane,
    const struct tp_name *name, int64_t from, int64_t to, int timed)
{
	size_t had = y->ids.count;
	ptrdiff_t kind = tp_names_add(&y->what, what, strlen(what));
	ptrdiff_t at = tp_ids_add(&y->ids, (uint64_t)lane << 8 | ((uint64_t)kind
	    & 255), name ? (uint64_t)(name - y->names.names) + 1 : 0);
	struct tp_tally *t;

	TP_ITEM(y->list, y->cap, at);
	t = &y->list[at];
	if (y->ids.count > had)
		*t = (struct tp_tally){ .what = what, .lane = lane,
		    .from_ns = from, .to_ns = to };
	TP_LEAST(t->from_ns, from);
	TP_MOST(t->to_ns, to);
	if (!timed)
		return;
	t->count++;
	t->is_over |= __builtin_add_overflow(t->sum_ns, to - from, &t->sum_ns);
	TP_MOST(t->max_ns, to - from);
}

TP_ORDER(by_lane, struct tp_tally_row, TP_UP(lane) TP_UP(from_ps)
    TP_UP(to_ps))

void
tp_tallies_between(struct tp_tallies *y, size_t first, int64_t least_ps)
{
	struct tp_tally_row *list = y->rows + first, last, row;
	size_t count = y->row_count - first;

	if (count)
		TP_SORT(list, count, by_lane);
	y->row_count = first;
	for (size_t i = 0; i < count; i++) {
		row = list[i];
		if (i && row.lane == last.lane && row.from_ps - last.to_ps >=
		    least_ps) {
			last.from_ps = last.to_ps;
			last.to_ps = row.from_ps;
			y->rows[y->row_count++] = last;
		}
		last = row;
	}
}

const struct tp_tally *
tp_events_tallies(const struct tp_events *e, size_t *count)
{
	const struct tp_tallies *y = &e->tallies;

	for (size_t i = 0; i < y->ids.count; i++)
		y->list[i].name = y->ids.ids[i].b ?
		    &y->names.names[y->ids.ids[i].b - 1] : NULL;
	*count = y->ids.count;
	return y->list;
}

const struct tp_tally_row *
tp_events_tally_rows(const struct tp_events *e, size_t *count)
{
	const struct tp_tallies *y = &e->tallies;

	for (size_t i = 0; i < y->row_count; i++)
		y->rows[i].name = y->rows[i].named ?
		    &y->names.names[y->rows[i].named - 1] : NULL;
	*count = y->row_count;
	return y->rows;
}

int
tp_events_is_tallied(const struct tp_events *e)
{
	return e->tallies.are_asked;
}

void
tp_tallies_release(struct tp_tallies *y)
{
	tp_names_release(&y->names);
	tp_names_release(&y->what);
	tp_ids_release(&y->ids);
	tp_free(y->list);
	tp_free(y->open);
	tp_free(y->rows);
}
