/* budget - what a run on Metal had on the GPU, for its budget */
#include <tp/alloc.h>
#include <tp/metal/budget.h>
#include <tp/order.h>

#include "metal/run.h"

struct maker {
	const struct tp_cmdbuf *cb;
	ptrdiff_t proc;
	const struct tp_window *window;
	struct tp_metal_run run;
	uint32_t *buffer_of;	/* by buffer of CB: 1 + that of the run */
};

static uint32_t
buffer_of(struct maker *m, uint32_t at)
{
	const struct tp_buffer *b = &m->cb->buffers[at];
	struct tp_metal_run *run = &m->run;

	if (m->buffer_of[at])
		return m->buffer_of[at] - 1;
	TP_APPEND(run->buffers, run->buffer_count, run->buffer_cap,
	    (struct tp_metal_buffer){
	    .commit_ns = b->anonymous || !b->commit_source ?
	    TP_METAL_UNKNOWN : b->commit_ns,
	    .done_ns = b->done ? b->done_ns : TP_METAL_UNKNOWN,
	    .encode_ns = b->encode_ns, .tid = b->tid });
	if (b->tid >= 0)
		tp_ids_add(&run->tids, (uint64_t)b->tid, 0);
	m->buffer_of[at] = (uint32_t)run->buffer_count;
	return m->buffer_of[at] - 1;
}

/* Add the rows, those of other processes as far as they are apart. */
static void
add_rows(struct maker *m)
{
	struct tp_metal_run *run = &m->run;
	ptrdiff_t other = -1;

	for (size_t i = 0; i < m->cb->row_count; i++) {
		const struct tp_buffer_row *r = &m->cb->rows[i];
		int is_other = m->cb->buffers[r->buffer].proc != m->proc;

		if (r->from_ns < m->window->from_ns ||
		    r->from_ns >= m->window->to_ns)
			continue;
		if (is_other && other >= 0 && r->from_ns <=
		    run->rows[other].to_ns) {
			TP_MOST(run->rows[other].to_ns, r->to_ns);
			continue;
		}
		if (is_other)
			other = (ptrdiff_t)run->row_count;
		TP_APPEND(run->rows, run->row_count, run->row_cap,
		    (struct tp_metal_row){ r->from_ns, r->to_ns, is_other ?
		    TP_NIL : buffer_of(m, r->buffer) });
	}
}

/* Add the whole of the work, the steady steps, and the segments. */
static void
add_views(struct tp_metal_run *run, const struct tp_window *steady,
    const struct tp_segments *segments)
{
	struct tp_metal_view all = { .scope = "span", .from_ns = INT64_MAX,
	    .to_ns = INT64_MIN };
	struct tp_metal_view steps = { .scope = "steps",
	    .from_ns = steady->from_ns, .to_ns = steady->to_ns };

	for (size_t i = 0; i < run->row_count; i++)
		if (run->rows[i].buffer != TP_NIL) {
			TP_LEAST(all.from_ns, run->rows[i].from_ns);
			TP_MOST(all.to_ns, run->rows[i].to_ns);
		}
	if (all.to_ns <= all.from_ns)
		return;
	/* the steps are judged if they cover most of the time */
	steps.is_main = steps.to_ns > steps.from_ns && steps.to_ns -
	    steps.from_ns >= (all.to_ns - all.from_ns) / 2;
	all.is_main = !steps.is_main;
	TP_APPEND(run->views, run->view_count, run->view_cap, all);
	if (steps.to_ns > steps.from_ns)
		TP_APPEND(run->views, run->view_count, run->view_cap, steps);
	for (size_t i = 0; i < segments->count; i++)
		TP_APPEND(run->views, run->view_count, run->view_cap,
		    (struct tp_metal_view){ .scope = "segment",
		    .segment = (int64_t)i + 1,
		    .from_ns = segments->list[i].from_ns,
		    .to_ns = segments->list[i].to_ns });
}

static void
out_known_ns(struct tp_out *out, const char *key, int64_t ns)
{
	if (ns != TP_METAL_UNKNOWN && ns != INT64_MAX)
		tp_out_int(out, key, ns);
}

/* Write what another filter needs to make RUN again. */
static void
hand_on(struct maker *m, struct tp_out *out)
{
	const struct tp_metal_run *run = &m->run;
	uint8_t *told = tp_zalloc(run->buffer_count + 1);

	for (size_t i = 0; i < run->view_count; i++) {
		const struct tp_metal_view *v = &run->views[i];

		tp_out_begin(out, "budget.gpu");
		tp_out_text(out, "scope", v->scope);
		if (v->segment)
			tp_out_int(out, "segment", v->segment);
		if (v->is_main)
			tp_out_text(out, "role", "main");
		tp_out_target(out, &m->cb->procs, m->proc, NULL);
		tp_out_int(out, "start_ns", v->from_ns);
		tp_out_int(out, "end_ns", v->to_ns);
		tp_out_int(out, "late_limit_ns", run->late_ns);
		if (v->is_main && run->pixels)
			tp_out_int(out, "pixel_count", (int64_t)run->pixels);
		tp_out_end(out);
	}
	for (size_t i = 0; i < run->row_count && run->view_count; i++) {
		const struct tp_metal_row *r = &run->rows[i];

		tp_out_begin(out, "budget.work");
		tp_out_int(out, "start_ns", r->from_ns);
		tp_out_int(out, "end_ns", r->to_ns);
		if (r->buffer != TP_NIL) {
			const struct tp_metal_buffer *b =
			    &run->buffers[r->buffer];

			tp_out_int(out, "index", (int64_t)r->buffer + 1);
			if (!told[r->buffer]) {
				out_known_ns(out, "commit_ns", b->commit_ns);
				out_known_ns(out, "completed_ns", b->done_ns);
				out_known_ns(out, "encode_start_ns",
				    b->encode_ns);
				tp_out_known(out, "tid", b->tid);
			}
			told[r->buffer] = 1;
		}
		tp_out_end(out);
	}
	tp_free(told);
}

int
tp_metal_budget(const struct tp_cmdbuf *cb, ptrdiff_t proc,
    const struct tp_window *window, const struct tp_window *steady,
    const struct tp_segments *segments, int64_t late_ns,
    size_t pixels, int hand, struct tp_out *out, struct tp_err *err)
{
	struct maker m = { .cb = cb, .proc = proc, .window = window,
	    .run = { .pid = tp_procs_pid(&cb->procs, proc),
	    .late_ns = late_ns, .pixels = pixels } };
	int rc = 0;

	m.buffer_of = tp_zalloc((cb->ids.count + 1) * sizeof *m.buffer_of);
	add_rows(&m);
	add_views(&m.run, steady, segments);
	if (hand)
		hand_on(&m, out);
	else if (m.run.view_count)
		rc = tp_metal_run_emit(&m.run, out, err);
	tp_free(m.buffer_of);
	tp_metal_run_release(&m.run);
	return rc;
}
