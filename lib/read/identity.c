/* identity - what a trace says of when, where and by whom it was recorded */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <tp/hash.h>
#include <tp/json.h>
#include <tp/read/identity.h>
#include <tp/share.h>
#include <tp/text.h>

#include "classes.h"
#include "events.h"
#include "json_skip.h"
#include "xspace.h"

/* Times of 2001 and later are of day; smaller ones are since a start. */
static const int64_t epoch_ns = 1000000000000000000;

/* Fields of an xplane.pb that are looked at: of thousands of lines. */
#define HEADS_MAX 20000

/* Behind the next string KEY from P to END and its colon, or NULL. */
static const char *
after_key(const char *p, const char *end, const char *key)
{
	size_t len = strlen(key);

	for (; (size_t)(end - p) > len + 2; p++) {
		if (*p != '"' || p[len + 1] != '"' || memcmp(p + 1, key, len))
			continue;
		for (p += len + 2; p < end && *p && strchr(" \t\r\n:", *p);)
			p++;
		return p;
	}
	return NULL;
}

/*
 * Find whose the trace events of IN are, by the first events; if they have no
 * categories, by the name of a process, from P to END.  0, or -1 with ERR.
 */
static int
find_profiler(struct tp_identity *id, struct tp_in *in, const char *p,
    const char *end, struct tp_err *err)
{
	static const struct tp_events_want want = { .profiler = 1 };
	struct tp_trace told = { 0 };
	struct tp_events *events = tp_events_open(in, &want, &told, err);
	cJSON *ops = events ? tp_share_json("ops/torch.json", err) : NULL;
	const cJSON *sign;

	id->profiler = events ? tp_events_profiler(events) :
	    TP_PROFILER_OTHER;
	cJSON_ArrayForEach(sign, tp_json_get(ops, "bare_signs"))
		if (id->profiler == TP_PROFILER_OTHER &&
		    cJSON_IsString(sign) &&
		    after_key(p, end, sign->valuestring))
			id->profiler = TP_PROFILER_TORCH;
	tp_events_close(events);
	tp_trace_release_notes(&told);
	cJSON_Delete(ops);
	return ops ? 0 : -1;
}

/* The whole number at P, which may be a string; -1: none. */
static int64_t
number_at(const char *p, const char *end)
{
	int64_t n = 0;

	p += p < end && *p == '"';
	if (p >= end || !tp_is_digit(*p))
		return -1;
	for (; p < end && tp_is_digit(*p); p++) {
		if (n > (INT64_MAX - 9) / 10)
			return -1;
		n = n * 10 + (*p - '0');
	}
	return n;
}

static int64_t
number_of(const char *p, const char *end, const char *key)
{
	const char *at = p ? after_key(p, end, key) : NULL;

	return at ? number_at(at, end) : -1;
}

/* Take the word or name from P to END that STOP or a quote ends. */
static void
take_device(struct tp_identity *id, const char *p, const char *end, char stop)
{
	size_t n = 0;

	while (p + n < end && p[n] != stop && p[n] != '"' && p[n] != '\\')
		n++;
	if (p + n == end || n >= sizeof id->device)
		return;
	memcpy(id->device, p, n);
	id->device[n] = '\0';
}

/* Take the kind from NAME, of a plane or process: "/device:TPU:0". */
static void
take_plane(struct tp_identity *id, const char *name, const char *end)
{
	static const char sign[] = "/device:";

	if (!*id->device && tp_begins(name, end, sign) &&
	    !tp_begins(name, end, "/device:CUSTOM"))
		take_device(id, name + sizeof sign - 1, end, ':');
}

/* Trace events of JAX: the names of their processes. */
static void
take_processes(struct tp_identity *id, const char *p, const char *end)
{
	while (!*id->device && (p = after_key(p, end, "name")))
		if (p < end && *p == '"')
			take_plane(id, p + 1, end);
}

/* What Kineto writes before the events, and the time of the first. */
static void
take_kineto(struct tp_identity *id, const char *p, const char *end)
{
	const char *list = after_key(p, end, "traceEvents");
	const char *before = list ? list : end, *at;
	int64_t base = number_of(p, end, "baseTimeNanoseconds"), us = -1;

	at = after_key(p, before, "deviceProperties");
	at = at ? after_key(at, before, "name") : NULL;
	if (at && at < before && *at == '"')
		take_device(id, at + 1, before, '"');
	at = after_key(p, before, "distributedInfo");
	id->rank = number_of(at, before, "rank");
	id->rank_count = number_of(at, before, "world_size");
	for (at = list; us <= 0 && at && (at = after_key(at, end, "ts"));)
		us = number_at(at, end);
	if (us <= 0 || us > INT64_MAX / 2000 || base > INT64_MAX / 2)
		return;
	us = us * 1000 + (base > 0 ? base : 0);
	if (us >= epoch_ns)
		id->at_ns = us;
}

/* Bytes of an XSpace: a plain file, or the first ones of another. */
struct heads {
	const struct tp_in *in;	/* or NULL */
	const unsigned char *first;
	uint64_t len;
	unsigned left;		/* fields that may still be read */
	unsigned char block[128];
};

/* Up to 128 bytes at W, in M.  Returns 0 at the end. */
static int
look_at(struct heads *h, const struct tp_walk *w, struct tp_proto *m)
{
	uint64_t n = w->end > w->at ? w->end - w->at : 0;
	struct tp_err err;
	ptrdiff_t got;

	n = n < sizeof h->block ? n : sizeof h->block;
	m->p = h->in ? h->block : h->first + w->at;
	got = !n ? 0 : h->in ? tp_in_part(h->in, w->at, h->block, (size_t)n,
	    &err) : (ptrdiff_t)n;
	m->end = m->p + (got > 0 ? got : 0);
	return got > 0;
}

/* The next field of W, which moves past it; *BODY is that of bytes. */
static int
next_field(struct heads *h, struct tp_walk *w, struct tp_proto_field *f,
    struct tp_walk *body)
{
	const unsigned char *from;
	struct tp_proto m;

	if (!h->left || !look_at(h, w, &m))
		return 0;
	h->left--;
	from = m.p;
	if (tp_proto_head(&m, f) <= 0)
		return 0;
	w->at += (uint64_t)(m.p - from);
	*body = *w;
	if (f->wire == TP_WIRE_BYTES) {
		if (f->value > w->end - w->at)
			f->value = w->end - w->at;
		w->at += f->value;
	}
	body->end = w->at;
	return 1;
}

/* Whether NS is a time of day. */
static int
is_day(uint64_t ns)
{
	return ns >= (uint64_t)epoch_ns && ns <= INT64_MAX;
}

static void
scan_line(struct heads *h, struct tp_walk w, struct tp_identity *id)
{
	struct tp_proto_field f;
	struct tp_walk body;

	while (next_field(h, &w, &f, &body) && f.number != LINE_EVENTS)
		if (f.number == LINE_TS && is_day(f.value) && (!id->at_ns ||
		    (int64_t)f.value < id->at_ns))
			id->at_ns = (int64_t)f.value;
}

/* Whether ENTRY, of the map of stats, is called WORD. */
static int
is_called(struct tp_proto entry, const char *word)
{
	struct tp_proto name = tp_proto_bytes(tp_proto_bytes(entry,
	    ENTRY_VALUE), STAT_NAME);

	return tp_is((const char *)name.p, (size_t)(name.end - name.p), word);
}

static void
scan_plane(struct heads *h, struct tp_walk w, struct tp_identity *id)
{
	struct tp_proto_field f;
	struct tp_walk body;
	struct tp_proto m;
	uint64_t start = 0, stop = 0, stat;

	while (next_field(h, &w, &f, &body) && f.number != PLANE_KINDS)
		if (f.wire != TP_WIRE_BYTES)
			continue;
		else if (f.number == PLANE_LINES)
			scan_line(h, body, id);
		else if (!look_at(h, &body, &m))
			break;
		else if (f.number == PLANE_NAME)
			take_plane(id, (const char *)m.p, (const char *)m.end);
		else if (f.number == PLANE_STATS && is_called(m,
		    "profile_start_time"))
			start = tp_proto_number(m, ENTRY_KEY);
		else if (f.number == PLANE_STATS && is_called(m,
		    "profile_stop_time"))
			stop = tp_proto_number(m, ENTRY_KEY);
		else if (f.number == PLANE_OWN && is_day(tp_proto_number(m,
		    STAT_UINT))) {
			stat = tp_proto_number(m, STAT_ID);
			if (stat == start || stat == stop)
				*(stat == start ? &id->at_ns : &id->until_ns) =
				    (int64_t)tp_proto_number(m, STAT_UINT);
		}
}

/* The names of planes, the times of lines, and the host. */
static void
scan_space(struct heads *h, struct tp_identity *id)
{
	struct tp_walk w = { 0, h->len }, body;
	struct tp_proto_field f;
	struct tp_proto m;

	while (next_field(h, &w, &f, &body))
		if (f.wire == TP_WIRE_BYTES && f.number == SPACE_PLANES)
			scan_plane(h, body, id);
		else if (f.wire == TP_WIRE_BYTES && f.number == SPACE_HOSTS &&
		    look_at(h, &body, &m))
			id->host = tp_hash_bytes((const char *)m.p,
			    (size_t)(m.end - m.p));
}

/*
 * Whether there is an event with a time from P to END that can be read: behind
 * one that is not whole none is.
 */
static int
has_event(const char *p, const char *end)
{
	const char *list = after_key(p, end, "traceEvents"), *phase;
	struct tp_skip skip;
	size_t n;

	for (p = list ? list : p; (p = memchr(p, '{', (size_t)(end - p)));
	    p += n) {
		tp_skip_init(&skip);
		n = tp_skip_run(&skip, p, (size_t)(end - p));
		if (skip.wrong || skip.depth)
			return 0;
		phase = after_key(p, p + n, "ph");
		if (phase && end - phase > 1 && phase[1] != 'M')
			return 1;
	}
	return 0;
}

int64_t
tp_identity_rank(const char *name)
{
	int64_t rank = -1;

	while ((name = strstr(name, "rank"))) {
		name += 4;
		name += *name == '_' || *name == '-';
		if (tp_is_digit(*name) && strtol(name, NULL, 10) < 1 << 24)
			rank = strtol(name, NULL, 10);
	}
	return rank;
}

/* A trace that does not say its rank may be called by it, or its folder. */
static void
find_rank(struct tp_identity *id)
{
	if (id->rank < 0)
		id->rank = tp_identity_rank(tp_base(id->path));
	if (id->rank < 0)
		id->rank = tp_identity_rank(id->path + id->place);
}

int
tp_identity_read(struct tp_identity *id, struct tp_in *in,
    enum tp_format format, const char *path, size_t place, struct tp_err *err)
{
	struct heads h = { .left = HEADS_MAX };
	struct tp_err damage = { 0 };
	const char *p;
	ptrdiff_t n = tp_in_peek(in, &p, &damage);

	n = n > 0 ? n : 0;
	*id = (struct tp_identity){ .path = path, .place = place,
	    .rank = -1, .rank_count = -1 };
	switch (format) {
	case TP_FORMAT_XPLANE:
		h.first = (const unsigned char *)p;
		h.len = (uint64_t)n;
		if (tp_in_is_plain(in, &h.len))
			h.in = in;
		scan_space(&h, id);
		return 0;
	case TP_FORMAT_TRACE_EVENTS:
		if (find_profiler(id, in, p, p + n, err) < 0)
			return -1;
		if (id->profiler == TP_PROFILER_TORCH)
			take_kineto(id, p, p + n);
		else
			take_processes(id, p, p + n);
		id->is_mute = id->profiler != TP_PROFILER_JAX && !id->at_ns &&
		    !has_event(p, p + n);
		break;
	default:
		id->profiler = TP_PROFILER_OTHER;
		break;
	}
	if (id->profiler != TP_PROFILER_JAX)
		find_rank(id);
	return 0;
}
