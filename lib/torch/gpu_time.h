/*
 * gpu_time - what a GPU did: computation, communication, copies, idle
 *
 * GPU work is added by start; unions are swept, so nothing is kept.  At
 * every instant computation counts first, then communication (exposed:
 * without computation at the same time), then copies (exposed: without
 * either).  These three and idle time sum to the span.  Idle gaps shorter
 * than a limit are micro.
 *
 * Of several GPUs these are the times in which any did so.  What computation
 * hides of communication is the sum over the GPUs instead, each by itself.
 */
#ifndef TP_TORCH_GPU_TIME_H
#define TP_TORCH_GPU_TIME_H

#include <stdint.h>

#include <tp/err.h>

#include "ival.h"
#include "torch.h"

/* The length of the union of the COUNT SPANS, which it sorts. */
int64_t tp_torch_unite(struct tp_span *spans, size_t count);

struct tp_torch_time {
	int64_t micro_ps;	/* set before the first: shorter gaps are
				 * micro */
	uint64_t count;
	int64_t first_ps, last_ps;
	struct tp_sweep own[TP_TORCH_BUCKETS];
	struct tp_sweep upto[TP_TORCH_BUCKETS];	/* of this bucket and those
						 * before it */
	int64_t micro_idle_ps, macro_idle_ps, gap_max_ps;
	uint64_t micro_count, macro_count;
	int16_t device;		/* of the first */
	uint8_t is_mixed;	/* there are others */
	int64_t communication_ps, hidden_ps;	/* of all GPUs, if it is
						 * mixed and known; else 0 */
};

void tp_torch_time_add(struct tp_torch_time *time,
    const struct tp_torch_event *work);

/* The time of BUCKET without that of the buckets before it. */
static inline int64_t
tp_torch_exposed(const struct tp_torch_time *time, unsigned bucket)
{
	return time->upto[bucket].busy -
	    (bucket ? time->upto[bucket - 1].busy : 0);
}

static inline int64_t
tp_torch_busy(const struct tp_torch_time *time)
{
	return time->upto[TP_TORCH_BUCKETS - 1].busy;
}

static inline int64_t
tp_torch_span(const struct tp_torch_time *time)
{
	return time->count ? time->last_ps - time->first_ps : 0;
}

/* A stream: the work of one queue of a device. */
struct tp_torch_stream {
	int32_t stream;
	int16_t device;
	struct tp_torch_time time;
};

/* A step marked on the host, and the work launched in it. */
struct tp_torch_step {
	uint32_t annotation;	/* event */
	uint32_t process_id;	/* of its lane; 0 if all are of one */
	int64_t from_ps, to_ps;	/* on the host */
	int64_t number;		/* or TP_TORCH_NONE */
	uint64_t launch_count, work_count;
	int is_partial;		/* the last of its process, and it has far
				 * fewer launches or less work than any before:
				 * the recording ends in it */
	struct tp_torch_time time;
};

struct tp_torch_times {
	struct tp_torch_time all, linked;
	struct tp_torch_stream *streams;	/* by device and stream */
	size_t stream_count, stream_cap;
	struct tp_torch_step *steps;		/* by process and start */
	size_t step_count, step_cap;
	int by_process;		/* several processes launched or marked steps:
				 * a step has what its own launched */
};

/* Sum the times of an analysed trace. */
void tp_torch_times_make(struct tp_torch_times *times,
    const struct tp_torch *torch, int64_t micro_ps);
/*
 * The step in which something that began at AT_PS on LANE of the host began;
 * NULL if none.
 */
const struct tp_torch_step *tp_torch_step_at(
    const struct tp_torch_times *times, const struct tp_torch *torch,
    uint32_t lane, int64_t at_ps);
/* Whether several processes marked steps, which then are no sequence. */
static inline int
tp_torch_are_steps_mixed(const struct tp_torch_times *times)
{
	return times->step_count && times->steps[0].process_id !=
	    times->steps[times->step_count - 1].process_id;
}

/* How many devices worked. */
int64_t tp_torch_device_count(const struct tp_torch_times *times);
/* The index of the stream that WORK ran on. */
size_t tp_torch_stream_of(const struct tp_torch_times *times,
    const struct tp_torch_event *work);

#endif
