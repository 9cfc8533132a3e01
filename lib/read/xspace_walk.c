/* xspace_walk - messages of an XSpace too large for memory */
#include "xspace.h"

void
tp_xspace_damaged(struct tp_xspace *x, uint64_t at, const char *wrong)
{
	if (!x->damaged.count)
		x->wrong = wrong;
	/* planes are walked several times */
	if (x->damaged.count < TP_X_PLACES)
		(void)tp_ids_add(&x->damaged, at, 0);
}

int
tp_xspace_field(struct tp_xspace *x, struct tp_walk *w,
    struct tp_proto_field *f, uint64_t *at, struct tp_err *err)
{
	enum { HEAD = 20 };	/* two varints at most */
	struct tp_proto m;
	uint64_t left;
	size_t have;
	int rc;

	x->clipped = 0;
	if (w->at >= w->end)
		return 0;
	left = w->end - w->at;
	m.p = tp_reach_look(&x->reach, w->at, left < HEAD ? (size_t)left :
	    HEAD, &have, err);
	if (!m.p)
		return -1;
	m.end = m.p + (have < left ? have : left);
	*at = w->at;
	f->bytes = m.p;
	rc = tp_proto_head(&m, f);
	if (rc <= 0) {
		if (!rc && w->end >= x->reach.len)
			x->cut = 1;
		else
			tp_xspace_damaged(x, w->at, rc ? "no field" :
			    "a field that its message ends in");
		w->at = w->end;
		return 0;
	}
	*at += (uint64_t)(m.p - f->bytes);
	w->at = *at;
	if (f->wire != TP_WIRE_BYTES)
		return 1;
	if (f->value > w->end - *at) {
		if (w->end < x->reach.len)
			tp_xspace_damaged(x, *at, "a field that goes beyond "
			    "its message");
		else
			x->cut = 1;
		f->value = w->end - *at;
		x->clipped = 1;
	}
	w->at += f->value;
	return 1;
}

int
tp_xspace_message(struct tp_xspace *x, uint64_t at, uint64_t len,
    struct tp_proto *m, struct tp_err *err)
{
	size_t have;

	if (len > (uint64_t)tp_limits.line_bytes)
		return tp_limit_line(err, "limit.message", 0, "a message");
	m->p = tp_reach_look(&x->reach, at, (size_t)len, &have, err);
	if (!m->p)
		return -1;
	m->end = m->p + (have < len ? have : (size_t)len);
	return 0;
}
