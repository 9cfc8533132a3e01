/* slices - how busy each device was in equal parts of the run */
#include <tp/alloc.h>
#include <tp/slices.h>

#include "emit_private.h"
#include "ival.h"

enum { PS = 1000 };	/* in a ns */

/* Union of the operations on the COUNT lanes of one device. */
static int
device_union(struct tp_ival *busy, const struct tp_tracks *t,
    const struct tp_track *const *lanes, size_t count)
{
	const struct tp_jax_event *s;

	for (size_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < lanes[i]->count; j++) {
			s = &t->slices[t->order[lanes[i]->first + j]];
			if (tp_ival_add(busy, s->from_ps, s->to_ps) < 0)
				return -1;
		}
	return tp_ival_finish(busy);
}

/* Parts of whole ns, as records have them: one that is busy throughout then
 * is so in its record. */
static int
slice(const struct tp_ival *busy, const struct tp_jax_host_time *h,
    struct tp_busy_part *parts, size_t count)
{
	int64_t from = h->first_ps - (h->first_ps % PS + PS) % PS;
	int64_t to = h->last_ps + (PS - (h->last_ps % PS + PS) % PS) % PS;

	return tp_slices_make(busy, from, to, PS, parts, count);
}

static void
emit_device(const struct tp_jax_trace *c, const struct tp_jax_device *d,
    const struct tp_busy_part *parts, size_t count, struct tp_out *out)
{
	for (size_t i = 0; i < count; i++) {
		struct tp_busy_part ns = { tp_ps_to_ns(parts[i].from),
		    tp_ps_to_ns(parts[i].to), tp_ps_to_ns(parts[i].busy) };

		tp_out_begin(out, "timeline.slice");
		tp_out_text(out, "device_name", d->name ? d->name : "?");
		if (c->host_count > 1)
			tp_out_int(out, "host_index", d->host + 1);
		tp_slices_emit(&ns, i, out);
		tp_out_end(out);
	}
}

int
tp_jax_emit_slices(const struct tp_jax_trace *c, size_t count,
    struct tp_out *out, struct tp_err *err)
{
	struct tp_track_list l = { 0 };
	struct tp_busy_part *parts = tp_alloc((count + 1) * sizeof *parts);
	size_t next, device = 0;
	int rc = !parts || tp_tracks_of(&c->tracks, TP_ROLE_OPS,
	    TP_ROLE_OPS, &l) < 0;

	/* devices in the order in which they were measured (jax_time.c) */
	for (size_t i = 0; !rc && i < l.count; i = next) {
		struct tp_ival busy = { 0 };

		next = tp_track_list_next(&l, i);
		rc = device_union(&busy, &c->tracks, &l.list[i], next - i) < 0
		    || slice(&busy, &c->time.hosts[l.list[i]->host], parts,
		    count) < 0;
		tp_ival_release(&busy);
		if (!rc)
			emit_device(c, &c->time.devices[device++], parts,
			    count, out);
	}
	tp_free(l.list);
	tp_free(parts);
	return rc ? tp_fail_memory(err) : 0;
}
