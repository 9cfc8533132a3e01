/*
 * clock - a timed part of a bench program
 *
 * What is done before the clock starts costs nothing.  The report on
 * descriptor 3, for pair: "WALL CPU MB ITEMS BYTES", the seconds since, by
 * how much the resident maximum grew, and what was done.
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

struct clock {
	double wall, cpu, mb;
};

/* What getrusage() calls the resident maximum. */
static inline double
megabytes(long maxrss)
{
#ifdef __APPLE__
	return (double)maxrss / 1e6;
#else
	return (double)maxrss * 1024 / 1e6;
#endif
}

static inline struct clock
clock_now(void)
{
	struct timespec t;
	struct rusage u;
	struct clock c;

	getrusage(RUSAGE_SELF, &u);
	clock_gettime(CLOCK_MONOTONIC, &t);
	c.wall = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	c.cpu = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	c.mb = megabytes(u.ru_maxrss);
	return c;
}

static inline void
clock_report(struct clock from, size_t items, size_t bytes)
{
	struct clock to = clock_now();

	dprintf(3, "%.9f %.9f %.3f %zu %zu\n", to.wall - from.wall,
	    to.cpu - from.cpu, to.mb - from.mb, items, bytes);
}

#endif
