/*
 * view - what a timeline viewer shows: tracks with slices, counters, arrows
 *
 * Collects what happened when, in any order, and writes it as a trace for
 * Perfetto.  A slice lies on a track; slices of one track that overlap, and do
 * not lie in each other, get a track each beside it.
 * Memory: 48 bytes a slice or value, 32 an arrow, what slices say of
 * themselves, and distinct names.
 */
#ifndef TP_VIEW_H
#define TP_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/records.h>

struct tp_view;

/* No track: the parent of one that stands alone. */
#define TP_VIEW_NO UINT32_MAX

/* NULL without memory. */
struct tp_view *tp_view_open(void);
void tp_view_close(struct tp_view *view);

/*
 * A new track below PARENT.  NAME, LEN bytes, may be given later and again.
 * TP_VIEW_NO: there is no memory, which tp_view_write() says too.
 */
uint32_t tp_view_track(struct tp_view *view, uint32_t parent,
    const char *name, size_t len);
/* The track below PARENT that was made with this name, else a new one. */
uint32_t tp_view_find(struct tp_view *view, uint32_t parent,
    const char *name, size_t len);
void tp_view_rename(struct tp_view *view, uint32_t track, const char *name,
    size_t len);

/* What lies below FROM lies below TO. */
void tp_view_move(struct tp_view *view, uint32_t from, uint32_t to);

/* What the next slice says of itself, beside its name. */
void tp_view_arg_text(struct tp_view *view, const char *key,
    const char *text, size_t len);
void tp_view_arg_int(struct tp_view *view, const char *key, int64_t n);
/* A slice of TRACK over [FROM, TO) in ns; CATEGORY may be NULL. */
void tp_view_slice(struct tp_view *view, uint32_t track, int64_t from,
    int64_t to, const char *name, size_t len, const char *category,
    size_t category_len);
/* TRACK shows a value, which it has from AT on until the next; UNIT NULL, or
 * "ns", "bytes", or any word. */
void tp_view_value(struct tp_view *view, uint32_t track, int64_t at,
    double value, const char *unit);
/* Arrow ID leaves, or with IS_END reaches, the innermost slice of TRACK at AT.
 * Of those that only leave or only reach nothing is shown. */
void tp_view_flow(struct tp_view *view, uint32_t track, int64_t at,
    uint64_t id, int is_end);

/* The first and the last time so far; 1, or 0 when there is none. */
int tp_view_range(const struct tp_view *view, int64_t *from, int64_t *to);
/* Write all, times from the first on, without a single track at the top; 0, or
 * -1 with ERR without memory. */
int tp_view_write(struct tp_view *view, struct tp_out *out,
    struct tp_err *err);

#endif
