/* xspace - the events of an XSpace (*.xplane.pb) of JAX/xprof */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/text.h>

#include "xspace.h"

/* The exporter's pid for the host. */
#define HOST_PID 701

/* Copy of the LEN bytes at AT, in X's arena. */
static char *
text_at(struct tp_xspace *x, uint64_t at, uint64_t len, size_t *got,
    struct tp_err *err)
{
	struct tp_proto m;

	if (tp_xspace_message(x, at, len, &m, err) < 0)
		return NULL;
	*got = (size_t)(m.end - m.p);
	return tp_arena_text(&x->arena, (const char *)m.p, *got);
}

static int
too_many(struct tp_err *err, const char *what, int most)
{
	tp_fail(err, TP_LIMIT, "limit.planes", 0, "more than %d %s", most,
	    what);
	err->fatal = 1;
	return -1;
}

/*
 * Read the start of the next event of a line, the message at AT; its stats,
 * which come last, are skipped.
 */
static int
survey_event(struct tp_xspace *x, struct tp_xline *l, uint64_t at,
    uint64_t len, struct tp_err *err)
{
	struct tp_proto_field f;
	struct tp_proto m;
	int64_t from = 0;

	if (tp_xspace_message(x, at, len, &m, err) < 0)
		return -1;
	while (tp_proto_next(&m, &f) > 0 && f.number < EVENT_STATS)
		if (f.number == EVENT_OFFSET && f.wire == TP_WIRE_VARINT)
			from = (int64_t)f.value;
	if (!l->events++)
		l->first_ps = l->last_ps = from;
	if (from < l->last_ps)
		l->is_unordered = 1;
	l->last_ps = from;
	return 0;
}

/* Scan a line and its events. */
static int
survey_line(struct tp_xspace *x, struct tp_xline *l, struct tp_err *err)
{
	struct tp_walk w = l->place;
	struct tp_proto_field f;
	uint64_t at, id = 0, shown = 0;
	char *name;
	size_t len;
	int rc;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0) {
		if (f.number == LINE_EVENTS && f.wire == TP_WIRE_BYTES) {
			if (!x->clipped && survey_event(x, l, at, f.value,
			    err) < 0)
				return -1;
		} else if (f.wire == TP_WIRE_VARINT && f.number == LINE_ID) {
			id = f.value;
		} else if (f.wire == TP_WIRE_VARINT &&
		    f.number == LINE_SHOWN_ID) {
			shown = f.value;
		} else if (f.wire == TP_WIRE_VARINT && f.number == LINE_TS) {
			l->ts_ns = (int64_t)f.value;
		} else if ((f.number == LINE_NAME || f.number == LINE_SHOWN) &&
		    f.wire == TP_WIRE_BYTES && f.value) {
			name = text_at(x, at, f.value, &len, err);
			if (!name)
				return -1;
			/* the display name takes precedence */
			if (f.number == LINE_NAME && l->name)
				continue;
			l->name = name;
			l->name_len = len;
		}
	}
	l->tid = (shown ? shown : id) & 0xffffffff;
	return rc;
}

/* Scan plane AT for its name and id. */
static int
survey_plane(struct tp_xspace *x, struct tp_xplane *p, struct tp_err *err)
{
	struct tp_walk w = p->place;
	struct tp_proto_field f;
	uint64_t at;
	int rc;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0)
		if (f.number == PLANE_ID && f.wire == TP_WIRE_VARINT) {
			p->id = (int64_t)f.value;
		} else if (f.number == PLANE_NAME &&
		    f.wire == TP_WIRE_BYTES) {
			p->name = text_at(x, at, f.value, &p->name_len, err);
			if (!p->name)
				return -1;
		}
	return rc;
}

static int
survey_lines(struct tp_xspace *x, size_t plane, struct tp_err *err)
{
	struct tp_walk w = x->planes[plane].place;
	struct tp_xline l;
	struct tp_proto_field f;
	uint64_t at;
	int rc;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0) {
		if (f.number != PLANE_LINES || f.wire != TP_WIRE_BYTES)
			continue;
		l = (struct tp_xline){ .place = { at, at + f.value },
		    .plane = plane };
		if (survey_line(x, &l, err) < 0)
			return -1;
		if (!l.events)
			continue;
		if (x->line_count == TP_X_LINES)
			return too_many(err, "lines", TP_X_LINES);
		TP_APPEND(x->lines, x->line_count, x->line_cap, l);
		x->planes[plane].events += l.events;
	}
	return rc;
}

/* Keep a text of the space itself: an error of the profiler, or a host name. */
static int
keep_text(struct tp_xspace *x, uint32_t number, uint64_t at, uint64_t len,
    struct tp_err *err)
{
	cJSON *hosts = (cJSON *)(uintptr_t)tp_members_find(&x->e->members,
	    "hostnames");
	size_t *count = number == SPACE_HOSTS ? &x->hosts : &x->warnings, got;
	char *text;

	if (*count == TP_X_TEXTS)
		return 0;
	++*count;
	text = text_at(x, at, len < 400 ? len : 400, &got, err);
	if (!text)
		return -1;
	if (number != SPACE_HOSTS) {
		tp_trace_note(x->e->trace, "xplane.warning", 0, 1,
		    "%s: the profiler said: %s", tp_in_name(x->reach.in), text);
		return 0;
	}
	if (!hosts) {
		hosts = cJSON_CreateArray();
		tp_members_put(&x->e->members, "hostnames", 9, hosts);
	}
	cJSON_AddItemToArray(hosts, cJSON_CreateString(text));
	return 0;
}

static int
survey(struct tp_xspace *x, struct tp_err *err)
{
	struct tp_walk w = { 0, x->reach.len };
	struct tp_xplane p;
	struct tp_proto_field f;
	uint64_t at;
	int rc;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0) {
		if (f.wire != TP_WIRE_BYTES)
			continue;
		if (f.number >= SPACE_ERRORS && f.number <= SPACE_HOSTS) {
			if (keep_text(x, f.number, at, f.value, err) < 0)
				return -1;
			continue;
		}
		p = (struct tp_xplane){ .place = { at, at + f.value } };
		if (f.number != SPACE_PLANES)
			continue;
		if (survey_plane(x, &p, err) < 0)
			return -1;
		if (!p.name)
			continue;
		if (x->plane_count == TP_X_PLANES)
			return too_many(err, "planes", TP_X_PLANES);
		TP_APPEND(x->planes, x->plane_count, x->plane_cap, p);
	}
	return rc;
}

/*
 * Choose the planes that the exporter uses: the host, and GPUs, else TPUs,
 * else others.
 */
static void
choose_planes(struct tp_xspace *x)
{
	static const char *const devices[] = { "/device:GPU:", "/device:TPU:",
	    "/device:CUSTOM:" };
	size_t kind, found = 0;

	for (kind = 0; kind < 3 && !found; kind++)
		for (size_t i = 0; i < x->plane_count; i++) {
			struct tp_xplane *p = &x->planes[i];

			if (!tp_begins(p->name, p->name + p->name_len,
			    devices[kind]))
				continue;
			p->is_wanted = 1;
			p->pid = p->id < INT64_MAX ? 1 + p->id : p->id;
			found++;
		}
	for (size_t i = 0; i < x->plane_count; i++) {
		struct tp_xplane *p = &x->planes[i];

		if (tp_begins(p->name, p->name + p->name_len, "/host:CPU")) {
			p->is_wanted = 1;
			p->pid = HOST_PID;
		}
	}
}

/*
 * TS_NS plus PS as whole microseconds and picoseconds; -1 when that is no
 * valid time.
 */
static int
split_time(int64_t ts_ns, int64_t ps, int64_t *us, int32_t *rest_ps)
{
	int64_t part = ts_ns % 1000 * 1000, whole = ts_ns / 1000;

	if (__builtin_add_overflow(part, ps, &part))
		return -1;
	whole += part / 1000000;
	part %= 1000000;
	if (part < 0) {
		part += 1000000;
		whole--;
	}
	*us = whole;
	*rest_ps = (int32_t)part;
	return 0;
}

/*
 * Start of the first event of L; far in the past or future when it is
 * invalid.
 */
static int64_t
first_us(const struct tp_xline *l, int32_t *ps)
{
	int64_t us;

	if (split_time(l->ts_ns, l->first_ps, &us, ps) == 0)
		return us;
	*ps = 0;
	return l->ts_ns < 0 ? INT64_MIN / 4 : INT64_MAX / 4;
}

/*
 * Set the base to the first event of all lines that are near the one with most
 * events, so that one wrong line or event does not put all others out of range.
 */
static void
find_base(struct tp_xspace *x)
{
	struct tp_events *e = x->e;
	const struct tp_xline *most = x->lines;
	int64_t us, middle;
	int32_t ps;

	if (!x->line_count)
		return;
	for (size_t i = 1; i < x->line_count; i++)
		if (x->lines[i].events > most->events)
			most = &x->lines[i];
	/* its own time: that of its first event may be wrong */
	if (split_time(most->ts_ns, 0, &middle, &ps) < 0)
		return;
	for (size_t i = 0; i < x->line_count; i++) {
		us = first_us(&x->lines[i], &ps);
		if (tp_events_is_far(us, middle) ||
		    (e->has_base && (us > e->base_us ||
		    (us == e->base_us && ps >= e->base_ps))))
			continue;
		e->has_base = 1;
		e->base_us = us;
		e->base_ps = ps;
	}
}

/* Add the lane of line L with the names of its process and itself. */
static void
add_lane(struct tp_xspace *x, struct tp_xline *l)
{
	const struct tp_xplane *p = &x->planes[l->plane];
	char pid[24], tid[24];
	struct tp_arg name = { TP_ARG_STRING, (uint32_t)p->name_len,
	    p->name };
	struct tp_arg of_pid = { TP_ARG_NUMBER, 0, pid };
	struct tp_arg of_tid = { TP_ARG_NUMBER, 0, tid };

	of_pid.len = (uint32_t)snprintf(pid, sizeof pid, "%lld",
	    (long long)p->pid);
	of_tid.len = (uint32_t)snprintf(tid, sizeof tid, "%llu",
	    (unsigned long long)l->tid);
	l->lane = tp_lanes_add(&x->e->lanes, &of_pid, &of_tid);
	tp_lanes_call(&x->e->lanes, l->lane, 1, &name);
	if (!l->name)
		return;
	name = (struct tp_arg){ TP_ARG_STRING, (uint32_t)l->name_len,
	    l->name };
	tp_lanes_call(&x->e->lanes, l->lane, 0, &name);
}

/* Add all lanes before the first event. */
static void
add_lanes(struct tp_xspace *x)
{
	x->e->is_ordered = 1;
	for (size_t i = 0; i < x->line_count; i++) {
		size_t had = tp_events_lane_count(x->e);

		add_lane(x, &x->lines[i]);
		/* two lines may share a lane */
		if (x->lines[i].is_unordered ||
		    tp_events_lane_count(x->e) == had)
			x->e->is_ordered = 0;
	}
}

/*
 * A copy that was converted as text is valid UTF-8, which an XSpace is not,
 * and has replacement characters.  -1 with ERR for such a copy; listing its
 * damage would be useless.
 */
static int
is_bytes(struct tp_xspace *x, struct tp_err *err)
{
	enum { LOOK = 65536 };
	uint64_t len = x->reach.len < LOOK ? x->reach.len : LOOK;
	const unsigned char *p, *start, *end;
	size_t have, n;
	uint64_t first = 0;
	uint32_t c;

	if (!x->cut && !x->damaged.count)
		return 0;
	p = start = tp_reach_look(&x->reach, 0, (size_t)len, &have, err);
	if (!p)
		return -1;
	for (end = p + have; p < end; p += n) {
		n = *p < 0x80 ? 1 : tp_utf8((const char *)p,
		    (size_t)(end - p), &c);
		/* the last character may be cut */
		if (!n && end - p > 3)
			return 0;
		if (!n)
			break;
		if (*p >= 0x80 && c == 0xfffd && !first)
			first = (uint64_t)(p - start);
	}
	return first ? tp_fail(err, TP_BAD, "xplane.damaged", 0, "was copied "
	    "as text: its bytes from 0x80 on are lost, the first at byte "
	    "%llu; copy it again as binary", (unsigned long long)first) : 0;
}

int
tp_xspace_open(struct tp_events *e, struct tp_err *err)
{
	struct tp_xspace *x = tp_zalloc(sizeof *x);

	e->space = x;
	x->e = e;
	x->plane = SIZE_MAX;
	if (tp_reach_open(&x->reach, e->sight.in, err) < 0 ||
	    survey(x, err) < 0 || is_bytes(x, err) < 0)
		return -1;
	choose_planes(x);
	for (size_t i = 0; i < x->plane_count; i++)
		if (x->planes[i].is_wanted && survey_lines(x, i, err) < 0)
			return -1;
	find_base(x);
	add_lanes(x);
	if (tp_xspace_programs(x, err) < 0)
		return -1;
	for (size_t i = 0; i < x->plane_count; i++)
		if (!strcmp(x->planes[i].name, "Task Environment") ||
		    (x->planes[i].is_wanted && !x->planes[i].events &&
		    x->planes[i].pid != HOST_PID))
			if (tp_xspace_open_plane(x, i, err) < 0)
				return -1;
	return 0;
}

/* Open the next line: 1, 0 after the last, -1 with ERR. */
static int
open_line(struct tp_xspace *x, struct tp_err *err)
{
	const struct tp_xline *l;
	int64_t us;
	int32_t ps;

	if (x->line == x->line_count)
		return 0;
	l = &x->lines[x->line++];
	if (l->plane != x->plane && tp_xspace_open_plane(x, l->plane,
	    err) < 0)
		return -1;
	x->line_is_far = split_time(l->ts_ns, 0, &us, &ps) < 0 ||
	    tp_events_since(us, ps, x->e->base_us, x->e->base_ps,
	    &x->line_ps) < 0;
	x->left = l->place;
	return 1;
}

/* The fields of an event. */
struct event_fields {
	uint64_t kind;
	int64_t offset_ps, duration_ps;
	int is_aggregate;
	struct tp_proto stats;	/* starting at the first stat */
};

/*
 * Fast path: read the leading fields of M while they are those of nearly
 * every event; M moves past them.
 */
static inline void
read_head(struct tp_proto *m, struct event_fields *t)
{
	static const unsigned char tags[] = { EVENT_KIND << 3,
	    EVENT_OFFSET << 3, EVENT_DURATION << 3 };
	uint64_t v[3] = { 0 };
	const unsigned char *p;

	for (unsigned i = 0; i < 3; i++) {
		if (m->p == m->end || *m->p != tags[i])
			continue;
		p = m->p + 1;
		if (tp_varint(&p, m->end, &v[i]) <= 0)
			break;
		m->p = p;
	}
	t->kind = v[0];
	t->offset_ps = (int64_t)v[1];
	t->duration_ps = (int64_t)v[2];
}

/* -1: M is no valid event. */
static int
read_event(struct tp_proto m, struct event_fields *t)
{
	struct tp_proto_field f;
	const unsigned char *at;
	int rc;

	*t = (struct event_fields){ 0 };
	read_head(&m, t);
	t->stats = (struct tp_proto){ m.end, m.end };
	at = m.p;
	for (; (rc = tp_proto_next(&m, &f)) > 0; at = m.p)
		switch (f.number << 3 | f.wire) {
		case EVENT_KIND << 3 | TP_WIRE_VARINT:
			t->kind = f.value;
			break;
		case EVENT_OFFSET << 3 | TP_WIRE_VARINT:
			t->offset_ps = (int64_t)f.value;
			break;
		case EVENT_DURATION << 3 | TP_WIRE_VARINT:
			t->duration_ps = (int64_t)f.value;
			break;
		case EVENT_STATS << 3 | TP_WIRE_BYTES:
			if (t->stats.p == t->stats.end)
				t->stats.p = at;
			break;
		case EVENT_TIMES << 3 | TP_WIRE_VARINT:
			t->is_aggregate = 1;
			break;
		default:
			break;
		}
	return rc;
}

static int
no_time(struct tp_err *err, const struct event_fields *t)
{
	int is_dur = t->duration_ps < 0 || t->duration_ps > TP_DAY_PS;

	err->what = is_dur ? "dur" : "ts";
	return is_dur ?
	    tp_fail(err, TP_BAD, "event.baddur", 0, "an event takes %lld ps",
	    (long long)t->duration_ps) :
	    tp_fail(err, TP_BAD, "event.baddur", 0, "an event is more than a "
	    "day from the others");
}

/*
 * Process event M at AT: 1 when it is to be returned, 0 when not, -1 with
 * ERR.
 */
static int
judge(struct tp_xspace *x, uint64_t at, struct tp_proto m,
    struct tp_event *v, struct tp_err *err)
{
	struct tp_events *e = x->e;
	const struct tp_xkind *k;
	struct event_fields t;
	struct tp_arg name;

	e->elements++;
	if (read_event(m, &t) < 0) {
		tp_xspace_damaged(x, at, "no event");
		x->broken++;
		return 0;
	}
	if (t.is_aggregate) {
		x->aggregates++;
		return 0;
	}
	k = tp_xspace_kind(x, t.kind);
	if (!k) {
		x->unnamed++;
		return 0;
	}
	v->phase = k->use == TP_X_MEMORY ? TP_MEMORY_PHASE : 'X';
	if (k->use == TP_X_HIDDEN || !e->given[(unsigned char)v->phase])
		return 0;
	if (t.duration_ps < 0 || t.duration_ps > TP_DAY_PS || x->line_is_far ||
	    __builtin_add_overflow(x->line_ps, t.offset_ps, &v->ts_ps) ||
	    v->ts_ps < -TP_DAY_PS || v->ts_ps > TP_DAY_PS)
		return no_time(err, &t);
	v->has_ts = v->has_dur = 1;
	/* as the exporter: make zero durations visible */
	v->dur_ps = t.duration_ps ? t.duration_ps : 1;
	tp_xspace_fill(x, k, m, t.stats, &name);
	v->name = name;
	v->cat = v->id = (struct tp_arg){ 0 };
	v->lane = x->lines[x->line - 1].lane;
	v->args = e->args;
	v->own_args = x->own;
	/* an event with its own name belongs to no kind */
	v->kind = x->own >> 63 ? 0 : x->kind_base +
	    (size_t)(k - x->kinds) + 1;
	v->index = e->elements - 1;
	return 1;
}

/* Report all damage; -1 with ERR, which more reports may follow. */
static int
tell_damage(struct tp_xspace *x, struct tp_err *err)
{
	size_t n = x->damaged.count;
	char more[64] = "";

	if (n > 1)
		snprintf(more, sizeof more, ", and %zu more places%s", n - 1,
		    n == TP_X_PLACES ? " or more" : "");
	tp_fail(err, TP_BAD, "xplane.damaged", 0, "damaged at byte %llu: %s%s; "
	    "that part was left out",
	    (unsigned long long)x->damaged.ids[0].a, x->wrong, more);
	err->what = x->wrong;
	tp_ids_release(&x->damaged);
	memset(&x->damaged, 0, sizeof x->damaged);
	return -1;
}

/* End of input: 0, or -1 with ERR when it is truncated. */
static int
finish(struct tp_xspace *x, struct tp_err *err)
{
	if (x->damaged.count) {
		tell_damage(x, err);
		err->fatal = !x->reach.late.status && !x->cut;
		return -1;
	}
	if (x->reach.late.status)
		*err = x->reach.late;
	else if (x->cut)
		tp_fail(err, TP_BAD, "input.truncated", 0, "the capture ends "
		    "early, at byte %llu (events read: %llu)",
		    (unsigned long long)x->reach.len,
		    (unsigned long long)x->e->elements);
	else
		return 0;
	err->fatal = 1;
	return -1;
}

int
tp_xspace_next(struct tp_xspace *x, struct tp_event *event,
    struct tp_err *err)
{
	struct tp_proto_field f;
	struct tp_proto m;
	uint64_t at;
	int rc;

	for (;;) {
		rc = tp_xspace_field(x, &x->left, &f, &at, err);
		if (rc < 0)
			break;
		if (!rc) {
			rc = open_line(x, err);
			if (rc > 0)
				continue;
			return rc < 0 ? (err->fatal = 1, -1) :
			    finish(x, err);
		}
		if (f.number != LINE_EVENTS || f.wire != TP_WIRE_BYTES)
			continue;
		/* ignore a truncated event */
		if (x->clipped)
			continue;
		rc = tp_xspace_message(x, at, f.value, &m, err);
		if (rc < 0)
			break;
		rc = judge(x, at, m, event, err);
		if (rc)
			return rc;
	}
	err->fatal = 1;
	return -1;
}

void
tp_xspace_tell(struct tp_xspace *x)
{
	struct tp_trace *t = x->e->trace;
	const char *name = tp_in_name(x->reach.in);
	uint64_t unread = tp_xspace_unread_programs(x);

	/* the first of the broken ones was reported */
	x->e->unmatched += x->unnamed + x->broken - (x->broken > 0);
	if (x->unnamed)
		tp_trace_note(t, "xplane.unnamed", 0, x->unnamed,
		    "%s: events whose ids have no name were left out", name);
	if (x->aggregates)
		tp_trace_note(t, "xplane.aggregate", 0, x->aggregates,
		    "%s: events that combine several and have no time were "
		    "left out", name);
	if (unread)
		tp_trace_note(t, "xplane.program", 0, unread,
		    "%s: programs are damaged or too large: the cost of their "
		    "operations is unknown", name);
}

void
tp_xspace_close(struct tp_xspace *x)
{
	if (!x)
		return;
	tp_xspace_close_plane(x);
	tp_xspace_release_programs(x);
	tp_arena_release(&x->arena);
	tp_ids_release(&x->damaged);
	tp_free(x->planes);
	tp_free(x->lines);
	tp_reach_release(&x->reach);
	tp_free(x);
}
