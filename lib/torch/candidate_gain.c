/* candidate_gain - estimated gain of fusion, by kernel names */
#include <ctype.h>
#include <math.h>

#include <tp/order.h>

#include "candidate.h"

/* NAME in lower case, valid until the next call. */
static const char *
fusion_lower(struct candidate_search *s, const struct tp_name *name)
{
	tp_buf_clear(&s->lower);
	for (size_t i = 0; i < name->len; i++)
		tp_buf_chr(&s->lower, (char)tolower(
		    (unsigned char)name->text[i]));
	return !s->lower.len ? "" : s->lower.p;
}

uint8_t
tp_torch_candidate_kind(struct candidate_search *s,
    const struct tp_torch_event *e)
{
	uint8_t *kind = &s->f->roles[e->name];
	enum tp_torch_role role;
	const char *name;

	if (!*kind) {
		name = fusion_lower(s, tp_torch_event_name(s->t, e));
		s->f->types[e->name] = tp_torch_kernel_type(s->types_of, name,
		    &role);
		if (e->bucket == TP_TORCH_COMMUNICATION)
			role = TP_FUSION_COMMUNICATION;
		*kind = (uint8_t)(FUSION_ASKED | role |
		    (tp_class_of_name(&s->types_of->fused, name) ?
		    FUSION_FUSED : 0));
	}
	return *kind;
}

/* A kernel of an instance. */
struct kernel {
	int64_t ps;
	uint8_t kind;
	uint8_t is_again;	/* its time is promised elsewhere */
};

static size_t
kernels_of(struct candidate_search *s, uint32_t at, struct kernel *list)
{
	const struct tp_torch_frame *f = &s->frames->list[at];
	uint32_t last = tp_torch_frame_last(s->t, f);
	size_t n = 0;

	for (uint32_t i = tp_torch_frame_first(s->t, f); i < last; i++) {
		const struct tp_torch_event *e = candidate_work(s, i);

		if (tp_torch_may_fuse(e) && n < FUSION_KERNELS)
			list[n++] = (struct kernel){ e->to_ps - e->from_ps,
			    tp_torch_candidate_kind(s, e), s->again &&
			    s->again[s->t->links[i].work] };
	}
	return n;
}

static int
is_gemm(const struct kernel *k)
{
	return (k->kind & FUSION_ROLE) == TP_FUSION_GEMM;
}

static int
may_join(const struct kernel *k)
{
	return !k->is_again && candidate_joins(k->kind);
}

/*
 * The time of kernels that could be merged into others: of each run all but the
 * longest; all of it if the run is pointwise and next to a matrix product.
 */
static int64_t
goes(const struct kernel *list, size_t n)
{
	int64_t ps = 0, sum, longest;
	int pointwise, beside;

	for (size_t i = 0; i < n; i++) {
		sum = longest = 0;
		pointwise = 1;
		beside = i && is_gemm(&list[i - 1]);
		for (; i < n && may_join(&list[i]); i++) {
			sum += list[i].ps;
			TP_MOST(longest, list[i].ps);
			pointwise &= (list[i].kind & FUSION_ROLE) ==
			    TP_FUSION_POINTWISE;
		}
		beside |= i < n && is_gemm(&list[i]);
		ps += beside && pointwise ? sum : sum - longest;
	}
	return ps;
}

static int64_t
without(int64_t ps, double rest)
{
	return (int64_t)nearbyint((double)ps * (1 - rest));
}

void
tp_torch_candidate_measure(struct candidate_search *s,
    const struct tp_torch_instance *instance)
{
	struct tp_torch_candidate *c = &s->f->list[instance->candidate];
	struct kernel list[FUSION_KERNELS];
	size_t n = kernels_of(s, instance->frame, list);
	int64_t gone = goes(list, n);

	for (size_t i = 0; i < n; i++)
		c->duration_ps += list[i].ps;
	c->low_ps += without(gone, s->types_of->rest[0]);
	c->middle_ps += without(gone, s->types_of->rest[1]);
	c->high_ps += without(gone, s->types_of->rest[2]);
}

void
tp_torch_candidate_judge(struct candidate_search *s,
    struct tp_torch_candidate *c)
{
	const struct tp_torch_frame *f = &s->frames->list[c->frame];
	struct kernel list[FUSION_KERNELS];
	size_t n = kernels_of(s, c->frame, list), known = 0;
	struct candidate_before b = candidate_holds(s, c->frame);

	for (size_t i = 0; i < n; i++) {
		known += candidate_joins(list[i].kind) || is_gemm(&list[i]);
		c->has_gemm |= (uint8_t)is_gemm(&list[i]);
	}
	c->kernel_count = b.kernels;
	c->eligible_count = b.eligible;
	c->is_known = (double)known >= (double)b.eligible *
	    ((double)b.eligible < s->types_of->few ? s->types_of->known_few :
	    s->types_of->known_many);
	if (!c->is_known)
		c->low_ps = c->middle_ps = c->high_ps = 0;
	c->confidence = (uint8_t)((known == b.eligible) +
	    (tp_class_of_name(&s->types_of->hints, fusion_lower(s,
	    tp_torch_frame_name(s->t, f))) != NULL));
}
