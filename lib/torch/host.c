/* host - what the threads of the host did: operators by their own time */
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>

#include "frame.h"
#include "host.h"
#include "ival.h"
#include "stat.h"

/* An event that may be in a row. */
struct item {
	int64_t from_ps, to_ps;
	int64_t number;		/* of the call, in the order of begin */
	uint32_t lane, event;
	uint32_t parent;	/* item, or TP_TORCH_NO */
	uint32_t counts_for;	/* item that it counts for */
	uint32_t inside;	/* items directly inside */
	uint32_t calls;		/* calls of the runtime inside */
	uint32_t function;	/* innermost of the program */
	int64_t own_ps;
	int64_t own_bytes, bytes;
};

/* A parent comes before what is inside. */
TP_ORDER(by_begin, struct item, TP_UP(lane) TP_UP(from_ps) TP_DOWN(to_ps)
    TP_UP(number) TP_UP(event))

struct analysis {
	struct tp_torch *t;
	struct tp_torch_host *host;
	struct item *items;
	size_t count;
	uint8_t *is_library;	/* by function name: 0 unknown, 1 yes, 2 no */
	uint32_t step;		/* the name of all steps */
	uint32_t *stack;	/* by text: 2 + the function of the program in
				 * that stack; 1: none, 0: unknown */
	int16_t *part_of;	/* by name, of a call and of an operator: 1 +
				 * part, 0 unknown */
	int16_t *function_part;	/* by function name: likewise; -1: none */
	struct tp_ival outside;	/* main thread outside of all operators, */
	struct tp_ival unknown;	/* ... and outside of all functions */
};

static const struct tp_torch_event *
event_of(const struct analysis *w, size_t i)
{
	return &w->t->events[w->items[i].event];
}

static int
is_grouped(const struct tp_torch *t, const struct tp_torch_event *e)
{
	return (e->cat == TP_TORCH_OP || e->cat == TP_TORCH_RUNTIME ||
	    e->cat == TP_TORCH_ANNOTATION) && !tp_torch_is_added(e) &&
	    !tp_torch_trait(t, e)->is_unlisted;
}

static void
collect(struct analysis *w)
{
	const struct tp_torch *t = w->t;

	w->items = tp_alloc((t->count + 1) * sizeof *w->items);
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (!is_grouped(t, e))
			continue;
		w->items[w->count++] = (struct item){ e->from_ps, e->to_ps,
		    tp_torch_number(t, e->external), e->lane, (uint32_t)i,
		    TP_TORCH_NO, TP_TORCH_NO, 0, 0, TP_TORCH_NO,
		    e->to_ps - e->from_ps, 0, 0 };
	}
	TP_SORT(w->items, w->count, by_begin);
}

/* The name that stands for that of item I. */
static uint32_t
name_of(const struct analysis *w, size_t i)
{
	const struct tp_torch_event *e = event_of(w, i);

	return tp_torch_trait(w->t, e)->is_step ? w->step : e->name;
}

/*
 * Nest as key_averages() does: an item that outlasts another, or begins after
 * its end, ends the search in it, although that one may go on.
 */
static void
nest(struct analysis *w)
{
	uint32_t top = TP_TORCH_NO;

	for (uint32_t i = 0; i < w->count; i++) {
		struct item *it = &w->items[i];

		while (top != TP_TORCH_NO && (w->items[top].lane != it->lane ||
		    it->from_ps >= w->items[top].to_ps ||
		    it->to_ps > w->items[top].to_ps))
			top = w->items[top].parent;
		it->parent = top;
		if (top != TP_TORCH_NO) {
			w->items[top].inside++;
			w->items[top].own_ps -= it->to_ps - it->from_ps;
		}
		top = i;
	}
	/* what is inside comes after what it is in */
	for (uint32_t i = (uint32_t)w->count; i-- > 0;)
		if (w->items[i].parent != TP_TORCH_NO)
			w->items[w->items[i].parent].calls +=
			    w->items[i].calls + (event_of(w, i)->cat ==
			    TP_TORCH_RUNTIME);
	for (uint32_t i = 0; i < w->count; i++) {
		struct item *it = &w->items[i];
		struct item *up = it->parent == TP_TORCH_NO ? NULL :
		    &w->items[it->parent];

		it->counts_for = up && up->inside == 1 && name_of(w, i) ==
		    name_of(w, it->parent) ? up->counts_for : i;
		if (it->counts_for != i)
			w->items[it->counts_for].own_ps += it->own_ps;
	}
}

/* The innermost item around PS on LANE, its ends included; or TP_TORCH_NO. */
static uint32_t
item_at(const struct analysis *w, uint32_t lane, int64_t ps)
{
	size_t n;
	uint32_t at;

	TP_SEEK(n, 0, w->count, middle, w->items[middle].lane < lane ||
	    (w->items[middle].lane == lane && w->items[middle].from_ps <= ps));
	at = n && w->items[n - 1].lane == lane ? (uint32_t)n - 1 :
	    TP_TORCH_NO;
	while (at != TP_TORCH_NO && w->items[at].to_ps < ps)
		at = w->items[at].parent;
	return at;
}

static void
place_memory(struct analysis *w)
{
	for (size_t i = 0; i < w->t->memory_count; i++) {
		const struct tp_torch_memory *m = &w->t->memory[i];
		uint32_t at = m->device < 0 ? item_at(w, m->lane, m->at_ps) :
		    TP_TORCH_NO;

		w->host->has_memory |= m->device < 0;
		if (at != TP_TORCH_NO)
			w->items[at].own_bytes = tp_plus(
			    w->items[at].own_bytes, m->bytes);
	}
	for (size_t i = w->count; i-- > 0;) {
		struct item *it = &w->items[i];

		it->bytes = tp_plus(it->bytes, it->own_bytes);
		if (it->parent != TP_TORCH_NO)
			w->items[it->parent].bytes = tp_plus(
			    w->items[it->parent].bytes, it->bytes);
	}
	for (size_t i = 0; i < w->count; i++) {
		struct item *it = &w->items[i];

		if (it->counts_for != i)
			w->items[it->counts_for].own_bytes = tp_plus(
			    w->items[it->counts_for].own_bytes, it->own_bytes);
	}
}

/* What has begun on a thread and not ended. */
struct open {
	int64_t to_ps;
	uint32_t program;	/* innermost function of the program */
	int part;		/* -1: none */
	int is_whole;		/* all that is inside is of the part, too */
};

struct nesting {
	struct open *list;
	size_t count, cap;
	size_t function;	/* the next one */
};

static int
is_library(const struct analysis *w, uint32_t name)
{
	if (!w->is_library[name])
		w->is_library[name] = tp_class_of_name(&w->t->ops->library,
		    w->t->function_names.names[name].text) ? 1 : 2;
	return w->is_library[name] == 1;
}

static void
push(struct nesting *s, struct open o)
{
	TP_APPEND(s->list, s->count, s->cap, o);
}

/*
 * The innermost function of the program in a stack as old traces write it,
 * "FILE(LINE): NAME;" each; TP_TORCH_NO if there is none.
 */
static uint32_t
function_in(struct tp_torch *t, const struct tp_name *stack)
{
	const char *from = stack->text, *end = from + stack->len, *to;

	for (; from < end; from = to + 1) {
		to = memchr(from, ';', (size_t)(end - from));
		to = to ? to : end;
		while (from < to && strchr("\r\n\t ", *from))
			from++;
		if (from == to || tp_class_of_part(&t->ops->library, from,
		    (size_t)(to - from)))
			continue;
		return (uint32_t)tp_names_add(&t->function_names, from,
		    (size_t)(to - from));
	}
	return TP_TORCH_NO;
}

/* Find the functions of the program in stacks. */
static void
read_stacks(struct analysis *w)
{
	struct tp_torch *t = w->t;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];
		uint32_t name;

		if (e->cat != TP_TORCH_OP || e->stack < 0 || w->stack[e->stack])
			continue;
		name = function_in(t, &t->texts.names[e->stack]);
		w->stack[e->stack] = name == TP_TORCH_NO ? 1 : name + 2;
	}
}

/* Find the function of the program around each item. */
static void
place_functions(struct analysis *w)
{
	const struct tp_torch *t = w->t;
	struct nesting s = { 0 };
	uint32_t lane = TP_TORCH_NO;

	for (size_t i = 0; i < w->count; i++) {
		struct item *it = &w->items[i];

		for (; s.function < t->function_count &&
		    tp_torch_function_is_first(&t->functions[s.function],
		    event_of(w, i)); s.function++) {
			const struct tp_torch_function *f =
			    &t->functions[s.function];
			uint32_t out;

			if (f->lane != lane)
				s.count = 0;
			lane = f->lane;
			while (s.count && s.list[s.count - 1].to_ps <=
			    f->from_ps)
				s.count--;
			out = s.count ? s.list[s.count - 1].program :
			    TP_TORCH_NO;
			push(&s, (struct open){ f->to_ps, is_library(w, f->name)
			    ? out : f->name, -1, 0 });
		}
		while (s.count && (lane != it->lane ||
		    s.list[s.count - 1].to_ps <= it->from_ps))
			s.count--;
		if (s.count)
			it->function = s.list[s.count - 1].program;
		else if (event_of(w, i)->cat == TP_TORCH_OP &&
		    event_of(w, i)->stack >= 0 &&
		    w->stack[event_of(w, i)->stack] > 1)
			it->function = w->stack[event_of(w, i)->stack] - 2;
	}
	tp_free(s.list);
}

/* An item of a row. */
struct call {
	uint32_t row, item;
	int64_t own_ps;
};

TP_ORDER(by_row, struct call, TP_UP(row) TP_UP(own_ps) TP_UP(item))

TP_ORDER(by_own_time, struct tp_torch_host_group, TP_DOWN(own_ps)
    TP_DOWN(sum_ps) TP_UP(name) TP_UP(dims) TP_UP(cat))

/* Set the statistics of the row of CALLS. */
static void
fill_group(const struct analysis *w, struct tp_torch_host_group *row,
    const struct call *calls, size_t count)
{
	uint32_t first = calls[0].item;

	for (size_t i = 0; i < count; i++)
		if (w->items[calls[i].item].from_ps <
		    w->items[first].from_ps)
			first = calls[i].item;
	row->first_ps = count > 1 ? w->items[first].own_ps : TP_TORCH_NONE;
	row->median_ps = count > 1 ? calls[(count - 1) / 2].own_ps :
	    TP_TORCH_NONE;
	row->max_ps = calls[count - 1].own_ps;
	row->mean_ps = tp_div_even(row->sum_ps, (int64_t)count);
	if (row->cat != TP_TORCH_OP || !w->t->cat_count[TP_TORCH_RUNTIME])
		row->calls = TP_TORCH_NONE;
}

/* Set the function with most of each row's own time. */
static void
fill_functions(const struct analysis *w, struct tp_torch_host_table *table,
    const struct call *calls, size_t count)
{
	struct tp_ids ids = { 0 };
	int64_t *sums = tp_zalloc((count + 1) * sizeof *sums);
	int64_t *best = tp_zalloc((table->count + 1) * sizeof *best);
	ptrdiff_t at;

	for (size_t i = 0; i < count; i++) {
		uint32_t f = w->items[calls[i].item].function;

		if (f == TP_TORCH_NO)
			continue;
		at = tp_ids_add(&ids, calls[i].row, f);
		sums[at] += calls[i].own_ps;
	}
	for (size_t i = 0; i < ids.count; i++) {
		struct tp_torch_host_group *row = &table->list[ids.ids[i].a];

		if (row->function != TP_TORCH_NO &&
		    sums[i] <= best[ids.ids[i].a])
			continue;
		best[ids.ids[i].a] = sums[i];
		row->function = (uint32_t)ids.ids[i].b;
	}
	tp_free(sums);
	tp_free(best);
	tp_ids_release(&ids);
}

/* The index of part NAME, added if new. */
static int
part_named(struct analysis *w, const char *name)
{
	ptrdiff_t at = tp_names_add(&w->host->parts, name, strlen(name));

	TP_ITEM(w->host->part_ps, w->host->part_cap, at);
	return (int)at;
}

/* The part that operator or call E is of, by its name. */
static int
part_of(struct analysis *w, const struct tp_torch_event *e)
{
	const struct tp_torch *t = w->t;
	int is_op = e->cat == TP_TORCH_OP;
	int16_t *part = &w->part_of[2 * (size_t)e->name + (size_t)is_op];
	const struct tp_class *c;

	if (!*part && is_op) {
		c = tp_class_of_name(&t->ops->host_parts,
		    tp_torch_event_name(t, e)->text);
		*part = (int16_t)(part_named(w, c ? c->name :
		    "other-operators") + 1);
	} else if (!*part) {
		c = &t->ops->runtime.list[tp_torch_trait(t, e)->runtime_class];
		*part = (int16_t)(part_named(w, strcmp(c->name,
		    "synchronize") ? "runtime-calls" : "waiting-for-gpu") + 1);
	}
	return *part - 1;
}

static void
start_group(struct analysis *w, struct tp_torch_host_group *row,
    const struct tp_torch_event *e, uint32_t dims)
{
	*row = (struct tp_torch_host_group){ .name = e->name, .dims = dims,
	    .function = TP_TORCH_NO, .part = -1, .cat = e->cat };
	if (e->cat == TP_TORCH_OP && !w->t->is_strange)
		row->part = (int16_t)part_of(w, e);
}

/* Make the rows by name, or by name and shapes. */
static void
make_table(struct analysis *w, struct tp_torch_host_table *table, int by_shapes)
{
	struct call *calls = tp_alloc((w->count + 1) * sizeof *calls);
	struct tp_ids ids = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < w->count; i++) {
		const struct tp_torch_event *e = event_of(w, i);
		const struct item *it = &w->items[i];
		uint32_t dims = by_shapes && e->cat == TP_TORCH_OP ?
		    tp_torch_args_of(w->t, e).dims : 0;
		struct tp_torch_host_group *row;
		ptrdiff_t at;

		if (it->counts_for != i)
			continue;
		at = tp_ids_add(&ids, (uint64_t)name_of(w, i) << 32 | dims,
		    e->cat);
		TP_ITEM(table->list, table->cap, at);
		row = &table->list[at];
		if ((size_t)at == table->count) {
			table->count++;
			start_group(w, row, e, dims);
		}
		row->count++;
		row->calls += it->calls;
		row->sum_ps += it->to_ps - it->from_ps;
		row->own_ps += it->own_ps;
		row->bytes = tp_plus(row->bytes, it->bytes);
		row->own_bytes = tp_plus(row->own_bytes, it->own_bytes);
		calls[n++] = (struct call){ (uint32_t)at, (uint32_t)i,
		    it->own_ps };
	}
	TP_SORT(calls, n, by_row);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && calls[end].row == calls[i].row; end++)
			;
		fill_group(w, &table->list[calls[i].row], &calls[i], end - i);
	}
	fill_functions(w, table, calls, n);
	TP_SORT(table->list, table->count, by_own_time);
	tp_free(calls);
	tp_ids_release(&ids);
}

static struct tp_torch_host_thread *
thread_of(struct analysis *w, uint32_t lane, struct tp_ids *ids)
{
	struct tp_torch_host *h = w->host;
	ptrdiff_t at = tp_ids_add(ids, lane, 0);

	TP_ITEM(h->threads, h->thread_cap, at);
	if ((size_t)at == h->thread_count) {
		h->thread_count++;
		h->threads[at] = (struct tp_torch_host_thread){ .lane = lane,
		    .first_ps = INT64_MAX, .last_ps = INT64_MIN };
	}
	return &h->threads[at];
}

TP_ORDER(by_busy, struct tp_torch_host_thread, TP_DOWN(busy_ps)
    TP_DOWN(range_ps) TP_DOWN(function_count) TP_UP(lane))

static void
make_threads(struct analysis *w)
{
	struct tp_sweep busy = { 0 }, range = { 0 };
	struct tp_ids ids = { 0 };
	struct tp_torch_host_thread *y = NULL;

	for (size_t i = 0; i < w->count; i++) {
		const struct item *it = &w->items[i];
		uint8_t cat = event_of(w, i)->cat;

		if (!y || y->lane != it->lane) {
			memset(&busy, 0, sizeof busy);
			memset(&range, 0, sizeof range);
		}
		y = thread_of(w, it->lane, &ids);
		TP_LEAST(y->first_ps, it->from_ps);
		TP_MOST(y->last_ps, it->to_ps);
		y->op_count += cat == TP_TORCH_OP;
		y->call_count += cat == TP_TORCH_RUNTIME;
		y->range_count += cat == TP_TORCH_ANNOTATION;
		tp_sweep_add(cat == TP_TORCH_ANNOTATION ? &range : &busy,
		    it->from_ps, it->to_ps);
		y->busy_ps = busy.busy;
		y->range_ps = range.busy;
	}
	for (size_t i = 0; i < w->t->function_count; i++) {
		const struct tp_torch_function *f = &w->t->functions[i];

		y = thread_of(w, f->lane, &ids);
		y->function_count++;
		TP_LEAST(y->first_ps, f->from_ps);
		TP_MOST(y->last_ps, f->to_ps);
	}
	tp_ids_release(&ids);
	TP_SORT(w->host->threads, w->host->thread_count, by_busy);
}

static int
is_backward(const struct tp_torch *t, const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_OP &&
	    tp_torch_starts(t, e, t->ops->backward);
}

/* Find the main thread and its window, if there is an operator or a range. */
static void
find_main(struct analysis *w)
{
	const struct tp_torch *t = w->t;
	struct tp_torch_host *h = w->host;
	int64_t best = -1, sum = 0;

	for (size_t i = 0; i < w->count; i++) {
		const struct item *it = &w->items[i];
		const struct tp_torch_event *e = event_of(w, i);

		if (!i || it->lane != w->items[i - 1].lane)
			sum = 0;
		if (e->cat == TP_TORCH_RUNTIME)
			continue;
		if (tp_torch_is_step(t, e)) {
			h->main = it->lane;
			h->by_steps = 1;
			break;
		}
		if (it->parent == TP_TORCH_NO && !is_backward(t, e))
			sum += it->to_ps - it->from_ps;
		if (sum > best) {
			best = sum;
			h->main = it->lane;
		}
	}
}

static void
find_window(struct analysis *w)
{
	const struct tp_torch *t = w->t;
	struct tp_torch_host *h = w->host;
	struct tp_torch_host_thread main;

	h->from_ps = INT64_MAX;
	h->to_ps = INT64_MIN;
	for (size_t i = 0; i < w->count; i++) {
		const struct item *it = &w->items[i];
		const struct tp_torch_event *e = event_of(w, i);

		if (t->lanes[it->lane].pid != t->lanes[h->main].pid ||
		    e->cat == TP_TORCH_RUNTIME ||
		    (h->by_steps && !tp_torch_trait(t, e)->is_step))
			continue;
		TP_LEAST(h->from_ps, it->from_ps);
		TP_MOST(h->to_ps, it->to_ps);
	}
	for (size_t i = 0; i < h->thread_count; i++)
		if (h->threads[i].lane == h->main) {
			main = h->threads[i];
			memmove(&h->threads[1], h->threads,
			    i * sizeof *h->threads);
			h->threads[0] = main;
		}
}

/* The part that range or function C is of; NULL: it is of none. */
static const char *
part_of_class(const struct tp_class *c)
{
	const char *cause = c ? tp_json_text(c->row, "cause") : NULL;

	return cause ? cause : c ? c->name : NULL;
}

/* What item I is: its part, and whether all inside is of it. */
static struct open
open_item(struct analysis *w, size_t i)
{
	const struct tp_torch *t = w->t;
	const struct tp_torch_event *e = event_of(w, i);
	const struct tp_torch_name *trait = tp_torch_trait(t, e);
	struct open o = { w->items[i].to_ps, 0, -1, 0 };
	const char *part;

	if (e->cat == TP_TORCH_ANNOTATION) {
		part = trait->about ? part_of_class(
		    &t->ops->annotations.list[trait->about - 1]) :
		    tp_torch_starts(t, e, t->ops->optimizer) ?
		    "optimizer-steps" : NULL;
		o.is_whole = part != NULL;
		o.part = part ? part_named(w, part) : -1;
	} else {
		o.part = part_of(w, e);
	}
	return o;
}

static struct open
open_function(struct analysis *w, const struct tp_torch_function *f)
{
	const struct tp_class *c;
	int16_t *part = &w->function_part[f->name];

	if (!*part) {
		c = tp_class_of_name(&w->t->ops->functions,
		    w->t->function_names.names[f->name].text);
		*part = (int16_t)(c ? part_named(w, part_of_class(c)) + 1 :
		    -1);
	}
	return (struct open){ f->to_ps, 0, *part > 0 ? *part - 1 : -1,
	    *part > 0 };
}

/* The time from FROM to TO of the main thread is in the top of S. */
static void
spend(struct analysis *w, const struct nesting *s, int64_t from, int64_t to)
{
	const struct open *top = s->count ? &s->list[s->count - 1] : NULL;

	TP_MOST(from, w->host->from_ps);
	TP_LEAST(to, w->host->to_ps);
	if (from >= to)
		return;
	if (top && top->part >= 0) {
		w->host->part_ps[top->part] += to - from;
		return;
	}
	tp_ival_add(&w->outside, from, to);
	if (!top)
		tp_ival_add(&w->unknown, from, to);
}

/* End what ends up to PS; the main thread has been followed up to *AT. */
static void
close_upto(struct analysis *w, struct nesting *s, int64_t ps, int64_t *at)
{
	while (s->count && s->list[s->count - 1].to_ps <= ps) {
		if (s->list[s->count - 1].to_ps > *at) {
			spend(w, s, *at, s->list[s->count - 1].to_ps);
			*at = s->list[s->count - 1].to_ps;
		}
		s->count--;
	}
	if (ps > *at)
		spend(w, s, *at, ps);
	TP_MOST(*at, ps);
}

/* Go into O, which begins at FROM; it ends with what it began in. */
static void
enter(struct analysis *w, struct nesting *s, struct open o, int64_t from,
    int64_t *at)
{
	const struct open *top;

	close_upto(w, s, from, at);
	top = s->count ? &s->list[s->count - 1] : NULL;
	/* a function that an operator calls is of the operator */
	if (top && (top->is_whole || o.part < 0)) {
		o.part = top->part;
		o.is_whole |= top->is_whole;
	}
	if (top)
		TP_LEAST(o.to_ps, top->to_ps);
	push(s, o);
}

/* Follow the main thread through its window. */
static void
follow(struct analysis *w)
{
	const struct tp_torch *t = w->t;
	struct tp_torch_host *h = w->host;
	struct nesting s = { 0 };
	struct open o;
	int64_t at = h->from_ps;
	size_t i;

	TP_SEEK(i, 0, w->count, middle, w->items[middle].lane < h->main);
	TP_SEEK(s.function, 0, t->function_count, middle,
	    t->functions[middle].lane < h->main);
	for (;;) {
		const struct item *it = i < w->count &&
		    w->items[i].lane == h->main ? &w->items[i] : NULL;
		const struct tp_torch_function *f = s.function <
		    t->function_count && t->functions[s.function].lane ==
		    h->main ? &t->functions[s.function] : NULL;

		if (f && (!it || tp_torch_function_is_first(f, event_of(w,
		    i)))) {
			enter(w, &s, open_function(w, f), f->from_ps, &at);
			s.function++;
		} else if (it) {
			o = open_item(w, i);
			/* a range of no part changes nothing */
			if (o.part >= 0)
				enter(w, &s, o, it->from_ps, &at);
			i++;
		} else {
			break;
		}
	}
	close_upto(w, &s, INT64_MAX, &at);
	tp_free(s.list);
}

static void
add_part(struct analysis *w, const char *name, int64_t ps)
{
	int part = part_named(w, name);

	w->host->part_ps[part] += ps;
}

/*
 * Divide what the main thread spent outside of operators: while another
 * thread runs a backward pass; in Python functions; in nothing recorded.
 */
static void
divide_outside(struct analysis *w)
{
	const struct tp_torch *t = w->t;
	struct tp_torch_host *h = w->host;
	struct tp_ival backward = { 0 }, beside = { 0 };
	int64_t away, lost, blank;

	for (size_t i = 0; i < w->count; i++)
		if (w->items[i].lane != h->main &&
		    t->lanes[w->items[i].lane].pid == t->lanes[h->main].pid &&
		    is_backward(t, event_of(w, i)))
			tp_ival_add(&backward, w->items[i].from_ps,
			    w->items[i].to_ps);
	tp_ival_finish(&backward);
	tp_ival_finish(&w->outside);
	tp_ival_finish(&w->unknown);
	tp_ival_meet(&beside, &w->outside, &backward);
	tp_ival_finish(&beside);
	lost = tp_ival_common(&beside, &w->unknown);
	away = tp_ival_busy(&beside);
	blank = t->function_count ? tp_ival_busy(&w->unknown) - lost : 0;
	add_part(w, "backward-thread", away);
	add_part(w, "not-recorded", blank);
	add_part(w, t->function_count ? "python-code" : "outside-operators",
	    tp_ival_busy(&w->outside) - away - blank);
	tp_ival_release(&backward);
	tp_ival_release(&beside);
}

/* Operators of the main thread without another one inside. */
static void
count_short(struct analysis *w)
{
	struct tp_torch_host *h = w->host;

	for (size_t i = 0; i < w->count; i++) {
		const struct item *it = &w->items[i];

		if (it->lane != h->main || event_of(w, i)->cat !=
		    TP_TORCH_OP || it->from_ps < h->from_ps ||
		    it->from_ps >= h->to_ps)
			continue;
		h->op_count++;
		if (it->inside || it->to_ps - it->from_ps >=
		    h->short_limit_ps)
			continue;
		h->short_count++;
		h->short_ps += it->to_ps - it->from_ps;
	}
}

/* The time with an event on any thread. */
static void
find_busy(struct analysis *w)
{
	struct tp_ival busy = { 0 };

	for (size_t i = 0; i < w->count; i++)
		tp_ival_add(&busy, w->items[i].from_ps, w->items[i].to_ps);
	tp_ival_finish(&busy);
	w->host->busy_ps = tp_ival_busy(&busy);
	tp_ival_release(&busy);
}

static void
make(struct analysis *w)
{
	struct tp_torch_host *h = w->host;

	collect(w);
	nest(w);
	place_memory(w);
	tp_torch_sort_functions(w->t);
	place_functions(w);
	make_table(w, &h->by_name, 0);
	make_table(w, &h->by_shapes, 1);
	make_threads(w);
	for (size_t i = 0; i < h->by_name.count; i++)
		h->own_ps += h->by_name.list[i].own_ps;
	if (w->t->is_strange) {
		find_busy(w);
		return;
	}
	find_main(w);
	if (h->main == TP_TORCH_NO)
		return;
	find_window(w);
	count_short(w);
	follow(w);
	divide_outside(w);
}

int
tp_torch_host_make(struct tp_torch_host *h, struct tp_torch *t,
    struct tp_err *err)
{
	struct analysis w = { .t = t, .host = h, .step = TP_TORCH_NO };

	memset(h, 0, sizeof *h);
	h->main = TP_TORCH_NO;
	/* emit_recorded.c has what another profiler's recording holds */
	if (t->recorder && !t->cat_count[TP_TORCH_OP])
		return 0;
	if (tp_torch_limit_ps(t->ops, "host", "short_ns", &h->short_limit_ps,
	    err) < 0)
		return -1;
	w.stack = tp_zalloc(t->texts.count * sizeof *w.stack);
	read_stacks(&w);
	w.is_library = tp_zalloc(t->function_names.count + 1);
	w.part_of = tp_zalloc((2 * t->names.count + 1) * sizeof *w.part_of);
	w.function_part = tp_zalloc((t->function_names.count + 1) *
	    sizeof *w.function_part);
	for (size_t i = 0; w.step == TP_TORCH_NO && i < t->names.count; i++)
		if (t->traits[i].is_step)
			w.step = (uint32_t)i;
	make(&w);
	tp_free(w.items);
	tp_free(w.stack);
	tp_free(w.is_library);
	tp_free(w.part_of);
	tp_free(w.function_part);
	tp_ival_release(&w.outside);
	tp_ival_release(&w.unknown);
	return 0;
}
