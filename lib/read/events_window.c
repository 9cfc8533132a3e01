/* events_window - the part of the input the event reader looks at */
#include <string.h>

#include "events_parts.h"

/* Least bytes copied when a block cuts an element. */
#define PIECE ((size_t)4096)
/* Most blanks before an element that are kept. */
#define BLANKS_MAX (64 * 1024 * 1024)

void
tp_sight_init(struct tp_sight *s, struct tp_in *in, struct tp_check *check)
{
	memset(s, 0, sizeof *s);
	s->in = in;
	s->check = check;
	s->line = 1;
}

#ifdef __SSE2__
/* -1 for each of the 16 bytes at P that is LF. */
static inline __m128i
line_feeds16(const char *p)
{
	return _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)
	    (const void *)p), _mm_set1_epi8('\n'));
}
#endif

uint64_t
tp_line_feeds(const char *p, const char *end)
{
	const uint64_t low = TP_EACH(0x7f);
	uint64_t n = 0, word;

#ifdef __SSE2__
	__m128i sums = _mm_setzero_si128(), zero = sums, few;

	while (end - p >= 64) {
		/* byte counters overflow at 256 */
		few = zero;
		for (int i = 0; i < 63 && end - p >= 64; i++, p += 64)
			few = _mm_sub_epi8(few, _mm_add_epi8(
			    _mm_add_epi8(line_feeds16(p), line_feeds16(p + 16)),
			    _mm_add_epi8(line_feeds16(p + 32),
			    line_feeds16(p + 48))));
		sums = _mm_add_epi64(sums, _mm_sad_epu8(few, zero));
	}
	n = (uint64_t)_mm_cvtsi128_si64(sums) +
	    (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums));
#endif
	for (; end - p >= 8; p += 8) {
		memcpy(&word, p, 8);
		word ^= TP_EACH('\n');
		word = ~(((word & low) + low) | word | low) >> 7;
		n += (word * TP_EACH(1)) >> 56;
	}
	for (; p < end; p++)
		n += *p == '\n';
	return n;
}

uint64_t
tp_sight_line(struct tp_sight *s, const char *at)
{
	if (at > s->counted) {
		s->line += s->part && s->counted == s->part->part.from &&
		    at == s->part->part.to ? s->part->lines :
		    tp_line_feeds(s->counted, at);
		s->counted = at;
	}
	return s->line;
}

/* Make the LEN bytes at P the view. */
static void
look_at(struct tp_sight *s, const char *p, size_t len)
{
	s->p = s->view = s->counted = p;
	s->end = p + len;
}

void
tp_sight_settle(struct tp_sight *s)
{
	size_t keep = (size_t)(s->end - s->p);

	if (!s->in_carry || keep > s->fresh)
		return;
	tp_sight_line(s, s->p);
	look_at(s, s->block - keep, (size_t)(s->block_end - s->block) + keep);
	s->block = s->block_end;
	s->in_carry = 0;
}

/* Strict: limit the block to the bytes before the first invalid one. */
static ptrdiff_t
checked(struct tp_sight *s, const char *p, ptrdiff_t n)
{
	struct tp_check *c = s->check;
	size_t good = 0;

	if (n > 0) {
		good = tp_check_run(c, p, (size_t)n);
		if (good == (size_t)n)
			return n;
	} else if (tp_check_end(c)) {
		return 0;
	}
	tp_json_wrong(&s->late, n > 0 ? "json.damaged" : "input.truncated", 0,
	    c->wrong);
	s->late.fatal = 1;
	s->has_late = 1;
	return (ptrdiff_t)good;
}

void
tp_sight_parts(struct tp_sight *s, struct tp_parts *parts)
{
	s->parts = parts;
	s->place = tp_in_bytes(s->in);
}

/*
 * The next part, or what is between it and the last one, as tp_in_read().
 * A part without an end nearby is cut: what follows it may begin later, or
 * earlier where the cut is in a boundary.
 */
static ptrdiff_t
read_part(struct tp_sight *s, const char **block, struct tp_err *err)
{
	struct tp_part *p = s->part ? &s->part->part : NULL;
	size_t len = tp_in_block(s->in);
	ptrdiff_t n = 0;

	while (!p || (p->end <= s->place && !p->last)) {
		p = tp_parts_next(s->parts);
		s->part = (struct tp_events_part *)p;
	}
	*block = p->from;
	tp_in_passed(s->in, s->place);
	if (p->begin > s->place || p->end <= s->place) {
		if (p->begin > s->place && p->begin - s->place < len)
			len = (size_t)(p->begin - s->place);
		tp_buf_clear(&s->between);
		tp_buf_room(&s->between, len);
		*block = s->between.p;
		n = tp_in_part(s->in, s->place, s->between.p, len, err);
	} else {
		*block += s->place - p->begin;
		n = p->to - *block;
	}
	s->place += n > 0 ? (uint64_t)n : 0;
	return n;
}

/* Read the next block; its length, 0 at the end or at an error in s->late. */
static size_t
read_block(struct tp_sight *s)
{
	ptrdiff_t n = 0;

	if (!s->has_late && !s->at_end) {
		n = s->parts ? read_part(s, &s->block, &s->late) :
		    tp_in_read(s->in, &s->block, &s->late);
		if (n < 0) {
			s->has_late = 1;
			n = 0;
		} else {
			s->at_end = !n;
			if (s->check)
				n = checked(s, s->block, n);
		}
	}
	s->block_end = n ? s->block + n : s->block;
	s->fresh = 0;
	return (size_t)n;
}

/* Copy from the block and the following ones until WANT bytes are added. */
static size_t
fill(struct tp_sight *s, size_t want)
{
	size_t added = 0, take;

	while (added < want) {
		if (s->block == s->block_end && !read_block(s))
			break;
		take = (size_t)(s->block_end - s->block);
		if (take > want - added)
			take = want - added;
		tp_buf_add(&s->carry, s->block, take);
		s->block += take;
		s->fresh += take;
		added += take;
	}
	return added;
}

int
tp_sight_large(struct tp_sight *s, struct tp_err *err)
{
	return tp_limit_line(err, "limit.element", s->line, "an element");
}

int
tp_sight_more(struct tp_sight *s, struct tp_err *err)
{
	size_t keep = (size_t)(s->end - s->p), want, added;
	const char *at;

	tp_sight_line(s, s->p);
	/* it begins after what separates it from the one before */
	at = tp_blanks(s->p, s->end);
	if (at < s->end && *at == ',')
		at = tp_blanks(at + 1, s->end);
	if (s->end - at > tp_limits.line_bytes ||
	    at - s->p > BLANKS_MAX) {
		tp_sight_line(s, at);
		return tp_sight_large(s, err);
	}
	if (!keep && s->block == s->block_end) {
		added = read_block(s);
		look_at(s, s->block, added);
		s->block = s->block_end;
		s->in_carry = 0;
	} else {
		if (s->in_carry) {
			memmove(s->carry.p, s->p, keep);
			s->carry.len = keep;
		} else {
			tp_buf_clear(&s->carry);
			tp_buf_add(&s->carry, s->p, keep);
			s->in_carry = 1;
		}
		/* not far past the limit, and at least something */
		want = (size_t)tp_limits.line_bytes - keep + PIECE;
		if (want > keep)
			want = keep > PIECE ? keep : PIECE;
		added = fill(s, want);
		look_at(s, s->carry.p, s->carry.len);
	}
	if (added)
		return 1;
	if (!s->has_late)
		return 0;
	*err = s->late;
	if (!err->line)
		err->line = tp_sight_line(s, s->end);
	return -1;
}

void
tp_sight_release(struct tp_sight *s)
{
	if (s->parts)
		tp_in_passed(s->in, s->place - (uint64_t)(s->block_end -
		    s->block) - (uint64_t)(s->end - s->p));
	tp_parts_free(s->parts);
	s->parts = NULL;
	s->part = NULL;
	tp_buf_release(&s->between);
	tp_buf_release(&s->carry);
	s->p = s->end = s->counted = NULL;
}
