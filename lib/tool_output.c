/* tool_output - files that are written whole or not at all */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool_private.h"

#define PART ".part"

/* What PATH is called until it is whole.  A pipe or a device gets what is
 * written as it comes, under its own name. */
static char *
aside(struct tp_run *run, const char *path)
{
	struct stat st;
	int in_place = !stat(path, &st) && !S_ISREG(st.st_mode);
	char *tmp = tp_alloc(strlen(path) + sizeof PART);

	if (!tmp)
		tp_die(run, TP_LIMIT, "out of memory");
	sprintf(tmp, "%s%s", path, in_place ? "" : PART);
	return tmp;
}

void
tp_tool_drop(struct tp_output *o)
{
	if (o->tmp && strcmp(o->tmp, o->path))
		unlink(o->tmp);
	tp_free(o->tmp);
	o->tmp = NULL;
}

static void
cannot(struct tp_run *run, struct tp_output *o)
{
	int error = errno;

	tp_tool_drop(o);
	tp_die(run, TP_IO, "cannot write '%s': %s", o->path, strerror(error));
}

int
tp_tool_create(struct tp_run *run, struct tp_output *o, const char *path)
{
	int fd;

	o->path = path;
	o->tmp = aside(run, path);
	fd = open(o->tmp, strcmp(o->tmp, path) ? O_WRONLY | O_CREAT | O_TRUNC |
	    O_NOFOLLOW | O_CLOEXEC : O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0)
		cannot(run, o);
	return fd;
}

void
tp_tool_finish(struct tp_run *run, struct tp_output *o)
{
	if (strcmp(o->tmp, o->path) && rename(o->tmp, o->path) < 0)
		cannot(run, o);
	tp_free(o->tmp);
	o->tmp = NULL;
}

void
tp_write_file(struct tp_run *run, const char *path, const char *bytes,
    size_t len)
{
	struct tp_output o;
	struct tp_out out;

	if (tp_alloc_failed())
		tp_die(run, TP_LIMIT, "out of memory");
	tp_out_init(&out, tp_tool_create(run, &o, path));
	tp_out_raw(&out, bytes, len);
	if (tp_out_flush(&out, &run->err) < 0) {
		tp_tool_drop(&o);
		tp_die(run, run->err.status, "cannot write '%s': %s", path,
		    run->err.text);
	}
	if (close(out.fd) < 0)
		cannot(run, &o);
	tp_out_release(&out);
	tp_tool_finish(run, &o);
}
