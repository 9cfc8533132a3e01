/* inflate - a gzip stream through ISA-L or zlib */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef TP_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include <tp/alloc.h>
#include <tp/order.h>

#include "inflate.h"

struct gunzip {
	z_stream z;
	int z_open;
#ifdef TP_ISAL
	struct inflate_state *fast;	/* NULL: zlib does everything */
	int in_data;			/* the header has been read */
	int damaged;			/* reported once all output before it
					 * was given */
#endif
};

static void *
z_alloc(void *arg, unsigned items, unsigned size)
{
	(void)arg;
	return tp_alloc((size_t)items * size);
}

static void
z_free(void *arg, void *p)
{
	(void)arg;
	tp_free(p);
}

/* Initialise ISA-L if it is built in. */
static void
open_fast(struct gunzip *z)
{
#ifdef TP_ISAL
	const char *choice = getenv("TP_INFLATE");

	if (choice && !strcmp(choice, "zlib"))
		return;
	z->fast = tp_zalloc(sizeof *z->fast);
	return;
#else
	(void)z;
	return;
#endif
}

static void
gunzip_free(void *arg)
{
	struct gunzip *z = arg;

	if (!z)
		return;
	if (z->z_open)
		inflateEnd(&z->z);
#ifdef TP_ISAL
	tp_free(z->fast);
#endif
	tp_free(z);
}

static void *
gunzip_new(void)
{
	struct gunzip *z = tp_zalloc(sizeof *z);

	z->z.zalloc = z_alloc;
	z->z.zfree = z_free;
	if (inflateInit2(&z->z, 15 + 16) != Z_OK)
		goto fail;
	z->z_open = 1;
	open_fast(z);
	return z;
fail:
	gunzip_free(z);
	return NULL;
}

static void
gunzip_reset(void *arg)
{
	struct gunzip *z = arg;

	inflateReset(&z->z);
#ifdef TP_ISAL
	z->in_data = 0;
#endif
}

static enum tp_inflated
run_zlib(struct gunzip *z, const char *in, size_t *len, char *out,
    size_t *room, int flush)
{
	int rc;

	z->z.next_in = (unsigned char *)in;
	z->z.avail_in = (unsigned)*len;
	z->z.next_out = (unsigned char *)out;
	z->z.avail_out = (unsigned)*room;
	rc = inflate(&z->z, flush);
	*len = z->z.avail_in;
	*room = z->z.avail_out;
	switch (rc) {
	case Z_OK:
	case Z_BUF_ERROR:
		return TP_INFLATED;
	case Z_STREAM_END:
		return TP_INFLATED_END;
	case Z_MEM_ERROR:
		return TP_INFLATED_NO_MEMORY;
	default:
		return TP_INFLATED_DAMAGED;
	}
}

#ifdef TP_ISAL
/* After an error, give what ISA-L had decoded into its own buffer. */
static enum tp_inflated
give_rest(struct inflate_state *s, char *out, size_t *room)
{
	size_t n = s->tmp_out_valid > s->tmp_out_processed ?
	    (size_t)(s->tmp_out_valid - s->tmp_out_processed) : 0;

	TP_LEAST(n, *room);
	memcpy(out, s->tmp_out_buffer + s->tmp_out_processed, n);
	s->tmp_out_processed += (int32_t)n;
	*room -= n;
	return s->tmp_out_valid > s->tmp_out_processed ? TP_INFLATED :
	    TP_INFLATED_DAMAGED;
}

static enum tp_inflated
run_fast(struct gunzip *z, const char *in, size_t *len, char *out,
    size_t *room)
{
	struct inflate_state *s = z->fast;
	size_t had = *room;
	int rc;

	if (z->damaged)
		return give_rest(s, out, room);
	s->next_in = (uint8_t *)in;
	s->avail_in = (uint32_t)*len;
	s->next_out = (uint8_t *)out;
	s->avail_out = (uint32_t)*room;
	rc = isal_inflate(s);
	*len = s->avail_in;
	*room = s->avail_out;
	if (rc >= 0)
		return s->block_state == ISAL_BLOCK_FINISH ? TP_INFLATED_END :
		    TP_INFLATED;
	z->damaged = 1;
	return give_rest(s, out + (had - *room), room);
}

static enum tp_inflated
gunzip_run(void *arg, const char *in, size_t *len, char *out, size_t *room)
{
	struct gunzip *z = arg;
	enum tp_inflated rc;
	size_t had = *len;

	if (!z->fast)
		return run_zlib(z, in, len, out, room, Z_NO_FLUSH);
	if (!z->in_data) {
		/* zlib checks headers more strictly, and stops after them */
		rc = run_zlib(z, in, len, out, room, Z_BLOCK);
		if (rc != TP_INFLATED || !(z->z.data_type & 128))
			return rc;
		z->in_data = 1;
		isal_inflate_init(z->fast);
		z->fast->crc_flag = ISAL_GZIP_NO_HDR_VER;
	}
	return run_fast(z, in + (had - *len), len, out, room);
}
#else
static enum tp_inflated
gunzip_run(void *arg, const char *in, size_t *len, char *out, size_t *room)
{
	return run_zlib(arg, in, len, out, room, Z_NO_FLUSH);
}
#endif

const struct tp_inflate tp_inflate_gzip = {
	"gzip", gunzip_new, gunzip_free, gunzip_reset, gunzip_run
};
