/* device_lanes - busy times of each device and its lines as lanes */
#include <string.h>

#include <tp/alloc.h>
#include <tp/lanes.h>
#include <tp/order.h>

#include "emit_jax.h"
#include "merge.h"

/*
 * Busy time of a device: all of it (part TP_JAX_PARTS), or one part on its
 * lines of one name.
 */
struct line {
	struct tp_ival busy;
	const struct tp_jax_device *device;
	size_t name;			/* index in names */
	int part;
};

struct lines {
	const struct tp_jax_trace *c;
	/* current device, and 1 + the index in list of each part */
	const struct tp_jax_device *device;
	size_t name, at[TP_JAX_PARTS + 1];
	int64_t first_ps, last_ps;
	struct line *list;
	size_t count, cap;
	struct tp_ids ids;		/* of list: (device and name, part) */
	struct tp_names names;
};

/* Switch to the lines of DEVICE called NAME. */
static void
turn_to(struct lines *l, const struct tp_jax_device *device, size_t name)
{
	l->device = device;
	l->name = name;
	memset(l->at, 0, sizeof l->at);
}

/* The line of PART, added when new. */
static struct line *
line_of(struct lines *l, int part)
{
	uint64_t device = (uint64_t)(l->device - l->c->time.devices);
	ptrdiff_t at = (ptrdiff_t)l->at[part] - 1;

	if (at >= 0)
		return &l->list[at];
	at = tp_ids_add(&l->ids, device << 32 | l->name, (uint64_t)part);
	TP_ITEM(l->list, l->cap, at);
	if ((size_t)at == l->count) {
		l->list[at] = (struct line){ .device = l->device,
		    .name = l->name, .part = part };
		l->count++;
	}
	l->at[part] = (size_t)at + 1;
	return &l->list[at];
}

static void
add_lane_span(struct lines *l, int part, int64_t from_ps, int64_t to_ps)
{
	struct line *line = line_of(l, part);

	from_ps = from_ps < l->first_ps ? l->first_ps : from_ps;
	to_ps = to_ps > l->last_ps ? l->last_ps : to_ps;
	tp_ival_add(&line->busy, from_ps, to_ps);
}

static enum tp_jax_use
class_of(const struct lines *l, const struct tp_jax_event *s)
{
	return (enum tp_jax_use)tp_jax_known_of(l->c->jax, &l->c->tracks,
	    s)->class;
}

static void
add_innermost(void *arg, const struct tp_jax_event *s, int64_t from, int64_t to)
{
	add_lane_span(arg, (int)tp_jax_class_part(class_of(arg, s)), from, to);
}

/*
 * Add the operations on line K by part; of transfers in flight, only
 * collectives.
 */
static void
add_track(struct lines *l, const struct tp_track *k)
{
	const struct tp_tracks *t = &l->c->tracks;
	const char *text = k->thread ? k->thread : "?";
	ptrdiff_t name = tp_names_add(&l->names, text, strlen(text));

	turn_to(l, l->device, (size_t)name);
	if (k->role == TP_ROLE_OPS) {
		tp_tracks_innermost(t, k, add_innermost, l);
		return;
	}
	for (uint32_t i = 0; i < k->count; i++) {
		const struct tp_jax_event *s = &t->slices[t->order[k->first +
		    i]];

		if (class_of(l, s) == TP_JAX_COLLECTIVE)
			add_lane_span(l, TP_JAX_COMMUNICATION, s->from_ps,
			    s->to_ps);
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
	line = line_of(l, TP_JAX_PARTS);
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

/* The device as a whole before its lines. */
TP_ORDER(by_line, struct line, TP_UP(device)
    TP_BY((b->part == TP_JAX_PARTS) - (a->part == TP_JAX_PARTS)) TP_UP(name)
    TP_UP(part))

static void
begin_jax_lane(const void *arg, const void *of, struct tp_out *out)
{
	const struct lines *l = arg;
	const struct line *line = of;

	tp_out_begin(out, "timeline.lane");
	if (line)
		tp_out_text(out, "device_name", line->device->name ?
		    line->device->name : "?");
	if (l->c->host_count > 1)
		tp_out_int(out, "host_index", l->device->host + 1);
	if (!line || line->part == TP_JAX_PARTS)
		return;
	tp_out_text(out, "lane", l->names.names[line->name].text);
	tp_out_text(out, "category",
	    tp_jax_part_name((enum tp_jax_part)line->part));
}

static void
emit_jax_lanes(struct lines *l, const struct tp_lane_columns *columns,
    struct tp_out *out)
{
	struct tp_lane_of *lanes = tp_alloc((l->count + 1) * sizeof *lanes);

	TP_SORT(l->list, l->count, by_line);
	for (size_t i = 0; i < l->count; i++) {
		lanes[i] = (struct tp_lane_of){ &l->list[i].busy,
		    &l->list[i], l->list[i].part == TP_JAX_PARTS };
		tp_ival_finish(&l->list[i].busy);
	}
	tp_lanes_emit(lanes, l->count, columns, begin_jax_lane, l, out);
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
	struct lines l = { .c = c, .first_ps = h->first_ps,
	    .last_ps = h->last_ps };

	for (size_t i = 0; i < count; i++) {
		const struct tp_jax_device *d = find_device(c, list[i]);

		if (!d)		/* it has only transfers in flight */
			continue;
		if (d != l.device) {
			turn_to(&l, d, 0);
			add_device(&l);
		}
		add_track(&l, list[i]);
	}
	if (l.device)
		emit_jax_lanes(&l, &columns, out);
	for (size_t i = 0; i < l.count; i++)
		tp_ival_release(&l.list[i].busy);
	tp_free(l.list);
	tp_ids_release(&l.ids);
	tp_names_release(&l.names);
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
