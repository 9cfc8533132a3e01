/*
 * pair - run two commands in turn and compare what they cost
 *
 * usage: pair RUNS NAME 'COMMAND A' 'COMMAND B'
 * Runs sh -c A, sh -c B, A, B ... after one uncounted run of each, output to
 * /dev/null, and prints a row of a Markdown table: median wall seconds of
 * both, resident MiB of A, the median of the ratios A/B of wall and of CPU
 * seconds with their range.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNS_MAX 50

struct cost {
	double wall, cpu, mib;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static struct cost
run(const char *command)
{
	struct rusage before, after;
	struct cost c;
	double start;
	int status, fd;
	pid_t pid;

	getrusage(RUSAGE_CHILDREN, &before);
	start = now();
	pid = fork();
	if (pid == 0) {
		fd = open("/dev/null", O_WRONLY);
		dup2(fd, STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) ||
	    WEXITSTATUS(status)) {
		fprintf(stderr, "pair: failed: %s\n", command);
		exit(1);
	}
	c.wall = now() - start;
	getrusage(RUSAGE_CHILDREN, &after);
	c.cpu = seconds(after.ru_utime) + seconds(after.ru_stime) -
	    seconds(before.ru_utime) - seconds(before.ru_stime);
	c.mib = (double)after.ru_maxrss / 1024;
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

int
main(int argc, char *argv[])
{
	double wall[2][RUNS_MAX], cpu[2][RUNS_MAX], rw[RUNS_MAX],
	    rc[RUNS_MAX], mib;
	struct cost c;
	int n, i, k;

	if (argc != 5 || (n = atoi(argv[1])) < 1 || n > RUNS_MAX) {
		fprintf(stderr, "usage: pair RUNS NAME A B\n");
		return 2;
	}
	/* A first: the resident maximum of children only ever grows */
	mib = run(argv[3]).mib;
	(void)run(argv[4]);
	for (i = 0; i < n; i++) {
		for (k = 0; k < 2; k++) {
			c = run(argv[3 + k]);
			wall[k][i] = c.wall;
			cpu[k][i] = c.cpu;
		}
		rw[i] = wall[0][i] / wall[1][i];
		rc[i] = cpu[0][i] / (cpu[1][i] > 0 ? cpu[1][i] : 1e-6);
	}
	printf("| %s | %.3f | %.3f | %.1f", argv[2], median(wall[0], n),
	    median(wall[1], n), mib);
	median(rw, n);
	median(rc, n);
	printf(" | %.2f (%.2f-%.2f) | %.2f (%.2f-%.2f) |\n", median(rw, n),
	    rw[0], rw[n - 1], median(rc, n), rc[0], rc[n - 1]);
	return 0;
}
