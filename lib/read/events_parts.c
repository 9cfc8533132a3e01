/* events_parts - parse the events of a JSON trace by several threads */
#define _GNU_SOURCE	/* memmem() */
#include <string.h>

#include <tp/alloc.h>

#include "events_parts.h"

/* A thread; names and phases are of the reader. */
struct worker {
	struct tp_events *of;
	struct tp_reading reading;
	struct tp_element element;
};

void
tp_events_learn_boundary(struct tp_events *e, const char *end)
{
	const char *from = e->sight.p, *at = e->at, *key;
	size_t len;

	/* the '}' before it must be in view, too */
	if (e->boundary_len || from == e->sight.view || *at != '{')
		return;
	key = tp_blanks(at + 1, end);
	if (*key != '"')
		return;
	key = memchr(key + 1, '"', (size_t)(end - key - 1));
	len = key ? (size_t)(key + 1 - (from - 1)) : 0;
	if (len > sizeof e->boundary)
		return;
	memcpy(e->boundary, from - 1, len);
	e->boundary_len = len;
}

static size_t
behind(const void *arg, const char *block, size_t at, size_t to, size_t len)
{
	const struct tp_events *e = arg;
	size_t last = to + e->boundary_len - 1;
	const char *p;

	last = last < len ? last : len;
	p = at < last ? memmem(block + at, last - at, e->boundary,
	    e->boundary_len) : NULL;
	return p ? (size_t)(p + 1 - block) : 0;
}

static void *
begin_worker(void *arg)
{
	const struct tp_events *e = arg;
	struct worker *w = tp_zalloc(sizeof *w);

	w->of = arg;
	w->reading.simd = e->reading.simd;
	w->reading.names = e->reading.names;
	w->reading.phases = e->reading.phases;
	tp_seams_init(&w->reading.seams);
	return w;
}

static void
end(void *state)
{
	struct worker *w = state;

	tp_buf_release(&w->reading.spare);
	tp_free(w);
}

/* Add those VALUES that HAVE names to P. */
static void
pack(struct tp_events_part *p, const struct tp_values *values,
    const uint64_t *have)
{
	tp_grow(&p->raws, &p->raw_cap, p->raw_count + TP_VALUES,
	    sizeof *p->raws);
	TP_FOR_VALUES(i, have)
		p->raws[p->raw_count++] = values->at[i];
}

/* Add the element of W, from AT on after FROM, to P. */
static void
pack_element(struct tp_events_part *p, const struct worker *w, const char *from,
    const char *at, const char *to)
{
	const struct tp_element *e = &w->element;
	const struct tp_packed packed = { from, at, to,
	    e->fields.have[0] & ~(UINT64_C(1) << TP_F_UNUSED),
	    { e->args.have[0], tp_args_have(&e->args) },
	    p->raw_count, e->phase };
	const uint64_t fields[2] = { packed.fields, 0 };

	pack(p, &e->fields, fields);
	pack(p, &e->args, packed.args);
	TP_APPEND(p->packed, p->count, p->cap, packed);
}

/* Whether E was read as the reader would, with nothing to repair or count. */
static int
is_usual(const struct tp_element *e, const struct tp_cursor *c,
    const char *at)
{
	return e->is_object && !e->empty && !e->words && !c->controls &&
	    !c->commas && c->p - at <= tp_limits.line_bytes;
}

static void
parse(void *state, struct tp_part *part)
{
	struct tp_events_part *p = (struct tp_events_part *)part;
	struct worker *w = state;
	struct tp_cursor c = { 0 };
	const char *from, *at;
	size_t first = 0;
	int more;

	p->count = p->raw_count = p->next = 0;
	p->lines = tp_line_feeds(part->from, part->to);
	if (part->first)
		first = behind(w->of, part->from, 0,
		    (size_t)(part->to - part->from),
		    (size_t)(part->to - part->from));
	c.p = part->from + first;
	c.end = part->seen;
	while (c.p < part->to) {
		c.controls = c.commas = 0;
		from = c.p;
		if (tp_raw_next(&c, ']', 0, &more) != TP_PARSE_OK || !more)
			break;
		at = c.p;
		if (tp_element_read(&c, &w->reading, &w->element) !=
		    TP_PARSE_OK || c.p > part->to)
			break;
		if (is_usual(&w->element, &c, at))
			pack_element(p, w, from, at, c.p);
	}
}

static void
release_event_part(struct tp_part *part)
{
	struct tp_events_part *p = (struct tp_events_part *)part;

	tp_free(p->packed);
	tp_free(p->raws);
}

/* The reader joins an element that is cut, so a part needs no end. */
static const struct tp_parts_of events = { sizeof(struct tp_events_part),
    (size_t)128 * 1024, behind, begin_worker, parse, end, release_event_part };

struct tp_parts *
tp_events_parts_new(struct tp_events *e)
{
	return tp_parts_new(e->sight.in, e->jobs - 1, &events, e);
}

static const struct tp_raw *
unpack(struct tp_values *to, const uint64_t *have, const struct tp_raw *from)
{
	tp_values_clear(to);
	to->have[0] = have[0];
	to->have[1] = have[1];
	TP_FOR_VALUES(i, have)
		to->at[i] = *from++;
	return from;
}

int
tp_events_packed(struct tp_events *e, struct tp_events_part *p,
    const char *from, const char **end)
{
	const struct tp_packed *k;
	const struct tp_raw *raw;
	uint64_t fields[2] = { 0, 0 };

	while (p->next < p->count && p->packed[p->next].from < from)
		p->next++;
	if (p->next == p->count || p->packed[p->next].from != from)
		return 0;
	k = &p->packed[p->next++];
	fields[0] = k->fields;
	raw = unpack(&e->element.fields, fields, &p->raws[k->raw]);
	unpack(&e->element.args, k->args, raw);
	e->element.is_object = 1;
	e->element.empty = 0;
	e->element.words = 0;
	e->element.phase = k->phase;
	e->at = k->at;
	*end = k->end;
	return 1;
}
