/*
 * The events of an XSpace are what was put into one, from a file, a pipe and
 * gzip, in blocks of any size; damage anywhere costs what it is in, is told
 * with its place, and changes nothing else.
 *
 * With an operand it only writes the capture that is tested there.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "read/events.h"

static int failed;

static void
ok(int yes, const char *what)
{
	printf("%s %s\n", yes ? "ok" : "not ok", what);
	failed |= !yes;
}

/* --- writing */

static void
put_varint(struct tp_buf *b, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		tp_buf_chr(b, (char)(v | 0x80));
	tp_buf_chr(b, (char)v);
}

static void
put_int(struct tp_buf *b, unsigned field, int64_t v)
{
	put_varint(b, field << 3);
	put_varint(b, (uint64_t)v);
}

static void
put_double(struct tp_buf *b, unsigned field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	put_varint(b, field << 3 | 1);
	for (int i = 0; i < 8; i++, bits >>= 8)
		tp_buf_chr(b, (char)bits);
}

static void
put_bytes(struct tp_buf *b, unsigned field, const char *p, size_t len)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, len);
	tp_buf_add(b, p, len);
}

static void
put_text(struct tp_buf *b, unsigned field, const char *text)
{
	put_bytes(b, field, text, strlen(text));
}

/* M becomes a field of B, and is empty again. */
static void
put_message(struct tp_buf *b, unsigned field, struct tp_buf *m)
{
	put_bytes(b, field, m->p ? m->p : "", m->len);
	tp_buf_release(m);
	memset(m, 0, sizeof *m);
}

/* What an id of a plane means: MAP 4 events, 5 stats.  MORE, the rest of its
 * message, or NULL. */
static void
put_meaning(struct tp_buf *plane, unsigned map, int64_t id, const char *name,
    struct tp_buf *more)
{
	struct tp_buf entry = { 0 }, value = { 0 };

	if (id) {
		put_int(&entry, 1, id);
		put_int(&value, 1, id);
	}
	put_text(&value, 2, name);
	if (more && more->len)
		tp_buf_add(&value, more->p, more->len);
	put_message(&entry, 2, &value);
	put_message(plane, map, &entry);
	if (more)
		tp_buf_clear(more);
}

/* A stat whose value is the integer V: FIELD 3, 4, or 7. */
static void
put_stat(struct tp_buf *b, unsigned field, int64_t id, unsigned value,
    int64_t v)
{
	struct tp_buf stat = { 0 };

	if (id)
		put_int(&stat, 1, id);
	put_int(&stat, value, v);
	put_message(b, field, &stat);
}

static void
put_stat_text(struct tp_buf *b, unsigned field, int64_t id, unsigned value,
    const char *text)
{
	struct tp_buf stat = { 0 };

	put_int(&stat, 1, id);
	put_text(&stat, value, text);
	put_message(b, field, &stat);
}

static void
put_stat_double(struct tp_buf *b, unsigned field, int64_t id, double v)
{
	struct tp_buf stat = { 0 };

	put_int(&stat, 1, id);
	put_double(&stat, 2, v);
	put_message(b, field, &stat);
}

/* An event of LINE; STATS may be NULL. */
static void
put_event(struct tp_buf *line, int64_t kind, int64_t offset, int64_t duration,
    struct tp_buf *stats)
{
	struct tp_buf event = { 0 };

	if (kind)
		put_int(&event, 1, kind);
	if (offset)
		put_int(&event, 2, offset);
	if (duration)
		put_int(&event, 3, duration);
	if (stats && stats->len) {
		tp_buf_add(&event, stats->p, stats->len);
		tp_buf_clear(stats);
	}
	put_message(line, 4, &event);
}

static void
begin_line(struct tp_buf *line, int64_t id, const char *name, int64_t ts_ns)
{
	if (id)
		put_int(line, 1, id);
	if (name)
		put_text(line, 2, name);
	if (ts_ns)
		put_int(line, 3, ts_ns);
}

static void
begin_plane(struct tp_buf *plane, int64_t id, const char *name)
{
	if (id)
		put_int(plane, 1, id);
	put_text(plane, 2, name);
}

#define SINCE_1970 INT64_C(1700000000000000000)

/* The plane of a host, its meanings behind its lines, as all write them. */
static void
put_host(struct tp_buf *space, int64_t zero_ns)
{
	struct tp_buf plane = { 0 }, line = { 0 }, stats = { 0 };

	begin_plane(&plane, 0, "/host:CPU");
	begin_line(&line, INT64_C(1029134407802915441), "worker/7",
	    zero_ns + 1000);
	put_stat(&stats, 4, 1, 4, 3);
	put_stat(&stats, 4, 2, 4, -5);
	put_event(&line, 1, 0, 5000, &stats);
	put_event(&line, 0, 10, 20, NULL);	/* what id 0 means */
	put_stat(&stats, 4, 0, 3, 4096);	/* and among stats */
	put_event(&line, 2, 30, 40, &stats);
	put_event(&line, 3, 50, 60, NULL);
	put_int(&stats, 5, 7);			/* stands for seven */
	put_event(&line, 1, 0, 70, &stats);
	put_event(&line, 99, 80, 90, NULL);
	put_message(&plane, 3, &line);
	/* one timeline with the first */
	begin_line(&line, INT64_C(1029134407802915441), "worker/7",
	    zero_ns + 2000);
	put_event(&line, 1, 1, 2, NULL);
	put_message(&plane, 3, &line);
	/* no events, no lane */
	begin_line(&line, 8, "idle", 0);
	put_message(&plane, 3, &line);
	put_meaning(&plane, 4, 1, "train", NULL);
	put_meaning(&plane, 4, 0, "zero", NULL);
	put_meaning(&plane, 4, 2, "MemoryAllocation", NULL);
	put_meaning(&plane, 4, 3, "PrefetchProduce", NULL);
	put_meaning(&plane, 5, 1, "step_num", NULL);
	put_meaning(&plane, 5, 2, "_c", NULL);
	put_meaning(&plane, 5, 0, "bytes", NULL);
	put_message(space, 1, &plane);
	tp_buf_release(&stats);
}

static void
put_device_meanings(struct tp_buf *plane, int twice)
{
	struct tp_buf more = { 0 };

	if (twice)
		put_meaning(plane, 4, 10, "forgotten", NULL);
	put_text(&more, 4, "fusion.1");
	put_stat(&more, 5, 1, 7, 4);
	put_stat(&more, 5, 2, 4, -1);
	put_bytes(&more, 6, "\1\2\3", 3);	/* children, packed */
	put_int(&more, 6, 4);
	put_meaning(plane, 4, 10, "%fusion.1 = f32[8]", &more);
	put_meaning(plane, 4, INT64_C(1) << 40, "far", NULL);
	if (twice)
		put_meaning(plane, 5, 1, "forgotten", NULL);
	put_meaning(plane, 5, 1, "hlo_category", NULL);
	put_meaning(plane, 5, 2, "flops", NULL);
	put_meaning(plane, 5, 3, "step_name", NULL);
	put_meaning(plane, 5, 4, "loop fusion", NULL);
	put_meaning(plane, 5, 5, "peak_teraflops_per_second", NULL);
	put_meaning(plane, 5, 6, "device_type_string", NULL);
	put_meaning(plane, 5, 7, "core_details", NULL);
	put_meaning(plane, 5, 8, "serial", NULL);
	tp_buf_release(&more);
}

/* A device; its meanings first when TWICE, and twice. */
static void
put_device(struct tp_buf *space, int64_t zero_ns, int twice)
{
	struct tp_buf plane = { 0 }, line = { 0 }, stats = { 0 };

	begin_plane(&plane, 2, "/device:TPU:0");
	if (twice)
		put_device_meanings(&plane, 1);
	begin_line(&line, 1, "XLA Ops", zero_ns + 1001);
	put_int(&line, 10, 5);
	put_text(&line, 11, "Ops");
	put_event(&line, 10, 0, 0, NULL);
	put_stat(&stats, 4, 2, 3, 77);
	put_event(&line, 10, 1000, 2000, &stats);
	put_event(&line, 10, 1000, 500, NULL);
	if (twice)
		put_stat_text(&stats, 4, 3, 5, "step 9");
	put_event(&line, INT64_C(1) << 40, 4000, 1, &stats);
	put_message(&plane, 3, &line);
	begin_line(&line, 2, NULL, zero_ns + 1000);
	put_event(&line, 10, 999, 1, NULL);
	put_message(&plane, 3, &line);
	if (!twice)
		put_device_meanings(&plane, 0);
	put_stat_double(&plane, 6, 5, 918.5);
	put_stat_text(&plane, 6, 6, 5, "TPU v6 Lite");
	put_stat_text(&plane, 6, 7, 6, "\1\2");
	put_stat(&plane, 6, 8, 3, INT64_C(1234567890123456789));
	put_stat_double(&plane, 6, 4, strtod("nan", NULL));
	put_message(space, 1, &plane);
	tp_buf_release(&stats);
}

/* A plane with one line of one event, the id of its line being ID. */
static void
put_plane(struct tp_buf *space, int64_t id, const char *name, int64_t ts_ns)
{
	struct tp_buf plane = { 0 }, line = { 0 };

	begin_plane(&plane, id, name);
	begin_line(&line, id, "line", ts_ns);
	put_event(&line, 1, 0, 1000, NULL);
	put_message(&plane, 3, &line);
	put_meaning(&plane, 4, 1, name, NULL);
	put_message(space, 1, &plane);
}

/* All of it; what is cut off early must not change what stays, unless
 * TWICE. */
static void
put_space(struct tp_buf *space, int64_t zero_ns, int twice)
{
	struct tp_buf plane = { 0 };

	put_host(space, zero_ns);
	put_device(space, zero_ns, twice);
	put_plane(space, 0, "/device:CUSTOM:x", zero_ns + 5000);
	put_plane(space, 0, "/host:metadata", 0);
	begin_plane(&plane, 9, "Task Environment");
	put_meaning(&plane, 5, 1, "profile_start_time", NULL);
	put_stat(&plane, 6, 1, 3, SINCE_1970);
	put_message(space, 1, &plane);
	put_text(space, 2, "dropped 3 events");
	put_text(space, 3, "slow disk");
	put_text(space, 4, "vm-1");
}

/* --- reading */

enum way { FROM_FILE, FROM_PIPE, FROM_GZIP };

static void
as_gzip(struct tp_buf *to, const char *p, size_t len)
{
	z_stream z = { 0 };
	size_t room = len + 1000;

	if (deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		exit(2);
	z.next_in = (unsigned char *)(uintptr_t)p;
	z.avail_in = (unsigned)len;
	z.next_out = (unsigned char *)tp_buf_room(to, room);
	z.avail_out = (unsigned)room;
	if (!z.next_out || deflate(&z, Z_FINISH) != Z_STREAM_END)
		exit(2);
	to->len += room - z.avail_out;
	deflateEnd(&z);
}

static struct tp_in *
input(const char *p, size_t len, enum way way, size_t block)
{
	static FILE *file;
	struct tp_buf packed = { 0 };
	struct tp_err err;
	char digits[24];
	int ends[2];

	if (!file && !(file = tmpfile()))
		exit(2);
	if (way == FROM_GZIP) {
		as_gzip(&packed, p, len);
		p = packed.p;
		len = packed.len;
	}
	if (way == FROM_PIPE) {
		if (pipe(ends) < 0 || write(ends[1], p, len) != (ssize_t)len ||
		    dup2(ends[0], 0) < 0)
			exit(2);
		close(ends[0]);
		close(ends[1]);
	} else if (dup2(fileno(file), 0) < 0 || ftruncate(0, 0) < 0 ||
	    pwrite(0, p, len, 0) != (ssize_t)len || lseek(0, 0, SEEK_SET) < 0)
		exit(2);
	tp_buf_release(&packed);
	snprintf(digits, sizeof digits, "%zu", block);
	if (block)
		setenv("TP_BLOCK", digits, 1);
	else
		unsetenv("TP_BLOCK");
	return tp_in_open("-", &err);
}

static const char *const wanted[] = { "step_num", "_c", "bytes", "flops",
    "hlo_category", "long_name", NULL };

struct seen {
	struct tp_buf events;	/* a line each */
	struct tp_buf times;	/* the same without arguments, and absolute */
	struct tp_buf notes, members;
	size_t count;
	char code[40], text[640];	/* of what was told last */
	int fatal;
};

static void
add_text(struct tp_buf *b, const struct tp_arg *arg)
{
	tp_buf_add(b, arg->text, arg->len);
}

static void
add_event(struct seen *s, const struct tp_events *e, const struct tp_event *v)
{
	const struct tp_lane *lane = tp_events_lane(e, v->lane);
	const char *thread = tp_events_thread_name(e, v->lane);
	const char *process = tp_events_process_name(e, lane->process);
	int64_t us = 0;
	int32_t ps = 0;

	tp_events_base(e, &us, &ps);
	tp_buf_fmt(&s->events, "%c %s %s ", v->phase, process ? process : "-",
	    thread ? thread : "-");
	for (int absolute = 0; absolute < 2; absolute++) {
		struct tp_buf *b = absolute ? &s->times : &s->events;

		add_text(b, &lane->pid);
		tp_buf_chr(b, '/');
		add_text(b, &lane->tid);
		if (absolute)
			tp_buf_fmt(b, " %lld us", (long long)us);
		tp_buf_fmt(b, " %lld+%lld ", (long long)v->ts_ps +
		    (absolute ? ps : 0), (long long)v->dur_ps);
		add_text(b, &v->name);
	}
	for (size_t i = 0; wanted[i]; i++)
		if (v->args[i].type) {
			tp_buf_fmt(&s->events, " %s=", wanted[i]);
			add_text(&s->events, &v->args[i]);
		}
	tp_buf_chr(&s->events, '\n');
	tp_buf_chr(&s->times, '\n');
	s->count++;
}

static void
add_member(struct seen *s, const struct tp_events *e, const char *name)
{
	const cJSON *member = tp_events_member(e, name);
	char *text = member ? cJSON_PrintUnformatted(member) : NULL;

	if (text)
		tp_buf_fmt(&s->members, "%s %s\n", name, text);
	cJSON_free(text);
}

static void
release_notes(struct tp_trace *t)
{
	for (size_t i = 0; i < t->note_count; i++) {
		tp_free(t->notes[i].code);
		tp_free(t->notes[i].text);
	}
	tp_free(t->notes);
}

static void
release(struct seen *s)
{
	tp_buf_release(&s->events);
	tp_buf_release(&s->times);
	tp_buf_release(&s->notes);
	tp_buf_release(&s->members);
}

/* Read the LEN bytes at P; what is given must not depend on the caller. */
static void
see(struct seen *s, const char *p, size_t len, enum way way, size_t block,
    const char *phases)
{
	const struct tp_events_want want = { .args = wanted,
	    .phases = phases };
	struct tp_in *in = input(p, len, way, block);
	struct tp_trace trace = { 0 };
	struct tp_err err = { 0 };
	struct tp_events *e;
	struct tp_event v;
	int rc = -1;

	memset(s, 0, sizeof *s);
	tp_buf_str(&s->events, "");
	tp_buf_str(&s->times, "");
	tp_buf_str(&s->members, "");
	e = in ? tp_events_open(in, &want, &trace, &err) : NULL;
	while (e && (rc = tp_events_next(e, &v, &err)) != 0)
		if (rc > 0)
			add_event(s, e, &v);
		else if (err.fatal)
			break;
		else
			tp_buf_fmt(&s->notes, "told %s\n", err.code);
	if (rc < 0) {
		snprintf(s->code, sizeof s->code, "%s",
		    err.code ? err.code : "nothing");
		snprintf(s->text, sizeof s->text, "%s", err.text);
		s->fatal = 1;
	}
	for (size_t i = 0; i < trace.note_count; i++)
		tp_buf_fmt(&s->notes, "%s %llu %s\n", trace.notes[i].code,
		    (unsigned long long)trace.notes[i].count,
		    trace.notes[i].text);
	if (e) {
		add_member(s, e, "planes");
		add_member(s, e, "environment");
		add_member(s, e, "hostnames");
	}
	tp_events_close(e);
	tp_in_close(in);
	release_notes(&trace);
}

static int
is(const struct tp_buf *b, const char *text)
{
	int same = !strcmp(b->p ? b->p : "", text);

	if (!same)
		printf("# got:\n%s# wanted:\n%s", b->p ? b->p : "", text);
	return same;
}

/* In it 'far' is what one is called. */
static const char all_events[] =
    "X /host:CPU worker/7 701/2470021745 0+5000 train step_num=3 _c=-5\n"
    "X /host:CPU worker/7 701/2470021745 10+20 zero\n"
    "v /host:CPU worker/7 701/2470021745 30+40 MemoryAllocation bytes=4096\n"
    "X /host:CPU worker/7 701/2470021745 1000001+2 train\n"
    "X /device:TPU:0 Ops 3/5 1000+1 fusion.1 flops=-1 "
    "hlo_category=loop fusion long_name=%fusion.1 = f32[8]\n"
    "X /device:TPU:0 Ops 3/5 2000+2000 fusion.1 flops=77 "
    "hlo_category=loop fusion long_name=%fusion.1 = f32[8]\n"
    "X /device:TPU:0 Ops 3/5 2000+500 fusion.1 flops=-1 "
    "hlo_category=loop fusion long_name=%fusion.1 = f32[8]\n"
    "X /device:TPU:0 Ops 3/5 5000+1 far\n"
    "X /device:TPU:0 - 3/2 999+1 fusion.1 flops=-1 "
    "hlo_category=loop fusion long_name=%fusion.1 = f32[8]\n";

static const char all_notes[] =
    "xplane.warning 1 <stdin>: the profiler said: dropped 3 events\n"
    "xplane.warning 1 <stdin>: the profiler said: slow disk\n"
    "xplane.unnamed 1 <stdin>: events whose ids have no name were left "
    "out\n"
    "xplane.aggregate 1 <stdin>: events that combine several and have no "
    "time were left out\n";

static const char all_members[] =
    "planes {\"701\":{\"name\":\"/host:CPU\"},"
    "\"3\":{\"name\":\"/device:TPU:0\","
    "\"peak_teraflops_per_second\":918.5,"
    "\"device_type_string\":\"TPU v6 Lite\","
    "\"core_details\":\"<opaque bytes>\","
    "\"serial\":\"1234567890123456789\",\"loop fusion\":\"nan\"}}\n"
    "environment {\"name\":\"Task Environment\","
    "\"profile_start_time\":\"1700000000000000000\"}\n"
    "hostnames [\"vm-1\"]\n";

/* The events that are expected, whose one is called NAME. */
static void
expected(struct tp_buf *b, const char *name)
{
	const char *mark = strstr(all_events, "far");

	tp_buf_add(b, all_events, (size_t)(mark - all_events));
	tp_buf_str(b, name);
	tp_buf_str(b, mark + 3);
}

static void
test_all(void)
{
	static const char *const ways[] = { "a file", "a pipe", "gzip" };
	static const size_t blocks[] = { 1, 7, 0 };
	struct tp_buf space, events;
	struct seen s;
	char what[100];

	for (int kind = 0; kind < 4; kind++)
		for (enum way way = FROM_FILE; way <= FROM_GZIP; way++)
			for (size_t b = 0; b < 3; b++) {
				memset(&space, 0, sizeof space);
				memset(&events, 0, sizeof events);
				put_space(&space, kind & 2 ? SINCE_1970 : 0,
				    kind & 1);
				expected(&events, kind & 1 ? "step 9" : "far");
				see(&s, space.p, space.len, way, blocks[b],
				    "Xv");
				snprintf(what, sizeof what, "xspace: all, %s"
				    "%s, from %s in blocks of %zu",
				    kind & 1 ? "meanings first and twice" :
				    "meanings last", kind & 2 ? ", since 1970" :
				    "", ways[way], blocks[b]);
				ok(is(&s.events, events.p) &&
				    is(&s.notes, all_notes) &&
				    is(&s.members, all_members) &&
				    !s.fatal, what);
				release(&s);
				tp_buf_release(&space);
				tp_buf_release(&events);
			}
}

static void
test_memory(void)
{
	struct tp_buf space = { 0 };
	struct seen s;

	put_space(&space, 0, 0);
	see(&s, space.p, space.len, FROM_FILE, 0, NULL);
	ok(s.count == 8 && !strstr(s.events.p, "MemoryAllocation"),
	    "xspace: allocations come to whom asks for them");
	release(&s);
	tp_buf_release(&space);
}

static void
test_planes(void)
{
	static const struct {
		const char *planes[4], *given;
	} cases[] = {
		{ { "/device:CUSTOM:a", "/device:TPU:0", "/device:GPU:0" },
		    "/device:GPU:0" },
		{ { "/device:CUSTOM:a", "/device:TPU:0", "/host:metadata" },
		    "/device:TPU:0" },
		{ { "/device:CUSTOM:a", "Task Environment" },
		    "/device:CUSTOM:a" },
		{ { "/host:CPU", "/device:CUSTOM:a" },
		    "/host:CPU /device:CUSTOM:a" },
		{ { "/device:TPU:0", "/device:TPU:1", "/device:TPUx" },
		    "/device:TPU:0 /device:TPU:1" },
		{ { "/host:metadata", "#Chip", "/device:" }, "" },
	};
	struct seen s;
	char what[100];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tp_buf space = { 0 }, names = { 0 };

		for (int k = 0; cases[i].planes[k]; k++)
			put_plane(&space, k, cases[i].planes[k], 5);
		see(&s, space.p, space.len, FROM_FILE, 0, NULL);
		for (char *p = s.times.p; p && *p; p = strchr(p, '\n') + 1) {
			char *name = strchr(p, '+') + 6, *lf =
			    strchr(p, '\n');

			if (names.len)
				tp_buf_chr(&names, ' ');
			tp_buf_add(&names, name, (size_t)(lf - name));
		}
		snprintf(what, sizeof what, "xspace: of planes is taken '%s'",
		    cases[i].given);
		ok(is(&names, cases[i].given) && !s.fatal, what);
		release(&s);
		tp_buf_release(&space);
		tp_buf_release(&names);
	}
}

static void
test_far(void)
{
	struct tp_buf space = { 0 };
	struct seen s;

	put_space(&space, SINCE_1970, 0);
	put_plane(&space, 7, "/device:TPU:1", 5);
	put_plane(&space, 8, "/device:TPU:2", INT64_MIN);
	put_plane(&space, 9, "/device:TPU:3", INT64_MAX);
	see(&s, space.p, space.len, FROM_FILE, 0, NULL);
	ok(s.count == 8 && strstr(s.events.p, " 0+5000 train") &&
	    !strncmp(s.notes.p,
	    "told event.baddur\ntold event.baddur\ntold event.baddur\n", 54),
	    "xspace: a line of another time does not cost the others");
	release(&s);
	tp_buf_release(&space);
}

/* --- order of fields, types */

static void
test_order(void)
{
	struct tp_buf space = { 0 }, plane = { 0 }, line = { 0 }, m = { 0 };
	struct tp_buf event = { 0 };
	struct seen s;

	begin_plane(&plane, 1, "/device:GPU:0");
	/* the value of a stat in front of its id, which nobody wants */
	put_int(&m, 4, 5);
	put_int(&m, 1, 2);
	put_message(&event, 4, &m);
	/* of one who does */
	put_text(&m, 5, "7");
	put_int(&m, 1, 1);
	put_message(&event, 4, &m);
	/* fields of another type than they should be, and unknown ones */
	put_text(&event, 2, "offset");
	put_double(&event, 3, 1e9);
	put_text(&event, 5, "times");
	put_int(&event, 4, 12);
	put_int(&event, 536870911, 1);
	put_int(&event, 3, 6);
	put_int(&event, 1, 3);
	put_message(&line, 4, &event);
	put_text(&line, 3, "ts");
	put_int(&line, 2, 4);
	put_text(&line, 11, "shown");
	put_text(&line, 2, "name");
	put_message(&plane, 3, &line);
	put_meaning(&plane, 4, 3, "op", NULL);
	put_meaning(&plane, 5, 1, "flops", NULL);
	put_meaning(&plane, 5, 2, "nobody wants it", NULL);
	put_message(&space, 1, &plane);
	see(&s, space.p, space.len, FROM_FILE, 0, NULL);
	ok(is(&s.events, "X /device:GPU:0 shown 2/0 0+6 op flops=7\n") &&
	    !s.fatal, "xspace: fields in any order, those of no use passed");
	release(&s);
	tp_buf_release(&space);
}

/* --- damage */

/* Whether each line of PART is one of WHOLE, in that order. */
static int
is_part(const char *part, const char *whole)
{
	size_t n;

	for (; *part; part += n) {
		n = (size_t)(strchr(part, '\n') - part) + 1;
		while (*whole && strncmp(part, whole, n)) {
			whole = strchr(whole, '\n');
			whole = whole ? whole + 1 : "";
		}
		if (!*whole)
			return 0;
		whole += n;
	}
	return 1;
}

static void
test_cut(void)
{
	struct tp_buf space = { 0 };
	struct seen whole, s;
	size_t silent = 0, other = 0, last = 0, fewer = 0;
	char place[40];

	put_space(&space, 0, 0);
	see(&whole, space.p, space.len, FROM_FILE, 0, "Xv");
	for (size_t n = 16; n < space.len; n++) {
		see(&s, space.p, n, n % 3 ? FROM_FILE : FROM_PIPE,
		    n % 2 ? 7 : 0, "Xv");
		snprintf(place, sizeof place, " at byte %zu ", n);
		silent += !s.fatal;
		other += !is_part(s.times.p, whole.times.p) || (s.fatal &&
		    (strcmp(s.code, "input.truncated") ||
		    !strstr(s.text, place)));
		/* a longer one never has less */
		fewer += s.count < last;
		last = s.count;
		release(&s);
	}
	ok(silent == 7, "xspace: only a cut between planes is not seen");
	ok(!other && !fewer && last == whole.count,
	    "xspace: cut anywhere, what is there is given, and the place");
	release(&whole);
	tp_buf_release(&space);
}

static void
test_flips(void)
{
	static const unsigned char with[] = { 0xff, 0x01, 0x80, 0x07 };
	struct tp_buf space = { 0 };
	struct seen s, other;
	size_t differ = 0, mute = 0;

	put_space(&space, 0, 1);
	for (size_t i = 0; i < space.len; i++)
		for (size_t k = 0; k < sizeof with + 2; k++) {
			char had = space.p[i];

			space.p[i] = (char)(k < sizeof with ? had ^ with[k] :
			    k == sizeof with ? 0 : 0xff);
			see(&s, space.p, space.len, FROM_FILE, 0, "Xv");
			mute += s.fatal && (!strcmp(s.code, "nothing") ||
			    !*s.text);
			if (k == i % 6) {
				see(&other, space.p, space.len, FROM_PIPE, 7,
				    "Xv");
				differ += strcmp(s.events.p,
				    other.events.p) || strcmp(s.text,
				    other.text);
				release(&other);
			}
			release(&s);
			space.p[i] = had;
		}
	ok(!differ && !mute, "xspace: any byte may be another");
	tp_buf_release(&space);
}

/* A device of two lines, the first of which ends in the LEN bytes at P; then
 * a host. */
static void
put_wrong(struct tp_buf *space, const char *p, size_t len, size_t *at)
{
	struct tp_buf plane = { 0 }, line = { 0 };

	begin_plane(&plane, 2, "/device:TPU:0");
	begin_line(&line, 1, "first", 1);
	put_event(&line, 10, 0, 1000, NULL);
	tp_buf_add(&line, p, len);
	put_message(&plane, 3, &line);
	*at = plane.len - len + 2;
	begin_line(&line, 2, "second", 1);
	put_event(&line, 10, 5000, 1000, NULL);
	put_message(&plane, 3, &line);
	put_device_meanings(&plane, 0);
	*at += plane.len > 127;
	put_message(space, 1, &plane);
	put_host(space, 0);
}

static void
test_wrong(void)
{
	static const struct {
		const char *what, *p;
		size_t len, at;	/* of P, where it is wrong */
	} cases[] = {
		{ "a field beyond its line", "\x22\x05\x08\x0a", 4, 2 },
		{ "a field far beyond its line",
		    "\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x08\x0a", 13,
		    11 },
		{ "an event that ends in a field", "\x22\x01\x08", 3, 2 },
		{ "a varint of 11 bytes in an event", "\x22\x0c\x08"
		    "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 14, 2 },
		{ "a varint of 11 bytes in a line", "\x08"
		    "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12, 0 },
		{ "a field number of 11 bytes",
		    "\x88\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x01", 12, 0 },
		{ "field number 0", "\x00\x01", 2, 0 },
		{ "a field number that is too large",
		    "\x80\x80\x80\x80\x10\x01", 6, 0 },
		{ "wire type 3", "\x0b", 1, 0 },
		{ "wire type 4", "\x0c", 1, 0 },
		{ "wire type 6", "\x0e", 1, 0 },
		{ "wire type 7", "\x0f", 1, 0 },
		{ "wire type 3 in an event", "\x22\x03\x08\x0a\x1b", 5, 2 },
		{ "half of 8 bytes", "\x49\x01\x02\x03\x04", 5, 0 },
		{ "half of 4 bytes", "\x4d\x01", 2, 0 },
		{ "a field without a value", "\x08", 1, 0 },
	};
	struct tp_buf space;
	struct seen s;
	size_t at;
	char what[120], place[60];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		memset(&space, 0, sizeof space);
		put_wrong(&space, cases[i].p, cases[i].len, &at);
		snprintf(place, sizeof place, "damaged at byte %zu: ",
		    at + cases[i].at);
		snprintf(what, sizeof what, "xspace: %s costs only that",
		    cases[i].what);
		for (size_t block = 0; block < 8; block += 7) {
			see(&s, space.p, space.len, FROM_FILE, block, NULL);
			ok(s.count == 5 && !strcmp(s.code, "xplane.damaged") &&
			    !strncmp(s.text, place, strlen(place)), what);
			if (strncmp(s.text, place, strlen(place)))
				printf("# %zu: %s, not %s\n", s.count, s.text,
				    place);
			release(&s);
		}
		tp_buf_release(&space);
	}
}

static void
test_many(void)
{
	struct tp_buf space = { 0 }, plane = { 0 }, line = { 0 };
	struct seen s;

	begin_plane(&plane, 2, "/device:TPU:0");
	for (int i = 0; i < 2000; i++) {
		begin_line(&line, 1, "wrong", 1);
		tp_buf_str(&line, "\x0b");
		put_message(&plane, 3, &line);
	}
	put_message(&space, 1, &plane);
	put_plane(&space, 3, "/device:TPU:1", 5);
	for (int i = 0; i < 2000; i++) {
		char text[24];

		snprintf(text, sizeof text, "warning %d", i);
		put_text(&space, 3, text);
		put_text(&space, 4, text);
	}
	see(&s, space.p, space.len, FROM_FILE, 0, NULL);
	ok(s.count == 1 && strstr(s.text, ", and 999 more places or more;") &&
	    s.notes.len < 10000 && s.members.len < 10000,
	    "xspace: what is wrong a thousand times is told once");
	release(&s);
	tp_buf_release(&space);
}

/* Each byte of FROM that is no ASCII becomes a mark, as those make who take it
 * for text. */
static void
mangle(struct tp_buf *to, const struct tp_buf *from)
{
	for (size_t i = 0; i < from->len; i++)
		if ((unsigned char)from->p[i] < 0x80)
			tp_buf_chr(to, from->p[i]);
		else
			tp_buf_str(to, "\xef\xbf\xbd");
}

static void
test_mangled(void)
{
	struct tp_buf space = { 0 }, text = { 0 };
	struct seen s;

	put_space(&space, SINCE_1970, 0);
	mangle(&text, &space);
	see(&s, text.p, text.len, FROM_FILE, 0, NULL);
	ok(!s.count && !strcmp(s.code, "xplane.damaged") &&
	    strstr(s.text, "was copied as text") &&
	    strstr(s.text, "the first at byte 1;"),
	    "xspace: a copy that passed for text is told as that");
	release(&s);
	tp_buf_release(&text);
	tp_buf_release(&space);
}

static int
write_sample(const char *path)
{
	struct tp_buf space = { 0 };
	FILE *f = fopen(path, "wb");
	int bad;

	put_space(&space, 0, 1);
	bad = !f || fwrite(space.p, 1, space.len, f) != space.len;
	tp_buf_release(&space);
	return (f && fclose(f)) || bad ? 2 : 0;
}

int
main(int argc, char *argv[])
{
	if (argc > 1)
		return write_sample(argv[1]);
	test_all();
	test_memory();
	test_planes();
	test_far();
	test_order();
	test_cut();
	test_flips();
	test_wrong();
	test_many();
	test_mangled();
	return failed;
}
