/*
 * What the recorder makes of what happened: it may begin late, end early,
 * look seldom, and lose some of what it saw.
 */
#include "loop.h"

#define MS INT64_C(1000000)

static int64_t
moved(int64_t t, int64_t start)
{
	return t < 0 ? -1 : t - start;
}

/* Commands that were created before are not seen, nor is what comes later. */
static size_t
cut_buffers(struct buffer *v, size_t n, int64_t start, int64_t end)
{
	size_t kept;

	kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (v[i].create < start || v[i].commit > end)
			continue;
		v[kept] = v[i];
		v[kept].create -= start;
		v[kept].commit -= start;
		v[kept].to_gpu -= start;
		v[kept].completed = v[i].completed > end ? -1 :
		    moved(v[i].completed, start);
		kept++;
	}
	return kept;
}

static size_t
cut_levels(struct level *v, size_t n, int64_t start, int64_t end)
{
	size_t kept;

	kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (v[i].end <= start || v[i].start >= end)
			continue;
		v[kept] = v[i];
		v[kept].start = v[i].start < start ? 0 : v[i].start - start;
		v[kept].end = (v[i].end > end ? end : v[i].end) - start;
		kept++;
	}
	return kept;
}

void
recording_cut(struct run *run, int64_t start, int64_t end)
{
	struct interval *v = run->intervals.v;
	struct sample *s = run->samples.v;
	size_t kept;

	kept = 0;
	for (size_t i = 0; i < run->intervals.n; i++) {
		if (v[i].start < start || v[i].end > end)
			continue;
		v[kept] = v[i];
		v[kept].start -= start;
		v[kept].end -= start;
		/* from before the recording: the latency is not known */
		v[kept].commit = v[i].commit < start ? -1 :
		    v[i].commit - start;
		kept++;
	}
	run->intervals.n = kept;
	kept = 0;
	for (size_t i = 0; i < run->samples.n; i++) {
		if (s[i].time < start || s[i].time > end)
			continue;
		s[kept] = s[i];
		s[kept++].time -= start;
	}
	run->samples.n = kept;
	run->buffers.n = cut_buffers(run->buffers.v, run->buffers.n, start,
	    end);
	run->arrivals.n = cut_buffers(run->arrivals.v, run->arrivals.n, start,
	    end);
	run->completions.n = cut_buffers(run->completions.v,
	    run->completions.n, start, end);
	run->wired.n = cut_levels(run->wired.v, run->wired.n, start, end);
	run->current.n = cut_levels(run->current.v, run->current.n, start,
	    end);
	run->duration = end - start;
}

void
recording_thin(struct run *run, const struct plan *plan)
{
	uint64_t state = (uint64_t)plan->seed;
	struct sample *v = run->samples.v;
	size_t kept;

	if (plan->sample_every == 1 && plan->sample_lost == 0)
		return;
	kept = 0;
	for (size_t i = 0; i < run->samples.n; i++) {
		if (v[i].time / MS % plan->sample_every != 0 ||
		    random_between(&state, 1, 100) <= plan->sample_lost)
			continue;
		v[kept] = v[i];
		v[kept++].weight = plan->sample_every * MS;
	}
	run->samples.n = kept;
}
