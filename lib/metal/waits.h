/* waits - shared by the two halves of the budget; not installed */
#ifndef TP_METAL_WAITS_H
#define TP_METAL_WAITS_H

#include <tp/metal/budget.h>

/* Times measured from GPU rows: their key in budget.gpu, part and cause. */
#define TP_WAITS_PIECES 11
#define TP_WAITS_SURE 5		/* the first five are final; of the others */
#define TP_WAITS_START_1 6	/* these two passed between a late commit */
#define TP_WAITS_START_2 8	/* and the start of its work */
extern const struct tp_waits_piece {
	const char *key;
	enum tp_budget_part part;
	const char *cause;
	int floor_percent;	/* share that cannot be avoided; -1: unknown */
} tp_waits_pieces[TP_WAITS_PIECES];

/*
 * A late gap: from the end of work to the next commit.  The CPU was told of
 * the end, and awake, at DONE, and opened an encoder at ENCODE; what it encoded
 * until TURNS it could have encoded while it slept before.
 */
struct tp_waits_gap {
	int64_t from_ns, done_ns, encode_ns, turns_ns, to_ns;
};

/* The longest late gap of a window.  A zeroed struct is empty. */
struct tp_waits_longest {
	struct tp_waits_gap gap;
	int64_t next_ns;	/* the longest of the others */
	int64_t count;		/* of late gaps */
	size_t at;		/* number of late gaps before it */
	int64_t rows;		/* GPU rows of the window */
};

/* Take the next late gap. */
void tp_waits_take(struct tp_waits_longest *l, const struct tp_waits_gap *gap);
/*
 * Whether the longest gap stands alone in WALL_NS: a pause that came once,
 * not what every step has.
 */
int tp_waits_alone(const struct tp_waits_longest *l, int64_t wall_ns);
/* Tell B of this pause, whose time is in the rows of TP_PART_PAUSE. */
void tp_waits_pause(struct tp_budget *b, const struct tp_waits_longest *l);

void tp_waits_piece(struct tp_budget *b, int piece, int64_t time_ns);
/* Add all pieces, without samples; the longest gap apart if it stands alone. */
void tp_waits_pieces_add(struct tp_budget *b, const int64_t *piece_ns,
    const struct tp_waits_longest *longest);
/* Assign the rest of the window to the time before and after the work. */
void tp_waits_rest(struct tp_budget *b);

#endif
