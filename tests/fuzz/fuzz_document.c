/*
 * fuzz_document - any bytes as a document that another program wrote, and as
 * a log
 *
 * JSON is taken for results of a benchmark, for a summary of a profile and for
 * what a run folder of ExecuTorch says of itself; all lines for the log of a
 * runner.  What is refused says why; what is taken writes records that can be
 * read.
 */
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/executorch/experiment.h>
#include <tp/executorch/kernels.h>
#include <tp/metal/bench.h>
#include <tp/read/summary.h>

#include "feed.h"

/* RC, with ERR when it is -1: refused with a reason, or not. */
static int
took(int rc, struct tp_err *err)
{
	if (rc < 0 && (!err->code || !*err->text))
		broken("a document is refused without a word");
	memset(err, 0, sizeof *err);
	return rc >= 0;
}

/* What was written into OUT can be read. */
static void
read_again(struct tp_out *out)
{
	struct tp_set set = { 0 };
	struct tp_err err;

	if (tp_set_take(&set, out, &err) < 0)
		broken("a record of a document cannot be read");
	tp_set_release(&set);
	tp_out_release(out);
}

static void
benchmark(const cJSON *doc)
{
	struct tp_bench bench = { 0 };
	struct tp_err err = { 0 };
	struct tp_out out;
	size_t skipped;

	tp_out_init(&out, -1);
	if (took(tp_bench_add(&bench, doc, "new", &skipped, &err), &err) &&
	    took(tp_bench_add(&bench, doc, "old", &skipped, &err), &err))
		tp_bench_emit(&bench, &out);
	read_again(&out);
	tp_bench_release(&bench);
}

static void
summary(cJSON *doc)
{
	struct tp_err err = { 0 };
	struct tp_out out;

	tp_out_init(&out, -1);
	if (took(tp_summary_check(doc, &err), &err))
		tp_summary_records(doc, &out);
	read_again(&out);
}

/* DOC, or NULL, and the SIZE bytes at DATA as a log beside it. */
static void
run_folder(const cJSON *doc, const uint8_t *data, size_t size)
{
	struct tp_in *in = feed(data, size, 4096);
	struct tp_experiments e = { 0 };
	struct tp_err err = { 0 };
	struct tp_out out;
	int64_t failed;

	tp_out_init(&out, -1);
	if (tp_experiments_words(&e, &err) < 0)
		broken(err.text);
	if (doc)
		tp_experiments_document(&e, doc, "run.json");
	if (took(tp_experiments_log(&e, in, "run.log", &err), &err) &&
	    took(tp_experiments_join(&e, &err), &err))
		took(tp_experiments_emit(&e, &out, &failed, &err), &err);
	read_again(&out);
	tp_experiments_release(&e);
	tp_in_close(in);
}

static void
kernels(const char *p, size_t size)
{
	static struct tp_kernel_words words;
	const char *end = p + size, *lf;
	struct tp_kernels k = { 0 };
	struct tp_kernels_run runs[] = { { "a", &k }, { "b", &k } };
	struct tp_err err = { 0 };
	struct tp_out out;

	if (!words.doc && tp_kernel_words_load(&words, &err) < 0)
		broken(err.text);
	tp_out_init(&out, -1);
	for (; p < end; p = lf + 1) {
		lf = memchr(p, '\n', (size_t)(end - p));
		lf = lf ? lf : end;
		took(tp_kernels_line(&k, &words, p, (size_t)(lf - p),
		    lf == end, &err), &err);
	}
	took(tp_kernels_text_end(&k, &err), &err);
	out.src = runs[0].src;
	tp_kernels_emit(&k, &words, NULL, &out);
	tp_kernels_emit_views(runs, 2, &words, NULL, &out);
	read_again(&out);
	tp_kernels_release(&k);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct tp_buf mended = { 0 };
	cJSON *doc;

	if (tp_json_mend(text, size, &mended))
		doc = cJSON_ParseWithLength(mended.p, mended.len);
	else
		doc = cJSON_ParseWithLength(text, size);
	tp_buf_release(&mended);
	if (doc)
		benchmark(doc);
	run_folder(doc, data, size);
	kernels(text, size);
	if (doc)
		summary(doc);
	cJSON_Delete(doc);
	return 0;
}
