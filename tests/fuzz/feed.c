/* feed - what the fuzzers share */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tp/hash.h>

#include "feed.h"
#include "read/events.h"
#include "read/rows.h"

void
broken(const char *what)
{
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

/* Of libFuzzer, before the first input: data beside the program is used, which
 * may have been taken to another machine. */
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *program = **argv, *slash = strrchr(program, '/');
	char path[4096];

	(void)argc;
	if (!slash || getenv("TP_SHARE") || snprintf(path, sizeof path,
	    "%.*s/share", (int)(slash - program), program) >= (int)sizeof path)
		return 0;
	if (!access(path, R_OK))
		setenv("TP_SHARE", path, 1);
	return 0;
}

struct tp_in *
feed(const uint8_t *data, size_t size, size_t block)
{
	static FILE *file;
	struct tp_err err;
	struct tp_in *in;
	char digits[24];

	if (!file) {
		file = tmpfile();
		if (!file || dup2(fileno(file), STDIN_FILENO) < 0)
			broken("no temporary file");
	}
	if (ftruncate(STDIN_FILENO, 0) < 0 ||
	    pwrite(STDIN_FILENO, data, size, 0) != (ssize_t)size ||
	    lseek(STDIN_FILENO, 0, SEEK_SET) < 0)
		broken("cannot write the temporary file");
	snprintf(digits, sizeof digits, "%zu", block);
	setenv("TP_BLOCK", digits, 1);
	in = tp_in_open("-", &err);
	if (!in)
		broken("cannot open the temporary file");
	return in;
}

void
mix(struct digest *d, const void *bytes, size_t len)
{
	d->hash = d->hash * 1099511628211u ^ tp_hash_bytes(bytes, len);
}

static void
mix_row(struct digest *d, const struct tp_row *row)
{
	for (size_t i = 0; i < row->count; i++) {
		const struct tp_value *v = &row->v[i];

		mix(d, &v->type, sizeof v->type);
		if (v->type == TP_NONE)
			continue;
		if (v->type == TP_ID)
			mix(d, &v->id, sizeof v->id);
		else if (v->type == TP_STACK)
			for (size_t k = 0; k < v->stack->count; k++)
				mix(d, v->stack->frames[k].name,
				    strlen(v->stack->frames[k].name));
		else if (v->type == TP_TEXT || v->type == TP_DECIMAL ||
		    v->type == TP_PROCESS || v->type == TP_THREAD)
			mix(d, v->text, v->whole);
		else
			mix(d, &v->n, sizeof v->n);
	}
	mix(d, &row->line, sizeof row->line);
	d->items++;
}

#define RULE "\n----\n"

size_t
feed_records(const uint8_t *data, size_t size, struct tp_set *set,
    void (*refused)(const char *text, size_t len))
{
	const char *text = (const char *)data, *end = text + size, *p, *lf;
	struct tp_err err;
	size_t len = size;

	for (p = text; p + strlen(RULE) <= end; p++)
		if (!memcmp(p, RULE, strlen(RULE))) {
			len = (size_t)(p + 1 - text);
			break;
		}
	for (p += strlen(RULE); len < size && p < end; p = lf + 1) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (!lf)
			break;
		if (tp_set_add(set, p, (size_t)(lf - p), &err) < 0 && refused)
			refused(p, (size_t)(lf - p));
	}
	return len;
}

void
feed_release(struct tp_trace *t)
{
	for (size_t i = 0; i < t->source_count; i++) {
		tp_free(t->sources[i].file);
		tp_free(t->sources[i].schema);
	}
	for (size_t i = 0; i < t->note_count; i++) {
		tp_free(t->notes[i].code);
		tp_free(t->notes[i].text);
	}
	tp_free(t->sources);
	tp_free(t->notes);
}

/* By JOBS threads, or by the libraries alone. */
enum { LIBRARY = 0 };

static void
read_rows(struct digest *d, const uint8_t *data, size_t size,
    enum tp_format format, size_t block, size_t jobs)
{
	struct tp_in *in = feed(data, size, block);
	struct tp_trace trace = { 0 };
	struct tp_err err = { 0 };
	struct tp_tables *tables = tp_tables_load(&err);
	struct tp_rows *rows;
	struct tp_row row;
	int rc;

	if (!tables)
		broken(err.text);
	memset(d, 0, sizeof *d);
	/* sniffing also makes sure that the header is in the first block */
	(void)tp_in_sniff(in, &err);
	rows = tp_rows_open(in, format, NULL, NULL, tables, &trace);
	if (jobs == LIBRARY)
		tp_rows_only_library(rows);
	else
		tp_rows_jobs(rows, jobs);
	while ((rc = tp_rows_next(rows, &row, &err)) != 0) {
		if (rc > 0)
			mix_row(d, &row);
		else if (err.fatal)
			break;
		else
			d->damaged++;
		if (rc < 0 && format == TP_FORMAT_XCTRACE)
			mix(d, &err.line, sizeof err.line);
		if (rc < 0 && (!err.status || !err.code || !*err.text))
			broken("an error that says nothing");
	}
	d->end = rc < 0 ? err.code : NULL;
	d->notes = trace.note_count;
	tp_rows_close(rows);
	tp_in_close(in);
	feed_release(&trace);
	tp_tables_free(tables);
}

void
same(const struct digest *d, const struct digest *whole, const char *how)
{
	if (d->items == whole->items && d->hash == whole->hash &&
	    d->damaged == whole->damaged && d->notes == whole->notes &&
	    !d->end == !whole->end &&
	    (!d->end || !strcmp(d->end, whole->end)))
		return;
	fprintf(stderr, "items %zu %zu, damaged %zu %zu, notes %zu %zu, end "
	    "%s %s\n", d->items, whole->items, d->damaged, whole->damaged,
	    d->notes, whole->notes, d->end ? d->end : "-",
	    whole->end ? whole->end : "-");
	broken(how);
}

void
feed_rows(const uint8_t *data, size_t size, enum tp_format format)
{
	static const size_t blocks[] = { 1, 7, 4096 };
	struct digest whole, d;

	read_rows(&whole, data, size, format, (size_t)1 << 20, 1);
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		read_rows(&d, data, size, format, blocks[i], 1);
		same(&d, &whole, "reading depends on the size of blocks");
	}
	if (format != TP_FORMAT_CSV && format != TP_FORMAT_XCTRACE)
		return;
	read_rows(&d, data, size, format, (size_t)1 << 20, LIBRARY);
	same(&d, &whole, "the library alone reads something else");
	if (format != TP_FORMAT_CSV)
		return;
	/* in parts as small as a block */
	read_rows(&d, data, size, format, 64, 3);
	same(&d, &whole, "reading depends on threads");
}

static void
mix_arg(struct digest *d, const struct tp_arg *arg)
{
	mix(d, &arg->type, sizeof arg->type);
	if (arg->type)
		mix(d, arg->text, arg->len);
}

static void
mix_event(struct digest *d, const struct tp_events_want *want,
    const struct tp_event *v)
{
	int64_t numbers[] = { v->phase, (int64_t)v->lane, (int64_t)v->index,
	    v->has_ts ? v->ts_ps : -1, v->has_dur ? v->dur_ps : -1 };

	mix(d, numbers, sizeof numbers);
	mix_arg(d, &v->name);
	mix_arg(d, &v->cat);
	mix_arg(d, &v->id);
	for (size_t i = 0; want->args[i]; i++)
		mix_arg(d, &v->args[i]);
	d->items++;
}

void
feed_events(struct digest *d, struct tp_in *in,
    const struct tp_events_want *want,
    void (*check)(const struct tp_events *, const struct tp_event *))
{
	struct tp_trace trace = { 0 };
	struct tp_err err = { 0 };
	struct tp_events *e = tp_events_open(in, want, &trace, &err);
	struct tp_event v;
	int rc = -1;

	memset(d, 0, sizeof *d);
	while (e && (rc = tp_events_next(e, &v, &err)) != 0) {
		if (rc > 0 && check)
			check(e, &v);
		if (rc > 0)
			mix_event(d, want, &v);
		else if (err.fatal)
			break;
		else
			d->damaged++;
		if (rc < 0 && (!err.status || !err.code || !*err.text))
			broken("an error that says nothing");
	}
	if (rc < 0 && (!err.status || !err.code || !*err.text))
		broken("an end that says nothing");
	d->end = rc < 0 ? err.code : NULL;
	for (size_t i = 0; i < trace.note_count; i++)
		mix(d, &trace.notes[i].count, sizeof trace.notes[i].count);
	d->notes = trace.note_count;
	tp_events_close(e);
	tp_in_close(in);
	feed_release(&trace);
}
