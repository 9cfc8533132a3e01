/* csv_plain - rows of CSV that need no parser; not installed */
#ifndef TP_CSV_PLAIN_H
#define TP_CSV_PLAIN_H

#include "read.h"

/* The most that is looked at in one go: its rows fit the cache. */
#define TP_CSV_PIECE ((size_t)32 * 1024)

/*
 * Queue the plain rows at the start of the LEN bytes at P (at most
 * TP_CSV_PIECE), of COLUMNS fields; *LINE is the number of the first line and
 * counts on.  Text of values points into P; stacks are made in ARENA.
 * Returns how many bytes they are, 0 when the first row is not plain or not
 * whole; -1 with ERR.
 */
ptrdiff_t tp_csv_plain(struct tp_rows *rows, const char *p, size_t len,
    char delim, size_t columns, uint64_t *line, struct tp_arena *arena,
    struct tp_err *err);

#endif
