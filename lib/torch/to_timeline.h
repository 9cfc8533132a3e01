/*
 * to_timeline - a PyTorch trace as a timeline (timeline.h)
 *
 * Functions, operators, ranges and calls of each thread, GPU work by process,
 * GPU and stream, with the call that launched it, and what the driver recorded
 * about waits.  The process of GPU work is that of its launch.  What was
 * captured or added by the analysis did not happen then, and is left out.
 */
#ifndef TP_TORCH_TO_TIMELINE_H
#define TP_TORCH_TO_TIMELINE_H

#include "sync.h"
#include "timeline/timeline.h"

/*
 * Add the analysed TORCH, whose functions are sorted by this, to TIMELINE,
 * which was zeroed before the first file, with SHIFT_PS added to its times.
 * RANK is that of the process that launched most.  Memory: 4 bytes an event
 * meanwhile.
 */
void tp_torch_to_timeline(struct tp_torch *torch,
    const struct tp_torch_waits *waits, struct tp_timeline *timeline,
    int64_t rank, int64_t shift_ps);

#endif
