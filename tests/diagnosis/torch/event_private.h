/* event_private - what the forms of traces share */
#ifndef EVENT_PRIVATE_H
#define EVENT_PRIVATE_H

#include "event.h"

enum { PID = 41207, AUTOGRAD_TID = 41388 };

/* One of the words that an operator is called with (sim.h). */
struct input {
	char type;
	int rank, turned;
	int64_t dims[5];
	const char *text;
	int len;
};

/* The stream of each kind. */
extern const int event_lanes[];

/* The thread that SIM is in. */
int event_tid(const struct sim *sim);
/* The next of WORDS into IN; where to go on, or NULL at the end. */
const char *event_input(const char *words, struct input *in);
/* What PyTorch calls a TYPE of them. */
const char *event_input_type(char type);

#endif
