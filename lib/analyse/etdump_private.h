/* etdump_private - what the parts of etdump share; not installed */
#ifndef TP_ETDUMP_PRIVATE_H
#define TP_ETDUMP_PRIVATE_H

#include <tp/etdump.h>

/*
 * Write op.latency: every operator, the longest first, and notes about their
 * times.  RUNS: how many runs the sums are of, which take E2E.
 */
int tp_etdump_emit_ops(struct tp_etdump *etdump, size_t runs, tp_int128 e2e,
    struct tp_trace *trace, struct tp_out *out, struct tp_err *err);

#endif
