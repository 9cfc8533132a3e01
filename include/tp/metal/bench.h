/*
 * bench - what benchmark documents say
 *
 * A document is {tag, timestamp, hardware_note, models_dir, runs:[{model,
 * steps, n_images, image_size, repeats, warmup, latency:{mean_s, std_s,
 * p50_s, p90_s, min_s, max_s, images_per_second, tokens_per_second},
 * prompt_tokens, generation_tokens, peak_memory_mb:{mean, max, min}}]}; only
 * runs with a latency.mean_s are needed.  What is not recorded is absent.
 * Memory: one struct per run.
 */
#ifndef TP_METAL_BENCH_H
#define TP_METAL_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include <tp/alloc.h>
#include <tp/err.h>
#include <tp/records.h>

/* More runs than that are not compared in pairs: it grows with their
 * square, and no benchmark has so many models. */
#define TP_BENCH_PAIRED 128

struct cJSON;

/* A number that may not be recorded. */
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
 * Take document DOC of FILE.  *SKIPPED counts the runs without a usable
 * latency.  0, or -1 with ERR: TP_BAD "bench.unknown" when it is no benchmark
 * document (fatal), or TP_LIMIT.
 */
int tp_bench_add(struct tp_bench *bench, const struct cJSON *doc,
    const char *file, size_t *skipped, struct tp_err *err);
/*
 * Write the records: files by time (undated ones count as oldest, ties by
 * name), newest first and called "latest", the others "earlier".
 */
int tp_bench_emit(struct tp_bench *bench, struct tp_out *out,
    struct tp_err *err);
void tp_bench_release(struct tp_bench *bench);

#endif
