/* alloc - memory allocation */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/err.h>
#include <tp/os.h>

/* Half of what glibc maps at first, where an array would then stay. */
#define LARGE ((size_t)64 << 10)

void
tp_no_memory(void)
{
	tp_quit(TP_LIMIT, "out of memory");
}

/* P, which has SIZE bytes. */
static void *
got(void *p, size_t size)
{
	if (!p)
		tp_no_memory();
	if (size >= LARGE)
		tp_os_heap_grew();
	return p;
}

void *
tp_alloc(size_t size)
{
	return got(malloc(size ? size : 1), size);
}

void *
tp_zalloc(size_t size)
{
	return got(calloc(1, size ? size : 1), size);
}

void *
tp_realloc(void *old, size_t size)
{
	/* move what is there to where pages are large already */
	if (size >= LARGE) {
		void *volatile room = malloc(size);

		free(room);
		tp_os_heap_grew();
	}
	return got(realloc(old, size ? size : 1), size);
}

void
tp_free(void *p)
{
	free(p);
}

char *
tp_dup(const char *text)
{
	return tp_dup_part(text, strlen(text));
}

char *
tp_dup_part(const char *text, size_t len)
{
	char *copy = tp_alloc(len + 1);

	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

void
tp_grow(void *array, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : 8;

	if (need <= *cap)
		return;
	while (n < need && n <= SIZE_MAX / 2)
		n *= 2;
	if (n < need || n > SIZE_MAX / size)
		tp_no_memory();
	*(void **)array = tp_realloc(*(void **)array, n * size);
	*cap = n;
}

void
tp_grow_zeroed(void *array, size_t *cap, size_t need, size_t size)
{
	size_t had = *cap;

	tp_grow(array, cap, need, size);
	memset(*(char **)array + had * size, 0, (*cap - had) * size);
}

struct tp_arena_block {
	struct tp_arena_block *next;
	max_align_t mem[];
};

#define ARENA_BLOCK ((size_t)64 * 1024)

void *
tp_arena_get(struct tp_arena *arena, size_t size)
{
	struct tp_arena_block *b;
	size_t room;
	void *p;

	if (size > SIZE_MAX - sizeof *b - 8)
		tp_no_memory();
	size = size ? (size + 7) & ~(size_t)7 : 8;
	if (!arena->head || arena->size - arena->used < size) {
		room = size > ARENA_BLOCK / 4 ? size : ARENA_BLOCK;
		b = tp_alloc(sizeof *b + room);
		if (room == size && arena->head) {
			/* a large piece gets a block behind the open one */
			b->next = arena->head->next;
			arena->head->next = b;
			arena->bytes += size;
			return b->mem;
		}
		b->next = arena->head;
		arena->head = b;
		arena->used = 0;
		arena->size = room;
	}
	p = (char *)arena->head->mem + arena->used;
	arena->used += size;
	arena->bytes += size;
	return p;
}

char *
tp_arena_text(struct tp_arena *arena, const char *text, size_t len)
{
	char *p = tp_arena_get(arena, len + 1);

	if (len)
		memcpy(p, text, len);
	p[len] = '\0';
	return p;
}

void
tp_arena_release(struct tp_arena *arena)
{
	struct tp_arena_block *b, *next;

	for (b = arena->head; b; b = next) {
		next = b->next;
		tp_free(b);
	}
	memset(arena, 0, sizeof *arena);
}
