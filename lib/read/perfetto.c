/* perfetto - the slices of a Perfetto trace (*.pftrace) */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/limits.h>
#include <tp/text.h>

#include "perfetto.h"
#include "proto.h"
#include "recorder.h"

/* Field numbers. */
enum { TRACE_PACKET = 1 };
enum { PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11, PACKET_INTERNED = 12, PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59, PACKET_TRACK = 60 };
enum { DEFAULTS_EVENT = 11, DEFAULTS_CLOCK = 58 };
enum { CLOCKS_LIST = 1, CLOCK_ID = 1, CLOCK_TIME = 2, CLOCK_DELTAS = 3,
    CLOCK_UNIT = 4 };
enum { EVENT_CATEGORY_ID = 3, EVENT_ANNOTATION = 4, EVENT_TYPE = 9,
    EVENT_NAME_ID = 10, EVENT_TRACK = 11, EVENT_CATEGORY = 22,
    EVENT_NAME = 23 };
enum { TYPE_BEGIN = 1, TYPE_END = 2 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_KEY = 3,
    INTERNED_TEXT = 29, INTERNED_ID = 1, INTERNED_OF = 2 };
enum { ANNOTATION_KEY_ID = 1, ANNOTATION_UINT = 3, ANNOTATION_INT = 4,
    ANNOTATION_TEXT = 6, ANNOTATION_POINTER = 7, ANNOTATION_KEY = 10,
    ANNOTATION_TEXT_ID = 17 };
enum { TRACK_ID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4,
    TRACK_PARENT = 5, TRACK_STATIC_NAME = 10, PROCESS_PID = 1,
    PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

/* A track is in a process by so many parents at most. */
#define PARENTS_MAX 8

struct track {
	int64_t pid, tid;	/* -1: none of its own */
	uint64_t parent;	/* 0: none */
	uint32_t name;		/* 1 + index in texts; 0: none */
	uint32_t process;	/* likewise, of a process */
};

/* The state of a sequence of packets. */
struct sequence {
	uint64_t clock, track;	/* defaults */
	uint64_t deltas;	/* clock whose times are differences; 0: none */
	int64_t unit, last;	/* ns a unit of it, and its time */
};

struct tp_perfetto {
	struct tp_events *e;
	struct tp_recorder recorder;
	int is_of;		/* the recorder is known */
	struct tp_buf bytes;	/* unread, from AT on */
	size_t at;
	uint64_t passed;	/* bytes before them */
	int at_end;
	struct tp_names texts;
	struct tp_ids interned;	/* (sequence << 8 | field, id) */
	uint32_t *text_of;	/* index in texts */
	size_t text_cap;
	struct tp_ids track_ids;
	struct track *tracks;
	size_t track_cap;
	struct tp_ids sequence_ids;
	struct sequence *sequences;
	size_t sequence_cap;
	char pid[24], tid[24];
	char numbers[TP_ARGS_MAX + 1][24];
};

/* --- recognising rocprofv3 */

static int
has_slices(void *arg, const struct tp_recorder *recorder, struct tp_err *err)
{
	const struct tp_proto *head = arg;
	const cJSON *i;

	(void)err;
	cJSON_ArrayForEach(i, tp_json_get(tp_json_get(recorder->doc,
	    "slices"), "cat")) {
		size_t len = strlen(i->string);

		/* an interned name: field 2, its length, the name */
		for (const unsigned char *p = head->p; (size_t)(head->end -
		    p) > len + 2; p++)
			if (*p == 0x12 && p[1] == len &&
			    !memcmp(p + 2, i->string, len))
				return 1;
	}
	return 0;
}

static void
close_perfetto(void *state)
{
	struct tp_perfetto *f = state;

	tp_recorder_release(&f->recorder);
	tp_buf_release(&f->bytes);
	tp_names_release(&f->texts);
	tp_ids_release(&f->interned);
	tp_free(f->text_of);
	tp_ids_release(&f->track_ids);
	tp_free(f->tracks);
	tp_ids_release(&f->sequence_ids);
	tp_free(f->sequences);
	tp_free(f);
}

static void *
open_perfetto(struct tp_events *e, struct tp_err *err)
{
	struct tp_perfetto *f = tp_zalloc(sizeof *f);
	struct tp_proto head;
	const char *p;
	ptrdiff_t n;

	f->e = e;
	memset(e->args, 0, sizeof e->args);
	n = tp_in_peek(e->sight.in, &p, err);
	head = (struct tp_proto){ (const unsigned char *)p,
	    (const unsigned char *)p + (n > 0 ? n : 0) };
	f->is_of = n < 0 ? -1 : tp_recorder_find(&f->recorder, has_slices,
	    &head, err);
	if (f->is_of >= 0)
		return f;
	close_perfetto(f);
	return NULL;
}

/* --- packets */

/*
 * Have N more bytes in view, or as many as there are: 1, 0 at the end, -1 with
 * ERR.
 */
static int
have(struct tp_perfetto *f, size_t n, struct tp_err *err)
{
	const char *block;
	ptrdiff_t len;

	while (f->bytes.len - f->at < n && !f->at_end) {
		if (f->at) {
			memmove(f->bytes.p, f->bytes.p + f->at,
			    f->bytes.len - f->at);
			f->bytes.len -= f->at;
			f->passed += f->at;
			f->at = 0;
		}
		len = tp_in_read(f->e->sight.in, &block, err);
		if (len < 0) {
			err->fatal = 1;
			return -1;
		}
		f->at_end = !len;
		tp_buf_add(&f->bytes, block, (size_t)len);
	}
	return f->bytes.len - f->at >= n;
}

static int
ends_early(const struct tp_perfetto *f, struct tp_err *err)
{
	tp_fail(err, TP_BAD, "input.truncated", 0, "the trace ends early "
	    "(slices read: %llu)", (unsigned long long)f->e->elements);
	err->fatal = 1;
	return -1;
}

/* The next packet into *M: 1, 0 at the end, -1 with ERR. */
static int
next_packet(struct tp_perfetto *f, struct tp_proto *m, struct tp_err *err)
{
	enum { HEAD = 20 };	/* two varints at most */
	struct tp_proto view;
	struct tp_proto_field field;
	size_t head;
	int rc;

	do {
		if (have(f, HEAD, err) < 0)
			return -1;
		if (f->at == f->bytes.len)
			return 0;
		view.p = (const unsigned char *)f->bytes.p + f->at;
		view.end = (const unsigned char *)f->bytes.p + f->bytes.len;
		rc = tp_proto_head(&view, &field);
		head = (size_t)(view.p - (const unsigned char *)f->bytes.p) -
		    f->at;
		if (!rc)
			return ends_early(f, err);
		if (rc < 0) {
			tp_fail(err, TP_BAD, "perfetto.damaged", 0, "damaged "
			    "at byte %llu: no packet (slices read: %llu)",
			    (unsigned long long)(f->passed + f->at),
			    (unsigned long long)f->e->elements);
			err->fatal = 1;
			return -1;
		}
		f->at += head;
		if (field.wire != TP_WIRE_BYTES)
			continue;
		if (field.value > (uint64_t)tp_limits.line_bytes)
			return tp_limit_line(err, "limit.message", 0,
			    "a message");
		rc = have(f, (size_t)field.value, err);
		if (rc <= 0)
			return rc < 0 ? -1 : ends_early(f, err);
		m->p = (const unsigned char *)f->bytes.p + f->at;
		m->end = m->p + field.value;
		f->at += (size_t)field.value;
	} while (field.wire != TP_WIRE_BYTES || field.number != TRACE_PACKET);
	return 1;
}

/* --- names, tracks, sequences */

static ptrdiff_t
add_text(struct tp_perfetto *f, struct tp_proto text)
{
	return tp_names_add(&f->texts, (const char *)text.p,
	    (size_t)(text.end - text.p));
}

/* Add the names in M, InternedData of sequence ID. */
static void
take_interned(struct tp_perfetto *f, struct tp_proto m, uint64_t id)
{
	struct tp_proto_field field;
	struct tp_proto entry;
	ptrdiff_t at, text;

	while (tp_proto_next(&m, &field) > 0) {
		if (field.wire != TP_WIRE_BYTES || (field.number >
		    INTERNED_KEY && field.number != INTERNED_TEXT))
			continue;
		entry = tp_proto_of(&field);
		text = add_text(f, tp_proto_bytes(entry, INTERNED_OF));
		at = tp_ids_add(&f->interned, id << 8 | field.number,
		    tp_proto_number(entry, INTERNED_ID));
		TP_ITEM(f->text_of, f->text_cap, at);
		f->text_of[at] = (uint32_t)text;
	}
}

/* The name that FIELD of InternedData of sequence ID gives NUMBER. */
static struct tp_arg
interned(const struct tp_perfetto *f, uint64_t id, uint32_t field,
    uint64_t number)
{
	ptrdiff_t at = tp_ids_find(&f->interned, id << 8 | field, number);
	const struct tp_name *name = at < 0 ? NULL :
	    &f->texts.names[f->text_of[at]];

	return name ? (struct tp_arg){ TP_ARG_STRING, (uint32_t)name->len,
	    name->text } : (struct tp_arg){ 0 };
}

static struct track *
track_of(struct tp_perfetto *f, uint64_t id)
{
	size_t had = f->track_ids.count;
	ptrdiff_t at = tp_ids_add(&f->track_ids, id, 0);

	TP_ITEM(f->tracks, f->track_cap, at);
	if ((size_t)at == had)
		f->tracks[at] = (struct track){ .pid = -1, .tid = -1 };
	return &f->tracks[at];
}

/* Set *NAME to TEXT unless that is empty. */
static void
call(struct tp_perfetto *f, uint32_t *name, struct tp_proto text)
{
	ptrdiff_t at = text.p == text.end ? 0 : add_text(f, text);

	if (text.p < text.end)
		*name = (uint32_t)at + 1;
}

/* Take M, a TrackDescriptor. */
static void
take_track(struct tp_perfetto *f, struct tp_proto m)
{
	struct tp_proto process = tp_proto_bytes(m, TRACK_PROCESS);
	struct tp_proto thread = tp_proto_bytes(m, TRACK_THREAD);
	struct track *t = track_of(f, tp_proto_number(m, TRACK_ID));

	t->parent = tp_proto_number(m, TRACK_PARENT);
	if (process.p < process.end)
		t->pid = (int64_t)tp_proto_number(process, PROCESS_PID);
	if (thread.p < thread.end) {
		t->pid = (int64_t)tp_proto_number(thread, THREAD_PID);
		t->tid = (int64_t)tp_proto_number(thread, THREAD_TID);
	}
	call(f, &t->process, tp_proto_bytes(process, PROCESS_NAME));
	call(f, &t->name, tp_proto_bytes(thread, THREAD_NAME));
	call(f, &t->name, tp_proto_bytes(m, TRACK_STATIC_NAME));
	call(f, &t->name, tp_proto_bytes(m, TRACK_NAME));
}

static struct sequence *
sequence_of(struct tp_perfetto *f, uint64_t id)
{
	ptrdiff_t at = tp_ids_add(&f->sequence_ids, id, 0);

	TP_ITEM(f->sequences, f->sequence_cap, at);
	return &f->sequences[at];
}

/* Take M, a ClockSnapshot: the clock of S whose times are differences. */
static void
take_clocks(struct sequence *s, struct tp_proto m)
{
	struct tp_proto_field field;
	struct tp_proto clock;
	uint64_t unit;

	while (tp_proto_next(&m, &field) > 0) {
		if (field.number != CLOCKS_LIST || field.wire != TP_WIRE_BYTES)
			continue;
		clock = tp_proto_of(&field);
		if (!tp_proto_number(clock, CLOCK_DELTAS))
			continue;
		unit = tp_proto_number(clock, CLOCK_UNIT);
		s->deltas = tp_proto_number(clock, CLOCK_ID);
		s->unit = unit && unit < 1000000000 ? (int64_t)unit : 1;
		s->last = (int64_t)tp_proto_number(clock, CLOCK_TIME);
		if (__builtin_mul_overflow(s->last, s->unit, &s->last))
			s->last = 0;
	}
}

/* --- slices */

/* VALUE as the text of a number in TO. */
static struct tp_arg
number_in(char to[24], int64_t value)
{
	return (struct tp_arg){ TP_ARG_NUMBER, (uint32_t)snprintf(to, 24,
	    "%lld", (long long)value), to };
}

/* The last number in TEXT, "Agent-4", into TO; else absent. */
static struct tp_arg
number_of(char to[24], struct tp_arg text)
{
	size_t end = text.len, at;
	int64_t n;

	while (end && !isdigit((unsigned char)text.text[end - 1]))
		end--;
	for (at = end; at && isdigit((unsigned char)text.text[at - 1]);)
		at--;
	return at < end && !tp_json_int(text.text + at, end - at, &n) ?
	    number_in(to, n) : (struct tp_arg){ 0 };
}

/* The place from 1 of KEY in WANTED, a name or a list of names; 0: none. */
static int
place_of(const cJSON *wanted, struct tp_arg key)
{
	const cJSON *i;
	int place = 0;

	if (cJSON_IsString(wanted))
		return tp_is(key.text, key.len, wanted->valuestring);
	cJSON_ArrayForEach(i, wanted) {
		place++;
		if (place_of(i, key))
			return place;
	}
	return 0;
}

/*
 * Take M, a DebugAnnotation: an argument that the recorder's mapping names.
 */
static void
take_arg(struct tp_perfetto *f, struct tp_proto m, uint64_t id)
{
	struct tp_arg key = { 0 }, value = { 0 };
	struct tp_proto_field field;
	const cJSON *i;
	char digits[24];

	while (tp_proto_next(&m, &field) > 0)
		switch (field.number) {
		case ANNOTATION_KEY_ID:
			key = interned(f, id, INTERNED_KEY, field.value);
			break;
		case ANNOTATION_KEY:
			if (field.wire == TP_WIRE_BYTES)
				key = (struct tp_arg){ TP_ARG_STRING,
				    (uint32_t)field.value,
				    (const char *)field.bytes };
			break;
		case ANNOTATION_UINT:
		case ANNOTATION_INT:
		case ANNOTATION_POINTER:
			value = number_in(digits, (int64_t)field.value);
			break;
		case ANNOTATION_TEXT:
			if (field.wire == TP_WIRE_BYTES)
				value = (struct tp_arg){ TP_ARG_STRING,
				    (uint32_t)field.value,
				    (const char *)field.bytes };
			break;
		case ANNOTATION_TEXT_ID:
			value = interned(f, id, INTERNED_TEXT, field.value);
			break;
		default:
			break;
		}
	if (!key.type || !value.type)
		return;
	cJSON_ArrayForEach(i, tp_json_get(tp_json_get(f->recorder.doc,
	    "slices"), "args")) {
		size_t at = tp_arg_names_find(&f->e->reading.names, i->string,
		    strlen(i->string));

		int place = at < f->e->reading.names.wanted ?
		    place_of(i, key) : 0;

		/* the first of a list where a slice has several */
		if (place == 1 || (place && !f->e->args[at].type))
			f->e->args[at] = number_of(f->numbers[at], value);
	}
}

/* The category of the recorder for CAT, or CAT; absent: it is left out. */
static struct tp_arg
category(const struct tp_perfetto *f, struct tp_arg cat)
{
	const cJSON *i;

	if (!f->is_of)
		return cat;
	cJSON_ArrayForEach(i, tp_json_get(tp_json_get(f->recorder.doc,
	    "slices"), "cat"))
		if (cJSON_IsString(i) && tp_is(cat.text, cat.len, i->string))
			return (struct tp_arg){ TP_ARG_STRING,
			    (uint32_t)strlen(i->valuestring), i->valuestring };
	return cat;
}

/* Set V's lane from the track ID. */
static void
take_lane(struct tp_perfetto *f, struct tp_event *v, uint64_t id)
{
	struct track *t = track_of(f, id);
	const struct track *p = t;
	struct tp_arg pid = { 0 }, tid;
	size_t had = f->e->lanes.keys.count;
	ptrdiff_t at;

	for (int i = 0; p->pid < 0 && p->parent && i < PARENTS_MAX; i++) {
		at = tp_ids_find(&f->track_ids, p->parent, 0);
		if (at < 0)
			break;
		p = &f->tracks[at];
	}
	if (p->pid >= 0)
		pid = number_in(f->pid, p->pid);
	if (t->tid >= 0) {
		tid = number_in(f->tid, t->tid);
	} else {
		tid = number_in(f->tid, (int64_t)(id & INT64_MAX));
		tid.type = TP_ARG_STRING;	/* no thread has it */
	}
	v->lane = tp_lanes_add(&f->e->lanes, &pid, &tid);
	if (f->e->lanes.keys.count > had)
		for (int i = 0; i < 2; i++) {
			uint32_t text = i ? p->process : t->name;
			const struct tp_name *name = text ?
			    &f->texts.names[text - 1] : NULL;

			if (name)
				tp_lanes_call(&f->e->lanes, v->lane, i, &(struct
				    tp_arg){ TP_ARG_STRING, (uint32_t)name->len,
				    name->text });
		}
}

/* Take M, a TrackEvent at NS.  1 when *V is one, 0, or -1 with ERR. */
static int
take_event(struct tp_perfetto *f, struct tp_proto m, uint64_t id,
    const struct sequence *s, int64_t ns, struct tp_event *v,
    struct tp_err *err)
{
	struct tp_events *e = f->e;
	uint64_t type = tp_proto_number(m, EVENT_TYPE), track = s->track;
	struct tp_proto_field field;
	int64_t us;
	int32_t ps;

	if (type != TYPE_BEGIN && type != TYPE_END)
		return 0;
	memset(v, 0, sizeof *v);
	memset(e->args, 0, sizeof e->args);
	while (tp_proto_next(&m, &field) > 0)
		if (field.number == EVENT_TRACK)
			track = field.value;
		else if (field.number == EVENT_NAME_ID)
			v->name = interned(f, id, INTERNED_NAME, field.value);
		else if (field.number == EVENT_CATEGORY_ID)
			v->cat = interned(f, id, INTERNED_CATEGORY,
			    field.value);
		else if (field.wire != TP_WIRE_BYTES)
			continue;
		else if (field.number == EVENT_NAME)
			v->name = (struct tp_arg){ TP_ARG_STRING,
			    (uint32_t)field.value, (const char *)field.bytes };
		else if (field.number == EVENT_CATEGORY)
			v->cat = (struct tp_arg){ TP_ARG_STRING,
			    (uint32_t)field.value, (const char *)field.bytes };
		else if (field.number == EVENT_ANNOTATION && f->is_of)
			take_arg(f, tp_proto_of(&field), id);
	v->cat = category(f, v->cat);
	us = tp_ns_split(ns, &ps);
	v->phase = type == TYPE_BEGIN ? 'B' : 'E';
	v->has_ts = 1;
	v->args = e->args;
	if (tp_events_time(e, us, ps, &v->ts_ps) < 0) {
		err->what = "ts";
		return tp_fail(err, TP_BAD, "event.baddur", 0, "a slice is "
		    "more than a day from the others");
	}
	take_lane(f, v, track);
	if (type == TYPE_BEGIN) {
		tp_pairs_begin(&e->pairs, v, TP_ARGS_MAX + 1);
		return 0;
	}
	if (!tp_pairs_end(&e->pairs, v, TP_ARGS_MAX + 1))
		return 0;
	v->index = e->elements++;
	if (v->has_dur)
		return 1;
	err->what = "dur";
	return tp_fail(err, TP_BAD, "event.baddur", 0, "a slice ends before it "
	    "starts");
}

/* Take M, a TracePacket: 1 when *V is an event, 0, or -1 with ERR. */
static int
take_packet(struct tp_perfetto *f, struct tp_proto m, struct tp_event *v,
    struct tp_err *err)
{
	uint64_t id = tp_proto_number(m, PACKET_SEQUENCE);
	uint64_t clock = tp_proto_number(m, PACKET_CLOCK);
	int64_t ns = (int64_t)tp_proto_number(m, PACKET_TIME);
	struct sequence *s = sequence_of(f, id);
	struct tp_proto_field field;
	struct tp_proto all = m, event = { NULL, NULL };
	int next;

	/* names and defaults may come after the event that needs them */
	while ((next = tp_proto_next(&all, &field)) != 0) {
		if (next < 0)
			return tp_fail(err, TP_BAD, "perfetto.damaged", 0,
			    "a damaged packet");
		if (field.wire != TP_WIRE_BYTES)
			continue;
		if (field.number == PACKET_CLOCKS) {
			take_clocks(s, tp_proto_of(&field));
		} else if (field.number == PACKET_DEFAULTS) {
			s->clock = tp_proto_number(tp_proto_of(&field),
			    DEFAULTS_CLOCK);
			s->track = tp_proto_number(tp_proto_bytes(tp_proto_of(
			    &field), DEFAULTS_EVENT), EVENT_TRACK);
		} else if (field.number == PACKET_INTERNED) {
			take_interned(f, tp_proto_of(&field), id);
		} else if (field.number == PACKET_TRACK) {
			take_track(f, tp_proto_of(&field));
		} else if (field.number == PACKET_EVENT) {
			event = tp_proto_of(&field);
		}
	}
	if (s->deltas && (clock ? clock : s->clock) == s->deltas) {
		if (__builtin_mul_overflow(ns, s->unit, &ns) ||
		    __builtin_add_overflow(s->last, ns, &ns))
			return tp_fail(err, TP_BAD, "perfetto.damaged", 0,
			    "a damaged packet");
		s->last = ns;
	}
	return event.p ? take_event(f, event, id, s, ns, v, err) : 0;
}

static int
next_slice(void *state, struct tp_event *event, struct tp_err *err)
{
	struct tp_perfetto *f = state;
	struct tp_proto m = { NULL, NULL };
	int rc;

	do {
		rc = next_packet(f, &m, err);
		if (rc <= 0)
			return rc;
		rc = take_packet(f, m, event, err);
	} while (!rc);
	return rc;
}

static const struct tp_recorder *
recorder_of(const void *state)
{
	const struct tp_perfetto *f = state;

	return f->is_of > 0 ? &f->recorder : NULL;
}

const struct tp_events_source tp_perfetto_events = { open_perfetto,
    next_slice, NULL, recorder_of, close_perfetto };
