/* events - the events of a trace in Chrome's trace-event JSON */
#include <string.h>

#include "events_private.h"

enum where {
	START, MEMBERS, MEMBER, LIST, ELEMENT, END, GONE
};

struct tp_events {
	struct tp_sight sight;
	struct tp_check check;
	struct tp_trace *trace;
	struct tp_arg_names names;
	struct tp_phases phases;
	unsigned char given[256];	/* phases the filter takes */
	int pairing, strict;
	enum where where;
	int bare, found, blank, first;	/* FIRST: a bracket was just opened */
	struct tp_element element;
	struct tp_event event;
	struct tp_arg args[TP_ARGS_MAX + 1];
	struct tp_buf text, spare;	/* decoded strings; keys */
	struct tp_lanes lanes;
	struct tp_pairs pairs;
	struct tp_members members;
	uint64_t elements, others, empty, trailing;
	int has_base;
	int64_t base_us;
	int32_t base_ps;
	struct {
		uint64_t controls, commas, strings, utf8, words;
	} repaired;
	const char *at;			/* the current element */
};

static void
set_phases(struct tp_events *e, const char *phases)
{
	for (; *phases; phases++)
		e->given[(unsigned char)*phases] = 1;
	e->pairing = e->given['X'] && !e->given['B'];
	memcpy(e->phases.read, e->given, sizeof e->given);
	e->phases.read['M'] = 1;
	if (e->pairing)
		e->phases.read['B'] = e->phases.read['E'] = 1;
}

struct tp_events *
tp_events_open(struct tp_in *in, const struct tp_events_want *want,
    struct tp_trace *trace, struct tp_err *err)
{
	struct tp_events *e = tp_zalloc(sizeof *e);

	if (!e) {
		tp_fail_memory(err);
		return NULL;
	}
	if (tp_arg_names_init(&e->names, want ? want->args : NULL, err) < 0) {
		tp_free(e);
		return NULL;
	}
	e->trace = trace;
	e->strict = want && want->strict;
	e->blank = 1;
	set_phases(e, want && want->phases ? want->phases : "XM");
	tp_check_init(&e->check);
	tp_sight_init(&e->sight, in, e->strict ? &e->check : NULL);
	return e;
}

void
tp_events_close(struct tp_events *e)
{
	if (!e)
		return;
	tp_sight_release(&e->sight);
	tp_buf_release(&e->text);
	tp_buf_release(&e->spare);
	tp_lanes_release(&e->lanes);
	tp_pairs_release(&e->pairs);
	tp_members_release(&e->members);
	tp_free(e);
}

/* All that was odd, once nothing more is read; -1 without memory. */
static int
tell(struct tp_events *e)
{
	const struct { const char *code, *text; uint64_t count; } notes[] = {
		{ "json.repaired", "raw control characters in strings were "
		    "kept", e->repaired.controls },
		{ "json.repaired", "commas in front of a closing bracket were "
		    "passed over", e->repaired.commas },
		{ "json.repaired", "times that were written as strings were "
		    "read", e->repaired.strings },
		{ "json.repaired", "bytes that are not UTF-8, or escapes that "
		    "are none, were replaced", e->repaired.utf8 },
		{ "json.repaired", "values that are none of JSON's (NaN and "
		    "the like) were taken as absent", e->repaired.words },
		{ "json.trailing", "bytes behind the end of the trace were "
		    "ignored", e->trailing },
		{ "event.empty", "empty elements ({}) were passed over",
		    e->empty },
		{ "event.other", "elements that are no objects were passed "
		    "over", e->others },
		{ "event.unmatched", "begins without an end, or ends without "
		    "a begin, were left out",
		    tp_pairs_open(&e->pairs) + e->pairs.unopened },
		{ "event.none", "no events",
		    e->found ? !e->elements : e->blank },
		{ "json.large", "values beside the events of more than 1 MiB "
		    "were passed over", e->members.large },
		{ "json.damaged", "values beside the events that are not JSON "
		    "were passed over", e->members.damaged },
	};

	if (e->where == GONE)
		return 0;
	e->where = GONE;
	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
		if (notes[i].count && tp_trace_note(e->trace, notes[i].code, 0,
		    notes[i].count, "%s: %s", tp_in_name(e->sight.in),
		    notes[i].text) < 0)
			return -1;
	/* lanes and members are asked for later */
	e->at = NULL;
	tp_sight_release(&e->sight);
	tp_pairs_release(&e->pairs);
	return 0;
}

/* Nothing more can be read: ERR says why. */
static int
stop(struct tp_events *e, struct tp_err *err)
{
	err->fatal = 1;
	if (tell(e) < 0)
		tp_fail_memory(err);
	return -1;
}

static int
damaged(struct tp_events *e, struct tp_err *err, const char *at,
    const char *wrong)
{
	if (tp_alloc_failed())
		tp_fail_memory(err);
	else
		tp_fail(err, TP_BAD, "json.damaged",
		    tp_sight_line(&e->sight, at), "not JSON: %s; read up to "
		    "element %llu", wrong, (unsigned long long)e->elements);
	return stop(e, err);
}

/* More input; 1, or stops: the document may not end here. */
static int
more(struct tp_events *e, struct tp_err *err)
{
	int rc = tp_sight_more(&e->sight, err);

	if (rc > 0)
		return 1;
	if (!rc)
		tp_fail(err, TP_BAD, "input.truncated",
		    tp_sight_line(&e->sight, e->sight.end), "the trace ends "
		    "early, after %llu elements",
		    (unsigned long long)e->elements);
	return stop(e, err);
}

/* Bytes behind the document. */
static int
finish(struct tp_events *e, struct tp_err *err)
{
	struct tp_sight *s = &e->sight;
	int rc;

	do {
		if (!e->trailing)
			s->p = tp_blanks(s->p, s->end);
		e->trailing += (uint64_t)(s->end - s->p);
		s->p = s->end;
		rc = tp_sight_more(s, err);
	} while (rc > 0);
	if (rc < 0)
		return stop(e, err);
	return tell(e) < 0 ? tp_fail_memory(err) : 0;
}

static void
cursor(struct tp_events *e, struct tp_cursor *c)
{
	memset(c, 0, sizeof *c);
	c->p = e->sight.p;
	c->end = e->sight.end;
}

/* What C has read counts. */
static void
accept(struct tp_events *e, const struct tp_cursor *c)
{
	e->sight.p = c->p;
	e->repaired.controls += c->controls;
	e->repaired.commas += c->commas;
}

static int
start(struct tp_events *e, struct tp_err *err)
{
	struct tp_sight *s = &e->sight;

	while (s->end - s->p < 3)
		if (tp_sight_more(s, err) <= 0)
			break;
	if (s->end - s->p >= 3 && !memcmp(s->p, "\xef\xbb\xbf", 3))
		s->p += 3;
	for (;;) {
		s->p = tp_blanks(s->p, s->end);
		if (s->p < s->end)
			break;
		if (more(e, err) < 0)
			return -1;
	}
	if (*s->p != '{' && *s->p != '[')
		return damaged(e, err, s->p, "neither an object nor a list");
	e->bare = e->found = *s->p == '[';
	e->where = e->bare ? LIST : MEMBERS;
	e->first = 1;
	s->p++;
	return 1;
}

/* The next member of the top object, or its end. */
static int
member(struct tp_events *e, struct tp_err *err)
{
	struct tp_cursor c;
	struct tp_raw key;
	enum tp_parse rc;
	int another, is_list;

	for (;;) {
		cursor(e, &c);
		rc = tp_raw_next(&c, '}', e->first, &another);
		if (rc == TP_PARSE_OK && !another) {
			accept(e, &c);
			e->where = END;
			return 1;
		}
		if (rc == TP_PARSE_OK)
			rc = tp_raw_key(&c, &key, &e->spare);
		if (rc == TP_PARSE_OK)
			break;
		if (rc == TP_PARSE_BAD)
			return damaged(e, err, c.p, c.wrong);
		if (more(e, err) < 0)
			return -1;
	}
	e->first = e->blank = 0;
	is_list = key.len == 11 && !memcmp(key.text, "traceEvents", 11) &&
	    *c.p == '[';
	accept(e, &c);
	if (is_list) {
		e->where = LIST;
		e->found = e->first = 1;
		e->sight.p++;
		return 1;
	}
	rc = tp_members_read(&e->members, &e->sight, key.text, key.len, err);
	if (rc == TP_PARSE_OK)
		return 1;
	if (rc == TP_PARSE_BAD)
		return stop(e, err);
	return more(e, err);
}

/* The next element of the list into e->element: 1, 0 behind the last. */
static int
element(struct tp_events *e, struct tp_err *err)
{
	struct tp_cursor c;
	enum tp_parse rc;
	int another;

	tp_sight_settle(&e->sight);
	for (;;) {
		cursor(e, &c);
		rc = tp_raw_next(&c, ']', e->first, &another);
		if (rc == TP_PARSE_OK && !another) {
			accept(e, &c);
			e->where = e->bare ? END : MEMBERS;
			e->first = 0;
			return 0;
		}
		e->at = c.p;
		if (rc == TP_PARSE_OK)
			rc = tp_element_read(&c, &e->names, &e->phases,
			    &e->spare, &e->element);
		if (rc == TP_PARSE_OK)
			break;
		if (rc == TP_PARSE_BAD)
			return damaged(e, err, c.p, c.wrong);
		if (more(e, err) < 0)
			return -1;
	}
	accept(e, &c);
	e->first = e->blank = 0;
	e->elements++;
	return 1;
}

/* A time in TEXT, perhaps in a string; 0, or -1. */
static int
time_of(struct tp_events *e, const struct tp_raw *raw, int64_t *us,
    int32_t *ps)
{
	if (raw->type != TP_ARG_NUMBER && (raw->type != TP_ARG_STRING ||
	    e->strict))
		return -1;
	if (tp_events_us(raw->text, raw->len, us, ps) < 0)
		return -1;
	e->repaired.strings += raw->type == TP_ARG_STRING;
	return 0;
}

static int
bad_time(struct tp_events *e, struct tp_err *err, const char *code,
    const char *key, const struct tp_raw *raw)
{
	if (raw->type == TP_ARG_ABSENT)
		tp_fail(err, TP_BAD, code, tp_events_line(e),
		    "an event without %s", key);
	else
		tp_fail(err, TP_BAD, code, tp_events_line(e),
		    "%s of an event is '%.*s'", key,
		    raw->len < 40 ? (int)raw->len : 40, raw->text);
	err->fatal = 0;
	return -1;
}

static int
read_ts(struct tp_events *e, struct tp_err *err)
{
	const struct tp_raw *raw = &e->element.fields[TP_F_TS];
	struct tp_event *v = &e->event;
	int64_t us;
	int32_t ps;

	v->has_ts = 0;
	if (v->phase == 'M' && (!e->has_base || raw->type == TP_ARG_ABSENT))
		return 0;
	if (!time_of(e, raw, &us, &ps)) {
		if (!e->has_base) {
			e->has_base = 1;
			e->base_us = us;
			e->base_ps = ps;
		}
		v->has_ts = !tp_events_since(us, ps, e->base_us, e->base_ps,
		    &v->ts_ps);
	}
	/* metadata often has a time of 0 */
	if (!v->has_ts && v->phase != 'M')
		return bad_time(e, err, "event.badts", "ts", raw);
	return 0;
}

static int
read_dur(struct tp_events *e, struct tp_err *err)
{
	const struct tp_raw *raw = &e->element.fields[TP_F_DUR];
	struct tp_event *v = &e->event;
	int64_t us;
	int32_t ps;

	v->has_dur = 0;
	v->dur_ps = 0;
	if (v->phase != 'X')
		return 0;
	if (time_of(e, raw, &us, &ps) < 0 || us < 0 ||
	    tp_events_since(us, ps, 0, 0, &v->dur_ps) < 0)
		return bad_time(e, err, "event.baddur", "dur", raw);
	v->has_dur = 1;
	return 0;
}

/* Let ARG be RAW, decoded to *OUT when it must be. */
static void
take(struct tp_events *e, struct tp_arg *arg, struct tp_raw *raw, char **out)
{
	arg->type = raw->type;
	if (!arg->type)
		return;
	if (tp_raw_room(raw)) {
		arg->text = *out;
		arg->len = (uint32_t)tp_raw_decode(raw, *out,
		    &e->repaired.utf8);
		*out += arg->len;
	} else {
		arg->text = raw->text;
		arg->len = (uint32_t)raw->len;
	}
}

/* Numbers and words among the fields must be some. */
static void
judge_fields(struct tp_events *e)
{
	static const enum tp_event_field read[] = { TP_F_ID, TP_F_PID,
	    TP_F_TID };

	for (size_t i = 0; i < sizeof read / sizeof *read; i++)
		tp_raw_judge(&e->element.fields[read[i]],
		    &e->element.words);
	e->repaired.words += e->element.words;
}

static int
read_text(struct tp_events *e)
{
	struct tp_element *el = &e->element;
	struct tp_event *v = &e->event;
	struct tp_arg pid, tid;
	size_t need = 0, i;
	ptrdiff_t lane;
	char *out;

	judge_fields(e);
	for (i = TP_F_NAME; i <= TP_F_TID; i++)
		need += tp_raw_room(&el->fields[i]);
	for (i = 0; i < e->names.count; i++)
		need += tp_raw_room(&el->args[i]);
	tp_buf_clear(&e->text);
	out = need ? tp_buf_room(&e->text, need) : NULL;
	if (need && !out)
		return -1;
	take(e, &v->name, &el->fields[TP_F_NAME], &out);
	take(e, &v->cat, &el->fields[TP_F_CAT], &out);
	take(e, &v->id, &el->fields[TP_F_ID], &out);
	take(e, &pid, &el->fields[TP_F_PID], &out);
	take(e, &tid, &el->fields[TP_F_TID], &out);
	for (i = 0; i < e->names.count; i++)
		take(e, &e->args[i], &el->args[i], &out);
	v->args = e->args;
	lane = tp_lanes_add(&e->lanes, &pid, &tid);
	v->lane = (size_t)lane;
	return lane < 0 ? -1 : 0;
}

static int
is_name(const struct tp_event *v, const char *name)
{
	size_t len = strlen(name);

	return v->name.type == TP_ARG_STRING && v->name.len == len &&
	    !memcmp(v->name.text, name, len);
}

/* What metadata calls a process or a thread. */
static int
read_meta(struct tp_events *e)
{
	const struct tp_event *v = &e->event;
	const struct tp_arg *name = &e->args[e->names.name_at];
	int process = is_name(v, "process_name");

	if (name->type != TP_ARG_STRING || (!process &&
	    !is_name(v, "thread_name")))
		return 0;
	return tp_lanes_call(&e->lanes, v->lane, process, name);
}

/* Judge e->element: 1 when e->event is to be given, 0 not, -1 with ERR. */
static int
judge(struct tp_events *e, struct tp_err *err)
{
	struct tp_event *v = &e->event;
	int rc;

	if (!e->element.is_object || e->element.empty) {
		e->others += !e->element.is_object;
		e->empty += e->element.is_object;
		return 0;
	}
	v->phase = e->element.phase;
	v->index = e->elements - 1;
	if (!e->phases.read[(unsigned char)v->phase]) {
		/* the base is of any event, whoever reads it */
		if (!e->has_base && read_ts(e, err) < 0)
			err->fatal = 0;
		return 0;
	}
	if (read_ts(e, err) < 0 || read_dur(e, err) < 0)
		return -1;
	if (read_text(e) < 0 || (v->phase == 'M' && read_meta(e) < 0)) {
		tp_fail_memory(err);
		return -1;
	}
	if (e->pairing && v->phase == 'B') {
		if (tp_pairs_begin(&e->pairs, v, e->names.count) < 0)
			return tp_fail_memory(err);
		return 0;
	}
	if (e->pairing && v->phase == 'E') {
		rc = tp_pairs_end(&e->pairs, v, e->names.count);
		if (rc && !v->has_dur) {
			tp_fail(err, TP_BAD, "event.baddur",
			    tp_events_line(e), "an end before its begin");
			err->fatal = 0;
			return -1;
		}
		return rc;
	}
	return e->given[(unsigned char)v->phase];
}

int
tp_events_next(struct tp_events *e, struct tp_event *event,
    struct tp_err *err)
{
	int rc;

	for (;;) {
		switch (e->where) {
		case START:
			rc = start(e, err);
			break;
		case MEMBERS:
			rc = member(e, err);
			break;
		case LIST:
			rc = element(e, err);
			if (rc <= 0)
				break;
			e->first = 0;
			rc = judge(e, err);
			if (rc > 0) {
				*event = e->event;
				return 1;
			}
			if (rc < 0)
				return -1;
			continue;
		case END:
			return finish(e, err);
		default:
			return 0;
		}
		if (rc < 0)
			return -1;
	}
}

size_t
tp_events_lane_count(const struct tp_events *e)
{
	return e->lanes.keys.count;
}

const struct tp_lane *
tp_events_lane(const struct tp_events *e, size_t i)
{
	return &e->lanes.lanes[i];
}

const char *
tp_events_thread_name(const struct tp_events *e, size_t lane)
{
	return e->lanes.threads[lane];
}

size_t
tp_events_process_count(const struct tp_events *e)
{
	return e->lanes.process_keys.count;
}

const char *
tp_events_process_name(const struct tp_events *e, size_t process)
{
	return e->lanes.processes[process];
}

uint64_t
tp_events_line(struct tp_events *e)
{
	/* without what is in the element: at is where it begins */
	return tp_sight_line(&e->sight, e->at);
}

uint64_t
tp_events_elements(const struct tp_events *e)
{
	return e->elements;
}

int
tp_events_found(const struct tp_events *e)
{
	return e->found;
}

int
tp_events_blank(const struct tp_events *e)
{
	return e->blank;
}

int
tp_events_base(const struct tp_events *e, int64_t *us, int32_t *ps)
{
	*us = e->base_us;
	*ps = e->base_ps;
	return e->has_base;
}

const struct cJSON *
tp_events_member(const struct tp_events *e, const char *name)
{
	return tp_members_find(&e->members, name);
}
