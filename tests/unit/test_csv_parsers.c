/*
 * The fast way through CSV and libcsv alone give the same rows, damage and
 * notes, on random text over the characters that mean something.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/read.h"
#include "read/rows.h"
#include "read/way.h"

static uint32_t seed = 1;

static unsigned
next(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 16) % n;
}

#define TABLE "metal-gpu-intervals"
static const char header[] = "start,duration,process,cmdbuffer-id\n";

/* Mostly good rows, with something odd in some. */
static size_t
document(char *text, size_t size, int odd)
{
	static const char alphabet[] = "\",,\r\n\n a1\t;'(7)x";
	size_t len = sizeof header - 1;

	memcpy(text, header, len);
	while (len + 128 < size) {
		if (!next(20)) {
			/* numbers of any width, some with a flaw */
			static const char chars[] = "0123456789 -.x/:";

			for (int i = 0; i < 4; i++) {
				for (unsigned n = next(20); n; n--)
					text[len++] = chars[next(next(20) ?
					    10 : sizeof chars - 1)];
				text[len++] = i < 3 ? ',' : '\n';
			}
			continue;
		}
		if ((int)next(100) >= odd) {
			len += (size_t)sprintf(text + len, next(4) ?
			    "%u,%u,p%u (%u),%u\n" :
			    " %u ,%u,\"p, %u (%u)\",\"%u\"\r\n", next(9999),
			    next(99), next(3), next(9), next(999));
			continue;
		}
		for (unsigned n = next(24); n; n--)
			text[len++] = alphabet[next(sizeof alphabet - 1)];
		if (next(2))
			text[len++] = '\n';
	}
	return len - next(40);
}

static void
append(struct tp_buf *out, const struct tp_row *row)
{
	tp_buf_fmt(out, "%llu", (unsigned long long)row->line);
	for (size_t i = 0; i < row->count; i++) {
		const struct tp_value *v = &row->v[i];

		tp_buf_fmt(out, "|%d", (int)v->type);
		if (v->type == TP_NONE)
			continue;
		if (v->type != TP_TEXT && v->type != TP_STACK)
			tp_buf_fmt(out, ":%lld", (long long)v->n);
		tp_buf_add(out, v->text, v->len);
	}
	tp_buf_chr(out, '\n');
}

enum how { FAST, LIBCSV, AHEAD };

static int threads;		/* how often one has read */

/* All that reading PATH gives, as text. */
static int
reading(struct tp_buf *out, const char *path, enum how how,
    struct tp_tables *tables)
{
	struct tp_trace trace = { 0 };
	struct tp_err err;
	struct tp_in *in = tp_in_open(path, &err);
	struct tp_rows *rows;
	struct tp_row row;
	int rc;

	if (!in || tp_in_sniff(in, &err) != TP_FORMAT_CSV)
		return -1;
	rows = tp_rows_open(in, TP_FORMAT_CSV, NULL, TABLE, tables, &trace,
	    &err);
	if (!rows)
		return -1;
	if (how == LIBCSV)
		tp_rows_only_libcsv(rows);
	if (how == AHEAD)
		tp_rows_ahead(rows);
	while ((rc = tp_rows_next(rows, &row, &err))) {
		if (rc > 0)
			append(out, &row);
		else	/* of many alike only the first has its own line */
			tp_buf_fmt(out, "%s %s\n", err.code,
			    err.what ? err.what : err.text);
		if (rc < 0 && err.fatal)
			break;
	}
	threads += rows->ahead != NULL;
	for (size_t i = 0; i < trace.note_count; i++) {
		tp_buf_fmt(out, "%s %llu\n", trace.notes[i].text,
		    (unsigned long long)trace.notes[i].count);
		tp_free(trace.notes[i].code);
		tp_free(trace.notes[i].text);
	}
	for (size_t i = 0; i < trace.source_count; i++) {
		tp_buf_fmt(out, "%llu rows, %llu skipped\n",
		    (unsigned long long)trace.sources[i].rows,
		    (unsigned long long)trace.sources[i].skipped);
		tp_free(trace.sources[i].file);
		tp_free(trace.sources[i].schema);
	}
	tp_free(trace.notes);
	tp_free(trace.sources);
	tp_rows_close(rows);
	tp_in_close(in);
	return 0;
}

static int
differs(const char *path, enum how how, struct tp_tables *tables)
{
	struct tp_buf a = { 0 }, b = { 0 };
	int bad = reading(&a, path, how, tables) < 0 ||
	    reading(&b, path, LIBCSV, tables) < 0 || a.len != b.len ||
	    memcmp(a.p, b.p, a.len);

	if (bad) {
		size_t i = 0;

		while (i < a.len && i < b.len && a.p[i] == b.p[i])
			i++;
		printf("# at %zu: %s '%.60s' libcsv '%.60s'\n", i,
		    how == FAST ? "fast" : "thread",
		    i < a.len ? a.p + i : "", i < b.len ? b.p + i : "");
	}
	tp_buf_release(&a);
	tp_buf_release(&b);
	return bad;
}

int
main(void)
{
	static char text[200000];
	char path[] = "/tmp/tp-csv-XXXXXX";
	struct tp_err err;
	struct tp_tables *tables = tp_tables_load(&err);
	int fd = mkstemp(path), failed = 0;

	if (fd < 0 || !tables) {
		printf("not ok csv parsers: cannot start\n");
		return 1;
	}
	for (enum tp_way way = 0; way < TP_WAYS; way++) {
		int bad = 0, n;

		if (tp_way_use(way) < 0)
			continue;
		for (n = 0; n < 600 && !bad; n++) {
			size_t len = document(text, n % 50 ? 200 +
			    next(3000) : sizeof text, (int)(n % 5) * 20);

			if (ftruncate(fd, 0) || pwrite(fd, text, len, 0) !=
			    (ssize_t)len)
				bad = 1;
			else
				bad = differs(path, FAST, tables) ||
				    differs(path, AHEAD, tables);
		}
		printf("%sok csv: %s and libcsv agree on %d documents\n",
		    bad ? "not " : "", tp_way_name(way), n);
		if (bad)
			printf("# document %d of %s, size by seed\n", n - 1,
			    tp_way_name(way));
		failed |= bad;
	}
	if (!threads) {
		printf("not ok csv: no thread has read\n");
		failed = 1;
	}
	close(fd);
	unlink(path);
	tp_tables_free(tables);
	return failed;
}
