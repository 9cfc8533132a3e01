/*
 * events_seam - what a producer writes between two values, learned
 *
 * A producer writes the same bytes in front of the same value in every event:
 * ',', blanks, a key and ':'.  Such a seam is parsed once; after that its
 * bytes tell what it is, and the seam before it tells with which to compare.
 * Where it stands (in the event or its args, behind a bracket or a value) is
 * the same each time, so the parser would say the same of it again.
 *
 * Memory: the struct, 70 KiB.  Not installed.
 */
#ifndef TP_READ_EVENTS_SEAM_H
#define TP_READ_EVENTS_SEAM_H

#include <stddef.h>
#include <stdint.h>

enum { TP_SEAM_MAX = 64, TP_SEAMS = 512, TP_SEAM_NEXT = 4,
    TP_CREDIT_MAX = 1024 };
/* How often a value must have had one shape until the next is guessed. */
enum { TP_SHAPE_STEADY = 3 };
/* How many bytes behind a seam are looked at at once. */
enum { TP_QUICK = 144 };

/* Where a seam stands when none that is known is before it; also their
 * indexes. */
enum tp_seam_place {
	TP_IN_EVENT, TP_IN_ARGS,		/* behind the '{' */
	TP_LOST_IN_EVENT, TP_LOST_IN_ARGS,	/* behind a value */
	TP_SEAM_PLACES
};

enum tp_step_kind {
	TP_STEP_END,		/* of the object */
	TP_STEP_ARGS,		/* the args of an event */
	TP_STEP_VALUE		/* another value of it or of its args: the
				 * part AT of what is read */
};

struct tp_step {
	unsigned char kind, at;
	unsigned char tells;	/* what follows goes by its value */
};

/*
 * The value that stood behind a seam the last time, when it was short: which
 * of its first bytes are looked for, and which of them were found.  Values of
 * a kind are often of one length: a branch that is guessed right lets the
 * next seam be read before this value is.
 */
struct tp_shape {
	uint32_t among, found;
	uint32_t len;
	unsigned char simple;
	unsigned char times;	/* how often in turn; guessed from then on */
};

struct tp_seam {
	char text[TP_SEAM_MAX];
	struct tp_seam *next[TP_SEAM_NEXT];	/* which came behind it */
	struct tp_seam *inside;	/* of args: the '{' of those that are read */
	uint32_t rest;		/* bits of 32 bytes that are not of the text */
	struct tp_shape shape;	/* of the last value */
	unsigned char len;	/* 0: a bracket, or LOST */
	unsigned char in_args, lost;
	struct tp_step step;
};

/* A tree of what events begin with, until there are TP_SEAMS. */
struct tp_seams {
	struct tp_seam all[TP_SEAMS];
	struct tp_seam *at;	/* what was read last */
	unsigned slot;		/* of at->next that is tried first */
	unsigned count;
	unsigned later;		/* how often it was another one */
	unsigned credit;	/* what may be learned still, so that a trace
				 * without a layout costs little */
};

void tp_seams_init(struct tp_seams *seams);
/* The LEN bytes at P, behind seams->at, are STEP; LEN 0: they are not to be
 * learned. */
void tp_seams_learn(struct tp_seams *seams, const char *p, size_t len,
    int in_args, struct tp_step step);
/* The '{' of args was read. */
void tp_seams_enter(struct tp_seams *seams);
/* For the tests: whether anything is learned from now on. */
void tp_seams_use(int use);

/* A value of LEN bytes, FOUND among the first 32 (0: it is longer). */
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
	/* of nothing there is never anything to be found */
	sh->among = sh->times < TP_SHAPE_STEADY ? 0 : ((uint32_t)2 << len) - 1;
	if (!sh->among)
		sh->found = 1;
}

/* The slot for what follows a value that tells, from P to END. */
static inline unsigned
tp_seam_slot(const char *p, const char *end)
{
	return ((unsigned char)p[1] + (unsigned)(end - p)) % TP_SEAM_NEXT;
}

/* Behind WAS came not what was tried first but what is in slot I: now and
 * then it moves forward. */
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
