/*
 * Row records read where they lie and row records read by tp_rec_parse()
 * give the same rows, damage and src, on random lines in blocks of any size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "metal/tables.h"
#include "read/rows.h"
#include "read/simd.h"

static uint32_t seed = 1;

static unsigned
next(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 16) % n;
}

static const char *const gpu_keys[] = { "start_ns", "duration_ns",
    "channel_name", "start_latency_ns", "state", "process", "pid",
    "bytes", "cmdbuffer_id", NULL };
static const char *const cpu_keys[] = { "time_ns", "thread", "tid",
    "process", "pid", "thread_state", "weight_cycles", "stack", NULL };
static const char *const new_keys[] = { "name", "x", "y", "process", NULL };

static const struct {
	const char *table;
	const char *const *keys;
} tables[] = {
	{ "metal-gpu-intervals", gpu_keys }, { "cpu-profile", cpu_keys },
	{ "no-such-table", new_keys }, { "kind", new_keys },
};

/* Any value: mostly an integer or a plain text, as tp-rows writes them. */
static size_t
value(char *w, int odd)
{
	static const char *const rare[] = { "-0", "-17", "1.5", "1e3", "01",
	    "123456789012345678", "1234567890123456789", "9223372036854775808",
	    "-9223372036854775808", "1e999", "true", "null", "nul", "", "{}",
	    "\"\"", "\"a\\\"b\"", "\"\\u00e9\\ud83d\\ude00\"", "\"\\x\"",
	    "\"tab\there\"", "\"caf\303\251 \377\"", "\"123\"", "\"1.5 ms\"",
	    "\"open", " 7", "7 ", "-", "\"p (12)\"", "\"a`b;c\"", "+1" };

	if ((int)next(100) < odd)
		return (size_t)sprintf(w, "%s",
		    rare[next(sizeof rare / sizeof *rare)]);
	switch (next(4)) {
	case 0:
		return (size_t)sprintf(w, "\"%.*s\"", (int)next(26),
		    "a text, of some length; OK");
	case 1:
		return (size_t)sprintf(w, "\"%u\"", next(9999));
	default:
		return (size_t)sprintf(w, "%u", next(9999));
	}
}

static size_t
record(char *text, int odd)
{
	size_t t = next(20) ? 0 : next(4), len = 0;
	const char *const *key = tables[t].keys;

	if (!next(40))
		return (size_t)sprintf(text, "{\"kind\":\"source\",\"src\":"
		    "\"s%u\",\"rows\":1}\n", next(3));
	len += (size_t)sprintf(text, "{\"kind\":\"row.%s\"",
	    tables[t].table);
	if (next(10))
		len += (size_t)sprintf(text + len, ",\"src\":\"%s%u\"",
		    next(30) ? "s" : "\\u0073", next(30) ? 0 : next(3));
	for (; *key; key++) {
		if (!next(8))
			continue;
		if ((int)next(400) < odd)
			key -= key > tables[t].keys;
		len += (size_t)sprintf(text + len, (int)next(800) < odd ?
		    ", \"%s\" :" : ",\"%s\":", *key);
		len += value(text + len, odd);
	}
	len += (size_t)sprintf(text + len, "%s%s", (int)next(400) < odd ?
	    "} " : "}", (int)next(200) < odd ? "\r\n" : "\n");
	if ((int)next(800) < odd)
		text[next((unsigned)len)] = "\",:{}\\ \n1a"[next(10)];
	return len;
}

static size_t
document(char *text, size_t size, int odd)
{
	size_t len = 0;

	while (len + 1024 < size)
		len += record(text + len, odd);
	return len - (next(4) ? 0 : next(40));
}

static void
append(struct tp_buf *out, const struct tp_row *row)
{
	tp_buf_fmt(out, "%llu %s", (unsigned long long)row->line, row->src);
	for (size_t i = 0; i < row->count; i++) {
		const struct tp_value *v = &row->v[i];

		tp_buf_fmt(out, "|%d", (int)v->type);
		if (v->type == TP_NONE)
			continue;
		if (v->type == TP_STACK)
			tp_stack_print(out, v->stack);
		else if (v->type != TP_TEXT && v->type != TP_DECIMAL)
			tp_buf_fmt(out, ":%lld", (long long)v->n);
		tp_buf_fmt(out, ":%u:", v->len);
		tp_buf_add(out, v->text, v->whole);
	}
	tp_buf_chr(out, '\n');
}

static void
pass(void *arg, const char *src, const char *line, size_t len)
{
	tp_buf_fmt(arg, "pass %s ", src);
	tp_buf_add(arg, line, len);
}

/* All that reading IN gives, as text. */
static void
reading_of(struct tp_buf *out, struct tp_in *in, struct tp_tables *known,
    const struct tp_bind *binds, int reference)
{
	struct tp_trace trace = { 0 };
	struct tp_err err = { 0 };
	struct tp_rows *rows = tp_rows_open(in, TP_FORMAT_RECORDS, binds,
	    NULL, known, &trace);
	struct tp_row row;
	int rc;

	tp_rows_on_pass(rows, pass, out);
	if (reference)
		tp_rows_only_library(rows);
	while ((rc = tp_rows_next(rows, &row, &err))) {
		if (rc > 0)
			append(out, &row);
		else
			tp_buf_fmt(out, "%s %s %s\n", err.code,
			    err.what ? err.what : "", err.text);
		if (rc < 0 && err.fatal)
			break;
	}
	tp_rows_close(rows);
	tp_free(trace.sources);
}

static int
reading(struct tp_buf *out, const char *path, const struct tp_bind *binds,
    int reference)
{
	struct tp_err err = { 0 };
	struct tp_in *in = tp_in_open(path, &err);
	struct tp_tables *known = tp_tables_load(&err);
	int good = in && known;

	if (good)
		reading_of(out, in, known, binds, reference);
	else
		printf("# %s\n", err.text);
	tp_in_close(in);
	tp_tables_free(known);
	return good ? 0 : -1;
}

static int
differs(const char *path, const struct tp_bind *binds)
{
	struct tp_buf a = { 0 }, b = { 0 };
	int bad = reading(&a, path, binds, 0) < 0 ||
	    reading(&b, path, binds, 1) < 0 || a.len != b.len ||
	    (a.len && memcmp(a.p, b.p, a.len));
	size_t i = 0;

	while (bad && i < a.len && i < b.len && a.p[i] == b.p[i])
		i++;
	if (bad)
		printf("# at %zu: in place '%.60s' parsed '%.60s'\n", i,
		    i < a.len ? a.p + i : "", i < b.len ? b.p + i : "");
	tp_buf_release(&a);
	tp_buf_release(&b);
	return bad;
}

int
main(void)
{
	static const struct tp_bind gpu[] = {
		{ TP_TABLE_GPU, tp_gpu_cmdbuf_columns, "start" },
		{ 0 }
	};
	static const char *const blocks[] = { "1048576", "100000", "4096",
	    "100" };
	static char text[200000];
	char path[] = "/tmp/tp-rowrec-XXXXXX";
	int fd = mkstemp(path), bad = fd < 0, n;

	for (n = 0; n < 1600 && !bad; n++) {
		size_t len = document(text, n % 50 ? 1100 + next(5000) :
		    sizeof text, (int)(n % 5) * 8);

		/* one that is not here leaves the one before */
		tp_simd_use((enum tp_simd)(n / 20 % TP_SIMDS));
		setenv("TP_BLOCK", blocks[n / 5 % 4], 1);
		bad = ftruncate(fd, 0) || pwrite(fd, text, len, 0) !=
		    (ssize_t)len || differs(path, NULL) ||
		    differs(path, gpu);
	}
	printf("%sok rowrec: rows in place and parsed agree on %d streams\n",
	    bad ? "not " : "", n);
	close(fd);
	unlink(path);
	return bad;
}
