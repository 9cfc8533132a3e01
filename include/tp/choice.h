/*
 * choice - suggest a name for one that does not exist
 *
 * Lists the existing names and guesses which one was meant: the one at the
 * smallest edit distance (insert, delete, replace or swap letters; optimal
 * string alignment, Damerau-Levenshtein restricted) from all of it or from a
 * part of it.  At most a third of the letters may differ.  Case does not
 * count.  Memory: the names listed, at most about 600 bytes.
 */
#ifndef TP_CHOICE_H
#define TP_CHOICE_H

#include <tp/buf.h>

struct tp_choice {
	const char *word;
	struct tp_buf text;
	size_t count, listed;
	char near[64];		/* nearest name so far; "": none is near */
	unsigned cost;		/* edit distance of NEAR */
	char hint[96];
};

/* Begin.  WORD, borrowed, is the name that does not exist. */
void tp_choice_init(struct tp_choice *choice, const char *word);
/* Add an existing name. */
void tp_choice_add(struct tp_choice *choice, const char *name);
/* "; did you mean 'b'?", or "" when no name is near.  Borrowed. */
const char *tp_choice_hint(struct tp_choice *choice);
/*
 * "a, b and 3 more; did you mean 'b'?", or "nothing" when no name was added.
 * Borrowed.  Call it once.
 */
const char *tp_choice_text(struct tp_choice *choice);
void tp_choice_release(struct tp_choice *choice);

#endif
