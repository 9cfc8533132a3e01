/* torch_fusion_private - what the files of torch_fusion share */
#ifndef TORCH_FUSION_PRIVATE_H
#define TORCH_FUSION_PRIVATE_H

#include <tp/buf.h>

#include "candidate_kernels.h"

/* What is known of a name of a kernel; FUSION_ROLE is what stays of it. */
enum { FUSION_ASKED = 0x80, FUSION_FUSED = 0x40, FUSION_ROLE = 0x0f };

/* Kernels in front of a link. */
struct fusion_before {
	uint32_t kernels, eligible, fused;
};

struct fusion_search {
	struct tp_torch_fusion *f;
	const struct tp_torch *t;
	const struct tp_torch_frames *frames;
	const struct tp_torch_fuser *fuser;
	struct fusion_before *before;	/* per link, and behind the last */
	uint32_t *of;		/* per frame: its candidate */
	struct tp_names classes;
	struct tp_ids ids;	/* of candidates: what kind, its name */
	struct tp_buf lower;
};

static inline const struct tp_torch_event *
fusion_work(const struct fusion_search *s, uint32_t link)
{
	return &s->t->events[s->t->links[link].work];
}

static inline struct fusion_before
fusion_holds(const struct fusion_search *s, uint32_t frame)
{
	const struct tp_torch_frame *f = &s->frames->list[frame];
	struct fusion_before a = s->before[f->first], b = s->before[f->last];

	return (struct fusion_before){ b.kernels - a.kernels,
	    b.eligible - a.eligible, b.fused - a.fused };
}

/* Whether a kernel of KIND could go into another. */
static inline int
fusion_joins(uint8_t kind)
{
	return (kind & FUSION_ROLE) == TP_FUSION_POINTWISE ||
	    (kind & FUSION_ROLE) == TP_FUSION_FUSIBLE;
}

/* What E is as a kernel. */
uint8_t fusion_kind(struct fusion_search *s, const struct tp_torch_event *e);
/* Add what could be gained on INSTANCE to its candidate. */
void fusion_measure(struct fusion_search *s,
    const struct tp_torch_instance *instance);
/* What candidate C is by its first instance. */
void fusion_judge(struct fusion_search *s, struct tp_torch_candidate *c);

#endif
