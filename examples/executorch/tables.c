/* tables - timelines, sums of operators and the log of kernels */
#include <inttypes.h>
#include <string.h>

#include "mketdump.h"

/* N thousandths or millionths, as short as it can be: "3.25", "3.0". */
static void
write_decimal(FILE *f, int64_t n, int digits)
{
	int64_t scale = 1;

	for (int i = 0; i < digits; i++)
		scale *= 10;
	fprintf(f, "%" PRId64 ".", n / scale);
	n %= scale;
	do {
		scale /= 10;
		fprintf(f, "%" PRId64, n / scale);
		n %= scale;
	} while (n);
}

/* The sum of all rows of RUN, each frame on top of what it holds. */
static int64_t
nested_sum(const struct experiment *e, int run)
{
	int64_t sum = 0;

	for (int i = 0; i < e->count; i++)
		if (!e->nodes[i].once || !run)
			sum += e->nodes[i].ns[run];
	return sum;
}

static void
write_name(FILE *f, const char *name, int number)
{
	const char *quote = strchr(name, ',') ? "\"" : "";

	fprintf(f, "%s%s", quote, name);
	if (number)
		fprintf(f, " #%d", number);
	fprintf(f, "%s,", quote);
}

static void
write_row(FILE *f, const struct experiment *e, int at, int run)
{
	const struct node *n = &e->nodes[at];

	fprintf(f, "%s,", stem_of(e));
	write_name(f, n->name, n->number);
	write_name(f, n->name, 0);
	fprintf(f, "%s,", n->backend);
	write_decimal(f, n->start_ns[run], 3);
	fputc(',', f);
	write_decimal(f, n->start_ns[run] + n->ns[run], 3);
	fputc(',', f);
	write_decimal(f, n->ns[run], 6);
	fputc(',', f);
	write_decimal(f, n->ns[run] * 100000000 / nested_sum(e, run), 6);
	fprintf(f, ",%d,%d,%s\r\n", at, run, n->once ? "Default" :
	    "Execute");
}

void
write_timeline(const struct experiment *e, const char *folder,
    const char *ending, int runs)
{
	FILE *f = create(folder, stem_of(e), ending);

	fputs("model_id,name,type,delegate_backend,start_us,end_us,"
	    "duration_ms,pct_total,node_id,run_index,block\r\n", f);
	for (int i = 0; i < e->count; i++)
		for (int run = 0; run < (e->nodes[i].once ? 1 : runs); run++)
			write_row(f, e, i, run);
	done(f);
}

/* Mean of all runs, in ns. */
static int64_t
mean_of(const struct experiment *e, const struct node *n)
{
	int64_t sum = 0;

	for (int run = 0; run < (n->once ? 1 : e->runs); run++)
		sum += n->ns[run];
	return n->once ? sum : sum / e->runs;
}

void
write_sums(const struct experiment *e, const char *folder)
{
	FILE *f = create(folder, stem_of(e), "_exec_ops_stats.csv");
	int64_t total, all = 0;
	int count;

	fputs("model_id,name,type,delegate_backend,count,total_ms,avg_ms,"
	    "pct_total\r\n", f);
	for (int i = 0; i < e->count; i++)
		all += mean_of(e, &e->nodes[i]);
	for (int i = 0; i < e->count; i++) {
		const struct node *n = &e->nodes[i];

		count = 0;
		total = 0;
		for (int k = 0; k < e->count; k++) {
			if (strcmp(e->nodes[k].name, n->name))
				continue;
			if (k < i)
				break;	/* written before */
			count++;
			total += mean_of(e, &e->nodes[k]);
		}
		if (!count)
			continue;
		fprintf(f, "%s,", stem_of(e));
		write_name(f, n->name, 0);
		write_name(f, n->name, 0);
		fprintf(f, "%s,%d,", n->backend, count);
		write_decimal(f, total, 6);
		fputc(',', f);
		write_decimal(f, total / count, 6);
		fputc(',', f);
		write_decimal(f, total * 100000000 / all, 6);
		fputs("\r\n", f);
	}
	done(f);
}

void
write_log(const struct experiment *e, const char *folder)
{
	static const char *const sme2[] = {
		"gemm", "pf32_gemm_minmax_ukernel_1x32__neonsme2",
		"gemm", "pf32_gemm_minmax_ukernel_32x32__neonsme2",
		"igemm", "pf32_igemm_minmax_ukernel_32x32__neonsme2" };
	static const char *const all[] = {
		"gemm", "f32_gemm_minmax_ukernel_6x8__asm_aarch64_neonfma"
		    "_ld128",
		"igemm", "f32_igemm_minmax_ukernel_6x8__asm_aarch64_neonfma"
		    "_ld128",
		"dwconv", "f32_dwconv_minmax_ukernel_9p8c__neonfma",
		"transposec", "x32_transposec_ukernel__4x4_aarch64_neon"
		    "_tbl128",
		"unary", "f32_vgelu_ukernel__neon_rational_12_10_div_u8" };
	static const char *const line = "%sUsing %s microkernel 'xnn_%s'.\n";
	const char *front = e->platform->kernel_log;
	FILE *f = create(folder, stem_of(e), "_xnntrace.log");

	if (e->platform->throttles)
		fputs("=== XNNPACK Logcat Output ===\n", f);
	for (size_t i = 0; e->sme2 && i < sizeof sme2 / sizeof *sme2; i += 2)
		fprintf(f, line, front, sme2[i], sme2[i + 1]);
	for (size_t i = 0; i < sizeof all / sizeof *all; i += 2)
		fprintf(f, line, front, all[i], all[i + 1]);
	if (e->platform->throttles)
		fputs("=== Runner stdout ===\n", f);
	fputs("I 00:00:00.801 executorch:executor_runner.cpp:228] Model "
	    "executed successfully 1 time(s) in ", f);
	write_decimal(f, latency_ns(e, 0), 6);
	fputs("0 ms.\n", f);
	done(f);
}

/* What the runner says of the runs that were timed: a little is its own. */
void
write_runner_log(const struct experiment *e, const char *folder)
{
	FILE *f = create(folder, stem_of(e), "_latency.log");
	double ms = 0;

	for (int i = 0; i < e->runs; i++)
		ms += (double)latency_ns(e, i) / 1e6 + 0.02;
	fprintf(f, "I 00:00:00.012000 executorch:executor_runner.cpp:133] "
	    "Model file is loaded.\n");
	fprintf(f, "I 00:00:02.345000 executorch:executor_runner.cpp:228] "
	    "Model executed successfully %d time(s) in %.6f ms.\n",
	    e->runs, ms);
	done(f);
}
