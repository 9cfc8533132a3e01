/* private - what the parts of tool share; not installed */
#ifndef TP_TOOL_PRIVATE_H
#define TP_TOOL_PRIVATE_H

#include <tp/lines.h>
#include <tp/output.h>
#include <tp/tool.h>

#include "pace.h"

/* An operand, and the trace it belongs to. */
struct tp_operand {
	const char *path;
	char *place;		/* what a link of a recipe points to, or NULL */
	char *key;		/* folder, or "-" */
	char *name;		/* for people, once opened */
	enum tp_format format;	/* once looked at beside its turn */
	struct tp_err failed;	/* met while the run was measured: it is told,
				 * and not tried again */
	struct tp_trace *trace;
	uint64_t size;		/* bytes, for the progress; 0: not known */
};

/* A kind of damage in one file: reported once, counted. */
struct tp_damage {
	const struct tp_trace *trace;
	const char *file, *code, *what;
	size_t note;		/* in trace->notes */
	uint64_t count;
};

/* What the records of --like FILE say of one trace. */
struct tp_like {
	char *name;		/* of its target, or NULL: none */
	int64_t pid;		/* of it, or -1 */
	char number[24];	/* the same as text */
	int by_toc;		/* the table of contents chose it */
	int has_window;
	struct tp_window window;
};

struct tp_likes {
	struct tp_names srcs;	/* by index: */
	struct tp_like *list;
	size_t cap;
};

struct tp_run_private {
	struct tp_tables *tables;
	struct tp_operand *inputs;
	size_t input_count, next_input;
	size_t source_from;	/* first source of the current input */
	struct tp_in *in;
	struct tp_rows *rows;
	struct tp_events **readers;	/* of all inputs with events */
	size_t reader_count, reader_cap;
	int reading_events;		/* from the last of them */
	int64_t first_ps, last_ps;	/* times of its events */
	struct tp_lines lines;
	int lines_open;
	int reading_text;		/* tp_next() gives them */
	struct tp_arena rec_arena;
	struct tp_trace *traces, *last_trace, *emitting;
	struct tp_names srcs;	/* of the traces, and by it: */
	struct tp_trace **by_src;
	size_t by_src_cap;
	int emit_started;
	struct tp_damage *damages;
	size_t damage_count, damage_cap;
	int64_t jobs;
	const char *output, *from, *to, *last, *parser, *each;
	const char *files_from, *ok, *name;
	struct tp_buf files_text;	/* its content, and with that: */
	char **operands;
	const char *onlys[TP_OPT_LIST_MAX], *metas[TP_OPT_LIST_MAX];
	struct tp_buf only;	/* all of them, with sets written out */
	const char *process, *like;
	int any_row;			/* a row was delivered */
	const char *records_file;	/* the first input of records, or
					 * NULL */
	int seek_process;		/* no row of it was met yet: */
	struct tp_names processes;	/* there are these */
	struct tp_likes likes;
	const char *writes[TP_OPT_LIST_MAX], *writes_if[TP_OPT_LIST_MAX];
	struct tp_progress {	/* on a terminal, for work over a second */
		int asked, on;	/* whether it is wanted; it is */
		/* all else is the thread's that draws, or under its lock: */
		int shown;	/* there is a line */
		int terminal;	/* opened to be locked, or -1 */
		int mine;	/* it is: others do not draw */
		int reading;	/* SINCE_MS, or not */
		int64_t begun_ms, since_ms;
		struct tp_in *in;	/* read now, or NULL */
		const char *verb;	/* what is done with it */
		size_t number;	/* of it, from 1; 0: there was none yet */
		uint64_t before, total;	/* bytes of those before it; of all,
					 * 0 when one is not known */
		struct tp_buf who, name;	/* to be shown */
		struct tp_pace pace;
	} progress;
	struct tp_output aside;		/* of --output */
	int relative;		/* the window is of the length of the run */
	int status;
};

/* tp_output_open() of PATH: a descriptor; exits when that cannot be. */
int tp_tool_create(struct tp_run *run, struct tp_output *o, const char *path);
/* tp_output_keep(); exits when that cannot be. */
void tp_tool_finish(struct tp_run *run, struct tp_output *o);

/* Give up what RUN does not need to read its operands and to write its
 * outputs, unless TP_CONFINE is 0. */
void tp_tool_confine(struct tp_run *run);

/* The common options and TOOL's own, in the order of --help; COUNT out. */
struct tp_option *tp_tool_options(struct tp_run *run, size_t *count);
/* --help in one of its forms: "", "man", "row", "zsh", "fish", or what an
 * argument is called whose values are asked for, such as "SECTION". */
void tp_tool_help(const struct tp_run *run, const struct tp_option *options,
    size_t count, const char *form);
/* Length of the first word of what an argument is called, and whether values
 * are known for that. */
size_t tp_tool_word(const char *word);
int tp_tool_has_values(const char *word);
/* Print them, a line each: of KIND those that TOOL writes, if it does. */
void tp_tool_print_values(const struct tp_tool *tool, const char *word);
/* Whether TOOL writes records of KIND. */
int tp_tool_writes_kind(const struct tp_tool *tool, const char *kind,
    size_t len);
/* Set run->private->only; die unless --only names what the filter writes. */
void tp_tool_take_only(struct tp_run *run);
/* Die unless --write, --write-if and --each are as they have to be. */
void tp_tool_check_writes(struct tp_run *run);
/* One line on how to call it, to BUF. */
void tp_tool_usage(const struct tp_tool *tool, struct tp_buf *buf);

/* Open the next operand that can be opened; 1, or 0 after the last. */
int tp_tool_open_next(struct tp_run *run, enum tp_format *format);
void tp_tool_close_input(struct tp_run *run);
/* The current input as a whole is bad: say so, note it, remember 3. */
void tp_tool_bad_input(struct tp_run *run);
/* Words for an input that is not what this program reads; sets run->err. */
void tp_tool_wrong_format(struct tp_run *run, enum tp_format format);
/* The current input as a document, then it is closed; 1, or 0 when it is
 * none. */
int tp_tool_take_document(struct tp_run *run, enum tp_format format);
void tp_tool_drop_document(struct tp_run *run);
struct tp_source *tp_tool_add_source(struct tp_run *run, const char *format,
    const char *schema);
/* Remember how large the current file was, in the sources from FROM on. */
void tp_tool_count_bytes(struct tp_run *run, size_t from);

/* Whether an input of FORMAT is read as trace events. */
int tp_tool_is_events(struct tp_run *run, enum tp_format format);
/* tp-rows --strict: whether the current input is a JSON document that is a
 * lone string, number or word; then it is noted. */
int tp_tool_is_scalar(struct tp_run *run);
/* Read the current input as such; 0, or -1 with run->err. */
int tp_tool_open_events(struct tp_run *run);
/* Next event of the current input: 1, or 0 when it is done with. */
int tp_tool_pull_event(struct tp_run *run);
void tp_tool_free_events(struct tp_run *run);

/* Whether the current input, of FORMAT, is text that is no table. */
int tp_tool_is_text(struct tp_run *run, enum tp_format format);
/* Read it by line; the next one: 1, or 0 when it is done with. */
void tp_tool_open_text(struct tp_run *run);
int tp_tool_pull_line(struct tp_run *run);

/* Read the program (.pte) among the operands that the current input, an
 * ETDump, is of, if there is one, for the current trace. */
void tp_tool_find_program(struct tp_run *run);
/* Whether a program may be of one of the operands: standard input, or an
 * ETDump. */
int tp_tool_has_dump(struct tp_run *run);

/* Base name of PATH without what says only how it is stored, yours to
 * tp_free(); NULL without memory. */
char *tp_tool_file_name(const char *path);
/* Group the operands by folder and name their traces. */
void tp_tool_name_traces(struct tp_run *run);
/* The trace called SRC, made when new (record streams). */
struct tp_trace *tp_tool_trace(struct tp_run *run, const char *src);
void tp_tool_free_traces(struct tp_run *run);
/* Write what a trace's inputs were and what was odd about them. */
void tp_tool_emit_sources(struct tp_run *run, struct tp_trace *trace);
/*
 * For the line that says how far long work is: operand NUMBER, from 1, is open
 * as the current input, and what is done with it (VERB: "reading"); it will be
 * closed; the line goes, so that a message has its place, and may come again;
 * it goes for good.
 */
void tp_tool_progress(struct tp_run *run, const char *verb, size_t number);
void tp_tool_progress_closing(struct tp_run *run);
void tp_tool_progress_hide(struct tp_run *run);
void tp_tool_progress_show(struct tp_run *run);
void tp_tool_progress_end(struct tp_run *run);
/* For the output of RUN: it begins to be written. */
void tp_tool_progress_output(void *run);
/*
 * Resolve --from, --to and --last for every trace.  A limit counted from the
 * end, or in shares, reads inputs twice whose table of contents is not there.
 */
void tp_tool_window(struct tp_run *run);

/* Look whether the current row is of the process that is sought; and at the
 * end, when none was, say which there are: TP_NO. */
void tp_tool_see_process(struct tp_run *run);
void tp_tool_tell_asked(struct tp_run *run);

/* Learn from --like FILE what its traces are about, and give its records to
 * the filter that takes some.  Exits when FILE cannot be used. */
void tp_tool_like_read(struct tp_run *run);
/* Whether FILE names the part of TRACE that is used. */
int tp_tool_like_has_window(struct tp_run *run, const struct tp_trace *trace);
/* Set those limits of TRACE's window from it that no option sets. */
void tp_tool_like_window(struct tp_run *run, struct tp_trace *trace);
/* The target of TRACE that --process or FILE names; NULL: neither, or what
 * its table of contents says.  After the inputs have been read. */
const char *tp_tool_process(struct tp_run *run, const struct tp_trace *trace);
void tp_tool_like_release(struct tp_run *run);

#endif
