/* timeline - what happened, whoever recorded it */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "timeline.h"

const char *const tp_path_classes[TP_PATH_CLASSES + 1] = {
	"kernel", "communication", "copy", "memset",
	"launch-latency", "device-gap", "device-wait",
	"graph-gap",
	"sync-return", "queue-full", "hand-over",
	"sync", "copy-call", "free", "allocation",
	"launch-call", "runtime-call", "first-use",
	"compile", "data-loading", "sleep", "gc",
	"reading", "import", "interpreter",
	"dispatch", "cpu-operator", "python",
	"range", "sampled", "in-between", "blocked", "untraced", "profiler",
	"unlinked", NULL
};

enum tp_path_class
tp_path_class_called(const char *name, enum tp_path_class other)
{
	for (int i = 0; name && i < TP_PATH_CLASSES; i++)
		if (!strcmp(tp_path_classes[i], name))
			return (enum tp_path_class)i;
	return other;
}

/* A slice and where it was. */
struct placed {
	struct tp_slice slice;
	uint32_t at;
};

/* Slices of threads, then work. */
static int
by_place(const void *pa, const void *pb)
{
	const struct placed *a = pa, *b = pb;
	int is_work = a->slice.kind == TP_SLICE_WORK;

	if (is_work != (b->slice.kind == TP_SLICE_WORK))
		return is_work ? 1 : -1;
	if (!is_work && a->slice.track != b->slice.track)
		return TP_CMP(a->slice.track, b->slice.track);
	if (a->slice.from_ps != b->slice.from_ps)
		return TP_CMP(a->slice.from_ps, b->slice.from_ps);
	if (!is_work && a->slice.to_ps != b->slice.to_ps)
		return -TP_CMP(a->slice.to_ps, b->slice.to_ps);
	return TP_CMP(a->at, b->at);
}

/* Whether slice B may follow A. */
static int
in_order(const struct tp_slice *a, const struct tp_slice *b)
{
	const struct placed x = { *a, 0 }, y = { *b, 1 };

	return by_place(&x, &y) < 0;
}

/* Put the slices in order and refer to their new places. */
static void
sort(struct tp_timeline *tl)
{
	size_t n = tl->slice_count, i;
	struct placed *list;
	uint32_t *to;

	for (i = 1; i < n; i++)
		if (!in_order(&tl->slices[i - 1], &tl->slices[i]))
			break;
	if (i >= n)
		return;
	list = tp_alloc(n * sizeof *list);
	to = tp_alloc(n * sizeof *to);
	for (i = 0; i < n; i++)
		list[i] = (struct placed){ tl->slices[i], (uint32_t)i };
	TP_SORT(list, n, by_place);
	for (i = 0; i < n; i++) {
		to[list[i].at] = (uint32_t)i;
		tl->slices[i] = list[i].slice;
	}
	tp_free(list);
	for (i = 0; i < n; i++)
		if (tl->slices[i].launch)
			tl->slices[i].launch = 1 + to[tl->slices[i].launch - 1];
	for (i = 0; i < tl->await_count; i++) {
		tl->awaits[i].after = to[tl->awaits[i].after];
		tl->awaits[i].awaited = to[tl->awaits[i].awaited];
	}
	for (i = 0; i < tl->queued_count; i++) {
		tl->queued[i].call = to[tl->queued[i].call];
		tl->queued[i].put = to[tl->queued[i].put];
	}
	for (i = 0; i < tl->collective_count; i++)
		tl->collectives[i].slice = to[tl->collectives[i].slice];
	tp_free(to);
}

TP_ORDER(by_step, struct tp_marked_step, TP_UP(from_ps) TP_UP(to_ps)
    TP_UP(track))
TP_ORDER(by_call, struct tp_queued_call, TP_UP(call) TP_UP(put) TP_UP(op))
TP_ORDER(by_after, struct tp_await, TP_UP(after) TP_UP(awaited))
TP_ORDER(by_track, struct tp_state, TP_UP(track) TP_UP(at_ps) TP_DOWN(to_ps)
    TP_UP(is_sample) TP_UP(class) TP_UP(name))

/*
 * Sort the states and set them apart: a sample holds since the state before,
 * what begins during another one is part of it.
 */
static void
end_states(struct tp_timeline *tl)
{
	size_t kept = 0;

	TP_SORT(tl->states, tl->state_count, by_track);
	for (size_t i = 0; i < tl->state_count; i++) {
		struct tp_state s = tl->states[i];
		const struct tp_state *last = kept && tl->states[kept -
		    1].track == s.track ? &tl->states[kept - 1] : NULL;

		if (last && last->to_ps > s.at_ps)
			continue;
		if (last)
			TP_MOST(s.from_ps, last->to_ps);
		tl->states[kept++] = s;
	}
	tl->state_count = kept;
}

void
tp_timeline_end(struct tp_timeline *tl)
{
	sort(tl);
	for (size_t i = 0; i < tl->track_count; i++)
		tl->tracks[i].first = tl->tracks[i].count = 0;
	for (size_t i = 0; i < tl->slice_count; i++) {
		struct tp_timeline_track *track =
		    &tl->tracks[tl->slices[i].track];

		if (tl->slices[i].kind == TP_SLICE_WORK)
			break;
		if (!track->count++)
			track->first = (uint32_t)i;
		tl->host_count = i + 1;
	}
	end_states(tl);
	TP_SORT(tl->steps, tl->step_count, by_step);
	TP_SORT(tl->queued, tl->queued_count, by_call);
	for (size_t i = 0; i < tl->queued_count; i++)
		tl->slices[tl->queued[i].put].class |= TP_SLICE_PUTS;
	TP_SORT(tl->awaits, tl->await_count, by_after);
}

void
tp_timeline_release(struct tp_timeline *tl)
{
	tp_free(tl->slices);
	tp_free(tl->tracks);
	tp_free(tl->processes);
	tp_free(tl->awaits);
	tp_free(tl->queued);
	tp_free(tl->states);
	tp_free(tl->steps);
	tp_names_release(&tl->names);
	tp_free(tl->collectives);
	memset(tl, 0, sizeof *tl);
}
