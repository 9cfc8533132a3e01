/* file - what the generators of examples share */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

void
die(int status, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", program);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

FILE *
file_create(const char *path)
{
	FILE *f;

	f = fopen(path, "w");
	if (!f)
		die(4, "cannot open '%s': %s", path, strerror(errno));
	return f;
}

void
file_close(FILE *file, const char *path)
{
	int failed;

	failed = ferror(file);
	if (fclose(file) != 0 || failed)
		die(4, "cannot write '%s': %s", path, strerror(errno));
}
