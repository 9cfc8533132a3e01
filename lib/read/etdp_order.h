/*
 * etdp_order - the nesting order of the events of a block
 *
 * A call is logged when it ends, after the events inside it.  A delegate
 * that works asynchronously logs later, or while others do; its events carry
 * the instruction of their call and are moved before that call.
 *
 * Memory: none when the log is in nesting order, else 24 bytes per event.
 */
#ifndef TP_READ_ETDP_ORDER_H
#define TP_READ_ETDP_ORDER_H

#include "etdp.h"

/*
 * Indexes of the events of BLOCK in nesting order into *ORDER, yours to
 * tp_free(); NULL: as logged.  *MOVED gets the number of moved events.
 */
void tp_etdp_order(const struct tp_etdp_block *block, size_t **order,
    uint64_t *moved);

#endif
