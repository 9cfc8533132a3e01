/* kdebug - how many kernel events of each code a trace holds */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/kdebug.h>
#include <tp/text.h>

#include "tab.h"

int
tp_kdebug_add(struct tp_kdebug *k, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	const struct tp_value *t = &row->v[TP_KDEBUG_TIME];
	const struct tp_value *f = &row->v[TP_KDEBUG_FUNCTION], *v;
	size_t old = k->codes.count;
	ptrdiff_t part[3], at;

	if (t->type == TP_NONE)
		return tp_row_bad(err, row, "no time");
	if (row->v[TP_KDEBUG_CLASS].type == TP_NONE)
		return tp_row_bad(err, row, "no class");
	if (t->n < window->from_ns || t->n >= window->to_ns)
		return 0;
	for (int i = 0; i < 3; i++) {
		v = &row->v[TP_KDEBUG_CLASS + i];
		part[i] = v->type == TP_NONE ? -1 :
		    tp_names_add(&k->texts, v->text, v->len);
	}
	at = tp_ids_add(&k->groups, (uint64_t)part[0], (uint64_t)part[1]);
	at = tp_ids_add(&k->codes, (uint64_t)at, (uint64_t)part[2]);
	TP_ITEM(k->list, k->cap, at);
	if (k->codes.count > old)
		memcpy(k->list[at].part, part, sizeof part);
	k->list[at].rows++;
	if (f->type != TP_NONE) {
		k->list[at].starts += tp_is(f->text, f->len, "START");
		k->list[at].ends += tp_is(f->text, f->len, "END");
	}
	if (!k->rows || t->n < k->first_ns)
		k->first_ns = t->n;
	if (!k->rows || t->n > k->last_ns)
		k->last_ns = t->n;
	k->rows++;
	return 0;
}

/* Distinct classes among the codes. */
static int64_t
classes(const struct tp_kdebug *k)
{
	struct tp_ids seen = { 0 };
	int64_t n;

	for (size_t i = 0; i < k->codes.count; i++)
		tp_ids_add(&seen, (uint64_t)k->list[i].part[0], 0);
	n = (int64_t)seen.count;
	tp_ids_release(&seen);
	return n;
}

void
tp_kdebug_emit(struct tp_kdebug *k, int64_t top, struct tp_out *out)
{
	const struct tp_kdebug_code *list = k->list;
	struct tp_tab tab = { .count = k->codes.count, .process_rank = -1,
	    .row_limit = (size_t)top };

	if (!k->rows)
		return;
	tp_out_begin(out, "kdebug.summary");
	tp_out_text(out, "scope", "all");
	tp_out_int(out, "rows", (int64_t)k->rows);
	tp_out_int(out, "first_ns", k->first_ns);
	tp_out_int(out, "last_ns", k->last_ns);
	tp_out_int(out, "class_count", classes(k));
	tp_out_int(out, "code_count", (int64_t)tab.count);
	tp_out_end(out);
	TP_TAB_NAMES(&tab, NULL, "event_class", list, part[0], &k->texts, -1);
	TP_TAB_NAMES(&tab, NULL, "event_subclass", list, part[1], &k->texts,
	    -1);
	TP_TAB_NAMES(&tab, NULL, "event_code", list, part[2], &k->texts, -1);
	TP_TAB_FIELD(&tab, NULL, "rows", TP_TAB_INT, list, rows);
	TP_TAB_FIELD(&tab, NULL, "start_count", TP_TAB_INT, list, starts);
	TP_TAB_FIELD(&tab, NULL, "end_count", TP_TAB_INT, list, ends);
	tp_tab_total(&tab, "rows", (int64_t)k->rows);
	tp_tab_emit(&tab, "kdebug.code", NULL, out);
}
