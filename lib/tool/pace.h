/*
 * pace - how far a long read is, how fast, how long still, and the line that
 * says so
 *
 * Pure: whoever calls says what time it is.  Nothing is kept but one struct of
 * numbers; the line goes to a buffer of the caller's.
 */
#ifndef TP_TOOL_PACE_H
#define TP_TOOL_PACE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>
#include <tp/width.h>

/* A zeroed struct is one that has seen nothing. */
struct tp_pace {
	uint64_t done, total;	/* bytes; total 0: nobody knows */
	int64_t begun_ms, last_ms;
	uint64_t begun;		/* bytes that were done then */
	double rate;		/* bytes per ms, smoothed */
	int64_t end_ms;		/* when it is expected to end, or 0 */
	int started;
};

/*
 * At MS of any clock that only goes forward, DONE of TOTAL bytes are read.  The
 * rate follows about the last third of the time so far; a time to end is given
 * after two seconds, and moves only when it was wrong by more than an eighth.
 * When DONE falls everything begins again.
 */
void tp_pace_step(struct tp_pace *pace, uint64_t done, uint64_t total,
    int64_t ms);
/* Append "42 % of 1.2 GB, 7 s left", or "812 MB, 95 MB/s" without a total;
 * what is not known yet is left out. */
void tp_pace_say(const struct tp_pace *pace, struct tp_buf *out);

/* What is worked on. */
struct tp_work {
	const char *who;	/* "tp-mem", or what a script says instead */
	const char *verb;	/* "reading"; NULL: WHO says what is done */
	const char *name;	/* of the input as a terminal may show it, or
				 * NULL */
	size_t number, count;	/* of the inputs; number 0: all of them */
	int64_t so_far_ms;	/* time it took, or below 0: say its pace */
};

/*
 * Append the line: "tp-mem: reading mem.xml: 42 % of 1.2 GB, 7 s left",
 * "tp-ranks: reading file 12 of 512, r12.jsonl: 2 % of 98 MB", "tp-trace:
 * analysing t.json, 3 s so far".  It takes less than the width of SCREEN: the
 * name is cut first, then left out.
 */
void tp_pace_line(const struct tp_pace *pace, const struct tp_work *work,
    const struct tp_screen *screen, struct tp_buf *out);

#endif
