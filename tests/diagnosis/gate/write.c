#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* Of the steps after warm-up, in nanoseconds. */
struct spread {
	int count;
	double sum, mean, median, p90, min, max, stdev;
};

static int
compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static double
quantile(const int64_t *sorted, int n, double q)
{
	double at = q * (n - 1);
	int i = (int)at;

	return i + 1 == n ? (double)sorted[i] : (double)sorted[i] +
	    (at - i) * (double)(sorted[i + 1] - sorted[i]);
}

static void
spread(const int64_t *values, int n, struct spread *s)
{
	int64_t sorted[STEPS_MAX];

	memset(s, 0, sizeof(*s));
	s->count = n;
	memcpy(sorted, values, (size_t)n * sizeof(sorted[0]));
	qsort(sorted, (size_t)n, sizeof(sorted[0]), compare);
	for (int i = 0; i < n; i++)
		s->sum += (double)values[i];
	s->mean = s->sum / n;
	for (int i = 0; i < n; i++)
		s->stdev += ((double)values[i] - s->mean) *
		    ((double)values[i] - s->mean);
	s->stdev = sqrt(s->stdev / (n - 1));
	s->median = quantile(sorted, n, 0.5);
	s->p90 = quantile(sorted, n, 0.9);
	s->min = (double)sorted[0];
	s->max = (double)sorted[n - 1];
}

static int64_t
total(const int64_t *values, int n)
{
	int64_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

/* All work of RUN, and what of it is communication. */
static int64_t
work(const struct run *run, int64_t *communication)
{
	int64_t sum = 0, ns;

	*communication = 0;
	for (int i = 0; i < OPS; i++) {
		ns = total(run->op[i], run->steps);
		sum += ns;
		if (ops[i].collective)
			*communication += ns;
	}
	return sum;
}

static int64_t
end_of(const struct run *run)
{
	return run->start[run->steps - 1] + run->wall[run->steps - 1];
}

/* Which operations take most. */
static void
by_time(const struct run *run, int order[OPS])
{
	int64_t ns[OPS];

	for (int i = 0; i < OPS; i++) {
		int at = i;

		ns[i] = total(run->op[i], run->steps);
		while (at > 0 && ns[order[at - 1]] < ns[i]) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = i;
	}
}

static void
begin(FILE *f, const char *kind, const struct run *run)
{
	fprintf(f, "{\"kind\":\"%s\",\"src\":\"%s\"", kind, run->src);
}

static void
timeline(const struct run *run, FILE *f)
{
	int64_t all, communication, span = end_of(run), compute;
	double share;

	all = work(run, &communication);
	compute = all - communication;
	share = (double)communication / (double)all;
	begin(f, "timeline.summary", run);
	fprintf(f, ",\"device_count\":1,\"span_ns\":%" PRId64 ",\"busy_ns\":%"
	    PRId64 ",\"compute_ns\":%" PRId64 ",\"compute_of_busy_ratio\":"
	    "%.9f,\"communication_ns\":%" PRId64
	    ",\"communication_of_busy_ratio\":%.9f,\"stall_ns\":0,"
	    "\"stall_of_busy_ratio\":0,\"communication_hidden_ns\":0,"
	    "\"communication_hidden_ratio\":0,\"exclusive_sum_ns\":%" PRId64
	    ",\"busy_of_span_ratio\":%.9f,\"all_idle_ns\":%" PRId64
	    ",\"all_idle_ratio\":%.9f}\n", span, all, compute, 1 - share,
	    communication, share, all, (double)all / (double)span, span - all,
	    (double)(span - all) / (double)span);
	begin(f, "timeline.chosen", run);
	fprintf(f, ",\"basis\":\"device\",\"accounted_ns\":%" PRId64
	    ",\"compute_ns\":%" PRId64 ",\"compute_of_total_ratio\":%.9f,"
	    "\"communication_ns\":%" PRId64
	    ",\"communication_of_total_ratio\":%.9f,\"host_ns\":0,"
	    "\"host_of_total_ratio\":0,\"stall_ns\":0,"
	    "\"stall_of_total_ratio\":0,\"other_ns\":0,"
	    "\"other_of_total_ratio\":0,\"steady_count\":%d}\n", all, compute,
	    1 - share, communication, share, run->steps - WARMUP);
}

static void
steps(const struct run *run, FILE *f)
{
	struct spread wall, next;
	int used = run->steps - WARMUP;

	spread(run->wall + WARMUP, used, &wall);
	spread(run->to_next + WARMUP, used - 1, &next);
	begin(f, "step.summary", run);
	fprintf(f, ",\"scope\":\"all\",\"method\":\"lane\",\"step_count\":%d,"
	    "\"warmup_count\":%d,\"used_step_count\":%d,\"first_used\":%d,"
	    "\"last_used\":%d,\"wall_mean_ns\":%.0f,\"wall_median_ns\":%.0f,"
	    "\"wall_p90_ns\":%.0f,\"wall_min_ns\":%.0f,\"wall_max_ns\":%.0f,"
	    "\"start_to_start_median_ns\":%.0f,"
	    "\"wall_p90_of_median_factor\":%.9f}\n", run->steps, WARMUP, used,
	    WARMUP + 1, run->steps, wall.mean, wall.median, wall.p90,
	    wall.min, wall.max, next.median, wall.p90 / wall.median);
	for (int i = 0; i < run->steps; i++) {
		begin(f, "step", run);
		fprintf(f, ",\"scope\":\"all\",\"index\":%d,\"number\":%d,"
		    "\"start_ns\":%" PRId64 ",\"end_ns\":%" PRId64
		    ",\"wall_ns\":%" PRId64, i + 1, i, run->start[i],
		    run->start[i] + run->wall[i], run->wall[i]);
		if (i + 1 < run->steps)
			fprintf(f, ",\"start_to_start_ns\":%" PRId64,
			    run->to_next[i]);
		fprintf(f, ",\"device_count\":1,\"is_warmup\":%s}\n",
		    i < WARMUP ? "true" : "false");
	}
}

/* What operation I took in each step after warm-up, to the end of a record. */
static void
samples(const struct run *run, int i, FILE *f)
{
	struct spread s;

	spread(run->op[i] + WARMUP, run->steps - WARMUP, &s);
	fprintf(f, ",\"step_sample_count\":%d,\"step_mean_ns\":%.0f,"
	    "\"step_stdev_ns\":%.0f}\n", s.count, s.mean, s.stdev);
}

static void
operations(const struct run *run, FILE *f)
{
	int64_t all, communication, ns;
	int order[OPS];

	all = work(run, &communication);
	by_time(run, order);
	begin(f, "op.summary", run);
	fprintf(f, ",\"op_count\":%d,\"duration_sum_ns\":%" PRId64
	    ",\"exclusive_ns\":%" PRId64 "}\n", OPS, all, all);
	for (int r = 0; r < OPS; r++) {
		const struct op *op = &ops[order[r]];

		ns = total(run->op[order[r]], run->steps);
		begin(f, "op", run);
		fprintf(f, ",\"rank\":%d,\"name\":\"%s\","
		    "\"canonical_name\":\"%s\",\"category\":\"%s\","
		    "\"count\":%d,\"duration_sum_ns\":%" PRId64
		    ",\"mean_ns\":%" PRId64 ",\"exclusive_ns\":%" PRId64
		    ",\"exclusive_ratio\":%.9f", r + 1, op->name,
		    op->canonical, op->collective ? "communication" :
		    "compute", run->steps, ns, ns / run->steps, ns,
		    (double)ns / (double)all);
		samples(run, order[r], f);
	}
	for (int r = 0; r < OPS; r++) {
		const struct op *op = &ops[order[r]];

		if (!op->collective)
			continue;
		ns = total(run->op[order[r]], run->steps);
		begin(f, "collective", run);
		fprintf(f, ",\"collective\":\"%s\",\"count\":%d,"
		    "\"duration_sum_ns\":%" PRId64 ",\"mean_ns\":%" PRId64
		    ",\"exclusive_ns\":%" PRId64 ",\"exclusive_ratio\":%.9f,"
		    "\"example_op\":\"%s\"", op->collective, run->steps, ns,
		    ns / run->steps, ns, (double)ns / (double)all, op->name);
		samples(run, order[r], f);
	}
}

void
write_records(const struct run *run, FILE *f)
{
	int events = run->steps * (OPS + 1);

	begin(f, "trace.summary", run);
	fprintf(f, ",\"event_count\":%d,\"complete_count\":%d,"
	    "\"device_count\":1,\"first_ns\":0,\"last_ns\":%" PRId64
	    ",\"span_ns\":%" PRId64 ",\"is_truncated\":false,"
	    "\"run_id\":\"%s\"}\n", events, events, end_of(run), end_of(run),
	    run->id);
	timeline(run, f);
	steps(run, f);
	operations(run, f);
	begin(f, "mem.device", run);
	fprintf(f, ",\"memory_id\":\"0\",\"peak_bytes\":%" PRId64
	    ",\"heap_bytes\":%" PRId64 ",\"peak_at_ns\":%" PRId64
	    ",\"allocation_count\":%d,\"free_count\":%d}\n", run->peak,
	    run->peak, run->start[WARMUP], events, events);
	begin(f, "source", run);
	fprintf(f, ",\"file\":\"%s.trace.json\",\"format\":\"json\","
	    "\"schema\":\"trace-events\",\"sha256\":\"%s\",\"rows\":%d,"
	    "\"bytes\":%d,\"first_ns\":0,\"last_ns\":%" PRId64
	    ",\"skipped_count\":0}\n", run->src, run->sha256, events,
	    events * 270, end_of(run));
}

static void
statistics(const char *name, const int64_t *ns, int n, FILE *f)
{
	struct spread s;

	spread(ns, n, &s);
	fprintf(f, "\"%s\":{\"count\":%d,\"mean\":%.6f,\"median\":%.6f,"
	    "\"p90\":%.6f,\"min\":%.6f,\"max\":%.6f}", name, n, s.mean / 1000,
	    s.median / 1000, s.p90 / 1000, s.min / 1000, s.max / 1000);
}

static void
part(const char *name, int64_t ns, int64_t all, FILE *f)
{
	fprintf(f, ",\"%s\":{\"total_duration\":%.3f,\"share_of_total\":%.9f}",
	    name, (double)ns / 1000, (double)ns / (double)all);
}

void
write_document(const struct run *run, FILE *f)
{
	int64_t all, communication, ns;
	int order[OPS], events = run->steps * (OPS + 1);

	all = work(run, &communication);
	by_time(run, order);
	fprintf(f, "{\"schema_version\":\"profile_summary.v1\","
	    "\"generated_at_utc\":\"2026-01-15T10:30:00Z\","
	    "\"source_format\":\"perfetto_trace_json\",\"source_path\":"
	    "\"%s/host.trace.json\",\n\"run_metadata\":{\"run_id\":\"%s\"},\n"
	    "\"trace_overview\":{\"num_events_total\":%d,"
	    "\"num_complete_events\":%d,\"num_processes\":1,"
	    "\"num_threads\":2,\"profile_start_ts\":0,\"profile_end_ts\":%.3f,"
	    "\"duration_basis\":\"exclusive_duration_device_union\","
	    "\"suspected_truncation\":false,\"quality_warnings\":[]},\n"
	    "\"trace_provenance\":{\"trace_sha256\":\"%s\","
	    "\"run_ids\":[\"%s\"],\"source_file_hints\":[]},\n\"step_time\":{"
	    "\"warmup_steps_ignored\":%d,", run->src, run->id, events, events,
	    (double)end_of(run) / 1000, run->sha256, run->id, WARMUP);
	statistics("all_steps", run->wall, run->steps, f);
	fputc(',', f);
	statistics("steady_state_steps", run->wall + WARMUP,
	    run->steps - WARMUP, f);
	fprintf(f, ",\"classes\":[]},\n\"time_breakdown\":{\"duration_basis\":"
	    "\"exclusive_duration_device_union\",\"total_duration\":%.3f",
	    (double)all / 1000);
	part("compute", all - communication, all, f);
	part("communication", communication, all, f);
	part("host", 0, all, f);
	part("stall", 0, all, f);
	part("other", 0, all, f);
	fputs("},\n\"hot_ops\":[", f);
	for (int r = 0; r < OPS; r++) {
		const struct op *op = &ops[order[r]];

		ns = total(run->op[order[r]], run->steps);
		fprintf(f, "%s\n{\"name\":\"%s\",\"canonical_name\":\"%s\","
		    "\"category\":\"%s\",\"count\":%d,\"total_duration\":%.3f,"
		    "\"exclusive_duration\":%.3f,\"avg_duration\":%.6f}",
		    r ? "," : "", op->name, op->canonical, op->collective ?
		    "communication" : "compute", run->steps, (double)ns / 1000,
		    (double)ns / 1000, (double)ns / 1000 / run->steps);
	}
	fputs("],\n\"semantic_families\":[],\"communication_ops\":[],"
	    "\"gap_before_ops\":[],\"hierarchical_regions\":[],"
	    "\"gap_region_contexts\":[],\"device_op_region_aggregates\":[],"
	    "\"optimization_candidates\":[]}\n", f);
}
