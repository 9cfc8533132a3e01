/*
 * tp-look - what files are, which recording they are of, what a report uses
 *
 * Writes an "input" record per file of any kind: a file that cannot be read
 * does not hide the others.  With --into it links the files that a report
 * reads into a folder, under its own names, for the recipe.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/file.h>
#include <tp/json.h>
#include <tp/limits.h>
#include <tp/look.h>
#include <tp/order.h>
#include <tp/os.h>
#include <tp/text.h>
#include <tp/tool.h>
#include <tp/tool/fetch.h>

#include "look.h"

extern char **environ;

static int as_list, digests;
static const char *wanted, *into, *notes, *as;
static const char *metas[TP_OPT_LIST_MAX];

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "list", 0, NULL, "print a line per file for people "
	    "instead of records", &as_list },
	{ TP_OPT_TEXT, "run", 'r', "RECORDING",
	    "if there are several recordings of Instruments, or captures, use "
	    "the one called RECORDING", &wanted },
	{ TP_OPT_FLAG, "sha256", 0, NULL,
	    "add the SHA-256 of each file, which reads all of it", &digests },
	{ TP_OPT_OUT, "into", 0, "DIR",
	    "link the files that a report reads into DIR, by number and "
	    "role, and write DIR/input.jsonl", &into },
	{ TP_OPT_TEXT, "notes", 0, "FILE",
	    "also link FILE, a person's notes, into DIR (default: notes.md "
	    "in or beside PATH)", &notes },
	{ TP_OPT_LIST, "meta", 0, "KEY=VALUE",
	    "record this about the run in DIR/meta.jsonl; repeatable", metas },
	{ TP_OPT_TEXT, "as", 0, "NAME",
	    "begin messages with NAME, the script that calls", &as },
	{ 0 }
};

static const char *const examples[] = {
	"tp-look flux_first_run | jq -r '[.state, .path, .text] | @tsv'",
	"tp-look flux_first_run | tp-render look",
	"tp-look --list traces",
	"tp-look --sha256 traces > before.jsonl",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-look",
	.does = "what files are, which recording they are of, what a report "
	    "uses",
	.operands = "[PATH...]",
	.reads = "any files, and all files in folders",
	.writes = "input input.recording input.summary",
	.group = "look",
	.examples = examples,
	.flags = TP_TOOL_LATE,
	.options = options,
};

static struct tp_look look;

/*
 * The path that names the whole: the first operand, or the folder of its files
 * if others lie beside them.
 */
static const char *
named_by(void)
{
	const struct tp_look_file *f = look.files;

	for (size_t i = 1; i < look.count && !f->operand; i++)
		if (f[i].operand && f[i].operand < look.trace_count &&
		    f[i].role && !strcmp(f[i].given, f->given))
			return f->given;
	return look.operands[0];
}

/* What the whole is called: by the artifact that it is, or its path. */
static char *
name_trace(struct tp_buf *artifact)
{
	const char *first = named_by(), *ref, *name;
	struct cJSON *about = NULL;
	char *trace;
	struct stat st;
	size_t len;

	if (!stat(first, &st) && S_ISDIR(st.st_mode))
		about = tp_fetch_about(first);
	ref = about ? tp_json_text(about, "artifact_ref") : NULL;
	if (ref && *ref) {
		/* run-ID-profiler:v0 is the run ID */
		const char *mid;

		tp_buf_str(artifact, ref);
		name = tp_base(ref);
		mid = strstr(name, "-profiler:");
		len = strlen(name);
		trace = tp_alloc(len + 1);
		if (!strncmp(name, "run-", 4) && mid > name + 4)
			sprintf(trace, "%.*s%s", (int)(mid - name - 4),
			    name + 4, mid + 9);
		else
			strcpy(trace, name);
	} else {
		trace = tp_trace_name(first);
	}
	cJSON_Delete(about);
	return trace;
}

/* The chosen one of several recordings has its own name, else TRACE. */
static char *
name_recording(char *trace)
{
	if (look.recording_count < 2 || look.chosen == TP_LOOK_ANY)
		return trace;
	tp_free(trace);
	trace = tp_dup(look.recordings[look.chosen].name);
	return trace;
}

/* Digests stand in the records, which are all that asks for them. */
static void
digest(struct tp_run *run)
{
	for (size_t i = 0; i < look.count; i++) {
		struct tp_look_file *f = &look.files[i];

		if (f->bytes >= 0 && f->state != TP_LOOK_LOST &&
		    tp_os_sha256(f->path, f->sha256) < 0)
			tp_die(run, TP_IO, "%s: cannot read: %s", f->path,
			    strerror(errno));
	}
}

static void
emit_look_records(struct tp_out *out, const char *trace, const char *artifact)
{
	int64_t states[4] = { 0 };

	for (size_t i = 0; i < look.count; i++)
		states[look.files[i].state]++;
	tp_look_emit(&look, out);
	for (size_t i = 0; i < look.recording_count; i++) {
		tp_out_begin(out, "input.recording");
		tp_out_text(out, "recording", look.recordings[i].name);
		tp_out_int(out, "table_count",
		    (int64_t)look.recordings[i].table_count);
		tp_out_bool(out, "is_chosen", i == look.chosen);
		tp_out_end(out);
	}
	tp_out_begin(out, "input.summary");
	tp_out_text(out, "trace", trace);
	tp_out_text(out, "source", tp_look_source_name(look.source));
	tp_out_text(out, "artifact", artifact);
	tp_out_int(out, "file_count", (int64_t)look.count);
	tp_out_int(out, "used_count", states[TP_LOOK_USED]);
	tp_out_int(out, "counted_count", states[TP_LOOK_COUNTED]);
	tp_out_int(out, "unused_count", states[TP_LOOK_UNUSED]);
	tp_out_int(out, "lost_count", states[TP_LOOK_LOST]);
	tp_out_end(out);
}

/* What cannot be read, a line each; and what is to be said of all. */
static void
warn_lost_files(struct tp_run *run)
{
	for (size_t i = 0; i < look.count; i++) {
		const struct tp_look_file *f = &look.files[i];

		if (f->state == TP_LOOK_LOST)
			tp_status_at_least(run, TP_BAD);
		if (!f->is_summed && (f->state == TP_LOOK_LOST || (f->code &&
		    (!strcmp(f->code, "trace.mixed") ||
		    !strcmp(f->code, "source.other")))))
			tp_warn(run, "'%s': %s", f->path, f->why);
	}
	for (size_t i = 0; i < look.remark_count; i++)
		tp_warn(run, "%s", look.remarks[i].text);
}

static void
several(struct tp_run *run)
{
	struct tp_buf names = { 0 };

	if (look.captures)
		tp_die(run, TP_USAGE, "'%s'%s %zu captures: %s; name one with "
		    "--run", look.operands[0], look.operand_count > 1 ?
		    " and what follows it hold" : " holds",
		    look.recording_count, look.captures);
	for (size_t i = 0; i < look.recording_count && i < 20; i++)
		tp_buf_fmt(&names, "%s%s", i ? ", " : "",
		    look.recordings[i].name);
	tp_die(run, TP_USAGE, "'%s'%s %zu recordings: %s%s; choose one "
	    "with --run", look.operands[0], look.operand_count > 1 ?
	    " and what follows it hold" : " holds", look.recording_count,
	    names.p, look.recording_count > 20 ? " ..." : "");
}

/* How many captures of JAX the operands are: each is in its own folder. */
static size_t
capture_folders(void)
{
	struct tp_names folders = { 0 };
	const char *path;
	size_t n;

	for (size_t i = 0; i < look.count; i++) {
		path = look.files[i].path;
		if (look.files[i].role && !strcmp(look.files[i].role, "trace"))
			tp_names_add(&folders, path, strrchr(path, '/') ?
			    (size_t)(strrchr(path, '/') - path) : 0);
	}
	n = folders.count;
	tp_names_release(&folders);
	return n;
}

static int
any(enum tp_format format, const char *table)
{
	for (size_t i = 0; i < look.count; i++)
		if (look.files[i].format == format && (!table ||
		    (look.files[i].table &&
		    !strcmp(look.files[i].table, table))))
			return 1;
	return 0;
}

/* What F is, in words. */
static const char *
what_is(const struct tp_look_file *f)
{
	return f->why ? f->why : f->what ? f->what :
	    f->format == TP_FORMAT_CSV ? "text whose header names no table" :
	    f->format == TP_FORMAT_XCTRACE ? "XML, but no export of xctrace" :
	    f->format == TP_FORMAT_JSON ? "JSON of another kind" :
	    f->format == TP_FORMAT_BINARY ? "binary data" :
	    tp_format_name(f->format);
}

/* Nothing in FIRST is read: say what the first files are. */
static void
no_table(struct tp_run *run, const char *first)
{
	struct tp_buf files = { 0 };
	const struct tp_look_file *f;
	size_t n = 0;
	struct stat st;

	if (look.count == 1 && !stat(first, &st) && !S_ISDIR(st.st_mode)) {
		/* its own words say what to do */
		if (look.files[0].why) {
			tp_warn(run, "'%s': %s", first, look.files[0].why);
			return;
		}
		tp_buf_str(&files, what_is(look.files));
		n = 1;
	}
	for (; n < look.count && n < 3; n++) {
		f = &look.files[n];
		tp_buf_fmt(&files, "%s%s (%s)", n ? ", " : "",
		    f->name ? f->name : f->path, what_is(f));
	}
	if (look.count > n)
		tp_buf_fmt(&files, " and %zu more files", look.count - n);
	tp_warn(run, "'%s' holds no table and no trace that tracepipe knows: "
	    "%s", first, files.len ? files.p : "it is "
	    "empty, or holds only hidden files");
	tp_buf_release(&files);
	tp_warn(run, "a report is made of exports of Instruments (XML, CSV or "
	    "JSON), *.xplane.pb of JAX, *.json of torch.profiler, a database "
	    "of Nsight Systems (nsys export --type sqlite) or rocprofv3 "
	    "(--hip-trace --kernel-trace --output-format rocpd), or a run "
	    "folder of ExecuTorch; on the Mac: tp-export RUN.trace");
}

/* Die of what no report can be made of. */
static void
check(struct tp_run *run)
{
	const char *first = look.operands[0];
	size_t pointers = 0, whole = 0, n = strlen(first);
	struct tp_buf word = { 0 };
	struct stat st;

	for (size_t i = 0; i < look.count; i++) {
		int is_pointer = look.files[i].format == TP_FORMAT_LFS;

		pointers += (size_t)is_pointer;
		whole += !is_pointer && look.files[i].what;
	}
	while (n > 1 && first[n - 1] == '/')
		n--;
	if (!pointers && !whole && n > 6 &&
	    !strncmp(first + n - 6, ".trace", 6) && !stat(first, &st) &&
	    S_ISDIR(st.st_mode)) {
		tp_shell_word(&word, first);
		tp_die(run, TP_NO, "'%s' is a trace, not the exports of one; "
		    "on the Mac: tp-export %s, and then tp-report on the "
		    "folder it made", first, word.p ? word.p : "");
	}
	if (pointers && !whole)
		tp_die(run, TP_NO, "'%s' holds %zu git-LFS pointers in place "
		    "of files; 'git lfs pull' in that repository fetches "
		    "them", first, pointers);
	if (as_list && look.source != TP_LOOK_NONE)
		return;
	if (look.recording_count > 1 && look.chosen == TP_LOOK_ANY)
		several(run);
	if (look.trace_count > 1 && look.source == TP_LOOK_JAX &&
	    capture_folders() > 1)
		tp_die(run, TP_USAGE, "these are several captures: name one, "
		    "or compare them");
	if (look.source != TP_LOOK_NONE)
		return;
	if (any(TP_FORMAT_CSV, "log"))
		tp_warn(run, "'%s' holds a log of XNNPACK and no table "
		    "of an ETDump: tp-kernels says which kernels the log "
		    "names", first);
	else if (any(TP_FORMAT_STACKS, NULL))
		tp_warn(run, "'%s' holds folded stacks and no trace to show "
		    "them beside: tp-cpu-top reads them alone, for tp-render "
		    "cpu-top", first);
	else
		no_table(run, first);
	tp_status_at_least(run, TP_NO);
	if (!as_list)
		exit(tp_end(run));
}

/* TEXT as DIR/NAME: left alone when that says so already. */
static void
put(struct tp_run *run, const char *name, const struct tp_buf *text)
{
	struct tp_buf path = { 0 }, now = { 0 };
	struct tp_err err = { 0 };
	struct stat st;

	tp_buf_fmt(&path, "%s/%s", into, name);
	if (lstat(path.p, &st) < 0 || !S_ISREG(st.st_mode) ||
	    tp_file_read(path.p, &now, &err) < 0 || now.len != text->len ||
	    (now.len && memcmp(now.p, text->p, now.len)))
		tp_write_file(run, path.p, text->p, text->len);
	tp_buf_release(&now);
	tp_buf_release(&path);
}

/* What the user says about the run. */
static void
emit_metas(struct tp_run *run, struct tp_out *out, const char *artifact)
{
	if (artifact) {
		tp_out_begin(out, "meta");
		tp_out_text(out, "key", "artifact");
		tp_out_text(out, "value", artifact);
		tp_out_end(out);
	}
	tp_check_metas(run, metas);
	tp_emit_metas(out, metas);
}

TP_ORDER(by_text, char *const, TP_BY(strcmp(*a, *b)))

/* The settings that the recipe's filters get as variables (all names that
 * begin with TP_; a platform may be a file), and the list of inputs, because a
 * result made of several changes when one is added. */
static void
tell_asked(struct tp_run *run, struct tp_buf *text, const char *trace)
{
	const char *asked[256], *platform = getenv("TP_PLATFORM");
	struct timespec content, any;
	struct stat st;
	size_t n = 0;

	for (char **e = environ; *e && n < 256; e++)
		if (!strncmp(*e, "TP_", 3))
			asked[n++] = *e;
	if (n == 256)
		tp_die(run, TP_USAGE, "more than 255 variables TP_*");
	TP_SORT(asked, n, by_text);
	tp_buf_fmt(text, "%s\n", trace);
	for (size_t i = 0; i < n; i++)
		tp_buf_fmt(text, "%s\n", asked[i]);
	if (platform && strchr(platform, '/') && !stat(platform, &st)) {
		tp_os_changed(&st, &content, &any);
		tp_buf_fmt(text, "%lld %lld.%09ld\n", (long long)st.st_size,
		    (long long)any.tv_sec, (long)any.tv_nsec);
	}
	for (size_t i = 0; i < look.count; i++)
		if (look.files[i].role && *look.files[i].link)
			tp_buf_fmt(text, "%s/%s\n", look.files[i].role,
			    look.files[i].link);
}

static void
link_all(struct tp_run *run, const char *trace, const char *artifact)
{
	struct tp_out out = { .fd = -1, .src = trace };
	struct tp_buf generated_by = { 0 }, asked = { 0 };

	if (tp_look_link(&look, into, &run->err) < 0 ||
	    tp_look_fingerprint(&generated_by, &run->err) < 0)
		tp_die_err(run);
	put(run, "made-by", &generated_by);
	tell_asked(run, &asked, trace);
	put(run, "asked", &asked);
	tp_out_init(&out, -1);
	out.src = NULL;
	emit_metas(run, &out, artifact);
	put(run, "meta.jsonl", &out.buf);
	tp_buf_clear(&out.buf);
	out.src = trace;
	tp_look_notes(&look, &out);
	put(run, "lost.jsonl", &out.buf);
	tp_buf_clear(&out.buf);
	emit_look_records(&out, trace, artifact);
	put(run, "input.jsonl", &out.buf);
	tp_out_release(&out);
	tp_buf_release(&generated_by);
	tp_buf_release(&asked);
}

/* The folder that reports are written into is no input. */
static void
pass_over_output(struct tp_run *run)
{
	struct tp_buf parent = { 0 };
	struct stat st;

	tp_buf_fmt(&parent, "%s/..", into);
	if (mkdir(into, 0777) < 0 && errno != EEXIST)
		tp_die(run, TP_IO, "cannot make the folder '%s': %s", into,
		    strerror(errno));
	if (!stat(parent.p, &st)) {
		look.skip = 1;
		look.skip_dev = st.st_dev;
		look.skip_ino = st.st_ino;
	}
	tp_buf_release(&parent);
}

static void
look_at(struct tp_run *run)
{
	struct stat st;

	if (!run->operand_count && !into) {
		tp_need_input(run);
		if (tp_look_add(&look, "-", &run->err) < 0)
			tp_die_err(run);
	}
	for (int i = 0; i < run->operand_count; i++) {
		if (!strcmp(run->operands[i], "-"))
			tp_need_input(run);
		if (look.skip && !stat(run->operands[i], &st) &&
		    st.st_dev == look.skip_dev && st.st_ino == look.skip_ino)
			tp_die(run, TP_USAGE, "-o must be another folder than "
			    "the trace itself");
		if (tp_look_add(&look, run->operands[i], &run->err) == 0)
			continue;
		/* one that is not there does not hide the others */
		if (into || run->err.status != TP_IO)
			tp_die_err(run);
		if (!look.count ||
		    look.files[look.count - 1].state != TP_LOOK_LOST)
			tp_say(run, "%s", run->err.text);
		tp_status_at_least(run, TP_IO);
	}
	if (tp_look_identify(&look, &run->err) < 0 ||
	    tp_look_sort(&look, wanted, &run->err) < 0)
		tp_die_err(run);
	tp_look_sum(&look);
	if (!into)
		return;
	if ((notes ? tp_look_add_notes(&look, notes, &run->err) :
	    look.trace_count ? tp_look_find_notes(&look, &run->err) : 0) < 0)
		tp_die_err(run);
}

int
main(int argc, char *argv[])
{
	struct tp_run run;
	static struct tp_buf artifact, lines;
	static char *trace;	/* reachable where check() ends the program */

	if (tp_is_called(argv[0], "tp-inventory"))
		return look_exports(argc, argv);
	if (tp_is_called(argv[0], "tp-manifest"))
		return look_manifest(argc, argv);
	tp_begin(&run, &tool, argc, argv);
	tp_speak_as(&run, as);
	tp_limits.bytes = 0;	/* it reads the beginning alone */
	if (tp_look_init(&look, &run.err) < 0)
		tp_die_err(&run);
	if (into)
		pass_over_output(&run);
	look_at(&run);
	if (look.trace_count) {
		trace = name_trace(&artifact);
		trace = name_recording(trace);
		warn_lost_files(&run);
		if (into)
			check(&run);
	}
	if (digests)
		digest(&run);
	if (into)
		link_all(&run, trace ? trace : "-", artifact.p);
	run.bare = as_list;
	if (as_list) {
		tp_look_list(&look, &lines);
		tp_out_raw(&run.out, lines.p ? lines.p : "", lines.len);
	} else if (!into) {
		run.out.src = trace;
		emit_look_records(&run.out, trace, artifact.p);
		tp_look_notes(&look, &run.out);
	}
	run.out.src = NULL;
	tp_free(trace);
	return tp_end(&run);
}
