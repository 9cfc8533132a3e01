/*
 * parts - read a plain file in parts by several threads; not installed
 *
 * A part begins after the first boundary (a line end, or what separates two
 * events) that is in its 128 KiB and ends after the first one in those of the
 * next part, so the parts make up the file.  A boundary is a guess: a part is
 * parsed as if a row began there, and only the reader of all earlier parts
 * knows whether that is so.  Memory: for each of 4 parts a thread its bytes
 * and what was made of them.
 */
#ifndef TP_READ_PARTS_H
#define TP_READ_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/in.h>

struct tp_part {
	const char *from, *to;		/* its bytes */
	const char *seen;		/* end of bytes in memory, at TO or
					 * after it */
	uint64_t begin, end;		/* offsets of FROM and TO in the file */
	int first;			/* no boundary was looked for: FROM is
					 * where the reader was */
	int last;			/* the file ends there, or cannot be
					 * read */
	char *mem, *block;
	size_t cap;
};

/* What a format does with its parts; ARG is of tp_parts_new(). */
struct tp_parts_of {
	/* of a struct that begins with a struct tp_part; zeroed at first */
	size_t size;
	size_t most;		/* bytes of the next parts that are read to find
				 * an end; 0: as a line may have */
	/*
	 * Place after the first boundary that begins in [AT, TO) of the LEN
	 * bytes at BLOCK, or 0.  Needs at most TP_BOUNDARY bytes after its
	 * begin.
	 */
	size_t (*behind)(const void *arg, const char *block, size_t at,
	    size_t to, size_t len);
	/* State of a thread that parses. */
	void *(*begin)(void *arg);
	void (*parse)(void *state, struct tp_part *part);
	void (*end)(void *state);
	void (*release)(struct tp_part *part);
};
#define TP_BOUNDARY 256

struct tp_parts;

/*
 * Start THREADS that read the rest of IN.  NULL when there is no thread or no
 * rest, or the input is not a plain file (a pipe may block for
 * ever, and ending must not wait for it); then reading continues as before.
 */
struct tp_parts *tp_parts_new(struct tp_in *in, size_t threads,
    const struct tp_parts_of *of, void *arg);
/*
 * The next part, valid until the next call.  Must not be called after the
 * last part.
 */
struct tp_part *tp_parts_next(struct tp_parts *parts);
void tp_parts_free(struct tp_parts *parts);

#endif
