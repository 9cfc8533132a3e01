/* hlo - instructions of an optimised XLA program */
#include <string.h>

#include "hlo_private.h"

enum { HLO_MODULE = 1 };
enum { MODULE_COMPUTATIONS = 3, MODULE_FRAMES = 17 };
enum { COMPUTATION_INSTRUCTIONS = 2, COMPUTATION_ID = 5,
    COMPUTATION_ROOT = 6 };
enum { I_NAME = 1, I_OPCODE = 2, I_SHAPE = 3, I_METADATA = 7, I_PARAMETER = 9,
    I_WINDOW = 15, I_CONVOLUTION = 16, I_TARGET = 28, I_DOT = 30, I_ID = 35,
    I_CALLED = 38, I_CONFIG = 43 };
enum { META_NAME = 2, META_FILE = 3, META_LINE = 4, META_FRAME = 15 };
enum { FRAMES_FILES = 1, FRAMES_LINES = 3, FRAMES_FRAMES = 4 };

/* Operands named in the text of an instruction. */
#define NAMED_OPERANDS 8
#define NAME_SHOWN 256

int
tp_hlo_is(struct tp_hlo_text text, const char *word)
{
	return text.len == strlen(word) && !memcmp(text.text, word, text.len);
}

int
tp_hlo_begins(struct tp_hlo_text text, const char *word)
{
	size_t len = strlen(word);

	return text.len >= len && !memcmp(text.text, word, len);
}

static struct tp_hlo_text
text_of(const struct tp_proto_field *f)
{
	return (struct tp_hlo_text){ (const char *)f->bytes,
	    (size_t)f->value };
}

/* Store AT under (A, B), unless something is there. */
static void
put(struct tp_hlo_index *index, uint64_t a, uint64_t b, size_t at)
{
	size_t had = index->ids.count;
	ptrdiff_t place = tp_ids_add(&index->ids, a, b);

	tp_grow(&index->at, &index->cap, (size_t)place + 1, sizeof *index->at);
	if (index->ids.count > had)
		index->at[place] = at;
}

/* The value under (A, B), or -1. */
static ptrdiff_t
get(const struct tp_hlo_index *index, uint64_t a, uint64_t b)
{
	ptrdiff_t place = tp_ids_find(&index->ids, a, b);

	return place < 0 ? -1 : (ptrdiff_t)index->at[place];
}

static void
release_index(struct tp_hlo_index *index)
{
	tp_ids_release(&index->ids);
	tp_free(index->at);
}

/* Add the instruction M.  Whether it is damaged. */
static int
add_instruction(struct tp_hlo *h, struct tp_proto m)
{
	struct tp_proto rest = m;
	struct tp_hlo_text name = { "", 0 };
	struct tp_proto_field f;
	uint64_t id = 0;
	int rc;

	while ((rc = tp_proto_next(&rest, &f)) > 0)
		if (f.number == I_NAME && f.wire == TP_WIRE_BYTES)
			name = text_of(&f);
		else if (f.number == I_ID && f.wire == TP_WIRE_VARINT)
			id = f.value;
	if (rc < 0)
		return 1;
	tp_grow(&h->places, &h->cap, h->count + 1, sizeof *h->places);
	h->places[h->count] = (struct tp_hlo_place){ m,
	    h->computation_count };
	put(&h->ids, h->computation_count, id, h->count);
	put(&h->names, tp_hash_bytes(name.text, name.len), 0, h->count);
	h->count++;
	return 0;
}

/* Add the computation M.  Whether it is damaged. */
static int
add_computation(struct tp_hlo *h, struct tp_proto m)
{
	struct tp_hlo_computation c = { .first = h->count };
	struct tp_proto_field f;
	int rc, damaged = 0;

	while ((rc = tp_proto_next(&m, &f)) > 0) {
		if (f.number == COMPUTATION_ID) {
			c.id = f.value;
		} else if (f.number == COMPUTATION_ROOT) {
			c.root = f.value;
		} else if (f.number == COMPUTATION_INSTRUCTIONS &&
		    f.wire == TP_WIRE_BYTES) {
			damaged |= add_instruction(h, tp_proto_of(&f));
		}
	}
	c.count = h->count - c.first;
	tp_grow(&h->computations, &h->computation_cap, h->computation_count + 1,
	    sizeof *h->computations);
	put(&h->called, c.id, 0, h->computation_count);
	h->computations[h->computation_count++] = c;
	return rc < 0 || damaged;
}

/* Read the tables of source positions, which are numbered from 1. */
static void
add_frames(struct tp_hlo *h, struct tp_proto m)
{
	struct tp_proto_field f;
	struct tp_hlo_list *to;

	while (tp_proto_next(&m, &f) > 0) {
		to = f.number == FRAMES_FILES ? &h->files :
		    f.number == FRAMES_LINES ? &h->lines :
		    f.number == FRAMES_FRAMES ? &h->frames : NULL;
		if (!to || f.wire != TP_WIRE_BYTES)
			continue;
		tp_grow(&to->list, &to->cap, to->count + 1, sizeof *to->list);
		to->list[to->count++] = tp_proto_of(&f);
	}
}

static int
add_module(struct tp_hlo *h, struct tp_proto m)
{
	struct tp_proto_field f;
	int rc, damaged = 0;

	while ((rc = tp_proto_next(&m, &f)) > 0) {
		if (f.wire != TP_WIRE_BYTES)
			continue;
		if (f.number == MODULE_FRAMES)
			add_frames(h, tp_proto_of(&f));
		if (f.number != MODULE_COMPUTATIONS)
			continue;
		damaged |= add_computation(h, tp_proto_of(&f));
	}
	return rc < 0 || damaged;
}

int
tp_hlo_open(struct tp_hlo *h, struct tp_proto m)
{
	struct tp_proto_field f;
	int rc, damaged = 0;

	memset(h, 0, sizeof *h);
	h->look_max = 64 * (uint64_t)(m.end - m.p) + (1 << 20);
	while ((rc = tp_proto_next(&m, &f)) > 0)
		if (f.number == HLO_MODULE && f.wire == TP_WIRE_BYTES)
			damaged |= add_module(h, tp_proto_of(&f));
	return rc < 0 || damaged;
}

void
tp_hlo_release(struct tp_hlo *h)
{
	tp_free(h->computations);
	tp_free(h->places);
	release_index(&h->ids);
	release_index(&h->names);
	release_index(&h->called);
	tp_free(h->files.list);
	tp_free(h->lines.list);
	tp_free(h->frames.list);
	tp_buf_release(&h->text);
	memset(h, 0, sizeof *h);
}

int
tp_hlo_read(struct tp_hlo *h, size_t at, struct tp_hlo_instruction *i)
{
	struct tp_proto m = h->places[at].message;
	struct tp_proto none = { m.p, m.p };
	struct tp_hlo_text nothing = { "", 0 };
	struct tp_proto_field f;
	int rc;

	*i = (struct tp_hlo_instruction){ .message = m, .shape = none,
	    .metadata = none, .window = none, .convolution = none,
	    .dot = none, .name = nothing, .opcode = nothing,
	    .target = nothing, .config = nothing,
	    .computation = h->places[at].computation };
	h->looked += (uint64_t)(m.end - m.p);
	if (h->looked > h->look_max)
		return -1;
	while ((rc = tp_proto_next(&m, &f)) > 0) {
		if (f.number == I_ID)
			i->id = f.value;
		if (f.number == I_PARAMETER)
			i->parameter = f.value;
		if (f.wire != TP_WIRE_BYTES)
			continue;
		switch (f.number) {
		case I_NAME:
			i->name = text_of(&f);
			break;
		case I_OPCODE:
			i->opcode = text_of(&f);
			break;
		case I_SHAPE:
			i->shape = tp_proto_of(&f);
			break;
		case I_METADATA:
			i->metadata = tp_proto_of(&f);
			break;
		case I_WINDOW:
			i->window = tp_proto_of(&f);
			break;
		case I_CONVOLUTION:
			i->convolution = tp_proto_of(&f);
			break;
		case I_TARGET:
			i->target = text_of(&f);
			break;
		case I_DOT:
			i->dot = tp_proto_of(&f);
			break;
		case I_CONFIG:
			i->config = text_of(&f);
			break;
		default:
			break;
		}
	}
	return rc;
}

int
tp_hlo_by_id(struct tp_hlo *h, size_t computation, uint64_t id,
    struct tp_hlo_instruction *i)
{
	ptrdiff_t at = get(&h->ids, computation, id);

	return at >= 0 && tp_hlo_read(h, (size_t)at, i) >= 0;
}

int
tp_hlo_operand(struct tp_hlo *h, const struct tp_hlo_instruction *i,
    size_t n, struct tp_hlo_instruction *operand)
{
	struct tp_hlo_ints ids = tp_hlo_ints_of(i->message, TP_HLO_OPERANDS);
	uint64_t id;

	do
		if (!tp_hlo_ints_next(&ids, &id))
			return 0;
	while (n--);
	return tp_hlo_by_id(h, i->computation, id, operand);
}

const struct tp_hlo_computation *
tp_hlo_called(struct tp_hlo *h, const struct tp_hlo_instruction *i)
{
	struct tp_hlo_ints ids = tp_hlo_ints_of(i->message, I_CALLED);
	ptrdiff_t at;
	uint64_t id;

	if (!tp_hlo_ints_next(&ids, &id))
		return NULL;
	at = get(&h->called, id, 0);
	return at < 0 ? NULL : &h->computations[at];
}

/* The message in LIST that field NUMBER of FROM refers to; empty if none. */
static struct tp_proto
pointed(const struct tp_hlo_list *list, struct tp_proto from, uint32_t number)
{
	uint64_t at = tp_proto_number(from, number);

	return at && at <= list->count ? list->list[at - 1] :
	    (struct tp_proto){ from.end, from.end };
}

/* Source position of the innermost stack frame in the metadata M. */
static void
frame_source(struct tp_hlo *h, struct tp_proto m,
    struct tp_hlo_text *file, uint64_t *line)
{
	struct tp_proto at = pointed(&h->lines, pointed(&h->frames, m,
	    META_FRAME), 1);

	*line = tp_proto_number(at, 3);
	m = pointed(&h->files, at, 1);
	*file = (struct tp_hlo_text){ (const char *)m.p,
	    (size_t)(m.end - m.p) };
}

/*
 * Bytes shown of a name of LEN bytes from another message, which may be
 * repeated thousands of times.
 */
static size_t
shown(size_t len)
{
	return len < NAME_SHOWN ? len : NAME_SHOWN;
}

static void
read_metadata(struct tp_hlo *h, const struct tp_hlo_instruction *i,
    struct tp_arena *arena, struct tp_hlo_op *op)
{
	struct tp_hlo_text name = { "", 0 }, file = { "", 0 };
	struct tp_proto m = i->metadata;
	struct tp_proto_field f;
	uint64_t line = 0;

	while (tp_proto_next(&m, &f) > 0)
		if (f.number == META_NAME && f.wire == TP_WIRE_BYTES)
			name = text_of(&f);
		else if (f.number == META_FILE && f.wire == TP_WIRE_BYTES)
			file = text_of(&f);
		else if (f.number == META_LINE)
			line = f.value;
	if (!file.len)
		frame_source(h, i->metadata, &file, &line);
	if (name.len)
		op->op_name = tp_arena_text(arena, name.text, name.len);
	if (!file.len)
		return;
	tp_buf_clear(&h->text);
	tp_buf_add(&h->text, file.text, shown(file.len));
	if (line)
		tp_buf_fmt(&h->text, ":%lld", (long long)line);
	op->source = tp_arena_text(arena, h->text.p, h->text.len);
}

static void
write_text(struct tp_hlo *h, const struct tp_hlo_instruction *i,
    struct tp_arena *arena, struct tp_hlo_op *op)
{
	struct tp_hlo_instruction operand;
	struct tp_buf *b = &h->text;
	size_t from;
	int has_shape;

	tp_buf_clear(b);
	tp_buf_chr(b, '%');
	tp_buf_add(b, i->name.text, i->name.len);
	tp_buf_str(b, " = ");
	from = b->len;
	has_shape = !tp_hlo_shape_text(b, i->shape);
	if (has_shape)
		op->shape = tp_arena_text(arena, b->p + from, b->len - from);
	if (has_shape)
		tp_buf_chr(b, ' ');
	tp_buf_add(b, i->opcode.text, i->opcode.len);
	tp_buf_chr(b, '(');
	for (size_t n = 0; tp_hlo_operand(h, i, n, &operand); n++) {
		tp_buf_str(b, n ? ", " : "");
		if (n == NAMED_OPERANDS) {
			tp_buf_str(b, "...");
			break;
		}
		tp_buf_chr(b, '%');
		tp_buf_add(b, operand.name.text, shown(operand.name.len));
	}
	tp_buf_chr(b, ')');
	if (i->target.len) {
		tp_buf_str(b, ", custom_call_target=\"");
		tp_buf_add(b, i->target.text, i->target.len);
		tp_buf_chr(b, '"');
	}
	op->text = tp_arena_text(arena, b->p, b->len);
	op->opcode = tp_arena_text(arena, i->opcode.text, i->opcode.len);
}

int
tp_hlo_find(struct tp_hlo *h, const char *name, size_t len,
    struct tp_arena *arena, struct tp_hlo_op *op)
{
	ptrdiff_t at = get(&h->names, tp_hash_bytes(name, len), 0);
	struct tp_hlo_instruction i;
	struct tp_hlo_op got = { 0 };

	if (at < 0 || tp_hlo_read(h, (size_t)at, &i) < 0 ||
	    i.name.len != len || memcmp(i.name.text, name, len))
		return 0;
	got.computation = i.computation;
	got.is_fusion = tp_hlo_is(i.opcode, "fusion");
	write_text(h, &i, arena, &got);
	read_metadata(h, &i, arena, &got);
	tp_hlo_cost(h, &i, &got.flops, &got.bytes);
	*op = got;
	return 1;
}
