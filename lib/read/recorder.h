/*
 * recorder - convert exports of other profilers to events
 *
 * share/events has a file per profiler: how to recognise it, and for each of
 * its tables how a row becomes an event in the form of PyTorch's profiler.
 */
#ifndef TP_READ_RECORDER_H
#define TP_READ_RECORDER_H

#include <tp/err.h>
#include <tp/in.h>

struct cJSON;

struct tp_recorder {
	struct cJSON *doc;	/* its file */
	const char *name;	/* "nsys" */
	const char *what;	/* "an export of Nsight Systems" */
	const char *framework;	/* "cuda": the platform of the program */
};

/*
 * Find the first recorder for which IS, called with ARG, returns 1: 1
 * (release *RECORDER), 0 when there is none, -1 with ERR, also from IS.
 */
int tp_recorder_find(struct tp_recorder *recorder,
    int (*is)(void *arg, const struct tp_recorder *recorder,
    struct tp_err *err), void *arg, struct tp_err *err);
void tp_recorder_release(struct tp_recorder *recorder);

/*
 * Which recorder IN, unread, comes from; IN is only peeked at.  1, 0 when
 * unknown, -1 with ERR, which says why it cannot be read.
 */
int tp_recorder_of(struct tp_in *in, struct tp_recorder *recorder,
    struct tp_err *err);

#endif
