/* cmdbuf_emit - the records of the command-buffer analysis */
#include <tp/alloc.h>
#include <tp/metal/cmdbuf.h>
#include <tp/order.h>

#include "pace.h"

static const char *const commit_names[] = { NULL, "encoder", "start-latency",
    "frame-assignment", "submission" };

/* Counts over the buffers of one scope. */
struct tally {
	const char *scope;
	const struct tp_cmdbuf *cb;
	ptrdiff_t proc;			/* -1: all */
	const struct tp_window *window;
	uint64_t ran, rows, submitted, done, done_only, undone, unrun;
	uint64_t negative_done, negative_commit;
	int best_commit;
	struct tp_stat wall, busy, to_start, to_done, hand_over;
	struct tp_stat encode;
	struct tp_pace pace;
	int64_t *busy_ns;		/* by buffer */
	int64_t idle_ns, serialized_ns;
	int64_t first_ns, last_ns;
};

static int
in_window(const struct tally *t, int64_t ns)
{
	return ns >= t->window->from_ns && ns < t->window->to_ns;
}

static int
is_in(const struct tally *t, const struct tp_buffer *b)
{
	if (t->proc >= 0 && b->proc != t->proc)
		return 0;
	return in_window(t, b->rows ? b->from_ns : b->commit_source ?
	    b->commit_ns : b->done_ns);
}

static void
count_buffer(struct tally *t, const struct tp_buffer *b)
{
	int64_t wait = 0, tell = 0;

	if (b->anonymous)
		return;
	t->submitted += b->submitted;
	t->done += b->done;
	if (!b->rows) {
		t->done_only += b->done;
		t->unrun += b->submitted;
		return;
	}
	if (!t->ran++ || b->from_ns < t->first_ns)
		t->first_ns = b->from_ns;
	TP_MOST(t->last_ns, b->to_ns);
	t->rows += b->rows;
	t->undone += !b->done;
	tp_stat_add(&t->wall, b->to_ns - b->from_ns);
	if (b->commit_source) {
		wait = b->from_ns - b->commit_ns;
		t->negative_commit += wait < 0;
		tp_stat_add(&t->to_start, wait);
		TP_MOST(t->best_commit, b->commit_source);
	}
	if (b->done) {
		tell = b->done_ns - b->to_ns;
		t->negative_done += tell < 0;
		tp_stat_add(&t->to_done, tell);
	}
	if (b->commit_source && b->done)
		tp_stat_add(&t->hand_over, wait + tell);
}

TP_ORDER(by_buffer, struct tp_buffer_row, TP_UP(buffer) TP_UP(from_ns))

TP_ORDER(by_start, struct tp_buffer_row, TP_UP(from_ns) TP_UP(to_ns)
    TP_UP(buffer))

/*
 * Compute the GPU busy time of every buffer, the union of its rows; sorts by
 * buffer.
 */
static void
busy_times(struct tally *t, const struct tp_buffer_row *rows, size_t count)
{
	int64_t busy = 0, end = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct tp_buffer_row *r = &rows[i];
		int first = !i || rows[i - 1].buffer != r->buffer;

		if (first) {
			busy = 0;
			end = r->from_ns;
		}
		if (r->to_ns > end) {
			busy += r->to_ns - (r->from_ns > end ? r->from_ns :
			    end);
			end = r->to_ns;
		}
		t->busy_ns[r->buffer] = busy;
		if ((i + 1 == count || rows[i + 1].buffer != r->buffer) &&
		    is_in(t, &t->cb->buffers[r->buffer]) &&
		    !t->cb->buffers[r->buffer].anonymous)
			tp_stat_add(&t->busy, busy);
	}
}

/* Idle time between two rows, with their buffers. */
struct gap {
	uint32_t before, after;
	int64_t from, to;
};

/* Iterates over rows in order of start. */
struct gap_walk {
	const struct tally *t;
	size_t at;
	uint32_t last;
	int64_t end;
	int any;
};

static int
next_gap(struct gap_walk *w, struct gap *gap)
{
	const struct tp_cmdbuf *cb = w->t->cb;
	int found = 0;

	while (!found && w->at < cb->row_count) {
		const struct tp_buffer_row *r = &cb->rows[w->at++];

		if (!is_in(w->t, &cb->buffers[r->buffer]))
			continue;
		found = w->any && r->from_ns > w->end;
		if (found)
			*gap = (struct gap){ w->last, r->buffer, w->end,
			    r->from_ns };
		if (!w->any || r->to_ns > w->end) {
			w->end = r->to_ns;
			w->last = r->buffer;
		}
		w->any = 1;
	}
	return found;
}

/* Sum the gaps between rows sorted by start. */
static void
count_gaps(struct tally *t)
{
	struct gap_walk walk = { .t = t };
	struct gap gap;

	while (next_gap(&walk, &gap)) {
		const struct tp_buffer *b = &t->cb->buffers[gap.after];

		t->idle_ns += gap.to - gap.from;
		if (gap.before != gap.after && b->commit_source &&
		    b->commit_ns >= gap.from)
			t->serialized_ns += gap.to - gap.from;
	}
}

/* Walk the buffers in order of their start on the GPU. */
static void
walk_buffers(struct tally *t)
{
	const struct tp_cmdbuf *cb = t->cb;
	struct tp_buffer_row *order;
	size_t n = 0, i;

	order = tp_alloc((cb->ids.count + 1) * sizeof *order);
	for (i = 0; i < cb->ids.count; i++) {
		const struct tp_buffer *b = &cb->buffers[i];

		if (!b->rows || b->anonymous || !is_in(t, b))
			continue;
		order[n].from_ns = b->from_ns;
		order[n].to_ns = b->to_ns;
		order[n++].buffer = (uint32_t)i;
	}
	TP_SORT(order, n, by_start);
	tp_pace_walk(&t->pace, cb, order, n, t->busy_ns);
	tp_free(order);
}

static void
count_encoders(struct tally *t)
{
	const struct tp_cmdbuf *cb = t->cb;

	for (size_t i = 0; i < cb->encoder_count; i++) {
		const struct tp_encoder *e = &cb->encoders[i];

		if ((t->proc < 0 || e->proc == t->proc) &&
		    in_window(t, e->from_ns))
			tp_stat_add(&t->encode, e->to_ns - e->from_ns);
	}
}

static void
summary(struct tally *t, const char *how, struct tp_out *out)
{
	const struct tp_cmdbuf *cb = t->cb;

	tp_out_begin(out, "cmdbuf.summary");
	tp_out_text(out, "scope", t->scope);
	tp_out_target(out, &cb->procs, t->proc, how);
	/* without GPU rows it is unknown what ran */
	if (cb->row_count) {
		tp_out_int(out, "count", (int64_t)t->ran);
		tp_out_int(out, "rows", (int64_t)t->rows);
	}
	if (cb->submissions)
		tp_out_int(out, "submitted_count", (int64_t)t->submitted);
	if (cb->submissions && cb->row_count)
		tp_out_int(out, "submitted_without_gpu_count",
		    (int64_t)t->unrun);
	if (cb->completions)
		tp_out_int(out, "completed_count", (int64_t)t->done);
	if (cb->completions && cb->row_count) {
		tp_out_int(out, "completed_without_gpu_count",
		    (int64_t)t->done_only);
		tp_out_int(out, "gpu_without_completion_count",
		    (int64_t)t->undone);
		tp_out_int(out, "negative_completion_count",
		    (int64_t)t->negative_done);
	}
	tp_stat_emit(&t->wall, out, "duration", "mean p50 p95 max", "_ns");
	tp_stat_emit(&t->busy, out, "busy", "sum p50", "_ns");
	tp_pace_emit(&t->pace, out);
	if (t->ran)
		tp_out_ratio(out, "intervals_per_buffer_mean",
		    (int64_t)t->rows, (int64_t)t->ran);
	if (t->last_ns > t->first_ns)
		tp_out_real(out, "buffers_per_s", (double)t->ran * 1e9 /
		    (double)(t->last_ns - t->first_ns));
	if (t->best_commit) {
		tp_out_text(out, "commit_source",
		    commit_names[t->best_commit]);
		tp_out_int(out, "negative_commit_count",
		    (int64_t)t->negative_commit);
	}
	tp_stat_emit(&t->to_start, out, "commit_to_start", "p50 p95 max",
	    "_ns");
	tp_stat_emit(&t->to_done, out, "end_to_completion", "p50 p95 max",
	    "_ns");
	tp_stat_emit(&t->hand_over, out, "hand_over", "p50", "_ns");
	if (t->encode.count)
		tp_out_int(out, "encoder_count", (int64_t)t->encode.count);
	tp_stat_emit(&t->encode, out, "encode", "sum p50 max", "_ns");
	if (t->ran)
		tp_out_int(out, "idle_ns", t->idle_ns);
	if (t->best_commit) {
		tp_out_int(out, "serialization_count",
		    (int64_t)t->pace.serialized);
		tp_out_int(out, "serialized_idle_ns", t->serialized_ns);
		tp_out_ratio(out, "serialized_idle_ratio", t->serialized_ns,
		    t->idle_ns);
	}
	tp_out_end(out);
}

static void
scope_emit(struct tally *t, const char *how, struct tp_out *out)
{
	const struct tp_cmdbuf *cb = t->cb;
	size_t i;

	t->busy_ns = tp_zalloc((cb->ids.count + 1) * sizeof *t->busy_ns);
	for (i = 0; i < cb->ids.count; i++)
		if (is_in(t, &cb->buffers[i]))
			count_buffer(t, &cb->buffers[i]);
	TP_SORT(cb->rows, cb->row_count, by_buffer);
	busy_times(t, cb->rows, cb->row_count);
	TP_SORT(cb->rows, cb->row_count, by_start);
	count_gaps(t);
	walk_buffers(t);
	count_encoders(t);
	if (t->ran || t->done || t->submitted)
		summary(t, how, out);
	tp_stat_release(&t->wall);
	tp_stat_release(&t->busy);
	tp_pace_release(&t->pace);
	tp_free(t->busy_ns);
	tp_stat_release(&t->to_start);
	tp_stat_release(&t->to_done);
	tp_stat_release(&t->hand_over);
	tp_stat_release(&t->encode);
}

void
tp_cmdbuf_emit(struct tp_cmdbuf *cb, const struct tp_gpu *gpu,
    ptrdiff_t target, const char *how, const struct tp_window *window,
    struct tp_out *out)
{
	struct tally t = { .scope = "all", .cb = cb, .proc = -1,
	    .window = window };

	scope_emit(&t, NULL, out);
	if (target < 0)
		return;
	t = (struct tally){ .scope = "target", .cb = cb, .window = window };
	/* index of the same process here */
	t.proc = tp_procs_same(&gpu->procs, target, &cb->procs);
	scope_emit(&t, how, out);
}
