/*
 * The run of examples/metal, with a cause injected: what comes after a place
 * in it is moved to make room, and the room gets what the cause would show.
 *
 * The example waits after each step and builds the next graph meanwhile, so
 * what is idle between its steps is synchronising; what is injected is known
 * to the nanosecond.
 */
#include <stdlib.h>
#include <string.h>

#include "loop.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
/* Between steps the example's GPU rests longer than this, else shorter. */
#define REST_NS (20 * MS)
#define BETWEEN_NS (100 * MS)
#define PLACES_MAX 10001

/* Where between two steps time is put, and how much. */
struct place {
	int64_t at, ns;
	enum part part;
};

static int
by_time(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->thread - y->thread;
}

static int
by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->encoder < y->encoder ? -1 : x->encoder > y->encoder;
}

static void
later(int64_t *t, const struct place *place)
{
	if (*t >= place->at)
		*t += place->ns;
}

static void
buffers_later(struct buffer *v, size_t n, const struct place *place)
{
	int64_t was;

	for (size_t i = 0; i < n; i++) {
		was = v[i].commit;
		later(&v[i].create, place);
		later(&v[i].commit, place);
		later(&v[i].to_gpu, place);
		later(&v[i].completed, place);
		if (v[i].create < place->at && v[i].commit > was &&
		    v[i].process == TARGET)
			v[i].encoding += place->ns;
	}
}

static void
levels_later(struct level *v, size_t n, const struct place *place)
{
	for (size_t i = 0; i < n; i++) {
		later(&v[i].start, place);
		later(&v[i].end, place);
	}
}

/* Make room for PLACE. */
static void
run_later(struct run *run, const struct place *place)
{
	struct interval *v = run->intervals.v;
	int64_t ns;

	for (size_t i = 0; i < run->intervals.n; i++) {
		/* what others do lasts as long as it did */
		ns = v[i].end - v[i].start;
		later(&v[i].start, place);
		v[i].end = v[i].start + ns;
		if (v[i].commit >= 0)
			later(&v[i].commit, place);
	}
	buffers_later(run->buffers.v, run->buffers.n, place);
	buffers_later(run->arrivals.v, run->arrivals.n, place);
	buffers_later(run->completions.v, run->completions.n, place);
	for (size_t i = 0; i < run->samples.n; i++)
		later(&run->samples.v[i].time, place);
	levels_later(run->wired.v, run->wired.n, place);
	levels_later(run->current.v, run->current.n, place);
	run->duration += place->ns;
}

/* When the first buffer after AT was begun. */
static int64_t
encoding_after(const struct run *run, int64_t at)
{
	for (size_t i = 0; i < run->buffers.n; i++)
		if (run->buffers.v[i].process == TARGET &&
		    run->buffers.v[i].create >= at)
			return run->buffers.v[i].create;
	return at;
}

/* Places between the steps, in order; returns how many. */
static size_t
find_places(const struct run *run, const struct plan *p,
    struct place places[PLACES_MAX])
{
	const struct interval *v;
	int64_t end, step;
	size_t n;

	end = -1;
	n = 0;
	step = 0;
	for (size_t i = 0; i < run->intervals.n; i++) {
		v = &run->intervals.v[i];
		if (v->process != TARGET)
			continue;
		if (end >= 0 && v->start - end > BETWEEN_NS &&
		    n < PLACES_MAX) {
			/* the thread has been told that the GPU is done */
			places[n].at = end + MS;
			if (p->read > 0) {
				places[n].part = LOADING;
				places[n++].ns = p->read;
			} else if (p->sleep > 0) {
				places[n].part = SLEEPING;
				places[n++].ns = p->sleep;
			} else if (p->recompile > 0 && step %
			    p->recompile_every == p->recompile_every - 1) {
				places[n].at = 1 * US + encoding_after(run,
				    end + MS);
				places[n].part = COMPILING;
				places[n++].ns = p->recompile;
			}
			step++;
		}
		if (v->end > end)
			end = v->end;
	}
	return n;
}

static void
fill(struct run *run, const struct plan *p, const struct place *place)
{
	int64_t end;

	end = place->at + place->ns;
	if (place->part == LOADING)
		run_busy(run, MAIN, INPUT, place->at, end, 950);
	else if (place->part == COMPILING)
		run_busy(run, MAIN, COMPILE, place->at, end,
		    (int)p->recompile_seen);
}

/* After each step the target draws, in a buffer of its own. */
static void
draw_previews(struct run *run, int64_t ns)
{
	struct interval *v, drawn[2];
	struct buffer *b;
	int64_t end;
	size_t n;
	uint64_t id;

	end = -1;
	id = 4990000000;
	n = run->intervals.n;
	for (size_t i = 0; i < n; i++) {
		v = &run->intervals.v[i];
		if (v->process != TARGET)
			continue;
		if (end >= 0 && v->start - end > BETWEEN_NS) {
			memset(drawn, 0, sizeof(drawn));
			for (int j = 0; j < 2; j++) {
				drawn[j].process = TARGET;
				drawn[j].commit = end + 2 * MS;
				drawn[j].buffer = id;
				drawn[j].encoder = id + 1 + (uint64_t)j;
				drawn[j].submission = id;
				drawn[j].channel = j ? FRAGMENT : VERTEX;
				drawn[j].start = end + 2 * MS + 100 * US +
				    (j ? ns / 5 + 5 * US : 0);
				drawn[j].end = drawn[j].start +
				    (j ? ns - ns / 5 : ns / 5);
			}
			b = LIST_ADD(run->buffers);
			memset(b, 0, sizeof(*b));
			b->create = end + 1900 * US;
			b->commit = end + 2 * MS;
			b->to_gpu = b->commit + 20 * US;
			b->completed = drawn[1].end + 50 * US;
			b->encoding = 80 * US;
			b->id = id;
			b->encoders = 2;
			b->process = TARGET;
			b->thread = WORKER;
			*LIST_ADD(run->arrivals) = *b;
			*LIST_ADD(run->completions) = *b;
			id += 3;
			end = v->end;
			*LIST_ADD(run->intervals) = drawn[0];
			*LIST_ADD(run->intervals) = drawn[1];
			continue;
		}
		if (v->end > end)
			end = v->end;
	}
	qsort(run->intervals.v, run->intervals.n, sizeof(*run->intervals.v),
	    by_start);
}

/* Begin with target row SKIP, end soon after KEEP of them; returns when. */
static int64_t
cut(struct run *run, const struct plan *p)
{
	const struct interval *v;
	int64_t n, start, end;

	if (p->skip == 0 && p->keep == 0)
		return 0;
	n = 0;
	start = 0;
	end = run->duration;
	for (size_t i = 0; i < run->intervals.n; i++) {
		v = &run->intervals.v[i];
		if (v->process != TARGET)
			continue;
		if (n == p->skip)
			start = v->start - 1 * US;
		if (p->keep > 0 && n == p->skip + p->keep - 1)
			end = v->end + 100 * US;
		n++;
	}
	recording_cut(run, start, end);
	return start;
}

/* Time of PLACES that lies between FROM and TO, by its part. */
static void
add_known(struct outcome *out, const struct place *places, size_t n,
    int64_t from, int64_t to)
{
	int64_t shift;

	shift = 0;
	for (size_t i = 0; i < n; i++) {
		if (places[i].at + shift > from && places[i].at + shift < to)
			out->known[places[i].part] += places[i].ns;
		shift += places[i].ns;
	}
}

/* Of what is idle, that which nothing injected has caused. */
static int64_t
unexplained(const struct outcome *out)
{
	int64_t ns;

	ns = out->late;
	for (int part = 0; part < PART_COUNT; part++)
		ns -= out->known[part];
	return ns;
}

/* What the rows of the target say; CUT_BEFORE is when they begin. */
static void
measure(const struct run *run, const struct place *places, size_t n,
    int64_t cut_before, struct outcome *out)
{
	const struct interval *v;
	int64_t first, end;

	first = end = -1;
	for (size_t i = 0; i < run->intervals.n; i++) {
		v = &run->intervals.v[i];
		if (v->process != TARGET)
			continue;
		out->rows++;
		if (first < 0)
			first = end = v->start;
		if (v->start > end) {
			if (v->start - end > REST_NS)
				out->late += v->start - end;
			else
				out->starting += v->start - end;
			add_known(out, places, n, end + cut_before,
			    v->start + cut_before);
			end = v->start;
		}
		if (v->end > end) {
			out->busy += v->end - end;
			end = v->end;
		}
	}
	out->span = end - first;
	out->idle = out->late + out->starting;
}

void
flux_run(const struct plan *plan, struct run *run, struct outcome *out)
{
	static struct place places[PLACES_MAX];
	struct run own = { .random = (uint64_t)plan->seed,
	    .steps = (unsigned)plan->steps, .scale = 1 };
	int64_t start;
	size_t n;

	if (!run)
		run = &own;
	memset(out, 0, sizeof(*out));
	run_make(run);
	n = find_places(run, plan, places);
	for (size_t i = n; i-- > 0; ) {
		run_later(run, &places[i]);
		fill(run, plan, &places[i]);
	}
	if (plan->preview > 0)
		draw_previews(run, plan->preview);
	for (int i = 0; i < plan->background; i++)
		run_busy(run, i ? WORKER : MONITOR, PREFETCH, plan->load,
		    run->duration, 980);
	qsort(run->samples.v, run->samples.n, sizeof(*run->samples.v),
	    by_time);
	recording_thin(run, plan);
	start = cut(run, plan);
	measure(run, places, n, start, out);
	/* that of running ahead: what the GPU could have covered */
	if (plan->waits == 0)
		out->span -= unexplained(out);
	run_release(&own);
}

void
flux_parts(const struct plan *plan, int64_t parts[PART_COUNT])
{
	struct outcome out;

	flux_run(plan, NULL, &out);
	memcpy(parts, out.known, sizeof(out.known));
	parts[SYNCHRONISING] = unexplained(&out);
	parts[WORK] = out.busy;
	parts[STARTING] = out.starting;
}
