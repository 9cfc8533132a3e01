/*
 * ascend - what Ascend's profiler writes of a job (trace_view.json)
 *
 * As event.h; what is called from there.  Calls are left in a queue by the
 * operator, and made by another thread.
 */
#ifndef ASCEND_H
#define ASCEND_H

#include "event.h"

void ascend_begin(struct sim *sim, int64_t start);
void ascend_end(struct sim *sim);
void ascend_host(struct sim *sim, const struct open *open);
void ascend_runtime(struct sim *sim, const char *name, int64_t start);
void ascend_gpu(struct sim *sim, const struct kernel *kernel, int64_t start,
    int64_t ns);

#endif
