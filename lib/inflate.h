/*
 * inflate - decompress one stream
 *
 * Internal to libtp.  gzip uses ISA-L's igzip when the build found it, else
 * zlib; zlib parses the headers for both.  TP_INFLATE=zlib selects zlib for
 * tests.  Both reject the same damaged streams, but ISA-L may notice a few
 * bytes later.  Zstandard uses libzstd, when the build found it (TP_ZSTD).
 *
 * Memory: about 45 KB for zlib, 130 KB with ISA-L; for Zstandard 300 KB and
 * the window of a frame, at most 128 MiB.
 */
#ifndef TP_INFLATE_H
#define TP_INFLATE_H

#include <stddef.h>

/* Result of one call. */
enum tp_inflated {
	TP_INFLATED,		/* as far as input and output space allowed */
	TP_INFLATED_END,	/* a member and its checksum are complete */
	/* Before each of these, all good output has been given. */
	TP_INFLATED_DAMAGED,
	TP_INFLATED_TOO_WIDE,	/* it needs a larger window */
	TP_INFLATED_NO_DICTIONARY,
	TP_INFLATED_NO_MEMORY
};

struct tp_inflate {
	const char *name;	/* name of the format, for people */
	/* A decoder before the first member. */
	void *(*new)(void);
	void (*free)(void *z);
	/* Prepare for another member. */
	void (*reset)(void *z);
	/*
	 * Consume up to *LEN bytes at IN, write up to *ROOM bytes at OUT, and
	 * leave in both the number not used.  Without input, give any output
	 * held back.
	 */
	enum tp_inflated (*run)(void *z, const char *in, size_t *len,
	    char *out, size_t *room);
};

extern const struct tp_inflate tp_inflate_gzip;
#ifdef TP_ZSTD
extern const struct tp_inflate tp_inflate_zstd;
#endif

#endif
