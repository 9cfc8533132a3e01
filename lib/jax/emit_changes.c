/* emit_changes - where the steps of a JAX trace become slower or faster */
#include <tp/alloc.h>

#include "emit_jax.h"
#include "step_change.h"
#include "step_programs.h"

/* Steps of one program, by the time they take. */
struct series {
	int64_t *numbers;
	double *ps;
	size_t count;
};

static int
is_of(const struct tp_jax_trace *c, size_t i, uint32_t program)
{
	return c->steps.programs[i] == program || tp_jax_same_program(
	    &c->tracks, c->steps.programs[i], program);
}

/* The program that most steady steps run. */
static uint32_t
usual_program(const struct tp_jax_trace *c)
{
	const struct tp_jax_steps *st = &c->steps;
	uint32_t usual = TP_JAX_NO_PROGRAM;
	size_t most = 0, same;

	for (size_t i = st->warmup_count; i < st->count; i++) {
		if (most && is_of(c, i, usual))
			continue;
		same = 0;
		for (size_t k = i; k < st->count; k++)
			same += is_of(c, k, st->programs[i]);
		if (same > most) {
			most = same;
			usual = st->programs[i];
		}
		/* others are fewer */
		if (2 * most >= st->count - st->warmup_count)
			break;
	}
	return usual;
}

static void
collect(struct series *s, const struct tp_jax_trace *c)
{
	const struct tp_jax_steps *st = &c->steps;
	uint32_t usual = usual_program(c);

	for (size_t i = st->warmup_count; i < st->count; i++) {
		if (!is_of(c, i, usual))
			continue;
		s->numbers[s->count] = st->list[i].number;
		s->ps[s->count++] = tp_jax_step_ps(&st->list[i]);
	}
}

void
tp_jax_emit_changes(const struct tp_jax_trace *c, struct tp_out *out)
{
	size_t n = c->steps.count + 1;
	struct series s = { 0 };
	struct tp_course course = { 0 };

	s.numbers = tp_alloc(n * sizeof *s.numbers);
	s.ps = tp_alloc(n * sizeof *s.ps);
	collect(&s, c);
	tp_course_find(&course, s.ps, s.count);
	for (size_t i = 0; i < course.count; i++) {
		tp_out_begin(out, "step.change");
		tp_step_change_put(out, &course, i, s.ps, s.numbers, s.count);
		tp_out_end(out);
	}
	tp_course_release(&course);
	tp_free(s.numbers);
	tp_free(s.ps);
}
