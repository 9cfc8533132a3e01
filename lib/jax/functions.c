/* functions - what the launching thread ran while a device was idle */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "functions.h"

struct build {
	struct tp_jax_functions *functions;
	const struct tp_tracks *tracks;
	struct tp_jax_acts *acts;
	struct tp_ids ids;		/* (name, part) */
	size_t cap;
	struct tp_ival_walk walk;	/* over idle time, in order */
	struct tp_span idle;		/* next idle stretch, if */
	int more;			/* there is one */
};

/* The budget part of what S does; -1: none. */
static int
part_of(struct build *b, const struct tp_jax_event *s)
{
	ptrdiff_t c = tp_jax_acts_of(b->acts, s, 1);

	return c < 0 ? -1 : b->acts->classes->list[c].number;
}

static struct tp_jax_function *
function_of(struct build *b, const struct tp_jax_event *s)
{
	struct tp_jax_functions *f = b->functions;
	const struct tp_jax_event *named = s;
	ptrdiff_t at;
	int part;

	while (!tp_jax_is_python(b->tracks, named) && named->parent)
		named = &b->tracks->slices[named->parent - 1];
	if (!tp_jax_is_python(b->tracks, named))
		named = s;
	part = part_of(b, named);
	at = tp_ids_add(&b->ids, named->name, (uint64_t)(part + 1));
	TP_ITEM(f->list, b->cap, at);
	if ((size_t)at == f->count)
		f->list[f->count++] = (struct tp_jax_function){
		    .name = named->name, .part = part };
	return &f->list[at];
}

/* Add an interval in which S is innermost; called in time order. */
static void
add_function_idle(void *arg, const struct tp_jax_event *s, int64_t from,
    int64_t to)
{
	struct build *b = arg;
	struct tp_jax_function *f = NULL;
	int64_t ps;

	while (b->more > 0 && b->idle.to <= from)
		b->more = tp_ival_next(&b->walk, &b->idle);
	while (b->more > 0 && b->idle.from < to) {
		ps = (b->idle.to < to ? b->idle.to : to) -
		    (b->idle.from > from ? b->idle.from : from);
		if (!f)
			f = function_of(b, s);
		f->count++;
		tp_ps_add(&f->total_ps, ps);
		TP_MOST(f->max_ps, ps);
		if (b->idle.to > to)
			break;
		b->more = tp_ival_next(&b->walk, &b->idle);
	}
}

/* For qsort(). */
static const struct tp_names *sorting;

TP_ORDER(by_total, struct tp_jax_function, TP_DOWN(total_ps)
    TP_BY(strcmp(sorting->names[a->name].text, sorting->names[b->name].text))
    TP_UP(part))

void
tp_jax_functions_make(struct tp_jax_functions *f,
    struct tp_jax_acts *acts, const struct tp_track *lane,
    const struct tp_ival *idle)
{
	const struct tp_tracks *tracks = acts->tracks;
	struct build b = { .functions = f, .tracks = tracks, .acts = acts };

	memset(f, 0, sizeof *f);
	if (!tp_ival_count(idle))
		return;
	f->idle_ps = tp_ival_busy(idle);
	tp_ival_begin(&b.walk, idle);
	b.more = tp_ival_next(&b.walk, &b.idle);
	tp_tracks_innermost(tracks, lane, add_function_idle, &b);
	tp_ival_stop(&b.walk);
	tp_ids_release(&b.ids);
	sorting = &tracks->names;
	TP_SORT(f->list, f->count, by_total);
}

void
tp_jax_functions_release(struct tp_jax_functions *f)
{
	tp_free(f->list);
	memset(f, 0, sizeof *f);
}
