/*
 * etdp_order - the order in which the events of a block nest
 *
 * A call is logged when it ends, and what it holds before it.  A delegate that
 * works aside logs later, or while others do: its events carry the instruction
 * of their call, and are put in front of that.
 *
 * Memory: none where the order is that of the log, else 24 bytes per event.
 */
#ifndef TP_READ_ETDP_ORDER_H
#define TP_READ_ETDP_ORDER_H

#include "etdp.h"

/*
 * The places of the events of BLOCK in the order that they nest, into *ORDER,
 * which is freed by the caller; NULL: as they were logged.  *MOVED gets how
 * many stand elsewhere.  0, or -1 without memory.
 */
int tp_etdp_order(const struct tp_etdp_block *block, size_t **order,
    uint64_t *moved);

#endif
