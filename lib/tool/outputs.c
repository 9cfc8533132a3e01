/* outputs - what a program writes to files */
#include "tool_parts.h"

int
tp_tool_create(struct tp_run *run, struct tp_output *o, const char *path)
{
	if (tp_output_open(o, path, &run->err) < 0)
		tp_die(run, run->err.status, "%s", run->err.text);
	return o->fd;
}

void
tp_tool_finish(struct tp_run *run, struct tp_output *o)
{
	if (tp_output_keep(o, &run->err) < 0)
		tp_die(run, run->err.status, "%s", run->err.text);
}

void
tp_write_file(struct tp_run *run, const char *path, const char *bytes,
    size_t len)
{
	struct tp_output o;
	struct tp_out out;

	tp_out_init(&out, tp_tool_create(run, &o, path));
	tp_out_raw(&out, bytes, len);
	if (tp_out_flush(&out, &run->err) < 0) {
		tp_output_drop(&o);
		tp_die(run, run->err.status, "cannot write '%s': %s", path,
		    run->err.text);
	}
	tp_out_release(&out);
	tp_tool_finish(run, &o);
}
