/*
 * samples - how much operations of a JAX trace vary from step to step
 *
 * A sample is the exclusive time of one steady step, all devices added.  An
 * operation is in the step that its device began last when it starts, unless
 * that has ended; devices without steps of their own have those of their host.
 * Steps that the host marks last until it begins the next, because devices
 * work behind it, and the last is no sample.  Neither is a step that is not
 * there, or twice, on a device that has steps.  Where an operation does not
 * run in a step, its time there is 0.
 *
 * Slices come in the order of the file, lane by lane.  They are walked step by
 * step, those of a lane from where its step begins, so that nothing but the
 * step at hand is kept of a row: 72 bytes a row, 32 a step and device.
 */
#ifndef TP_JAX_SAMPLES_H
#define TP_JAX_SAMPLES_H

#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>

#include "ops.h"
#include "regions.h"
#include "spread.h"
#include "steps.h"

/* What one thing took in each of the steps. */
struct tp_jax_sampled {
	struct tp_spread spread;	/* without steps it is not in, in ps */
	int64_t now_ps;			/* in the step at hand */
	int is_now;			/* it is in it */
};

struct tp_jax_samples {
	uint64_t count;			/* samples */
	struct tp_jax_sampled *rows;	/* of operations, as ops->list; of
					 * groups, as that; of regions */
	size_t op_count, region_count;
	struct tp_ids groups;		/* what of, and its text */
	struct tp_names texts;		/* of families and collectives */
};

/* From nested TRACKS whose roles are set.  0 or -1 with ERR; _release also
 * after failure. */
int tp_jax_samples_make(struct tp_jax_samples *samples,
    const struct tp_jax_steps *steps, const struct tp_jax_ops *ops,
    const struct tp_tracks *tracks, struct tp_jax *jax, int as_peer,
    struct tp_err *err);
void tp_jax_samples_release(struct tp_jax_samples *samples);

/* Emit what the samples of operation AT of ops->list come to (spread.h), of
 * those of one canonical name, of a family, a collective, a region. */
void tp_jax_samples_emit(const struct tp_jax_samples *samples, size_t at,
    struct tp_out *out);
void tp_jax_samples_emit_canonical(const struct tp_jax_samples *samples,
    uint32_t canonical, enum tp_jax_part part, struct tp_out *out);
void tp_jax_samples_emit_family(const struct tp_jax_samples *samples,
    const char *family, struct tp_out *out);
void tp_jax_samples_emit_collective(const struct tp_jax_samples *samples,
    const char *collective, struct tp_out *out);
void tp_jax_samples_emit_region(const struct tp_jax_samples *samples,
    uint32_t region, struct tp_out *out);

#endif
