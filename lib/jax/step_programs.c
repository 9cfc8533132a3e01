/* step_programs - which program each step of a JAX trace runs */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "step_programs.h"

size_t
tp_jax_program_len(const char *name)
{
	return strcspn(name, "(");
}

int
tp_jax_same_program(const struct tp_tracks *t, uint32_t a, uint32_t b)
{
	const char *x, *y;
	size_t len;

	if (a == b)
		return 1;
	if (a == TP_JAX_NO_PROGRAM || b == TP_JAX_NO_PROGRAM)
		return 0;
	x = t->names.names[a].text;
	y = t->names.names[b].text;
	len = tp_jax_program_len(x);
	return len == tp_jax_program_len(y) && !strncmp(x, y, len);
}

/* Find the longest execution on lane K inside P; *MOST is its length. */
static void
look(const struct tp_tracks *t, const struct tp_track *k,
    const struct tp_jax_step_part *p, int64_t *most, uint32_t *program)
{
	const uint32_t *order = t->order + k->first;
	size_t at;

	TP_SEEK(at, 0, k->count, middle,
	    t->slices[order[middle]].from_ps < p->from_ps);
	/* one that began before */
	for (at -= at > 0; at < k->count; at++) {
		const struct tp_jax_event *s = &t->slices[order[at]];
		int64_t from = s->from_ps, to = s->to_ps;

		if (from >= p->to_ps)
			break;
		TP_MOST(from, p->from_ps);
		TP_LEAST(to, p->to_ps);
		if (to - from <= *most)
			continue;
		*most = to - from;
		*program = s->name;
	}
}

uint32_t *
tp_jax_step_programs(const struct tp_jax_steps *st, const struct tp_tracks *t)
{
	uint32_t *programs = tp_alloc((st->count + 1) * sizeof *programs);
	int64_t most;

	for (size_t i = 0; i < st->count; i++) {
		const struct tp_jax_step_part *p =
		    &st->parts[st->list[i].part];

		programs[i] = TP_JAX_NO_PROGRAM;
		most = 0;
		/* the host marks a step before a device runs it */
		for (size_t k = 0; !st->from_host && k < t->track_count; k++)
			if (t->tracks[k].holds_programs &&
			    t->tracks[k].host == p->host)
				look(t, &t->tracks[k], p, &most,
				    &programs[i]);
	}
	return programs;
}
