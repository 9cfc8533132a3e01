/* accel_private - what the parts of accel share; not installed */
#ifndef TP_JUDGE_ACCEL_PRIVATE_H
#define TP_JUDGE_ACCEL_PRIVATE_H

#include <tp/judge/accel.h>

/* Limit NAME of share/compare, NaN when the data have none. */
double tp_accel_limit(const struct tp_accel *accel, const char *name);
/* Whether operators of CATEGORY are expected to be accelerated. */
int tp_accel_is_target(const struct tp_accel *accel, const char *category);
/* Packed operators, mean of a run; -1: unknown. */
int64_t tp_accel_packed(const struct tp_accel *accel, int side);

#endif
