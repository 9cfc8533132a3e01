/* Operations by the window they are in, beside a search of every window. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jax/regions.h"

enum { SPAN = 400, OPS = 60 };

static int failed;
static uint64_t state = 88172645463325252;
static const char *const scopes[] = {
	"a=>b", "a=>c", "a=>b=>d", "a=>b=>e", "a=>b=>d=>f", "g::h", "bare", "5"
};
static const char *const names[] = { "fusion.1", "copy.2", "dot.3" };
static const struct tp_detail_text no_detail[TP_DETAILS];

static void
check(const char *what, int round, int64_t got, int64_t want)
{
	if (got == want)
		return;
	printf("not ok xla_windows: %s in round %d: got %lld, want %lld\n",
	    what, round, (long long)got, (long long)want);
	failed = 1;
}

static int64_t
pick(int64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (int64_t)(state % (uint64_t)below);
}

static void
add(struct tp_tracks *t, size_t lane, const char *name, int64_t longest)
{
	struct tp_err err;
	int64_t from = pick(SPAN), width = 1 + pick(longest);
	struct tp_described d = tp_tracks_describe(t, name, strlen(name),
	    no_detail);

	if (!tp_tracks_add(t, 0, lane, from, from + width, &d, &err))
		exit(1);
}

/* Lane 0 holds operations, each other lane windows. */
static void
fill(struct tp_tracks *t, int windows)
{
	tp_tracks_init(t);
	for (int i = 0; i < OPS; i++)
		add(t, 0, names[pick(3)], 20);
	for (int i = 0; i < windows; i++)
		add(t, 1 + (size_t)pick(3), scopes[pick(8)], 150);
	for (size_t i = 0; i < t->track_count; i++)
		t->tracks[i].role = t->tracks[i].lane ? TP_ROLE_HOST :
		    TP_ROLE_OPS;
	tp_tracks_nest(t);
}

/* Whether region X, LX long, is further inside than Y, LY long. */
static int
inside(struct tp_jax *jax, uint32_t x, int64_t lx, uint32_t y, int64_t ly)
{
	uint32_t dx = tp_jax_region_at(jax, x)->depth;
	uint32_t dy = tp_jax_region_at(jax, y)->depth;

	return dx != dy ? dx > dy : lx != ly ? lx < ly :
	    tp_jax_region_order(jax, x, y) > 0;
}

/* The region OP is in, 0: none. */
static uint32_t
search(struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *op)
{
	int64_t middle = op->from_ps + op->to_ps, length = 0;
	uint32_t best = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		uint32_t region;
		int bare;

		if (t->tracks[s->track].role == TP_ROLE_OPS ||
		    2 * s->from_ps > middle || 2 * s->to_ps < middle)
			continue;
		region = tp_jax_slice_region(jax, t, s, &bare);
		if (bare || (best && !inside(jax, region, tp_slice_ps(s),
		    best, length)))
			continue;
		best = region;
		length = tp_slice_ps(s);
	}
	return best;
}

/* Take what search() says of each operation off the rows of W. */
static void
take(int round, struct tp_jax_windows *w, struct tp_jax *jax,
    const struct tp_tracks *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		uint32_t region;
		size_t at;

		if (t->tracks[s->track].role != TP_ROLE_OPS ||
		    !(region = search(jax, t, s)))
			continue;
		for (at = 0; at < w->count; at++)
			if (w->list[at].region == region &&
			    w->list[at].name == s->name)
				break;
		check("a row of its region", round, at < w->count, 1);
		if (at == w->count)
			continue;
		w->list[at].count--;
		w->list[at].total_ps -= tp_slice_ps(s);
		w->list[at].own_ps -= s->own_ps;
	}
}

static void
compare(int round, int windows, struct tp_jax *jax)
{
	struct tp_tracks t;
	struct tp_jax_ops ops;
	struct tp_jax_windows w;

	fill(&t, windows);
	tp_jax_ops_make(&ops, &t, jax, 0);
	tp_jax_windows_make(&w, &ops, &t, jax);
	for (size_t i = 1; i < w.count; i++)
		check("most time first", round, w.list[i - 1].own_ps >=
		    w.list[i].own_ps, 1);
	take(round, &w, jax, &t);
	for (size_t i = 0; i < w.count; i++) {
		check("count", round, (int64_t)w.list[i].count, 0);
		check("time", round, w.list[i].total_ps, 0);
		check("own time", round, w.list[i].own_ps, 0);
	}
	tp_jax_windows_release(&w);
	tp_jax_ops_release(&ops);
	tp_tracks_release(&t);
}

int
main(void)
{
	struct tp_err err;
	struct tp_jax *jax = tp_jax_new(&err);

	if (!jax) {
		printf("not ok xla_windows: %s\n", err.text);
		return 1;
	}
	for (int i = 0; i < 200; i++)
		compare(i, i % 50, jax);
	tp_jax_free(jax);
	if (!failed)
		puts("ok xla_windows: operations are in the innermost window "
		    "at their middle");
	return failed;
}
