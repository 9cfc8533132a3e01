/*
 * tool - what every filter's main() has in common
 *
 * Begin, pull, work, emit, end.  The struct tp_tool of a filter is the only
 * place where its purpose and options stand: --help, the usage line, the man
 * page, the shell completions and the README row come from it.  This module
 * is the one that prints diagnostics and exits; the rest of the library
 * never does.
 *
 * A filter that reads tables (XML, CSV or row.* records) pulls rows; one that
 * reads the record stream pulls records; one that reads small JSON documents
 * pulls documents.  Operands, "-", gzip, line numbers, the src of a record,
 * notes, the check of standard output and the exit status are handled here.
 */
#ifndef TP_TOOL_H
#define TP_TOOL_H

#include <stdint.h>

#include <tp/err.h>
#include <tp/read/csv.h>
#include <tp/records.h>

#include "read/events.h"
#include "read/rows.h"
#include "read/trace.h"

struct cJSON;
struct tp_run;
struct tp_screen;

enum tp_option_type {
	TP_OPT_END = 0,
	TP_OPT_FLAG,	/* int *: set to 1 */
	TP_OPT_TEXT,	/* const char **: the argument, borrowed from argv */
	TP_OPT_COUNT,	/* int64_t *: a whole number >= 0 */
	TP_OPT_NS,	/* int64_t *: a duration: 200000, 200us, 1.5s */
	TP_OPT_BYTES,	/* int64_t *: a size: 4096, 16KiB, 1.5GiB */
	TP_OPT_LIST,	/* const char *[TP_OPT_LIST_MAX], NULL-terminated:
			 * may be given several times */
	TP_OPT_MAYBE,	/* const char **: optional argument, "" without */
	TP_OPT_OUT,	/* as TP_OPT_TEXT: a file or folder that is written */
};
#define TP_OPT_LIST_MAX 64

struct tp_option {
	enum tp_option_type type;
	const char *name;	/* long name, without dashes */
	int letter;		/* short name, or 0 */
	const char *arg;	/* what the argument is called, or NULL */
	const char *help;	/* one line, lower case, no full stop */
	void *value;
};

/* Which of the common options and inputs a filter takes. */
enum {
	TP_TOOL_TABLES = 1,	/* rows: --table */
	TP_TOOL_RECORDS = 2,	/* the record stream */
	TP_TOOL_DOCUMENTS = 4,	/* small JSON documents */
	TP_TOOL_TARGET = 8,	/* --process NAME|PID */
	TP_TOOL_WINDOW = 16,	/* --from, --to, --last; with both: --like */
	TP_TOOL_FIRST = 32,	/* the first operand is not a file, or one of
				 * another meaning */
	TP_TOOL_LATE = 64,	/* inputs wait for tp_start() */
	TP_TOOL_EVENTS = 128,	/* trace events (JSON) */
	TP_TOOL_TEXT = 256,	/* beside tables: text that is none, by line */
	TP_TOOL_WRITES = 512,	/* several outputs: --write, --each; the first
				 * operand is a file then */
	TP_TOOL_WRITES_IF = 1024,	/* and --write-if */
	TP_TOOL_BYTES = 2048,	/* standard input is any bytes: no --output, no
				 * limits, no --strict */
	TP_TOOL_TELLS = 4096,	/* with --write records of what was written go
				 * to the output, which --output may name */
	/* What it does beyond reading the files that its operands and options
	 * name, and writing its outputs; all else is refused to it: */
	TP_TOOL_BESIDE = 8192,	/* reads files beside its operands */
	TP_TOOL_SCRATCH = 16384,	/* makes files of a name in TMPDIR */
	TP_TOOL_SPOOLS = 32768,	/* spools (spool.h), as readers of tables and
				 * events do */
	TP_TOOL_STARTS = 65536,	/* starts a program, before tp_start() */
};

struct tp_tool {
	const char *name;	/* "tp-mem" */
	const char *does;	/* one line: "summarise memory samples" */
	const char *operands;	/* after the options: "[FILE...]" */
	const char *reads;	/* one line */
	const char *writes;	/* kinds, space separated, or a phrase */
	const char *group;	/* heading in the README: "Instruments" */
	const char *step;	/* what of a report it makes, for whoever waits
				 * for it: "memory"; NULL: nothing to name */
	const char *const *examples;	/* command lines, NULL-terminated */
	unsigned flags;
	const struct tp_option *options;	/* its own, ended by a zeroed
						 * row, or NULL */
	const struct tp_bind *tables;	/* TP_TOOL_TABLES: what it wants,
					 * ended by a zeroed row; NULL: every
					 * column of every table */
	/* Files of a folder are one trace only when their names, without one
	 * of these endings, are the same, which names the trace (a name that
	 * is nothing else: the folder does); ended by NULL.  NULL: whatever
	 * their names. */
	const char *const *endings;
	/* TP_TOOL_TABLES: gets the records of a stream that are neither rows
	 * nor source nor note (rows.h), while tp_next() reads, and before
	 * that those of --like FILE; or NULL. */
	int (*record)(const struct tp_rec *rec, struct tp_err *err);
	const struct tp_events_want *events;	/* TP_TOOL_EVENTS: what it
						 * wants; strict is set by
						 * --strict */
	/* A file of events has been read, run->events to its end (or to where
	 * it broke); or NULL. */
	void (*events_end)(struct tp_run *run);
	/*
	 * TP_TOOL_TEXT: called with the state of the trace behind the last
	 * line of a text: 1; 0: this is no text for the filter; -1 with ERR:
	 * what is odd about it, with the status that stands for.
	 */
	int (*text_end)(void *state, struct tp_err *err);
	/* State kept per trace (src); a zeroed struct must be a valid start. */
	size_t state_size;
	void (*state_release)(void *state);
};

struct tp_run {
	const struct tp_tool *tool;
	struct tp_out out;	/* standard output or --output */
	struct tp_err err;	/* filled by the call before tp_skip() */
	struct tp_row row;	/* current row, after tp_next() */
	struct tp_rec rec;	/* current record, after tp_next_record() */
	int is_event;		/* tp_next() gave an event, not a row */
	int is_line;		/* ... a line of text: */
	uint64_t line_number;	/* of a line, from 1 */
	int line_unended;	/* the file stops in it */
	const char *line;	/* text of the record or line, without LF */
	size_t line_len;
	struct tp_csv_cells *cells;	/* current row, after tp_next_cells() */
	struct cJSON *document;	/* current document, after
				 * tp_next_document(); freed by the next */
	size_t input;		/* index of the current operand */
	struct tp_event event;	/* current event, after tp_next_event() */
	int is_cut;		/* events_end: there would be more events, had
				 * the input not been damaged there */
	struct tp_events *events;	/* the reader of its file, kept with
					 * its lanes and members to tp_end() */
	const struct tp_events_want *want;	/* tool->events; may be set
						 * before the first pull */
	const char *file;	/* name of the current input for people */
	const char *path;	/* the same as it was given */
	struct tp_trace *trace;	/* trace of the current row or document */
	struct tp_window window;	/* of run->trace: --from, --to */
	const char *process;	/* of run->trace, from tp_next_trace() on:
				 * --process or --like, or NULL */
	const char *label;	/* --label, or NULL */
	const char *table;	/* --table, or NULL */
	int strict, quiet;
	int by_folder;		/* a file alone is a trace of its folder's
				 * name too, as several are */
	int bare;		/* the output is no record stream: notes go
				 * to standard error instead */
	char **beside;		/* of each operand a file, in whose folder it
				 * counts as, and that names its trace; NULL:
				 * its own.  Or NULL */
	char **operands;	/* what follows the options; with
				 * TP_TOOL_FIRST without the first */
	int operand_count;
	const char *first;	/* TP_TOOL_FIRST: it, or NULL */
	struct tp_run_private *private;
};

/* Parse options, answer --help and --version, open the output.  Exits with
 * TP_USAGE on a wrong command line. */
void tp_begin(struct tp_run *run, const struct tp_tool *tool, int argc,
    char **argv);

/* --as NAME of a program that speaks for a script: messages begin with NAME,
 * unless it is NULL.  Exits with TP_USAGE when it names no program. */
void tp_speak_as(struct tp_run *run, const char *name);

/* TP_TOOL_LATE: take run->operands, as they are by now, as the inputs. */
void tp_start(struct tp_run *run);
/* Standard input will be read: when it is a terminal, say what to feed this
 * program, and exit with TP_USAGE. */
void tp_need_input(struct tp_run *run);

/*
 * Pull the next row into run->row and its trace into run->trace; 1, or 0
 * when all inputs are read.  Damage is reported, counted and noted here.  Who
 * takes rows by tp_row_step() too gets what is behind them.
 */
int tp_next_run(struct tp_run *run);
static inline int
tp_next(struct tp_run *run)
{
	return tp_row_step(&run->row) || tp_next_run(run);
}
/*
 * Pull the next record into run->rec (borrowed until the next call) and
 * run->line; 1 or 0.  A filter that reads documents too gets each of them
 * here, in run->document, which is NULL when a record came.
 */
int tp_next_record(struct tp_run *run);
/*
 * Pull the next event into run->event; 1 or 0.  A filter that reads both
 * tables and events pulls with tp_next(): run->is_event says what came.
 */
int tp_next_event(struct tp_run *run);
/* Pull the next line that is not empty into run->line; 1 or 0. */
int tp_next_line(struct tp_run *run);
/* Pull the next input, whatever text it is, whole (at most 64 MiB) into TEXT;
 * 1 or 0. */
int tp_next_text(struct tp_run *run, struct tp_buf *text);
/* Pull the next whole JSON document (at most 64 MiB) into run->document. */
int tp_next_document(struct tp_run *run);
/*
 * Pull the next row of a CSV of any columns into run->cells; 1 or 0.  The
 * header is a row too: the first after run->input has changed.
 */
int tp_next_cells(struct tp_run *run);
/* Read all records of all inputs into SET.  What goes wrong after that
 * is told without a file. */
void tp_read_set(struct tp_run *run, struct tp_set *set);

/*
 * The current row, record or document cannot be used: run->err says why.
 * Prints one diagnostic per kind of damage, counts, and notes it; exits when
 * the error is TP_IO or TP_LIMIT.  tp_take() does that when RC is negative.
 */
void tp_skip(struct tp_run *run);
void tp_take(struct tp_run *run, int rc);

/*
 * Walk the traces in order of first appearance, for emitting: sets
 * run->trace and the src of run->out; after the records of a trace its
 * "source" and "note" records are written by the next call.
 */
int tp_next_trace(struct tp_run *run);
/* Hand each row to ADD, then each trace to EMIT; both return 0, or -1 with
 * run->err, which tp_take() takes. */
void tp_analyse(struct tp_run *run, int (*add)(struct tp_run *),
    int (*emit)(struct tp_run *));

/* Make PATH a file of LEN BYTES, whole or not at all: what was there stays
 * when it cannot be written, which ends the program with TP_IO. */
void tp_write_file(struct tp_run *run, const char *path, const char *bytes,
    size_t len);

/* TP_TOOL_WRITES: whether --write or --write-if was given. */
int tp_writes(const struct tp_run *run);
/*
 * Write all that they ask for of SET, each FILE whole or not at all; nothing
 * where an input could not be opened.  PRINT appends what NAME is to OUT; 0
 * when SET has nothing for it.  It exits when it cannot.  With --each, SET is
 * of one value at a time: those records are copied, not what they hold, and
 * all records are looked at for each value.
 */
void tp_write_all(struct tp_run *run, const struct tp_set *set,
    int (*print)(struct tp_run *run, const char *name,
    const struct tp_set *set, struct tp_buf *out));

/* Say MESSAGE on standard error, prefixed by the program's name. */
void tp_warn(struct tp_run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, then exit with STATUS. */
void tp_die(struct tp_run *run, enum tp_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), noreturn));
/* tp_die() with run->err. */
void tp_die_err(struct tp_run *run) __attribute__((noreturn));
/* Remember that the exit status is at least STATUS. */
void tp_status_at_least(struct tp_run *run, enum tp_status status);
/* The status so far: above TP_NO when an input could not be read whole. */
enum tp_status tp_status_now(const struct tp_run *run);

/* Whether the output is a terminal that may show more than plain text: without
 * NO_COLOR, and not a dumb one. */
int tp_is_bold(const struct tp_run *run);
/* Whether the output is a terminal.  SCREEN gets its width, 0 when it is none,
 * and what the locale says: whether it shows UTF-8, where dots are one
 * character. */
int tp_is_screen(const struct tp_run *run, struct tp_screen *screen);

/* Flush and close the output, free everything; the exit status. */
int tp_end(struct tp_run *run);
/* Whether PROGRAM, argv[0], is NAME in whatever folder: a link has a name of
 * its own. */
int tp_is_called(const char *program, const char *name);

/* Die unless each of LIST, NULL-terminated, is KEY=VALUE; then write a "meta"
 * record of each. */
void tp_check_metas(struct tp_run *run, const char *const *list);
void tp_emit_metas(struct tp_out *out, const char *const *list);

#endif
