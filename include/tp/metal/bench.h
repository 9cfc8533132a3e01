/*
 * bench - read benchmark documents
 *
 * A document is {tag, timestamp, hardware_note, models_dir, runs:[{model,
 * steps, n_images, image_size, repeats, warmup, latency:{mean_s, std_s,
 * p50_s, p90_s, min_s, max_s, images_per_second, tokens_per_second},
 * prompt_tokens, generation_tokens, peak_memory_mb:{mean, max, min}}]}.  A
 * run needs latency.mean_s; everything else is optional and absent when it
 * is not recorded.  Memory: one struct per run.
 */
#ifndef TP_METAL_BENCH_H
#define TP_METAL_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include <tp/alloc.h>
#include <tp/err.h>
#include <tp/records.h>

/* No pairwise comparison beyond this many runs: its cost is quadratic. */
#define TP_BENCH_PAIRED 128

struct cJSON;

/* A number that may be absent. */
struct tp_bench_int {
	int known;
	int64_t n;
};

struct tp_bench_real {
	int known;
	double x;
};

struct tp_bench_run {
	size_t file;			/* index into files */
	const char *model;		/* or NULL */
	struct tp_bench_int steps, n_images, image_size, repeats, warmup;
	struct tp_bench_int mean_ns, std_ns, p50_ns, p90_ns, min_ns, max_ns;
	struct tp_bench_int prompt_tokens, tokens;	/* tokens: generated */
	struct tp_bench_real images_per_s, tokens_per_s;
	struct tp_bench_real peak_mean_mb, peak_max_mb, peak_min_mb;
};

struct tp_bench_file {
	const char *file;	/* without its folders */
	const char *tag, *hardware_note, *models_dir;	/* or NULL */
	struct tp_bench_real timestamp;	/* s since 1970 */
	size_t run_count;
};

/* A zeroed struct is empty. */
struct tp_bench {
	struct tp_bench_file *files;
	size_t file_count, file_cap;
	struct tp_bench_run *runs;
	size_t run_count, run_cap;
	struct tp_arena arena;
};

/*
 * Add the document DOC of FILE.  *SKIPPED counts runs without a usable
 * latency.  0, or -1 with ERR: TP_BAD "bench.unknown" (fatal) when DOC is no
 * benchmark document.
 */
int tp_bench_add(struct tp_bench *bench, const struct cJSON *doc,
    const char *file, size_t *skipped, struct tp_err *err);
/*
 * Write the records, newest file first (by timestamp; undated files count as
 * oldest, ties go by name).  The newest is called "latest", the others
 * "earlier".
 */
void tp_bench_emit(struct tp_bench *bench, struct tp_out *out);
void tp_bench_release(struct tp_bench *bench);

#endif
