/* candidate_private - what candidate.c and candidate_gain.c share */
#ifndef TP_TORCH_CANDIDATE_PRIVATE_H
#define TP_TORCH_CANDIDATE_PRIVATE_H

#include <tp/buf.h>

#include "kernel_types.h"

/* What is known of a name of a kernel; FUSION_ROLE is what stays of it. */
enum { FUSION_ASKED = 0x80, FUSION_FUSED = 0x40, FUSION_ROLE = 0x0f };

/* Kernels in front of a link. */
struct candidate_before {
	uint32_t kernels, eligible, fused;
};

struct candidate_search {
	struct tp_torch_candidates *f;
	const struct tp_torch *t;
	const struct tp_torch_frames *frames;
	const struct tp_torch_kernel_types *types_of;
	struct candidate_before *before;	/* per link, and behind */
	uint32_t *of;		/* per frame: its candidate */
	struct tp_names classes;
	struct tp_ids ids;	/* of candidates: what kind, its name */
	struct tp_buf lower;
};

static inline const struct tp_torch_event *
candidate_work(const struct candidate_search *s, uint32_t link)
{
	return &s->t->events[s->t->links[link].work];
}

static inline struct candidate_before
candidate_holds(const struct candidate_search *s, uint32_t frame)
{
	const struct tp_torch_frame *f = &s->frames->list[frame];
	struct candidate_before a = s->before[f->first], b = s->before[f->last];

	return (struct candidate_before){ b.kernels - a.kernels,
	    b.eligible - a.eligible, b.fused - a.fused };
}

/* Whether a kernel of KIND could go into another. */
static inline int
candidate_joins(uint8_t kind)
{
	return (kind & FUSION_ROLE) == TP_FUSION_POINTWISE ||
	    (kind & FUSION_ROLE) == TP_FUSION_FUSIBLE;
}

/* What E is as a kernel. */
uint8_t tp_torch_candidate_kind(struct candidate_search *s,
    const struct tp_torch_event *e);
/* Add what could be gained on INSTANCE to its candidate. */
void tp_torch_candidate_measure(struct candidate_search *s,
    const struct tp_torch_instance *instance);
/* What candidate C is by its first instance. */
void tp_torch_candidate_judge(struct candidate_search *s,
    struct tp_torch_candidate *c);

#endif
