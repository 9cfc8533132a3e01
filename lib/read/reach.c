/* reach - random access to any input */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/limits.h>

#include "reach.h"

#define BLOCK ((size_t)256 * 1024)

static int
spool(struct tp_reach *r, struct tp_err *err)
{
	const char *block;
	ptrdiff_t n;

	while ((n = tp_in_read(r->in, &block, err)) > 0) {
		tp_spool_add(&r->spool, block, (size_t)n);
		r->len += (uint64_t)n;
	}
	/* the bytes before are good */
	if (n < 0 && err->status != TP_BAD)
		return -1;
	if (n < 0)
		r->late = *err;
	return 0;
}

int
tp_reach_open(struct tp_reach *r, struct tp_in *in, struct tp_err *err)
{
	const char *size = getenv("TP_BLOCK");

	memset(r, 0, sizeof *r);
	r->in = in;
	r->size = size && atol(size) > 0 ? (size_t)atol(size) : BLOCK;
	r->is_plain = tp_in_is_plain(in, &r->len);
	if (!r->is_plain)
		return spool(r, err);
	return tp_limits.bytes && r->len > (uint64_t)tp_limits.bytes ?
	    tp_limit_bytes(err) : 0;
}

void
tp_reach_release(struct tp_reach *r)
{
	tp_spool_release(&r->spool);
	tp_free(r->block);
	memset(r, 0, sizeof *r);
}

const unsigned char *
tp_reach_move(struct tp_reach *r, uint64_t at, size_t want, size_t *have,
    struct tp_err *err)
{
	size_t left = at < r->len ? (size_t)(r->len - at) : 0;
	size_t n = want > r->size ? want : r->size;
	ptrdiff_t got;

	if (n > left)
		n = left;
	tp_grow(&r->block, &r->cap, n ? n : 1, 1);
	r->have = 0;
	if (r->is_plain) {
		got = n ? tp_in_at(r->in, at, r->block, n, err) : 0;
		if (got < 0)
			return NULL;
		/* the file was truncated meanwhile */
		if ((size_t)got < n)
			r->len = at + (uint64_t)got;
		n = (size_t)got;
	} else if (n)
		tp_spool_get(&r->spool, at, r->block, n);
	r->at = at;
	r->have = *have = n;
	return r->block;
}
