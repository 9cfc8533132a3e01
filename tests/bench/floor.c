/*
 * floor - the least that reading a file can cost
 *
 * usage: floor lines|expat|csv FILE
 * lines: read and memchr for LF.  expat, csv: parse by expat or libcsv and
 * throw away.
 */
#include <csv.h>
#include <expat.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char block[1 << 20];

static void
start(void *arg, const char *tag, const char **atts)
{
	(void)tag, (void)atts;
	++*(unsigned long *)arg;
}

static void
field(void *text, size_t len, void *arg)
{
	(void)text, (void)len;
	++*(unsigned long *)arg;
}

int
main(int argc, char *argv[])
{
	XML_Parser p = XML_ParserCreate(NULL);
	struct csv_parser csv;
	unsigned long count = 0;
	const char *at, *end;
	ssize_t n;
	int fd = argc == 3 ? open(argv[2], O_RDONLY) : -1;

	if (fd < 0 || csv_init(&csv, CSV_STRICT))
		return 2;
	XML_SetUserData(p, &count);
	XML_SetStartElementHandler(p, start);
	while ((n = read(fd, block, sizeof block)) > 0) {
		if (!strcmp(argv[1], "expat")) {
			XML_Parse(p, block, (int)n, 0);
			continue;
		}
		if (!strcmp(argv[1], "csv")) {
			csv_parse(&csv, block, (size_t)n, field, NULL,
			    &count);
			continue;
		}
		for (at = block, end = at + n; at < end; at++, count++)
			if (!(at = memchr(at, '\n', (size_t)(end - at))))
				break;
	}
	XML_ParserFree(p);
	csv_free(&csv);
	printf("%lu\n", count);
	return 0;
}
