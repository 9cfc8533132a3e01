/* mem_levels - levels of memory over time, few enough to draw */
#include <tp/alloc.h>
#include <tp/order.h>

#include "mem_private.h"
#include "stat.h"

/* Merges levels into columns of time; one column is open. */
struct columns {
	int64_t from, to;
	size_t count, at;
	struct tp_mem_range column;	/* its content so far */
	int any;
	struct tp_mem_range *list;
	size_t listed;
};

/* The level of row I, which ends no later than the next begins. */
static struct tp_mem_range
range_of(const struct tp_mem_series *s, size_t i)
{
	const struct tp_mem_level *l = &s->levels[i];
	int64_t to = l->at_ns + l->length_ns;

	if (i + 1 < s->count && to > l[1].at_ns)
		to = l[1].at_ns;
	return (struct tp_mem_range){ l->at_ns, to, l->bytes, l->bytes };
}

/*
 * Extend P to the end of NEXT if that follows it at the same level; whether
 * it did.
 */
static int
extend(struct tp_mem_range *p, const struct tp_mem_range *next)
{
	if (p->to_ns != next->from_ns || p->low != p->high ||
	    next->low != next->high || p->low != next->low)
		return 0;
	p->to_ns = next->to_ns;
	return 1;
}

/* Read the level from row *AT on, and move past it; 0 after the last. */
static int
next_level(const struct tp_mem_series *s, size_t *at, struct tp_mem_range *l)
{
	struct tp_mem_range next;

	if (*at >= s->count)
		return 0;
	*l = range_of(s, (*at)++);
	for (; *at < s->count; ++*at) {
		next = range_of(s, *at);
		if (!extend(l, &next))
			break;
	}
	return 1;
}

static void
put(struct columns *c, const struct tp_mem_range *r)
{
	if (!c->listed || !extend(&c->list[c->listed - 1], r))
		c->list[c->listed++] = *r;
}

static void
put_column(struct columns *c)
{
	if (c->any)
		put(c, &c->column);
	c->any = 0;
}

/* End of the open column. */
static int64_t
end_of(const struct columns *c)
{
	return c->at + 1 >= c->count ? INT64_MAX : c->from +
	    (int64_t)((tp_int128)(c->to - c->from) * (tp_int128)(c->at + 1) /
	    (tp_int128)c->count);
}

/* Add a level, which begins at or after the end of the previous one. */
static void
cut(struct columns *c, struct tp_mem_range l)
{
	struct tp_mem_range *column = &c->column;
	int64_t to = l.to_ns;

	do {
		while (end_of(c) <= l.from_ns) {
			put_column(c);
			c->at++;
		}
		l.to_ns = to < end_of(c) ? to : end_of(c);
		if (!c->any)
			*column = l;
		column->to_ns = l.to_ns;
		TP_LEAST(column->low, l.low);
		TP_MOST(column->high, l.high);
		c->any = 1;
		l.from_ns = l.to_ns;
	} while (l.from_ns < to);
}

size_t
tp_mem_sample(const struct tp_mem_series *s, size_t most,
    struct tp_mem_range *list)
{
	struct columns c = { .list = list };
	struct tp_mem_range l, last = { 0 };
	size_t levels = 0, i = 0, n;

	while (next_level(s, &i, &l)) {
		if (!levels++)
			c.from = l.to_ns;
		last = l;
	}
	c.to = last.from_ns;
	c.count = most - 2;
	i = 0;
	for (n = 0; next_level(s, &i, &l); n++) {
		if (levels <= most || !n) {
			put(&c, &l);
		} else if (n + 1 < levels) {
			cut(&c, l);
		} else {
			put_column(&c);
			put(&c, &l);
		}
	}
	return c.listed;
}

void
tp_mem_emit_levels(const struct tp_mem_of *of)
{
	size_t most = (size_t)of->limits->levels, n;
	struct tp_mem_range *list;

	if (!most)
		return;
	list = tp_alloc(most * sizeof *list);
	n = tp_mem_sample(of->series, most, list);
	for (size_t i = 0; i < n; i++) {
		tp_mem_begin(of, "mem.level");
		tp_out_int(of->out, "start_ns", list[i].from_ns);
		tp_out_int(of->out, "end_ns", list[i].to_ns);
		tp_out_int(of->out, "min_bytes", list[i].low);
		tp_out_int(of->out, "max_bytes", list[i].high);
		tp_out_end(of->out);
	}
	tp_free(list);
}
