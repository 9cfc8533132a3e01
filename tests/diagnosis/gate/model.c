#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "model.h"

#define PEAK_BYTES (INT64_C(12) << 30)

const struct plan plan_usual = {
	.before = 1, .after = 1, .steps = 60, .length = 875, .idle = 20,
	.times = 1.75, .idle_after = -1
};

/* The rest of a step is in no operation. */
const struct op ops[OPS] = {
	{ "fusion.13", "fusion", NULL, 0.18 },
	{ "fusion.23", "fusion", NULL, 0.16 },
	{ "splash_mha_fwd.22", "splash_mha_fwd", NULL, 0.12 },
	{ "splash_mha_fwd.12", "splash_mha_fwd", NULL, 0.11 },
	{ "fusion.31", "fusion", NULL, 0.09 },
	{ "fusion.41", "fusion", NULL, 0.08 },
	{ "copy.7", "copy", NULL, 0.06 },
	{ "reduce-scatter.14", "reduce-scatter", "reduce-scatter", 0.05 },
	{ "fusion.5", "fusion", NULL, 0.05 },
	{ "convert.3", "convert", NULL, 0.036 },
	{ "all-reduce.40", "all-reduce", "all-reduce", 0.03 },
	{ "fusion.9", "fusion", NULL, 0.014 },
};

/* What random numbers are for; each has its own. */
enum stream { OF_RUN, OF_STEPS, OF_LONG_STEPS, OF_OPS, OF_IDS };

static uint64_t
mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint64_t
draw(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return mix(*state);
}

/* Above 0, at most 1. */
static double
uniform(uint64_t *state)
{
	return ((double)(draw(state) >> 11) + 1) / 9007199254740992.0;
}

/* A factor whose median is 1 and whose logarithm spreads by PERCENT. */
static double
noise(uint64_t *state, double percent)
{
	double u = uniform(state), v = uniform(state);

	return exp(percent / 100 * sqrt(-2 * log(u)) *
	    cos(6.283185307179586 * v));
}

uint64_t
model_seed(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	while (*text)
		h = (h ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
	return h;
}

static double
grown(double percent)
{
	return 1 + percent / 100;
}

double
model_op_factor(const struct plan *plan, int i)
{
	double factor = grown(plan->all);

	if (ops[i].collective)
		factor *= grown(plan->communication);
	if (i == OPS - 1)
		factor *= grown(plan->one);
	return factor;
}

static double
rest_share(void)
{
	double share = 1;

	for (int i = 0; i < OPS; i++)
		share -= ops[i].share;
	return share;
}

double
model_wall_factor(const struct plan *plan)
{
	double factor = rest_share() * grown(plan->all);

	for (int i = 0; i < OPS; i++)
		factor += ops[i].share * model_op_factor(plan, i);
	return factor;
}

static double
idle_after(const struct plan *plan)
{
	return (plan->idle_after < 0 ? plan->idle : plan->idle_after) *
	    grown(plan->all);
}

double
model_to_next_factor(const struct plan *plan)
{
	return (plan->length * model_wall_factor(plan) + idle_after(plan)) /
	    (plan->length + plan->idle);
}

/* How much longer step I is than most. */
static double
longer(const struct plan *plan, uint64_t *state, int i, int phase)
{
	double u = uniform(state), times = 1 - 0.3 * log(uniform(state));

	if (i < WARMUP)
		return 1.3;
	if (plan->heavy > 0 && (i + phase) % (int)plan->heavy == 0)
		return plan->times;
	return u * 100 <= plan->tail ? times : 1;
}

void
model_run(const struct plan *plan, uint64_t seed, int pair, enum side side,
    int number, struct run *run)
{
	uint64_t streams[OF_IDS + 1];
	double op_ns[OPS], rest_ns, idle_ns, level, step;
	int64_t now = 0;
	int phase;

	for (int i = 0; i <= OF_IDS; i++)
		streams[i] = mix(mix(mix(mix(seed + (uint64_t)pair) +
		    (uint64_t)side) + (uint64_t)number) + (uint64_t)i);
	snprintf(run->src, sizeof(run->src), "%s-%02d",
	    side == AFTER ? "after" : "before", number);
	snprintf(run->id, sizeof(run->id), "%016" PRIx64,
	    draw(&streams[OF_IDS]));
	for (int i = 0; i < 4; i++)
		snprintf(run->sha256 + 16 * i, 17, "%016" PRIx64,
		    draw(&streams[OF_IDS]));

	level = noise(&streams[OF_RUN], plan->run) * plan->length * 1000;
	for (int i = 0; i < OPS; i++)
		op_ns[i] = level * ops[i].share *
		    noise(&streams[OF_RUN], plan->op_run) *
		    (side == AFTER ? model_op_factor(plan, i) : 1);
	rest_ns = level * rest_share() *
	    (side == AFTER ? grown(plan->all) : 1);
	idle_ns = level / plan->length *
	    (side == AFTER ? idle_after(plan) : plan->idle);
	phase = (int)(uniform(&streams[OF_RUN]) * 1000);

	run->steps = (int)plan->steps;
	for (int s = 0; s < run->steps; s++) {
		step = noise(&streams[OF_STEPS], plan->step) *
		    longer(plan, &streams[OF_LONG_STEPS], s, phase);
		run->start[s] = now;
		run->wall[s] = llround(rest_ns * step);
		for (int i = 0; i < OPS; i++) {
			run->op[i][s] = llround(op_ns[i] * step *
			    noise(&streams[OF_OPS], plan->op));
			run->wall[s] += run->op[i][s];
		}
		run->to_next[s] = run->wall[s] + llround(idle_ns *
		    noise(&streams[OF_STEPS], plan->step));
		now += run->to_next[s];
	}
	run->peak = llround((double)PEAK_BYTES *
	    (side == AFTER ? grown(plan->memory) : 1));
}
