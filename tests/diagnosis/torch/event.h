/*
 * event - what Kineto writes of a job
 *
 * Each of these does nothing where nothing is recorded.
 */
#ifndef EVENT_H
#define EVENT_H

#include "sim.h"

/* The head of the trace; the recording begins at START. */
void event_begin(struct sim *sim, int64_t start);
void event_end(struct sim *sim);
/* OPEN, which ends now. */
void event_host(struct sim *sim, const struct open *open);
/* Call NAME from START to now, the latest correlation. */
void event_runtime(struct sim *sim, const char *name, int64_t start);
/* What that call launched. */
void event_gpu(struct sim *sim, const struct kernel *kernel, int64_t start,
    int64_t ns);
/* BLOCK was allocated, or freed: SIGN below 0. */
void event_memory(struct sim *sim, const struct block *block, int sign);
/* The wait of that call. */
void event_sync(struct sim *sim, int all, int64_t start, int64_t end);
/* The wait that call made stream A do, for what B had been given when call
 * RECORDED noted it. */
void event_order(struct sim *sim, enum stream a, enum stream b,
    int64_t recorded, int64_t start);
/* An annotation of the host, seen on the stream that computes. */
void event_annotation(struct sim *sim, const char *name, int64_t start,
    int64_t end);

#endif
