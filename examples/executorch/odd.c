/* odd - small ETDumps of all kinds that there are, and damaged ones */
#include <string.h>

#include "dump.h"

#define N(list) list, sizeof list / sizeof *list

/* Events in the order they are logged: name, id of a delegate, chain,
 * instruction, number of a delegate, start and end. */
static const struct event load[] = {
	{ "Method::init", NULL, -1, 0, -1, 1100, 1900 },
	{ "Program::load_method", NULL, -1, 0, -1, 1000, 2000 },
}, load_backend[] = {
	{ "VGF_INIT_PIPELINE", NULL, -1, 0, -1, 1200, 1700 },
	{ "Method::init", NULL, -1, 0, -1, 1100, 1900 },
	{ "Program::load_method", NULL, -1, 0, -1, 1000, 2000 },
}, xnnpack[] = {
	{ NULL, "Convolution (NHWC, F32) IGEMM #1", 0, 0, -1, 10100, 14100 },
	{ NULL, "Clamp (NC) #1", 0, 0, -1, 14100, 14600 },
	{ "DELEGATE_CALL", NULL, 0, 0, -1, 10050, 15000 },
	{ "native_call_addmm.out", NULL, 0, 1, -1, 15200, 16200 },
	{ "OPERATOR_CALL", NULL, 0, 1, -1, 15100, 16300 },
	{ "Method::execute", NULL, -1, 0, -1, 10000, 16500 },
}, decode[] = {
	{ "native_call_addmm.out", NULL, 0, 0, -1, 10100, 10900 },
	{ "OPERATOR_CALL", NULL, 0, 0, -1, 10050, 11000 },
	{ "Method::execute", NULL, -1, 0, -1, 10000, 11100 },
}, numbered[] = {
	{ NULL, NULL, 0, 0, 0, 10100, 10400 },
	{ NULL, NULL, 0, 0, 1, 10400, 10800 },
	{ NULL, NULL, 0, 0, 0, 10800, 10900 },
	{ "DELEGATE_CALL", NULL, 0, 0, -1, 10050, 11000 },
	{ "Method::execute", NULL, -1, 0, -1, 10000, 11100 },
}, ethos[] = {
	{ "+EthosUBackend::execute()NPU", NULL, 0, 0, -1, 10100, 10400 },
	{ "EthosUBackend::execute()", NULL, 0, 0, -1, 10090, 10900 },
	{ "DELEGATE_CALL", NULL, 0, 0, -1, 10050, 11000 },
	{ "Method::execute", NULL, -1, 0, -1, 10000, 11100 },
}, loop[] = {
	{ "native_call_add.out", NULL, 0, 0, -1, 10100, 10200 },
	{ "OPERATOR_CALL", NULL, 0, 0, -1, 10050, 10300 },
	{ "JF_CALL", NULL, 0, 1, -1, 10300, 10310 },
	{ "native_call_add.out", NULL, 0, 0, -1, 10400, 10600 },
	{ "OPERATOR_CALL", NULL, 0, 0, -1, 10350, 10700 },
	{ "JF_CALL", NULL, 0, 1, -1, 10700, 10710 },
	{ "Method::execute", NULL, -1, 0, -1, 10000, 10800 },
}, aside[] = {
	{ NULL, "Convolution (NHWC, F32) IGEMM #1", 0, 0, -1, 10100, 14100 },
	{ NULL, "Fully Connected (NC, F32) GEMM #1", 0, 2, -1, 11000, 15000 },
	{ "DELEGATE_CALL", NULL, 0, 0, -1, 10050, 14200 },
	{ "native_call_addmm.out", NULL, 0, 1, -1, 15200, 16200 },
	{ "OPERATOR_CALL", NULL, 0, 1, -1, 15100, 16300 },
	{ "DELEGATE_CALL", NULL, 0, 2, -1, 10900, 15600 },
	{ NULL, "Clamp (NC) #1", 0, 2, -1, 15000, 15500 },
	{ "Method::execute", NULL, -1, 0, -1, 10000, 20500 },
}, wrap[] = {
	{ "native_call_add.out", NULL, 0, 0, -1, 4294967000, 104 },
	{ "OPERATOR_CALL", NULL, 0, 0, -1, 4294966900, 204 },
	{ "Method::execute", NULL, -1, 0, -1, 4294966800, 304 },
}, backwards[] = {
	{ "native_call_add.out", NULL, 0, 0, -1, 8589934592, 10 },
	{ "Method::execute", NULL, -1, 0, -1, 10000, 10800 },
}, unnamed[] = {
	{ NULL, NULL, 0, 0, -1, 10100, 10200 },
	{ "Method::execute", NULL, -1, 0, -1, 10000, 10800 },
}, step[] = {
	{ "Method::init", NULL, -1, 0, -1, 1100, 1900 },
	{ "Program::load_method", NULL, -1, 0, -1, 1000, 2000 },
	{ "native_call_add.out", NULL, 0, 0, -1, 10100, 10200 },
	{ "OPERATOR_CALL", NULL, 0, 0, -1, 10050, 10300 },
	{ "Method::step", NULL, -1, 0, -1, 10000, 10800 },
};

enum { SIZED = 1, ALLOCATIONS = 2, DEBUGS = 4, HOLLOW = 8, OLD = 16,
    ENDLESS = 32 };

static const struct odd {
	const char *kind;
	const struct {
		const struct event *events;
		size_t count;
		int times;
	} blocks[3];		/* the first is of loading */
	int how, tail;
} odds[] = {
	{ "xnnpack", { { N(load), 1 }, { N(xnnpack), 3 } }, SIZED, 0 },
	{ "without-its-size", { { N(load), 1 }, { N(xnnpack), 3 } }, 0, 0 },
	{ "trailing", { { N(load), 1 }, { N(xnnpack), 3 } }, SIZED, 5 },
	{ "cut", { { N(load), 1 }, { N(xnnpack), 3 } }, SIZED, -8 },
	{ "cut-deep", { { N(load), 1 }, { N(xnnpack), 3 } }, SIZED, -700 },
	{ "shapes", { { N(load), 1 }, { N(xnnpack), 1 }, { N(decode), 4 } },
	    SIZED, 0 },
	{ "numbers", { { N(load), 1 }, { N(numbered), 2 } }, SIZED, 0 },
	{ "plain-names", { { N(load), 1 }, { N(ethos), 2 } }, SIZED, 0 },
	{ "loop", { { N(load), 1 }, { N(loop), 2 } }, SIZED, 0 },
	{ "aside", { { N(load), 1 }, { N(aside), 2 } }, SIZED, 0 },
	{ "backend-init", { { N(load_backend), 1 }, { N(xnnpack), 3 } },
	    SIZED, 0 },
	{ "wrap", { { N(load), 1 }, { N(wrap), 1 } }, SIZED, 0 },
	{ "backwards", { { N(load), 1 }, { N(backwards), 1 } }, SIZED, 0 },
	{ "unnamed", { { N(load), 1 }, { N(unnamed), 1 } }, SIZED, 0 },
	{ "step", { { N(step), 1 } }, SIZED, 0 },
	{ "empty", { { NULL, 0, 0 } }, SIZED, 0 },
	{ "allocations", { { N(load), 1 }, { N(xnnpack), 3 } }, SIZED |
	    ALLOCATIONS, 0 },
	{ "debug", { { N(load), 1 }, { N(xnnpack), 3 } }, SIZED | DEBUGS, 0 },
	{ "hollow", { { N(load), 1 }, { N(xnnpack), 3 } }, SIZED | HOLLOW,
	    0 },
	{ "old", { { N(load), 1 } }, SIZED | OLD, 0 },
	{ "endless", { { N(load), 1 }, { N(xnnpack), 1 } }, SIZED | ENDLESS,
	    0 },
};

/* An event that tells of no time: of memory, or of a value. */
static flat_ref
other_event(struct flat *f, unsigned place, uint64_t number)
{
	struct flat_field part = { 1, 8, number, 0 }, of = { place, 4, 0, 0 };

	of.ref = flat_table(f, &part, 1);
	return flat_table(f, &of, 1);
}

/* The events of B, RUN of them before; later runs start later and take a
 * little longer. */
static flat_ref
write_block(struct flat *f, const struct odd *o, int block, int run)
{
	flat_ref events[32];
	size_t n = 0;

	for (size_t i = 0; i < o->blocks[block].count; i++) {
		struct event e = o->blocks[block].events[i];

		e.start += (uint64_t)run * 10000;
		e.end += (uint64_t)run * 10007;
		events[n++] = dump_event(f, &e);
	}
	if (block && o->how & ALLOCATIONS)
		events[n++] = other_event(f, 1, 4096);
	if (block && o->how & DEBUGS)
		events[n++] = other_event(f, 2, 0);
	/* a reference that leads far behind the end */
	if (block && o->how & HOLLOW && run == 1)
		events[0] = f->len - ((size_t)1 << 30);
	return dump_block(f, block ? "Execute" : "Default", events, n);
}

/* As before release 0.1: where the name was to come later is a list. */
static flat_ref
write_old(struct flat *f)
{
	struct flat_field fields[2] = { { 0, 4, 0, 0 }, { 1, 4, 0, 0 } };

	fields[0].ref = fields[1].ref = flat_list(f, NULL, 0);
	return flat_table(f, fields, 2);
}

void
write_odd(const char *kind, const char *path)
{
	static const char *const backends[] = { "XnnpackBackend", NULL };
	const struct odd *o = NULL;
	flat_ref blocks[64];
	struct flat f = { 0 };
	size_t n = 0;

	if (!strcmp(kind, "program")) {
		program_write(backends, 2, path);
		return;
	}
	for (size_t i = 0; i < sizeof odds / sizeof *odds; i++)
		if (!strcmp(odds[i].kind, kind))
			o = &odds[i];
	if (!o)
		die(2, "no ETDump is called '%s'", kind);
	for (int b = 0; b < 3; b++)
		for (int run = 0; run < o->blocks[b].times; run++)
			blocks[n++] = o->how & OLD ? write_old(&f) :
			    write_block(&f, o, b, run);
	/* one list of events for many runs */
	for (; o->how & ENDLESS && n < 64; n++)
		blocks[n] = blocks[n - 1];
	dump_write(&f, blocks, n, o->how & SIZED, path, o->tail);
}
