/*
 * flat - write a FlatBuffer from its end to its front, as the runtime of
 * ExecuTorch does: what is written first lies last
 */
#ifndef FLAT_H
#define FLAT_H

#include <stddef.h>
#include <stdint.h>

/* Where something begins: so many bytes before the end.  0: nothing. */
typedef size_t flat_ref;

struct flat {
	unsigned char *p;	/* the last LEN bytes of CAP are written */
	size_t len, cap;
	flat_ref lists[16];	/* lists of fields, which tables share */
	size_t list_count;
};

/* A field of a table: a number of BYTES (1, 4 or 8), or what REF is. */
struct flat_field {
	unsigned id, bytes;
	uint64_t number;
	flat_ref ref;
};

flat_ref flat_text(struct flat *f, const char *text);
/* A list of COUNT references. */
flat_ref flat_list(struct flat *f, const flat_ref *items, size_t count);
/* A table of COUNT fields, at most 8, with ids below 8. */
flat_ref flat_table(struct flat *f, const struct flat_field *fields,
    size_t count);
/* Begin the file: the root, MARK (4 bytes), and, if SIZED, its size. */
void flat_end(struct flat *f, flat_ref root, const char *mark, int sized);
void flat_release(struct flat *f);

#endif
