/* ahead - a thread that reads rows while others are looked at; not
 * installed */
#ifndef TP_READ_AHEAD_H
#define TP_READ_AHEAD_H

#include "read.h"

/*
 * Call rows->more() in a thread, from now until tp_ahead_free(); rows->apart
 * is set and rows->out used up.  NULL, and reading goes on as before, where
 * there is no thread or memory to be had, or what is read is not a plain file:
 * a pipe may be silent for ever, and ending must not wait for it.  Memory: 16
 * blocks of 64 KiB and the values of their rows, of each block no more than
 * 512 KiB.
 */
struct tp_ahead *tp_ahead_new(struct tp_rows *rows);
/* The next rows to rows->out, as rows->more(); what was there before is given
 * back.  After 0 and -1 the thread has ended and rows->fill is rows->out. */
int tp_ahead_next(struct tp_ahead *ahead, struct tp_err *err);
void tp_ahead_free(struct tp_ahead *ahead);

#endif
