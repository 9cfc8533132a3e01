/* emit_memory - memory held by the allocators of a PyTorch trace, as records */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>

#include "emit_torch.h"

/* Most rows of live memory. */
#define LIVE_MAX 10
/*
 * So many devices have all that a record can say of them.  More share the
 * columns of their pictures, but for LEVELS_MIN each, and have records of
 * those steps alone in which they have events.
 */
enum { DEVICES_FULL = 16, LEVELS_MIN = 4 };

/* What the passes of a training leave in a trace. */
struct passes {
	struct tp_span *optimizers;	/* by start; an end is the last of
					 * those up to it */
	size_t count, cap;
	int trains;			/* it has backward passes */
};

struct memory {
	const struct tp_torch_out *o;
	const struct tp_torch *t;
	const struct tp_torch_memory **list;	/* of one device, by time */
	size_t count;
	int64_t *levels;		/* allocated after each */
	int is_relative;		/* no totals recorded: levels begin at
					 * 0 */
	size_t peak;
	const struct passes *passes;
	size_t columns;			/* of its picture; 0: none */
	int has_every_step;
	char id[64];
};

/* By device, time and place in the file. */
TP_ORDER_POINTERS(by_time, struct tp_torch_memory, TP_UP(type) TP_UP(device)
    TP_UP(at_ps) TP_BY(TP_CMP(a, b)))

/* Set the id: "cuda:0" for device memory, "cpu" for host memory. */
static void
name(struct memory *m)
{
	const struct tp_torch_memory *a = m->list[0];
	const cJSON *types = tp_json_get(m->t->ops->doc, "device_types");
	const char *word = cJSON_GetStringValue(cJSON_GetArrayItem(types,
	    a->type));
	char number[32];

	snprintf(number, sizeof number, "type %d", a->type);
	if (a->device < 0)
		snprintf(m->id, sizeof m->id, "%.30s", word ? word : number);
	else
		snprintf(m->id, sizeof m->id, "%.30s:%d",
		    word ? word : number, a->device);
}

/*
 * Whether A is of a mapped file, as DataLoader workers share: its total is 0
 * whatever the host allocator held before (OWN).
 */
static int
is_mapped(const struct tp_torch_memory *a, int64_t own)
{
	return a->device < 0 && !a->allocated && (a->bytes > 0 ||
	    own != -a->bytes);
}

static void
add_levels(struct memory *m)
{
	int64_t own = 0, mapped = 0, level;

	m->is_relative = 1;
	for (size_t i = 0; i < m->count; i++)
		m->is_relative &= m->list[i]->allocated < 0;
	m->peak = 0;
	for (size_t i = 0; i < m->count; i++) {
		const struct tp_torch_memory *a = m->list[i];

		if (a->allocated < 0)
			own = tp_plus(own, a->bytes);
		else if (is_mapped(a, i ? own : -a->bytes))
			mapped = tp_plus(mapped, a->bytes);
		else
			own = a->allocated;
		/* a released one may predate the recording */
		mapped = mapped < 0 ? 0 : mapped;
		level = tp_plus(own, mapped);
		m->levels[i] = level;
		if (level > m->levels[m->peak])
			m->peak = i;
	}
}

/* The level before event I. */
static int64_t
before(const struct memory *m, size_t i)
{
	if (i)
		return m->levels[i - 1];
	return m->is_relative ? 0 : tp_plus(m->levels[0], -m->list[0]->bytes);
}

/* The innermost operator around A, or TP_TORCH_NO. */
static uint32_t
op_at(const struct tp_torch *t, const struct tp_torch_memory *a)
{
	uint32_t next = tp_torch_tree_place(t, 0, a->lane, a->at_ps + 1);
	uint32_t at = next ? t->tree[next - 1] : TP_TORCH_NO;

	if (at != TP_TORCH_NO && t->events[at].lane != a->lane)
		return TP_TORCH_NO;
	while (at != TP_TORCH_NO && (t->events[at].to_ps < a->at_ps ||
	    t->events[at].cat != TP_TORCH_OP ||
	    tp_torch_is_added(&t->events[at])))
		at = t->events[at].parent;
	return at;
}

static void
find_passes(struct passes *p, const struct tp_torch *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (e->cat == TP_TORCH_ANNOTATION &&
		    tp_torch_starts(t, e, t->ops->optimizer))
			TP_APPEND(p->optimizers, p->count, p->cap,
			    (struct tp_span){ e->from_ps, e->to_ps });
		p->trains |= e->cat == TP_TORCH_OP &&
		    tp_torch_starts(t, e, t->ops->backward);
	}
	tp_spans_sort(p->optimizers, p->count);
	for (size_t i = 1; i < p->count; i++)
		TP_MOST(p->optimizers[i].to, p->optimizers[i - 1].to);
}

/*
 * "backward" or "optimizer" if A is inside one; "forward" if the trace has
 * backward passes and an operator is around A; else NULL.
 */
static const char *
pass_of(const struct memory *m, const struct tp_torch_memory *a, uint32_t op)
{
	const struct tp_torch *t = m->t;
	const struct passes *p = m->passes;
	size_t next;

	for (uint32_t at = op; at != TP_TORCH_NO; at = t->events[at].parent)
		if (tp_torch_starts(t, &t->events[at], t->ops->backward))
			return "backward";
	TP_SEEK(next, 0, p->count, middle,
	    p->optimizers[middle].from <= a->at_ps);
	if (next && p->optimizers[next - 1].to >= a->at_ps)
		return "optimizer";
	return p->trains && op != TP_TORCH_NO ? "forward" : NULL;
}

static void
begin_mem_record(const struct memory *m, const char *kind)
{
	tp_torch_out_begin(m->o, kind);
	tp_out_text(m->o->out, "memory_id", m->id);
}

/*
 * Write how often the allocator reserved more although it had enough free
 * memory in pieces, and the most free memory then.
 */
static void
out_fragments(const struct memory *m)
{
	int64_t most = 0, held, free;
	uint64_t count = 0;
	double large;

	if (!tp_json_number(tp_json_get(m->t->ops->doc, "memory_limits"),
	    "large_bytes", &large))
		return;
	for (size_t i = 1; i < m->count; i++) {
		const struct tp_torch_memory *a = m->list[i];

		held = m->list[i - 1]->reserved;
		if (held < 0 || a->reserved <= held ||
		    (double)a->bytes <= large)
			continue;
		free = held - m->levels[i - 1];
		if (free < a->bytes)
			continue;
		count++;
		most = free > most ? free : most;
	}
	tp_out_int(m->o->out, "fragmented_count", (int64_t)count);
	if (count)
		tp_out_int(m->o->out, "fragmented_bytes", most);
}

static void
out_device(const struct memory *m)
{
	const struct tp_torch_memory *a = m->list[m->peak];
	const struct tp_torch_file *f = m->o->file;
	const struct tp_torch_step *step = tp_torch_step_at(&f->times, m->t,
	    a->lane, a->at_ps);
	uint32_t op = op_at(m->t, a);
	int64_t reserved = -1, frees = 0;
	const char *pass = pass_of(m, a, op);
	struct tp_out *out = m->o->out;

	for (size_t i = 0; i < m->count; i++) {
		frees += m->list[i]->bytes < 0;
		TP_MOST(reserved, m->list[i]->reserved);
	}
	begin_mem_record(m, "mem.device");
	tp_out_int(out, "peak_bytes", m->levels[m->peak]);
	if (m->is_relative)
		tp_out_bool(out, "is_relative", 1);
	tp_out_ps(out, "peak_at_ns", a->at_ps);
	if (step && step->number != TP_TORCH_NONE)
		tp_out_int(out, "peak_step", step->number);
	if (op != TP_TORCH_NO)
		tp_torch_out_name(m->o, "peak_op", m->t->events[op].name);
	tp_out_text(out, "peak_pass", pass);
	if (op != TP_TORCH_NO)
		tp_torch_out_module_path(m->o, tp_torch_frame_at(&f->frames,
		    m->t->events[op].order));
	if (reserved > 0) {
		tp_out_int(out, "reserved_peak_bytes", reserved);
		tp_out_known(out, "reserved_at_peak_bytes", a->reserved);
		out_fragments(m);
	}
	tp_out_int(out, "last_bytes", m->levels[m->count - 1]);
	tp_out_int(out, "allocation_count", (int64_t)m->count - frees);
	tp_out_int(out, "free_count", frees);
	tp_out_end(out);
}

/* Blocks by address, and their sums by operator. */
struct blocks {
	struct tp_ids addresses;
	struct block { int64_t bytes; uint32_t event; } *list;
	size_t cap;
	struct tp_ids ops;		/* name + 1; 0: no operator */
	struct sum {
		int64_t bytes;
		uint64_t count;
		struct tp_name op;	/* empty: no operator */
	} *sums;
	size_t sum_cap;
};

/* Replay the events up to and including LAST. */
static void
replay(struct blocks *b, const struct memory *m, size_t last)
{
	for (size_t i = 0; i <= last; i++) {
		const struct tp_torch_memory *a = m->list[i];
		size_t had = b->addresses.count;
		ptrdiff_t at;

		if (a->address == TP_TORCH_NONE)
			continue;
		at = tp_ids_add(&b->addresses, (uint64_t)a->address, 0);
		TP_ITEM(b->list, b->cap, at);
		if (b->addresses.count > had || a->bytes < 0)
			b->list[at] = (struct block){ 0, 0 };
		if (a->bytes > 0)
			b->list[at] = (struct block){ a->bytes, (uint32_t)i };
	}
}

/* Sum the live blocks that were allocated in [FROM, TO) ps by operator. */
static void
sum(struct blocks *b, const struct memory *m, int64_t from, int64_t to)
{
	for (size_t i = 0; i < b->addresses.count; i++) {
		const struct block *k = &b->list[i];
		const struct tp_torch_memory *a = m->list[k->event];
		size_t had = b->ops.count;
		uint32_t op;
		ptrdiff_t at;

		if (k->bytes <= 0 || a->at_ps < from || a->at_ps >= to)
			continue;
		op = op_at(m->t, a);
		at = tp_ids_add(&b->ops, op == TP_TORCH_NO ? 0 :
		    m->t->events[op].name + 1, 0);
		TP_ITEM(b->sums, b->sum_cap, at);
		if (b->ops.count > had)
			b->sums[at] = (struct sum){ .op = op == TP_TORCH_NO ?
			    (struct tp_name){ .text = "" } :
			    *tp_torch_event_name(m->t, &m->t->events[op]) };
		b->sums[at].bytes = tp_plus(b->sums[at].bytes, k->bytes);
		b->sums[at].count++;
	}
}

TP_ORDER(by_size, struct sum, TP_DOWN(bytes)
    TP_BY(tp_name_cmp(&a->op, &b->op)))

/*
 * Write what is live after event LAST of the allocations in [FROM, TO), as
 * SCOPE; at the peak also memory allocated before the recording.  Returns the
 * operator with the most; its count is 0 if there is none.
 */
static struct sum
out_live(const struct memory *m, const char *scope, size_t last, int64_t from,
    int64_t to)
{
	struct tp_tab tab = { .process_rank = m->o->rank,
	    .row_limit = LIVE_MAX };
	const char *id = m->id;
	struct blocks b = { 0 };
	struct sum rest = { .bytes = m->levels[last] }, most = { 0 };

	replay(&b, m, last);
	sum(&b, m, from, to);
	TP_SORT(b.sums, b.ops.count, by_size);
	if (b.ops.count)
		most = b.sums[0];
	for (size_t i = 0; i < b.ops.count; i++)
		rest.bytes = tp_plus(rest.bytes, -b.sums[i].bytes);
	tab.count = b.ops.count;
	if (rest.bytes > 0 && !strcmp(scope, "peak") && !m->is_relative &&
	    b.addresses.count)
		TP_APPEND(b.sums, tab.count, b.sum_cap, rest);
	TP_TAB_ONE(&tab, "memory_id", TP_TAB_TEXT, id);
	TP_TAB_ONE(&tab, "scope", TP_TAB_TEXT, scope);
	TP_TAB_FIELD(&tab, NULL, "bytes", TP_TAB_INT, b.sums, bytes);
	TP_TAB_FIELD(&tab, NULL, "count", TP_TAB_INT, b.sums, count)->absent =
	    0;
	TP_TAB_FIELD(&tab, NULL, "op", TP_TAB_STRING, b.sums, op);
	tp_tab_total(&tab, "peak", m->levels[m->peak]);
	tp_tab_emit(&tab, "mem.live", NULL, m->o->out);
	tp_ids_release(&b.addresses);
	tp_ids_release(&b.ops);
	tp_free(b.list);
	tp_free(b.sums);
	return most;
}

/* Levels during a step. */
struct range {
	size_t from;			/* first event */
	int64_t peak, peak_at, low, last;
};

/*
 * Returns the levels during STEP from the events at *AT on, and moves *AT
 * past them.
 */
static struct range
range_of(const struct memory *m, const struct tp_torch_step *step,
    size_t *at)
{
	struct range r;

	while (*at < m->count && m->list[*at]->at_ps < step->from_ps)
		++*at;
	r.from = *at;
	r.peak = r.low = r.last = *at < m->count ? before(m, *at) :
	    m->levels[m->count - 1];
	r.peak_at = step->from_ps;
	for (; *at < m->count && m->list[*at]->at_ps < step->to_ps; ++*at) {
		r.last = m->levels[*at];
		if (r.last > r.peak) {
			r.peak = r.last;
			r.peak_at = m->list[*at]->at_ps;
		}
		r.low = r.last < r.low ? r.last : r.low;
	}
	return r;
}

/* How the lowest levels of steps grow. */
struct growth {
	int64_t first_low, last_low;	/* of the second and the last step */
	int64_t rises;
};

/*
 * Write memory allocated in all but the first and the last step that is never
 * freed (a step that passes nothing on frees its memory by the end of the
 * next), and how often the lowest level rises.
 */
static void
out_growth(const struct memory *m, const struct growth *g)
{
	const struct tp_torch_times *times = &m->o->file->times;
	size_t n = times->step_count;
	struct sum most;

	if (n < 3)
		return;
	most = out_live(m, "kept", m->count - 1, times->steps[1].from_ps,
	    times->steps[n - 1].from_ps);
	begin_mem_record(m, "mem.growth");
	tp_out_text(m->o->out, "scope", "all");
	tp_out_text(m->o->out, "series", "allocated");
	tp_out_int(m->o->out, "level_step_count", (int64_t)n - 1);
	tp_out_int(m->o->out, "pair_count", (int64_t)n - 2);
	tp_out_int(m->o->out, "rise_count", g->rises);
	tp_out_int(m->o->out, "first_low_bytes", g->first_low);
	tp_out_int(m->o->out, "last_low_bytes", g->last_low);
	tp_out_int(m->o->out, "low_growth_bytes", g->last_low - g->first_low);
	tp_out_int(m->o->out, "peak_bytes", m->levels[m->peak]);
	if (most.count) {
		tp_out_int(m->o->out, "live_bytes", most.bytes);
		tp_out_int(m->o->out, "count", (int64_t)most.count);
		if (most.op.len)
			tp_out_bytes(m->o->out, "op", most.op.text,
			    most.op.len);
	}
	tp_out_end(m->o->out);
}

/* Write the levels R during step I. */
static void
out_step(const struct memory *m, size_t i, const struct range *r)
{
	const struct tp_torch_step *s = &m->o->file->times.steps[i];
	struct tp_out *out = m->o->out;

	begin_mem_record(m, "mem.step");
	tp_out_text(out, "scope", "all");
	tp_out_text(out, "series", "allocated");
	tp_out_int(out, "index", (int64_t)i + 1);
	if (s->number != TP_TORCH_NONE)
		tp_out_int(out, "number", s->number);
	tp_out_ps(out, "start_ns", s->from_ps);
	tp_out_ps(out, "end_ns", s->to_ps);
	tp_out_bool(out, "is_warmup", !i);
	tp_out_int(out, "peak_bytes", r->peak);
	tp_out_ps(out, "peak_at_ns", r->peak_at);
	tp_out_int(out, "min_bytes", r->low);
	tp_out_int(out, "last_bytes", r->last);
	tp_out_end(out);
}

/*
 * The step after step I, which had no events, in which the level may differ:
 * events from AT on remain.
 */
static size_t
next_step(const struct memory *m, size_t i, size_t at)
{
	const struct tp_torch_times *times = &m->o->file->times;
	size_t next;

	if (at == m->count)
		return times->step_count;
	TP_SEEK(next, i + 2, times->step_count, middle,
	    times->steps[middle].from_ps <= m->list[at]->at_ps);
	return next - 1;
}

static void
out_steps(const struct memory *m)
{
	const struct tp_torch_times *times = &m->o->file->times;
	struct growth g = { 0 };
	size_t at = 0, next;

	for (size_t i = 0; i < times->step_count; i = next) {
		struct range r = range_of(m, &times->steps[i], &at);
		int has_events = r.from < at;

		if (has_events || m->has_every_step)
			out_step(m, i, &r);
		/* the first step allocates what the others share */
		g.rises += i > 1 && r.low > g.last_low;
		g.first_low = i > 1 ? g.first_low : r.low;
		g.last_low = r.low;
		next = has_events || m->has_every_step ? i + 1 :
		    next_step(m, i, at);
	}
	out_growth(m, &g);
}

/* Write levels as columns of a picture: reserved, or allocated. */
static void
out_levels(const struct memory *m, int reserved)
{
	const struct tp_torch_time *all = &m->o->file->times.all;
	int64_t span = all->last_ps - all->first_ps, low, high, level, from;
	size_t at = 0, columns = m->columns;

	if (!columns || span <= 0 ||
	    (reserved && m->list[0]->reserved < 0))
		return;
	level = reserved ? m->list[0]->reserved : before(m, 0);
	for (size_t c = 0; c < columns; c++) {
		int64_t to = all->first_ps + (int64_t)((double)span *
		    (double)(c + 1) / (double)columns);

		from = all->first_ps + (int64_t)((double)span * (double)c /
		    (double)columns);
		low = high = level;
		for (; at < m->count && m->list[at]->at_ps < to; at++) {
			level = !reserved ? m->levels[at] :
			    m->list[at]->reserved >= 0 ?
			    m->list[at]->reserved : level;
			low = level < low ? level : low;
			high = level > high ? level : high;
		}
		begin_mem_record(m, "mem.level");
		tp_out_text(m->o->out, "scope", "all");
		tp_out_text(m->o->out, "series", reserved ? "reserved" :
		    "allocated");
		tp_out_ps(m->o->out, "start_ns", from);
		tp_out_ps(m->o->out, "end_ns", to);
		tp_out_int(m->o->out, "min_bytes", low);
		tp_out_int(m->o->out, "max_bytes", high);
		tp_out_end(m->o->out);
	}
}

static void
out_one(const struct memory *m)
{
	out_device(m);
	out_live(m, "peak", m->peak, INT64_MIN, INT64_MAX);
	if (!tp_torch_are_steps_mixed(&m->o->file->times))
		out_steps(m);
	out_levels(m, 0);
	out_levels(m, 1);
}

/* Devices before the host, then by falling peak. */
TP_ORDER(by_weight, struct memory,
    TP_BY((a->list[0]->device < 0) - (b->list[0]->device < 0))
    TP_BY(TP_CMP(b->levels[b->peak], a->levels[a->peak]))
    TP_BY(by_time(&a->list[0], &b->list[0])))

/* The columns that each of COUNT devices has of pictures PIXELS wide. */
static size_t
columns_of(size_t pixels, size_t count)
{
	size_t part = pixels * DEVICES_FULL / count;

	TP_MOST(part, LEVELS_MIN);
	return part < pixels ? part : pixels;
}

void
tp_torch_emit_memory(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	size_t n = t->memory_count, count = 0, cap = 0, next;
	const struct tp_torch_memory **sorted = tp_alloc((n + 1) *
	    sizeof *sorted);
	int64_t *levels = tp_alloc((n + 1) * sizeof *levels);
	struct passes passes = { 0 };
	struct memory *list = NULL;

	for (size_t i = 0; i < n; i++)
		sorted[i] = &t->memory[i];
	TP_SORT(sorted, n, by_time);
	for (size_t i = 0; i < n; i = next) {
		for (next = i + 1; next < n &&
		    sorted[next]->type == sorted[i]->type &&
		    sorted[next]->device == sorted[i]->device; next++)
			continue;
		tp_grow(&list, &cap, count + 1, sizeof *list);
		list[count] = (struct memory){ .o = o, .t = t,
		    .list = sorted + i, .count = next - i,
		    .levels = levels + i };
		name(&list[count]);
		add_levels(&list[count++]);
	}
	TP_SORT(list, count, by_weight);
	if (count)
		find_passes(&passes, t);
	for (size_t i = 0; i < count; i++) {
		list[i].passes = &passes;
		list[i].has_every_step = count <= DEVICES_FULL;
		/* of devices; of the host only without devices */
		if (!i || list[i].list[0]->device >= 0)
			list[i].columns = columns_of(o->pixels, count);
		out_one(&list[i]);
	}
	tp_free(passes.optimizers);
	tp_free(sorted);
	tp_free(levels);
	tp_free(list);
}
