/* emit_changes - where the steps of a JAX trace become slower or faster */
#include <string.h>

#include <tp/alloc.h>

#include "course.h"
#include "emit_private.h"
#include "step_programs.h"

/* Steps of one program, by the time they take. */
struct series {
	const struct tp_jax_step **steps;
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
		s->steps[s->count] = &st->list[i];
		s->ps[s->count++] = tp_jax_step_ps(&st->list[i]);
	}
}

static void
emit_change(const struct series *s, const struct tp_course_change *k,
    size_t rank, struct tp_out *out)
{
	double extra = 0;

	for (size_t i = k->at; i < k->end; i++)
		extra += s->ps[i] - k->before;
	tp_out_begin(out, "step.change");
	tp_out_int(out, "rank", (int64_t)rank);
	tp_out_bool(out, "is_drift", k->is_drift);
	tp_out_int(out, "number", s->steps[k->at]->number);
	tp_out_int(out, "last_number", s->steps[k->end - 1]->number);
	if (k->is_drift)
		tp_out_int(out, "until_number",
		    s->steps[k->until]->number);
	tp_out_bool(out, "is_to_end", k->end == s->count);
	tp_out_int(out, "step_count", (int64_t)(k->end - k->at));
	tp_out_real_ps(out, "before_ns", k->before);
	tp_out_real_ps(out, "after_ns", k->after);
	tp_out_real(out, "change_factor", k->after / k->before);
	if (extra > 0)
		tp_out_real_ps(out, "extra_wall_ns", extra);
	tp_out_end(out);
}

int
tp_jax_emit_changes(const struct tp_jax_trace *c, struct tp_out *out,
    struct tp_err *err)
{
	size_t n = c->steps.count + 1;
	struct series s = { 0 };
	struct tp_course course = { 0 };
	int rc = -1;

	s.steps = tp_alloc(n * sizeof *s.steps);
	s.ps = tp_alloc(n * sizeof *s.ps);
	if (s.steps && s.ps) {
		collect(&s, c);
		rc = tp_course_find(&course, s.ps, s.count);
	}
	for (size_t i = 0; !rc && i < course.count; i++)
		emit_change(&s, &course.changes[i], i + 1, out);
	tp_course_release(&course);
	tp_free(s.steps);
	tp_free(s.ps);
	return rc ? tp_fail_memory(err) : 0;
}
