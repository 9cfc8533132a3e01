/* gpu - how busy the GPU was, from metal-gpu-intervals */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/gpu.h>
#include <tp/text.h>

#include "word.h"

#define SHORT_LIMIT_NS 200000
/* Instruments has four; every process gets a lane for each. */
#define CHANNELS_MAX 31

/* 1 if STATE is active, as without one, 0 if idle, -1 if it is neither. */
static int
is_active(const struct tp_value *state)
{
	if (state->type == TP_NONE || tp_is(state->text, state->len, "Active"))
		return 1;
	return tp_is(state->text, state->len, "Idle") ? 0 : -1;
}

/* Index of the channel of ROW; channels beyond the limit share one. */
static ptrdiff_t
channel_of(struct tp_gpu *gpu, const struct tp_row *row)
{
	const struct tp_value *v = &row->v[TP_GPU_CHANNEL];
	const char *name = v->type == TP_NONE ? "(none)" : v->text;
	size_t len = v->type == TP_NONE ? strlen(name) : v->len;
	const struct tp_name *last;
	ptrdiff_t at;

	if (gpu->channels.count) {
		/* usually the same as in the previous row */
		last = &gpu->channels.names[gpu->last_channel];
		if (last->len == len && tp_same_bytes(last->text, name, len))
			return gpu->last_channel;
	}
	at = tp_names_find(&gpu->channels, name, len);
	if (at >= 0)
		return gpu->last_channel = at;
	if (gpu->channels.count >= CHANNELS_MAX)
		name = "(other)", len = strlen(name);
	return tp_names_add(&gpu->channels, name, len);
}

#define BATCH 64

/* Active rows of one process on one channel, which are added together. */
struct batch {
	const struct tp_value *last;	/* newest row; NULL: none yet */
	ptrdiff_t proc, channel;
	struct tp_gpu_part *part;
	size_t count, latency_count;
	struct tp_span spans[BATCH];
	int64_t durations[BATCH], latencies[BATCH];
};

/* How many of the N spans at S start in the same slice as the first. */
static size_t
in_slice(const struct tp_span *s, size_t n)
{
	int64_t slice = s->from >> TP_STARTS_BITS;
	size_t i = 1;

	while (i < n && s[i].from >> TP_STARTS_BITS == slice)
		i++;
	return i;
}

static void
add_starts(struct tp_gpu *gpu, const struct batch *b)
{
	size_t i, n;

	for (i = 0; i < b->count; i += n) {
		n = in_slice(b->spans + i, b->count - i);
		tp_starts_add(&gpu->starts, (size_t)b->proc, b->spans[i].from,
		    (uint32_t)n);
	}
}

/* Count the rows of B. */
static void
count_rows(struct tp_gpu *gpu, const struct batch *b)
{
	struct tp_gpu_part *p = b->part;
	struct tp_gpu_lane *lane = &p->channels[b->channel];
	const struct tp_span *s = b->spans;
	int64_t first = s->from, last = s->to, limit = gpu->short_limit_ns;
	int64_t is_short, duration;
	tp_int128 sum = 0, short_sum = 0;
	uint64_t short_count = 0;

	for (size_t i = 0; i < b->count; i++) {
		first = s[i].from < first ? s[i].from : first;
		last = s[i].to > last ? s[i].to : last;
		duration = b->durations[i];
		is_short = duration < limit;
		short_count += (uint64_t)is_short;
		short_sum += (uint64_t)(duration & -is_short);
		sum += (uint64_t)duration;
	}
	if (!p->duration.count || first < p->first_ns)
		p->first_ns = first;
	if (!p->duration.count || last > p->last_ns)
		p->last_ns = last;
	p->short_count += short_count;
	p->short_sum += short_sum;
	lane->rows += b->count;
	lane->duration_sum += sum;
	gpu->unattributed += b->proc < 0 ? b->count : 0;
}

/* Add the rows of B and empty it. */
static void
add_batch(struct tp_gpu *gpu, struct batch *b)
{
	struct tp_gpu_part *p = b->part;

	if (!b->count)
		return;
	count_rows(gpu, b);
	tp_stat_add_all(&p->duration, b->durations, b->count);
	tp_stat_add_all(&p->latency, b->latencies, b->latency_count);
	tp_ival_add_all(&p->channels[b->channel].spans, b->spans, b->count);
	if (b->proc >= 0)
		add_starts(gpu, b);
	b->count = b->latency_count = 0;
}

/* 0 if A and B are equal; texts are equal only at the same address. */
static inline uint64_t
differ(const struct tp_value *a, const struct tp_value *b)
{
	return (uint64_t)(a->type ^ b->type) | (a->len ^ b->len) |
	    ((uintptr_t)a->text ^ (uintptr_t)b->text) | (a->id ^ b->id);
}

/* Make B a batch of the process and channel of ROW. */
static void
find_batch(struct tp_gpu *gpu, const struct tp_row *row, struct batch *b)
{
	ptrdiff_t channel = channel_of(gpu, row);
	ptrdiff_t proc = b->last && !differ(&row->v[TP_GPU_PROCESS],
	    &b->last[TP_GPU_PROCESS]) ? b->proc :
	    tp_row_process(&gpu->procs, row, TP_GPU_PROCESS);

	if (b->last && channel == b->channel && proc == b->proc)
		return;
	add_batch(gpu, b);
	b->channel = channel;
	b->proc = proc;
	b->part = proc >= 0 ? TP_ITEM(gpu->parts, gpu->part_cap, proc) :
	    &gpu->nobody;
	TP_ITEM(b->part->channels, b->part->channel_cap, channel);
}

/* Whether ROW has the state, process and channel of the newest row of B. */
static inline int
is_like(const struct tp_row *row, const struct batch *b)
{
	const struct tp_value *v = row->v, *last = b->last;

	return last && !(differ(&v[TP_GPU_STATE], &last[TP_GPU_STATE]) |
	    differ(&v[TP_GPU_CHANNEL], &last[TP_GPU_CHANNEL]) |
	    differ(&v[TP_GPU_PROCESS], &last[TP_GPU_PROCESS]));
}

static void
add_label(struct tp_gpu *gpu, const struct tp_row *row, ptrdiff_t proc,
    int64_t duration)
{
	const struct tp_value *label = &row->v[TP_GPU_LABEL];

	gpu->has_labels = 1;
	if (proc < 0 || label->type != TP_TEXT)
		return;
	tp_labels_add(&gpu->labels, proc, label->text, label->len, duration);
	gpu->row_label = tp_labels_last(&gpu->labels);
}

TP_ALWAYS int
add_row(struct tp_gpu *gpu, const struct tp_row *row,
    const struct tp_window *window, struct batch *b, struct tp_err *err)
{
	const struct tp_value *latency = &row->v[TP_GPU_LATENCY];
	int like = is_like(row, b);
	struct tp_span span;
	int rc;

	gpu->row_label = 0;
	rc = like ? 1 : is_active(&row->v[TP_GPU_STATE]);
	if (rc <= 0)
		return !rc ? 0 : tp_row_bad(err, row, "a state that is "
		    "neither Active nor Idle");
	rc = tp_row_interval(row, TP_GPU_START, TP_GPU_DURATION, window,
	    &span.from, &span.to, err);
	if (rc < 0)
		return -1;
	if (!rc) {
		gpu->zero_durations += row->v[TP_GPU_DURATION].n == 0;
		return 0;
	}
	if (!like)
		find_batch(gpu, row, b);
	if (b->count == BATCH)
		add_batch(gpu, b);
	if (row->bind->columns == tp_gpu_label_columns)
		add_label(gpu, row, b->proc, span.to - span.from);
	b->last = row->v;
	b->spans[b->count] = span;
	b->durations[b->count++] = span.to - span.from;
	b->latencies[b->latency_count] = latency->n;
	b->latency_count += latency->type != TP_NONE;
	return 0;
}

int
tp_gpu_add(struct tp_gpu *gpu, struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	struct batch b;
	int rc;

	if (!gpu->short_limit_ns)
		gpu->short_limit_ns = SHORT_LIMIT_NS;
	b.last = NULL;
	b.count = b.latency_count = 0;
	do
		rc = add_row(gpu, row, window, &b, err);
	while (!rc && tp_row_step(row));
	add_batch(gpu, &b);
	return rc;
}

static void
part_release(struct tp_gpu_part *p)
{
	for (size_t i = 0; i < p->channel_cap; i++)
		tp_ival_release(&p->channels[i].spans);
	tp_free(p->channels);
	tp_free(p->pauses);
	tp_stat_release(&p->duration);
	tp_stat_release(&p->latency);
}

static void
lane_sum(struct tp_gpu_lane *lane, const struct tp_gpu_lane *part)
{
	lane->rows += part->rows;
	lane->duration_sum += part->duration_sum;
}

/* Finish P, and add its counts to the machine. */
static void
part_sum(struct tp_gpu_part *m, struct tp_gpu_part *p)
{
	p->all.rows = p->duration.count;
	p->all.duration_sum = tp_stat_total(&p->duration);
	if (!p->all.rows)
		return;
	if (!m->all.rows || p->first_ns < m->first_ns)
		m->first_ns = p->first_ns;
	if (!m->all.rows || p->last_ns > m->last_ns)
		m->last_ns = p->last_ns;
	m->short_count += p->short_count;
	m->short_sum += p->short_sum;
	lane_sum(&m->all, &p->all);
	for (size_t i = 0; i < p->channel_cap && i < m->channel_cap; i++) {
		lane_sum(&m->channels[i], &p->channels[i]);
		tp_ival_finish(&p->channels[i].spans);
		p->channels[i].busy_ns = tp_ival_busy(&p->channels[i].spans);
	}
	tp_stat_merge(&m->duration, &p->duration);
	tp_stat_merge(&m->latency, &p->latency);
}

void
tp_gpu_sum(struct tp_gpu *gpu)
{
	struct tp_gpu_part *m = &gpu->machine;

	part_release(m);
	memset(m, 0, sizeof *m);
	gpu->summed = 1;
	if (!gpu->channels.count)
		return;
	TP_ITEM(m->channels, m->channel_cap, gpu->channels.count - 1);
	part_sum(m, &gpu->nobody);
	for (size_t i = 0; i < gpu->part_cap; i++)
		part_sum(m, &gpu->parts[i]);
}
