/*
 * like - --like FILE: take the process and the time window of each trace
 * from records of another filter
 */
#include <stdio.h>
#include <string.h>

#include "tool_parts.h"

/*
 * The selection that FILE has for trace SRC; if FILE has one trace only, that
 * one.  NULL if there is none.
 */
static struct tp_like *
of_trace(struct tp_run *run, const char *src)
{
	struct tp_likes *likes = &run->private->likes;
	ptrdiff_t at = tp_names_find(&likes->srcs, src, strlen(src));

	if (at < 0 && likes->srcs.count == 1)
		at = 0;
	return at < 0 ? NULL : &likes->list[at];
}

static struct tp_like *
add_trace(struct tp_run *run, const char *src)
{
	struct tp_likes *likes = &run->private->likes;
	size_t known = likes->srcs.count;
	ptrdiff_t at = tp_names_add(&likes->srcs, src, strlen(src));

	TP_ITEM(likes->list, likes->cap, at);
	if (likes->srcs.count > known)
		likes->list[at] = (struct tp_like){ .pid = -1 };
	return &likes->list[at];
}

static void
take_target(struct tp_like *like, const struct tp_rec *rec)
{
	const char *scope = tp_rec_text(rec, "scope");
	const char *name = tp_rec_text(rec, "process");
	const char *how = tp_rec_text(rec, "chosen_by");

	if (like->name || !name || !scope || strcmp(scope, "target"))
		return;
	like->name = tp_dup(name);
	if (tp_rec_int(rec, "pid", &like->pid) && like->pid >= 0)
		snprintf(like->number, sizeof like->number, "%lld",
		    (long long)like->pid);
	else
		like->pid = -1;
	like->by_toc = how && !strcmp(how, "toc");
}

static int
take_window(struct tp_like *like, const struct tp_rec *rec,
    struct tp_err *err)
{
	struct tp_window w = { 0, INT64_MAX };

	if (strcmp(rec->kind, "window") || like->has_window)
		return 0;
	(void)tp_rec_int(rec, "from_ns", &w.from_ns);
	(void)tp_rec_int(rec, "to_ns", &w.to_ns);
	if (w.from_ns >= w.to_ns)
		return tp_fail(err, TP_BAD, "record.damaged", 0, "a window "
		    "that ends before it begins");
	like->window = w;
	like->has_window = 1;
	return 0;
}

static int
take_like_record(struct tp_run *run, const struct tp_rec *rec)
{
	struct tp_like *like;

	if (!strncmp(rec->kind, "row.", 4) || !strcmp(rec->kind, "source") ||
	    !strcmp(rec->kind, "note"))
		return 0;
	like = add_trace(run, rec->src);
	take_target(like, rec);
	if (take_window(like, rec, &run->err) < 0)
		return -1;
	return run->tool->record ? run->tool->record(rec, &run->err) : 0;
}

/* Refuse standard input as both FILE and an operand. */
static void
check_standard_input(struct tp_run *run)
{
	int shared = !run->operand_count;

	for (int i = 0; i < run->operand_count; i++)
		shared |= !strcmp(run->operands[i], "-");
	if (shared)
		tp_die(run, TP_USAGE, "--like=- takes standard input: name "
		    "the files to read");
}

void
tp_tool_like_read(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	struct tp_arena arena = { 0 };
	enum tp_format format = TP_FORMAT_UNKNOWN;
	struct tp_lines lines;
	struct tp_rec rec;
	struct tp_in *in;
	const char *text;
	size_t len;
	int rc;

	if (!strcmp(p->like, "-"))
		check_standard_input(run);
	run->file = strcmp(p->like, "-") ? p->like : "<stdin>";
	in = tp_in_open(p->like, &run->err);
	if (in)
		format = tp_in_sniff(in, &run->err);
	if (!in || (format == TP_FORMAT_UNKNOWN && run->err.fatal))
		tp_die_err(run);
	if (format != TP_FORMAT_RECORDS) {
		tp_fail(&run->err, TP_BAD, "input.unknown", 0,
		    "no records; --like takes those of another filter");
		tp_die_err(run);
	}
	tp_lines_init(&lines, in);
	while ((rc = tp_lines_next(&lines, &text, &len, &run->err)) > 0) {
		if (!len)
			continue;
		tp_arena_release(&arena);
		/*
		 * FILE selects what the numbers are about: any damage is fatal
		 */
		if (tp_rec_parse(&rec, text, len, &arena, &run->err) < 0 ||
		    take_like_record(run, &rec) < 0) {
			run->err.line = lines.line;
			tp_die_err(run);
		}
	}
	if (rc < 0)
		tp_die_err(run);
	tp_arena_release(&arena);
	tp_lines_release(&lines);
	tp_in_close(in);
	run->file = NULL;
}

int
tp_tool_like_has_window(struct tp_run *run, const struct tp_trace *trace)
{
	const struct tp_like *like = of_trace(run, trace->src);

	return like && like->has_window;
}

void
tp_tool_like_window(struct tp_run *run, struct tp_trace *trace)
{
	const struct tp_run_private *p = run->private;
	const struct tp_like *like = of_trace(run, trace->src);
	struct tp_window *w = &trace->window;

	if (!like || !like->has_window || p->last)
		return;
	if (!p->from)
		w->from_ns = like->window.from_ns;
	if (!p->to)
		w->to_ns = like->window.to_ns;
	if (w->from_ns >= w->to_ns)
		tp_die(run, TP_USAGE, "--from and --to leave nothing of the "
		    "part that --like names");
}

/* Whether the table of contents of TRACE names the same process. */
static int
toc_says(const struct tp_trace *trace, const struct tp_like *like)
{
	const struct tp_toc *toc = &trace->toc;

	if (!toc->known || toc->pid < 0)
		return 0;
	return like->pid >= 0 ? toc->pid == like->pid :
	    !strcmp(toc->process, like->name);
}

const char *
tp_tool_process(struct tp_run *run, const struct tp_trace *trace)
{
	const char *asked = run->private->process;
	const struct tp_like *like = of_trace(run, trace->src);

	if (!like || !like->name || (asked && strcmp(asked, like->name)))
		return asked;
	if (!asked && like->by_toc && toc_says(trace, like))
		return NULL;
	return like->pid >= 0 ? like->number : like->name;
}
