/*
 * trace - what the files of tp-trace share: one pass over trace events, of
 * JAX or of PyTorch as their content says
 */
#ifndef TRACE_H
#define TRACE_H

#include <tp/jax/emit.h>
#include <tp/tool.h>
#include <tp/tool/fetch.h>
#include <tp/torch/capture.h>

/* Per trace: files of both sources may lie in one folder. */
struct trace_state {
	struct tp_jax_trace jax;	/* in use when jax.xla is set */
	struct tp_torch_capture torch;	/* in use when it holds files */
};

/* What a program of this name writes. */
struct trace_part {
	struct tp_tool tool;
	unsigned jax, torch;	/* groups of records; jax 0: the document */
};

/* Values of options. */
extern int trace_pieces;
extern const char *trace_what_ifs[];	/* of tp-path */
extern const char *trace_captures[];	/* traces of captures of graphs */
/* "gpu", "host", or NULL */
extern const char *trace_folded;
/* Whether pseudo operations are made. */
extern enum tp_torch_pseudo_when trace_pseudo_when;
extern int64_t trace_warmup, trace_hot_ops, trace_pixels,
    trace_micro_idle_ns, trace_short_ns;
extern const char *trace_breakdown, *trace_host;
extern const char *trace_ops[];	/* ends with NULL */
extern int trace_sha256, trace_runs, trace_uncosted;
/* Which rank the trace is of, -1: as it says. */
extern int64_t trace_rank;
extern struct tp_fetch trace_fetch;
/* What --platform names, or NULL; whether it says "none". */
extern const struct tp_platform *trace_held_against;
extern int trace_platform_off;

/* Put the run or artifact that was asked for in the place of the operands, and
 * the files of its latest capture in the place of a folder. */
void trace_open_folders(struct tp_run *run);
/* PATH inside of the artifact it was found in, with what is told about that in
 * *ABOUT; or NULL. */
const char *trace_in_artifact(const char *path, struct cJSON **about);
/* Of the file just read: its path inside the folder it was found in, what was
 * passed over for it, its digest. */
void trace_about_file(struct tp_run *run);

/* The SHA-256 of the file PATH. */
void trace_digest(struct tp_run *run, const char *path, char hex[65]);

/* A trace of JAX. */
/* Whether nothing but the time of devices is asked for. */
int trace_jax_is_brief(const struct tp_run *run);
void trace_jax_event(struct tp_run *run);
void trace_jax_end(struct tp_run *run);
void trace_jax_emit(struct tp_run *run, const struct trace_part *part);

/* A trace of PyTorch, or of a program that is neither. */
void trace_torch_event(struct tp_run *run);
void trace_torch_end(struct tp_run *run);
void trace_torch_emit(struct tp_run *run, const struct trace_part *part);

#endif
