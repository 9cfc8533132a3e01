/* compare_calls - operators and kernels that only one run has, or that it
 * calls another number of times */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>

#include "compare_private.h"

struct called {
	const struct tp_name *name;
	int64_t count[TP_SIDES], time_ns[TP_SIDES];
};

struct calls {
	struct tp_names names;
	struct called *list;		/* by name */
	size_t cap;
	int has[TP_SIDES];		/* the side lists such things */
};

/* Add the counts and times of SET, which OF names. */
static void
add_call_counts(struct calls *c, int side, const struct tp_set *set,
    const struct cJSON *of)
{
	const char *kind = tp_json_text(of, "kind");
	const char *key = tp_json_text(of, "identity");
	const char *time = tp_json_text(of, "time");
	const struct tp_rec *rec;
	const struct tp_field *f;
	struct called *v;
	int64_t count, ns;
	ptrdiff_t i;

	for (size_t at = 0; kind && key && (rec = tp_set_next(set, kind,
	    &at)); ) {
		f = tp_rec_field(rec, key);
		if (!f || !tp_rec_int(rec, "count", &count) || count < 0)
			continue;
		i = tp_names_add(&c->names, f->text, f->len);
		v = TP_ITEM(c->list, c->cap, i);
		v->count[side] = tp_plus(v->count[side], count);
		if (time && tp_rec_int(rec, time, &ns))
			v->time_ns[side] = tp_plus(v->time_ns[side], ns);
		c->has[side] = 1;
	}
}

static enum tp_verdict
change_of(const struct called *v)
{
	return !v->count[TP_BEFORE] ? TP_APPEARED : !v->count[TP_AFTER] ?
	    TP_VANISHED : TP_NEUTRAL;
}

static int64_t
apart(const struct called *v)
{
	return v->time_ns[TP_AFTER] > v->time_ns[TP_BEFORE] ?
	    v->time_ns[TP_AFTER] - v->time_ns[TP_BEFORE] :
	    v->time_ns[TP_BEFORE] - v->time_ns[TP_AFTER];
}

/* New and gone ones first, then by how much their time changed. */
TP_ORDER(by_change, struct called, TP_BY(TP_CMP(change_of(a), change_of(b)))
    TP_BY(TP_CMP(apart(b), apart(a))) TP_BY(tp_name_cmp(a->name, b->name)))

/* Keep only what differs; with OTHER_WORK only what is new or gone. */
static size_t
keep_differing(struct calls *c, int other_work)
{
	size_t n = 0;

	for (size_t i = 0; i < c->names.count; i++) {
		struct called v = c->list[i];

		v.name = &c->names.names[i];
		if (v.count[TP_BEFORE] != v.count[TP_AFTER] &&
		    !(other_work && change_of(&v) == TP_NEUTRAL))
			c->list[n++] = v;
	}
	TP_SORT(c->list, n, by_change);
	return n;
}

static void
emit_call_changes(const struct called *list, size_t n, const char *kind,
    struct tp_out *out)
{
	int64_t counts[TP_VERDICTS] = { 0 };

	for (size_t i = 0; i < n; i++)
		counts[change_of(&list[i])]++;
	tp_out_begin(out, "compare.calls");
	tp_out_text(out, "of", kind);
	tp_out_int(out, "appeared_count", counts[TP_APPEARED]);
	tp_out_int(out, "vanished_count", counts[TP_VANISHED]);
	tp_out_int(out, "differing_count", counts[TP_NEUTRAL]);
	tp_out_end(out);
	for (size_t i = 0; i < n; i++) {
		tp_out_begin(out, "compare.call");
		tp_out_text(out, "of", kind);
		tp_out_bytes(out, "name", list[i].name->text,
		    list[i].name->len);
		tp_out_int(out, "before_count", list[i].count[TP_BEFORE]);
		tp_out_int(out, "after_count", list[i].count[TP_AFTER]);
		if (list[i].count[TP_BEFORE])
			tp_out_int(out, "before_ns",
			    list[i].time_ns[TP_BEFORE]);
		if (list[i].count[TP_AFTER])
			tp_out_int(out, "after_ns",
			    list[i].time_ns[TP_AFTER]);
		tp_out_text(out, "change", tp_verdict_name(change_of(
		    &list[i])));
		tp_out_end(out);
	}
}

/* Whether both runs are known to have done different amounts of work. */
static int
is_other_work(const struct tp_comparison *c, const char *work)
{
	const struct tp_compared *w = work ? tp_comparison_find(c, work) :
	    NULL;

	return w && w->side[TP_BEFORE].times && w->side[TP_AFTER].times &&
	    (w->side[TP_BEFORE].x < w->side[TP_AFTER].x ||
	    w->side[TP_BEFORE].x > w->side[TP_AFTER].x);
}

static void
emit_kind(const struct tp_comparison *c, const struct cJSON *of,
    const struct tp_set sets[TP_SIDES], struct tp_out *out)
{
	struct calls calls = { 0 };
	size_t n;

	for (int s = 0; s < TP_SIDES; s++)
		add_call_counts(&calls, s, &sets[s], of);
	/* a side without any did not record them */
	if (calls.has[TP_BEFORE] && calls.has[TP_AFTER]) {
		n = keep_differing(&calls,
		    is_other_work(c, tp_json_text(of, "work")));
		if (n)
			emit_call_changes(calls.list, n,
			    tp_json_text(of, "kind"), out);
	}
	tp_free(calls.list);
	tp_names_release(&calls.names);
}

void
tp_compare_emit_calls(const struct tp_comparison *c,
    const struct tp_set sets[TP_SIDES], struct tp_out *out)
{
	const struct cJSON *of;

	/* of several runs a side none is the one to name */
	if (c->run_count[TP_BEFORE] != 1 || c->run_count[TP_AFTER] != 1)
		return;
	cJSON_ArrayForEach(of, c->rules->calls)
		emit_kind(c, of, sets, out);
}
