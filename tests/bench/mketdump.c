/*
 * mketdump - a timeline of all runs, as the tool around the Inspector writes
 * one: every run of a node, then the next node
 *
 * usage: mketdump RUNS
 * A model of 183 events: eight delegated parts with portable operators
 * between them; about 157 bytes an event and run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "seeded.h"

#define MODEL "encoder_fp32_bench_sme2_on_t1"
enum { PARTS = 8, HELD = 20 };

static const struct op {
	const char *name;
	unsigned us;
} ops[] = {
	{ "Convolution (NHWC, PF32) IGEMM", 520 },
	{ "Fully Connected (NC, PF32) GEMM", 290 },
	{ "Transpose (ND, X32) Copy", 300 },
	{ "GELU (NC) Elementwise", 200 },
	{ "Convolution (NHWC, F32) DWConv", 460 },
	{ "Add (ND) Elementwise", 56 },
	{ "Softmax (NC, F32)", 203 },
	{ "Pack LH (X32)", 51 },
}, portable = { "native_call_native_layer_norm.out", 0 };

enum { OPS = sizeof ops / sizeof *ops };

static void
row(int node, uint64_t run, const char *name, int number,
    const char *backend, uint64_t ns)
{
	char shown[96];

	snprintf(shown, sizeof shown, number ? "%s #%d" : "%s", name, number);
	printf(MODEL ",\"%s\",\"%s\",%s,%" PRIu64 ".0,%" PRIu64 ".%03u,%"
	    PRIu64 ".%06u,%" PRIu64 ".%04u,%d,%" PRIu64 ",Execute\r\n",
	    shown, name, backend, 358000000 + run * 40000 + (uint64_t)node,
	    358000000 + run * 40000 + (uint64_t)node + ns / 1000,
	    (unsigned)(ns % 1000), ns / 1000000, (unsigned)(ns % 1000000),
	    ns / 1000000, (unsigned)(ns % 10000), node, run);
}

/* What OP takes in RUN: the same whoever asks. */
static uint64_t
takes(uint64_t us, uint64_t run)
{
	return us * (1000 + (run * 2654435761u >> 7) % 40);
}

int
main(int argc, char *argv[])
{
	uint64_t runs = argc == 2 ? strtoull(argv[1], NULL, 10) : 0, *all;
	uint64_t *call;
	int node = 0;

	all = calloc(runs + 1, sizeof *all);
	call = calloc(runs + 1, sizeof *call);
	if (!runs || !all || !call) {
		fprintf(stderr, "usage: mketdump RUNS\n");
		return 2;
	}
	printf("model_id,name,type,delegate_backend,start_us,end_us,"
	    "duration_ms,pct_total,node_id,run_index,block\r\n");
	for (int part = 0; part < PARTS; part++) {
		for (uint64_t r = 0; r < runs; r++)
			call[r] = 0;
		for (int i = 0; i < HELD; i++, node++) {
			const struct op *op = &ops[seeded_next() % OPS];

			for (uint64_t r = 0; r < runs; r++) {
				uint64_t ns = takes(op->us, r);

				row(node, r, op->name, i + 1,
				    "XnnpackBackend", ns);
				call[r] += ns;
			}
		}
		for (uint64_t r = 0; r < runs; r++) {
			row(node, r, "DELEGATE_CALL", 0, "portable",
			    call[r] + 2000);
			all[r] += call[r] + 2000;
		}
		node++;
		if (part == PARTS - 1)
			break;
		for (uint64_t r = 0; r < runs; r++)
			row(node, r, portable.name, 0, "portable",
			    takes(166, r));
		for (uint64_t r = 0; r < runs; r++) {
			row(node + 1, r, "OPERATOR_CALL", 0, "portable",
			    takes(166, r) + 100);
			all[r] += takes(166, r) + 100;
		}
		node += 2;
	}
	for (uint64_t r = 0; r < runs; r++)
		row(node, r, "Method::execute", 0, "portable", all[r] + 500);
	free(all);
	free(call);
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
