/* stream_lanes - activity of each GPU stream over time, for pictures */
#include <string.h>

#include <tp/alloc.h>
#include <tp/lanes.h>

#include "emit_torch.h"

static const char *const categories[TP_TORCH_BUCKETS] = {
	[TP_TORCH_COMPUTATION] = "compute",
	[TP_TORCH_COMMUNICATION] = "communication",
	[TP_TORCH_COPY] = "memcpy",
};

/* A device, or one of its streams. */
struct line {
	struct tp_ival busy;
	const struct tp_torch_stream *stream;	/* of a device: its first
						 * stream */
	struct tp_lane_kinds kinds;		/* of a stream */
};

struct lines {
	struct line *list;
	size_t count;
	size_t *at;		/* by stream: its line, */
	size_t *device_at;	/* ... and the line of its device */
};

/* Make a line per device, followed by those of its streams. */
static void
make(struct lines *l, const struct tp_torch_times *times)
{
	size_t n = times->stream_count, device = 0;

	l->list = tp_zalloc((n * 2 + 1) * sizeof *l->list);
	l->at = tp_alloc((n + 1) * sizeof *l->at);
	l->device_at = tp_alloc((n + 1) * sizeof *l->device_at);
	for (size_t i = 0; i < n; i++) {
		const struct tp_torch_stream *s = &times->streams[i];

		if (!i || s->device != s[-1].device) {
			device = l->count++;
			l->list[device].stream = s;
		}
		l->device_at[i] = device;
		l->at[i] = l->count;
		l->list[l->count++].stream = s;
	}
}

static void
add_work(struct lines *l, const struct tp_torch_out *o,
    const struct tp_lane_columns *columns)
{
	const struct tp_torch_file *f = o->file;
	const struct tp_torch *t = &f->torch;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		size_t s = tp_torch_stream_of(&f->times, e);
		struct line *line = &l->list[l->at[s]];

		tp_ival_add(&line->busy, e->from_ps, e->to_ps);
		tp_lane_kinds_add(&line->kinds, columns, e->from_ps, e->to_ps,
		    o->work->category[t->gpu[i]] * TP_TORCH_BUCKETS +
		    (int)e->bucket);
		tp_ival_add(&l->list[l->device_at[s]].busy, e->from_ps,
		    e->to_ps);
	}
}

static void
begin_torch_lane(const void *arg, const void *of, int kind, struct tp_out *out)
{
	const struct tp_torch_out *o = arg;
	const struct line *line = of;

	tp_torch_out_begin(o, "timeline.lane");
	if (!line)
		return;
	tp_out_known(out, "device_index", line->stream->device);
	if (kind < 0)
		return;
	tp_out_known(out, "stream", line->stream->stream);
	tp_out_text(out, "category", categories[kind % TP_TORCH_BUCKETS]);
	tp_out_text(out, "family", tp_torch_work_category(o->categories,
	    (unsigned)kind / TP_TORCH_BUCKETS));
}

static void
emit_stream_lanes(const struct tp_torch_out *o, struct lines *l,
    const struct tp_lane_columns *columns)
{
	struct tp_lane_of *lanes = tp_alloc((l->count + 1) * sizeof *lanes);
	size_t n = 0;

	for (size_t i = 0; i < l->count; i++) {
		struct line *line = &l->list[i];

		tp_ival_finish(&line->busy);
		if (tp_ival_count(&line->busy))
			lanes[n++] = (struct tp_lane_of){ &line->busy, line,
			    !line->kinds.count, &line->kinds };
	}
	tp_lanes_emit(lanes, n, columns, begin_torch_lane, o, o->out);
	tp_free(lanes);
}

void
tp_torch_emit_lanes(const struct tp_torch_out *o)
{
	const struct tp_torch_time *all = &o->file->times.all;
	struct tp_lane_columns columns;
	struct lines l = { 0 };

	if (!o->pixels || !all->count)
		return;
	columns = tp_lane_columns_over(all->first_ps, all->last_ps, 1000,
	    o->pixels);
	make(&l, &o->file->times);
	add_work(&l, o, &columns);
	emit_stream_lanes(o, &l, &columns);
	for (size_t i = 0; i < l.count; i++) {
		tp_ival_release(&l.list[i].busy);
		tp_lane_kinds_release(&l.list[i].kinds);
	}
	tp_free(l.list);
	tp_free(l.at);
	tp_free(l.device_at);
}
