/*
 * frame - what lay around the GPU work of a PyTorch trace
 *
 * Frames are the operators and Python functions that have GPU work below
 * them, nested as they were called, in the order of the calls: what lies in a
 * frame comes behind it.  A function belongs where it starts and ends among
 * the operators of its thread; one that goes on after what it started in ends
 * with it.  A frame whose function is a call of an nn.Module is a module; its
 * class is the name without the number of the instance ("Linear_3").  What
 * lies deeper than TP_TORCH_FRAME_DEPTH counts for the frame around it.
 * Memory: 16 bytes a frame.
 */
#ifndef TP_TORCH_FRAME_H
#define TP_TORCH_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tp/err.h>

#include "launch.h"
#include "torch.h"

/* Frames in each other; Python itself stops at a thousand functions. */
#define TP_TORCH_FRAME_DEPTH 2000

struct tp_torch_frame {
	uint32_t start, stop;	/* places in the tree, half open */
	uint32_t parent;	/* frame, or TP_TORCH_NO */
	uint32_t of : 31;	/* operator, or name of a function */
	uint32_t is_function : 1;
};

struct tp_torch_frames {
	struct tp_torch_frame *list;
	size_t count, cap;
	int32_t *class_len;	/* per name of a function: of a module the
				 * bytes of its class, which begins behind
				 * ops->module; else -1 */
	uint64_t deep_count;	/* left out, as they lie too deep */
};

/* Put the functions of T in order: by lane, start, the longer one first. */
void tp_torch_sort_functions(struct tp_torch *t);
/* Where F lies in the tree, [*START, *STOP), none of it before FROM.  What
 * starts with it and ends later lies around it. */
void tp_torch_function_place(const struct tp_torch *torch,
    const struct tp_torch_function *f, size_t from, uint32_t *start,
    uint32_t *stop);

/* From an analysed trace, whose functions are let go.  0 or -1 with ERR;
 * _release also after failure. */
int tp_torch_frames_make(struct tp_torch_frames *frames, struct tp_torch *torch,
    struct tp_err *err);
void tp_torch_frames_release(struct tp_torch_frames *frames);

/* The first frame behind all that lie in frame AT. */
uint32_t tp_torch_frame_end(const struct tp_torch_frames *frames, uint32_t at);
/* The inmost frame around place ORDER of the tree, or TP_TORCH_NO. */
uint32_t tp_torch_frame_at(const struct tp_torch_frames *frames,
    uint32_t order);

static inline const struct tp_name *
tp_torch_frame_name(const struct tp_torch *torch,
    const struct tp_torch_frame *f)
{
	return f->is_function ? &torch->function_names.names[f->of] :
	    tp_torch_event_name(torch, &torch->events[f->of]);
}

/* The launches in it: links [_first, _last). */
static inline uint32_t
tp_torch_frame_first(const struct tp_torch *torch,
    const struct tp_torch_frame *f)
{
	return tp_torch_link_at(torch, f->start);
}

static inline uint32_t
tp_torch_frame_last(const struct tp_torch *torch,
    const struct tp_torch_frame *f)
{
	return tp_torch_link_at(torch, f->stop);
}

/* When the first call in it began. */
static inline int64_t
tp_torch_frame_from(const struct tp_torch *torch,
    const struct tp_torch_frame *f)
{
	return torch->events[torch->links[tp_torch_frame_first(torch,
	    f)].call].from_ps;
}

static inline int
tp_torch_is_module(const struct tp_torch_frames *frames,
    const struct tp_torch_frame *f)
{
	return f->is_function && frames->class_len[f->of] >= 0;
}

/* The class of F, a module. */
static inline struct tp_name
tp_torch_frame_class(const struct tp_torch *torch,
    const struct tp_torch_frames *frames, const struct tp_torch_frame *f)
{
	return (struct tp_name){ torch->function_names.names[f->of].text +
	    strlen(torch->ops->module), (size_t)frames->class_len[f->of], 0 };
}

#endif
