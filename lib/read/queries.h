/*
 * queries - the events of a profiler's database (*.sqlite, *.db)
 *
 * The queries are data (recorder.h): per kind of database, a SELECT for each
 * kind of event, whose columns are fields and arguments.  Rows come table by
 * table, not ordered by time.
 *
 * A row is damaged when its time is missing or no whole number, or when it
 * ends before it starts.  When a table cannot be read to its end, its
 * remaining rows are lost, which is reported after the other tables were
 * read.
 *
 * Tables that are too large to be events ("tallies") are only summed.
 *
 * Memory: sqlite.h; the distinct names of a table whose rows say which of
 * them have the same one ("same"); 100 bytes per tally.
 */
#ifndef TP_READ_QUERIES_H
#define TP_READ_QUERIES_H

#include "events_private.h"
#include "recorder.h"

/* The implementation is tp_databases (events.h). */

#endif
