/* flat - write a FlatBuffer from its end to its front */
#include <stdlib.h>
#include <string.h>

#include "../file.h"
#include "flat.h"

#define FIELDS 8

/* LEN more bytes in front. */
static unsigned char *
push(struct flat *f, size_t len)
{
	size_t cap = f->cap ? f->cap : 1024;
	unsigned char *p;

	while (cap - f->len < len)
		cap *= 2;
	if (cap != f->cap) {
		p = calloc(1, cap);
		if (!p)
			die(5, "out of memory");
		if (f->len)
			memcpy(p + cap - f->len, f->p + f->cap - f->len,
			    f->len);
		free(f->p);
		f->p = p;
		f->cap = cap;
	}
	f->len += len;
	return memset(f->p + f->cap - f->len, 0, len);
}

static void
put(unsigned char *p, uint64_t n, unsigned bytes)
{
	for (; bytes-- > 0; n >>= 8)
		*p++ = (unsigned char)n;
}

/* Fill up so that what begins LEN bytes further in front is aligned. */
static void
align(struct flat *f, size_t len, size_t to)
{
	push(f, (to - (f->len + len) % to) % to);
}

flat_ref
flat_text(struct flat *f, const char *text)
{
	size_t len = strlen(text);
	unsigned char *p;

	align(f, 4 + len + 1, 4);
	p = push(f, 4 + len + 1);
	put(p, len, 4);
	memcpy(p + 4, text, len);
	return f->len;
}

flat_ref
flat_list(struct flat *f, const flat_ref *items, size_t count)
{
	unsigned char *p;

	align(f, 4, 4);
	p = push(f, 4 + 4 * count);
	put(p, count, 4);
	for (size_t i = 0; i < count; i++)
		put(p + 4 + 4 * i, f->len - 4 - 4 * i - items[i], 4);
	return f->len;
}

/* Where each field lies in its table, by id: the list of fields, LEN bytes;
 * 0 bytes of fields that are not there. */
static size_t
lay(const struct flat_field *fields, size_t count, unsigned char *list)
{
	unsigned at = 4, most = 0;

	for (unsigned bytes = 4; bytes; bytes = bytes == 4 ? 8 :
	    bytes == 8 ? 1 : 0) {
		at = (at + bytes - 1) / bytes * bytes;
		for (size_t i = 0; i < count; i++) {
			const struct flat_field *d = &fields[i];

			if (d->bytes != bytes)
				continue;
			put(list + 4 + 2 * d->id, at, 2);
			at += bytes;
			if (d->id >= most)
				most = d->id + 1;
		}
	}
	put(list, 4 + 2 * most, 2);
	put(list + 2, (at + 3) / 4 * 4, 2);
	return 4 + 2 * most;
}

/* The list of fields LIST, which others may have written. */
static flat_ref
share_list(struct flat *f, const unsigned char *list, size_t len)
{
	const unsigned char *end = f->p + f->cap;

	for (size_t i = 0; i < f->list_count; i++)
		if (f->lists[i] >= len && !memcmp(end - f->lists[i], list,
		    len))
			return f->lists[i];
	align(f, len, 4);
	memcpy(push(f, len), list, len);
	if (f->list_count < sizeof f->lists / sizeof *f->lists)
		f->lists[f->list_count++] = f->len;
	return f->len;
}

flat_ref
flat_table(struct flat *f, const struct flat_field *fields, size_t count)
{
	unsigned char list[4 + 2 * FIELDS] = { 0 }, *p;
	flat_ref shared = share_list(f, list, lay(fields, count, list));
	size_t bytes = (size_t)(list[2] | list[3] << 8);

	align(f, bytes, 8);
	p = push(f, bytes);
	put(p, shared - f->len, 4);
	for (size_t i = 0; i < count; i++) {
		const struct flat_field *d = &fields[i];
		size_t at = list[4 + 2 * d->id];

		put(p + at, d->ref ? f->len - at - d->ref : d->number,
		    d->bytes);
	}
	return f->len;
}

void
flat_end(struct flat *f, flat_ref root, const char *mark, int sized)
{
	unsigned char *p;

	/* positions count from behind the size */
	align(f, 8, 8);
	p = push(f, 8);
	put(p, f->len - root, 4);
	memcpy(p + 4, mark, 4);
	if (sized) {
		p = push(f, 4);
		put(p, f->len - 4, 4);
	}
}

void
flat_release(struct flat *f)
{
	free(f->p);
	memset(f, 0, sizeof *f);
}
