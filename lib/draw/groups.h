/*
 * groups - what the items of a picture have in common: a colour each
 *
 * The largest have a colour, the others one together.  Memory: their names,
 * and 16 bytes each.
 */
#ifndef TP_DRAW_GROUPS_H
#define TP_DRAW_GROUPS_H

#include <stdint.h>

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>

#define TP_GROUPS 6

/* A zeroed struct is empty. */
struct tp_groups {
	struct tp_names names;
	int64_t *sums;		/* by name; -1: it has a colour */
	size_t cap;
	size_t places[TP_GROUPS];	/* of the largest among names */
	const char *top[TP_GROUPS];
	size_t count, left;	/* with a colour, and without */
};

/* Add an item of SIZE to the group called TEXT, or to what the list of texts
 * that this is, as some records have, holds.  The group goes to *AT; 0 or -1
 * with ERR. */
int tp_groups_add(struct tp_groups *g, const char *text, int64_t size,
    size_t *at, struct tp_err *err);
/* When all are added: choose the largest. */
void tp_groups_rank(struct tp_groups *g);
/* Which of them AT is; count when it is none. */
size_t tp_groups_place(const struct tp_groups *g, size_t at);
const char *tp_groups_name(const struct tp_groups *g, size_t at);
void tp_groups_release(struct tp_groups *g);

const char *tp_groups_colour(const struct tp_groups *g, size_t place);
/* Say what the colours mean, from (X, Y) on down; where that ends, in tenths of
 * a pixel.  MARK draws one around a place.  B may be NULL to know how high it
 * is. */
int tp_groups_legend(const struct tp_groups *g, struct tp_buf *b, int x,
    int y, void (*mark)(struct tp_buf *b, const struct tp_groups *g,
    size_t place, int x, int y));

#endif
