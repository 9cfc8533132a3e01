/*
 * queries - the events of a database of a profiler (*.sqlite, *.db)
 *
 * What is asked of which database is data (recorder.h): a SELECT for each
 * kind of event, whose columns are its fields and arguments.  Rows come table
 * by table, in no order of time.
 *
 * A row without a time, with one that is no whole number, or that ends before
 * it starts is damaged; a table that cannot be read further loses the rest,
 * and is told when the other tables are read.
 *
 * Memory: sqlite.h.
 */
#ifndef TP_READ_QUERIES_H
#define TP_READ_QUERIES_H

#include "events_private.h"
#include "recorder.h"

struct tp_queries;

/* Events of E, whose input is a database; 0, or -1 with ERR. */
int tp_queries_open(struct tp_events *e, struct tp_err *err);
/* The next, as tp_events_next(). */
int tp_queries_next(struct tp_queries *queries, struct tp_event *event,
    struct tp_err *err);
/* Nothing more is asked for but who recorded it: note what was odd.  0, or -1
 * without memory. */
int tp_queries_tell(struct tp_queries *queries);
const struct tp_recorder *tp_queries_recorder(
    const struct tp_queries *queries);
void tp_queries_close(struct tp_queries *queries);

#endif
