/*
 * hosts - the hosts of one run beside each other
 *
 * Their clocks have no common zero, unless the time of day is known: else only
 * the numbers of steps bring them together.  Where steps wait for each other
 * in collectives all hosts take equally long, so what counts is the time that
 * a host had work of its own: without the communication that nothing hides on
 * the device that has least of it.  Within the step, or from its start to that
 * of the next, whichever shows more.
 * Memory: 32 bytes for a step on a host, 16 for a stretch of communication of
 * one device.
 */
#ifndef TP_JAX_HOSTS_H
#define TP_JAX_HOSTS_H

#include "steps.h"
#include "time.h"

enum tp_jax_host_basis { TP_JAX_IN_STEP, TP_JAX_TO_NEXT, TP_JAX_HOST_BASES };

/* A step on a host; parallel to steps->parts.  -1: not known. */
struct tp_jax_host_part {
	int64_t least_ps[TP_JAX_HOST_BASES];	/* communication that nothing
						 * hides */
	int64_t own_ps[TP_JAX_HOST_BASES];
};

struct tp_jax_host {
	size_t step_count;	/* steady ones that were compared */
	size_t slowest_count;	/* of these it had most work of its own */
	int64_t lag_ps;		/* over the median of the others, summed */
	int64_t whole_ps;	/* the steps themselves, summed */
	struct tp_jax_spread wall, apart, own;
};

struct tp_jax_hosts {
	struct tp_jax_host_part *parts;
	struct tp_jax_host *list;
	size_t count;
	size_t step_count;	/* steady steps that were compared */
	enum tp_jax_host_basis basis;
	size_t slowest;		/* the host that lags most */
	struct tp_jax_spread skew, own_skew;	/* slowest less fastest */
	int is_aligned;		/* starts can be compared: */
	struct tp_jax_spread start_skew;
};

/* Of more than one host; of one there is nothing.  0 or -1 with ERR; release
 * it in either case. */
int tp_jax_hosts_make(struct tp_jax_hosts *hosts,
    const struct tp_jax_time *time, const struct tp_jax_steps *steps,
    int is_aligned, struct tp_err *err);
void tp_jax_hosts_release(struct tp_jax_hosts *hosts);

/* Between the first start of STEP on a host and the last. */
int64_t tp_jax_hosts_start_skew(const struct tp_jax_steps *steps,
    const struct tp_jax_step *step);
/* Whether STEP was compared, and the difference between the longest and the
 * shortest on its hosts into *WALL, *APART (-1: not known) and *OWN, the part
 * that is longest by that into *SLOWEST. */
int tp_jax_hosts_skew(const struct tp_jax_hosts *hosts,
    const struct tp_jax_steps *steps, const struct tp_jax_step *step,
    int64_t *wall, int64_t *apart, int64_t *own, size_t *slowest);

#endif
