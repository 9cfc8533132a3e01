/* fuzz_xctrace - any bytes as an XML export, and as a table of contents */
#include <tp/read/xctrace.h>

#include "feed.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_in *in = feed(data, size, 4096);
	struct tp_err err;

	tp_toc_free(tp_toc_read(in, &err));
	tp_in_close(in);
	feed_rows(data, size, TP_FORMAT_XCTRACE);
	return 0;
}
