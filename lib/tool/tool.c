/* tool - what the main() of every filter shares: start, diagnostics, end */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/alloc.h>
#include <tp/choice.h>
#include <tp/cond.h>
#include <tp/file.h>
#include <tp/limits.h>
#include <tp/os.h>
#include <tp/text.h>
#include <tp/unit.h>
#include <tp/width.h>

#include "tool_parts.h"

#define OPTIONS_MAX 40

static void __attribute__((format(printf, 2, 0)))
say(struct tp_run *run, const char *fmt, va_list ap)
{
	struct tp_buf shown = { 0 };
	char text[2 * PATH_MAX];
	const char *said = text;

	/*
	 * escape names from the input, which a terminal must not obey; text
	 * without controls needs no memory
	 */
	vsnprintf(text, sizeof text, fmt, ap);
	if (!tp_shows_itself(text, strlen(text))) {
		tp_show_text(&shown, text, strlen(text));
		said = shown.p;
	}
	fflush(stdout);
	tp_tool_progress_hide(run);
	fprintf(stderr, "%s: %s\n", run->tool->name, said);
	tp_tool_progress_show(run);
	tp_buf_release(&shown);
}

void
tp_say(struct tp_run *run, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(run, fmt, ap);
	va_end(ap);
}

void
tp_warn(struct tp_run *run, const char *fmt, ...)
{
	va_list ap;

	if (run->quiet)
		return;
	va_start(ap, fmt);
	say(run, fmt, ap);
	va_end(ap);
}

/* Remove a half-written --output, then exits. */
static void
leave(struct tp_run *run, int status)
{
	if (run->private) {
		tp_tool_progress_end(run);
		tp_output_drop(&run->private->aside);
	}
	exit(status);
}

void
tp_die(struct tp_run *run, enum tp_status status, const char *fmt, ...)
{
	va_list ap;
	int worst = run->private ? run->private->status : TP_OK;

	va_start(ap, fmt);
	say(run, fmt, ap);
	va_end(ap);
	/*
	 * an unreadable file may have caused this error: report the worse
	 * status
	 */
	leave(run, worst >= TP_IO && worst > (int)status ? worst :
	    (int)status);
	abort();	/* not reached */
}

void
tp_die_err(struct tp_run *run)
{
	const struct tp_err *e = &run->err;

	if (run->file && e->line)
		tp_die(run, e->status, "%s:%llu: %s", run->file,
		    (unsigned long long)e->line, e->text);
	if (run->file)
		tp_die(run, e->status, "%s: %s", run->file, e->text);
	tp_die(run, e->status, "%s", e->text);
}

void
tp_status_at_least(struct tp_run *run, enum tp_status status)
{
	if ((int)status > run->private->status)
		run->private->status = (int)status;
}

enum tp_status
tp_status_now(const struct tp_run *run)
{
	return (enum tp_status)run->private->status;
}

/* Whether the operands are any number of files. */
static int
takes_files(const struct tp_tool *t)
{
	return (t->flags & (TP_TOOL_TABLES | TP_TOOL_RECORDS |
	    TP_TOOL_DOCUMENTS | TP_TOOL_EVENTS)) &&
	    strstr(t->operands, "...]");
}

struct tp_option *
tp_tool_options(struct tp_run *run, size_t *count)
{
	static struct tp_option list[OPTIONS_MAX + 1];
	const struct tp_tool *t = run->tool;
	struct tp_run_private *p = run->private;
	const struct tp_option common[] = {
		{ TP_OPT_TEXT, "process", 'p', "NAME|PID",
	    "the target process (default: chosen from the trace)",
	    &p->process },
		{ TP_OPT_TEXT, "from", 0, "T",
	    "leave out everything before T (1.5s, 10%; -2s: from the end)",
	    &p->from },
		{ TP_OPT_TEXT, "to", 0, "T",
	    "leave out everything at or after T", &p->to },
		{ TP_OPT_TEXT, "last", 0, "T",
		    "only the last T of the run (10s, 25%)", &p->last },
		{ TP_OPT_TEXT, "like", 0, "FILE",
	    "use the process and the part of the run that FILE, records of "
	    "another filter, is about", &p->like },
		{ TP_OPT_TEXT, "table", 't', "TABLE",
	    "which table a CSV is, when its header does not say", &run->table },
		{ TP_OPT_TEXT, "parser", 0, "libcsv",
	    "read CSV by libcsv and XML by expat alone: slower, for "
	    "comparison", &p->parser },
		{ TP_OPT_COUNT, "jobs", 'j', "N",
	    "read CSV or trace events in a file with N threads; the result "
	    "is the same (default: 1)", &p->jobs },
		{ TP_OPT_TEXT, "label", 'l', "TEXT",
		    "src of the records (default: the trace's name)",
		    &run->label },
		{ TP_OPT_TEXT, "stdin-name", 0, "NAME",
	    "name of the file that standard input holds", &p->name },
		{ TP_OPT_LIST, "meta", 0, "KEY=VALUE",
	    "add this to each trace, in a record of its own; repeatable",
	    p->metas },
		{ TP_OPT_LIST, "only", 0, "KIND[SCOPE]|@SET",
	    "write only these records, separated by commas: "
	    "'gpu.summary[all],step[wall_ns>1s]'; repeatable", p->onlys },
		{ TP_OPT_OUT, "output", 'o', "FILE",
		    "write FILE, whole or not at all", &p->output },
		{ TP_OPT_LIST, "write", 'w', "NAME=FILE",
	    "write the output called NAME to FILE; repeatable", p->writes },
		{ TP_OPT_LIST, "write-if", 0, "NAME=FILE",
	    "as --write, but write no FILE when there is nothing for it",
	    p->writes_if },
		{ TP_OPT_TEXT, "each", 0, "KIND.KEY",
	    "write a FILE for each value of KEY, which replaces '%' in its "
	    "name", &p->each },
		{ TP_OPT_BYTES, "max-bytes", 0, "SIZE",
	    "refuse a larger input (default: no limit)", &tp_limits.bytes },
		{ TP_OPT_BYTES, "max-line", 0, "SIZE",
		    "refuse a longer line, element or document (default: "
		    "64 MiB)", &tp_limits.line_bytes },
		{ TP_OPT_COUNT, "max-depth", 0, "N",
	    "refuse deeper nesting (default and maximum: 1024)",
	    &tp_limits.depth },
		{ TP_OPT_COUNT, "max-expand", 0, "N",
		    "refuse packed data of more than 64 MiB that inflates more "
		    "than N times (default: 1000)", &tp_limits.expand },
		{ TP_OPT_TEXT, "files-from", 0, "FILE",
	    "also read the files that FILE lists, one per line or each ended "
	    "by a NUL; an empty FILE lists none", &p->files_from },
		{ TP_OPT_TEXT, "ok", 0, "STATUS",
	    "exit 0 instead of STATUS, 1 or 3 (3: damaged input); notes "
	    "still say what happened", &p->ok },
		{ TP_OPT_FLAG, "strict", 0, NULL,
	    "exit 3 if anything was damaged", &run->strict },
		{ TP_OPT_FLAG, "quiet", 'q', NULL,
		    "no warnings on standard error", &run->quiet },
	};
	size_t n = 0, i;

	for (; t->options && t->options[n].type; n++)
		list[n] = t->options[n];
	for (i = 0; i < sizeof common / sizeof *common; i++) {
		const char *name = common[i].name;

		if ((!strcmp(name, "process") &&
		    !(t->flags & TP_TOOL_TARGET)) ||
		    ((!strcmp(name, "from") || !strcmp(name, "to") ||
		    !strcmp(name, "last")) &&
		    !(t->flags & TP_TOOL_WINDOW)) ||
		    (!strcmp(name, "like") && (!(t->flags & TP_TOOL_TARGET) ||
		    !(t->flags & TP_TOOL_WINDOW))) ||
		    ((!strcmp(name, "table") || !strcmp(name, "parser")) &&
		    !(t->flags & TP_TOOL_TABLES)) ||
		    (!strcmp(name, "jobs") &&
		    !(t->flags & (TP_TOOL_TABLES | TP_TOOL_EVENTS))) ||
		    ((!strcmp(name, "label") || !strcmp(name, "meta") ||
		    !strcmp(name, "stdin-name")) &&
		    !(t->flags & (TP_TOOL_TABLES | TP_TOOL_DOCUMENTS |
		    TP_TOOL_EVENTS))) ||
		    ((!strcmp(name, "write") || !strcmp(name, "each")) &&
		    !(t->flags & TP_TOOL_WRITES)) ||
		    (!strcmp(name, "write-if") &&
		    !(t->flags & TP_TOOL_WRITES_IF)) ||
		    ((!strcmp(name, "output") || !strcmp(name, "strict") ||
		    !strcmp(name, "ok") || !strncmp(name, "max-", 4)) &&
		    (t->flags & TP_TOOL_BYTES)) ||
		    (!strcmp(name, "files-from") && !takes_files(t)) ||
		    (!strcmp(name, "only") && !(t->flags &
		    (TP_TOOL_TABLES | TP_TOOL_DOCUMENTS |
		    TP_TOOL_EVENTS))))
			continue;
		list[n++] = common[i];
	}
	*count = n;
	return list;
}

/* HINT: the likely intention, or "". */
static void
usage_error(struct tp_run *run, const char *what, const char *arg,
    const char *hint)
{
	struct tp_buf buf = { 0 };

	tp_tool_usage(run->tool, &buf);
	tp_say(run, "%s '%s'%s", what, arg, hint);
	fprintf(stderr, "%s\n", buf.p ? buf.p : "");
	leave(run, TP_USAGE);
}

static void
unknown_option(struct tp_run *run, const struct tp_option *list,
    size_t count, const char *said)
{
	struct tp_choice choice;
	char hint[96] = "";

	tp_choice_init(&choice, said + strspn(said, "-"));
	for (size_t i = 0; i < count; i++)
		tp_choice_add(&choice, list[i].name);
	if (*choice.near)
		snprintf(hint, sizeof hint, "; did you mean '--%s'?",
		    choice.near);
	usage_error(run, "unknown option", said, hint);
}

/* SAID: the option as the user wrote it. */
static void
store(struct tp_run *run, const struct tp_option *o, const char *said,
    const char *arg)
{
	static const struct {
		enum tp_dim dim;
		const char *is;
	} numbers[] = {
		[TP_OPT_COUNT] = { TP_DIM_PLAIN, "a whole number" },
		[TP_OPT_NS] = { TP_DIM_TIME, "a duration such as 200us" },
		[TP_OPT_BYTES] = { TP_DIM_BYTES, "a size such as 16KiB" },
	};
	const char **list;
	char what[80];
	int64_t n;
	size_t i;

	switch (o->type) {
	case TP_OPT_FLAG:
		*(int *)o->value = 1;
		return;
	case TP_OPT_TEXT:
	case TP_OPT_OUT:
		*(const char **)o->value = arg;
		return;
	case TP_OPT_MAYBE:
		*(const char **)o->value = arg ? arg : "";
		return;
	case TP_OPT_LIST:
		list = o->value;
		for (i = 0; i < TP_OPT_LIST_MAX - 1 && list[i]; i++)
			continue;
		if (i == TP_OPT_LIST_MAX - 1)
			tp_die(run, TP_USAGE, "more than %d times --%s", (int)i,
			    o->name);
		list[i] = arg;
		return;
	case TP_OPT_COUNT:
	case TP_OPT_NS:
	case TP_OPT_BYTES:
		if (tp_unit_parse(numbers[o->type].dim, arg, strlen(arg),
		    &n) < 0 || n < 0) {
			snprintf(what, sizeof what, "%s takes %s, not",
			    said, numbers[o->type].is);
			usage_error(run, what, arg, "");
		}
		*(int64_t *)o->value = n;
		return;
	default:
		return;
	}
}

/*
 * Die if a limit is out of range.  DEPTH and OTHERS begin the message:
 * "--max-depth takes".
 */
static void
check_limits(struct tp_run *run, const char *depth, const char *others)
{
	if (tp_limits.depth < 1 || tp_limits.depth > TP_DEPTH_MAX)
		tp_die(run, TP_USAGE, "%s 1 to %d", depth, TP_DEPTH_MAX);
	if (tp_limits.line_bytes < 1 || tp_limits.expand < 1)
		tp_die(run, TP_USAGE, "%s 1 and more", others);
}

/*
 * Set limit O, which was not given as an option, from its environment variable
 * if that is set.
 */
static void
limit_by_environment(struct tp_run *run, const struct tp_option *o)
{
	static const char *const variables[][2] = {
		{ "max-bytes", "TP_MAX_BYTES" },
		{ "max-line", "TP_MAX_LINE" },
		{ "max-depth", "TP_MAX_DEPTH" },
		{ "max-expand", "TP_MAX_EXPAND" },
	};
	const char *name, *value;
	char takes[32];

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		name = variables[i][1];
		value = strcmp(o->name, variables[i][0]) ? NULL :
		    getenv(name);
		if (!value || !*value)
			continue;
		store(run, o, name, value);
		snprintf(takes, sizeof takes, "%s takes", name);
		check_limits(run, takes, takes);
	}
}

/* Append the names in the file of --files-from to the operands. */
static void
files_from(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	struct tp_buf *text = &p->files_text;
	const char *path = p->files_from;
	size_t count = 0, n = (size_t)run->operand_count;
	char **all, *at, *end;
	int sep;

	if ((run->tool->flags & TP_TOOL_FIRST) && !n && !*p->writes &&
	    !*p->writes_if)
		tp_die(run, TP_USAGE, "--files-from names files; the operand "
		    "before them is missing: %s", run->tool->operands);
	if (tp_file_read(strcmp(path, "-") ? path : "/dev/stdin", text,
	    &run->err) < 0)
		tp_die_err(run);
	/* NULs separate names that may contain newlines */
	sep = text->len && memchr(text->p, '\0', text->len) ? '\0' : '\n';
	tp_buf_chr(text, (char)sep);
	for (size_t i = 0; i < text->len; i++)
		count += text->p[i] == sep;
	all = tp_alloc((n + count + 1) * sizeof *all);
	for (size_t i = 0; i < n; i++)
		all[i] = run->operands[i];
	for (at = text->p; at < text->p + text->len; at = end + 1) {
		end = memchr(at, sep, (size_t)(text->p + text->len - at));
		*end = '\0';
		if (*at)
			all[n++] = at;
	}
	all[n] = NULL;
	if (n > INT_MAX)
		tp_die(run, TP_LIMIT, "too many files");
	p->operands = all;
	run->operands = all;
	run->operand_count = (int)n;
}

/* Exit behind what --help or --version printed. */
static void
end_help(struct tp_run *run)
{
	if (fflush(stdout) || ferror(stdout))
		tp_die(run, TP_IO, "cannot write standard output: %s",
		    strerror(errno));
	leave(run, TP_OK);
}

/* Parse the options with getopt_long; --help and --version exit here. */
static void
options(struct tp_run *run, int argc, char **argv)
{
	char given[OPTIONS_MAX] = { 0 }, said[80];
	size_t count, i;
	struct tp_option *list = tp_tool_options(run, &count);
	struct option longs[OPTIONS_MAX + 3];
	char shorts[2 * OPTIONS_MAX + 8] = ":hV";
	int c, at;

	for (i = 0; i < count; i++) {
		longs[i].name = list[i].name;
		longs[i].has_arg = list[i].type == TP_OPT_FLAG ? no_argument :
		    list[i].type == TP_OPT_MAYBE ? optional_argument :
		    required_argument;
		longs[i].flag = NULL;
		longs[i].val = 256 + (int)i;
		if (list[i].letter) {
			at = (int)strlen(shorts);
			shorts[at++] = (char)list[i].letter;
			if (longs[i].has_arg == required_argument)
				shorts[at++] = ':';
			shorts[at] = '\0';
		}
	}
	longs[count] = (struct option){ "help", optional_argument, NULL, 'h' };
	longs[count + 1] = (struct option){ "version", no_argument, NULL,
	    'V' };
	longs[count + 2] = (struct option){ 0 };
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == 'h') {
			tp_tool_help(run, list, count, optarg ? optarg : "");
			end_help(run);
		}
		if (c == 'V') {
			printf("%s (tracepipe) %s\n", run->tool->name,
			    TP_VERSION);
			end_help(run);
		}
		if (c == ':')
			usage_error(run, "an argument is missing after",
			    argv[optind - 1], "");
		if (c == '?')
			unknown_option(run, list, count, argv[optind - 1]);
		for (i = 0; i < count; i++)
			if (c == 256 + (int)i || c == list[i].letter)
				break;
		given[i] = 1;
		snprintf(said, sizeof said, "--%s", list[i].name);
		store(run, &list[i], said, optarg);
	}
	check_limits(run, "--max-depth takes",
	    "--max-line and --max-expand take");
	for (i = 0; i < count; i++)
		if (!given[i])
			limit_by_environment(run, &list[i]);
	run->operands = argv + optind;
	run->operand_count = argc - optind;
	if (run->private->files_from)
		files_from(run);
	if (run->private->ok && (!*run->private->ok ||
	    strspn(run->private->ok, "13,") != strlen(run->private->ok)))
		usage_error(run, "--ok takes 1, 3 or 1,3, not",
		    run->private->ok, "");
}

void
tp_speak_as(struct tp_run *run, const char *name)
{
	static struct tp_tool other;

	if (!name)
		return;
	if (!*name || strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm"
	    "nopqrstuvwxyz0123456789._-") != strlen(name))
		tp_die(run, TP_USAGE, "--as takes the name of a program, not "
		    "'%s'", name);
	other = *run->tool;
	other.name = name;
	run->tool = &other;
}

void
tp_need_input(struct tp_run *run)
{
	const char *const *e = run->tool->examples;
	struct tp_buf buf = { 0 };

	if (!isatty(STDIN_FILENO))
		return;
	tp_tool_usage(run->tool, &buf);
	fprintf(stderr, "%s: nothing to read: standard input is a terminal\n"
	    "%s\n%s%s\n", run->tool->name, buf.p ? buf.p : "",
	    e && *e ? "for example: " : "", e && *e ? *e : "");
	leave(run, TP_USAGE);
}

/* Drop files given twice, whose rows would be counted double. */
static void
drop_repeated(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	struct tp_ids seen = { 0 };
	size_t kept = 0, known;
	struct stat st;

	for (size_t i = 0; i < p->input_count; i++) {
		const char *path = p->inputs[i].path;

		known = seen.count;
		if (strcmp(path, "-") && !stat(path, &st) &&
		    S_ISREG(st.st_mode)) {
			tp_ids_add(&seen, (uint64_t)st.st_dev,
			    (uint64_t)st.st_ino);
			if (seen.count == known) {
				tp_warn(run, "%s: given twice, read once",
				    path);
				continue;
			}
		}
		p->inputs[kept++] = p->inputs[i];
	}
	p->input_count = kept;
	tp_ids_release(&seen);
}

/* Refuse an output that would overwrite an input. */
static void
refuse_output(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	struct stat out, in;

	if (!p->output || stat(p->output, &out) || !S_ISREG(out.st_mode))
		return;
	for (size_t i = 0; i < p->input_count; i++)
		if (strcmp(p->inputs[i].path, "-") &&
		    !stat(p->inputs[i].path, &in) &&
		    in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			tp_die(run, TP_USAGE, "--output '%s' is an input: "
			    "choose another name", p->output);
}

void
tp_start(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	static char dash[] = "-", *standard[] = { dash, NULL };
	char **paths = run->operands;
	size_t i, n = (size_t)run->operand_count;

	if (!n && !p->files_from) {
		tp_need_input(run);
		paths = standard;
		n = 1;
	}
	p->inputs = tp_zalloc((n + 1) * sizeof *p->inputs);
	for (i = 0; i < n; i++)
		p->inputs[i].path = paths[i];
	p->input_count = n;
	/* filters that read documents may compare a file with itself */
	if (run->tool->flags & (TP_TOOL_TABLES | TP_TOOL_EVENTS) ||
	    (run->tool->flags & TP_TOOL_RECORDS &&
	    !(run->tool->flags & TP_TOOL_DOCUMENTS)))
		drop_repeated(run);
	refuse_output(run);
	if (run->tool->flags & TP_TOOL_STARTS)
		tp_tool_confine(run);
	if (run->tool->flags & (TP_TOOL_TABLES | TP_TOOL_DOCUMENTS |
		    TP_TOOL_EVENTS))
		tp_tool_name_traces(run);
}

void
tp_begin(struct tp_run *run, const struct tp_tool *tool, int argc,
    char **argv)
{
	static struct tp_run_private private;
	static cJSON_Hooks hooks = { tp_alloc, tp_free };

	memset(run, 0, sizeof *run);
	run->tool = tool;
	run->want = tool->events;
	run->private = &private;
	run->window.to_ns = INT64_MAX;
	private.jobs = 1;
	cJSON_InitHooks(&hooks);
	tp_quit_name(tool->name);
	tp_hash_seed(tp_os_random());
	options(run, argc, argv);
	tp_tool_take_only(run);
	tp_check_metas(run, private.metas);
	tp_tool_check_writes(run);
	if ((tool->flags & TP_TOOL_FIRST) && run->operand_count &&
	    !tp_writes(run)) {
		run->first = *run->operands++;
		run->operand_count--;
	}
	if (private.jobs < 1)
		tp_die(run, TP_USAGE, "--jobs takes 1 and more");
	if (private.parser && strcmp(private.parser, "libcsv"))
		usage_error(run, "--parser knows libcsv, not",
		    private.parser, "");
	if (tool->flags & TP_TOOL_TABLES) {
		private.tables = tp_tables_load(&run->err);
		if (!private.tables)
			tp_die_err(run);
	}
	tp_out_init(&run->out, private.output ? tp_tool_create(run,
	    &private.aside, private.output) : STDOUT_FILENO);
	if (!(tool->flags & TP_TOOL_STARTS))
		tp_tool_confine(run);
	if (private.like)
		tp_tool_like_read(run);
	/* with --like, the process was found by the filter that wrote FILE */
	private.seek_process = private.process && !private.like;
	if (tool->flags & (TP_TOOL_TABLES | TP_TOOL_RECORDS |
	    TP_TOOL_DOCUMENTS | TP_TOOL_EVENTS) &&
	    !(tool->flags & TP_TOOL_LATE))
		tp_start(run);
	if (private.from || private.to || private.last)
		tp_tool_window(run);
	run->out.only = private.only.p;
	run->out.starts = tp_tool_progress_output;
	run->out.starts_arg = run;
}

/* The counter for the kind of damage in run->err, created if new. */
static struct tp_damage *
damage_of(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	const struct tp_err *e = &run->err;
	const char *what = e->what ? e->what : e->code;
	struct tp_damage *d;

	for (size_t i = 0; i < p->damage_count; i++) {
		d = &p->damages[i];
		if (d->trace == run->trace && d->file == run->file &&
		    !strcmp(d->code, e->code) && !strcmp(d->what, what))
			return d;
	}
	d = TP_PUSH(p->damages, p->damage_count, p->damage_cap);
	d->trace = run->trace;
	d->file = run->file;
	d->code = e->code;
	d->what = what;
	return d;
}

void
tp_skip(struct tp_run *run)
{
	const struct tp_err *e = &run->err;
	struct tp_damage *d;
	int status;

	/* a damaged installed file is fatal, not a row to skip */
	if (e->status == TP_IO || e->status == TP_LIMIT ||
	    e->status == TP_USAGE || !strcmp(e->code, "share.damaged"))
		tp_die_err(run);
	d = damage_of(run);
	if (d->count++) {
		if (run->trace)
			run->trace->notes[d->note].count++;
		return;
	}
	if (!run->quiet && e->line)
		tp_warn(run, "%s:%llu: %s; row skipped", run->file,
		    (unsigned long long)e->line, e->text);
	else if (!run->quiet)
		tp_warn(run, "%s: %s; skipped", run->file, e->text);
	status = run->strict ? TP_BAD : TP_OK;
	tp_status_at_least(run, (enum tp_status)status);
	if (!run->trace)
		return;
	if (e->line)
		d->note = tp_trace_note(run->trace, e->code, status, 1,
		    "%s: %s (first in line %llu); skipped", run->file,
		    e->text, (unsigned long long)e->line);
	else
		d->note = tp_trace_note(run->trace, e->code, status, 1,
		    "%s: %s; skipped", run->file, e->text);
}

void
tp_take(struct tp_run *run, int rc)
{
	if (rc >= 0)
		return;
	if ((run->private->rows || run->private->reading_text) &&
	    run->row.source >= 0)
		run->trace->sources[run->row.source].skipped++;
	else if (run->private->reading_events)
		run->trace->sources[run->private->source_from].skipped++;
	tp_skip(run);
}

void
tp_analyse(struct tp_run *run, int (*add)(struct tp_run *),
    int (*emit)(struct tp_run *))
{
	while (tp_next(run))
		tp_take(run, add(run));
	while (tp_next_trace(run))
		tp_take(run, emit(run));
}

int
tp_is_called(const char *program, const char *name)
{
	return !strcmp(tp_base(program), name);
}

/*
 * Report the number of each kind of damage; the first of each was reported when
 * it occurred.
 */
static void
count_damage(struct tp_run *run)
{
	const struct tp_run_private *p = run->private;

	for (size_t i = 0; i < p->damage_count; i++)
		if (p->damages[i].count > 1)
			tp_warn(run, "%s: %llu rows skipped like that (%s)",
			    p->damages[i].file,
			    (unsigned long long)p->damages[i].count,
			    p->damages[i].what);
}

int
tp_is_bold(const struct tp_run *run)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && *no) && term && *term && strcmp(term, "dumb") &&
	    isatty(run->out.fd);
}

/*
 * Whether the locale is UTF-8, judged by its name because setlocale() is not
 * called.
 */
static int
is_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *name = NULL;

	for (size_t i = 0; i < 3 && !(name && *name); i++)
		name = getenv(variables[i]);
	for (; name && *name; name++)
		if ((*name | 0x20) == 'u' && (name[1] | 0x20) == 't' &&
		    (name[2] | 0x20) == 'f' &&
		    name[3 + (name[3] == '-')] == '8')
			return 1;
	return 0;
}

int
tp_is_screen(const struct tp_run *run, struct tp_screen *screen)
{
	screen->width = tp_os_columns(run->out.fd);
	screen->utf8 = is_utf8();
	screen->dots = screen->utf8 ? "\xe2\x80\xa6" : "..";
	return screen->width > 0;
}

int
tp_end(struct tp_run *run)
{
	struct tp_run_private *p = run->private;

	count_damage(run);
	run->file = NULL;
	tp_tool_tell_asked(run);
	if (*tp_cond_was_old())
		tp_warn(run, "a condition has an old form, which is still "
		    "read; write '%s' now: CONDITIONS of tp-record(5)",
		    tp_cond_was_old());
	tp_tool_progress_end(run);
	if (tp_out_flush(&run->out, &run->err) < 0)
		tp_die(run, run->err.status, "cannot write %s: %s",
		    p->output ? p->output : "standard output", run->err.text);
	if (!p->output && close(run->out.fd) < 0 && errno != EBADF)
		tp_die(run, TP_IO, "cannot write standard output: %s",
		    strerror(errno));
	if (p->output && p->status != TP_IO)
		tp_tool_finish(run, &p->aside);
	tp_output_drop(&p->aside);
	cJSON_Delete(run->document);
	tp_out_release(&run->out);
	tp_rows_close(p->rows);
	tp_tool_free_events(run);
	if (p->lines_open)
		tp_lines_release(&p->lines);
	tp_in_close(p->in);
	return p->ok && strchr(p->ok, '0' + p->status) ? TP_OK : p->status;
}
