/*
 * tp-gpu-counters - GPU counters, clock, activity and driver time
 *
 * Reads the tables that describe how the GPU was driven, not what ran on it:
 * hardware counters, clock states, the GPU's own record of activity, time in
 * the driver, and kernel events, which are only counted.
 */
#include <string.h>

#include <tp/metal/clock.h>
#include <tp/metal/counter.h>
#include <tp/metal/driver.h>
#include <tp/metal/kdebug.h>
#include <tp/tool.h>

struct state {
	struct tp_counter counter;
	struct tp_clock clock;
	struct tp_driver driver;
	struct tp_kdebug kdebug;
};

static int64_t top = 10;

/* How long the GPU worked, by the records of --like. */
static struct tp_counter_active worked;

static const struct tp_option options[] = {
	{ TP_OPT_COUNT, "top", 0, "N",
	    "list at most N codes of kernel events; 0: all (default: 10)",
	    &top },
	{ 0 }
};

static const struct tp_bind tables[] = {
	{ TP_TABLE_COUNTER, tp_counter_columns, "start" },
	{ TP_TABLE_SAMPLE, tp_sample_columns, "timestamp" },
	{ TP_TABLE_INFO, tp_info_columns, NULL },
	{ TP_TABLE_PROFILE, tp_profile_columns, "timestamp" },
	{ TP_TABLE_CLOCK, tp_clock_columns, "start" },
	{ TP_TABLE_STATE, tp_state_columns, "start" },
	{ TP_TABLE_DRIVER, tp_driver_columns, "start" },
	{ TP_TABLE_KDEBUG, tp_kdebug_columns, "time" },
	{ 0 }
};

static const char *const examples[] = {
	"tp-gpu-counters < counters.csv | tp-render gpu-counters",
	"tp-gpu-counters clock.xml activity.xml | jq .highest_busy_ratio",
	"tp-gpu-counters counter_info.xml counter_value.xml",
	NULL
};

static int
record(const struct tp_rec *rec, struct tp_err *err)
{
	const char *scope = tp_rec_text(rec, "scope");
	struct tp_counter_active a;

	(void)err;
	if (strcmp(rec->kind, "gpu.summary") || !scope || strcmp(scope, "all"))
		return 0;
	if (worked.to_ns || !tp_rec_int(rec, "busy_ns", &a.ns) ||
	    !tp_rec_int(rec, "first_ns", &a.from_ns) ||
	    !tp_rec_int(rec, "last_ns", &a.to_ns))
		/* of several traces, or without times: unknown */
		a = (struct tp_counter_active){ .to_ns = INT64_MAX };
	worked = a;
	return 0;
}

static const struct tp_tool tool = {
	.name = "tp-gpu-counters",
	.does = "GPU counters, clock, activity and driver time",
	.operands = "[FILE...]",
	.reads = "tables of GPU counters, clock states, activity, the driver "
	    "and kernel events, toc",
	.writes = "counter.set counter.summary counter.bandwidth "
	    "counter.limiter clock.summary "
	    "clock.state gpu.activity driver.summary kdebug.summary "
	    "kdebug.code",
	.group = "Instruments",
	.step = "GPU counters",
	.examples = examples,
	.flags = TP_TOOL_TABLES | TP_TOOL_TARGET | TP_TOOL_WINDOW,
	.options = options,
	.tables = tables,
	.record = record,
	.state_size = sizeof(struct state),
};

static int
add_counter_row(struct tp_run *run)
{
	struct state *s = run->trace->state;
	const char *table = run->row.bind->table;

	if (!strcmp(table, TP_TABLE_KDEBUG))
		return tp_kdebug_add(&s->kdebug, &run->row, &run->window,
		    &run->err);
	if (!strcmp(table, TP_TABLE_DRIVER))
		return tp_driver_add(&s->driver, &run->row, &run->window,
		    &run->err);
	if (!strcmp(table, TP_TABLE_CLOCK) || !strcmp(table, TP_TABLE_STATE))
		return tp_clock_add(&s->clock, &run->row, &run->window,
		    &run->err);
	return tp_counter_add(&s->counter, &run->row, &run->window,
	    &run->err);
}

static int
emit_counters(struct tp_run *run)
{
	struct state *s = run->trace->state;
	struct tp_counter_active *a = &s->counter.active;

	*a = worked;
	if (!a->to_ns)
		tp_clock_active(&s->clock, &a->ns, &a->from_ns, &a->to_ns);
	if (tp_counter_emit(&s->counter, &run->out, &run->err) < 0 ||
	    tp_clock_emit(&s->clock, &run->out, &run->err) < 0)
		return -1;
	tp_driver_emit(&s->driver, run->trace, run->process, &run->out);
	tp_kdebug_emit(&s->kdebug, top, &run->out);
	return 0;
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	tp_analyse(&run, add_counter_row, emit_counters);
	return tp_end(&run);
}
