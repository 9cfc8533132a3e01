/* experiment_emit - records about a run folder itself */
#include <string.h>

#include "experiment_private.h"

/* Copy KEY of REC if it is there. */
static void
emit_same(struct tp_out *out, const struct tp_rec *rec, const char *key)
{
	int64_t n;

	if (tp_rec_int(rec, key, &n))
		tp_out_int(out, key, n);
}

static void
emit_latency(struct tp_out *out, const struct tp_rec *latency)
{
	static const char *const keys[] = { "run_count", "median_ns",
	    "mean_ns", "min_ns", "max_ns", "stdev_ns", "outlier_count",
	    "robust_median_ns" };

	for (size_t i = 0; latency && i < sizeof keys / sizeof *keys; i++)
		emit_same(out, latency, keys[i]);
}

static void
emit_experiment(const struct tp_experiment *x, struct tp_out *out)
{
	const struct tp_experiment_said *s = x->said;

	tp_out_begin(out, "experiment");
	tp_out_int(out, "experiment_number", x->number);
	tp_out_text(out, "experiment", x->name);
	tp_out_text(out, "experiment_joined", x->joined);
	tp_out_text(out, "records_src", x->src);
	tp_out_text(out, "model", x->model);
	if (x->system) {
		tp_out_text(out, "system", x->system);
		tp_out_text(out, "system_from", x->system_from);
	}
	tp_out_text(out, "build", x->build);
	tp_out_known(out, "threads", x->threads);
	if (s) {
		tp_out_text(out, "mode", s->mode);
		tp_out_text(out, "runner", s->runner);
		tp_out_known(out, "planned_run_count", s->runs);
		tp_out_known(out, "warmup_run_count", s->warmup);
	}
	tp_out_bool(out, "is_paired", x->paired);
	emit_latency(out, x->latency);
	tp_out_end(out);
}

static void
emit_pair(const struct tp_experiments *e, size_t at, struct tp_out *out)
{
	const struct tp_experiment_pair *p = &e->pairs[at];
	const struct tp_experiment *off = &e->list[p->of[0]];
	const struct tp_experiment *on = &e->list[p->of[1]];
	int64_t before = 0, after = 0;

	tp_out_begin(out, "experiment.pair");
	tp_out_int(out, "pair_number", (int64_t)at + 1);
	tp_out_int(out, "baseline_number", off->number);
	tp_out_int(out, "candidate_number", on->number);
	tp_out_text(out, "baseline_build", off->build);
	tp_out_text(out, "candidate_build", on->build);
	tp_out_text(out, "baseline", off->src);
	tp_out_text(out, "candidate", on->src);
	tp_out_text(out, "baseline_experiment", off->name);
	tp_out_text(out, "candidate_experiment", on->name);
	tp_out_text(out, "model", on->model);
	tp_out_text(out, "system", on->system);
	tp_out_known(out, "threads", on->threads);
	if (e->document_records.buf.len)
		tp_out_bool(out, "is_told", 1);
	tp_out_text(out, "paired_by", p->wished ? "config" : "names");
	tp_rec_int(off->latency, "median_ns", &before);
	tp_rec_int(on->latency, "median_ns", &after);
	tp_out_int(out, "before_ns", before);
	tp_out_int(out, "after_ns", after);
	tp_out_ratio(out, "speedup_factor", before, after);
	tp_out_end(out);
}

static void
emit_documents(const struct tp_experiments *e, struct tp_out *out)
{
	const struct tp_experiment_document *d;

	for (size_t i = 0; i < TP_RUN_DOCUMENTS; i++) {
		d = e->documents[i];
		if (!d)
			continue;
		tp_out_begin(out, "experiment.document");
		tp_out_text(out, "document", tp_run_document_names[i]);
		tp_out_text(out, "file", d->file);
		tp_out_int(out, "schema_version", d->version);
		tp_out_text(out, "generated_at", d->generated_at);
		tp_out_end(out);
	}
}

/*
 * Write the files that the documents name and count absent ones in *ABSENT.
 * Returns 0, or -1 with ERR.
 */
static int
emit_files(const struct tp_experiments *e, struct tp_out *out,
    uint64_t *absent, struct tp_err *err)
{
	for (size_t i = 0; i < e->file_count; i++) {
		const struct tp_experiment_file *f = &e->files[i];
		int64_t bytes = -1;
		int found = 0;

		if (e->folder)
			found = tp_experiment_find(e->folder, f->path, &bytes,
			    err);
		if (e->folder && !found && f->other)
			found = tp_experiment_find(e->folder, f->other,
			    &bytes, err);
		if (found < 0)
			return -1;
		tp_out_begin(out, "experiment.file");
		tp_out_text(out, "file_role", f->role);
		tp_out_text(out, "experiment", f->name);
		tp_out_text(out, "path", f->path);
		if (e->folder)
			tp_out_bool(out, "is_found", found);
		tp_out_known(out, "file_bytes", bytes);
		tp_out_end(out);
		*absent += e->folder && !found;
	}
	return 0;
}

static void
emit_truth(struct tp_out *out, const char *key, int yes)
{
	if (yes >= 0)
		tp_out_bool(out, key, yes);
}

static void
emit_folder(const struct tp_experiments *e, struct tp_out *out)
{
	int64_t unpaired = 0;
	const char *base, *model = NULL;
	size_t len;

	for (size_t i = 0; i < e->count; i++)
		unpaired += !e->list[i].paired;
	tp_out_begin(out, "experiment.folder");
	if (e->model) {
		base = tp_experiment_base(e->model, &len);
		tp_out_bytes(out, "model", base, len);
	} else {
		for (size_t i = 0; i < e->count && !model; i++)
			model = e->list[i].model;
		tp_out_text(out, "model", model);
	}
	tp_out_text(out, "model_path", e->model);
	tp_out_text(out, "config_path", e->config);
	tp_out_text(out, "output_root", e->output_root);
	tp_out_text(out, "generated_at", e->generated_at);
	tp_out_text(out, "generated_by", e->generated_by);
	emit_truth(out, "executorch_is_present", e->present);
	tp_out_text(out, "executorch_sha", e->sha);
	tp_out_text(out, "executorch_expected_sha", e->expected_sha);
	emit_truth(out, "executorch_is_dirty", e->dirty);
	tp_out_int(out, "experiment_count", (int64_t)e->count);
	tp_out_int(out, "experiment_pair_count",
	    (int64_t)e->pair_count);
	tp_out_int(out, "unpaired_count", unpaired);
	tp_out_end(out);
}

/* Note experiments that the documents name but no table holds. */
static void
note_absent(const struct tp_experiments *e, struct tp_out *out)
{
	const struct tp_experiment_said *s, *t;
	size_t i, k;

	for (i = 0; i < e->said_count; i++) {
		s = &e->said[i];
		if (s->by == TP_RUN_LOG ||
		    (s->mode && strcmp(s->mode, "timing")))
			continue;
		for (k = 0; k < i; k++) {
			t = &e->said[k];
			if (t->by != TP_RUN_LOG && !strcmp(t->name, s->name))
				break;
		}
		if (k < i)
			continue;
		for (k = 0; k < e->count; k++)
			if (tp_experiment_is(&e->list[k], s))
				break;
		if (k == e->count)
			tp_out_note(out, "experiment.absent", 0, 1,
			    "the documents tell of experiment '%s', of which "
			    "there is no table", s->name);
	}
}

int
tp_experiments_emit(const struct tp_experiments *e, struct tp_out *out,
    int64_t *failed, struct tp_err *err)
{
	uint64_t absent = 0;

	tp_out_raw(out, e->document_records.buf.p, e->document_records.buf.len);
	emit_folder(e, out);
	emit_documents(e, out);
	for (size_t i = 0; i < e->count; i++)
		emit_experiment(&e->list[i], out);
	for (size_t i = 0; i < e->pair_count; i++)
		emit_pair(e, i, out);
	if (emit_files(e, out, &absent, err) < 0 ||
	    tp_experiments_check(e, out, failed, err) < 0)
		return -1;
	if (absent)
		tp_out_note(out, "file.absent", 0, absent,
		    "files that the documents name were not found");
	note_absent(e, out);
	return 0;
}
