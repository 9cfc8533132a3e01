#include <inttypes.h>
#include <string.h>

#include "ascend.h"
#include "event_private.h"

/* Processes; threads of CANN are numbered as those of Python. */
enum { CANN = 90001, HARDWARE, HCCL, OVERLAP };
enum { QUEUE_TID = 41500, GROUP = 0, PLANE = 1 };
/* The operator queue numbers its calls otherwise than CANN. */
enum { QUEUED = 7000 };
/* Its clock counts from 1970. */
#define SINCE (INT64_C(1763000000) * 1000 * 1000 * 1000)

static void
head(struct sim *sim, const char *cat, const char *name, int pid, int thread,
    int64_t start, int64_t ns)
{
	fprintf(sim->out, ",\n{\"ph\": \"X\", \"name\": \"%s\", \"pid\": %d, "
	    "\"tid\": %d, \"ts\": \"%" PRId64 ".%03d\", \"dur\": %" PRId64
	    ".%03d, ", name, pid, thread, (SINCE + start) / 1000,
	    (int)(start % 1000), ns / 1000, (int)(ns % 1000));
	if (cat)
		fprintf(sim->out, "\"cat\": \"%s\", ", cat);
	fputs("\"args\": {", sim->out);
}

static void
inputs(FILE *f, const char *words)
{
	static const char *const names[] = { "Input Dims", "Input type" };
	struct input in;
	const char *at;

	for (int i = 0; i < 2; i++) {
		fprintf(f, ", \"%s\": \"", names[i]);
		at = words;
		for (int n = 0; (at = event_input(at, &in)); n++) {
			if (n)
				fputs(";\\r\\n", f);
			if (i)
				fputs(event_input_type(in.type), f);
			else
				for (int k = 0; k < in.rank; k++)
					fprintf(f, "%s%" PRId64, k ? "," : "",
					    in.dims[k]);
		}
		fputc('"', f);
	}
}

void
ascend_host(struct sim *sim, const struct open *open)
{
	FILE *f = sim->out;

	if (strcmp(open->cat, "python_function") == 0) {
		head(sim, open->cat, open->name, PID, event_tid(sim),
		    open->start, sim->now - open->start);
		fprintf(f, "\"Python id\": %" PRId64 "}}", open->id);
		return;
	}
	/* what is marked is an operator, too */
	head(sim, "cpu_op", open->name, PID, event_tid(sim), open->start,
	    sim->now - open->start);
	fprintf(f, "\"Sequence number\": %" PRId64 ", \"Fwd thread id\": 0",
	    open->sequence && strncmp(open->name, "autograd::", 10) != 0 ?
	    open->sequence : -1);
	if (open->inputs[0])
		inputs(f, open->inputs);
	fputs("}}", f);
}

/* A call of CANN from START to now. */
static void
call(struct sim *sim, const char *name, int thread, int64_t start, int64_t id)
{
	head(sim, NULL, name, CANN, thread, start, sim->now - start);
	fprintf(sim->out, "\"Thread Id\": %d, \"level\": \"acl\", "
	    "\"connection_id\": %" PRId64 "}}", thread, id);
}

static void
arrow(struct sim *sim, char phase, const char *cat, int64_t id, int pid,
    int thread, int64_t when)
{
	fprintf(sim->out, ",\n{\"ph\": \"%c\", \"bp\": \"e\", \"name\": "
	    "\"%s\", \"id\": \"%" PRId64 "\", \"pid\": %d, \"tid\": %d, "
	    "\"ts\": \"%" PRId64 ".%03d\", \"cat\": \"%s\"}", phase, cat, id,
	    pid, thread, (SINCE + when) / 1000, (int)(when % 1000), cat);
}

void
ascend_runtime(struct sim *sim, const char *name, int64_t start)
{
	const char *op = strstr(name, "Memcpy") ? "acl_memcpy_host_to_device" :
	    "aclnnOp";
	int64_t id = sim->correlation, ns = sim->now - start;
	char text[80];

	/* of what is read back the host waits in the call itself */
	if (strstr(name, "Memcpy") && sim->depth &&
	    strstr(sim->open[sim->depth - 1].name, "_local_scalar")) {
		call(sim, "AscendCL@aclrtMemcpy", event_tid(sim), start, id);
		return;
	}
	if (strstr(name, "Synchronize")) {
		call(sim, "AscendCL@aclrtSynchronizeStreamWithTimeout",
		    event_tid(sim), start, id);
		return;
	}
	if (!strstr(name, "Launch") && !strstr(name, "Memcpy")) {
		call(sim, strstr(name, "Record") ?
		    "AscendCL@aclrtRecordEvent" :
		    "AscendCL@aclrtStreamWaitEvent", event_tid(sim), start,
		    id);
		return;
	}
	head(sim, "cpu_op", op, PID, event_tid(sim), start, ns);
	fputs("\"Sequence number\": -1, \"Fwd thread id\": 0}}", sim->out);
	head(sim, "enqueue", "Enqueue", PID, event_tid(sim), start, ns);
	fprintf(sim->out, "\"correlation_id\": %" PRId64 "}}", id + QUEUED);
	arrow(sim, 's', "async_task_queue", id + QUEUED, PID, event_tid(sim),
	    start);
	snprintf(text, sizeof(text), "Dequeue@%s", op);
	head(sim, "dequeue", text, PID, QUEUE_TID, start, ns);
	fprintf(sim->out, "\"correlation_id\": %" PRId64 "}}", id + QUEUED);
	arrow(sim, 'f', "async_task_queue", id + QUEUED, PID, QUEUE_TID,
	    start);
	if (op[3] == '_') {
		call(sim, "AscendCL@aclrtMemcpyAsync", QUEUE_TID, start, id);
	} else {
		/* it has a number of its own, and nothing bears that */
		call(sim, "AscendCL@aclnnOp", QUEUE_TID, start,
		    id + 500000000);
		call(sim, "Node@launch", QUEUE_TID, start, id);
	}
	arrow(sim, 's', "HostToDevice", id, CANN, QUEUE_TID, start);
}

/* A task of the hardware. */
static void
task(struct sim *sim, const char *name, const char *type, int stream,
    int64_t start, int64_t ns)
{
	head(sim, NULL, name, HARDWARE, stream, start, ns);
	fprintf(sim->out, "\"Model Id\": 4294967295, \"Task Type\": \"%s\", "
	    "\"Physic Stream Id\": %d, \"connection_id\": %" PRId64 "}}",
	    type, stream, sim->correlation);
}

/* What Ascend makes of all that: no work. */
static void
overlap(struct sim *sim, const char *name, int row, int64_t start, int64_t ns)
{
	head(sim, NULL, name, OVERLAP, row, start, ns);
	fputs("}}", sim->out);
}

static void
collective(struct sim *sim, const struct kernel *k, int64_t start, int64_t ns)
{
	const char *count = strstr(k->extra, "nelems\":");
	char name[64];

	snprintf(name, sizeof(name), "hcom_allReduce__586_%" PRId64 "_1",
	    sim->correlation);
	head(sim, NULL, name, HCCL, GROUP, start, ns);
	fprintf(sim->out, "\"connection_id\": %" PRId64 ", \"data_type\": "
	    "\"BFP16\", \"alg_type\": \"MESH-RING\", \"count\": %.*s}}",
	    sim->correlation, (int)strcspn(count + 8, ","), count + 8);
	head(sim, NULL, "Notify_Wait", HCCL, PLANE, start, ns / 2);
	fputs("\"task type\": \"Notify_Wait\"}}", sim->out);
	task(sim, "Notify Wait", "Notify Wait", event_lanes[COMM], start,
	    ns / 2);
	task(sim, "SDMA", "SDMA", event_lanes[COMM], start + ns / 2,
	    ns - ns / 2);
	overlap(sim, "Communication", 1, start, ns);
}

void
ascend_gpu(struct sim *sim, const struct kernel *k, int64_t start, int64_t ns)
{
	int stream = event_lanes[k->stream];

	if (k->extra) {
		collective(sim, k, start, ns);
		return;
	}
	task(sim, k->bytes ? "MEMCPY_ASYNC" : k->name, k->bytes ?
	    "PCIE_DMA_SQE" : "AI_CORE", stream, start, ns);
	if (!k->bytes)
		overlap(sim, "Computing", 0, start, ns);
	if (sim->now >= sim->from)
		arrow(sim, 'f', "HostToDevice", sim->correlation, HARDWARE,
		    stream, start);
}

void
ascend_begin(struct sim *sim, int64_t start)
{
	fprintf(sim->out, "[{\"ph\": \"C\", \"name\": \"AI Core Freq\", "
	    "\"pid\": %d, \"tid\": 0, \"ts\": \"%" PRId64 ".%03d\", \"args\": "
	    "{\"MHz\": 1800}}", HARDWARE, (SINCE + start) / 1000,
	    (int)(start % 1000));
}

static void
name(struct sim *sim, int pid, int thread, const char *key, const char *label)
{
	fprintf(sim->out, ",\n{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %d, "
	    "\"tid\": %d, \"args\": {\"name\": \"%s\"}}", key, pid, thread,
	    label);
}

/* Names come last. */
void
ascend_end(struct sim *sim)
{
	static const char *const rows[] = { "Computing", "Communication",
		"Communication(Not Overlapped)", "Free" };

	name(sim, PID, 0, "process_name", "Python");
	name(sim, CANN, 0, "process_name", "CANN");
	name(sim, HARDWARE, 0, "process_name", "Ascend Hardware");
	for (int i = 0; i < STREAM_COUNT; i++)
		name(sim, HARDWARE, event_lanes[i], "thread_name", "Stream");
	name(sim, HCCL, 0, "process_name", "HCCL");
	name(sim, HCCL, GROUP, "thread_name", "Group 0 Communication");
	name(sim, HCCL, PLANE, "thread_name", "Plane 0");
	name(sim, OVERLAP, 0, "process_name", "Overlap Analysis");
	for (int i = 0; i < 4; i++)
		name(sim, OVERLAP, i, "thread_name", rows[i]);
	fputs("]\n", sim->out);
}
