/* trace_torch - tp-trace on a trace of PyTorch */
#include <stdlib.h>
#include <string.h>

#include <tp/look.h>

#include "trace.h"

static struct tp_torch_ops ops;
static int have_ops;
/* The file that is read; also while its source is not known yet. */
static struct tp_torch_file *file;
/* Traces of captures, and the graphs in them. */
static struct tp_torch **captures;
static size_t capture_count, capture_cap;
static struct tp_torch_graphs graphs;
static struct tp_torch_pseudo_rules pseudo;

static struct tp_torch_file *
current(struct tp_run *run)
{
	if (!have_ops && (tp_torch_ops_load(&ops, trace_ops, &run->err) < 0 ||
	    tp_torch_pseudo_load(&pseudo, &ops.operators, &run->err) < 0))
		tp_die_err(run);
	have_ops = 1;
	if (!file)
		file = tp_torch_file_new(&ops);
	return file;
}

/* The arguments of tp_torch_args. */
static const struct tp_arg *
own_args(const struct tp_run *run)
{
	static size_t first;

	while (tp_jax_args[first])
		first++;
	return run->event.args + first;
}

void
trace_torch_event(struct tp_run *run)
{
	tp_take(run, tp_torch_add(&current(run)->torch, run->events,
	    &run->event, own_args(run), &run->err));
}

/* A trace that does not say which rank it is may be called by it, or its
 * folder. */
static void
find_rank(struct tp_run *run, struct tp_torch *torch)
{
	const char *base = strrchr(run->file, '/');
	int64_t of_name;

	if (trace_rank >= 0) {
		if (torch->rank >= 0 && torch->rank != trace_rank)
			tp_trace_note(run->trace, "rank.given", 0, 1,
			    "%s: the trace names rank %lld; rank %lld is "
			    "used, as requested", run->file,
			    (long long)torch->rank, (long long)trace_rank);
		torch->rank = trace_rank;
	}
	if (torch->rank >= 0)
		return;
	of_name = tp_identity_rank(base ? base : run->file);
	torch->rank = of_name >= 0 ? of_name : tp_identity_rank(run->file);
	if (torch->rank >= 0)
		tp_trace_note(run->trace, "rank.name", 0, 1, "%s: the trace "
		    "does not say its rank: that of its %s is used", run->file,
		    of_name >= 0 ? "name" : "folder");
}

/* Entries of the list of GPUs that say nothing. */
static void
note_damage(struct tp_run *run, const struct tp_torch_devices *devices)
{
	if (devices->damaged_count)
		tp_trace_note(run->trace, "device.damaged", 0,
		    devices->damaged_count, "%s: its list of GPUs is damaged",
		    run->file);
}

/* Categories that may be work of a device. */
static void
note_unread(struct tp_run *run, const struct tp_torch *torch)
{
	if (torch->op_time_count)
		tp_trace_note(run->trace, "recorder.lacks", 0,
		    torch->op_time_count, "%s: times of operators on the "
		    "device, from one event to another, are no kernels and "
		    "are not used; torch.profiler records kernels", run->file);
	for (size_t i = 0; !torch->is_strange && i < torch->unread.count; i++)
		tp_trace_note(run->trace, "category.unread", 0,
		    torch->unread_count[i], "%s: events of the category "
		    "'%.60s' are not read: if they are work of a device, it "
		    "is missing", run->file, torch->unread.names[i].text);
}

void
trace_torch_end(struct tp_run *run)
{
	struct trace_state *state = run->trace->state;

	tp_torch_end(&current(run)->torch, run->events);
	file->torch.is_cut = run->is_cut;
	note_damage(run, &file->torch.devices);
	note_unread(run, &file->torch);
	if (trace_runs)
		find_rank(run, &file->torch);
	tp_torch_capture_add(&state->torch, file);
	file = NULL;
}

/* The platform that was named is not that of the GPU. */
static void
note_other(struct tp_run *run, const struct tp_torch_capture *capture)
{
	for (size_t i = 0; i < capture->count; i++) {
		const struct tp_torch_file *f = capture->files[i];

		if (f->basis == TP_PLATFORM_TRACE &&
		    strcmp(f->platform.name, trace_held_against->name))
			tp_trace_note(run->trace, "platform.other", 0, 1,
			    "operations are compared with %s, as requested; "
			    "the trace calls its GPU '%.80s', which is %s",
			    trace_held_against->name, tp_torch_file_gpu(f),
			    f->platform.name);
	}
}

/* Calls that count for what lies around them. */
static void
note_deep(struct tp_run *run, const struct tp_torch_capture *capture)
{
	uint64_t count = 0;

	for (size_t i = 0; i < capture->count; i++)
		count += capture->files[i]->frames.deep_count;
	if (count)
		tp_trace_note(run->trace, "frame.deep", 0, count, "operators "
		    "and functions with GPU work nest deeper than %d; deeper "
		    "ones count for their parents", TP_TORCH_FRAME_DEPTH);
}

/* The trace of a capture in PATH.  Each is kept to the end. */
static void
load_capture(struct tp_run *run, const char *path)
{
	const struct tp_events_want want = { .args = tp_torch_args,
	    .phases = TP_TORCH_PHASES };
	struct tp_in *in = tp_in_open(path, &run->err);
	struct tp_trace told = { 0 };
	struct tp_events *events;
	struct tp_event e;
	struct tp_torch *t;
	int rc;

	if (!in)
		tp_die_err(run);
	t = tp_zalloc(sizeof *t);
	TP_APPEND(captures, capture_count, capture_cap, t);
	events = tp_events_open(in, &want, &told, &run->err);
	if (!events)
		tp_die_err(run);
	tp_torch_init(t, &ops);
	while ((rc = tp_events_next(events, &e, &run->err)) != 0) {
		if (rc > 0)
			rc = tp_torch_add(t, events, &e, e.args, &run->err);
		if (rc < 0 && (run->err.fatal || run->err.status != TP_BAD))
			tp_die(run, run->err.status, "--capture '%s': %s",
			    path, run->err.text);
	}
	tp_torch_end(t, events);
	tp_torch_nest(t);
	tp_torch_sort_functions(t);
	tp_torch_graphs_add(&graphs, t, 1);
	tp_trace_release_notes(&told);
	tp_events_close(events);
	tp_in_close(in);
}

/* What --capture names, and all traces in folders. */
static void
load_captures(struct tp_run *run)
{
	struct tp_look look;

	if (!*trace_captures || capture_count)
		return;
	if (tp_look_init(&look, &run->err) < 0)
		tp_die_err(run);
	for (const char **path = trace_captures; *path; path++)
		if (tp_look_add(&look, *path, &run->err) < 0)
			tp_die(run, run->err.status, "--capture: %s",
			    run->err.text);
	if (tp_look_identify(&look, &run->err) < 0)
		tp_die_err(run);
	for (size_t i = 0; i < look.count; i++) {
		const struct tp_look_file *f = &look.files[i];

		if (f->state == TP_LOOK_LOST)
			tp_die(run, TP_IO, "--capture '%s': %s", f->path,
			    f->why);
		if (f->format == TP_FORMAT_TRACE_EVENTS)
			load_capture(run, f->path);
	}
	if (!graphs.count)
		tp_die(run, TP_BAD, "--capture: no file that it names has a "
		    "launch of a kernel; name the trace of the run that "
		    "captured the graphs");
	tp_look_release(&look);
}

/* Graphs whose kernels fit no capture. */
static void
note_graphs(struct tp_run *run, const struct tp_torch_capture *capture)
{
	struct tp_torch_grafted all = { 0 };

	for (size_t i = 0; i < capture->count; i++) {
		all.launches += capture->files[i]->grafted.launches;
		all.unmatched += capture->files[i]->grafted.unmatched;
		all.ambiguous += capture->files[i]->grafted.ambiguous;
	}
	if (all.unmatched)
		tp_trace_note(run->trace, "graph.unmatched", 0, all.unmatched,
		    "of %llu launches of graphs these match no capture, so "
		    "their kernels have no operators",
		    (unsigned long long)all.launches);
	if (all.ambiguous)
		tp_trace_note(run->trace, "graph.ambiguous", 0, all.ambiguous,
		    "of %llu launches of graphs these match several captures, "
		    "so their kernels have no operators: name one capture",
		    (unsigned long long)all.launches);
}

/* Operators whose kernels no rule divides. */
static void
note_pseudo(struct tp_run *run, const struct tp_torch_capture *capture)
{
	uint64_t unclear = 0;

	for (size_t i = 0; i < capture->count; i++)
		unclear += capture->files[i]->pseudo.unclear;
	if (unclear)
		tp_trace_note(run->trace, "pseudo.unclear", 0, unclear,
		    "operators whose kernels do not match a rule for pseudo "
		    "operations stay whole");
}

/* Emit the records of GROUPS. */
static void
emit_torch_groups(struct tp_run *run, struct tp_torch_capture *capture,
    const struct tp_torch_options *options, unsigned groups)
{
	if (groups & TP_TORCH_EMIT_OPS) {
		if (tp_torch_capture_platforms(capture, &run->err) < 0)
			tp_die_err(run);
		if (trace_held_against && !trace_held_against->is_file)
			note_other(run, capture);
	}
	tp_take(run, tp_torch_capture_emit(capture, options, groups,
	    &run->out, &run->err));
	note_deep(run, capture);
	note_graphs(run, capture);
	note_pseudo(run, capture);
}

void
trace_torch_emit(struct tp_run *run, const struct trace_part *part)
{
	struct trace_state *state = run->trace->state;
	const struct tp_torch_options options = {
	    .micro_idle_ps = trace_micro_idle_ns * 1000,
	    .short_limit_ps = trace_short_ns * 1000,
	    .platform = trace_held_against, .no_platform = trace_platform_off,
	    .runs = trace_runs, .uncosted = trace_uncosted,
	    .graphs = &graphs, .pseudo = &pseudo,
	    .pseudo_when = trace_pseudo_when, .what_ifs = trace_what_ifs,
	    .pieces = trace_pieces,
	    .pixels = (size_t)trace_pixels };

	if (!state->torch.count)
		return;
	load_captures(run);
	if (trace_folded) {
		tp_torch_capture_folded(&state->torch,
		    !strcmp(trace_folded, "gpu") ? TP_TORCH_OF_GPU :
		    TP_TORCH_OF_HOST, &options, &run->out);
		return;
	}
	if (!part->jax) {
		tp_warn(run, "%s: a trace of PyTorch; the document is for "
		    "captures of JAX", run->trace->src);
		tp_status_at_least(run, TP_BAD);
		return;
	}
	emit_torch_groups(run, &state->torch, &options, part->torch);
}
