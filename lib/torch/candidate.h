/*
 * candidate - kernels of a PyTorch trace that could be fused into one
 *
 * A candidate stands for all frames of one name (frame.h; for modules, of
 * one class) that launch at least two kernels, but few enough to be one
 * operation.  Of nested frames that launch the same kernels only one counts:
 * the innermost module, else the innermost frame.  Communication, copies and
 * memory sets do not count as kernels.  Frames with an attention kernel or
 * another fused kernel are left out.
 *
 * The gain is an estimate by kernel names: pointwise kernels could go into
 * an adjacent matrix product, and kernels that can be fused with each other
 * could go into the longest of them.  The bytes saved are unknown.
 *
 * A candidate inside another one with an estimate is part of that.  The
 * classification and all constants are in share/ops/torch-fusion.json.
 * Memory: 12 bytes a launch, 4 a frame, 9 a name, 8 an instance, 64 a
 * candidate, 1 an event.
 */
#ifndef TP_TORCH_CANDIDATE_H
#define TP_TORCH_CANDIDATE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>
#include <tp/err.h>

#include "classes.h"
#include "frame.h"

enum tp_torch_role {
	TP_FUSION_ALONE, TP_FUSION_GEMM, TP_FUSION_POINTWISE,
	TP_FUSION_FUSIBLE, TP_FUSION_COMMUNICATION, TP_FUSION_ROLES
};

/* The rules in share/ops/torch-fusion.json. */
struct tp_torch_kernel_types;

struct tp_torch_kernel_types *tp_torch_kernel_types_load(struct tp_err *err);
void tp_torch_kernel_types_free(struct tp_torch_kernel_types *types_of);
/* The type of KERNEL, a name in lower case, and its role; NULL: unknown. */
const char *tp_torch_kernel_type(const struct tp_torch_kernel_types *types_of,
    const char *kernel, enum tp_torch_role *role);

enum tp_torch_confidence {
	TP_FUSION_LOW, TP_FUSION_MEDIUM, TP_FUSION_HIGH
};

struct tp_torch_candidate {
	uint32_t frame;		/* its first instance */
	uint32_t inside;	/* the candidate it is part of, or
				 * TP_TORCH_NO */
	uint32_t instance_count;
	uint32_t kernel_count, eligible_count;	/* of the first instance */
	int64_t duration_ps;	/* sum over all kernels of all instances */
	int64_t low_ps, middle_ps, high_ps;	/* estimated gain over all
						 * instances */
	uint8_t is_known;	/* enough of its kernels are known for an
				 * estimate */
	uint8_t has_gemm;
	uint8_t confidence;
};

struct tp_torch_candidates {
	struct tp_torch_candidate *list;	/* by estimated gain, largest
						 * first */
	size_t count, cap;
	struct tp_torch_instance {
		uint32_t frame, candidate;
	} *instances;
	size_t instance_count, instance_cap;
	uint8_t *roles;		/* by name: role of a kernel */
	const char **types;	/* by name: type of a kernel; NULL: unknown */
	uint32_t *merged;	/* by event: 1 + the candidate of high
				 * confidence in which it could be fused into
				 * another one, or 0; NULL: none */
};

/* Whether GPU work E counts as a kernel here. */
static inline int
tp_torch_may_fuse(const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_KERNEL && e->bucket != TP_TORCH_COPY;
}

/*
 * Find the candidates of an analysed trace.  AGAIN: by event, kernels whose
 * time is promised elsewhere, which gain nothing here; or NULL.
 */
void tp_torch_candidates_make(struct tp_torch_candidates *fusion,
    const struct tp_torch *torch, const struct tp_torch_frames *frames,
    const struct tp_torch_kernel_types *types_of, const uint8_t *again);
void tp_torch_candidates_release(struct tp_torch_candidates *fusion);

/* Limit on the kernels of a candidate. */
#define FUSION_KERNELS 64

struct cJSON;

struct tp_torch_kernel_types {
	struct cJSON *doc;
	struct tp_classes types, fused, hints;
	double kernels_max, few, known_few, known_many;
	double rest[3];		/* low, middle, high */
};

/* Flags of a kernel name; the bits of FUSION_ROLE are its role. */
enum { FUSION_ASKED = 0x80, FUSION_FUSED = 0x40, FUSION_ROLE = 0x0f };

/* Kernels before a link. */
struct candidate_before {
	uint32_t kernels, eligible, fused;
};

struct candidate_search {
	struct tp_torch_candidates *f;
	const struct tp_torch *t;
	const struct tp_torch_frames *frames;
	const struct tp_torch_kernel_types *types_of;
	const uint8_t *again;
	struct candidate_before *before;	/* by link, and after the
						 * last */
	uint32_t *of;		/* by frame: its candidate */
	struct tp_names classes;
	struct tp_ids ids;	/* of candidates: kind of frame, name */
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
	struct candidate_before a = s->before[tp_torch_frame_first(s->t, f)],
	    b = s->before[tp_torch_frame_last(s->t, f)];

	return (struct candidate_before){ b.kernels - a.kernels,
	    b.eligible - a.eligible, b.fused - a.fused };
}

/* Whether a kernel of KIND could be fused into another one. */
static inline int
candidate_joins(uint8_t kind)
{
	return (kind & FUSION_ROLE) == TP_FUSION_POINTWISE ||
	    (kind & FUSION_ROLE) == TP_FUSION_FUSIBLE;
}

/* The role and flags of kernel E. */
uint8_t tp_torch_candidate_kind(struct candidate_search *s,
    const struct tp_torch_event *e);
/* Add the estimated gain of INSTANCE to its candidate. */
void tp_torch_candidate_measure(struct candidate_search *s,
    const struct tp_torch_instance *instance);
/* Classify candidate C by its first instance. */
void tp_torch_candidate_judge(struct candidate_search *s,
    struct tp_torch_candidate *c);

#endif
