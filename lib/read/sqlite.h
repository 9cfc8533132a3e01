/*
 * sqlite - a database of SQLite, read only and as a stranger's
 *
 * It is read through reach.h, so it may come from a pipe or be packed, no
 * path is ever part of a name of SQLite's, and nothing beside the file is
 * looked at or made.  A statement may only SELECT; no view recurses, no
 * extension is loaded, no value is longer than a line may be, and all
 * statements together do at most as much as a file of this size can need.
 *
 * Without libsqlite3 in the build (TP_SQLITE) there is only tp_sqlite_open(),
 * which fails and says so.
 *
 * Memory: SQLite's cache of pages, 2 MiB; the schema; one row; the index of
 * a table that is joined by what has none.
 */
#ifndef TP_READ_SQLITE_H
#define TP_READ_SQLITE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/in.h>

struct tp_sqlite;
struct tp_select;

enum tp_sqlite_type {
	TP_SQLITE_NULL, TP_SQLITE_INT, TP_SQLITE_REAL, TP_SQLITE_TEXT
};

/* IN, of which nothing was taken, stays the caller's.  NULL with ERR. */
struct tp_sqlite *tp_sqlite_open(struct tp_in *in, struct tp_err *err);
void tp_sqlite_close(struct tp_sqlite *db);
/* Whether there is a table, or a view, NAME: 1, 0, or -1 with ERR. */
int tp_sqlite_has(struct tp_sqlite *db, const char *name,
    struct tp_err *err);
/* Bytes of the file, and how many its own head says it has; 0: not said. */
uint64_t tp_sqlite_bytes(const struct tp_sqlite *db, uint64_t *said);
/* Why the input itself ends early (reach.h), or NULL. */
const struct tp_err *tp_sqlite_late(const struct tp_sqlite *db);

/*
 * Begin a SELECT.  NULL: it names what the database does not have, which WHY
 * tells, borrowed until the next call; or WHY is NULL and ERR, which is fatal,
 * tells that there is no memory, or that the file cannot be read.
 */
struct tp_select *tp_select_new(struct tp_sqlite *db, const char *sql,
    const char **why, struct tp_err *err);
/* The next row: 1, 0 behind the last, -1 with ERR when it cannot be read,
 * after which there is none. */
int tp_select_next(struct tp_select *select, struct tp_err *err);
/* The columns of the row, from 0; texts are borrowed until the next row and
 * may hold NUL.  -1: without memory. */
enum tp_sqlite_type tp_select_type(struct tp_select *select, int column);
int64_t tp_select_int(struct tp_select *select, int column);
double tp_select_real(struct tp_select *select, int column);
ptrdiff_t tp_select_text(struct tp_select *select, int column,
    const char **text);
int tp_select_count(const struct tp_select *select);
const char *tp_select_name(const struct tp_select *select, int column);
void tp_select_free(struct tp_select *select);

#endif
