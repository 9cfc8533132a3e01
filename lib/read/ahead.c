/*
 * ahead - a thread that reads rows while others are looked at
 *
 * Queues go round: one is with the filter, one is being filled, the rest is
 * in between.  For each at most one block is read, and as many blocks stay.
 */
#include <pthread.h>
#include <sched.h>

#include <tp/alloc.h>

#include "ahead.h"

#define QUEUES 16
/* Of a queue: no more than 512 KiB of them and what one call adds. */
#define VALUES ((size_t)16 * 1024)
/* Looks at the other side before sleeping: some 100 us. */
#define LOOKS 400

struct tp_ahead {
	struct tp_rows *rows;
	struct tp_queue queues[QUEUES];
	pthread_t thread;
	int running;			/* to be joined */
	uint64_t taken;			/* by the filter, the one it has too */

	/* between the two, under LOCK */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t filled, free;		/* how many in all; free: to be filled
					 * before one is given back */
	int stop;
	int last;			/* 0 or -1 with ERR: of the last one */
	struct tp_err err;
};

/*
 * Wait for the other side, under LOCK.  Who sleeps wakes late, and often on
 * the processor of who woke it, with the other one idle: so not at once.
 */
static void
wait_other(struct tp_ahead *a, unsigned *looks)
{
	if (++*looks > LOOKS) {
		pthread_cond_wait(&a->changed, &a->lock);
		return;
	}
	pthread_mutex_unlock(&a->lock);
	sched_yield();
	pthread_mutex_lock(&a->lock);
}

/* Wait for a queue to fill; 0 when none is wanted any more. */
static int
wait_room(struct tp_ahead *a)
{
	unsigned looks = 0;
	int go;

	pthread_mutex_lock(&a->lock);
	while (a->filled == a->free && !a->stop)
		wait_other(a, &looks);
	go = !a->stop;
	pthread_mutex_unlock(&a->lock);
	return go;
}

/* The rows of one block, or of a part of it; as rows->more(). */
static int
fill(struct tp_ahead *a, struct tp_err *err)
{
	struct tp_rows *rows = a->rows;
	int rc;

	rows->fill = &a->queues[a->filled % QUEUES];
	tp_queue_clear(rows->fill);
	do
		rc = rows->more(rows, err);
	while (rc > 0 && !rows->spent && rows->fill->value_count < VALUES);
	return rc;
}

static void *
run_ahead(void *arg)
{
	struct tp_ahead *a = arg;
	struct tp_err err = { 0 };
	int rc = 1;

	while (rc > 0 && wait_room(a)) {
		rc = fill(a, &err);
		pthread_mutex_lock(&a->lock);
		a->filled++;
		if (rc <= 0) {
			a->stop = 1;
			a->last = rc;
			a->err = err;
		}
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

struct tp_ahead *
tp_ahead_new(struct tp_rows *rows)
{
	struct tp_ahead *a = tp_zalloc(sizeof *a);

	if (!a)
		return NULL;
	a->rows = rows;
	a->free = QUEUES;
	if (tp_in_keep(rows->in, QUEUES) < 0)
		goto no_lock;
	if (pthread_mutex_init(&a->lock, NULL))
		goto no_lock;
	if (pthread_cond_init(&a->changed, NULL))
		goto no_cond;
	if (pthread_create(&a->thread, NULL, run_ahead, a))
		goto no_thread;
	a->running = 1;
	return a;
no_thread:
	pthread_cond_destroy(&a->changed);
no_cond:
	pthread_mutex_destroy(&a->lock);
no_lock:
	tp_free(a);
	return NULL;
}

int
tp_ahead_next(struct tp_ahead *a, struct tp_err *err)
{
	unsigned looks = 0;
	int rc = 1;

	pthread_mutex_lock(&a->lock);
	a->free = a->taken + QUEUES;
	pthread_cond_signal(&a->changed);
	while (a->filled == a->taken)
		wait_other(a, &looks);
	a->rows->out = &a->queues[a->taken++ % QUEUES];
	if (a->stop && a->filled == a->taken)
		rc = a->last;
	pthread_mutex_unlock(&a->lock);
	if (rc > 0)
		return rc;
	pthread_join(a->thread, NULL);
	a->running = 0;
	a->rows->fill = a->rows->out;
	*err = a->err;
	return rc;
}

void
tp_ahead_free(struct tp_ahead *a)
{
	if (!a)
		return;
	if (a->running) {
		pthread_mutex_lock(&a->lock);
		a->stop = 1;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->thread, NULL);
	}
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	for (size_t i = 0; i < QUEUES; i++)
		tp_queue_release(&a->queues[i]);
	tp_free(a);
}
