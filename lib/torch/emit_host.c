/* emit_host - what the threads of the host did, as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/order.h>

#include "emit_private.h"

static const char *
range_or_call(uint8_t cat)
{
	return cat == TP_TORCH_ANNOTATION ? "range" :
	    cat == TP_TORCH_RUNTIME ? "call" : "operator";
}

/* The name of a row; steps are one, as "ProfilerStep*". */
static void
out_name(const struct tp_torch_out *o, const struct tp_torch_host_row *row)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_buf name = { 0 };

	if (!t->traits[row->name].is_step) {
		tp_torch_out_name(o, "op", row->name);
		return;
	}
	tp_buf_add(&name, t->ops->step, strlen(t->ops->step) - 1);
	tp_buf_chr(&name, '*');
	tp_out_bytes(o->out, "op", name.p, name.len);
	tp_buf_release(&name);
}

static void
out_row(const struct tp_torch_out *o, const struct tp_torch_host_row *row,
    size_t rank)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_host *h = &o->file->host;

	tp_out_int(o->out, "rank", (int64_t)rank);
	out_name(o, row);
	tp_out_text(o->out, "role", range_or_call(row->cat));
	if (row->part >= 0)
		tp_out_text(o->out, "category",
		    h->parts.names[row->part].text);
	tp_torch_out_text(o, "input_dims", row->dims);
	tp_out_int(o->out, "count", (int64_t)row->count);
	if (row->cat == TP_TORCH_OP && t->cat_count[TP_TORCH_RUNTIME])
		tp_out_int(o->out, "runtime_call_count", (int64_t)row->calls);
	tp_out_ps(o->out, "host_self_sum_ns", row->own_ps);
	tp_out_ratio(o->out, "host_self_ratio", row->own_ps, h->own_ps);
	tp_out_ps(o->out, "host_sum_ns", row->sum_ps);
	tp_out_int(o->out, "host_mean_ps", tp_div_even(row->sum_ps,
	    (int64_t)row->count));
	tp_out_ps(o->out, "host_self_max_ns", row->max_ps);
	if (row->count > 1) {
		tp_out_ps(o->out, "host_self_p50_ns", row->median_ps);
		tp_out_ps(o->out, "host_self_first_ns", row->first_ps);
	}
	if (h->has_memory) {
		tp_out_int(o->out, "host_self_bytes", row->own_bytes);
		tp_out_int(o->out, "host_bytes", row->bytes);
	}
	if (row->function != TP_TORCH_NO)
		tp_out_bytes(o->out, "python_function",
		    t->function_names.names[row->function].text,
		    t->function_names.names[row->function].len);
}

static void
emit_table(const struct tp_torch_out *o, const char *kind,
    const struct tp_torch_host_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		tp_torch_out_begin(o, kind);
		out_row(o, &table->rows[i], i + 1);
		tp_out_end(o->out);
	}
}

static void
out_thread(const struct tp_torch_out *o, uint32_t lane)
{
	const struct tp_torch_lane *l = &o->file->torch.lanes[lane];

	if (!l->pid_text || !l->process)
		tp_torch_out_pid(o, lane);
	tp_out_int(o->out, "tid", l->tid);
	tp_torch_out_lane(o, lane);
}

static void
emit_threads(const struct tp_torch_out *o)
{
	const struct tp_torch_host *h = &o->file->host;

	for (size_t i = 0; i < h->thread_count; i++) {
		const struct tp_torch_host_thread *y = &h->threads[i];

		tp_torch_out_begin(o, "host.thread");
		tp_out_int(o->out, "rank", (int64_t)i + 1);
		out_thread(o, y->lane);
		if (y->lane == h->main)
			tp_out_text(o->out, "role", "main");
		tp_out_int(o->out, "op_call_count", (int64_t)y->op_count);
		tp_out_int(o->out, "runtime_call_count",
		    (int64_t)y->call_count);
		tp_out_int(o->out, "range_count", (int64_t)y->range_count);
		tp_out_int(o->out, "python_function_count",
		    (int64_t)y->function_count);
		tp_out_ps(o->out, "first_ns", y->first_ps);
		tp_out_ps(o->out, "last_ns", y->last_ps);
		tp_out_ps(o->out, "span_ns", y->last_ps - y->first_ps);
		tp_out_ps(o->out, "busy_ns", y->busy_ps);
		tp_out_ratio(o->out, "busy_of_span_ratio", y->busy_ps,
		    y->last_ps - y->first_ps);
		if (y->range_count)
			tp_out_ps(o->out, "range_ns", y->range_ps);
		tp_out_end(o->out);
	}
}

struct part {
	const struct tp_name *name;
	int64_t ps;
};

TP_ORDER(by_time, struct part, TP_DOWN(ps)
    TP_BY(tp_name_cmp(a->name, b->name)))

static void
emit_window(const struct tp_torch_out *o)
{
	const struct tp_torch_host *h = &o->file->host;
	struct part *parts = tp_alloc((h->parts.count + 1) * sizeof *parts);

	tp_torch_out_begin(o, "host.window");
	tp_out_text(o->out, "scope", h->by_steps ? "steps" : "span");
	out_thread(o, h->main);
	tp_out_ps(o->out, "start_ns", h->from_ps);
	tp_out_ps(o->out, "end_ns", h->to_ps);
	tp_out_ps(o->out, "wall_ns", h->to_ps - h->from_ps);
	tp_out_int(o->out, "op_call_count", (int64_t)h->op_count);
	tp_out_ps(o->out, "short_limit_ns", h->short_limit_ps);
	tp_out_int(o->out, "short_count", (int64_t)h->short_count);
	tp_out_ps(o->out, "short_sum_ns", h->short_ps);
	tp_out_ratio(o->out, "short_wall_ratio", h->short_ps,
	    h->to_ps - h->from_ps);
	tp_out_ps(o->out, "host_self_sum_ns", h->own_ps);
	tp_out_end(o->out);
	for (size_t i = 0; i < h->parts.count; i++)
		parts[i] = (struct part){ &h->parts.names[i],
		    h->part_ps[i] };
	TP_SORT(parts, h->parts.count, by_time);
	for (size_t i = 0; i < h->parts.count && parts[i].ps; i++) {
		tp_torch_out_begin(o, "host.part");
		tp_out_int(o->out, "rank", (int64_t)i + 1);
		tp_out_bytes(o->out, "part", parts[i].name->text,
		    parts[i].name->len);
		tp_out_ps(o->out, "time_ns", parts[i].ps);
		tp_out_ratio(o->out, "wall_ratio", parts[i].ps,
		    h->to_ps - h->from_ps);
		tp_out_end(o->out);
	}
	tp_free(parts);
}

void
tp_torch_emit_host(const struct tp_torch_out *o, unsigned groups)
{
	const struct tp_torch_host *h = &o->file->host;

	if (groups & TP_TORCH_EMIT_TIME && h->main != TP_TORCH_NO)
		emit_window(o);
	if (groups & TP_TORCH_EMIT_TIME)
		emit_threads(o);
	if (groups & TP_TORCH_EMIT_OPS) {
		emit_table(o, "host.op", &h->by_name);
		emit_table(o, "host.op_shapes", &h->by_shapes);
	}
}
