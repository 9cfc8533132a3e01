/* trace_folder - folders of captures as operands of tp-trace */
#include <string.h>
#include <sys/stat.h>

#include <tp/alloc.h>
#include <tp/capture.h>
#include <tp/os.h>

#include "trace.h"

/* Folders that were given, and what was found there. */
static struct found {
	const char *folder, *file;	/* the first that is read */
	size_t passed_over;		/* files of other captures */
} *found;
static size_t found_count, found_cap;

/* The folder that the current file was found in, and how much of its path
 * that is; NULL: none. */
static const struct found *
found_in(const struct tp_run *run, size_t *len)
{
	for (size_t i = 0; i < found_count; i++) {
		size_t n = strlen(found[i].folder);

		while (n > 1 && found[i].folder[n - 1] == '/')
			n--;
		*len = n + 1;
		if (!strncmp(run->path, found[i].folder, n) &&
		    run->path[n] == '/')
			return &found[i];
	}
	return NULL;
}

void
trace_about_file(struct tp_run *run)
{
	struct tp_source *source =
	    &run->trace->sources[run->trace->source_count - 1];
	size_t len;
	const struct found *f = found_in(run, &len);

	if (trace_sha256)
		tp_os_sha256(run->path, source->sha256);
	if (!f)
		return;
	tp_free(source->file);
	source->file = tp_alloc(strlen(run->path + len) + 1);
	if (!source->file)
		tp_die(run, TP_LIMIT, "out of memory");
	strcpy(source->file, run->path + len);
	if (f->passed_over && !strcmp(f->file, run->path) &&
	    tp_trace_note(run->trace, "capture.older", 0, f->passed_over,
	    "the latest capture was read, files of others in the folder "
	    "were passed over") < 0)
		tp_die(run, TP_LIMIT, "out of memory");
}

static void
say_found(struct tp_run *run, const char *folder,
    const struct tp_capture *c)
{
	if (tp_grow(&found, &found_cap, found_count + 1, sizeof *found) < 0)
		tp_die(run, TP_LIMIT, "out of memory");
	found[found_count++] = (struct found){ folder, c->files[0],
	    c->passed_over };
	if (c->passed_over && !run->quiet)
		tp_warn(run, "%s: read the latest capture, %s; passed over "
		    "%zu file%s of others", folder, c->files[0],
		    c->passed_over, c->passed_over == 1 ? "" : "s");
}

void
trace_open_folders(struct tp_run *run)
{
	/* the names are used to the end */
	static char **all;
	struct tp_capture capture = { 0 };
	size_t count = 0, cap = 0;
	struct stat st;

	for (int i = 0; i < run->operand_count; i++) {
		char *one[] = { run->operands[i], NULL }, **from = one;

		if (!stat(one[0], &st) && S_ISDIR(st.st_mode)) {
			if (tp_capture_find(&capture, one[0], &run->err) < 0)
				tp_die_err(run);
			from = capture.files;
			run->by_folder = 1;
			say_found(run, one[0], &capture);
		}
		for (; *from; from++) {
			if (tp_grow(&all, &cap, count + 2, sizeof *all) < 0)
				tp_die(run, TP_LIMIT, "out of memory");
			all[count++] = *from;
			all[count] = NULL;
		}
		tp_free(capture.files);
		capture.files = NULL;
	}
	run->operands = all;
	run->operand_count = (int)count;
}

