/*
 * events_parts - parse the events of a JSON trace by several threads
 * (parts.h); not installed
 *
 * The boundary is what stands between two events: '}', ',' and the begin of
 * an object with its first key.  Threads parse elements of the usual form;
 * the reader takes those where it would begin to read, and reads all others
 * itself, from the bytes of the part.  Memory: besides the parts, about as
 * much again for what was parsed, and 72 KiB a thread.
 */
#ifndef TP_READ_EVENTS_PARTS_H
#define TP_READ_EVENTS_PARTS_H

#include "events_private.h"
#include "parts.h"

/* A parsed element; its values are in raws, fields first, by number. */
struct tp_packed {
	const char *from;	/* where the reader would be: after the element
				 * before */
	const char *at, *end;	/* the element */
	uint64_t fields, args[2];
	size_t raw;		/* first value */
	char phase;
};

struct tp_events_part {
	struct tp_part part;
	struct tp_packed *packed;
	size_t count, cap;
	struct tp_raw *raws;
	size_t raw_count, raw_cap;
	size_t next;		/* first that the reader has not passed */
	uint64_t lines;		/* line feeds in it */
};

/*
 * Learn E's boundary from the element at e->at, up to END, which follows the
 * one that ends at the begin of the view.
 */
void tp_events_learn_boundary(struct tp_events *e, const char *end);
/* Start threads that read the rest of E; NULL as tp_parts_new(). */
struct tp_parts *tp_events_parts_new(struct tp_events *e);
/*
 * Whether PART holds the element after FROM.  If so it becomes E->element,
 * e->at is its begin and *END its end.
 */
int tp_events_packed(struct tp_events *e, struct tp_events_part *part,
    const char *from, const char **end);

#endif
