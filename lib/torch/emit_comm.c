/* emit_comm - collectives and copies of a PyTorch trace as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_torch.h"
#include "replayed.h"
#include "ival.h"

/* What records of collectives are made of besides columns. */
struct collectives {
	const struct tp_torch_out *o;
	const struct tp_torch_comm *list;
};

/* A copy, an item of tables. */
struct copy {
	uint32_t event;
	uint8_t is_sized, is_pageable, is_pinned, is_on_own_stream;
	int8_t is_read_back;		/* -1: it is not to the host */
	const char *direction, *cause;	/* cause NULL: none */
	int64_t bytes;			/* TP_TAB_ABSENT: not known */
};

struct copies {
	const struct tp_torch_out *o;
	const struct copy *list;
};

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

/* The start or the end of a collective. */
struct edge {
	int64_t at_ps;
	uint32_t item;
	int is_end;
};

TP_ORDER(by_time, struct edge, TP_UP(at_ps))

/* Set how long the GPU of each collective computed while it ran. */
static void
find_hidden(const struct tp_torch *t, struct tp_torch_comm *list, size_t count)
{
	struct edge *edges = tp_alloc((2 * count + 1) * sizeof *edges);
	struct tp_sweep *computation, *one;
	struct tp_ids gpus = { 0 };
	size_t work = 0;

	for (size_t i = 0; i < t->gpu_count; i++)
		tp_ids_add(&gpus, (uint16_t)t->events[t->gpu[i]].device, 0);
	computation = tp_zalloc((gpus.count + 1) * sizeof *computation);
	for (size_t i = 0; i < 2 * count; i++) {
		const struct tp_torch_event *e = &t->events[list[i / 2].event];

		edges[i] = (struct edge){ i % 2 ? e->to_ps : e->from_ps,
		    (uint32_t)(i / 2), i % 2 };
	}
	TP_SORT(edges, 2 * count, by_time);
	for (size_t i = 0; i < 2 * count; i++) {
		struct tp_torch_comm *c = &list[edges[i].item];
		int64_t at = edges[i].at_ps, ps;

		/* of what began before, all after AT is one span */
		for (; work < t->gpu_count && t->events[t->gpu[work]].from_ps <
		    at; work++) {
			const struct tp_torch_event *e =
			    &t->events[t->gpu[work]];

			one = &computation[tp_ids_find(&gpus,
			    (uint16_t)e->device, 0)];
			if (e->bucket == TP_TORCH_COMPUTATION)
				tp_sweep_add(one, e->from_ps, e->to_ps);
		}
		one = &computation[tp_ids_find(&gpus,
		    (uint16_t)t->events[c->event].device, 0)];
		ps = one->busy - (one->any && one->to > at ? one->to - at : 0);
		c->hidden_ps += edges[i].is_end ? ps : -ps;
	}
	tp_ids_release(&gpus);
	tp_free(computation);
	tp_free(edges);
}

static void
out_bytes(struct tp_out *out, const char *key, int64_t n, int size)
{
	int64_t bytes;

	if (n >= 0 && size && !__builtin_mul_overflow(n, (int64_t)size, &bytes))
		tp_out_int(out, key, bytes);
}

/* Write "in_bytes out_bytes" of AT, if it has properties. */
static void
out_sizes(const struct tp_torch *t, const struct tp_torch_comm *at,
    struct tp_out *out)
{
	const struct tp_torch_collective *c =
	    &t->collectives[t->events[at->event].collective];

	out_bytes(out, "in_bytes", c->in_count, at->size);
	out_bytes(out, "out_bytes", c->out_count, at->size);
}

/*
 * The elements that count for AT's bandwidth, or -1.  *FACTOR gets how much
 * more each rank must at least send and receive; 0: unknown.
 */
static int64_t
moved(const struct tp_torch *t, const struct tp_torch_comm *at, double *factor)
{
	const struct tp_torch_collective *c =
	    &t->collectives[t->events[at->event].collective];

	if (!at->kind || !at->size)
		return -1;
	*factor = c->size <= 0 ? 0 : tp_torch_bus_factor(at->kind) *
	    (double)(c->size - 1) / (double)c->size;
	return !strcmp(at->kind->name, "all-gather") ? c->out_count :
	    c->in_count;
}

/* How long collective ITEM took. */
static int64_t
took_of(const struct collectives *c, uint32_t item)
{
	return tp_torch_took(&c->o->file->torch.events[c->list[item].event]);
}

static int64_t
median_of(const struct collectives *c, const uint32_t *items, size_t count)
{
	int64_t *list = tp_alloc((count + 1) * sizeof *list), median;

	for (size_t i = 0; i < count; i++)
		list[i] = took_of(c, items[i]);
	median = tp_figures_of(list, count).median;
	tp_free(list);
	return median;
}

/*
 * Write bytes over time; for the bus, the least bytes each rank must send and
 * receive.  The time includes waiting for other ranks.
 */
static void
out_bandwidth(const struct collectives *c, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	const struct tp_torch_comm *first = &c->list[items[0]];
	double rate, factor;
	int64_t n = moved(&c->o->file->torch, first, &factor), took = 0;

	for (size_t i = 0; i < count; i++)
		took += took_of(c, items[i]);
	if (n < 0 || took <= 0)
		return;
	rate = (double)n * first->size * (double)count * 1e12 / (double)took;
	tp_out_real(out, "algorithm_bytes_per_s", rate);
	if (factor > 0)
		tp_out_real(out, "bus_bytes_per_s", rate * factor);
}

static int
is_set(const void *arg, uint32_t event)
{
	return ((const uint8_t *)arg)[event];
}

/*
 * Write which of the collectives ITEMS take far longer than most: their count,
 * what the run would gain if they took the median, and when the longest began.
 * In its first collective a rank waits for ranks whose recording began later,
 * so the first is never long.
 */
static void
out_long(const struct collectives *c, const uint32_t *items, size_t n,
    int64_t median, struct tp_out *out)
{
	const struct tp_torch_out *o = c->o;
	const struct tp_torch *t = &o->file->torch;
	int64_t count = 0, more = 0, window;
	uint8_t *is_long = NULL;
	int64_t limit = (int64_t)(t->ops->long_factor * (double)median);
	const struct tp_torch_event *longest = NULL;
	const struct tp_torch_step *step;

	for (size_t i = 0; i < n; i++) {
		const struct tp_torch_event *e =
		    &t->events[c->list[items[i]].event];
		int64_t took = tp_torch_took(e);

		if (!items[i] || took < limit || took == median)
			continue;
		if (!count++)
			is_long = tp_zalloc(t->count + 1);
		more += took - median;
		is_long[c->list[items[i]].event] = 1;
		if (!longest || took > tp_torch_took(longest))
			longest = e;
	}
	if (!count)
		return;
	tp_out_ps(out, "long_limit_ns", limit);
	tp_out_int(out, "long_count", count);
	if (o->promise && tp_torch_promises(o->promise))
		tp_out_ps(out, "long_gain_ns", tp_torch_promised_ps(o->promise,
		    is_set, is_long, more, 0, &window));
	tp_free(is_long);
	tp_out_ps(out, "longest_at_ns", longest->from_ps);
	if (tp_torch_is_linked(longest))
		longest = &t->events[longest->launch];
	step = tp_torch_step_at(&o->file->times, t, longest->lane,
	    longest->from_ps);
	if (step && step->number != TP_TORCH_NONE)
		tp_out_int(out, "longest_step_number", step->number);
}

static void
also_of_collectives(void *arg, const char *key, const uint32_t *items,
    size_t count, struct tp_out *out)
{
	const struct collectives *c = arg;
	const struct tp_torch *t = &c->o->file->torch;
	const struct tp_torch_comm *first = &c->list[items[0]];
	uint32_t at = t->events[first->event].collective;

	if (!strcmp(key, "awaited_rank"))
		out_awaited(c->o);
	if (!at || !strcmp(key, "awaited_rank"))
		return;
	if (!strcmp(key, "in_bytes")) {
		out_sizes(t, first, out);
		out_bandwidth(c, items, count, out);
	} else if (t->collectives[at].in_count != TP_TORCH_NONE) {
		/* calls of unknown bytes may be of many sizes */
		out_long(c, items, count, median_of(c, items, count), out);
	}
}

/* What the name of KERNEL says it does, or NULL. */
static const char *
kernel_does(const struct tp_torch *t, uint32_t kernel)
{
	const struct tp_classes *all = &t->ops->collectives;
	const struct tp_class *kind = tp_torch_collective_of(t->ops,
	    t->names.names[kernel].text);

	return tp_class_index(all, kind) + 1 < (ptrdiff_t)all->count ?
	    kind->name : NULL;
}

static void
set_kind(const struct tp_torch *t, const struct tp_torch_collective *c,
    struct tp_torch_comm *at)
{
	at->kind = tp_torch_collective_of(t->ops, t->texts.names[c->name].text);
	at->collective = at->kind ? at->kind->name : "other";
	at->size = tp_torch_dtype_bytes(t->ops, t->texts.names[c->dtype].text);
}

/*
 * The communication of T by start, COUNT of it, yours to free; BY_KERNEL: what
 * has no properties does what its name says.
 */
static struct tp_torch_comm *
communication_of(const struct tp_torch *t, int by_kernel, size_t *count)
{
	struct tp_torch_comm *list = tp_alloc((t->gpu_count + 1) *
	    sizeof *list);
	size_t n = 0;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		if (e->bucket != TP_TORCH_COMMUNICATION)
			continue;
		list[n] = (struct tp_torch_comm){ .event = t->gpu[i],
		    .kernel = e->collective ? TP_TORCH_NO : e->name };
		if (e->collective)
			set_kind(t, &t->collectives[e->collective], &list[n]);
		else if (by_kernel)
			list[n].collective = kernel_does(t, e->name);
		n++;
	}
	*count = n;
	return list;
}

/* Add the properties of LIST, and "stream start duration". */
static void
add_properties(struct tp_tab *tab, const struct tp_torch *t,
    const struct tp_torch_comm *list)
{
	const struct tp_torch_collective *c = t->collectives;
	const struct tp_column *event = TP_TAB_FIELD(tab, NULL, "event",
	    TP_TAB_INT, list, event);
	struct tp_column *of = TP_TAB_FIELD(tab, event, "args", TP_TAB_INT,
	    t->events, args);

	of->absent = 0;
	TP_TAB_FIELD(tab, NULL, "collective", TP_TAB_TEXT, list, collective);
	TP_TAB_NAMES(tab, NULL, "kernel", list, kernel, &t->names, TP_TORCH_NO);
	TP_TAB_NAMES(tab, of, "name", c, name, &t->texts, 0);
	TP_TAB_NAMES(tab, of, "process_group", c, group, &t->texts, 0);
	TP_TAB_NAMES(tab, of, "process_group_ranks", c, ranks, &t->texts, 0);
	TP_TAB_FIELD(tab, of, "process_group_count", TP_TAB_INT, c, size);
	TP_TAB_NAMES(tab, of, "element_type", c, dtype, &t->texts, 0);
	TP_TAB_FIELD(tab, of, "in_element_count", TP_TAB_INT, c, in_count);
	TP_TAB_FIELD(tab, of, "out_element_count", TP_TAB_INT, c, out_count);
	TP_TAB_NAMES(tab, of, "in_split", c, in_split, &t->texts, 0);
	TP_TAB_NAMES(tab, of, "out_split", c, out_split, &t->texts, 0);
	TP_TAB_KNOWN(tab, event, "stream", t->events, stream);
	TP_TAB_FIELD(tab, event, "start", TP_TAB_PS, t->events, from_ps);
	TP_TAB_SPAN(tab, event, "duration", t->events, from_ps, to_ps);
}

static void
emit_collectives(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_tab tab = { .process_rank = o->rank,
	    .also = also_of_collectives };
	struct tp_torch_comm *list = communication_of(t, 1, &tab.count);

	find_hidden(t, list, tab.count);
	tab.also_arg = &(struct collectives){ o, list };
	add_properties(&tab, t, list);
	TP_TAB_FIELD(&tab, NULL, "hidden", TP_TAB_PS, list, hidden_ps);
	tp_tab_emit(&tab, "collective", NULL, o->out);
	tp_tab_emit(&tab, "collective.summary", NULL, o->out);
	tp_free(list);
}

/*
 * Write how long the COUNT copies ITEMS ran, and how long with nothing but
 * other copies beside them.
 */
static void
out_alone(const struct copies *c, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	const struct tp_torch *t = &c->o->file->torch;
	int64_t span = tp_torch_span(&c->o->file->times.all);
	struct tp_sweep own = { 0 }, both = { 0 }, others = { 0 };
	size_t copy = 0, at = 0;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		int is_copy = e->bucket == TP_TORCH_COPY;

		if (is_copy && (at == count || items[at] != copy++))
			continue;
		at += is_copy;
		tp_sweep_add(is_copy ? &own : &others, e->from_ps,
		    e->to_ps);
		tp_sweep_add(&both, e->from_ps, e->to_ps);
	}
	tp_out_ps(out, "memcpy_ns", both.busy - others.busy);
	tp_out_ratio(out, "memcpy_of_span_ratio", both.busy - others.busy,
	    span);
	tp_out_ps(out, "memcpy_union_ns", own.busy);
	tp_out_ratio(out, "memcpy_union_of_span_ratio", own.busy, span);
}

/*
 * How long those of the COUNT copies ITEMS took whose BYTES, which are added
 * up, are known; PAGEABLE: of pageable memory only.
 */
static int64_t
sized(const struct copies *c, const uint32_t *items, size_t count,
    int pageable, int64_t *bytes)
{
	int64_t ps = 0;

	for (size_t i = *bytes = 0; i < count; i++) {
		const struct copy *copy = &c->list[items[i]];

		if (!copy->is_sized || (pageable && !copy->is_pageable))
			continue;
		*bytes = tp_plus(*bytes, copy->bytes);
		ps += tp_torch_took(&c->o->file->torch.events[copy->event]);
	}
	return ps;
}

/*
 * Write the rate of copies, as a share of the host link's in one direction,
 * too; of pageable ones their time, and what the link needs for their bytes.
 */
static void
also_of_copies(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	const struct copies *c = arg;
	double link = c->o->platform ? c->o->platform->host_bytes_per_s : 0;
	int is_rate = !strcmp(key, "copied_bytes_per_s");
	const char *direction = c->list[items[0]].direction;
	int64_t bytes, ps = sized(c, items, count, !is_rate, &bytes);
	double rate = (double)bytes * 1e12 / (double)ps;

	if (!strcmp(key, "memcpy_ns")) {
		out_alone(c, items, count, out);
	} else if (is_rate && ps > 0) {
		tp_out_real(out, key, rate);
		if (link > 0 && (!strcmp(direction, "H2D") ||
		    !strcmp(direction, "D2H")))
			tp_out_real(out, "copied_of_link_ratio", rate / link);
	} else if (ps > 0 && link > 0) {
		tp_out_ps(out, key, ps);
		tp_out_int(out, "pageable_at_link_ns",
		    (int64_t)((double)bytes / link * 1e9));
	}
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
	op = e->launch == TP_TORCH_NO ? TP_TORCH_NO :
	    tp_torch_calling_op(t, tp_torch_captured_call(t, at));
	return op != TP_TORCH_NO && !strcmp(tp_torch_event_name(t,
	    &t->events[op])->text, t->ops->read_back);
}

static struct copy
copy_of(const struct tp_torch *t, const struct tp_ids *streams, uint32_t at)
{
	const struct tp_torch_event *e = &t->events[at];
	const char *cause = tp_torch_is_migration(t, e) ? strstr(
	    tp_torch_event_name(t, e)->text, ", ") : NULL;
	int64_t bytes = tp_torch_number(t, e->bytes);
	struct copy c = { .event = at,
	    .direction = tp_torch_copy_direction(t, at),
	    .cause = cause && cause[2] ? cause + 2 : NULL,
	    .bytes = bytes < 0 ? TP_TAB_ABSENT : bytes,
	    .is_sized = bytes >= 0, .is_read_back = -1,
	    .is_pageable = tp_torch_trait(t, e)->memory == TP_TORCH_PAGEABLE,
	    .is_pinned = tp_torch_trait(t, e)->memory == TP_TORCH_PINNED,
	    .is_on_own_stream = e->stream >= 0 && tp_ids_find(streams,
		(uint64_t)e->device, (uint64_t)e->stream) < 0 };

	if (!strcmp(c.direction, "D2H"))
		c.is_read_back = (int8_t)is_read_back(t, at);
	return c;
}

static void
emit_copies(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_ids streams = { 0 };
	struct copy *list = tp_alloc((t->gpu_count + 1) * sizeof *list);
	struct copies c = { o, list };
	struct tp_tab tab = { .process_rank = o->rank, .also = also_of_copies,
	    .also_arg = &c };
	const struct tp_column *event;

	find_streams(t, &streams);
	for (size_t i = 0; i < t->gpu_count; i++)
		if (t->events[t->gpu[i]].bucket == TP_TORCH_COPY)
			list[tab.count++] = copy_of(t, &streams, t->gpu[i]);
	event = TP_TAB_FIELD(&tab, NULL, "event", TP_TAB_INT, list, event);
	TP_TAB_SPAN(&tab, event, "duration", t->events, from_ps, to_ps);
	TP_TAB_FIELD(&tab, NULL, "direction", TP_TAB_TEXT, list, direction);
	TP_TAB_FIELD(&tab, NULL, "cause", TP_TAB_TEXT, list, cause);
	TP_TAB_FIELD(&tab, NULL, "bytes", TP_TAB_INT, list, bytes);
	TP_TAB_FIELD(&tab, NULL, "sized", TP_TAB_INT, list, is_sized);
	TP_TAB_FIELD(&tab, NULL, "pageable", TP_TAB_INT, list, is_pageable);
	TP_TAB_FIELD(&tab, NULL, "pinned", TP_TAB_INT, list, is_pinned);
	TP_TAB_FIELD(&tab, NULL, "own_stream", TP_TAB_INT, list,
	    is_on_own_stream);
	TP_TAB_KNOWN(&tab, NULL, "read_back", list, is_read_back);
	tp_tab_emit(&tab, "memcpy", NULL, o->out);
	tp_tab_emit(&tab, "memcpy.summary", NULL, o->out);
	tp_ids_release(&streams);
	tp_free(list);
}

void
tp_torch_emit_comm(const struct tp_torch_out *o)
{
	emit_collectives(o);
	emit_copies(o);
}

/*
 * A clock that counts from 1970 is past this value, reached in 2001; other
 * clocks count from the start of a machine.
 */
#define EPOCH_NS INT64_C(1000000000000000000)

int64_t
tp_torch_clock_base(const struct tp_torch *t)
{
	int64_t ns;

	return !__builtin_mul_overflow(t->base_us, (int64_t)1000, &ns) &&
	    !__builtin_add_overflow(ns, t->base_ps / 1000 + t->epoch_ns, &ns) &&
	    ns >= EPOCH_NS ? ns : 0;
}

/* Write what the trace's time 0 is on a clock shared by machines. */
static void
emit_clock(const struct tp_torch_out *o)
{
	int64_t ns = tp_torch_clock_base(&o->file->torch);

	tp_torch_out_begin(o, "trace.clock");
	if (ns)
		tp_out_id(o->out, "clock_base", (uint64_t)ns);
	tp_out_end(o->out);
}

struct runs {
	const struct tp_torch *t;
	const struct tp_torch_comm *list;
};

/*
 * Write the bytes of a run, those that bandwidth is based on, and the factor
 * for the least that each rank must send and receive.
 */
static void
out_moved(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	const struct runs *r = arg;
	const struct tp_torch_comm *at = &r->list[*items];
	int64_t bytes, n;
	double factor;

	if (!r->t->events[at->event].collective || !count)
		return;
	if (!strcmp(key, "in_bytes")) {
		out_sizes(r->t, at, out);
		return;
	}
	n = moved(r->t, at, &factor);
	if (n < 0 || __builtin_mul_overflow(n, (int64_t)at->size, &bytes))
		return;
	tp_out_int(out, key, bytes);
	if (factor > 0)
		tp_out_real(out, "bus_factor", factor);
}

void
tp_torch_emit_runs(const struct tp_torch_out *o)
{
	struct tp_tab tab = { .process_rank = o->rank, .also = out_moved };
	struct tp_torch_comm *list = communication_of(&o->file->torch, 0,
	    &tab.count);

	emit_clock(o);
	tab.also_arg = &(struct runs){ &o->file->torch, list };
	add_properties(&tab, &o->file->torch, list);
	tp_tab_emit(&tab, "collective.run", NULL, o->out);
	tp_free(list);
}
