/* waits - what the two halves of the budget share; not installed */
#ifndef TP_METAL_WAITS_H
#define TP_METAL_WAITS_H

#include <tp/metal/budget.h>

/* A sum of the GPU's side: its key in budget.gpu, and where it belongs. */
#define TP_WAITS_PIECES 9
#define TP_WAITS_SURE 5		/* so many are what they are; of the others */
#define TP_WAITS_START_1 6	/* these two passed from a late commit to the */
#define TP_WAITS_START_2 8	/* start of its work */
extern const struct tp_waits_piece {
	const char *key;
	enum tp_budget_part part;
	const char *cause;
	int floor_percent;	/* what stays in any case; -1: not known */
} tp_waits_pieces[TP_WAITS_PIECES];

void tp_waits_piece(struct tp_budget *b, int piece, int64_t time_ns);
/* Time of the window that has no piece lies before or after the work. */
void tp_waits_rest(struct tp_budget *b);

#endif
