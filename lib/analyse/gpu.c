/* gpu - how busy the GPU was, from metal-gpu-intervals */
#include <string.h>

#include <tp/alloc.h>
#include <tp/gpu.h>
#include <tp/text.h>

#define SHORT_LIMIT_NS 200000
/* Profilers know four; every process has a lane for each. */
#define CHANNELS_MAX 31

static int
lane_add(struct tp_gpu_lane *lane, int64_t from, int64_t to)
{
	lane->rows++;
	lane->duration_sum += to - from;
	return tp_ival_add(&lane->busy, from, to);
}

static int
part_add(struct tp_gpu_part *p, const struct tp_gpu *gpu, ptrdiff_t channel,
    int64_t from, int64_t to)
{
	size_t old = p->channel_cap, need = (size_t)channel + 1;

	if (tp_grow(&p->channels, &p->channel_cap, need,
	    sizeof *p->channels) < 0)
		return -1;
	memset(p->channels + old, 0,
	    (p->channel_cap - old) * sizeof *p->channels);
	if (!p->all.rows || from < p->first_ns)
		p->first_ns = from;
	if (!p->all.rows || to > p->last_ns)
		p->last_ns = to;
	if (to - from < gpu->short_limit_ns) {
		p->short_count++;
		p->short_sum += to - from;
	}
	if (lane_add(&p->all, from, to) < 0 ||
	    lane_add(&p->channels[channel], from, to) < 0)
		return -1;
	return tp_stat_add(&p->duration, to - from);
}

/* The part of process I, made when new; NULL without memory. */
static struct tp_gpu_part *
part_of(struct tp_gpu *gpu, ptrdiff_t i)
{
	size_t old = gpu->part_cap;

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
	return state->type != TP_NONE &&
	    !tp_is(state->text, state->len, "Active");
}

/* Index of the channel of ROW; those that come too late are one. */
static ptrdiff_t
channel_of(struct tp_gpu *gpu, const struct tp_row *row)
{
	const struct tp_value *v = &row->v[TP_GPU_CHANNEL];
	const char *name = v->type == TP_NONE ? "(none)" : v->text;
	size_t len = v->type == TP_NONE ? strlen(name) : v->len;
	ptrdiff_t at = tp_names_find(&gpu->channels, name, len);

	if (at >= 0)
		return at;
	if (gpu->channels.count >= CHANNELS_MAX)
		name = "(other)", len = strlen(name);
	return tp_names_add(&gpu->channels, name, len);
}

int
tp_gpu_add(struct tp_gpu *gpu, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	const struct tp_value *latency = &row->v[TP_GPU_LATENCY];
	struct tp_gpu_part *parts[2] = { &gpu->machine, NULL };
	ptrdiff_t channel, proc;
	int64_t from, to;
	int rc, i;

	if (!gpu->short_limit_ns)
		gpu->short_limit_ns = SHORT_LIMIT_NS;
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
	channel = channel_of(gpu, row);
	proc = tp_row_process(&gpu->procs, row, TP_GPU_PROCESS, err);
	if (channel < 0 || proc < -1)
		return tp_fail_memory(err);
	if (proc < 0)
		gpu->unattributed++;
	else if (!(parts[1] = part_of(gpu, proc)) ||
	    tp_starts_add(&gpu->starts, (size_t)proc, from) < 0)
		return tp_fail_memory(err);
	for (i = 0; i < 2; i++) {
		if (!parts[i])
			continue;
		if (part_add(parts[i], gpu, channel, from, to) < 0 ||
		    (latency->type != TP_NONE &&
		    tp_stat_add(&parts[i]->latency, latency->n) < 0))
			return tp_fail_memory(err);
	}
	return 0;
}

static void
part_release(struct tp_gpu_part *p)
{
	for (size_t i = 0; i < p->channel_cap; i++)
		tp_ival_release(&p->channels[i].busy);
	tp_free(p->channels);
	tp_free(p->pauses);
	tp_ival_release(&p->all.busy);
	tp_stat_release(&p->duration);
	tp_stat_release(&p->latency);
}

void
tp_gpu_release(void *state)
{
	struct tp_gpu *gpu = state;

	part_release(&gpu->machine);
	for (size_t i = 0; i < gpu->part_cap; i++)
		part_release(&gpu->parts[i]);
	tp_free(gpu->parts);
	tp_starts_release(&gpu->starts);
	tp_procs_release(&gpu->procs);
	tp_names_release(&gpu->channels);
}
