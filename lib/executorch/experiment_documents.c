/* experiment_documents - experiments whose latency is in a document only */

#include "experiment_private.h"
#include "latency.h"

/*
 * The src of the records of S: the file name that a run would have given its
 * tables.
 */
static const char *
src_of(struct tp_experiments *e, const struct tp_experiment_said *s)
{
	struct tp_buf name = { 0 };
	const char *src;

	tp_buf_fmt(&name, "%s%s%s", s->model ? s->model : "",
	    s->model ? "_" : "", s->name);
	if (s->threads >= 0)
		tp_buf_fmt(&name, "_t%d", (int)s->threads);
	src = tp_experiments_keep(e, name.p);
	tp_buf_release(&name);
	return src;
}

static void
emit_run(struct tp_out *out, const struct tp_latency *l, size_t at)
{
	tp_out_begin(out, "latency.run");
	tp_out_int(out, "run_index", (int64_t)at);
	tp_out_int(out, "latency_ns", l->ns[at]);
	tp_out_int(out, "execution_count", 1);
	tp_out_bool(out, "outlier", tp_latency_is_outlier(l, l->ns[at]));
	tp_out_end(out);
}

/* Write latency records from the times in S. */
static void
emit_latency(struct tp_experiments *e, const struct tp_experiment_said *s,
    struct tp_out *out)
{
	struct tp_latency l = { 0 };

	for (size_t i = 0; i < s->run_ns_count; i++)
		tp_latency_add(&l, s->run_ns[i]);
	if (!l.count)
		tp_latency_add(&l, s->median_ns);
	tp_latency_judge(&l);
	out->src = src_of(e, s);
	tp_experiment_setup(e, out->src, out);
	tp_out_begin(out, "latency.summary");
	tp_out_text(out, "basis", "run");
	tp_out_int(out, "run_count", (int64_t)l.count);
	tp_out_int(out, "execution_count", (int64_t)l.count);
	tp_latency_emit(&l, out);
	tp_latency_emit_first(&l, out);
	tp_out_end(out);
	for (size_t i = 0; i < l.count; i++)
		emit_run(out, &l, i);
	tp_out_note(out, "timeline.absent", 0, 1, "no timeline of experiment "
	    "'%s' is there: its latency is what %s.json says%s, and nothing "
	    "tells where its time went", s->name,
	    tp_run_document_names[s->by], s->run_ns_count ? "" :
	    ", a median alone");
	tp_latency_release(&l);
}

/* Whether an earlier entry of the same document is of the same experiment. */
static int
is_again(const struct tp_experiments *e, size_t at)
{
	const struct tp_experiment_said *s = &e->said[at], *o;

	for (size_t i = 0; i < at; i++) {
		o = &e->said[i];
		if (o->by == s->by && !strcmp(o->name, s->name) &&
		    o->threads == s->threads)
			return 1;
	}
	return 0;
}

/* Read the lines in e->document_records as if they had come from tables. */
static int
take_lines(struct tp_experiments *e, struct tp_err *err)
{
	const char *p = e->document_records.buf.p,
	    *end = p + e->document_records.buf.len, *to;
	struct tp_arena arena = { 0 };
	struct tp_rec rec;
	int rc = 0;

	for (; !rc && p < end; p = to + 1) {
		to = memchr(p, '\n', (size_t)(end - p));
		if (!to)
			break;
		rc = tp_rec_parse(&rec, p, (size_t)(to - p), &arena, err);
		if (!rc)
			rc = tp_experiments_record(e, &rec, p,
			    (size_t)(to - p), err);
	}
	tp_arena_release(&arena);
	return rc;
}

int
tp_experiments_tell(struct tp_experiments *e, struct tp_err *err)
{
	tp_out_init(&e->document_records, -1);
	if (e->count)
		return 0;
	for (size_t i = 0; i < e->said_count; i++) {
		const struct tp_experiment_said *s = &e->said[i];

		if (s->by != TP_RUN_METRICS || (!s->run_ns_count &&
		    s->median_ns < 0) || (s->mode &&
		    strcmp(s->mode, "timing")) || is_again(e, i))
			continue;
		emit_latency(e, s, &e->document_records);
	}
	return e->document_records.buf.len ? take_lines(e, err) : 0;
}
