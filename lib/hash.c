/* hash - names and numbers to small indexes */
#include <string.h>

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/order.h>

#include "word.h"

static uint64_t seed = 0x9e3779b97f4a7c15u;

void
tp_hash_seed(uint64_t s)
{
	seed = s | 1;
}

/* Multiply and fold to 64 bits, so that every bit of the product counts. */
static uint64_t
mix(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 u128;
	u128 p = (u128)a * b;

	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

uint64_t
tp_hash_bytes(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = seed ^ (len * 0xff51afd7ed558ccdu), w;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&w, p, 8);
		h = mix(h ^ w, 0xc4ceb9fe1a85ec53u ^ seed);
	}
	if (len) {
		w = 0;
		memcpy(&w, p, len);
		h = mix(h ^ w, 0xa0761d6478bd642fu ^ seed);
	}
	return mix(h ^ (h >> 32), 0xe7037ed1a0b428dbu);
}

/*
 * Both maps use a power of two of slots that hold index + 1, with linear
 * probing.  Make room for one more; HASH_OF gives the hash of item I.
 */
static void
grow_slots(uint32_t **slots, size_t *slot_count, size_t count,
    uint64_t (*hash_of)(const void *set, size_t i), const void *set)
{
	uint32_t *s;
	size_t n, i, at;

	if (count + 1 <= *slot_count / 2)
		return;
	if (count >= UINT32_MAX / 4)
		tp_no_memory();
	n = *slot_count ? *slot_count * 2 : 16;
	s = tp_zalloc(n * sizeof *s);
	for (i = 0; i < count; i++) {
		at = hash_of(set, i) & (n - 1);
		while (s[at])
			at = (at + 1) & (n - 1);
		s[at] = (uint32_t)(i + 1);
	}
	tp_free(*slots);
	*slots = s;
	*slot_count = n;
}

static uint64_t
name_hash(const void *set, size_t i)
{
	return ((const struct tp_names *)set)->names[i].hash;
}

/* Slot of the name: it holds index + 1, or 0 where the name would go. */
static size_t
name_slot(const struct tp_names *names, const char *text, size_t len,
    uint64_t hash)
{
	size_t at = hash & (names->slot_count - 1);
	const struct tp_name *n;

	for (; names->slots[at]; at = (at + 1) & (names->slot_count - 1)) {
		n = &names->names[names->slots[at] - 1];
		if (n->hash == hash && n->len == len &&
		    !memcmp(n->text, text, len))
			break;
	}
	return at;
}

/*
 * Index of the name if it was used lately, found without a hash; else -1.
 * *GUESS gets its slot in the cache.
 */
static inline ptrdiff_t
find_recent(const struct tp_names *names, const char *text, size_t len,
    size_t *guess)
{
	const struct tp_name *n;
	uint32_t at;

	*guess = tp_guess(text, len, 0, TP_RECENT);
	at = names->recent[*guess];
	if (!at)
		return -1;
	n = &names->names[at - 1];
	return n->len == len && tp_same_bytes(n->text, text, len) ?
	    (ptrdiff_t)at - 1 : -1;
}

ptrdiff_t
tp_names_find(const struct tp_names *names, const char *text, size_t len)
{
	size_t guess;
	ptrdiff_t at = find_recent(names, text, len, &guess);

	if (at >= 0 || !names->slot_count)
		return at;
	return (ptrdiff_t)names->slots[name_slot(names, text, len,
	    tp_hash_bytes(text, len))] - 1;
}

ptrdiff_t
tp_names_add(struct tp_names *names, const char *text, size_t len)
{
	uint64_t hash;
	struct tp_name *n;
	size_t at, guess;
	ptrdiff_t found = find_recent(names, text, len, &guess);

	if (found >= 0)
		return found;
	hash = tp_hash_bytes(text, len);
	if (names->slot_count) {
		at = name_slot(names, text, len, hash);
		if (names->slots[at]) {
			names->recent[guess] = names->slots[at];
			return (ptrdiff_t)names->slots[at] - 1;
		}
	}
	grow_slots(&names->slots, &names->slot_count, names->count, name_hash,
	    names);
	tp_grow(&names->names, &names->cap, names->count + 1,
	    sizeof *names->names);
	n = &names->names[names->count];
	n->text = tp_arena_text(&names->arena, text, len);
	n->len = len;
	n->hash = hash;
	at = name_slot(names, text, len, hash);
	names->slots[at] = names->recent[guess] = (uint32_t)++names->count;
	return (ptrdiff_t)names->count - 1;
}

int
tp_bytes_cmp(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int c = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return c ? c : a_len < b_len ? -1 : a_len > b_len;
}

int
tp_name_cmp(const struct tp_name *a, const struct tp_name *b)
{
	return tp_bytes_cmp(a->text, a->len, b->text, b->len);
}

TP_ORDER_POINTERS(by_bytes, struct tp_name, TP_BY(tp_name_cmp(a, b)))

const struct tp_name **
tp_names_sorted(const struct tp_names *names)
{
	const struct tp_name **sorted = tp_alloc((names->count + 1) *
	    sizeof *sorted);

	for (size_t i = 0; i < names->count; i++)
		sorted[i] = &names->names[i];
	TP_SORT(sorted, names->count, by_bytes);
	return sorted;
}

void
tp_names_release(struct tp_names *names)
{
	tp_free(names->names);
	tp_free(names->slots);
	tp_arena_release(&names->arena);
	memset(names, 0, sizeof *names);
}

static uint64_t
id_hash_of(uint64_t a, uint64_t b)
{
	return mix(a ^ seed, 0xa0761d6478bd642fu) ^
	    mix(b ^ (seed >> 7), 0xe7037ed1a0b428dbu);
}

static uint64_t
id_hash(const void *set, size_t i)
{
	const struct tp_id *id = &((const struct tp_ids *)set)->ids[i];

	return id_hash_of(id->a, id->b);
}

static size_t
id_slot(const struct tp_ids *ids, uint64_t a, uint64_t b)
{
	size_t at = id_hash_of(a, b) & (ids->slot_count - 1);
	const struct tp_id *id;

	for (; ids->slots[at]; at = (at + 1) & (ids->slot_count - 1)) {
		id = &ids->ids[ids->slots[at] - 1];
		if (id->a == a && id->b == b)
			break;
	}
	return at;
}

ptrdiff_t
tp_ids_find(const struct tp_ids *ids, uint64_t a, uint64_t b)
{
	if (!ids->slot_count)
		return -1;
	return (ptrdiff_t)ids->slots[id_slot(ids, a, b)] - 1;
}

ptrdiff_t
tp_ids_add(struct tp_ids *ids, uint64_t a, uint64_t b)
{
	size_t at;

	if (ids->slot_count) {
		at = id_slot(ids, a, b);
		if (ids->slots[at])
			return (ptrdiff_t)ids->slots[at] - 1;
	}
	grow_slots(&ids->slots, &ids->slot_count, ids->count, id_hash, ids);
	tp_grow(&ids->ids, &ids->cap, ids->count + 1, sizeof *ids->ids);
	ids->ids[ids->count].a = a;
	ids->ids[ids->count].b = b;
	at = id_slot(ids, a, b);
	ids->slots[at] = (uint32_t)++ids->count;
	return (ptrdiff_t)ids->count - 1;
}

void
tp_ids_release(struct tp_ids *ids)
{
	tp_free(ids->ids);
	tp_free(ids->slots);
	memset(ids, 0, sizeof *ids);
}
