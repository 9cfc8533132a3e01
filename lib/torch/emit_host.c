/* emit_host - what the threads of the host did, as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>

#include "emit_torch.h"
#include "graft.h"

static const char *
range_or_call(uint8_t cat)
{
	return cat == TP_TORCH_ANNOTATION ? "range" :
	    cat == TP_TORCH_RUNTIME ? "call" : "operator";
}

/* The names of the rows of TABLE; steps are one, as STEPS. */
static struct tp_name *
names_of(const struct tp_torch *t, const struct tp_torch_host_table *table,
    const struct tp_buf *steps)
{
	struct tp_name *list = tp_alloc((table->count + 1) * sizeof *list);

	for (size_t i = 0; i < table->count; i++)
		list[i] = t->traits[table->list[i].name].is_step ?
		    (struct tp_name){ .text = steps->p, .len = steps->len } :
		    t->names.names[table->list[i].name];
	return list;
}

static void
emit_table(const struct tp_torch_out *o, const char *kind,
    const struct tp_torch_host_table *table)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_host *h = &o->file->host;
	const struct tp_torch_host_group *list = table->list;
	struct tp_tab tab = { .count = table->count, .process_rank = o->rank };
	const char *roles[TP_TORCH_CATS];
	struct tp_buf steps = { 0 };
	struct tp_name *names;

	for (uint8_t i = 0; i < TP_TORCH_CATS; i++)
		roles[i] = range_or_call(i);
	tp_buf_add(&steps, t->ops->step, strlen(t->ops->step) - 1);
	tp_buf_chr(&steps, '*');
	names = names_of(t, table, &steps);
	TP_TAB_ARRAY(&tab, NULL, "op", TP_TAB_STRING, names);
	TP_TAB_WORDS(&tab, NULL, "role", list, cat, roles);
	TP_TAB_NAMES(&tab, NULL, "category", list, part, &h->parts, -1);
	TP_TAB_NAMES(&tab, NULL, "input_dims", list, dims, &t->texts, 0);
	TP_TAB_NAMES(&tab, NULL, "python_function", list, function,
	    &t->function_names, TP_TORCH_NO);
	TP_TAB_FIELD(&tab, NULL, "count", TP_TAB_INT, list, count);
	TP_TAB_FIELD(&tab, NULL, "calls", TP_TAB_INT, list, calls);
	TP_TAB_FIELD(&tab, NULL, "own", TP_TAB_PS, list, own_ps);
	TP_TAB_FIELD(&tab, NULL, "time", TP_TAB_PS, list, sum_ps);
	TP_TAB_FIELD(&tab, NULL, "mean", TP_TAB_PS, list, mean_ps);
	TP_TAB_FIELD(&tab, NULL, "max", TP_TAB_PS, list, max_ps);
	TP_TAB_FIELD(&tab, NULL, "p50", TP_TAB_PS, list, median_ps);
	TP_TAB_FIELD(&tab, NULL, "first", TP_TAB_PS, list, first_ps);
	if (h->has_memory) {
		TP_TAB_FIELD(&tab, NULL, "host_self_bytes", TP_TAB_INT, list,
		    own_bytes);
		TP_TAB_FIELD(&tab, NULL, "host_bytes", TP_TAB_INT, list, bytes);
	}
	tp_tab_emit(&tab, kind, NULL, o->out);
	tp_free(names);
	tp_buf_release(&steps);
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

static void
emit_window(const struct tp_torch_out *o)
{
	const struct tp_torch_host *h = &o->file->host;
	struct tp_tab tab = { .count = h->parts.count,
	    .process_rank = o->rank };

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
	TP_TAB_ARRAY(&tab, NULL, "part", TP_TAB_STRING, h->parts.names);
	TP_TAB_ARRAY(&tab, NULL, "time", TP_TAB_PS, h->part_ps);
	tp_tab_total(&tab, "wall", h->to_ps - h->from_ps);
	tp_tab_emit(&tab, "host.part", "time", o->out);
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

void
tp_torch_emit_calls(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	struct calls {
		uint32_t name;
		uint64_t count;
		int64_t ps;
	} *list = tp_zalloc((t->names.count + 1) * sizeof *list);
	struct tp_tab tab = { .count = t->names.count,
	    .process_rank = o->rank };

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (e->cat != TP_TORCH_OP || tp_torch_is_added(e))
			continue;
		list[e->name].name = e->name;
		list[e->name].count += tp_torch_event_name(t, e)->len > 0;
		list[e->name].ps += tp_torch_took(e);
	}
	TP_TAB_NAMES(&tab, NULL, "op", list, name, &t->names, TP_TAB_ABSENT);
	TP_TAB_FIELD(&tab, NULL, "calls", TP_TAB_INT, list, count);
	TP_TAB_FIELD(&tab, NULL, "time", TP_TAB_PS, list, ps);
	tp_tab_emit(&tab, "op.calls", "calls", o->out);
	tp_free(list);
}
