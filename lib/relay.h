/*
 * relay - places that threads fill and another empties, in turn
 *
 * Internal to lib.  What is in a place is the caller's: it is written by one
 * thread between tp_relay_room() and tp_relay_filled(), and stays from
 * tp_relay_take() to the next one.  Turns are taken in order, whichever thread
 * filled them.
 */
#ifndef TP_RELAY_H
#define TP_RELAY_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct has no thread. */
struct tp_relay {
	size_t places;
	unsigned looks;
	pthread_t *threads;
	size_t running;			/* threads to be joined */
	uint64_t taken;			/* so far, the one in hand too */

	/* between the sides, under LOCK */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t claimed, free;		/* turns in all; free: to be filled
					 * before one is given back */
	char *filled;			/* of each place, whether it is */
	int stop;
};

/*
 * Let THREADS (1 and more) RUN with ARG, which fill PLACES; the first IN_HAND
 * of them are filled and taken.  Who waits looks LOOKS times whether it still
 * must before it sleeps: who sleeps wakes late, and often on the processor of
 * who woke it, with the other one idle; looking takes processor time.  0, or
 * -1: there is no thread or memory to be had; some may be fewer than asked.
 */
int tp_relay_start(struct tp_relay *relay, size_t threads, size_t places,
    size_t in_hand, unsigned looks, void *(*run)(void *), void *arg);
/* For the threads: wait for a place to fill, *TURN % places; 0 when none is
 * wanted any more.  Then: it is filled. */
int tp_relay_room(struct tp_relay *relay, uint64_t *turn);
void tp_relay_filled(struct tp_relay *relay, uint64_t turn);
/* Give back the place that was taken before, and wait for the next one; not
 * behind the last that the threads fill. */
size_t tp_relay_take(struct tp_relay *relay);
/* Want no more, and wait for the threads to end; nothing when there is none. */
void tp_relay_stop(struct tp_relay *relay);

#endif
