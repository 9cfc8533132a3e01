/* unzstd - a frame of Zstandard through libzstd */
#include <tp/alloc.h>

#include "inflate.h"

#ifdef TP_ZSTD
/* for ZSTD_customMem, which every libzstd has */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

/* 128 MiB, zstd's own default limit. */
#define WINDOW_LOG_MAX 27
/* The size that the library requests includes the header of the next block. */
#define BLOCK_HEADER 3

struct unzstd {
	ZSTD_DCtx *frame;
	size_t wanted;			/* bytes, as requested by the library */
	int full;			/* there may be more output */
};

static void *
zstd_alloc(void *arg, size_t size)
{
	(void)arg;
	return tp_alloc(size);
}

static void
zstd_free(void *arg, void *p)
{
	(void)arg;
	tp_free(p);
}

static void
unzstd_reset(void *arg)
{
	struct unzstd *z = arg;

	z->wanted = ZSTD_initDStream(z->frame);
	z->full = 0;
}

static void *
unzstd_new(void)
{
	struct unzstd *z = tp_zalloc(sizeof *z);

	z->frame = ZSTD_createDCtx_advanced((ZSTD_customMem){ zstd_alloc,
	    zstd_free, NULL });
	if (!z->frame) {
		tp_free(z);
		return NULL;
	}
	ZSTD_DCtx_setParameter(z->frame, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	unzstd_reset(z);
	return z;
}

static void
unzstd_free(void *arg)
{
	struct unzstd *z = arg;

	if (!z)
		return;
	ZSTD_freeDCtx(z->frame);
	tp_free(z);
}

static enum tp_inflated
failure(size_t rc)
{
	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_memory_allocation:
		return TP_INFLATED_NO_MEMORY;
	case ZSTD_error_frameParameter_windowTooLarge:
		return TP_INFLATED_TOO_WIDE;
	case ZSTD_error_dictionary_wrong:
		return TP_INFLATED_NO_DICTIONARY;
	default:
		return TP_INFLATED_DAMAGED;
	}
}

/*
 * A failing call does not say what it gave before, so each call gets one
 * header or block, and none while output is pending.  The rest of a last
 * block or header comes in two parts, which also keeps the library from
 * taking a whole frame at once.
 */
static size_t
portion(const struct unzstd *z, size_t left)
{
	size_t n = z->full ? 0 : z->wanted > BLOCK_HEADER ?
	    z->wanted - BLOCK_HEADER : z->wanted;

	return n < left ? n : left;
}

static enum tp_inflated
unzstd_run(void *arg, const char *in, size_t *len, char *out, size_t *room)
{
	struct unzstd *z = arg;
	ZSTD_inBuffer from = { in, 0, 0 };
	ZSTD_outBuffer to = { out, *room, 0 };
	size_t had = *len, rc;

	do {
		from.size = from.pos + portion(z, had - from.pos);
		rc = ZSTD_decompressStream(z->frame, &to, &from);
		if (ZSTD_isError(rc))
			break;
		z->wanted = rc;
		z->full = to.pos == to.size;
	} while (rc && !z->full && from.pos < had);
	*len -= from.pos;
	*room -= to.pos;
	return ZSTD_isError(rc) ? failure(rc) : rc ? TP_INFLATED :
	    TP_INFLATED_END;
}

const struct tp_inflate tp_inflate_zstd = {
	"zstd", unzstd_new, unzstd_free, unzstd_reset, unzstd_run
};
#endif
