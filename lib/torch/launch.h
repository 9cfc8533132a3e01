/*
 * launch - which operator GPU work is due to
 *
 * The launcher of GPU work is the innermost operator around the call that
 * launched it, or that call itself where there is none.  Direct time is the
 * union of the work that a launcher launched itself, communication left out;
 * subtree time that of all work below it.
 * Memory: 32 bytes a launcher, 4 per GPU work and 4 per event.
 */
#ifndef TP_TORCH_LAUNCH_H
#define TP_TORCH_LAUNCH_H

#include <stdint.h>

#include <tp/err.h>

#include "torch.h"

struct tp_torch_launcher {
	uint32_t event;
	uint16_t category;	/* of torch->ops */
	uint32_t first, count;	/* its work, of works */
	uint32_t counted;	/* of that no communication: what its direct
				 * time is of; 0: it is no launcher to
				 * speak of */
	uint32_t copies;	/* of those copies */
	int64_t direct_ps, subtree_ps;
};

struct tp_torch_launchers {
	struct tp_torch_launcher *list;	/* by (start, file order) */
	size_t count, cap;
	uint32_t *works;	/* events, in the order of the file */
	uint32_t *of;		/* per event of the trace: of GPU work its
				 * launcher in list, or TP_TORCH_NO */
	int64_t direct_ps;	/* sum over all launchers */
	uint64_t counted;	/* launchers to speak of */
};

/* From an analysed trace.  0 or -1 with ERR; _release also after failure. */
int tp_torch_launchers_make(struct tp_torch_launchers *launchers,
    const struct tp_torch *torch, struct tp_err *err);
void tp_torch_launchers_release(struct tp_torch_launchers *launchers);

/* The first link whose call has a place of at least ORDER in the tree. */
static inline uint32_t
tp_torch_link_at(const struct tp_torch *torch, uint32_t order)
{
	return torch->links_before[order];
}

/* The launches below event E of the tree: links [*FIRST, *LAST); none of one
 * that is in no tree. */
static inline void
tp_torch_links_below(const struct tp_torch *torch,
    const struct tp_torch_event *e, uint32_t *first, uint32_t *last)
{
	int is_in = e->order != TP_TORCH_NO;

	*first = is_in ? tp_torch_link_at(torch, e->order) : 0;
	*last = is_in ? tp_torch_link_at(torch, e->last) : 0;
}

/* Answer queries (cover.h) about the work of links; 0, or -1 without
 * memory. */
struct tp_cover;
int tp_torch_cover(const struct tp_torch *torch, struct tp_cover *queries,
    size_t count);

#endif
