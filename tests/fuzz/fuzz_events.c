/* fuzz_events - any bytes as trace events */
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "read/events.h"
#include "read/events_seam.h"
#include "read/json_check.h"
#include "read/simd.h"

static const char *const names[] = { "name", "a", "tf_op", "step_num", NULL };

static void
read_events(struct digest *d, const uint8_t *data, size_t size, size_t block,
    const char *phases, int strict, size_t jobs)
{
	const struct tp_events_want want = { .args = names,
	    .phases = phases, .strict = strict, .jobs = jobs };

	feed_events(d, feed(data, size, block), &want, NULL);
}

/* 1: a JSON object or array; 0: no JSON; -1: another value. */
static int
is_json(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size;
	struct tp_check check;

	tp_check_init(&check);
	if (tp_check_run(&check, p, size) != size || !tp_check_end(&check))
		return 0;
	if (*p == '\xef')
		p += 3;
	while (p < end && strchr(" \t\r\n", *p))
		p++;
	return *p == '{' || *p == '[' ? 1 : -1;
}

static void
all_ways(const struct digest *whole, const uint8_t *data, size_t size,
    const char *phases)
{
	static const size_t blocks[] = { 1, 7, 4096 };
	struct digest d;

	tp_seams_use(0);
	read_events(&d, data, size, (size_t)1 << 20, phases, 0, 1);
	tp_seams_use(1);
	same(&d, whole, "reading depends on what was learned");
	for (size_t i = 0; i < 3; i++) {
		read_events(&d, data, size, blocks[i], phases, 0, 1);
		same(&d, whole, "reading depends on the blocks");
	}
	for (enum tp_simd way = 0; way < TP_SIMDS; way++) {
		if (tp_simd_use(way) < 0)
			continue;
		read_events(&d, data, size, (size_t)1 << 20, phases, 0, 1);
		same(&d, whole, "reading depends on the vectors");
	}
}

/*
 * As threads read DATA behind as many events as are read before there are
 * threads; the list of DATA, if it begins with one, goes on.
 */
static void
threads(const uint8_t *data, size_t size)
{
	static const char event[] = "{\"ph\": \"X\", \"ts\": 1.5, "
	    "\"dur\": 1, \"args\": {\"a\": \"a\"}},\n";
	enum { BEFORE = 1400, LEN = sizeof event - 1 };
	const uint8_t *list = memchr(data, '[', size < 100 ? size : 100);
	struct digest one, d;
	uint8_t *text;

	if (list) {
		size -= (size_t)(list + 1 - data);
		data = list + 1;
	}
	text = malloc(1 + BEFORE * LEN + size);
	if (!text)
		broken("no memory");
	text[0] = '[';
	for (size_t i = 0; i < BEFORE; i++)
		memcpy(text + 1 + i * LEN, event, LEN);
	memcpy(text + 1 + BEFORE * LEN, data, size);
	size += 1 + BEFORE * LEN;
	read_events(&one, text, size, 1000, NULL, 0, 1);
	for (size_t jobs = 2; jobs < 4; jobs++) {
		read_events(&d, text, size, jobs * 300, NULL, 0, jobs);
		same(&d, &one, "reading depends on the threads");
	}
	free(text);
}

static void
try(const uint8_t *data, size_t size)
{
	static const char *const phases[] = { NULL, "XMBECi" };
	int json = is_json(data, size);
	struct digest whole, d;

	for (size_t i = 0; i < 2; i++) {
		read_events(&whole, data, size, (size_t)1 << 20, phases[i], 0,
		    1);
		if (json > 0 && whole.end)
			broken("what is JSON was refused");
		all_ways(&whole, data, size, phases[i]);
		read_events(&whole, data, size, (size_t)1 << 20, phases[i], 1,
		    1);
		if (!json != (whole.end && json >= 0))
			broken("the strict verdict is another");
		read_events(&d, data, size, 7, phases[i], 1, 1);
		same(&d, &whole, "strict reading depends on the blocks");
	}
	threads(data, size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { ROOM = TP_SEAM_MAX + TP_QUICK };
	uint8_t *copy;

	if (size % 2) {
		try(data, size);
		return 0;
	}
	/* what is learned is used where much follows */
	copy = malloc(size + ROOM);
	if (!copy)
		broken("no memory");
	memcpy(copy, data, size);
	memset(copy + size, ' ', ROOM);
	try(copy, size + ROOM);
	free(copy);
	return 0;
}
