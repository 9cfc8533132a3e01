/*
 * gunzip - a descriptor's bytes, and those of the gzip stream in them
 *
 * Internal to lib/in.c.  A gzip stream is inflated by a thread of its own that
 * runs up to two blocks ahead of the reader.  Memory: one block as read and,
 * for gzip, three inflated ones of 256 KiB.
 */
#ifndef TP_GUNZIP_H
#define TP_GUNZIP_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

/* What was read and not yet used is block[at..len). */
struct tp_raw {
	int fd, eof;
	char *block;
	size_t size;			/* of the block; tests make it small */
	size_t at, len;
	uint64_t taken;			/* bytes read so far */
	char **kept;			/* blocks to read into in turn, of
					 * which BLOCK is one; or NULL */
	size_t kept_count, turn;
};

/* Read on when the block is used up; 0, or -1 with ERR. */
int tp_raw_fill(struct tp_raw *raw, struct tp_err *err);
/* A pipe or the end of a block may leave one byte at hand: get another, as
 * the magic has two. */
void tp_raw_two(struct tp_raw *raw);
/* Whether what comes may be a gzip member; one byte can only be tried. */
int tp_raw_is_gzip(const struct tp_raw *raw);

struct tp_gunzip;

/* Inflate what RAW holds and reads, from now on the gunzip's alone, until
 * tp_gunzip_free().  NULL without memory. */
struct tp_gunzip *tp_gunzip_new(struct tp_raw *raw);
/* Stops the thread, even one that waits for input, and waits for it. */
void tp_gunzip_free(struct tp_gunzip *g);
/*
 * Next inflated bytes, as tp_in_read() gives them.  The thread begins when
 * AHEAD is first set after a block was given: a look at the first bytes reads
 * no more than it must.
 */
ptrdiff_t tp_gunzip_read(struct tp_gunzip *g, const char **block, int ahead,
    struct tp_err *err);
/* Bytes behind the last member; known at the end. */
uint64_t tp_gunzip_trailing(const struct tp_gunzip *g);

#endif
