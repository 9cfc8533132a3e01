/* Records written and read back. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/records.h>
#include <tp/text.h>

static int failed;

static void
complain(const char *what, const char *got)
{
	printf("not ok records: %s: %s\n", what, got);
	failed = 1;
}

#define ESCAPES(text, out) { text, sizeof text - 1, out }

static void
check_escapes(void)
{
	static const struct {
		const char *text;
		size_t len;
		const char *want;
	} cases[] = {
		ESCAPES("plain", "plain"),
		ESCAPES("a\"b\\c", "a\\\"b\\\\c"),
		ESCAPES("\n\t\r", "\\n\\t\\r"),
		ESCAPES("\x01\x1f\x7f", "\\u0001\\u001f\\u007f"),
		ESCAPES("a\0b", "a\\u0000b"),
		ESCAPES("\xc2\x80\xc2\x9f", "\\u0080\\u009f"),
		ESCAPES("\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"),
		ESCAPES("\xc3\xa9\xe2\x86\x90\xf0\x9f\x92\xa9",
		    "\xc3\xa9\xe2\x86\x90\xf0\x9f\x92\xa9"),
		ESCAPES("a\xff" "b", "a\xef\xbf\xbd" "b"),
		ESCAPES("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"),
		ESCAPES("\xed\xa0\x80",
		    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"),
		ESCAPES("\xe2\x86", "\xef\xbf\xbd\xef\xbf\xbd"),
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tp_buf buf = { 0 };

		tp_json_escape(&buf, cases[i].text, cases[i].len);
		if (!buf.p || strcmp(buf.p, cases[i].want))
			complain("escape", buf.p ? buf.p : "");
		tp_buf_release(&buf);
	}
}

static void
check_reals(void)
{
	static const double cases[] = { 0, 1, -1, 0.1, 1.0 / 3, 1e300,
	    5e-324, DBL_MAX, 0.7132667617689016, 123456789012345678.0 };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tp_buf buf = { 0 };

		tp_json_real(&buf, cases[i]);
		if (strtod(buf.p, NULL) != cases[i])
			complain("real", buf.p);
		tp_buf_release(&buf);
	}
}

/* Everything tp_out writes reads back as it was. */
static void
check_round_trip(void)
{
	struct tp_arena arena = { 0 };
	struct tp_out out;
	struct tp_rec rec;
	struct tp_err err;
	const struct tp_field *f;
	int64_t n = 0;
	double x = 0;

	tp_out_init(&out, -1);
	out.src = "a \"trace\"\n";
	tp_out_begin(&out, "gpu.summary");
	tp_out_text(&out, "name", "caf\xc3\xa9 \\ \x01");
	tp_out_text(&out, "absent", NULL);
	tp_out_bytes(&out, "nul", "a\0b", 3);
	tp_out_int(&out, "least", INT64_MIN);
	tp_out_int(&out, "most", INT64_MAX);
	tp_out_id(&out, "id", UINT64_MAX);
	tp_out_ratio(&out, "third", 1, 3);
	tp_out_ratio(&out, "none", 1, 0);
	tp_out_real(&out, "nan", NAN);
	tp_out_real(&out, "inf", INFINITY);
	tp_out_bool(&out, "yes", 1);
	tp_out_end(&out);
	if (strncmp(out.buf.p, "{\"kind\":\"gpu.summary\",\"src\":", 28))
		complain("kind and src come first", out.buf.p);
	if (out.buf.p[out.buf.len - 1] != '\n')
		complain("no line end", out.buf.p);
	if (tp_rec_parse(&rec, out.buf.p, out.buf.len - 1, &arena, &err) < 0) {
		complain("own record refused", err.text);
		return;
	}
	if (strcmp(rec.kind, "gpu.summary") ||
	    strcmp(rec.src, "a \"trace\"\n") || rec.count != 9)
		complain("kind, src or count", rec.kind);
	if (!tp_rec_text(&rec, "name") ||
	    strcmp(tp_rec_text(&rec, "name"), "caf\xc3\xa9 \\ \x01"))
		complain("name", "differs");
	f = tp_rec_field(&rec, "nul");
	if (!f || f->len != 3 || memcmp(f->text, "a\0b", 3))
		complain("a NUL inside a text", "lost");
	if (!tp_rec_int(&rec, "least", &n) || n != INT64_MIN ||
	    !tp_rec_int(&rec, "most", &n) || n != INT64_MAX)
		complain("integers", "not exact");
	if (!tp_rec_text(&rec, "id") ||
	    strcmp(tp_rec_text(&rec, "id"), "18446744073709551615"))
		complain("id", "not exact");
	if (!tp_rec_real(&rec, "third", &x) || x != 1.0 / 3)
		complain("ratio", "not exact");
	if (tp_rec_field(&rec, "none") || tp_rec_field(&rec, "nan") ||
	    tp_rec_field(&rec, "inf") || tp_rec_field(&rec, "absent"))
		complain("what is not known", "has a key");
	if (tp_rec_int(&rec, "third", &n) || tp_rec_text(&rec, "most"))
		complain("types", "mixed up");
	tp_arena_release(&arena);
	tp_out_release(&out);
}

static uint32_t seed = 1;

static unsigned
next(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 16) % n;
}

/* A text, an integer and an id go out at any place of the buffer as printf
 * and the escaping of single characters have it. */
static void
check_random(void)
{
	static const char odd[] = "\"\\\n\t\r\x01\x1f\x7f\x80\xff\xc3\xa9 ~";
	struct tp_out out;
	struct tp_buf want = { 0 };

	tp_out_init(&out, -1);
	for (int i = 0; i < 20000; i++) {
		uint64_t u = ((uint64_t)next(65536) << 48 |
		    (uint64_t)next(65536) << 32 | next(65536) << 16 |
		    next(65536)) >> next(64);
		char text[300];
		size_t len = next(next(9) ? 40 : sizeof text);
		size_t at = out.buf.len, k;
		size_t n;
		uint32_t c;

		for (k = 0; k < len; k++)
			text[k] = next(30) ? (char)(' ' + next(95)) :
			    odd[next(sizeof odd - 1)];
		tp_out_bytes(&out, "t", text, len);
		tp_out_int(&out, "n", (int64_t)u);
		tp_out_id(&out, "id", u);
		tp_buf_clear(&want);
		tp_buf_str(&want, ",\"t\":\"");
		for (k = 0; k < len; k += n ? n : 1) {
			n = tp_utf8(text + k, len - k, &c);
			tp_json_escape(&want, text + k, n ? n : 1);
		}
		tp_buf_fmt(&want, "\",\"n\":%lld,\"id\":\"%llu\"",
		    (long long)u, (unsigned long long)u);
		if (want.len != out.buf.len - at ||
		    memcmp(want.p, out.buf.p + at, want.len))
			complain("a random field", want.p);
		if (strlen(out.buf.p + at) != want.len)
			complain("the buffer does not end in NUL", want.p);
		if (out.buf.len > 5000)
			tp_buf_release(&out.buf);
	}
	tp_buf_release(&want);
	tp_out_release(&out);
}

/* Integers read back as they were, with the double printf's reader makes. */
static void
check_integers(void)
{
	static const char *const cases[] = { "0", "-0", "7", "-7",
	    "999999999999999999", "-999999999999999999",
	    "1000000000000000000", "9007199254740993",
	    "9223372036854775807", "-9223372036854775808" };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tp_arena arena = { 0 };
		struct tp_err err;
		struct tp_rec rec;
		char line[80];
		int64_t n = 1;
		double x = 1, want = strtod(cases[i], NULL);

		snprintf(line, sizeof line, "{\"kind\":\"a\",\"x\":%s}",
		    cases[i]);
		if (tp_rec_parse(&rec, line, strlen(line), &arena,
		    &err) < 0 || !tp_rec_int(&rec, "x", &n) ||
		    !tp_rec_real(&rec, "x", &x) ||
		    n != strtoll(cases[i], NULL, 10) ||
		    memcmp(&x, &want, sizeof x))
			complain("integer", cases[i]);
		tp_arena_release(&arena);
	}
}

static void
check_lines(void)
{
	static const struct { const char *line; int good; } cases[] = {
		{ "{\"kind\":\"a\"}", 1 },
		{ " { \"x\" : 1.5e3 , \"kind\" : \"a\" } ", 1 },
		{ "{\"kind\":\"a\",\"t\":true,\"f\":false,\"n\":null}", 1 },
		{ "{\"kind\":\"\\u00e9\\ud83d\\ude00\\/\"}", 1 },
		{ "{\"kind\":\"a\",\"x\":-0}", 1 },
		{ "{\"kind\":\"a\",\"x\":9223372036854775808}", 1 },
		{ "", 0 }, { "{}", 0 }, { "[]", 0 }, { "{\"x\":1}", 0 },
		{ "{\"kind\":1}", 0 },
		{ "{\"kind\":\"a\"", 0 }, { "{\"kind\":\"a\"}}", 0 },
		{ "{\"kind\":\"a\",}", 0 }, { "{\"kind\":\"a\" \"x\":1}", 0 },
		{ "{\"kind\":\"a\",\"x\":{}}", 0 },
		{ "{\"kind\":\"a\",\"x\":[1]}", 0 },
		{ "{\"kind\":\"a\",\"x\":01}", 0 },
		{ "{\"kind\":\"a\",\"x\":1.}", 0 },
		{ "{\"kind\":\"a\",\"x\":.5}", 0 },
		{ "{\"kind\":\"a\",\"x\":+1}", 0 },
		{ "{\"kind\":\"a\",\"x\":1e}", 0 },
		{ "{\"kind\":\"a\",\"x\":NaN}", 0 },
		{ "{\"kind\":\"a\",\"x\":\"\\x41\"}", 0 },
		{ "{\"kind\":\"a\",\"x\":\"\\u12\"}", 0 },
		{ "{\"kind\":\"a\",\"x\":\"open}", 0 },
		{ "{kind:\"a\"}", 0 }, { "{'kind':'a'}", 0 },
		{ "{\"kind\":\"a\",\"x\":tru}", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tp_arena arena = { 0 };
		struct tp_err err = { 0 };
		struct tp_rec rec;
		int rc = tp_rec_parse(&rec, cases[i].line,
		    strlen(cases[i].line), &arena, &err);

		if ((rc == 0) != cases[i].good)
			complain(cases[i].good ? "refused" : "accepted",
			    cases[i].line);
		if (rc && (err.status != TP_BAD ||
		    strcmp(err.code, "record.damaged")))
			complain("refused for another reason", cases[i].line);
		tp_arena_release(&arena);
	}
}

static void
check_selectors(void)
{
	static const char *const lines[] = {
		"{\"kind\":\"mem.summary\",\"scope\":\"all\","
		    "\"series\":\"wired\"}",
		"{\"kind\":\"mem.summary\",\"scope\":\"target\","
		    "\"series\":\"current\",\"process\":\"p\"}",
		"{\"kind\":\"mem.jump\",\"scope\":\"all\"}",
	};
	static const struct { const char *selector; int hits; } cases[] = {
		{ "mem.summary", 2 }, { "mem.summary[all]", 1 },
		{ "mem.summary[current]", 1 },
		{ "mem.summary[target][current]", 1 },
		{ "mem.summary[all][current]", 0 }, { "mem", 0 },
		{ "mem.summary[p]", 0 }, { "mem.summary[al]", 0 },
		{ "mem.summary[all", 0 }, { "mem.jump", 1 },
	};
	struct tp_set set = { 0 };
	struct tp_err err;
	size_t i, at;
	int hits;

	for (i = 0; i < sizeof lines / sizeof *lines; i++)
		if (tp_set_add(&set, lines[i], strlen(lines[i]), &err) < 0)
			complain("set", err.text);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		hits = 0;
		at = 0;
		while (tp_set_next(&set, cases[i].selector, &at))
			hits++;
		if (hits != cases[i].hits)
			complain("selector", cases[i].selector);
	}
	tp_set_release(&set);
}

int
main(void)
{
	check_escapes();
	check_reals();
	check_round_trip();
	check_random();
	check_integers();
	check_lines();
	check_selectors();
	if (!failed)
		printf("ok records: what is written reads back the same\n");
	return failed;
}
