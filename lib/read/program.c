/* program - the instructions of an ExecuTorch program (.pte) */
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>

#include "flatbuf.h"
#include "program.h"

/* Field numbers of the schema. */
enum { PROGRAM_PLANS = 1 };
enum { PLAN_CHAINS = 5, PLAN_DELEGATES = 7 };
enum { CHAIN_INSTRUCTIONS = 2 };
enum { INSTRUCTION_TYPE, INSTRUCTION_CALL };
enum { CALL_INDEX };
enum { DELEGATE_ID };
#define DELEGATE_CALL 2		/* an INSTRUCTION_TYPE */

/* An extended header after the identifier may have the FlatBuffer's size. */
#define EXTRA_AT 8
#define EXTRA_MARK "eh00"
#define EXTRA_SIZE_AT 16
#define EXTRA_END 24

#define METHODS_MAX 64

struct tp_program {
	struct tp_buf bytes;
	struct tp_flat flat;
	struct tp_flat_list plans;
};

/* Bytes of the file that are needed, judged by its first LEN. */
static uint64_t
wanted(const char *bytes, size_t len)
{
	const unsigned char *p;
	uint64_t size;

	if (len < EXTRA_END || memcmp(bytes + EXTRA_AT, EXTRA_MARK, 4))
		return UINT64_MAX;
	p = (const unsigned char *)bytes + EXTRA_SIZE_AT;
	size = (uint64_t)tp_flat_u32(p + 4) << 32 | tp_flat_u32(p);
	return size ? size : UINT64_MAX;
}

static int
read_all(struct tp_program *p, struct tp_in *in, struct tp_err *err)
{
	const char *block;
	uint64_t most;
	ptrdiff_t n = tp_in_peek(in, &block, err);

	if (n < 0)
		return -1;
	most = wanted(block, (size_t)n);
	while (p->bytes.len < most && (n = tp_in_read(in, &block, err)) > 0)
		tp_buf_add(&p->bytes, block, (size_t)n);
	return n < 0 ? -1 : 0;
}

/*
 * Whether the list in field ID of TABLE is complete.  LEFT limits the items
 * of all lists, since overlapping lists could make the work endless.
 */
static int
is_whole_list(const struct tp_flat_table *table, unsigned id,
    struct tp_flat_list *list, size_t *left)
{
	if (tp_flat_list(table, id, 4, list) <= 0 ||
	    list->count < list->said || list->count > *left)
		return 0;
	*left -= list->count;
	return 1;
}

/* Whether every delegate of PLAN has its name. */
static int
has_names(const struct tp_flat_table *plan, size_t *left)
{
	struct tp_flat_list delegates = { 0 };
	struct tp_flat_table one;
	const char *name;
	size_t len;

	if (tp_flat_list(plan, PLAN_DELEGATES, 4, &delegates) == 0)
		return 1;
	if (!is_whole_list(plan, PLAN_DELEGATES, &delegates, left))
		return 0;
	for (size_t i = 0; i < delegates.count; i++)
		if (tp_flat_item(&delegates, i, &one) < 0 ||
		    tp_flat_text(&one, DELEGATE_ID, &name, &len) <= 0)
			return 0;
	return 1;
}

/* Whether every instruction of PLAN, and what it calls, is complete. */
static int
is_whole(const struct tp_flat_table *plan, size_t *left)
{
	struct tp_flat_list chains, instructions;
	struct tp_flat_table chain, one;

	if (!has_names(plan, left) ||
	    !is_whole_list(plan, PLAN_CHAINS, &chains, left))
		return 0;
	for (size_t i = 0; i < chains.count; i++) {
		if (tp_flat_item(&chains, i, &chain) < 0 ||
		    !is_whole_list(&chain, CHAIN_INSTRUCTIONS, &instructions,
		    left))
			return 0;
		for (size_t k = 0; k < instructions.count; k++)
			if (tp_flat_item(&instructions, k, &one) < 0)
				return 0;
	}
	return 1;
}

static int
check(struct tp_program *p)
{
	struct tp_flat_table root, plan;
	size_t left = p->flat.len / 4;

	if (tp_flat_root(&p->flat, &root) < 0 ||
	    !is_whole_list(&root, PROGRAM_PLANS, &p->plans, &left))
		return -1;
	for (size_t i = 0; i < p->plans.count; i++)
		if (tp_flat_item(&p->plans, i, &plan) < 0 ||
		    !is_whole(&plan, &left))
			return -1;
	return 0;
}

struct tp_program *
tp_program_load(struct tp_in *in, struct tp_err *err)
{
	struct tp_program *p = tp_zalloc(sizeof *p);

	if (read_all(p, in, err) < 0) {
		tp_program_free(p);
		return NULL;
	}
	p->flat.p = (const unsigned char *)(p->bytes.p ? p->bytes.p : "");
	p->flat.len = p->bytes.len;
	if (check(p) < 0) {
		tp_fail(err, TP_BAD, "program.damaged", 0, "the program of "
		    "ExecuTorch is damaged or cut off, so it names no "
		    "backends; copy it again");
		tp_program_free(p);
		return NULL;
	}
	return p;
}

void
tp_program_free(struct tp_program *p)
{
	if (!p)
		return;
	tp_buf_release(&p->bytes);
	tp_free(p);
}

size_t
tp_program_methods(const struct tp_program *p)
{
	return p->plans.count < METHODS_MAX ? p->plans.count : METHODS_MAX;
}

/* The table that item I of list ID of TABLE refers to.  0 or -1. */
static int
item_of(const struct tp_flat_table *table, unsigned id, int64_t i,
    struct tp_flat_table *item)
{
	struct tp_flat_list list;

	return i < 0 || tp_flat_list(table, id, 4, &list) <= 0 ? -1 :
	    tp_flat_item(&list, (size_t)i, item);
}

static int
find_instruction(const struct tp_program *p, size_t method, int64_t chain,
    int64_t instruction, struct tp_flat_table *plan,
    struct tp_flat_table *found)
{
	struct tp_flat_table list;

	return tp_flat_item(&p->plans, method, plan) < 0 ||
	    item_of(plan, PLAN_CHAINS, chain, &list) < 0 ? -1 :
	    item_of(&list, CHAIN_INSTRUCTIONS, instruction, found);
}

static int
calls_delegate(const struct tp_flat_table *instruction)
{
	uint64_t type = 0;

	return tp_flat_number(instruction, INSTRUCTION_TYPE, 1, &type) > 0 &&
	    type == DELEGATE_CALL;
}

int
tp_program_fits(const struct tp_program *p, size_t method, int64_t chain,
    int64_t instruction, int is_delegated)
{
	struct tp_flat_table plan, found;

	return !find_instruction(p, method, chain, instruction, &plan,
	    &found) && (!is_delegated || calls_delegate(&found));
}

int
tp_program_backend(const struct tp_program *p, size_t method, int64_t chain,
    int64_t instruction, const char **name, size_t *len)
{
	struct tp_flat_table plan, found, call, delegate;
	int64_t index = 0;

	return !find_instruction(p, method, chain, instruction, &plan,
	    &found) && calls_delegate(&found) &&
	    tp_flat_child(&found, INSTRUCTION_CALL, &call) > 0 &&
	    tp_flat_int(&call, CALL_INDEX, &index) >= 0 &&
	    !item_of(&plan, PLAN_DELEGATES, index, &delegate) &&
	    tp_flat_text(&delegate, DELEGATE_ID, name, len) > 0 && *len;
}
