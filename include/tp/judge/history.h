/*
 * history - the runs a gate has judged, one JSON line each
 *
 * A line has the form that other tools for profile_summary.v1 write (status,
 * failures, warnings and four metrics), and more: every check with its
 * numbers.  Both forms are read.
 *
 * Memory: of each run its label, and a number per metric; the distinct
 * messages.
 */
#ifndef TP_JUDGE_HISTORY_H
#define TP_JUDGE_HISTORY_H

#include <stddef.h>

#include <tp/doc.h>
#include <tp/err.h>
#include <tp/hash.h>
#include <tp/judge/gate.h>

struct cJSON;

/* A run to be written down. */
struct tp_history_run {
	const char *label;		/* NULL: none */
	const char *recorded_at;	/* "2026-01-01T00:00:00Z"; NULL: it is
					 * printed, not put on record */
	const char *series;		/* NULL: none */
	int accepted;			/* later runs are judged by it */
	int restart;			/* and by none before it */
	const struct tp_gates *gates;
	const struct tp_comparison *comparison;
	const char *names[TP_SIDES];	/* of the traces */
	/* of two profile summaries, else NULL */
	const struct cJSON *docs[TP_SIDES];
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
	double x;
};

struct tp_history_series {
	struct tp_history_point *points;
	size_t count, cap;
};

/* A zeroed struct is empty. */
struct tp_history {
	size_t run_count, label_cap;
	const char **labels;		/* of every run; "" when it has none */
	size_t status_counts[TP_GATE_FAIL + 1];
	enum tp_gate_status last_status;
	struct tp_names texts;		/* of messages, numbers folded out */
	struct tp_history_message *messages;
	size_t message_cap;
	struct tp_names metrics;
	struct tp_history_series *series;
	size_t series_cap;
	struct tp_arena arena;
};

/* Add the run that LINE (LEN bytes) tells.  0, or -1 with ERR: TP_BAD
 * "history.damaged" when it is none. */
int tp_history_add(struct tp_history *h, const char *line, size_t len,
    struct tp_err *err);
/* Write history.summary, history.message (the TOP most frequent) and
 * history.metric (over the last TAIL runs). */
int tp_history_emit(const struct tp_history *h, size_t top, size_t tail,
    struct tp_out *out, struct tp_err *err);
void tp_history_release(struct tp_history *h);

/* TEXT with every number in it as "N", appended to BUF. */
void tp_history_fold(struct tp_buf *buf, const char *text);

#endif
