/* flatbuf - bounds-checked access to a FlatBuffer */
#include "flatbuf.h"

/* Size of an offset, and of the length before a vector. */
#define OFFSET 4

static uint64_t
little(const unsigned char *p, unsigned bytes)
{
	uint64_t n = 0;

	while (bytes-- > 0)
		n = n << 8 | p[bytes];
	return n;
}

uint32_t
tp_flat_u32(const unsigned char *p)
{
	return (uint32_t)little(p, OFFSET);
}

/* Whether LEN bytes exist at AT. */
static int
has(const struct tp_flat *flat, size_t at, size_t len)
{
	return at <= flat->len && len <= flat->len - at;
}

/* Follow the offset at AT; -1 when it leads outside the bytes. */
static int
follow(const struct tp_flat *flat, size_t at, size_t *to)
{
	size_t offset;

	if (!has(flat, at, OFFSET))
		return -1;
	offset = tp_flat_u32(flat->p + at);
	if (!offset || !has(flat, at, offset))
		return -1;
	*to = at + offset;
	return 0;
}

/* The table at AT, if its vtable is valid. */
static int
table_at(const struct tp_flat *flat, size_t at, struct tp_flat_table *t)
{
	int64_t fields;

	if (!has(flat, at, OFFSET))
		return -1;
	fields = (int64_t)at - (int32_t)tp_flat_u32(flat->p + at);
	if (fields < 0 || !has(flat, (size_t)fields, 4))
		return -1;
	t->flat = flat;
	t->at = at;
	t->fields = (size_t)fields;
	t->field_bytes = (unsigned)little(flat->p + fields, 2);
	t->bytes = (unsigned)little(flat->p + fields + 2, 2);
	return t->field_bytes < 4 || t->field_bytes % 2 || t->bytes < 4 ||
	    !has(flat, t->fields, t->field_bytes) ? -1 : 0;
}

int
tp_flat_root(const struct tp_flat *flat, struct tp_flat_table *table)
{
	size_t at;

	return follow(flat, 0, &at) < 0 ? -1 : table_at(flat, at, table);
}

/* Position of field ID of LEN bytes. */
static int
field(const struct tp_flat_table *t, unsigned id, unsigned len, size_t *at)
{
	unsigned slot = 4 + 2 * id, offset;

	if (slot + 2 > t->field_bytes)
		return 0;
	offset = (unsigned)little(t->flat->p + t->fields + slot, 2);
	if (!offset)
		return 0;
	if (offset + len > t->bytes || !has(t->flat, t->at + offset, len))
		return -1;
	*at = t->at + offset;
	return 1;
}

int
tp_flat_number(const struct tp_flat_table *t, unsigned id, unsigned step,
    uint64_t *number)
{
	size_t at = 0;
	int rc = field(t, id, step, &at);

	if (rc > 0)
		*number = little(t->flat->p + at, step);
	return rc;
}

int
tp_flat_int(const struct tp_flat_table *t, unsigned id, int64_t *number)
{
	uint64_t n = 0;
	int rc = tp_flat_number(t, id, 4, &n);

	if (rc > 0)
		*number = (int32_t)(uint32_t)n;
	return rc;
}

/* Position that field ID refers to. */
static int
reference(const struct tp_flat_table *t, unsigned id, size_t *to)
{
	size_t at = 0;
	int rc = field(t, id, OFFSET, &at);

	return rc <= 0 ? rc : follow(t->flat, at, to) < 0 ? -1 : 1;
}

int
tp_flat_child(const struct tp_flat_table *t, unsigned id,
    struct tp_flat_table *child)
{
	size_t at = 0;
	int rc = reference(t, id, &at);

	return rc <= 0 ? rc : table_at(t->flat, at, child) < 0 ? -1 : 1;
}

int
tp_flat_list(const struct tp_flat_table *t, unsigned id, unsigned step,
    struct tp_flat_list *list)
{
	size_t at = 0, room;
	int rc = reference(t, id, &at);

	if (rc <= 0)
		return rc;
	if (!has(t->flat, at, OFFSET))
		return -1;
	list->flat = t->flat;
	list->at = at + OFFSET;
	list->said = tp_flat_u32(t->flat->p + at);
	list->step = step;
	room = (t->flat->len - list->at) / step;
	list->count = list->said < room ? list->said : room;
	return 1;
}

int
tp_flat_text(const struct tp_flat_table *t, unsigned id, const char **text,
    size_t *len)
{
	struct tp_flat_list list;
	int rc = tp_flat_list(t, id, 1, &list);

	if (rc <= 0)
		return rc;
	if (list.count < list.said || !has(t->flat, list.at, list.count + 1) ||
	    t->flat->p[list.at + list.count])
		return -1;
	*text = (const char *)t->flat->p + list.at;
	*len = list.count;
	return 1;
}

int
tp_flat_item(const struct tp_flat_list *list, size_t i,
    struct tp_flat_table *table)
{
	size_t at;

	return i >= list->count || follow(list->flat, list->at +
	    i * list->step, &at) < 0 ? -1 : table_at(list->flat, at, table);
}
