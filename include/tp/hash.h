/*
 * hash - names and numbers to small indexes
 *
 * Both maps give the index of first appearance (0, 1, 2 ...), so nothing
 * that is printed depends on hash order.  The hash is seeded per process
 * against crafted input; tests fix the seed with tp_hash_seed().
 * Memory: 8 to 16 bytes a slot at a load of at most 1/2, plus the names.
 */
#ifndef TP_HASH_H
#define TP_HASH_H

#include <stddef.h>
#include <stdint.h>

#include <tp/alloc.h>

void tp_hash_seed(uint64_t seed);
uint64_t tp_hash_bytes(const void *bytes, size_t len);

#define TP_RECENT 64

/* Distinct byte strings.  A zeroed struct is an empty set. */
struct tp_names {
	struct tp_name {
		const char *text;	/* NUL-terminated copy, may hold NULs */
		size_t len;
		uint64_t hash;
	} *names;			/* in order of first appearance */
	size_t count, cap;
	uint32_t *slots;
	size_t slot_count;
	uint32_t recent[TP_RECENT];	/* index + 1 of names used lately: a
					 * cache */
	struct tp_arena arena;
};

/* Index of the LEN bytes at TEXT, added when new. */
ptrdiff_t tp_names_add(struct tp_names *names, const char *text, size_t len);
/* Index of the LEN bytes at TEXT, or -1 when they are not in NAMES. */
ptrdiff_t tp_names_find(const struct tp_names *names, const char *text,
    size_t len);
/* Compare A (A_LEN bytes) and B (B_LEN bytes) as memcmp() does. */
int tp_bytes_cmp(const char *a, size_t a_len, const char *b, size_t b_len);
/* As tp_bytes_cmp(), for two names. */
int tp_name_cmp(const struct tp_name *a, const struct tp_name *b);
/* The names sorted by their bytes, yours to tp_free(). */
const struct tp_name **tp_names_sorted(const struct tp_names *names);
void tp_names_release(struct tp_names *names);

/* Distinct pairs of 64-bit numbers.  A zeroed struct is an empty set. */
struct tp_ids {
	struct tp_id { uint64_t a, b; } *ids;	/* in order of appearance */
	size_t count, cap;
	uint32_t *slots;
	size_t slot_count;
};

ptrdiff_t tp_ids_add(struct tp_ids *ids, uint64_t a, uint64_t b);
ptrdiff_t tp_ids_find(const struct tp_ids *ids, uint64_t a, uint64_t b);
void tp_ids_release(struct tp_ids *ids);

#endif
