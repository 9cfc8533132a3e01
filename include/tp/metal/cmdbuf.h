/*
 * cmdbuf - command buffers from commit to completion, joined by their id
 *
 * GPU wall of a buffer = end of its last GPU interval - start of its first;
 * GPU busy = the union of its intervals.  When it was committed is taken from
 * the best there is: its submission (start + duration), its frame assignment,
 * its GPU row's start-latency (GPU start - commit, exact where both were
 * measured), the end of its last encoder.  Id 2^64-1 is "none": such GPU rows
 * fill gaps but are no buffer; 0 is shared between processes and told apart.
 * Memory: 104 bytes per buffer and 24 per GPU interval.
 */
#ifndef TP_METAL_CMDBUF_H
#define TP_METAL_CMDBUF_H

#include <tp/metal/gpu.h>

struct tp_buffer {
	uint64_t id;
	ptrdiff_t proc;			/* -1: not known */
	int64_t from_ns, to_ns;		/* GPU; rows == 0: never ran */
	int64_t commit_ns, done_ns;
	int64_t tid;			/* that submitted it; -1: not known */
	uint32_t rows;
	unsigned char commit_source;	/* 0: no commit known */
	unsigned char submitted, done;
	unsigned char anonymous;	/* GPU work without a buffer id */
};

struct tp_buffer_row {
	int64_t from_ns, to_ns;
	uint32_t buffer;
	uint32_t label;			/* label.h; 0: none */
};

/* A zeroed struct is empty. */
struct tp_cmdbuf {
	struct tp_procs procs;
	struct tp_ids ids;		/* (id, pid or 0) */
	struct tp_buffer *buffers;	/* by index of ids */
	size_t buffer_cap;
	struct tp_buffer_row *rows;
	size_t row_count, row_cap;
	uint64_t submissions, completions;
	uint32_t row_label;		/* of the row that is added; 0: none */
};

/* Take one row of any of the six tables of command buffers (tables.h).
 * 0, or -1 with ERR. */
int tp_cmdbuf_add(struct tp_cmdbuf *cb, const struct tp_row *row,
    struct tp_err *err);
/*
 * Write cmdbuf.summary and cmdbuf.gap for the machine and for process TARGET
 * (index in GPU's procs, -1: none, chosen as HOW says).  Buffers that started
 * outside WINDOW are left out.  LATE_NS: a buffer committed that long after a
 * gap began was waited for.
 */
int tp_cmdbuf_emit(struct tp_cmdbuf *cb, const struct tp_gpu *gpu,
    ptrdiff_t target, const char *how, const struct tp_window *window,
    int64_t late_ns, struct tp_out *out, struct tp_err *err);
/*
 * What each of COUNT GAPS of the machine (TARGET -1) or of process TARGET
 * waited for, as cmdbuf.gap calls it, into CAUSES; NULL where no buffer tells.
 * 0, or -1 without memory.
 */
int tp_cmdbuf_causes(struct tp_cmdbuf *cb, const struct tp_gpu *gpu,
    ptrdiff_t target, const struct tp_window *window, int64_t late_ns,
    const struct tp_span *gaps, const char **causes, size_t count);
void tp_cmdbuf_release(struct tp_cmdbuf *cb);

#endif
