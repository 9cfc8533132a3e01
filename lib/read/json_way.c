/* json_way - with what vectors JSON is looked at */
#include <string.h>

#include <tp/events.h>

#include "json_way.h"
#include "vector.h"

static const struct tp_json_way ways[] = {
#if defined(__x86_64__)
	{ "avx2", tp_skip_avx2, tp_steps_avx2 },
	{ "sse2", tp_skip_sse2, tp_steps_sse2 },
#elif defined(__aarch64__)
	{ "neon", tp_skip_neon, tp_steps_neon },
#endif
	{ "plain", tp_skip_plain, tp_steps_plain },
};

static const struct tp_json_way *chosen;

static int
has(const struct tp_json_way *way)
{
#if defined(__x86_64__)
	if (way->skip == tp_skip_avx2)
		return tp_has_avx2();
#endif
	return way->skip != NULL;
}

const struct tp_json_way *
tp_json_way(void)
{
	if (!chosen)
		for (chosen = ways; !has(chosen);)
			chosen++;
	return chosen;
}

int
tp_events_use(const char *way)
{
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (strcmp(ways[i].name, way) || !has(&ways[i]))
			continue;
		chosen = &ways[i];
		return 0;
	}
	return -1;
}
