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
 * For the LEN bytes at P, where a row starts: store the positions of every
 * DELIM and LF outside quotes, ascending, into AT, and for each LF the
 * number of positions up to and including it into ROWS, which needs room for
 * one more than there are.  Returns the number of LFs, or -1 when the block
 * needs a slower reader: a quote not at the edge of its field, a line end
 * inside quotes, a CR without LF.
 */
ptrdiff_t tp_split_rows(const char *p, size_t len, char delim, uint32_t *at,
    uint32_t *rows);

/*
 * Store the positions of every '"', backslash and control character in the
 * LEN bytes at P, ascending, into AT as tp_split() does.  Returns their
 * number.
 */
size_t tp_split_json(const char *p, size_t len, uint32_t *at);

#endif
