/*
 * read_rate - progress of a long read: rate, time left, and the line that shows
 * it
 *
 * Pure: the caller supplies the time.  State is one struct of numbers; the
 * line goes to the caller's buffer.
 */
#ifndef TP_TOOL_READ_RATE_H
#define TP_TOOL_READ_RATE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>
#include <tp/width.h>

/* A zeroed struct is empty. */
struct tp_pace {
	uint64_t done, total;	/* bytes; total 0: unknown */
	int64_t begun_ms, last_ms;
	uint64_t begun;		/* bytes done at begun_ms */
	double rate;		/* bytes per ms, smoothed */
	int64_t end_ms;		/* expected end, or 0 */
	int started;
};

/*
 * At time MS of a monotonic clock, DONE of TOTAL bytes are read.  The rate
 * covers about the last third of the elapsed time.  An expected end is given
 * after two seconds, and changes only when it is off by more than an eighth.
 * When DONE decreases, everything restarts.
 */
void tp_pace_step(struct tp_pace *pace, uint64_t done, uint64_t total,
    int64_t ms);
/*
 * Append "42 % of 1.2 GB, 7 s left", or "812 MB, 95 MB/s" without a total;
 * unknown parts are left out.
 */
void tp_pace_say(const struct tp_pace *pace, struct tp_buf *out);

/* The current work. */
struct tp_work {
	const char *who;	/* "tp-mem", or a name given by a script */
	const char *verb;	/* "reading"; NULL: WHO describes it */
	const char *name;	/* of the input, safe for a terminal; or NULL */
	size_t number, count;	/* of the inputs; number 0: all inputs */
	int64_t so_far_ms;	/* elapsed time to show; below 0: show the pace
				 * instead */
};

/*
 * Append the line: "tp-mem: reading mem.xml: 42 % of 1.2 GB, 7 s left",
 * "tp-ranks: reading file 12 of 512, r12.jsonl: 2 % of 98 MB", "tp-trace:
 * analysing t.json, 3 s so far".  It is narrower than SCREEN: the name is
 * cut first, then left out.
 */
void tp_pace_line(const struct tp_pace *pace, const struct tp_work *work,
    const struct tp_screen *screen, struct tp_buf *out);

#endif
