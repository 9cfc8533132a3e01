/*
 * scale - numbers of records in the units of other tools
 *
 * Exact, without a unit behind them and without groups.  Units: ns us ms s
 * (of _ns and _ps), bytes kib mib gib (of _bytes), gflops, tflops (of
 * _flops_per_s), tb (of _bytes_per_s), percent (of _ratio and _factor);
 * flag writes true and false as 1 and 0.
 */
#ifndef TP_SHOW_SCALE_H
#define TP_SHOW_SCALE_H

#include <tp/buf.h>
#include <tp/records.h>

struct tp_scale {
	const char *unit, *suffix;	/* of keys it fits */
	int decimals;		/* a power of ten is exact; -1: SIZE */
	double size;		/* what it divides by */
};

/* The unit called NAME when it fits KEY, or NULL. */
const struct tp_scale *tp_scale_find(const char *name, const char *key);
/*
 * Append the number or truth FIELD in unit SCALE, or as it is (NULL), with at
 * most DECIMALS digits behind the point (-1: all there are).
 */
void tp_scale_print(struct tp_buf *buf, const struct tp_field *field,
    const struct tp_scale *scale, int decimals);

#endif
