/* emit_comm - collectives and copies of a PyTorch trace as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_private.h"
#include "ival.h"

/* Spans of computation in order, and the sum before each of the same GPU. */
struct computation {
	struct tp_ids gpus;
	size_t *first, *end;	/* by GPU: its spans */
	struct tp_span *spans;
	int64_t *before;
};

/* GPU work of one bucket as items of tables. */
struct works {
	uint32_t *list;		/* events, by start */
	int64_t *durations;
	uint32_t *groups;
	size_t count;
};

static void
works_init(struct works *w, const struct tp_torch *t, unsigned bucket)
{
	size_t n = t->gpu_count + 1;

	memset(w, 0, sizeof *w);
	w->list = tp_alloc(n * sizeof *w->list);
	w->durations = tp_alloc(n * sizeof *w->durations);
	w->groups = tp_alloc(n * sizeof *w->groups);
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		if (e->bucket != bucket)
			continue;
		w->list[w->count] = t->gpu[i];
		w->durations[w->count++] = e->to_ps - e->from_ps;
	}
}

static void
works_release(struct works *w)
{
	tp_free(w->list);
	tp_free(w->durations);
	tp_free(w->groups);
}

/* Writes the duration of the first work of W, and its share of SUM_PS. */
static void
out_first(const struct tp_torch_out *o, const struct works *w, int64_t sum_ps)
{
	const struct tp_torch_event *e =
	    &o->file->torch.events[w->list[0]];

	tp_out_ps(o->out, "first_duration_ns", e->to_ps - e->from_ps);
	tp_out_ratio(o->out, "first_of_sum_ratio", e->to_ps - e->from_ps,
	    sum_ps);
}

/*
 * Write the rank that parts of collectives waited for longest, how long, and
 * how long they waited for any rank.
 */
static void
out_awaited(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_for_rank *most = NULL;
	struct tp_sweep one = { 0 };
	struct tp_ival all = { 0 };
	int64_t most_ps = 0;

	for (size_t i = 0; i < t->wait_count; i++) {
		const struct tp_torch_for_rank *w = &t->waits[i];

		if (i && (w->lane != w[-1].lane || w->peer != w[-1].peer))
			one = (struct tp_sweep){ 0 };
		tp_sweep_add(&one, w->from, w->to);
		if (one.busy > most_ps) {
			most_ps = one.busy;
			most = w;
		}
		tp_ival_add(&all, w->from, w->to);
	}
	if (most) {
		tp_out_int(o->out, "awaited_rank", most->peer);
		if (most->lane != TP_TORCH_NO)
			tp_torch_out_text(o, "awaited_group",
			    t->lanes[most->lane].thread);
		tp_out_ps(o->out, "awaited_rank_ns", most_ps);
		tp_out_ps(o->out, "ranks_awaited_ns", tp_ival_busy(&all));
	}
	tp_ival_release(&all);
}

/*
 * Write a record of KIND for all work of W.  Changes the order of its
 * durations.
 */
static void
emit_total(const struct tp_torch_out *o, const char *kind, struct works *w)
{
	struct tp_figures s = tp_figures_of(w->durations, w->count);

	if (!w->count)
		return;
	tp_torch_out_begin(o, kind);
	tp_out_int(o->out, "count", (int64_t)w->count);
	tp_torch_out_stat(o, "duration", &s);
	if (!strcmp(kind, "collective.summary")) {
		out_first(o, w, s.sum);
		out_awaited(o);
	}
	tp_out_end(o->out);
}

/* Add [FROM, TO) to the spans from FIRST up to *END. */
static void
add_span(struct computation *c, size_t first, size_t *end, int64_t from,
    int64_t to)
{
	struct tp_span *last = *end > first ? &c->spans[*end - 1] : NULL;

	if (last && from <= last->to) {
		TP_MOST(last->to, to);
		return;
	}
	c->before[*end] = last ? c->before[*end - 1] + last->to - last->from :
	    0;
	c->spans[(*end)++] = (struct tp_span){ from, to };
}

static void
computation_init(struct computation *c, const struct tp_torch *t)
{
	size_t n = t->gpu_count + 1, before = 0;

	memset(c, 0, sizeof *c);
	c->spans = tp_alloc(n * sizeof *c->spans);
	c->before = tp_alloc(n * sizeof *c->before);
	c->first = tp_zalloc(n * sizeof *c->first);
	c->end = tp_alloc(n * sizeof *c->end);
	for (size_t i = 0; i < t->gpu_count; i++) {
		ptrdiff_t gpu = tp_ids_add(&c->gpus,
		    (uint16_t)t->events[t->gpu[i]].device, 0);

		c->first[gpu]++;
	}
	for (size_t g = 0; g < c->gpus.count; g++) {
		c->end[g] = before;
		before += c->first[g];
		c->first[g] = c->end[g];
	}
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		ptrdiff_t gpu = tp_ids_find(&c->gpus, (uint16_t)e->device, 0);

		if (e->bucket == TP_TORCH_COMPUTATION)
			add_span(c, c->first[gpu], &c->end[gpu], e->from_ps,
			    e->to_ps);
	}
}

static void
computation_release(struct computation *c)
{
	tp_ids_release(&c->gpus);
	tp_free(c->first);
	tp_free(c->end);
	tp_free(c->spans);
	tp_free(c->before);
}

/* The computation of GPU before AT. */
static int64_t
computed(const struct computation *c, ptrdiff_t gpu, int64_t at)
{
	const struct tp_span *last;
	size_t from;

	TP_SEEK(from, c->first[gpu], c->end[gpu], middle,
	    c->spans[middle].from < at);
	if (from == c->first[gpu])
		return 0;
	last = &c->spans[from - 1];
	return c->before[from - 1] + (last->to < at ? last->to : at) -
	    last->from;
}

/* The computation of its own GPU while E ran. */
static int64_t
hidden_of(const struct computation *c, const struct tp_torch_event *e)
{
	ptrdiff_t gpu = tp_ids_find(&c->gpus, (uint16_t)e->device, 0);

	return computed(c, gpu, e->to_ps) - computed(c, gpu, e->from_ps);
}

static void
out_count(const struct tp_torch_out *o, const char *key, int64_t n)
{
	if (n != TP_TORCH_NONE)
		tp_out_int(o->out, key, n);
}

static void
out_bytes(const struct tp_torch_out *o, const char *key, int64_t n, int size)
{
	int64_t bytes;

	if (n >= 0 && size &&
	    !__builtin_mul_overflow(n, (int64_t)size, &bytes))
		tp_out_int(o->out, key, bytes);
}

int64_t
tp_torch_collective_moved(const struct tp_torch_collective *c,
    const struct tp_class *kind)
{
	return !strcmp(kind->name, "all-gather") ? c->out_count : c->in_count;
}

/*
 * Write bytes over time; for the bus, the least bytes each rank must send and
 * receive.  The time includes waiting for other ranks.
 */
static void
out_bandwidth(const struct tp_torch_out *o, const struct tp_torch_collective *c,
    const struct tp_class *kind, int size,
    const struct tp_figures *stat)
{
	int64_t n = tp_torch_collective_moved(c, kind);
	double rate, factor = tp_torch_bus_factor(kind);

	if (n < 0 || !size || stat->sum <= 0)
		return;
	rate = (double)n * size * (double)stat->count * 1e12 /
	    (double)stat->sum;
	tp_out_real(o->out, "algorithm_bytes_per_s", rate);
	if (c->size > 0 && factor > 0)
		tp_out_real(o->out, "bus_bytes_per_s", rate * factor *
		    (double)(c->size - 1) / (double)c->size);
}

void
tp_torch_out_collective(const struct tp_torch_out *o,
    const struct tp_torch_collective *c, const struct tp_class **kind,
    int *size)
{
	const struct tp_torch *t = &o->file->torch;

	*kind = tp_torch_collective_of(t->ops,
	    t->texts.names[c->name].text);
	*size = tp_torch_dtype_bytes(t->ops, t->texts.names[c->dtype].text);
	tp_out_text(o->out, "collective", *kind ? (*kind)->name : "other");
	tp_torch_out_text(o, "name", c->name);
	tp_torch_out_text(o, "process_group", c->group);
	tp_torch_out_text(o, "process_group_ranks", c->ranks);
	out_count(o, "process_group_count", c->size);
	tp_torch_out_text(o, "element_type", c->dtype);
	out_count(o, "in_element_count", c->in_count);
	out_count(o, "out_element_count", c->out_count);
	tp_torch_out_text(o, "in_split", c->in_split);
	tp_torch_out_text(o, "out_split", c->out_split);
	out_bytes(o, "in_bytes", c->in_count, *size);
	out_bytes(o, "out_bytes", c->out_count, *size);
}

/*
 * Write which collectives of ROW, with S, take far longer than most: their
 * count, the extra time, and when the longest began.  Extra time counts only
 * without computation beside it and while the host was blocked (queue.h): else
 * the host has its own work to do first.  In its first collective a rank waits
 * for ranks whose recording began later, so the first is never long.
 */
static void
out_long(const struct tp_torch_out *o, const struct works *w,
    const struct computation *computation, const struct tp_torch_table *table,
    const struct tp_torch_row *row, const struct tp_figures *s)
{
	const struct tp_torch *t = &o->file->torch;
	int64_t limit = (int64_t)(t->ops->long_factor * (double)s->median);
	const struct tp_torch_event *longest = NULL;
	const struct tp_torch_step *step;
	int64_t count = 0, gain = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		uint32_t item = table->items[row->first + i];
		const struct tp_torch_event *e = &t->events[w->list[item]];
		int64_t took = e->to_ps - e->from_ps;
		int64_t alone = took - hidden_of(computation, e);

		if (!item || took < limit || took == s->median)
			continue;
		count++;
		gain += alone < took - s->median ? alone :
		    took - s->median;
		if (!longest || took > longest->to_ps - longest->from_ps)
			longest = e;
	}
	if (!count)
		return;
	gain /= tp_torch_device_count(&o->file->times);
	if (o->file->queues.blocked_ps >= 0)
		TP_LEAST(gain, o->file->queues.blocked_ps);
	tp_out_ps(o->out, "long_limit_ns", limit);
	tp_out_int(o->out, "long_count", count);
	tp_out_ps(o->out, "long_gain_ns", gain);
	tp_out_ps(o->out, "longest_at_ns", longest->from_ps);
	if (tp_torch_is_linked(longest))
		longest = &t->events[longest->parent];
	step = tp_torch_step_at(&o->file->times, t, longest->lane,
	    longest->from_ps);
	if (step && step->number != TP_TORCH_NONE)
		tp_out_int(o->out, "longest_step_number", step->number);
}

/* Write a kernel without arguments, and what its name says it does. */
static void
out_kernel(const struct tp_torch_out *o, uint32_t name)
{
	const struct tp_classes *all = &o->file->torch.ops->collectives;
	const struct tp_class *kind = tp_torch_collective_of(
	    o->file->torch.ops, o->file->torch.names.names[name].text);

	if (tp_class_index(all, kind) + 1 < (ptrdiff_t)all->count)
		tp_out_text(o->out, "collective", kind->name);
	tp_torch_out_name(o, "kernel", name);
}

static void
emit_collective(const struct tp_torch_out *o, const struct works *w,
    const struct computation *computation,
    const struct tp_torch_table *table, const struct tp_torch_row *row)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_event *e =
	    &t->events[w->list[table->items[row->first]]];
	struct tp_figures s = tp_torch_row_stat(table, row, w->durations);
	const struct tp_class *kind = NULL;
	int64_t hidden = 0;
	int size;

	for (uint32_t i = 0; i < row->count; i++)
		hidden += hidden_of(computation, &t->events[w->list[
		    table->items[row->first + i]]]);
	tp_torch_out_begin(o, "collective");
	if (e->args)
		tp_torch_out_collective(o, &t->collectives[e->args], &kind,
		    &size);
	else
		out_kernel(o, e->name);
	if (kind)
		out_bandwidth(o, &t->collectives[e->args], kind, size, &s);
	tp_out_known(o->out, "stream", e->stream);
	tp_out_int(o->out, "count", row->count);
	tp_torch_out_stat(o, "duration", &s);
	tp_out_ps(o->out, "hidden_sum_ns", hidden);
	tp_out_ratio(o->out, "hidden_ratio", hidden, s.sum);
	/* calls of unknown bytes may be of many sizes */
	if (e->args && t->collectives[e->args].in_count != TP_TORCH_NONE)
		out_long(o, w, computation, table, row, &s);
	tp_out_end(o->out);
}

/* For each collective a number that those with equal properties share. */
static uint32_t *
distinct(const struct tp_torch *t)
{
	uint32_t *group = tp_alloc(t->collective_count * sizeof *group);
	struct tp_names seen = { 0 };

	for (size_t i = 0; i < t->collective_count; i++)
		group[i] = (uint32_t)tp_names_add(&seen,
		    (const char *)&t->collectives[i],
		    sizeof t->collectives[i]);
	tp_names_release(&seen);
	return group;
}

/* Group collectives by their properties, else by name; and by stream. */
static void
emit_collectives(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	struct computation computation = { 0 };
	struct tp_torch_table table = { 0 };
	uint32_t *group = distinct(t);
	struct tp_ids ids = { 0 };
	struct works w;

	works_init(&w, t, TP_TORCH_COMMUNICATION);
	computation_init(&computation, t);
	for (size_t i = 0; i < w.count; i++) {
		const struct tp_torch_event *e = &t->events[w.list[i]];

		w.groups[i] = (uint32_t)tp_ids_add(&ids, e->args ?
		    group[e->args] : (uint64_t)e->name | (uint64_t)1 << 32,
		    (uint32_t)e->stream);
	}
	tp_torch_table_make(&table, w.groups, w.durations, w.count, ids.count);
	for (size_t i = 0; i < table.count; i++)
		emit_collective(o, &w, &computation, &table, &table.rows[i]);
	emit_total(o, "collective.summary", &w);
	tp_torch_table_release(&table);
	tp_ids_release(&ids);
	computation_release(&computation);
	tp_free(group);
	works_release(&w);
}

/*
 * Write how long copies of GROUP ran, and how long with nothing but other
 * copies beside them.
 */
static void
out_alone(const struct tp_torch_out *o, const struct works *w, uint32_t group)
{
	const struct tp_torch *t = &o->file->torch;
	int64_t span = tp_torch_span(&o->file->times.all);
	struct tp_sweep own = { 0 }, both = { 0 }, others = { 0 };
	size_t copy = 0;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		int is_copy = e->bucket == TP_TORCH_COPY;

		if (is_copy && w->groups[copy++] != group)
			continue;
		tp_sweep_add(is_copy ? &own : &others, e->from_ps,
		    e->to_ps);
		tp_sweep_add(&both, e->from_ps, e->to_ps);
	}
	tp_out_ps(o->out, "memcpy_ns", both.busy - others.busy);
	tp_out_ratio(o->out, "memcpy_of_span_ratio",
	    both.busy - others.busy, span);
	tp_out_ps(o->out, "memcpy_union_ns", own.busy);
	tp_out_ratio(o->out, "memcpy_union_of_span_ratio", own.busy, span);
}

/* Pageable copies: their time, and what the link needs for their bytes. */
static void
out_pageable(const struct tp_torch_out *o, int64_t ps, double bytes)
{
	double link = o->platform ? o->platform->host_bytes_per_s : 0;

	if (ps <= 0 || link <= 0)
		return;
	tp_out_ps(o->out, "pageable_ns", ps);
	tp_out_int(o->out, "pageable_at_link_ns",
	    (int64_t)(bytes / link * 1e9));
}

/* Add the streams with work other than copies. */
static void
find_streams(const struct tp_torch *t, struct tp_ids *streams)
{
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		if (e->bucket != TP_TORCH_COPY)
			tp_ids_add(streams, (uint64_t)e->device,
			    (uint64_t)e->stream);
	}
}

/*
 * Write the rate of copies in direction WAY, and its share of the host link's
 * rate in one direction.
 */
static void
out_rate(const struct tp_torch_out *o, const char *way, double bytes_per_s)
{
	double link = o->platform ? o->platform->host_bytes_per_s : 0;

	tp_out_real(o->out, "copied_bytes_per_s", bytes_per_s);
	if (link > 0 && (!strcmp(way, "H2D") || !strcmp(way, "D2H")))
		tp_out_real(o->out, "copied_of_link_ratio", bytes_per_s / link);
}

/*
 * Whether copy AT to the host reads values back: it goes to memory that is not
 * known to be pinned, or an operator waits for its value.
 */
static int
is_read_back(const struct tp_torch *t, uint32_t at)
{
	const struct tp_torch_event *e = &t->events[at];
	uint32_t op;

	if (tp_torch_trait(t, e)->memory != TP_TORCH_PINNED)
		return 1;
	op = e->parent == TP_TORCH_NO ? TP_TORCH_NO :
	    tp_torch_caller(t, tp_torch_origin(t, at));
	return op != TP_TORCH_NO && !strcmp(tp_torch_event_name(t,
	    &t->events[op])->text, t->ops->read_back);
}

static void
emit_copy(const struct tp_torch_out *o, const struct works *w,
    const struct tp_names *ways, const struct tp_ids *streams,
    const struct tp_torch_table *table, const struct tp_torch_row *row)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_figures s = tp_torch_row_stat(table, row, w->durations);
	int64_t bytes = 0, sized_ps = 0, pageable_ps = 0, own_stream = 0;
	double pageable_bytes = 0;
	uint64_t sized = 0, memories[TP_TORCH_MEMORIES] = { 0 };
	const char *way = ways->names[row->group].text;
	int is_to_host = !strcmp(way, "D2H");
	int64_t read_back = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		uint32_t item = table->items[row->first + i];
		const struct tp_torch_event *e = &t->events[w->list[item]];
		int64_t n = tp_torch_number(t, e->number);

		memories[tp_torch_trait(t, e)->memory]++;
		read_back += is_to_host && is_read_back(t, w->list[item]);
		own_stream += e->stream >= 0 && tp_ids_find(streams,
		    (uint64_t)e->device, (uint64_t)e->stream) < 0;
		if (n < 0 || __builtin_add_overflow(bytes, n, &bytes))
			continue;
		sized_ps += w->durations[item];
		sized++;
		if (tp_torch_trait(t, e)->memory != TP_TORCH_PAGEABLE)
			continue;
		pageable_ps += w->durations[item];
		pageable_bytes += (double)n;
	}
	tp_torch_out_begin(o, "memcpy");
	tp_out_bytes(o->out, "direction", way, strcspn(way, ","));
	if (way[strcspn(way, ",")])
		tp_out_text(o->out, "cause", strchr(way, ',') + 2);
	tp_out_int(o->out, "count", row->count);
	tp_out_int(o->out, "sized_count", (int64_t)sized);
	if (sized) {
		tp_out_int(o->out, "copied_bytes", bytes);
		if (sized_ps > 0)
			out_rate(o, way, (double)bytes * 1e12 /
			    (double)sized_ps);
	}
	tp_out_int(o->out, "pageable_count",
	    (int64_t)memories[TP_TORCH_PAGEABLE]);
	tp_out_int(o->out, "pinned_count",
	    (int64_t)memories[TP_TORCH_PINNED]);
	out_pageable(o, pageable_ps, pageable_bytes);
	tp_out_int(o->out, "own_stream_count", own_stream);
	if (is_to_host)
		tp_out_int(o->out, "read_back_count", read_back);
	tp_torch_out_stat(o, "duration", &s);
	tp_out_ratio(o->out, "duration_ratio", s.sum, table->sum_ps);
	out_alone(o, w, row->group);
	tp_out_end(o->out);
}

/* Set WAY to the direction of copy AT, with ", CAUSE" of a migration. */
static void
way_of_copy(struct tp_buf *way, const struct tp_torch *t, uint32_t at)
{
	const struct tp_torch_event *e = &t->events[at];
	const char *cause = tp_torch_is_migration(t, e) ? strstr(
	    tp_torch_event_name(t, e)->text, ", ") : NULL;

	tp_buf_clear(way);
	tp_buf_str(way, tp_torch_way(t, at));
	tp_buf_str(way, cause && cause[2] ? cause : "");
}

static void
emit_copies(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_torch_table table = { 0 };
	struct tp_names ways = { 0 };
	struct tp_ids streams = { 0 };
	struct tp_buf way = { 0 };
	struct works w;

	works_init(&w, t, TP_TORCH_COPY);
	find_streams(t, &streams);
	for (size_t i = 0; i < w.count; i++) {
		way_of_copy(&way, t, w.list[i]);
		w.groups[i] = (uint32_t)tp_names_add(&ways, way.p, way.len);
	}
	tp_torch_table_make(&table, w.groups, w.durations, w.count, ways.count);
	for (size_t i = 0; i < table.count; i++)
		emit_copy(o, &w, &ways, &streams, &table, &table.rows[i]);
	emit_total(o, "memcpy.summary", &w);
	tp_buf_release(&way);
	tp_torch_table_release(&table);
	tp_names_release(&ways);
	tp_ids_release(&streams);
	works_release(&w);
}

void
tp_torch_emit_comm(const struct tp_torch_out *o)
{
	emit_collectives(o);
	emit_copies(o);
}
