/*
 * experiment - documents in a run folder of ExecuTorch
 *
 * A pipeline leaves documents beside the tables of a run: a manifest,
 * metrics, its configuration, a summary, logs of the runner.  They name the
 * model, the runners and the experiments, and state latencies that the
 * tables hold too.  Experiments are found in the records made from the
 * tables and joined, by name and threads, with what the documents say.
 * Experiments that differ only in whether the feature is on are paired.
 * Latencies of documents and tables are checked against each other.
 *
 * Without any table, the latencies in the metrics become records instead.
 *
 * Where something ran, and whether the feature was on, is recognised by
 * words in names (share/platforms/executorch.json); otherwise it is unknown.
 *
 * Memory: the entries of the documents, and per experiment a few summary
 * records, whatever the number of rows.
 */
#ifndef TP_EXECUTORCH_EXPERIMENT_H
#define TP_EXECUTORCH_EXPERIMENT_H

#include <stdint.h>

#include <tp/alloc.h>
#include <tp/err.h>
#include <tp/in.h>
#include <tp/records.h>

struct cJSON;

enum tp_run_document {
	TP_RUN_MANIFEST, TP_RUN_SUMMARY, TP_RUN_METRICS, TP_RUN_CONFIG,
	TP_RUN_LOG, TP_RUN_DOCUMENTS
};

/*
 * A document's entry for one experiment.  Text is borrowed from the arena;
 * missing text is NULL, missing numbers are -1.
 */
struct tp_experiment_said {
	enum tp_run_document by;
	const char *name, *model, *mode, *state, *runner;
	int64_t threads, runs, warmup;
	int64_t median_ns, mean_ns;
	int64_t *run_ns;		/* of each run, or NULL */
	size_t run_ns_count;
};

/* A file that a document names. */
struct tp_experiment_file {
	const char *role, *name;	/* name: of its experiment, or NULL */
	const char *path;
	const char *other;		/* another path given for it, or NULL */
};

/* Two experiments that the configuration asks to compare. */
struct tp_experiment_wish {
	const char *name[2];		/* baseline, candidate */
	int64_t threads[2];
};

struct tp_experiment {
	int64_t number;			/* from 1, in the order given */
	const char *src;		/* of its records */
	const char *stem;		/* common stem of its file names, or
					 * NULL: src names it */
	const char *file;		/* the first of them, or NULL */
	const char *name, *model, *system, *system_from, *build;
	const char *rest;		/* name without the build */
	const char *joined;		/* name without build and system */
	int64_t threads;		/* -1: unknown */
	const struct tp_rec *latency, *delegation;	/* or NULL */
	const struct tp_experiment_said *said;	/* its entry, or NULL */
	int paired;
};

struct tp_experiment_pair {
	size_t of[2];			/* baseline, candidate: indexes */
	int wished;			/* requested by the configuration */
};

struct tp_experiment_document {
	const char *file,
	    *generated_at;	/* made: generated_at, or NULL */
	int64_t version;
};

/* Empty when zeroed; call tp_experiments_words() before anything else. */
struct tp_experiments {
	struct cJSON *words;
	struct tp_arena arena;
	const char *folder;		/* where files are looked for; may be
					 * NULL */
	struct tp_experiment_document *documents[TP_RUN_DOCUMENTS];
	const char *model, *config, *output_root;
	const char *generated_at,
	    *generated_by;	/* date and author, of the newest
					 * document */
	const char *sha, *expected_sha;
	int dirty, present;		/* -1: unknown */
	struct tp_experiment_said *said;
	size_t said_count, said_cap;
	struct tp_experiment_file *files;
	size_t file_count, file_cap;
	struct tp_experiment_wish *wishes;
	size_t wish_count, wish_cap;
	struct tp_set set;		/* records of the experiments */
	struct tp_out document_records;	/* when there is no table */
	struct tp_experiment *list;
	size_t count, cap;
	struct tp_experiment_pair *pairs;
	size_t pair_count, pair_cap;
};

/* Load the meanings of words in names.  0, or -1 with ERR. */
int tp_experiments_words(struct tp_experiments *e, struct tp_err *err);

/*
 * Write latency.setup: how an experiment was run, as far as its name STEM
 * tells by WORDS; nothing when the name tells nothing.
 */
void tp_experiment_setup(const struct tp_experiments *words, const char *stem,
    struct tp_out *out);

/*
 * Read DOC, the document in FILE.  Returns whether it is the document of a
 * run, and the first of its kind.
 */
int tp_experiments_document(struct tp_experiments *e,
    const struct cJSON *doc, const char *file);
/*
 * Read IN, a runner's log called FILE: the number of runs and their time.
 * 1; 0 when it does not state them; -1 with ERR.
 */
int tp_experiments_log(struct tp_experiments *e, struct tp_in *in,
    const char *file, struct tp_err *err);
/*
 * Take record REC, parsed from LINE.  Each src is an experiment, whatever
 * kinds its records are.  0, or -1 with ERR.
 */
int tp_experiments_record(struct tp_experiments *e, const struct tp_rec *rec,
    const char *line, size_t len, struct tp_err *err);

/*
 * Call after the last input: find the experiments and pair them.  0, or -1
 * with ERR.
 */
int tp_experiments_join(struct tp_experiments *e, struct tp_err *err);
/*
 * Write the records; *FAILED gets the number of failed checks.  0, or -1
 * with ERR.
 */
int tp_experiments_emit(const struct tp_experiments *e, struct tp_out *out,
    int64_t *failed, struct tp_err *err);
void tp_experiments_release(struct tp_experiments *e);

#endif
