/*
 * csv - comma-separated rows of a table, by column name
 *
 * Read through rows.h.  libcsv in strict mode is the authority on what CSV
 * means; a row it refuses is one damaged row, and reading goes on at the next
 * line.  The separator is the one of ',' ';' TAB that the header uses most.
 * A UTF-8 BOM, CR LF and quoted newlines are understood.  The header names
 * columns by mnemonic ("start-latency"), by Instruments' own name ("CPU to
 * GPU Latency") or by record key ("start_latency_ns"), in any order; of two
 * equal names the first counts.  Memory: one block and a few rows, or
 * what tp_rows_ahead() says.
 */
#ifndef TP_READ_CSV_H
#define TP_READ_CSV_H

#include <tp/buf.h>
#include <tp/in.h>

/* The separator that stands most often in the first line of the LEN bytes at
 * P, outside quotes. */
unsigned char tp_csv_delim(const char *p, size_t len);

/*
 * Rows of a CSV of any columns, the header among them, as the cells they
 * have: for what is no table of share/tables.  IN stays the caller's; release
 * with tp_csv_cells_free().  NULL with ERR.
 */
struct tp_csv_cells *tp_csv_cells_new(struct tp_in *in, struct tp_err *err);
/*
 * The next row: 1, 0 at the end, -1 with ERR (TP_BAD "row.damaged": a quote
 * that is none; what follows it cannot be told apart and is not read).
 */
int tp_csv_cells_next(struct tp_csv_cells *cells, struct tp_err *err);
/* Cells of the row, and the text of cell I, NUL-terminated (it may hold NULs),
 * borrowed until the next row; *LEN its length. */
size_t tp_csv_cells_count(const struct tp_csv_cells *cells);
const char *tp_csv_cells_get(const struct tp_csv_cells *cells, size_t i,
    size_t *len);
void tp_csv_cells_free(struct tp_csv_cells *cells);

/* Append a field, quoted (by libcsv) only where reading it back needs it. */
void tp_csv_field(struct tp_buf *buf, const char *text, size_t len);

#endif
