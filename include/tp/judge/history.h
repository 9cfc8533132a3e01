/*
 * history - the runs a gate has judged, one JSON line each
 *
 * A line has the form that other tools for profile_summary.v1 write (status,
 * failures, warnings and four metrics) and adds every check with its
 * numbers.  Both forms are read.  Runs of several models or machines may
 * share a file; "series" separates them.
 *
 * Memory: per run its label and one number per metric; the distinct
 * messages.
 */
#ifndef TP_JUDGE_HISTORY_H
#define TP_JUDGE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include <tp/doc.h>
#include <tp/err.h>
#include <tp/hash.h>
#include <tp/judge/gate.h>
#include <tp/judge/history_promise.h>

struct cJSON;

/* A run to append to a history. */
struct tp_history_run {
	const char *label;		/* NULL: none */
	const char *recorded_at;	/* "2026-01-01T00:00:00Z"; NULL: only
					 * printed, not recorded */
	const char *series;		/* NULL: none */
	const char *sha256;		/* of the trace after, or NULL */
	int accepted;			/* later runs are compared with it */
	int restart;			/* ... and no longer with runs before
					 * it */
	const struct tp_gates *gates;
	const struct tp_comparison *comparison;
	const char *names[TP_SIDES];	/* of the traces */
	/* When both sides are profile summaries, else NULL. */
	const struct cJSON *docs[TP_SIDES];
	const struct tp_promises *promises;	/* NULL: not checked */
};

/*
 * Write RUN to J.  WHOLE includes the comparison of two summaries, with at
 * most TOP rows per list.
 */
void tp_history_write(struct tp_doc *j, const struct tp_history_run *run,
    int whole, size_t top);
/*
 * Append LEN bytes to FILE, which is created when missing, in one write
 * under a lock.  An incomplete last line is ended first.  0, or -1 with ERR.
 */
int tp_history_append(const char *file, const char *bytes, size_t len,
    struct tp_err *err);

struct tp_history_message {
	size_t times;
	size_t first, last;	/* runs, from 0 */
	size_t since;		/* first of the consecutive runs up to last */
	int warning;
};

struct tp_history_point {
	size_t run;
	size_t of;		/* number of runs averaged in X */
	const double *runs;	/* their values, when there are several */
	double x;
};

struct tp_history_metric {
	struct tp_history_point *points;	/* at most one a run */
	size_t count, cap;
	int decides;		/* the exit status rests on it */
	int is_level;		/* a value of each run, not a difference */
};

struct tp_history_entry {
	const char *label;	/* or NULL */
	const char *name;	/* label, else "#4" for the fourth run read */
	const char *sha256;	/* of its trace, or NULL */
	int is_accepted;	/* may be compared with; when one trace occurs
				 * twice, only its last run */
	int is_restart;		/* later runs are not compared with earlier
				 * ones */
};

/* The runs of one model or machine. */
struct tp_history_series {
	struct tp_history_entry *runs;
	size_t run_count, run_cap;
	size_t status_counts[TP_GATE_FAIL + 1];
	enum tp_gate_status last_status;
	struct tp_names texts;		/* messages with numbers replaced */
	struct tp_history_message *messages;
	size_t message_cap;
	struct tp_names metric_names;
	struct tp_history_metric *metrics;
	size_t metric_cap;
	struct tp_history_promises promises;
	struct tp_arena arena;
};

/* A zeroed struct is empty. */
struct tp_history {
	size_t run_count;
	struct tp_names names;		/* of series; "": runs without one */
	struct tp_history_series *series;
	size_t series_cap;
};

/*
 * Add the run in LINE (LEN bytes).  0, or -1 with ERR: TP_BAD
 * "history.damaged" when LINE is not a run.
 */
int tp_history_add(struct tp_history *h, const char *line, size_t len,
    struct tp_err *err);
/*
 * Add all runs of FILE, which need not exist.  *DAMAGED counts the lines
 * that are not runs, *LINE is the first of them.  0, or -1 with ERR: it
 * cannot be read.
 */
int tp_history_load(struct tp_history *h, const char *file,
    uint64_t *damaged, uint64_t *line, struct tp_err *err);
/* The series called NAME (NULL or "": runs without a series), or NULL. */
const struct tp_history_series *tp_history_find(const struct tp_history *h,
    const char *name);
/*
 * Write, for each series or only for BY when it is not NULL:
 * history.summary, history.change, history.chart, history.run (the last TAIL
 * values of the deciding metrics), history.message (the TOP most frequent),
 * history.promise and history.metric (over the last TAIL runs).
 */
void tp_history_emit(const struct tp_history *h, const char *by, size_t top,
    size_t tail, struct tp_out *out);
void tp_history_release(struct tp_history *h);

/*
 * A label with fewer accepted runs than this is no baseline of its own.  In
 * a baseline of fewer lines, each repetition within a line counts as a
 * value; with more lines, each line counts once, because repetitions of one
 * line may be more alike than two lines.
 */
#define TP_HISTORY_OF_LABEL 4

/* What a new run is compared with. */
struct tp_history_baseline {
	double *x;		/* oldest first: per line its value or the mean
				 * of its repetitions, or every repetition */
	size_t count;		/* 0: no run on record */
	size_t fewest, most;	/* repetitions averaged in a value */
	const char *first;	/* names of the first and the last run */
	const char *last;
	/*
	 * How runs of earlier levels varied, when there are fewer values than
	 * asked for: sum of squared distances of logarithms from the mean of
	 * their level, and its degrees of freedom.
	 */
	double squares, df;
	double drift_factor;	/* drift per run up to the last one; 1: none */
	const char *drift_since;	/* the run at which the drift began */
	size_t drift_count;		/* ... and how many runs it has
					 * lasted */
};

/*
 * The baseline of METRIC: its last LAST accepted runs in SERIES (NULL or "":
 * runs without a series).  Excluded are runs before an accepted restart,
 * before the last jump of the metric, or before the end of a drift that is
 * over; they still contribute to the noise.  When LABEL is not NULL and at
 * least TP_HISTORY_OF_LABEL of these runs have that label, only those count.
 * Values of a deciding metric that are not above 0 are left out, and so is
 * everything before the last 10 * LAST runs.
 *
 * B->x is yours to tp_free(); its other pointers are borrowed from H.
 */
void tp_history_baseline(const struct tp_history *h, const char *series,
    const char *label, const char *metric, size_t last,
    struct tp_history_baseline *b);

/* Append TEXT to BUF with every number replaced by "N". */
void tp_history_fold(struct tp_buf *buf, const char *text);

#endif
