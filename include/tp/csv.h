/*
 * csv - comma-separated rows of a table, by column name
 *
 * Read through rows.h.  libcsv in strict mode is the authority on what CSV
 * means; a row it refuses is one damaged row, and reading goes on at the next
 * line.  The separator is the one of ',' ';' TAB that the header uses most.
 * A UTF-8 BOM, CR LF and quoted newlines are understood.  The header names
 * columns by mnemonic ("start-latency"), by Instruments' own name ("CPU to
 * GPU Latency") or by record key ("start_latency_ns"), in any order; of two
 * equal names the first counts.  Memory: the rows of one block.
 */
#ifndef TP_CSV_H
#define TP_CSV_H

#include <tp/buf.h>

/* Append a field, quoted (by libcsv) only where reading it back needs it. */
void tp_csv_field(struct tp_buf *buf, const char *text, size_t len);

#endif
