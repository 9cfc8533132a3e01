/*
 * The fast way through CSV and libcsv alone, and that through XML and expat
 * alone, give the same rows, damage and notes, on random text over the
 * characters that mean something.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/read.h"
#include "read/rows.h"
#include "read/simd.h"

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
csv(char *text, size_t size, int odd)
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

static const char xml_header[] = "<?xml version=\"1.0\"?>\n"
    "<trace-query-result><node xpath='//run[2]/x'><schema name=\"" TABLE
    "\"><col><mnemonic>start</mnemonic><name>Start</name>"
    "<engineering-type>start-time</engineering-type></col>"
    "<col><mnemonic>duration</mnemonic><name>Duration</name>"
    "<engineering-type>duration</engineering-type></col>"
    "<col><mnemonic>process</mnemonic><name>Process</name>"
    "<engineering-type>process</engineering-type></col>"
    "<col><mnemonic>event-label</mnemonic><name>Label</name>"
    "<engineering-type>formatted-label</engineering-type></col></schema>";

/* What xctrace does not write, some of it not well-formed. */
static const char *const xml_odd[] = {
	"<!-- <row> -->", "<!-- <row></row> -->", "<?x <row></row>?>",
	"<![CDATA[<row><a id=\"1\">7</a></row>]]>", "<![CDATA[ ]]>", "]]>",
	"\t", "\n", " ", "\r\n", "&amp;", "&#65;", "&lt;x&gt;&quot;&apos;",
	"]", "<row>", "</row>", "<row/>", "<row></row>", "<x><row></row></x>",
	"<row ><a>1</a></row>", "<a b='c'/>", "<a  b=\"c\"/>",
	"<a b=\"c\" />", "<a\nb=\"c\"></a >", "<sentinel/>", "<b:c d:e=\"f\"/>",
	"<a id=\"-1\">1</a>", "<a id=\"18446744073709551615\" fmt=\"x\">1</a>",
	"<a fmt=\"1\" id=\"3\">2</a>", "<a ref=\"3\">2</a>",
	"<a ref=\"3\" x=\"y\"/>", "<a id=\"3\" ref=\"4\"/>",
	"<a id=\"1\" x=\"1\" x=\"2\"/>", "<a id=\"\"/>", "<a x=\">\"/>", "<a>>",
	"<a id=\"3\">a text of more than sixteen bytes, with ]]> in it</a>",
	"\xc2\xb5", "\xef\xbf\xbe", "\xff", "\1", "<", "&", "\"",
	"<frame id=\"9\" name=\"f&amp;\"><binary id=\"8\" name=\"l\"/></frame>",
	"<backtrace id=\"7\"><frame ref=\"9\"/></backtrace>", "\x7f", "<_/>",
	"<-/>",
};

/* Put something odd into the text from FROM to *LEN, rather where a tag
 * begins. */
static void
add_odd(char *text, size_t from, size_t *len)
{
	const char *what = xml_odd[next(sizeof xml_odd / sizeof *xml_odd)];
	size_t n = strlen(what), at = from + next((unsigned)(*len - from));

	if (!next(3))
		at = from;
	while (next(6) && at > from && text[at] != '<')
		at--;
	memmove(text + at + n, text + at, *len - at);
	memcpy(text + at, what, n);
	*len += n;
}

/* An element of a new id, or a reference to one before. */
static size_t
cell(char *text, const char *tag, unsigned *ids)
{
	unsigned n = next(9000);

	if (*ids && !next(3))
		return (size_t)sprintf(text, "<%s ref=\"%u\"/>", tag,
		    1 + next(*ids + (next(30) ? 0 : 9)));
	if (!strcmp(tag, "process")) {
		*ids += 2;
		return (size_t)sprintf(text, "<process id=\"%u\" fmt=\"p%u "
		    "(%u)\"><pid id=\"%u\" fmt=\"%u\">%u</pid></process>",
		    *ids - 1, n % 4, n, *ids, n, n);
	}
	++*ids;
	if (!strcmp(tag, "formatted-label"))
		return (size_t)sprintf(text, "<%s id=\"%u\" fmt=\"a %u\">"
		    "a<text>%u</text>%s</%s>", tag, *ids, n, n, n % 2 ?
		    " &amp; b" : "", tag);
	return (size_t)sprintf(text, "<%s id=\"%u\" fmt=\"%u.0 \xc2\xb5s\">%u"
	    "</%s>", tag, *ids, n, n, tag);
}

static size_t
xml(char *text, size_t size, int odd)
{
	static const char *const tags[] = { "start-time", "duration",
	    "process", "formatted-label" };
	size_t len = (size_t)sprintf(text, "%s", xml_header);
	unsigned ids = 0;

	while (len + 1200 < size) {
		size_t from = len;

		len += (size_t)sprintf(text + len, "<row>");
		for (unsigned i = 0; i < 4; i++)
			len += cell(text + len, tags[i], &ids);
		len += (size_t)sprintf(text + len, next(9) ? "</row>\n" :
		    "</row>");
		if ((int)next(400) < odd)
			add_odd(text, from, &len);
	}
	len += (size_t)sprintf(text + len, "</node></trace-query-result>");
	if (odd && !next(8))
		add_odd(text, 0, &len);
	/* behind the document */
	if (odd && !next(16))
		len += (size_t)sprintf(text + len, "%s", "<row></row>");
	return len - (odd && next(2) ? next(40) : 0);
}

static const struct parsed {
	enum tp_format format;
	const char *name, *library, *table;
	size_t (*document)(char *text, size_t size, int odd);
} formats[] = {
	{ TP_FORMAT_CSV, "csv", "libcsv", TABLE, csv },
	{ TP_FORMAT_XCTRACE, "xml", "expat", NULL, xml },
};

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

/* PARTS and more: by so many threads more than one. */
enum how { FAST, LIBRARY, PARTS };

static uint64_t parts;		/* that threads have read */

/* All that reading PATH gives, as text. */
static int
reading(struct tp_buf *out, const char *path, const struct parsed *f,
    enum how how, struct tp_tables *tables)
{
	struct tp_trace trace = { 0 };
	struct tp_err err;
	struct tp_in *in = tp_in_open(path, &err);
	struct tp_rows *rows;
	struct tp_row row;
	int rc;

	if (!in)
		return -1;
	/* something stands in front of the document */
	if (tp_in_sniff(in, &err) != f->format) {
		tp_in_close(in);
		return f->format == TP_FORMAT_CSV ? -1 : 0;
	}
	rows = tp_rows_open(in, f->format, NULL, f->table, tables, &trace);
	if (how == LIBRARY)
		tp_rows_only_library(rows);
	if (how >= PARTS)
		tp_rows_jobs(rows, (size_t)(how - PARTS) + 2);
	while ((rc = tp_rows_next(rows, &row, &err))) {
		if (rc > 0)
			append(out, &row);
		else	/* of many alike only the first has its own line */
			tp_buf_fmt(out, "%s %s %llu\n", err.code,
			    err.what ? err.what : err.text, f->table ? 0 :
			    (unsigned long long)err.line);
		if (rc < 0 && err.fatal)
			break;
	}
	parts += rows->parts;
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
differs(const char *path, const struct parsed *f, enum how how,
    struct tp_tables *tables)
{
	struct tp_buf a = { 0 }, b = { 0 };
	int bad = reading(&a, path, f, how, tables) < 0 ||
	    reading(&b, path, f, LIBRARY, tables) < 0 || a.len != b.len ||
	    (a.len && memcmp(a.p, b.p, a.len));

	if (bad) {
		size_t i = 0;

		while (i < a.len && i < b.len && a.p[i] == b.p[i])
			i++;
		printf("# at %zu: %s '%.60s' %s '%.60s'\n", i,
		    how == FAST ? "fast" : "parts",
		    i < a.len ? a.p + i : "", f->library,
		    i < b.len ? b.p + i : "");
	}
	tp_buf_release(&a);
	tp_buf_release(&b);
	return bad;
}

/* Documents of F in the file FD, PATH, by the way that is used. */
static int
check(const struct parsed *f, const char *way, int fd, const char *path)
{
	static const char *const blocks[] = { "1048576", "4096", "611", "61" };
	static char text[200000];
	struct tp_tables *tables = NULL;
	struct tp_err err;
	int bad = 0, n, count = getenv("TP_ALL") ? 600 : 60;

	for (n = 0; n < count && !bad; n++) {
		/* schemas with something odd add a table each */
		if (n % 50 == 0) {
			tp_tables_free(tables);
			tables = tp_tables_load(&err);
			if (!tables) {
				bad = 1;
				break;
			}
		}
		size_t len = f->document(text, n % 10 ? 1800 +
		    next(3000) : sizeof text, (int)(n % 5) * 20);

		setenv("TP_BLOCK", blocks[n % 4], 1);
		if (ftruncate(fd, 0) || pwrite(fd, text, len, 0) !=
		    (ssize_t)len)
			bad = 1;
		else
			bad = differs(path, f, FAST, tables) ||
			    differs(path, f, PARTS + n % 7, tables);
	}
	tp_tables_free(tables);
	printf("%sok %s: %s and %s agree on %d documents\n",
	    bad ? "not " : "", f->name, way, f->library, n);
	if (bad)
		printf("# document %d of %s, size by seed\n", n - 1, way);
	return bad;
}

int
main(void)
{
	char path[] = "/tmp/tp-parsers-XXXXXX";
	int fd = mkstemp(path), failed = 0;

	if (fd < 0) {
		printf("not ok parsers: cannot start\n");
		return 1;
	}
	for (enum tp_simd way = 0; way < TP_SIMDS; way++)
		for (size_t i = 0; i < 2; i++)
			if (tp_simd_use(way) == 0)
				failed |= check(&formats[i], tp_simd_name(way),
				    fd, path);
	if (!parts) {
		printf("not ok csv: no thread has read a part\n");
		failed = 1;
	}
	close(fd);
	unlink(path);
	return failed;
}
