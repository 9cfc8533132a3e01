/*
 * sqlite - read an untrusted SQLite database
 *
 * Reads through reach.h, so the input may be a pipe or packed, no path
 * reaches SQLite, and no file beside it is opened or created.  A statement
 * may only SELECT; views cannot recurse, extensions cannot be loaded, no
 * value is longer than a line may be, and the work of all statements
 * together is bounded by what a file of this size can need.
 *
 * Without libsqlite3 in the build (TP_SQLITE), only tp_sqlite_open() exists;
 * it fails and says so.
 *
 * Memory: SQLite's page cache, 2 MiB; the schema; one row; an automatic
 * index for a join without one.
 */
#ifndef TP_READ_SQLITE_H
#define TP_READ_SQLITE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/in.h>

struct tp_sqlite;
struct tp_result;

enum tp_sqlite_type {
	TP_SQLITE_NULL, TP_SQLITE_INT, TP_SQLITE_REAL, TP_SQLITE_TEXT
};

/* Open IN, which must be unread and stays the caller's.  NULL with ERR. */
struct tp_sqlite *tp_sqlite_open(struct tp_in *in, struct tp_err *err);
void tp_sqlite_close(struct tp_sqlite *db);
/* 1 when a table NAME exists, 2 when a view, else 0, or -1 with ERR. */
int tp_sqlite_has(struct tp_sqlite *db, const char *name,
    struct tp_err *err);
/* Size of the file, and in *SAID the size its header states; 0: not stated. */
uint64_t tp_sqlite_bytes(const struct tp_sqlite *db, uint64_t *said);
/* Why the input ends early (reach.h), or NULL. */
const struct tp_err *tp_sqlite_late(const struct tp_sqlite *db);

/*
 * Begin a SELECT.  NULL: either it names something that the database lacks,
 * which *WHY describes (borrowed until the next call); or *WHY is NULL and
 * ERR, fatal, says that a limit is hit or that the file cannot be read.
 */
struct tp_result *tp_result_new(struct tp_sqlite *db, const char *sql,
    const char **why, struct tp_err *err);
/* Begin it again with NUMBER as its parameter ?1. */
void tp_result_again(struct tp_result *select, int64_t number);
/*
 * Next row: 1, 0 at the end, -1 with ERR when it cannot be read, after which
 * there are no more.
 */
int tp_result_next(struct tp_result *select, struct tp_err *err);
/*
 * Columns of the row, from 0; texts are borrowed until the next row and may
 * hold NUL.  tp_result_text() returns the length.
 */
enum tp_sqlite_type tp_result_type(struct tp_result *select, int column);
int64_t tp_result_int(struct tp_result *select, int column);
double tp_result_real(struct tp_result *select, int column);
size_t tp_result_text(struct tp_result *select, int column, const char **text);
int tp_result_count(const struct tp_result *select);
const char *tp_result_name(const struct tp_result *select, int column);
void tp_result_free(struct tp_result *select);

#endif
