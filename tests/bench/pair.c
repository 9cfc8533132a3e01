/*
 * pair - run two commands in turn and compare what they cost
 *
 * usage: pair RUNS ID NAME BYTES[/ITEMS] 'COMMAND A' 'COMMAND B'
 * Runs sh -c A, sh -c B, A, B ... after one uncounted run of each, output to
 * /dev/null.  A command that writes a report of its own (clock.h) to
 * descriptor 3 is believed.  Prints one line of tab-separated fields: ID,
 * NAME, median wall seconds of A and of B, resident MB of A and of B, the
 * median, least and greatest ratio A/B of wall seconds and of CPU seconds,
 * and the BYTES and ITEMS that A went through (0: as reported).
 */
#define _DEFAULT_SOURCE		/* wait4 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

#define RUNS_MAX 50

struct cost {
	double wall, cpu, mb, items, bytes;
};

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* In the child: output to nowhere, the report to REPORT. */
static void
become(const char *command, int report)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(null, STDOUT_FILENO);
	dup2(report, 3);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static struct cost
run(const char *command)
{
	struct rusage used;
	struct cost c = { 0 };
	char text[200];
	struct clock start;
	int status, fds[2];
	ssize_t n;
	pid_t pid;

	if (pipe(fds))
		exit(4);
	start = clock_now();
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		become(command, fds[1]);
	}
	close(fds[1]);
	/* a report is shorter than a pipe: wait first */
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0 || status) {
		fprintf(stderr, "pair: failed: %s\n", command);
		exit(1);
	}
	c.wall = clock_now().wall - start.wall;
	c.cpu = seconds(used.ru_utime) + seconds(used.ru_stime);
	c.mb = megabytes(used.ru_maxrss);
	n = read(fds[0], text, sizeof text - 1);
	close(fds[0]);
	text[n > 0 ? n : 0] = '\0';
	sscanf(text, "%lf %lf %lf %lf %lf", &c.wall, &c.cpu, &c.mb, &c.items,
	    &c.bytes);
	return c;
}

static int
ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double
median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, ascending);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The median of V, then its range. */
static void
print_range(double *v, int n)
{
	double m = median(v, n);

	printf("\t%.6g\t%.6g\t%.6g", m, v[0], v[n - 1]);
}

int
main(int argc, char *argv[])
{
	double wall[2][RUNS_MAX], mb[2][RUNS_MAX], rw[RUNS_MAX],
	    rc[RUNS_MAX];
	struct cost c[2] = { 0 };
	double bytes, items = 0;
	int n, i, k;

	if (argc != 7 || (n = atoi(argv[1])) < 1 || n > RUNS_MAX ||
	    sscanf(argv[4], "%lf/%lf", &bytes, &items) < 1) {
		fprintf(stderr, "usage: pair RUNS ID NAME BYTES[/ITEMS] A B\n");
		return 2;
	}
	(void)run(argv[5]);
	(void)run(argv[6]);
	for (i = 0; i < n; i++) {
		for (k = 0; k < 2; k++) {
			c[k] = run(argv[5 + k]);
			wall[k][i] = c[k].wall;
			mb[k][i] = c[k].mb;
		}
		rw[i] = c[0].wall / c[1].wall;
		rc[i] = c[0].cpu / (c[1].cpu > 0 ? c[1].cpu : 1e-6);
	}
	printf("%s\t%s\t%.6f\t%.6f\t%.2f\t%.2f", argv[2], argv[3],
	    median(wall[0], n), median(wall[1], n), median(mb[0], n),
	    median(mb[1], n));
	print_range(rw, n);
	print_range(rc, n);
	printf("\t%.0f\t%.0f\n", c[0].bytes > 0 ? c[0].bytes : bytes,
	    c[0].items > 0 ? c[0].items : items);
	return 0;
}
