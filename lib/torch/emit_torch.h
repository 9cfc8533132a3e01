/* emit_torch - declarations shared by emit_*.c */
#ifndef TP_TORCH_EMIT_TORCH_H
#define TP_TORCH_EMIT_TORCH_H

#include <tp/budget.h>
#include <tp/torch/capture.h>

#include "candidate.h"
#include "gain.h"
#include "gpus.h"
#include "model.h"
#include "module.h"
#include "recompute.h"
#include <tp/roofline.h>
#include "tab.h"
#include "grouping.h"
#include "work.h"

/* The output of records about one file. */
struct tp_torch_out {
	struct tp_out *out;
	const struct tp_torch_file *file;
	int64_t rank;		/* -1: only one file */
	int64_t short_limit_ps;	/* shorter kernels are "short" */
	int uncosted;		/* write op.perf only for operations without
				 * cost */
	size_t pixels;		/* width of "timeline.lane"; 0: none */
	const uint32_t *lane_group;	/* by lane: lanes of one name have one
					 * number */
	const struct tp_torch_models *models;
	const struct tp_platform *platform;	/* or NULL */
	enum tp_platform_basis basis;
	const struct tp_torch_analysers *analysers;
	const struct tp_torch_kernel_types *types_of;
	const struct tp_torch_categories *categories;
	double kept_ratio;	/* tp_torch_kept_ratio() */
	int64_t span_ps;	/* from the first to the last work */
	struct tp_torch_work *work;	/* op.perf sets its limits */
	struct tp_graph *graph;	/* for gaps, and the path */
	struct tp_torch_gpus *gpus;	/* the budget sums their times */
	struct tp_torch_promise *promise;	/* NULL: nothing is promised */
	const uint32_t *merged;	/* by event: see struct tp_torch_candidates */
	const uint8_t *again;	/* by event: computation whose whole time is
				 * promised as one that need not be run again;
				 * NULL: none is */
};

/*
 * PS, a sum over all GPUs, as the mean of those that worked: what the run has
 * of it if they share it.
 */
static inline int64_t
tp_torch_mean_ps(const struct tp_torch_out *o, int64_t ps)
{
	return o->gpus->count > 1 ? ps / (int64_t)o->gpus->count : ps;
}

static inline void
tp_torch_out_begin(const struct tp_torch_out *o, const char *kind)
{
	tp_out_begin(o->out, kind);
	if (o->rank >= 0)
		tp_out_int(o->out, "process_rank", o->rank);
}

/*
 * Write "gain_ns" and "gain_ratio": what the run gains if the work for whose
 * event IS_IN() is true takes SAVE_PS less in all.  If that is 0 or less, it is
 * not known: then they are written only if the run would gain next to nothing
 * without that work.  With LAUNCHES the host spends as much less on launching
 * it.  Nothing is written where nothing is promised.
 */
void tp_torch_out_gain(const struct tp_torch_out *o,
    int (*is_in)(const void *arg, uint32_t event), const void *arg,
    int64_t save_ps, int launches);

/*
 * What time 0 of TORCH is in ns on a clock shared by machines; 0: not known
 * (emit_comm.c).
 */
int64_t tp_torch_clock_base(const struct tp_torch *torch);

/* Write TEXT of the trace unless it is unknown. */
void tp_torch_out_text(const struct tp_torch_out *o, const char *key,
    uint32_t text);
/* Write a name of the trace. */
void tp_torch_out_name(const struct tp_torch_out *o, const char *key,
    uint32_t name);
/* Write the name of LANE. */
void tp_torch_out_lane(const struct tp_torch_out *o, uint32_t lane);
/* Write the process of LANE by its pid, as "process" if that is no number. */
void tp_torch_out_pid(const struct tp_torch_out *o, uint32_t lane);
/* Write the arguments of operator E. */
void tp_torch_out_call(const struct tp_torch_out *o,
    const struct tp_torch_event *e, int with_types);
/* Write PREFIX_sum_ns and the other statistics. */
void tp_torch_out_stat(const struct tp_torch_out *o, const char *prefix,
    const struct tp_figures *stat);

/* By launcher the arguments of its operator; 16 bytes each, yours to free. */
struct tp_torch_args *tp_torch_launcher_args(const struct tp_torch_file *file);
/* Add the columns "input_dims input_types input_strides concrete_inputs". */
void tp_torch_tab_args(struct tp_tab *tab, const struct tp_column *via,
    const struct tp_torch *torch, const struct tp_torch_args *args);
/* Add "process process_label thread_name" of lanes, whose index is VIA. */
void tp_torch_tab_lane(struct tp_tab *tab, const struct tp_column *via,
    const struct tp_torch *torch);

/* "trace.summary" */
void tp_torch_emit_trace(const struct tp_torch_out *o);
/* "gpu.device" */
void tp_torch_emit_devices(const struct tp_torch_out *o);
/*
 * If events were left out of TORCH, the operators that are there as a share of
 * the numbers (External id) from the first of theirs to the last; else 0.
 */
double tp_torch_kept_ratio(const struct tp_torch *torch);

/* "trace.quality". */
void tp_torch_emit_quality(const struct tp_torch_out *o);
/* "timeline.summary timeline.stream" */
void tp_torch_emit_time(const struct tp_torch_out *o);
/*
 * "timeline.lane": stretches (lanes.h) per device, and per stream by what it
 * mostly did.  Memory: a union per lane.
 */
void tp_torch_emit_lanes(const struct tp_torch_out *o);
/* A part of a model: the GPU work of a call, or of a range. */
struct tp_torch_band {
	int64_t from_ps, to_ps;
	uint32_t depth;
	struct tp_name name;
};
/*
 * "timeline.range" of SCOPE: those of COUNT bands, which are sorted, that are
 * at the least depth of which a picture shows several.
 */
void tp_torch_emit_bands(const struct tp_torch_out *o, const char *scope,
    struct tp_torch_band *list, size_t count);
/* Write "gpu_count" to "memcpy_union_of_span_ratio" of TIME. */
void tp_torch_out_time(struct tp_out *out, const struct tp_torch_time *time);
/* "timeline.step step.class step.change". */
void tp_torch_emit_steps(const struct tp_torch_out *o);
/* "launcher.category launcher.name launcher"; ARGS by launcher. */
void tp_torch_emit_launchers(const struct tp_torch_out *o,
    const struct tp_torch_args *args);
/*
 * "host.recorded host.call thread.activity cpu.library cpu.function" of a
 * recording of another profiler.
 */
void tp_torch_emit_recorded(const struct tp_torch_out *o);
/* "launcher.kernel short_kernel.bin short_kernel"; ARGS by launcher. */
void tp_torch_emit_kernels(const struct tp_torch_out *o,
    const struct tp_torch_args *args);
/* "collective memcpy" and their summaries. */
void tp_torch_emit_comm(const struct tp_torch_out *o);
/* Communication on the GPU, an item of tables. */
struct tp_torch_comm {
	uint32_t event;
	uint32_t kernel;	/* its name, if it has no properties */
	int size;		/* bytes of an element; 0: unknown */
	const struct tp_class *kind;	/* of its properties; or NULL */
	const char *collective;	/* what it does; or NULL */
	int64_t hidden_ps;	/* of "collective" */
};
/* "trace.clock collective.run" */
void tp_torch_emit_runs(const struct tp_torch_out *o);
/* "sync.wait". */
void tp_torch_emit_waits(const struct tp_torch_out *o);
/* "launch.summary stream.queue" */
void tp_torch_emit_queues(const struct tp_torch_out *o,
    struct tp_torch_queues *queues);
/*
 * "compute.summary platform.rate compute.category compute.analyser
 * compute.group".
 */
void tp_torch_emit_gains(const struct tp_torch_out *o,
    struct tp_torch_gains *gains);
/* "op.perf op.table" and those of tp_torch_emit_gains(). */
void tp_torch_emit_perf(const struct tp_torch_out *o,
    const struct tp_torch_passes *passes);
/* Write "module_path" of frame AT unless it is in no module. */
void tp_torch_out_module_path(const struct tp_torch_out *o, uint32_t at);
/* "fusion.candidate fusion.kernel" */
void tp_torch_emit_candidates(const struct tp_torch_out *o,
    const struct tp_torch_candidates *fusion);
/* "recompute".  Returns whether all of its time is promised. */
int tp_torch_emit_recompute(const struct tp_torch_out *o,
    const struct tp_torch_recompute *recompute);
/*
 * "gpu.category" of what runs in the window of the path, or without one of all;
 * limits must be known.
 */
void tp_torch_emit_categories(const struct tp_torch_out *o);
/* "gpu.pattern". */
void tp_torch_emit_patterns(const struct tp_torch_out *o);
/*
 * "budget.window budget.part budget": where the wall clock went, by the
 * critical path, and what changes would save; "budget.devices budget.device" if
 * several GPUs worked.
 */
void tp_torch_emit_budget(const struct tp_torch_out *o);
/* "model.summary" */
void tp_torch_emit_about(const struct tp_torch_out *o,
    const struct tp_torch_modules *modules);
/*
 * "mem.device mem.live mem.step mem.growth mem.level", if memory was recorded.
 */
void tp_torch_emit_memory(const struct tp_torch_out *o);
/*
 * "region.summary region region.op" if there are ranges other than steps, and
 * "server.phase".
 */
void tp_torch_emit_regions(const struct tp_torch_out *o);
/* "op.calls": operators by name.  Memory: 24 bytes a name, and that of tab. */
void tp_torch_emit_calls(const struct tp_torch_out *o);
/*
 * "host.window host.part host.thread" and "host.op host.op_shapes", as GROUPS
 * say.
 */
void tp_torch_emit_host(const struct tp_torch_out *o, unsigned groups);
/* "python.function". */
void tp_torch_emit_functions(const struct tp_torch_out *o,
    const struct tp_torch_passes *passes);
/* "module.summary module.name module.frame". */
void tp_torch_emit_modules(const struct tp_torch_out *o,
    const struct tp_torch_modules *modules);

#endif
