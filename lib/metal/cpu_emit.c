/* cpu_emit - the records of the CPU analysis */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>

#include "cpu_private.h"
#include "tab.h"

/* Keys carry the unit of the weights. */
static const char *
unit_of(const struct tp_cpu *cpu)
{
	return cpu->unit == TP_DURATION ? "ns" :
	    cpu->unit == TP_CYCLES ? "cycles" : "count";
}

void
tp_cpu_weight(struct tp_out *out, const struct tp_cpu *cpu,
    const char *key, tp_int128 n)
{
	char name[64];

	snprintf(name, sizeof name, "%s_%s", key, unit_of(cpu));
	tp_out_int(out, name, tp_narrow(n));
}

const char *
tp_cpu_name(const struct tp_cpu *cpu, size_t i)
{
	return cpu->names.names[cpu->functions.ids[i].a].text;
}

const char *
tp_cpu_library(const struct tp_cpu *cpu, size_t i)
{
	ptrdiff_t of = cpu->by_function[i].library;

	return of < 0 ? "" : cpu->libraries.names[of].text;
}

/* Add to TAB the columns of SUMS, and the weight that they are shares of. */
static void
add_sums(struct tp_tab *tab, const struct tp_cpu *cpu,
    const struct tp_cpu_sum *sums)
{
	static const char *const names[][2] = { { "self_ns", "total_ns" },
		{ "self_cycles", "total_cycles" },
		{ "self_count", "total_count" } };
	const char *const *name = names[cpu->unit == TP_DURATION ? 0 :
	    cpu->unit == TP_CYCLES ? 1 : 2];

	tab->process_rank = -1;
	TP_TAB_FIELD(tab, NULL, "self", TP_TAB_INT, sums, self);
	TP_TAB_FIELD(tab, NULL, "total", TP_TAB_INT, sums, total);
	TP_TAB_FIELD(tab, NULL, name[0], TP_TAB_INT, sums, self);
	TP_TAB_FIELD(tab, NULL, name[1], TP_TAB_INT, sums, total);
	tp_tab_total(tab, "all", tp_narrow(cpu->all.total));
}

/* Functions, and the call that each was in most. */
struct called {
	const struct tp_cpu *cpu;
	size_t *calls;		/* 1 + index; 0: none */
};

/* Find the calls with most self weight; ties by name of the caller. */
static void
find_calls(struct called *of)
{
	const struct tp_cpu *cpu = of->cpu;
	const struct tp_id *calls = cpu->calls.ids;

	of->calls = tp_zalloc((cpu->functions.count + 1) * sizeof *of->calls);
	for (size_t i = 0; i < cpu->calls.count; i++) {
		size_t *b = &of->calls[calls[i].a];

		if (!*b || cpu->call_self[i] > cpu->call_self[*b - 1] ||
		    (cpu->call_self[i] == cpu->call_self[*b - 1] &&
		    strcmp(tp_cpu_name(cpu, calls[i].b),
		    tp_cpu_name(cpu, calls[*b - 1].b)) < 0))
			*b = i + 1;
	}
}

static void
out_caller(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	const struct called *of = arg;
	const struct tp_cpu *cpu = of->cpu;
	size_t call = of->calls[*items];
	tp_int128 self = cpu->by_function[*items].self;

	(void)count;
	if (!call || !self)
		return;
	tp_out_text(out, key, tp_cpu_name(cpu, cpu->calls.ids[call - 1].b));
	tp_cpu_weight(out, cpu, "caller_self", cpu->call_self[call - 1]);
	tp_out_ratio(out, "caller_ratio", tp_narrow(cpu->call_self[call - 1]),
	    tp_narrow(self));
}

/* Functions listed with all that they call. */
#define INCLUSIVE 10

/*
 * Write the functions, with who called them, as records of KIND, and those that
 * hold most with what they call as records of INCLUSIVE_KIND, unless NULL.
 */
static void
functions(const struct tp_cpu *cpu, const char *kind,
    const char *inclusive_kind, int64_t top, struct tp_out *out)
{
	const struct tp_id *ids = cpu->functions.ids;
	struct called of = { .cpu = cpu };
	struct tp_tab tab = { .count = cpu->functions.count,
	    .row_limit = (size_t)top, .also = out_caller, .also_arg = &of };

	find_calls(&of);
	add_sums(&tab, cpu, cpu->by_function);
	TP_TAB_NAMES(&tab, NULL, "symbol", ids, a, &cpu->names, TP_TAB_ABSENT);
	TP_TAB_NAMES(&tab, NULL, "library", cpu->by_function, library,
	    &cpu->libraries, -1);
	/* who waited is told as the caller of what waits */
	tp_tab_emit(&tab, kind, cpu->is_of_waits ? "self" : NULL, out);
	tab.row_limit = INCLUSIVE;
	if (inclusive_kind)
		tp_tab_emit(&tab, inclusive_kind, NULL, out);
	tp_free(of.calls);
}

static void
libraries(const struct tp_cpu *cpu, int64_t top, struct tp_out *out)
{
	struct tp_tab tab = { .count = cpu->libraries.count,
	    .row_limit = (size_t)top };

	add_sums(&tab, cpu, cpu->by_library);
	TP_TAB_FIELD(&tab, NULL, "library", TP_TAB_TEXT,
	    cpu->libraries.names, text);
	tp_tab_emit(&tab, "cpu.library", NULL, out);
}

static void
out_thread(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	const struct tp_cpu *cpu = arg;
	/* "TID NAME", the key made in cpu.c */
	const char *name = cpu->threads.names[*items].text;

	(void)count;
	tp_out_text(out, key, strchr(name, ' ') + 1);
	tp_out_known(out, "tid", strtoll(name, NULL, 10));
	tp_out_target(out, &cpu->procs, cpu->by_thread[*items].proc, NULL);
}

static void
threads(struct tp_cpu *cpu, int64_t top, struct tp_out *out)
{
	struct tp_tab tab = { .count = cpu->threads.count,
	    .row_limit = (size_t)top, .also = out_thread, .also_arg = cpu };

	add_sums(&tab, cpu, cpu->by_thread);
	TP_TAB_FIELD(&tab, NULL, "thread", TP_TAB_TEXT, cpu->threads.names,
	    text);
	tp_tab_emit(&tab, "cpu.thread", NULL, out);
}

static void
out_bucket(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	const struct tp_cpu *cpu = arg;

	(void)count;
	tp_out_text(out, key, tp_cpu_bucket_name(cpu->buckets, *items));
	tp_out_text(out, "label", tp_cpu_bucket_label(cpu->buckets, *items));
	tp_cpu_weight(out, cpu, "attributed", cpu->by_bucket[*items].total);
}

static void
buckets(struct tp_cpu *cpu, struct tp_out *out)
{
	struct tp_tab tab = { .count = cpu->by_bucket ?
	    tp_cpu_bucket_count(cpu->buckets) : 0, .also = out_bucket,
	    .also_arg = cpu };

	add_sums(&tab, cpu, cpu->by_bucket);
	tp_tab_emit(&tab, "cpu.bucket", NULL, out);
}

/* Number of threads of process PROC (-1: all) with samples. */
static int64_t
threads_of(const struct tp_cpu *cpu, ptrdiff_t proc)
{
	int64_t n = 0;

	for (size_t i = 0; i < cpu->threads.count; i++)
		n += proc < 0 || cpu->by_thread[i].proc == proc;
	return n;
}

static void
summary(struct tp_cpu *cpu, const struct tp_cpu_part *p, ptrdiff_t proc,
    const char *how, struct tp_out *out)
{
	int64_t span = p->last_ns - p->first_ns;

	tp_out_begin(out, "cpu.summary");
	tp_out_text(out, "scope", proc < 0 ? "all" : "target");
	tp_out_target(out, &cpu->procs, proc, how);
	tp_out_text(out, "unit", cpu->folded ? "samples" : unit_of(cpu));
	tp_out_int(out, "rows", (int64_t)p->rows);
	tp_cpu_weight(out, cpu, "total", p->total);
	tp_cpu_weight(out, cpu, "no_backtrace", p->no_stack);
	if (span > 0) {
		tp_out_int(out, "first_ns", p->first_ns);
		tp_out_int(out, "last_ns", p->last_ns);
		tp_out_int(out, "span_ns", span);
	}
	if (span > 0 && proc < 0 && cpu->times.count) {
		tp_out_int(out, "half_span_ns", tp_stat_quantile(&cpu->times,
		    1, 2) - p->first_ns);
		tp_out_int(out, "most_span_ns", tp_stat_quantile(&cpu->times,
		    9, 10) - p->first_ns);
	}
	if (span > 0 && cpu->unit == TP_DURATION)
		tp_out_ratio(out, "busy_cores_factor", tp_narrow(p->total),
		    span);
	tp_out_int(out, "thread_count", threads_of(cpu, proc));
	if (proc < 0) {
		tp_out_int(out, "process_count",
		    (int64_t)cpu->procs.ids.count);
		tp_out_int(out, "function_count",
		    (int64_t)cpu->functions.count);
	}
	tp_out_end(out);
}

static ptrdiff_t
choose(const struct tp_cpu *cpu, const struct tp_trace *trace,
    const char *process, const char **how)
{
	size_t n = cpu->procs.ids.count, i;
	int64_t *weights = tp_zalloc((n + 1) * sizeof *weights);
	ptrdiff_t target;

	for (i = 0; i < n; i++)
		weights[i] = tp_narrow(cpu->parts[i].total);
	target = tp_target_choose(&cpu->procs, process, &trace->toc, weights,
	    "weight", how);
	tp_free(weights);
	return target;
}

/* The records of the samples of running threads. */
static void
running(struct tp_cpu *cpu, struct tp_trace *trace, const char *process,
    int64_t top, struct tp_out *out)
{
	const char *how = NULL;
	/* folded stacks are of the process their recorder watched */
	ptrdiff_t target = cpu->folded ? -1 :
	    choose(cpu, trace, process, &how);

	summary(cpu, &cpu->all, -1, NULL, out);
	if (target >= 0)
		summary(cpu, &cpu->parts[target], target, how, out);
	else if (!cpu->folded)
		tp_target_note(&cpu->procs, process, &trace->toc,
		    "the CPU samples", out);
	buckets(cpu, out);
	libraries(cpu, top, out);
	threads(cpu, top, out);
	functions(cpu, "cpu.function", cpu->folded ? NULL : "cpu.inclusive",
	    top, out);
}

void
tp_cpu_emit(struct tp_cpu *cpu, struct tp_trace *trace, const char *process,
    int64_t top, struct tp_out *out)
{
	if (cpu->addresses_only)
		tp_trace_note(trace, "stack.addresses", 0,
		    cpu->addresses_only, "stacks of an old export hold "
		    "addresses: only their leaves have names, so totals of "
		    "callers are not known");
	if (cpu->not_running)
		tp_trace_note(trace, "sample.waiting", 0, cpu->not_running,
		    "samples of threads that were not running are no CPU "
		    "time");
	if (cpu->all.rows)
		running(cpu, trace, process, top, out);
	if (cpu->waits)
		functions(cpu->waits, "cpu.wait", NULL, top, out);
}
