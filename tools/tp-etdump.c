/*
 * tp-etdump - how long a model took, in which operators, and where they ran
 *
 * Reads an ETDump itself (.etdp), or the tables that are made from one:
 * timelines of all runs, of one run, sums of operators, or an Inspector's
 * table.  Of several files of one experiment the ETDump is used if it is
 * complete, else the file with the most runs.
 */
#include <string.h>

#include <tp/executorch/etdump.h>
#include <tp/executorch/experiment.h>
#include <tp/tool.h>
#include <tp/unit.h>

#include "etdump_parts.h"

static const struct tp_bind tables[] = {
	{ TP_TABLE_ETDUMP, tp_etdump_columns, NULL },
	{ TP_TABLE_ETDUMP_OPS, tp_etdump_ops_columns, NULL },
	{ TP_TABLE_ETDUMP_INSPECTOR, tp_etdump_inspector_columns, NULL },
	{ 0 }
};

#define TABLES (sizeof tables / sizeof *tables)

/* What the files of one experiment are called. */
static const char *const endings[] = { "_exec_all_runs_timeline",
    "_exec_run0_timeline", "_exec_ops_stats", "_all_runs_timeline",
    "_run0_timeline", "_ops_stats", NULL };

static int samples;
static const char *time_scale, *source;
static int64_t tick_num, tick_den;

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "samples", 0, NULL,
	    "also write the time of each category and operator in each run, "
	    "from which tp-compare computes intervals", &samples },
	{ TP_OPT_TEXT, "time-scale", 0, "CLOCK",
	    "unit of the runner's clock, when columns named ns hold ticks: "
	    "us, ms, s, or ticks per second (400MHz)", &time_scale },
	{ TP_OPT_TEXT, "of", 0, "SOURCE", "of a table with rows of several "
	    "models or devices, read those whose column source (or "
	    "model_id) says SOURCE", &source },
	{ 0 }
};

static const char *const examples[] = {
	"tp-etdump model.etdp model.pte | tp-render etdump",
	"tp-etdump model_exec_all_runs_timeline.csv | tp-render etdump",
	"tp-etdump mac_sme2_on/*.csv | tp-findings --rules executorch",
	"tp-etdump t.csv | jq 'select(.kind==\"op.latency\").e2e_ratio'",
	NULL
};

static struct tp_opclass class;
static struct tp_experiments words;

static const struct tp_tool tool = {
	.name = "tp-etdump",
	.does = "latency, operators and delegation of ExecuTorch runs",
	.operands = "[FILE...]",
	.reads = "ETDumps (.etdp, with the .pte if there is one), or their "
	    "timelines, operator sums and Inspector tables (CSV, TSV or rows)",
	.writes = "latency.setup latency.summary latency.drift latency.modes "
	    "latency.run latency.execution latency.load op.category "
	    "delegation.summary budget.window budget.part budget "
	    "delegation.nodes op.latency (with --samples also category.run "
	    "op.run)",
	.group = "ExecuTorch",
	.examples = examples,
	.flags = TP_TOOL_TABLES,
	.options = options,
	.tables = tables,
	.endings = endings,
	.state_size = sizeof(struct etdump_state),
};

static int
add_etdump_row(struct tp_run *run)
{
	size_t table = (size_t)(run->row.bind - tables);
	size_t at = run->row.source < 0 ? table : (size_t)run->row.source +
	    TABLES;
	struct etdump_part *part = etdump_part_of(run, at, source);

	if (!part)
		return 0;
	if (!part->e.class) {
		part->e.class = &class;
		part->e.samples = samples;
		part->e.tick_num = tick_num;
		part->e.tick_den = tick_den;
	}
	part->rows++;
	return tp_etdump_add(&part->e, &run->row, &run->err);
}

/* The source of part AT; NULL: it came as records. */
static const struct tp_source *
source_of(const struct tp_run *run, const struct etdump_state *s, size_t at)
{
	size_t table = s->parts[at].at;

	return table < TABLES ? NULL : &run->trace->sources[table - TABLES];
}

/* Whether part AT is an ETDump itself, and whole. */
static int
is_whole_dump(const struct tp_run *run, const struct etdump_state *s, size_t at)
{
	const struct tp_source *from = source_of(run, s, at);

	return from && !strcmp(from->format,
	    tp_format_name(TP_FORMAT_ETDUMP)) && !from->skipped &&
	    tp_etdump_whole_runs(&s->parts[at].e);
}

/* Whether part I tells more than part K. */
static int
tells_more(const struct tp_run *run, const struct etdump_state *s, size_t i,
    size_t k)
{
	const struct tp_etdump *a = &s->parts[i].e, *b = &s->parts[k].e;
	size_t runs = tp_etdump_whole_runs(a);
	size_t others = tp_etdump_whole_runs(b);
	int dump = is_whole_dump(run, s, i);

	if (dump != is_whole_dump(run, s, k))
		return dump;
	if (runs != others)
		return runs > others;
	if (!a->rows != !b->rows)
		return a->rows > 0;
	if (a->averages != b->averages)
		return b->averages;
	return a->rows > b->rows;
}

/* Tables without a row are of a run that recorded nothing. */
static void
say_empty(struct tp_run *run)
{
	const struct tp_trace *t = run->trace;

	for (size_t i = 0; i < t->note_count; i++)
		if (!strcmp(t->notes[i].code, "table.empty"))
			tp_warn(run, "%s", t->notes[i].text);
}

/* What is beside the file that is used, S->parts[BEST]. */
static void
note_others(struct tp_run *run, const struct etdump_state *s, size_t best)
{
	size_t others = 0, cut = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (i == best || !s->parts[i].e.rows)
			continue;
		others++;
		cut += !tp_etdump_whole_runs(&s->parts[i].e);
	}
	if (others)
		tp_trace_note(run->trace, "timeline.others", 0, others,
		    "%zu more files of this experiment: %s is used", others,
		    is_whole_dump(run, s, best) ? "the ETDump itself" :
		    "the one with the most runs");
	if (!cut || !tp_etdump_whole_runs(&s->parts[best].e))
		return;
	tp_trace_note(run->trace, "timeline.noexecute", 0, cut, "a file "
	    "beside the one that is used holds no whole run: it may be "
	    "cut off");
	tp_warn(run, "%s: a file beside the one that is used holds no whole "
	    "run: it may be cut off", run->trace->src);
}

/* Not a row is bad: all of a table is. */
static int
all_bad(struct tp_run *run)
{
	if (run->err.status != TP_BAD)
		return -1;
	tp_trace_note(run->trace, run->err.code, TP_BAD, 1, "%s",
	    run->err.text);
	tp_warn(run, "%s: %s", run->trace->src, run->err.text);
	tp_status_at_least(run, TP_BAD);
	return 0;
}

/* Tables that were made of the ETDump that is used, and do not say what it
 * says: they are old, or of another run. */
static void
note_differing(struct tp_run *run, const struct etdump_state *s, size_t best)
{
	const struct tp_source *from;
	char why[200];

	if (!is_whole_dump(run, s, best))
		return;
	for (size_t i = 0; i < s->count; i++) {
		from = source_of(run, s, i);
		if (i == best || !from || !tp_etdump_differs(
		    &s->parts[best].e, &s->parts[i].e, why))
			continue;
		tp_trace_note(run->trace, "timeline.differs", 0, 1, "%s "
		    "contradicts the ETDump beside it: %s; the ETDump is used",
		    from->file, why);
		tp_warn(run, "%s: contradicts the ETDump beside it: %s; the "
		    "ETDump is used", from->file, why);
	}
}

static int
emit_etdump(struct tp_run *run)
{
	struct etdump_state *s = run->trace->state;
	size_t best = 0;

	if (source && etdump_parts_only(run, source, TABLES) < 0)
		return all_bad(run);
	if (!source)
		etdump_parts_split(run, TABLES);
	if (!s->count) {
		say_empty(run);
		return 0;
	}
	for (size_t i = 0; i < s->count; i++) {
		if (!tp_etdump_end(&s->parts[i].e, &run->err))
			continue;
		if (all_bad(run) < 0)
			return -1;
		tp_etdump_release(&s->parts[i].e);
	}
	for (size_t i = 1; i < s->count; i++)
		if (tells_more(run, s, i, best))
			best = i;
	note_others(run, s, best);
	note_differing(run, s, best);
	if (tp_etdump_whole_runs(&s->parts[best].e))
		tp_experiment_setup(&words, run->trace->src, &run->out);
	if (!tp_etdump_emit(&s->parts[best].e, run->trace, &run->out,
	    &run->err))
		return 0;
	return all_bad(run);
}

/* "us": a tick is 1000 ns; "400MHz": 2.5 ns.  0, or -1. */
static int
read_scale(const char *text)
{
	static const struct {
		const char *name;
		int64_t num, den;	/* den: times the number in front */
	} units[] = {
		{ "ns", 1, 0 }, { "us", 1000, 0 }, { "ms", 1000000, 0 },
		{ "s", 1000000000, 0 }, { "Hz", 1000000000, 1 },
		{ "kHz", 1000000000, 1000 }, { "MHz", 1000000000, 1000000 },
		{ "GHz", 1000000000, 1000000000 },
	};
	size_t digits = strspn(text, "0123456789.");
	const char *unit = text + digits + strspn(text + digits, " ");

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(unit, units[i].name) || !units[i].den == !!digits)
			continue;
		tick_num = units[i].num;
		tick_den = 1;
		return digits ? tp_unit_decimal(text, digits, units[i].den,
		    &tick_den) < 0 || tick_den <= 0 ? -1 : 0 : 0;
	}
	return -1;
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (time_scale && read_scale(time_scale) < 0)
		tp_die(&run, TP_USAGE, "--time-scale '%.40s' is neither a unit "
		    "of time nor a rate: us, ms, s, 400MHz", time_scale);
	if (tp_opclass_load(&class, &run.err) < 0 ||
	    tp_experiments_words(&words, &run.err) < 0)
		tp_die_err(&run);
	tp_analyse(&run, add_etdump_row, emit_etdump);
	return tp_end(&run);
}
