/*
 * rec_out - what printing records costs, beside cJSON and a plain write
 *
 * usage: rec_out ours|cjson|plain N >FILE
 * N seeded records of eleven fields, made before the clock (clock.h) starts;
 * plain writes the same bytes, printed beforehand.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tp/records.h>

#include "clock.h"

#define BLOCK ((size_t)256 << 10)

struct event {
	int64_t start_ns, duration_ns, latency_ns;
	uint64_t id;
	const char *channel, *label, *process;
	int pid;
};

static const char *const channels[] = { "Compute", "Vertex", "Fragment" };
static const char *const labels[] = {
	"lantern.render:pass 12 ( Lantern (1207) )  0x5afbcf20",
	"Compute Command 0 ( \"flux\" )", "Blit"
};
static const char *const processes[] = { "Lantern", "python3.11", "Görlitz" };

static void
fill(struct event *v, size_t n)
{
	uint64_t s = 42;
	int64_t now = 1434593083;

	for (size_t i = 0; i < n; i++) {
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
		now += (int64_t)(s & 0xfffff);
		v[i].start_ns = now;
		v[i].duration_ns = (int64_t)(s >> 20 & 0x7ffff);
		v[i].latency_ns = (int64_t)(s >> 12 & 0xfffffff);
		v[i].id = 1526452000 + i;
		v[i].channel = channels[s % 3];
		v[i].label = labels[s / 3 % 3];
		v[i].process = processes[s / 9 % 3];
		v[i].pid = 400 + (int)(s % 1000);
	}
}

static void
print(struct tp_out *out, const struct event *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		tp_out_begin(out, "row.metal-gpu-intervals");
		tp_out_int(out, "start_ns", v[i].start_ns);
		tp_out_int(out, "duration_ns", v[i].duration_ns);
		tp_out_text(out, "channel_name", v[i].channel);
		tp_out_int(out, "start_latency_ns", v[i].latency_ns);
		tp_out_text(out, "event_label", v[i].label);
		tp_out_text(out, "process", v[i].process);
		tp_out_int(out, "pid", v[i].pid);
		tp_out_int(out, "bytes", 0);
		tp_out_id(out, "gpu_submission_id", v[i].id);
		tp_out_end(out);
	}
}

static void
add_number(cJSON *o, const char *key, int64_t n)
{
	cJSON_AddNumberToObject(o, key, (double)n);
}

static size_t
print_cjson(const struct event *v, size_t n)
{
	size_t bytes = 0;
	char *text, id[24];
	cJSON *o;

	for (size_t i = 0; i < n; i++) {
		o = cJSON_CreateObject();
		cJSON_AddStringToObject(o, "kind", "row.metal-gpu-intervals");
		cJSON_AddStringToObject(o, "src", "bench");
		add_number(o, "start_ns", v[i].start_ns);
		add_number(o, "duration_ns", v[i].duration_ns);
		cJSON_AddStringToObject(o, "channel_name", v[i].channel);
		add_number(o, "start_latency_ns", v[i].latency_ns);
		cJSON_AddStringToObject(o, "event_label", v[i].label);
		cJSON_AddStringToObject(o, "process", v[i].process);
		add_number(o, "pid", v[i].pid);
		add_number(o, "bytes", 0);
		snprintf(id, sizeof id, "%llu", (unsigned long long)v[i].id);
		cJSON_AddStringToObject(o, "gpu_submission_id", id);
		text = cJSON_PrintUnformatted(o);
		puts(text);
		bytes += strlen(text) + 1;
		cJSON_free(text);
		cJSON_Delete(o);
	}
	fflush(stdout);
	return bytes;
}

/* In the blocks a writer would use. */
static int
write_plain(const char *bytes, size_t len)
{
	ssize_t n;

	for (size_t at = 0; at < len; at += (size_t)n) {
		n = write(STDOUT_FILENO, bytes + at,
		    len - at < BLOCK ? len - at : BLOCK);
		if (n < 0)
			return -1;
	}
	return 0;
}

/* The same records, whole in memory: written to a file, read back. */
static char *
printed(const struct event *v, size_t n, size_t *len)
{
	FILE *f = tmpfile();
	struct tp_out out;
	struct tp_err err;
	char *text = NULL;

	if (!f)
		return NULL;
	tp_out_init(&out, fileno(f));
	out.src = "bench";
	print(&out, v, n);
	if (!tp_out_flush(&out, &err) && (text = malloc(out.bytes))) {
		rewind(f);
		*len = fread(text, 1, out.bytes, f);
	}
	tp_out_release(&out);
	fclose(f);
	return text;
}

static int
print_ours(const struct event *v, size_t n, size_t *bytes)
{
	struct tp_out out;
	struct tp_err err;
	int failed;

	tp_out_init(&out, STDOUT_FILENO);
	out.src = "bench";
	print(&out, v, n);
	failed = tp_out_flush(&out, &err);
	*bytes = out.bytes;
	tp_out_release(&out);
	return failed;
}

int
main(int argc, char *argv[])
{
	size_t n = argc == 3 ? (size_t)atol(argv[2]) : 0, bytes = 0;
	struct event *v = malloc((n + 1) * sizeof *v);
	struct clock start;
	char *text = NULL;
	int failed = 0;

	if (!v || !n)
		return 2;
	fill(v, n);
	if (!strcmp(argv[1], "plain") && !(text = printed(v, n, &bytes)))
		return 4;
	start = clock_now();
	if (text)
		failed = write_plain(text, bytes);
	else if (!strcmp(argv[1], "cjson"))
		bytes = print_cjson(v, n);
	else
		failed = print_ours(v, n, &bytes);
	clock_report(start, n, bytes);
	free(text);
	free(v);
	return failed ? 4 : 0;
}
