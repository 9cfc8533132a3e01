/*
 * alloc - the one way to memory
 *
 * Everything the library allocates, and what expat, zlib, cJSON and libcsv
 * allocate for it, comes from here, so that a test can fail the Nth request.
 * All functions return NULL when there is no memory; none aborts.
 */
#ifndef TP_ALLOC_H
#define TP_ALLOC_H

#include <stddef.h>
#include <string.h>

void *tp_alloc(size_t size);
void *tp_zalloc(size_t size);
void *tp_realloc(void *old, size_t size);
void tp_free(void *p);

/* Whether a request has ever failed: what a library that only says "no" then
 * means. */
int tp_alloc_failed(void);

/*
 * Grow *ARRAY, which holds *CAP items of SIZE bytes, so that item NEED - 1
 * exists.  Doubles; returns 0, or -1 with *ARRAY untouched.
 */
int tp_grow(void *array, size_t *cap, size_t need, size_t size);
/* The same, and the items that are new are zero. */
int tp_grow_zeroed(void *array, size_t *cap, size_t need, size_t size);

/*
 * A further item behind the COUNT of LIST, which has room for CAP: 0, or -1
 * without memory and all as it was.  What follows CAP is the item, a compound
 * literal too.
 */
#define TP_APPEND(list, count, cap, ...) \
	((size_t)(count) >= (cap) && tp_grow(&(list), &(cap), \
	    (size_t)(count) + 1, sizeof *(list)) < 0 ? -1 : \
	    ((list)[(count)++] = __VA_ARGS__, 0))
/* The same of a zeroed item, which is the value; NULL without memory. */
#define TP_PUSH(list, count, cap) \
	((size_t)(count) >= (cap) && tp_grow(&(list), &(cap), \
	    (size_t)(count) + 1, sizeof *(list)) < 0 ? NULL : \
	    memset(&(list)[(count)++], 0, sizeof *(list)))

/*
 * Item AT of LIST, which has room for CAP: zeroed until it is written, as all
 * is that such a list gets room for.  AT is what tp_names_add() or the like
 * returned; NULL when it is negative, and without memory.
 */
#define TP_ITEM(list, cap, at) \
	tp_item(&(list), &(cap), (at), sizeof *(list))
static inline void *
tp_item(void *array, size_t *cap, ptrdiff_t at, size_t size)
{
	char *list;

	if (at < 0 || ((size_t)at >= *cap && tp_grow_zeroed(array, cap,
	    (size_t)at + 1, size) < 0))
		return NULL;
	memcpy(&list, array, sizeof list);
	return list + (size_t)at * size;
}

/*
 * An arena: small pieces that are all freed together.  A zeroed struct is an
 * empty arena.  Memory: the pieces, rounded up to 8 bytes, in blocks of
 * 64 KiB.
 */
struct tp_arena {
	struct tp_arena_block *head;
	size_t used, size;
	size_t bytes;		/* all that was handed out */
};

void *tp_arena_get(struct tp_arena *arena, size_t size);
/* A NUL-terminated copy of the LEN bytes at TEXT. */
char *tp_arena_text(struct tp_arena *arena, const char *text, size_t len);
void tp_arena_release(struct tp_arena *arena);

#endif
