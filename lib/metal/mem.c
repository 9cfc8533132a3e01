/* mem - levels of GPU memory over time */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/mem.h>
#include <tp/order.h>

#include "stat.h"

/* The series of a GPU or process in a list, added when new. */
static struct tp_mem_series *
series_of(struct tp_mem_series **list, size_t *count, size_t *cap,
    ptrdiff_t gpu, ptrdiff_t proc)
{
	struct tp_mem_series *s;

	for (size_t i = 0; i < *count; i++)
		if ((*list)[i].gpu == gpu && (*list)[i].proc == proc)
			return &(*list)[i];
	tp_grow(list, cap, *count + 1, sizeof **list);
	s = &(*list)[(*count)++];
	memset(s, 0, sizeof *s);
	s->gpu = gpu;
	s->proc = proc;
	return s;
}

int
tp_mem_add(struct tp_mem *mem, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	int wired = !strcmp(row->bind->table, TP_TABLE_WIRED);
	const struct tp_value *t = &row->v[TP_WIRED_START];
	const struct tp_value *d = &row->v[TP_WIRED_DURATION];
	const struct tp_value *b = &row->v[wired ? TP_WIRED_BYTES :
	    TP_ALLOC_SIZE];
	const struct tp_value *g = &row->v[TP_WIRED_GPU];
	ptrdiff_t gpu = -1, proc = -1;
	struct tp_mem_series *s;
	struct tp_mem_level *l;
	int64_t from, to;

	if (t->type == TP_NONE)
		return tp_row_bad(err, row, "no start");
	if (b->type == TP_NONE)
		return tp_row_bad(err, row, "no size");
	if (b->n < 0)
		return tp_row_bad(err, row, "negative size");
	if (d->type != TP_NONE && (d->n < 0 ||
	    __builtin_add_overflow(t->n, d->n, &to)))
		return tp_row_bad(err, row, "bad duration");
	from = t->n;
	to = d->type != TP_NONE ? t->n + d->n : t->n;
	if (from >= window->to_ns || (d->type != TP_NONE ?
	    to < window->from_ns : from < window->from_ns))
		return 0;
	TP_MOST(from, window->from_ns);
	TP_LEAST(to, window->to_ns);
	if (wired && g->type != TP_NONE)
		gpu = tp_names_add(&mem->gpus, g->text, g->len);
	if (!wired)
		proc = tp_row_process(&mem->procs, row, TP_ALLOC_PROCESS);
	s = wired ? series_of(&mem->wired, &mem->wired_count,
	    &mem->wired_cap, gpu, -1) :
	    series_of(&mem->current, &mem->current_count, &mem->current_cap,
	    -1, proc);
	tp_grow(&s->levels, &s->cap, s->count + 1, sizeof *l);
	l = &s->levels[s->count];
	l->at_ns = from;
	l->length_ns = d->type != TP_NONE ? to - from : -1;
	l->bytes = b->n;
	l->order = s->count++;
	return 0;
}
