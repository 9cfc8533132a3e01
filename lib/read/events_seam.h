/*
 * events_seam - learn the bytes that a producer writes between two values
 *
 * A producer writes the same bytes before the same value in every event:
 * ',', blanks, a key and ':'.  Such a seam is parsed once.  After that,
 * comparing bytes identifies it, and the seam before it predicts which to
 * compare.  Its context (in the event or its args, after a bracket or a
 * value) is the same each time, so parsing it again would give the same
 * result.
 *
 * Memory: the struct, 70 KiB.  Not installed.
 */
#ifndef TP_READ_EVENTS_SEAM_H
#define TP_READ_EVENTS_SEAM_H

#include <stddef.h>
#include <stdint.h>

enum { TP_SEAM_MAX = 64, TP_SEAMS = 512, TP_SEAM_NEXT = 4,
    TP_CREDIT_MAX = 1024 };
/* Predict a value's shape after it repeated this often. */
enum { TP_SHAPE_STEADY = 3 };
/* Bytes after a seam that must be in view for the fast path. */
enum { TP_QUICK = 144 };

/* Context of a seam when the one before it is unknown; also its index. */
enum tp_seam_place {
	TP_IN_EVENT, TP_IN_ARGS,		/* behind the '{' */
	TP_LOST_IN_EVENT, TP_LOST_IN_ARGS,	/* behind a value */
	TP_SEAM_PLACES
};

enum tp_step_kind {
	TP_STEP_END,		/* end of the object */
	TP_STEP_ARGS,		/* the args of an event */
	TP_STEP_VALUE		/* another value of the event or of its args:
				 * field AT */
};

struct tp_seam_step {
	unsigned char kind, at;
	unsigned char tells;	/* its value predicts what follows */
};

/*
 * Shape of the last value after a seam, when it was short: which of its
 * first bytes are checked, and which of those matched.  Such values often
 * have the same length: a correctly predicted branch lets the next seam be
 * read before this value is.
 */
struct tp_shape {
	uint32_t among, found;
	uint32_t len;
	unsigned char simple;
	unsigned char times;	/* repetitions; predicted at TP_SHAPE_STEADY */
};

struct tp_seam {
	char text[TP_SEAM_MAX];
	struct tp_seam *next[TP_SEAM_NEXT];	/* seams that followed it */
	struct tp_seam *inside;	/* of args: the seam at their '{' */
	uint32_t rest;		/* bits of the first 32 bytes beyond the text */
	struct tp_shape shape;	/* of the last value */
	unsigned char len;	/* 0: a bracket, or LOST */
	unsigned char in_args, lost;
	struct tp_seam_step step;
};

/* A tree of event prefixes, of at most TP_SEAMS nodes. */
struct tp_seams {
	struct tp_seam all[TP_SEAMS];
	struct tp_seam *at;	/* last seam read */
	unsigned slot;		/* slot of at->next to try first */
	unsigned count;
	unsigned later;		/* how often the first slot was wrong */
	unsigned credit;	/* remaining budget for learning, so that a
				 * trace without a layout costs little */
};

void tp_seams_init(struct tp_seams *seams);
/*
 * Learn that the LEN bytes at P, after seams->at, lead to STEP; LEN 0: not
 * learnable.
 */
void tp_seams_learn(struct tp_seams *seams, const char *p, size_t len,
    int in_args, struct tp_seam_step step);
/* The '{' of args was read. */
void tp_seams_enter(struct tp_seams *seams);
/* For tests: switch learning on or off. */
void tp_seams_use(int use);

/*
 * Record a value of LEN bytes whose end gave FOUND among the first 32 (0:
 * longer).
 */
static inline void
tp_shape_saw(struct tp_shape *sh, uint32_t len, uint32_t found,
    unsigned char simple)
{
	if (sh->len != len || sh->simple != simple || !found)
		sh->times = 0;
	else if (sh->times < TP_SHAPE_STEADY)
		sh->times++;
	sh->len = len;
	sh->simple = simple;
	sh->found = found;
	/* an empty mask must never match */
	sh->among = sh->times < TP_SHAPE_STEADY ? 0 : ((uint32_t)2 << len) - 1;
	if (!sh->among)
		sh->found = 1;
}

/* Slot for what follows a value that predicts, from P to END. */
static inline unsigned
tp_seam_slot(const char *p, const char *end)
{
	return ((unsigned char)p[1] + (unsigned)(end - p)) % TP_SEAM_NEXT;
}

/*
 * After WAS, slot I matched instead of the first one tried; every eighth
 * time move it forward.
 */
static inline void
tp_seam_promote(struct tp_seams *l, struct tp_seam *was, unsigned i)
{
	struct tp_seam *s = was->next[i];

	if (i && !was->step.tells && !(++l->later & 7)) {
		was->next[i] = was->next[i - 1];
		was->next[i - 1] = s;
	}
}

#endif
