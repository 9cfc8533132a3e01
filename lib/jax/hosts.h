/*
 * hosts - compare the hosts of one run
 *
 * Unless the time of day is known, host clocks have no common zero, and only
 * step numbers match steps of different hosts.  When steps wait for each
 * other in collectives, all hosts take equally long; so hosts are compared
 * by their own work: the step without exposed communication, measured on the
 * device that has least of it.  The period is the step itself or start to
 * start, whichever shows more difference.  Memory: 32 bytes per step and
 * host, 16 per communication span of one device.
 */
#ifndef TP_JAX_HOSTS_H
#define TP_JAX_HOSTS_H

#include "late.h"
#include "steps.h"
#include "activity.h"

enum tp_jax_host_basis { TP_JAX_IN_STEP, TP_JAX_TO_NEXT, TP_JAX_HOST_BASES };

/* A step on a host; parallel to steps->parts.  -1: unknown. */
struct tp_jax_host_part {
	int64_t least_ps[TP_JAX_HOST_BASES];	/* exposed communication */
	int64_t own_ps[TP_JAX_HOST_BASES];
};

struct tp_jax_host {
	size_t step_count;	/* steady steps that were compared */
	size_t slowest_count;	/* of these, where it had most own work */
	int64_t lag_ps;		/* above the median of the others, summed */
	int64_t whole_ps;	/* duration of these steps, summed */
	struct tp_step_times wall, apart, own;
};

struct tp_jax_hosts {
	struct tp_jax_host_part *parts;
	struct tp_jax_host *list;
	size_t count;
	size_t step_count;	/* steady steps that were compared */
	enum tp_jax_host_basis basis;
	size_t slowest;		/* the host with most lag, and when: */
	struct tp_jax_late late;
	struct tp_step_times skew, own_skew;	/* slowest minus fastest host */
	int is_aligned;		/* start times are comparable: */
	struct tp_step_times start_skew;
};

/* Compare the hosts, when there are several; else HOSTS stays empty. */
void tp_jax_hosts_make(struct tp_jax_hosts *hosts,
    const struct tp_jax_time *time, const struct tp_jax_steps *steps,
    int is_aligned);

/* Time between the first and last start of STEP on any host. */
int64_t tp_jax_hosts_start_skew(const struct tp_jax_steps *steps,
    const struct tp_jax_step *step);
/*
 * Whether STEP was compared.  *WALL, *APART (-1: unknown) and *OWN get the
 * difference between its longest and shortest host, *SLOWEST the part with
 * most own work.
 */
int tp_jax_hosts_skew(const struct tp_jax_hosts *hosts,
    const struct tp_jax_steps *steps, const struct tp_jax_step *step,
    int64_t *wall, int64_t *apart, int64_t *own, size_t *slowest);

#endif
