/*
 * frame - the calls around the GPU work of a PyTorch trace
 *
 * Frames are the operators and Python functions with GPU work below them,
 * nested as they were called and in call order, so that a frame precedes the
 * frames inside it.  A function is placed by its start and end among the
 * operators of its thread; if it outlasts the frame it started in, it ends
 * with that.  A frame whose function is a call of an nn.Module is a module;
 * its class is the name without the instance number ("Linear_3").  Work
 * deeper than TP_TORCH_FRAME_DEPTH counts for the deepest frame.  Memory: 16
 * bytes a frame.
 */
#ifndef TP_TORCH_FRAME_H
#define TP_TORCH_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tp/err.h>

#include "launch.h"
#include "torch.h"

/* Most nested frames.  Python itself stops at a thousand functions. */
#define TP_TORCH_FRAME_DEPTH 2000

struct tp_torch_frame {
	uint32_t start, stop;	/* places in the tree, half open */
	uint32_t parent;	/* frame, or TP_TORCH_NO */
	uint32_t of : 31;	/* event of an operator, or name of a
				 * function */
	uint32_t is_function : 1;
};

struct tp_torch_frames {
	struct tp_torch_frame *list;
	size_t count, cap;
	int32_t *class_len;	/* by function name: for a module the length of
				 * its class, which begins after ops->module;
				 * else -1 */
	uint64_t deep_count;	/* left out because they are too deep */
};

/* Sort the functions of T by lane and start, the longer one first. */
void tp_torch_sort_functions(struct tp_torch *t);
/*
 * Whether F comes before host event E: by lane and start, the longer one
 * first.
 */
static inline int
tp_torch_function_is_first(const struct tp_torch_function *f,
    const struct tp_torch_event *e)
{
	if (f->lane != e->lane)
		return f->lane < e->lane;
	if (f->from_ps != e->from_ps)
		return f->from_ps < e->from_ps;
	return f->to_ps >= e->to_ps;
}

/*
 * Find the places [*START, *STOP) of F in the tree, which must not be before
 * FROM.  An event that starts with F and ends later is around it.
 */
void tp_torch_function_place(const struct tp_torch *torch,
    const struct tp_torch_function *f, size_t from, uint32_t *start,
    uint32_t *stop);

/* Make the frames of an analysed trace and release its functions. */
void tp_torch_frames_make(struct tp_torch_frames *frames,
    struct tp_torch *torch);

/* The first frame after all frames inside frame AT. */
uint32_t tp_torch_frame_end(const struct tp_torch_frames *frames, uint32_t at);
/* The innermost frame around place ORDER of the tree, or TP_TORCH_NO. */
uint32_t tp_torch_frame_at(const struct tp_torch_frames *frames,
    uint32_t order);

static inline const struct tp_name *
tp_torch_frame_name(const struct tp_torch *torch,
    const struct tp_torch_frame *f)
{
	return f->is_function ? &torch->function_names.names[f->of] :
	    tp_torch_event_name(torch, &torch->events[f->of]);
}

/* The launches in a frame are links [_first, _last). */
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

/* When the first launching call in it began. */
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
