/*
 * capture - PyTorch traces of one run, one file per rank, as records
 *
 * Each file is analysed by itself: its times count from its own first event.
 * Records of several files tell their rank apart.
 */
#ifndef TP_TORCH_CAPTURE_H
#define TP_TORCH_CAPTURE_H

#include <tp/err.h>
#include <tp/records.h>

#include "torch/frame.h"
#include "torch/gaps.h"
#include "torch/graft.h"
#include "torch/launch.h"
#include "torch/pseudo.h"
#include "torch/queue.h"
#include "torch/sync.h"
#include <tp/roofline.h>
#include "torch/time.h"
#include "torch/torch.h"

/* Groups of records, to be or-ed. */
enum {
	TP_TORCH_EMIT_TRACE = 1,	/* trace.* */
	TP_TORCH_EMIT_TIME = 2,		/* timeline.* */
	TP_TORCH_EMIT_STEPS = 4,	/* timeline.step */
	TP_TORCH_EMIT_OPS = 8,		/* launcher.* short_kernel.* op.*
					 * module.* */
	TP_TORCH_EMIT_COMM = 16,	/* collective memcpy; collective.run
					 * where asked for */
	TP_TORCH_EMIT_GAPS = 32,	/* gap.* gap launch.summary
					 * stream.queue sync.wait */
	TP_TORCH_EMIT_REGIONS = 64,	/* region.* server.phase */
	TP_TORCH_EMIT_ALL = 127
};

/* One file. */
struct tp_torch_file {
	struct tp_torch torch;
	struct tp_torch_times times;
	struct tp_torch_launchers launchers;
	struct tp_torch_grafted grafted;
	struct tp_torch_pseudo_made pseudo;
	struct tp_torch_frames frames;	/* where operations are asked for */
	struct tp_torch_waits waits;	/* these where gaps are asked for */
	struct tp_torch_gaps gaps;
	struct tp_torch_queues queues;
	struct tp_platform platform;	/* of the GPU that it names */
	enum tp_platform_basis basis;	/* _TRACE, or why there is none */
};

struct tp_torch_capture {
	struct tp_torch_file **files;
	size_t count, cap;
};

/* A file that is begun; NULL with ERR. */
struct tp_torch_file *tp_torch_file_new(const struct tp_torch_ops *ops,
    struct tp_err *err);
void tp_torch_file_free(struct tp_torch_file *file);
/* What FILE calls the GPU that its work ran on, NULL: unknown, or several. */
const char *tp_torch_file_gpu(const struct tp_torch_file *file);
/* Take FILE, read and ended, into CAPTURE, which owns it from then on.  0 or
 * -1 with ERR. */
int tp_torch_capture_add(struct tp_torch_capture *capture,
    struct tp_torch_file *file, struct tp_err *err);
void tp_torch_capture_release(struct tp_torch_capture *capture);

/* What is asked of the analyses. */
struct tp_torch_options {
	int64_t micro_idle_ps;	/* gaps below are micro; 0: not asked */
	int64_t short_limit_ps;	/* kernels below are short */
	const struct tp_platform *platform;	/* what work is held
						 * against; NULL: the GPU
						 * that the trace names */
	int no_platform;	/* not even that one */
	int runs;		/* also each collective, for the ranks to be
				 * held together; records name their rank even
				 * when there is one file */
	int uncosted;		/* of op.perf only what has no cost */
	const struct tp_torch_graphs *graphs;	/* that were captured in
						 * other traces, or NULL */
	const struct tp_torch_pseudo_rules *pseudo;	/* or NULL */
	enum tp_torch_pseudo_when pseudo_when;
	size_t pixels;		/* also when streams were busy, in so many
				 * columns (lanes.h); 0: not asked */
};

/* What stacks say the time of. */
enum tp_torch_stacks { TP_TORCH_OF_GPU, TP_TORCH_OF_HOST };

/* Analyse each file and write its call stacks (torch/stacks.h) instead, in
 * lines as folded.h tells; of several files below "rank N".  Of OPTIONS those
 * of graphs and pseudo operations.  0 or -1 with ERR. */
int tp_torch_capture_folded(struct tp_torch_capture *capture,
    enum tp_torch_stacks basis, const struct tp_torch_options *options,
    struct tp_out *out, struct tp_err *err);

/* Find the platforms of the GPUs that the files name.  0 or -1 with ERR. */
int tp_torch_capture_platforms(struct tp_torch_capture *capture,
    struct tp_err *err);
/* Analyse each file and write its records of GROUPS.  0 or -1 with ERR. */
int tp_torch_capture_emit(struct tp_torch_capture *capture,
    const struct tp_torch_options *options, unsigned groups,
    struct tp_out *out, struct tp_err *err);

#endif
