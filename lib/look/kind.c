/* kind - determine what a file is from its first 64 KiB */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <tp/binary.h>
#include <tp/json.h>
#include <tp/lines.h>
#include <tp/read/xctrace.h>
#include <tp/records.h>
#include <tp/redact.h>
#include <tp/text.h>

#include "look_parts.h"
#include "read/json_skip.h"
#include "read/recorder.h"
#include "read/row_events.h"
#include "read/rows.h"

/* Processes of a file that are kept, with their number of rows. */
#define PROCS_MAX 256

struct weights {
	ptrdiff_t procs[PROCS_MAX];
	uint32_t rows[PROCS_MAX];
	size_t count, most;
};

/* Count a row for process PROC.  Returns 0 if there is no room for another. */
static int
weigh(struct weights *w, ptrdiff_t proc)
{
	size_t i;

	for (i = 0; i < w->count && w->procs[i] != proc; i++)
		continue;
	if (i == PROCS_MAX)
		return 0;
	if (i == w->count) {
		w->procs[w->count++] = proc;
		w->rows[i] = 0;
	}
	if (++w->rows[i] > w->rows[w->most])
		w->most = i;
	return 1;
}

/* Remember the processes and the GPU named in a row. */
static void
take_row(struct tp_look *look, struct tp_look_file *f,
    const struct tp_row *row, struct weights *w)
{
	const struct tp_table_column *c = row->table->columns;
	ptrdiff_t at;

	f->has_rows = 1;
	tp_look_take_source(look, f, row);
	for (size_t i = 0; i < row->count; i++) {
		const struct tp_value *v = &row->v[i];

		if (v->type == TP_PROCESS && v->n > 0 && !f->more_procs) {
			at = tp_procs_add(&look->procs, v->text, v->len, v->n);
			f->more_procs = !weigh(w, at);
		}
		if (!f->device && v->type == TP_TEXT && v->len &&
		    !strcmp(c[i].name, "gpu"))
			f->device = tp_arena_text(&look->arena, v->text,
			    v->len);
	}
}

static void
keep_procs(struct tp_look *look, struct tp_look_file *f,
    const struct weights *w)
{
	if (!w->count)
		return;
	f->procs = tp_arena_get(&look->arena, w->count * sizeof *f->procs);
	memcpy(f->procs, w->procs, w->count * sizeof *f->procs);
	f->proc_count = w->count;
	f->main_process = w->procs[w->most];
}

/* Refuse F, which cannot be read, as DAMAGE says. */
static void
refuse(struct tp_look *look, struct tp_look_file *f,
    const struct tp_err *damage)
{
	tp_look_refuse(look, f, TP_LOOK_LOST, damage->status == TP_LIMIT ?
	    "input.limit" : damage->code, "%s", damage->text);
}

/* Refuse it if it hit a limit, which says nothing of the others. */
static void
refuse_limit(struct tp_look *look, struct tp_look_file *f,
    const struct tp_err *damage)
{
	if (damage->status == TP_LIMIT || damage->status == TP_IO)
		refuse(look, f, damage);
}

/* Take processes and GPU from the rows in the first bytes. */
static void
take_table(struct tp_look *look, struct tp_look_file *f, struct tp_in *in)
{
	struct tp_trace trace = { 0 };
	struct tp_err damage = { 0 };
	struct weights weights;
	struct tp_rows *rows;
	struct tp_row row;
	ptrdiff_t at;
	int rc;

	weights.count = weights.most = 0;
	tp_in_stop(in);
	rows = tp_rows_open(in, f->format, NULL, NULL, look->tables, &trace);
	while ((rc = tp_rows_next(rows, &row, &damage)) &&
	    (rc > 0 || !damage.fatal))
		if (rc > 0)
			take_row(look, f, &row, &weights);
	tp_rows_close(rows);
	tp_in_again(in);
	keep_procs(look, f, &weights);
	if (trace.source_count) {
		at = tp_names_add(&look->table_names, trace.sources[0].schema,
		    strlen(trace.sources[0].schema));
		f->table = look->table_names.names[at].text;
		f->run = trace.run_number;
	}
	tp_trace_release_notes(&trace);
	refuse_limit(look, f, &damage);
}

/* Take the launched process from a table of contents. */
static void
take_toc(struct tp_look *look, struct tp_look_file *f, struct tp_in *in)
{
	struct tp_err damage = { 0 };
	struct tp_toc_run *runs = tp_toc_read(in, &damage);

	if (runs && runs->process && !runs->next) {
		f->target = tp_look_text(look, "%s", runs->process);
		f->target_pid = runs->pid;
	}
	tp_toc_free(runs);
	if (!runs)
		refuse_limit(look, f, &damage);
}

static int
has_suffix(const char *name, const char *const *ends)
{
	for (; *ends; ends++)
		if (tp_look_ends(name, *ends))
			return 1;
	return 0;
}

/* Whether a file called NAME is an export by its name, whatever it contains. */
static int
is_export_name(const char *name)
{
	static const char *const ends[] = { ".csv", ".xml", NULL };

	return has_suffix(name, ends);
}

static int
is_binary_name(const char *name)
{
	static const char *const ends[] = { ".etdp", ".etdump", ".pftrace",
	    ".sqlite", ".xplane.pb", NULL };

	return has_suffix(name, ends);
}

/*
 * Recognize a binary file.  Returns 1 if it was described, 0, or -1 with ERR.
 */
static int
take_binary(struct tp_look *look, struct tp_look_file *f, struct tp_in *in,
    struct tp_err *err)
{
	struct tp_buf said = { 0 };
	const char *p;
	ptrdiff_t n = tp_in_peek(in, &p, err);
	int rc;

	rc = tp_binary_say(&said, p, n > 0 ? (size_t)n : 0, f->path, err);
	if (rc > 0) {
		tp_look_refuse(look, f, TP_LOOK_UNUSED, rc == TP_BINARY_ARCHIVE
		    ? "file.archive" : NULL, "%s", said.p);
		rc = 1;
	}
	tp_buf_release(&said);
	return rc;
}

static int
says(const char *p, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (; n >= len; p++, n--)
		if (!strncasecmp(p, word, len))
			return 1;
	return 0;
}

/* Read a log until a line says what it is. */
static void
take_log(struct tp_look *look, struct tp_look_file *f, struct tp_in *in)
{
	struct tp_lines lines;
	struct tp_err damage = { 0 };
	const char *text;
	size_t len;
	int ran = 0, names = 0;

	tp_lines_init(&lines, in);
	while (!names && tp_lines_next(&lines, &text, &len, &damage) > 0) {
		ran |= says(text, len, "executed successfully");
		names = says(text, len, "using ") &&
		    says(text, len, " microkernel");
	}
	tp_lines_release(&lines);
	f->table = names ? "log" : ran ? "runner-log" : NULL;
	if (names)
		tp_look_refuse(look, f, TP_LOOK_UNUSED, NULL,
		    "a log of XNNPACK, not used");
}

/* Classify text in which no table was found. */
static int
take_text(struct tp_look *look, struct tp_look_file *f, struct tp_in *in,
    struct tp_err *err)
{
	static const char *const logs[] = { ".log", ".txt", NULL };
	const char *name = tp_base(f->path);
	int rc = take_binary(look, f, in, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	if (f->format == TP_FORMAT_CSV && (has_suffix(name, logs) ||
	    strstr(name, "xnntrace"))) {
		take_log(look, f, in);
		return 0;
	}
	if (is_export_name(name))
		f->role = "other";
	return 0;
}

/*
 * Whether the first bytes are of a document with latencies by experiment, as in
 * a run folder of ExecuTorch.
 */
static int
tells_latencies(struct tp_in *in, struct tp_err *err)
{
	static const char *const words[] = { "\"results\"",
	    "\"experiment\"", "\"latency_ms\"" };
	const char *p;
	ptrdiff_t n = tp_in_peek(in, &p, err);

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (n <= 0 || !says(p, (size_t)n, words[i]))
			return 0;
	return 1;
}

static void
take_json(struct tp_look_file *f, struct tp_in *in, struct tp_err *err)
{
	switch (tp_in_document(in, err)) {
	case TP_DOCUMENT_SUMMARY:
		f->table = "profile-summary";
		f->role = "summary";
		f->what = "summary of a JAX profile";
		break;
	case TP_DOCUMENT_BENCHMARK:
		f->table = "benchmark";
		f->role = "bench";
		f->what = "benchmark result";
		break;
	default:
		if (tells_latencies(in, err))
			f->role = "metrics";
		break;
	}
}

/* Refuse a table of another profiler that has no times. */
static void
check_times(struct tp_look *look, struct tp_look_file *f, struct tp_in *in)
{
	struct tp_err damage = { 0 };

	if (tp_row_events_check(in, &damage) >= 0)
		return;
	f->role = NULL;
	tp_look_refuse(look, f, TP_LOOK_UNUSED, NULL, "%s", damage.text);
}

static int
take_rows(struct tp_look *look, struct tp_look_file *f, struct tp_in *in,
    struct tp_err *err)
{
	const struct tp_export *e;
	const char *p;
	ptrdiff_t n = tp_in_peek(in, &p, err);

	f->head = n > 0 ? tp_hash_bytes(p, (size_t)n) : 0;
	take_table(look, f, in);
	if (!f->table || !strcmp(f->table, "-") || strchr(f->table, '/')) {
		f->table = NULL;
		if (f->format != TP_FORMAT_JSON)
			return take_text(look, f, in, err);
		take_json(f, in, err);
		return 0;
	}
	f->is_rows = 1;
	e = tp_tables_export(look->tables, f->table);
	f->role = e && e->role ? e->role : "other";
	f->state = strcmp(f->role, "other") ? TP_LOOK_USED : TP_LOOK_COUNTED;
	f->what = f->format == TP_FORMAT_STACKS ? "folded stacks" :
	    tp_look_text(look, "table %s", f->table);
	if (tp_look_is_role(f, "torch"))
		check_times(look, f, in);
	return 0;
}

static void
take_events(struct tp_look_file *f)
{
	int torch = f->identity.profiler == TP_PROFILER_TORCH;

	f->table = torch ? "pytorch" : NULL;
	f->role = f->identity.profiler == TP_PROFILER_JAX ? "trace" : "torch";
	f->what = torch ? "trace of PyTorch" : "trace events";
}

/* Take records.  Memory: the names of their sources. */
static void
take_records(struct tp_look *look, struct tp_look_file *f, struct tp_in *in)
{
	/* as filters begin them */
	static const char source[] = "{\"kind\":\"source\",";
	struct tp_err damage = { 0 };
	struct tp_lines lines;
	struct tp_buf names = { 0 };
	const char *line;
	size_t len;

	tp_lines_init(&lines, in);
	while (tp_lines_next(&lines, &line, &len, &damage) > 0) {
		struct tp_arena arena = { 0 };
		struct tp_rec rec = { 0 };
		const char *file;

		if (len >= sizeof source &&
		    !memcmp(line, source, sizeof source - 1) &&
		    tp_rec_parse(&rec, line, len, &arena, &damage) == 0 &&
		    (file = tp_rec_text(&rec, "file")))
			tp_buf_fmt(&names, "%s\n", tp_base(file));
		tp_arena_release(&arena);
	}
	tp_lines_release(&lines);
	f->role = "records";
	f->what = "records";
	if (names.len)
		f->made_of = tp_look_text(look, "%.*s", (int)names.len,
		    names.p);
	tp_buf_release(&names);
}

/*
 * Take a recording of another profiler, which is analysed like a PyTorch trace.
 */
static void
take_recorded(struct tp_look *look, struct tp_look_file *f, struct tp_in *in)
{
	struct tp_err damage = { 0 };
	struct tp_recorder recorder;
	int rc = tp_recorder_of(in, &recorder, &damage);

	if (rc < 0) {
		if (strcmp(damage.code, "input.unknown")) {
			refuse(look, f, &damage);
			return;
		}
		tp_look_refuse(look, f, TP_LOOK_UNUSED, NULL, "%s",
		    damage.text);
		return;
	}
	f->table = tp_look_text(look, "%s", recorder.name);
	f->what = tp_look_text(look, "%s", recorder.what);
	f->role = "torch";
	if (!*f->identity.device)
		snprintf(f->identity.device, sizeof f->identity.device, "%.63s",
		    f->what);
	tp_recorder_release(&recorder);
}

/*
 * Use an export that was lost on the way, so that the filter reports the loss.
 */
static void
take_lost(struct tp_look *look, struct tp_look_file *f)
{
	const char *name = tp_base(f->path);
	size_t len = strlen(name);

	if (!is_export_name(name) && !is_binary_name(name) &&
	    !tp_look_ends(name, ".json") && tp_in_stem(name, len) == len) {
		tp_look_refuse(look, f, TP_LOOK_UNUSED, f->format ==
		    TP_FORMAT_LFS ? "lfs.pointer" : NULL, "%s, not read",
		    f->format == TP_FORMAT_LFS ?
		    "a git-LFS pointer in place of the file" :
		    tp_format_name(f->format));
		return;
	}
	f->role = "other";
	f->state = TP_LOOK_COUNTED;
	f->what = tp_look_text(look, "%s instead of an export",
	    tp_format_name(f->format));
}

/* Whether the brackets of IN, of JSON by its first one, close it. */
static int
is_json(struct tp_in *in)
{
	struct tp_err none = { 0 };
	struct tp_skip skip;
	const char *p;
	ptrdiff_t n = tp_in_peek(in, &p, &none), at = 0;

	while (at < n && p[at] != '{' && p[at] != '[')
		at++;
	tp_skip_init(&skip);
	if (at < n)
		tp_skip_run(&skip, p + at, (size_t)(n - at));
	return !skip.wrong && (!skip.depth || n == TP_PEEK);
}

/*
 * Report the loss of F as that of an empty file, if nothing is known of it and
 * it is not what the ending of its name says.
 */
static void
find_broken(struct tp_look_file *f, struct tp_in *in)
{
	const char *name = tp_base(f->path);
	int csv = f->format == TP_FORMAT_CSV, json = f->format ==
	    TP_FORMAT_JSON, xml = f->format == TP_FORMAT_XCTRACE;

	if (f->table || f->code || (f->role && strcmp(f->role, "other")))
		return;
	if (f->format != TP_FORMAT_BINARY && !csv && !json && !xml)
		return;
	if (tp_look_ends(name, ".json"))
		f->is_broken = !json || !is_json(in);
	else if (tp_look_ends(name, ".xml"))
		f->is_broken = !xml;
	else if (is_export_name(name) || tp_look_ends(name, ".log"))
		f->is_broken = !csv && !xml;
	else
		/* a text may stand in for it, and say so */
		f->is_broken = f->format == TP_FORMAT_BINARY &&
		    is_binary_name(name);
	if (!f->is_broken || tp_look_ends(name, ".log"))
		return;		/* a log is only of a run folder */
	f->role = "other";
	f->what = "not what the ending of its name says";
}

static int
recognise_file(struct tp_look *look, struct tp_look_file *f, struct tp_in *in,
    struct tp_err *err)
{
	int rc = 0;

	f->state = TP_LOOK_USED;
	if (tp_identity_read(&f->identity, in, f->format, f->path, f->place,
	    err) < 0)
		return -1;
	switch (f->format) {
	case TP_FORMAT_TOC:
		f->role = "contents";
		f->table = "toc";
		f->what = "table of contents";
		take_toc(look, f, in);
		return 0;
	case TP_FORMAT_JSON:
		if (tp_rows_can(in, f->format))
			rc = take_rows(look, f, in, err);
		else
			take_json(f, in, err);
		break;
	case TP_FORMAT_TRACE_EVENTS:
		take_events(f);
		return 0;
	case TP_FORMAT_RECORDS:
		take_records(look, f, in);
		return 0;
	case TP_FORMAT_XCTRACE:
	case TP_FORMAT_CSV:
	case TP_FORMAT_STACKS:
		rc = take_rows(look, f, in, err);
		break;
	case TP_FORMAT_ETDUMP:
		f->role = "experiment";
		f->table = "etdump-timeline";
		f->what = "ETDump";
		return 0;
	case TP_FORMAT_PTE:
		tp_look_refuse(look, f, TP_LOOK_UNUSED, NULL,
		    "a program of ExecuTorch, read beside an ETDump");
		break;
	case TP_FORMAT_XPLANE:
		f->role = "trace";
		f->what = "xplane.pb of JAX";
		return 0;
	case TP_FORMAT_PERFETTO:
		f->role = "torch";
		f->what = "a Perfetto trace";
		return 0;
	case TP_FORMAT_SQLITE:
		take_recorded(look, f, in);
		return 0;
	case TP_FORMAT_BINARY:
		rc = take_binary(look, f, in, err);
		if (!rc && is_export_name(tp_base(f->path)))
			f->role = "other";
		rc = rc < 0 ? rc : 0;
		break;
	default:
		take_lost(look, f);
	}
	return rc;
}

/*
 * Report that F holds something like a secret, and where; never the secret
 * itself.
 */
static int
look_for_secrets(struct tp_look *look, struct tp_look_file *f,
    struct tp_in *in, struct tp_err *err)
{
	const char *bytes, *what, *key;
	struct tp_err none = { 0 };
	uint64_t line, count;
	ptrdiff_t n;
	char text[200], place[40] = "";

	if (!look->redact && !(look->redact = tp_redact_open(err)))
		return -1;
	n = tp_in_peek(in, &bytes, &none);
	/* secrets cannot be found in binary files */
	if (n <= 0 || tp_redact_begin(look->redact, f->format, NULL, NULL,
	    &none) < 0)
		return 0;
	if (tp_redact_add(look->redact, bytes, (size_t)n, &none) < 0)
		return 0;
	tp_redact_end(look->redact);
	count = tp_redact_secret(look->redact, &what, &line, &key);
	if (!count || look->secret_count++ >= TP_LOOK_SECRETS_LISTED)
		return 0;
	if (line)
		snprintf(place, sizeof place, "line %llu%s",
		    (unsigned long long)line, *key ? ", " : "");
	snprintf(text, sizeof text, "holds what looks like %s%s%s%s%.40s%s: "
	    "tp-redact replaces it", what, line || *key ? " (" : "", place,
	    *key ? "key " : "", key, line || *key ? ")" : "");
	tp_look_say_of(look, "secret.found", tp_base(f->path), text);
	return 0;
}

int
tp_look_open(struct tp_look *look, struct tp_look_file *f,
    struct tp_err *err)
{
	struct tp_err damage = { 0 };
	struct tp_in *in = tp_in_open(f->path, &damage);
	int rc;

	if (in) {
		f->format = tp_in_sniff(in, &damage);
		if (f->format == TP_FORMAT_UNKNOWN) {
			tp_in_close(in);
			in = NULL;
		}
	}
	if (!in) {
		refuse(look, f, &damage);
		return 0;
	}
	rc = look_for_secrets(look, f, in, err);
	rc = rc < 0 ? rc : recognise_file(look, f, in, err);
	if (!rc)
		find_broken(f, in);
	tp_in_close(in);
	if (rc < 0)
		return -1;
	if (f->state == TP_LOOK_LOST)
		f->role = NULL;
	else if (!f->role)
		f->state = TP_LOOK_UNUSED;
	else if (tp_look_is_role(f, "other"))
		f->state = TP_LOOK_COUNTED;
	return 0;
}
