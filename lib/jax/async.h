/*
 * async - transfers in flight in a JAX trace
 *
 * A copy or collective may be two operations: one starts it, another waits
 * for its end.  In between it is in flight, and computation may hide it.
 * The second names the first as its operand; without operands, the number
 * after the name pairs them.
 *
 * A copy that the second operation waited for was in flight until then.  One
 * that it found complete may have ended long before.  Where it matters whether
 * copies from and to host memory ran at once, such a one counts for at most
 * twice the time of its bytes at the rate of those of its direction that were
 * waited for, or where none was, of the other direction: beside the other a
 * copy may be that slow.
 *
 * Memory: 80 bytes per distinct name of a device, and 24 per copy found
 * complete.
 */
#ifndef TP_JAX_ASYNC_H
#define TP_JAX_ASYNC_H

#include "ival.h"
#include "names.h"

enum tp_jax_half { TP_JAX_WHOLE, TP_JAX_START, TP_JAX_DONE };

/* Whether an operation of this name starts or ends a transfer. */
enum tp_jax_half tp_jax_half_of(const struct tp_jax *jax, const char *name);

/* Transfers of one class and kind, on all devices. */
struct tp_jax_flight {
	enum tp_jax_use class;
	const char *kind;		/* of collective, else NULL */
	uint64_t count;
	int64_t flight_ps, hidden_ps;	/* unions per device, summed */
	int64_t bytes;			/* total; 0: some are unknown */
	int is_unsized;
	uint64_t pageable_count;	/* from or to memory of the host that
					 * may be paged */
};

struct tp_jax_flights {
	struct tp_jax_flight *list;
	size_t count, cap;
};

/* Pair starts and ends on one device; add to FLIGHTS. */
struct tp_jax_pairing *tp_jax_pairing_new(struct tp_jax_flights *flights);
/*
 * Add the transfers on LANE of the device to IN_FLIGHT, by class; call for each
 * lane, with events in order.  HAS_LANE: the device has a lane of transfers in
 * flight, which is used instead of pairs.
 */
void tp_jax_pairing_add(struct tp_jax_pairing *pairing,
    struct tp_ival *in_flight, const struct tp_tracks *tracks,
    struct tp_jax *jax, const struct tp_track *lane, int has_lane);
/*
 * Call after the last lane: finishes IN_FLIGHT.  WORK is when the device
 * computed.  BOTH_DIRECTIONS, empty, gets when copies from and to host memory
 * ran at once, and is finished.
 */
void tp_jax_pairing_end(struct tp_jax_pairing *pairing,
    struct tp_ival *in_flight, const struct tp_ival *work,
    struct tp_ival *both_directions);
void tp_jax_pairing_free(struct tp_jax_pairing *pairing);
/*
 * Sort by time in flight, largest first; ties by class, then name.  Call
 * when no pairing is left.
 */
void tp_jax_flights_sort(struct tp_jax_flights *flights);

#endif
