/*
 * event_row - an event as a row of the table "event"
 *
 * Columns: phase, name, category, id, pid, tid (pid_text, tid_text when they
 * are not integers), start and duration in ns (rounded; start_ps and
 * duration_ps hold the exact value when it has a fraction of a nanosecond),
 * then the requested args as arg_NAME.  Memory: the column definitions.
 */
#ifndef TP_READ_EVENT_ROW_H
#define TP_READ_EVENT_ROW_H

#include "read/events.h"
#include "read/rows.h"

struct tp_event_rows {
	struct tp_table table;
	struct tp_value *values;
	struct tp_arena arena;
	size_t arg_count;
	char exact[2][24];
};

/* Define the table for events with the args of WANT. */
void tp_event_rows_init(struct tp_event_rows *rows,
    const struct tp_events_want *want);
/* Set *ROW to EVENT of EVENTS.  ROW borrows from ROWS and from the event. */
void tp_event_rows_set(struct tp_event_rows *rows,
    const struct tp_events *events, const struct tp_event *event,
    struct tp_row *row);

#endif
