/*
 * slower - whether all kernels take longer, or some
 *
 * A GPU at a lower clock, or shared with another program, runs all kernels more
 * slowly.  Longer inputs slow many kernels, too, so a kernel is compared with
 * those of its name whose operator had equal arguments.
 *
 * Memory: 64 bytes for each name of a kernel with such arguments.
 */
#ifndef TP_TORCH_SLOWER_H
#define TP_TORCH_SLOWER_H

#include <stdint.h>

#include "gpu_time.h"

/* What a step counts as in a comparison. */
enum tp_torch_side { TP_TORCH_BEFORE, TP_TORCH_AFTER, TP_TORCH_ASIDE };

/*
 * Sets *RATIO to the share of the computation before that is of kernels whose
 * calls take longer after, by at least half of what all together do; 0 if they
 * do not.  SIDES are those of the steps.
 */
void tp_torch_slower(const struct tp_torch *torch,
    const struct tp_torch_times *times, const unsigned char *sides,
    double *ratio);

#endif
