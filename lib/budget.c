/* budget - where the wall-clock time of a run went */
#include <string.h>

#include <tp/budget.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/text.h>

#include "classes.h"

#define ROWS_MAX (sizeof ((struct tp_budget *)0)->rows / \
    sizeof ((struct tp_budget *)0)->rows[0])

/* Whether nearly all of ROW is one gap. */
static int
came_once(const struct tp_budget_row *row)
{
	return row->one_gap_ns && (double)row->one_gap_ns >= TP_ONCE *
	    (double)row->time_ns;
}

/*
 * Standing of part ROW: "close" from 90 % of the largest on, "costly" if the
 * run would be a fifth shorter without it, "small" below 3 % of the wall clock.
 */
static const char *
standing_of(const struct tp_budget *b, const struct tp_budget_row *row,
    const struct tp_budget_row *largest)
{
	int64_t wall_ns = b->end_ns - b->start_ns, time_ns = row->time_ns;

	return row == largest ? "largest" :
	    time_ns >= largest->time_ns - largest->time_ns / 10 ? "close" :
	    row->is_replayed && !b->is_unpromised && !came_once(row) &&
	    time_ns >= wall_ns / 100 * 3 && row->gain_ns >= wall_ns / 5 &&
	    row->gain_ns > largest->gain_ns && largest->part !=
	    TP_PART_WAITING ? "costly" :
	    time_ns >= wall_ns / 100 * 3 ? "notable" : "small";
}

/* Rows below this many thousandths of the wall clock are merged. */
#define SHOWN_MILLIS 5

static const char *const part_names[TP_PART_COUNT] = {
	[TP_PART_DEVICE] = "device-work",
	[TP_PART_MATH] = "math-bound",
	[TP_PART_MEMORY] = "memory-bound",
	[TP_PART_LATENCY] = "latency-bound",
	[TP_PART_COMMUNICATION] = "communication",
	[TP_PART_COPIES] = "copies",
	[TP_PART_CONTENTION] = "contention",
	[TP_PART_BUILDING] = "building",
	[TP_PART_SYNCHRONISING] = "synchronising",
	[TP_PART_LATE] = "late-commit",
	[TP_PART_HOST] = "host-work",
	[TP_PART_LOADING] = "data-loading",
	[TP_PART_WAITING] = "waiting",
	[TP_PART_PAUSE] = "pause",
	[TP_PART_LAUNCH] = "launch-latency",
	[TP_PART_OPERATORS] = "operators",
	[TP_PART_MOVEMENT] = "data-movement",
	[TP_PART_PACKING] = "packing",
	[TP_PART_PORTABLE] = "portable",
	[TP_PART_GAP] = "delegate-gap",
	[TP_PART_FRAMEWORK] = "framework",
	[TP_PART_MISSING] = "work-missing",
	[TP_PART_UNRECORDED] = "unrecorded",
};

const char *
tp_budget_part_name(enum tp_budget_part part)
{
	return part_names[part];
}

int
tp_budget_part_named(const char *name)
{
	for (int i = 0; i < TP_PART_COUNT; i++)
		if (!strcmp(part_names[i], name))
			return i;
	return -1;
}

int
tp_budget_number(struct tp_classes *classes)
{
	for (size_t i = 0; i < classes->count; i++) {
		struct tp_class *c = &classes->list[i];
		const char *part = tp_json_text(c->row, "part");

		c->number = tp_budget_part_named(part ? part : c->name);
		if (c->number < 0)
			return -1;
	}
	return 0;
}

static void
join(struct tp_budget_row *row, int64_t time_ns, int64_t floor_ns)
{
	row->time_ns += time_ns;
	if (row->floor_ns == TP_FLOOR_UNKNOWN || floor_ns == TP_FLOOR_UNKNOWN)
		row->floor_ns = TP_FLOOR_UNKNOWN;
	else
		row->floor_ns += floor_ns;
}

/* Index of the row of PART and CAUSE; b->count when there is none. */
static size_t
row_of(const struct tp_budget *b, enum tp_budget_part part, const char *cause)
{
	size_t i;

	for (i = 0; i < b->count; i++)
		if (b->rows[i].part == part &&
		    tp_same(b->rows[i].cause, cause))
			break;
	return i;
}

void
tp_budget_add(struct tp_budget *b, enum tp_budget_part part,
    const char *cause, int64_t time_ns, int64_t floor_ns)
{
	size_t i = row_of(b, part, cause);

	if (time_ns <= 0)
		return;
	if (i == ROWS_MAX) {
		/* no source has that many causes */
		join(&b->rows[i - 1], time_ns, floor_ns);
	} else if (i == b->count) {
		b->rows[b->count++] = (struct tp_budget_row){ .part = part,
		    .cause = cause, .time_ns = time_ns,
		    .floor_ns = floor_ns };
	} else {
		join(&b->rows[i], time_ns, floor_ns);
	}
}

/* Nothing saves TIME_NS of ROW. */
static void
keep(struct tp_budget *b, struct tp_budget_row *row, int64_t time_ns)
{
	int64_t *gains[] = { &row->gain_ns, &row->beyond_ns,
	    &b->part_gain_ns[row->part] };
	int64_t beyond = row->beyond_ns;

	for (int i = 0; row->is_replayed && i < 3; i++)
		*gains[i] = *gains[i] > time_ns ? *gains[i] - time_ns : 0;
	/* which sums up what rows save beyond each other */
	b->joint_ns -= beyond - row->beyond_ns;
	if (row->floor_ns != TP_FLOOR_UNKNOWN) {
		row->floor_ns += time_ns;
		TP_LEAST(row->floor_ns, row->time_ns);
	}
}

void
tp_budget_say_once(struct tp_budget *b, enum tp_budget_part part,
    const char *cause, const struct tp_budget_once *once)
{
	size_t i = row_of(b, part, cause);
	struct tp_budget_row *row = &b->rows[i];

	if (i == b->count || !once->execution_count)
		return;
	row->once = *once;
	/* rounded apart */
	TP_LEAST(row->once.first_ns, row->time_ns);
	keep(b, row, once->time_ns);
}

void
tp_budget_say_gap(struct tp_budget *b, enum tp_budget_part part,
    const char *cause, int64_t time_ns, int is_floor)
{
	size_t i = row_of(b, part, cause);
	struct tp_budget_row *row = &b->rows[i];

	if (i == b->count || time_ns <= 0)
		return;
	row->one_gap_ns += time_ns;
	TP_LEAST(row->one_gap_ns, row->time_ns);
	if (is_floor)
		keep(b, row, time_ns);
}

void
tp_budget_say_gain(struct tp_budget *b, enum tp_budget_part part,
    const char *cause, int64_t gain_ns, int64_t beyond_ns)
{
	size_t i = row_of(b, part, cause);

	if (i == b->count)
		return;
	b->rows[i].is_replayed = 1;
	b->rows[i].gain_ns = gain_ns;
	b->rows[i].beyond_ns = beyond_ns;
}

int64_t
tp_budget_rest(const struct tp_budget *b)
{
	int64_t rest = b->end_ns - b->start_ns;

	for (size_t i = 0; i < b->count; i++)
		rest -= b->rows[i].time_ns;
	return rest;
}

/* Longest first, then in the order of parts. */
TP_ORDER(by_time, struct tp_budget_row, TP_DOWN(time_ns) TP_UP(part)
    TP_BY(!!a->cause - !!b->cause)
    TP_BY(a->cause ? strcmp(a->cause, b->cause) : 0))

static void
begin_budget(const struct tp_budget *b, const char *kind, struct tp_out *out)
{
	tp_out_begin(out, kind);
	if (b->has_rank)
		tp_out_int(out, "process_rank", b->rank);
	if (b->host_index)
		tp_out_int(out, "host_index", b->host_index);
	tp_out_text(out, "host", b->host);
	tp_out_text(out, "scope", b->scope);
	if (b->segment)
		tp_out_int(out, "segment", b->segment);
	if (b->is_main)
		tp_out_text(out, "role", "main");
}

/* Write the time, floor and gain of ROW, and what came once. */
static void
put_time(const struct tp_budget *b, const struct tp_budget_row *row,
    struct tp_out *out)
{
	int64_t wall = b->end_ns - b->start_ns, gain;

	tp_out_int(out, "time_ns", row->time_ns);
	tp_out_ratio(out, "wall_ratio", row->time_ns, wall);
	if (came_once(row))
		tp_out_int(out, "one_gap_ns", row->one_gap_ns);
	if (row->is_replayed && b->is_unpromised) {
		tp_out_ratio(out, "gain_ratio", row->gain_ns, wall);
		return;
	}
	if (row->floor_ns != TP_FLOOR_UNKNOWN)
		tp_out_int(out, "floor_ns", row->floor_ns);
	if (row->is_replayed) {
		tp_out_int(out, "gain_ns", row->gain_ns);
		tp_out_ratio(out, "gain_ratio", row->gain_ns, wall);
		tp_out_int(out, "gain_beyond_ns", row->beyond_ns);
		tp_out_ratio(out, "gain_beyond_ratio", row->beyond_ns, wall);
		if (row->gain_ns < wall && !came_once(row))
			tp_out_ratio(out, "ceiling_factor", wall, wall -
			    row->gain_ns);
		return;
	}
	if (row->floor_ns == TP_FLOOR_UNKNOWN)
		return;
	gain = row->time_ns - row->floor_ns;
	tp_out_int(out, "gain_ns", gain);
	tp_out_ratio(out, "gain_ratio", gain, wall);
	/* what came once is no pace */
	if (gain < wall && !came_once(row))
		tp_out_ratio(out, "ceiling_factor", wall, wall - gain);
}

/*
 * Write what overlap alone can save of communication that takes TIME_NS: no
 * more of it fits beside the rest of the window.
 */
static void
put_overlap(const struct tp_budget *b, int64_t time_ns, struct tp_out *out)
{
	int64_t room = b->end_ns - b->start_ns - b->communication_ns;

	if (b->communication_ns <= 0)
		return;
	TP_LEAST(room, time_ns);
	tp_out_int(out, "communication_union_ns", b->communication_ns);
	tp_out_int(out, "overlap_gain_ns", room);
	tp_out_ratio(out, "overlap_gain_ratio", room, time_ns);
}

/* Write of GAP, of the part ROW, where it lies and how it stands alone. */
static void
put_gap(const struct tp_budget *b, const struct tp_budget_gap *gap,
    const struct tp_budget_row *row, struct tp_out *out)
{
	tp_out_ratio(out, "one_gap_ratio", gap->time_ns, row->time_ns);
	if (gap->has_number)
		tp_out_int(out, "number", gap->number);
	if (gap->end_ns) {
		tp_out_int(out, "start_ns", gap->start_ns);
		tp_out_int(out, "end_ns", gap->end_ns);
	}
	if (row->part != TP_PART_PAUSE)
		return;
	tp_out_int(out, "late_gap_count", gap->count);
	if (gap->next_ns)
		tp_out_int(out, "next_gap_ns", gap->next_ns);
	tp_out_int(out, "rest_ns", b->end_ns - b->start_ns - row->time_ns);
}

static void
emit_parts(const struct tp_budget *b, struct tp_out *out)
{
	struct tp_budget sums = { .start_ns = b->start_ns,
	    .end_ns = b->end_ns };
	const struct tp_budget_place *place;

	for (size_t i = 0; i < b->count; i++)
		tp_budget_add(&sums, b->rows[i].part, NULL,
		    b->rows[i].time_ns, b->rows[i].floor_ns);
	for (size_t i = 0; i < b->count; i++) {
		size_t k = row_of(&sums, b->rows[i].part, NULL);

		sums.rows[k].is_replayed |= b->rows[i].is_replayed;
		sums.rows[k].beyond_ns += b->rows[i].beyond_ns;
		sums.rows[k].gain_ns = b->part_gain_ns[b->rows[i].part];
	}
	TP_SORT(sums.rows, sums.count, by_time);
	for (size_t i = 0; i < sums.count; i++) {
		begin_budget(b, "budget.part", out);
		tp_out_int(out, "rank", (int64_t)i + 1);
		tp_out_text(out, "part", part_names[sums.rows[i].part]);
		sums.rows[i].one_gap_ns = b->gaps[sums.rows[i].part].time_ns;
		tp_out_text(out, "standing", standing_of(b, &sums.rows[i],
		    &sums.rows[0]));
		put_time(b, &sums.rows[i], out);
		if (came_once(&sums.rows[i]))
			put_gap(b, &b->gaps[sums.rows[i].part], &sums.rows[i],
			    out);
		place = &b->places[sums.rows[i].part];
		if (place->name) {
			tp_out_text(out, "host_name", place->name);
			if (place->count)
				tp_out_int(out, "call_count", place->count);
		}
		if (sums.rows[i].part == TP_PART_COMMUNICATION)
			put_overlap(b, sums.rows[i].time_ns, out);
		tp_out_end(out);
	}
}

static void
emit_row(const struct tp_budget *b, const struct tp_budget_row *row,
    const char *part, size_t rank, struct tp_out *out)
{
	begin_budget(b, "budget", out);
	tp_out_int(out, "rank", (int64_t)rank);
	tp_out_text(out, "part", part);
	/* what a host did once is no cause that rules look for */
	tp_out_text(out, row->part == TP_PART_PAUSE ? "pause_cause" : "cause",
	    row->cause);
	put_time(b, row, out);
	if (row->once.execution_count) {
		tp_out_int(out, "first_execution_ns", row->once.first_ns);
		tp_out_int(out, "later_executions_ns", row->once.later_ns);
		tp_out_int(out, "once_ns", row->once.time_ns);
		tp_out_int(out, "execution_count", row->once.execution_count);
		tp_out_int(out, "program_count", row->once.program_count);
	}
	tp_out_end(out);
}

void
tp_budget_emit(struct tp_budget *b, struct tp_out *out)
{
	int64_t wall = b->end_ns - b->start_ns;
	struct tp_budget_row rest = { 0 };
	size_t shown = 0;

	if (wall <= 0)
		return;
	begin_budget(b, "budget.window", out);
	tp_out_int(out, "start_ns", b->start_ns);
	tp_out_int(out, "end_ns", b->end_ns);
	tp_out_int(out, "wall_ns", wall);
	if (b->joint_ns)
		tp_out_int(out, "joint_gain_ns", b->joint_ns);
	tp_out_end(out);
	emit_parts(b, out);
	TP_SORT(b->rows, b->count, by_time);
	while (shown < b->count && (b->count <= TP_BUDGET_ROWS ||
	    shown + 1 < TP_BUDGET_ROWS) && b->rows[shown].time_ns >=
	    wall / 1000 * SHOWN_MILLIS)
		shown++;
	if (shown + 1 == b->count)
		shown++;
	for (size_t i = 0; i < shown; i++)
		emit_row(b, &b->rows[i], part_names[b->rows[i].part], i + 1,
		    out);
	for (size_t i = shown; i < b->count; i++)
		join(&rest, b->rows[i].time_ns, b->rows[i].floor_ns);
	if (rest.time_ns)
		emit_row(b, &rest, "other", shown + 1, out);
}
