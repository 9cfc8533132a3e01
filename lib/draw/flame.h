/*
 * flame - a tree with branches as wide as their time
 *
 * Made from records as share/pictures says, then drawn as SVG (flame_svg.c)
 * or text (flame_text.c).  A record is a node.  It names itself and its
 * parent ("id", "parent"), or it has a path ("path", "separator") and its
 * parent is the longest prefix of that path that is a node.  Of several
 * traces the first is shown.
 *
 * A node whose parent is missing, or is its own descendant, becomes a child
 * of the root.  A node shorter than its children together is as wide as they
 * are.
 *
 * A chain of functions that only call the next one, at the start or end of a
 * stack, is drawn as its last function.
 *
 * Memory: 170 bytes per node, and distinct names.
 */
#ifndef TP_DRAW_FLAME_H
#define TP_DRAW_FLAME_H

#include <tp/alloc.h>
#include <tp/hash.h>

#include "draw/groups.h"
#include "draw/picture.h"

#define TP_FLAME_NONE SIZE_MAX

struct tp_flame_node {
	const struct tp_rec *rec;
	size_t name, group;	/* TP_FLAME_NONE: no group */
	size_t parent, first, next;	/* 0: the root; as child or sibling:
					 * none */
	size_t row;		/* 0: the root */
	size_t rank;		/* order by total, without hidden nodes; parents
				 * come before children */
	size_t head;		/* first node of the chain that */
	size_t stands_for;	/* this one is drawn for, and its length; 0:
				 * hidden, a node below is drawn for it */
	int64_t total, self;
	int64_t from;		/* sum of totals to its left */
};

/* Names, and the self time of all nodes of each name. */
struct tp_flame_tally {
	struct tp_names names;
	int64_t *sums;
	size_t cap;
};

struct tp_flame {
	struct tp_flame_node *nodes;	/* [0] is the root */
	size_t count, cap;
	struct tp_flame_tally names, groups;
	struct tp_groups colours;	/* of the groups */
	size_t base;		/* first row drawn; the root has no row when it
				 * has a single child */
	const char *key;	/* key, gives the unit: "total_ns" */
	const char *word;	/* word for a node: "call" */
	struct tp_arena arena;
	const char *of;		/* what is divided: "CPU samples" */
	const char *grouped_by;	/* key of the groups, "library", or NULL */
	const char *src;
	struct tp_names left;	/* traces not drawn */
	size_t timeless;
};

TP_DRAW_HEAD(flame);

void tp_flame_svg(const struct tp_flame *f, struct tp_drawing *d);
void tp_flame_text(const struct tp_flame *f, size_t columns, int ascii,
    struct tp_buf *b);

/*
 * The node after AT in depth-first order, largest children first; 0 at the
 * end.
 */
size_t tp_flame_next(const struct tp_flame *f, size_t at);
/* Whether node AT is drawn: it took time, and no other node is drawn for it. */
int tp_flame_is_drawn(const struct tp_flame *f, size_t at);
/* N in the unit of the picture. */
void tp_flame_amount(const struct tp_flame *f, int64_t n, struct tp_buf *b);
/* N as a share of the whole. */
void tp_flame_share(const struct tp_flame *f, int64_t n, struct tp_buf *b);
/* Name of node AT, or of the chain it is drawn for. */
void tp_flame_name(const struct tp_flame *f, size_t at, struct tp_buf *b);
/* "2.76 s of CPU samples; most self time: malloc 31.0 %, free 12.0 %." */
void tp_flame_words(const struct tp_flame *f, struct tp_buf *b);
/*
 * Append what is not drawn to the list B: N nodes, because of WHY; then the
 * records that cannot be drawn.  Append nothing when there are none.
 */
void tp_flame_left(const struct tp_flame *f, size_t n, const char *why,
    struct tp_buf *b);
void tp_flame_rest(const struct tp_flame *f, struct tp_buf *b);

#endif
