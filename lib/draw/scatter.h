/*
 * scatter - operations in a roofline diagram
 *
 * x: floating-point operations per byte; y: floating-point operations per
 * second reached; both logarithmic.  Made from records as share/pictures
 * says, then drawn as SVG (scatter_svg.c) or text (scatter_text.c).  The
 * largest operations of one trace are drawn; the very largest get a number.
 *
 * Positions are logarithms, rounded once: to tenths of a pixel, or to a
 * character.
 *
 * Memory: 72 bytes per record, and names.
 */
#ifndef TP_DRAW_SCATTER_H
#define TP_DRAW_SCATTER_H

#include <tp/alloc.h>
#include <tp/hash.h>

#include "draw/groups.h"
#include "draw/picture.h"

#define TP_SCATTER_DOTS 80
#define TP_SCATTER_NAMED 8
#define TP_SCATTER_ROOFS 6
#define TP_SCATTER_DECADES 6	/* below the highest roof, at most */

struct tp_dot {
	const char *name;
	const char *reached;	/* share of its roof; may be "" */
	const char *spec;	/* its roof; or NULL */
	size_t group, order;
	int64_t size;
	double rate;		/* the value of y */
	double x, y;		/* logarithms */
};

struct tp_roof {
	const char *name;
	double rate, y;		/* y: logarithm of rate */
};

struct tp_scatter {
	struct tp_arena arena;
	const char *key;	/* key of the size, gives the unit */
	struct tp_groups groups;
	struct tp_dot *dots;	/* largest first */
	size_t count, cap, drawn, named;
	size_t uncosted;
	struct tp_names others;	/* traces not drawn */
	size_t slow;		/* drawn on the lower edge, being below it */
	int64_t all, drawn_size;
	struct tp_roof roofs[TP_SCATTER_ROOFS];	/* highest first */
	size_t roof_count;
	double memory_rate, memory;	/* memory bandwidth, and its
					 * logarithm */
	const char *no_roof;	/* text when there is no roof; or NULL */
	int left, right, bottom, top;	/* the axes: powers of ten */
};

TP_DRAW_HEAD(scatter);

void tp_scatter_svg(const struct tp_scatter *c, struct tp_drawing *d);
void tp_scatter_text(const struct tp_scatter *c, size_t columns, int ascii,
    struct tp_buf *b);

/*
 * Position of a logarithm on an axis of length SIZE from FROM to TO, clamped
 * to it.
 */
int tp_scatter_place(double log, int from, int to, int size);
/* "33.1 us": the size of a dot. */
void tp_scatter_size(const struct tp_scatter *c, int64_t size,
    struct tp_buf *b);
/* "11.7 TFLOP/s", "3.05 TiB/s". */
void tp_scatter_rate(double rate, struct tp_buf *b);
void tp_scatter_bandwidth(const struct tp_scatter *c, struct tp_buf *b);
/* 10^P: "1,000", with UNIT "1 GFLOP/s". */
void tp_scatter_power(int p, int unit, struct tp_buf *b);
/* "They took 30.0 % of the time of all operations." */
void tp_scatter_share(const struct tp_scatter *c, struct tp_buf *b);
/* What is not drawn, as sentences; nothing when all is drawn. */
void tp_scatter_rest(const struct tp_scatter *c, struct tp_buf *b);

#endif
