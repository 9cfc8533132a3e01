/*
 * alloc - memory allocation
 *
 * All memory of the library comes from here, and so does that of expat,
 * zlib, libzstd, SQLite, cJSON and libcsv, so that a test can fail the Nth
 * request.  (regcomp(), md4c, libxlsxwriter and OpenSSL allocate by
 * themselves.)  Memory that runs out ends the program here: no function
 * returns NULL.
 */
#ifndef TP_ALLOC_H
#define TP_ALLOC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *tp_alloc(size_t size);
void *tp_zalloc(size_t size);
void *tp_realloc(void *old, size_t size);
void tp_free(void *p);

/* A copy of TEXT, or of its first LEN bytes, to be freed. */
char *tp_dup(const char *text);
char *tp_dup_part(const char *text, size_t len);

/*
 * First multiple of TP_LINE at or after P, where a buffer for read() should
 * begin: malloc() puts a large one 16 bytes into a page, and copying to
 * there from the page cache takes four times as long on some CPUs.
 */
#define TP_LINE ((size_t)64)
static inline char *
tp_line_up(char *p)
{
	return p + (-(uintptr_t)p & (TP_LINE - 1));
}

/* tp_quit() with TP_LIMIT; for counts that no memory could hold, too. */
void tp_no_memory(void) __attribute__((noreturn));

/*
 * Grow *ARRAY, which has room for *CAP items of SIZE bytes, to at least NEED
 * items.  Capacity doubles.
 */
void tp_grow(void *array, size_t *cap, size_t need, size_t size);
/* As tp_grow(), but new items are zeroed. */
void tp_grow_zeroed(void *array, size_t *cap, size_t need, size_t size);

/*
 * Append an item (what follows CAP; a compound literal will do) to LIST,
 * which holds COUNT items and has room for CAP.
 */
#define TP_APPEND(list, count, cap, ...) \
	((size_t)(count) >= (cap) ? tp_grow(&(list), &(cap), \
	    (size_t)(count) + 1, sizeof *(list)) : (void)0, \
	    (void)((list)[(count)++] = __VA_ARGS__))
/* Append a zeroed item to LIST and return a pointer to it. */
#define TP_PUSH(list, count, cap) \
	((size_t)(count) >= (cap) ? tp_grow(&(list), &(cap), \
	    (size_t)(count) + 1, sizeof *(list)) : (void)0, \
	    memset(&(list)[(count)++], 0, sizeof *(list)))

/*
 * Pointer to item AT of LIST, which grows to hold it; items are zero until
 * they are written.  AT is an index that tp_names_add() or similar returned.
 */
#define TP_ITEM(list, cap, at) \
	tp_item(&(list), &(cap), (size_t)(at), sizeof *(list))
static inline void *
tp_item(void *array, size_t *cap, size_t at, size_t size)
{
	char *list;

	if (at >= *cap)
		tp_grow_zeroed(array, cap, at + 1, size);
	memcpy(&list, array, sizeof list);
	return list + at * size;
}

/*
 * An arena: small pieces that are all freed together.  A zeroed struct is an
 * empty arena.  Memory: the pieces, rounded up to 8 bytes, in blocks of
 * 64 KiB.
 */
struct tp_arena {
	struct tp_arena_block *head;
	size_t used, size;
	size_t bytes;		/* sum of all sizes handed out */
};

void *tp_arena_get(struct tp_arena *arena, size_t size);
/* A NUL-terminated copy of the LEN bytes at TEXT. */
char *tp_arena_text(struct tp_arena *arena, const char *text, size_t len);
void tp_arena_release(struct tp_arena *arena);

#endif
