/* step_change - where steps become slower or faster for good (course.h) */
#ifndef TP_STEP_CHANGE_H
#define TP_STEP_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/records.h>

#include "course.h"

/*
 * Write change I of the course of N steps, "rank" to "extra_wall_ns", into an
 * open record; the steps take PS, and NUMBERS count them.
 */
void tp_step_change_put(struct tp_out *out, const struct tp_course *course,
    size_t i, const double *ps, const int64_t *numbers, size_t n);

#endif
