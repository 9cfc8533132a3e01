/* fuzz_csv - any bytes as a table in CSV, and as folded stacks */
#include "feed.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	feed_rows(data, size, TP_FORMAT_CSV);
	feed_rows(data, size, TP_FORMAT_STACKS);
	return 0;
}
