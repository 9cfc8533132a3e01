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
command_set(const struct generator *g, void *plan, const char *word)
{
	const struct parameter *p = g->parameters;
	const char *value;
	char *end;
	size_t len, i;
	int64_t n, factor;

	value = strchr(word, '=');
	if (!value)
		die(2, "'%s' is not NAME=N", word);
	len = (size_t)(value++ - word);
	for (i = 0; i < g->parameter_count; i++)
		if (strlen(p[i].name) == len &&
		    strncmp(p[i].name, word, len) == 0)
			break;
	if (i == g->parameter_count)
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

static void
usage(const struct generator *g)
{
	fprintf(stderr, "usage: %s [--verdict WORD] %s--out DIR NAME=N...\n"
	    "\t[-- IDS [NAME=N...]]...\n", program, g->options ? g->options :
	    "");
	exit(2);
}

void
command_read(struct command *c, const struct generator *g, void *plan,
    int argc, char *argv[])
{
	int i;

	*c = (struct command){ .g = g };
	for (i = 1; i + 1 < argc && strncmp(argv[i], "--", 2) == 0 &&
	    argv[i][2]; i += 2) {
		if (strcmp(argv[i], "--out") == 0)
			c->out = argv[i + 1];
		else if (strcmp(argv[i], "--verdict") == 0)
			c->verdict = argv[i + 1];
		else if (!g->option || !g->option(argv[i], argv[i + 1]))
			usage(g);
	}
	if (!c->out)
		usage(g);
	command_folder(c->out);
	command_path(c->trace, sizeof(c->trace), c->out, "trace");
	command_folder(c->trace);
	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		command_set(g, plan, argv[i]);
	c->cause_count = argc - i;
	c->causes = argv + i;
}

/* Ids need no escapes. */
static void
write_ids(FILE *f, const char *ids)
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

/* One cause of WORDS, up to the next "--"; returns where that is. */
static int
write_cause(FILE *f, const struct generator *g, const void *plan, int count,
    char *words[])
{
	void *cured;
	int64_t gain, window = 0;
	int i;

	if (count < 1)
		usage(g);
	cured = malloc(g->size);
	if (!cured)
		die(4, "no memory");
	memcpy(cured, plan, g->size);
	for (i = 1; i < count && strcmp(words[i], "--") != 0; i++)
		command_set(g, cured, words[i]);
	gain = g->gain(plan, cured);
	if (g->window_gain)
		window = g->window_gain(plan, cured);
	free(cured);
	fputs("    {\"findings\": ", f);
	write_ids(f, words[0]);
	fprintf(f, ", \"gain_ns\": %" PRId64, gain > 0 ? gain : 0);
	if (g->window_gain)
		fprintf(f, ", \"window_gain_ns\": %" PRId64, window);
	fputc('}', f);
	return i;
}

static void
write_verdict(FILE *f, const struct generator *g, const int64_t *parts)
{
	const char *between = "";
	int64_t most = 0;

	for (int i = 0; i < g->part_count; i++)
		if (parts[i] > most)
			most = parts[i];
	fputc('[', f);
	for (int i = 0; i < g->part_count; i++) {
		if (parts[i] < most - most / 10)
			continue;
		fprintf(f, "%s\"%s\"", between, g->parts[i].word);
		between = ", ";
	}
	fputc(']', f);
}

void
command_tell(const struct command *c, const void *plan,
    const struct told *told, const char *head)
{
	const struct generator *g = c->g;
	char path[4096];
	FILE *f;

	command_path(path, sizeof(path), c->out, "truth.json");
	f = file_create(path);
	fprintf(f, "{\n  %s\"span_ns\": %" PRId64 ", \"busy_ns\": %" PRId64
	    ", \"idle_ns\": %" PRId64 ", \"rows\": %" PRId64 ",\n", head,
	    told->span, told->busy, told->idle, told->rows);
	for (int i = 0; i < g->part_count; i++)
		fprintf(f, "%s\"%s\": %" PRId64, i ? ", " :
		    "  \"parts\": {", g->parts[i].name, told->parts[i]);
	fputs("},\n", f);
	if (told->process)
		fprintf(f, "  \"process\": \"%s\",\n", told->process);
	fputs("  \"verdict\": ", f);
	if (c->verdict)
		fprintf(f, "[\"%s\"]", c->verdict);
	else if (g->verdict)
		g->verdict(f, plan, told);
	else
		write_verdict(f, g, told->parts);
	fputs(",\n  \"causes\": [\n", f);
	for (int i = 0; i < c->cause_count; ) {
		i += 1 + write_cause(f, g, plan, c->cause_count - i - 1,
		    c->causes + i + 1);
		fputs(i < c->cause_count ? ",\n" : "\n", f);
	}
	fputs("  ]\n}\n", f);
	file_close(f, path);
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
