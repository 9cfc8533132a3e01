/*
 * fuzz_database - any bytes as a database of Nsight Systems or rocprofv3
 *
 * The head of the file is mended, so that what is found out about pages is
 * found out sooner.
 */
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "read/events.h"
#include "read/queries.h"

static const char *const names[] = { "correlation", "bytes", "device",
    "Input Dims", NULL };

static void
check_event(const struct tp_events *e, const struct tp_event *v)
{
	if (!v->has_ts || !v->has_dur || v->dur_ps < 0)
		broken("an event without a time");
	if (v->lane >= tp_events_lane_count(e))
		broken("an event on no lane");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct tp_events_want want = { .args = names,
	    .databases = &tp_databases };
	struct digest whole, d;
	uint8_t *copy;

	if (size < 512 || size > 60000)
		return 0;
	copy = malloc(size);
	if (!copy)
		broken("no memory");
	memcpy(copy, data, size);
	memcpy(copy, "SQLite format 3", 16);
	feed_events(&whole, feed(copy, size, 1 << 20), &want, check_event);
	feed_events(&d, feed(copy, size, 4096), &want, check_event);
	same(&d, &whole, "reading depends on the blocks");
	free(copy);
	return 0;
}
