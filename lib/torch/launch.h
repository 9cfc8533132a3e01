/*
 * launch - the operator that launched GPU work
 *
 * The launcher of GPU work is the innermost operator around the call that
 * launched it, or that call if there is no operator.  Direct time is the
 * union of the work that a launcher launched itself, without communication;
 * subtree time that of all work below it.  Memory: 40 bytes a launcher, 4
 * per GPU work and 4 per event; during analysis 4 more per event and 16 per
 * GPU work.
 */
#ifndef TP_TORCH_LAUNCH_H
#define TP_TORCH_LAUNCH_H

#include <stdint.h>

#include <tp/err.h>

#include "torch.h"

struct tp_torch_launcher {
	uint32_t event;
	uint16_t category;	/* of torch->ops */
	uint32_t first, count;	/* its work, in works */
	uint32_t counted;	/* of these, work that is not communication,
				 * which direct time is of; 0: the launcher does
				 * not count */
	uint32_t copies;	/* of the counted work: copies */
	int64_t direct_ps, subtree_ps;
};

struct tp_torch_launchers {
	struct tp_torch_launcher *list;	/* by start, then file order */
	size_t count, cap;
	uint32_t *works;	/* events, in file order */
	uint32_t *of;		/* by event: launcher of GPU work in list, or
				 * TP_TORCH_NO */
	int64_t direct_ps;	/* sum over all launchers */
	uint64_t counted;	/* launchers that count */
};

/* Find the launchers of an analysed trace. */
void tp_torch_launchers_make(struct tp_torch_launchers *launchers,
    const struct tp_torch *torch);

/* The first link whose call has a place of at least ORDER in the tree. */
static inline uint32_t
tp_torch_link_at(const struct tp_torch *torch, uint32_t order)
{
	return torch->links_before[order];
}

/*
 * Set [*FIRST, *LAST) to the links of launches below event E; empty if E is not
 * in the tree.
 */
static inline void
tp_torch_links_below(const struct tp_torch *torch,
    const struct tp_torch_event *e, uint32_t *first, uint32_t *last)
{
	int is_in = e->order != TP_TORCH_NO;

	*first = is_in ? tp_torch_link_at(torch, e->order) : 0;
	*last = is_in ? tp_torch_link_at(torch, e->last) : 0;
}

/* Answer queries (cover.h) about the work of links. */
struct tp_cover;
void tp_torch_cover(const struct tp_torch *torch, struct tp_cover *queries,
    size_t count);

#endif
