/* gaps - idle time before the operations of a JAX trace */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "gaps.h"
#include "names.h"

enum { LOOK_AHEAD = 8, CONTEXT_DEPTH = 4 };

struct build {
	struct tp_tracks *tracks;
	struct tp_jax *jax;
	struct tp_jax_gaps *gaps;
	struct tp_ids op_ids, context_ids;	/* of the two lists */
	size_t op_cap, context_cap;
	struct tp_jax_tally markers;	/* (gap, name of marker) */
	struct tp_ids label_ids;	/* (name, region) of labels made */
	uint32_t *labels;		/* the labels, in tracks->texts */
	size_t label_cap, label_count;
	struct tp_jax_tally paths;	/* (name, region), regions of bare names
					 * excluded */
	uint32_t *best_path;		/* per name, 0: none */
	uint32_t *order;		/* slices of lanes, by (from, to) */
	size_t order_count, order_cap;
	unsigned char *marks;		/* per name: 1 no marker, 2 marker, 0
					 * unknown */
	struct tp_buf buf, path;
};

static int
is_marker(struct build *b, uint32_t name)
{
	if (!b->marks[name]) {
		tp_buf_clear(&b->buf);
		tp_jax_canonical(&b->buf,
		    b->tracks->names.names[name].text);
		b->marks[name] = (unsigned char)(1 +
		    tp_jax_marker(b->jax, b->buf.p ? b->buf.p : ""));
	}
	return b->marks[name] == 2;
}

/* Count the regions of each name, for slices without one. */
static void
count_paths(struct build *b)
{
	const struct tp_tracks *t = b->tracks;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		uint32_t region;
		int bare;

		if (t->tracks[s->track].role != TP_ROLE_OPS)
			continue;
		region = tp_jax_slice_region(b->jax, t, s, &bare);
		if (!bare)
			tp_jax_tally_add(&b->paths, s->name, region, 1);
	}
}

/* Choose the most frequent region of each name, ties by text. */
static void
choose_paths(struct build *b)
{
	uint32_t *most = tp_zalloc((b->tracks->names.count + 1) *
	    sizeof *most);

	for (size_t i = 0; i < b->paths.ids.count; i++) {
		size_t name = (size_t)b->paths.ids.ids[i].a;
		uint32_t region = (uint32_t)b->paths.ids.ids[i].b;

		if (b->paths.counts[i] < most[name])
			continue;
		if (b->paths.counts[i] == most[name]) {
			tp_buf_clear(&b->buf);
			tp_buf_clear(&b->path);
			tp_jax_region_path(b->jax, region, &b->buf);
			tp_jax_region_path(b->jax, b->best_path[name],
			    &b->path);
			if (strcmp(b->buf.p, b->path.p) > 0)
				continue;
		}
		most[name] = b->paths.counts[i];
		b->best_path[name] = region;
	}
	tp_free(most);
}

/* Make the label of S in REGION. */
static uint32_t
make_label(struct build *b, const struct tp_jax_event *s, uint32_t region)
{
	const char *copy, *path;

	region = tp_jax_region_cut(b->jax, region, CONTEXT_DEPTH);
	tp_buf_clear(&b->path);
	tp_jax_region_path(b->jax, region, &b->path);
	tp_buf_clear(&b->buf);
	tp_jax_canonical(&b->buf, tp_slice_name(b->tracks, s));
	copy = tp_jax_copy(b->jax, b->buf.p ? b->buf.p : "");
	path = b->path.p ? b->path.p : "";
	tp_buf_clear(&b->buf);
	if (copy && (!*path || !strcmp(path, copy)))
		tp_buf_str(&b->buf, copy);
	else if (copy && (strncmp(path, copy, strlen(copy)) ||
	    path[strlen(copy)] != '('))
		tp_buf_fmt(&b->buf, "%s(%s)", copy, path);
	else
		tp_buf_str(&b->buf, path);
	return (uint32_t)tp_tracks_text(b->tracks, b->buf.p ? b->buf.p : "",
	    b->buf.len);
}

/* The label of payload S, made once. */
static uint32_t
label_of(struct build *b, const struct tp_jax_event *s)
{
	uint32_t region;
	ptrdiff_t at;
	int bare;

	region = tp_jax_slice_region(b->jax, b->tracks, s, &bare);
	if (bare && b->best_path[s->name])
		region = b->best_path[s->name];
	at = tp_ids_add(&b->label_ids, s->name, region);
	TP_ITEM(b->labels, b->label_cap, at);
	if ((size_t)at == b->label_count) {
		b->labels[at] = make_label(b, s, region);
		b->label_count++;
	}
	return b->labels[at];
}

/* The gap of (A, B) in LIST, added when new. */
static struct tp_jax_gap *
gap_of(struct tp_jax_gap_list *list, struct tp_ids *ids, size_t *cap,
    uint64_t a, uint64_t b)
{
	ptrdiff_t at = tp_ids_add(ids, a, b);

	tp_grow(&list->list, cap, (size_t)at + 1, sizeof *list->list);
	if ((size_t)at == list->count) {
		list->list[at] = (struct tp_jax_gap){ .name = (uint32_t)a,
		    .label = (uint32_t)b };
		list->count++;
	}
	return &list->list[at];
}

static void
add_gap(struct tp_jax_gap *g, int64_t ps)
{
	g->count++;
	tp_ps_add(&g->total_ps, ps);
	TP_MOST(g->max_ps, ps);
}

static void
found(struct build *b, const struct tp_jax_event *marker,
    const struct tp_jax_event *payload, int64_t ps)
{
	struct tp_jax_gap *op = gap_of(&b->gaps->ops, &b->op_ids, &b->op_cap,
	    payload->name, 0);
	struct tp_jax_gap *context = gap_of(&b->gaps->contexts, &b->context_ids,
	    &b->context_cap, payload->name, label_of(b, payload));

	tp_jax_tally_add(&b->markers, (uint64_t)(op - b->gaps->ops.list),
	    marker->name, 1);
	add_gap(op, ps);
	add_gap(context, ps);
	b->gaps->count++;
	b->gaps->long_count += ps > TP_JAX_LONG_GAP_NS * (int64_t)1000;
	tp_ps_add(&b->gaps->total_ps, ps);
	TP_MOST(b->gaps->max_ps, ps);
}

/* The work that follows the marker at AT of b->order without a gap. */
static const struct tp_jax_event *
payload_of(struct build *b, size_t at, size_t n)
{
	const struct tp_jax_event *all = b->tracks->slices;
	const struct tp_jax_event *marker = &all[b->order[at]], *s;
	int64_t end = marker->to_ps;

	if (!is_marker(b, marker->name))
		return marker;
	for (size_t i = at + 1; i < n && i <= at + LOOK_AHEAD; i++) {
		s = &all[b->order[i]];
		if (s->from_ps > end)
			break;
		if (!is_marker(b, s->name))
			return s;
		TP_MOST(end, s->to_ps);
	}
	return marker;
}

/*
 * Append the slices of TRACK by (from, to, file order): as tracks->order,
 * but of equal starts the shortest first.
 */
static void
append(struct build *b, const struct tp_track *track)
{
	const struct tp_jax_event *all = b->tracks->slices;
	const uint32_t *from = b->tracks->order + track->first;
	uint32_t end, last, first;

	tp_grow(&b->order, &b->order_cap, b->order_count + track->count,
	    sizeof *b->order);
	for (uint32_t start = 0; start < track->count; start = end) {
		for (end = start; end < track->count &&
		    all[from[end]].from_ps == all[from[start]].from_ps; end++)
			;
		for (last = end; last > start; last = first) {
			for (first = last - 1; first > start &&
			    all[from[first - 1]].to_ps ==
			    all[from[first]].to_ps; first--)
				;
			for (uint32_t i = first; i < last; i++)
				b->order[b->order_count++] = from[i];
		}
	}
}

/* For qsort(). */
static const struct tp_tracks *sorting;

static int
by_start(const void *pa, const void *pb)
{
	uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
	const struct tp_jax_event *a = &sorting->slices[ia];
	const struct tp_jax_event *b = &sorting->slices[ib];

	if (a->from_ps != b->from_ps)
		return a->from_ps < b->from_ps ? -1 : 1;
	if (a->to_ps != b->to_ps)
		return a->to_ps < b->to_ps ? -1 : 1;
	if (a->name != b->name)
		return tp_name_cmp(&sorting->names.names[a->name],
		    &sorting->names.names[b->name]);
	return ia < ib ? -1 : ia > ib;
}

/* Find the gaps over COUNT lanes together. */
static void
gaps_of(struct build *b, const struct tp_track *const *lanes, size_t count)
{
	const struct tp_tracks *t = b->tracks;
	int64_t end;

	b->order_count = 0;
	for (size_t i = 0; i < count; i++)
		append(b, lanes[i]);
	sorting = t;
	if (count > 1)
		TP_SORT(b->order, b->order_count, by_start);
	end = t->slices[b->order[0]].to_ps;
	for (size_t i = 1; i < b->order_count; i++) {
		const struct tp_jax_event *s = &t->slices[b->order[i]];

		if (s->from_ps > end)
			found(b, s, payload_of(b, i, b->order_count),
			    s->from_ps - end);
		TP_MOST(end, s->to_ps);
	}
}

static void
all_gaps(struct build *b, int by_lane)
{
	struct tp_track_list lanes = { 0 };
	size_t next;

	tp_tracks_of(b->tracks, TP_ROLE_OPS, TP_ROLE_OPS, &lanes);
	for (size_t i = 0; i < lanes.count; i = next) {
		next = by_lane ? i + 1 : tp_track_list_next(&lanes, i);
		gaps_of(b, &lanes.list[i], next - i);
	}
	tp_free(lanes.list);
}

static void
choose_markers(struct build *b, uint32_t *most)
{
	const struct tp_names *names = &b->tracks->names;

	for (size_t i = 0; i < b->markers.ids.count; i++) {
		size_t at = (size_t)b->markers.ids.ids[i].a;
		struct tp_jax_gap *g = &b->gaps->ops.list[at];
		uint32_t name = (uint32_t)b->markers.ids.ids[i].b;

		if (b->markers.counts[i] > most[at] ||
		    (b->markers.counts[i] == most[at] &&
		    strcmp(names->names[name].text,
		    names->names[g->marker].text) < 0)) {
			most[at] = b->markers.counts[i];
			g->marker = name;
		}
	}
}

TP_ORDER(by_total, struct tp_jax_gap, TP_DOWN(total_ps)
    TP_BY(a->label ? 0 : TP_CMP(b->max_ps, a->max_ps))
    TP_BY(strcmp(sorting->names.names[a->name].text,
    sorting->names.names[b->name].text))
    TP_BY(strcmp(sorting->texts.names[a->label].text,
    sorting->texts.names[b->label].text)))

static void
finish(struct build *b)
{
	uint32_t *most = tp_zalloc((b->gaps->ops.count + 1) * sizeof *most);

	choose_markers(b, most);
	tp_free(most);
	sorting = b->tracks;
	if (b->gaps->ops.count) {
		TP_SORT(b->gaps->ops.list, b->gaps->ops.count, by_total);
		TP_SORT(b->gaps->contexts.list, b->gaps->contexts.count,
		    by_total);
	}
}

void
tp_jax_gaps_make(struct tp_jax_gaps *gaps, struct tp_tracks *tracks,
    struct tp_jax *jax, int by_lane)
{
	struct build b = { .tracks = tracks, .jax = jax, .gaps = gaps };

	memset(gaps, 0, sizeof *gaps);
	b.best_path = tp_zalloc((tracks->names.count + 1) *
	    sizeof *b.best_path);
	b.marks = tp_zalloc(tracks->names.count + 1);
	count_paths(&b);
	choose_paths(&b);
	all_gaps(&b, by_lane);
	finish(&b);
	tp_ids_release(&b.op_ids);
	tp_ids_release(&b.context_ids);
	tp_jax_tally_release(&b.markers);
	tp_jax_tally_release(&b.paths);
	tp_ids_release(&b.label_ids);
	tp_free(b.labels);
	tp_free(b.best_path);
	tp_free(b.order);
	tp_free(b.marks);
	tp_buf_release(&b.buf);
	tp_buf_release(&b.path);
}
