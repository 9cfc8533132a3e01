/* Kernels of a hand-made capture of GPUs get what its program tells, and their
 * costs add up to what was computed, whatever is cut. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tp/alloc.h>

#include "read/events.h"
#include "wire.h"

static int failed;

/* --- the program: a fusion and two dots */

static void
instruction(struct tp_buf *c, const char *name, const char *opcode,
    uint64_t id, uint64_t a, uint64_t b)
{
	struct tp_buf i = { 0 }, part = { 0 };

	text(&i, 1, name);
	text(&i, 2, opcode);
	number(&part, 2, 11);
	number(&part, 3, 16);
	number(&part, 3, 16);
	message(&i, 3, &part);
	text(&part, 2, "jit(f)/layer");
	text(&part, 3, "model.py");
	number(&part, 4, 7);
	message(&i, 7, &part);
	number(&part, 1, 1);
	message(&i, 30, &part);
	number(&i, 35, id);
	if (a)
		number(&i, 36, a);
	if (b)
		number(&i, 36, b);
	message(c, 2, &i);
	tp_buf_release(&i);
	tp_buf_release(&part);
}

#define DOT (2 * 16 * 16 * 16)
#define ARRAY (16 * 16 * 4)

static struct tp_buf
program(void)
{
	struct tp_buf c = { 0 }, module = { 0 }, hlo = { 0 };

	instruction(&c, "a", "parameter", 1, 0, 0);
	instruction(&c, "b", "parameter", 2, 0, 0);
	instruction(&c, "fusion.1", "fusion", 3, 1, 0);
	instruction(&c, "dot.1", "dot", 4, 3, 2);
	instruction(&c, "dot.2", "dot", 5, 4, 2);
	number(&c, 5, 1);
	message(&module, 3, &c);
	message(&hlo, 1, &module);
	tp_buf_release(&c);
	tp_buf_release(&module);
	return hlo;
}

/* --- the capture */

/* KEY -> NAME in the map FIELD of PLANE; HLO, or NULL, is its stat 1. */
static void
mean(struct tp_buf *plane, uint32_t field, uint64_t key, const char *name,
    struct tp_buf *hlo)
{
	struct tp_buf entry = { 0 }, value = { 0 }, stat = { 0 };

	number(&entry, 1, key);
	number(&value, 1, key);
	text(&value, 2, name);
	if (hlo) {
		number(&stat, 1, 1);
		message(&stat, 6, hlo);
		message(&value, 5, &stat);
	}
	message(&entry, 2, &value);
	message(plane, field, &entry);
	tp_buf_release(&entry);
	tp_buf_release(&value);
	tp_buf_release(&stat);
}

/* What stats of the device are called, by id from 1. */
enum { OP = 1, PROGRAM, MODULE, FLOPS, DOT_1, DOT_2, FUSION, INNER, JIT,
    ABSENT };
static const char *const stats[] = { "hlo_op", "program_id", "hlo_module",
    "model_flops", "dot.1", "dot.2", "fusion.1", "call.1::dot.2", "jit_f",
    "nothing.1" };

enum { GEMM = 1, SPLIT, LOOP, CHUNK, TWIN };
static const char *const kernels[] = { "gemm", "split_k_sum", "loop_fusion",
    "chunk", "dot" };

/* An event of KERNEL; of the program 15, or of its module by name. */
static void
event(struct tp_buf *line, uint64_t kernel, uint64_t op, int by_name,
    uint64_t own_flops)
{
	static uint64_t ps;
	struct tp_buf e = { 0 }, stat = { 0 };

	number(&e, 1, kernel);
	number(&e, 2, ps += 1000000);
	number(&e, 3, kernel == SPLIT ? 10 : 1000);
	number(&stat, 1, OP);
	number(&stat, 7, op);
	message(&e, 4, &stat);
	number(&stat, 1, by_name ? MODULE : PROGRAM);
	number(&stat, by_name ? 7 : 4, by_name ? JIT : 15);
	message(&e, 4, &stat);
	if (own_flops) {
		number(&stat, 1, FLOPS);
		number(&stat, 3, own_flops);
		message(&e, 4, &stat);
	}
	message(line, 4, &e);
	tp_buf_release(&e);
	tp_buf_release(&stat);
}

static struct tp_buf
capture(void)
{
	struct tp_buf space = { 0 }, plane = { 0 }, line = { 0 };
	struct tp_buf hlo = program();

	text(&plane, 2, "/host:metadata");
	mean(&plane, 4, 15, "jit_f(15)", &hlo);
	mean(&plane, 5, 1, "Hlo Proto", NULL);
	message(&space, 1, &plane);

	number(&plane, 1, 0);
	text(&plane, 2, "/device:GPU:0");
	text(&line, 2, "Stream #1(Kernel)");
	/* two runs: each one fusion, a dot of two kernels, one of two chunks */
	for (int run = 0; run < 2; run++) {
		event(&line, LOOP, FUSION, 0, 0);
		event(&line, GEMM, DOT_1, run, 0);
		event(&line, SPLIT, DOT_1, 0, 0);
		event(&line, CHUNK, INNER, 0, 0);
		event(&line, CHUNK, DOT_2, 0, 0);
	}
	event(&line, SPLIT, ABSENT, 0, 0);
	event(&line, SPLIT, DOT_1, 0, 99);
	message(&plane, 3, &line);
	/* the same work again */
	text(&line, 2, "XLA Ops");
	event(&line, TWIN, DOT_1, 0, 0);
	message(&plane, 3, &line);
	for (uint64_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		mean(&plane, 4, i + 1, kernels[i], NULL);
	for (uint64_t i = 0; i < sizeof stats / sizeof *stats; i++)
		mean(&plane, 5, i + 1, stats[i], NULL);
	message(&space, 1, &plane);
	tp_buf_release(&plane);
	tp_buf_release(&line);
	tp_buf_release(&hlo);
	return space;
}

/* --- what is read of it */

struct seen {
	size_t events, costed, explained;
	double flops, bytes;
	struct tp_buf first;	/* texts of the first dot */
};

static void
see(struct seen *s, const struct tp_event *v)
{
	enum { TEXT, SOURCE, TF_OP, FLOP, BYTE };

	s->events++;
	s->explained += v->args[TEXT].type != TP_ARG_ABSENT;
	s->costed += v->args[FLOP].type != TP_ARG_ABSENT;
	if (v->args[FLOP].type)
		s->flops += atof(v->args[FLOP].text);
	if (v->args[BYTE].type)
		s->bytes += atof(v->args[BYTE].text);
	for (int i = TEXT; s->costed == 1 && v->args[FLOP].type && i <= BYTE;
	    i++) {
		tp_buf_add(&s->first, v->args[i].text, v->args[i].len);
		tp_buf_chr(&s->first, '\n');
	}
}

/* The first LEN bytes of SPACE. */
static struct seen
seen(const struct tp_buf *space, size_t len)
{
	static const char *const args[] = { "long_name", "source", "tf_op",
	    "model_flops", "bytes_accessed", NULL };
	const struct tp_events_want want = { .args = args,
	    .phases = "X" };
	char path[] = "/tmp/test_xspace.XXXXXX";
	struct tp_trace trace = { 0 };
	struct tp_err err = { 0 };
	struct seen s = { 0 };
	struct tp_event v;
	struct tp_events *e;
	struct tp_in *in;
	int rc, fd = mkstemp(path);

	if (fd < 0 || write(fd, space->p, len) != (ssize_t)len) {
		perror(path);
		exit(2);
	}
	close(fd);
	in = tp_in_open(path, &err);
	e = in ? tp_events_open(in, &want, &trace, &err) : NULL;
	while (e && (rc = tp_events_next(e, &v, &err)) != 0) {
		if (rc < 0 && err.fatal)
			break;
		if (rc > 0)
			see(&s, &v);
	}
	if (e)
		tp_events_close(e);
	if (in)
		tp_in_close(in);
	unlink(path);
	for (size_t i = 0; i < trace.note_count; i++) {
		tp_free(trace.notes[i].code);
		tp_free(trace.notes[i].text);
	}
	tp_free(trace.notes);
	return s;
}

static void
check(const char *what, double got, double want)
{
	if (got == want)
		return;
	printf("not ok xspace: %s: %.0f, want %.0f\n", what, got, want);
	failed = 1;
}

int
main(void)
{
	static const char want[] =
	    "%dot.1 = f32[16,16] dot(%fusion.1, %b)\nmodel.py:7\n"
	    "jit(f)/layer\n8192\n3072\n";
	struct tp_buf space = capture();
	struct seen s = seen(&space, space.len);

	check("events", (double)s.events, 13);
	check("explained", (double)s.explained, 11);
	/* two of dot.1, four halves of dot.2, and what had its own */
	check("with flops", (double)s.costed, 7);
	check("flops", s.flops, 4 * DOT + 99);
	/* of the dots 3 arrays each, of the fusion 2 */
	check("bytes", s.bytes, 4 * 3 * ARRAY + 2 * 2 * ARRAY);
	if (!s.first.p || strcmp(s.first.p, want)) {
		printf("not ok xspace: a dot is '%s'\n", s.first.p ?
		    s.first.p : "");
		failed = 1;
	}
	tp_buf_release(&s.first);
	for (size_t len = 16; len < space.len; len++) {
		s = seen(&space, len);
		tp_buf_release(&s.first);
		if (s.events > 13)
			failed = 1;
	}
	tp_buf_release(&space);
	return failed;
}
