/*
 * spool - byte sequences larger than memory, written once and read in order
 *
 * All spools of a process share 512 KiB of memory; the rest goes to one
 * unnamed file in TMPDIR.  When no such file can be made or written, memory
 * grows instead, so that a full disk loses no result.
 */
#ifndef TP_SPOOL_H
#define TP_SPOOL_H

#include <stddef.h>
#include <stdint.h>

/* A zeroed struct is empty. */
struct tp_spool {
	unsigned char *open;		/* chunk being filled */
	size_t used;
	struct tp_spool_chunk {
		unsigned char *mem;	/* NULL: in the file */
		uint64_t at;
		uint32_t len;
	} *chunks;
	size_t chunk_count, chunk_cap;
};

#define TP_SPOOL_CHUNK ((size_t)16 * 1024)

/* Begin a chunk; slow path of tp_spool_room(). */
unsigned char *tp_spool_begin(struct tp_spool *spool);

/*
 * Room for LEN bytes (at most 64) at the end; the caller writes there and adds
 * the number of bytes used to spool->used.  Each such addition stays within
 * one chunk.
 */
static inline unsigned char *
tp_spool_room(struct tp_spool *spool, size_t len)
{
	return spool->open && spool->used + len <= TP_SPOOL_CHUNK ?
	    spool->open + spool->used : tp_spool_begin(spool);
}
void tp_spool_release(struct tp_spool *spool);

/*
 * For a spool filled only by tp_spool_add(): append LEN BYTES; read LEN bytes
 * from offset AT, all of them added before.
 */
void tp_spool_add(struct tp_spool *spool, const void *bytes, size_t len);
void tp_spool_get(const struct tp_spool *spool, uint64_t at, void *to,
    size_t len);

struct tp_spool_reader {
	const struct tp_spool *spool;
	unsigned char *block;		/* holds a chunk read from the file */
	const unsigned char *p, *end;
	size_t next;
};

void tp_spool_read(struct tp_spool_reader *reader,
    const struct tp_spool *spool);
/*
 * Provide the next bytes at reader->p .. reader->end: 1, or 0 at the end.  A
 * chunk holds whole additions, and 16
 * bytes past its end may be read.
 */
int tp_spool_more(struct tp_spool_reader *reader);
void tp_spool_close(struct tp_spool_reader *reader);

#endif
