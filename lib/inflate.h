/*
 * inflate - one stream of packed bytes through the library for it
 *
 * Internal to libtp.  Gzip through ISA-L's igzip where the build found it, else
 * zlib, which also reads the headers for both; TP_INFLATE=zlib chooses it for a
 * test.  Both call the same streams damaged, but ISA-L may notice a few bytes
 * later.  Zstandard through libzstd, where the build found it (TP_ZSTD).
 *
 * Memory: about 45 KB for zlib, 130 KB with ISA-L; for a frame of Zstandard its
 * window, at most 128 MiB, and 300 KB.
 */
#ifndef TP_INFLATE_H
#define TP_INFLATE_H

#include <stddef.h>

/* How far one call came. */
enum tp_inflated {
	TP_INFLATED,		/* as far as input and room allowed */
	TP_INFLATED_END,	/* a member and its checksum are complete */
	/* all that came before these was given */
	TP_INFLATED_DAMAGED,
	TP_INFLATED_TOO_WIDE,	/* it needs a larger window */
	TP_INFLATED_NO_DICTIONARY,
	TP_INFLATED_NO_MEMORY
};

struct tp_inflate {
	const char *name;	/* of the packing, for people */
	/* A reader before the first member, or NULL without memory. */
	void *(*new)(void);
	void (*free)(void *z);
	/* Expect the header of another member. */
	void (*reset)(void *z);
	/*
	 * Take from the *LEN bytes at IN, fill the *ROOM bytes at OUT, and
	 * leave in both what was not used.  With no input it gives what it had
	 * kept back.
	 */
	enum tp_inflated (*run)(void *z, const char *in, size_t *len,
	    char *out, size_t *room);
};

extern const struct tp_inflate tp_inflate_gzip;
#ifdef TP_ZSTD
extern const struct tp_inflate tp_inflate_zstd;
#endif

#endif
