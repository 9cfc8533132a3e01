/*
 * experiment - what a run folder of ExecuTorch says of itself
 *
 * A pipeline leaves documents beside the tables of a run: a manifest, metrics,
 * its configuration, a summary, logs of the runner.  They name the model, the
 * runners and the experiments, and tell latencies that the tables tell too.
 * Experiments are found in the records made from the tables, joined with what
 * the documents say by name and threads, paired (the same but for the
 * feature that is on or off), and both are held against each other.
 *
 * Without any table the latencies that metrics tell are records too.
 *
 * Where something ran, and whether the feature was on, is told by words of
 * names (share/platforms/executorch.json); what nothing tells is not known.
 *
 * Memory: the documents' entries, and per experiment its summaries (a few
 * records), whatever the number of rows.
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

/* What a document says of one experiment; text is borrowed from the arena,
 * NULL where it says nothing, numbers -1. */
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
	const char *role, *name;	/* of which experiment, or NULL */
	const char *path;
	const char *other;		/* the same, from another place */
};

/* Two experiments that the configuration wants compared. */
struct tp_experiment_wish {
	const char *name[2];		/* baseline, candidate */
	int64_t threads[2];
};

struct tp_experiment {
	int64_t number;			/* from 1, in the order given */
	const char *src;		/* of its records */
	const char *stem;		/* name of its files */
	const char *name, *model, *system, *system_from, *build;
	const char *rest;		/* of the name, without the build */
	const char *joined;		/* that without the system, too */
	int64_t threads;		/* -1: not told */
	const struct tp_rec *latency, *delegation;	/* or NULL */
	const struct tp_experiment_said *said;	/* its entry, or NULL */
	int paired;
};

struct tp_experiment_pair {
	size_t of[2];			/* baseline, candidate: indexes */
	int wished;			/* by the configuration */
};

/* A document that was read. */
struct tp_experiment_document {
	const char *file, *made;	/* made: generated_at, or NULL */
	int64_t version;
};

/* A zeroed struct is empty, once tp_experiments_words() has been called. */
struct tp_experiments {
	struct cJSON *words;
	struct tp_arena arena;
	const char *folder;		/* where files are looked for, or
					 * NULL */
	struct tp_experiment_document *documents[TP_RUN_DOCUMENTS];
	const char *model, *config, *output_root;
	const char *made, *made_by;	/* the newest document's own time */
	const char *sha, *expected_sha;
	int dirty, present;		/* -1: not told */
	struct tp_experiment_said *said;
	size_t said_count, said_cap;
	struct tp_experiment_file *files;
	size_t file_count, file_cap;
	struct tp_experiment_wish *wishes;
	size_t wish_count, wish_cap;
	struct tp_set set;		/* records of the experiments */
	struct tp_out told;		/* those that documents tell, when
					 * there is no table */
	struct tp_experiment *list;
	size_t count, cap;
	struct tp_experiment_pair *pairs;
	size_t pair_count, pair_cap;
};

/* Load what words of names mean; 0 or -1 with ERR. */
int tp_experiments_words(struct tp_experiments *e, struct tp_err *err);

/* Write latency.setup: what STEM, the name of an experiment, says of how it
 * was run, by the words that are loaded; nothing where it says nothing.  0, or
 * -1 without memory. */
int tp_experiment_setup(const struct tp_experiments *words, const char *stem,
    struct tp_out *out);

/*
 * Take DOC, of FILE.  1; 0 when it is none of the documents of a run; -1
 * with ERR: TP_BAD "document.damaged", TP_LIMIT.
 */
int tp_experiments_document(struct tp_experiments *e,
    const struct cJSON *doc, const char *file, struct tp_err *err);
/* Take the log of a runner, called FILE: how long how many runs took.  1; 0
 * when it does not say so; -1 with ERR. */
int tp_experiments_log(struct tp_experiments *e, struct tp_in *in,
    const char *file, struct tp_err *err);
/* Take a record, REC parsed from LINE: a src is an experiment, whatever its
 * records are. */
int tp_experiments_record(struct tp_experiments *e, const struct tp_rec *rec,
    const char *line, size_t len, struct tp_err *err);

/* When all are there: find the experiments and pair them; 0 or -1 with
 * ERR. */
int tp_experiments_join(struct tp_experiments *e, struct tp_err *err);
/* Write the records; *FAILED gets how many checks did not hold. */
int tp_experiments_emit(const struct tp_experiments *e, struct tp_out *out,
    int64_t *failed, struct tp_err *err);
void tp_experiments_release(struct tp_experiments *e);

#endif
