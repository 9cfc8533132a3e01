/*
 * op_samples - variation of operations of a JAX trace from step to step
 *
 * A sample is the exclusive time in one steady step, summed over devices.
 * An operation belongs to the last step that its device began before it,
 * unless that step has ended; devices without steps of their own use those
 * of their host.  A step with a time on the host alone lasts until the next
 * begins, because devices lag behind; so the last one is no sample.  A step
 * that a device with steps lacks, or has twice, is no sample either.  An
 * operation that does not run in a step has 0 there.
 *
 * Slices come in file order, lane by lane.  They are walked step by step,
 * each lane from where its step begins, so that per row only the current
 * step is kept: 72 bytes a row, 32 per step and device.
 */
#ifndef TP_JAX_OP_SAMPLES_H
#define TP_JAX_OP_SAMPLES_H

#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>

#include "hlo_ops.h"
#include "regions.h"
#include "spread.h"
#include "steps.h"

/* The time of one thing in each step. */
struct tp_jax_sampled {
	struct tp_spread spread;	/* in ps, without steps where it is
					 * absent */
	int64_t now_ps;			/* in the current step */
	int is_now;			/* it occurs in the current step */
};

struct tp_jax_samples {
	uint64_t count;			/* samples */
	struct tp_jax_sampled *series;	/* of operations, as ops->list; of
					 * groups; of regions */
	size_t op_count, region_count;
	struct tp_ids groups;		/* (kind of group, index in texts) */
	struct tp_names texts;		/* of families and collectives */
};

/* Take the samples from nested TRACKS with roles set. */
void tp_jax_samples_make(struct tp_jax_samples *samples,
    const struct tp_jax_steps *steps, const struct tp_jax_ops *ops,
    const struct tp_tracks *tracks, struct tp_jax *jax, int as_peer);

/*
 * Write the spread (spread.h) of operation AT of ops->list, of all
 * operations of one canonical name, of a family, a collective, a region.
 */
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
