/*
 * what_if - what a change would be worth, by replay
 *
 * CLASS[/NAME]=FACTOR: the time of a class of the path (tp_path_classes), or
 * of what is called NAME in it, whole, times FACTOR.  NAME of work is that of a
 * kernel or of the operator that launched it; of a thread that of the operator,
 * call or function.  "sync" is waiting in calls that synchronise or copy, not
 * their own time; "host" all that threads do, "device" all work.
 * "streams=apart" and "devices=apart" drop what they waited for each other.
 * "rank/N=median": what rank N takes most above the others takes their median
 * (straggler.h).
 */
#ifndef TP_TIMELINE_WHAT_IF_H
#define TP_TIMELINE_WHAT_IF_H

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/records.h>

#include "critical.h"
#include "schedule.h"
#include "straggler.h"

/*
 * Make CHANGE of TEXT, which is one.  RANKS are those joined, or NULL.
 * Returns how many classes, names or works it applies to: 0 of a trace without
 * any.
 */
size_t tp_what_if_make(struct tp_change *change, const struct tp_graph *graph,
    const struct tp_ranks_times *ranks, const char *text);
/* Make CHANGE one of what threads are in that changes nothing yet. */
void tp_change_host(struct tp_change *change, const struct tp_graph *graph);
/*
 * Let CHANGE, of tp_change_host(), take what WHAT is in times FACTOR; IS_SYNC:
 * only waiting in calls that synchronise or copy, not their own time.
 */
void tp_change_what(struct tp_change *change, const struct tp_graph *graph,
    size_t what, int is_sync, double factor);
void tp_change_release(struct tp_change *change);

/*
 * How much earlier PATH, and all that follow it, would have ended with COUNT
 * changes; ENDS: room by node.
 */
int64_t tp_what_if_gain(const struct tp_path *path,
    const struct tp_change *changes, size_t count, int64_t *ends);

#endif
