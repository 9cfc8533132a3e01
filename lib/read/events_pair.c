/* events_pair - "B" and "E" of a lane as one event */
#include <string.h>

#include "events_private.h"

static size_t
room_of(const struct tp_arg *arg)
{
	return arg->type ? arg->len : 0;
}

/* Copy ARG into TEXT, which has room, and point it there. */
static void
copy_arg_text(struct tp_buf *text, struct tp_arg *arg)
{
	if (!arg->type)
		return;
	memcpy(text->p + text->len, arg->text, arg->len);
	arg->text = text->p + text->len;
	text->len += arg->len;
}

static void
give_back(struct tp_pairs *p)
{
	if (!p->given)
		return;
	p->given->below = p->spare;
	p->spare = p->given;
	p->given = NULL;
}

void
tp_pairs_begin(struct tp_pairs *p, const struct tp_event *event, size_t args)
{
	struct tp_open_span *s;
	size_t need, i, had = p->cap;

	give_back(p);
	tp_grow(&p->top, &p->cap, event->lane + 1, sizeof *p->top);
	if (p->cap > had)
		memset(p->top + had, 0, (p->cap - had) * sizeof *p->top);
	s = p->spare;
	if (s)
		p->spare = s->below;
	else
		s = tp_zalloc(sizeof *s);
	s->event = *event;
	need = room_of(&event->name) + room_of(&event->cat) +
	    room_of(&event->id);
	for (i = 0; i < args; i++) {
		s->args[i] = event->args[i];
		need += room_of(&event->args[i]);
	}
	tp_buf_clear(&s->text);
	tp_buf_room(&s->text, need + 1);
	copy_arg_text(&s->text, &s->event.name);
	copy_arg_text(&s->text, &s->event.cat);
	copy_arg_text(&s->text, &s->event.id);
	for (i = 0; i < args; i++)
		copy_arg_text(&s->text, &s->args[i]);
	s->below = p->top[event->lane];
	p->top[event->lane] = s;
}

static void
or_else(struct tp_arg *arg, const struct tp_arg *other)
{
	if (!arg->type)
		*arg = *other;
}

int
tp_pairs_end(struct tp_pairs *p, struct tp_event *event, size_t args)
{
	struct tp_open_span *s;
	struct tp_event whole;

	give_back(p);
	if (event->lane >= p->cap || !p->top[event->lane]) {
		p->unopened++;
		return 0;
	}
	s = p->top[event->lane];
	p->top[event->lane] = s->below;
	p->given = s;
	whole = s->event;
	whole.phase = 'X';
	or_else(&whole.name, &event->name);
	or_else(&whole.cat, &event->cat);
	or_else(&whole.id, &event->id);
	for (size_t i = 0; i < args; i++)
		or_else(&s->args[i], &event->args[i]);
	whole.args = s->args;
	whole.has_dur = !__builtin_sub_overflow(event->ts_ps, whole.ts_ps,
	    &whole.dur_ps) && whole.dur_ps >= 0;
	*event = whole;
	return 1;
}

uint64_t
tp_pairs_open(const struct tp_pairs *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->cap; i++)
		for (struct tp_open_span *s = p->top[i]; s; s = s->below)
			n++;
	return n;
}

static void
free_all(struct tp_open_span *s)
{
	struct tp_open_span *below;

	for (; s; s = below) {
		below = s->below;
		tp_buf_release(&s->text);
		tp_free(s);
	}
}

void
tp_pairs_release(struct tp_pairs *p)
{
	give_back(p);
	free_all(p->spare);
	for (size_t i = 0; i < p->cap; i++)
		free_all(p->top[i]);
	tp_free(p->top);
	memset(p, 0, sizeof *p);
}
