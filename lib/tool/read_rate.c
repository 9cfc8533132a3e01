/* read_rate - progress, rate and remaining time of a long read */
#include <string.h>

#include <tp/show/fit.h>

#include "read_rate.h"

#define SETTLE_MS 2000		/* no estimate before this */
#define SURE_MS 10000		/* before this only if 1 % is done */
#define NAME_MIN 8		/* least columns for a cut name */

void
tp_pace_step(struct tp_pace *p, uint64_t done, uint64_t total, int64_t ms)
{
	int64_t dt = ms - p->last_ms, so_far, window, end, off;
	double weight, mean;

	if (!p->started || done < p->done) {
		*p = (struct tp_pace){ .done = done, .begun = done,
		    .begun_ms = ms, .last_ms = ms, .started = 1 };
		p->total = total;
		return;
	}
	if (dt <= 0)
		return;
	so_far = ms - p->begun_ms;
	window = so_far / 3 > SETTLE_MS ? so_far / 3 : SETTLE_MS;
	weight = (double)dt / (double)(dt + window);
	/* plain mean until a full window has passed */
	mean = (double)dt / (double)so_far;
	p->rate += ((double)(done - p->done) / (double)dt - p->rate) *
	    (mean > weight ? mean : weight);
	p->done = done;
	p->total = total && total < done ? done : total;
	p->last_ms = ms;
	if (done >= p->total || so_far < SETTLE_MS || p->rate <= 0 ||
	    (so_far < SURE_MS &&
	    done - p->begun < (p->total - p->begun) / 100)) {
		p->end_ms = 0;
		return;
	}
	end = (int64_t)((double)(p->total - done) / p->rate);
	end = ms + (end > INT32_MAX ? INT32_MAX : end);
	off = end > p->end_ms ? end - p->end_ms : p->end_ms - end;
	if (!p->end_ms || p->end_ms <= ms || off > (end - ms) / 8 + 1000)
		p->end_ms = end;
}

/* N bytes as "42 kB", "9.5 MB", "812 MB". */
static void
say_bytes(struct tp_buf *out, double n)
{
	static const char units[] = "kMGTPE";
	size_t i = 0;

	for (n /= 1000; n >= 999.5 && units[i + 1]; i++)
		n /= 1000;
	tp_buf_fmt(out, i && n < 9.95 ? "%.1f %cB" : "%.0f %cB", n, units[i]);
}

/* Write S seconds in seconds, minutes or hours. */
static void
say_time(struct tp_buf *out, int64_t s)
{
	if (s < 100)
		tp_buf_fmt(out, "%d s", (int)s);
	else if (s < 100 * 60)
		tp_buf_fmt(out, "%d min", (int)((s + 30) / 60));
	else
		tp_buf_fmt(out, "%d h", (int)((s + 1800) / 3600));
}

void
tp_pace_say(const struct tp_pace *p, struct tp_buf *out)
{
	if (p->total) {
		tp_buf_fmt(out, "%d %% of ", (int)((double)p->done * 100 /
		    (double)p->total));
		say_bytes(out, (double)p->total);
	} else {
		say_bytes(out, (double)p->done);
	}
	if (p->end_ms) {
		tp_buf_str(out, ", ");
		/* rounded up: 0 s would mean that it is done */
		say_time(out, (p->end_ms - p->last_ms + 999) / 1000);
		tp_buf_str(out, " left");
	} else if (!p->total && p->rate > 0 && p->last_ms - p->begun_ms >=
	    SETTLE_MS / 2) {
		tp_buf_str(out, ", ");
		say_bytes(out, p->rate * 1000);
		tp_buf_str(out, "/s");
	}
}

/* Write the part before the file name. */
static void
say_head(const struct tp_work *w, struct tp_buf *out)
{
	tp_buf_str(out, w->who);
	if (!w->verb)
		return;
	tp_buf_fmt(out, ": %s ", w->verb);
	if (w->count > 1 && w->number)
		tp_buf_fmt(out, "file %zu of %zu, ", w->number, w->count);
	else if (w->count > 1)
		tp_buf_fmt(out, "%zu files", w->count);
}

/* Write the part after the file name. */
static void
say_tail(const struct tp_pace *p, const struct tp_work *w, struct tp_buf *out)
{
	int64_t s = w->so_far_ms / 1000;

	if (w->so_far_ms < 0) {
		tp_buf_str(out, ": ");
		tp_pace_say(p, out);
	} else if (s) {
		tp_buf_str(out, w->verb ? ", " : ": ");
		say_time(out, s);
		tp_buf_str(out, " so far");
	}
}

void
tp_pace_line(const struct tp_pace *pace, const struct tp_work *work,
    const struct tp_screen *screen, struct tp_buf *out)
{
	struct tp_buf line = { 0 }, tail = { 0 };
	const char *name = work->verb ? work->name : NULL;
	/* a character in the last column may wrap the line */
	size_t width = screen->width - 1, all, room;

	say_head(work, &line);
	say_tail(pace, work, &tail);
	all = tp_text_width(line.p, line.len) + tp_text_width(tail.p, tail.len);
	room = width > all ? width - all : 0;
	if (name && (room >= NAME_MIN || tp_text_width(name, strlen(name)) <=
	    room))
		tp_fit_cut(&line, name, strlen(name), room, screen->dots);
	else if (name)
		/* drop the separator before the omitted name */
		while (line.len && strchr(" ,", line.p[line.len - 1]))
			line.len--;
	tp_buf_add(&line, tail.p, tail.len);
	tp_fit_cut(out, line.p, line.len, width, screen->dots);
	tp_buf_release(&line);
	tp_buf_release(&tail);
}
