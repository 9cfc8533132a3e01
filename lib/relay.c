/* relay - places that a thread fills and another empties, in turn */
#include <sched.h>
#include <string.h>

#include "relay.h"

int
tp_relay_start(struct tp_relay *r, size_t places, size_t in_hand,
    unsigned looks, void *(*run)(void *), void *arg)
{
	memset(r, 0, sizeof *r);
	r->places = r->free = places;
	r->taken = r->filled = in_hand;
	r->looks = looks;
	if (pthread_mutex_init(&r->lock, NULL))
		return -1;
	if (pthread_cond_init(&r->changed, NULL))
		goto no_cond;
	r->running = 1;
	if (!pthread_create(&r->thread, NULL, run, arg))
		return 0;
	r->running = 0;
	pthread_cond_destroy(&r->changed);
no_cond:
	pthread_mutex_destroy(&r->lock);
	return -1;
}

/* Wait for the other side, under LOCK; *LOOKS so far. */
static void
wait_other(struct tp_relay *r, unsigned *looks)
{
	if (++*looks > r->looks) {
		pthread_cond_wait(&r->changed, &r->lock);
		return;
	}
	pthread_mutex_unlock(&r->lock);
	sched_yield();
	pthread_mutex_lock(&r->lock);
}

int
tp_relay_room(struct tp_relay *r, size_t *place)
{
	unsigned looks = 0;
	int go;

	pthread_mutex_lock(&r->lock);
	while (r->filled == r->free && !r->stop)
		wait_other(r, &looks);
	go = !r->stop;
	*place = (size_t)(r->filled % r->places);
	pthread_mutex_unlock(&r->lock);
	return go;
}

void
tp_relay_filled(struct tp_relay *r)
{
	pthread_mutex_lock(&r->lock);
	r->filled++;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

size_t
tp_relay_take(struct tp_relay *r)
{
	unsigned looks = 0;

	pthread_mutex_lock(&r->lock);
	r->free = r->taken + r->places;
	pthread_cond_signal(&r->changed);
	while (r->filled == r->taken)
		wait_other(r, &looks);
	pthread_mutex_unlock(&r->lock);
	return (size_t)(r->taken++ % r->places);
}

void
tp_relay_stop(struct tp_relay *r)
{
	if (!r->running)
		return;
	pthread_mutex_lock(&r->lock);
	r->stop = 1;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	r->running = 0;
}
