/* device_lanes - busy times of each device and its lines as lanes */
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/lanes.h>

#include "emit_jax.h"
#include "merge.h"

/* Busy time of a device, or of a line of it. */
struct line {
	struct tp_ival busy;
	const struct tp_jax_device *device;
	const char *name;		/* NULL: the device */
	struct tp_lane_kinds kinds;	/* of a line */
};

/* A kind of work: a part of the time, and what the work is called. */
struct kind {
	enum tp_jax_part part;
	const char *family;
};

enum { KINDS = 100 };	/* the last is for all others */

struct lines {
	const struct tp_jax_trace *c;
	const struct tp_lane_columns *columns;
	const struct tp_jax_device *device;	/* current */
	int64_t first_ps, last_ps;
	struct line *list;		/* a device before its lines */
	size_t count, cap;
	struct kind kinds[KINDS];
	int kind_count;
	struct tp_ids known;		/* (name, detail) of an operation */
	uint8_t *kind_of;		/* ... and its kind */
	size_t kind_cap;
	struct tp_buf text;
};

static struct line *
add_line(struct lines *l, const char *name)
{
	tp_grow(&l->list, &l->cap, l->count + 1, sizeof *l->list);
	l->list[l->count] = (struct line){ .device = l->device, .name = name };
	return &l->list[l->count++];
}

static void
add_lane_span(struct lines *l, int kind, int64_t from_ps, int64_t to_ps)
{
	struct line *line = &l->list[l->count - 1];

	from_ps = from_ps < l->first_ps ? l->first_ps : from_ps;
	to_ps = to_ps > l->last_ps ? l->last_ps : to_ps;
	tp_ival_add(&line->busy, from_ps, to_ps);
	tp_lane_kinds_add(&line->kinds, l->columns, from_ps, to_ps, kind);
}

static enum tp_jax_use
class_of(const struct lines *l, const struct tp_jax_event *s)
{
	return (enum tp_jax_use)tp_jax_known_of(l->c->jax, &l->c->tracks,
	    s)->class;
}

/* The index of a kind of work, which is added when new. */
static int
find_kind(struct lines *l, enum tp_jax_part part, const char *family)
{
	int i = 0;

	while (i < l->kind_count && (l->kinds[i].part != part ||
	    strcmp(l->kinds[i].family, family) != 0))
		i++;
	if (i == KINDS)
		return KINDS - 1;
	if (i == l->kind_count)
		l->kinds[l->kind_count++] = (struct kind){ part,
		    i < KINDS - 1 ? family : "other" };
	return i;
}

/*
 * What operation S does: its family, or its category by XLA where that says
 * more.
 */
static const char *
family_of(struct lines *l, const struct tp_jax_event *s)
{
	const struct tp_tracks *t = &l->c->tracks;
	const struct tp_detail *d = &t->details[s->detail];
	const char *tf_op = t->texts.names[d->of[TP_DETAIL_TF_OP]].text;
	const char *category = t->texts.names[d->of[TP_DETAIL_CATEGORY]].text;
	const char *family;

	tp_buf_clear(&l->text);
	tp_jax_canonical(&l->text, tp_slice_name(t, s));
	if (*tf_op)
		tp_buf_fmt(&l->text, " %s", tf_op);
	tp_buf_str(&l->text, "");
	family = tp_jax_family_or_kernel(l->c->jax, l->text.p);
	return *category && (!strcmp(family, "fusion") || !strcmp(family,
	    "other")) ? category : family;
}

static int
kind_of(struct lines *l, const struct tp_jax_event *s)
{
	size_t had = l->known.count;
	ptrdiff_t at = tp_ids_add(&l->known, s->name, s->detail);
	enum tp_jax_use class;
	enum tp_jax_part part;

	TP_ITEM(l->kind_of, l->kind_cap, at);
	if (l->known.count > had) {
		class = class_of(l, s);
		part = tp_jax_class_part(class);
		l->kind_of[at] = (uint8_t)find_kind(l, part,
		    part == TP_JAX_COMMUNICATION ? tp_jax_part_name(part) :
		    class == TP_JAX_WORK ? family_of(l, s) :
		    class == TP_JAX_INFEED ? "infeed" :
		    class == TP_JAX_WAIT ? "waiting" :
		    part == TP_JAX_OTHER ? "other" : "copy");
	}
	return l->kind_of[at];
}

static void
add_innermost(void *arg, const struct tp_jax_event *s, int64_t from, int64_t to)
{
	add_lane_span(arg, kind_of(arg, s), from, to);
}

/* Add the operations on line K; of transfers in flight, only collectives. */
static void
add_track(struct lines *l, const struct tp_track *k)
{
	const struct tp_tracks *t = &l->c->tracks;

	add_line(l, k->thread ? k->thread : "?");
	if (k->role == TP_ROLE_OPS) {
		tp_tracks_innermost(t, k, add_innermost, l);
		return;
	}
	for (uint32_t i = 0; i < k->count; i++) {
		const struct tp_jax_event *s = &t->slices[t->order[k->first +
		    i]];

		if (class_of(l, s) == TP_JAX_COLLECTIVE)
			add_lane_span(l, kind_of(l, s), s->from_ps, s->to_ps);
	}
}

/* Add the busy time of the current device, as activity.h counts it. */
static void
add_device(struct lines *l)
{
	const struct tp_jax_device *d = l->device;
	const struct tp_ival *of[TP_JAX_CLASSES];
	struct line *line;
	struct tp_ival_walk walk;
	struct tp_span s;

	for (int i = 0; i < TP_JAX_CLASSES; i++)
		of[i] = &d->at[i];
	line = add_line(l, NULL);
	tp_merge_unite(of, TP_JAX_CLASSES, &line->busy);
	tp_ival_begin(&walk, &d->in_flight[TP_JAX_COLLECTIVE]);
	while (tp_ival_next(&walk, &s))
		tp_ival_add(&line->busy, s.from < d->first_ps ? d->first_ps :
		    s.from, s.to > d->last_ps ? d->last_ps : s.to);
	tp_ival_stop(&walk);
}

static const struct tp_jax_device *
find_device(const struct tp_jax_trace *c, const struct tp_track *k)
{
	for (size_t i = 0; i < c->time.device_count; i++)
		if (c->time.devices[i].host == k->host &&
		    c->time.devices[i].pid == k->pid)
			return &c->time.devices[i];
	return NULL;
}

static void
begin_jax_lane(const void *arg, const void *of, int kind, struct tp_out *out)
{
	const struct lines *l = arg;
	const struct line *line = of;

	tp_out_begin(out, "timeline.lane");
	if (line)
		tp_out_text(out, "device_name", line->device->name ?
		    line->device->name : "?");
	if (l->c->host_count > 1)
		tp_out_int(out, "host_index", l->device->host + 1);
	if (kind < 0)
		return;
	tp_out_text(out, "lane", line->name);
	tp_out_text(out, "category", tp_jax_part_name(l->kinds[kind].part));
	tp_out_text(out, "family", l->kinds[kind].family);
}

static void
emit_jax_lanes(struct lines *l, struct tp_out *out)
{
	struct tp_lane_of *lanes = tp_alloc((l->count + 1) * sizeof *lanes);
	size_t n = 0;

	for (size_t i = 0; i < l->count; i++) {
		struct line *line = &l->list[i];

		tp_ival_finish(&line->busy);
		if (tp_ival_count(&line->busy))
			lanes[n++] = (struct tp_lane_of){ &line->busy, line,
			    !line->name, &line->kinds };
	}
	tp_lanes_emit(lanes, n, l->columns, begin_jax_lane, l, out);
	tp_free(lanes);
}

/* Write the lines of the host of the COUNT tracks at LIST. */
static void
emit_host(const struct tp_jax_trace *c, const struct tp_track *const *list,
    size_t count, size_t pixels, struct tp_out *out)
{
	const struct tp_jax_host_time *h = &c->time.hosts[list[0]->host];
	struct tp_lane_columns columns = tp_lane_columns_over(h->first_ps,
	    h->last_ps, 1000, pixels);
	struct lines l = { .c = c, .columns = &columns,
	    .first_ps = h->first_ps, .last_ps = h->last_ps };

	for (size_t i = 0; i < count; i++) {
		const struct tp_jax_device *d = find_device(c, list[i]);

		if (!d)		/* it has only transfers in flight */
			continue;
		if (d != l.device) {
			l.device = d;
			add_device(&l);
		}
		add_track(&l, list[i]);
	}
	if (l.device)
		emit_jax_lanes(&l, out);
	for (size_t i = 0; i < l.count; i++) {
		tp_ival_release(&l.list[i].busy);
		tp_lane_kinds_release(&l.list[i].kinds);
	}
	tp_free(l.list);
	tp_ids_release(&l.known);
	tp_free(l.kind_of);
	tp_buf_release(&l.text);
}

void
tp_jax_emit_lanes(const struct tp_jax_trace *c, size_t pixels,
    struct tp_out *out)
{
	struct tp_track_list l = { 0 };
	size_t next;

	tp_tracks_of(&c->tracks, TP_ROLE_OPS, TP_ROLE_FLIGHT, &l);
	for (size_t i = 0; i < l.count; i = next) {
		for (next = i + 1; next < l.count &&
		    l.list[next]->host == l.list[i]->host; next++)
			continue;
		emit_host(c, l.list + i, next - i, pixels, out);
	}
	tp_free(l.list);
}
