/* trace_folder - folders of captures as operands of tp-trace */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tp/alloc.h>
#include <tp/choice.h>
#include <tp/os.h>
#include <tp/read/capture_folder.h>

#include "trace.h"

/* Folders that were given, and what was found there. */
static struct found {
	const char *folder, *file;	/* the first that is read */
	/* as in struct tp_capture */
	size_t passed_over, beside, folders, strays;
	struct cJSON *about;		/* the artifact it holds, or NULL */
} *found;
static size_t found_count, found_cap;

/* The folder that the file PATH was found in, and how much of PATH that is;
 * NULL: none. */
static const struct found *
found_in(const char *path, size_t *len)
{
	for (size_t i = 0; i < found_count; i++) {
		size_t n = strlen(found[i].folder);

		while (n > 1 && found[i].folder[n - 1] == '/')
			n--;
		*len = n + 1;
		if (!strncmp(path, found[i].folder, n) && path[n] == '/')
			return &found[i];
	}
	return NULL;
}

void
trace_digest(struct tp_run *run, const char *path, char hex[65])
{
	if (tp_os_sha256(path, hex) < 0)
		tp_die(run, TP_IO, "%s: cannot be read again", path);
}

/* A copy of PATH, never NULL. */
static void
tp_capture_note(struct tp_run *run, const char *code, size_t count,
    const char *text)
{
	if (count)
		tp_trace_note(run->trace, code, 0, count, "%s", text);
}

void
trace_about_file(struct tp_run *run)
{
	struct tp_source *source =
	    &run->trace->sources[run->trace->source_count - 1];
	size_t len;
	const struct found *f = found_in(run->path, &len);

	if (trace_sha256)
		trace_digest(run, run->path, source->sha256);
	if (!f)
		return;
	tp_free(source->file);
	source->file = tp_dup(run->path + len);
	if (strcmp(f->file, run->path))
		return;
	tp_capture_note(run, "capture.older", f->passed_over,
	    "the latest capture was read, files of others in the folder "
	    "were passed over");
	tp_capture_note(run, "capture.beside", f->beside,
	    "the xplane.pb of the capture was read, which says more; traces "
	    "beside it were passed over");
	tp_capture_note(run, "source.other", f->strays,
	    "traces of another program than nearly all in the folder were "
	    "passed over; name them alone");
	tp_capture_note(run, "capture.joined", f->folders - 1,
	    "folders of other hosts that were written seconds apart were "
	    "read as one capture");
}

/*
 * Die if the files of CAPTURE, found in FOLDER, were not recorded together,
 * unless a host is asked for.
 */
static void
check_agreement(struct tp_run *run, struct tp_capture *capture,
    const char *folder)
{
	struct tp_buf several = { 0 };
	ptrdiff_t n = trace_host ? 1 : tp_capture_agree(capture, folder,
	    &several, &run->err);

	if (n < 0)
		tp_die_err(run);
	if (n > 1)
		tp_die(run, TP_USAGE, "'%s' holds %zu captures: %s; name the "
		    "files of one", folder, (size_t)n, several.p);
	tp_buf_release(&several);
}

/* Whether PATH is of the host that was asked for. */
static int
is_wanted(const char *path)
{
	const char *name;
	size_t len = tp_capture_host(path, &name);

	return !trace_host || (len == strlen(trace_host) &&
	    !memcmp(name, trace_host, len));
}

static void
say_found(struct tp_run *run, const char *folder,
    const struct tp_capture *c)
{
	size_t first = 0;

	/* the first that is read */
	while (c->files[first + 1] && !is_wanted(c->files[first]))
		first++;
	if (is_wanted(c->files[first]))
		TP_APPEND(found, found_count, found_cap, (struct found){
		    folder, c->files[first], c->passed_over, c->beside,
		    c->folders, c->strays, tp_fetch_about(folder) });
	if (c->passed_over && !run->quiet)
		tp_warn(run, "%s: read the latest capture, %s; skipped %zu "
		    "file%s of others", folder, c->files[0],
		    c->passed_over, c->passed_over == 1 ? "" : "s");
}

/* Put the folder of the run or artifact that was asked for in the place of
 * the operands. */
static void
fetch_folder(struct tp_run *run)
{
	static struct tp_buf folder;
	static char *operand;
	int rc;

	if (!trace_fetch.run_target && !trace_fetch.artifact)
		return;
	if (run->operand_count)
		tp_die(run, TP_USAGE, "a run or artifact takes the place of "
		    "FILE");
	rc = tp_fetch_run(&trace_fetch, &folder, &run->err);
	if (rc < 0)
		tp_die_err(run);
	if (rc)
		exit(rc);	/* it was told */
	operand = folder.p;
	run->operands = &operand;
	run->operand_count = 1;
}

static void
no_such_host(struct tp_run *run, struct tp_choice *choice)
{
	tp_die(run, TP_USAGE, "--host '%s': no file is of that host; there "
	    "is: %s", trace_host, tp_choice_text(choice));
}

static void
offer(struct tp_choice *choice, const char *path)
{
	char text[256];
	const char *name;
	size_t len = tp_capture_host(path, &name);

	snprintf(text, sizeof text, "%.*s", (int)len, name);
	tp_choice_add(choice, text);
}

void
trace_open_folders(struct tp_run *run)
{
	/* the names are used to the end */
	static char **all, **homes;
	struct tp_capture capture = { 0 };
	size_t count = 0, cap = 0, home_cap = 0;
	char *home;
	struct tp_choice hosts;
	struct stat st;

	fetch_folder(run);
	tp_choice_init(&hosts, trace_host ? trace_host : "");
	for (int i = 0; i < run->operand_count; i++) {
		char *one[] = { run->operands[i], NULL }, **from = one;

		home = NULL;
		if (!stat(one[0], &st) && S_ISDIR(st.st_mode)) {
			if (tp_capture_find(&capture, one[0], &run->err) < 0)
				tp_die_err(run);
			check_agreement(run, &capture, one[0]);
			from = capture.files;
			home = tp_dup(from[0]);
			say_found(run, one[0], &capture);
		}
		for (; *from; from++) {
			if (!is_wanted(*from)) {
				offer(&hosts, *from);
				if (from != one)
					tp_free(*from);
				continue;
			}
			tp_grow(&all, &cap, count + 2, sizeof *all);
			tp_grow(&homes, &home_cap, count + 1, sizeof *homes);
			homes[count] = home;
			all[count++] = *from;
			all[count] = NULL;
		}
		tp_free(capture.files);
		capture.files = NULL;
	}
	if (trace_host && !count)
		no_such_host(run, &hosts);
	tp_choice_release(&hosts);
	run->beside = homes;
	run->operands = all;
	run->operand_count = (int)count;
}

const char *
trace_in_artifact(const char *path, struct cJSON **about)
{
	size_t len;
	const struct found *f = found_in(path, &len);

	*about = f ? f->about : NULL;
	return *about ? path + len : NULL;
}
