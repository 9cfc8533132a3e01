/*
 * What libcsv, our authority on CSV, makes of the text we hand it.
 *
 * csv.c feeds one parser line by line and starts a new one only after an
 * error.  That is sound only if the pieces do not matter, and it says when a
 * row of its own may be read apart from the others (the fast way does): when
 * no quote is open at its start.  Both are shown here on random text.  Where
 * csv-spectrum is at hand, its files are read as its authors mean them, but
 * for the deviations listed below.
 */
#include <cjson/cJSON.h>
#include <csv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/buf.h>

/* Known deviations of libcsv 3.0.3, strict, from csv-spectrum. */
static const char *const deviations[] = {
	"location_coordinates",	/* a stray quote in a Latin-1 field: refused */
};

static void
on_field(void *text, size_t len, void *arg)
{
	tp_buf_chr(arg, '<');
	tp_buf_add(arg, text ? text : "", len);
	tp_buf_chr(arg, '>');
}

static void
on_row(int end, void *arg)
{
	(void)end;
	tp_buf_chr(arg, '$');
}

/* What libcsv says to TEXT in pieces of at most PIECE bytes; '!' an error. */
static int
parse(struct tp_buf *out, const char *text, size_t len, size_t piece,
    int *inside)
{
	struct csv_parser p;
	size_t at, n;
	int failed = 0;

	csv_init(&p, CSV_STRICT | CSV_STRICT_FINI);
	for (at = 0; at < len && !failed; at += n) {
		n = len - at < piece ? len - at : piece;
		failed = csv_parse(&p, text + at, n, on_field, on_row, out) !=
		    n;
	}
	if (inside)
		*inside = p.pstate != 0;
	if (failed || csv_fini(&p, on_field, on_row, out)) {
		tp_buf_chr(out, '!');
		failed = 1;
	}
	csv_free(&p);
	return failed;
}

static uint32_t seed = 3;

static size_t
random_text(char *text, size_t max)
{
	static const char alphabet[] = "\",\r\n a";
	size_t len, i;

	seed = seed * 1664525 + 1013904223;
	len = (seed >> 16) % max;
	for (i = 0; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		text[i] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
	}
	return len;
}

static int
same(const struct tp_buf *a, const struct tp_buf *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->p, b->p, a->len));
}

/* The pieces that a text comes in do not matter. */
static int
pieces(void)
{
	struct tp_buf whole = { 0 }, cut = { 0 };
	char text[40];
	int bad = 0;

	for (int n = 0; n < 300000 && !bad; n++) {
		size_t len = random_text(text, sizeof text);

		tp_buf_clear(&whole);
		tp_buf_clear(&cut);
		parse(&whole, text, len, sizeof text, NULL);
		parse(&cut, text, len, 1 + (size_t)n % 5, NULL);
		bad = !same(&whole, &cut);
	}
	tp_buf_release(&whole);
	tp_buf_release(&cut);
	printf("%sok libcsv: pieces do not matter\n", bad ? "not " : "");
	return bad;
}

/*
 * A text read up to an LF and from there on by a new parser is the same as
 * the whole, when the first part is good and leaves no quote open; an open
 * quote is the only reason for another answer.
 */
static int
apart(void)
{
	struct tp_buf whole = { 0 }, parts = { 0 };
	int bad = 0, open = 0, closed = 0, inside;
	const char *lf;
	char text[40];
	size_t first;

	for (int n = 0; n < 1000000 && !bad; n++) {
		size_t len = random_text(text, sizeof text);

		lf = memchr(text, '\n', len);
		if (!lf)
			continue;
		first = (size_t)(lf + 1 - text);
		tp_buf_clear(&whole);
		tp_buf_clear(&parts);
		parse(&whole, text, len, sizeof text, NULL);
		if (parse(&parts, text, first, sizeof text, &inside)) {
			open += inside;
			continue;
		}
		parse(&parts, lf + 1, len - first, sizeof text, NULL);
		closed++;
		bad = inside || !same(&whole, &parts);
	}
	tp_buf_release(&whole);
	tp_buf_release(&parts);
	bad |= !open || !closed;
	printf("%sok libcsv: rows may be read apart where no quote is open\n",
	    bad ? "not " : "");
	return bad;
}

static int
slurp(struct tp_buf *buf, const char *path)
{
	char block[4096];
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		return -1;
	while ((n = fread(block, 1, sizeof block, f)))
		tp_buf_add(buf, block, n);
	fclose(f);
	return 0;
}

/* The rows that a JSON file of csv-spectrum stands for, header first. */
static void
expected(struct tp_buf *out, const cJSON *rows)
{
	const cJSON *row, *cell, *first = rows->child;

	cJSON_ArrayForEach(cell, first)
		on_field(cell->string, strlen(cell->string), out);
	on_row(0, out);
	cJSON_ArrayForEach(row, rows) {
		cJSON_ArrayForEach(cell, row)
			on_field(cell->valuestring,
			    strlen(cell->valuestring), out);
		on_row(0, out);
	}
}

static int
deviates(const char *name)
{
	for (size_t i = 0; i < sizeof deviations / sizeof *deviations; i++)
		if (!strcmp(deviations[i], name))
			return 1;
	return 0;
}

static int
spectrum(const char *suite)
{
	static const char *const names[] = { "comma_in_quotes", "empty",
	    "empty_crlf", "escaped_quotes", "json", "location_coordinates",
	    "newlines", "newlines_crlf", "quotes_and_newlines", "simple",
	    "simple_crlf", "utf8" };
	int failed = 0, bad;
	char path[1024];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct tp_buf csv = { 0 }, json = { 0 }, got = { 0 },
		    want = { 0 };
		cJSON *rows;

		snprintf(path, sizeof path, "%s/csvs/%s.csv", suite,
		    names[i]);
		if (slurp(&csv, path) < 0) {
			printf("ok libcsv: csv-spectrum # SKIP not here\n");
			return failed;
		}
		snprintf(path, sizeof path, "%s/json/%s.json", suite,
		    names[i]);
		bad = slurp(&json, path) < 0;
		rows = json.p ? cJSON_Parse(json.p) : NULL;
		if (rows)
			expected(&want, rows);
		parse(&got, csv.p, csv.len, csv.len, NULL);
		bad |= !rows || same(&got, &want) == deviates(names[i]);
		printf("%sok libcsv: csv-spectrum %s%s\n", bad ? "not " : "",
		    names[i], deviates(names[i]) ? ", a known deviation" :
		    "");
		failed |= bad;
		cJSON_Delete(rows);
		tp_buf_release(&csv);
		tp_buf_release(&json);
		tp_buf_release(&got);
		tp_buf_release(&want);
	}
	return failed;
}

int
main(void)
{
	const char *data = getenv("TP_DATA");
	char suite[900];

	snprintf(suite, sizeof suite, "%s/suites/csv-spectrum", data ? data :
	    "../shared/data");
	return pieces() | apart() | spectrum(suite);
}
