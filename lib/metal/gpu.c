/* gpu - how busy the GPU was, from metal-gpu-intervals */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/gpu.h>

#include "word.h"

#define SHORT_LIMIT_NS 200000
/* Instruments has four; every process gets a lane for each. */
#define CHANNELS_MAX 31

/* Make room for channel I of P. */
static int
open_lane(struct tp_gpu_part *p, ptrdiff_t i)
{
	size_t old = p->channel_cap;

	if ((size_t)i < old)
		return 0;
	if (tp_grow(&p->channels, &p->channel_cap, (size_t)i + 1,
	    sizeof *p->channels) < 0)
		return -1;
	memset(p->channels + old, 0,
	    (p->channel_cap - old) * sizeof *p->channels);
	return 0;
}

/* Add a row to the part; its lane is open. */
static int
part_add(struct tp_gpu_part *p, const struct tp_gpu *gpu, ptrdiff_t channel,
    int64_t from, int64_t to)
{
	struct tp_gpu_lane *lane = &p->channels[channel];
	int64_t duration = to - from;
	int64_t is_short = duration < gpu->short_limit_ns;

	if (!p->duration.count)
		p->first_ns = from, p->last_ns = to;
	p->first_ns = from < p->first_ns ? from : p->first_ns;
	p->last_ns = to > p->last_ns ? to : p->last_ns;
	p->short_count += (uint64_t)is_short;
	p->short_sum += duration & -is_short;
	lane->rows++;
	lane->duration_sum += duration;
	return tp_stat_add(&p->duration, duration) < 0 ||
	    tp_ival_add(&lane->spans, from, to) < 0 ? -1 : 0;
}

/* The part of process I, added when new; NULL without memory. */
static struct tp_gpu_part *
part_of(struct tp_gpu *gpu, ptrdiff_t i)
{
	size_t old = gpu->part_cap;

	if ((size_t)i < old)
		return &gpu->parts[i];
	if (tp_grow(&gpu->parts, &gpu->part_cap, (size_t)i + 1,
	    sizeof *gpu->parts) < 0)
		return NULL;
	memset(gpu->parts + old, 0,
	    (gpu->part_cap - old) * sizeof *gpu->parts);
	return &gpu->parts[i];
}

static int
is_idle(const struct tp_value *state)
{
	return state->type != TP_NONE && (state->len != 6 ||
	    memcmp(state->text, "Active", 6));
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

/* Cache: where the previous row went. */
struct place {
	const struct tp_value *process;	/* its value; NULL: no row yet */
	ptrdiff_t proc, channel;
	struct tp_gpu_part *part;
};

static int
is_same(const struct tp_value *a, const struct tp_value *b)
{
	return a->type == b->type && (a->type == TP_NONE ||
	    (a->text == b->text && a->len == b->len && a->n == b->n));
}

/* Find where ROW goes.  0, or -1 without memory. */
static int
find_place(struct tp_gpu *gpu, const struct tp_row *row, struct place *p,
    struct tp_err *err)
{
	const struct tp_value *process = &row->v[TP_GPU_PROCESS];
	ptrdiff_t channel = channel_of(gpu, row);

	if (p->process && p->channel == channel &&
	    is_same(process, p->process))
		return 0;
	p->channel = channel;
	p->process = process;
	p->proc = tp_row_process(&gpu->procs, row, TP_GPU_PROCESS, err);
	p->part = p->proc >= 0 ? part_of(gpu, p->proc) : &gpu->nobody;
	return channel < 0 || p->proc < -1 || !p->part ||
	    open_lane(p->part, channel) < 0 ? -1 : 0;
}

TP_ALWAYS int
add_row(struct tp_gpu *gpu, const struct tp_row *row,
    const struct tp_window *window, struct place *p, struct tp_err *err)
{
	const struct tp_value *latency = &row->v[TP_GPU_LATENCY];
	const struct tp_value *label =
	    row->bind->columns == tp_gpu_label_columns ?
	    &row->v[TP_GPU_LABEL] : NULL;
	int64_t from, to;
	int rc;

	gpu->row_label = 0;
	if (is_idle(&row->v[TP_GPU_STATE]))
		return 0;
	rc = tp_row_interval(row, TP_GPU_START, TP_GPU_DURATION, window,
	    &from, &to, err);
	if (rc < 0)
		return -1;
	if (!rc) {
		gpu->zero_durations += row->v[TP_GPU_DURATION].n == 0;
		return 0;
	}
	gpu->has_labels |= label != NULL;
	rc = find_place(gpu, row, p, err);
	gpu->unattributed += p->proc < 0;
	if (rc < 0 || part_add(p->part, gpu, p->channel, from, to) < 0 ||
	    (latency->type != TP_NONE &&
	    tp_stat_add(&p->part->latency, latency->n) < 0) ||
	    (p->proc >= 0 && (tp_starts_add(&gpu->starts, (size_t)p->proc,
	    from) < 0 ||
	    (label && label->type == TP_TEXT &&
	    tp_labels_add(&gpu->labels, p->proc, label->text, label->len,
	    to - from) < 0))))
		return tp_fail_memory(err);
	if (p->proc >= 0 && label && label->type == TP_TEXT)
		gpu->row_label = tp_labels_last(&gpu->labels);
	return 0;
}

int
tp_gpu_add(struct tp_gpu *gpu, struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	struct place place = { 0 };
	int rc;

	if (!gpu->short_limit_ns)
		gpu->short_limit_ns = SHORT_LIMIT_NS;
	do
		rc = add_row(gpu, row, window, &place, err);
	while (!rc && tp_row_step(row));
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
static int
part_sum(struct tp_gpu_part *m, struct tp_gpu_part *p)
{
	int rc = 0;

	p->all.rows = p->duration.count;
	p->all.duration_sum = tp_stat_total(&p->duration);
	if (!p->all.rows)
		return 0;
	if (!m->all.rows || p->first_ns < m->first_ns)
		m->first_ns = p->first_ns;
	if (!m->all.rows || p->last_ns > m->last_ns)
		m->last_ns = p->last_ns;
	m->short_count += p->short_count;
	m->short_sum += p->short_sum;
	lane_sum(&m->all, &p->all);
	for (size_t i = 0; i < p->channel_cap && i < m->channel_cap; i++) {
		lane_sum(&m->channels[i], &p->channels[i]);
		rc |= tp_ival_finish(&p->channels[i].spans);
		p->channels[i].busy_ns = tp_ival_busy(&p->channels[i].spans);
	}
	return rc < 0 || tp_stat_merge(&m->duration, &p->duration) < 0 ||
	    tp_stat_merge(&m->latency, &p->latency) < 0 ? -1 : 0;
}

int
tp_gpu_sum(struct tp_gpu *gpu)
{
	struct tp_gpu_part *m = &gpu->machine;
	int rc;

	part_release(m);
	memset(m, 0, sizeof *m);
	gpu->summed = 1;
	if (!gpu->channels.count)
		return 0;
	rc = open_lane(m, (ptrdiff_t)gpu->channels.count - 1);
	if (!rc)
		rc = part_sum(m, &gpu->nobody);
	for (size_t i = 0; i < gpu->part_cap && !rc; i++)
		rc = part_sum(m, &gpu->parts[i]);
	return rc;
}

void
tp_gpu_release(void *state)
{
	struct tp_gpu *gpu = state;

	part_release(&gpu->machine);
	part_release(&gpu->nobody);
	for (size_t i = 0; i < gpu->part_cap; i++)
		part_release(&gpu->parts[i]);
	tp_free(gpu->parts);
	tp_starts_release(&gpu->starts);
	tp_labels_release(&gpu->labels);
	tp_procs_release(&gpu->procs);
	tp_names_release(&gpu->channels);
}
