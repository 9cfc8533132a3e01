/* cmdbuf - command buffers from commit to completion, joined by id */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/cmdbuf.h>
#include <tp/order.h>
#include <tp/text.h>

#define NO_BUFFER UINT64_MAX

/* Sources of commit times, best last. */
enum { COMMIT_ENCODER = 1, COMMIT_LATENCY, COMMIT_FRAME, COMMIT_SUBMISSION };

/* Index of the buffer of an id and a process, added when new. */
static ptrdiff_t
find_buffer(struct tp_cmdbuf *cb, uint64_t id, ptrdiff_t proc)
{
	size_t known = cb->ids.count;
	int shared = !id || id == NO_BUFFER;
	struct tp_buffer *b;
	ptrdiff_t i;

	i = tp_ids_add(&cb->ids, id, shared ? (uint64_t)proc + 1 : 0);
	TP_ITEM(cb->buffers, cb->buffer_cap, i);
	b = &cb->buffers[i];
	if (cb->ids.count > known) {
		b->id = id;
		b->proc = b->tid = -1;
		b->encode_ns = INT64_MAX;
		b->anonymous = id == NO_BUFFER;
	}
	if (b->proc < 0)
		b->proc = proc;
	return i;
}

/* Index of the buffer in value AT of ROW; -1: none. */
static ptrdiff_t
buffer_of(struct tp_cmdbuf *cb, const struct tp_row *row, size_t at,
    ptrdiff_t proc)
{
	const struct tp_value *v = &row->v[at];

	if (v->type == TP_NONE || v->id == NO_BUFFER)
		return -1;
	return find_buffer(cb, v->id, proc);
}

static void
committed(struct tp_buffer *b, int source, int64_t ns)
{
	if (b->commit_source > source || (b->commit_source == source &&
	    b->commit_ns >= ns))
		return;
	b->commit_source = (unsigned char)source;
	b->commit_ns = ns;
}

static int
gpu_row(struct tp_cmdbuf *cb, const struct tp_row *row, struct tp_err *err)
{
	static const struct tp_window all = { INT64_MIN, INT64_MAX };
	const struct tp_value *latency = &row->v[TP_GPU_LATENCY];
	const struct tp_value *state = &row->v[TP_GPU_STATE];
	struct tp_buffer *b;
	struct tp_buffer_row *r;
	int64_t from, to;
	ptrdiff_t i, proc;
	int rc;

	if (state->type != TP_NONE &&
	    !tp_is(state->text, state->len, "Active"))
		return 0;
	rc = tp_row_interval(row, TP_GPU_START, TP_GPU_DURATION, &all, &from,
	    &to, err);
	if (rc <= 0)
		return rc;
	proc = tp_row_process(&cb->procs, row, TP_GPU_PROCESS);
	i = buffer_of(cb, row, TP_GPU_CMDBUF, proc);
	if (i < 0)
		i = find_buffer(cb, NO_BUFFER, proc);
	tp_grow(&cb->rows, &cb->row_cap, cb->row_count + 1, sizeof *r);
	b = &cb->buffers[i];
	/* the latency refers to the buffer's first interval */
	if (latency->type != TP_NONE && (!b->rows || from < b->from_ns) &&
	    b->commit_source <= COMMIT_LATENCY) {
		b->commit_source = 0;
		committed(b, COMMIT_LATENCY, from - latency->n);
	}
	if (!b->rows || from < b->from_ns)
		b->from_ns = from;
	if (!b->rows || to > b->to_ns)
		b->to_ns = to;
	b->rows++;
	r = &cb->rows[cb->row_count++];
	r->from_ns = from;
	r->to_ns = to;
	r->buffer = (uint32_t)i;
	r->label = cb->row_label;
	return 0;
}

/* Take a row with a commit time: submission, frame assignment or encoder. */
static int
commit_row(struct tp_cmdbuf *cb, const struct tp_row *row, int source,
    struct tp_err *err)
{
	static const struct { size_t id, proc, start, length; } at[] = {
		[COMMIT_ENCODER] = { TP_ENCODER_CMDBUF, TP_ENCODER_PROCESS,
		    TP_ENCODER_START, TP_ENCODER_DURATION },
		[COMMIT_FRAME] = { TP_FRAME_CMDBUF, TP_FRAME_PROCESS,
		    TP_FRAME_COMMIT, TP_FRAME_COMMIT },
		[COMMIT_SUBMISSION] = { TP_SUBMIT_CMDBUF, TP_SUBMIT_PROCESS,
		    TP_SUBMIT_START, TP_SUBMIT_DURATION },
	};
	static const struct tp_window all = { INT64_MIN, INT64_MAX };
	int64_t from, to;
	ptrdiff_t i, proc;

	if (source == COMMIT_FRAME) {
		if (row->v[TP_FRAME_COMMIT].type == TP_NONE)
			return 0;
		from = to = row->v[TP_FRAME_COMMIT].n;
	} else if (tp_row_interval(row, at[source].start, at[source].length,
	    &all, &from, &to, err) < 0) {
		return -1;
	}
	proc = tp_row_process(&cb->procs, row, at[source].proc);
	if (source == COMMIT_ENCODER)
		TP_APPEND(cb->encoders, cb->encoder_count, cb->encoder_cap,
		    (struct tp_encoder){ from, to, proc });
	i = buffer_of(cb, row, at[source].id, proc);
	if (i < 0)
		return 0;
	if (source == COMMIT_SUBMISSION) {
		cb->submissions++;
		cb->buffers[i].submitted = 1;
		if (row->v[TP_SUBMIT_THREAD].type != TP_NONE)
			cb->buffers[i].tid = row->v[TP_SUBMIT_THREAD].n;
	}
	if (source == COMMIT_ENCODER)
		TP_LEAST(cb->buffers[i].encode_ns, from);
	committed(&cb->buffers[i], source, to);
	return 0;
}

static int
done_row(struct tp_cmdbuf *cb, const struct tp_row *row, struct tp_err *err)
{
	const struct tp_value *t = &row->v[TP_DONE_TIME];
	struct tp_buffer *b;
	ptrdiff_t i;

	if (t->type == TP_NONE) {
		tp_fail(err, TP_BAD, "row.damaged", row->line,
		    "no timestamp");
		err->what = "timestamp";
		return -1;
	}
	i = buffer_of(cb, row, TP_DONE_CMDBUF, -1);
	if (i < 0)
		return 0;
	b = &cb->buffers[i];
	cb->completions++;
	if (!b->done || t->n > b->done_ns)
		b->done_ns = t->n;
	b->done = 1;
	return 0;
}

int
tp_cmdbuf_add(struct tp_cmdbuf *cb, const struct tp_row *row,
    struct tp_err *err)
{
	const char *table = row->bind->table;

	if (!strcmp(table, TP_TABLE_GPU))
		return gpu_row(cb, row, err);
	if (!strcmp(table, TP_TABLE_DONE))
		return done_row(cb, row, err);
	if (!strcmp(table, TP_TABLE_SUBMIT))
		return commit_row(cb, row, COMMIT_SUBMISSION, err);
	if (!strcmp(table, TP_TABLE_FRAME))
		return commit_row(cb, row, COMMIT_FRAME, err);
	if (!strcmp(table, TP_TABLE_ENCODER))
		return commit_row(cb, row, COMMIT_ENCODER, err);
	/* to-GPU: has no times, but shows that the buffer exists */
	buffer_of(cb, row, TP_TOGPU_CMDBUF, -1);
	return 0;
}
