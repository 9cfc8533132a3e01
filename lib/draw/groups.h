/*
 * groups - colours for groups of items in a picture
 *
 * The largest groups have a colour each; all others share one.
 * share/pictures/_groups.json names the groups and fixes the colours of some
 * in all pictures; the others get the remaining colours in order of size.
 * Memory: their names, and 16 bytes each.
 */
#ifndef TP_DRAW_GROUPS_H
#define TP_DRAW_GROUPS_H

#include <stdint.h>

#include <tp/buf.h>
#include <tp/hash.h>

#include "draw/words.h"

struct tp_scene;

#define TP_GROUPS 6

/* A zeroed struct is empty. */
struct tp_groups {
	struct tp_names names;
	int64_t *sums;		/* by name; -1: it has a colour */
	size_t cap;
	size_t places[TP_GROUPS];	/* indexes of the largest in names */
	const char *top[TP_GROUPS], *colours[TP_GROUPS];
	size_t count;		/* of those */
	char is_used[TP_GROUPS + 1];	/* by place: it occurs in the drawing */
	int is_given;		/* sizes are given, not summed */
	struct cJSON *table;	/* of share/pictures */
};

/*
 * Call before adding items.  Take the sizes from the records that "groups"
 * of W's spec names, if any, so that all pictures of one set use the same
 * order.  The spec begins again.
 */
void tp_groups_order(struct tp_groups *g, struct tp_words *w);
/*
 * Add an item of SIZE to the group TEXT; when TEXT is a list of texts, as in
 * some records, to the group of those.  Returns the group.
 */
size_t tp_groups_add(struct tp_groups *g, struct tp_words *w, const char *text,
    int64_t size);
/* Call after the last item: select the largest groups. */
void tp_groups_rank(struct tp_groups *g);
/* Rank of group AT among the selected; g->count when it is not selected. */
size_t tp_groups_place(const struct tp_groups *g, size_t at);
/* Mark group AT as drawn, so the legend lists its colour. */
void tp_groups_use(struct tp_groups *g, size_t at);
const char *tp_groups_name(const struct tp_groups *g, size_t at);
void tp_groups_release(struct tp_groups *g);

const char *tp_groups_colour(const struct tp_groups *g, size_t place);
/* What it is called; of what has no place, "any other". */
const char *tp_groups_called(const struct tp_groups *g, size_t place);
/* Add the groups that are drawn to S, as a legend for pages. */
void tp_groups_keys(const struct tp_groups *g, struct tp_scene *s,
    int percent);

#endif
