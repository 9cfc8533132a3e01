/*
 * cmdbuf - command buffers from commit to completion, joined by id
 *
 * GPU wall time of a buffer is the end of its last GPU interval minus the
 * start of its first; GPU busy time is the union of its intervals.  The
 * commit time comes from the best source available: its submission (start +
 * duration), its frame assignment, the start-latency of its GPU row (GPU
 * start - commit, exact where both were measured), or the end of its last
 * encoder.  Id 2^64-1 means "none": such GPU rows fill gaps but belong to no
 * buffer.  Id 0 occurs in several processes, which are kept apart.  Memory:
 * about 110 bytes per buffer, 24 per GPU interval and 24 per encoder.
 */
#ifndef TP_METAL_CMDBUF_H
#define TP_METAL_CMDBUF_H

#include <tp/metal/gpu.h>

struct tp_buffer {
	uint64_t id;
	ptrdiff_t proc;			/* -1: not known */
	int64_t from_ns, to_ns;		/* on the GPU; rows == 0: never ran */
	int64_t commit_ns, done_ns;
	int64_t encode_ns;		/* start of its first encoder;
					 * INT64_MAX: unknown */
	int64_t tid;			/* of the submitting thread; -1:
					 * unknown */
	uint32_t rows;
	unsigned char commit_source;	/* 0: commit time unknown */
	unsigned char submitted, done;
	unsigned char anonymous;	/* GPU work without a buffer id */
};

/* Whether BUFFER, which began after a gap, was committed before it. */
static inline int
tp_buffer_queued(const struct tp_buffer *buffer, int64_t gap_from_ns)
{
	return !buffer->anonymous && buffer->commit_source &&
	    buffer->commit_ns <= gap_from_ns;
}

struct tp_buffer_row {
	int64_t from_ns, to_ns;
	uint32_t buffer;
	uint32_t label;			/* label.h; 0: none */
};

/* From the creation of an encoder to its end, on the CPU. */
struct tp_encoder {
	int64_t from_ns, to_ns;
	ptrdiff_t proc;			/* -1: not known */
};

/* A zeroed struct is empty. */
struct tp_cmdbuf {
	struct tp_procs procs;
	struct tp_ids ids;		/* (id, pid or 0) */
	struct tp_buffer *buffers;	/* by index of ids */
	size_t buffer_cap;
	struct tp_buffer_row *rows;
	size_t row_count, row_cap;
	struct tp_encoder *encoders;
	size_t encoder_count, encoder_cap;
	uint64_t submissions, completions;
	uint32_t row_label;		/* of the row being added; 0: none */
};

/*
 * Add one row of any of the six command buffer tables (tables.h).  0, or -1
 * with ERR.
 */
int tp_cmdbuf_add(struct tp_cmdbuf *cb, const struct tp_row *row,
    struct tp_err *err);
/*
 * Write cmdbuf.summary for the machine and for process TARGET (index in GPU's
 * procs, -1: none; HOW says how it was chosen).  Buffers that started outside
 * WINDOW are left out.
 */
void tp_cmdbuf_emit(struct tp_cmdbuf *cb, const struct tp_gpu *gpu,
    ptrdiff_t target, const char *how, const struct tp_window *window,
    struct tp_out *out);

#endif
