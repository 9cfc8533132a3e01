/*
 * Times of events are exact; events are what cJSON reads, on random traces,
 * whole and damaged, in blocks of any size, whichever way values are skipped,
 * whether or not the layout is learned; what JSON is, the strict check and
 * cJSON agree on.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/events.h"
#include "read/events_seam.h"
#include "read/json_check.h"
#include "read/simd.h"

static unsigned seed = 7;

static unsigned
next(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 16) % n;
}

static int failed;

static void
ok(int yes, const char *what)
{
	printf("%s %s\n", yes ? "ok" : "not ok", what);
	failed |= !yes;
}

static const struct {
	const char *text;
	int64_t us;
	int32_t ps;
	int bad;
} numbers[] = {
	{ "0", 0, 0, 0 }, { "-0", 0, 0, 0 }, { "1", 1, 0, 0 },
	{ "1.5", 1, 500000, 0 }, { "0.000001", 0, 1, 0 },
	{ "1.000001", 1, 1, 0 }, { "-0.000001", -1, 999999, 0 },
	{ "-1.25", -2, 750000, 0 }, { "-3", -3, 0, 0 },
	{ "1700000000123456.789012", 1700000000123456, 789012, 0 },
	{ "1.7e15", 1700000000000000, 0, 0 }, { "1.5e3", 1500, 0, 0 },
	{ "1E+2", 100, 0, 0 }, { "15e-1", 1, 500000, 0 },
	{ "1e-6", 0, 1, 0 }, { "1e-7", 0, 0, 0 }, { "1e-400", 0, 0, 0 },
	{ "0e400", 0, 0, 0 }, { "0.0e99999999999999999999", 0, 0, 0 },
	/* half to even, once, by all digits */
	{ "0.0000005", 0, 0, 0 }, { "0.0000015", 0, 2, 0 },
	{ "0.0000025", 0, 2, 0 }, { "0.00000250000000000001", 0, 3, 0 },
	{ "0.0000004999999999999999999999999999", 0, 0, 0 },
	{ "0.9999995", 1, 0, 0 }, { "0.9999994", 0, 999999, 0 },
	{ "-0.9999995", -1, 0, 0 }, { "25e-7", 0, 2, 0 },
	{ "9223372036854775807", INT64_MAX, 0, 0 },
	{ "9223372036854775808", 0, 0, 1 },
	{ "99999999999999999999", 0, 0, 1 },
	{ "0.1e19", 1000000000000000000, 0, 0 },
	{ "1e400", 0, 0, 1 }, { "1e19", 0, 0, 1 },
	{ "1e99999999999999999999", 0, 0, 1 },
	{ "1E+", 0, 0, 1 }, { "1e", 0, 0, 1 }, { "1e-", 0, 0, 1 },
	{ "0x10", 0, 0, 1 }, { "NaN", 0, 0, 1 }, { "Infinity", 0, 0, 1 },
	{ "-Infinity", 0, 0, 1 }, { "", 0, 0, 1 }, { "-", 0, 0, 1 },
	{ "+1", 0, 0, 1 }, { "01", 0, 0, 1 }, { "00", 0, 0, 1 },
	{ "-01", 0, 0, 1 }, { ".5", 0, 0, 1 }, { "1.", 0, 0, 1 },
	{ "-.5", 0, 0, 1 }, { "1.e5", 0, 0, 1 }, { "1.5.5", 0, 0, 1 },
	{ "1 ", 0, 0, 1 }, { " 1", 0, 0, 1 }, { "1,5", 0, 0, 1 },
	{ "1e5.5", 0, 0, 1 }, { "--1", 0, 0, 1 }, { "1_000", 0, 0, 1 },
	{ "true", 0, 0, 1 }, { "1ee5", 0, 0, 1 }, { "1f", 0, 0, 1 },
};

static void
test_numbers(void)
{
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		int64_t us = 0;
		int32_t ps = 0;
		int bad = tp_events_us(numbers[i].text,
		    strlen(numbers[i].text), &us, &ps) < 0;
		char what[120];

		snprintf(what, sizeof what, "events: time '%s' is %s",
		    numbers[i].text, numbers[i].bad ? "no time" : "exact");
		ok(bad == numbers[i].bad && (bad || (us == numbers[i].us &&
		    ps == numbers[i].ps)), what);
	}
	ok(tp_ps_to_ns(1500) == 2 && tp_ps_to_ns(2500) == 2 &&
	    tp_ps_to_ns(-1500) == -2 && tp_ps_to_ns(-500) == 0 &&
	    tp_ps_to_ns(501) == 1 && tp_ps_to_ns(-501) == -1,
	    "events: picoseconds are rounded half to even");
}

static struct tp_in *
input(const char *text, size_t len, size_t block)
{
	static FILE *file;
	struct tp_err err;
	char digits[24];

	if (!file) {
		file = tmpfile();
		if (!file || dup2(fileno(file), 0) < 0)
			exit(2);
	}
	if (ftruncate(0, 0) < 0 || pwrite(0, text, len, 0) != (ssize_t)len ||
	    lseek(0, 0, SEEK_SET) < 0)
		exit(2);
	snprintf(digits, sizeof digits, "%zu", block);
	setenv("TP_BLOCK", digits, 1);
	return tp_in_open("-", &err);
}

static const char *const wanted[] = { "a", "step_num", "long_name", "", NULL };

struct seen {
	struct tp_buf text;	/* all that was read, to be compared */
	size_t events, damaged;
	char end[40];
};

static void
add_arg(struct tp_buf *b, const struct tp_arg *arg)
{
	tp_buf_fmt(b, "|%d:", (int)arg->type);
	if (arg->type)
		tp_buf_add(b, arg->text, arg->len);
}

static void
free_trace(struct tp_trace *t)
{
	for (size_t i = 0; i < t->note_count; i++) {
		tp_free(t->notes[i].code);
		tp_free(t->notes[i].text);
	}
	tp_free(t->notes);
}

static void
see(struct seen *s, const char *text, size_t len, size_t block,
    const char *phases)
{
	const struct tp_events_want want = { .args = wanted,
	    .phases = phases };
	struct tp_in *in = input(text, len, block);
	struct tp_trace trace = { 0 };
	struct tp_err err = { 0 };
	struct tp_events *e = tp_events_open(in, &want, &trace, &err);
	struct tp_event v;
	const struct tp_lane *lane;
	int rc;

	memset(s, 0, sizeof *s);
	while ((rc = tp_events_next(e, &v, &err)) != 0) {
		if (rc < 0 && err.fatal)
			break;
		if (rc < 0) {
			s->damaged++;
			tp_buf_fmt(&s->text, "damaged %llu %s\n",
			    (unsigned long long)err.line, err.text);
			continue;
		}
		s->events++;
		lane = tp_events_lane(e, v.lane);
		tp_buf_fmt(&s->text, "%llu %c %d %lld %d %lld",
		    (unsigned long long)v.index, v.phase, v.has_ts,
		    v.has_ts ? (long long)v.ts_ps : 0, v.has_dur,
		    v.has_dur ? (long long)v.dur_ps : 0);
		add_arg(&s->text, &v.name);
		add_arg(&s->text, &v.cat);
		add_arg(&s->text, &lane->pid);
		add_arg(&s->text, &lane->tid);
		for (size_t i = 0; wanted[i]; i++)
			add_arg(&s->text, &v.args[i]);
		tp_buf_chr(&s->text, '\n');
	}
	snprintf(s->end, sizeof s->end, "%s", rc < 0 ? err.code : "");
	for (size_t i = 0; i < trace.note_count; i++)
		tp_buf_fmt(&s->text, "note %s %llu\n", trace.notes[i].code,
		    (unsigned long long)trace.notes[i].count);
	tp_buf_fmt(&s->text, "elements %llu end %s",
	    (unsigned long long)tp_events_elements(e), s->end);
	tp_events_close(e);
	tp_in_close(in);
	free_trace(&trace);
}

/* --- random traces */

static const char *const strings[] = { "\"\"", "\"a\"", "\"fusion.12\"",
    "\"a \\\"b\\\" c\"", "\"\\\\\"", "\"\\\\\\\"\"", "\"caf\\u00e9\"",
    "\"\\ud83d\\ude00\"", "\"caf\303\251\"", "\"{[}]\"", "\"a,b:c\"",
    "\"a long name of an operation that is longer than one vector is wide, a\"",
    "\"\\n\\t\\/\"", "\"123\"" };
static const char *const nested[] = { "{}", "[]", "[1,2,[3]]",
    "{\"b\":{\"c\":[]}}", "[[1,5],[],[768]]", "[\"}\",\"]\",\"\\\"{\"]",
    "{\"traceEvents\":[{\"ph\":\"X\"}]}", "[ true , null ]" };
static const char *const values[] = { "0", "1", "-1", "12", "1.5", "1e3",
    "123456.789", "0.001", "true", "false", "null", "701" };
static const char *const keys[] = { "ph", "name", "cat", "pid", "tid", "ts",
    "dur", "id", "s", "bp", "args", "nam", "tss", "\\u0070h" };
static const char *const inner[] = { "a", "step_num", "long_name", "", "b",
    "name", "External id", "\\u0061", "step_nu" };

#define PICK(LIST) LIST[next(sizeof LIST / sizeof *LIST)]

static void
blank(struct tp_buf *b)
{
	static const char *const blanks[] = { "", "", "", "", " ", "\n",
	    "\t ", "\r\n  " };

	tp_buf_str(b, PICK(blanks));
}

static void
any_value(struct tp_buf *b)
{
	switch (next(3)) {
	case 0:
		tp_buf_str(b, PICK(strings));
		return;
	case 1:
		tp_buf_str(b, PICK(nested));
		return;
	default:
		tp_buf_str(b, PICK(values));
	}
}

static void
args(struct tp_buf *b)
{
	unsigned n = next(5);

	tp_buf_chr(b, '{');
	for (unsigned i = 0; i < n; i++) {
		if (i)
			tp_buf_chr(b, ',');
		blank(b);
		tp_buf_fmt(b, "\"%s\":", PICK(inner));
		any_value(b);
		blank(b);
	}
	tp_buf_chr(b, '}');
}

static void
member(struct tp_buf *b)
{
	static const char *const phs[] = { "\"X\"", "\"X\"", "\"X\"",
	    "\"M\"", "\"B\"", "\"E\"", "\"C\"", "\"i\"", "\"\\u0058\"", "1" };
	const char *key = PICK(keys);

	tp_buf_fmt(b, "\"%s\"", key);
	blank(b);
	tp_buf_chr(b, ':');
	blank(b);
	if (!strcmp(key, "ph"))
		tp_buf_str(b, PICK(phs));
	else if (!strcmp(key, "args") && next(8))
		args(b);
	else if ((!strcmp(key, "ts") || !strcmp(key, "dur")) && next(8))
		tp_buf_fmt(b, "%u.%u", next(5000), next(1000));
	else if ((!strcmp(key, "name") || !strcmp(key, "cat")) && next(8))
		tp_buf_str(b, PICK(strings));
	else if ((!strcmp(key, "pid") || !strcmp(key, "tid")) && next(4))
		tp_buf_fmt(b, "%u", next(4));
	else
		any_value(b);
	blank(b);
}

static void
element(struct tp_buf *b)
{
	unsigned n = 1 + next(8);

	if (!next(12)) {
		any_value(b);
		return;
	}
	tp_buf_str(b, "{");
	blank(b);
	if (next(4))
		tp_buf_fmt(b, "\"ph\":\"X\",\"ts\":%u,\"dur\":%u.%u,",
		    next(9000), next(50), next(100));
	for (unsigned i = 0; i < n; i++) {
		if (i)
			tp_buf_chr(b, ',');
		blank(b);
		member(b);
	}
	tp_buf_chr(b, '}');
}

static void
random_trace(struct tp_buf *b)
{
	unsigned n = next(6), bare = !next(4);

	tp_buf_clear(b);
	blank(b);
	if (!bare)
		tp_buf_fmt(b, "{%s%s", next(2) ? "\"displayTimeUnit\":\"ns\"," :
		    "", next(3) ? "" : "\"x\":[{\"y\":\"]\"}],");
	tp_buf_str(b, bare ? "[" : "\"traceEvents\":[");
	for (unsigned i = 0; i < n; i++) {
		if (i)
			tp_buf_chr(b, ',');
		blank(b);
		element(b);
		blank(b);
	}
	tp_buf_chr(b, ']');
	if (!bare && next(2))
		tp_buf_str(b, ", \"z\" : {\"ph\":\"X\"}");
	if (!bare)
		tp_buf_chr(b, '}');
	blank(b);
}

/* A value of member KEY, of many widths. */
static void
usual_value(struct tp_buf *b, const char *key)
{
	static const char name[] = "a_name_that_may_be_long::for_it_has_"
	    "all_the_types(of, what, it, is<called, with>, and, more, of, "
	    "them, than, anybody, can, read)";
	static const char *const phs[] = { "X", "X", "X", "X", "s", "M" };

	if (!next(40))
		any_value(b);
	else if (!strcmp(key, "ph"))
		tp_buf_fmt(b, "\"%s\"", PICK(phs));
	else if (*key == 't' || *key == 'd')
		tp_buf_fmt(b, next(9) ? "%u.%0*u" : "%u%.*u", next(2) ? 1 +
		    next(3) : 1 + next(30000) * next(30000), next(4) ? 3 :
		    1, next(1000));
	else if (strchr(key, 'i') || *key == 'E')
		tp_buf_fmt(b, "%u", next(3) ? 4242 : next(100000));
	else
		tp_buf_fmt(b, "\"%.*s\"", (int)(next(2) ? 6 :
		    next(sizeof name)), name);
}

/* Many events of one producer, who writes the same bytes between the same
 * values, but for some events. */
static void
alike_trace(struct tp_buf *b)
{
	static const char *const blanks[] = { "", "", " ", "\n    ", "\r\n" };
	static const char *const all[] = { "ph", "cat", "name", "pid", "tid",
	    "ts", "dur" };
	static const char *const args[] = { "a", "b", "step_num", "External id",
	    "a key that takes more bytes than one vector has" };
	const char *open = PICK(blanks), *comma = PICK(blanks);
	const char *colon = PICK(blanks), *close = PICK(blanks);
	unsigned n = 10 + next(60), shift = next(7), k, last;

	tp_buf_clear(b);
	tp_buf_str(b, "{\"traceEvents\":[");
	for (unsigned i = 0; i < n; i++) {
		tp_buf_fmt(b, "%s%s{%s", i ? "," : "", close, open);
		last = next(8) ? 7 : 4 + next(3);
		for (k = 0; k < last; k++) {
			tp_buf_fmt(b, "%s\"%s\":%s", k ? comma : "",
			    all[(k + shift) % 7], next(60) ? colon : "  ");
			usual_value(b, all[(k + shift) % 7]);
			tp_buf_str(b, next(80) ? "," : " ,");
		}
		tp_buf_fmt(b, "%s\"args\":%s{%s", comma, colon, open);
		last = next(4) ? 5 : next(6);
		for (k = 0; k < last; k++) {
			tp_buf_fmt(b, "%s%s\"%s\":%s", k ? "," : "", comma,
			    args[k], colon);
			if (k == 1)
				any_value(b);
			else
				usual_value(b, args[k]);
		}
		tp_buf_fmt(b, "%s}%s}", close, close);
	}
	tp_buf_fmt(b, "]%*s}", (int)(1 + next(300)), "");
}

/* A few bytes changed, lost or doubled. */
static void
mutate(struct tp_buf *b)
{
	static const char hostile[] = "{}[]\",:\\ \n\t\001\377eE+-.0x";
	size_t at = next((unsigned)b->len);

	switch (next(4)) {
	case 0:
		b->len = at;
		break;
	case 1:
		memmove(b->p + at, b->p + at + 1, b->len - at);
		b->len--;
		break;
	default:
		b->p[at] = hostile[next(sizeof hostile - 1)];
	}
	b->p[b->len] = '\0';
}

/* --- the same by cJSON */

static const cJSON *
last(const cJSON *object, const char *key)
{
	const cJSON *hit = NULL, *c;

	cJSON_ArrayForEach(c, object)
		if (c->string && !strcmp(c->string, key))
			hit = c;
	return hit;
}

static void
add_json(struct tp_buf *b, const cJSON *v)
{
	if (!v)
		tp_buf_str(b, "|0:");
	else if (cJSON_IsString(v))
		tp_buf_fmt(b, "|1:%s", v->valuestring);
	else if (cJSON_IsNumber(v))
		tp_buf_fmt(b, "|2:%g", v->valuedouble);
	else if (cJSON_IsObject(v) || cJSON_IsArray(v))
		tp_buf_str(b, "|4:");
	else
		tp_buf_fmt(b, "|3:%s", cJSON_IsNull(v) ? "null" :
		    cJSON_IsTrue(v) ? "true" : "false");
}

static void
add_ours(struct tp_buf *b, const struct tp_arg *a)
{
	char digits[64];

	if (a->type == TP_ARG_NUMBER) {
		snprintf(digits, sizeof digits, "%.*s", (int)a->len, a->text);
		tp_buf_fmt(b, "|2:%g", strtod(digits, NULL));
	} else if (a->type == TP_ARG_NESTED) {
		tp_buf_str(b, "|4:");
	} else {
		add_arg(b, a);
	}
}

static int far;		/* a time that doubles cannot tell from another */

/* Time KEY of C in us: 1 when it is there and one. */
static int
time_of(const cJSON *c, const char *key, double *us)
{
	const cJSON *v = last(c, key);

	if (cJSON_IsNumber(v))
		*us = v->valuedouble;
	else if (cJSON_IsString(v) && (!strcmp(v->valuestring, "123")))
		*us = 123;
	else
		return 0;
	far |= fabs(*us) > 4e10;
	return 1;
}

/* What cJSON says the events are; -1 when a time is not usable. */
static int
expect(struct tp_buf *b, const cJSON *c, const char *phases, double *base,
    int *has_base)
{
	const cJSON *ph = last(c, "ph"), *a = last(c, "args");
	double ts = 0, dur = 0;
	char p = cJSON_IsString(ph) && strlen(ph->valuestring) == 1 ?
	    *ph->valuestring : 0;
	int given = p && strchr(phases, p), timed = time_of(c, "ts", &ts);

	if (!cJSON_IsObject(c) || !c->child)
		return 0;
	if (p != 'M' && timed && !*has_base) {
		*base = ts;
		*has_base = 1;
	}
	if (!given)
		return 0;
	if (p != 'M' && !timed)
		return -1;
	if (p == 'X' && (!time_of(c, "dur", &dur) || dur < 0))
		return -1;
	tp_buf_fmt(b, "%c", p);
	if (timed && p != 'M')
		tp_buf_fmt(b, " %.3f", ts - *base);
	if (p == 'X')
		tp_buf_fmt(b, " %.3f", dur);
	add_json(b, last(c, "name"));
	add_json(b, last(c, "cat"));
	add_json(b, last(c, "pid"));
	add_json(b, last(c, "tid"));
	for (size_t i = 0; wanted[i]; i++)
		add_json(b, cJSON_IsObject(a) ? last(a, wanted[i]) : NULL);
	tp_buf_chr(b, '\n');
	return 1;
}

static size_t
expected(struct tp_buf *b, const cJSON *doc, const char *phases)
{
	const cJSON *list = cJSON_IsArray(doc) ? doc :
	    last(doc, "traceEvents"), *c;
	size_t damaged = 0;
	double base = 0;
	int has_base = 0;

	cJSON_ArrayForEach(c, list)
		damaged += expect(b, c, phases, &base, &has_base) < 0;
	return damaged;
}

/* The same text of what we read. */
static size_t
ours(struct tp_buf *b, const char *text, size_t len, const char *phases,
    int *fatal)
{
	const struct tp_events_want want = { .args = wanted,
	    .phases = phases };
	struct tp_in *in = input(text, len, 1 << 20);
	struct tp_trace trace = { 0 };
	struct tp_err err = { 0 };
	struct tp_events *e = tp_events_open(in, &want, &trace, &err);
	const struct tp_lane *lane;
	struct tp_event v;
	size_t damaged = 0;
	int rc;

	while ((rc = tp_events_next(e, &v, &err)) != 0) {
		if (rc < 0 && err.fatal)
			break;
		if (rc < 0) {
			damaged++;
			continue;
		}
		tp_buf_fmt(b, "%c", v.phase);
		if (v.has_ts)
			tp_buf_fmt(b, " %.3f", (double)v.ts_ps / 1e6);
		if (v.has_dur)
			tp_buf_fmt(b, " %.3f", (double)v.dur_ps / 1e6);
		lane = tp_events_lane(e, v.lane);
		add_ours(b, &v.name);
		add_ours(b, &v.cat);
		add_ours(b, &lane->pid);
		add_ours(b, &lane->tid);
		for (size_t i = 0; wanted[i]; i++)
			add_ours(b, &v.args[i]);
		tp_buf_chr(b, '\n');
	}
	*fatal = rc < 0;
	tp_events_close(e);
	tp_in_close(in);
	free_trace(&trace);
	return damaged;
}

static int
is_json(const struct tp_buf *b)
{
	struct tp_check check;

	tp_check_init(&check);
	return tp_check_run(&check, b->p, b->len) == b->len &&
	    tp_check_end(&check);
}

static int
same_as_cjson(const struct tp_buf *text, int *was_json)
{
	static const char phases[] = "XMCBE";
	struct tp_buf want = { 0 }, got = { 0 };
	size_t damaged, lost;
	int fatal, good = 1;
	cJSON *doc;

	*was_json = is_json(text);
	if (!*was_json || (*text->p && !strchr(" \t\r\n{[", *text->p)))
		return 1;
	doc = cJSON_ParseWithLength(text->p, text->len);
	if (!doc) {
		/* half of a surrogate pair is JSON, but not for cJSON */
		if (strstr(text->p, "\\u"))
			return 1;
		printf("# cJSON does not read %s\n", text->p);
		return 0;
	}
	far = 0;
	lost = expected(&want, doc, phases);
	damaged = ours(&got, text->p, text->len, phases, &fatal);
	if (!far && (cJSON_IsArray(doc) || cJSON_IsObject(doc)) &&
	    (fatal || lost != damaged || want.len != got.len ||
	    memcmp(want.p ? want.p : "", got.p ? got.p : "", want.len))) {
		printf("# %s\n# cJSON %zu: %s\n# ours %zu %d: %s\n", text->p,
		    lost, want.p ? want.p : "", damaged, fatal,
		    got.p ? got.p : "");
		good = 0;
	}
	cJSON_Delete(doc);
	tp_buf_release(&want);
	tp_buf_release(&got);
	return good;
}

static int
same_in_blocks(const struct tp_buf *text, const char *phases)
{
	static const size_t blocks[] = { 1, 7, 61 };
	struct seen whole, s;
	int good = 1;

	tp_simd_use(TP_SIMD_PLAIN);
	tp_seams_use(0);
	see(&whole, text->p, text->len, 1 << 20, phases);
	tp_seams_use(1);
	for (size_t i = 0; i < 3; i++) {
		see(&s, text->p, text->len, blocks[i], phases);
		if (s.text.len != whole.text.len ||
		    memcmp(s.text.p, whole.text.p, s.text.len)) {
			printf("# %s\n# block %zu: %s\n# whole: %s\n",
			    text->p, blocks[i], s.text.p, whole.text.p);
			good = 0;
		}
		tp_buf_release(&s.text);
	}
	for (enum tp_simd way = 0; way < TP_SIMDS; way++) {
		if (tp_simd_use(way) < 0)
			continue;
		see(&s, text->p, text->len, 1 << 20, phases);
		good &= s.text.len == whole.text.len &&
		    !memcmp(s.text.p, whole.text.p, s.text.len);
		tp_buf_release(&s.text);
	}
	tp_buf_release(&whole.text);
	return good;
}

static void
test_random(void)
{
	struct tp_buf text = { 0 };
	int same = 1, blocks = 1, json, plain = 0, damaged = 0;
	int count = getenv("TP_ALL") ? 3000 : 600;

	for (int i = 0; i < count && same && blocks; i++) {
		random_trace(&text);
		for (unsigned k = next(3); k && i % 2 && text.len; k--)
			mutate(&text);
		if (!text.len)
			continue;
		same &= same_as_cjson(&text, &json);
		if (i % 4 < 2)
			blocks &= same_in_blocks(&text, i % 3 ? NULL :
			    "XMBECi");
		json ? plain++ : damaged++;
	}
	ok(same, "events: random traces give what cJSON reads");
	ok(blocks, "events: no block size and no way of skipping matters");
	ok(plain > count / 2 && damaged > count / 10, "events: random traces "
	    "are JSON, and not");
	tp_buf_release(&text);
}

static void
test_alike(void)
{
	struct tp_buf text = { 0 };
	int same = 1, blocks = 1, json, plain = 0, damaged = 0;
	int count = getenv("TP_ALL") ? 1200 : 240;

	for (int i = 0; i < count && same && blocks; i++) {
		alike_trace(&text);
		if (i % 3 == 2)
			mutate(&text);
		if (!text.len)
			continue;
		same &= same_as_cjson(&text, &json);
		blocks &= same_in_blocks(&text, i % 2 ? NULL : "XMs");
		json ? plain++ : damaged++;
	}
	ok(same, "events: traces with a layout give what cJSON reads");
	ok(blocks, "events: it does not matter whether it is learned");
	ok(plain > count / 2 && damaged > count / 6, "events: traces with a "
	    "layout are JSON, and not");
	tp_buf_release(&text);
}

static void
test_truncated(void)
{
	static const char text[] = "{\"displayTimeUnit\":\"ns\","
	    "\"traceEvents\":[\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5.5,"
	    "\"dur\":1,\"name\":\"a \\\"b\\\"\",\"args\":{\"a\":[1,\"}\"]}},\n"
	    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":7,\"dur\":2e0,"
	    "\"name\":\"c\"},\n{}],\"x\":{\"y\":1}}";
	size_t len = sizeof text - 1, want, i;
	const char *first = strstr(text, "]}},\n") + 4;
	const char *second = strstr(text, "\"c\"}") + 4;
	struct seen s;
	int good = 1;

	for (i = 1; i < len; i++) {
		want = (size_t)(i >= (size_t)(first - 1 - text)) +
		    (i >= (size_t)(second - text));
		see(&s, text, i, 1 << 20, NULL);
		if (s.events != want || strcmp(s.end, "input.truncated")) {
			printf("# at %zu: %zu events, not %zu; %s\n", i,
			    s.events, want, s.end);
			good = 0;
		}
		tp_buf_release(&s.text);
	}
	see(&s, text, len, 1 << 20, NULL);
	ok(good && !*s.end && s.events == 2, "events: a trace cut at any byte "
	    "keeps the events before it");
	tp_buf_release(&s.text);
}

/* Values of 1 to 300 bytes, given in two pieces. */
static void
test_skip(void)
{
	static const char alphabet[] = "{}[]\"\"\\\\ab \n";
	struct tp_skip whole, s;
	char text[300];
	int good = 1;

	for (int round = 0; round < 20000; round++) {
		size_t len = 1 + next(sizeof text - 1), cut = next(
		    (unsigned)len), n, want;

		*text = '{';
		for (size_t i = 1; i < len; i++)
			text[i] = next(3) ? 'x' :
			    alphabet[next(sizeof alphabet - 1)];
		tp_simd_use(TP_SIMD_PLAIN);
		tp_skip_init(&whole);
		want = tp_skip_run(&whole, text, len);
		for (enum tp_simd way = 0; way < TP_SIMDS; way++) {
			if (tp_simd_use(way) < 0)
				continue;
			tp_skip_init(&s);
			n = cut ? tp_skip_run(&s, text, cut) : 0;
			if (n == cut && !s.wrong && (!cut || s.depth))
				n += tp_skip_run(&s, text + cut, len - cut);
			good &= n == want && s.depth == whole.depth &&
			    !s.wrong == !whole.wrong && (s.wrong ||
			    s.controls == whole.controls);
		}
	}
	ok(good, "events: values are skipped alike, whole and in pieces");
}

/* Arguments of several names, and names that two want. */
static void
test_names(void)
{
	static const char *const args[] = { "a|b", "c", "name|d", "b|e",
	    NULL };
	static const char *const expect[] = { "1||n|1", "2|3||2", "||m|4",
	    "5|6||5" };
	static const char text[] = "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,"
	    "\"args\":{\"b\":1,\"name\":\"n\"}},\n"
	    "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":{\"b\":2,"
	    "\"c\":3}},\n{\"ph\":\"X\",\"ts\":1,\"dur\":1,"
	    "\"args\":{\"d\":\"m\",\"e\":4}},\n{\"ph\":\"X\","
	    "\"ts\":1,\"dur\":1,\"args\":{\"a\":9,\"b\":5,\"c\":6}}]";
	const struct tp_events_want want = { .args = args };
	struct tp_in *in = input(text, sizeof text - 1, 1 << 20);
	struct tp_trace trace = { 0 };
	struct tp_err err = { 0 };
	struct tp_events *e = tp_events_open(in, &want, &trace, &err);
	struct tp_event v;
	int good = e != NULL, n = 0;

	while (good && tp_events_next(e, &v, &err) == 1) {
		char got[64] = "";
		size_t len = 0;

		for (int i = 0; i < 4; i++)
			len += (size_t)snprintf(got + len, sizeof got - len,
			    "%s%.*s", i ? "|" : "", v.args[i].type ?
			    (int)v.args[i].len : 0, v.args[i].type ?
			    v.args[i].text : "");
		if (n > 3 || strcmp(got, expect[n])) {
			printf("# %d: %s\n", n, got);
			good = 0;
		}
		n++;
	}
	ok(good && n == 4, "events: an argument goes by several names, and a "
	    "name may be of two");
	tp_events_close(e);
	tp_in_close(in);
	free_trace(&trace);
}

int
main(void)
{
	test_numbers();
	test_names();
	test_skip();
	test_truncated();
	test_random();
	test_alike();
	return failed;
}
