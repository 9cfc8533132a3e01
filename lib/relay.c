/* relay - a ring of slots that worker threads fill and one consumer empties */
#include <sched.h>
#include <string.h>

#include <tp/alloc.h>

#include "relay.h"

static void
release_relay(struct tp_relay *r)
{
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	tp_free(r->threads);
	tp_free(r->filled);
}

int
tp_relay_start(struct tp_relay *r, size_t threads, size_t places,
    size_t in_hand, unsigned looks, void *(*run)(void *), void *arg)
{
	memset(r, 0, sizeof *r);
	r->places = r->free = places;
	r->taken = r->claimed = in_hand;
	r->looks = looks;
	if (pthread_mutex_init(&r->lock, NULL))
		return -1;
	if (pthread_cond_init(&r->changed, NULL)) {
		pthread_mutex_destroy(&r->lock);
		return -1;
	}
	r->threads = tp_alloc(threads * sizeof *r->threads);
	r->filled = tp_zalloc(places);
	while (r->running < threads && !pthread_create(&r->threads[r->running],
	    NULL, run, arg))
		r->running++;
	if (r->running)
		return 0;
	release_relay(r);
	return -1;
}

/* Wait for the other side, holding LOCK; *LOOKS counts the polls so far. */
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
tp_relay_room(struct tp_relay *r, uint64_t *turn)
{
	unsigned looks = 0;
	int go;

	pthread_mutex_lock(&r->lock);
	while (r->claimed == r->free && !r->stop)
		wait_other(r, &looks);
	go = !r->stop;
	*turn = r->claimed;
	r->claimed += (uint64_t)go;
	pthread_mutex_unlock(&r->lock);
	return go;
}

void
tp_relay_filled(struct tp_relay *r, uint64_t turn)
{
	pthread_mutex_lock(&r->lock);
	r->filled[turn % r->places] = 1;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

size_t
tp_relay_take(struct tp_relay *r)
{
	size_t at = (size_t)(r->taken % r->places);
	unsigned looks = 0;

	pthread_mutex_lock(&r->lock);
	r->free = r->taken + r->places;
	pthread_cond_broadcast(&r->changed);
	while (!r->filled[at])
		wait_other(r, &looks);
	r->filled[at] = 0;
	pthread_mutex_unlock(&r->lock);
	r->taken++;
	return at;
}

void
tp_relay_stop(struct tp_relay *r)
{
	if (!r->running)
		return;
	pthread_mutex_lock(&r->lock);
	r->stop = 1;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	while (r->running)
		pthread_join(r->threads[--r->running], NULL);
	release_relay(r);
}
