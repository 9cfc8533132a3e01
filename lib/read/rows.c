/* rows - the rows of a table, in any export format */
#include <string.h>

#include <tp/alloc.h>
#include <tp/hash.h>

#include "read.h"

struct tp_rows *
tp_rows_open(struct tp_in *in, enum tp_format format,
    const struct tp_bind *binds, const char *table,
    struct tp_tables *tables, struct tp_trace *trace)
{
	struct tp_rows *rows = tp_zalloc(sizeof *rows);

	rows->in = in;
	rows->format = format;
	rows->binds = binds;
	rows->table_option = table;
	rows->tables = tables;
	rows->trace = trace;
	rows->fill = &rows->queue;
	switch (format) {
	case TP_FORMAT_XCTRACE:
		tp_xctrace_open(rows);
		break;
	case TP_FORMAT_RECORDS:
		tp_rowrec_open(rows);
		break;
	case TP_FORMAT_JSON:
		tp_json_rows_open(rows);
		break;
	case TP_FORMAT_ETDUMP:
		tp_etdp_rows_open(rows);
		break;
	case TP_FORMAT_STACKS:
		tp_stacks_open(rows);
		break;
	default:
		tp_csv_open(rows);
	}
	return rows;
}

/* A hash that identifies a row in any format. */
static uint64_t
hash_row(const struct tp_plan *p, const struct tp_value *v)
{
	uint64_t parts[3] = { 0 };

	for (size_t i = 0; i < p->count; i++) {
		if (v[i].type == TP_NONE || v[i].type == TP_STACK)
			continue;
		parts[1] = i;
		parts[2] = v[i].type == TP_TEXT || v[i].type == TP_DECIMAL ||
		    v[i].type == TP_PROCESS || v[i].type == TP_THREAD ?
		    tp_hash_bytes(v[i].text, v[i].len) : v[i].id;
		parts[0] = tp_hash_bytes(parts, sizeof parts);
	}
	return parts[0];
}

/*
 * Extend the time range of the source by the rows from ROW on, of plan P, up to
 * one that is further from the start than a recording is long.  Returns the
 * number of these.
 */
static size_t
date(struct tp_rows *rows, const struct tp_plan *p, const struct tp_row *row)
{
	const struct tp_value *v = row->v, *time, *length;
	int64_t first = INT64_MAX, last = INT64_MIN, end;
	/* without binds rows are shown, whatever they say */
	int64_t longest = p->bind && p->table->longest_ns ?
	    p->table->longest_ns : INT64_MAX;
	struct tp_source unread = { .rows = 0 }, *s = p->source < 0 ? &unread :
	    &rows->trace->sources[p->source];
	size_t left;

	if (p->time < 0)
		return row->more + 1;
	for (left = row->more + 1; left; left--, v += p->count) {
		time = &v[p->time];
		if (time->type == TP_NONE)
			continue;
		if (time->n > longest || (p->length >= 0 &&
		    v[p->length].type != TP_NONE && v[p->length].n > longest))
			break;
		if (first > last && s->first_ns > s->last_ns)
			s->first_row = hash_row(p, v);
		end = time->n;
		length = p->length < 0 ? NULL : &v[p->length];
		if (length && length->type != TP_NONE && length->n > 0 &&
		    __builtin_add_overflow(end, length->n, &end))
			end = time->n;
		first = time->n < first ? time->n : first;
		last = end > last ? end : last;
	}
	s->first_ns = first < s->first_ns ? first : s->first_ns;
	s->last_ns = last > s->last_ns ? last : s->last_ns;
	return row->more + 1 - left;
}

/*
 * V, whose thread is of process PID, NAME, takes it in the place of the one
 * that its row names.
 */
static void
own(struct tp_rows *rows, struct tp_value *v, int64_t pid, const char *name,
    size_t len)
{
	struct tp_buf whole = { 0 };

	tp_buf_add(&whole, name, len);
	tp_buf_fmt(&whole, " (%lld)", (long long)pid);
	v->text = tp_arena_text(&rows->queue.arena, whole.p, whole.len);
	v->len = (uint32_t)len;
	v->whole = (uint32_t)whole.len;
	v->n = pid;
	tp_buf_release(&whole);
	tp_trace_note(rows->trace, "row.process", 0, 1, "%s: a row names "
	    "another process than its thread does; it counts for the "
	    "thread's", tp_in_name(rows->in));
}

/*
 * Instruments writes the target into rows of other processes, whose thread
 * tells: COUNT rows from V on, of plan P.
 */
static void
find_owners(struct tp_rows *rows, const struct tp_plan *p, struct tp_value *v,
    size_t count)
{
	const char *name;
	size_t len;
	int64_t pid;

	if (p->process < 0 || p->thread < 0)
		return;
	for (; count; count--, v += p->count) {
		struct tp_value *process = &v[p->process];

		if (v[p->thread].type == TP_NONE ||
		    process->type == TP_NONE || process->n < 0)
			continue;
		pid = tp_thread_process(&v[p->thread], &name, &len);
		if (pid >= 0 && pid != process->n)
			own(rows, process, pid, name, len);
	}
}

/* Queue more rows: 1, 0 when these are the last, -1 with ERR. */
static int
more(struct tp_rows *rows, struct tp_err *err)
{
	int rc;

	tp_queue_clear(&rows->queue);
	rc = rows->more(rows, err);
	return rc || !rows->finish ? rc : rows->finish(rows, err);
}

/* Refill the queue when it is empty.  0, or -1 with ERR. */
static int
refill(struct tp_rows *rows, struct tp_err *err)
{
	int rc = more(rows, err);

	rows->done = rc <= 0;
	if (rc >= 0)
		return 0;
	err->fatal = 1;
	if (!rows->queue.run_count)
		return -1;
	/* return the rows before the failure first */
	tp_queue_loose(rows, err);
	return 0;
}

int
tp_row_has(const struct tp_row *row, size_t at)
{
	return row->slots[at].cell >= 0;
}

int
tp_row_is_cycles(const struct tp_row *row, size_t at)
{
	return row->slots[at].is_cycles;
}

/* Fail for ROW of plan P, whose time or duration is too large. */
static int
far_row(struct tp_rows *rows, const struct tp_plan *p,
    const struct tp_row *row, struct tp_err *err)
{
	if (p->source >= 0)
		rows->trace->sources[p->source].skipped++;
	err->what = p->slots[p->time].name;
	return tp_fail(err, TP_BAD, "row.damaged", row->line, "a row of '%s' "
	    "begins or lasts more than %lld s after the start of the trace",
	    p->table->name, (long long)(p->table->longest_ns / 1000000000));
}

int
tp_rows_next_run(struct tp_rows *rows, struct tp_row *row, struct tp_err *err)
{
	struct tp_queued *r;
	struct tp_queue *q;
	size_t good;

	while (rows->queue.next == rows->queue.run_count) {
		if (rows->done)
			return 0;
		if (refill(rows, err) < 0)
			return -1;
	}
	q = &rows->queue;
	r = &q->runs[q->next++];
	if (r->damage) {
		*err = q->errs[r->damage - 1];
		if (r->plan && r->plan->source >= 0)
			rows->trace->sources[r->plan->source].skipped++;
		return -1;
	}
	*row = (struct tp_row){ .table = r->plan->table,
	    .bind = r->plan->bind, .slots = r->plan->slots,
	    .v = q->values + r->at, .more = r->count - 1,
	    .count = r->plan->count, .line = r->line, .src = r->src,
	    .source = r->plan->source };
	find_owners(rows, r->plan, q->values + r->at, r->count);
	good = date(rows, r->plan, row);
	if (good == r->count)
		return 1;
	/* the rest, or what follows the first, are a run of their own */
	row->more = good ? good - 1 : 0;
	r->at += (row->more + 1) * r->plan->count;
	r->count -= row->more + 1;
	r->line += row->more + 1;
	q->next -= r->count > 0;
	return good ? 1 : far_row(rows, r->plan, row, err);
}

int
tp_rows_next(struct tp_rows *rows, struct tp_row *row, struct tp_err *err)
{
	int rc = tp_row_step(&rows->row) ? 1 :
	    tp_rows_next_run(rows, &rows->row, err);

	if (rc > 0) {
		*row = rows->row;
		row->more = 0;
	}
	return rc;
}

void
tp_rows_on_pass(struct tp_rows *rows,
    void (*pass)(void *arg, const char *src, const char *line, size_t len),
    void *arg)
{
	rows->pass = pass;
	rows->pass_arg = arg;
}

void
tp_rows_on_other(struct tp_rows *rows,
    int (*other)(void *arg, const struct tp_rec *rec, struct tp_err *err),
    void *arg)
{
	rows->other = other;
	rows->other_arg = arg;
}

void
tp_rows_only_library(struct tp_rows *rows)
{
	rows->only_library = 1;
}

void
tp_rows_jobs(struct tp_rows *rows, size_t jobs)
{
	rows->jobs = jobs;
}

void
tp_rows_close(struct tp_rows *rows)
{
	struct tp_plan *p;

	if (!rows)
		return;
	if (rows->close)
		rows->close(rows);
	while ((p = rows->plan)) {
		rows->plan = p->next;
		tp_free(p->slots);
		tp_free(p);
	}
	tp_queue_release(&rows->queue);
	tp_free(rows);
}
