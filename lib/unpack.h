/*
 * unpack - a descriptor's bytes, and those of the packed stream in them
 *
 * Internal to lib/in.c.  Packed data is inflated by a thread of its own that
 * runs up to two blocks ahead of the reader.  Memory: one block as read, three
 * inflated ones of 256 KiB, and what inflate.h says.
 */
#ifndef TP_UNPACK_H
#define TP_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

#include "inflate.h"

#define TP_MAGIC 4		/* bytes of the longest */

/* What was read and not yet used is block[at..len). */
struct tp_raw {
	int fd, eof;
	char *block;			/* has room for a magic */
	size_t size;			/* of the block; tests make it small */
	size_t at, len;
	uint64_t taken;			/* bytes read so far */
};

/* Read on when the block is used up; 0, or -1 with ERR. */
int tp_raw_fill(struct tp_raw *raw, struct tp_err *err);
/*
 * How what comes is packed, or NULL.  A pipe or the end of a block may leave a
 * part of the magic at hand: then more is read, byte by byte.  What ends within
 * it can only be tried, and is not *WHOLE.
 */
const struct tp_inflate *tp_raw_packing(struct tp_raw *raw, int *whole);

struct tp_unpack;

/* Inflate as HOW says what RAW holds and reads, from now on alone, until
 * tp_unpack_free().  NULL without memory. */
struct tp_unpack *tp_unpack_new(struct tp_raw *raw,
    const struct tp_inflate *how);
/* Stops the thread, even one that waits for input, and waits for it. */
void tp_unpack_free(struct tp_unpack *u);
/*
 * Next inflated bytes, as tp_in_read() gives them.  The thread begins when
 * AHEAD is first set after a block was given, and there is more: a look at the
 * first bytes reads no more than it must, and a small file needs no thread.
 */
ptrdiff_t tp_unpack_read(struct tp_unpack *u, const char **block, int ahead,
    struct tp_err *err);
const char *tp_unpack_name(const struct tp_unpack *u);
/* Bytes behind the last member; known at the end. */
uint64_t tp_unpack_trailing(const struct tp_unpack *u);

#endif
