/*
 * view - write a timeline for Perfetto: tracks with slices, counters, arrows
 *
 * Collects items in any order and writes them as a Perfetto trace.  A slice
 * lies on a track; slices of one track that overlap without nesting are
 * moved to tracks of their own beside it.  Memory: 40 bytes a slice or
 * value, 24 an arrow end, the arguments of slices, and distinct names.
 */
#ifndef TP_VIEW_H
#define TP_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/records.h>

struct tp_view;

/* Parent of a top-level track. */
#define TP_VIEW_NO UINT32_MAX

struct tp_view *tp_view_open(void);

/* Create a track below PARENT.  NAME (LEN bytes) may be changed later. */
uint32_t tp_view_track(struct tp_view *view, uint32_t parent,
    const char *name, size_t len);
/* The track of that name below PARENT, created when there is none. */
uint32_t tp_view_find(struct tp_view *view, uint32_t parent,
    const char *name, size_t len);
void tp_view_rename(struct tp_view *view, uint32_t track, const char *name,
    size_t len);

/* Move all tracks below FROM to below TO, and hide FROM. */
void tp_view_move(struct tp_view *view, uint32_t from, uint32_t to);

/* Add an argument to the next slice. */
void tp_view_arg_text(struct tp_view *view, const char *key,
    const char *text, size_t len);
void tp_view_arg_int(struct tp_view *view, const char *key, int64_t n);
/* Add a slice over [FROM, TO) ns to TRACK; CATEGORY may be NULL. */
void tp_view_slice(struct tp_view *view, uint32_t track, int64_t from,
    int64_t to, const char *name, size_t len, const char *category,
    size_t category_len);
/*
 * Add a value to the counter TRACK, valid from AT until the next; UNIT is
 * NULL, "ns", "bytes", or any word.
 */
void tp_view_value(struct tp_view *view, uint32_t track, int64_t at,
    double value, const char *unit);
/*
 * Arrow ID starts at the innermost slice of TRACK at time AT, or with IS_END
 * ends there.  Arrows without a start or without an end are not shown.
 */
void tp_view_flow(struct tp_view *view, uint32_t track, int64_t at,
    uint64_t id, int is_end);

/* The earliest and latest time so far; 1, or 0 when there is none. */
int tp_view_range(const struct tp_view *view, int64_t *from, int64_t *to);
/*
 * Write everything, times relative to the earliest; a single top-level track
 * is omitted, its children shown instead.
 */
void tp_view_write(struct tp_view *view, struct tp_out *out);

#endif
