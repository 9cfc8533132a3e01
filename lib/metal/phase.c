/* phase - which step of the run a moment belongs to */
#include <stdio.h>
#include <string.h>

#include <tp/order.h>

#include "phase.h"

int
tp_phase_list_add(struct tp_phase_list *phases, const char *kind,
    const char *number, const struct tp_rec *rec, struct tp_err *err)
{
	const struct tp_field *warmup;
	struct tp_phase p = { 0 };
	ptrdiff_t src;

	if (strcmp(rec->kind, kind))
		return 0;
	if (!tp_rec_int(rec, number, &p.index) ||
	    (!tp_rec_int(rec, "start_ns", &p.start_ns) &&
	    !tp_rec_int(rec, "first_ns", &p.start_ns)) ||
	    (!tp_rec_int(rec, "end_ns", &p.end_ns) &&
	    !tp_rec_int(rec, "last_ns", &p.end_ns)) ||
	    p.end_ns < p.start_ns) {
		tp_fail(err, TP_BAD, "record.damaged", 0,
		    "a %s without a number, a start and an end after it",
		    kind);
		err->what = kind;
		return -1;
	}
	warmup = tp_rec_field(rec, "is_warmup");
	p.warmup = warmup && warmup->type == TP_FIELD_BOOL && warmup->n;
	src = tp_names_add(&phases->srcs, rec->src, strlen(rec->src));
	p.src = (size_t)src;
	TP_APPEND(phases->list, phases->count, phases->cap, p);
	phases->sorted = 0;
	return 0;
}

TP_ORDER(by_start, struct tp_phase, TP_UP(src) TP_UP(start_ns) TP_UP(index))

const struct tp_phase *
tp_phase_list_of(struct tp_phase_list *phases, const char *src, size_t *count)
{
	ptrdiff_t at = tp_names_find(&phases->srcs, src, strlen(src));
	size_t from = 0, to;

	*count = 0;
	if (at < 0 && phases->srcs.count == 1)
		at = 0;
	if (at < 0)
		return NULL;
	if (!phases->sorted)
		TP_SORT(phases->list, phases->count, by_start);
	phases->sorted = 1;
	while (phases->list[from].src != (size_t)at)
		from++;
	for (to = from; to < phases->count &&
	    phases->list[to].src == (size_t)at; to++)
		continue;
	*count = to - from;
	return phases->list + from;
}

/* Number of steps that begin at or before AT_NS. */
static size_t
begun(const struct tp_phase_view *steps, int64_t at_ns)
{
	size_t low;

	TP_SEEK(low, 0, steps->count, middle, steps->list[middle].start_ns <=
	    at_ns);
	return low;
}

const struct tp_phase *
tp_phase_at(const struct tp_phase_view *steps, int64_t at_ns)
{
	size_t n = begun(steps, at_ns);

	return n && at_ns < steps->list[n - 1].end_ns ?
	    &steps->list[n - 1] : NULL;
}

void
tp_out_phase(struct tp_out *out, const char *prefix,
    const struct tp_phase_view *steps, int64_t at_ns)
{
	const struct tp_phase *step = tp_phase_at(steps, at_ns);
	size_t n = begun(steps, at_ns);
	char key[64];

	if (!steps->count)
		return;
	snprintf(key, sizeof key, "%sphase", prefix);
	tp_out_text(out, key, step ? "in-step" : !n ? "before-steps" :
	    n == steps->count ? "after-steps" : "between-steps");
	if (!step)
		return;
	snprintf(key, sizeof key, "%sstep", prefix);
	tp_out_int(out, key, step->index);
}
