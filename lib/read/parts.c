/* parts - read a plain file in parts by several threads */
#include <string.h>

#include <tp/alloc.h>
#include <tp/limits.h>

#include "parts.h"
#include "relay.h"

/* Size of a part; smaller if blocks are. */
#define PART ((size_t)128 * 1024)
/* Bytes read beyond a part to find its end; most rows are shorter. */
#define ROW ((size_t)4 * 1024)
/* Parts per thread: some can be filled while others are waited for. */
#define EACH 4
/* Polls before a thread sleeps, about 100 us. */
#define LOOKS 400

struct tp_parts {
	struct tp_in *in;
	const struct tp_parts_of *of;
	void *arg;
	struct tp_relay relay;
	char *parts;			/* of of->size bytes each */
	size_t count, size;		/* size: bytes of the file per part */
	uint64_t base;			/* offset of the first part */
};

static struct tp_part *
part_at(struct tp_parts *s, size_t i)
{
	return (struct tp_part *)(void *)(s->parts + i * s->of->size);
}

/* Make room for LEN bytes, of which N are kept. */
static void
make_room(struct tp_part *p, size_t len, size_t n)
{
	char *mem, *block;

	if (len <= p->cap)
		return;
	mem = tp_alloc(len + TP_LINE);
	block = tp_line_up(mem);
	if (n)
		memcpy(block, p->block, n);
	tp_free(p->mem);
	p->mem = mem;
	p->block = block;
	p->cap = len;
}

/*
 * Read from offset AT until the block has LEN bytes; *N is their number.  1,
 * or 0 at the end of the file or where it cannot be read, which whoever reads
 * on from there finds.
 */
static int
read_to(struct tp_parts *s, struct tp_part *p, uint64_t at, size_t len,
    size_t *n)
{
	size_t want = len - *n;
	struct tp_err err;
	ptrdiff_t got;

	make_room(p, len, *n);
	while (*n < len) {
		want = want < len - *n ? want : len - *n;
		got = tp_in_part(s->in, at + *n, p->block + *n, want, &err);
		if (!got || (got < 0 && want == 1))
			break;
		/* lose no byte before the one that cannot be read */
		if (got < 0)
			want /= 2;
		else
			*n += (size_t)got;
	}
	return *n == len;
}

/*
 * Read the bytes of part TURN.  A row beyond the limit is not read to its
 * end, because parsing fails there anyway.
 */
static void
read_part_bytes(struct tp_parts *s, struct tp_part *p, uint64_t turn)
{
	uint64_t place = s->base + turn * s->size - (turn > 0);
	/* the next part looks for a boundary from here on */
	size_t next = s->size - (turn == 0), n = 0, from = 0, to, looked = next;
	size_t most = next + ROW + (s->of->most ? s->of->most :
	    (size_t)tp_limits.line_bytes);
	int more = read_to(s, p, place, next + ROW, &n);

	if (turn)
		from = s->of->behind(s->arg, p->block, 0, n < next ? n : next,
		    n);
	if (turn && !from)
		to = from = n < next ? n : next;
	else
		while (!(to = s->of->behind(s->arg, p->block, looked, n, n)) &&
		    more && n < most) {
			/* one may begin at the end of what was seen */
			looked = n - next > TP_BOUNDARY ? n - TP_BOUNDARY :
			    next;
			more = read_to(s, p, place, 2 * n, &n);
		}
	to = to ? to : n;
	p->from = p->block + from;
	p->to = p->block + to;
	p->seen = p->block + n;
	p->begin = place + from;
	p->end = place + to;
	p->first = !turn;
	p->last = !more && to == n;
}

static void *
run_part(void *arg)
{
	struct tp_parts *s = arg;
	void *state = s->of->begin(s->arg);
	struct tp_part *p;
	uint64_t turn;
	int last = 0;

	while (!last && tp_relay_room(&s->relay, &turn)) {
		p = part_at(s, turn % s->count);
		read_part_bytes(s, p, turn);
		s->of->parse(state, p);
		last = p->last;
		tp_relay_filled(&s->relay, turn);
	}
	s->of->end(state);
	return NULL;
}

struct tp_parts *
tp_parts_new(struct tp_in *in, size_t threads, const struct tp_parts_of *of,
    void *arg)
{
	uint64_t len, base = tp_in_bytes(in);
	struct tp_parts *s;

	/* too large an input is the reader's to refuse */
	if (!tp_in_is_plain(in, &len) || base >= len || (tp_limits.bytes &&
	    len > (uint64_t)tp_limits.bytes))
		return NULL;
	s = tp_zalloc(sizeof *s);
	s->in = in;
	s->of = of;
	s->arg = arg;
	s->size = tp_in_block(in);
	s->size = s->size < PART ? s->size : PART;
	if ((len - base) / s->size < threads)
		threads = (size_t)((len - base) / s->size) + 1;
	s->base = base;
	s->count = threads * EACH;
	s->parts = tp_zalloc(s->count * of->size);
	if (tp_relay_start(&s->relay, threads, s->count, 0, LOOKS, run_part, s)
	    < 0) {
		tp_parts_free(s);
		return NULL;
	}
	return s;
}

struct tp_part *
tp_parts_next(struct tp_parts *s)
{
	return part_at(s, tp_relay_take(&s->relay));
}

void
tp_parts_free(struct tp_parts *s)
{
	if (!s)
		return;
	tp_relay_stop(&s->relay);
	for (size_t i = 0; s->parts && i < s->count; i++) {
		s->of->release(part_at(s, i));
		tp_free(part_at(s, i)->mem);
	}
	tp_free(s->parts);
	tp_free(s);
}
