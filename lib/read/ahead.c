/*
 * ahead - a thread that reads rows while others are looked at
 *
 * Queues go round: one is with the filter, one is being filled, the rest is
 * in between.  For each at most one block is read, and as many blocks stay.
 */
#include <tp/alloc.h>

#include "ahead.h"
#include "relay.h"

#define QUEUES 16
/* Before a side sleeps: some 100 us. */
#define LOOKS 400
/* Of a queue: no more than 512 KiB of them and what one call adds. */
#define VALUES ((size_t)16 * 1024)

struct tp_ahead {
	struct tp_rows *rows;
	struct tp_relay relay;
	struct tp_queue queues[QUEUES];
	int more[QUEUES];		/* as rows->more() said of it */
	struct tp_err err;		/* of the last, if that is -1 */
};

/* The rows of one block, or of a part of it, to Q; as rows->more(). */
static int
fill(struct tp_rows *rows, struct tp_queue *q, struct tp_err *err)
{
	int rc;

	rows->fill = q;
	tp_queue_clear(q);
	do
		rc = rows->more(rows, err);
	while (rc > 0 && !rows->spent && q->value_count < VALUES);
	return rc;
}

static void *
run_ahead(void *arg)
{
	struct tp_ahead *a = arg;
	size_t at;
	int rc = 1;

	while (rc > 0 && tp_relay_room(&a->relay, &at)) {
		rc = a->more[at] = fill(a->rows, &a->queues[at], &a->err);
		tp_relay_filled(&a->relay);
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
	if (tp_in_keep(rows->in, QUEUES) < 0 || tp_relay_start(&a->relay,
	    QUEUES, 0, LOOKS, run_ahead, a) < 0) {
		tp_free(a);
		return NULL;
	}
	return a;
}

int
tp_ahead_next(struct tp_ahead *a, struct tp_err *err)
{
	size_t at = tp_relay_take(&a->relay);

	a->rows->out = &a->queues[at];
	if (a->more[at] > 0)
		return 1;
	tp_relay_stop(&a->relay);
	a->rows->fill = a->rows->out;
	*err = a->err;
	return a->more[at];
}

void
tp_ahead_free(struct tp_ahead *a)
{
	if (!a)
		return;
	tp_relay_stop(&a->relay);
	for (size_t i = 0; i < QUEUES; i++)
		tp_queue_release(&a->queues[i]);
	tp_free(a);
}
