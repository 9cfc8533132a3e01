/*
 * events - the operations of a trace by time, beside cJSON
 *
 * usage: events ours|cjson FILE
 * Sums how long the complete events of each name took.  Prints their number,
 * the sum in ns and the number of names, then the ten names with most.
 * cJSON has the file and its document in memory.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/hash.h>

#include "read/events.h"

struct sum {
	struct tp_names names;
	int64_t *ns;
	size_t cap;
	uint64_t count;
	int64_t total_ns;
};

static void
add(struct sum *s, const char *name, size_t len, int64_t ns)
{
	ptrdiff_t at = tp_names_add(&s->names, name, len);

	TP_ITEM(s->ns, s->cap, at);
	s->ns[at] += ns;
	s->total_ns += ns;
	s->count++;
}

static int
read_events(const char *file, struct sum *s)
{
	static const struct tp_events_want want = { .phases = "X",
	    .databases = &tp_databases };
	struct tp_trace trace = { 0 };
	struct tp_events *events;
	struct tp_event e;
	struct tp_err err;
	struct tp_in *in = tp_in_open(file, &err);
	int n = -1;

	events = in ? tp_events_open(in, &want, &trace, &err) : NULL;
	while (events && (n = tp_events_next(events, &e, &err)) > 0)
		add(s, e.name.text, e.name.len, e.dur_ps / 1000);
	if (events)
		tp_events_close(events);
	if (in)
		tp_in_close(in);
	return n;
}

static char *
whole(const char *file)
{
	FILE *f = fopen(file, "r");
	char *text = NULL;
	long size = -1;

	if (f && !fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0)
		text = malloc((size_t)size + 1);
	if (text) {
		rewind(f);
		text[fread(text, 1, (size_t)size, f)] = '\0';
	}
	if (f)
		fclose(f);
	return text;
}

static int
read_cjson(const char *file, struct sum *s)
{
	char *text = whole(file);
	cJSON *doc = text ? cJSON_Parse(text) : NULL, *e;
	int rc = doc ? 0 : -1;

	cJSON_ArrayForEach(e, cJSON_GetObjectItem(doc, "traceEvents")) {
		const char *ph = cJSON_GetStringValue(
		    cJSON_GetObjectItem(e, "ph"));
		const char *name = cJSON_GetStringValue(
		    cJSON_GetObjectItem(e, "name"));

		if (ph && name && !strcmp(ph, "X"))
			add(s, name, strlen(name), llround(1e3 *
			    cJSON_GetNumberValue(cJSON_GetObjectItem(e,
			    "dur"))));
	}
	cJSON_Delete(doc);
	free(text);
	return rc;
}

static void
print(const struct sum *s)
{
	size_t top;

	printf("%llu %lld %zu\n", (unsigned long long)s->count,
	    (long long)s->total_ns, s->names.count);
	for (int i = 0; i < 10 && i < (int)s->names.count; i++) {
		top = 0;
		for (size_t k = 1; k < s->names.count; k++)
			if (s->ns[k] > s->ns[top])
				top = k;
		printf("%lld %s\n", (long long)s->ns[top],
		    s->names.names[top].text);
		s->ns[top] = -1;
	}
}

int
main(int argc, char *argv[])
{
	struct sum s = { 0 };
	int rc;

	if (argc != 3)
		return 2;
	rc = (strcmp(argv[1], "cjson") ? read_events : read_cjson)(argv[2],
	    &s);
	print(&s);
	tp_names_release(&s.names);
	tp_free(s.ns);
	return rc ? 3 : 0;
}
