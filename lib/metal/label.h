/*
 * label - labels of the GPU work of a process
 *
 * The event-label of metal-gpu-intervals is "BUFFER:ENCODER ( PROCESS (PID)
 * ) 0xSUBMISSION".  Metal fills in "Command Buffer 0" and "Compute Command
 * 0" where the program gives no name; all such labels count as one.
 *
 * Memory: about 100 bytes per distinct label and process, for at most
 * TP_LABELS_MAX; later ones count as one more.
 */
#ifndef TP_METAL_LABEL_H
#define TP_METAL_LABEL_H

#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>

#include "metal/primitives.h"
#include "read/trace_state.h"
#include "stat.h"

enum { TP_LABELS_MAX = 4096 };

/* A zeroed struct is empty. */
struct tp_labels {
	struct tp_names names;
	struct tp_ids ids;		/* (process, name) */
	struct tp_primitives *primitives;	/* loaded on first use */
	struct tp_label_sum {
		uint64_t rows;
		tp_int128 duration_sum;
	} *sums;			/* by index in ids */
	size_t cap;
	/*
	 * Cache: the last label without its submission, which usually repeats.
	 */
	char last[128];
	size_t last_len;
	ptrdiff_t last_proc, last_at;
};

/* Length of NAME without trailing parts that Metal filled in. */
size_t tp_label_given(const char *name);

/* Add NS of work of PROC under the event-label TEXT. */
void tp_labels_add(struct tp_labels *labels, ptrdiff_t proc, const char *text,
    size_t len, int64_t ns);
/*
 * Number (above 0) of the label added last; 0 when Metal filled it in.
 * tp_labels_name() gives the name of a number, borrowed.
 */
uint32_t tp_labels_last(const struct tp_labels *labels);
const char *tp_labels_name(const struct tp_labels *labels, uint32_t label);
/* The names of MLX's operations, kept with LABELS; NULL with ERR. */
const struct tp_primitives *tp_labels_primitives(struct tp_labels *labels,
    struct tp_err *err);
/*
 * Write label.summary and label for process PROC of PROCS; nothing when none
 * of its rows has a label.  0, or -1 with ERR.
 */
int tp_labels_emit(struct tp_labels *labels, const struct tp_procs *procs,
    ptrdiff_t proc, const char *how, struct tp_out *out, struct tp_err *err);
void tp_labels_release(struct tp_labels *labels);

#endif
