/*
 * relay - a ring of slots that worker threads fill and one consumer empties
 *
 * Internal to lib.  The caller owns the content of slots: a worker writes a
 * slot between tp_relay_room() and tp_relay_filled(), and the consumer may
 * read it from tp_relay_take() until the next call.  Slots are consumed in
 * order, whichever thread filled them.
 */
#ifndef TP_RELAY_H
#define TP_RELAY_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct has no threads. */
struct tp_relay {
	size_t places;
	unsigned looks;
	pthread_t *threads;
	size_t running;			/* threads to join */
	uint64_t taken;			/* number taken, including the current
					 * one */

	/* Shared, under LOCK: */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t claimed, free;		/* turns in total; free: may be filled
					 * before another is given back */
	char *filled;			/* per slot, whether it is filled */
	int stop;
};

/*
 * Start THREADS (at least 1), which execute RUN(ARG) and fill PLACES slots;
 * the first IN_HAND slots count as filled and taken.  A waiter polls LOOKS
 * times before it sleeps: a sleeper wakes up late, and often on the CPU of
 * whoever woke it while another is idle; polling costs CPU time.  0, or -1
 * when no thread could be started; fewer threads than asked is success.
 */
int tp_relay_start(struct tp_relay *relay, size_t threads, size_t places,
    size_t in_hand, unsigned looks, void *(*run)(void *), void *arg);
/*
 * For workers: wait for a slot to fill, *TURN % places; 0 when no more are
 * wanted.  tp_relay_filled() says that it is filled.
 */
int tp_relay_room(struct tp_relay *relay, uint64_t *turn);
void tp_relay_filled(struct tp_relay *relay, uint64_t turn);
/*
 * Give back the slot taken before and wait for the next.  Must not be called
 * after the last slot that the workers fill.
 */
size_t tp_relay_take(struct tp_relay *relay);
/* Stop and join the workers; nothing when there are none. */
void tp_relay_stop(struct tp_relay *relay);

#endif
