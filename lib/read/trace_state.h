/*
 * trace_state - state of one trace while its rows are read
 *
 * Files of one folder (or one stream) form one trace and share one src, one
 * filter state, one target process and one list of sources and notes.
 */
#ifndef TP_READ_TRACE_STATE_H
#define TP_READ_TRACE_STATE_H

#include <stdint.h>

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>

/* A half-open part of the time line; unlimited: 0 .. INT64_MAX. */
struct tp_window {
	int64_t from_ns, to_ns;
};

struct tp_toc_run;
struct tp_program;

/* Table of contents of the run in use. */
struct tp_toc {
	int known;
	int64_t run;			/* run number */
	int64_t duration_ns;		/* 0: not recorded */
	const char *process;		/* launched target, or NULL */
	int64_t pid;			/* its pid, or -1 */
	struct tp_toc_run *runs;	/* all runs (xctrace.h), owned */
};

struct tp_source {
	char *file;		/* as given, links followed, home as "~" */
	const char *format;	/* "xml" "csv" "records" "json" ... */
	char *schema;		/* table, or NULL */
	char sha256[65];	/* of the file as stored, or "" */
	uint64_t rows, bytes, skipped;
	int64_t first_ns, last_ns;	/* time range of its rows; first_ns >
					 * last_ns: none */
	uint64_t first_row;	/* hash of the first row that has a time */
};

struct tp_note {
	char *code, *text;
	int status;
	uint64_t count;
};

struct tp_trace {
	char *src;
	char *key;		/* identity: folder or stream */
	struct tp_toc toc;
	int64_t run_number;	/* run of its tables, from 1 in the toc's order;
				 * 0: unknown */
	struct tp_window window;	/* part in use: --from, --to */
	struct tp_window extent;	/* the whole run, when it is needed, and
					 * where that comes from: */
	const char *extent_of;	/* "toc", "rows" or NULL: unknown */
	struct tp_source *sources;
	size_t source_count, source_cap;
	struct tp_note *notes;
	size_t note_count, note_cap;
	struct tp_program *program;	/* ExecuTorch program that ran
					 * (program.h), or NULL; owned */
	struct tp_buf passed;	/* source and note lines of the input stream, to
				 * copy to the output */
	int used;		/* rows came from a record stream */
	int refused;		/* rows were read twice, so no result is
				 * written */
	int renamed;		/* number of notes that only tell its name */
	void *state;		/* the filter's own, of tool->state_size */
	struct tp_trace *next;
};

/*
 * Add COUNT to the note of CODE and the formatted text, created when new.
 * Its index in TRACE's notes.
 */
size_t tp_trace_note(struct tp_trace *trace, const char *code, int status,
    uint64_t count, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Free the sources and notes of TRACE. */
void tp_trace_release_notes(struct tp_trace *trace);

/*
 * The name of the trace in PATH, yours to tp_free(): that of the folder, or of
 * the file.
 */
char *tp_trace_name(const char *path);
/*
 * The nearest meaningful folder name (not "Attachments", "*.run", "plugins",
 * "profile" or a time), without ".trace".
 */
char *tp_trace_folder_name(const char *folder);
/* The base name without .gz, .csv, .xml, .json and the like. */
char *tp_trace_file_name(const char *path);
/* The length of NAME (LEN bytes) without SUFFIX, if it is longer than that. */
size_t tp_without(const char *name, size_t len, const char *suffix);

/*
 * Processes of a trace, by name and pid, as small indexes; -1: no process.
 * A zeroed struct is empty.
 */
struct tp_procs {
	struct tp_names names;
	struct tp_ids ids;	/* (index of name, pid) */
	uint32_t recent[TP_RECENT];	/* cache: index + 1 of processes used
					 * lately */
};

ptrdiff_t tp_procs_add(struct tp_procs *procs, const char *name, size_t len,
    int64_t pid);
const char *tp_procs_name(const struct tp_procs *procs, ptrdiff_t at);
/* -1 when the pid is unknown. */
int64_t tp_procs_pid(const struct tp_procs *procs, ptrdiff_t at);
/* Index in TO of process AT of FROM, added when new. */
ptrdiff_t tp_procs_same(const struct tp_procs *from, ptrdiff_t at,
    struct tp_procs *to);
void tp_procs_release(struct tp_procs *procs);

/*
 * Choose the target of a trace among PROCS: --process (WANTED, a name or
 * pid), else the table of contents, else the process with the largest
 * WEIGHTS[i], the window server excepted (ties by name, then pid; all zero:
 * none).  Returns its index or -1; *HOW gets "option", "toc" or WEIGHED (a
 * literal that names the weight).
 */
ptrdiff_t tp_target_choose(const struct tp_procs *procs, const char *wanted,
    const struct tp_toc *toc, const int64_t *weights, const char *weighed,
    const char **how);
/*
 * When WANTED or TOC names a target that was not found: write a note
 * "target.absent" that lists the processes in the rows of WHAT.
 */
void tp_target_note(const struct tp_procs *procs, const char *wanted,
    const struct tp_toc *toc, const char *what, struct tp_out *out);

#endif
