/*
 * pseudo - make operations from kernels inside one operator
 *
 * A server calls one operator for a whole mixture of experts, or one Python
 * function for its attention.  The parts inside have no operators and no cost,
 * only kernel names.  Rules ("pseudo" in share/ops/torch-pseudo.json and in
 * files of the user) say which kernels of an operator, or which functions in it
 * or around it, form an operation, and give its name and arguments.
 *
 *	op		the operator, whose arguments a pseudo operation has
 *	leaf		only if no other operator lies in it
 *	kernel, except	kernels that are one each, except those of "except"
 *	function	functions in it, for all that each launched
 *	around		the function around it, for all that it launched
 *	among		only if it launched a kernel like that
 *	names		names of the first, the second .., by start
 *	adds		arguments after those of the operator: the number
 *			"behind" a text in the name of the first "kernel"; ""
 *			if there is none
 *
 * The first rule that fits takes the work.  If there are twice as many parts as
 * names, the names repeat, but the parts get no arguments, because their split
 * is unknown.  With any other number, or if calls launched other kernels too,
 * the operator stays as it is and is counted.
 *
 * A pseudo operation lies in its operator, around the calls that launched its
 * work.  No kernel is lost, and all remain in the operator.
 * Memory: 100 bytes a pseudo operation; during analysis 5 a name and event.
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
	TP_TORCH_PSEUDO_SERVERS,	/* if a server's steps are marked */
	TP_TORCH_PSEUDO_ALWAYS		/* also drops call numbers from names,
					 * as TraceLens does */
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
	struct tp_classes *numbered;	/* by file: operators with a call number
					 * at the end of their names */
	size_t numbered_count, numbered_cap;
	struct tp_arena arena;
};

struct tp_torch_pseudo_counts {
	uint64_t operators;	/* with pseudo operations */
	uint64_t operations, kernels;
	uint64_t unclear;	/* operators whose kernels no rule divides */
};

/*
 * Read the rules of OPERATORS, which must outlive them.  Returns 0, or -1 with
 * ERR.
 */
int tp_torch_pseudo_load(struct tp_torch_pseudo_rules *rules,
    const struct tp_torch_operators *operators, struct tp_err *err);
/* Whether TORCH is of a server that marks its steps. */
int tp_torch_serves(const struct tp_torch *torch);
/* Make them in TORCH, which must be analysed and still have its functions. */
void tp_torch_pseudo_make(struct tp_torch *torch,
    const struct tp_torch_pseudo_rules *rules, enum tp_torch_pseudo_when when,
    struct tp_torch_pseudo_counts *counts);

#endif
