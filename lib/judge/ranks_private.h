/* ranks_private - between ranks_emit.c and ranks_notes.c */
#ifndef TP_JUDGE_RANKS_PRIVATE_H
#define TP_JUDGE_RANKS_PRIVATE_H

#include <stdint.h>

struct tp_out;
struct tp_ranks;

/* Write notes; ranks recorded from STEP_MIN to STEP_MAX steps. */
void tp_ranks_emit_notes(const struct tp_ranks *ranks, int64_t step_min,
    int64_t step_max, struct tp_out *out);

#endif
