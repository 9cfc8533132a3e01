/* Instructions of hand-made programs of XLA: texts, flops, bytes, damage. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/hlo.h"
#include "wire.h"

static int failed;

/* Numbers in S, "1,2,3": packed, or one by one where it begins with '/'. */
static void
numbers(struct tp_buf *b, uint32_t field, const char *s)
{
	struct tp_buf packed = { 0 };
	int alone = *s == '/';
	char *end;

	for (s += alone; *s; s = *end ? end + 1 : end) {
		uint64_t n = strtoull(s, &end, 10);

		if (alone)
			number(b, field, n);
		else
			varint(&packed, n);
	}
	if (packed.len)
		message(b, field, &packed);
	tp_buf_release(&packed);
}

enum { PRED = 1, U8 = 6, F32 = 11, TUPLE = 13, BF16 = 16 };

/* The shape TYPE[DIMS], its layout ORDER, as field FIELD. */
static void
shape(struct tp_buf *b, uint32_t field, uint64_t type, const char *dims,
    const char *order, uint64_t memory)
{
	struct tp_buf s = { 0 }, layout = { 0 };

	number(&s, 2, type);
	numbers(&s, 3, dims);
	if (order) {
		numbers(&layout, 1, order);
		if (memory)
			number(&layout, 8, memory);
		message(&s, 5, &layout);
	}
	message(b, field, &s);
	tp_buf_release(&s);
	tp_buf_release(&layout);
}

/* The start of instruction NAME: what all have, but the shape. */
static struct tp_buf
begin(const char *name, const char *opcode, uint64_t id, const char *operands)
{
	struct tp_buf b = { 0 };

	text(&b, 1, name);
	text(&b, 2, opcode);
	number(&b, 35, id);
	numbers(&b, 36, operands);
	return b;
}

static void
add(struct tp_buf *computation, struct tp_buf i)
{
	message(computation, 2, &i);
	tp_buf_release(&i);
}

static void
plain(struct tp_buf *computation, const char *name, const char *opcode,
    uint64_t id, const char *operands, uint64_t type, const char *dims)
{
	struct tp_buf i = begin(name, opcode, id, operands);

	shape(&i, 3, type, dims, NULL, 0);
	add(computation, i);
}

static void
parameter(struct tp_buf *computation, const char *name, uint64_t id,
    uint64_t n, uint64_t type, const char *dims)
{
	struct tp_buf i = begin(name, "parameter", id, "");

	shape(&i, 3, type, dims, NULL, 0);
	number(&i, 9, n);
	add(computation, i);
}

static void
dot(struct tp_buf *computation, const char *name, uint64_t id,
    const char *operands, const char *dims, const char *contracted)
{
	struct tp_buf i = begin(name, "dot", id, operands), d = { 0 };

	shape(&i, 3, F32, dims, NULL, 0);
	numbers(&d, 1, contracted);
	message(&i, 30, &d);
	add(computation, i);
	tp_buf_release(&d);
}

static void
calling(struct tp_buf *computation, const char *name, const char *opcode,
    uint64_t id, const char *operands, const char *dims, uint64_t called)
{
	struct tp_buf i = begin(name, opcode, id, operands);

	shape(&i, 3, F32, dims, NULL, 0);
	number(&i, 38, called);
	add(computation, i);
}

/* A convolution of two dimensions; TARGET is that of a call, or NULL. */
static void
convolution(struct tp_buf *computation, const char *name, uint64_t id,
    const char *operands, const char *dims, const char *target,
    uint64_t dilation)
{
	struct tp_buf i = begin(name, target ? "custom-call" : "convolution",
	    id, operands), w = { 0 }, d = { 0 };

	shape(&i, 3, BF16, dims, NULL, 0);
	for (int n = 0; n < 2; n++) {
		number(&d, 1, 3);
		number(&d, 2, 1);
		if (dilation)
			number(&d, 6, dilation);
		message(&w, 1, &d);
	}
	message(&i, 15, &w);
	/* [b,f,y,x] by [o,i,y,x] */
	number(&d, 3, 1);
	numbers(&d, 6, "2,3");
	number(&d, 8, 1);
	number(&d, 10, 1);
	numbers(&d, 11, "2,3");
	numbers(&d, 12, "2,3");
	message(&i, 16, &d);
	if (target)
		text(&i, 28, target);
	add(computation, i);
	tp_buf_release(&w);
	tp_buf_release(&d);
}

static void
library(struct tp_buf *computation, const char *name, uint64_t id,
    const char *operands, const char *target, const char *config)
{
	struct tp_buf i = begin(name, "custom-call", id, operands);
	struct tp_buf s = { 0 };

	number(&s, 2, TUPLE);
	shape(&s, 4, F32, "8,32", "1,0", 0);
	shape(&s, 4, U8, "4096", "0", 0);
	message(&i, 3, &s);
	text(&i, 28, target);
	text(&i, 43, config);
	add(computation, i);
	tp_buf_release(&s);
}

static void
finish(struct tp_buf *module, struct tp_buf *computation, uint64_t id,
    uint64_t root)
{
	number(computation, 5, id);
	number(computation, 6, root);
	message(module, 3, computation);
}

static void
annotated(struct tp_buf *computation)
{
	struct tp_buf i = begin("add.1", "add", 20, "1,1"), m = { 0 };

	shape(&i, 3, F32, "/8,16", "/1,0", 5);
	text(&m, 2, "jit(f)/add");
	text(&m, 3, "model.py");
	number(&m, 4, 12);
	message(&i, 7, &m);
	add(computation, i);
	i = begin("add.2", "add", 21, "1");
	shape(&i, 3, F32, "", "", 0);
	number(&m, 15, 2);
	message(&i, 7, &m);
	add(computation, i);
	tp_buf_release(&m);
}

static void
frames(struct tp_buf *module)
{
	struct tp_buf all = { 0 }, one = { 0 };

	text(&all, 1, "a.py");
	text(&all, 1, "b.py");
	number(&one, 1, 2);
	number(&one, 3, 77);
	message(&all, 3, &one);
	message(&all, 4, &one);
	number(&one, 1, 1);
	message(&all, 4, &one);
	message(module, 17, &all);
	tp_buf_release(&all);
	tp_buf_release(&one);
}

static void
entry(struct tp_buf *c)
{
	static const char gemm[] = "{\"operation_queue_id\":\"0\","
	    "\"gemm_backend_config\":{\"alpha_real\":1,"
	    "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":"
	    "[\"1\"],\"rhs_contracting_dimensions\":[\"0\"]}}}";
	static const char bare[] = "{\"dot_dimension_numbers\":"
	    "{\"lhs_contracting_dimensions\":[1]}}";

	parameter(c, "a", 1, 0, F32, "8,16");
	parameter(c, "b", 2, 1, F32, "16,32");
	parameter(c, "ab", 3, 2, F32, "4,8,16");
	parameter(c, "bb", 4, 3, F32, "4,16,32");
	parameter(c, "image", 5, 4, BF16, "2,12,10,10");
	parameter(c, "kernel", 6, 5, BF16, "24,6,3,3");
	parameter(c, "layers", 7, 6, F32, "100,8,16");
	parameter(c, "at", 8, 7, 4, "");
	parameter(c, "grad", 9, 8, BF16, "2,24,8,8");
	dot(c, "dot.1", 10, "1,2", "8,32", "1");
	dot(c, "dot.2", 11, "/3,4", "4,8,32", "/2");
	dot(c, "dot.3", 12, "1,99", "8,32", "1");
	dot(c, "dot.4", 13, "1,2", "8,32", "7");
	dot(c, "dot.5", 14, "1,1", "8,8", "1");
	convolution(c, "conv.1", 15, "5,6", "2,24,8,8", NULL, 0);
	convolution(c, "conv.2", 16, "5,6", "2,24,8,8", NULL, 2);
	convolution(c, "conv.3", 17, "9,6", "2,12,10,10",
	    "__cudnn$convBackwardInput", 0);
	convolution(c, "conv.4", 18, "5,9", "24,6,3,3",
	    "__cudnn$convBackwardFilter", 0);
	convolution(c, "conv.5", 19, "5,6", "2,24,8,8",
	    "__cudnn$convForward", 0);
	annotated(c);
	calling(c, "fusion.1", "fusion", 30, "1,2", "8,32", 2);
	calling(c, "fusion.2", "fusion", 31, "7,8", "8,16", 3);
	calling(c, "fusion.3", "fusion", 32, "7,8,1", "100,8,16", 4);
	calling(c, "fusion.4", "fusion", 33, "1", "8,16", 5);
	calling(c, "fusion.5", "fusion", 34, "1", "8,16", 6);
	calling(c, "fusion.6", "fusion", 35, "1,2", "8,32", 7);
	calling(c, "fusion.7", "fusion", 36, "1", "8,16", 99);
	calling(c, "while.1", "while", 37, "1", "8,16", 2);
	library(c, "gemm.1", 40, "1,2", "__cublas$gemm", gemm);
	library(c, "gemm.2", 41, "1,2", "__cublas$lt$matmul", bare);
	library(c, "gemm.3", 42, "1,2", "__cublas$gemm", "{\"x\":");
	library(c, "call.1", 43, "1,2", "flash_attention", gemm);
	plain(c, "copy-start.1", "copy-start", 50, "1", F32, "8,16");
	plain(c, "slice.1", "dynamic-slice", 51, "7,8", F32, "8,16");
	plain(c, "huge.1", "add", 52, "1", F32,
	    "4611686018427387904,4611686018427387904");
	plain(c, "odd.1", "add", 53, "1", 777, "8");
	plain(c, "flag.1", "compare", 54, "1,1", PRED, "8,16");
	finish(c + 1, c, 1, 30);
}

static struct tp_buf
program(void)
{
	struct tp_buf c[2] = { { 0 } }, proto = { 0 };
	struct tp_buf *module = &c[1];

	text(module, 1, "jit_f");
	/* a dot, and something that is none */
	parameter(c, "p.0", 1, 0, F32, "8,16");
	parameter(c, "p.1", 2, 1, F32, "16,32");
	dot(c, "inner.1", 3, "1,2", "8,32", "1");
	plain(c, "inner.2", "tanh", 4, "3", F32, "8,32");
	finish(module, c, 2, 4);
	/* one layer is read */
	parameter(c, "p.2", 1, 0, F32, "100,8,16");
	parameter(c, "p.3", 2, 1, 4, "");
	plain(c, "inner.3", "dynamic-slice", 3, "1,2", F32, "1,8,16");
	plain(c, "inner.4", "bitcast", 4, "3", F32, "8,16");
	finish(module, c, 3, 4);
	/* one is written */
	parameter(c, "p.4", 1, 0, F32, "100,8,16");
	parameter(c, "p.5", 2, 1, 4, "");
	parameter(c, "p.6", 3, 2, F32, "8,16");
	plain(c, "inner.5", "bitcast", 4, "3", F32, "1,8,16");
	plain(c, "inner.6", "dynamic-update-slice", 5, "1,4,2", F32,
	    "100,8,16");
	finish(module, c, 4, 5);
	/* in a circle */
	parameter(c, "p.7", 1, 0, F32, "8,16");
	calling(c, "inner.7", "call", 2, "1", "8,16", 5);
	finish(module, c, 5, 2);
	/* what nothing tells */
	parameter(c, "p.8", 1, 0, F32, "8,16");
	plain(c, "inner.8", "custom-call", 2, "1", F32, "8,16");
	finish(module, c, 6, 2);
	/* twice what is in the first */
	parameter(c, "p.9", 1, 0, F32, "8,16");
	parameter(c, "p.10", 2, 1, F32, "16,32");
	calling(c, "inner.9", "fusion", 3, "1,2", "8,32", 2);
	calling(c, "inner.10", "fusion", 4, "1,2", "8,32", 2);
	plain(c, "inner.11", "add", 5, "3,4", F32, "8,32");
	finish(module, c, 7, 5);
	entry(c);
	frames(module);
	message(&proto, 1, module);
	tp_buf_release(&c[0]);
	tp_buf_release(&c[1]);
	return proto;
}

/* --- what is expected of it */

#define DOT (2 * 8 * 32 * 16)
#define A (8 * 16 * 4)
#define B (16 * 32 * 4)
#define AB (8 * 32 * 4)
#define CONV (2 * 2 * 24 * 8 * 8 * 6 * 3 * 3)
#define IMAGE (2 * 12 * 10 * 10 * 2)
#define KERNEL (24 * 6 * 3 * 3 * 2)
#define OUT (2 * 24 * 8 * 8 * 2)

static const struct want {
	const char *name, *shape, *source;
	int64_t flops, bytes;
} wants[] = {
	{ "dot.1", "f32[8,32]", NULL, DOT, A + B + AB },
	{ "dot.2", "f32[4,8,32]", NULL, 4 * DOT, 4 * (A + B + AB) },
	{ "dot.3", "f32[8,32]", NULL, DOT, -1 },
	{ "dot.4", "f32[8,32]", NULL, -1, -1 },
	{ "dot.5", "f32[8,8]", NULL, 2 * 8 * 8 * 16, A + 8 * 8 * 4 },
	{ "conv.1", "bf16[2,24,8,8]", NULL, CONV, IMAGE + KERNEL + OUT },
	{ "conv.2", "bf16[2,24,8,8]", NULL, CONV / 4, IMAGE + KERNEL + OUT },
	{ "conv.3", "bf16[2,12,10,10]", NULL, CONV, IMAGE + KERNEL + OUT },
	{ "conv.4", "bf16[24,6,3,3]", NULL, CONV, IMAGE + KERNEL + OUT },
	{ "conv.5", "bf16[2,24,8,8]", NULL, CONV, IMAGE + KERNEL + OUT },
	{ "add.1", "f32[8,16]{1,0:S(5)}", "model.py:12", -1, 2 * A },
	{ "add.2", "f32[]", "b.py:77", -1, A + 4 },
	{ "fusion.1", "f32[8,32]", NULL, DOT, A + B + AB },
	{ "fusion.2", "f32[8,16]", NULL, -1, A + 4 + A },
	{ "fusion.3", "f32[100,8,16]", NULL, -1, 4 + A + A },
	{ "fusion.4", "f32[8,16]", NULL, -1, -1 },
	{ "fusion.5", "f32[8,16]", NULL, -1, -1 },
	{ "fusion.6", "f32[8,32]", NULL, 2 * DOT, A + B + AB },
	{ "fusion.7", "f32[8,16]", NULL, -1, 2 * A },
	{ "while.1", "f32[8,16]", NULL, -1, -1 },
	{ "gemm.1", "(f32[8,32]{1,0}, u8[4096]{0})", NULL, DOT, A + B + AB },
	{ "gemm.2", "(f32[8,32]{1,0}, u8[4096]{0})", NULL, DOT, A + B + AB },
	{ "gemm.3", "(f32[8,32]{1,0}, u8[4096]{0})", NULL, -1, -1 },
	{ "call.1", "(f32[8,32]{1,0}, u8[4096]{0})", NULL, -1, -1 },
	{ "copy-start.1", "f32[8,16]", NULL, -1, -1 },
	{ "slice.1", "f32[8,16]", NULL, -1, 2 * A },
	{ "huge.1", "f32[4611686018427387904,4611686018427387904]", NULL, -1,
	  -1 },
	{ "odd.1", NULL, NULL, -1, -1 },
	{ "flag.1", "pred[8,16]", NULL, -1, A + 8 * 16 },
	{ "inner.1", "f32[8,32]", NULL, DOT, A + B + AB },
};

static void
same(const char *name, const char *what, const char *got, const char *want)
{
	if (got == want || (got && want && !strcmp(got, want)))
		return;
	printf("not ok hlo: %s: %s is '%s', want '%s'\n", name, what,
	    got ? got : "(none)", want ? want : "(none)");
	failed = 1;
}

static void
check(struct tp_hlo *h, struct tp_arena *arena, const struct want *w)
{
	struct tp_hlo_op op;

	if (tp_hlo_find(h, w->name, strlen(w->name), arena, &op) != 1) {
		printf("not ok hlo: %s is not found\n", w->name);
		failed = 1;
		return;
	}
	same(w->name, "shape", op.shape, w->shape);
	same(w->name, "source", op.source, w->source);
	if (op.flops == w->flops && op.bytes == w->bytes)
		return;
	printf("not ok hlo: %s: %" PRId64 " flops, %" PRId64 " bytes, want %"
	    PRId64 ", %" PRId64 "\n", w->name, op.flops, op.bytes, w->flops,
	    w->bytes);
	failed = 1;
}

static void
whole(const struct tp_buf *proto)
{
	const unsigned char *p = (const unsigned char *)proto->p;
	struct tp_arena arena = { 0 };
	struct tp_hlo_op op = { 0 };
	struct tp_hlo h = { 0 };

	if (tp_hlo_open(&h, (struct tp_proto){ p, p + proto->len })) {
		printf("not ok hlo: a whole program is damaged\n");
		failed = 1;
	}
	for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
		check(&h, &arena, &wants[i]);
	if (tp_hlo_find(&h, "nothing", 7, &arena, &op) != 0) {
		printf("not ok hlo: what is not there is found\n");
		failed = 1;
	}
	tp_hlo_find(&h, "add.1", 5, &arena, &op);
	same("add.1", "op_name", op.op_name, "jit(f)/add");
	same("add.1", "text", op.text,
	    "%add.1 = f32[8,16]{1,0:S(5)} add(%a, %a)");
	tp_hlo_find(&h, "gemm.2", 6, &arena, &op);
	same("gemm.2", "text", op.text, "%gemm.2 = (f32[8,32]{1,0}, "
	    "u8[4096]{0}) custom-call(%a, %b), "
	    "custom_call_target=\"__cublas$lt$matmul\"");
	tp_hlo_release(&h);
	tp_arena_release(&arena);
}

/* All that can be asked of the LEN bytes at P, in memory of their own. */
static void
ask(const unsigned char *p, size_t len)
{
	unsigned char *copy = malloc(len ? len : 1);
	struct tp_arena arena = { 0 };
	struct tp_hlo_op op;
	struct tp_hlo h = { 0 };

	memcpy(copy, p, len);
	tp_hlo_open(&h, (struct tp_proto){ copy, copy + len });
	for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
		tp_hlo_find(&h, wants[i].name, strlen(wants[i].name), &arena,
		    &op);
	tp_hlo_release(&h);
	tp_arena_release(&arena);
	free(copy);
}

/* LEN bytes at P as a message of its own, all its layers cut. */
static void
damaged(const struct tp_buf *proto)
{
	unsigned char *p = (unsigned char *)proto->p;
	struct tp_proto m = { p, p + proto->len };
	struct tp_proto_field f;
	struct tp_buf cut = { 0 };

	for (size_t len = 0; len < proto->len; len++)
		ask(p, len);
	/* the module is cut, and says so */
	tp_proto_next(&m, &f);
	for (size_t len = 0; len < f.value; len++) {
		tp_buf_clear(&cut);
		bytes(&cut, 1, (const char *)f.bytes, len);
		ask((unsigned char *)cut.p, cut.len);
	}
	tp_buf_release(&cut);
	for (size_t at = 0; at < proto->len; at++) {
		unsigned char was = p[at];

		p[at] = (unsigned char)~was;
		ask(p, proto->len);
		p[at] = was ^ 1;
		ask(p, proto->len);
		p[at] = was;
	}
}

int
main(void)
{
	struct tp_buf proto = program();

	whole(&proto);
	damaged(&proto);
	tp_buf_release(&proto);
	return failed;
}
