/*
 * groups - what the items of a picture have in common: a colour each
 *
 * The largest have a colour, the others one together.  What groups are called
 * and the colours that some of them have in all pictures are data,
 * share/pictures/_groups.json; the others have what is left, in the order of
 * their sizes.  Memory: their names, and 16 bytes each.
 */
#ifndef TP_DRAW_GROUPS_H
#define TP_DRAW_GROUPS_H

#include <stdint.h>

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>

struct cJSON;

#define TP_GROUPS 6

/* A zeroed struct is empty. */
struct tp_groups {
	struct tp_names names;
	int64_t *sums;		/* by name; -1: it has a colour */
	size_t cap;
	size_t places[TP_GROUPS];	/* of the largest among names */
	const char *top[TP_GROUPS], *colours[TP_GROUPS];
	size_t count;		/* of those */
	char is_used[TP_GROUPS + 1];	/* by place: something is drawn of it */
	int is_given;		/* sizes are no longer added up */
	struct cJSON *table;	/* of share/pictures */
};

/* Before any is added: take the sizes from the records that "groups" of SPEC
 * names, if there are any, so that pictures of one set have one order. */
int tp_groups_order(struct tp_groups *g, const struct cJSON *spec,
    const struct tp_set *set, struct tp_err *err);
/* Add an item of SIZE to the group called TEXT, or to what the list of texts
 * that this is, as some records have, holds.  The group goes to *AT; 0 or -1
 * with ERR. */
int tp_groups_add(struct tp_groups *g, const char *text, int64_t size,
    size_t *at, struct tp_err *err);
/* When all are added: choose the largest. */
void tp_groups_rank(struct tp_groups *g);
/* Which of them AT is; count when it is none. */
size_t tp_groups_place(const struct tp_groups *g, size_t at);
/* Something of AT is drawn: the legend tells its colour. */
void tp_groups_use(struct tp_groups *g, size_t at);
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
