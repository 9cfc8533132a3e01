/*
 * flame - a tree by what each of its branches took
 *
 * Made from records as share/pictures says, then drawn as SVG (flame_svg.c) or
 * as text (flame_text.c).  A record is a node: it names itself and its parent
 * ("id", "parent"), or it has a path ("path", "separator") and belongs to the
 * longest beginning of that path that is a node too.  Of several traces the
 * first is shown.
 *
 * A node whose parent is not there, or is inside of it, belongs to the whole.
 * One that took less than its children is as wide as they are together.
 *
 * Where stacks begin or go on with functions that do nothing but call the next,
 * the last of them stands for all.
 *
 * Memory: 170 bytes per node, and its name once.
 */
#ifndef TP_DRAW_FLAME_H
#define TP_DRAW_FLAME_H

#include <tp/alloc.h>
#include <tp/draw/draw.h>
#include <tp/hash.h>

#include "draw/groups.h"

#define TP_FLAME_NONE SIZE_MAX

struct tp_flame_node {
	const struct tp_rec *rec;
	size_t name, group;	/* TP_FLAME_NONE: of no group */
	size_t parent, first, next;	/* 0: the whole; as child: none */
	size_t row;		/* of the whole 0 */
	size_t rank;		/* by total, hidden ones not counted; no child
				 * comes before its parent */
	size_t head;		/* the first of those that: */
	size_t stands_for;	/* nodes that this one is drawn for; 0: it is
				 * hidden, and one below stands for it */
	int64_t total, self;
	int64_t from;		/* total of all to the left of it */
};

/* Names, and what nodes of each took by themselves. */
struct tp_flame_tally {
	struct tp_names names;
	int64_t *sums;
	size_t cap;
};

struct tp_flame {
	struct tp_flame_node *nodes;	/* the first is the whole */
	size_t count, cap;
	struct tp_flame_tally names, groups;
	struct tp_groups colours;	/* of the groups */
	size_t base;		/* the first row that is drawn: the whole has
				 * none when it has one child */
	const char *key;	/* says the unit: "total_ns" */
	const char *word;	/* what a node is: "call" */
	struct tp_arena arena;
	const char *of;		/* what is shared out: "CPU samples" */
	const char *grouped_by;	/* NULL, or a key: "library" */
	const char *src;
	struct tp_names left;	/* traces that are not drawn */
	size_t timeless;
};

/* As tp_draw(). */
int tp_flame_draw(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err);

void tp_flame_svg(const struct tp_flame *f, struct tp_drawing *d);
void tp_flame_text(const struct tp_flame *f, size_t columns, int ascii,
    struct tp_buf *b);

/* The node after AT: children, largest first, before siblings; 0 at the
 * end. */
size_t tp_flame_next(const struct tp_flame *f, size_t at);
/* Whether node AT has a place: it took time, and no other stands for it. */
int tp_flame_is_drawn(const struct tp_flame *f, size_t at);
/* N in the unit of the picture. */
void tp_flame_amount(const struct tp_flame *f, int64_t n, struct tp_buf *b);
/* N as a share of the whole. */
void tp_flame_share(const struct tp_flame *f, int64_t n, struct tp_buf *b);
/* What node AT is called, or what it stands for. */
void tp_flame_name(const struct tp_flame *f, size_t at, struct tp_buf *b);
/* "2.76 s of CPU samples; most self time: malloc 31.0 %, free 12.0 %." */
void tp_flame_words(const struct tp_flame *f, struct tp_buf *b);
/* Append to B, a list of what is not drawn: N nodes, for the reason WHY; then
 * what of the records cannot be.  Nothing is appended where there is none. */
void tp_flame_left(const struct tp_flame *f, size_t n, const char *why,
    struct tp_buf *b);
void tp_flame_rest(const struct tp_flame *f, struct tp_buf *b);

#endif
