/* identity - which traces were recorded together */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tp/hash.h>
#include <tp/json.h>
#include <tp/read/capture.h>
#include <tp/read/identity.h>
#include <tp/share.h>
#include <tp/text.h>

#include "classes.h"
#include "xspace.h"

/* Times of 2001 and later are of day; smaller ones are since a start. */
static const int64_t epoch_ns = 1000000000000000000;

/* Fields of an xplane.pb that are looked at: of thousands of lines. */
#define HEADS_MAX 20000

/* Whether the LEN bytes at CAT are a category listed in EVENTS. */
static int
is_category(const struct tp_classes *events, const char *cat, size_t len)
{
	char lower[64];

	if (len >= sizeof lower)
		return 0;
	for (size_t i = 0; i < len; i++)
		lower[i] = (char)tolower((unsigned char)cat[i]);
	return tp_class_of_part(events, lower, len) != NULL;
}

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
 * Whether trace events from P to END are from PyTorch, by their categories
 * or, if they have none, by the name of a process: 1, 0, or -1 with ERR.
 */
static int
is_torch(const char *p, const char *end, struct tp_err *err)
{
	static const char file[] = "ops/torch.json";
	cJSON *ops = tp_share_json(file, err);
	struct tp_classes events = { 0 };
	const cJSON *sign, *signs = tp_json_get(ops, "bare_signs");
	const char *cat;
	int is = 0;

	if (!ops || tp_classes_load(&events, ops, file, "events", NULL,
	    "device", err) < 0) {
		tp_classes_release(&events);
		cJSON_Delete(ops);
		return -1;
	}
	for (cat = p; !is && (cat = after_key(cat, end, "cat"));) {
		const char *from = cat += cat < end && *cat == '"';

		while (cat < end && *cat != '"')
			cat++;
		is = is_category(&events, from, (size_t)(cat - from));
	}
	cJSON_ArrayForEach(sign, signs)
		is = is || (cJSON_IsString(sign) &&
		    after_key(p, end, sign->valuestring));
	tp_classes_release(&events);
	cJSON_Delete(ops);
	return is;
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
	int torch = 0;

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
		torch = is_torch(p, p + n, err);
		if (torch < 0)
			return -1;
		if (torch)
			take_kineto(id, p, p + n);
		else
			take_processes(id, p, p + n);
		id->profiler = torch ? TP_PROFILER_TORCH :
		    tp_in_is_xla(in, err) ? TP_PROFILER_JAX : TP_PROFILER_OTHER;
		break;
	default:
		id->profiler = TP_PROFILER_OTHER;
		break;
	}
	if (id->profiler != TP_PROFILER_JAX)
		find_rank(id);
	return 0;
}

/* Leave out traces of another program than most, if these are few. */
static void
find_strays(struct tp_identity *const *list, size_t count)
{
	size_t of[TP_PROFILER_OTHER + 1] = { 0 }, bulk = 0;

	for (size_t i = 0; i < count; i++)
		of[list[i]->profiler]++;
	for (size_t i = 1; i <= TP_PROFILER_OTHER; i++)
		bulk = of[i] > of[bulk] ? i : bulk;
	for (size_t i = 0; i < count; i++)
		list[i]->capture = list[i]->profiler != bulk && of[bulk] >=
		    3 * (count - of[bulk]) ? TP_STRAY : 0;
}

/* Captures named in a message. */
#define TOLD_MAX 20

/* Of more captures than this no further trace is part (quadratic time). */
#define SEARCHED_MAX 4096

/* Traces of one capture, so far. */
struct capture {
	const struct tp_identity *first;
	int64_t at_ns, rank_count;
	size_t count;
};

/* Which part of a capture ID is, by number; 0: not known. */
static uint64_t
part_of(const struct tp_identity *id)
{
	return id->profiler == TP_PROFILER_JAX ? id->host :
	    (uint64_t)(id->rank + 1);
}

/* Whether one of two traces of a host ended before the other began. */
static int
is_after(const struct tp_identity *a, const struct tp_identity *b)
{
	return (a->until_ns && b->at_ns > a->until_ns) ||
	    (b->until_ns && a->at_ns > b->until_ns);
}

struct captures {
	struct capture *list;
	size_t count, cap;
	struct tp_ids parts;	/* captures, and ranks or hosts in them */
};

static uint64_t
apart_ns(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)(a - b) : (uint64_t)(b - a);
}

/* Whether what ID says of itself contradicts no trace of C. */
static int
agrees(const struct capture *c, const struct tp_identity *id)
{
	const struct tp_identity *first = c->first;
	int timed = id->at_ns && c->at_ns;

	if (id->profiler != first->profiler || (timed &&
	    apart_ns(id->at_ns, c->at_ns) > TP_APART_S * 1000000000ULL))
		return 0;
	if (id->rank_count >= 0 && c->rank_count >= 0 &&
	    id->rank_count != c->rank_count)
		return 0;
	/* GPUs of a job may differ, if it is one by time */
	return !*id->device || !*first->device ||
	    !strcmp(id->device, first->device) || (timed &&
	    id->profiler != TP_PROFILER_JAX);
}

static int
same_folder(const struct tp_identity *a, const struct tp_identity *b)
{
	size_t n = (size_t)(tp_base(a->path) - a->path);

	return n == (size_t)(tp_base(b->path) - b->path) &&
	    !memcmp(a->path, b->path, n);
}

/* Whether ID needs a rank, to be of a capture of several, and has none. */
static int
is_lone(const struct tp_identity *id)
{
	return id->profiler != TP_PROFILER_JAX && id->rank < 0;
}

/*
 * How far ID is from capture AT, which it may be of: in time, else by folder;
 * UINT64_MAX: not of it.
 */
static uint64_t
distance(const struct captures *s, size_t at, const struct tp_identity *id)
{
	const struct capture *c = &s->list[at];

	if (!agrees(c, id) || is_lone(c->first) || (part_of(id) &&
	    tp_ids_find(&s->parts, at, part_of(id)) >= 0 &&
	    (id->profiler != TP_PROFILER_JAX || is_after(c->first, id))))
		return UINT64_MAX;
	return id->at_ns && c->at_ns ? apart_ns(id->at_ns, c->at_ns) :
	    UINT64_MAX - 1 - (uint64_t)same_folder(id, c->first);
}

/* The capture that ID is of: the nearest, unless two are; SIZE_MAX: none. */
static size_t
find_capture(const struct captures *s, const struct tp_identity *id)
{
	uint64_t least = UINT64_MAX, d;
	size_t at = SIZE_MAX;

	for (size_t i = 0; i < s->count && s->count < SEARCHED_MAX; i++) {
		d = distance(s, i, id);
		if (d < least)
			at = i;
		else if (d == least)
			at = SIZE_MAX;
		least = d < least ? d : least;
	}
	return at;
}

static int
place(struct captures *s, struct tp_identity *id)
{
	size_t at = is_lone(id) ? SIZE_MAX : find_capture(s, id);
	struct capture *c;

	if (at == SIZE_MAX) {
		at = s->count;
		if (TP_APPEND(s->list, s->count, s->cap,
		    (struct capture){ .first = id, .rank_count = -1 }) < 0)
			return -1;
	}
	c = &s->list[at];
	c->count++;
	c->at_ns = c->at_ns ? c->at_ns : id->at_ns;
	c->rank_count = c->rank_count < 0 ? id->rank_count : c->rank_count;
	id->capture = at;
	return part_of(id) && tp_ids_add(&s->parts, at, part_of(id)) < 0 ?
	    -1 : 0;
}

/*
 * Place the LONE traces that do not say their rank: with the ranks of the only
 * job, if these are more, else each by itself.
 */
static int
place_lone(struct captures *s, struct tp_identity *const *list, size_t count,
    size_t lone)
{
	int beside = s->count == 1 && s->list[0].count > 1 &&
	    s->list[0].count > lone, rc = 0;

	for (size_t i = 0; !rc && lone && i < count; i++)
		if (list[i]->capture == TP_STRAY || !is_lone(list[i]))
			continue;
		else if (beside && agrees(&s->list[0], list[i]))
			list[i]->capture = 0;
		else
			rc = place(s, list[i]);
	return rc;
}

/* Number captures as their first traces appear, and count their traces. */
static int
number(const struct captures *s, struct tp_identity *const *list, size_t count)
{
	size_t *numbers = tp_zalloc((s->count + 1) * sizeof *numbers);
	size_t next = 0, at;

	for (size_t i = 0; numbers && i < count; i++) {
		at = list[i]->capture;
		if (at == TP_STRAY)
			continue;
		if (!numbers[at])
			numbers[at] = ++next;
		list[i]->capture = numbers[at] - 1;
		list[i]->count = s->list[at].count;
	}
	tp_free(numbers);
	return numbers ? 0 : -1;
}

ptrdiff_t
tp_identity_group(struct tp_identity *const *list, size_t count)
{
	struct captures s = { 0 };
	size_t lone = 0;
	int rc = 0;

	find_strays(list, count);
	for (size_t i = 0; !rc && i < count; i++)
		if (list[i]->capture == TP_STRAY)
			continue;
		else if (is_lone(list[i]))
			lone++;
		else
			rc = place(&s, list[i]);
	rc = rc || place_lone(&s, list, count, lone) < 0 ||
	    number(&s, list, count) < 0;
	tp_ids_release(&s.parts);
	tp_free(s.list);
	return rc ? -1 : (ptrdiff_t)s.count;
}

/* The name of the file at PATH, without what its format is called. */
static size_t
stem_of(const char *path, const char **name)
{
	static const char *const ends[] = { ".pt", ".sqlite", ".db", ".csv" };
	size_t len = tp_capture_host(path, name), n;

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		n = strlen(ends[i]);
		if (len > n && !memcmp(*name + len - n, ends[i], n))
			len -= n;
	}
	return len;
}

/* Find a name, not among TAKEN, for the capture that ID is the first trace of:
 * that of its file, unless IS_ALONE of its folder.  0, or -1 without memory. */
static int
name_capture(struct tp_buf *buf, const struct tp_identity *id, int is_alone,
    const struct tp_names *taken)
{
	const char *base, *below = id->path + id->place, *name;
	size_t stem = stem_of(id->path, &base), len = stem, had;

	name = base;
	if (!is_alone && base > below + 1) {
		name = below;
		len = (size_t)(base - below) - 1;
	}
	if (tp_names_find(taken, name, len) >= 0) {
		name = below;
		len = (size_t)(base - below) + stem;
	}
	tp_buf_clear(buf);
	tp_buf_add(buf, name, len);
	had = buf->len;
	for (int n = 2; !buf->failed && tp_names_find(taken, buf->p,
	    buf->len) >= 0; n++) {
		buf->len = had;
		tp_buf_fmt(buf, " (%d)", n);
	}
	return buf->failed ? -1 : 0;
}

/* Append " (GPU, 2026-02-20)", as far as known. */
static void
tell(struct tp_buf *buf, const struct tp_identity *id)
{
	static const char *const programs[] = { "trace events", "PyTorch",
	    "another profiler" };
	time_t t = (time_t)(id->at_ns / 1000000000);
	char day[32];
	struct tm tm;

	tp_buf_str(buf, " (");
	if (id->count > 1)
		tp_buf_fmt(buf, "%zu files, ", id->count);
	if (*id->device)
		tp_show_text(buf, id->device, strlen(id->device));
	else
		tp_buf_str(buf, programs[id->profiler]);
	if (id->at_ns && gmtime_r(&t, &tm) &&
	    strftime(day, sizeof day, "%Y-%m-%d", &tm))
		tp_buf_fmt(buf, ", %s", day);
	tp_buf_chr(buf, ')');
}

int
tp_identity_names(struct tp_identity *const *list, size_t count,
    struct tp_names *names, struct tp_buf *told)
{
	struct tp_buf name = { 0 };
	size_t told_count = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		if (list[i]->capture != names->count)
			continue;	/* of one before, or a stray */
		rc = name_capture(&name, list[i], list[i]->count == 1, names);
		if (rc || tp_names_add(names, name.p, name.len) < 0) {
			rc = -1;
			break;
		}
		if (told_count++ == TOLD_MAX)
			tp_buf_str(told, " ...");
		if (told_count > TOLD_MAX)
			continue;
		tp_buf_str(told, told_count > 1 ? ", " : "");
		tp_show_text(told, name.p, name.len);
		tell(told, list[i]);
	}
	tp_buf_release(&name);
	return rc || told->failed ? -1 : 0;
}
