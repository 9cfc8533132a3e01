/*
 * recorder - how the exports of other profilers become events
 *
 * Each is a file of share/events: what tells it, and of each of its tables
 * how a row becomes an event as PyTorch's profiler writes them.
 */
#ifndef TP_READ_RECORDER_H
#define TP_READ_RECORDER_H

#include <tp/err.h>
#include <tp/in.h>

struct cJSON;

struct tp_recorder {
	struct cJSON *doc;	/* all that its file says */
	const char *name;	/* "nsys" */
	const char *what;	/* "an export of Nsight Systems" */
	const char *framework;	/* "cuda": what the program was written for */
};

/*
 * The first of which IS, asked with ARG, says 1: 1, 0 none is, -1 with ERR, as
 * IS too may say.  What is in *RECORDER is to be released after 1.
 */
int tp_recorder_find(struct tp_recorder *recorder,
    int (*is)(void *arg, const struct tp_recorder *recorder,
    struct tp_err *err), void *arg, struct tp_err *err);
void tp_recorder_release(struct tp_recorder *recorder);

/*
 * Which recorder IN, of which nothing was taken and no more may be, comes
 * from: 1, 0 none that is known, -1 with ERR, which tells why it cannot be
 * read.
 */
int tp_recorder_of(struct tp_in *in, struct tp_recorder *recorder,
    struct tp_err *err);

#endif
