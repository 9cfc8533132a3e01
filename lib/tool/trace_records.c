/* trace_records - inputs of traces, and the records about a trace */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tp/in.h>
#include <tp/os.h>
#include <tp/read/xctrace.h>
#include <tp/text.h>

#include "tool_parts.h"
#include "read/program.h"

/* The absolute folder of PATH; "-" for standard input. */
static char *
folder_of(struct tp_run *run, const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX], real[PATH_MAX];

	if (!strcmp(path, "-"))
		return tp_dup("-");
	snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path + 1) :
	    1, slash ? path : ".");
	if (tp_os_real_path(dir, real) < 0) {
		/* a fallback could split one folder into two traces */
		if (errno == EIO || errno == ENOMEM)
			tp_die(run, TP_IO, "cannot find the folder of '%s': %s",
			    path, strerror(errno));
		snprintf(real, sizeof real, "%s", dir);
	}
	return tp_dup(real);
}

/*
 * The PLACE of a link to FOLDER/./PLACE, which recipes make; NULL if PATH is
 * not such a link.
 */
static char *
place_of(const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof target - 1);
	char *mark;

	if (n <= 0)
		return NULL;
	target[n] = '\0';
	mark = strstr(target, "/./");
	if (!mark)
		return NULL;
	memmove(mark, mark + 2, strlen(mark + 2) + 1);
	return tp_dup(target);
}

/*
 * Append the file name of IN to its key, without the ending by which the files
 * of one trace differ.
 */
static void
add_stem(struct tp_run *run, struct tp_operand *in)
{
	const char *const *ending = run->tool->endings;
	struct tp_buf key = { 0 };
	char *stem = tp_trace_file_name(in->place ? in->place : in->path);
	size_t len = strlen(stem), n = len;

	for (; ending && *ending && n == len; ending++)
		n = tp_is(stem, len, *ending + 1) ? 0 :
		    tp_without(stem, len, *ending);
	stem[n] = '\0';
	tp_buf_fmt(&key, "%s/%s", in->key, stem);
	tp_free(in->key);
	tp_free(stem);
	in->key = key.p;
}

/* Add a trace called SRC.  Take over SRC, which must not be in use yet. */
static struct tp_trace *
add_trace(struct tp_run *run, char *src, const char *key)
{
	struct tp_run_private *p = run->private;
	struct tp_trace *t = tp_zalloc(sizeof *t);
	ptrdiff_t at = tp_names_add(&p->srcs, src, strlen(src));

	TP_ITEM(p->by_src, p->by_src_cap, at);
	if (run->tool->state_size)
		t->state = tp_zalloc(run->tool->state_size);
	t->key = tp_dup(key);
	t->src = src;
	t->window = run->window;
	tp_tool_like_window(run, t);
	p->by_src[at] = t;
	if (p->last_trace)
		p->last_trace->next = t;
	else
		p->traces = t;
	p->last_trace = t;
	return t;
}

/* Like add_trace(), but a name in use becomes "NAME (2)" and so on. */
static struct tp_trace *
add_named(struct tp_run *run, char *src, const char *key)
{
	const struct tp_names *srcs = &run->private->srcs;
	struct tp_buf name = { 0 };
	struct tp_trace *t;
	int n = 1;

	if (tp_names_find(srcs, src, strlen(src)) < 0)
		return add_trace(run, src, key);
	do {
		tp_buf_clear(&name);
		tp_buf_fmt(&name, "%s (%d)", src, ++n);
	} while (tp_names_find(srcs, name.p, name.len) >= 0);
	t = add_trace(run, tp_dup(name.p), key);
	/* in a comparison equal names are expected */
	if (!(run->tool->flags & TP_TOOL_RECORDS)) {
		tp_trace_note(t, "src.repeated", 0, 1,
		    "two traces are called '%s'; this one is renamed '%s'",
		    src, name.p);
		t->renamed = 1;
	}
	tp_buf_release(&name);
	tp_free(src);
	return t;
}

struct tp_trace *
tp_part_trace(struct tp_run *run, const char *source, size_t len)
{
	struct tp_buf src = { 0 };

	tp_buf_fmt(&src, "%s: %.*s", run->trace->src, (int)len, source);
	return add_named(run, src.p, run->trace->key);
}

struct tp_trace *
tp_tool_trace(struct tp_run *run, const char *src)
{
	struct tp_run_private *p = run->private;
	ptrdiff_t at = tp_names_find(&p->srcs, src, strlen(src));

	return at >= 0 ? p->by_src[at] : add_trace(run, tp_dup(src), src);
}

/* Whether IN has the name of an ExecuTorch program (.pte). */
static int
is_program(const struct tp_operand *in)
{
	const char *path = in->place ? in->place : in->path;

	return tp_without(path, strlen(path), ".pte") < strlen(path);
}

/* Add a trace for IN, a program given without an ETDump. */
static struct tp_trace *
program_trace(struct tp_run *run, const struct tp_operand *in)
{
	char *src = run->label ? tp_dup(run->label) :
	    tp_trace_file_name(in->path);

	return add_trace(run, src, in->key);
}

/* The file whose folder input I is counted to, or NULL. */
static const char *
beside(const struct tp_run *run, size_t i)
{
	for (int k = 0; run->beside && k < run->operand_count; k++)
		if (!strcmp(run->operands[k], run->private->inputs[i].path))
			return run->beside[k];
	return NULL;
}

void
tp_tool_name_traces(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	/*
	 * documents and records read together form one trace if it has a label
	 */
	unsigned both = TP_TOOL_RECORDS | TP_TOOL_DOCUMENTS;
	int joined = run->label && (run->tool->flags & (both |
	    TP_TOOL_FIRST)) == both;
	size_t i, k, files;
	char *src;

	for (i = 0; i < p->input_count; i++) {
		p->inputs[i].place = p->name &&
		    !strcmp(p->inputs[i].path, "-") ?
		    tp_dup(p->name) : place_of(p->inputs[i].path);
		p->inputs[i].key = joined ? tp_dup("") :
		    folder_of(run, beside(run, i) ? beside(run, i) :
		    p->inputs[i].place ? p->inputs[i].place :
		    p->inputs[i].path);
		if (run->tool->endings && strcmp(p->inputs[i].path, "-"))
			add_stem(run, &p->inputs[i]);
	}
	for (i = 0; i < p->input_count; i++) {
		struct tp_operand *in = &p->inputs[i];

		if (in->trace || is_program(in))
			continue;
		for (files = 0, k = i; k < p->input_count; k++)
			files += !strcmp(p->inputs[k].key, in->key);
		if (run->label)
			src = tp_dup(run->label);
		else if (!strcmp(in->key, "-"))
			src = tp_dup("-");
		else if (run->tool->endings)
			/*
			 * last component of the key; the folder if that is
			 * empty
			 */
			src = tp_trace_folder_name(in->key);
		else if (files > 1 || beside(run, i) || run->by_folder)
			src = tp_trace_folder_name(in->key);
		else
			src = tp_trace_file_name(in->place ? in->place :
			    in->path);
		in->trace = add_named(run, src, in->key);
		for (k = i + 1; k < p->input_count; k++)
			if (!strcmp(p->inputs[k].key, in->key))
				p->inputs[k].trace = in->trace;
	}
	/* a program joins the first trace */
	for (i = 0; i < p->input_count; i++)
		if (!p->inputs[i].trace)
			p->inputs[i].trace = p->traces ? p->traces :
			    program_trace(run, &p->inputs[i]);
}

/*
 * Write the window, so that numbers of a part of a run are not taken for those
 * of the whole.
 */
static void
emit_window(struct tp_run *run, const struct tp_trace *t)
{
	const struct tp_run_private *p = run->private;
	struct tp_out *out = &run->out;

	if (!p->from && !p->to && !p->last ?
	    !tp_tool_like_has_window(run, t) : p->relative && !t->extent_of)
		return;
	tp_out_begin(out, "window");
	tp_out_int(out, "from_ns", t->window.from_ns);
	if (t->window.to_ns < INT64_MAX)
		tp_out_int(out, "to_ns", t->window.to_ns);
	tp_out_text(out, "length_from", t->extent_of);
	tp_out_end(out);
}

static void
emit_file(struct tp_out *out, const char *file)
{
	struct tp_buf buf = { 0 };

	tp_home_path(&buf, file);
	tp_out_text(out, "file", buf.p ? buf.p : "");
	tp_buf_release(&buf);
}

void
tp_check_metas(struct tp_run *run, const char *const *list)
{
	for (; *list; list++)
		if (**list == '=' || !strchr(*list, '='))
			tp_die(run, TP_USAGE, "--meta takes KEY=VALUE, not "
			    "'%s'", *list);
}

void
tp_emit_metas(struct tp_out *out, const char *const *list)
{
	for (; *list; list++) {
		size_t len = strcspn(*list, "=");

		tp_out_begin(out, "meta");
		tp_out_bytes(out, "key", *list, len);
		tp_out_text(out, "value", *list + len + 1);
		tp_out_end(out);
	}
}

void
tp_tool_emit_sources(struct tp_run *run, struct tp_trace *t)
{
	struct tp_out *out = &run->out;
	uint64_t replaced = out->replaced;
	size_t i;

	if (t->passed.len && !out->only)
		tp_out_raw(out, t->passed.p, t->passed.len);
	emit_window(run, t);
	tp_emit_metas(out, run->private->metas);
	for (i = 0; i < t->source_count; i++) {
		const struct tp_source *s = &t->sources[i];

		tp_out_begin(out, "source");
		emit_file(out, s->file);
		tp_out_text(out, "format", s->format);
		tp_out_text(out, "schema", s->schema);
		if (*s->sha256)
			tp_out_text(out, "sha256", s->sha256);
		tp_out_int(out, "rows", (int64_t)s->rows);
		if (s->bytes)
			tp_out_int(out, "bytes", (int64_t)s->bytes);
		if (s->first_ns <= s->last_ns) {
			tp_out_int(out, "first_ns", s->first_ns);
			tp_out_int(out, "last_ns", s->last_ns);
		}
		tp_out_int(out, "skipped_count", (int64_t)s->skipped);
		if (run->unused)
			tp_out_bool(out, "is_unused", 1);
		tp_out_end(out);
	}
	for (i = 0; i < t->note_count; i++)
		tp_out_note(out, t->notes[i].code, t->notes[i].status,
		    t->notes[i].count, "%s", t->notes[i].text);
	if (replaced)
		tp_out_note(out, "text.invalid", 0, replaced, "bytes of names "
		    "that are not UTF-8 are shown as U+FFFD");
	out->replaced = 0;
}
