/* events - the events of a trace in Chrome's trace-event JSON */
#include <string.h>

#include "events_parts.h"
#include "perfetto.h"
#include "recorder.h"
#include "row_events.h"
#include "xspace.h"

static struct tp_events *open_for(struct tp_first_times *, struct tp_in *,
    const struct tp_events_want *, struct tp_trace *, struct tp_err *);

static void
set_phases(struct tp_events *e, const char *phases)
{
	for (; *phases; phases++)
		e->given[(unsigned char)*phases] = 1;
	e->pairing = e->given['X'] && !e->given['B'];
	memcpy(e->reading.phases.read, e->given, sizeof e->given);
	e->reading.phases.read['M'] = 1;
	if (e->pairing)
		e->reading.phases.read['B'] = e->reading.phases.read['E'] = 1;
}

/*
 * Look at the first bytes of E's input for a time that others are near, so
 * that one event whose time is odd does not become the base; with VOTES, ask
 * each event whose trace it is.
 */
static void
look_ahead(struct tp_events *e, struct tp_votes *votes)
{
	struct tp_events_want want = { .args = votes ? tp_vote_args : NULL };
	struct tp_first_times first = { .count = 0 };
	struct tp_in *in = e->sight.in;
	struct tp_trace told = { 0 };
	struct tp_err odd = { 0 };
	struct tp_event event;
	struct tp_events *peek;
	int rc;

	tp_in_stop(in);
	peek = open_for(&first, in, &want, &told, &odd);
	while (peek && first.count < TP_FIRST_TIMES &&
	    (rc = tp_events_next(peek, &event, &odd)) && !odd.fatal) {
		if (votes && rc > 0)
			tp_votes_add(votes, &event,
			    tp_events_lane(peek, event.lane)->process);
		odd = (struct tp_err){ 0 };
	}
	tp_in_again(in);
	if (votes)
		e->profiler = tp_votes_count(votes, peek, in);
	tp_events_close(peek);
	tp_trace_release_notes(&told);
	/* another error is met again */
	e->has_median = tp_first_times_median(&first, &e->median_us);
}

/* As look_ahead(), also for whose trace it is.  0, or -1 with ERR. */
static int
look_for_profiler(struct tp_events *e, struct tp_err *err)
{
	struct tp_votes votes = { 0 };
	int rc = tp_votes_init(&votes, err);

	if (!rc)
		look_ahead(e, &votes);
	tp_votes_release(&votes);
	return rc;
}

/* As tp_events_open(); with FIRST, only to add times to it. */
static struct tp_events *
open_for(struct tp_first_times *first, struct tp_in *in,
    const struct tp_events_want *want, struct tp_trace *trace,
    struct tp_err *err)
{
	struct tp_events *e = tp_zalloc(sizeof *e);
	enum tp_format format;
	int is = 0;

	if (tp_arg_names_init(&e->reading.names, want ? want->args : NULL,
	    err) < 0) {
		tp_free(e);
		return NULL;
	}
	tp_seams_init(&e->reading.seams);
	e->reading.simd = tp_json_simd_used();
	e->trace = trace;
	e->sample = first;
	e->strict = want && want->strict;
	e->jobs = want && !e->strict ? want->jobs : 1;
	e->tallying = want && want->tallies;
	e->blank = 1;
	set_phases(e, want && want->phases ? want->phases : "XM");
	tp_check_init(&e->check);
	tp_sight_init(&e->sight, in, e->strict ? &e->check : NULL);
	format = tp_in_sniff(in, err);
	if (format == TP_FORMAT_SQLITE && want)
		e->source = want->databases;
	else if (format == TP_FORMAT_CSV &&
	    (is = tp_row_events_is(in, err)) > 0)
		e->source = &tp_row_events;
	else if (format == TP_FORMAT_PERFETTO)
		e->source = &tp_perfetto_events;
	if (is < 0 || format == TP_FORMAT_UNKNOWN) {
		tp_events_close(e);
		return NULL;
	}
	e->profiler = format == TP_FORMAT_XPLANE ? TP_PROFILER_JAX :
	    TP_PROFILER_OTHER;
	if (!first && want && want->profiler && !e->source &&
	    format != TP_FORMAT_XPLANE)
		is = look_for_profiler(e, err);
	else if (!first && format != TP_FORMAT_XPLANE &&
	    format != TP_FORMAT_SQLITE)
		look_ahead(e, NULL);
	if (is < 0) {
		tp_events_close(e);
		return NULL;
	}
	if (format != TP_FORMAT_XPLANE && !e->source)
		return e;
	e->where = e->source ? TP_AT_SOURCE : TP_AT_SPACE;
	e->found = 1;
	e->blank = 0;
	if (e->source ? (e->state = e->source->open(e, err)) != NULL :
	    tp_xspace_open(e, err) == 0)
		return e;
	tp_events_close(e);
	return NULL;
}

struct tp_events *
tp_events_open(struct tp_in *in, const struct tp_events_want *want,
    struct tp_trace *trace, struct tp_err *err)
{
	return open_for(NULL, in, want, trace, err);
}

void
tp_events_close(struct tp_events *e)
{
	if (!e)
		return;
	tp_sight_release(&e->sight);
	tp_xspace_close(e->space);
	if (e->state)
		e->source->close(e->state);
	tp_buf_release(&e->text);
	tp_buf_release(&e->reading.spare);
	tp_lanes_release(&e->lanes);
	tp_pairs_release(&e->pairs);
	tp_members_release(&e->members);
	tp_tallies_release(&e->tallies);
	tp_free(e);
}

static void
note(struct tp_events *e, const char *code, uint64_t count, const char *text)
{
	if (count)
		tp_trace_note(e->trace, code, 0, count, "%s: %s",
		    tp_in_name(e->sight.in), text);
}

static void
tell_repairs(struct tp_events *e)
{
	note(e, "json.repaired", e->repaired.controls,
	    "raw control characters in strings were kept");
	note(e, "json.repaired", e->repaired.commas,
	    "commas in front of a closing bracket were passed over");
	note(e, "json.repaired", e->repaired.strings,
	    "times that were written as strings were read");
	note(e, "json.repaired", e->repaired.utf8, "bytes that are not UTF-8, "
	    "or escapes that are none, were replaced");
	note(e, "json.repaired", e->repaired.words, "values that are none of "
	    "JSON's (NaN and the like) were taken as absent");
}

/*
 * Write notes about problems, at the end of reading; WHOLE: the document was
 * read completely.
 */
static void
note_problems(struct tp_events *e, int whole)
{
	int none = e->found ? !e->elements && !e->tallies.ids.count : e->blank;

	if (e->where == TP_AT_GONE)
		return;
	e->where = TP_AT_GONE;
	tell_repairs(e);
	note(e, "json.trailing", e->trailing,
	    "bytes behind the end of the trace were ignored");
	note(e, "event.empty", e->empty - (uint64_t)e->ends_empty,
	    "empty elements ({}) were passed over");
	note(e, "event.other", e->others,
	    "elements that are no objects were passed over");
	note(e, "event.other", e->unphased,
	    "elements without a phase (ph) were passed over");
	e->unmatched = tp_pairs_open(&e->pairs) + e->pairs.unopened;
	note(e, "event.unmatched", e->unmatched, "begins without an end, or "
	    "ends without a begin, were left out");
	/* a bare list of objects that have none is no trace */
	if (!e->bare || e->unphased + e->others + e->empty < e->elements)
		e->unmatched += e->unphased;
	note(e, "event.renamed", e->renamed, "names of processes were "
	    "replaced by later ones");
	note(e, "event.none", whole && none, "no events");
	note(e, "json.large", e->members.large,
	    "values beside the events of more than 1 MiB were passed over");
	note(e, "json.damaged", e->members.damaged,
	    "values beside the events that are not JSON were passed over");
	if (e->space)
		tp_xspace_tell(e->space);
	if (e->state && e->source->tell)
		e->source->tell(e->state);
	tp_xspace_close(e->space);
	e->space = NULL;
	/* lanes and members are still needed */
	e->at = NULL;
	tp_sight_release(&e->sight);
	tp_pairs_release(&e->pairs);
}

/* Stop reading for the reason in ERR. */
static int
stop(struct tp_events *e, struct tp_err *err)
{
	err->fatal = 1;
	note_problems(e, 0);
	return -1;
}

static int
damaged(struct tp_events *e, struct tp_err *err, const char *at,
    const char *wrong)
{
	if (wrong == tp_json_too_deep)
		tp_json_wrong(err, NULL, tp_sight_line(&e->sight, at), wrong);
	else
		tp_fail(err, TP_BAD, "json.damaged",
		    tp_sight_line(&e->sight, at), "not JSON: %s (elements "
		    "read: %llu)", wrong, (unsigned long long)e->elements);
	return stop(e, err);
}

/* Get more input: 1, or stop, as the document must not end here. */
static int
more(struct tp_events *e, struct tp_err *err)
{
	int rc = tp_sight_more(&e->sight, err);

	if (rc > 0)
		return 1;
	if (!rc)
		tp_fail(err, TP_BAD, "input.truncated",
		    tp_sight_line(&e->sight, e->sight.end), "the trace ends "
		    "early (elements read: %llu)",
		    (unsigned long long)e->elements);
	return stop(e, err);
}

/* Check the bytes after the document. */
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
	note_problems(e, 1);
	return 0;
}

static void
cursor(struct tp_events *e, struct tp_cursor *c)
{
	memset(c, 0, sizeof *c);
	c->p = e->sight.p;
	c->end = e->sight.end;
}

/* Accept what C has read: advance and count repairs. */
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
	e->where = e->bare ? TP_AT_LIST : TP_AT_MEMBERS;
	e->first = 1;
	s->p++;
	return 1;
}

/* Read the next member of the top object, or its end. */
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
			e->where = TP_AT_END;
			return 1;
		}
		if (rc == TP_PARSE_OK)
			rc = tp_raw_key(&c, &key, &e->reading.spare);
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
		e->where = TP_AT_LIST;
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

/* Get more input for an element; several threads may read it. */
static int
more_elements(struct tp_events *e, struct tp_err *err)
{
	if (e->jobs > 1 && e->boundary_len) {
		tp_sight_parts(&e->sight, tp_events_parts_new(e));
		e->jobs = 1;
	}
	return more(e, err);
}

/* Next element of the list into e->element: 1, 0 at the end. */
static int
element(struct tp_events *e, struct tp_err *err)
{
	struct tp_sight *s = &e->sight;
	struct tp_cursor c;
	enum tp_parse rc;
	int another;

	tp_sight_settle(s);
	for (;;) {
		if (s->part && !s->in_carry && s->block_end ==
		    s->part->part.to && tp_events_packed(e, s->part, s->p,
		    &s->p)) {
			e->elements++;
			return 1;
		}
		cursor(e, &c);
		rc = tp_raw_next(&c, ']', e->first, &another);
		if (rc == TP_PARSE_OK && !another) {
			accept(e, &c);
			e->where = e->bare ? TP_AT_END : TP_AT_MEMBERS;
			e->first = 0;
			return 0;
		}
		e->at = c.p;
		if (rc == TP_PARSE_OK)
			rc = tp_element_read(&c, &e->reading, &e->element);
		if (rc == TP_PARSE_OK)
			break;
		if (rc == TP_PARSE_BAD)
			return damaged(e, err, c.p, c.wrong);
		if (more_elements(e, err) < 0)
			return -1;
	}
	if (e->jobs > 1 && !e->first)
		tp_events_learn_boundary(e, c.p);
	if (c.p - e->at > tp_limits.line_bytes) {
		tp_sight_line(s, e->at);
		tp_sight_large(s, err);
		return stop(e, err);
	}
	accept(e, &c);
	e->first = e->blank = 0;
	e->elements++;
	return 1;
}

/* Next event of a binary format, as tp_events_next(). */
static int
next_of_binary(struct tp_events *e, struct tp_event *event,
    struct tp_err *err)
{
	int rc = e->where == TP_AT_SPACE ?
	    tp_xspace_next(e->space, event, err) :
	    e->source->next(e->state, event, err);

	if (rc > 0 || (rc < 0 && !err->fatal))
		return rc;
	if (rc < 0)
		return stop(e, err);
	note_problems(e, 1);
	return 0;
}

int
tp_events_next(struct tp_events *e, struct tp_event *event,
    struct tp_err *err)
{
	int rc;

	for (;;) {
		switch (e->where) {
		case TP_AT_START:
			rc = start(e, err);
			break;
		case TP_AT_MEMBERS:
			rc = member(e, err);
			break;
		case TP_AT_LIST:
			rc = element(e, err);
			if (rc <= 0)
				break;
			e->first = 0;
			rc = tp_events_judge(e, event, err);
			if (rc < 0 && err->fatal)
				return stop(e, err);
			if (rc)
				return rc;
			continue;
		case TP_AT_SPACE:
		case TP_AT_SOURCE:
			return next_of_binary(e, event, err);
		case TP_AT_END:
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

int
tp_events_is_space(const struct tp_events *e)
{
	return e->space != NULL;
}

enum tp_profiler
tp_events_profiler(const struct tp_events *e)
{
	return e->profiler;
}

const char *
tp_events_recorder(const struct tp_events *e, const char **framework)
{
	const struct tp_recorder *recorder = e->state ?
	    e->source->recorder(e->state) : NULL;

	*framework = recorder ? recorder->framework : NULL;
	return recorder ? recorder->name : NULL;
}

int
tp_events_is_ordered(const struct tp_events *e)
{
	return e->is_ordered;
}

uint64_t
tp_events_line(struct tp_events *e)
{
	/* at is the start of the element; binary formats have no lines */
	return !e->at ? 0 : tp_sight_line(&e->sight, e->at);
}

uint64_t
tp_events_elements(const struct tp_events *e)
{
	return e->elements;
}

uint64_t
tp_events_unmatched(const struct tp_events *e)
{
	return e->unmatched;
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
