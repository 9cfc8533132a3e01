/* history_promise - how well promises of findings held, run after run */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/judge/history_promise.h>
#include <tp/order.h>

void
tp_history_promises_write(struct tp_doc *j, const struct tp_promises *p)
{
	if (!p->count)
		return;
	tp_doc_array(j, "promises");
	for (size_t i = 0; i < p->count; i++)
		for (size_t k = 0; k < p->traces[i].count; k++) {
			const struct tp_promise *q = &p->traces[i].list[k];

			tp_doc_object(j, NULL);
			if (q->is_measured)
				tp_doc_int(j, "delivered_ns",
				    q->delivered_ns);
			tp_doc_text(j, "outcome",
			    tp_outcome_name(q->outcome));
			tp_doc_int(j, "promised_ns", q->promised_ns);
			tp_doc_text(j, "rule", q->rule);
			tp_doc_maybe(j, "subject", q->subject);
			tp_doc_close(j, '}');
		}
	tp_doc_close(j, ']');
}

/* Time KEY of PROMISE into *NS; 1 or 0. */
static int
time_of(const struct cJSON *promise, const char *key, int64_t *ns)
{
	double x;

	if (!tp_json_number(promise, key, &x) || fabs(x) >= 9e18)
		return 0;
	*ns = (int64_t)nearbyint(x);
	return 1;
}

/*
 * Read the outcome of PROMISE, and the promised and delivered time if known;
 * 1, or 0 when it is no promise.
 */
static int
read_promise(const struct cJSON *promise, enum tp_outcome *outcome,
    int64_t *promised, int64_t *delivered)
{
	const char *name = tp_json_text(promise, "outcome");
	int i = 0;

	while (i < TP_OUTCOMES && (!name || strcmp(name,
	    tp_outcome_name((enum tp_outcome)i))))
		i++;
	*outcome = (enum tp_outcome)i;
	*promised = *delivered = 0;
	return i == TP_PROMISE_UNKNOWN || (i < TP_OUTCOMES &&
	    time_of(promise, "promised_ns", promised) &&
	    time_of(promise, "delivered_ns", delivered));
}

void
tp_history_promises_add(struct tp_history_promises *h, const struct cJSON *list)
{
	struct tp_history_promise *r;
	int64_t promised, delivered;
	enum tp_outcome outcome;
	const struct cJSON *i;
	const char *rule;
	ptrdiff_t at;

	cJSON_ArrayForEach(i, list) {
		rule = tp_json_text(i, "rule");
		if (!rule || !read_promise(i, &outcome, &promised,
		    &delivered))
			continue;
		at = tp_names_add(&h->rules, rule, strlen(rule));
		TP_ITEM(h->list, h->cap, at);
		r = &h->list[at];
		r->outcomes[outcome]++;
		r->promised_ns = tp_promise_add(r->promised_ns, promised);
		r->delivered_ns = tp_promise_add(r->delivered_ns, delivered);
	}
}

struct order {
	const struct tp_history_promise *r;
	const char *rule;
	size_t count;
};

TP_ORDER(by_count, struct order, TP_DOWN(count) TP_BY(strcmp(a->rule, b->rule)))

static void
emit_rule(const struct order *o, const char *series, struct tp_out *out)
{
	char key[32];

	tp_out_begin(out, "history.promise");
	if (*series)
		tp_out_text(out, "series", series);
	tp_out_text(out, "rule", o->rule);
	tp_out_int(out, "promise_count", (int64_t)o->count);
	for (int i = 0; i < TP_OUTCOMES; i++) {
		snprintf(key, sizeof key, "%s_count",
		    tp_outcome_name((enum tp_outcome)i));
		tp_out_int(out, key, (int64_t)o->r->outcomes[i]);
	}
	if (o->count > o->r->outcomes[TP_PROMISE_UNKNOWN]) {
		tp_out_int(out, "promised_ns", o->r->promised_ns);
		tp_out_int(out, "delivered_ns", o->r->delivered_ns);
	}
	tp_out_ratio(out, "kept_factor", o->r->delivered_ns,
	    o->r->promised_ns);
	tp_out_end(out);
}

void
tp_history_promises_emit(const struct tp_history_promises *h,
    const char *series, struct tp_out *out)
{
	size_t n = h->rules.count;
	struct order *list = tp_alloc((n + 1) * sizeof *list);

	for (size_t i = 0; i < n; i++) {
		list[i] = (struct order){ &h->list[i],
		    h->rules.names[i].text, 0 };
		for (int k = 0; k < TP_OUTCOMES; k++)
			list[i].count += h->list[i].outcomes[k];
	}
	TP_SORT(list, n, by_count);
	for (size_t i = 0; i < n; i++)
		emit_rule(&list[i], series, out);
	tp_free(list);
}

void
tp_history_promises_release(struct tp_history_promises *h)
{
	tp_free(h->list);
	tp_names_release(&h->rules);
}
