/* driver - CPU time of the GPU driver per command buffer and encoder */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/driver.h>

static void
part_add(struct tp_driver *d, ptrdiff_t proc, ptrdiff_t type, int64_t from,
    int64_t to)
{
	ptrdiff_t i = tp_ids_add(&d->keys, (uint64_t)(proc + 1),
	    (uint64_t)type);

	TP_ITEM(d->parts, d->cap, i);
	tp_ival_add(&d->parts[i].busy, from, to);
	tp_stat_add(&d->parts[i].duration, to - from);
}

int
tp_driver_add(struct tp_driver *d, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	const struct tp_value *v = &row->v[TP_DRIVER_TYPE];
	ptrdiff_t type, proc;
	int64_t from, to;
	int rc;

	rc = tp_row_interval(row, TP_DRIVER_START, TP_DRIVER_DURATION, window,
	    &from, &to, err);
	if (rc < 0)
		return -1;
	if (v->type == TP_NONE)
		return tp_row_bad(err, row, "no type");
	if (!rc)
		return 0;
	type = tp_names_add(&d->types, v->text, v->len);
	proc = tp_row_process(&d->procs, row, TP_DRIVER_PROCESS);
	part_add(d, -1, type, from, to);
	if (proc >= 0)
		part_add(d, proc, type, from, to);
	return 0;
}

static void
emit_part(struct tp_driver *d, ptrdiff_t proc, const char *how, size_t type,
    struct tp_out *out)
{
	ptrdiff_t i = tp_ids_find(&d->keys, (uint64_t)(proc + 1),
	    (uint64_t)type);
	struct tp_driver_part *p;

	if (i < 0)
		return;
	p = &d->parts[i];
	tp_ival_finish(&p->busy);
	tp_out_begin(out, "driver.summary");
	tp_out_text(out, "scope", proc < 0 ? "all" : "target");
	tp_out_target(out, &d->procs, proc, how);
	tp_out_text(out, "event_type", d->types.names[type].text);
	tp_out_int(out, "rows", (int64_t)p->duration.count);
	tp_out_int(out, "busy_ns", tp_ival_busy(&p->busy));
	tp_stat_emit(&p->duration, out, "duration", "sum mean p50 p95 max",
	    "_ns");
	tp_out_end(out);
}

static void
emit_scope(struct tp_driver *d, ptrdiff_t proc, const char *how,
    struct tp_out *out)
{
	const struct tp_name **sorted = tp_names_sorted(&d->types);

	for (size_t i = 0; i < d->types.count; i++)
		emit_part(d, proc, how, (size_t)(sorted[i] - d->types.names),
		    out);
	tp_free(sorted);
}

/* The process with most driver time, unless an option or the TOC names one. */
static ptrdiff_t
choose(const struct tp_driver *d, const struct tp_trace *trace,
    const char *process, const char **how)
{
	int64_t *weights = tp_zalloc((d->procs.ids.count + 1) *
	    sizeof *weights);
	ptrdiff_t target;

	for (size_t i = 0; i < d->keys.count; i++)
		if (d->keys.ids[i].a)
			weights[d->keys.ids[i].a - 1] +=
			    tp_stat_sum(&d->parts[i].duration);
	target = tp_target_choose(&d->procs, process, &trace->toc, weights,
	    "driver", how);
	tp_free(weights);
	return target;
}

void
tp_driver_emit(struct tp_driver *d, const struct tp_trace *trace,
    const char *process, struct tp_out *out)
{
	const char *how = NULL;
	ptrdiff_t target;

	if (!d->keys.count)
		return;
	emit_scope(d, -1, NULL, out);
	target = choose(d, trace, process, &how);
	if (target >= 0)
		emit_scope(d, target, how, out);
	/* for a launched program, its GPU rows report the absence */
	else if (process)
		tp_target_note(&d->procs, process, &trace->toc,
		    "the driver intervals", out);
}
