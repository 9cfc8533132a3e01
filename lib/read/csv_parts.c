/* csv_parts - read a CSV file in parts by several threads */
#include <string.h>

#include <tp/alloc.h>
#include <tp/limits.h>

#include "csv_parts.h"
#include "csv_plain.h"
#include "relay.h"

/* Size of a part; smaller if blocks are. */
#define PART ((size_t)128 * 1024)
/* Bytes read beyond a part to find its line end; most lines are shorter. */
#define LINE ((size_t)4 * 1024)
/* Parts per thread: some can be filled while others are waited for. */
#define EACH 4
/* Polls before a thread sleeps, about 100 us. */
#define LOOKS 400
#define ROWS_MAX ((size_t)1 << 30)

struct tp_csv_parts {
	struct tp_rows view;		/* of the caller, for tp_plain_rows() */
	struct tp_plan plan;		/* of view: counts nothing */
	struct tp_relay relay;
	struct tp_csv_part *parts;
	size_t count, columns, size;	/* size: of a part */
	uint64_t base;			/* offset of the first part */
	char delim;
};

/*
 * Reads from offset AT until the block has LEN bytes; *N is their number.
 * Returns 1, 0 at the end of the file, or -1 with p->err.
 */
static int
read_to(struct tp_csv_parts *s, struct tp_csv_part *p, uint64_t at,
    size_t len, size_t *n)
{
	ptrdiff_t got;

	if (tp_grow(&p->block, &p->cap, len, 1) < 0)
		return tp_fail_memory(&p->err);
	got = tp_in_part(s->view.in, at + *n, p->block + *n, len - *n,
	    &p->err);
	if (got < 0)
		return -1;
	*n += (size_t)got;
	return *n == len;
}

/*
 * Returns the offset after the first line end between AT and N; 0 if there
 * is none.
 */
static size_t
behind_line(const struct tp_csv_part *p, size_t at, size_t n)
{
	const char *lf = at < n ? memchr(p->block + at, '\n', n - at) : NULL;

	return lf ? (size_t)(lf + 1 - p->block) : 0;
}

/*
 * Reads the bytes of part TURN.  A line beyond the limit of a row is not
 * read to its end, because parsing fails there anyway.
 */
static int
find(struct tp_csv_parts *s, struct tp_csv_part *p, uint64_t turn)
{
	uint64_t place = s->base + turn * s->size - (turn > 0);
	/* the next part looks for a line end from here on */
	size_t next = s->size - (turn == 0), n = 0, from = 0, to, looked = next;
	size_t most = next + (size_t)tp_limits.line_bytes + LINE;
	int more = read_to(s, p, place, next + LINE, &n);

	if (turn && more >= 0)
		from = behind_line(p, 0, n < next ? n : next);
	if (turn && !from)
		to = from = n < next ? n : next;
	else
		while (!(to = behind_line(p, looked, n)) && more > 0 &&
		    n < most) {
			looked = n;
			more = read_to(s, p, place, 2 * n, &n);
		}
	if (more < 0)
		return -1;
	to = to ? to : n;
	p->from = p->block + from;
	p->to = p->block + to;
	p->end = place + to;
	p->last = !more && to == n;
	return 0;
}

/* Parses the rows of a part. */
static void
parse(struct tp_csv_parts *s, struct tp_csv_part *p, struct tp_plain *plain)
{
	struct tp_rows view = s->view;
	const char *at = p->from;
	struct tp_err err;
	ptrdiff_t n = 1;

	view.fill = &p->queue;
	plain->base = NULL;
	p->rows = 0;
	while (at < p->to && n > 0)
		n = tp_plain_rows(plain, &view, &at, p->to, s->delim,
		    s->columns, ROWS_MAX, &p->rows, &p->queue.arena, &err);
	p->whole = n > 0 && !p->queue.err_count;
}

static void *
run_part(void *arg)
{
	struct tp_csv_parts *s = arg;
	struct tp_plain *plain = tp_plain_new();
	struct tp_csv_part *p;
	uint64_t turn;
	int rc = 0;

	while (!rc && tp_relay_room(&s->relay, &turn)) {
		p = &s->parts[turn % s->count];
		p->last = p->whole = 0;
		tp_queue_clear(&p->queue);
		rc = plain ? find(s, p, turn) : tp_fail_memory(&p->err);
		if (!rc)
			parse(s, p, plain);
		rc |= p->last;
		tp_relay_filled(&s->relay, turn);
	}
	tp_plain_free(plain);
	return NULL;
}

struct tp_csv_parts *
tp_csv_parts_new(struct tp_rows *rows, char delim, size_t columns,
    size_t threads)
{
	uint64_t len, base = tp_in_bytes(rows->in);
	struct tp_csv_parts *s;

	if (!tp_in_is_plain(rows->in, &len) || base >= len)
		return NULL;
	s = tp_zalloc(sizeof *s);
	if (!s)
		return NULL;
	s->size = tp_in_block(rows->in);
	s->size = s->size < PART ? s->size : PART;
	if ((len - base) / s->size < threads)
		threads = (size_t)((len - base) / s->size) + 1;
	s->view = *rows;
	s->plan = *rows->plan;
	s->plan.source = -1;
	s->view.plan = &s->plan;
	s->delim = delim;
	s->columns = columns;
	s->base = base;
	s->count = threads * EACH;
	s->parts = tp_zalloc(s->count * sizeof *s->parts);
	if (!s->parts || tp_relay_start(&s->relay, threads, s->count, 0,
	    LOOKS, run_part, s) < 0) {
		tp_csv_parts_free(s);
		return NULL;
	}
	return s;
}

struct tp_csv_part *
tp_csv_parts_next(struct tp_csv_parts *s, struct tp_err *err)
{
	struct tp_csv_part *p = &s->parts[tp_relay_take(&s->relay)];

	if (p->err.status == TP_OK)
		return p;
	*err = p->err;
	err->fatal = 1;
	return NULL;
}

void
tp_csv_parts_free(struct tp_csv_parts *s)
{
	if (!s)
		return;
	tp_relay_stop(&s->relay);
	for (size_t i = 0; s->parts && i < s->count; i++) {
		tp_queue_release(&s->parts[i].queue);
		tp_free(s->parts[i].block);
	}
	tp_free(s->parts);
	tp_free(s);
}
