#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../examples/file.h"
#include "command.h"

static const struct unit {
	const char *name;
	int64_t factor;
} units[] = {
	{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
	{ "s", SECONDS }, { "KiB", 1 << 10 }, { "MiB", 1 << 20 },
	{ "GiB", 1 << 30 },
};

/* What UNIT stands for; 0 if there is no such unit. */
static int64_t
unit_factor(const char *unit)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].name, unit) == 0)
			return units[i].factor;
	return 0;
}

void
command_set(const struct parameter *p, size_t count, void *plan,
    const char *word)
{
	const char *value;
	char *end;
	size_t len, i;
	int64_t n, factor;

	value = strchr(word, '=');
	if (!value)
		die(2, "'%s' is not NAME=N", word);
	len = (size_t)(value++ - word);
	for (i = 0; i < count; i++)
		if (strlen(p[i].name) == len &&
		    strncmp(p[i].name, word, len) == 0)
			break;
	if (i == count)
		die(2, "no parameter '%.*s'", (int)len, word);
	errno = 0;
	n = strtoimax(value, &end, 10);
	factor = unit_factor(end);
	if (end == value || factor == 0 || errno || n < p[i].low / factor ||
	    n > p[i].high / factor)
		die(2, "bad %s: not a number from %" PRId64 " to %" PRId64,
		    word, p[i].low, p[i].high);
	n *= factor;
	memcpy((char *)plan + p[i].offset, &n, sizeof(n));
}

/* Ids need no escapes. */
void
command_ids(FILE *f, const char *ids)
{
	size_t len;

	if (ids[strspn(ids, "abcdefghijklmnopqrstuvwxyz0123456789-,")])
		die(2, "'%s' are no ids", ids);
	fputc('[', f);
	while (*ids) {
		len = strcspn(ids, ",");
		fprintf(f, "\"%.*s\"", (int)len, ids);
		ids += len;
		if (*ids) {
			fputs(", ", f);
			ids++;
		}
	}
	fputc(']', f);
}

void
command_path(char *path, size_t size, const char *folder, const char *file)
{
	int len;

	len = snprintf(path, size, "%s/%s", folder, file);
	if (len < 0 || (size_t)len >= size)
		die(4, "'%s': name is too long", folder);
}

void
command_folder(const char *path)
{
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		die(4, "cannot make '%s': %s", path, strerror(errno));
}
