/*
 * mkjax - a trace of JAX on four devices, as xprof exports one
 *
 * usage: mkjax EVENTS
 * EVENTS complete events and no more, as at the exporter's limit; about 286
 * bytes each.  Lanes for steps, modules, operations and asynchronous
 * operations on each device, some Python and runtime lanes on the host.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "seeded.h"

enum { DEVICES = 4, BLOCKS = 48, HOST_PID = 701, HOST_LANES = 4,
    HOST_EVENTS = 40 };

static const struct op {
	const char *name, *path, *shape;
	unsigned typical;	/* eighths of a microsecond */
} ops[] = {
	{ "fusion", "jvp(attn)/dot_general", "bf16[8,2048,1024]{1,0}", 300 },
	{ "copy", "transpose(jvp(attn))/transpose",
	    "bf16[8,16,2048,128]{3,2,1,0}", 45 },
	{ "all-gather-done", "mlp/all_gather", "bf16[8,4096]{1,0}", 160 },
	{ "convolution_add_fusion", "mlp/dot_general",
	    "f32[8,2048,4096]{1,0}", 400 },
	{ "reduce-scatter", "mlp/psum_scatter", "f32[8,512]{1,0}", 200 },
	{ "iota", NULL, "s32[2048]{0}", 8 },
	{ "custom-call", "moe/ragged_dot", "bf16[64,1024,512]{2,1,0}", 240 },
	{ "copy-start", NULL, "bf16[128]{0}", 8 },
	{ "dependency-wait", NULL, NULL, 30 },
	{ "all-reduce", "optimizer_update/psum", "f32[1024]{0}", 100 },
};

enum { OPS = sizeof ops / sizeof *ops };

static uint64_t left;

/* A time in eighths of a microsecond, and what follows it. */
static void
put_time(uint64_t t, const char *after)
{
	static const char *const part[] = { "", ".125", ".25", ".375", ".5",
	    ".625", ".75", ".875" };

	printf("%" PRIu64 "%s%s", t / 8, part[t % 8], after);
}

/* The start of an event up to its name; 0 when there were enough. */
static int
event(int pid, int tid, uint64_t from, uint64_t dur)
{
	if (!left)
		return 0;
	left--;
	printf("{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":", pid, tid);
	put_time(from, ",\"dur\":");
	put_time(dur, ",\"name\":\"");
	return 1;
}

static void
thread(int pid, int tid, const char *name)
{
	printf("{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":"
	    "\"thread_name\",\"args\":{\"name\":\"%s\"}},\n", pid, tid, name);
}

static void
process(int pid, const char *name)
{
	printf("{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\","
	    "\"args\":{\"name\":\"%s\"}},\n", pid, name);
}

static void
metadata(void)
{
	static const char *const lanes[] = { "Steps", "XLA Modules",
	    "XLA Ops", "Async XLA Ops" };
	char name[40];

	for (int d = 0; d < DEVICES; d++) {
		snprintf(name, sizeof name, "/device:TPU:%d", d);
		process(3 + d, name);
		for (int i = 0; i < 4; i++)
			thread(3 + d, 1 + i, lanes[i]);
	}
	process(HOST_PID, "/host:CPU");
	for (int i = 0; i < HOST_LANES; i++) {
		snprintf(name, sizeof name, i ? "tf_pool/%d" : "python", i);
		thread(HOST_PID, 100 + i, name);
	}
}

static void
operation(int pid, int lane, uint64_t from, uint64_t dur,
    const struct op *op, const char *suffix, int block, int number)
{
	if (!event(pid, lane, from, dur))
		return;
	printf("%s%s.%d\",\"args\":{\"hlo_category\":\"%s\",\"run_id\":\"7\","
	    "\"source\":\"/home/user/model/block.py:%d\"", op->name, suffix,
	    number, op->name, 100 + number % OPS);
	if (op->path)
		printf(",\"tf_op\":\"jit(train_step)/jit(main)/transformer/"
		    "block_%d/%s\"", block, op->path);
	if (op->shape)
		printf(",\"long_name\":\"%%%s%s.%d = %s %s(%s %%param.%d)\"",
		    op->name, suffix, number, op->shape, op->name, op->shape,
		    number);
	fputs("}},\n", stdout);
}

/* The operations of one block, in one loop or two; the end. */
static uint64_t
block(int pid, uint64_t from, int number)
{
	uint64_t dur[OPS], at = from, all = 0, r;

	for (int i = 0; i < OPS; i++) {
		r = seeded_next();
		dur[i] = ops[i].typical + r % (ops[i].typical / 4 + 1);
		all += dur[i];
	}
	for (int deep = 0; deep <= (number % 4 == 3); deep++)
		if (event(pid, 3, from, all))
			printf("while.%d\",\"args\":{\"tf_op\":"
			    "\"jit(train_step)/jit(main)/transformer/"
			    "block_%d%s/while\"}},\n", number + deep * BLOCKS,
			    number, deep ? "/while/body" : "");
	for (int i = 0; i < OPS; i++) {
		operation(pid, 3, at, dur[i], &ops[i], "", number,
		    number * OPS + i);
		if (i == 2)
			operation(pid, 4, at, dur[i] + dur[i + 1], &ops[i],
			    "-start", number, number * OPS + i);
		at += dur[i];
	}
	r = seeded_next();
	return at + (r % 16 ? 0 : 4 + (r >> 8) % 40);
}

/* One step on one device, what is around it last; the end. */
static uint64_t
step(int pid, uint64_t from, uint64_t number)
{
	uint64_t at = from;

	for (int i = 0; i < BLOCKS; i++)
		at = block(pid, at, i);
	if (event(pid, 1, from, at - from))
		printf("%" PRIu64 "\"},\n", number);
	if (event(pid, 2, from, at - from))
		printf("jit_train_step(123)\",\"args\":{\"run_id\":\"7\"}},\n");
	return at;
}

static void
host(uint64_t from, uint64_t number)
{
	if (event(HOST_PID, 100, from, HOST_EVENTS * 400))
		printf("train\",\"args\":{\"step_num\":\"%" PRIu64 "\"}},\n",
		    number);
	for (int i = 0; i < HOST_EVENTS; i++)
		for (int lane = 0; lane < HOST_LANES; lane++)
			if (event(HOST_PID, 100 + lane,
			    from + (uint64_t)i * 400 + 8, 68))
				printf("PjitFunction(train_step)\","
				    "\"args\":{}},\n");
}

int
main(int argc, char *argv[])
{
	uint64_t at = 8000, last = 0, end;

	if (argc != 2 || !(left = strtoull(argv[1], NULL, 10)))
		return 2;
	puts("{\"displayTimeUnit\":\"ns\",\"metadata\":"
	    "{\"highres-ticks\":true},\n\"traceEvents\":[");
	metadata();
	for (uint64_t n = 0; left; n++, at = last + 80) {
		host(at, n);
		for (int d = 0; d < DEVICES; d++) {
			end = step(3 + d, at + (uint64_t)d * 16, n);
			last = end > last ? end : last;
		}
	}
	puts("{}\n]}");
	return ferror(stdout) || fclose(stdout) ? 4 : 0;
}
