/*
 * cells FILE.xlsx [-w] - print a workbook, for tests
 *
 * A line "[NAME]" for each sheet, then a line for each cell: where it is, "b"
 * when it is bold, "n" or "s" for number or text, and what it holds, with
 * control characters as in C; "frozen" and "filter" where a sheet says so; with
 * -w also "width" of columns, the first and the last of them.
 * Knows what is needed for what tp-xlsx writes: deflated members of a zip,
 * inline strings.
 */
#include <expat.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <tp/buf.h>
#include <tp/text.h>

static struct tp_buf file;
static struct tp_buf names[64];		/* of sheets */
static int name_count, in_value, with_widths;
static struct tp_buf value;

static uint32_t
le(const char *p, int bytes)
{
	uint32_t n = 0;

	while (bytes--)
		n = n << 8 | (unsigned char)p[bytes];
	return n;
}

static void
die(const char *what)
{
	fprintf(stderr, "cells: %s\n", what);
	exit(3);
}

/* Inflate the member whose local header is at P into OUT. */
static void
inflate_member(const char *p, uint32_t packed, uint32_t size,
    struct tp_buf *out)
{
	z_stream z = { 0 };

	p += 30 + le(p + 26, 2) + le(p + 28, 2);
	z.next_in = (unsigned char *)p;
	z.avail_in = packed;
	z.next_out = (unsigned char *)tp_buf_room(out, size);
	z.avail_out = size;
	if (inflateInit2(&z, -MAX_WBITS) != Z_OK ||
	    inflate(&z, Z_FINISH) != Z_STREAM_END || z.avail_out)
		die("a member cannot be inflated");
	inflateEnd(&z);
	out->len = size;
}

/* Member NAME of the file into OUT; 1, or 0. */
static int
member(const char *name, struct tp_buf *out)
{
	const char *end = file.p + file.len - 22, *p;

	if (file.len < 22 || memcmp(end, "PK\5\6", 4))
		die("no zip");
	p = file.p + le(end + 16, 4);
	for (; !memcmp(p, "PK\1\2", 4);
	    p += 46 + le(p + 28, 2) + le(p + 30, 2) + le(p + 32, 2)) {
		if (!tp_is(p + 46, le(p + 28, 2), name))
			continue;
		if (le(p + 10, 2) != 8)
			die("a member is not deflated");
		inflate_member(file.p + le(p + 42, 4), le(p + 20, 4),
		    le(p + 24, 4), out);
		return 1;
	}
	return 0;
}

static const char *
attribute(const char **atts, const char *name)
{
	for (; *atts; atts += 2)
		if (!strcmp(*atts, name))
			return atts[1];
	return NULL;
}

static void
start(void *arg, const char *element, const char **atts)
{
	(void)arg;
	if (!strcmp(element, "sheet")) {
		if (name_count < 64)
			tp_buf_str(&names[name_count++],
			    attribute(atts, "name"));
	} else if (!strcmp(element, "c")) {
		const char *type = attribute(atts, "t");

		printf("%s %s%s ", attribute(atts, "r"),
		    attribute(atts, "s") ? "b" : "",
		    type && !strcmp(type, "inlineStr") ? "s" :
		    type ? type : "n");
	} else if (!strcmp(element, "f")) {
		printf("FORMULA ");
	} else if (!strcmp(element, "pane")) {
		printf("%s %s\n", attribute(atts, "state"),
		    attribute(atts, "topLeftCell"));
	} else if (with_widths && !strcmp(element, "col")) {
		printf("width %s-%s %.0f\n", attribute(atts, "min"),
		    attribute(atts, "max"), strtod(attribute(atts, "width"),
		    NULL));
	} else if (!strcmp(element, "autoFilter")) {
		printf("filter %s\n", attribute(atts, "ref"));
	}
	in_value = !strcmp(element, "v") || !strcmp(element, "t");
}

static void
text(void *arg, const char *bytes, int len)
{
	(void)arg;
	if (in_value)
		tp_buf_add(&value, bytes, (size_t)len);
}

static void
stop(void *arg, const char *element)
{
	struct tp_buf shown = { 0 };

	(void)arg;
	in_value = 0;
	if (strcmp(element, "c"))
		return;
	tp_show_text(&shown, value.p ? value.p : "", value.len);
	printf("%s\n", shown.p ? shown.p : "");
	tp_buf_release(&shown);
	tp_buf_clear(&value);
}

static int
parse(const char *name)
{
	XML_Parser parser = XML_ParserCreate(NULL);
	struct tp_buf xml = { 0 };
	int there = member(name, &xml);

	XML_SetElementHandler(parser, start, stop);
	XML_SetCharacterDataHandler(parser, text);
	if (there && !XML_Parse(parser, xml.p, (int)xml.len, 1))
		die(XML_ErrorString(XML_GetErrorCode(parser)));
	XML_ParserFree(parser);
	tp_buf_release(&xml);
	return there;
}

int
main(int argc, char *argv[])
{
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	char block[65536], path[64];
	size_t n;

	if (!f)
		die("cannot open the file");
	with_widths = argc > 2 && !strcmp(argv[2], "-w");
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		tp_buf_add(&file, block, n);
	fclose(f);
	if (!parse("xl/workbook.xml"))
		die("no workbook");
	for (int i = 0; i < name_count; i++) {
		printf("[%s]\n", names[i].p);
		snprintf(path, sizeof path, "xl/worksheets/sheet%d.xml",
		    i + 1);
		if (!parse(path))
			die("a sheet is not there");
		tp_buf_release(&names[i]);
	}
	tp_buf_release(&value);
	tp_buf_release(&file);
	return 0;
}
