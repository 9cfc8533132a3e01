#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ascend.h"
#include "event_private.h"

const int event_lanes[] = { [COMPUTE] = 7, [COMM] = 20, [COPIES] = 24 };

int
event_tid(const struct sim *sim)
{
	return sim->thread == MAIN ? PID : AUTOGRAD_TID;
}

/* The operator that is open and deepest; 0: none. */
static int64_t
operator(const struct sim *sim)
{
	for (int i = sim->depth; i-- > 0;)
		if (strcmp(sim->open[i].cat, "cpu_op") == 0)
			return sim->open[i].id;
	return 0;
}

static void
at(FILE *f, const char *key, int64_t ns)
{
	fprintf(f, "\"%s\":%" PRId64 ".%03d", key, ns / 1000,
	    (int)(ns % 1000));
}

/* An event up to its arguments, which the caller ends with "}}". */
static void
head(struct sim *sim, const char *cat, const char *name, int pid, int thread,
    int64_t start, int64_t ns)
{
	FILE *f = sim->out;

	fprintf(f, ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":"
	    "%d,\"tid\":%d,", cat, name, pid, thread);
	at(f, "ts", start);
	fputc(',', f);
	at(f, "dur", ns);
	fputs(",\"args\":{", f);
}

static void
arrow(struct sim *sim, char phase, int64_t id, const char *cat, int pid,
    int thread, int64_t when)
{
	fprintf(sim->out, ",\n{\"ph\":\"%c\",\"id\":%" PRId64 ",\"pid\":%d,"
	    "\"tid\":%d,", phase, id, pid, thread);
	at(sim->out, "ts", when);
	fprintf(sim->out, ",\"cat\":\"%s\",\"name\":\"%s\"%s}", cat, cat,
	    phase == 'f' ? ",\"bp\":\"e\"" : "");
}

const char *
event_input(const char *words, struct input *in)
{
	char *end;

	memset(in, 0, sizeof(*in));
	words += strspn(words, " ");
	if (!*words)
		return NULL;
	in->type = *words++;
	in->text = words;
	in->len = (int)strcspn(words, " ");
	if (strchr("bflo", in->type)) {
		while (*words >= '0' && *words <= '9' && in->rank < 5) {
			in->dims[in->rank++] = strtoll(words, &end, 10);
			words = *end == 'x' ? end + 1 : end;
		}
		in->turned = *words == 't';
	}
	return in->text + in->len;
}

const char *
event_input_type(char type)
{
	switch (type) {
	case 'b':
		return "c10::BFloat16";
	case 'f':
		return "float";
	case 'l':
		return "long int";
	case 'o':
		return "bool";
	case 's':
		return "Scalar";
	case 'i':
		return "ScalarList";
	case 'v':
		return "TensorList";
	default:
		return "";
	}
}

static void
input_dims(FILE *f, const struct input *in)
{
	fputc('[', f);
	for (int i = 0; i < in->rank; i++)
		fprintf(f, "%s%" PRId64, i ? "," : "", in->dims[i]);
	fputc(']', f);
}

static void
input_strides(FILE *f, const struct input *in)
{
	int64_t strides[5], swap, step = 1;

	for (int i = in->rank; i-- > 0; step *= in->dims[i])
		strides[i] = step;
	if (in->turned) {
		/* in memory the last two are the other way round */
		swap = in->dims[in->rank - 2];
		strides[in->rank - 2] = 1;
		strides[in->rank - 1] = swap;
	}
	fputc('[', f);
	for (int i = 0; i < in->rank; i++)
		fprintf(f, "%s%" PRId64, i ? "," : "", strides[i]);
	fputc(']', f);
}

static void
input_one(FILE *f, int list, const struct input *in)
{
	switch (list) {
	case 0:
		if (in->type == 's' || in->type == 'i')
			fprintf(f, "\"%.*s\"", in->len, in->text);
		else
			fputs("\"\"", f);
		break;
	case 1:
		fprintf(f, "\"%s\"", event_input_type(in->type));
		break;
	case 2:
		input_strides(f, in);
		break;
	default:
		input_dims(f, in);
	}
}

static void
inputs(FILE *f, const char *words)
{
	static const char *const names[] = { "Concrete Inputs", "Input type",
		"Input Strides", "Input Dims" };
	struct input in;
	const char *at_word;

	for (int i = 0; i < 4; i++) {
		fprintf(f, ",\"%s\":[", names[i]);
		at_word = words;
		for (int n = 0; (at_word = event_input(at_word, &in)); n++) {
			if (n)
				fputc(',', f);
			input_one(f, i, &in);
		}
		fputc(']', f);
	}
}

void
event_host(struct sim *sim, const struct open *open)
{
	FILE *f = sim->out;
	int is_op = strcmp(open->cat, "cpu_op") == 0;
	int backward = is_op && open->is_node;

	if (!f || !sim_records(sim, open->start))
		return;
	if (sim->job->vendor == ASCEND) {
		ascend_host(sim, open);
		return;
	}
	/* frames are numbered by themselves */
	if (strcmp(open->cat, "python_function") == 0) {
		head(sim, open->cat, open->name, PID, event_tid(sim),
		    open->start, sim->now - open->start);
		fprintf(f, "\"Python id\":%" PRId64 ",\"Ev Idx\":%" PRId64
		    "}}", open->id, sim->index++);
		return;
	}
	head(sim, open->cat, open->name, PID, event_tid(sim), open->start,
	    sim->now - open->start);
	fprintf(f, "\"External id\":%" PRId64 ",\"Record function id\":%"
	    PRId64, open->id, is_op && sim->thread == MAIN ? 0 : open->id);
	if (open->sequence)
		fprintf(f, ",\"Sequence number\":%" PRId64
		    ",\"Fwd thread id\":%d", open->sequence, backward);
	if (open->inputs[0])
		inputs(f, open->inputs);
	fprintf(f, ",\"Ev Idx\":%" PRId64 "}}", sim->index++);
	if (!is_op || !open->sequence || (backward &&
	    strncmp(open->name, "autograd::", 10) != 0))
		return;
	arrow(sim, backward ? 'f' : 's', open->sequence, "fwdbwd", PID,
	    event_tid(sim), open->start);
}

/* What calls are called where they are not CUDA's, by a part of their name;
 * with what the runtime calls in the driver. */
static const struct call {
	const char *cuda, *name, *driver;
} xpu_calls[] = {
	{ "Launch", "urEnqueueKernelLaunch",
	    "zeCommandListAppendLaunchKernel" },
	{ "Memcpy", "urEnqueueUSMMemcpy", "zeCommandListAppendMemoryCopy" },
	{ "EventRecord", "urEnqueueEventsWaitWithBarrier", NULL },
	{ "WaitEvent", "urEnqueueEventsWait", NULL },
	{ "Synchronize", "urQueueFinish", NULL },
	{ "", "urContextGetInfo", NULL },
}, mtia_calls[] = {
	{ "Launch", "runFunction - job_prep_and_submit_for_execution", NULL },
	{ "", NULL, NULL },
};

/* A call of NAME from START to now, which bears CORRELATION. */
static void
call_event(struct sim *sim, const char *cat, const char *name, int64_t start,
    int64_t correlation)
{
	head(sim, cat, name, PID, event_tid(sim), start, sim->now - start);
	if (operator(sim))
		fprintf(sim->out, "\"External id\":%" PRId64 ",",
		    operator(sim));
	if (sim->capturing)
		fprintf(sim->out, "\"graph node id\":%" PRId64 ",",
		    (INT64_C(3) << 32) + sim->node);
	fprintf(sim->out, "\"cbid\":%d,\"correlation\":%" PRId64 "}}",
	    strstr(name, "Launch") ? 211 : 41, correlation);
}

/* The calls of another vendor's runtime. */
static void
other_call(struct sim *sim, const char *name, int64_t start)
{
	int xpu = sim->job->vendor == XPU;
	const struct call *c = xpu ? xpu_calls : mtia_calls;
	int64_t id = sim->correlation;

	while (!strstr(name, c->cuda))
		c++;
	/* the work has the number of the driver's call; that of the runtime
	 * around it may have the same */
	call_event(sim, xpu ? "xpu_runtime" : "mtia_runtime", c->name ?
	    c->name : name, start, c->driver && id % 2 ? id + 500000000 : id);
	if (c->driver)
		call_event(sim, "xpu_driver", c->driver, start, id);
}

void
event_runtime(struct sim *sim, const char *name, int64_t start)
{
	if (!sim->out || !sim_records(sim, start))
		return;
	if (sim->job->vendor == ASCEND) {
		ascend_runtime(sim, name, start);
		return;
	}
	if (sim->job->vendor == CUDA)
		call_event(sim, strncmp(name, "cuda", 4) == 0 ?
		    "cuda_runtime" : "cuda_driver", name, start,
		    sim->correlation);
	else
		other_call(sim, name, start);
	if (sim->capturing)
		return;
	if (strstr(name, "Launch") || strstr(name, "Memcpy"))
		arrow(sim, 's', sim->correlation, "ac2g", PID, event_tid(sim),
		    start);
}

/* What a kernel says of itself, beside what all work says. */
static void
kernel_shape(FILE *f, const struct kernel *k)
{
	const double blocks = (double)k->grid / 132;

	fprintf(f, ",\"queued\":0,\"registers per thread\":%d,"
	    "\"shared memory\":%d,\"blocks per SM\":%.6f,"
	    "\"warps per SM\":%.6f,\"grid\":[%" PRId64 ",1,1],"
	    "\"block\":[%d,1,1],\"est. achieved occupancy %%\":%d",
	    k->block > 256 ? 168 : 32, k->block > 256 ? 213000 : 0, blocks,
	    blocks * k->block / 32, k->grid, k->block,
	    blocks * k->block > 2048 ? 100 : (int)(blocks * k->block / 20.48));
}

void
event_gpu(struct sim *sim, const struct kernel *k, int64_t start, int64_t ns)
{
	FILE *f = sim->out;

	if (!f)
		return;
	if (sim->job->vendor == ASCEND) {
		ascend_gpu(sim, k, start, ns);
		return;
	}
	if (sim->job->vendor == MTIA)
		head(sim, "mtia_ccp_events", k->bytes ? "dma_request" :
		    k->name, sim->gpu, event_lanes[k->stream], start, ns);
	else
		head(sim, k->bytes ? "gpu_memcpy" : "kernel", k->name,
		    sim->gpu, event_lanes[k->stream], start, ns);
	if (operator(sim) && sim->now >= sim->from)
		fprintf(f, "\"External id\":%" PRId64 ",", operator(sim));
	fprintf(f, "\"device\":%d,\"context\":1,\"%s\":%d,\"correlation\":"
	    "%" PRId64, sim->gpu, sim->job->vendor == XPU ? "sycl queue" :
	    "stream", event_lanes[k->stream], sim->correlation);
	if (k->bytes && sim->job->vendor == MTIA)
		fprintf(f, ",\"direction\":\"HOST_TO_DEVICE\",\"size\":%"
		    PRId64, k->bytes);
	else if (k->bytes)
		fprintf(f, ",\"bytes\":%" PRId64 ",\"memory bandwidth (GB/s)"
		    "\":%.6f", k->bytes, (double)k->bytes / (double)ns);
	else if (sim->job->vendor == CUDA)
		kernel_shape(f, k);
	if (sim->replay)
		fprintf(f, ",\"graph id\":3,\"graph node id\":%" PRId64,
		    (INT64_C(3) << 32) + sim->node);
	fprintf(f, "%s}}", k->extra ? k->extra : "");
	if (sim->now >= sim->from)
		arrow(sim, 'f', sim->correlation, "ac2g", sim->gpu,
		    event_lanes[k->stream], start);
}

void
event_memory(struct sim *sim, const struct block *block, int sign)
{
	FILE *f = sim->out;

	if (!sim->job->memory || sim->replay || !f ||
	    !sim_records(sim, sim->now))
		return;
	fprintf(f, ",\n{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":"
	    "\"t\",\"name\":\"[memory]\",\"pid\":%d,\"tid\":%d,", PID,
	    event_tid(sim));
	at(f, "ts", sim->now);
	fprintf(f, ",\"args\":{\"Total Reserved\":%" PRId64
	    ",\"Total Allocated\":%" PRId64 ",\"Bytes\":%" PRId64
	    ",\"Addr\":%" PRId64 ",\"Device Id\":0,\"Device Type\":1}}",
	    sim->reserved, sim->allocated, sign * block->bytes,
	    block->address);
}

/* What the driver says of a wait, of STREAM or -1; MORE: what it was for. */
static void
event_wait(struct sim *sim, const char *kind, int stream, int64_t start,
    int64_t end, const char *more)
{
	if (!sim->job->cuda_sync || sim->job->vendor != CUDA || !sim->out ||
	    !sim_records(sim, start))
		return;
	head(sim, "cuda_sync", kind, sim->gpu, stream, start, end - start);
	fprintf(sim->out, "\"cuda_sync_kind\":\"%s\",%s\"stream\":%d,"
	    "\"correlation\":%" PRId64 ",\"device\":%d,\"context\":1}}",
	    kind, more, stream, sim->correlation, sim->gpu);
}

void
event_sync(struct sim *sim, int all, int64_t start, int64_t end)
{
	event_wait(sim, all ? "Context Sync" : "Stream Sync",
	    all ? -1 : event_lanes[COMPUTE], start, end, "");
}

void
event_order(struct sim *sim, enum stream a, enum stream b, int64_t recorded,
    int64_t start)
{
	char more[128];

	snprintf(more, sizeof(more), "\"wait_on_stream\":%d,"
	    "\"wait_on_cuda_event_record_corr_id\":%" PRId64
	    ",\"wait_on_cuda_event_id\":1,", event_lanes[b], recorded);
	event_wait(sim, "Stream Wait Event", event_lanes[a], start, sim->now,
	    more);
}

void
event_annotation(struct sim *sim, const char *name, int64_t start,
    int64_t end)
{
	if (!sim->out || sim->job->vendor == ASCEND)
		return;
	head(sim, "gpu_user_annotation", name, 0, event_lanes[COMPUTE], start,
	    end - start);
	fprintf(sim->out, "\"External id\":%" PRId64 "}}", sim->id);
}

static void
name_lane(struct sim *sim, const char *what, const char *key,
    const char *name, int pid, int thread, int64_t when)
{
	FILE *f = sim->out;

	fprintf(f, ",\n{\"name\":\"%s\",\"ph\":\"M\",", what);
	at(f, "ts", when);
	fprintf(f, ",\"pid\":%d,\"tid\":%d,\"args\":{\"%s\":\"%s\"}}", pid,
	    thread, key, name);
}

static void
distributed(const struct sim *sim)
{
	const int64_t world = job_world(sim->job);

	fprintf(sim->out, "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":"
	    "%" PRId64 ",\"world_size\":%" PRId64 ",\"pg_count\":1,"
	    "\"pg_config\":[{\"pg_name\":\"0\",\"pg_desc\":\"default_pg\","
	    "\"backend_config\":\"cuda:nccl\",\"pg_size\":%" PRId64
	    ",\"ranks\":[0", sim->rank, world, world);
	for (int64_t i = 1; i < world; i++)
		fprintf(sim->out, ",%" PRId64, i);
	fputs("]}],\"nccl_version\":\"2.21.5\"},\n", sim->out);
}

static void
properties(FILE *f, int gpus)
{
	for (int i = 0; i < gpus; i++)
		fprintf(f, "%s{\"id\":%d,"
		    "\"name\":\"NVIDIA H100 80GB HBM3\",\"totalGlobalMem\":"
		    "85017624576,\"computeMajor\":9,\"computeMinor\":0,"
		    "\"maxThreadsPerBlock\":1024,"
		    "\"maxThreadsPerMultiprocessor\":2048,"
		    "\"regsPerBlock\":65536,\"warpSize\":32,"
		    "\"sharedMemPerBlock\":49152,\"numSms\":132,"
		    "\"regsPerMultiprocessor\":65536,"
		    "\"sharedMemPerBlockOptin\":232448,"
		    "\"sharedMemPerMultiprocessor\":233472}",
		    i ? "," : "\"deviceProperties\":[", i);
	fputs("],\n", f);
}

static void
name_gpu(struct sim *sim, int gpu, int64_t start)
{
	char label[16];

	snprintf(label, sizeof(label), "GPU %d", gpu);
	name_lane(sim, "process_name", "name", "python", gpu, 0, start);
	name_lane(sim, "process_labels", "labels", label, gpu, 0, start);
}

static void
name_streams(struct sim *sim, int gpu, int64_t start)
{
	name_lane(sim, "thread_name", "name", "stream 7", gpu,
	    event_lanes[COMPUTE], start);
	name_lane(sim, "thread_name", "name", "stream 20", gpu,
	    event_lanes[COMM], start);
	name_lane(sim, "thread_name", "name", "stream 24", gpu,
	    event_lanes[COPIES], start);
}

void
event_begin(struct sim *sim, int64_t start)
{
	FILE *f = sim->out;

	if (!f)
		return;
	if (sim->job->vendor == ASCEND) {
		ascend_begin(sim, start);
		return;
	}
	fputs("{\n\"schemaVersion\":1,\n", f);
	if (sim->job->vendor == CUDA)
		properties(f, (int)sim->job->gpus);
	if (sim->job->network)
		distributed(sim);
	fputs("\"cupti_version\":24,\n\"with_flops\":0,\n\"record_shapes\":1,"
	    "\n", f);
	fprintf(f, "\"with_stack\":%d,\n\"displayTimeUnit\":\"ms\",\n"
	    "\"baseTimeNanoseconds\":1763000000000000000,\n"
	    "\"traceEvents\":[\n", sim->job->frames != 0);
	/* the first has nothing before it to end with a comma */
	fputs("{\"name\":\"Iteration Start: PyTorch Profiler\",\"ph\":\"i\","
	    "\"s\":\"g\",\"pid\":\"Traces\",\"tid\":"
	    "\"Trace PyTorch Profiler\",", f);
	at(f, "ts", start);
	fputc('}', f);
	name_lane(sim, "process_name", "name", "python", PID, 0, start);
	name_lane(sim, "process_labels", "labels", "CPU", PID, 0, start);
	for (int i = 0; i < sim->job->gpus; i++)
		name_gpu(sim, i, start);
	name_lane(sim, "thread_name", "name", "thread 41207 (python)", PID,
	    PID, start);
	name_lane(sim, "thread_name", "name", "thread 41388 (pt_autograd_0)",
	    PID, AUTOGRAD_TID, start);
	for (int i = 0; i < sim->job->gpus; i++)
		name_streams(sim, i, start);
}

void
event_end(struct sim *sim)
{
	FILE *f = sim->out;

	if (!f)
		return;
	if (sim->job->vendor == ASCEND) {
		ascend_end(sim);
		return;
	}
	fputs(",\n{\"name\":\"Record Window End\",\"ph\":\"i\",\"s\":\"g\","
	    "\"pid\":\"\",\"tid\":\"\",", f);
	at(f, "ts", sim->now);
	fputs("}\n],\n\"traceName\":\"trace.json\"\n}\n", f);
}
