/*
 * sandbox - restrict what a filter may do while it reads untrusted input
 *
 * It may read the files on the command line and the installed data, and
 * finish the outputs on the command line.  It gives up everything else: see
 * confine.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/file.h>
#include <tp/os.h>
#include <tp/share.h>

#include "confine.h"
#include "tool_parts.h"

#ifdef TP_NO_CONFINE
void
tp_tool_confine(struct tp_run *run)
{
	(void)run;
}
#else

enum { MAY_OUTPUT = TP_MAY_READ | TP_MAY_REPLACE | TP_MAY_WRITE };

/*
 * Allow MAY in the folder of PATH; if a value ("%") selects the folder, in the
 * folder above the first '%'.
 */
static void
allow_folder_of(struct tp_confine *c, const char *path, unsigned may)
{
	struct tp_buf folder = { 0 };
	size_t len = strcspn(path, "%");

	while (len && path[len - 1] != '/')
		len--;
	tp_buf_add(&folder, path, len);
	tp_buf_str(&folder, len ? "" : ".");
	tp_confine_allow(c, folder.p, may);
	tp_buf_release(&folder);
}

/*
 * Allow reading an input.  Links in a folder are followed and may lead
 * anywhere, so a folder allows all of the file system.
 */
static void
allow_input(struct tp_run *run, struct tp_confine *c, const char *path)
{
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		path = "/";
	tp_confine_allow(c, path, TP_MAY_READ);
	if (run->tool->flags & TP_TOOL_BESIDE)
		allow_folder_of(c, path, TP_MAY_READ);
}

static void
allow_output(struct tp_confine *c, const char *path, unsigned may)
{
	struct stat st;

	if (stat(path, &st) < 0 || S_ISREG(st.st_mode))
		allow_folder_of(c, path, may);
	else
		tp_confine_allow(c, path, may);
}

/* Allow the files that the value of an option names. */
static void
allow_option(struct tp_run *run, struct tp_confine *c,
    const struct tp_option *o)
{
	const char *one[] = { NULL, NULL }, *const *v = one;
	int is_list = o->type == TP_OPT_LIST;

	if (!o->arg || !(strstr(o->arg, "FILE") || strstr(o->arg, "DIR")))
		return;
	if (is_list)
		v = o->value;
	else
		one[0] = *(const char *const *)o->value;
	for (; *v; v++)
		/* --output is already open under a temporary name */
		if (o->value == &run->private->output)
			allow_folder_of(c, *v, TP_MAY_REPLACE);
		else if (o->type == TP_OPT_OUT)
			allow_output(c, *v, MAY_OUTPUT |
			    (strcmp(o->arg, "DIR") ? 0 : TP_MAY_BUILD));
		else if (is_list && !strcmp(o->arg, "NAME=FILE"))
			allow_output(c, strchr(*v, '=') + 1, MAY_OUTPUT);
		else
			allow_input(run, c, *v);
}

static int
allow_own(void *confine, const char *path, struct tp_err *err)
{
	(void)err;
	tp_confine_allow(confine, path, TP_MAY_READ);
	return 0;
}

/* Allow PATH, and what the links in it lead to. */
static void
allow_all(struct tp_confine *c, const char *path)
{
	const struct tp_file_walk walk = { .file = allow_own, .arg = c };
	struct tp_err err;

	tp_confine_allow(c, path, TP_MAY_READ);
	tp_file_visit(path, &walk, &err);
}

/* Allow the installed data and the user's own. */
static void
allow_share(struct tp_confine *c)
{
	static const char *const named[] = { "TP_RULES", "TP_OPS" };
	struct tp_buf own = { 0 };
	struct tp_err err;
	const char *share = tp_share_dir(&err);

	if (share)
		tp_confine_allow(c, share, TP_MAY_READ);
	if (tp_share_own("", &own))
		allow_all(c, own.p);
	tp_buf_release(&own);
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (getenv(named[i]) && *getenv(named[i]))
			allow_all(c, getenv(named[i]));
}

void
tp_tool_confine(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	const char *asked = getenv("TP_CONFINE"), *terminal;
	const struct tp_option *options;
	struct tp_confine c;
	size_t count;

	if (asked && !strcmp(asked, "0"))
		return;
	/*
	 * temporary files for joins beyond memory, and for standard input that
	 * is read twice
	 */
	tp_os_temporary_ahead(!!(run->tool->flags & (TP_TOOL_TABLES |
	    TP_TOOL_EVENTS | TP_TOOL_SPOOLS)) +
	    (p->from || p->to || p->last));
	tp_confine_init(&c, !(run->tool->flags & TP_TOOL_BYTES));
	if (run->first)
		allow_input(run, &c, run->first);
	for (int i = 0; i < run->operand_count; i++)
		allow_input(run, &c, run->operands[i]);
	options = tp_tool_options(run, &count);
	for (size_t i = 0; i < count; i++)
		allow_option(run, &c, &options[i]);
	if (run->tool->flags & TP_TOOL_SCRATCH)
		tp_confine_allow(&c, tp_os_temporary_folder(), MAY_OUTPUT);
	allow_share(&c);
	/* progress.c locks the terminal to take turns */
	if (isatty(STDERR_FILENO) && (terminal = ttyname(STDERR_FILENO)))
		tp_confine_allow(&c, terminal, TP_MAY_READ);
	tp_confine_apply(&c);
}
#endif
