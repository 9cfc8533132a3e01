/* input - read rows, records and documents from the operands */
#include <stdio.h>
#include <string.h>

#include <tp/binary.h>
#include <tp/read/xctrace.h>

#include "tool_parts.h"

void
tp_tool_bad_input(struct tp_run *run)
{
	const struct tp_err *e = &run->err;
	/* --quiet hides damage in the data, not an unreadable file */
	void (*tell)(struct tp_run *, const char *, ...)
	    __attribute__((format(printf, 2, 3))) = e->status == TP_IO ||
	    e->status == TP_LIMIT ? tp_say : tp_warn;

	/* a limit is the end of that file, memory of all */
	if (e->status == TP_USAGE)
		tp_die_err(run);
	if (e->line)
		tell(run, "%s:%llu: %s", run->file,
		    (unsigned long long)e->line, e->text);
	else
		tell(run, "%s: %s", run->file, e->text);
	tp_status_at_least(run, e->status);
	if (!run->trace)
		return;
	if (e->status == TP_LIMIT)
		tp_trace_note(run->trace, "input.limit", TP_BAD, 1, "%s: %s",
		    run->file, e->text);
	else
		tp_trace_note(run->trace, e->code, (int)e->status, 1, "%s: %s",
		    run->file, e->text);
}

/*
 * What the current input of FORMAT is and which other program reads it, or NULL
 * if none does.
 */
static const char *
maker_of(struct tp_run *run, enum tp_format format)
{
	struct tp_err err;

	if (format == TP_FORMAT_TRACE_EVENTS)
		return "trace events; tp-trace reads them";
	if (format == TP_FORMAT_RECORDS)
		return "records; tp-render and tp-query read them";
	if (format != TP_FORMAT_JSON)
		return NULL;
	switch (tp_in_document(run->private->in, &err)) {
	case TP_DOCUMENT_SUMMARY:
		return "a profile summary; tp-from-summary makes records of "
		    "it";
	case TP_DOCUMENT_BENCHMARK:
		return "results of a benchmark; tp-bench makes records of "
		    "them";
	default:
		return NULL;
	}
}

/*
 * If the current input is of a known binary format, appends to SAID what it
 * is and returns 1; else 0.
 */
static int
is_binary(struct tp_run *run, struct tp_buf *said)
{
	struct tp_err err;
	const char *p;
	ptrdiff_t n = tp_in_peek(run->private->in, &p, &err);

	return n > 0 && tp_binary_say(said, p, (size_t)n,
	    strcmp(run->path, "-") ? run->path : NULL, &err) > 0;
}

void
tp_tool_wrong_format(struct tp_run *run, enum tp_format format)
{
	static const char *const others[] = {
		[TP_FORMAT_HTML] = "an HTML page, not an export: was a web "
		    "page saved instead of the file?",
		[TP_FORMAT_UTF16] = "UTF-16 text; convert it with 'iconv -f "
		    "UTF-16 -t UTF-8'",
		[TP_FORMAT_ETDUMP] = "an ETDump of ExecuTorch; tp-etdump "
		    "reads it",
		[TP_FORMAT_PTE] = "a program of ExecuTorch; give it to "
		    "tp-etdump with the ETDump (.etdp) of its runs",
		[TP_FORMAT_XPLANE] = "an xplane.pb; tp-trace reads it",
		[TP_FORMAT_PERFETTO] = "a Perfetto trace; tp-trace reads it",
		[TP_FORMAT_SQLITE] = "an SQLite database; tp-trace reads "
		    "those of Nsight Systems and rocprofv3",
	};
	struct tp_buf said = { 0 };
	const char *what = maker_of(run, format);
	struct tp_err *e = &run->err;

	if (!what && format < sizeof others / sizeof *others)
		what = others[format];
	if (what) {
		tp_fail(e, TP_BAD, "input.unknown", 0, "%s", what);
		return;
	}
	switch (format) {
	case TP_FORMAT_EMPTY:
		tp_fail(e, TP_BAD, "input.empty", 0, "the file is empty");
		break;
	case TP_FORMAT_LFS:
		tp_fail(e, TP_BAD, "lfs.pointer", 0, "a git-LFS pointer, not "
		    "the export itself; fetch it with 'git lfs pull'");
		break;
	case TP_FORMAT_BINARY:
		if (strstr(run->path, ".trace/"))
			tp_fail(e, TP_BAD, "input.unknown", 0, "a file of a "
			    "trace itself; its exports are read, which are "
			    "made on a Mac");
		else if (is_binary(run, &said))
			tp_fail(e, TP_BAD, "input.unknown", 0, "%s", said.p);
		else
			tp_fail(e, TP_BAD, "input.unknown", 0, "binary data, "
			    "not an export; this program reads %s",
			    run->tool->reads);
		break;
	case TP_FORMAT_JSON:
	case TP_FORMAT_XCTRACE:
	case TP_FORMAT_TOC:
	case TP_FORMAT_CSV:
		tp_fail(e, TP_BAD, "input.unknown", 0,
		    "this is %s; this program reads %s",
		    format == TP_FORMAT_JSON ?
		    (run->tool->flags & TP_TOOL_TABLES ?
		    "JSON, but no list of flat objects" : "a JSON document") :
		    format == TP_FORMAT_CSV ? "text, perhaps CSV" :
		    "an XML export", run->tool->reads);
		break;
	default:
		tp_fail(e, TP_BAD, "input.unknown", 0,
		    "not an export this program knows; it reads %s",
		    run->tool->reads);
	}
	tp_buf_release(&said);
}

int
tp_tool_open_next(struct tp_run *run, enum tp_format *format)
{
	struct tp_run_private *p = run->private;
	struct tp_operand *o;
	const char *name;

	while (p->next_input < p->input_count) {
		o = &p->inputs[p->next_input++];
		run->trace = o->trace;
		run->input = p->next_input - 1;
		p->source_from = o->trace ? o->trace->source_count : 0;
		run->path = o->path;
		run->file = strcmp(o->path, "-") ? o->path : "<stdin>";
		if (o->refused.status)
			run->err = o->refused;
		else
			p->in = tp_in_open(o->path, &run->err);
		if (p->in) {
			/*
			 * a copy, because messages and notes outlive the input
			 */
			name = p->name && !strcmp(o->path, "-") ? p->name :
			    tp_in_name(p->in);
			o->name = tp_dup(name);
			run->file = o->name;
			tp_tool_progress(run, "reading", p->next_input);
			*format = tp_in_sniff(p->in, &run->err);
			if (*format != TP_FORMAT_UNKNOWN ||
			    !run->err.fatal)
				return 1;
			tp_tool_progress_closing(run);
			tp_in_close(p->in);
			p->in = NULL;
		}
		tp_tool_bad_input(run);
		run->err.fatal = 0;
	}
	return 0;
}

/* Note COUNT bytes after the compressed data. */
static void
note_trailing(struct tp_run *run, uint64_t count)
{
	static const char text[] =
	    "%s: bytes after the end of the %s data were ignored";
	const char *name = tp_in_packing(run->private->in);

	if (strcmp(name, "gzip"))
		tp_trace_note(run->trace, "zstd.trailing", 0, count, text,
		    run->file, name);
	else
		tp_trace_note(run->trace, "gzip.trailing", 0, count, text,
		    run->file, name);
}

void
tp_tool_close_input(struct tp_run *run)
{
	struct tp_run_private *p = run->private;

	tp_tool_progress_closing(run);
	if (p->in && tp_in_trailing(p->in) && run->trace)
		note_trailing(run, tp_in_trailing(p->in));
	tp_rows_close(p->rows);
	p->rows = NULL;
	tp_in_close(p->in);
	p->in = NULL;
}

void
tp_tool_count_bytes(struct tp_run *run, size_t from)
{
	for (size_t i = from; i < run->trace->source_count; i++)
		if (!run->trace->sources[i].bytes)
			run->trace->sources[i].bytes =
			    tp_in_bytes(run->private->in);
}

struct tp_source *
tp_tool_add_source(struct tp_run *run, const char *format, const char *schema)
{
	struct tp_trace *t = run->trace;
	struct tp_source *s;

	s = TP_PUSH(t->sources, t->source_count, t->source_cap);
	s->file = tp_dup(run->file);
	if (schema)
		s->schema = tp_dup(schema);
	s->format = format;
	s->first_ns = INT64_MAX;
	s->last_ns = INT64_MIN;
	return s;
}

/* Remember what a table of contents says about the run of the tables. */
static void
take_toc(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	struct tp_toc_run *runs = tp_toc_read(p->in, &run->err), *r;
	struct tp_toc *toc = &run->trace->toc;

	if (!runs) {
		tp_tool_bad_input(run);
		return;
	}
	r = runs;
	for (int64_t n = run->trace->run_number; r && n > 1; n--)
		r = r->next;
	if (!r)
		r = runs;
	if (runs->next)
		tp_trace_note(run->trace, "toc.runs", 0, 1,
		    "%s: the trace holds several runs; run %lld is used",
		    run->file, (long long)r->run);
	tp_toc_free(toc->runs);
	toc->runs = runs;
	toc->known = 1;
	toc->run = r->run;
	toc->duration_ns = r->duration_ns > 0 ? r->duration_ns : 0;
	toc->process = r->process;
	toc->pid = r->process ? r->pid : -1;
	tp_tool_add_source(run, "xml", "trace-toc")->bytes = tp_in_bytes(p->in);
}

static void
pass_on(void *arg, const char *src, const char *line, size_t len)
{
	struct tp_buf *passed = &tp_tool_trace(arg, src)->passed;

	tp_buf_add(passed, line, len);
	tp_buf_chr(passed, '\n');
}

static int
other_record(void *arg, const struct tp_rec *rec, struct tp_err *err)
{
	return ((struct tp_run *)arg)->tool->record(rec, err);
}

/* Note tables without rows, which differ from absent tables. */
static void
note_empty(struct tp_run *run, size_t from)
{
	struct tp_trace *t = run->trace;

	for (size_t i = from; i < t->source_count; i++)
		if (!t->sources[i].rows && t->sources[i].schema)
			tp_trace_note(t, "table.empty", 0, 1,
			    "%s: table %s has its columns and no row",
			    run->file, t->sources[i].schema);
}

void
tp_tool_note_lost(struct tp_run *run, const struct tp_source *s,
    const char *of_what, uint64_t all)
{
	char text[160];

	/* a damaged row or two of a small table are only told */
	if (s->skipped <= all / 2 && (s->skipped <= 10 ||
	    s->skipped <= all / 10))
		return;
	if (s->skipped < all)
		snprintf(text, sizeof text, "%llu of %llu %s cannot be used",
		    (unsigned long long)s->skipped, (unsigned long long)all,
		    of_what);
	else
		snprintf(text, sizeof text, "none of the %s can be used",
		    of_what);
	tp_warn(run, "%s: %s", run->file, text);
	tp_status_at_least(run, TP_BAD);
	tp_trace_note(run->trace, "input.lost", TP_BAD, s->skipped,
	    "%s: %s", run->file, text);
}

/* tp_tool_note_lost() for the tables of the current input. */
static void
note_lost_rows(struct tp_run *run, size_t from)
{
	struct tp_trace *t = run->trace;
	char rows[100];

	for (size_t i = from; i < t->source_count; i++) {
		snprintf(rows, sizeof rows, "rows of table %.80s",
		    t->sources[i].schema);
		if (t->sources[i].schema)
			tp_tool_note_lost(run, &t->sources[i], rows,
			    t->sources[i].rows);
	}
}

/*
 * Whether A and B seem to hold the same rows of a table: equal number of rows,
 * time range and first row.
 */
static int
is_repeated(const struct tp_source *a, const struct tp_source *b)
{
	return a->rows && a->rows == b->rows && a->first_ns <= a->last_ns &&
	    a->first_ns == b->first_ns && a->last_ns == b->last_ns &&
	    a->first_row == b->first_row &&
	    a->schema && b->schema && !strcmp(a->schema, b->schema);
}

/*
 * Fail if a table was read twice (XML and CSV of one export, or two copies):
 * its rows were counted double.
 */
static void
note_repeated(struct tp_run *run, size_t from)
{
	enum tp_status status = run->tool->tables ? TP_BAD : TP_OK;
	struct tp_trace *t = run->trace;
	const struct tp_source *s;

	for (size_t i = from; i < t->source_count; i++)
		for (size_t k = 0; k < from; k++) {
			s = &t->sources[i];
			if (!is_repeated(s, &t->sources[k]))
				continue;
			tp_warn(run, "%s: its rows of table %s are the same as "
			    "those of %s: name only one of them", run->file,
			    s->schema, t->sources[k].file);
			tp_status_at_least(run, status);
			tp_trace_note(t, "table.repeated", (int)status, s->rows,
			    "%s: its rows of table %s are the same as those of "
			    "%s; one of the two is enough", run->file,
			    s->schema, t->sources[k].file);
			t->refused = status == TP_BAD;
			break;
		}
}

/*
 * Whether the current input is a document that lies beside the tables of a run,
 * such as benchmark results.
 */
static int
is_beside(struct tp_run *run, enum tp_format format)
{
	struct tp_err err;

	return format == TP_FORMAT_JSON && run->private->input_count > 1 &&
	    tp_in_document(run->private->in, &err) != TP_DOCUMENT_OTHER;
}

/* Open the next input with rows.  Returns 1, or 0 after the last. */
static int
next_table(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	enum tp_format format;

	while (tp_tool_open_next(run, &format)) {
		if (run->strict && tp_tool_is_scalar(run)) {
			tp_tool_close_input(run);
			continue;
		}
		if (format == TP_FORMAT_TOC) {
			take_toc(run);
			tp_tool_close_input(run);
			continue;
		}
		if (tp_tool_is_text(run, format)) {
			tp_tool_open_text(run);
			return 1;
		}
		if (format == TP_FORMAT_PTE && tp_tool_has_dump(run)) {
			tp_tool_close_input(run);
			continue;
		}
		if (format == TP_FORMAT_ETDUMP)
			tp_tool_find_program(run);
		/* with --strict, JSON is validated as a whole */
		if (tp_rows_can(p->in, format) && !(run->strict &&
		    tp_tool_is_events(run, format))) {
			if (format == TP_FORMAT_RECORDS && !p->records_file)
				p->records_file = run->file;
			p->rows = tp_rows_open(p->in, format, run->tool->tables,
			    run->table, p->tables, run->trace);
			tp_rows_on_pass(p->rows, pass_on, run);
			if (run->tool->record)
				tp_rows_on_other(p->rows, other_record, run);
			if (p->parser)
				tp_rows_only_library(p->rows);
			tp_rows_jobs(p->rows, (size_t)p->jobs);
			return 1;
		}
		if (tp_tool_is_events(run, format)) {
			if (!tp_tool_open_events(run))
				return 1;
		} else if (is_beside(run, format)) {
			tp_trace_note(run->trace, "document.unused", 0, 1,
			    "%s: %s", run->file, maker_of(run, format));
			tp_tool_close_input(run);
			continue;
		} else {
			tp_tool_wrong_format(run, format);
		}
		tp_tool_bad_input(run);
		tp_tool_close_input(run);
	}
	return 0;
}

int
tp_next_run(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	struct tp_trace *home;
	int rc;

	for (;;) {
		if (!p->rows && !p->reading_events && !p->reading_text &&
		    !next_table(run))
			return 0;
		run->is_event = p->reading_events;
		if (p->reading_events) {
			if (tp_tool_pull_event(run))
				return 1;
			continue;
		}
		run->is_line = p->reading_text;
		if (p->reading_text) {
			if (tp_tool_pull_line(run))
				return 1;
			continue;
		}
		home = p->inputs[p->next_input - 1].trace;
		rc = tp_rows_next_run(p->rows, &run->row, &run->err);
		if (rc > 0) {
			if (run->row.src && strcmp(run->row.src,
			    run->trace->src))
				run->trace = tp_tool_trace(run, run->label ?
				    run->label : run->row.src);
			run->trace->used = 1;
			run->window = run->trace->window;
			p->any_row = 1;
			if (p->seek_process)
				tp_tool_see_process(run);
			return 1;
		}
		if (rc < 0 && !run->err.fatal) {
			tp_skip(run);
			continue;
		}
		run->trace = home;
		if (rc < 0)
			tp_tool_bad_input(run);
		tp_tool_count_bytes(run, p->source_from);
		if (rc == 0)
			note_empty(run, p->source_from);
		note_lost_rows(run, p->source_from);
		note_repeated(run, p->source_from);
		tp_tool_close_input(run);
	}
}

/*
 * Result of next_line(): none left, a line in run->line, or a document in
 * run->document (not if ANY format is accepted).
 */
enum { LINE_NONE, LINE_TEXT, LINE_DOCUMENT };

static int
next_line(struct tp_run *run, int any)
{
	struct tp_run_private *p = run->private;
	enum tp_format format;
	int rc;

	for (;;) {
		if (!p->lines_open) {
			if (!tp_tool_open_next(run, &format))
				return LINE_NONE;
			if (!any && format == TP_FORMAT_JSON &&
			    (run->tool->flags & TP_TOOL_DOCUMENTS)) {
				if (tp_tool_take_document(run, format))
					return LINE_DOCUMENT;
				continue;
			}
			if (!any && format != TP_FORMAT_RECORDS &&
			    format != TP_FORMAT_EMPTY) {
				tp_tool_wrong_format(run, format);
				tp_tool_bad_input(run);
				tp_tool_close_input(run);
				continue;
			}
			tp_lines_init(&p->lines, p->in);
			p->lines_open = 1;
		}
		rc = tp_lines_next(&p->lines, &run->line, &run->line_len,
		    &run->err);
		if (rc > 0 && run->line_len)
			return LINE_TEXT;
		if (rc > 0)
			continue;
		if (rc < 0)
			tp_tool_bad_input(run);
		tp_lines_release(&p->lines);
		p->lines_open = 0;
		tp_tool_close_input(run);
	}
}

int
tp_next_record(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	int what;

	tp_tool_drop_document(run);
	while ((what = next_line(run, 0)) == LINE_TEXT) {
		tp_arena_release(&p->rec_arena);
		/* drop blanks after a record, which some engines write */
		while (run->line_len > 1 &&
		    (run->line[run->line_len - 1] == '\t' ||
		    run->line[run->line_len - 1] == ' '))
			run->line_len--;
		if (!tp_rec_parse(&run->rec, run->line, run->line_len,
		    &p->rec_arena, &run->err))
			return 1;
		run->err.line = p->lines.line;
		if (p->lines.done) {
			/* the last line also lacks its newline */
			tp_fail(&run->err, TP_BAD, "input.truncated",
			    p->lines.line, "the last record is cut off");
			tp_tool_bad_input(run);
		} else {
			tp_skip(run);
		}
	}
	return what == LINE_DOCUMENT;
}

int
tp_next_line(struct tp_run *run)
{
	if (!next_line(run, 1))
		return 0;
	run->line_number = run->private->lines.line;
	return 1;
}

void
tp_read_set(struct tp_run *run, struct tp_set *set)
{
	while (tp_next_record(run))
		if (tp_set_add(set, run->line, run->line_len, &run->err) < 0)
			tp_die_err(run);
	/* later errors are not about the last file */
	run->file = NULL;
}

/*
 * Print the notes of a trace if the output cannot hold them.  Damage was
 * already reported.
 */
static void
say_notes(struct tp_run *run, const struct tp_trace *t)
{
	for (size_t i = 0; i < t->note_count; i++)
		if (!t->notes[i].status)
			tp_warn(run, "%s (%llu)", t->notes[i].text,
			    (unsigned long long)t->notes[i].count);
}

static int
is_used(const struct tp_trace *t)
{
	return t->used || t->source_count || t->passed.len ||
	    t->note_count > (size_t)t->renamed;
}

static int
any_used(const struct tp_trace *t)
{
	while (t && !is_used(t))
		t = t->next;
	return t != NULL;
}

int
tp_next_trace(struct tp_run *run)
{
	struct tp_run_private *p = run->private;

	do {
		if (p->emit_started && p->emitting) {
			if (p->emitting->refused)
				run->out.src = p->emitting->src;
			if (run->bare && *p->metas)
				tp_warn(run, "--meta: no records are written");
			if (run->bare)
				say_notes(run, p->emitting);
			else
				tp_tool_emit_sources(run, p->emitting);
			p->emitting = p->emitting->next;
		} else if (!p->emit_started) {
			p->emit_started = 1;
			p->emitting = p->traces;
		}
		/*
		 * skip the trace of a file that holds only records of other
		 * traces
		 */
		while (p->emitting && !is_used(p->emitting) &&
		    any_used(p->traces))
			p->emitting = p->emitting->next;
	} while (p->emitting && p->emitting->refused);
	run->trace = p->emitting;
	if (run->trace) {
		run->window = run->trace->window;
		run->process = tp_tool_process(run, run->trace);
		run->out.src = run->trace->src;
	}
	return run->trace != NULL;
}
