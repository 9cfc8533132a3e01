/*
 * budget - where the wall-clock time of a run went, as parts that sum to it
 *
 * A window is either the steady steps of a run or the whole run, from its
 * first work to its last.  Every nanosecond of the window belongs to exactly
 * one part, and within that part to one cause.  A part may have a floor: the
 * time it cannot go below.  Reducing the part to its floor speeds the run up
 * by wall / (wall - (time - floor)) at most; without a known floor no factor
 * is given.  Factors of several parts do not multiply.
 */
#ifndef TP_BUDGET_H
#define TP_BUDGET_H

#include <tp/records.h>

/*
 * Parts in the order that breaks ties; their names in records are those of
 * tp_budget_part_name().
 */
enum tp_budget_part {
	TP_PART_DEVICE,		/* the device worked; what limited it is
				 * unknown */
	TP_PART_MATH,		/* device work limited by arithmetic */
	TP_PART_MEMORY,		/* ... by memory bandwidth */
	TP_PART_LATENCY,	/* ... by kernels too small for the device */
	TP_PART_COMMUNICATION,
	TP_PART_COPIES,
	TP_PART_CONTENTION,	/* another process used the device */
	TP_PART_BUILDING,	/* the host built and launched work */
	TP_PART_SYNCHRONISING,	/* host work that could have overlapped device
				 * work */
	TP_PART_LATE,		/* building or synchronising: unknown which */
	TP_PART_HOST,		/* the host computed what the device could
				 * compute */
	TP_PART_LOADING,	/* the host loaded data */
	TP_PART_WAITING,	/* the host waited, not for the device */
	TP_PART_PAUSE,		/* one gap that stands alone, whatever the host
				 * did in it */
	TP_PART_LAUNCH,		/* launched, not started */
	TP_PART_OPERATORS,	/* ExecuTorch: operators in delegates, except
				 * the next two */
	TP_PART_MOVEMENT,	/* operators that change layout or type */
	TP_PART_PACKING,	/* operators that pack inputs of others */
	TP_PART_PORTABLE,	/* operators outside delegates */
	TP_PART_GAP,		/* delegate calls minus their operators */
	TP_PART_FRAMEWORK,	/* the method and its calls, minus their
				 * content */
	TP_PART_MISSING,	/* the device may have worked: work of it is
				 * missing in the trace */
	TP_PART_UNRECORDED,	/* nothing recorded what the host did */
	TP_PART_COUNT
};

/*
 * Of a row: what happens once, in the first execution of a program, and not
 * in later ones.
 */
struct tp_budget_once {
	int64_t first_ns, later_ns;	/* in first executions; in others */
	int64_t time_ns;		/* by which the first are longer than
					 * the others on average */
	int64_t execution_count, program_count;	/* that these are of; 0: not
						 * known */
};

#define TP_BUDGET_ROWS 12
/* No floor: unknown, or the time need not be spent at all. */
#define TP_FLOOR_UNKNOWN (-1)

struct tp_budget_row {
	enum tp_budget_part part;
	const char *cause;		/* static string; NULL: none */
	int64_t time_ns;
	int64_t floor_ns;		/* or TP_FLOOR_UNKNOWN */
	int is_replayed;		/* what it would save was replayed: */
	int64_t gain_ns;		/* ... by itself, */
	int64_t beyond_ns;		/* ... and beyond those told before */
	struct tp_budget_once once;
	int64_t one_gap_ns;		/* of it in one gap */
};

/* Time of which one gap holds at least this share happened once. */
#define TP_ONCE 0.8

/* The one gap that holds nearly all of a part. */
struct tp_budget_gap {
	int64_t time_ns;		/* 0: there is none */
	int64_t number;			/* of the step that it delays */
	int has_number;
	int64_t start_ns, end_ns;	/* where it lies; 0, 0: not told */
	/* of TP_PART_PAUSE: what it was chosen from */
	int64_t count;			/* gaps of its kind, with it */
	int64_t next_ns;		/* the longest of the others; 0: none */
};

/* A zeroed struct is empty. */
struct tp_budget {
	const char *scope;		/* "steps", "span", "segment" or
					 * "run", a literal */
	int64_t segment;		/* segment number; 0: none */
	int is_main;			/* the window that rules judge */
	int64_t host_index;		/* from 1 when there are several; 0:
					 * one */
	const char *host;		/* its name, or NULL */
	int64_t rank, has_rank;		/* of the process in its job */
	int64_t start_ns, end_ns;
	int64_t communication_ns;	/* in the window, whatever runs beside
					 * it; 0: unknown */
	struct tp_budget_row rows[32];
	size_t count;
	struct tp_budget_gap gaps[TP_PART_COUNT];
	int64_t part_gain_ns[TP_PART_COUNT];	/* as gain_ns of rows */
	int64_t joint_ns;		/* what all replayed rows would save */
	struct tp_budget_place {
		const char *name;	/* the call or function of the host in
					 * which most of a part is; or NULL */
		int64_t count;		/* how often it came; 0: not recorded */
	} places[TP_PART_COUNT];
	int is_unpromised;		/* gains are of what saves next to
					 * nothing alone, and no bounds */
};

/*
 * Add TIME_NS to the row of PART and CAUSE, which is created when new.
 * TIME_NS of 0 or less adds nothing.  A row's floor is known only when the
 * floor of everything added to it is.
 */
void tp_budget_add(struct tp_budget *b, enum tp_budget_part part,
    const char *cause, int64_t time_ns, int64_t floor_ns);
/*
 * State ONCE of the row of PART and CAUSE, if there is one.  Nothing saves
 * what happens once, so it is part of the floor.
 */
void tp_budget_say_once(struct tp_budget *b, enum tp_budget_part part,
    const char *cause, const struct tp_budget_once *once);
/*
 * State that TIME_NS more of the row of PART and CAUSE, if there is one, are in
 * one gap.  IS_FLOOR: nothing saves it, as what happens once.
 */
void tp_budget_say_gap(struct tp_budget *b, enum tp_budget_part part,
    const char *cause, int64_t time_ns, int is_floor);
/*
 * State what the row of PART and CAUSE, if there is one, would save by a
 * replay: by itself, and beyond what those told before it save.
 */
void tp_budget_say_gain(struct tp_budget *b, enum tp_budget_part part,
    const char *cause, int64_t gain_ns, int64_t beyond_ns);
/*
 * Time of the window that no row accounts for; negative when the rows exceed
 * the window.
 */
int64_t tp_budget_rest(const struct tp_budget *b);
/*
 * Write budget.window, then budget.part for each part, then budget for each
 * cause, longest first.  At most TP_BUDGET_ROWS budget records: the last one,
 * "other", sums the rest and everything below 0.5 % of the window.  Write
 * nothing for an empty window.  Sort the rows.
 */
void tp_budget_emit(struct tp_budget *b, struct tp_out *out);

/* Name of PART in records; and the part of that NAME, or -1. */
const char *tp_budget_part_name(enum tp_budget_part part);
int tp_budget_part_named(const char *name);
/*
 * Number CLASSES (lib/classes.h) by the part that "part" of their row names,
 * or that they are called.  0, or -1 when there is no such part.
 */
struct tp_classes;
int tp_budget_number(struct tp_classes *classes);

#endif
