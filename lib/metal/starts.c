/* starts - how many intervals of each group began in each time slice */
#include <string.h>

#include <tp/alloc.h>

#include "starts.h"

void
tp_starts_add(struct tp_starts *s, size_t group, int64_t at_ns, uint32_t count)
{
	int64_t slice = at_ns >> TP_STARTS_BITS;
	struct tp_starts_slice *o = TP_ITEM(s->open, s->open_cap,
	    (ptrdiff_t)group);

	if (o->count && o->slice == slice && o->count <= UINT32_MAX - count) {
		o->count += count;
		return;
	}
	if (o->count) {
		memcpy(tp_spool_room(&s->closed, sizeof *o), o, sizeof *o);
		s->closed.used += sizeof *o;
	}
	o->slice = slice;
	o->group = (uint32_t)group;
	o->count = count;
}

void
tp_starts_each(const struct tp_starts *s, size_t group,
    void (*take)(void *arg, int64_t from_ns, int64_t to_ns, uint64_t count),
    void *arg)
{
	struct tp_spool_reader reader;
	struct tp_starts_slice slice;
	int more;

	if (group >= s->open_cap)
		return;
	slice = s->open[group];
	tp_spool_read(&reader, &s->closed);
	do {
		if (slice.count && slice.group == group)
			take(arg, slice.slice << TP_STARTS_BITS,
			    (slice.slice + 1) << TP_STARTS_BITS, slice.count);
		more = reader.p != reader.end || tp_spool_more(&reader);
		if (more) {
			memcpy(&slice, reader.p, sizeof slice);
			reader.p += sizeof slice;
		}
	} while (more);
	tp_spool_close(&reader);
}

void
tp_starts_release(struct tp_starts *s)
{
	tp_free(s->open);
	tp_spool_release(&s->closed);
	memset(s, 0, sizeof *s);
}
