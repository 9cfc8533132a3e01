/*
 * json_simd - JSON scanning functions for the instruction set in use (simd.h)
 *
 * Not installed.
 */
#ifndef TP_READ_JSON_SIMD_H
#define TP_READ_JSON_SIMD_H

#include "events_seam.h"
#include "events_parse.h"
#include "json_skip.h"

typedef size_t tp_skip_fn(struct tp_skip *skip, const char *p, size_t len);

/*
 * Read values from C->p on into TO as long as their seams are known and they
 * are short ASCII strings or plain decimals.  1: *STEP comes next, at C->p
 * when it is a value; 0: the next bytes must be parsed.
 */
typedef int tp_steps_fn(struct tp_cursor *c, struct tp_seams *l,
    struct tp_values *to, struct tp_seam_step *step);

tp_skip_fn tp_skip_plain;
tp_steps_fn tp_steps_plain;
#if defined(__x86_64__)
tp_skip_fn tp_skip_sse2, tp_skip_avx2;
tp_steps_fn tp_steps_sse2, tp_steps_avx2;
#elif defined(__aarch64__)
tp_skip_fn tp_skip_neon;
tp_steps_fn tp_steps_neon;
#endif

struct tp_json_simd {
	tp_skip_fn *skip;
	tp_steps_fn *steps;
};

/* The functions in use. */
const struct tp_json_simd *tp_json_simd_used(void);

#endif
