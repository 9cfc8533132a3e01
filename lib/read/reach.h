/*
 * reach - random access to any input
 *
 * A regular file is read in place.  Packed or piped input is spooled first,
 * so its bytes are on disk a second time (spool.h).  Memory: 256 KiB, or the
 * largest piece requested; with a spool 512 KiB.
 */
#ifndef TP_READ_REACH_H
#define TP_READ_REACH_H

#include <tp/err.h>
#include <tp/in.h>
#include <tp/spool.h>

struct tp_reach {
	struct tp_in *in;
	uint64_t len;			/* of the input */
	struct tp_err late;		/* why the input ends early, or status
					 * 0 */
	int is_plain;
	struct tp_spool spool;
	unsigned char *block;		/* HAVE bytes from offset AT */
	size_t cap, have, size;
	uint64_t at;
};

/*
 * Open IN, which must be unread and stays the caller's.  A zeroed struct may
 * be released.  0, or -1 with ERR.
 */
int tp_reach_open(struct tp_reach *reach, struct tp_in *in,
    struct tp_err *err);
void tp_reach_release(struct tp_reach *reach);

/* Slow path of tp_reach_look(). */
const unsigned char *tp_reach_move(struct tp_reach *reach, uint64_t at,
    size_t want, size_t *have, struct tp_err *err);

/*
 * The bytes from offset AT on, *HAVE of them: at least WANT, fewer only at
 * the end.  Borrowed until the next call.  NULL with ERR.
 */
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
