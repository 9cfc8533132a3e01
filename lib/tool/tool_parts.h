/* tool_parts - shared by the parts of tool; not installed */
#ifndef TP_TOOL_TOOL_PARTS_H
#define TP_TOOL_TOOL_PARTS_H

#include <tp/lines.h>
#include <tp/output.h>
#include <tp/tool.h>

#include "read_rate.h"

/* An operand and its trace. */
struct tp_operand {
	const char *path;
	char *place;		/* target of a recipe's link, or NULL */
	char *key;		/* folder, or "-" */
	char *name;		/* for people, set when opened */
	enum tp_format format;	/* set when peeked at early */
	struct tp_err refused;	/* error found while measuring the run:
				 * reported, and not retried */
	struct tp_trace *trace;
	uint64_t size;		/* bytes, for the progress; 0: unknown */
};

/* A kind of damage in one file: reported once, then counted. */
struct tp_damage {
	const struct tp_trace *trace;
	const char *file, *code, *what;
	size_t note;		/* in trace->notes */
	uint64_t count;
};

/* What --like FILE says of one trace. */
struct tp_like {
	char *name;		/* of its target, or NULL */
	int64_t pid;		/* of the target, or -1 */
	char number[24];	/* the pid as text */
	int by_toc;		/* chosen by the table of contents */
	int has_window;
	struct tp_window window;
};

struct tp_likes {
	struct tp_names srcs;	/* parallel to list */
	struct tp_like *list;
	size_t cap;
};

struct tp_run_private {
	struct tp_tables *tables;
	struct tp_operand *inputs;
	size_t input_count, next_input;
	size_t source_from;	/* index of the current input's first source */
	struct tp_in *in;
	struct tp_rows *rows;
	struct tp_events **readers;	/* of all inputs with events */
	size_t reader_count, reader_cap;
	int reading_events;		/* events are read from the last
					 * reader */
	int64_t first_ps, last_ps;	/* time range of its events, */
	uint64_t timed, unread;		/* and number of those with a time, and
					 * of damaged ones */
	struct tp_lines lines;
	int lines_open;
	int reading_text;		/* tp_next() returns lines */
	struct tp_arena rec_arena;
	struct tp_trace *traces, *last_trace, *emitting;
	struct tp_names srcs;	/* of the traces; parallel to by_src */
	struct tp_trace **by_src;
	size_t by_src_cap;
	int emit_started;
	struct tp_damage *damages;
	size_t damage_count, damage_cap;
	int64_t jobs;
	const char *output, *from, *to, *last, *parser, *each;
	const char *files_from, *ok, *name;
	struct tp_buf files_text;	/* content of --files-from */
	char **operands;
	const char *onlys[TP_OPT_LIST_MAX], *metas[TP_OPT_LIST_MAX];
	struct tp_buf only;	/* all --only, with sets expanded */
	const char *process, *like;
	int any_row;			/* a row was returned */
	const char *records_file;	/* first record stream, or NULL */
	int seek_process;		/* no row of the process yet; */
	struct tp_names processes;	/* processes seen */
	struct tp_likes likes;
	const char *writes[TP_OPT_LIST_MAX], *writes_if[TP_OPT_LIST_MAX];
	struct tp_progress {	/* shown on a terminal after one second */
		int asked, on;	/* wanted; running */
		/* Below: owned by the drawing thread, or under its lock. */
		int shown;	/* a line is on the screen */
		int terminal;	/* descriptor for locking, or -1 */
		int mine;	/* we hold the lock; others do not draw */
		int reading;	/* reading since SINCE_MS */
		int64_t begun_ms, since_ms;
		struct tp_in *in;	/* current input, or NULL */
		const char *verb;	/* "reading" */
		size_t number;	/* of the input, from 1; 0: none yet */
		uint64_t before, total;	/* bytes of earlier inputs; of all
					 * inputs, 0: some size is unknown */
		struct tp_buf who, name;	/* escaped for display */
		struct tp_pace pace;
	} progress;
	struct tp_output aside;		/* of --output */
	int relative;		/* the window depends on the length of the
				 * run */
	int status;
};

/* tp_output_open() of PATH; returns the descriptor, exits on failure. */
int tp_tool_create(struct tp_run *run, struct tp_output *o, const char *path);
/* tp_output_keep(); exits on failure. */
void tp_tool_finish(struct tp_run *run, struct tp_output *o);

/*
 * Confine the process (confine.h) to what RUN needs to read its operands and
 * write its outputs, unless TP_CONFINE is 0.
 */
void tp_tool_confine(struct tp_run *run);

/* The common options and TOOL's own, in the order of --help; *COUNT of them. */
struct tp_option *tp_tool_options(struct tp_run *run, size_t *count);
/*
 * Print --help in the form "", "man", "row", "zsh" or "fish"; or, when FORM
 * is the name of an argument such as "SECTION", its possible values.
 */
void tp_tool_help(const struct tp_run *run, const struct tp_option *options,
    size_t count, const char *form);
/*
 * Length of the first word of an argument's name; and whether its possible
 * values are known.
 */
size_t tp_tool_word(const char *word);
int tp_tool_has_values(const char *word);
/* Print these values, one per line; for KIND, the kinds that TOOL writes. */
void tp_tool_print_values(const struct tp_tool *tool, const char *word);
/* Whether TOOL writes records of KIND. */
int tp_tool_writes_kind(const struct tp_tool *tool, const char *kind,
    size_t len);
/*
 * Set run->private->only; exit unless --only names kinds that the filter
 * writes.
 */
void tp_tool_take_only(struct tp_run *run);
/* Exit unless --write, --write-if and --each are valid. */
void tp_tool_check_writes(struct tp_run *run);
/* Append the usage line to BUF. */
void tp_tool_usage(const struct tp_tool *tool, struct tp_buf *buf);

/*
 * When more than half of ALL, or more than ten and a tenth of them, were
 * skipped in source S of the current input, say so: what is left is not what
 * was recorded, so the status is TP_BAD.  They are OF_WHAT: "events".
 */
void tp_tool_note_lost(struct tp_run *run, const struct tp_source *s,
    const char *of_what, uint64_t all);

/* Open the next operand that can be opened; 1, or 0 after the last. */
int tp_tool_open_next(struct tp_run *run, enum tp_format *format);
void tp_tool_close_input(struct tp_run *run);
/*
 * The current input as a whole is bad: report and note it, and raise the
 * exit status to TP_BAD.
 */
void tp_tool_bad_input(struct tp_run *run);
/* Set run->err: this program does not read inputs of FORMAT. */
void tp_tool_wrong_format(struct tp_run *run, enum tp_format format);
/*
 * Read the current input as a document and close it.  1, or 0 when it is
 * none.
 */
int tp_tool_take_document(struct tp_run *run, enum tp_format format);
void tp_tool_drop_document(struct tp_run *run);
struct tp_source *tp_tool_add_source(struct tp_run *run, const char *format,
    const char *schema);
/* Store the size of the current file in the sources from FROM on. */
void tp_tool_count_bytes(struct tp_run *run, size_t from);

/* Whether an input of FORMAT is read as trace events. */
int tp_tool_is_events(struct tp_run *run, enum tp_format format);
/*
 * tp-rows --strict: whether the current input is a JSON document of a single
 * string, number or word; then it is noted.
 */
int tp_tool_is_scalar(struct tp_run *run);
/* Open the current input as trace events.  0, or -1 with run->err. */
int tp_tool_open_events(struct tp_run *run);
/* Next event of the current input: 1, or 0 at its end. */
int tp_tool_pull_event(struct tp_run *run);
void tp_tool_free_events(struct tp_run *run);

/* Whether the current input, of FORMAT, is text other than a table. */
int tp_tool_is_text(struct tp_run *run, enum tp_format format);
/* Open it for reading by line; next line: 1, or 0 at its end. */
void tp_tool_open_text(struct tp_run *run);
int tp_tool_pull_line(struct tp_run *run);

/*
 * Read the program (.pte) among the operands that produced the current
 * input, an ETDump, if there is one, for the current trace.
 */
void tp_tool_find_program(struct tp_run *run);
/*
 * Whether an operand may be an ETDump (or is standard input), so that a
 * program is useful.
 */
int tp_tool_has_dump(struct tp_run *run);

/* Group the operands by folder and name their traces. */
void tp_tool_name_traces(struct tp_run *run);
/* The trace called SRC, created when new (record streams). */
struct tp_trace *tp_tool_trace(struct tp_run *run, const char *src);
/* Write the sources of a trace and notes about problems in them. */
void tp_tool_emit_sources(struct tp_run *run, struct tp_trace *trace);
/*
 * Progress line: operand NUMBER (from 1) is now the current input, and VERB
 * ("reading") happens to it; it is about to be closed; hide the line so that
 * a message can be printed; allow it again; end it.
 */
void tp_tool_progress(struct tp_run *run, const char *verb, size_t number);
void tp_tool_progress_closing(struct tp_run *run);
void tp_tool_progress_hide(struct tp_run *run);
void tp_tool_progress_show(struct tp_run *run);
void tp_tool_progress_end(struct tp_run *run);
/* Callback: the output of RUN begins to be written. */
void tp_tool_progress_output(void *run);
/*
 * Resolve --from, --to and --last for every trace.  For a limit relative to
 * the end or length of the run, inputs without a table of contents are read
 * twice.
 */
void tp_tool_window(struct tp_run *run);

/*
 * Check whether the current row is of the process asked for; at the end,
 * when none was, list those that exist and set TP_NO.
 */
void tp_tool_see_process(struct tp_run *run);
void tp_tool_tell_asked(struct tp_run *run);

/*
 * Read --like FILE: learn the target and window of its traces, and pass its
 * records to the filter's record function.  Exits when FILE is unusable.
 */
void tp_tool_like_read(struct tp_run *run);
/* Whether FILE gives a window for TRACE. */
int tp_tool_like_has_window(struct tp_run *run, const struct tp_trace *trace);
/* Set the limits of TRACE's window that no option sets from FILE. */
void tp_tool_like_window(struct tp_run *run, struct tp_trace *trace);
/*
 * The target of TRACE named by --process or FILE; NULL when neither does, or
 * when FILE's target is that of the table of contents.  Call after all
 * inputs were read.
 */
const char *tp_tool_process(struct tp_run *run, const struct tp_trace *trace);

#endif
