/* candidate - kernels of a PyTorch trace that could be fused into one */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "candidate.h"

static void
prepare(struct candidate_search *s)
{
	size_t links = s->t->tree_link_count, n = s->frames->count;
	struct candidate_before b = { 0, 0, 0 };

	s->f->roles = tp_zalloc(s->t->names.count + 1);
	s->f->types = tp_zalloc((s->t->names.count + 1) *
	    sizeof *s->f->types);
	s->before = tp_alloc((links + 1) * sizeof *s->before);
	s->of = tp_alloc((n + 1) * sizeof *s->of);
	memset(s->of, 0xff, (n + 1) * sizeof *s->of);
	for (uint32_t i = 0; i < links; i++) {
		const struct tp_torch_event *e = candidate_work(s, i);
		uint8_t kind = tp_torch_may_fuse(e) ?
		    tp_torch_candidate_kind(s, e) : 0;

		s->before[i] = b;
		b.kernels += kind != 0;
		b.eligible += kind && (kind & FUSION_ROLE) !=
		    TP_FUSION_COMMUNICATION;
		b.fused += (kind & FUSION_FUSED) != 0;
	}
	s->before[links] = b;
}

/*
 * The innermost module, else the innermost frame, of the nested frames from AT
 * on that launch COUNT kernels.
 */
static uint32_t
inmost(const struct candidate_search *s, uint32_t at, uint32_t count)
{
	const struct tp_torch_frame *list = s->frames->list;
	uint32_t module = TP_TORCH_NO, child, end;

	for (;;) {
		if (tp_torch_is_module(s->frames, &list[at]))
			module = at;
		end = tp_torch_frame_end(s->frames, at);
		for (child = at + 1; child < end &&
		    candidate_holds(s, child).kernels != count; )
			child = tp_torch_frame_end(s->frames, child);
		if (child >= end)
			return module != TP_TORCH_NO ? module : at;
		at = child;
	}
}

/* The candidate that frame AT is an instance of. */
static ptrdiff_t
candidate_of(struct candidate_search *s, uint32_t at)
{
	const struct tp_torch_frame *f = &s->frames->list[at];
	uint64_t kind = tp_torch_is_module(s->frames, f) ? 2 :
	    f->is_function;
	size_t had = s->ids.count;
	ptrdiff_t name = f->is_function ? f->of : s->t->events[f->of].name, c;
	struct tp_name class;

	if (kind == 2) {
		class = tp_torch_frame_class(s->t, s->frames, f);
		name = tp_names_add(&s->classes, class.text, class.len);
	}
	c = tp_ids_add(&s->ids, kind, (uint64_t)name);
	TP_ITEM(s->f->list, s->f->cap, c);
	if ((size_t)c == had) {
		s->f->list[c] = (struct tp_torch_candidate){ .frame = at,
		    .inside = TP_TORCH_NO };
		s->f->count++;
	}
	return c;
}

static void
add_instance(struct candidate_search *s, uint32_t at)
{
	struct tp_torch_candidates *f = s->f;
	struct tp_torch_candidate *c;
	ptrdiff_t of;

	if (s->of[at] != TP_TORCH_NO)
		return;
	of = candidate_of(s, at);
	s->of[at] = (uint32_t)of;
	TP_APPEND(f->instances, f->instance_count, f->instance_cap,
	    (struct tp_torch_instance){ at, (uint32_t)of });
	c = &f->list[of];
	c->instance_count++;
	if (tp_torch_frame_from(s->t, &s->frames->list[at]) <
	    tp_torch_frame_from(s->t, &s->frames->list[c->frame]))
		c->frame = at;
}

static void
find_candidates(struct candidate_search *s)
{
	for (uint32_t i = 0; i < s->frames->count; i++) {
		struct candidate_before b = candidate_holds(s, i);
		uint32_t parent = s->frames->list[i].parent;

		if (b.eligible < 2 || b.fused ||
		    b.kernels > s->types_of->kernels_max ||
		    (parent != TP_TORCH_NO &&
		    candidate_holds(s, parent).kernels == b.kernels))
			continue;
		add_instance(s, inmost(s, i, b.kernels));
	}
}

/* Find candidates inside others. */
static void
settle(struct candidate_search *s)
{
	struct tp_torch_candidates *f = s->f;

	for (size_t i = 0; i < f->count; i++) {
		uint32_t at = s->frames->list[f->list[i].frame].parent;

		for (; at != TP_TORCH_NO; at = s->frames->list[at].parent)
			if (s->of[at] != TP_TORCH_NO && s->of[at] != i &&
			    f->list[s->of[at]].high_ps > 0) {
				f->list[i].inside = s->of[at];
				break;
			}
	}
}

struct ranked {
	struct tp_torch_candidate candidate;
	uint32_t was;
};

/* By falling gain and time, then by place. */
TP_ORDER(by_gain, struct ranked, TP_DOWN(candidate.high_ps)
    TP_DOWN(candidate.duration_ps) TP_UP(candidate.frame))

static void
sort(struct tp_torch_candidates *f)
{
	struct ranked *list = tp_alloc((f->count + 1) * sizeof *list);
	uint32_t *now = tp_alloc((f->count + 1) * sizeof *now);

	for (uint32_t i = 0; i < f->count; i++)
		list[i] = (struct ranked){ f->list[i], i };
	TP_SORT(list, f->count, by_gain);
	for (uint32_t i = 0; i < f->count; i++)
		now[list[i].was] = i;
	for (size_t i = 0; i < f->count; i++) {
		f->list[i] = list[i].candidate;
		if (f->list[i].inside != TP_TORCH_NO)
			f->list[i].inside = now[f->list[i].inside];
	}
	for (size_t i = 0; i < f->instance_count; i++)
		f->instances[i].candidate = now[f->instances[i].candidate];
	tp_free(list);
	tp_free(now);
}

/* Find the kernels that could be fused; of nested candidates, in the outer. */
static void
find_merged(struct candidate_search *s)
{
	struct tp_torch_candidates *f = s->f;

	for (size_t i = 0; i < f->instance_count; i++) {
		uint32_t of = f->instances[i].candidate;
		const struct tp_torch_candidate *c = &f->list[of];
		const struct tp_torch_frame *frame =
		    &s->frames->list[f->instances[i].frame];

		if (c->confidence != TP_FUSION_HIGH || c->high_ps <= 0)
			continue;
		if (!f->merged)
			f->merged = tp_zalloc((s->t->count + 1) *
			    sizeof *f->merged);
		for (uint32_t k = tp_torch_frame_first(s->t, frame),
		    last = tp_torch_frame_last(s->t, frame); k < last; k++) {
			uint32_t *merged = &f->merged[s->t->links[k].work];

			if (candidate_joins(f->roles[candidate_work(s,
			    k)->name]) && (!*merged || c->inside ==
			    TP_TORCH_NO))
				*merged = of + 1;
		}
	}
}

void
tp_torch_candidates_make(struct tp_torch_candidates *f,
    const struct tp_torch *t, const struct tp_torch_frames *frames,
    const struct tp_torch_kernel_types *types_of, const uint8_t *again)
{
	struct candidate_search s = { .f = f, .t = t, .frames = frames,
	    .types_of = types_of, .again = again };

	memset(f, 0, sizeof *f);
	prepare(&s);
	find_candidates(&s);
	for (size_t i = 0; i < f->instance_count; i++)
		tp_torch_candidate_measure(&s, &f->instances[i]);
	for (size_t i = 0; i < f->count; i++)
		tp_torch_candidate_judge(&s, &f->list[i]);
	settle(&s);
	if (f->count)
		sort(f);
	find_merged(&s);
	for (size_t i = 0; f->roles && i < t->names.count; i++)
		f->roles[i] &= FUSION_ROLE;
	tp_buf_release(&s.lower);
	tp_free(s.before);
	tp_free(s.of);
	tp_names_release(&s.classes);
	tp_ids_release(&s.ids);
}

void
tp_torch_candidates_release(struct tp_torch_candidates *f)
{
	tp_free(f->list);
	tp_free(f->instances);
	tp_free(f->roles);
	tp_free(f->types);
	tp_free(f->merged);
	memset(f, 0, sizeof *f);
}
