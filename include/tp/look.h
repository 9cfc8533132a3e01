/*
 * look - identify the files a user gave
 *
 * Walks folders, opens each file once, reads at most 64 KiB of it (a log in
 * which no kernel is found yet, and a table of ExecuTorch that says what its
 * rows are of, whole; of an xplane.pb the heads of its planes, too) and
 * identifies it: its format, the table it holds, its use in a report and its
 * recording; or why it cannot be used.  An unreadable file is a result, not an
 * error.  Memory: per file its path and about 550 bytes, and up to 256
 * processes named in its first rows.
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
#include <tp/read/identity.h>
#include <tp/records.h>

#include "read/table.h"
#include "read/trace_state.h"

/* How a report uses a file. */
enum tp_look_state {
	TP_LOOK_USED,
	TP_LOOK_COUNTED,	/* only its rows are counted */
	TP_LOOK_UNUSED,		/* no report uses it */
	TP_LOOK_LOST		/* unreadable: data are missing */
};

/* The profiler whose report the files make. */
enum tp_look_source {
	TP_LOOK_NONE, TP_LOOK_METAL, TP_LOOK_JAX, TP_LOOK_TORCH,
	TP_LOOK_EXECUTORCH
};

struct tp_redact;

struct tp_look_file {
	char *path;		/* the operand and the path below it */
	size_t place;		/* offset in PATH, after the operand folder */
	const char *given;	/* the operand folder, links resolved */
	const char *name;	/* for people: base name, or the path in the
				 * folder when base names clash */
	size_t operand;		/* index of its operand */
	/* To detect changes. */
	dev_t dev;
	ino_t ino;
	int64_t bytes;
	uint64_t head;		/* hash of the bytes that were read */
	struct timespec mtime, ctime;

	enum tp_format format;
	int is_rows;		/* rows of TABLE, else a document */
	int is_broken;		/* not what the ending of its name says */
	const char *table;	/* or NULL; compare by pointer */
	const char *role;	/* its role in a report, a word of share/tables
				 * or of its format, or NULL */
	enum tp_look_state state;
	const char *what;	/* description: "table kdebug" */
	const char *made_of;	/* of records: the names of the files that they
				 * say they were made of, a line each; or
				 * NULL */
	char *why;		/* why it is not used and what to do, or NULL */
	const char *code;	/* code of the note to write, or NULL */
	int is_summed;		/* covered by a remark on many files */
	char sha256[65];	/* of the whole file, or "" */
	char link[64];		/* name of its link, or "" */
	int is_twin;		/* another file has its base name */
	int whole_place;	/* the link name includes the path in the
				 * folder */

	/* Which recording it belongs to. */
	const char *prefix;	/* file name before the table name; NULL: the
				 * name tells nothing */
	const char *folder;	/* its folder, without levels that Instruments
				 * created */
	size_t folder_at;	/* index of that folder */
	int has_rows;
	int64_t run;		/* run number in the recording, or 0 */
	const char *source;	/* what its first rows are of, or NULL */
	int has_sources;	/* others of them are of something else */
	const char *device;	/* GPU named in its first rows, or NULL */
	ptrdiff_t *procs;	/* processes in its rows, as */
	size_t proc_count;	/* indexes into tp_look.procs; */
	ptrdiff_t main_process;	/* the most frequent one, or -1 */
	int more_procs;		/* more processes than are kept */
	char *target;		/* of a toc: the launched process */
	int64_t target_pid;
	struct tp_identity identity;
	size_t recording;	/* index, or TP_LOOK_ANY */
};
#define TP_LOOK_ANY ((size_t)-1)

struct tp_look_recording {
	char *name;
	size_t table_count;
};

/* A message about all files together. */
struct tp_look_remark {
	const char *code;
	char *text;
	enum tp_status status;
	size_t count;		/* files, or 1 */
};

/* An ExecuTorch experiment; its files are called run-NNN, NNN its number. */
struct tp_look_experiment {
	const char *name;
	const char *folder, *stem;	/* common to its files */
	const char *of;			/* the rows of FILE that are of it, or
					 * NULL: all files with STEM */
	const struct tp_look_file *file;
};

struct tp_look {
	struct tp_look_file *files;	/* by operand, then by path */
	size_t count, cap;
	char **operands;		/* as given; trace_count are traces */
	size_t operand_count, operand_cap, trace_count;
	enum tp_look_source source;
	struct tp_look_recording *recordings;
	size_t recording_count, recording_cap;
	char *captures;			/* the recordings are captures: their
					 * names with what is known of them;
					 * or NULL */
	struct tp_look_remark *remarks;
	size_t remark_count, remark_cap;
	struct tp_look_experiment *experiments;
	size_t experiment_count, experiment_cap;
	size_t chosen;			/* experiment; TP_LOOK_ANY: none or
					 * several */
	/* Output folder of the reports, which is not looked at. */
	dev_t skip_dev;
	ino_t skip_ino;
	int skip;
	struct tp_redact *redact;	/* finds secrets; opened for the first
					 * file searched */
	size_t secret_count;		/* files that hold secrets */
	struct tp_procs procs;		/* of all files */
	struct tp_tables *tables;
	struct tp_names table_names;
	struct tp_arena arena;
};

/*
 * Load the tables into a zeroed struct.  0, or -1 with ERR.  Release LOOK
 * also after failure.
 */
int tp_look_init(struct tp_look *look, struct tp_err *err);
void tp_look_release(struct tp_look *look);

/*
 * Add the file PATH, or all files below the folder PATH.  0, or -1 with ERR:
 * TP_IO when PATH does not exist (it is then listed as lost).
 */
int tp_look_add(struct tp_look *look, const char *path, struct tp_err *err);
/* Identify all files added.  0, or -1 with ERR. */
int tp_look_identify(struct tp_look *look, struct tp_err *err);
/*
 * Decide which profiler's report the files make, which files it uses, and
 * which recordings there are.  RUN names the recording wanted, or is NULL.
 * 0, or -1 with ERR.
 */
int tp_look_sort(struct tp_look *look, const char *run, struct tp_err *err);
/*
 * When many files have a note of the same code, keep the first few and count
 * the others in a remark.
 */
void tp_look_sum(struct tp_look *look);
const char *tp_look_source_name(enum tp_look_source source);

/*
 * Create links in DIR, made when missing, to all files a report reads, and
 * write to DIR/ROLE/NAME what the link NAME points to and when that changed.
 * Anything already correct stays untouched; anything that is not ours is an
 * error.  0, or -1 with ERR.
 */
int tp_look_link(struct tp_look *look, const char *dir, struct tp_err *err);

/*
 * Add the user's own notes: the file PATH, or one found in or beside the
 * first operand (a regular file, not a link).  Call after tp_look_sort().
 * 0, or -1 with ERR.
 */
int tp_look_add_notes(struct tp_look *look, const char *path,
    struct tp_err *err);
int tp_look_find_notes(struct tp_look *look, struct tp_err *err);
/*
 * Append a text to TEXT that changes whenever any program or data file that
 * makes reports does.  0, or -1 with ERR.
 */
int tp_look_fingerprint(struct tp_buf *text, struct tp_err *err);

/*
 * Write the "input" records; the pending notes; one line per file for
 * people.
 */
void tp_look_emit(const struct tp_look *look, struct tp_out *out);
void tp_look_notes(const struct tp_look *look, struct tp_out *out);
void tp_look_list(const struct tp_look *look, struct tp_buf *out);

#endif
