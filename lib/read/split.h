/*
 * split - where fields, strings and lines of a block end; not installed
 *
 * Looks at 64 bytes at a time with what the machine has (AVX-512, AVX2, SSE2,
 * NEON, else plain C); every way gives the same positions.
 */
#ifndef TP_READ_SPLIT_H
#define TP_READ_SPLIT_H

#include <stddef.h>
#include <stdint.h>

/* Positions are written many at once, some behind the last. */
#define TP_SPLIT_SPARE 64

/*
 * Positions of every DELIM, LF, CR and '"' in the LEN bytes at P, ascending,
 * into AT, which has room for LEN and TP_SPLIT_SPARE more.  Returns their
 * number.
 */
size_t tp_split(const char *p, size_t len, char delim, uint32_t *at);

/*
 * For the LEN bytes at P, where a row starts: positions of every DELIM and LF
 * outside quotes, ascending, into AT, and up to and with each LF how many
 * they are into ROWS, which has room for one more than there are.  Returns
 * the number of LFs; -1 when the block is for a slower reader: a quote that
 * is not at the edge of its field, a line end in quotes, a CR without its LF.
 */
ptrdiff_t tp_split_rows(const char *p, size_t len, char delim, uint32_t *at,
    uint32_t *rows);

/*
 * Positions of every '"', backslash and control character in the LEN bytes at
 * P, ascending, into AT as above: what a JSON string cannot hold as it is.
 * Returns their number.
 */
size_t tp_split_json(const char *p, size_t len, uint32_t *at);

#endif
