/* csv_parts - read a CSV file in parts by several threads */
#include <string.h>

#include <tp/alloc.h>

#include "csv_parts.h"
#include "csv_plain.h"

#define ROWS_MAX ((size_t)1 << 30)

struct tp_csv_parts {
	struct tp_rows view;		/* of the caller, for tp_plain_rows() */
	struct tp_plan plan;		/* of view: counts nothing */
	struct tp_parts *parts;
	size_t columns;
	char delim;
};

struct parser {
	const struct tp_csv_parts *of;
	struct tp_plain *plain;
};

static size_t
behind_line(const void *arg, const char *block, size_t at, size_t to,
    size_t len)
{
	const char *lf = at < to ? memchr(block + at, '\n', to - at) : NULL;

	(void)arg, (void)len;
	return lf ? (size_t)(lf + 1 - block) : 0;
}

static void *
begin_csv_parser(void *arg)
{
	struct parser *q = tp_zalloc(sizeof *q);

	q->of = arg;
	q->plain = tp_plain_new();
	return q;
}

static void
end(void *state)
{
	struct parser *q = state;

	tp_plain_free(q->plain);
	tp_free(q);
}

static void
parse(void *state, struct tp_part *part)
{
	struct tp_csv_part *p = (struct tp_csv_part *)part;
	struct parser *q = state;
	struct tp_rows view = q->of->view;
	const char *at = part->from;
	struct tp_err err;
	ptrdiff_t n = 1;

	tp_queue_clear(&p->queue);
	view.fill = &p->queue;
	q->plain->base = NULL;
	p->rows = 0;
	while (at < part->to && n > 0)
		n = tp_plain_rows(q->plain, &view, &at, part->to,
		    q->of->delim, q->of->columns, ROWS_MAX, &p->rows,
		    &p->queue.arena, &err);
	p->whole = n > 0 && !p->queue.err_count;
}

static void
release_csv_part(struct tp_part *part)
{
	tp_queue_release(&((struct tp_csv_part *)part)->queue);
}

static const struct tp_parts_of csv = { sizeof(struct tp_csv_part), 0,
    behind_line, begin_csv_parser, parse, end, release_csv_part };

struct tp_csv_parts *
tp_csv_parts_new(struct tp_rows *rows, char delim, size_t columns,
    size_t threads)
{
	struct tp_csv_parts *s = tp_zalloc(sizeof *s);

	s->view = *rows;
	s->plan = *rows->plan;
	s->plan.source = -1;
	s->view.plan = &s->plan;
	s->delim = delim;
	s->columns = columns;
	s->parts = tp_parts_new(rows->in, threads, &csv, s);
	if (s->parts)
		return s;
	tp_free(s);
	return NULL;
}

struct tp_csv_part *
tp_csv_parts_next(struct tp_csv_parts *s)
{
	return (struct tp_csv_part *)tp_parts_next(s->parts);
}

void
tp_csv_parts_free(struct tp_csv_parts *s)
{
	if (!s)
		return;
	tp_parts_free(s->parts);
	tp_free(s);
}
