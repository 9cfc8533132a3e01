/*
 * candidate - what several kernels of a PyTorch trace do that one could
 *
 * A candidate is what all frames of one name are (frame.h; of modules
 * those of one class) that launch two kernels or more, few enough to be one
 * thing.  Frames that launch the same kernels are one: the inmost module, else
 * the inmost frame.  Communication, copies and memory sets are no kernels
 * here; who has an attention kernel, or another that is fused, is left out.
 *
 * What could be gained is an estimate: by what the names of kernels say they
 * are, pointwise kernels could go into the matrix product beside them, and
 * kernels that can be fused with each other could all go into the longest of
 * them.  The bytes that are saved are not known.
 *
 * A candidate that lies in another with an estimate is part of it.  What is
 * what, and all constants, are share/ops/torch-fusion.json.
 * Memory: 12 bytes a launch, 4 a frame, 9 a name, 16 an instance, 1 an event.
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

/* The file. */
struct tp_torch_kernel_types;

struct tp_torch_kernel_types *tp_torch_kernel_types_load(struct tp_err *err);
void tp_torch_kernel_types_free(struct tp_torch_kernel_types *types_of);
/* What KERNEL, a name in lower case, is, and its role; NULL: unknown. */
const char *tp_torch_kernel_type(const struct tp_torch_kernel_types *types_of,
    const char *kernel, enum tp_torch_role *role);

enum tp_torch_confidence {
	TP_FUSION_LOW, TP_FUSION_MEDIUM, TP_FUSION_HIGH
};

struct tp_torch_candidate {
	uint32_t frame;		/* its first instance */
	uint32_t inside;	/* candidate that it is part of, or
				 * TP_TORCH_NO */
	uint32_t instance_count;
	uint32_t kernel_count, eligible_count;	/* of the first */
	int64_t duration_ps;	/* of all kernels of all, added */
	int64_t low_ps, middle_ps, high_ps;	/* could be gained on all */
	uint8_t is_known;	/* enough of its kernels are; else nothing is
				 * estimated */
	uint8_t has_gemm;
	uint8_t confidence;
};

struct tp_torch_candidates {
	struct tp_torch_candidate *list;	/* by what could be gained */
	size_t count, cap;
	struct tp_torch_instance {
		uint32_t frame, candidate;
	} *instances;
	size_t instance_count, instance_cap;
	uint8_t *roles;		/* per name, of kernels */
	const char **types;	/* the same: what they are, NULL unknown */
	uint8_t *merged;	/* per event: a kernel that could go into
				 * another, in a candidate of high confidence;
				 * NULL: there is none */
};

/* Whether GPU work E counts as a kernel here. */
static inline int
tp_torch_may_fuse(const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_KERNEL && e->bucket != TP_TORCH_COPY;
}

/* From an analysed trace.  0 or -1 with ERR; _release also after failure. */
int tp_torch_candidates_make(struct tp_torch_candidates *fusion,
    const struct tp_torch *torch, const struct tp_torch_frames *frames,
    const struct tp_torch_kernel_types *types_of, struct tp_err *err);
void tp_torch_candidates_release(struct tp_torch_candidates *fusion);

/* More kernels than a candidate may have. */
#define FUSION_KERNELS 64

struct cJSON;

struct tp_torch_kernel_types {
	struct cJSON *doc;
	struct tp_classes types, fused, hints;
	double kernels_max, few, known_few, known_many;
	double rest[3];		/* low, middle, high */
};

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
	struct candidate_before a = s->before[tp_torch_frame_first(s->t, f)],
	    b = s->before[tp_torch_frame_last(s->t, f)];

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
