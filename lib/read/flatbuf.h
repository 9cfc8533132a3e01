/*
 * flatbuf - bounds-checked access to a FlatBuffer
 *
 * A FlatBuffer is a tree of tables at offsets anywhere in the file.  Nothing
 * is verified beforehand and nothing is copied: every function checks that
 * what it reads lies within the bytes, so whatever is left of a truncated
 * file can be read.  Depth is the caller's concern: no function follows more
 * than one offset.  Memory: none.
 *
 * Functions that read a field return 1; 0 when the table has no such field
 * (output untouched); -1 when it points outside the bytes.
 */
#ifndef TP_READ_FLATBUF_H
#define TP_READ_FLATBUF_H

#include <stddef.h>
#include <stdint.h>

/* The bytes; positions count from the first. */
struct tp_flat {
	const unsigned char *p;
	size_t len;
};

struct tp_flat_table {
	const struct tp_flat *flat;	/* borrowed */
	size_t at;		/* offset of the table */
	size_t fields;		/* offset of its vtable and */
	unsigned field_bytes;	/* the length of that */
	unsigned bytes;		/* length of the table itself */
};

/*
 * A vector of COUNT items of STEP bytes that are in the file; SAID is the
 * number the file states.
 */
struct tp_flat_list {
	const struct tp_flat *flat;
	size_t at, count;
	uint32_t said;
	unsigned step;
};

/* The four bytes at P. */
uint32_t tp_flat_u32(const unsigned char *p);

/* The table at the root of FLAT: 0, or -1. */
int tp_flat_root(const struct tp_flat *flat, struct tp_flat_table *table);
/* The number in field ID, of STEP bytes (1, 4, 8), zero-extended. */
int tp_flat_number(const struct tp_flat_table *table, unsigned id,
    unsigned step, uint64_t *number);
/* The signed 4-byte number in field ID. */
int tp_flat_int(const struct tp_flat_table *table, unsigned id,
    int64_t *number);
/* The text in field ID, which is followed by a NUL. */
int tp_flat_text(const struct tp_flat_table *table, unsigned id,
    const char **text, size_t *len);
/* The table in field ID. */
int tp_flat_child(const struct tp_flat_table *table, unsigned id,
    struct tp_flat_table *child);
/* The vector in field ID, cut to the items that lie within the bytes. */
int tp_flat_list(const struct tp_flat_table *table, unsigned id,
    unsigned step, struct tp_flat_list *list);
/* The table that item I of a vector of offsets points to: 0, or -1. */
int tp_flat_item(const struct tp_flat_list *list, size_t i,
    struct tp_flat_table *table);

#endif
