/*
 * fuzz_gzip - any bytes as an input, which may be gzip or Zstandard
 *
 * Whatever the size of blocks, zlib alone and libzstd give the same bytes and
 * the same end; ISA-L does where the data is whole, and refuses what zlib
 * refuses.
 */
#include <stdlib.h>
#include <string.h>

#include <tp/hash.h>

#include "feed.h"

struct content {
	uint64_t hash, bytes, trailing;
	enum tp_format format;
	const char *end;		/* code of an error, or NULL */
};

static void
read_all(struct content *d, const uint8_t *data, size_t size, size_t block,
    const char *inflate)
{
	struct tp_err err = { 0 };
	struct tp_in *in;
	const char *p;
	ptrdiff_t n;

	memset(d, 0, sizeof *d);
	setenv("TP_INFLATE", inflate, 1);
	in = feed(data, size, block);
	d->format = tp_in_sniff(in, &err);
	while ((n = tp_in_read(in, &p, &err)) > 0)
		/* byte by byte: blocks are cut anywhere */
		for (ptrdiff_t i = 0; i < n; i++, d->bytes++)
			d->hash = d->hash * 1099511628211u ^
			    (unsigned char)p[i];
	if (n < 0 && (!err.status || !err.code || !*err.text))
		broken("an error that says nothing");
	d->end = n < 0 ? err.code : NULL;
	d->trailing = tp_in_trailing(in);
	tp_in_close(in);
}

static int
alike(const struct content *a, const struct content *b)
{
	return a->hash == b->hash && a->bytes == b->bytes &&
	    a->trailing == b->trailing && a->format == b->format &&
	    !a->end == !b->end && (!a->end || !strcmp(a->end, b->end));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t blocks[] = { 1, 7, 4096 };
	struct content whole, d;

	read_all(&whole, data, size, (size_t)1 << 20, "zlib");
	/* many bytes out of few, in blocks of one, would take seconds */
	for (size_t i = whole.bytes > 8192 ? 2 : 0; i < 3; i++) {
		read_all(&d, data, size, blocks[i], "zlib");
		if (!alike(&d, &whole))
			broken("inflating depends on the size of blocks");
		read_all(&d, data, size, blocks[i], "isal");
		if (whole.end ? !d.end : !alike(&d, &whole))
			broken("ISA-L inflates something else than zlib");
	}
	return 0;
}
