/*
 * budget - where the wall-clock time of a run went, as parts that sum to it
 *
 * A window is the steady steps of a run, or all of it from its first work to
 * its last.  Every nanosecond of it belongs to one part, and within the part
 * to one cause.  A part that need not last longer than its floor can give a
 * factor of wall / (wall - (time - floor)) at most; no floor known, no factor.
 * Factors of several parts do not multiply.
 */
#ifndef TP_BUDGET_H
#define TP_BUDGET_H

#include <tp/records.h>

/* Parts, as records name them; the order breaks ties. */
enum tp_budget_part {
	TP_PART_DEVICE,		/* the device worked for the target; what
				 * limited it is not known */
	TP_PART_MATH,		/* ... at its arithmetic, */
	TP_PART_MEMORY,		/* ... at its memory, */
	TP_PART_LATENCY,	/* ... at work too small for it */
	TP_PART_COMMUNICATION,
	TP_PART_COPIES,
	TP_PART_CONTENTION,	/* another process had the device */
	TP_PART_BUILDING,	/* the host built and launched work */
	TP_PART_SYNCHRONISING,	/* ... which it might have done before */
	TP_PART_LATE,		/* one of these two: which is not known */
	TP_PART_HOST,		/* the host computed what the device could */
	TP_PART_LOADING,	/* the host loaded data */
	TP_PART_LAUNCH,		/* launched, not started */
	TP_PART_OPERATORS,	/* ExecuTorch: operators in delegates, but for
				 * these two: */
	TP_PART_MOVEMENT,	/* ... which change layouts and types, */
	TP_PART_PACKING,	/* ... which pack what others take */
	TP_PART_PORTABLE,	/* operators outside of delegates */
	TP_PART_GAP,		/* calls of delegates beside their operators */
	TP_PART_FRAMEWORK,	/* the method and its calls by themselves */
	TP_PART_UNRECORDED,	/* nothing says what the host did */
	TP_PART_COUNT
};

#define TP_BUDGET_ROWS 12
/* Floors that are none: nothing is known, or the time need not be. */
#define TP_FLOOR_UNKNOWN (-1)

struct tp_budget_row {
	enum tp_budget_part part;
	const char *cause;		/* lasts; NULL: none */
	int64_t time_ns;
	int64_t floor_ns;		/* or TP_FLOOR_UNKNOWN */
};

/* A zeroed struct is empty. */
struct tp_budget {
	const char *scope;		/* "steps", "span", "segment" or
					 * "run", a literal */
	int64_t segment;		/* its number; 0: none */
	int is_main;			/* the window that is judged */
	const char *device_name;	/* of several, or NULL */
	int64_t host_index;		/* of several, from 1; 0: one */
	const char *host;		/* its name, or NULL */
	int64_t rank, has_rank;		/* of the process in its job */
	int64_t cut_ns;			/* before and after the window: the
					 * recording is cut there */
	int64_t start_ns, end_ns;
	struct tp_budget_row rows[32];
	size_t count;
};

/* Add TIME_NS to the row of PART and CAUSE, made when new.  TIME_NS 0 or less
 * adds nothing.  A floor is known when it is of all that is added. */
void tp_budget_add(struct tp_budget *b, enum tp_budget_part part,
    const char *cause, int64_t time_ns, int64_t floor_ns);
/* What the rows miss of the window (negative: what they are too much). */
int64_t tp_budget_rest(const struct tp_budget *b);
/* Write budget.window, then budget.part for each part and budget for each
 * cause, the longest first: at most TP_BUDGET_ROWS; what is left, and what
 * is below 0.5 %, as one. */
void tp_budget_emit(struct tp_budget *b, struct tp_out *out);

/* The name of PART in records, and the part called NAME; -1: none. */
const char *tp_budget_part_name(enum tp_budget_part part);
int tp_budget_part_named(const char *name);

#endif
