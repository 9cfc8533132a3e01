/*
 * fuzz_xplane - any bytes as an XSpace of JAX, or as a Perfetto trace
 *
 * What does not look like either is put into a plane of a device, so that what
 * is found out about planes is found out sooner.
 */
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "read/events.h"

static const char *const names[] = { "step_num", "flops", "long_name",
    "hlo_category", "memory_access_breakdown", "correlation", "device",
    "stream", NULL };

static void
check_event(const struct tp_events *e, const struct tp_event *v)
{
	if (!v->has_ts || !v->has_dur || v->dur_ps <
	    tp_events_is_space(e))
		broken("an event without a time");
	if (v->lane >= tp_events_lane_count(e))
		broken("an event on no lane");
}

static void
read_space(struct digest *d, struct tp_in *in, const char *phases)
{
	const struct tp_events_want want = { .args = names,
	    .phases = phases };

	feed_events(d, in, &want, check_event);
}

static void
try(const uint8_t *data, size_t size)
{
	static const char *const phases[] = { NULL, "Xv" };
	static const size_t blocks[] = { 1, 7, 4096 };
	struct digest whole, d;
	struct tp_err err;
	struct tp_in *in;
	enum tp_format format;

	in = feed(data, size, 1 << 20);
	format = tp_in_sniff(in, &err);
	tp_in_close(in);
	if (format != TP_FORMAT_XPLANE && format != TP_FORMAT_PERFETTO)
		return;
	for (size_t k = 0; k < 2; k++) {
		read_space(&whole, feed(data, size, 1 << 20), phases[k]);
		for (size_t i = 0; i < 3; i++) {
			read_space(&d, feed(data, size, blocks[i]), phases[k]);
			same(&d, &whole, "reading depends on the blocks");
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char head[] = "\x12\x0d/device:TPU:0";
	size_t own = sizeof head - 1, len = own + size, n = 0;
	uint8_t *copy;

	if (size > 60000 || (size && *data == '\n')) {
		try(data, size);
		return 0;
	}
	copy = malloc(len + 4);
	if (!copy)
		broken("no memory");
	copy[n++] = '\n';
	for (; len > 0x7f; len >>= 7)
		copy[n++] = (uint8_t)(len | 0x80);
	copy[n++] = (uint8_t)len;
	memcpy(copy + n, head, own);
	if (size)
		memcpy(copy + n + own, data, size);
	try(copy, n + own + size);
	free(copy);
	return 0;
}
