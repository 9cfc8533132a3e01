/* resource_life - lifetimes of resources: ends, live bytes, reusable sizes */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/resource.h>
#include <tp/order.h>

#define NONE SIZE_MAX

/* Rows of equal time keep their order. */
TP_ORDER_POINTERS(by_time, struct tp_resource_event, TP_UP(at_ns)
    TP_BY(TP_CMP(a, b)))

static void
sort(struct tp_resource_list *list)
{
	const struct tp_resource_event **order;
	struct tp_resource_event *sorted;
	size_t i;

	for (i = 1; i < list->count; i++)
		if (list->events[i].at_ns < list->events[i - 1].at_ns)
			break;
	if (i >= list->count)
		return;
	order = tp_alloc(list->count * sizeof *order);
	sorted = tp_alloc(list->count * sizeof *sorted);
	for (i = 0; i < list->count; i++)
		order[i] = &list->events[i];
	TP_SORT(order, list->count, by_time);
	for (i = 0; i < list->count; i++)
		sorted[i] = *order[i];
	tp_free(order);
	tp_free(list->events);
	list->events = sorted;
	list->cap = list->count;
}

/* Current state of an id. */
struct open {
	size_t event;			/* its last allocation, or NONE */
	int closed;			/* by a deallocation */
};

static void
pair_one(struct tp_resource_list *list, struct open *o, size_t i)
{
	struct tp_resource_event *e = &list->events[i], *was;

	was = o->event == NONE ? NULL : &list->events[o->event];
	if (e->state == TP_RES_FREED) {
		if (!was || o->closed)
			e->state = TP_RES_FREED_UNSEEN;
		else if (was->lifetime_ns < 0)
			was->lifetime_ns = e->at_ns - was->at_ns;
		o->closed = 1;
		return;
	}
	if (was && !o->closed && was->lifetime_ns < 0) {
		was->state = TP_RES_REPLACED;
		was->lifetime_ns = e->at_ns - was->at_ns;
	}
	o->event = i;
	o->closed = 0;
}

void
tp_resource_pair(struct tp_resource_list *list)
{
	struct open *open;
	size_t i;

	if (list->paired)
		return;
	open = tp_alloc((list->ids.count + 1) * sizeof *open);
	sort(list);
	for (i = 0; i < list->ids.count; i++)
		open[i] = (struct open){ NONE, 0 };
	for (i = 0; i < list->count; i++)
		pair_one(list, &open[list->events[i].id], i);
	tp_free(open);
	list->paired = 1;
}

struct end {
	int64_t at_ns, bytes;
};

TP_ORDER(by_end, struct end, TP_UP(at_ns) TP_UP(bytes))

/* State of the sweep over events. */
struct sweep {
	struct end *ends;
	size_t end_count, end_cap, next;
	struct tp_ids sizes;
	int64_t *spare;			/* freed and not reused, by size */
	size_t spare_cap;
	struct tp_resource_sums *sums;
};

static int64_t *
spare_of(struct sweep *w, int64_t bytes)
{
	ptrdiff_t at = tp_ids_add(&w->sizes, (uint64_t)bytes, 0);

	return TP_ITEM(w->spare, w->spare_cap, at);
}

static void
end_until(struct sweep *w, int64_t at_ns)
{
	struct tp_resource_sums *s = w->sums;
	int64_t *spare;

	for (; w->next < w->end_count && w->ends[w->next].at_ns <= at_ns;
	    w->next++) {
		s->live--;
		s->live_bytes -= w->ends[w->next].bytes;
		spare = spare_of(w, w->ends[w->next].bytes);
		++*spare;
	}
}

static void
add_live_resource(struct sweep *w, const struct tp_resource_event *e)
{
	struct tp_resource_sums *s = w->sums;
	int64_t *spare;

	end_until(w, e->at_ns);
	s->live++;
	s->live_bytes += e->bytes;
	if (s->live_bytes > s->peak_bytes) {
		s->peak_bytes = s->live_bytes;
		s->peak_at_ns = e->at_ns;
	}
	spare = spare_of(w, e->bytes);
	if (*spare) {
		--*spare;
		s->reusable++;
		s->reusable_bytes += e->bytes;
	}
}

static int
is_of(const struct tp_resource_event *e, ptrdiff_t proc)
{
	return proc < 0 || e->proc == proc;
}

static void
live(const struct tp_resource_list *list, ptrdiff_t proc,
    struct tp_resource_sums *sums)
{
	struct sweep w = { .sums = sums };
	const struct tp_resource_event *e;
	size_t i;

	for (i = 0; i < list->count; i++) {
		e = &list->events[i];
		if (e->state > TP_RES_REPLACED || e->lifetime_ns < 0 ||
		    e->bytes < 0 || !is_of(e, proc))
			continue;
		TP_APPEND(w.ends, w.end_count, w.end_cap, (struct end){
		    e->at_ns + e->lifetime_ns, e->bytes });
	}
	TP_SORT(w.ends, w.end_count, by_end);
	for (i = 0; i < list->count; i++) {
		e = &list->events[i];
		if (e->state <= TP_RES_REPLACED && e->bytes >= 0 && is_of(e,
		    proc))
			add_live_resource(&w, e);
	}
	end_until(&w, INT64_MAX);
	tp_free(w.ends);
	tp_free(w.spare);
	tp_ids_release(&w.sizes);
}

static void
count_allocation(struct tp_resource_sums *s,
    const struct tp_resource_event *e, int64_t small_bytes,
    const struct tp_phase_view *steps)
{
	int in_step = tp_phase_at(steps, e->at_ns) != NULL;

	s->allocated++;
	s->in_steps += in_step;
	if (e->state == TP_RES_REPLACED || e->lifetime_ns < 0)
		s->lifetime_unknown++;
	else
		tp_stat_add(&s->lifetime, e->lifetime_ns);
	if (e->bytes < 0) {
		s->size_unknown++;
		return;
	}
	s->bytes += e->bytes;
	if (in_step)
		s->in_step_bytes += e->bytes;
	if (e->bytes < small_bytes) {
		s->small++;
		s->small_bytes += e->bytes;
	}
	tp_stat_add(&s->size, e->bytes);
}

/* Count the distinct ids in the events of PROC. */
static void
count_ids(const struct tp_resource_list *list, ptrdiff_t proc,
    struct tp_resource_sums *s)
{
	unsigned char *met = tp_zalloc(list->ids.count + 1);
	const struct tp_resource_event *e;

	for (size_t i = 0; i < list->count; i++) {
		e = &list->events[i];
		if (!is_of(e, proc) || met[e->id])
			continue;
		met[e->id] = 1;
		s->ids++;
	}
	tp_free(met);
}

static void
add_rows(struct tp_resource_sums *s, const struct tp_resource_rows *r)
{
	s->rows.rows += r->rows;
	s->rows.others += r->others;
	s->rows.vidmem_known |= r->vidmem_known;
	s->rows.sysmem_known |= r->sysmem_known;
	s->rows.vidmem += r->vidmem;
	s->rows.sysmem += r->sysmem;
}

void
tp_resource_sum(const struct tp_resource_list *list, ptrdiff_t proc,
    int64_t small_bytes, const struct tp_phase_view *steps,
    struct tp_resource_sums *s)
{
	const struct tp_resource_event *e;
	size_t i;

	memset(s, 0, sizeof *s);
	s->first_ns = INT64_MAX;
	s->last_ns = INT64_MIN;
	for (i = 0; i < list->row_cap; i++)
		if (proc < 0 || i == (size_t)proc + 1)
			add_rows(s, &list->rows[i]);
	for (i = 0; i < list->count; i++) {
		e = &list->events[i];
		if (!is_of(e, proc))
			continue;
		TP_LEAST(s->first_ns, e->at_ns);
		TP_MOST(s->last_ns, e->at_ns);
		s->freed += e->state >= TP_RES_FREED;
		s->freed_unseen += e->state == TP_RES_FREED_UNSEEN;
		if (e->state <= TP_RES_REPLACED)
			count_allocation(s, e, small_bytes, steps);
	}
	s->ends_known = s->freed || s->lifetime.count;
	count_ids(list, proc, s);
	live(list, proc, s);
}

void
tp_resource_sums_release(struct tp_resource_sums *sums)
{
	tp_stat_release(&sums->size);
	tp_stat_release(&sums->lifetime);
}
