/* tracks: which arguments a slice is said to have */
#include <stdio.h>
#include <string.h>

#include <tp/err.h>

#include "jax/tracks.h"

struct given {
	const char *name, *tf_op, *long_name, *source;
	uint32_t detail;	/* expected: by first appearance, 0 none */
};

/* One name with changing arguments, and two names with the same. */
static const struct given given[] = {
	{ "a", "x/y", "%a = f32[2]", "m.py:1", 1 },
	{ "a", "x/y", "%a = f32[2]", "m.py:1", 1 },
	{ "a", "x/z", "%a = f32[2]", "m.py:1", 2 },
	{ "a", "x/y", "%a = f32[2]", "m.py:1", 1 },
	{ "a", NULL, NULL, NULL, 0 },
	{ "a", "x/y", NULL, "m.py:1", 3 },
	{ "b", NULL, NULL, NULL, 0 },
	{ "b", "x/y", "%a = f32[2]", "m.py:1", 1 },
	{ "b", "x/y", "%a = f32[2]", "m.py:2", 4 },
	{ "a", "x/y", "%a = f32[3]", "m.py:1", 5 },
	{ "b", "x/y", "%a = f32[2]", "m.py:2", 4 },
};

enum { COUNT = sizeof given / sizeof *given };

static struct tp_detail_text
text(const char *s)
{
	return (struct tp_detail_text){ s, s ? strlen(s) : 0 };
}

/* Whether text AT is S. */
static int
is(const struct tp_tracks *t, uint32_t at, const char *s)
{
	return !strcmp(t->texts.names[at].text, s ? s : "");
}

static int
right(struct tp_tracks *t, const struct given *g)
{
	const struct tp_detail_text told[TP_DETAILS] = {
	    [TP_DETAIL_TF_OP] = text(g->tf_op),
	    [TP_DETAIL_LONG_NAME] = text(g->long_name),
	    [TP_DETAIL_SOURCE] = text(g->source) };
	const struct tp_detail *got;
	struct tp_jax_event *s;
	struct tp_err err;
	struct tp_described described = tp_tracks_describe(t, g->name,
	    strlen(g->name), told);

	s = tp_tracks_add(t, 0, 0, 0, 1, &described, &err);
	if (!s || s->detail != g->detail)
		return 0;
	got = &t->details[s->detail];
	return is(t, got->of[TP_DETAIL_TF_OP], g->tf_op) &&
	    is(t, got->of[TP_DETAIL_LONG_NAME], g->long_name) &&
	    is(t, got->of[TP_DETAIL_SOURCE], g->source);
}

int
main(void)
{
	struct tp_tracks t;
	const char *result = "ok";

	tp_tracks_init(&t);
	for (size_t i = 0; i < COUNT; i++)
		if (!right(&t, &given[i])) {
			printf("# slice %zu\n", i);
			result = "not ok";
		}
	tp_tracks_release(&t);
	printf("%s - a slice has the arguments it came with, not those its "
	    "name had before\n", result);
	return result[0] == 'n';
}
