/* What is said of long work is right, steady, and fits the terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/read_rate.h"

#define MB ((uint64_t)1000000)

static int failed;

static void
is(struct tp_buf *got, const char *want)
{
	if (!got->p || strcmp(got->p, want)) {
		printf("not ok '%s', not '%s'\n", got->p ? got->p : "", want);
		failed = 1;
	}
	tp_buf_clear(got);
}

static void
ok(int is_so, const char *what, long n)
{
	if (is_so)
		return;
	printf("not ok %s: %ld\n", what, n);
	failed = 1;
}

static void
done(const char *what)
{
	if (!failed)
		printf("ok %s\n", what);
}

/* PACE of a read of RATE bytes per ms that has gone on for MS. */
static void
run(struct tp_pace *p, uint64_t rate, uint64_t total, int64_t ms)
{
	memset(p, 0, sizeof *p);
	for (int64_t t = 0; t <= ms; t += 200)
		tp_pace_step(p, rate * (uint64_t)t, total, 5000 + t);
}

static void
says(void)
{
	struct tp_buf b = { 0 };
	struct tp_pace p = { 0 };

	tp_pace_step(&p, 0, 1234 * MB, 7);
	tp_pace_say(&p, &b);
	is(&b, "0 % of 1.2 GB");
	/* 100 MB per second */
	run(&p, 100000, 1234 * MB, 1800);
	tp_pace_say(&p, &b);
	is(&b, "14 % of 1.2 GB");
	run(&p, 100000, 1234 * MB, 5400);
	tp_pace_say(&p, &b);
	is(&b, "43 % of 1.2 GB, 7 s left");
	run(&p, 100000, 1234 * MB, 12200);
	tp_pace_say(&p, &b);
	is(&b, "98 % of 1.2 GB, 1 s left");
	run(&p, 100000, 0, 800);
	tp_pace_say(&p, &b);
	is(&b, "80 MB");
	run(&p, 100000, 0, 8000);
	tp_pace_say(&p, &b);
	is(&b, "800 MB, 100 MB/s");
	run(&p, 20, 0, 2000);
	tp_pace_say(&p, &b);
	is(&b, "40 kB, 20 kB/s");
	/* so slow that the first second says nothing about the whole */
	run(&p, 10, 1000 * MB, 9800);
	tp_pace_say(&p, &b);
	is(&b, "0 % of 1.0 GB");
	run(&p, 10, 1000 * MB, 10000);
	tp_pace_say(&p, &b);
	is(&b, "0 % of 1.0 GB, 28 h left");
	run(&p, 1000, 1000 * MB, 20000);
	tp_pace_say(&p, &b);
	is(&b, "2 % of 1.0 GB, 16 min left");
	/* a file that grew while it was read */
	run(&p, 1000, 10 * MB, 20000);
	tp_pace_say(&p, &b);
	is(&b, "100 % of 20 MB");
	tp_buf_release(&b);
	done("share, size, rate and time left are said as they are");
}

/* A second pass begins at the start: its pace is its own. */
static void
begins_again(void)
{
	struct tp_buf b = { 0 };
	struct tp_pace p;

	run(&p, 100000, 1000 * MB, 9000);
	tp_pace_step(&p, 0, 1000 * MB, 15000);
	tp_pace_say(&p, &b);
	is(&b, "0 % of 1.0 GB");
	tp_buf_release(&b);
	done("a read that begins again has no time left from before");
}

/* Reads whose rate changes from one look to the next by up to a factor of
 * three: the end that is foreseen moves seldom, and not far. */
static void
is_steady(void)
{
	int64_t t, end, was, rose, moved;
	const uint64_t total = 20000 * MB;

	for (unsigned seed = 1; seed <= 50; seed++) {
		struct tp_pace p = { 0 };
		unsigned n = seed;
		uint64_t read = 0;

		was = rose = moved = 0;
		for (t = 0; read < total; t += 200) {
			tp_pace_step(&p, read, total, t);
			n = n * 1103515245u + 12345u;
			read += (10 + (n >> 16) % 21) * MB;
			ok(p.end_ms != 0 || t < 3000, "no time left",
			    (long)t);
			end = p.end_ms;
			moved += was && end != was;
			if (was && end > was && t > 20000 && end - was > rose)
				rose = end - was;
			/* of 200 s */
			ok(t < 20000 || labs((long)(end - 200000)) < 30000,
			    "the end is not foreseen", (long)end);
			was = end;
		}
		ok(moved < 40, "the end moves often", (long)moved);
		ok(rose < 30000, "the time left jumps", (long)rose);
	}
	done("the time left is steady while the rate is not");
}

/* A read that stands still, and goes on: what is said stays a number. */
static void
stands_still(void)
{
	struct tp_buf b = { 0 };
	struct tp_pace p;
	int64_t t;

	run(&p, 100000, 4000 * MB, 10000);
	for (t = 15200; t < 4000000; t += 200) {
		tp_pace_step(&p, 1000 * MB, 4000 * MB, t);
		tp_pace_say(&p, &b);
		ok(b.len < 40, "too long", (long)b.len);
		tp_buf_clear(&b);
		ok(!p.end_ms || p.end_ms > t - 200, "over before the end",
		    (long)t);
	}
	tp_buf_release(&b);
	done("a read that stands still has a time left all the same");
}

static void
line(struct tp_buf *b, const struct tp_work *w, size_t width,
    const char *want)
{
	struct tp_screen screen = { width, 0, ".." };
	struct tp_pace p;

	run(&p, 100000, 1234 * MB, 5400);
	tp_pace_line(&p, w, &screen, b);
	is(b, want);
}

static void
lines(void)
{
	struct tp_work w = { "tp-mem", "reading", "mem.xml", 1, 1, -1 };
	struct tp_buf b = { 0 };

	line(&b, &w, 80, "tp-mem: reading mem.xml: 43 % of 1.2 GB, 7 s left");
	w.count = 512, w.number = 12;
	line(&b, &w, 80, "tp-mem: reading file 12 of 512, mem.xml: "
	    "43 % of 1.2 GB, 7 s left");
	line(&b, &w, 60, "tp-mem: reading file 12 of 512: "
	    "43 % of 1.2 GB, 7 s left");
	w.name = "a_name_that_is_much_longer_than_that.xml";
	line(&b, &w, 78, "tp-mem: reading file 12 of 512, a_name_th..that.xml: "
	    "43 % of 1.2 GB, 7 s left");
	w.verb = "analysing", w.name = NULL, w.number = 0, w.so_far_ms = 900;
	line(&b, &w, 80, "tp-mem: analysing 512 files");
	w.so_far_ms = 3700;
	line(&b, &w, 80, "tp-mem: analysing 512 files, 3 s so far");
	w.verb = NULL, w.who = "tp-report: judging";
	line(&b, &w, 80, "tp-report: judging: 3 s so far");
	w.so_far_ms = 0;
	line(&b, &w, 80, "tp-report: judging");
	w.so_far_ms = -1;
	line(&b, &w, 80, "tp-report: judging: 43 % of 1.2 GB, 7 s left");
	tp_buf_release(&b);
	done("the line says who, what, which input and how far");
}

static void
fits(void)
{
	static const char *const names[] = { "x", "mem.xml", NULL,
	    "\346\274\242\345\255\227\346\274\242\345\255\227\346\274\242\345"
	    "\255\227\346\274\242\345\255\227\346\274\242\345\255\227",
	    "a\314\210o\314\210u\314\210.xml\314\210",
	    "0123456789012345678901234567890123456789012345678901234567890" };
	struct tp_buf b = { 0 };
	struct tp_pace p;

	run(&p, 100000, 1234 * MB, 5400);
	for (size_t width = 1; width < 140; width++)
		for (size_t i = 0; i < sizeof names / sizeof *names * 8; i++) {
			struct tp_screen screen = { width, !(i & 1),
			    i & 1 ? ".." : "\342\200\246" };
			struct tp_work w = { "tp-gpu-intervals", "reading",
			    names[i / 8], 7, i & 2 ? 512 : 1,
			    i & 4 ? 90000 : -1 };

			tp_pace_line(&p, &w, &screen, &b);
			ok(tp_text_width(b.p ? b.p : "", b.len) <
			    width, "too wide", (long)width);
			tp_buf_clear(&b);
		}
	tp_buf_release(&b);
	done("the line is narrower than the terminal, whatever the names");
}

int
main(void)
{
	says();
	begins_again();
	is_steady();
	stands_still();
	lines();
	fits();
	return failed;
}
