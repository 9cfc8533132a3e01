/*
 * inflate - one gzip stream through ISA-L or zlib
 *
 * Internal to libtp.  ISA-L's igzip where the build found it, else zlib, which
 * also reads the headers for both; TP_INFLATE=zlib chooses it for a test.  Both
 * call the same streams damaged, but ISA-L may notice a few bytes later.  All
 * memory (about 45 KB for zlib, 130 KB with ISA-L) is there once the first
 * bytes came out: what follows may run in another thread.
 */
#ifndef TP_INFLATE_H
#define TP_INFLATE_H

#include <stddef.h>

struct tp_inflate;

/* How far one call came. */
enum tp_inflated {
	TP_INFLATED,		/* as far as input and room allowed */
	TP_INFLATED_END,	/* a member and its checksum are complete */
	TP_INFLATED_DAMAGED,	/* all that came before it was given */
	TP_INFLATED_NO_MEMORY
};

/* A gunzipper before its first member, or NULL without memory. */
struct tp_inflate *tp_inflate_new(void);
void tp_inflate_free(struct tp_inflate *z);
/* Expect the header of another member. */
void tp_inflate_reset(struct tp_inflate *z);
/*
 * Take from the *LEN bytes at IN, fill the *ROOM bytes at OUT, and leave in
 * both what was not used.  With no input it gives what it had kept back.
 */
enum tp_inflated tp_inflate_run(struct tp_inflate *z, const char *in,
    size_t *len, char *out, size_t *room);

#endif
