/*
 * reach - an input whose bytes are wanted at any place
 *
 * A plain file is read where it lies.  What is packed or comes from a pipe is
 * spooled first, so its bytes are on the disk once more (spool.h).
 * Memory: 256 KiB, or the most that is looked at together; of a spool 512 KiB.
 */
#ifndef TP_READ_REACH_H
#define TP_READ_REACH_H

#include <tp/err.h>
#include <tp/in.h>
#include <tp/spool.h>

struct tp_reach {
	struct tp_in *in;
	uint64_t len;			/* of the input */
	struct tp_err late;		/* why there is not more, or status 0 */
	int is_plain;
	struct tp_spool spool;
	unsigned char *block;		/* the bytes from AT on, HAVE of them */
	size_t cap, have, size;
	uint64_t at;
};

/* IN, of which nothing was taken, stays the caller's.  A zeroed struct may be
 * released.  0, or -1 with ERR. */
int tp_reach_open(struct tp_reach *reach, struct tp_in *in,
    struct tp_err *err);
void tp_reach_release(struct tp_reach *reach);

/* See tp_reach_look(). */
const unsigned char *tp_reach_move(struct tp_reach *reach, uint64_t at,
    size_t want, size_t *have, struct tp_err *err);

/* The bytes from AT on, of which *HAVE are there: WANT or more, fewer only at
 * the end.  Borrowed until the next call.  NULL with ERR. */
static inline const unsigned char *
tp_reach_look(struct tp_reach *r, uint64_t at, size_t want, size_t *have,
    struct tp_err *err)
{
	if (at >= r->at && at - r->at + want <= r->have) {
		*have = r->have - (size_t)(at - r->at);
		return r->block + (at - r->at);
	}
	return tp_reach_move(r, at, want, have, err);
}

#endif
