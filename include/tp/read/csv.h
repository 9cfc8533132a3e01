/*
 * csv - rows of a CSV table, by column name
 *
 * Read through rows.h.  libcsv in strict mode decides what valid CSV is; a
 * row it rejects is one damaged row, and reading continues at the next line.
 * The separator is whichever of ',' ';' TAB occurs most often in the header.
 * A UTF-8 BOM, CR LF and quoted newlines are accepted.  Header columns may
 * be given in any order as mnemonic ("start-latency"), as Instruments' own
 * name ("CPU to GPU Latency") or as record key ("start_latency_ns"); of
 * duplicate names the first counts.  Memory: one block and a few rows; read by
 * threads as csv_parts.h says.
 */
#ifndef TP_READ_CSV_H
#define TP_READ_CSV_H

#include <tp/buf.h>
#include <tp/in.h>

/*
 * The separator that occurs most often outside quotes in the first line of
 * the LEN bytes at P.
 */
unsigned char tp_csv_delim(const char *p, size_t len);

/*
 * Read a CSV of any columns as plain cells, header included, for files that
 * are no table of share/tables.  IN stays the caller's; release with
 * tp_csv_cells_free().  NULL with ERR.
 */
struct tp_csv_cells *tp_csv_cells_new(struct tp_in *in, struct tp_err *err);
/*
 * Next row: 1, 0 at the end, -1 with ERR (TP_BAD "row.damaged": a misplaced
 * quote, after which rows cannot be told apart, so reading stops).
 */
int tp_csv_cells_next(struct tp_csv_cells *cells, struct tp_err *err);
/*
 * Number of cells in the row; text of cell I, NUL-terminated (it may hold
 * NULs) and borrowed until the next row, with its length in *LEN.
 */
size_t tp_csv_cells_count(const struct tp_csv_cells *cells);
const char *tp_csv_cells_get(const struct tp_csv_cells *cells, size_t i,
    size_t *len);
void tp_csv_cells_free(struct tp_csv_cells *cells);

/* Append a field, quoted (by libcsv) only where reading it back needs it. */
void tp_csv_field(struct tp_buf *buf, const char *text, size_t len);

#endif
