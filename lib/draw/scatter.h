/*
 * scatter - operations by what they compute and move, under a chip's roofs
 *
 * A roofline: across, floating-point operations per byte; up, those per second
 * that were reached; both as powers of ten.  Made from records as
 * share/pictures says, then drawn as SVG (scatter_svg.c) or as text
 * (scatter_text.c).  The largest of one trace are drawn, the very largest have
 * a number.
 *
 * Places are logarithms, rounded once: to tenths of a pixel, or to a
 * character.
 *
 * Memory: 64 bytes per record, and names.
 */
#ifndef TP_DRAW_SCATTER_H
#define TP_DRAW_SCATTER_H

#include <tp/alloc.h>
#include <tp/draw/draw.h>
#include <tp/hash.h>

#include "draw/groups.h"

#define TP_SCATTER_DOTS 80
#define TP_SCATTER_NAMED 8
#define TP_SCATTER_ROOFS 6
#define TP_SCATTER_DECADES 6	/* below the highest, at most */

struct tp_dot {
	const char *name;
	const char *reached;	/* of its roof; may be "" */
	const char *spec;	/* which roof that is; or NULL */
	size_t group, order;
	int64_t size;
	double rate;		/* up */
	double x, y;		/* logarithms */
};

struct tp_roof {
	const char *name;
	double rate, y;		/* and its logarithm */
};

struct tp_scatter {
	struct tp_arena arena;
	const char *key;	/* of the size; it tells the unit */
	struct tp_groups groups;
	struct tp_dot *dots;	/* largest first */
	size_t count, cap, drawn, named;
	size_t uncosted;
	struct tp_names others;	/* traces that are not drawn */
	size_t slow;		/* on the lower edge, which they are below */
	int64_t all, drawn_size;
	struct tp_roof roofs[TP_SCATTER_ROOFS];	/* highest first */
	size_t roof_count;
	double memory_rate, memory;	/* of the slope, and its logarithm */
	const char *no_roof;	/* what to say when there is none; or NULL */
	int left, right, bottom, top;	/* the axes: powers of ten */
};

/* As tp_draw(). */
int tp_scatter_draw(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err);

void tp_scatter_svg(const struct tp_scatter *c, struct tp_drawing *d);
void tp_scatter_text(const struct tp_scatter *c, size_t columns, int ascii,
    struct tp_buf *b);

/* Place of a logarithm on an axis SIZE long from FROM to TO, inside of it. */
int tp_scatter_place(double log, int from, int to, int size);
/* "33.1 us": the size of a dot. */
void tp_scatter_size(const struct tp_scatter *c, int64_t size,
    struct tp_buf *b);
/* "11.7 TFLOP/s", "3.05 TiB/s". */
void tp_scatter_rate(double rate, struct tp_buf *b);
void tp_scatter_bandwidth(const struct tp_scatter *c, struct tp_buf *b);
/* Ten to the power of P: "1,000", and with UNIT "1 GFLOP/s". */
void tp_scatter_power(int p, int unit, struct tp_buf *b);
/* "They took 30.0 % of the time of all operations." */
void tp_scatter_share(const struct tp_scatter *c, struct tp_buf *b);
/* What is not drawn, as sentences; nothing when all is. */
void tp_scatter_rest(const struct tp_scatter *c, struct tp_buf *b);

#endif
