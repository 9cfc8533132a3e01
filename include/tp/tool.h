/*
 * tool - what every filter's main() has in common
 *
 * Begin, pull, work, emit, end.  The struct tp_tool of a filter is the only
 * place for its purpose and options: --help, the usage line, the man page,
 * shell completions and the README row are made from it.  Only this module
 * prints diagnostics and exits; the rest of the library never does.
 *
 * A filter that reads tables (XML, CSV or row.* records) pulls rows; one
 * that reads the record stream pulls records; one that reads small JSON
 * documents pulls documents.  Operands, "-", gzip, line numbers, the src of
 * a record, notes, the check of standard output and the exit status are
 * handled here.
 */
#ifndef TP_TOOL_H
#define TP_TOOL_H

#include <stdint.h>

#include <tp/err.h>
#include <tp/read/csv.h>
#include <tp/records.h>

#include "read/events.h"
#include "read/rows.h"
#include "read/trace_state.h"

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
	TP_TOOL_FIRST = 32,	/* the first operand is not an input file, or
				 * has a special meaning */
	TP_TOOL_LATE = 64,	/* inputs are opened by tp_start() */
	TP_TOOL_EVENTS = 128,	/* trace events (JSON) */
	TP_TOOL_TEXT = 256,	/* besides tables: other text, line by line */
	TP_TOOL_WRITES = 512,	/* several outputs: --write, --each; then the
				 * first operand is a file */
	TP_TOOL_WRITES_IF = 1024,	/* and --write-if */
	TP_TOOL_BYTES = 2048,	/* standard input is arbitrary bytes: no
				 * --output, no limits, no --strict */
	TP_TOOL_TELLS = 4096,	/* with --write, records about what was written
				 * go to the output, and --output is allowed */
	/*
	 * Permissions beyond reading the files that operands and options name
	 * and writing its outputs; everything else is denied:
	 */
	TP_TOOL_BESIDE = 8192,	/* reads files beside its operands */
	TP_TOOL_SCRATCH = 16384,	/* creates named files in TMPDIR */
	TP_TOOL_SPOOLS = 32768,	/* spools (spool.h), as readers of tables and
				 * events do */
	TP_TOOL_STARTS = 65536,	/* starts a program before tp_start() */
};

struct tp_tool {
	const char *name;	/* "tp-mem" */
	const char *does;	/* one line: "summarise memory samples" */
	const char *operands;	/* after the options: "[FILE...]" */
	const char *reads;	/* one line */
	const char *writes;	/* kinds, space separated, or a phrase */
	const char *group;	/* heading in the README: "Instruments" */
	const char *step;	/* what it makes of a report, shown as progress:
				 * "memory"; NULL: nothing */
	const char *const *examples;	/* command lines, NULL-terminated */
	unsigned flags;
	const struct tp_option *options;	/* its own; ends with a zeroed
						 * row, or NULL */
	const struct tp_bind *tables;	/* TP_TOOL_TABLES: wanted columns; ends
					 * with a zeroed row; NULL: every column
					 * of every table */
	/*
	 * File name endings, NULL-terminated.  Files of a folder form one trace
	 * only when their names without one of these endings are equal; that
	 * common name is the trace's name (when it is empty, the folder's is).
	 * NULL: all files of a folder form one trace.
	 */
	const char *const *endings;
	/*
	 * TP_TOOL_TABLES: gets the records of a stream that are neither rows
	 * nor source nor note (rows.h) while tp_next() reads, and before that
	 * the records of --like FILE.  May be NULL.
	 */
	int (*record)(const struct tp_rec *rec, struct tp_err *err);
	const struct tp_events_want *events;	/* TP_TOOL_EVENTS: wanted
						 * events; --strict sets its
						 * strict */
	/*
	 * Called when a file of events has been read to its end, or to where it
	 * broke; the reader is run->events.  May be NULL.
	 */
	void (*events_end)(struct tp_run *run);
	/*
	 * TP_TOOL_TEXT: called with the state of the trace after the last line
	 * of a text.  1; 0: the text is not for this filter; -1 with ERR: a
	 * problem in it, with its status.
	 */
	int (*text_end)(void *state, struct tp_err *err);
	/*
	 * State per trace (src), which lives to the end of the program; a
	 * zeroed struct must be a valid start.
	 */
	size_t state_size;
};

struct tp_run {
	const struct tp_tool *tool;
	struct tp_out out;	/* standard output or --output */
	struct tp_err err;	/* filled by the call before tp_skip() */
	struct tp_row row;	/* current row, after tp_next() */
	struct tp_rec rec;	/* current record, after tp_next_record() */
	int is_event;		/* tp_next() gave an event, not a row */
	int is_line;		/* ... a line of text: */
	uint64_t line_number;	/* of the line, from 1 */
	int line_unended;	/* the file ends within the line */
	const char *line;	/* text of the record or line, without LF */
	size_t line_len;
	struct tp_csv_cells *cells;	/* current row, after tp_next_cells() */
	struct cJSON *document;	/* current document, after
				 * tp_next_document(); freed by the next */
	size_t input;		/* index of the current operand */
	struct tp_event event;	/* current event, after tp_next_event() */
	int is_cut;		/* for events_end: the input was damaged there,
				 * so events are missing */
	struct tp_events *events;	/* reader of the current file; its lanes
					 * and members live until tp_end() */
	const struct tp_events_want *want;	/* tool->events; may be replaced
						 * before the first pull */
	const char *file;	/* name of the current input for people */
	const char *path;	/* path of the current input as given */
	struct tp_trace *trace;	/* trace of the current row or document */
	struct tp_window window;	/* of run->trace: --from, --to */
	const char *process;	/* of run->trace, from tp_next_trace() on:
				 * --process or --like, or NULL */
	const char *label;	/* --label, or NULL */
	const char *table;	/* --table, or NULL */
	int strict, quiet;
	int by_folder;		/* name a single file's trace after its folder,
				 * as with several files */
	int bare;		/* the output is no record stream, so notes go
				 * to standard error */
	int unused;		/* no analysis reads the rows: source records
				 * say so */
	char **beside;		/* per operand, a file whose folder and name it
				 * counts under; NULL: its own.  Or NULL */
	char **operands;	/* operands after the options; with
				 * TP_TOOL_FIRST without the first */
	int operand_count;
	const char *first;	/* TP_TOOL_FIRST: the first operand, or NULL */
	struct tp_run_private *private;
};

/*
 * Parse options, handle --help and --version, open the output.  Exits with
 * TP_USAGE on a wrong command line.
 */
void tp_begin(struct tp_run *run, const struct tp_tool *tool, int argc,
    char **argv);

/*
 * --as NAME, for a program that runs for a script: messages begin with NAME,
 * unless it is NULL.  Exits with TP_USAGE when NAME is no program.
 */
void tp_speak_as(struct tp_run *run, const char *name);

/* TP_TOOL_LATE: use run->operands, as they now are, as the inputs. */
void tp_start(struct tp_run *run);
/*
 * Call when standard input is about to be read: when it is a terminal, print
 * what to feed this program and exit with TP_USAGE.
 */
void tp_need_input(struct tp_run *run);

/*
 * Pull the next row into run->row and its trace into run->trace; 1, or 0
 * when all inputs are read.  Damage is reported, counted and noted here.  A
 * caller that also takes rows by tp_row_step() continues after those.
 */
int tp_next_run(struct tp_run *run);
static inline int
tp_next(struct tp_run *run)
{
	return tp_row_step(&run->row) || tp_next_run(run);
}
/*
 * Pull the next record into run->rec (borrowed until the next call) and
 * run->line; 1 or 0.  In a filter that also reads documents, a document is
 * returned in run->document, which is NULL for a record.
 */
int tp_next_record(struct tp_run *run);
/*
 * Pull the next event into run->event; 1 or 0.  A filter that reads both
 * tables and events pulls with tp_next(): run->is_event says what came.
 */
int tp_next_event(struct tp_run *run);
/* Pull the next line that is not empty into run->line; 1 or 0. */
int tp_next_line(struct tp_run *run);
/* Pull the next input, any text, whole (at most 64 MiB) into TEXT; 1 or 0. */
int tp_next_text(struct tp_run *run, struct tp_buf *text);
/*
 * Pull the next JSON document, whole (at most 64 MiB), into run->document; 1
 * or 0.
 */
int tp_next_document(struct tp_run *run);
/*
 * Pull the next row of a CSV of any columns into run->cells; 1 or 0.  The
 * header is a row too: the first after run->input changed.
 */
int tp_next_cells(struct tp_run *run);
/*
 * Read all records of all inputs into SET.  Messages after that name no
 * file.
 */
void tp_read_set(struct tp_run *run, struct tp_set *set);

/*
 * The current row, record or document is unusable for the reason in
 * run->err.  tp_skip() prints one diagnostic per kind of damage, counts and
 * notes it, and exits on TP_IO and TP_LIMIT.  tp_take() calls it when RC is
 * negative.
 */
void tp_skip(struct tp_run *run);
void tp_take(struct tp_run *run, int rc);

/*
 * Iterate over the traces, in order of first appearance, to emit records:
 * sets run->trace and the src of run->out.  The next call first writes the
 * "source" and "note" records of the previous trace.  1, or 0 at the end.
 */
int tp_next_trace(struct tp_run *run);
/*
 * A trace of its own for the rows of run->trace that are of SOURCE, called
 * "TRACE: SOURCE"; it comes after all others, and its state is zeroed.
 */
struct tp_trace *tp_part_trace(struct tp_run *run, const char *source,
    size_t len);
/*
 * Call ADD for each row, then EMIT for each trace; both return 0, or -1 with
 * run->err, which tp_take() handles.
 */
void tp_analyse(struct tp_run *run, int (*add)(struct tp_run *),
    int (*emit)(struct tp_run *));

/*
 * Write LEN BYTES to the file PATH, completely or not at all.  On failure
 * the old file stays and the program exits with TP_IO.
 */
void tp_write_file(struct tp_run *run, const char *path, const char *bytes,
    size_t len);

/* TP_TOOL_WRITES: whether --write or --write-if was given. */
int tp_writes(const struct tp_run *run);
/*
 * Write all outputs of --write and --write-if from SET, each file completely
 * or not at all; nothing when an input could not be opened.  PRINT appends
 * the output called NAME to OUT, or returns 0 when SET has nothing for it.
 * Exits on failure.  With --each, PRINT gets the records of one value at a
 * time (shallow copies), and every value scans all records.
 */
void tp_write_all(struct tp_run *run, const struct tp_set *set,
    int (*print)(struct tp_run *run, const char *name,
    const struct tp_set *set, struct tp_buf *out));

/* Print a message on standard error, prefixed by the program's name. */
void tp_say(struct tp_run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, but not with --quiet. */
void tp_warn(struct tp_run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* tp_say(), then exit with STATUS. */
void tp_die(struct tp_run *run, enum tp_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), noreturn));
/* tp_die() with run->err. */
void tp_die_err(struct tp_run *run) __attribute__((noreturn));
/* Raise the exit status to at least STATUS. */
void tp_status_at_least(struct tp_run *run, enum tp_status status);
/*
 * The exit status so far; above TP_NO when an input could not be read
 * completely.
 */
enum tp_status tp_status_now(const struct tp_run *run);

/*
 * Whether the output is a terminal that may show more than plain text:
 * NO_COLOR is not set and it is no dumb terminal.
 */
int tp_is_bold(const struct tp_run *run);
/*
 * Whether the output is a terminal.  SCREEN gets its width (0: no terminal)
 * and, from the locale, whether it shows UTF-8 and which dots it uses.
 */
int tp_is_screen(const struct tp_run *run, struct tp_screen *screen);

/* Flush and close the output, free everything, and return the exit status. */
int tp_end(struct tp_run *run);
/*
 * Whether PROGRAM (argv[0]) without its folders is NAME, as when called
 * through a link.
 */
int tp_is_called(const char *program, const char *name);

/*
 * Exit with TP_USAGE unless each of LIST (NULL-terminated) is KEY=VALUE.
 * Then write each as a "meta" record.
 */
void tp_check_metas(struct tp_run *run, const char *const *list);
void tp_emit_metas(struct tp_out *out, const char *const *list);

#endif
