/*
 * op_stacks - time of a JAX capture by call stack
 *
 * Memory: 4 bytes per region, or per event.
 */
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/jax/emit.h>

#include "folded.h"

struct build {
	struct tp_folded *folded;
	struct tp_jax_trace *trace;
	uint32_t *nodes;	/* per region, or per slice */
	size_t cap;
	size_t node_count;		/* number of regions that have one */
	uint32_t root;		/* the node of the host */
	struct tp_buf name;
};

/* The node that all stacks of HOST are below. */
static uint32_t
root_of(const struct build *b, uint32_t host)
{
	const char *name = tp_jax_host_name(b->trace, host);
	char number[32];

	if (b->trace->host_count < 2)
		return TP_FOLDED_ROOT;
	if (!name) {
		snprintf(number, sizeof number, "host %u", host + 1);
		name = number;
	}
	return tp_folded_node(b->folded, TP_FOLDED_ROOT, name, strlen(name));
}

/* The node of REGION; enclosing regions have smaller indexes. */
static ptrdiff_t
region_node(struct build *b, uint32_t region)
{
	const struct tp_jax *jax = b->trace->jax;

	tp_grow(&b->nodes, &b->cap, (size_t)region + 1, sizeof *b->nodes);
	for (; b->node_count <= region; b->node_count++) {
		uint32_t at = (uint32_t)b->node_count;
		const char *name = at ? tp_jax_region_name(jax, at) : NULL;

		b->nodes[at] = at ? tp_folded_node(b->folded,
		    b->nodes[tp_jax_region_at(jax, at)->parent], name,
		    strlen(name)) : b->root;
	}
	return b->nodes[region];
}

static void
add_operations(struct build *b, const struct tp_track *track)
{
	const struct tp_tracks *t = &b->trace->tracks;

	for (uint32_t i = 0; i < track->count; i++) {
		const struct tp_jax_event *s =
		    &t->slices[t->order[track->first + i]];
		ptrdiff_t scope;
		uint32_t region;
		int bare;

		region = tp_jax_slice_region(b->trace->jax, t, s, &bare);
		scope = region_node(b, bare ? 0 : region);
		tp_buf_clear(&b->name);
		tp_jax_canonical(&b->name, tp_slice_name(t, s));
		/* otherwise its name gives the scopes */
		if (bare || *tp_slice_tf_op(t, s))
			scope = tp_folded_node(b->folded, (uint32_t)scope,
			    b->name.p ? b->name.p : "", b->name.len);
		tp_folded_add(b->folded, (uint32_t)scope, s->own_ps);
	}
}

static void
add_stretch(void *arg, const struct tp_jax_event *s, int64_t from, int64_t to)
{
	struct build *b = arg;

	tp_folded_add(b->folded, b->nodes[s - b->trace->tracks.slices],
	    to - from);
}

/* Add what the thread of TRACK ran. */
static void
add_thread(struct build *b, const struct tp_track *track)
{
	const struct tp_tracks *t = &b->trace->tracks;

	tp_grow(&b->nodes, &b->cap, t->count, sizeof *b->nodes);
	/* enclosing slices come first */
	for (uint32_t i = 0; i < track->count; i++) {
		uint32_t at = t->order[track->first + i];
		const struct tp_jax_event *s = &t->slices[at];
		const char *name = tp_slice_name(t, s);

		b->nodes[at] = tp_folded_node(b->folded, s->parent ?
		    b->nodes[s->parent - 1] : b->root, name, strlen(name));
	}
	tp_tracks_innermost(t, track, add_stretch, b);
}

void
tp_jax_folded(struct tp_jax_trace *trace, int host, struct tp_out *out)
{
	enum tp_role role = host ? TP_ROLE_HOST : TP_ROLE_OPS;
	struct tp_folded folded = { 0 };
	struct build b = { .folded = &folded, .trace = trace };
	struct tp_track_list tracks = { 0 };

	tp_tracks_of(&trace->tracks, role, role, &tracks);
	for (size_t i = 0; i < tracks.count; i++) {
		const struct tp_track *track = tracks.list[i];

		/* regions are common to all hosts, nodes are per host */
		if (i && track->host != tracks.list[i - 1]->host)
			b.node_count = 0;
		b.root = root_of(&b, track->host);
		if (host)
			add_thread(&b, track);
		else
			add_operations(&b, track);
	}
	tp_folded_write(&folded, out);
	tp_folded_release(&folded);
	tp_free(tracks.list);
	tp_free(b.nodes);
	tp_buf_release(&b.name);
}
