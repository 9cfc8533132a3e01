/*
 * look - what the files that somebody gave are
 *
 * Walks folders, opens each file once, reads at most 64 KiB of it (of a log
 * that names no kernel, all) and says what it is: its format, the table it
 * holds, what a report does with it, and which recording it is of; or why it
 * is of no use.  A file that cannot be read is an answer, never a failure.
 * Memory: per file its path and some 400 bytes, and the processes that its
 * first rows name, at most 256.
 */
#ifndef TP_LOOK_H
#define TP_LOOK_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/err.h>
#include <tp/in.h>
#include <tp/records.h>

#include "read/table.h"
#include "read/trace.h"

/* Folders nest no deeper than that. */
#define TP_LOOK_DEPTH 32

/* What a report does with a file. */
enum tp_look_state {
	TP_LOOK_USED,
	TP_LOOK_COUNTED,	/* its rows are counted, no number is of it */
	TP_LOOK_UNUSED,		/* nothing that a report is made of */
	TP_LOOK_LOST		/* it could not be read: data are missing */
};

/* Which of the five a report is of. */
enum tp_look_source {
	TP_LOOK_NONE, TP_LOOK_METAL, TP_LOOK_JAX, TP_LOOK_TORCH,
	TP_LOOK_EXECUTORCH
};

struct tp_redact;

struct tp_look_file {
	char *path;		/* as given, and what follows in the folder */
	size_t place;		/* in PATH: behind the folder that was given */
	const char *given;	/* that folder, without links */
	const char *name;	/* for people: its base name, or where it is
				 * when another has that */
	size_t operand;		/* which of those given it was found in */
	/* what tells that it has changed */
	dev_t dev;
	ino_t ino;
	int64_t bytes;
	uint64_t head;		/* a hash of what was read of it */
	struct timespec mtime, ctime;

	enum tp_format format;
	int is_rows;		/* of that table; else it is a document */
	const char *table;	/* or NULL; one pointer for one name */
	const char *role;	/* what a report does with it, or NULL: a word
				 * of share/tables, or of its format */
	enum tp_look_state state;
	const char *what;	/* words for people: "table kdebug" */
	char *why;		/* not used, and what to do; or NULL */
	const char *code;	/* of the note that is owed, or NULL */
	int is_summed;		/* a remark tells of it and many more */
	char sha256[65];	/* of all of it, or "" */
	char link[64];		/* its name among the links, or "" */
	int is_twin;		/* another file has its base name */
	int whole_place;	/* the link names its place in the folder */

	/* which recording it is of */
	const char *prefix;	/* of its name, before the name of its table;
				 * NULL: the name says nothing */
	const char *folder;	/* that it is in, without what Instruments
				 * made */
	size_t folder_at;	/* which of all folders that is */
	int has_rows;
	int64_t run;		/* in the order of the recording, or 0 */
	const char *device;	/* the GPU that its first rows name, or NULL */
	ptrdiff_t *procs;	/* processes that they name, in those of */
	size_t proc_count;	/* tp_look, and the one that most of them */
	ptrdiff_t main_process;	/* name, or -1 */
	int more_procs;		/* than are kept */
	char *target;		/* a toc: the process that was launched */
	int64_t target_pid;
	size_t recording;	/* in tp_look.recordings, or TP_LOOK_ANY */
};
#define TP_LOOK_ANY ((size_t)-1)

struct tp_look_recording {
	char *name;
	size_t table_count;
};

/* What is to be said of all files together. */
struct tp_look_remark {
	const char *code;
	char *text;
	enum tp_status status;
	size_t count;		/* files, or 1 */
};

/* An experiment of ExecuTorch: its files are run-NNN, NNN its number. */
struct tp_look_experiment {
	const char *name;
	const char *folder, *stem;	/* what its files share */
};

struct tp_look {
	struct tp_look_file *files;	/* in the order of operands, then of
					 * their paths */
	size_t count, cap;
	char **operands;		/* as given, of them traces: */
	size_t operand_count, operand_cap, trace_count;
	enum tp_look_source source;
	struct tp_look_recording *recordings;
	size_t recording_count, recording_cap;
	struct tp_look_remark *remarks;
	size_t remark_count, remark_cap;
	struct tp_look_experiment *experiments;
	size_t experiment_count, experiment_cap;
	size_t chosen;			/* of them; TP_LOOK_ANY: there is none,
					 * or there are several */
	/* Folder of the reports that are being written: not looked at. */
	dev_t skip_dev;
	ino_t skip_ino;
	int skip;
	struct tp_redact *redact;	/* finds secrets, once a file was
					 * looked through for them */
	size_t secret_count;		/* files that hold some */
	struct tp_procs procs;		/* of all files */
	struct tp_tables *tables;
	struct tp_names table_names;
	struct tp_arena arena;
};

/* A zeroed struct with tables loaded; 0 or -1 with ERR.  _release also after
 * failure. */
int tp_look_init(struct tp_look *look, struct tp_err *err);
void tp_look_release(struct tp_look *look);

/*
 * Add what PATH is, or all files below it.  0, or -1 with ERR: TP_IO when it
 * is not there, which is a lost file then, TP_LIMIT without memory.
 */
int tp_look_add(struct tp_look *look, const char *path, struct tp_err *err);
/* All that were added: say what they are. */
int tp_look_identify(struct tp_look *look, struct tp_err *err);
/*
 * Decide of which source a report would be, what it uses, and which
 * recordings there are; RUN names the one that is wanted, or NULL.
 */
int tp_look_sort(struct tp_look *look, const char *run, struct tp_err *err);
/* Of many files with a note of one code the first few are told one by one,
 * and a remark counts the others.  0, or -1 without memory. */
int tp_look_sum(struct tp_look *look);
const char *tp_look_source_name(enum tp_look_source source);

/*
 * Link what a report reads into DIR, made when it is not there, and say in
 * DIR/ROLE/NAME what the link NAME points to and when that changed.  What is
 * there and still right stays untouched; what is not ours is an error.  0, or
 * -1 with ERR.
 */
int tp_look_link(struct tp_look *look, const char *dir, struct tp_err *err);

/* Add the notes of a person in PATH, or those that lie in or beside the first
 * operand: a plain file, no link.  Behind tp_look_sort(). */
int tp_look_add_notes(struct tp_look *look, const char *path,
    struct tp_err *err);
int tp_look_find_notes(struct tp_look *look, struct tp_err *err);
/* What programs and data a report is made by, to TEXT: it differs when any of
 * them does. */
int tp_look_made_by(struct tp_buf *text, struct tp_err *err);

/* Write the "input" records; the notes that are owed; a line per file for
 * people. */
void tp_look_emit(const struct tp_look *look, struct tp_out *out);
void tp_look_notes(const struct tp_look *look, struct tp_out *out);
void tp_look_list(const struct tp_look *look, struct tp_buf *out);

#endif
