/* etdp_value - cell values of a row made from an ETDump event; not installed */
#ifndef TP_READ_ETDP_VALUE_H
#define TP_READ_ETDP_VALUE_H

#include "rows.h"

/* These set V; text that is not borrowed is in ARENA. */

/* N ticks in thousands (DIGITS 3) or millions (6): "399.054", "3.0". */
void tp_etdp_decimal(struct tp_value *v, uint64_t n, int digits,
    struct tp_arena *arena);
/* PART as a percentage of WHOLE; absent when WHOLE is 0. */
void tp_etdp_share(struct tp_value *v, uint64_t part, uint64_t whole,
    struct tp_arena *arena);
void tp_etdp_text(struct tp_value *v, const char *p, size_t len);
void tp_etdp_whole(struct tp_value *v, int64_t n);

/* Length of a name without a trailing " #3". */
size_t tp_etdp_base(const char *name, size_t len);

#endif
