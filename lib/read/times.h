/*
 * times - read the times that a benchmark prints
 *
 * Finds lines "Eager Time: 0.2341s", "Compiled Time: 51.2 ms", "Speedup:
 * 4.57x" among any others; the last of each counts.  Memory: see lines.h.
 */
#ifndef TP_READ_TIMES_H
#define TP_READ_TIMES_H

#include <stdint.h>

#include <tp/err.h>
#include <tp/in.h>

struct tp_times {
	int64_t eager_ns, compiled_ns;	/* above 0 */
	double speedup;			/* as printed; 0: not printed */
};

/*
 * Read IN to its end.  0, or -1 with ERR: TP_BAD when a time is missing,
 * malformed or not above 0.
 */
int tp_times_read(struct tp_in *in, struct tp_times *times,
    struct tp_err *err);

#endif
