/* waits - the budget of a run on Metal, from records and CPU samples */
#include <string.h>

#include <tp/alloc.h>
#include <tp/lanes.h>
#include <tp/metal/cpu.h>
#include <tp/order.h>

#include "metal/run.h"

/* Upper bound on times: nine years. */
#define TIME_MAX (INT64_C(1) << 58)

struct tp_waits_trace {
	struct tp_metal_run run;
	int64_t busy_ns;		/* end of the work so far */
	struct tp_span *gaps;		/* between work of the process */
	size_t gap_count, gap_cap;
	int is_ready;			/* all records have been read */
};

static int
damaged(struct tp_err *err, const char *kind)
{
	tp_fail(err, TP_BAD, "record.damaged", 0, "a %s without its times, "
	    "in order", kind);
	err->what = kind;
	return -1;
}

/* Time KEY of REC in ns. */
static int
time_of(const struct tp_rec *rec, const char *key, int64_t *ns)
{
	return tp_rec_int(rec, key, ns) && *ns > -TIME_MAX && *ns < TIME_MAX;
}

static int
add_view(struct tp_metal_run *run, const struct tp_rec *rec,
    struct tp_err *err)
{
	static const char *const scopes[] = { "span", "steps", "segment" };
	const char *name = tp_rec_text(rec, "process");
	const char *scope = tp_rec_text(rec, "scope");
	const char *role = tp_rec_text(rec, "role");
	struct tp_metal_view v = { .is_main = role && !strcmp(role, "main") };
	int64_t pixels;

	for (int i = 0; scope && i < 3; i++)
		if (!strcmp(scope, scopes[i]))
			v.scope = scopes[i];
	if (!name || !v.scope || !time_of(rec, "start_ns", &v.from_ns) ||
	    !time_of(rec, "end_ns", &v.to_ns) || v.from_ns >= v.to_ns ||
	    (v.scope == scopes[2] && !tp_rec_int(rec, "segment", &v.segment)))
		return damaged(err, "budget.gpu");
	if (!tp_rec_int(rec, "pid", &run->pid))
		run->pid = -1;
	if (!time_of(rec, "late_limit_ns", &run->late_ns))
		run->late_ns = 0;
	if (tp_rec_int(rec, "pixel_count", &pixels) && pixels > 0 &&
	    pixels <= TP_PIXELS_MAX)
		run->pixels = (size_t)pixels;
	if (!run->process)
		run->process = tp_dup(name);
	TP_APPEND(run->views, run->view_count, run->view_cap, v);
	return 0;
}

/* Set the times of buffer B that REC has. */
static void
take_buffer(struct tp_metal_run *run, struct tp_metal_buffer *b,
    const struct tp_rec *rec)
{
	int64_t ns;

	if (time_of(rec, "commit_ns", &ns))
		b->commit_ns = ns;
	if (time_of(rec, "completed_ns", &ns))
		b->done_ns = ns;
	if (time_of(rec, "encode_start_ns", &ns))
		b->encode_ns = ns;
	if (tp_rec_int(rec, "tid", &b->tid) && b->tid >= 0)
		tp_ids_add(&run->tids, (uint64_t)b->tid, 0);
}

static int
add_work(struct tp_waits_trace *t, const struct tp_rec *rec,
    struct tp_err *err)
{
	struct tp_metal_run *run = &t->run;
	struct tp_metal_row r = { .buffer = TP_NIL };
	int64_t index;

	if (!time_of(rec, "start_ns", &r.from_ns) ||
	    !time_of(rec, "end_ns", &r.to_ns) || r.from_ns > r.to_ns ||
	    (run->row_count &&
	    r.from_ns < run->rows[run->row_count - 1].from_ns))
		return damaged(err, "budget.work");
	if (tp_rec_int(rec, "index", &index)) {
		if (index < 1 || (size_t)index > run->buffer_count + 1)
			return damaged(err, "budget.work");
		if ((size_t)index > run->buffer_count)
			TP_APPEND(run->buffers, run->buffer_count,
			    run->buffer_cap, (struct tp_metal_buffer){
			    .commit_ns = TP_METAL_UNKNOWN,
			    .done_ns = TP_METAL_UNKNOWN,
			    .encode_ns = INT64_MAX, .tid = -1 });
		r.buffer = (uint32_t)index - 1;
		take_buffer(run, &run->buffers[r.buffer], rec);
		if (t->busy_ns < r.from_ns)
			TP_APPEND(t->gaps, t->gap_count, t->gap_cap,
			    (struct tp_span){ t->busy_ns, r.from_ns });
		TP_MOST(t->busy_ns, r.to_ns);
	}
	TP_APPEND(run->rows, run->row_count, run->row_cap, r);
	return 0;
}

int
tp_waits_add(struct tp_waits *waits, const struct tp_rec *rec,
    struct tp_err *err)
{
	int is_work = !strcmp(rec->kind, "budget.work");
	struct tp_waits_trace *t;
	size_t known = waits->srcs.count;
	ptrdiff_t at;

	if (!is_work && strcmp(rec->kind, "budget.gpu"))
		return 0;
	at = tp_names_add(&waits->srcs, rec->src, strlen(rec->src));
	t = TP_ITEM(waits->traces, waits->cap, at);
	if (waits->srcs.count > known)
		t->busy_ns = INT64_MIN;
	if (t->is_ready)
		return tp_fail(err, TP_BAD, "record.damaged", 0, "a %s behind "
		    "samples: give the records first, with --like",
		    rec->kind);
	return is_work ? add_work(t, rec, err) : add_view(&t->run, rec, err);
}

struct tp_waits_trace *
tp_waits_of(struct tp_waits *waits, const char *src)
{
	ptrdiff_t at = tp_names_find(&waits->srcs, src, strlen(src));

	if (at < 0 && waits->srcs.count == 1)
		at = 0;
	return at < 0 ? NULL : &waits->traces[at];
}

static int
is_of(const struct tp_waits_trace *t, const struct tp_waits_sample *of)
{
	return t->run.process && !strcmp(t->run.process, of->process) &&
	    (t->run.pid < 0 || of->pid < 0 || t->run.pid == of->pid);
}

/* Whether the sample is of a thread that the GPU waits for. */
static int
commits(const struct tp_waits_trace *t, const struct tp_waits_sample *of)
{
	static const char main_thread[] = "Main Thread";
	const size_t len = sizeof main_thread - 1;
	const struct tp_ids *tids = &t->run.tids;

	/* of all threads some always sleep */
	return (!tids->count && !of->waits) || of->tid < 0 ||
	    tp_ids_find(tids, (uint64_t)of->tid, 0) >= 0 ||
	    ((!of->waits || !tids->count) && of->thread_len >= len &&
	    !memcmp(of->thread, main_thread, len));
}

int
tp_waits_wants(struct tp_waits_trace *t, const struct tp_waits_sample *of)
{
	size_t at;

	if (!is_of(t, of) || !commits(t, of))
		return 0;
	TP_SEEK(at, 0, t->gap_count, mid, t->gaps[mid].to <= of->at_ns);
	return at < t->gap_count && t->gaps[at].from <= of->at_ns &&
	    t->gaps[at].from > INT64_MIN;
}

void
tp_waits_sample(struct tp_waits_trace *t, const struct tp_waits_sample *of)
{
	struct tp_metal_run *run = &t->run;
	uint32_t name;

	t->is_ready = 1;
	if (!is_of(t, of))
		return;
	name = (uint32_t)tp_names_add(&run->names, of->function,
	    strlen(of->function));
	*(signed char *)TP_ITEM(run->causes, run->cause_cap, name) =
	    (signed char)of->cause;
	TP_APPEND(run->samples, run->sample_count, run->sample_cap,
	    (struct tp_metal_sample){ .at_ns = of->at_ns,
	    .weight_ns = of->weight_ns, .name = name, .tid = of->tid,
	    .commits = commits(t, of) != 0, .waits = of->waits != 0 });
}

/* Write what the threads that commit did before the first GPU work. */
static void
emit_before(const struct tp_metal_run *run, struct tp_out *out)
{
	int64_t by_cause[128] = { 0 }, sum = 0, first = INT64_MAX, time_ns;
	int64_t start_ns = run->views[0].from_ns;
	size_t most = 0;

	for (size_t i = 0; i < run->sample_count; i++) {
		const struct tp_metal_sample *x = &run->samples[i];

		if (!x->commits || x->waits || x->at_ns >= start_ns)
			continue;
		TP_LEAST(first, x->at_ns);
		by_cause[run->causes[x->name]] += x->weight_ns;
		sum += x->weight_ns;
	}
	if (!sum)
		return;
	for (size_t i = 1; i < tp_cpu_bucket_count(run->buckets); i++)
		if (by_cause[i] > by_cause[most])
			most = i;
	time_ns = start_ns - first;
	tp_out_begin(out, "cpu.before");
	tp_out_int(out, "start_ns", first);
	tp_out_int(out, "end_ns", start_ns);
	tp_out_int(out, "time_ns", time_ns);
	tp_out_int(out, "sampled_ns", sum);
	tp_out_text(out, "cause", tp_cpu_bucket_name(run->buckets, most));
	tp_out_text(out, "label", tp_cpu_bucket_label(run->buckets, most));
	/* threads run beside each other */
	tp_out_int(out, "cause_ns", sum <= time_ns ? by_cause[most] :
	    (int64_t)((tp_int128)by_cause[most] * time_ns / sum));
	tp_out_end(out);
}

int
tp_waits_emit(struct tp_waits_trace *t, const struct tp_cpu_buckets *causes,
    struct tp_out *out, struct tp_err *err)
{
	if (!t->run.view_count)
		return 0;
	t->run.buckets = causes;
	emit_before(&t->run, out);
	return tp_metal_run_emit(&t->run, out, err);
}
