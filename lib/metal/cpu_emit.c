/* cpu_emit - the records of the CPU analysis */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "cpu_private.h"

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

struct ranked {
	const char *name, *library;	/* of a function, else "" */
	struct tp_cpu_sum *sum;
	size_t at;
};

/*
 * Most self first, of equal ones most total; ties by the bytes of the name,
 * then of the library.
 */
TP_ORDER(heaviest, struct ranked, TP_DOWN(sum->self) TP_DOWN(sum->total)
    TP_BY(strcmp(a->name, b->name)) TP_BY(strcmp(a->library, b->library)))

TP_ORDER(most_inclusive, struct ranked, TP_DOWN(sum->total)
    TP_DOWN(sum->self) TP_BY(strcmp(a->name, b->name))
    TP_BY(strcmp(a->library, b->library)))

/* The functions (NAMES NULL), or the items with NAMES, in no order. */
static struct ranked *
unranked(const struct tp_cpu *cpu, const struct tp_names *names,
    struct tp_cpu_sum *sums, size_t count)
{
	struct ranked *r = tp_alloc((count + 1) * sizeof *r);

	for (size_t i = 0; i < count; i++)
		r[i] = (struct ranked){
			.name = names ? names->names[i].text :
			    tp_cpu_name(cpu, i),
			.library = names ? "" : tp_cpu_library(cpu, i),
			.sum = &sums[i], .at = i,
		};
	return r;
}

static struct ranked *
rank(const struct tp_cpu *cpu, const struct tp_names *names,
    struct tp_cpu_sum *sums, size_t count)
{
	struct ranked *r = unranked(cpu, names, sums, count);

	TP_SORT(r, count, heaviest);
	return r;
}

static void
share(struct tp_out *out, const struct tp_cpu *cpu, const char *key,
    tp_int128 n)
{
	tp_out_ratio(out, key, tp_narrow(n), tp_narrow(cpu->all.total));
}

/*
 * Per function, 1 + the index of the call with most of its self weight, ties
 * by name of the caller.
 */
static size_t *
main_calls(const struct tp_cpu *cpu)
{
	size_t *best = tp_zalloc((cpu->functions.count + 1) * sizeof *best);
	const struct tp_id *calls = cpu->calls.ids;

	for (size_t i = 0; i < cpu->calls.count; i++) {
		size_t *b = &best[calls[i].a];

		if (!*b || cpu->call_self[i] > cpu->call_self[*b - 1] ||
		    (cpu->call_self[i] == cpu->call_self[*b - 1] &&
		    strcmp(tp_cpu_name(cpu, calls[i].b),
		    tp_cpu_name(cpu, calls[*b - 1].b)) < 0))
			*b = i + 1;
	}
	return best;
}

static void
put_caller(struct tp_out *out, const struct tp_cpu *cpu,
    const struct ranked *r, size_t call)
{
	if (!call || !r->sum->self)
		return;
	tp_out_text(out, "caller",
	    tp_cpu_name(cpu, cpu->calls.ids[call - 1].b));
	tp_cpu_weight(out, cpu, "caller_self", cpu->call_self[call - 1]);
	tp_out_ratio(out, "caller_ratio", tp_narrow(cpu->call_self[call - 1]),
	    tp_narrow(r->sum->self));
}

/*
 * Write a ranking by self and total: libraries with NAMES, or functions
 * (NAMES NULL) with their CALLS.
 */
static void
ranking(struct tp_cpu *cpu, const char *kind, const char *key,
    const struct tp_names *names, struct tp_cpu_sum *sums,
    const size_t *calls, int64_t top, struct tp_out *out)
{
	size_t count = names ? names->count : cpu->functions.count;
	struct ranked *r = rank(cpu, names, sums, count);

	for (size_t i = 0; i < count && (!top || (int64_t)i < top); i++) {
		/* who waited is told as the caller of what waits */
		if (cpu->is_of_waits && !r[i].sum->self)
			break;
		tp_out_begin(out, kind);
		tp_out_int(out, "rank", (int64_t)i + 1);
		tp_out_text(out, key, r[i].name);
		if (*r[i].library)
			tp_out_text(out, "library", r[i].library);
		tp_cpu_weight(out, cpu, "self", r[i].sum->self);
		tp_cpu_weight(out, cpu, "total", r[i].sum->total);
		share(out, cpu, "self_ratio", r[i].sum->self);
		share(out, cpu, "total_ratio", r[i].sum->total);
		if (calls)
			put_caller(out, cpu, &r[i], calls[r[i].at]);
		tp_out_end(out);
	}
	tp_free(r);
}

/* Functions listed with all that they call. */
#define INCLUSIVE 10

/* Write the functions that hold most with what they call. */
static void
inclusive(struct tp_cpu *cpu, struct tp_out *out)
{
	size_t count = cpu->functions.count;
	struct ranked *r = unranked(cpu, NULL, cpu->by_function, count);

	TP_SORT(r, count, most_inclusive);
	for (size_t i = 0; i < count && i < INCLUSIVE; i++) {
		tp_out_begin(out, "cpu.inclusive");
		tp_out_int(out, "rank", (int64_t)i + 1);
		tp_out_text(out, "symbol", r[i].name);
		if (*r[i].library)
			tp_out_text(out, "library", r[i].library);
		tp_cpu_weight(out, cpu, "total", r[i].sum->total);
		share(out, cpu, "total_ratio", r[i].sum->total);
		tp_out_end(out);
	}
	tp_free(r);
}

static void
threads(struct tp_cpu *cpu, int64_t top, struct tp_out *out)
{
	struct ranked *r = rank(cpu, &cpu->threads, cpu->by_thread,
	    cpu->threads.count);
	int64_t tid;

	for (size_t i = 0; i < cpu->threads.count &&
	    (!top || (int64_t)i < top); i++) {
		/* "TID NAME", the key made in cpu.c */
		tid = strtoll(r[i].name, NULL, 10);
		tp_out_begin(out, "cpu.thread");
		tp_out_int(out, "rank", (int64_t)i + 1);
		tp_out_text(out, "thread", strchr(r[i].name, ' ') + 1);
		tp_out_known(out, "tid", tid);
		tp_out_target(out, &cpu->procs, r[i].sum->proc, NULL);
		tp_cpu_weight(out, cpu, "self", r[i].sum->self);
		share(out, cpu, "self_ratio", r[i].sum->self);
		tp_out_end(out);
	}
	tp_free(r);
}

TP_ORDER(most_attributed, struct ranked, TP_DOWN(sum->total) TP_UP(at))

static void
buckets(struct tp_cpu *cpu, struct tp_out *out)
{
	size_t n = cpu->by_bucket ? tp_cpu_bucket_count(cpu->buckets) : 0, i;
	struct ranked *r = tp_alloc((n + 1) * sizeof *r);

	for (i = 0; i < n; i++) {
		r[i].name = tp_cpu_bucket_name(cpu->buckets, i);
		r[i].sum = &cpu->by_bucket[i];
		r[i].at = i;
	}
	TP_SORT(r, n, most_attributed);
	for (i = 0; i < n; i++) {
		tp_out_begin(out, "cpu.bucket");
		tp_out_int(out, "rank", (int64_t)i + 1);
		tp_out_text(out, "bucket", r[i].name);
		tp_out_text(out, "label", tp_cpu_bucket_label(cpu->buckets,
		    r[i].at));
		tp_cpu_weight(out, cpu, "attributed", r[i].sum->total);
		share(out, cpu, "attributed_ratio", r[i].sum->total);
		tp_cpu_weight(out, cpu, "self", r[i].sum->self);
		tp_out_end(out);
	}
	tp_free(r);
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

/* The functions, with who called them, as records of KIND. */
static void
functions(struct tp_cpu *cpu, const char *kind, int64_t top,
    struct tp_out *out)
{
	size_t *calls = main_calls(cpu);

	ranking(cpu, kind, "symbol", NULL, cpu->by_function, calls, top, out);
	tp_free(calls);
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
	ranking(cpu, "cpu.library", "library", &cpu->libraries,
	    cpu->by_library, NULL, top, out);
	threads(cpu, top, out);
	functions(cpu, "cpu.function", top, out);
	if (!cpu->folded)
		inclusive(cpu, out);
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
		functions(cpu->waits, "cpu.wait", top, out);
}
