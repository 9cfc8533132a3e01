/* clock - GPU clock states, and when the GPU was active */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/clock.h>
#include <tp/order.h>
#include <tp/share.h>
#include <tp/text.h>

static void
add_clock(struct tp_clock *c, const struct tp_row *row, int64_t from,
    int64_t to)
{
	const struct tp_value *v = &row->v[TP_STATE_NAME];
	const struct tp_value *flag = &row->v[TP_STATE_INDUCED];
	ptrdiff_t state = tp_names_add(&c->states, v->text, v->len);

	TP_ITEM(c->times, c->time_cap, state);
	TP_APPEND(c->rows, c->row_count, c->row_cap, (struct tp_clock_row){
	    from, (size_t)state });
	if (flag->type == TP_COUNT && flag->n)
		tp_ival_add(&c->induced, from, to);
	tp_ival_add(&c->times[state], from, to);
	tp_ival_add(&c->covered, from, to);
}

static void
add_activity(struct tp_clock *c, const struct tp_row *row, int64_t from,
    int64_t to)
{
	const struct tp_value *v = &row->v[TP_STATE_NAME];

	c->active_rows++;
	if (tp_is(v->text, v->len, "Active"))
		tp_ival_add(&c->active, from, to);
	tp_ival_add(&c->known, from, to);
}

int
tp_clock_add(struct tp_clock *c, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	int64_t from, to;
	int rc;

	rc = tp_row_interval(row, TP_STATE_START, TP_STATE_DURATION, window,
	    &from, &to, err);
	if (rc < 0)
		return -1;
	if (row->v[TP_STATE_NAME].type == TP_NONE)
		return tp_row_bad(err, row, "no state");
	if (!rc)
		return 0;
	if (strcmp(row->bind->table, TP_TABLE_STATE))
		add_clock(c, row, from, to);
	else
		add_activity(c, row, from, to);
	return 0;
}

struct state {
	const char *name;
	const struct tp_ival *times;
	int64_t time_ns, busy_ns;
	int level;		/* rank of its clock; -1: unknown */
};

/* A clock state for output. */
struct clock_states {
	struct tp_clock *c;
	struct tp_out *out;
	struct state *states;
	size_t count;
	int64_t covered_ns, busy_ns;	/* busy: of the covered time */
	int64_t first_ns, last_ns;
	const struct state *highest;	/* highest of all clocks; NULL:
					 * unknown */
	const char *highest_name;
	int with_busy;
};

TP_ORDER(by_time, struct state, TP_DOWN(time_ns)
    TP_BY(strcmp(a->name, b->name)))

TP_ORDER(by_start, struct tp_clock_row, TP_UP(at_ns) TP_UP(state))

static int64_t
changes(struct tp_clock *c)
{
	int64_t n = 0;

	TP_SORT(c->rows, c->row_count, by_start);
	for (size_t i = 1; i < c->row_count; i++)
		n += c->rows[i].state != c->rows[i - 1].state;
	return n;
}

static int
level_of(const struct cJSON *order, const char *name)
{
	const struct cJSON *i;
	const char *s;
	int level = 0;

	cJSON_ArrayForEach(i, order) {
		s = cJSON_GetStringValue(i);
		if (s && !strcmp(s, name))
			return level;
		level++;
	}
	return -1;
}

/* Start of the first and end of the last span of IVAL. */
static void
span_of(const struct tp_ival *ival, int64_t *from, int64_t *to)
{
	struct tp_ival_walk walk;
	struct tp_span span;
	int some = 0;

	tp_ival_begin(&walk, ival);
	while (tp_ival_next(&walk, &span)) {
		if (!some++)
			*from = span.from;
		*to = span.to;
	}
	tp_ival_stop(&walk);
}

/* The active time in [FROM, TO) with a known clock state. */
static void
part_of(const struct tp_clock *c, int64_t from, int64_t to,
    struct tp_ival *part)
{
	struct tp_ival_walk walk;
	struct tp_span span;

	tp_ival_begin(&walk, &c->active);
	while (tp_ival_next(&walk, &span)) {
		span.from = span.from < from ? from : span.from;
		span.to = span.to > to ? to : span.to;
		if (span.from < span.to)
			tp_ival_add(part, span.from, span.to);
	}
	tp_ival_stop(&walk);
	tp_ival_finish(part);
}

/* Mean clock during work in the first or LAST third of the time. */
static void
third(const struct clock_states *t, int last)
{
	int64_t length = (t->last_ns - t->first_ns) / 3, known, high = 0;
	int64_t from = last ? t->last_ns - length : t->first_ns;
	struct tp_ival part = { 0 };

	part_of(t->c, from, from + length, &part);
	known = tp_ival_common(&part, &t->c->covered);
	if (t->highest)
		high = tp_ival_common(&part, t->highest->times);
	tp_ival_release(&part);
	tp_out_int(t->out, last ? "last_third_busy_ns" : "first_third_busy_ns",
	    known);
	tp_out_ratio(t->out, last ? "last_third_highest_busy_ratio" :
	    "first_third_highest_busy_ratio", high, known);
}

static void
summary(struct clock_states *t)
{
	const struct state *dominant = &t->states[0];
	struct tp_out *out = t->out;

	tp_out_begin(out, "clock.summary");
	tp_out_text(out, "scope", "all");
	tp_out_int(out, "rows", (int64_t)t->c->row_count);
	tp_out_int(out, "first_ns", t->first_ns);
	tp_out_int(out, "last_ns", t->last_ns);
	tp_out_int(out, "covered_ns", t->covered_ns);
	tp_out_int(out, "state_count", (int64_t)t->count);
	tp_out_int(out, "change_count", changes(t->c));
	tp_out_text(out, "dominant_state", dominant->name);
	tp_out_ratio(out, "dominant_ratio", dominant->time_ns, t->covered_ns);
	tp_out_ratio(out, "induced_ratio", tp_ival_busy(&t->c->induced),
	    t->covered_ns);
	if (t->highest_name) {
		tp_out_text(out, "highest_state", t->highest_name);
		tp_out_ratio(out, "highest_ratio", t->highest ?
		    t->highest->time_ns : 0, t->covered_ns);
	}
	if (t->with_busy) {
		tp_out_int(out, "covered_busy_ns", t->busy_ns);
		if (t->highest_name) {
			tp_out_ratio(out, "highest_busy_ratio", t->highest ?
			    t->highest->busy_ns : 0, t->busy_ns);
			third(t, 0);
			third(t, 1);
		}
	}
	tp_out_end(out);
}

static void
states(const struct clock_states *t)
{
	for (size_t i = 0; i < t->count; i++) {
		tp_out_begin(t->out, "clock.state");
		tp_out_text(t->out, "scope", "all");
		tp_out_int(t->out, "rank", (int64_t)i + 1);
		tp_out_text(t->out, "state", t->states[i].name);
		tp_out_int(t->out, "time_ns", t->states[i].time_ns);
		tp_out_ratio(t->out, "time_ratio", t->states[i].time_ns,
		    t->covered_ns);
		if (t->with_busy) {
			tp_out_int(t->out, "state_busy_ns",
			    t->states[i].busy_ns);
			tp_out_ratio(t->out, "state_busy_ratio",
			    t->states[i].busy_ns, t->busy_ns);
		}
		tp_out_end(t->out);
	}
}

static void
gather(struct clock_states *t, const struct cJSON *order)
{
	struct tp_clock *c = t->c;
	int top = cJSON_GetArraySize(order) - 1, unknown = 0;
	struct state *s;

	for (size_t i = 0; i < t->count; i++) {
		s = &t->states[i];
		s->name = c->states.names[i].text;
		s->times = &c->times[i];
		tp_ival_finish(&c->times[i]);
		s->time_ns = tp_ival_busy(s->times);
		s->level = level_of(order, s->name);
		unknown |= s->level < 0;
		if (t->with_busy)
			s->busy_ns = tp_ival_common(&c->active, s->times);
	}
	TP_SORT(t->states, t->count, by_time);
	/* with unknown names present, the highest is not known */
	if (!unknown && top >= 0)
		t->highest_name = cJSON_GetStringValue(
		    cJSON_GetArrayItem(order, top));
	for (size_t i = 0; t->highest_name && i < t->count; i++)
		if (t->states[i].level == top)
			t->highest = &t->states[i];
}

static void
emit_clock(struct tp_clock *c, const struct cJSON *order, struct tp_out *out)
{
	struct clock_states t = { .c = c, .out = out };

	t.count = c->states.count;
	t.states = tp_zalloc((t.count + 1) * sizeof *t.states);
	t.with_busy = c->active_rows > 0;
	tp_ival_finish(&c->covered);
	tp_ival_finish(&c->induced);
	t.covered_ns = tp_ival_busy(&c->covered);
	span_of(&c->covered, &t.first_ns, &t.last_ns);
	if (t.with_busy)
		t.busy_ns = tp_ival_common(&c->active, &c->covered);
	gather(&t, order);
	summary(&t);
	states(&t);
	tp_free(t.states);
}

int
tp_clock_active(struct tp_clock *c, int64_t *ns, int64_t *from, int64_t *to)
{
	if (!c->active_rows)
		return 0;
	tp_ival_finish(&c->active);
	tp_ival_finish(&c->known);
	span_of(&c->known, from, to);
	*ns = tp_ival_busy(&c->active);
	return 1;
}

static void
emit_activity(struct tp_clock *c, struct tp_out *out)
{
	int64_t first = 0, last = 0, active = 0;

	tp_clock_active(c, &active, &first, &last);
	tp_out_begin(out, "gpu.activity");
	tp_out_text(out, "scope", "all");
	tp_out_int(out, "rows", (int64_t)c->active_rows);
	tp_out_int(out, "first_ns", first);
	tp_out_int(out, "last_ns", last);
	tp_out_int(out, "active_ns", active);
	tp_out_int(out, "inactive_ns", tp_ival_busy(&c->known) - active);
	tp_out_end(out);
}

int
tp_clock_emit(struct tp_clock *c, struct tp_out *out, struct tp_err *err)
{
	struct cJSON *doc;

	tp_ival_finish(&c->active);
	if (c->row_count) {
		doc = tp_share_json("ops/counters.json", err);
		if (!doc)
			return -1;
		emit_clock(c, cJSON_GetObjectItem(doc, "clock_states"), out);
		cJSON_Delete(doc);
	}
	if (c->active_rows)
		emit_activity(c, out);
	return 0;
}
