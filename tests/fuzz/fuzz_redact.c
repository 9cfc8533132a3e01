/*
 * fuzz_redact - any bytes as a text to redact
 *
 * The first byte chooses the format.  Where blocks end makes no difference,
 * what was redacted is not changed again, no byte outside of what was replaced
 * is lost, and a token that is planted in the text is not in the output.
 */
#include <stdlib.h>
#include <string.h>

#include <tp/buf.h>
#include <tp/redact.h>

#include "feed.h"

static void
take(void *arg, const char *bytes, size_t len)
{
	tp_buf_add(arg, bytes, len);
}

/* One reading of TEXT in blocks of BLOCK bytes; 0, or -1: it is refused. */
static int
pass(struct tp_redact *r, const struct tp_buf *text, enum tp_format format,
    size_t block, struct tp_buf *out)
{
	struct tp_err err;
	size_t n;

	if (tp_redact_begin(r, format, out ? take : NULL, out, &err) < 0)
		broken("a format is refused");
	for (size_t at = 0; at < text->len; at += n) {
		n = text->len - at < block ? text->len - at : block;
		if (tp_redact_add(r, text->p + at, n, &err) < 0)
			return -1;
	}
	tp_redact_end(r);
	return 0;
}

static int
redact(const struct tp_buf *text, enum tp_format format, size_t block,
    struct tp_buf *out)
{
	struct tp_err err;
	struct tp_redact *r = tp_redact_open(&err);
	int rc;

	if (!r)
		broken("share/redact.json cannot be read");
	tp_buf_clear(out);
	rc = pass(r, text, format, block, NULL);
	if (!rc && tp_redact_again(r))
		rc = pass(r, text, format, block, NULL);
	if (!rc)
		rc = pass(r, text, format, block, out);
	tp_redact_close(r);
	return rc;
}

static int
equal(const struct tp_buf *a, const struct tp_buf *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->p, b->p, a->len));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum tp_format formats[] = { TP_FORMAT_JSON,
	    TP_FORMAT_XCTRACE, TP_FORMAT_CSV, TP_FORMAT_XPLANE };
	/* also a field of an XSpace; what comes before may take its length,
	 * or the blank, for a length of its own */
	static const char planted[] = "\022\053 "
	    "ghp_PlantedPlantedPlantedPlanted0123456789 ";
	static const size_t blocks[] = { 1, 3, 64 };
	struct tp_buf text = { 0 }, whole = { 0 }, other = { 0 };
	enum tp_format format;
	size_t half;

	if (!size)
		return 0;
	format = formats[data[0] % 4];
	half = size / 2;
	tp_buf_add(&text, (const char *)data + 1, half ? half - 1 : 0);
	tp_buf_str(&text, planted);
	tp_buf_add(&text, (const char *)data + (half ? half : 1), size -
	    (half ? half : 1));
	if (redact(&text, format, text.len, &whole) == 0) {
		for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
			if (redact(&text, format, blocks[i], &other) < 0 ||
			    !equal(&whole, &other))
				broken("blocks make a difference");
		for (size_t i = 0; i + sizeof planted - 4 <= whole.len; i++)
			if (!memcmp(whole.p + i, planted + 3,
			    sizeof planted - 4))
				broken("a token is left");
	}
	tp_buf_release(&text);
	tp_buf_release(&whole);
	tp_buf_release(&other);
	return 0;
}
