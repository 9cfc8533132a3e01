/* steps_marks - steps as signposts of one name */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/steps.h>
#include <tp/order.h>

#define FEWEST 3
/* Names compared with each other, longest in total. */
#define NAMES_MAX 16

/* All marks of one name. */
struct named {
	const struct tp_mark *marks;	/* in time order */
	size_t count;
	const char *name;
	int64_t wall_ns, busy_ns;
};

TP_ORDER(by_event, struct tp_mark_event, TP_UP(proc) TP_UP(name) TP_UP(id)
    TP_UP(at_ns) TP_DOWN(ends))

/* Pair begin and end events to marks, when the interval table is missing. */
static void
pair(struct tp_steps *s)
{
	size_t i;

	if (s->mark_count)
		return;
	TP_SORT(s->events, s->event_count, by_event);
	for (i = 1; i < s->event_count; i++) {
		const struct tp_mark_event *b = &s->events[i - 1];
		const struct tp_mark_event *e = &s->events[i];
		struct tp_mark *m;

		if (b->ends || !e->ends || b->proc != e->proc ||
		    b->name != e->name || b->id != e->id)
			continue;
		m = TP_PUSH(s->marks, s->mark_count, s->mark_cap);
		*m = (struct tp_mark){ b->at_ns, e->at_ns, -1, b->name,
		    b->proc };
	}
}

TP_ORDER(by_mark, struct tp_mark, TP_UP(proc) TP_UP(name) TP_UP(from_ns)
    TP_UP(to_ns))

void
tp_steps_measure(const struct tp_ival *busy, struct tp_step *steps,
    size_t count, struct tp_steps_found *found)
{
	struct tp_ival_walk walk;
	struct tp_span span;
	int64_t from, to;
	size_t k = 0, i;

	tp_ival_begin(&walk, busy);
	while (tp_ival_next(&walk, &span)) {
		if (span.from < steps[0].start_ns)
			found->before_ns += (span.to < steps[0].start_ns ?
			    span.to : steps[0].start_ns) - span.from;
		to = steps[count - 1].end_ns;
		if (span.to > to)
			found->after_ns += span.to - (span.from > to ?
			    span.from : to);
		while (k < count && steps[k].end_ns <= span.from)
			k++;
		for (i = k; i < count && steps[i].start_ns < span.to; i++) {
			from = span.from > steps[i].start_ns ? span.from :
			    steps[i].start_ns;
			to = span.to < steps[i].end_ns ? span.to :
			    steps[i].end_ns;
			if (!steps[i].busy_ns)
				steps[i].first_ns = from;
			steps[i].last_ns = to;
			steps[i].busy_ns += to - from;
		}
	}
	tp_ival_stop(&walk);
}

/* Make the steps of FOUND from the marks of N. */
static void
to_steps(struct named *n, const struct tp_ival *busy,
    struct tp_steps_found *found)
{
	struct tp_step *s = tp_zalloc(n->count * sizeof *s);
	size_t i;

	for (i = 0; i < n->count; i++) {
		s[i].start_ns = n->marks[i].from_ns;
		s[i].end_ns = n->marks[i].to_ns;
		s[i].intervals = s[i].buffers = -1;
	}
	tp_free(found->steps);
	memset(found, 0, sizeof *found);
	found->steps = s;
	found->count = n->count;
	found->name = n->name;
	found->method = "signpost";
	tp_steps_measure(busy, s, n->count, found);
	for (n->busy_ns = 0, i = 0; i < n->count; i++)
		n->busy_ns += s[i].busy_ns;
}

/* Longest in total first; ties by name. */
TP_ORDER(by_wall, struct named, TP_DOWN(wall_ns)
    TP_BY(strcmp(a->name, b->name)))

/* Whether MARKS of one name can be steps: none overlaps the next. */
static int
is_loop(struct named *n, size_t fewest)
{
	if (n->count < fewest)
		return 0;
	for (size_t i = 0; i < n->count; i++) {
		if (i && n->marks[i].from_ns < n->marks[i - 1].to_ns)
			return 0;
		n->wall_ns += n->marks[i].to_ns - n->marks[i].from_ns;
	}
	return 1;
}

/* The names among the COUNT sorted MARKS that can be steps, into *NAMED. */
static size_t
find_names(const struct tp_steps *s, const struct tp_mark *marks,
    size_t count, struct named **named)
{
	size_t n = 0, cap = 0, i, from;

	for (i = 0; i < count; i = from) {
		for (from = i; from < count && marks[from].name ==
		    marks[i].name; from++)
			;
		tp_grow(named, &cap, n + 1, sizeof **named);
		(*named)[n] = (struct named){ &marks[i], from - i,
		    s->names.names[marks[i].name].text, 0, 0 };
		n += (size_t)is_loop(&(*named)[n], s->wanted ? 1 : FEWEST);
	}
	TP_SORT(*named, n, by_wall);
	return n < NAMES_MAX ? n : NAMES_MAX;
}

/*
 * Choose the name whose marks hold most GPU work; of names with nearly as
 * much, the one with most marks, since loops nest.  Less than half of the
 * work is no loop of steps, unless the program has no other marks.
 */
static void
choose(struct named *named, size_t n, const struct tp_ival *busy,
    struct tp_steps_found *found)
{
	struct named *best = NULL;
	int64_t most = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		to_steps(&named[i], busy, found);
		TP_MOST(most, named[i].busy_ns);
	}
	for (i = 0; i < n; i++)
		if (named[i].busy_ns >= most - most / 10 &&
		    (!best || named[i].count > best->count))
			best = &named[i];
	if (best && (n == 1 || most >= tp_ival_busy(busy) / 2)) {
		to_steps(best, busy, found);
		return;
	}
	tp_free(found->steps);
	memset(found, 0, sizeof *found);
}

struct tp_mark *
tp_steps_marks(struct tp_steps *s, ptrdiff_t proc,
    const struct tp_window *window, size_t *count)
{
	struct tp_mark *marks;

	*count = 0;
	pair(s);
	marks = tp_alloc((s->mark_count + 1) * sizeof *marks);
	for (size_t i = 0; i < s->mark_count; i++)
		if (s->marks[i].proc == (uint32_t)proc &&
		    s->marks[i].from_ns >= window->from_ns &&
		    s->marks[i].to_ns <= window->to_ns)
			marks[(*count)++] = s->marks[i];
	TP_SORT(marks, *count, by_mark);
	return marks;
}

void
tp_steps_in_marks(const struct tp_steps *s, const struct tp_mark *marks,
    size_t count, const struct tp_ival *busy, struct tp_steps_found *found)
{
	struct named *named = NULL;
	size_t n = find_names(s, marks, count, &named);

	choose(named, n, busy, found);
	tp_free(named);
}
