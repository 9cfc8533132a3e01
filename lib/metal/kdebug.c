/* kdebug - how many kernel events of each code a trace holds */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/kdebug.h>
#include <tp/order.h>
#include <tp/text.h>

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

struct told {
	const struct tp_kdebug_code *code;
	const char *part[3];		/* "": none */
};

TP_ORDER(by_rows, struct told, TP_DOWN(code->rows)
    TP_BY(strcmp(a->part[0], b->part[0])) TP_BY(strcmp(a->part[1], b->part[1]))
    TP_BY(strcmp(a->part[2], b->part[2])))

static void
emit_code(const struct tp_kdebug *k, const struct told *t, int64_t rank,
    struct tp_out *out)
{
	static const char *const keys[] = { "event_class", "event_subclass",
	    "event_code" };

	tp_out_begin(out, "kdebug.code");
	tp_out_int(out, "rank", rank);
	for (int i = 0; i < 3; i++)
		if (t->code->part[i] >= 0)
			tp_out_text(out, keys[i], t->part[i]);
	tp_out_int(out, "rows", (int64_t)t->code->rows);
	tp_out_ratio(out, "row_ratio", (int64_t)t->code->rows,
	    (int64_t)k->rows);
	tp_out_int(out, "start_count", (int64_t)t->code->starts);
	tp_out_int(out, "end_count", (int64_t)t->code->ends);
	tp_out_end(out);
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
	size_t n = k->codes.count, i;
	struct told *told;
	int64_t count;

	if (!k->rows)
		return;
	told = tp_alloc(n * sizeof *told);
	count = classes(k);
	for (i = 0; i < n; i++) {
		told[i].code = &k->list[i];
		for (int p = 0; p < 3; p++)
			told[i].part[p] = k->list[i].part[p] < 0 ? "" :
			    k->texts.names[k->list[i].part[p]].text;
	}
	TP_SORT(told, n, by_rows);
	tp_out_begin(out, "kdebug.summary");
	tp_out_text(out, "scope", "all");
	tp_out_int(out, "rows", (int64_t)k->rows);
	tp_out_int(out, "first_ns", k->first_ns);
	tp_out_int(out, "last_ns", k->last_ns);
	tp_out_int(out, "class_count", count);
	tp_out_int(out, "code_count", (int64_t)n);
	tp_out_end(out);
	for (i = 0; i < n && (!top || (int64_t)i < top); i++)
		emit_code(k, &told[i], (int64_t)i + 1, out);
	tp_free(told);
}
