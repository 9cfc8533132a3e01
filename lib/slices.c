/* slices - busy time in equal parts of a run, to draw it */
#include <tp/slices.h>

#include "stat.h"

static int64_t
bound(int64_t from, int64_t to, int64_t unit, size_t i, size_t count)
{
	return from + (int64_t)((tp_int128)((to - from) / unit) *
	    (tp_int128)i / (tp_int128)count) * unit;
}

int
tp_slices_make(const struct tp_ival *busy, int64_t from, int64_t to,
    int64_t unit, struct tp_busy_part *parts, size_t count)
{
	struct tp_ival_walk walk;
	struct tp_span span;
	int64_t a, b;
	size_t first = 0;
	int more;

	for (size_t i = 0; i < count; i++) {
		parts[i].from = bound(from, to, unit, i, count);
		parts[i].to = bound(from, to, unit, i + 1,
		    count);
		parts[i].busy = 0;
	}
	tp_ival_begin(&walk, busy);
	while ((more = tp_ival_next(&walk, &span)) > 0) {
		/* spans come in order: what ends before is done with */
		while (first < count && parts[first].to <= span.from)
			first++;
		for (size_t i = first; i < count && parts[i].from < span.to;
		    i++) {
			a = parts[i].from > span.from ? parts[i].from :
			    span.from;
			b = parts[i].to < span.to ? parts[i].to : span.to;
			parts[i].busy += b > a ? b - a : 0;
		}
	}
	tp_ival_stop(&walk);
	return more;
}

void
tp_slices_emit(const struct tp_busy_part *part, size_t index,
    struct tp_out *out)
{
	tp_out_int(out, "index", (int64_t)index + 1);
	tp_out_int(out, "start_ns", part->from);
	tp_out_int(out, "duration_ns", part->to - part->from);
	tp_out_int(out, "busy_ns", part->busy);
	tp_out_ratio(out, "busy_ratio", part->busy, part->to - part->from);
}
