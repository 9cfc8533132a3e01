/*
 * pseudo - operations that the kernels of an operator stand for
 *
 * A server calls one operator for a whole mixture of experts, or one Python
 * function for its attention: what happens inside has no operator, no cost and
 * no name but those of kernels.  Rules ("pseudo" in share/ops/torch-pseudo.json
 * and in files of the user) say of an operator which of its kernels, or of the
 * functions in it or around it, are an operation, what that is called and whose
 * arguments it has.
 *
 *	op		the operator, whose arguments a pseudo operation has
 *	leaf		only where no other operator lies in it
 *	kernel, except	kernels that are one each; but not those of "except"
 *	function	functions in it, for all that each launched
 *	around		the function around it, for all that it launched
 *	among		only where it launched a kernel like that
 *	names		what the first, the second .. is called, by start
 *	adds		arguments behind those of the operator: the number
 *			"behind" a text in the name of the first "kernel"; ""
 *			when there is none
 *
 * The first rule that fits takes the work.  When there are twice as many as
 * names, each has its turn again, but none has arguments: which part of them is
 * whose nobody says.  Any other number, and calls that launched other kernels
 * too, leave the operator as it is, which is counted.
 *
 * A pseudo operation lies in its operator around the calls that launched its
 * work.  Every kernel stays, and stays in the operator.
 * Memory: 100 bytes a pseudo operation; for the time of it 5 a name and event.
 */
#ifndef TP_TORCH_PSEUDO_H
#define TP_TORCH_PSEUDO_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

#include "classes.h"
#include "operators.h"
#include "torch.h"

/* When pseudo operations are made. */
enum tp_torch_pseudo_when {
	TP_TORCH_PSEUDO_NEVER,
	TP_TORCH_PSEUDO_SERVERS,	/* steps of a server are marked */
	TP_TORCH_PSEUDO_ALWAYS		/* and numbers of calls are left off
					 * names, as TraceLens does */
};

struct tp_torch_pseudo_rule {
	const struct cJSON *row;
	struct tp_classes op, kernel, except, function, around, among;
	const char **names;
	uint32_t name_count;
	int leaf;
};

struct tp_torch_pseudo_rules {
	struct tp_torch_pseudo_rule *list;
	size_t count, cap;
	struct tp_classes *numbered;	/* operators with the number of their
					 * call behind their name, per file */
	size_t numbered_count, numbered_cap;
	struct tp_arena arena;
};

struct tp_torch_pseudo_made {
	uint64_t operators;	/* that have some */
	uint64_t operations, kernels;
	uint64_t unclear;	/* operators whose kernels no rule divides */
};

/* Read what OPERATORS, borrowed, say: 0, or -1 with ERR; _release also then. */
int tp_torch_pseudo_load(struct tp_torch_pseudo_rules *rules,
    const struct tp_torch_operators *operators, struct tp_err *err);
void tp_torch_pseudo_release(struct tp_torch_pseudo_rules *rules);
/* Whether TORCH is of a server, which marks its steps. */
int tp_torch_serves(const struct tp_torch *torch);
/* Make them in TORCH, analysed, with its functions.  0 or -1 with ERR. */
int tp_torch_pseudo_make(struct tp_torch *torch,
    const struct tp_torch_pseudo_rules *rules, enum tp_torch_pseudo_when when,
    struct tp_torch_pseudo_made *made, struct tp_err *err);

#endif
