/*
 * choice - the names there are, for whoever gave one that is not among them
 *
 * Lists them and guesses which one was meant: that which takes the fewest
 * letters added, left out, changed or swapped (Damerau's distance, each
 * letter touched once), in all of it or in a part.  Case does not count.
 * Memory: the names that are listed.
 */
#ifndef TP_CHOICE_H
#define TP_CHOICE_H

#include <tp/buf.h>

struct tp_choice {
	const char *word;
	struct tp_buf text;
	size_t count, listed;
	char near[64];		/* the nearest so far; "": none is near */
	unsigned cost;		/* of it */
	char hint[96];
};

/* Begin: WORD, borrowed, is none of those that follow. */
void tp_choice_init(struct tp_choice *choice, const char *word);
/* A name there is. */
void tp_choice_add(struct tp_choice *choice, const char *name);
/* "; did you mean 'b'?", borrowed, or "" when none is near. */
const char *tp_choice_hint(struct tp_choice *choice);
/* "a, b and 3 more; did you mean 'b'?", borrowed; "nothing" without any.
 * Call it once. */
const char *tp_choice_text(struct tp_choice *choice);
void tp_choice_release(struct tp_choice *choice);

#endif
