/*
 * kineto - events as Kineto lays them out, for the generators of traces
 *
 * Each begins with the comma after the one before: head() comes first.
 */
#ifndef BENCH_KINETO_H
#define BENCH_KINETO_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* What is before the events, and one of them. */
static inline void
head(int pid)
{
	printf("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {"
	    "\"id\": 0, \"name\": \"GPU\", \"numSms\": 132}\n  ],\n"
	    "  \"displayTimeUnit\": \"ms\",\n  \"traceEvents\": [\n  {\n"
	    "    \"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, "
	    "\"tid\": 0, \"ts\": 1428625731516.983,\n"
	    "    \"args\": {\"name\": \"python\"}\n  }", pid);
}

static inline void
tail(void)
{
	fputs("\n  ],\n  \"traceName\": \"bench.json\"\n}\n", stdout);
}

/* The start of a complete event up to its arguments; NAME is quoted by what
 * stands in it. */
static inline void
event(const char *cat, const char *name, int pid, int tid, uint64_t from_ns,
    uint64_t dur_ns)
{
	printf(",\n  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", "
	    "\"pid\": %d, \"tid\": %d,\n    \"ts\": %" PRIu64 ".%03u, "
	    "\"dur\": %" PRIu64 ".%03u,\n    \"args\": {\n      ", cat, name,
	    pid, tid, from_ns / 1000, (unsigned)(from_ns % 1000),
	    dur_ns / 1000, (unsigned)(dur_ns % 1000));
}

static inline void
arrow(char phase, uint64_t id, int pid, int tid, uint64_t at_ns)
{
	printf(",\n  {\n    \"ph\": \"%c\", \"id\": %" PRIu64 ", \"pid\": %d, "
	    "\"tid\": %d, \"ts\": %" PRIu64 ".%03u,\n    \"cat\": \"ac2g\", "
	    "\"name\": \"ac2g\"%s\n  }", phase, id, pid, tid, at_ns / 1000,
	    (unsigned)(at_ns % 1000), phase == 'f' ? ", \"bp\": \"e\"" : "");
}

static inline void
python(const char *name, int pid, uint64_t id, uint64_t from_ns,
    uint64_t dur_ns)
{
	event("python_function", name, pid, pid, from_ns, dur_ns);
	printf("\"Python parent id\": %" PRIu64 ", \"Python id\": %" PRIu64
	    ", \"Ev Idx\": %" PRIu64 "\n    }\n  }", id - 1, id, id);
}

#endif
