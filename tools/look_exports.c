/*
 * look_exports - tp-inventory: what was exported, and the commands for the rest
 *
 * Reads the source and note records every filter writes, and says of each
 * table a report draws on whether it is used, empty, missing or damaged, with
 * the xctrace command that exports it.
 */
#include <tp/metal/inventory.h>
#include <tp/tool.h>

#include "look.h"

static struct tp_inventory how = { .run = -1 };

static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "trace", 't', "NAME",
	    "what the commands call the trace (NAME.trace)", &how.trace },
	{ TP_OPT_FLAG, "first", 'f', NULL,
	    "use the first file of each table and report the others as unused",
	    &how.first_only },
	{ TP_OPT_COUNT, "run", 'r', "N",
	    "number of the run in the export commands (default: the run "
	    "exported so far)", &how.run },
	{ TP_OPT_FLAG, "all", 'a', NULL,
	    "also list missing tables that a report does not need", &how.all },
	{ 0 }
};

static const char *const examples[] = {
	"tp-gpu-intervals gpu.xml | tp-inventory | tp-render inventory",
	"tp-gpu-intervals gpu.xml | tp-inventory | "
	    "jq -r 'select(.state == \"missing\") | .command'",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-inventory",
	.does = "which exports are used, empty or missing, with the commands",
	.operands = "[FILE...]",
	.reads = "records of the other filters (source, note, trace.info)",
	.writes = "export export.summary",
	.group = "judgement",
	.examples = examples,
	.flags = TP_TOOL_RECORDS,
	.options = options,
};

int
look_exports(int argc, char *argv[])
{
	struct tp_set set = { 0 };
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	tp_read_set(&run, &set);
	if (tp_inventory_emit(&set, &how, &run.out, &run.err) < 0)
		tp_die_err(&run);
	tp_set_release(&set);
	return tp_end(&run);
}
