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

/* Its events: tp_databases, of events.h. */

#endif
