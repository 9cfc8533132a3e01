/*
 * row_events - the events of a profiler's CSV
 *
 * Reads what nsys stats prints as cuda_gpu_trace and what rocprof, omniperf
 * and rocprofv3 write of kernels, their counters or copies; the mapping of
 * columns is data (recorder.h).  Such a table covers only the GPU, so its
 * events have no launches.
 *
 * Memory: rows.h; where several rows are one event, 24 bytes per event.
 */
#ifndef TP_READ_ROW_EVENTS_H
#define TP_READ_ROW_EVENTS_H

#include "events_private.h"
#include "recorder.h"

/*
 * Whether IN, of TP_FORMAT_CSV and unread, is such a table: 1, 0, or -1 with
 * ERR.
 */
int tp_row_events_is(struct tp_in *in, struct tp_err *err);

/* The same, but -1 with ERR, which says what to do, if it has no times. */
int tp_row_events_check(struct tp_in *in, struct tp_err *err);

extern const struct tp_events_source tp_row_events;

#endif
