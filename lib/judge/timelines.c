/* timelines - the busy time of two runs on one time scale */
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/judge/timelines.h>
#include <tp/order.h>

#include "compare_private.h"

/* A stretch of a lane, from a record. */
struct part {
	int64_t from, length, busy;
};

static int
part_of(const struct tp_compare_lane *l, const struct tp_rec *rec,
    struct part *p)
{
	for (const char **key = l->without; key && *key; key++)
		if (tp_rec_field(rec, *key))
			return 0;
	return tp_rec_int(rec, "start_ns", &p->from) &&
	    tp_rec_int(rec, "duration_ns", &p->length) &&
	    tp_rec_int(rec, "busy_ns", &p->busy) && p->length > 0 &&
	    p->busy >= 0 && p->busy <= p->length && p->from >= INT64_MIN / 4 &&
	    p->from <= INT64_MAX / 4 && p->length <= INT64_MAX / 4;
}

/* Append the name of REC's lane to BUF. */
static void
name_lane(struct tp_buf *buf, const struct tp_compare_lane *l,
    const struct tp_rec *rec, int many)
{
	const struct tp_field *f;

	tp_buf_clear(buf);
	if (many)
		tp_buf_str(buf, rec->src);
	for (const char **key = l->identity; *key; key++)
		if ((f = tp_rec_field(rec, *key))) {
			const char *word = tp_json_text(l->words, *key);

			if (buf->len)
				tp_buf_str(buf, " / ");
			if (word) {
				tp_buf_str(buf, word);
				tp_buf_chr(buf, ' ');
			}
			tp_buf_add(buf, f->text, f->len);
		}
	tp_buf_str(buf, buf->len ? "" : "?");
}

static struct tp_timeline_lane *
find_lane(struct tp_timelines *t, const char *name, int side)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->lanes[i].side == side &&
		    !strcmp(t->lanes[i].name, name))
			return &t->lanes[i];
	return NULL;
}

/* The lane NAME of SIDE, created when new, after that of the other side. */
static struct tp_timeline_lane *
lane_of(struct tp_timelines *t, const char *name, int side)
{
	struct tp_timeline_lane *lane = find_lane(t, name, side), *mate;
	size_t at = t->count;
	char *copy;

	if (lane)
		return lane;
	copy = tp_dup(name);
	tp_grow(&t->lanes, &t->cap, t->count + 1, sizeof *t->lanes);
	mate = find_lane(t, name, TP_BEFORE);
	if (mate)
		at = (size_t)(mate - t->lanes) + 1;
	memmove(&t->lanes[at + 1], &t->lanes[at],
	    (t->count++ - at) * sizeof *t->lanes);
	lane = &t->lanes[at];
	memset(lane, 0, sizeof *lane);
	lane->name = copy;
	lane->side = side;
	lane->from_ns = INT64_MAX;
	lane->to_ns = INT64_MIN;
	return lane;
}

static void
extend_lane(struct tp_timelines *t, struct tp_timeline_lane *lane,
    const struct part *p, struct tp_out *out)
{
	(void)t;
	(void)out;
	TP_LEAST(lane->from_ns, p->from);
	TP_MOST(lane->to_ns, p->from + p->length);
	lane->busy_ns = lane->busy_ns > INT64_MAX - p->busy ? INT64_MAX :
	    lane->busy_ns + p->busy;
}

/* Distribute SHARE of the time of P over COLUMNS. */
static void
spread(const struct tp_timelines *t, const struct tp_timeline_lane *lane,
    const struct part *p, double share, double *columns)
{
	double from = (double)(p->from - t->from_ns[lane->side]);
	double to = from + (double)p->length, a, b;

	for (size_t i = (size_t)(from / t->column_ns); i < TP_COLUMNS; i++) {
		a = (double)i * t->column_ns;
		b = a + t->column_ns;
		if (a >= to)
			break;
		a = a > from ? a : from;
		b = b < to ? b : to;
		if (b > a)
			columns[i] += (b - a) * share;
	}
}

static void
lay(struct tp_timelines *t, struct tp_timeline_lane *lane,
    const struct part *p, struct tp_out *out)
{
	(void)out;
	spread(t, lane, p, (double)p->busy / (double)p->length, lane->busy);
}

/* Write P as a record, relative to the start of its run. */
static void
emit_lane_part(struct tp_timelines *t, struct tp_timeline_lane *lane,
    const struct part *p, struct tp_out *out)
{
	tp_out_begin(out, "compare.lane");
	tp_out_text(out, "name", lane->name);
	tp_out_text(out, "side", tp_side_name(lane->side));
	tp_out_int(out, "start_ns", p->from - t->from_ns[lane->side]);
	tp_out_int(out, "duration_ns", p->length);
	tp_out_int(out, "busy_ns", p->busy);
	tp_out_end(out);
}

/* Whether SET has parts of more than one trace. */
static int
is_many(const struct tp_set *set, const char *kind)
{
	const char *src = NULL;
	const struct tp_rec *rec;

	for (size_t at = 0; (rec = tp_set_next(set, kind, &at)); src = rec->src)
		if (src && strcmp(src, rec->src))
			return 1;
	return 0;
}

static void
each_part(struct tp_timelines *t, const struct tp_compare_rules *r,
    const struct tp_set sets[TP_SIDES], void (*with)(struct tp_timelines *t,
    struct tp_timeline_lane *lane, const struct part *p, struct tp_out *out),
    struct tp_out *out)
{
	struct tp_buf name = { 0 };
	const struct tp_rec *rec;
	struct part p;

	for (int s = 0; s < TP_SIDES; s++)
		for (size_t i = 0; i < r->lane_count; i++) {
			const struct tp_compare_lane *l = &r->lanes[i];
			int many = is_many(&sets[s], l->kind);

			for (size_t at = 0; (rec = tp_set_next(&sets[s],
			    l->kind, &at)); ) {
				if (!part_of(l, rec, &p))
					continue;
				name_lane(&name, l, rec, many);
				with(t, lane_of(t, name.p, s), &p, out);
			}
		}
	tp_buf_release(&name);
}

/* Choose the scale: the longer run fills the columns. */
static void
scale(struct tp_timelines *t)
{
	int64_t to[TP_SIDES], longest;

	for (int s = 0; s < TP_SIDES; s++)
		t->from_ns[s] = INT64_MAX, to[s] = INT64_MIN;
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_timeline_lane *l = &t->lanes[i];

		TP_LEAST(t->from_ns[l->side], l->from_ns);
		TP_MOST(to[l->side], l->to_ns);
	}
	for (int s = 0; s < TP_SIDES; s++)
		t->span_ns[s] = to[s] > t->from_ns[s] ?
		    to[s] - t->from_ns[s] : 0;
	longest = t->span_ns[0] > t->span_ns[1] ? t->span_ns[0] :
	    t->span_ns[1];
	t->column_ns = (double)longest / TP_COLUMNS;
	for (size_t i = 0; i < t->count; i++) {
		struct tp_timeline_lane *l = &t->lanes[i];
		const struct part all = { l->from_ns, l->to_ns - l->from_ns,
		    0 };

		spread(t, l, &all, 1, l->covered);
	}
}

void
tp_timelines_make(struct tp_timelines *t, const struct tp_compare_rules *r,
    const struct tp_set sets[TP_SIDES])
{
	memset(t, 0, sizeof *t);
	each_part(t, r, sets, extend_lane, NULL);
	scale(t);
	each_part(t, r, sets, lay, NULL);
}

/* Busy share of column I of LANE; -1 outside the lane. */
static double
share_of(const struct tp_timelines *t, const struct tp_timeline_lane *lane,
    size_t i)
{
	/* a rounding residue past the end is no column */
	if (lane->covered[i] < t->column_ns * 1e-6)
		return -1;
	return lane->busy[i] / lane->covered[i];
}

/* Draw the lane as blocks as high as the busy share; "." is idle. */
static void
strip(const struct tp_timelines *t, const struct tp_timeline_lane *lane,
    struct tp_buf *buf)
{
	size_t end = TP_COLUMNS;

	while (end && share_of(t, lane, end - 1) < 0)
		end--;
	for (size_t i = 0; i < end; i++) {
		double share = share_of(t, lane, i);
		char block[] = "\xe2\x96\x81";

		if (share > 0) {
			block[2] = (char)(0x81 + (int)(share * 7.999));
			tp_buf_str(buf, block);
		} else {
			tp_buf_chr(buf, '.');
		}
	}
}

void
tp_timelines_emit(struct tp_timelines *t, const struct tp_compare_rules *r,
    const struct tp_set sets[TP_SIDES], struct tp_out *out)
{
	struct tp_buf buf = { 0 };

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_timeline_lane *l = &t->lanes[i];

		tp_buf_clear(&buf);
		strip(t, l, &buf);
		tp_out_begin(out, "compare.timeline");
		tp_out_text(out, "name", l->name);
		tp_out_text(out, "side", tp_side_name(l->side));
		tp_out_int(out, "span_ns", l->to_ns - l->from_ns);
		tp_out_int(out, "busy_ns", l->busy_ns);
		tp_out_ratio(out, "busy_ratio", l->busy_ns,
		    l->to_ns - l->from_ns);
		tp_out_int(out, "column_ns", (int64_t)(t->column_ns + 0.5));
		tp_out_text(out, "sparkline", buf.p);
		tp_out_end(out);
	}
	tp_buf_release(&buf);
	each_part(t, r, sets, emit_lane_part, out);
}
