/*
 * peer_units - numbers of records in the units of other tools
 *
 * Numbers are exact, without unit and without grouping.  Units: ns us ms s
 * (of _ns and _ps), bytes kib mib gib (of _bytes), gflops, tflops (of
 * _flops_per_s), tb (of _bytes_per_s), percent (of _ratio and _factor); flag
 * prints true and false as 1 and 0.
 */
#ifndef TP_SHOW_PEER_UNITS_H
#define TP_SHOW_PEER_UNITS_H

#include <tp/buf.h>
#include <tp/records.h>

struct tp_scale {
	const char *unit, *suffix;	/* suffix of the keys it fits */
	int decimals;		/* exact power of ten; -1: use SIZE */
	double size;		/* divisor */
};

/* The unit called NAME if it fits KEY, or NULL. */
const struct tp_scale *tp_scale_find(const char *name, const char *key);
/*
 * Append the number or boolean FIELD in unit SCALE (NULL: as it is), with at
 * most DECIMALS decimals (-1: all).
 */
void tp_scale_print(struct tp_buf *buf, const struct tp_field *field,
    const struct tp_scale *scale, int decimals);

#endif
