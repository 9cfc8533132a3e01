/* scale - round numbers along an axis */
#ifndef TP_DRAW_SCALE_H
#define TP_DRAW_SCALE_H

#include <stdint.h>

#include <tp/buf.h>

/* Larger times are not accepted, so that sums of a few cannot overflow. */
#define TP_SCALE_FAR (INT64_MAX / 16)

/*
 * A round step (1, 2 or 5 times a power of ten, at least 1) that fits into
 * SPAN at most COUNT times.
 */
int64_t tp_scale_step(int64_t span, int count);
/* Append T, a multiple of STEP, both in ns, in the unit that suits STEP:
 * "250 ms", "2 s". */
void tp_scale_time(struct tp_buf *b, int64_t t, int64_t step);
/* Append a number in the unit of KEY, as a record that has it is printed. */
void tp_scale_number(struct tp_buf *b, const char *key, int64_t n);
void tp_scale_real(struct tp_buf *b, const char *key, double x);

/* qsort() comparison of int64_t. */
int tp_scale_order(const void *a, const void *b);
/* Add N, which is not negative, to *SUM; saturates. */
void tp_scale_sum(int64_t *sum, int64_t n);

#endif
