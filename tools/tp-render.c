/*
 * tp-render - print records as a section of a report, or as tables
 *
 * With a section, fills in its template (share/sections/NAME.md, or the user's
 * own by name or path) from the records and prints Markdown, on a terminal a
 * page of its width; --write fills in several in one pass.  Without a
 * section, every kind of record is an aligned table, values printed by their
 * unit.  --notes prints a person's Markdown, to be appended to a report.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/alloc.h>
#include <tp/choice.h>
#include <tp/file.h>
#include <tp/hash.h>
#include <tp/lines.h>
#include <tp/share.h>
#include <tp/show/text_table.h>
#include <tp/show/notes.h>
#include <tp/show/page.h>
#include <tp/show/section.h>
#include <tp/show/template.h>
#include <tp/text.h>
#include <tp/tool.h>
#include <tp/width.h>

static int list, markdown;
static const char *metas[TP_OPT_LIST_MAX], *notes;

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "list", 'l', NULL,
	    "list the sections", &list },
	{ TP_OPT_FLAG, "markdown", 'm', NULL,
	    "without a section: print Markdown tables", &markdown },
	{ TP_OPT_LIST, "meta", 0, "KEY=VALUE",
	    "add a note of your own, such as hardware='M3 Max'", metas },
	{ TP_OPT_TEXT, "notes", 0, "FILE",
	    "print only FILE, your own Markdown, with HTML made harmless",
	    &notes },
	{ 0 }
};

static const char *const examples[] = {
	"tp-gpu-intervals gpu.csv | tp-render gpu-intervals",
	"tp-mem wired.csv current.csv | tp-render",
	"cat out/*.jsonl | tp-render report --meta hardware='M3 Max'",
	"cat out/*.jsonl | tp-render -w summary=summary.md -w gpu=gpu.md",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-render",
	.does = "print records as a section of a report, or as tables",
	.operands = "[SECTION] [FILE...]",
	.reads = "records of any kind",
	.writes = "Markdown, or aligned tables",
	.group = "presentation",
	.step = "writing",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_FIRST | TP_TOOL_LATE |
	    TP_TOOL_WRITES | TP_TOOL_WRITES_IF,
	.options = options,
};

static void
warn_missing(void *arg, const char *name)
{
	struct tp_run *run = arg;

	if (!run->quiet)
		tp_warn(run, "no value for '%s'", name);
}

static void
list_sections(struct tp_run *run)
{
	struct tp_names names = { 0 };
	const struct tp_name **sorted;

	if (tp_section_list(&names, &run->err) < 0)
		tp_die_err(run);
	sorted = tp_names_sorted(&names);
	for (size_t i = 0; i < names.count; i++) {
		tp_out_raw(&run->out, sorted[i]->text, sorted[i]->len);
		tp_out_raw(&run->out, "\n", 1);
	}
	tp_free(sorted);
	tp_names_release(&names);
}

/* What the user says about the run: one "meta" record each. */
static void
add_metas(struct tp_run *run, struct tp_set *set)
{
	struct tp_buf line = { 0 };
	const char *eq;

	for (size_t i = 0; i < TP_OPT_LIST_MAX && metas[i]; i++) {
		eq = strchr(metas[i], '=');
		if (!eq || eq == metas[i])
			tp_die(run, TP_USAGE, "--meta wants KEY=VALUE, "
			    "not '%s'", metas[i]);
		tp_buf_clear(&line);
		tp_buf_str(&line, "{\"kind\":\"meta\",\"key\":\"");
		tp_json_escape(&line, metas[i], (size_t)(eq - metas[i]));
		tp_buf_str(&line, "\",\"value\":\"");
		tp_json_escape(&line, eq + 1, strlen(eq + 1));
		tp_buf_str(&line, "\"}");
		if (tp_set_add(set, line.p, line.len, &run->err) < 0)
			tp_die_err(run);
	}
	tp_buf_release(&line);
}

/* Filters that read the same file note the same oddity: it counts once. */
static void
drop_repeated_notes(struct tp_set *set)
{
	struct tp_names seen = { 0 };
	struct tp_buf all = { 0 };
	size_t kept = 0, had;

	for (size_t i = 0; i < set->count; i++) {
		const struct tp_rec *rec = &set->recs[i];

		had = seen.count;
		if (!strcmp(rec->kind, "note")) {
			tp_buf_clear(&all);
			for (size_t k = 0; k < rec->count; k++) {
				tp_buf_add(&all, rec->fields[k].key,
				    strlen(rec->fields[k].key) + 1);
				tp_buf_add(&all, rec->fields[k].text,
				    strlen(rec->fields[k].text) + 1);
			}
			tp_names_add(&seen, all.p, all.len);
			if (seen.count == had)
				continue;
		}
		set->recs[kept++] = set->recs[i];
	}
	tp_names_release(&seen);
	tp_buf_release(&all);
	tp_set_cut(set, kept);
}

/* A section shows one trace; say so when the records are of several. */
static void
warn_traces(struct tp_run *run, const struct tp_set *set)
{
	const struct tp_rec *rec, *first;
	const char *scope;
	char selector[128];
	size_t at;

	for (size_t i = 0; i < set->count && !run->quiet; i++) {
		rec = &set->recs[i];
		scope = tp_rec_text(rec, "scope");
		if (!scope || (size_t)snprintf(selector, sizeof selector,
		    "%s[%s]", rec->kind, scope) >= sizeof selector)
			continue;
		at = 0;
		first = tp_set_next(set, selector, &at);
		if (!first || !strcmp(first->src, rec->src))
			continue;
		tp_warn(run, "records of more than one trace: numbers are "
		    "those of '%s', not of '%s'", first->src, rec->src);
		return;
	}
}

/* Whether the line at P begins or ends a block of code. */
static int
is_fence(const char *p, const char *eol)
{
	return eol - p >= 3 && !memcmp(p, "```", 3) &&
	    !memchr(p + 3, '`', (size_t)(eol - p) - 3);
}

static int
is_heading(const char *p, const char *eol)
{
	size_t n = 0;

	while (p + n < eol && p[n] == '#')
		n++;
	return n && n <= 6 && p + n < eol && p[n] == ' ';
}

/* TEXT without the blank lines that parts left out have made, and with one
 * before each heading, which below a table would be a row of it. */
static void
add_tidy(struct tp_buf *out, const struct tp_buf *text)
{
	const char *p = text->p, *end = p + text->len, *eol;
	int blank = 0, any = 0, code = 0;

	for (; p < end; p = eol) {
		eol = memchr(p, '\n', (size_t)(end - p));
		eol = eol ? eol + 1 : end;
		if (*p == '\n') {
			blank = any;
			continue;
		}
		code ^= is_fence(p, eol);
		if (blank || (any && !code && is_heading(p, eol)))
			tp_buf_chr(out, '\n');
		blank = 0;
		any = 1;
		tp_buf_add(out, p, (size_t)(eol - p));
	}
	if (any && end[-1] != '\n')
		tp_buf_chr(out, '\n');
}

static int
print_section(struct tp_run *run, const char *name, const struct tp_set *set,
    struct tp_buf *out)
{
	struct tp_buf text = { 0 }, filled = { 0 };
	struct tp_template t = { .set = set, .partial = tp_section_read,
	    .missing = warn_missing, .arg = run };
	char path[128];
	int rc, is_file = tp_section_is_file(name);

	if (!tp_share_dir(&run->err))
		tp_die_err(run);
	if (is_file)
		rc = tp_file_read(name, &text, &run->err);
	else if ((rc = tp_section_path(path, sizeof path, name)) < 0 ||
	    ((rc = tp_section_read(NULL, name, &text, &run->err)) < 0 &&
	    !strcmp(run->err.code, "share.missing")))
		tp_die(run, TP_USAGE, "there is no section '%s'", name);
	/* what goes wrong from here on is the template's fault */
	run->file = is_file ? name : path;
	if (rc < 0 || tp_template_render(&t, text.p ? text.p : "", text.len,
	    &filled, &run->err) < 0)
		tp_die_err(run);
	if (filled.len)
		add_tidy(out, &filled);
	run->file = NULL;
	tp_buf_release(&text);
	tp_buf_release(&filled);
	return out->len > 0;
}

static int
is_section(struct tp_run *run, const char *name)
{
	struct tp_buf text = { 0 };
	char path[128];
	int is;

	if (!tp_share_dir(&run->err))
		tp_die_err(run);
	if (tp_section_is_file(name))
		return 1;
	is = tp_section_path(path, sizeof path, name) == 0 &&
	    tp_section_read(NULL, name, &text, &run->err) == 0;
	tp_buf_release(&text);
	if (!is && run->err.status && strcmp(run->err.code, "share.missing"))
		tp_die_err(run);
	return is;
}

/* A word that is neither a section nor a file is a section misspelt. */
static void
check_file(struct tp_run *run, const char *name)
{
	struct tp_names names = { 0 };
	struct tp_choice choice;
	char path[128];

	if (!strcmp(name, "-") || !access(name, F_OK) ||
	    tp_section_path(path, sizeof path, name) < 0)
		return;
	if (tp_section_list(&names, &run->err) < 0)
		tp_die_err(run);
	tp_choice_init(&choice, name);
	for (size_t i = 0; i < names.count; i++)
		tp_choice_add(&choice, names.names[i].text);
	tp_die(run, TP_USAGE, "no section and no file is called '%s'; without "
	    "a section records print as tables; sections: %s", name,
	    tp_choice_text(&choice));
}

/* The first operand, when it is a section; else it is the first file. */
static const char *
take_section(struct tp_run *run)
{
	if (!run->first || is_section(run, run->first))
		return run->first;
	check_file(run, run->first);
	run->operands--;
	run->operand_count++;
	return NULL;
}

static void
print_tables(struct tp_run *run, const struct tp_set *set, struct tp_buf *out)
{
	struct tp_screen screen;

	tp_grid_print(set, (markdown ? TP_GRID_MARKDOWN : 0) |
	    (tp_is_bold(run) ? TP_GRID_BOLD : 0), tp_is_screen(run, &screen) ?
	    &screen : NULL, out);
}

/* A section on a terminal is a page of its width, as a report is. */
static void
fit_to_screen(struct tp_run *run, struct tp_buf *text)
{
	struct tp_page_tty form = { .color = tp_is_bold(run) };
	struct tp_buf page = { 0 };
	struct tp_screen screen;

	if (!text->len || !tp_is_screen(run, &screen) || !tp_page_can())
		return;
	form.width = screen.width ? screen.width : 80;
	form.utf8 = screen.utf8;
	form.dots = screen.dots;
	if (tp_page_tty(text->p, text->len, &form, &page, &run->err) < 0)
		tp_die_err(run);
	tp_buf_release(text);
	*text = page;
}

/* The lines of IN, all of them text. */
static void
read_text(struct tp_run *run, struct tp_in *in, struct tp_buf *text)
{
	struct tp_lines lines;
	const char *line;
	size_t len;
	int rc;

	tp_lines_init(&lines, in);
	while ((rc = tp_lines_next(&lines, &line, &len, &run->err)) > 0) {
		if (memchr(line, '\0', len)) {
			tp_fail(&run->err, TP_BAD, "input.unknown",
			    lines.line, "not a text: it has a zero byte");
			tp_die_err(run);
		}
		tp_buf_add(text, line, len);
		tp_buf_chr(text, '\n');
	}
	if (rc < 0)
		tp_die_err(run);
	tp_lines_release(&lines);
}

static void
print_notes(struct tp_run *run, struct tp_buf *out)
{
	struct tp_buf text = { 0 };
	struct tp_in *in;
	struct stat st;

	if (run->first || tp_writes(run) || *metas || markdown || list)
		tp_die(run, TP_USAGE, "--notes takes no other option or FILE");
	run->file = notes;
	if (!stat(notes, &st) && !S_ISREG(st.st_mode)) {
		tp_fail(&run->err, TP_BAD, "input.unknown", 0,
		    "no regular file");
		tp_die_err(run);
	}
	/* "-" would be standard input */
	in = strcmp(notes, "-") ? tp_in_open(notes, &run->err) :
	    tp_in_open("./-", &run->err);
	if (!in)
		tp_die_err(run);
	read_text(run, in, &text);
	run->file = NULL;
	tp_notes_add(out, tp_base(tp_in_name(in)), text.p ? text.p : "",
	    text.len);
	tp_in_close(in);
	tp_buf_release(&text);
}

int
main(int argc, char *argv[])
{
	static struct tp_set set;
	static struct tp_buf out;
	struct tp_run run;
	const char *section;

	tp_begin(&run, &tool, argc, argv);
	if (list && !notes) {
		list_sections(&run);
		return tp_end(&run);
	}
	if (notes) {
		print_notes(&run, &out);
		tp_out_raw(&run.out, out.p ? out.p : "", out.len);
		return tp_end(&run);
	}
	section = take_section(&run);
	tp_start(&run);
	tp_read_set(&run, &set);
	add_metas(&run, &set);
	if (section || tp_writes(&run)) {
		drop_repeated_notes(&set);
		warn_traces(&run, &set);
	}
	if (tp_writes(&run))
		tp_write_all(&run, &set, print_section);
	else if (!section)
		print_tables(&run, &set, &out);
	else if (print_section(&run, section, &set, &out))
		fit_to_screen(&run, &out);
	tp_out_raw(&run.out, out.p ? out.p : "", out.len);
	return tp_end(&run);
}
