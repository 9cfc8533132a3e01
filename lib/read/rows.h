/*
 * rows - the rows of a table, in any export format
 *
 * One reader for xctrace XML, CSV, JSON objects and row.* records.  A filter
 * binds the columns it wants once (struct tp_bind); each row then holds
 * their values in that order.  Times and durations are in ns, sizes in
 * bytes.  Absent cells are TP_NONE.  Memory: see the header of each format
 * (xctrace.h, csv.h).
 */
#ifndef TP_READ_ROWS_H
#define TP_READ_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/in.h>

#include "table.h"
#include "trace_state.h"

struct tp_frame {
	const char *name;	/* NUL-terminated, "" when unknown */
	const char *library;	/* binary it is in, or "" */
};

/* A call stack, leaf first.  Borrowed until the next row. */
struct tp_stack {
	const struct tp_frame *frames;
	size_t count;
	int addresses_only;	/* unresolved callers were left out */
	uint64_t id;		/* of one that several rows may have; 0: of
				 * this row */
};

/* 32 bytes, because every row is an array of them. */
struct tp_value {
	enum tp_type type;	/* TP_NONE: absent */
	uint32_t len, whole;	/* of TEXT; whole: of the display form of a
				 * process or thread, which starts with the
				 * name: "Terminal (643)" */
	const char *text;	/* of TP_TEXT, a process or thread name, or a
				 * decimal; not NUL-terminated */
	union {
		int64_t n;	/* numbers; pid of a process, tid of a thread,
				 * -1: unknown */
		uint64_t id;	/* TP_ID */
		const struct tp_stack *stack;	/* TP_STACK */
	};
};

/* A table a filter reads, and the columns it wants of it. */
/*
 * A column without which its table is useless, and one whose times may be
 * cycles of an unknown clock: one is read as one ns.
 */
enum { TP_NEEDED = 1, TP_OR_CYCLES = 2 };

struct tp_bind {
	const char *table;
	const struct tp_want {
		const char *column;	/* mnemonic */
		int needed;		/* TP_NEEDED, TP_OR_CYCLES or both */
	} *columns;			/* ended by a zeroed row */
	const char *time;	/* column with the row's time, or NULL */
};

struct tp_row {
	const struct tp_table *table;
	const struct tp_bind *bind;	/* NULL: all columns */
	const struct tp_value *v;	/* in the order of bind->columns, else
					 * of table->columns */
	size_t count;
	uint64_t line;
	const char *src;		/* of a row record; else NULL */
	ptrdiff_t source;		/* index in the trace's sources, or
					 * -1 */
	const struct tp_slot *slots;	/* of the values, see read.h */
	size_t more;			/* further rows for tp_row_step() */
};

/*
 * Move ROW to the next of the rows that were returned together: 1, or 0 when
 * there is none.
 */
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

/* Whether ROW's table has a column for value AT, even if the cell is empty. */
int tp_row_has(const struct tp_row *row, size_t at);
/* Whether value AT, of a TP_OR_CYCLES column, is in cycles. */
int tp_row_is_cycles(const struct tp_row *row, size_t at);

struct tp_rows;

/*
 * Whether IN, sniffed as FORMAT, may hold rows; for JSON, whether its first
 * object is flat.
 */
int tp_rows_can(struct tp_in *in, enum tp_format format);
/*
 * Read IN (sniffed as FORMAT) and return the tables of BINDS (NULL: all
 * tables and columns).  TABLE names the table of a CSV, or is NULL.  Unknown
 * tables are added to TABLES.  TRACE gets notes, and a source for every
 * table found (except for row records, which bring their own).  IN stays the
 * caller's.
 */
struct tp_rows *tp_rows_open(struct tp_in *in, enum tp_format format,
    const struct tp_bind *binds, const char *table,
    struct tp_tables *tables, struct tp_trace *trace);
/*
 * Next row into *ROW (borrowed until the next call): 1, 0 at the end, -1
 * with ERR.  err->fatal: nothing more can be read from IN; else only this
 * row is damaged and the next call continues.
 */
int tp_rows_next(struct tp_rows *rows, struct tp_row *row,
    struct tp_err *err);
/*
 * As tp_rows_next(), for several rows at once: *ROW is the first, and all
 * are borrowed until the next call.
 */
int tp_rows_next_run(struct tp_rows *rows, struct tp_row *row,
    struct tp_err *err);
void tp_rows_close(struct tp_rows *rows);
/*
 * Before the first row: use only the reference parsers: libcsv, expat and
 * tp_rec_parse().
 */
void tp_rows_only_library(struct tp_rows *rows);

/*
 * Before the first row: allow JOBS threads, including the caller's.  Only
 * CSV in a regular file uses them (csv_parts.h); the order of rows is
 * unchanged.
 */
void tp_rows_jobs(struct tp_rows *rows, size_t jobs);

/*
 * Row records come with the source and note records of their producer: PASS
 * gets each such LINE (without LF) with its src, to copy to the output.
 */
void tp_rows_on_pass(struct tp_rows *rows,
    void (*pass)(void *arg, const char *src, const char *line, size_t len),
    void *arg);

/*
 * OTHER gets each record of a stream that is neither row nor source nor note
 * (borrowed for the call); 0, or -1 with ERR when that record is damaged.  A
 * stream of such records without any row was derived from rows: its source
 * and note records are not passed on.
 */
void tp_rows_on_other(struct tp_rows *rows,
    int (*other)(void *arg, const struct tp_rec *rec, struct tp_err *err),
    void *arg);

/*
 * Length of the name in the display form of a process or thread; *PID or
 * *TID gets its number, -1 when there is none.
 */
size_t tp_process_name(const char *text, size_t len, int64_t *pid);
size_t tp_thread_name(const char *text, size_t len, int64_t *tid);
/*
 * The pid of the process that the display form of THREAD ends with,
 * "NAME 0x1f (PROCESS, pid: 7)", and its name: *LEN bytes at *NAME.  -1 when
 * there is none.
 */
int64_t tp_thread_process(const struct tp_value *thread, const char **name,
    size_t *len);

/*
 * Print a stack: root first, frames separated by ';', each NAME or
 * LIBRARY`NAME.  Inside names a '\' escapes ';', '`' and '\'.
 */
void tp_stack_print(struct tp_buf *buf, const struct tp_stack *stack);
/* Parse that form into ARENA. */
const struct tp_stack *tp_stack_parse(struct tp_arena *arena,
    const char *text, size_t len);

#endif
