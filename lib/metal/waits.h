/* waits - shared by the two halves of the budget; not installed */
#ifndef TP_METAL_WAITS_H
#define TP_METAL_WAITS_H

#include <tp/metal/budget.h>

/* Times measured from GPU rows: their key in budget.gpu, part and cause. */
#define TP_WAITS_PIECES 10
#define TP_WAITS_SURE 5		/* the first five are final; of the others */
#define TP_WAITS_START_1 6	/* these two passed between a late commit */
#define TP_WAITS_START_2 8	/* and the start of its work */
extern const struct tp_waits_piece {
	const char *key;
	enum tp_budget_part part;
	const char *cause;
	int floor_percent;	/* share that cannot be avoided; -1: unknown */
} tp_waits_pieces[TP_WAITS_PIECES];

void tp_waits_piece(struct tp_budget *b, int piece, int64_t time_ns);
/* Assign the rest of the window to the time before and after the work. */
void tp_waits_rest(struct tp_budget *b);

#endif
