/*
 * mkxplane - the xplane.pb that a trace of JAX was exported from
 *
 *	mkxplane [--start NS] [--repeat N] [--memory]
 *	    [--chip NAME TFLOPS GBPS] [--matrix PERCENT]
 *	    TRACE.json > OUT.xplane.pb
 *
 * The exporter of XLA backwards: a process becomes a plane, a lane a line, and
 * what events of one name tell of their operation becomes metadata, which
 * follows the lines, in no order.  Times of events are written as the digits
 * say.  Devices get the peaks of a TPU v6e, or those of --chip, in TFLOP/s and
 * GB/s of its memory, and say that their matrix units were busy for PERCENT;
 * the plane "Task Environment" says that the profile began
 * at NS since 1970.  On devices all events come N times, one round behind the
 * other.  An argument "memory_access_breakdown", a list of [HOW, MEMORY,
 * BYTES], becomes the bytes of such a message.
 *
 * --memory adds what the allocator of device 0 did (blocks): of 32 GiB it has
 * 4 GiB from before and reserves 2 GiB for programs.  Most is used at 30 us:
 * 8 GiB, of which 2 GiB of arrays were allocated in the trace and are there.
 *
 * The writer knows nothing of the reader: it is what that is tested with.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START INT64_C(1768473000000000000)	/* 2026-01-15 10:30 UTC */
#define HOST_PID 701

/* A message that is written, or only measured. */
struct sink {
	FILE *f;			/* NULL: measured */
	uint64_t len;
};

/* What all events that tell the same have in common. */
struct kind {
	const cJSON *of;		/* the first of them */
	char *key;
};

struct plane {
	int pid;
	const char *name;
	cJSON **events;
	size_t count, cap;
	struct kind *kinds;
	size_t kind_count, kind_cap;
	const char **stats;		/* names, id - 1 */
	size_t stat_count, stat_cap;
	int *tids;
	size_t tid_count, tid_cap;
};

#define GIB INT64_C(1073741824)

/* Blocks given and taken, and what is allocated then. */
static const struct block {
	int64_t at_us, addr, bytes, allocated;
	const char *tf_op, *shape;	/* NULL: it is freed */
} blocks[] = {
	{ 10, 1000, GIB, 5 * GIB, "params", "[1024,262144]" },
	{ 20, 2000, GIB / 2, 5 * GIB + GIB / 2, "grads", "[512,262144]" },
	{ 30, 3000, GIB / 2, 6 * GIB, "grads", "[512,262144]" },
	{ 40, 2000, GIB / 2, 5 * GIB + GIB / 2, NULL, NULL },
	{ 50, 1000, GIB, 4 * GIB + GIB / 2, NULL, NULL },
	{ 60, 4000, GIB, 5 * GIB + GIB / 2, "late", "[1]" },
};
static int has_memory;

static struct plane *planes;
static size_t plane_count, plane_cap;
static const cJSON *doc;
static int64_t start_ns = START, repeat = 1, round_ps;

static void
die(const char *what)
{
	fprintf(stderr, "mkxplane: %s\n", what);
	exit(1);
}

static void *
grown(void *old, size_t count, size_t *cap, size_t size)
{
	if (count < *cap)
		return old;
	*cap = *cap ? 2 * *cap : 16;
	old = realloc(old, *cap * size);
	if (!old)
		die("out of memory");
	return old;
}

/* --- protocol buffers */

static void
put_raw(struct sink *s, const void *bytes, size_t len)
{
	if (s->f && len)
		fwrite(bytes, 1, len, s->f);
	s->len += len;
}

static void
put_varint(struct sink *s, uint64_t n)
{
	unsigned char b[10];
	size_t len = 0;

	do {
		b[len++] = (unsigned char)((n & 0x7f) | (n > 0x7f) << 7);
		n >>= 7;
	} while (n);
	put_raw(s, b, len);
}

static void
put_int(struct sink *s, unsigned field, int64_t n)
{
	put_varint(s, field << 3);
	put_varint(s, (uint64_t)n);
}

static void
put_double(struct sink *s, unsigned field, double x)
{
	unsigned char b[8];
	uint64_t n;

	memcpy(&n, &x, sizeof n);
	for (int i = 0; i < 8; i++)
		b[i] = (unsigned char)(n >> 8 * i);
	put_varint(s, field << 3 | 1);
	put_raw(s, b, sizeof b);
}

static void
put_text(struct sink *s, unsigned field, const char *text)
{
	put_varint(s, field << 3 | 2);
	put_varint(s, strlen(text));
	put_raw(s, text, strlen(text));
}

/* The message that WRITE makes of ARG. */
static void
put_message(struct sink *s, unsigned field,
    void (*write)(struct sink *, const void *), const void *arg)
{
	struct sink measured = { 0 };

	write(&measured, arg);
	put_varint(s, field << 3 | 2);
	put_varint(s, measured.len);
	if (s->f)
		write(s, arg);
	else
		s->len += measured.len;
}

/* --- what the trace says */

static const char *
text(const cJSON *in, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItem(in, key));
}

static int
number(const cJSON *in, const char *key)
{
	const cJSON *i = cJSON_GetObjectItem(in, key);

	return cJSON_IsNumber(i) ? (int)i->valuedouble : 0;
}

/* A time in microseconds as picoseconds: doubles are exact enough for the
 * times of an example, a few minutes. */
static int64_t
ps(const cJSON *event, const char *key)
{
	const cJSON *i = cJSON_GetObjectItem(event, key);
	double x = cJSON_IsNumber(i) ? i->valuedouble * 1e6 : 0;

	return (int64_t)(x < 0 ? x - 0.5 : x + 0.5);
}

static struct plane *
plane_of(int pid)
{
	for (size_t i = 0; i < plane_count; i++)
		if (planes[i].pid == pid)
			return &planes[i];
	planes = grown(planes, plane_count, &plane_cap, sizeof *planes);
	planes[plane_count] = (struct plane){ .pid = pid, .name = "" };
	return &planes[plane_count++];
}

static int
stat_of(struct plane *p, const char *name)
{
	for (size_t i = 0; i < p->stat_count; i++)
		if (!strcmp(p->stats[i], name))
			return (int)i + 1;
	p->stats = grown(p->stats, p->stat_count, &p->stat_cap,
	    sizeof *p->stats);
	p->stats[p->stat_count++] = name;
	return (int)p->stat_count;
}

/* Stats of each event, not of its kind. */
static const char *const event_stats[] = { "run_id", "step_num",
    "correlation_id", "group_id", "_pt", "_p", "_ct", "_c",
    "dma_stall_duration_ps", "device_duration_ps", "Time Scale Multiplier" };

static int
is_own(const char *name)
{
	for (size_t i = 0; i < sizeof event_stats / sizeof *event_stats;
	    i++)
		if (!strcmp(name, event_stats[i]))
			return 1;
	return 0;
}

/* What E tells, but for what is its own. */
static char *
key_of(const cJSON *e)
{
	cJSON *args = cJSON_Duplicate(cJSON_GetObjectItem(e, "args"), 1);
	char *told, *key;
	size_t len;

	for (size_t i = 0; i < sizeof event_stats / sizeof *event_stats; i++)
		cJSON_DeleteItemFromObject(args, event_stats[i]);
	told = cJSON_PrintUnformatted(args);
	len = strlen(text(e, "name")) + (told ? strlen(told) : 0) + 2;
	key = malloc(len);
	if (!key)
		die("out of memory");
	snprintf(key, len, "%s\n%s", text(e, "name"), told ? told : "");
	cJSON_free(told);
	cJSON_Delete(args);
	return key;
}

/* The id of the kind of E; exporters count from 1. */
static size_t
kind_of(struct plane *p, const cJSON *e)
{
	static const struct plane *last_of;
	static const cJSON *last;
	static size_t last_kind;
	char *key;
	size_t i;

	/* each is asked for twice, measured and written */
	if (last == e && last_of == p)
		return last_kind;
	key = key_of(e);
	for (i = 0; i < p->kind_count; i++)
		if (!strcmp(p->kinds[i].key, key))
			break;
	if (i == p->kind_count) {
		p->kinds = grown(p->kinds, i, &p->kind_cap,
		    sizeof *p->kinds);
		p->kinds[p->kind_count++] = (struct kind){ e, key };
	} else {
		free(key);
	}
	last = e;
	last_of = p;
	last_kind = i + 1;
	return i + 1;
}

static void
take_event(cJSON *e)
{
	const char *ph = text(e, "ph"), *name = text(e, "name");
	struct plane *p;
	size_t i;
	int tid;

	if (!ph || !name)
		return;
	p = plane_of(number(e, "pid"));
	if (!strcmp(ph, "M") && !strcmp(name, "process_name"))
		p->name = text(cJSON_GetObjectItem(e, "args"), "name");
	if (strcmp(ph, "X"))
		return;
	tid = number(e, "tid");
	for (i = 0; i < p->tid_count; i++)
		if (p->tids[i] == tid)
			break;
	if (i == p->tid_count) {
		p->tids = grown(p->tids, i, &p->tid_cap, sizeof *p->tids);
		p->tids[p->tid_count++] = tid;
	}
	p->events = grown(p->events, p->count, &p->cap, sizeof *p->events);
	p->events[p->count++] = e;
	if (ps(e, "ts") + ps(e, "dur") > round_ps)
		round_ps = ps(e, "ts") + ps(e, "dur");
}

static const char *
lane_name(int pid, int tid)
{
	const cJSON *e, *all = cJSON_GetObjectItem(doc, "traceEvents");
	const char *name;

	cJSON_ArrayForEach(e, all) {
		name = text(e, "name");
		if (name && !strcmp(name, "thread_name") &&
		    number(e, "pid") == pid && number(e, "tid") == tid)
			return text(cJSON_GetObjectItem(e, "args"), "name");
	}
	return "";
}

/* --- messages */

struct stat {
	struct plane *plane;
	const char *name;
	const cJSON *value;
};

static int
is_digits(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s) &&
	    (*s != '0' || !s[1]) && strlen(s) < 19;
}

static void
put_access(struct sink *s, const void *arg)
{
	for (int i = 0; i < 3; i++)
		put_int(s, (unsigned)i + 1, (int64_t)cJSON_GetArrayItem(arg,
		    i)->valuedouble);
}

static void
put_accesses(struct sink *s, const void *arg)
{
	const cJSON *i;

	cJSON_ArrayForEach(i, (const cJSON *)arg)
		put_message(s, 1, put_access, i);
}

static void
put_stat(struct sink *s, const void *arg)
{
	const struct stat *t = arg;
	const char *value = cJSON_GetStringValue(t->value);

	put_int(s, 1, stat_of(t->plane, t->name));
	if (cJSON_IsArray(t->value))
		put_message(s, 6, put_accesses, t->value);
	else if (!value)
		put_double(s, 2, t->value->valuedouble);
	else if (is_digits(value) && strlen(value) % 2)
		put_int(s, 3, strtoll(value, NULL, 10));
	else if (is_digits(value))
		put_int(s, 4, strtoll(value, NULL, 10));
	else if (!strcmp(t->name, "hlo_category"))
		put_int(s, 7, stat_of(t->plane, value));
	else
		put_text(s, 5, value);
}

/* The stats of E that are its OWN, or not. */
static void
put_stats(struct sink *s, unsigned field, struct plane *p, const cJSON *e,
    int own)
{
	const cJSON *i;

	cJSON_ArrayForEach(i, cJSON_GetObjectItem(e, "args")) {
		struct stat t = { p, i->string, i };

		if (is_own(i->string) == own && strcmp(i->string,
		    "long_name"))
			put_message(s, field, put_stat, &t);
	}
}

struct event {
	struct plane *plane;
	const cJSON *e;
	int64_t shift_ps;
};

static void
put_event(struct sink *s, const void *arg)
{
	const struct event *v = arg;

	put_int(s, 1, (int64_t)kind_of(v->plane, v->e));
	if (ps(v->e, "ts") + v->shift_ps)
		put_int(s, 2, ps(v->e, "ts") + v->shift_ps);
	put_int(s, 3, ps(v->e, "dur"));
	put_stats(s, 4, v->plane, v->e, 1);
}

struct line {
	struct plane *plane;
	int tid;
};

static int
by_start(const void *pa, const void *pb)
{
	const cJSON *a = *(cJSON *const *)pa, *b = *(cJSON *const *)pb;
	int64_t x = ps(a, "ts"), y = ps(b, "ts");

	if (x != y)
		return x < y ? -1 : 1;
	x = ps(a, "dur");
	y = ps(b, "dur");
	return x != y ? (x > y ? -1 : 1) : 0;
}

static void
put_line(struct sink *s, const void *arg)
{
	const struct line *l = arg;
	struct plane *p = l->plane;
	int64_t rounds = p->pid == HOST_PID ? 1 : repeat;
	struct event v = { .plane = p };

	put_int(s, 1, l->tid);
	put_text(s, 2, lane_name(p->pid, l->tid));
	for (int64_t r = 0; r < rounds; r++)
		for (size_t i = 0; i < p->count; i++) {
			if (number(p->events[i], "tid") != l->tid)
				continue;
			v.e = p->events[i];
			v.shift_ps = r * round_ps;
			put_message(s, 4, put_event, &v);
		}
	put_int(s, 10, l->tid);
}

struct own {
	struct plane *plane;
	const char *name, *text;
	double x;
	int64_t n;
};

static void
put_own(struct sink *s, const void *arg)
{
	const struct own *o = arg;

	put_int(s, 1, stat_of(o->plane, o->name));
	if (o->text)
		put_text(s, 5, o->text);
	else if (o->n)
		put_int(s, 3, o->n);
	else
		put_double(s, 2, o->x);
}

/* Ids of events that no kind of the trace has. */
enum { TAKEN = 1000001, GIVEN };

static struct plane *memory_of;

static void
put_block(struct sink *s, const void *arg)
{
	const struct block *b = arg;
	struct own stats[] = {
		{ .name = "index_on_host", .text = "0" },
		{ .name = "bytes_reserved", .n = 2 * GIB },
		{ .name = "bytes_allocated", .n = b->allocated },
		{ .name = "bytes_available", .n = 30 * GIB - b->allocated },
		{ .name = "fragmentation", .x = 0.25 },
		{ .name = "peak_bytes_in_use", .n = 7 * GIB },
		{ .name = "allocation_bytes", .n = b->bytes },
		{ .name = "addr", .n = b->addr },
		{ .name = "tf_op", .text = b->tf_op },
		{ .name = "data_type", .text = "f32" },
		{ .name = "shape", .text = b->shape },
	};
	size_t count = sizeof stats / sizeof *stats;

	put_int(s, 1, b->tf_op ? TAKEN : GIVEN);
	put_int(s, 2, b->at_us * 1000000);
	for (size_t i = 0; i < (b->tf_op ? count : count - 3); i++) {
		stats[i].plane = memory_of;
		put_message(s, 4, put_own, &stats[i]);
	}
}

static void
put_allocator(struct sink *s, const void *arg)
{
	(void)arg;
	put_int(s, 1, 4000);
	put_text(s, 2, "allocator");
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		put_message(s, 4, put_block, &blocks[i]);
}

static void
put_memory_kind(struct sink *s, const void *arg)
{
	put_int(s, 1, *(const int *)arg);
	put_text(s, 2, *(const int *)arg == TAKEN ? "MemoryAllocation" :
	    "MemoryDeallocation");
}

static void
put_memory_entry(struct sink *s, const void *arg)
{
	put_int(s, 1, *(const int *)arg);
	put_message(s, 2, put_memory_kind, arg);
}

struct entry {
	struct plane *plane;
	size_t id;
};

static void
put_kind(struct sink *s, const void *arg)
{
	const struct entry *k = arg;
	const cJSON *e = k->plane->kinds[k->id - 1].of;
	const char *whole = text(cJSON_GetObjectItem(e, "args"), "long_name");

	put_int(s, 1, (int64_t)k->id);
	put_text(s, 2, whole ? whole : text(e, "name"));
	if (whole)
		put_text(s, 4, text(e, "name"));
	put_stats(s, 5, k->plane, e, 0);
}

static void
put_stat_name(struct sink *s, const void *arg)
{
	const struct entry *k = arg;

	put_int(s, 1, (int64_t)k->id);
	put_text(s, 2, k->plane->stats[k->id - 1]);
}

static void
put_kind_entry(struct sink *s, const void *arg)
{
	put_int(s, 1, (int64_t)((const struct entry *)arg)->id);
	put_message(s, 2, put_kind, arg);
}

static void
put_stat_entry(struct sink *s, const void *arg)
{
	put_int(s, 1, (int64_t)((const struct entry *)arg)->id);
	put_message(s, 2, put_stat_name, arg);
}

static struct own peaks[] = {
	{ .name = "device_type_string", .text = "TPU v6 Lite" },
	{ .name = "peak_teraflops_per_second", .x = 918 },
	{ .name = "peak_hbm_bw_gigabytes_per_second", .x = 1637.993152512 },
	{ .name = "peak_vmem_rd_bw_gigabytes_per_second", .x = 23296 },
	{ .name = "peak_vmem_wr_bw_gigabytes_per_second", .x = 16128 },
	{ .name = "matrix_unit_utilization_percent", .x = -1 },
};

static void
put_plane(struct sink *s, const void *arg)
{
	struct plane *p = (struct plane *)(uintptr_t)arg;
	struct entry k = { p, 0 };
	struct line l = { p, 0 };

	if (p->pid != HOST_PID && p->pid != 1)
		put_int(s, 1, p->pid - 1);
	put_text(s, 2, p->name);
	for (size_t i = 0; i < p->tid_count; i++) {
		l.tid = p->tids[i];
		put_message(s, 3, put_line, &l);
	}
	if (p->pid == HOST_PID && has_memory) {
		static const int ids[] = { TAKEN, GIVEN };

		memory_of = p;
		put_message(s, 3, put_allocator, NULL);
		put_message(s, 4, put_memory_entry, &ids[0]);
		put_message(s, 4, put_memory_entry, &ids[1]);
	}
	/* maps have no order: from the last to the first */
	for (k.id = p->kind_count; k.id; k.id--)
		put_message(s, 4, put_kind_entry, &k);
	for (size_t i = 0; p->pid != HOST_PID &&
	    i < sizeof peaks / sizeof *peaks; i++)
		stat_of(p, peaks[i].name);
	for (k.id = p->stat_count; k.id; k.id--)
		put_message(s, 5, put_stat_entry, &k);
	for (size_t i = 0; p->pid != HOST_PID &&
	    i < sizeof peaks / sizeof *peaks; i++) {
		struct own o = peaks[i];

		o.plane = p;
		put_message(s, 6, put_own, &o);
	}
}

static void
put_environment(struct sink *s, const void *arg)
{
	struct plane *p = (struct plane *)(uintptr_t)arg;
	struct own o = { .plane = p, .name = "profile_start_time",
	    .n = start_ns };
	struct entry k = { p, 1 };

	stat_of(p, o.name);
	put_text(s, 2, p->name);
	put_message(s, 5, put_stat_entry, &k);
	put_message(s, 6, put_own, &o);
}

static int64_t
whole(const char *s)
{
	char *end;
	int64_t n = s ? strtoll(s, &end, 10) : 0;

	if (!s || n < 1 || *end)
		die("a whole number is missing");
	return n;
}

int
main(int argc, char *argv[])
{
	static struct plane environment = { .name = "Task Environment" };
	struct sink out = { .f = stdout };
	size_t len = 0, cap = 0, n;
	const char *path = NULL;
	char *bytes = NULL;
	cJSON *e;
	FILE *f;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--memory"))
			has_memory = 1;
		else if (!strcmp(argv[i], "--start"))
			start_ns = whole(argv[++i]);
		else if (!strcmp(argv[i], "--repeat"))
			repeat = whole(argv[++i]);
		else if (!strcmp(argv[i], "--chip") && i + 3 < argc) {
			peaks[0].text = argv[++i];
			peaks[1].x = strtod(argv[++i], NULL);
			peaks[2].x = strtod(argv[++i], NULL);
		} else if (!strcmp(argv[i], "--matrix"))
			peaks[5].x = (double)whole(argv[++i]);
		else
			path = argv[i];
	f = path ? fopen(path, "rb") : NULL;
	if (!f)
		die("usage: mkxplane [--start NS] [--repeat N] [--memory] "
		    "[--chip NAME TFLOPS GBPS] [--matrix PERCENT] "
		    "TRACE.json");
	do {
		while (cap - len < 65536)
			bytes = grown(bytes, cap, &cap, 1);
		n = fread(bytes + len, 1, cap - len, f);
		len += n;
	} while (n);
	fclose(f);
	doc = cJSON_ParseWithLength(bytes, len);
	free(bytes);
	if (!doc)
		die("not JSON");
	cJSON_ArrayForEach(e, cJSON_GetObjectItem(doc, "traceEvents"))
		take_event(e);
	for (size_t i = 0; i < plane_count; i++) {
		if (planes[i].count)
			qsort(planes[i].events, planes[i].count,
			    sizeof *planes[i].events, by_start);
		put_message(&out, 1, put_plane, &planes[i]);
	}
	put_message(&out, 1, put_environment, &environment);
	put_text(&out, 4, "maker");
	return fflush(stdout) || ferror(stdout);
}
