/* acts - what a thread of the host does in an event */
#include <string.h>

#include <tp/alloc.h>
#include <tp/budget.h>
#include <tp/json.h>

#include "acts.h"

void
tp_jax_acts_init(struct tp_jax_acts *a, const struct tp_tracks *t,
    const struct tp_jax *jax)
{
	memset(a, 0, sizeof *a);
	a->tracks = t;
	a->classes = &jax->host;
	for (size_t i = 0; i < jax->host.count; i++) {
		const struct tp_class *c = &jax->host.list[i];

		a->kinds[i] = (struct tp_jax_act_kind){
		    .is_generic = !!tp_json_get(c->row, "generic"),
		    .is_purpose = !!tp_json_get(c->row, "purpose"),
		    .sleeps = !strcmp(c->name, "sleeping"),
		    .waits = c->number == TP_PART_SYNCHRONISING };
	}
	a->plain = tp_class_index(a->classes, tp_class_named(a->classes,
	    "python"));
	a->of_name = tp_alloc((t->names.count + 1) * sizeof *a->of_name);
	a->loops = tp_zalloc(t->count + 1);
	for (size_t i = 0; i < t->names.count; i++)
		a->of_name[i] = -2;
}

void
tp_jax_acts_release(struct tp_jax_acts *a)
{
	tp_free(a->of_name);
	tp_free(a->loops);
	memset(a, 0, sizeof *a);
}

ptrdiff_t
tp_jax_acts_name(struct tp_jax_acts *a, uint32_t name)
{
	if (a->of_name[name] == -2)
		a->of_name[name] = tp_class_index(a->classes,
		    tp_class_of_name(a->classes,
		    a->tracks->names.names[name].text));
	return a->of_name[name];
}

void
tp_jax_acts_steps(struct tp_jax_acts *a, const struct tp_jax_executions *x)
{
	const struct tp_jax_event *all = a->tracks->slices;
	ptrdiff_t steps = tp_jax_executions_longest(x);

	for (size_t i = 0; i < x->count; i++) {
		if ((ptrdiff_t)x->list[i].program != steps)
			continue;
		for (uint32_t up = all[x->list[i].slice].parent;
		    up && !a->loops[up - 1]; up = all[up - 1].parent)
			a->loops[up - 1] = 1;
	}
}

/* The class of E by its name; a loop is plain Python. */
static ptrdiff_t
class_of(struct tp_jax_acts *a, const struct tp_jax_event *e)
{
	ptrdiff_t c = tp_jax_acts_name(a, e->name);

	return c >= 0 && a->loops[e - a->tracks->slices] &&
	    !a->kinds[c].is_generic ? a->plain : c;
}

ptrdiff_t
tp_jax_acts_of(struct tp_jax_acts *a, const struct tp_jax_event *s,
    int launches)
{
	const struct tp_jax_event *all = a->tracks->slices;
	const struct tp_jax_act_kind *k;
	ptrdiff_t found = -1, c;

	for (const struct tp_jax_event *e = s;; e = &all[e->parent - 1]) {
		c = class_of(a, e);
		if (c >= 0) {
			k = &a->kinds[c];
			/* some thread always sleeps */
			if (k->sleeps && !launches)
				return -1;
			if (found < 0)
				found = c;
			else if (k->is_purpose || (!k->is_generic &&
			    a->kinds[found].is_generic))
				found = c;
			if (!a->kinds[found].is_generic &&
			    !(launches && a->kinds[found].waits))
				return found;
		}
		if (!e->parent)
			return found;
	}
}
