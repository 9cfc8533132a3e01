/* promise_emit - the records of promises and their outcomes */
#include <stdio.h>

#include <tp/judge/promise.h>

static const char *
basis_name(enum tp_promise_basis basis)
{
	return basis == TP_OF_STEP ? "step" : "run";
}

static void
emit_whole(const struct tp_promised_trace *t, const char *name,
    struct tp_out *out)
{
	size_t told = t->count - t->outcomes[TP_PROMISE_UNKNOWN];
	char key[32];

	tp_out_begin(out, "compare.promised");
	tp_out_text(out, "name", name);
	tp_out_text(out, "basis", basis_name(t->basis));
	tp_out_int(out, "promise_count", (int64_t)t->count);
	for (int i = 0; i < TP_OUTCOMES; i++) {
		snprintf(key, sizeof key, "%s_count",
		    tp_outcome_name((enum tp_outcome)i));
		tp_out_int(out, key, (int64_t)t->outcomes[i]);
	}
	tp_out_int(out, "told_count", (int64_t)told);
	tp_out_int(out, "promised_ns", t->promised_ns);
	if (told)
		tp_out_int(out, "delivered_ns", t->delivered_ns);
	tp_out_ratio(out, "promised_ratio", t->promised_ns, t->base_ns[0]);
	if (t->base_ns[TP_BEFORE] && t->base_ns[TP_AFTER]) {
		tp_out_int(out, "before_ns", t->base_ns[TP_BEFORE]);
		tp_out_int(out, "after_ns", t->base_ns[TP_AFTER]);
		tp_out_int(out, "delta_ns", t->base_ns[TP_AFTER] -
		    t->base_ns[TP_BEFORE]);
	}
	tp_out_end(out);
}

static void
emit_one(const struct tp_promise *q, size_t rank, const char *name,
    struct tp_out *out)
{
	tp_out_begin(out, "compare.promise");
	tp_out_text(out, "name", name);
	tp_out_int(out, "rank", (int64_t)rank);
	tp_out_text(out, "rule", q->rule);
	tp_out_text(out, "subject", q->subject);
	tp_out_text(out, "title", q->title);
	tp_out_text(out, "basis", basis_name(q->basis));
	tp_out_int(out, "promised_ns", q->promised_ns);
	if (q->is_measured)
		tp_out_int(out, "delivered_ns", q->delivered_ns);
	if (q->is_measured && q->has_rest)
		tp_out_int(out, "remaining_ns", q->remaining_ns);
	tp_out_ratio(out, "promised_ratio", q->promised_ns, q->base_ns);
	tp_out_text(out, "outcome", tp_outcome_name(q->outcome));
	tp_out_text(out, "because", q->because);
	tp_out_end(out);
}

static void
emit_part(const struct tp_moved_part *m, struct tp_out *out)
{
	tp_out_begin(out, "compare.part");
	tp_out_text(out, "part", m->part);
	tp_out_text(out, "cause", m->cause);
	tp_out_text(out, "basis", basis_name(m->basis));
	if (m->is_on[TP_BEFORE])
		tp_out_int(out, "before_ns", m->ns[TP_BEFORE]);
	if (m->is_on[TP_AFTER])
		tp_out_int(out, "after_ns", m->ns[TP_AFTER]);
	tp_out_int(out, "delta_ns", m->delta_ns);
	if (m->of_change != 0)
		tp_out_real(out, "part_of_change_ratio", m->of_change);
	tp_out_end(out);
}

void
tp_promises_emit(const struct tp_promises *p, struct tp_out *out)
{
	const char *old = out->src;

	for (size_t i = 0; i < p->count; i++) {
		const struct tp_promised_trace *t = &p->traces[i];

		const char *name = p->count > 1 ? t->src : NULL;

		out->src = t->src;
		emit_whole(t, name, out);
		for (size_t k = 0; k < t->count; k++)
			emit_one(&t->list[k], k + 1, name, out);
	}
	for (size_t i = 0; i < p->part_count; i++) {
		out->src = p->parts[i].src;
		emit_part(&p->parts[i], out);
	}
	out->src = old;
}
