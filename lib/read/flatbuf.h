/*
 * flatbuf - fields of a FlatBuffer, each looked at before it is believed
 *
 * A FlatBuffer is a tree of tables at offsets anywhere in the file.  Nothing
 * is checked beforehand and nothing is copied: every function looks whether
 * what it reads lies in the bytes, so of a file that was cut off all that is
 * still there can be read.  Depth is the caller's: no function follows more
 * than one offset.  Memory: none.
 *
 * Functions that read a field return 1, 0 when the table has no such field
 * (what they were to set stays), or -1 when it points out of the bytes.
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
	size_t at;		/* of the table */
	size_t fields;		/* of the list of its fields, and how */
	unsigned field_bytes;	/* long that is */
	unsigned bytes;		/* of the table itself */
};

/* A list of COUNT items of STEP bytes; SAID is how many the file says. */
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
/* The number in field ID, of STEP bytes (1, 4, 8): not extended by its sign. */
int tp_flat_number(const struct tp_flat_table *table, unsigned id,
    unsigned step, uint64_t *number);
/* The same of a signed number of 4 bytes. */
int tp_flat_int(const struct tp_flat_table *table, unsigned id,
    int64_t *number);
/* The text in field ID, which a NUL follows. */
int tp_flat_text(const struct tp_flat_table *table, unsigned id,
    const char **text, size_t *len);
/* The table in field ID. */
int tp_flat_child(const struct tp_flat_table *table, unsigned id,
    struct tp_flat_table *child);
/* The list in field ID: as many items as lie in the bytes. */
int tp_flat_list(const struct tp_flat_table *table, unsigned id,
    unsigned step, struct tp_flat_list *list);
/* The table that item I of a list of 4 bytes leads to: 0, or -1. */
int tp_flat_item(const struct tp_flat_list *list, size_t i,
    struct tp_flat_table *table);

#endif
