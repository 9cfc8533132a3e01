/* events_judge - check an element and make an event of it */
#include <string.h>

#include "events_private.h"

/*
 * Value of the N (0 to 8) digits before END; eight bytes before END are
 * readable.
 */
static inline uint64_t
digits_before(const char *end, size_t n)
{
	uint64_t w = tp_load64(end - 8) ^ TP_EACH('0');

	/* shift out what precedes them */
	return n ? tp_number8((w >> (64 - 8 * n) << (64 - 8 * n)) ^
	    TP_EACH('0')) : 0;
}

/* Fast path for times: at most 16 digits, a point, at most 6 more.  0 or -1. */
static inline int
simple_time(const struct tp_raw *raw, int64_t *us, int32_t *ps)
{
	static const int32_t scale[] = { 1, 100000, 10000, 1000, 100, 10, 1 };
	size_t point = raw->simple - 1u, whole = point ? point : raw->len;
	size_t fine = point ? raw->len - point - 1 : 0;
	size_t tail = whole < 8 ? whole : 8;
	const char *end = raw->text + whole;

	if (whole > 16 || fine > 6)
		return -1;
	*us = (int64_t)(digits_before(end, tail) + 100000000 *
	    digits_before(end - tail, whole - tail));
	*ps = (int32_t)digits_before(raw->text + raw->len, fine) *
	    scale[fine];
	return 0;
}

/* Parse the time RAW, which may be a string.  0 or -1. */
static inline int
time_of(struct tp_events *e, const struct tp_raw *raw, int64_t *us,
    int32_t *ps)
{
	if (raw->type == TP_ARG_NUMBER && raw->simple &&
	    raw->text - e->at >= 8 && !simple_time(raw, us, ps))
		return 0;
	if (raw->type != TP_ARG_NUMBER && (raw->type != TP_ARG_STRING ||
	    e->strict))
		return -1;
	if (tp_events_us(raw->text, raw->len, us, ps) < 0)
		return -1;
	e->repaired.strings += raw->type == TP_ARG_STRING;
	return 0;
}

static int
bad_time(struct tp_events *e, struct tp_err *err, const char *key,
    const struct tp_raw *raw, int far)
{
	if (raw->type == TP_ARG_ABSENT)
		tp_fail(err, TP_BAD, "event.baddur", tp_events_line(e),
		    "an event without %s", key);
	else
		tp_fail(err, TP_BAD, "event.baddur", tp_events_line(e),
		    "%s of an event is '%.*s'%s", key,
		    raw->len < 40 ? (int)raw->len : 40, raw->text,
		    !far ? "" : !strcmp(key, "ts") ? ", more than a day from "
		    "the others" : ", more than a day");
	err->what = key;
	return -1;
}

static inline int
read_ts(struct tp_events *e, struct tp_event *v, struct tp_err *err)
{
	const struct tp_raw *raw = &e->element.fields.at[TP_F_TS];
	int64_t us;
	int32_t ps;

	v->has_ts = 0;
	if (v->phase == 'M')
		return 0;	/* metadata has no time, whatever it says */
	if (time_of(e, raw, &us, &ps) < 0)
		return bad_time(e, err, "ts", raw, 0);
	if (tp_events_time(e, us, ps, &v->ts_ps) < 0)
		return bad_time(e, err, "ts", raw, 1);
	v->has_ts = 1;
	return 0;
}

static inline int
read_dur(struct tp_events *e, struct tp_event *v, struct tp_err *err)
{
	const struct tp_raw *raw = &e->element.fields.at[TP_F_DUR];
	int64_t us;
	int32_t ps;

	v->has_dur = 0;
	v->dur_ps = 0;
	if (v->phase != 'X')
		return 0;
	if (time_of(e, raw, &us, &ps) < 0 || us < 0)
		return bad_time(e, err, "dur", raw, 0);
	if (tp_events_since(us, ps, 0, 0, &v->dur_ps) < 0)
		return bad_time(e, err, "dur", raw, 1);
	v->has_dur = 1;
	return 0;
}

/* Check that fields of numbers and words are valid JSON. */
static void
judge_fields(struct tp_events *e)
{
	static const enum tp_event_field read[] = { TP_F_ID, TP_F_PID,
	    TP_F_TID };
	struct tp_raw *raw;

	for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
		raw = &e->element.fields.at[read[i]];
		if (!raw->simple)
			tp_raw_judge(raw, &e->element.words);
	}
	e->repaired.words += e->element.words;
}

/* The text as written, possibly still to be decoded. */
static inline struct tp_arg
borrow(const struct tp_raw *raw)
{
	return (struct tp_arg){ (enum tp_arg_type)raw->type, raw->len,
	    raw->text };
}

/* Point ARGS to the texts as written; returns whether some must be decoded. */
static inline unsigned
borrow_args(struct tp_events *e)
{
	const struct tp_values *from = &e->element.args;
	unsigned odd = 0;

	TP_FOR_VALUES(i, e->have)
		e->args[i] = (struct tp_arg){ TP_ARG_ABSENT, 0, NULL };
	e->have[0] = from->have[0];
	e->have[1] = tp_args_have(from);
	TP_FOR_VALUES(i, e->have) {
		e->args[i] = borrow(&from->at[i]);
		odd |= from->at[i].odd;
	}
	return odd;
}

static void
decode(struct tp_events *e, struct tp_arg *arg, const struct tp_raw *raw,
    char **out)
{
	if (!tp_raw_room(raw))
		return;
	arg->text = *out;
	arg->len = (uint32_t)tp_raw_decode(raw, *out, &e->repaired.utf8);
	*out += arg->len;
}

static void
read_text(struct tp_events *e, struct tp_event *v)
{
	enum { FIRST = TP_F_NAME, COUNT = TP_F_TID + 1 - FIRST };
	const struct tp_raw *fields = &e->element.fields.at[FIRST];
	const struct tp_raw *args = e->element.args.at;
	struct tp_arg text[COUNT];
	unsigned odd;
	size_t need = 0;
	char *out;

	judge_fields(e);
	odd = borrow_args(e);
	for (size_t i = 0; i < COUNT; i++) {
		text[i] = borrow(&fields[i]);
		odd |= fields[i].odd;
	}
	if (odd) {
		for (size_t i = 0; i < COUNT; i++)
			need += tp_raw_room(&fields[i]);
		TP_FOR_VALUES(i, e->have)
			need += tp_raw_room(&args[i]);
		tp_buf_clear(&e->text);
		out = tp_buf_room(&e->text, need);
		for (size_t i = 0; i < COUNT; i++)
			decode(e, &text[i], &fields[i], &out);
		TP_FOR_VALUES(i, e->have)
			decode(e, &e->args[i], &args[i], &out);
	}
	v->name = text[TP_F_NAME - FIRST];
	v->cat = text[TP_F_CAT - FIRST];
	v->id = text[TP_F_ID - FIRST];
	v->args = e->args;
	v->kind = 0;
	v->lane = tp_lanes_add(&e->lanes, &text[TP_F_PID - FIRST],
	    &text[TP_F_TID - FIRST]);
}

static int
is_name(const struct tp_event *v, const char *name)
{
	size_t len = strlen(name);

	return v->name.type == TP_ARG_STRING && v->name.len == len &&
	    !memcmp(v->name.text, name, len);
}

/* Read the name of a process or thread from metadata. */
static void
read_meta(struct tp_events *e, const struct tp_event *v)
{
	const struct tp_arg *name = &e->args[e->reading.names.name_at];
	int process = is_name(v, "process_name");

	if (name->type != TP_ARG_STRING || (!process &&
	    !is_name(v, "thread_name")))
		return;
	/* threads are called anew as their ids are reused */
	if (tp_lanes_call(&e->lanes, v->lane, process, name) && process)
		e->renamed++;
}

int
tp_events_judge(struct tp_events *e, struct tp_event *v, struct tp_err *err)
{
	int rc;

	e->ends_empty = e->element.is_object && e->element.empty;
	if (!e->element.is_object || e->element.empty) {
		e->others += !e->element.is_object;
		e->empty += e->element.is_object;
		return 0;
	}
	v->phase = e->element.phase;
	v->index = e->elements - 1;
	e->unphased += !v->phase;
	if (!e->reading.phases.read[(unsigned char)v->phase]) {
		/* any event sets the base, even if it is not returned */
		if (!e->has_base)
			read_ts(e, v, err);
		return 0;
	}
	if (read_ts(e, v, err) < 0 || read_dur(e, v, err) < 0)
		return -1;
	read_text(e, v);
	if (v->phase == 'M')
		read_meta(e, v);
	if (e->pairing && v->phase == 'B') {
		tp_pairs_begin(&e->pairs, v, e->reading.names.count);
		return 0;
	}
	if (e->pairing && v->phase == 'E') {
		rc = tp_pairs_end(&e->pairs, v, e->reading.names.count);
		if (rc && !v->has_dur) {
			tp_fail(err, TP_BAD, "event.baddur",
			    tp_events_line(e), "an end before its begin");
			err->what = "end";
			return -1;
		}
		return rc;
	}
	return e->given[(unsigned char)v->phase];
}
