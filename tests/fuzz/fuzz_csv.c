/* fuzz_csv - any bytes as a table in CSV */
#include "feed.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	feed_rows(data, size, TP_FORMAT_CSV);
	return 0;
}
