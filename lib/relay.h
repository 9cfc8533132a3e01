/*
 * relay - places that a thread fills and another empties, in turn
 *
 * Internal to lib.  What is in a place is the caller's: it is written by the
 * thread between tp_relay_room() and tp_relay_filled(), and stays from
 * tp_relay_take() to the next one.
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
	pthread_t thread;
	int running;			/* to be joined */
	uint64_t taken;			/* so far, the one in hand too */

	/* between the two, under LOCK */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t filled, free;		/* how many in all; free: to be filled
					 * before one is given back */
	int stop;
};

/*
 * Let a thread RUN with ARG, which fills PLACES; the first IN_HAND of them
 * are filled and taken.  Who waits looks LOOKS times whether it still must
 * before it sleeps: who sleeps wakes late, and often on the processor of who
 * woke it, with the other one idle; looking takes processor time.  0, or -1:
 * there is no thread to be had.
 */
int tp_relay_start(struct tp_relay *relay, size_t places, size_t in_hand,
    unsigned looks, void *(*run)(void *), void *arg);
/* For the thread: wait for a place to fill, *PLACE; 0 when none is wanted any
 * more.  Then: it is filled. */
int tp_relay_room(struct tp_relay *relay, size_t *place);
void tp_relay_filled(struct tp_relay *relay);
/* Give back the place that was taken before, and wait for the next one; not
 * behind the last that the thread fills. */
size_t tp_relay_take(struct tp_relay *relay);
/* Want no more, and wait for the thread to end; nothing when there is none. */
void tp_relay_stop(struct tp_relay *relay);

#endif
