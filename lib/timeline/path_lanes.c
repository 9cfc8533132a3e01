/* path_lanes - who holds the critical path over time, for pictures */
#include <tp/alloc.h>
#include <tp/lanes.h>
#include <tp/order.h>

#include <tp/timeline/path.h>

#include "critical.h"

enum side { HOST, DEVICE, COMMUNICATION, WAITING, SIDES };

static const char *const names[SIDES] = { "host", "device", "communication",
	"waiting" };

struct sides {
	struct tp_lane_columns columns;
	int64_t (*ps)[SIDES];		/* by column */
	int64_t at;			/* column of the last piece */
};

static enum side
side_of(enum tp_path_class class)
{
	if (class == TP_PATH_COMMUNICATION)
		return COMMUNICATION;
	if (tp_path_is_device(class))
		return DEVICE;
	return class < TP_PATH_SYNC || class == TP_PATH_SLEEP ||
	    class == TP_PATH_BLOCKED || class == TP_PATH_UNLINKED ? WAITING :
	    HOST;
}

/* Pieces come latest first. */
static void
add_piece(void *arg, const struct tp_path *path,
    const struct tp_path_piece *piece)
{
	struct sides *s = arg;
	enum side side = side_of((enum tp_path_class)path->graph->whats[
	    piece->what].class);
	int64_t to = piece->to_ps, from;

	for (; to > piece->from_ps; to = from) {
		while (tp_lane_column(&s->columns, s->at) >= to)
			s->at--;
		from = tp_lane_column(&s->columns, s->at);
		TP_MOST(from, piece->from_ps);
		s->ps[s->at][side] += to - from;
	}
}

static enum side
most_of(const int64_t *ps)
{
	enum side most = HOST;

	for (enum side k = DEVICE; k < SIDES; k++)
		if (ps[k] > ps[most])
			most = k;
	return most;
}

void
tp_path_emit_lanes(struct tp_path *path, struct tp_graph *graph, size_t pixels,
    int64_t process_rank, struct tp_out *out)
{
	struct sides s = { .columns = tp_lane_columns_over(path->from_ps,
	    path->to_ps, 1000, pixels) };
	int64_t from_ns;
	enum side side;

	if (!pixels)
		return;
	s.ps = tp_zalloc((size_t)s.columns.count * sizeof *s.ps);
	s.at = s.columns.count - 1;
	tp_path_again(path, graph, add_piece, &s);
	path->with = NULL;
	for (int64_t i = 0; i < s.columns.count; ) {
		from_ns = tp_lane_column(&s.columns, i) / 1000;
		side = most_of(s.ps[i]);
		while (++i < s.columns.count && most_of(s.ps[i]) == side)
			continue;
		tp_out_begin(out, "path.lane");
		if (process_rank >= 0)
			tp_out_int(out, "process_rank", process_rank);
		tp_out_text(out, "part", names[side]);
		tp_out_int(out, "start_ns", from_ns);
		tp_out_int(out, "duration_ns", tp_lane_column(&s.columns, i) /
		    1000 - from_ns);
		tp_out_end(out);
	}
	tp_free(s.ps);
}
