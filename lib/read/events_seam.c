/* events_seam - learn the bytes that a producer writes between two values */
#include <string.h>

#include "events_seam.h"

static int unused;

void
tp_seams_use(int use)
{
	unused = !use;
}

static void
forget(struct tp_seams *l)
{
	memset(l->all, 0, TP_SEAM_PLACES * sizeof *l->all);
	l->all[TP_LOST_IN_EVENT].lost = 1;
	l->all[TP_LOST_IN_ARGS].lost = 1;
	l->count = TP_SEAM_PLACES;
}

void
tp_seams_init(struct tp_seams *l)
{
	l->credit = TP_CREDIT_MAX;
	l->slot = l->later = 0;
	l->at = l->all;
	forget(l);
}

/*
 * An existing seam with these bytes, when there is no room for another path;
 * or NULL.
 */
static struct tp_seam *
find_seam(struct tp_seams *l, const char *p, size_t len, int in_args)
{
	struct tp_seam *s = &l->all[TP_SEAM_PLACES];

	for (; s < &l->all[l->count]; s++)
		if (s->len == len && s->in_args == in_args &&
		    !memcmp(s->text, p, len))
			return s;
	return NULL;
}

static struct tp_seam *
add_seam(struct tp_seams *l, const char *p, size_t len, int in_args,
    struct tp_seam_step step)
{
	struct tp_seam *s = &l->all[l->count++];

	memset(s, 0, sizeof *s);
	memcpy(s->text, p, len);
	s->len = (unsigned char)len;
	s->rest = len < 32 ? ~(uint32_t)0 << len : 0;
	s->in_args = (unsigned char)in_args;
	s->shape.found = 1;
	s->step = step;
	return s;
}

/*
 * The slot of WAS for a new seam, or the one with the same bytes; that
 * exists when too little was in view to compare.
 */
static struct tp_seam **
slot(struct tp_seams *l, struct tp_seam *was, const char *p, size_t len)
{
	struct tp_seam **at;
	unsigned i;

	for (i = 0; i < TP_SEAM_NEXT; i++) {
		at = &was->next[(l->slot + i) % TP_SEAM_NEXT];
		if (!*at || ((*at)->len == len &&
		    !memcmp((*at)->text, p, len)))
			break;
	}
	return at;
}

void
tp_seams_learn(struct tp_seams *l, const char *p, size_t len, int in_args,
    struct tp_seam_step step)
{
	struct tp_seam **at;

	at = len && len <= TP_SEAM_MAX ? slot(l, l->at, p, len) : NULL;
	l->at = &l->all[in_args && step.kind != TP_STEP_END ?
	    TP_LOST_IN_ARGS : TP_LOST_IN_EVENT];
	l->slot = 0;
	if (!at || unused)
		return;
	if (!*at || (*at)->len != len || memcmp((*at)->text, p, len)) {
		if (!l->credit)
			return;
		l->credit--;
		*at = l->count < TP_SEAMS ? add_seam(l, p, len, in_args, step) :
		    find_seam(l, p, len, in_args);
	}
	if (*at)
		l->at = *at;
	else
		forget(l);
}

void
tp_seams_enter(struct tp_seams *l)
{
	static const struct tp_seam_step none = { TP_STEP_END, 0, 0 };
	struct tp_seam *was = l->at;

	if (!was->inside && was->len && l->count < TP_SEAMS)
		was->inside = add_seam(l, "", 0, 1, none);
	l->at = was->inside ? was->inside : &l->all[TP_IN_ARGS];
	l->slot = 0;
}
