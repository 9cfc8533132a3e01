/*
 * trace - what is known about one trace while its rows are read
 *
 * Files of one folder (or one stream) are one trace and share one src, one
 * state of the filter, one target process and one list of sources and notes.
 */
#ifndef TP_READ_TRACE_H
#define TP_READ_TRACE_H

#include <stdint.h>

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>

/* A part of the time line, half open; NO limits: 0 .. INT64_MAX. */
struct tp_window {
	int64_t from_ns, to_ns;
};

struct tp_toc_run;
struct tp_program;

/* What a table of contents says about the run that is used. */
struct tp_toc {
	int known;
	int64_t run;			/* its number */
	int64_t duration_ns;		/* 0: not recorded */
	const char *process;		/* launched target, or NULL */
	int64_t pid;			/* of it, or -1 */
	struct tp_toc_run *runs;	/* all of it (xctrace.h), owned */
};

struct tp_source {
	char *file;		/* as given, links followed, home as "~" */
	const char *format;	/* "xml" "csv" "records" "json" ... */
	char *schema;		/* table, or NULL */
	char sha256[65];	/* of the file as stored, or "" */
	uint64_t rows, bytes, skipped;
	int64_t first_ns, last_ns;	/* time range of its rows; first_ns >
					 * last_ns: none */
	uint64_t first_row;	/* a hash of the first that has a time */
};

struct tp_note {
	char *code, *text;
	int status;
	uint64_t count;
};

struct tp_trace {
	char *src;
	char *key;		/* what tells traces apart: folder or stream */
	struct tp_toc toc;
	int64_t run_number;	/* which run its tables come from, counted from
				 * 1 in the toc's order; 0 unknown */
	struct tp_window window;	/* what is used of it: --from, --to */
	struct tp_window extent;	/* all of the run, when that is needed,
				 * and what says so: */
	const char *extent_of;	/* "toc", "rows" or NULL: not known */
	struct tp_source *sources;
	size_t source_count, source_cap;
	struct tp_note *notes;
	size_t note_count, note_cap;
	struct tp_program *program;	/* what ran, of ExecuTorch (program.h),
					 * or NULL; owned */
	struct tp_buf passed;	/* source and note lines of a record stream
				 * that was read, to be handed on */
	int used;		/* rows came from a record stream */
	int refused;		/* rows came twice: nothing is made of them */
	int renamed;		/* notes that only tell how it is called */
	void *state;		/* the filter's own, of tool->state_size */
	struct tp_trace *next;
};

/* Add to the count of note CODE with this TEXT, or make it.  Its index in
 * TRACE's notes, or -1 without memory. */
ptrdiff_t tp_trace_note(struct tp_trace *trace, const char *code, int status,
    uint64_t count, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Free the sources and notes of TRACE. */
void tp_trace_release_told(struct tp_trace *trace);

/*
 * What the trace in PATH is called: for a folder its nearest name that says
 * something (not "Attachments", "*.run", "plugins", "profile" or a time),
 * without ".trace"; for a file its base name without .gz .csv .xml .json.
 * Yours to tp_free(); NULL without memory.
 */
char *tp_trace_name(const char *path);

/*
 * Processes of a trace, by name and pid, as small indexes; -1 is "no
 * process".  A zeroed struct is empty.
 */
struct tp_procs {
	struct tp_names names;
	struct tp_ids ids;	/* (index of name, pid) */
	uint32_t recent[TP_RECENT];	/* index + 1 of those given lately */
};

ptrdiff_t tp_procs_add(struct tp_procs *procs, const char *name, size_t len,
    int64_t pid);
const char *tp_procs_name(const struct tp_procs *procs, ptrdiff_t at);
/* -1 when the pid is not known. */
int64_t tp_procs_pid(const struct tp_procs *procs, ptrdiff_t at);
/* The process AT of FROM, by its index in TO; -1 without memory. */
ptrdiff_t tp_procs_same(const struct tp_procs *from, ptrdiff_t at,
    struct tp_procs *to);
void tp_procs_release(struct tp_procs *procs);

/*
 * Choose the target of a trace among PROCS: --process (WANTED, a name or a
 * pid), else the table of contents, else the greatest WEIGHTS[i] but for the
 * window server's (ties by name, then pid; all zero: none).  Returns the
 * index or -1, and in *HOW "option", "toc" or WEIGHED (a literal that names
 * the weight).
 */
ptrdiff_t tp_target_choose(const struct tp_procs *procs, const char *wanted,
    const struct tp_toc *toc, const int64_t *weights, const char *weighed,
    const char **how);
/*
 * When no target was chosen although WANTED or TOC names one: a note
 * "target.absent" that says which processes the rows of WHAT do have.
 */
void tp_target_note(const struct tp_procs *procs, const char *wanted,
    const struct tp_toc *toc, const char *what, struct tp_out *out);

#endif
