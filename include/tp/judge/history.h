/*
 * history - the runs a gate has judged, one JSON line each
 *
 * A line has the form that other tools for profile_summary.v1 write (status,
 * failures, warnings and four metrics), and more: every check with its
 * numbers.  Both forms are read.  Runs of several models or machines may share
 * a file: "series" says whose a run is.
 *
 * Memory: of each run its label, and a number per metric; the distinct
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

/* A run to be written down. */
struct tp_history_run {
	const char *label;		/* NULL: none */
	const char *recorded_at;	/* "2026-01-01T00:00:00Z"; NULL: it is
					 * printed, not put on record */
	const char *series;		/* NULL: none */
	const char *sha256;		/* of the trace after, or NULL */
	int accepted;			/* later runs are judged by it */
	int restart;			/* and by none before it */
	const struct tp_gates *gates;
	const struct tp_comparison *comparison;
	const char *names[TP_SIDES];	/* of the traces */
	/* of two profile summaries, else NULL */
	const struct cJSON *docs[TP_SIDES];
	const struct tp_promises *promises;	/* NULL: not looked at */
};

/* Write RUN as J; of two summaries with their comparison, at most TOP rows a
 * list, when WHOLE.  0 or -1 with ERR. */
int tp_history_write(struct tp_doc *j, const struct tp_history_run *run,
    int whole, size_t top, struct tp_err *err);
/*
 * Append LEN bytes to FILE, made when it is missing, in one write under a
 * lock; a last line that was cut off is ended first.  0 or -1 with ERR.
 */
int tp_history_append(const char *file, const char *bytes, size_t len,
    struct tp_err *err);

struct tp_history_message {
	size_t times;
	size_t first, last;	/* runs, from 0 */
	size_t since;		/* first of the runs in a row up to last */
	int warning;
};

struct tp_history_point {
	size_t run;
	size_t of;		/* runs that X is the mean of */
	const double *runs;	/* these, when there are several */
	double x;
};

struct tp_history_metric {
	struct tp_history_point *points;	/* at most one a run */
	size_t count, cap;
	int decides;		/* the exit status rests on it */
	int is_level;		/* measured of each run, no difference */
};

struct tp_history_entry {
	const char *label;	/* or NULL */
	const char *name;	/* its label, else "#4": the fourth run read */
	const char *sha256;	/* of its trace, or NULL */
	int is_accepted;	/* may be compared with; of one trace twice
				 * the last time counts */
	int is_restart;		/* runs before it may not */
};

/* The runs of one model or machine. */
struct tp_history_series {
	struct tp_history_entry *runs;
	size_t run_count, run_cap;
	size_t status_counts[TP_GATE_FAIL + 1];
	enum tp_gate_status last_status;
	struct tp_names texts;		/* of messages, numbers folded out */
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
	struct tp_names names;		/* "": runs that name no series */
	struct tp_history_series *series;
	size_t series_cap;
};

/* Add the run that LINE (LEN bytes) tells.  0, or -1 with ERR: TP_BAD
 * "history.damaged" when it is none. */
int tp_history_add(struct tp_history *h, const char *line, size_t len,
    struct tp_err *err);
/*
 * Add all runs of FILE, which may be missing; *DAMAGED counts the lines that
 * tell of none, of which *LINE is the first.  0, or -1 with ERR: it cannot be
 * read, or no memory.
 */
int tp_history_load(struct tp_history *h, const char *file,
    uint64_t *damaged, uint64_t *line, struct tp_err *err);
/* The runs of series NAME (NULL or "": those that name none), or NULL. */
const struct tp_history_series *tp_history_find(const struct tp_history *h,
    const char *name);
/*
 * Write history.summary, history.change, history.chart, history.run (the last
 * TAIL of what decides), history.message (the TOP most frequent),
 * history.promise and history.metric (over the last TAIL runs): of each series,
 * or when BY is not NULL of that one.
 */
int tp_history_emit(const struct tp_history *h, const char *by, size_t top,
    size_t tail, struct tp_out *out, struct tp_err *err);
void tp_history_release(struct tp_history *h);

/* A label with fewer accepted runs is no baseline of its own.  Of fewer lines
 * of several runs each of these counts by itself; of more each line does,
 * since one line's runs may be more alike than those of two. */
#define TP_HISTORY_OF_LABEL 4

/* What a new run is judged by. */
struct tp_history_baseline {
	double *x;		/* of each line the value, or the mean of its
				 * runs, or each of these, the oldest first */
	size_t count;		/* 0: nothing is on record */
	size_t fewest, most;	/* repetitions that a value is the mean of */
	const char *first;	/* names of the first and the last run */
	const char *last;
	/* How runs of earlier levels varied, when these are fewer than asked
	 * for: squared distances of logarithms from the mean of their level,
	 * and how many of them are free. */
	double squares, df;
	double drift_factor;	/* by which it moves from run to run, up to
				 * the last; 1: it does not */
	const char *drift_since;	/* the run with which it began, */
	size_t drift_count;		/* and how many it is by now */
};

/*
 * The baseline of METRIC: its last LAST accepted runs in SERIES (NULL or "":
 * the runs that name none), none before a run that was accepted as a restart,
 * before the last jump of the metric, or before the end of a drift that is
 * over; those tell how runs vary all the same.  When LABEL is not NULL and
 * TP_HISTORY_OF_LABEL of these runs bear it or more, they alone count.  What
 * decides and is not above 0 is left out, and all but the last 10 * LAST.
 *
 * B->x is yours to tp_free(); what else it points to is borrowed from H.
 * 0, or -1 with ERR: no memory.
 */
int tp_history_baseline(const struct tp_history *h, const char *series,
    const char *label, const char *metric, size_t last,
    struct tp_history_baseline *b, struct tp_err *err);

/* TEXT with every number in it as "N", appended to BUF. */
void tp_history_fold(struct tp_buf *buf, const char *text);

#endif
