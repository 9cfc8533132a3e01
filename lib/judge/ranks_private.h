/* ranks_private - between ranks_emit.c and ranks_notes.c */
#ifndef RANKS_PRIVATE_H
#define RANKS_PRIVATE_H

#include <stdint.h>

struct tp_out;
struct tp_ranks;

/* Write notes; ranks recorded from STEP_MIN to STEP_MAX steps. */
void ranks_notes(const struct tp_ranks *ranks, int64_t step_min,
    int64_t step_max, struct tp_out *out);

#endif
