/*
 * capture - PyTorch traces of one run, one file per rank, as records
 *
 * Each file is analysed by itself: its times count from its own first event.
 * With several files, records state their rank.
 */
#ifndef TP_TORCH_CAPTURE_H
#define TP_TORCH_CAPTURE_H

#include <tp/err.h>
#include <tp/records.h>

#include "torch/frame.h"
#include "torch/graft.h"
#include "torch/host.h"
#include "torch/launch.h"
#include "torch/pseudo.h"
#include "torch/launch_queue.h"
#include "torch/sync.h"
#include <tp/roofline.h>
#include "torch/gpu_time.h"
#include "timeline/idle.h"
#include "torch/torch.h"

/* Groups of records, to be or-ed. */
enum {
	TP_TORCH_EMIT_TRACE = 1,	/* trace.* */
	TP_TORCH_EMIT_TIME = 2,		/* timeline.* */
	TP_TORCH_EMIT_STEPS = 4,	/* timeline.step */
	TP_TORCH_EMIT_OPS = 8,		/* launcher.* short_kernel.* op.*
					 * module.* */
	TP_TORCH_EMIT_COMM = 16,	/* collective.run only with
					 * options.runs */
	TP_TORCH_EMIT_GAPS = 32,	/* gap.* gap launch.summary
					 * stream.queue sync.wait */
	TP_TORCH_EMIT_REGIONS = 64,	/* region.* server.phase */
	TP_TORCH_EMIT_ALL = 127,
	TP_TORCH_EMIT_PATH = 128	/* path.* */
};

/* One file. */
struct tp_torch_file {
	struct tp_torch torch;
	struct tp_torch_times times;
	struct tp_torch_launchers launchers;
	struct tp_torch_grafted grafted;
	struct tp_torch_pseudo_counts pseudo;
	struct tp_torch_host host;	/* only without work of a GPU, for
					 * operations and times */
	struct tp_torch_frames frames;	/* only for operations */
	struct tp_torch_waits waits;	/* this and the next two only for
					 * gaps */
	struct tp_torch_queues queues;
	struct tp_timeline timeline;	/* and this */
	struct tp_graph graph;
	struct tp_idle idle;
	struct tp_platform platform;	/* of its GPU */
	enum tp_platform_basis basis;	/* TP_PLATFORM_TRACE, or why there is
					 * none */
};

struct tp_torch_capture {
	struct tp_torch_file **files;
	size_t count, cap;
};

/* Begin a file. */
struct tp_torch_file *tp_torch_file_new(const struct tp_torch_ops *ops);
/* Name of the GPU that FILE's work ran on; NULL: unknown, or several. */
const char *tp_torch_file_gpu(const struct tp_torch_file *file);
/* Add FILE, completely read, to CAPTURE, which owns it from then on. */
void tp_torch_capture_add(struct tp_torch_capture *capture,
    struct tp_torch_file *file);

/* Options of the analyses. */
struct tp_torch_options {
	int64_t micro_idle_ps;	/* shorter gaps are micro; 0: off */
	int64_t short_limit_ps;	/* shorter kernels are short */
	const struct tp_platform *platform;	/* for the roofline; NULL: the
						 * GPU named in the trace */
	int no_platform;	/* no roofline at all */
	int runs;		/* also write each collective, to compare ranks;
				 * records state their rank even with one
				 * file */
	int uncosted;		/* write op.perf only for operations without a
				 * cost */
	const struct tp_torch_graphs *graphs;	/* captured in other traces, or
						 * NULL */
	const struct tp_torch_pseudo_rules *pseudo;	/* or NULL */
	enum tp_torch_pseudo_when pseudo_when;
	int pieces;		/* also write path.piece */
	const char *const *what_ifs;	/* of path.gain; ends with NULL, or
				 * none */
	size_t pixels;		/* also write when streams were busy, in this
				 * many columns (lanes.h); 0: off */
};

/* Which time call stacks are weighted by. */
enum tp_torch_stacks { TP_TORCH_OF_GPU, TP_TORCH_OF_HOST };

/*
 * Analyse each file and write its call stacks (torch/call_stacks.h) as folded
 * stacks (folded.h); with several files, below "rank N".  Of OPTIONS only
 * graphs and pseudo operations are used.
 */
void tp_torch_capture_folded(struct tp_torch_capture *capture,
    enum tp_torch_stacks basis, const struct tp_torch_options *options,
    struct tp_out *out);

/* Find the platform of each file's GPU.  0, or -1 with ERR. */
int tp_torch_capture_platforms(struct tp_torch_capture *capture,
    struct tp_err *err);
/* Analyse each file and write its records of GROUPS.  0, or -1 with ERR. */
int tp_torch_capture_emit(struct tp_torch_capture *capture,
    const struct tp_torch_options *options, unsigned groups,
    struct tp_out *out, struct tp_err *err);

#endif
