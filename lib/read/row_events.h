/*
 * row_events - the events of a CSV of a profiler
 *
 * What nsys stats prints as cuda_gpu_trace, and what rocprofv3 writes of
 * kernels or of copies: which column is what is data (recorder.h).  Such a
 * table has the GPU alone, so its events have no launches.
 *
 * Memory: rows.h.
 */
#ifndef TP_READ_ROW_EVENTS_H
#define TP_READ_ROW_EVENTS_H

#include "events_private.h"
#include "recorder.h"

struct tp_row_events;

/* Whether IN, of TP_FORMAT_CSV, of which nothing was taken, is such a table:
 * 1, 0, or -1 with ERR. */
int tp_row_events_is(struct tp_in *in, struct tp_err *err);

/* Events of E, whose input is one; 0, or -1 with ERR. */
int tp_row_events_open(struct tp_events *e, struct tp_err *err);
/* The next, as tp_events_next(). */
int tp_row_events_next(struct tp_row_events *rows, struct tp_event *event,
    struct tp_err *err);
/* Note what was odd; 0, or -1 without memory. */
int tp_row_events_tell(struct tp_row_events *rows);
const struct tp_recorder *tp_row_events_recorder(
    const struct tp_row_events *rows);
void tp_row_events_close(struct tp_row_events *rows);

#endif
