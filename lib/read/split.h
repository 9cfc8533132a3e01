/*
 * split - positions of delimiters, quotes and line ends in a block; not
 * installed
 *
 * Examines 64 bytes at a time with the best instruction set available
 * (AVX-512, AVX2, SSE2, NEON, else plain C); all give the same positions.
 */
#ifndef TP_READ_SPLIT_H
#define TP_READ_SPLIT_H

#include <stddef.h>
#include <stdint.h>

/* Positions are stored in groups, some past the last. */
#define TP_SPLIT_SPARE 64

/*
 * Store the positions of every DELIM, LF, CR and '"' in the LEN bytes at P,
 * ascending, into AT, which needs room for LEN plus TP_SPLIT_SPARE.  Returns
 * their number.
 */
size_t tp_split(const char *p, size_t len, char delim, uint32_t *at);

/*
 * For the LEN bytes at P, where a row of COLUMNS fields starts: positions of
 * every DELIM and LF outside quotes, ascending, into AT as above.  Returns the
 * number of LFs, each of which ends COLUMNS fields; -1 when the block is for a
 * slower reader: a row that has more or fewer, a quote that is not at the edge
 * of its field, a line end in quotes, a CR without its LF.
 */
ptrdiff_t tp_split_rows(const char *p, size_t len, char delim,
    size_t columns, uint32_t *at);

/*
 * Store the positions of every '"', backslash and control character in the
 * LEN bytes at P, ascending, into AT as tp_split() does.  Returns their
 * number.
 */
size_t tp_split_json(const char *p, size_t len, uint32_t *at);

#endif
