/*
 * rows - the rows of a table, whatever form it was exported in
 *
 * One reader for xctrace XML, CSV, JSON objects and row.* records.  A filter
 * binds the columns it wants once (struct tp_bind); each row then holds their
 * values in that order.  Times and durations are ns, sizes bytes.  Absent is
 * absent.
 * Memory: see the header of each form (xctrace.h, csv.h).
 */
#ifndef TP_READ_ROWS_H
#define TP_READ_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/in.h>

#include "table.h"
#include "trace.h"

struct tp_frame {
	const char *name;	/* NUL-terminated, "" when unknown */
	const char *library;	/* binary it is in, or "" */
};

/* A call stack, leaf first.  Borrowed until the next row. */
struct tp_stack {
	const struct tp_frame *frames;
	size_t count;
	int addresses_only;	/* callers had no symbols and were left out */
};

/* 32 bytes, because every row is an array of them. */
struct tp_value {
	enum tp_type type;	/* TP_NONE: absent */
	uint32_t len, whole;	/* of TEXT; whole: of the display form of a
				 * process or thread, which starts with the
				 * name: "Terminal (643)" */
	const char *text;	/* TP_TEXT, process and thread name, a
				 * decimal; not NUL-terminated */
	union {
		int64_t n;	/* numbers; of a process its pid, of a thread
				 * its tid, -1 when not known */
		uint64_t id;	/* TP_ID */
		const struct tp_stack *stack;	/* TP_STACK */
	};
};

/* A table a filter reads, and the columns it wants of it. */
struct tp_bind {
	const char *table;
	const struct tp_want {
		const char *column;	/* mnemonic */
		int needed;		/* without it the table is no use */
	} *columns;			/* ended by a zeroed row */
	const char *time;	/* column that dates the row, or NULL */
};

struct tp_row {
	const struct tp_table *table;
	const struct tp_bind *bind;	/* the filter's, NULL: all columns */
	const struct tp_value *v;	/* as bind->columns, else as
					 * table->columns */
	size_t count;
	uint64_t line;
	const char *src;		/* of a row record; else NULL */
	ptrdiff_t source;		/* in the trace's sources, or -1 */
	const struct tp_slot *slots;	/* of the values, see read.h */
	size_t more;			/* rows behind it, by tp_row_step() */
};

/* Make ROW the next of those that were given together: 1, 0 when there is
 * none. */
static inline int
tp_row_step(struct tp_row *row)
{
	if (!row->more)
		return 0;
	row->more--;
	row->v += row->count;
	row->line++;
	return 1;
}

/* Whether the table that ROW is of has a column for value AT, be it that the
 * cell is empty. */
int tp_row_has(const struct tp_row *row, size_t at);

struct tp_rows;

/* Whether IN, sniffed as FORMAT, may hold rows: of JSON, whether its first
 * object is a flat one. */
int tp_rows_can(struct tp_in *in, enum tp_format format);
/*
 * Read IN (sniffed as FORMAT), delivering the tables of BINDS (NULL: all,
 * whole).  TABLE names the table of a CSV, or is NULL.  TABLES may learn
 * tables it does not know.  TRACE gets a source for every table met (not for
 * row records, which bring their own), and notes.  IN stays the caller's.
 * NULL with ERR set.
 */
struct tp_rows *tp_rows_open(struct tp_in *in, enum tp_format format,
    const struct tp_bind *binds, const char *table,
    struct tp_tables *tables, struct tp_trace *trace, struct tp_err *err);
/*
 * Next row into *ROW (borrowed until the next call): 1, 0 at the end, -1
 * with ERR: err->fatal says that nothing more can be read from IN, else the
 * one row is damaged and the next call goes on.
 */
int tp_rows_next(struct tp_rows *rows, struct tp_row *row,
    struct tp_err *err);
/* The same of rows that were read together: ROW is the first of them, and all
 * are borrowed until the next call. */
int tp_rows_next_run(struct tp_rows *rows, struct tp_row *row,
    struct tp_err *err);
void tp_rows_close(struct tp_rows *rows);
/* Before the first row: read CSV by libcsv, XML by expat and row records by
 * tp_rec_parse() alone, the references. */
void tp_rows_only_library(struct tp_rows *rows);

/* Before the first row: JOBS threads may read, the caller's one of them, which
 * only CSV in a plain file can (csv_parts.h); rows come in the same order. */
void tp_rows_jobs(struct tp_rows *rows, size_t jobs);

/*
 * Row records come with the source and note records of whoever made them:
 * PASS gets each such LINE (without LF) with its src, to be handed on.
 */
void tp_rows_on_pass(struct tp_rows *rows,
    int (*pass)(void *arg, const char *src, const char *line, size_t len),
    void *arg);

/*
 * Records of a stream that are neither rows nor source nor note: OTHER gets
 * each (borrowed for the call); 0 or -1 with ERR, which says that this one is
 * damaged.  A stream of such records without a row is what somebody made of
 * the rows: its source and note records are not handed on then.
 */
void tp_rows_on_other(struct tp_rows *rows,
    int (*other)(void *arg, const struct tp_rec *rec, struct tp_err *err),
    void *arg);

/* Length of the name in the display form of a process or thread, and its pid
 * or tid (-1 when there is none). */
size_t tp_process_name(const char *text, size_t len, int64_t *pid);
size_t tp_thread_name(const char *text, size_t len, int64_t *tid);

/*
 * The text form of a stack: root first, ';' between frames, a library in
 * front with '`'; these and '\' inside a name have a '\' in front.
 */
void tp_stack_print(struct tp_buf *buf, const struct tp_stack *stack);
/* Read it back into ARENA; NULL without memory. */
const struct tp_stack *tp_stack_parse(struct tp_arena *arena,
    const char *text, size_t len);

#endif
