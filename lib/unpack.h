/*
 * unpack - bytes of a descriptor, and of the packed stream in it
 *
 * Internal to lib/in.c.  Packed data is inflated by a thread that runs up to
 * two blocks ahead of the reader.  Memory: one input block, three inflated
 * blocks of 256 KiB, and what inflate.h says.
 */
#ifndef TP_UNPACK_H
#define TP_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

#include "inflate.h"

#define TP_MAGIC 4		/* length of the longest magic */

/* Input buffer; block[at..len) is unread. */
struct tp_feed {
	int fd, eof;
	char *mem;			/* holds the block */
	char *block;			/* at least TP_MAGIC bytes */
	size_t size;			/* of the block; tests make it small */
	size_t at, len;
	uint64_t taken;			/* bytes read so far */
};

/* Read more when the block is used up.  0, or -1 with ERR. */
int tp_feed_fill(struct tp_feed *raw, struct tp_err *err);
/*
 * The format of the packed data that follows, or NULL.  When the block ends
 * within a magic, more is read, byte by byte.  When the input ends within
 * it, the format is a guess and *WHOLE is 0.
 */
const struct tp_inflate *tp_feed_packing(struct tp_feed *raw, int *whole);

struct tp_unpack;

/*
 * Inflate RAW with HOW; RAW must not be used by others until tp_unpack_free().
 */
struct tp_unpack *tp_unpack_new(struct tp_feed *raw,
    const struct tp_inflate *how);
/* Stop the thread, even while it waits for input, and join it. */
void tp_unpack_free(struct tp_unpack *u);
/*
 * Next inflated bytes, as tp_in_read() returns them.  The thread starts when
 * AHEAD is first set after a block was returned and there is more: so
 * peeking reads no more than needed, and a small file needs no thread.
 */
ptrdiff_t tp_unpack_read(struct tp_unpack *u, const char **block, int ahead,
    struct tp_err *err);
const char *tp_unpack_name(const struct tp_unpack *u);
/* Bytes after the last member; known at the end. */
uint64_t tp_unpack_trailing(const struct tp_unpack *u);

#endif
