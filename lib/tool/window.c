/* window - the part of a trace that --from, --to and --last name */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/order.h>
#include <tp/os.h>
#include <tp/read/xctrace.h>
#include <tp/unit.h>

#include "tool_parts.h"

#define WHOLE 100000000		/* 100 % in millionths of a percent */
#define BINDS_MAX 16

/*
 * A limit of the window: a time or a share of the run, possibly counted from
 * its end.
 */
struct limit {
	const char *name, *text;
	int share, back;
	int64_t n;		/* ns, or a share in units of 1/WHOLE */
};

static int
is_relative(const struct limit *l)
{
	return l->text && (l->share || l->back);
}

static void
parse(struct tp_run *run, struct limit *l, const char *name,
    const char *text)
{
	size_t len;

	l->name = name;
	l->text = text;
	if (!text)
		return;
	l->back = !strcmp(name, "last") || *text == '-';
	text += *text == '-' && strcmp(name, "last");
	len = strlen(text);
	l->share = len > 1 && text[len - 1] == '%';
	if (l->share ? tp_unit_decimal(text, len - 1, WHOLE / 100, &l->n) < 0 ||
	    l->n > WHOLE : tp_unit_parse(TP_DIM_TIME, text, len, &l->n) < 0)
		l->n = -1;
	/* a bare number would be nanoseconds, but its writer means seconds */
	if (l->n > 0 && !l->share && !strchr(text, ':') && text[len - 1] >=
	    '0' && text[len - 1] <= '9')
		tp_die(run, TP_USAGE, "--%s takes a time with its unit, such "
		    "as %ss or %sns, not '%s'", name, text, text, l->text);
	if (l->n < 0)
		tp_die(run, TP_USAGE, "--%s takes a time such as 1.5s or a "
		    "share from 0%% to 100%%, not '%s'", name, l->text);
}

/* Limit L in ns for a run from START to END. */
static int64_t
resolve(const struct limit *l, int64_t start, int64_t end)
{
	int64_t n = l->n;

	if (l->share)
		n = (int64_t)((__extension__ (__int128)(end - start) * n) /
		    WHOLE);
	if (!l->back)
		return l->share ? start + n : n;
	return n > end ? 0 : end - n;
}

/*
 * Remember a system error while INPUT is measured.  It is fatal later: without
 * this input the window would cover another part of the run.
 */
static void
keep_failure(struct tp_operand *input, const struct tp_err *err)
{
	if (err->status == TP_IO || err->status == TP_LIMIT)
		input->refused = *err;
}

/* Take the length of the run from INPUT if it is a table of contents. */
static void
ask_toc(struct tp_run *run, struct tp_operand *input)
{
	struct tp_toc_run *toc = NULL;
	enum tp_format format = TP_FORMAT_UNKNOWN;
	struct tp_in *in;
	struct stat st;

	if (!strcmp(input->path, "-") ||
	    (!stat(input->path, &st) && !S_ISREG(st.st_mode)))
		return;
	in = tp_in_open(input->path, &run->err);
	if (in)
		format = tp_in_sniff(in, &run->err);
	if (format == TP_FORMAT_TOC)
		toc = tp_toc_read(in, &run->err);
	if (toc && toc->duration_ns > 0) {
		input->trace->extent.from_ns = 0;
		input->trace->extent.to_ns = toc->duration_ns;
		input->trace->extent_of = "toc";
	}
	if (format == TP_FORMAT_UNKNOWN || (format == TP_FORMAT_TOC && !toc))
		keep_failure(input, &run->err);
	tp_toc_free(toc);
	tp_in_close(in);
	run->err.status = TP_OK;
}

/*
 * Copy the rest of standard input to a temporary file so that it can be read
 * twice.
 */
static void
spool_stdin(struct tp_run *run)
{
	int fd = tp_os_temporary();
	FILE *copy = fd < 0 ? NULL : fdopen(fd, "w+");
	char block[65536];
	ssize_t n;

	if (!copy)
		goto fail;
	while ((n = read(STDIN_FILENO, block, sizeof block)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || fwrite(block, 1, (size_t)n, copy) != (size_t)n)
			goto fail;
	}
	if (fflush(copy) || lseek(fileno(copy), 0, SEEK_SET) < 0 ||
	    dup2(fileno(copy), STDIN_FILENO) < 0)
		goto fail;
	fclose(copy);
	return;
fail:
	tp_die(run, TP_IO, "cannot keep a copy of standard input, which is "
	    "read twice for a share of the run: %s", strerror(errno));
}

/*
 * Make INPUT readable twice.  Returns the offset of standard input to return
 * to; 0 for a file.
 */
static off_t
make_rereadable(struct tp_run *run, const struct tp_operand *input,
    const struct limit *l)
{
	struct stat st;
	int is_stdin = !strcmp(input->path, "-");

	if (is_stdin && fstat(STDIN_FILENO, &st) < 0)
		tp_die(run, TP_IO, "cannot look at standard input: %s",
		    strerror(errno));
	if (!is_stdin && stat(input->path, &st) < 0)
		return 0;	/* reading reports the error */
	if (!is_stdin) {
		if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			tp_die(run, TP_USAGE, "--%s=%s must read '%s' twice, "
			    "and it is not a file: save it to one, or feed it "
			    "on standard input", l->name,
			    l->text, input->path);
		return 0;
	}
	if (!S_ISREG(st.st_mode))
		spool_stdin(run);
	return lseek(STDIN_FILENO, 0, SEEK_CUR);
}

/*
 * Fill BINDS with the filter's tables that have a time, reduced to time and
 * duration.
 */
static void
time_binds(const struct tp_bind *tables, struct tp_bind *binds,
    struct tp_want (*wants)[3])
{
	size_t n = 0;

	for (; tables->table && n < BINDS_MAX; tables++) {
		if (!tables->time)
			continue;
		wants[n][0] = (struct tp_want){ tables->time, 0 };
		wants[n][1] = (struct tp_want){ "duration", 0 };
		wants[n][2] = (struct tp_want){ 0 };
		binds[n] = *tables;
		binds[n].columns = wants[n];
		n++;
	}
	memset(&binds[n], 0, sizeof *binds);
}

static void
widen(struct tp_trace *trace, const struct tp_row *row)
{
	const struct tp_value *start = &row->v[0], *length = &row->v[1];
	struct tp_window *x = &trace->extent;
	int64_t end;

	if (start->type == TP_NONE)
		return;
	if (length->type == TP_NONE || length->n < 0 ||
	    __builtin_add_overflow(start->n, length->n, &end))
		end = start->n;
	if (!trace->extent_of) {
		x->from_ns = start->n;
		x->to_ns = end;
		trace->extent_of = "rows";
	}
	TP_LEAST(x->from_ns, start->n);
	TP_MOST(x->to_ns, end);
}

/*
 * Read the times of all rows of INPUT.  Damage is reported by the second pass.
 */
static void
ask_rows(struct tp_run *run, struct tp_operand *input)
{
	struct tp_run_private *p = run->private;
	struct tp_want wants[BINDS_MAX][3];
	struct tp_bind binds[BINDS_MAX + 1];
	struct tp_trace scratch = { 0 }, *trace;
	struct tp_rows *rows = NULL;
	enum tp_format format;
	struct tp_row row;
	int rc;

	time_binds(run->tool->tables, binds, wants);
	p->in = tp_in_open(input->path, &run->err);
	if (p->in)
		tp_tool_progress(run, "measuring",
		    (size_t)(input - p->inputs) + 1);
	format = p->in ? tp_in_sniff(p->in, &run->err) : TP_FORMAT_UNKNOWN;
	if (p->in && tp_rows_can(p->in, format)) {
		rows = tp_rows_open(p->in, format, binds, run->table,
		    p->tables, &scratch);
		tp_rows_jobs(rows, (size_t)p->jobs);
	}
	while (rows && ((rc = tp_rows_next(rows, &row, &run->err)) > 0 ||
	    (rc < 0 && !run->err.fatal))) {
		trace = rc > 0 && row.src ? tp_tool_trace(run, run->label ?
		    run->label : row.src) : input->trace;
		if (rc > 0 && (!trace->extent_of ||
		    strcmp(trace->extent_of, "toc")))
			widen(trace, &row);
	}
	tp_tool_progress_closing(run);
	keep_failure(input, &run->err);
	tp_rows_close(rows);
	tp_in_close(p->in);
	p->in = NULL;
	run->err.fatal = 0;
	run->err.status = TP_OK;
	tp_trace_release_notes(&scratch);
}

/* Determine the start and end of each trace. */
static void
find_trace_extents(struct tp_run *run, const struct limit *l)
{
	struct tp_run_private *p = run->private;
	struct tp_operand *input;
	off_t at;
	size_t i;

	for (i = 0; i < p->input_count; i++)
		ask_toc(run, &p->inputs[i]);
	for (i = 0; i < p->input_count; i++) {
		input = &p->inputs[i];
		if (input->trace->extent_of &&
		    !strcmp(input->trace->extent_of, "toc"))
			continue;
		at = make_rereadable(run, input, l);
		ask_rows(run, input);
		if (!strcmp(input->path, "-") &&
		    lseek(STDIN_FILENO, at, SEEK_SET) < 0)
			tp_die(run, TP_IO, "cannot read standard input "
			    "twice: %s", strerror(errno));
	}
}

/* The window that START and TO select from a run over EXTENT. */
static struct tp_window
window_of(struct tp_run *run, const struct limit *start,
    const struct limit *to, const struct tp_window *extent)
{
	struct tp_window w = { 0, INT64_MAX };

	if (start->text)
		w.from_ns = resolve(start, extent->from_ns, extent->to_ns);
	/* --to=100% includes events that begin at the very end */
	if (to->text && (to->back || !to->share || to->n < WHOLE))
		w.to_ns = resolve(to, extent->from_ns, extent->to_ns);
	if (w.from_ns >= w.to_ns)
		tp_die(run, TP_USAGE, "--from must be before --to");
	return w;
}

void
tp_tool_window(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	struct limit from = { 0 }, to = { 0 }, last = { 0 }, *start = &from;
	struct tp_trace *t;

	parse(run, &from, "from", p->from);
	parse(run, &to, "to", p->to);
	parse(run, &last, "last", p->last);
	if (last.text && (from.text || to.text))
		tp_die(run, TP_USAGE, "--last cannot be combined with --from "
		    "and --to");
	if (last.text)
		start = &last;
	p->relative = is_relative(start) || is_relative(&to);
	if (p->relative) {
		find_trace_extents(run, is_relative(start) ? start : &to);
		for (t = p->traces; t; t = t->next) {
			if (!t->extent_of)
				continue;
			t->window = window_of(run, start, &to, &t->extent);
			tp_tool_like_window(run, t);
		}
		return;
	}
	/* for existing traces, and for traces that records in a stream add */
	run->window = window_of(run, start, &to, &run->window);
	for (t = p->traces; t; t = t->next) {
		t->window = run->window;
		tp_tool_like_window(run, t);
	}
}
